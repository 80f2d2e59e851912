"""Addresses of databases: what is refused, and what is never shown."""

import pytest

from voile.core.address import Address
from voile.errors import ParameterError

SECRET = "cnry77aa"


@pytest.mark.parametrize(
    "text",
    [
        f"postgresql://steward:{SECRET}@db.example/clinic",
        f"postgres://steward:{SECRET}@db.example:5433/clinic",
        f"postgresql://steward:{SECRET}@@db.example/clinic",
        f"postgresql://:{SECRET}@db.example/clinic",
        f"postgresql://db.example/clinic?user=steward&password={SECRET}",
        f"postgresql://db.example/clinic?PassWord={SECRET}",
        f"postgresql://db.example/clinic?p%61ssword={SECRET}",
        f"postgresql://db.example/clinic?sslpassword={SECRET}",
        f"POSTGRESQL://steward:{SECRET}@db.example/clinic",
        f"postgresql://steward:pa?{SECRET}@db.example/clinic",
        f"postgresql://steward:pa/{SECRET}@db.example/clinic",
        f"postgresql://steward:pa#{SECRET}@db.example/clinic",
    ],
)
def test_a_password_in_an_address_is_refused_and_not_repeated(text):
    with pytest.raises(ParameterError, match="a password in it") as refusal:
        Address.of(text)
    assert SECRET not in str(refusal.value) and "PGPASSWORD" in str(refusal.value)


@pytest.mark.parametrize(
    "text", ["mysql://db/clinic", "clinic.db", "sqlite://", "sqlite:///", "sqlite://host/x", "postgresql://[::1/x"]
)
def test_what_is_no_address(text):
    with pytest.raises(ParameterError):
        Address.of(text)


@pytest.mark.parametrize("rest", [f"steward?{SECRET}@db.example/x", f"steward/{SECRET}@db.example/x"])
def test_whose_parts_are_not_clear_is_refused(rest):
    """libpq and others part such an address differently."""
    with pytest.raises(ParameterError, match="cannot be read") as refusal:
        Address.of(f"postgresql://{rest}")
    assert SECRET not in str(refusal.value)


def test_no_user_is_shown():
    address = Address.of("postgresql://cnryuser@db.example:5433/clinic?sslmode=require&user=cnryuser")
    assert "cnryuser" not in str(address) + repr(address) + f"{address}" + address.name
    assert str(address) == "postgresql://db.example:5433/clinic"
    assert "cnryuser" in address.uri and "sslmode=require" in address.uri  # control: the driver needs both
