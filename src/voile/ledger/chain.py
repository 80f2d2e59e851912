"""The chain: what happened to the series, one record after the other, each holding the hash of the one before.

What a release is now (reserved, audited, published, abandoned, withdrawn) is never stored: it is read off the
records, and a record that does not fit the ones before it is damage.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

START = "0" * 64  # what the first record holds as the hash before it
RESERVED, AUDITED, PUBLISHED, ABANDONED, WITHDRAWN = "reserved", "audited", "published", "abandoned", "withdrawn"
DANGLING = (RESERVED, AUDITED)  # counts as published until recovery proves otherwise
# kind of record -> the states a release may be in before it, and the state after it
_STEPS = {
    "audited": ((RESERVED,), AUDITED),
    "committed": ((AUDITED, ABANDONED), PUBLISHED),  # abandoned: it turned up after all (recovery.recover)
    "abandoned": (DANGLING, ABANDONED),
    "withdrawn": ((PUBLISHED,), WITHDRAWN),
}
_OTHERS = ("created", "erased", "rotated")
MOVED, ARRIVED = "moved", "arrived"  # the last record of a ledger that was moved, and the first one after it


@dataclass(frozen=True)
class Record:
    """One link of the chain."""

    number: int
    kind: str
    body: dict[str, Any] = field(repr=False)
    previous: str
    hash: str

    @classmethod
    def after(cls, chain: Sequence["Record"], kind: str, body: dict[str, Any]) -> "Record":
        """The next link."""
        previous = chain[-1].hash if chain else START
        text = canonical(body)
        return cls(len(chain) + 1, kind, json.loads(text), previous, link(len(chain) + 1, kind, previous, text))


@dataclass(frozen=True)
class ReleaseRecord:
    """A release as the chain tells it; `remembered` unless it was abandoned and its persons were forgotten."""

    number: int
    state: str
    date: str
    folder: str
    body: dict[str, Any] = field(repr=False)
    files: dict[str, str] = field(default_factory=dict, repr=False)
    record: str = ""
    previous: str = ""
    reason: str = ""
    remembered: bool = True
    machine: str = ""  # where its folder is (places.this_machine)

    @property
    def may_turn_up(self) -> bool:
        """Abandoned on an operator's word, just before or after it was revealed: nothing of it was forgotten."""
        return self.state == ABANDONED and self.remembered and bool(self.files)


def canonical(body: dict[str, Any]) -> str:
    """JSON with one spelling.

    >>> canonical({"b": 1, "a": [2]})
    '{"a":[2],"b":1}'
    """
    return json.dumps(body, sort_keys=True, separators=(",", ":"), allow_nan=False)


def link(number: int, kind: str, previous: str, text: str) -> str:
    """The hash of a record."""
    return hashlib.sha256(f"{number}\n{kind}\n{previous}\n{text}".encode()).hexdigest()


def parse_chain(rows: Iterable[tuple[Any, ...]]) -> tuple[list[Record], str]:
    """The records, and why they are not a chain ("" if they are)."""
    chain: list[Record] = []
    for number, kind, text, previous, own in rows:
        expected = (len(chain) + 1, chain[-1].hash if chain else START, link(number, kind, previous, text))
        if (number, previous, own) != expected:
            return chain, f"record {len(chain) + 1} does not continue the chain"
        try:
            chain.append(Record(number, kind, json.loads(text), previous, own))
        except ValueError:
            return chain, f"record {number} is not readable"
    if not chain or chain[0].kind != "created":
        return chain, "the chain has no beginning"
    try:
        releases(chain)
    except (KeyError, TypeError, AttributeError, IndexError):
        return chain, "a record misses a part"
    except ValueError as error:
        return chain, str(error)
    return chain, ""


def releases(chain: Sequence[Record]) -> list[ReleaseRecord]:
    """Every release with its state now; ValueError where the records contradict each other."""
    found: list[ReleaseRecord] = []
    moved = False
    for record in chain:
        body = record.body
        if (record.kind == ARRIVED) != moved:
            raise ValueError("a record does not fit the move before it")
        moved = record.kind == MOVED
        if record.kind == "reserved":
            if body["release"] != len(found) + 1:
                raise ValueError("release numbers have a gap or a duplicate")
            known = (body["release"], RESERVED, body["date"], body["folder"], body["body"])
            own = ReleaseRecord(*known, {}, record.hash, record.previous, machine=body.get("machine", ""))
            found.append(own)
        elif record.kind in _STEPS:
            before, state = _STEPS[record.kind]
            release = found[int(body["release"]) - 1]
            fits = release.number == body["release"] and release.state in before
            if not fits or (release.state == ABANDONED and not release.may_turn_up):
                raise ValueError(f"release {release.number} is {record.kind} out of turn")
            found[release.number - 1] = replace(
                release,
                state=state,
                files=body["files"] if record.kind == "audited" else release.files,
                reason=body.get("reason", ""),
                remembered=bool(body.get("remembered", state != ABANDONED)),
            )
        elif record.kind not in (*_OTHERS, MOVED, ARRIVED):
            raise ValueError("a record is of an unknown kind")
    return found


def last_with(chain: Sequence[Record], part: str) -> Any:
    """The newest value of a part that only some records have, such as the digest of the memory."""
    return next((r.body[part] for r in reversed(chain) if part in r.body), None)
