"""Against whom a certificate holds, and whether that is what was asked for.

A certificate is a file that anybody can edit: what it says of its rung counts no further than its algorithm, with
its parameters and draws, can hold.
"""

import contextlib
from collections.abc import Mapping
from typing import Any

from voile import catalog
from voile.asked import IN_SERIES, SERIES, WEAKEST_FIRST, Asked, reaches
from voile.core.algorithm import Rung
from voile.core.schema import Role
from voile.errors import VoileError
from voile.output.certificate import SECRET_DRAWS
from voile.requirements import promise_of


def certified_rung(certificate: Mapping[str, Any], kept: bool = False) -> Rung:
    """What a certificate is good for: no more than it says, than its algorithm holds with its parameters, and than
    its draws allow. The lowest where it makes no sense, where its promise is not the one that the algorithm keeps,
    and where columns are `kept` and split groups: that a draw passed then depends on who has what."""
    found = Rung.RELEASE
    with contextlib.suppress(KeyError, TypeError, AttributeError, ValueError, VoileError):
        made = certificate["algorithm"]
        algorithm = catalog.algorithm(made["key"]).configure(made["parameters"])
        promise = catalog.models()[certificate["promise"]["model"]].configure(certificate["promise"]["parameters"])
        kept = kept or any(column["role"] == Role.INSENSITIVE for column in certificate["table"]["columns"])
        secret = algorithm.deterministic or certificate["randomness"] == SECRET_DRAWS
        if secret and promise == promise_of(algorithm) and (algorithm.separates or not kept):
            said = Rung(certificate["adversary"]["rung"])
            found = min(said, algorithm.holds_against(), key=WEAKEST_FIRST.index)
    return found


def asked_in(certificate: Mapping[str, Any] | None) -> list[Asked]:
    """What a certificate says it was asked for; nothing where it says nothing that makes sense."""
    asked = Asked.of((certificate or {}).get("asked"))
    return [] if asked is None else [asked]


def shortfall(certificate: Mapping[str, Any] | None, asked: Asked, kept: bool = False) -> str:
    """In words, why a certificate does not hold against those who were asked about; empty where it does. `kept`:
    the release has columns that are published as they are."""
    if certificate is None:
        return f"{asked.words}: there is no certificate, so nothing is promised against anybody"
    if asked.against == SERIES and not _is_of_a_series(certificate):
        return (
            f"{asked.words}: this is no release of a series; persons who are published again need a ledger and "
            "voile publish"
        )
    rung = certified_rung(certificate, kept)
    if reaches(rung, asked):
        return ""
    return (
        f"{asked.words}: the promise holds against {rung.value} only, {asked.rung.value} was asked for; if nobody "
        f"has seen it yet, delete it and make it again: voile anonymize {asked.words}"
    )


def held(certificate: Mapping[str, Any] | None, asked: Asked) -> str:
    """In words, which promise holds against those who were asked about."""
    promise = (certificate or {})["promise"]
    title = catalog.models()[promise["model"]].title
    given = ", ".join(f"{name} = {value}" for name, value in promise["parameters"].items())
    rung = certified_rung(certificate or {}).value
    return f"{asked.words}: {title}, {given}, is certified for {rung}"


def _is_of_a_series(certificate: Mapping[str, Any]) -> bool:
    """A ledger also remembers single releases: those are not made to be followed by others."""
    section, made = certificate.get("series"), certificate.get("algorithm")
    promised = isinstance(section, dict) and "m" in section and "ledger" in section
    return promised and isinstance(made, dict) and made.get("key") == IN_SERIES
