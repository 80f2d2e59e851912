"""A closed ledger with any byte flipped, or cut at any length, is refused and left as it is."""

import json
import random

import pytest
from voile.ledger.store import Ledger

from tests.crash.ledger_book import read_book
from voile.errors import LedgerRefused

pytestmark = pytest.mark.slow
CHUNKS = 4


@pytest.fixture
def closed(stage, monkeypatch):
    """A ledger with one release, closed; opened in this process."""
    scene = stage.set("next")
    monkeypatch.setenv("VOILE_KEYS", str(scene.keys))
    return scene


def refused(scene, damaged):
    """Whether opening refuses; the file must be as before, whatever it says."""
    scene.ledger.write_bytes(damaged)
    problem = ""
    try:
        with Ledger.open(scene.ledger):
            problem = "opened"
    except LedgerRefused as error:
        assert error.what and error.remedy
    assert problem or scene.ledger.read_bytes() == damaged
    return not problem


def flipped(content, place, bit):
    damaged = bytearray(content)
    damaged[place] ^= 1 << bit
    return bytes(damaged)


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_every_byte_flipped(closed, chunk):
    content = closed.ledger.read_bytes()
    rng = random.Random(chunk)
    for place in range(chunk, len(content), CHUNKS):
        assert refused(closed, flipped(content, place, rng.randrange(8))), place
    closed.ledger.write_bytes(content)
    with Ledger.open(closed.ledger) as ledger:
        assert ledger.next_release == 2


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_every_length(closed, chunk):
    content = closed.ledger.read_bytes()
    for length in range(chunk, len(content), CHUNKS):
        assert refused(closed, content[:length]), length


def test_damage_after_an_interrupted_session_is_found_or_changes_nothing(closed):
    """Then no digest of the file is known: its structure, chain and memory must tell."""
    content, truth = closed.ledger.read_bytes(), read_book(closed.ledger)
    witness = next(closed.keys.glob("*.witness"))
    note = json.dumps({**json.loads(witness.read_text()), "sha256": None})
    found = 0
    for place in range(0, len(content), 11):
        witness.write_text(note)
        if refused(closed, flipped(content, place, place % 8)):
            found += 1
            continue
        book = read_book(closed.ledger)
        same = [(r.number, r.kind, r.body, r.hash) for r in truth.records]
        assert [(r.number, r.kind, r.body, r.hash) for r in book.records][: len(same)] == same, place
        assert (book.signatures, book.memory) == (truth.signatures, truth.memory), place
    assert found > 50
