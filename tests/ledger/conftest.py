"""A place for ledgers, in a file or on a server, and a folder of its own for their keys."""

import secrets

import pytest

from voile.ledger import Ledger


@pytest.fixture(autouse=True)
def keys(tmp_path, monkeypatch):
    folder = tmp_path / "keys"
    monkeypatch.setenv("VOILE_KEYS", str(folder))
    return folder


@pytest.fixture
def path(tmp_path, keys):
    ledger = tmp_path / "clinic.ledger"
    Ledger.create(ledger)
    return ledger


@pytest.fixture
def address(postgresql, monkeypatch):
    """Where there is no ledger yet on the server."""
    for name, value in postgresql.environment.items():
        monkeypatch.setenv(name, value)
    return f"{postgresql.address()}#clinic_{secrets.token_hex(6)}"


@pytest.fixture
def server_ledger(address, keys):
    Ledger.create(address)
    return address


@pytest.fixture(params=["path", "server_ledger"])
def place(request):
    """A new ledger, in a file and on a server: what is tested holds for both."""
    return request.getfixturevalue(request.param)
