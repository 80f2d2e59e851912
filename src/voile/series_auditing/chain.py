"""What the certificates of a series say about each other."""

from collections.abc import Mapping, Sequence
from typing import Any

_PARTS = {"ledger": str, "release": int, "after": int, "record": str, "previous": str, "m": int}


def promised_m(certificates: Sequence[Mapping[str, Any] | None]) -> int | None:
    """The smallest m that any certificate of a series promises; None if none does.

    >>> promised_m([{"series": {"m": 4}}, None, {"series": {"m": 3}}])
    3
    """
    stated = [_series(certificate).get("m") for certificate in certificates]
    numbers = [m for m in stated if isinstance(m, int) and not isinstance(m, bool) and m > 0]
    return min(numbers, default=None)


def broken_links(certificates: Sequence[Mapping[str, Any] | None], names: Sequence[str]) -> list[str]:
    """Why certificates are not consecutive releases of one ledger, in words; nothing if they are, or have none.

    Other records of the ledger (a commit, a withdrawal) stand between two releases, so a hash need not be the
    next one's predecessor; but two releases never share a record or a predecessor.

    >>> one = {"series": {"ledger": "ab", "release": 1, "after": 0, "record": "0a", "previous": "00", "m": 2}}
    >>> two = {"series": {**one["series"], "release": 3, "after": 2, "record": "0b"}}
    >>> broken_links([one, two], ["r1", "r2"])
    ['r1, r2: the same predecessor: a fork']
    """
    entries = [_series(certificate) for certificate in certificates]
    if not any(entries):
        return []
    found = []
    for entry, name in zip(entries, names, strict=True):
        if not entry:
            found.append(f"{name}: not of a series, while others are")
        elif not all(isinstance(entry.get(part), kind) for part, kind in _PARTS.items()):
            found.append(f"{name}: its certificate says too little of the series")
    if found:
        return found
    for before, entry, name in zip(entries, entries[1:], names[1:], strict=False):
        if entry["ledger"] != before["ledger"]:
            found.append(f"{name}: of another ledger than the release before it")
        elif entry["release"] <= before["release"]:
            found.append(f"{name}: release {entry['release']} after release {before['release']}: out of order")
    for part, trouble in (("record", "the same record twice"), ("previous", "the same predecessor: a fork")):
        for i, entry in enumerate(entries):
            twins = [j for j in range(i) if entries[j][part] == entry[part]]
            found += [f"{names[j]}, {names[i]}: {trouble}" for j in twins]
    return found


def left_out(certificates: Sequence[Mapping[str, Any] | None], names: Sequence[str]) -> list[str]:
    """Where releases between are not at hand: they may have been abandoned or withdrawn, or tell more.

    >>> left_out([{"series": {"release": 1}}, {"series": {"release": 3, "after": 2}}], ["r1", "r3"])
    ['r3: comes after release 2, not among these: what that one tells is not counted']
    """
    found, last = [], 0
    for entry, name in zip(map(_series, certificates), names, strict=True):
        after = entry.get("after")
        if isinstance(after, int) and after > last:
            found.append(
                f"{name}: comes after release {after}, not among these: what that one tells is not counted"
            )
        last = entry.get("release", last)
    return found


def _series(certificate: Mapping[str, Any] | None) -> Mapping[str, Any]:
    entry = (certificate or {}).get("series")
    return entry if isinstance(entry, Mapping) else {}
