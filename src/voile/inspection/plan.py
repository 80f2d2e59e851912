"""From proposals of single columns to a spec that runs: who is sensitive, and missing values decided."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from voile.core.eligibility import largest_l
from voile.core.schema import NUMERIC, Missing, Role, Schema, Type
from voile.core.table import Table
from voile.errors import VoileError
from voile.inspection.column_profile import ColumnProfile
from voile.inspection.proposal import GUESS, LEFT_OUT, LIKELY, SURE, Proposal
from voile.intake.exact_sets import refuse_exact_sets
from voile.intake.table_reader import table_of

# At most one row in ten is given up for its missing cells; beyond that the column goes, not the people.
MOST_DROPPED = 10
_RUN_BY_SPREADSHEETS = tuple("=+-@'")
_COMMON = 10  # more l than this is no reason to prefer a column
# Two columns that must differ in a group always have a complete grouping (docs/facts/safety.md section 10).
_MOST_MARKS = 2
_MANY = 100  # numbers: a secret known to a few per cent is not protected by values that differ
_RANK = {SURE: 2, LIKELY: 1, GUESS: 0}


def settled(
    frame: pl.DataFrame,
    proposals: Sequence[Proposal],
    profiles: Mapping[str, ColumnProfile],
    told: Collection[str],
    file: Mapping[str, Any],
) -> tuple[list[Proposal], Table | None]:
    """Proposals that the intake accepts, and the table it makes of them; None: nothing can be published."""
    excluded = {
        p.name: "its name begins with a sign that spreadsheets run: rename the column"
        for p in proposals
        if p.name[:1] in _RUN_BY_SPREADSHEETS
    }
    while True:
        planned = _planned(proposals, profiles, told, excluded)
        written = {p.written for p in planned}
        if not {Role.QUASI_IDENTIFYING, Role.SENSITIVE} <= written:
            return planned, None
        schema = schema_of(planned, profiles, file)
        schema.refuse_reserved_names()
        table, refusal = _read(frame, schema)
        if table is not None:
            return planned, table
        culprits = {c.name: _read(frame, Schema((c,), schema.file))[1] for c in schema if c.name not in excluded}
        refused = {name: _why(error) for name, error in culprits.items() if error is not None}
        if not refused and refusal is not None:
            raise refusal
        excluded |= refused


def _read(frame: pl.DataFrame, schema: Schema) -> tuple[Table | None, VoileError | None]:
    """The real intake decides, not a copy of its rules."""
    refusal = None
    if not any(c.published or c.role == Role.SUBJECT for c in schema):
        return None, None
    try:
        table = table_of(frame, schema)
        refuse_exact_sets(table.columns, table.n)
        return table, None
    except VoileError as error:
        refusal = error
    return None, refusal


def _why(error: VoileError) -> str:
    return f"{error.what}; {error.remedy}" if error.remedy else error.what


def options_of(proposal: Proposal) -> dict[str, Any]:
    """A column's options as in the spec."""
    options: dict[str, Any] = {"role": proposal.written.value}
    if not proposal.published:
        return options
    if proposal.type != Type.CATEGORY:
        options["type"] = proposal.type.value
    if proposal.order:
        options["order"] = list(proposal.order)
    if proposal.missing != Missing.REFUSE:
        options["missing"] = proposal.missing.value
    if proposal.casefold:
        options["casefold"] = True
    return options


def file_of(
    planned: Sequence[Proposal], profiles: Mapping[str, ColumnProfile], file: Mapping[str, Any]
) -> dict[str, Any]:
    """The spec's [file]: what was needed to read, and the words that mean "missing"."""
    words = sorted({word for p in planned if p.published for word in profiles[p.name].markers})
    return {**file, "missing": words} if words else dict(file)


def schema_of(
    planned: Sequence[Proposal], profiles: Mapping[str, ColumnProfile], file: Mapping[str, Any]
) -> Schema:
    """The schema that the written spec will give."""
    return Schema.of({p.name: options_of(p) for p in planned}, file_of(planned, profiles, file))


def _planned(
    proposals: Sequence[Proposal],
    profiles: Mapping[str, ColumnProfile],
    told: Collection[str],
    excluded: Mapping[str, str],
) -> list[Proposal]:
    usable = [_excluded(p, excluded[p.name]) if p.name in excluded else p for p in proposals]
    usable = _with_one_subject(usable)
    chosen = _chosen(usable, profiles, told)
    planned = [_as_chosen(p, chosen, profiles[p.name]) for p in usable]
    return _with_missing_decided(planned, profiles)


def _with_one_subject(proposals: Sequence[Proposal]) -> list[Proposal]:
    """One column says which person a row belongs to: the surest."""
    subjects = [p for p in proposals if p.written == Role.SUBJECT]
    best = max(subjects, key=lambda p: _RANK[p.confidence], default=None)
    question = "another number of the person, it seems: dropped; is the right one the subject?"
    return [
        replace(p, written=Role.IDENTIFYING, question=question) if p in subjects and p is not best else p
        for p in proposals
    ]


def _excluded(proposal: Proposal, why: str) -> Proposal:
    if proposal.written == Role.SUBJECT:
        question = f"{LEFT_OUT}: {why}; without it, rows of one person count as different people"
        return replace(proposal, question=question, written=Role.IDENTIFYING)
    if proposal.written in (Role.IDENTIFYING, Role.INSENSITIVE):
        return proposal
    return replace(proposal, question=f"{LEFT_OUT}: {why}", written=Role.IDENTIFYING, confidence=GUESS)


def _chosen(
    proposals: Sequence[Proposal], profiles: Mapping[str, ColumnProfile], told: Collection[str]
) -> list[str]:
    """The sensitive columns to protect: feasible and certain first; a guess if none looks sensitive."""
    asked = [p for p in proposals if p.written == Role.SENSITIVE]
    guessed = [p for p in proposals if p.written == Role.QUASI_IDENTIFYING]
    pool = asked or (guessed if len(guessed) > 1 else [])
    if not pool:
        return []

    def rank(position: int) -> tuple[bool, bool, bool, bool, int, int, int]:
        proposal, profile = pool[position], profiles[pool[position].name]
        ell = largest_l(profile.merged)
        certain = _RANK[proposal.confidence] if asked else -_RANK[proposal.confidence]
        half = 2 * profile.missing <= profile.rows
        plain = proposal.type not in NUMERIC or profile.distinct <= _MANY  # near numbers are near secrets
        return proposal.name in told, ell > 1, half, plain, certain, min(ell, _COMMON), position

    best, *others = sorted(range(len(pool)), key=rank, reverse=True)
    if not asked:
        return [pool[best].name]
    if told:
        return list(told)
    room = _MOST_MARKS - any(p.written == Role.SUBJECT for p in proposals) - 1
    feasible = [pool[i].name for i in others if rank(i)[1] and rank(i)[2] and pool[i].confidence != GUESS]
    return [pool[best].name, *feasible[:room]]


def _as_chosen(proposal: Proposal, chosen: Collection[str], profile: ColumnProfile) -> Proposal:
    if proposal.name in chosen and proposal.role != Role.SENSITIVE:
        question = "nothing here is known to be sensitive: taken so that the spec runs; declare the right one"
        return replace(proposal, role=Role.SENSITIVE, written=Role.SENSITIVE, confidence=GUESS, question=question)
    if proposal.written == Role.SENSITIVE and proposal.name not in chosen:
        ell, share = largest_l(profile.merged), profile.merged.max() / profile.merged.sum()
        allowed = f"and allows l = {ell}" if ell > 1 else f"but one value has {share:.1%} of rows, so no l works"
        line = ", ".join(f'{name} = "{value}"' for name, value in _if_sensitive(proposal, profile).items())
        question = f"looks sensitive, too, {allowed}; dropped. To publish it protected: {{ {line} }}"
        return replace(proposal, written=Role.IDENTIFYING, question=question)
    return proposal


def _if_sensitive(proposal: Proposal, profile: ColumnProfile) -> dict[str, Any]:
    """The options with which a column could be protected as well."""
    wished = replace(proposal, written=Role.SENSITIVE)
    decided = _decided(wished, profile, profile.rows) if profile.missing else wished
    return {name: value for name, value in options_of(decided).items() if isinstance(value, str)}


def _with_missing_decided(planned: Sequence[Proposal], profiles: Mapping[str, ColumnProfile]) -> list[Proposal]:
    """A policy for each column with missing cells; the sensitive one and the fullest ones come first."""
    left = next(iter(profiles.values())).rows // MOST_DROPPED
    decided: dict[str, Proposal] = {}
    ranked = sorted(planned, key=lambda p: (p.written != Role.SENSITIVE, profiles[p.name].missing))
    for proposal in ranked:
        profile = profiles[proposal.name]
        if not proposal.published or not profile.missing:
            decided[proposal.name] = proposal
            continue
        decided[proposal.name] = _decided(proposal, profile, left)
        if decided[proposal.name].missing == Missing.DROP_ROW:
            left = max(0, left - profile.missing)
    return [decided[p.name] for p in planned]


def _decided(proposal: Proposal, profile: ColumnProfile, left: int) -> Proposal:
    share = profile.missing / profile.rows
    note = f"{share:.1%} missing" if share >= 0.001 else f"{profile.missing} missing"
    noted = replace(proposal, notes=(*proposal.notes, note))
    sensitive = proposal.written == Role.SENSITIVE
    if (sensitive or proposal.type != Type.CATEGORY) and profile.missing <= left:
        return replace(noted, missing=Missing.DROP_ROW)
    if proposal.type == Type.CATEGORY:
        return replace(noted, missing=Missing.CATEGORY)
    if sensitive and profile.floating:
        return replace(noted, missing=Missing.DROP_ROW)
    if sensitive or (not profile.floating and profile.distinct <= 20):  # numbers as names of values
        return replace(noted, type=Type.CATEGORY, order=(), missing=Missing.CATEGORY)
    question = f"{LEFT_OUT}: {note}, and rows without a number cannot be published; set missing = drop-row to try"
    return replace(noted, written=Role.IDENTIFYING, question=question)
