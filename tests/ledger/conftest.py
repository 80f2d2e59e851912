"""A place for ledgers, and a folder of its own for their keys."""

import pytest


@pytest.fixture(autouse=True)
def keys(tmp_path, monkeypatch):
    folder = tmp_path / "keys"
    monkeypatch.setenv("VOILE_KEYS", str(folder))
    return folder


@pytest.fixture
def path(tmp_path, keys):
    from voile.ledger import Ledger

    ledger = tmp_path / "clinic.ledger"
    Ledger.create(ledger)
    return ledger
