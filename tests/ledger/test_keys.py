"""Pseudonyms tell nothing without the key; a rotated key ends what an old one could tell."""

import hashlib
import shutil

import numpy as np
import polars as pl
import pytest

from tests.ledger.clinic import FLU, begin, known, people_of, publish, session
from voile.errors import LedgerRefused
from voile.ledger import UNKNOWN, Ledger
from voile.ledger.keys import KeyFile, back_up, check_value, default_key, restore_key
from voile.ledger.pseudonyms import pseudonyms


def key_file(keys):
    return next(keys.glob("*.key"))


def hashed(text, *keys):
    value = text.encode()
    for key in keys:
        value = hashlib.blake2b(value, digest_size=16, key=key).digest()
    return value


def test_pseudonyms_are_keyed_blake2b(place, keys):
    names = ["", "ann", "Zoë", "名前", "x" * 500]
    with Ledger.open(place) as ledger:
        (key,) = KeyFile.read(key_file(keys), ledger.id).keys
        assert [row.tobytes() for row in people_of(ledger, names)] == [hashed(n, key) for n in names]
        publish(ledger, names)
        ledger.rotate()
        both = KeyFile.read(key_file(keys), ledger.id).keys
        assert both[0] == key and len(both) == 2
        assert [row.tobytes() for row in people_of(ledger, names)] == [hashed(n, *both) for n in names]
        assert known(ledger, names) == [FLU] * 5


def test_batches_are_seamless(monkeypatch):
    from voile.ledger import pseudonyms as module

    names = pl.Series([f"person {i}" for i in range(1000)])
    whole = pseudonyms(names, [bytes(32), bytes(range(32))])
    monkeypatch.setattr(module, "_BATCH", 7)
    assert (pseudonyms(names, [bytes(32), bytes(range(32))]) == whole).all()
    assert pseudonyms(names.head(0), [bytes(32)]).shape == (0, 2)


@pytest.mark.slow
def test_likely_identifiers_match_nobody_without_the_key(place):
    """A stolen ledger, and a million identifiers that are likely: with other keys none matches."""
    likely = pl.Series(np.arange(1_000_000)).cast(pl.String)
    with Ledger.open(place) as ledger:
        publish(ledger, likely.gather_every(100).to_list())
        stolen = ledger._content.memory
        draw = np.random.default_rng(7)
        for key in (bytes(32), bytes.fromhex(ledger.id) * 2, draw.bytes(32)):
            assert (stolen.recall(pseudonyms(likely, [key])) == UNKNOWN).all()
        own = stolen.recall(ledger.pseudonyms(likely))
    assert (own != UNKNOWN).sum() == 10_000  # positive control


def test_a_stolen_old_key_matches_nobody_after_rotation(path, keys):
    with Ledger.open(path) as ledger:
        publish(ledger, ["ann", "bob"])
        (old,) = KeyFile.read(key_file(keys), ledger.id).keys
        assert (ledger.recall(pseudonyms(pl.Series(["ann", "bob"]), [old])) > 0).all()  # positive control
        before = dict(ledger._content.memory.pages)
        ledger.rotate()
        assert (ledger.recall(pseudonyms(pl.Series(["ann", "bob"]), [old])) == UNKNOWN).all()
        assert all(before[n].salt != page.salt for n, page in ledger._content.memory.pages.items())
    assert hashed("ann", old) not in path.read_bytes()


def test_a_key_from_before_the_rotation_is_refused(place, keys, tmp_path):
    shutil.copy(key_file(keys), tmp_path / "old.key")
    with Ledger.open(place) as ledger:
        ledger.rotate()
    shutil.copy(tmp_path / "old.key", key_file(keys))
    with pytest.raises(LedgerRefused, match="as it is now"):
        Ledger.open(place)


def test_the_key_of_an_interrupted_rotation_is_never_used(place, keys, tmp_path):
    """It lay in the key file, where it may have been copied."""
    session(place, ["ann"])
    with Ledger.open(place) as ledger:
        left = ledger._keys.with_another(1)
    left.write()  # the crash comes here
    shutil.copy(key_file(keys), tmp_path / "stolen.key")
    with Ledger.open(place) as ledger:
        assert known(ledger, ["ann"]) == [FLU]
        ledger.rotate()
        assert KeyFile.read(key_file(keys), ledger.id).keys[0] == left.keys[0]
        assert left.keys[1] not in KeyFile.read(key_file(keys), ledger.id).keys
        assert (ledger.recall(pseudonyms(pl.Series(["ann"]), left.keys)) == UNKNOWN).all()
        ledger.rotate()
        assert len(KeyFile.read(key_file(keys), ledger.id).keys) == 3
        assert known(ledger, ["ann", "bob"]) == [FLU, UNKNOWN]
    with Ledger.open(place) as ledger:
        assert known(ledger, ["ann"]) == [FLU]
        begin(ledger, ["bob"])
    with pytest.raises(LedgerRefused, match="as it is now"):
        Ledger.open(place, tmp_path / "stolen.key")


def test_after_an_error_no_key_is_replaced(place, keys):
    """The rotation may be in the file although its commit failed: its key must stay."""
    ledger = Ledger.open(place)
    ledger._unsure = True
    before = key_file(keys).read_bytes()
    with pytest.raises(LedgerRefused, match="open it again"):
        ledger.rotate()
    assert key_file(keys).read_bytes() == before
    ledger.close()


def test_no_key_is_not_everybody_new(place, keys):
    key_file(keys).unlink()
    with pytest.raises(LedgerRefused, match="does not exist") as refusal:
        Ledger.open(place)
    assert refusal.value.exit_code == 3


def test_keys_of_others(path, keys, tmp_path):
    Ledger.create(tmp_path / "other.ledger", tmp_path / "other.key")
    with pytest.raises(LedgerRefused, match="another ledger"):
        Ledger.open(path, tmp_path / "other.key")
    own = key_file(keys)
    lines = own.read_text().splitlines()
    other = (tmp_path / "other.key").read_text().splitlines()
    for text in (
        "",
        "\n".join(lines[:2]),
        "\n".join([*lines[:2], "00"]),
        "\n".join([*lines, "x"]),
        "\n".join(other),
    ):
        own.write_text(text)
        with pytest.raises(LedgerRefused):
            Ledger.open(path)
    own.write_text("\n".join([*lines[:2], other[2]]) + "\n")
    with pytest.raises(LedgerRefused, match="everybody would seem new"):
        Ledger.open(path)


def test_repr_keeps_the_secret(place, keys):
    with Ledger.open(place) as ledger:
        keys_file = KeyFile.read(key_file(keys), ledger.id)
    assert keys_file.keys[0].hex() not in repr(keys_file)


def test_check_value_depends_on_every_key():
    a, b = bytes(32), bytes(range(32))
    assert len({check_value(k) for k in ([a], [b], [a, b], [b, a], [a, a])}) == 5


def test_backup_and_restore(place, keys, tmp_path):
    own, copy = key_file(keys), tmp_path / "copy.key"
    view = Ledger.read(place)
    proof = (view.id, view.content.generation, view.content.check)
    back_up(KeyFile.read(own, view.id), copy)
    assert copy.stat().st_mode & 0o777 == 0o600
    with pytest.raises(LedgerRefused, match="exists"):
        back_up(KeyFile.read(own, view.id), copy)
    with pytest.raises(LedgerRefused, match="fits"):
        restore_key(copy, own, *proof)
    own.unlink()
    restore_key(copy, own, *proof)
    session(place, ["ann"])


def test_where_keys_lie(monkeypatch):
    monkeypatch.setenv("VOILE_KEYS", "/safe")
    monkeypatch.setenv("XDG_CONFIG_HOME", "/config")
    assert str(default_key("ab")) == "/safe/ab.key"
    monkeypatch.delenv("VOILE_KEYS")
    assert str(default_key("ab")) == "/config/voile/keys/ab.key"
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.setenv("HOME", "/home/x")
    assert str(default_key("ab")) == "/home/x/.config/voile/keys/ab.key"


def test_a_backup_on_a_stick_without_modes(path, keys, tmp_path):
    own, copy = key_file(keys), tmp_path / "copy.key"
    view = Ledger.read(path)
    shutil.move(own, copy)
    copy.chmod(0o777)
    restore_key(copy, own, view.id, view.content.generation, view.content.check)
    assert own.stat().st_mode & 0o777 == 0o600
    Ledger.open(path).close()


def test_a_key_is_not_where_its_witness_or_its_ledger_goes(tmp_path):
    for key in ("own.witness", "own.WITNESS", "a.ledger"):
        with pytest.raises(LedgerRefused):
            Ledger.create(tmp_path / "a.ledger", tmp_path / key)
    with pytest.raises(LedgerRefused):
        Ledger.create(tmp_path / "a.witness", tmp_path / "a.key")
    with pytest.raises(LedgerRefused):
        Ledger.create(tmp_path / "a.ledger", "/")
    assert [p.name for p in tmp_path.iterdir() if not p.name.endswith(".lock")] == []
