"""One writer at a time."""

import subprocess
import sys

import pytest

from tests.ledger.clinic import session
from voile.errors import LedgerRefused
from voile.ledger import Ledger

PUBLISHER = """
import sys
from tests.ledger.clinic import publish
from voile.ledger import Ledger

with Ledger.open(sys.argv[1]) as ledger:
    publish(ledger, [sys.argv[2]])
"""


def test_a_second_publisher_waits_and_is_told(place):
    told = []
    with Ledger.open(place):
        with pytest.raises(LedgerRefused, match="another publisher") as refusal:
            Ledger.open(place, patience=0.2, waiting=lambda: told.append(1))
        assert told == [1] and refusal.value.exit_code == 3
    session(place, ["ann"])


def test_a_refused_opening_lets_go_of_the_lock(place, keys):
    key = next(keys.glob("*.key"))
    text = key.read_text()
    key.unlink()
    with pytest.raises(LedgerRefused):
        Ledger.open(place)
    key.write_text(text)
    key.chmod(0o600)
    Ledger.open(place, patience=0).close()


@pytest.mark.slow
def test_publishers_at_once(path):
    """None is lost, none doubled, and nobody hears of a locked database."""
    children = [
        subprocess.Popen([sys.executable, "-c", PUBLISHER, path, f"p{i}"], stderr=subprocess.PIPE, text=True)
        for i in range(3)
    ]
    said = [child.communicate()[1] for child in children]
    assert [child.returncode for child in children] == [0] * 3, said
    view = Ledger.read(path)
    assert [r.number for r in view.releases()] == [1, 2, 3]
    assert {r.state for r in view.releases()} == {"published"} and view.persons == 3
