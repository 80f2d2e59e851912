"""A closed ledger with any byte flipped, or cut at any length, is refused and left as it is."""

import json
import os
import random
from functools import cache

import pytest

from tests.crash.ledger_book import read_book
from tests.nights import NIGHT
from voile.errors import LedgerRefused
from voile.ledger import places
from voile.ledger.store import Ledger

pytestmark = pytest.mark.slow
CHUNKS = 8
EVERY = 11 if NIGHT else 23  # bytes of a ledger after an interrupted session
# the first of eight chunks: every eighth byte, every eighth length
each_chunk = pytest.mark.parametrize(
    "chunk", [0, *(pytest.param(c, marks=pytest.mark.nightly) for c in range(1, CHUNKS))]
)


@pytest.fixture
def closed(stage, monkeypatch):
    """A ledger with one release, closed; opened in this process."""
    scene = stage.set("next")
    monkeypatch.setenv("VOILE_KEYS", str(scene.keys))
    # a third of every opening is reading the same table of mounts: from memory where it can be
    monkeypatch.setattr(places, "file_system_of", cache(places.file_system_of))
    return scene


def refused(scene, damaged):
    """Whether opening refuses; then the file must be as before."""
    problem = ""
    try:
        with Ledger.open(scene.ledger):
            problem = "opened"
    except LedgerRefused as error:
        assert error.what and error.remedy
    assert problem or scene.ledger.read_bytes() == damaged
    return not problem


def flip(scene, place, bit):
    """Flip one bit in place; returns the bytes that are there then."""
    content = bytearray(scene.ledger.read_bytes())
    content[place] ^= 1 << bit
    with open(scene.ledger, "r+b", buffering=0) as file:
        file.seek(place)
        file.write(content[place : place + 1])
    return bytes(content)


@each_chunk
def test_every_byte_flipped(closed, chunk):
    rng = random.Random(chunk)
    for place in range(chunk, closed.ledger.stat().st_size, CHUNKS):
        bit = rng.randrange(8)
        assert refused(closed, flip(closed, place, bit)), place
        flip(closed, place, bit)
    with Ledger.open(closed.ledger) as ledger:
        assert ledger.next_release == 2


@each_chunk
def test_every_length(closed, chunk):
    content = closed.ledger.read_bytes()
    for length in reversed(range(chunk, len(content), CHUNKS)):
        os.truncate(closed.ledger, length)
        assert refused(closed, content[:length]), length


def test_damage_after_an_interrupted_session_is_found_or_changes_nothing(closed):
    """Then no digest of the file is known: its structure, chain and memory must tell."""
    content, truth = closed.ledger.read_bytes(), read_book(closed.ledger)
    witness = next(closed.keys.glob("*.witness"))
    note = json.dumps({**json.loads(witness.read_text()), "sha256": None})
    found = 0
    for place in range(0, len(content), EVERY):
        witness.write_text(note)
        closed.ledger.write_bytes(content)
        if refused(closed, flip(closed, place, place % 8)):
            found += 1
            continue
        book = read_book(closed.ledger)
        same = [(r.number, r.kind, r.body, r.hash) for r in truth.records]
        assert [(r.number, r.kind, r.body, r.hash) for r in book.records][: len(same)] == same, place
        assert (book.signatures, book.memory) == (truth.signatures, truth.memory), place
    assert found > 50
