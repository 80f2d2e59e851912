"""`voile.inspect`: a table without a spec, looked at as a steward would."""

import shlex
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from voile.core.eligibility import largest_l
from voile.core.hierarchy import Hierarchy
from voile.core.schema import FileOptions, Role, Schema, Type
from voile.core.table import Table
from voile.errors import InputError, ParameterError, counted
from voile.inspection.candidate import SEEN_THROUGH, Candidate, candidate, usable
from voile.inspection.column_profile import ColumnProfile, profile
from voile.inspection.headerless import refuse_headerless
from voile.inspection.plain_text import named, shown
from voile.inspection.plan import file_of, options_of, settled
from voile.inspection.proposal import Proposal, propose
from voile.inspection.relations import warnings_of
from voile.inspection.spec_text import spec_text
from voile.intake.csv_file import ENCODING_RULE
from voile.intake.data_frame import data_frame
from voile.intake.table_reader import read_frame
from voile.sql.source import DatabaseSource

Report = Callable[[str, float], None]
_USUAL_L = 5


def _silent(stage: str, share: float) -> None:
    """Report nothing."""


@dataclass(frozen=True)
class Inspection:
    """What to declare for each column, what to beware of, and the spec that says so."""

    source: str
    rows: int
    columns: tuple[Proposal, ...]
    candidates: tuple[Candidate, ...]
    warnings: tuple[str, ...]
    file: Mapping[str, Any] = field(repr=False)
    largest_l: int  # that every chosen sensitive column, and the rows of one person, allow; 0: nothing to publish
    counts: Mapping[str, tuple[int, int]] = field(repr=False, default_factory=dict)  # distinct, missing
    only_sweep: bool = False  # whether nothing else publishes most of the rows
    arguments: tuple[str, ...] = ()  # how a command line names the table of a database
    only_release: bool = False  # whether that l may not be had against who knows the algorithm

    @property
    def publishable(self) -> bool:
        """Whether there is a spec to write."""
        return self.largest_l > 0

    def command(self, path: str = "spec.toml", out: str = "out") -> str:
        """The next command; l = 5 is usual, the largest one is for those who know why."""
        wanted = min(self.largest_l, _USUAL_L)
        how = f"-p l={wanted}" if wanted > 1 else "-a elig -p l=2 -p ineligible=suppress"
        if wanted > 1 and self.only_release:
            how = f"--against release {how}"
        how = "-a sweep -p tau=0.5 -p l=2" if self.only_sweep else how
        table = shlex.join(self.arguments or (self.source,))
        return f"voile anonymize {table} -s {shlex.quote(path)} {how} -o {out}"

    @property
    def ways_out(self) -> str:
        """What there is beside suppression where no l works; empty where one does."""
        skewed = [c for c in self.candidates if c.chosen and c.largest_l == 1 and c.values > 1]
        if not skewed:
            return ""
        tree = ", once it has a hierarchy" if skewed[0].ordered else ""
        return (
            f"No l works on {shown(skewed[0].name)} as it is. sweep_e ({skewed[0].suggested}) bounds true "
            f"shares; sweep (-p tau=0.5 -p l=2) goes lower by generalising values{tree}, but {SEEN_THROUGH}."
        )

    def document(self) -> dict[str, Any]:
        """Everything as plain data, for JSON."""
        columns = [
            {
                "name": p.name,
                "role": p.role.value,
                "written": options_of(p),
                "confidence": p.confidence,
                "reason": p.reason,
                **dict(zip(("distinct", "missing"), self.counts.get(p.name, ()), strict=False)),
                **({"question": p.question} if p.question else {}),
            }
            for p in self.columns
        ]
        candidates = [
            {
                "name": c.name,
                "chosen": c.chosen,
                "values": c.values,
                "top_share": float(c.top_share),
                "largest_l": c.largest_l,
                "rows_to_suppress_for_one_more": c.raised_by_suppressing,
                "tau_l_on_true_values": [{"l": ell, "least_tau": usable(tau)} for ell, tau in c.least_taus],
                "tau_l_generalised": {"largest_l": c.values, "least_tau": usable(Fraction(1, max(1, c.values)))},
                **({"top_value": c.top_value} if c.top_value else {}),
            }
            for c in self.candidates
        ]
        return {
            "rows": self.rows,
            "columns": columns,
            "candidates": candidates,
            "warnings": list(self.warnings),
            **({"ways_out": self.ways_out} if self.ways_out else {}),
            "file": dict(self.file),
        }

    def spec(self, path: str = "spec.toml") -> str:
        """A commented spec, as `anonymize` accepts it; `path` is where it will be."""
        if not self.publishable:
            raise InputError(
                "no spec: too few columns can be published for a quasi-identifying and a sensitive one",
                where="file",
                remedy="see the role proposed for each column; write a spec by hand if one is wrong",
            )
        title = f"{Path(self.source).name}: {counted(self.rows, 'row')}, {counted(len(self.columns), 'column')}"
        warnings = (*([self.ways_out] if self.ways_out else []), *self.warnings)
        return spec_text(title, self.command(path), self.columns, self.candidates, warnings, self.file)


def inspect(
    source: Any,
    *,
    sensitive: Collection[str] = (),
    encoding: str | None = None,
    delimiter: str | None = None,
    header: bool = False,
    show_values: bool = False,
    report: Report = _silent,
) -> Inspection:
    """Propose a role and a type for every column of a file or data frame, and say what to beware of.

    >>> ages = pl.DataFrame({"age": [20, 30, 40, 50], "disease": ["flu", "gout", "flu", "HIV"]})
    >>> [(column.name, column.role.value) for column in inspect(ages).columns]
    [('age', 'quasi-identifying'), ('disease', 'sensitive')]
    """
    report("reading", 0)
    file = {"encoding": encoding, "delimiter": delimiter}
    given = {name: value for name, value in file.items() if value is not None}
    if delimiter is not None and len(delimiter) != 1:
        raise ParameterError("not one character", where="--delimiter", remedy='for example --delimiter ";"')
    frame = _frame_of(source, given, header)
    unknown = sorted(set(sensitive) - set(frame.columns))
    if unknown:
        raise ParameterError(
            f"the file has no column {shown(unknown[0])}", where="--sensitive", remedy="write it as in the header"
        )
    profiles = _profiles(frame, report)
    proposals = [propose(p, p.name in sensitive, show_values) for p in profiles.values()]
    hiding = {p.name: words for p in proposals if p.role == Role.SENSITIVE and (words := profiles[p.name].hiding)}
    for place, p in enumerate(proposals):
        if p.name in hiding:
            profiles[p.name] = profile(p.name, frame[p.name], hiding[p.name])
            again = propose(profiles[p.name], p.name in sensitive, show_values)
            asked = f"taken as missing: {', '.join(hiding[p.name])}; if one is a value, name it in a hierarchy"
            proposals[place] = replace(again, question="; ".join(filter(None, (again.question, asked))))
    report("trying the spec", 0)
    planned, table = settled(frame, proposals, profiles, sensitive, given)
    report("comparing columns", 0)
    candidates = tuple(_candidates(planned, profiles, table, show_values))
    return Inspection(
        source=source.name if isinstance(source, DatabaseSource) else _path_of(source),
        arguments=tuple(source.arguments) if isinstance(source, DatabaseSource) else (),
        rows=frame.height,
        columns=tuple(planned),
        candidates=candidates,
        warnings=(*_warnings(planned, profiles), *(warnings_of(table) if table else ())),
        file=file_of(planned, profiles, given),
        counts={name: (looked.distinct, looked.missing) for name, looked in profiles.items()},
        largest_l=min(largest_l(np.bincount(mark)) for mark in table.marks().values()) if table else 0,
        only_sweep=table is not None and _is_for_sweep(table, candidates),
        only_release=table is not None and (table.persons is not None or len(table.sensitive) > 2),
    )


def _path_of(source: Any) -> str:
    return str(source) if isinstance(source, str | Path) else "TABLE"


def _is_for_sweep(table: Table, candidates: Collection[Candidate]) -> bool:
    """Whether the sensitive column is so skewed that all else loses most rows, and of a kind that sweep takes."""
    single = len(table.sensitive) == 1 and table.persons is None
    return (
        single
        and isinstance(table.sensitive[0].domain, Hierarchy)
        and any(c.chosen and c.mostly_suppressed for c in candidates)
    )


def _frame_of(source: Any, given: dict[str, str], header: bool) -> pl.DataFrame:
    if not isinstance(source, str | Path):
        return data_frame(source)
    frame = _read(source, FileOptions(given.get("encoding", "utf-8"), given.get("delimiter")))
    if Path(source).suffix.lower() != ".parquet" and not header:
        refuse_headerless(frame)
    return frame


def _read(source: str | Path, options: FileOptions) -> pl.DataFrame:
    """The file's cells; there is no spec yet that could declare an encoding."""
    refusal = None
    try:
        return read_frame(source, Schema((), options))
    except InputError as error:
        refusal = error
    if refusal.rule == ENCODING_RULE:
        remedy = "name it, for example --encoding latin-1"
        raise InputError(refusal.what, where=refusal.where, rule=refusal.rule, remedy=remedy)
    raise refusal


def _profiles(frame: pl.DataFrame, report: Report) -> dict[str, ColumnProfile]:
    """Each column; again where another column shows that a word means "missing"."""
    found = {}
    for done, name in enumerate(frame.columns):
        report("looking at columns", done / frame.width)
        found[name] = profile(name, frame[name])
    markers = {word for p in found.values() for word in p.markers}
    for name, first in found.items():
        if markers & set(first.doubtful):
            found[name] = profile(name, frame[name], markers)
    return found


def _candidates(
    planned: list[Proposal], profiles: dict[str, ColumnProfile], table: Table | None, show_values: bool
) -> list[Candidate]:
    """Every column that looks sensitive; the chosen ones as they will be published."""
    found = []
    for p in planned:
        if p.role != Role.SENSITIVE or not profiles[p.name].distinct:
            continue
        chosen, sizes = p.written == Role.SENSITIVE, profiles[p.name].merged
        if chosen and table is not None:
            sizes = np.bincount(table.marks()[p.name])
        top_value = profiles[p.name].top_cell if show_values else ""
        found.append(candidate(p.name, sizes, chosen, top_value, ordered=p.type != Type.CATEGORY))
    return sorted(found, key=lambda c: (not c.chosen, -c.largest_l))


def _warnings(planned: list[Proposal], profiles: dict[str, ColumnProfile]) -> list[str]:
    """What single columns are suspect of."""
    found = []
    for p in planned:
        looked, name = profiles[p.name], named(p.name)
        if p.written == Role.QUASI_IDENTIFYING and p.type == Type.CATEGORY and looked.uniqueness > 0.1:
            found.append(f"{name} looks like an identifier: {looked.distinct} values in {looked.rows} rows")
        if p.role == Role.INSENSITIVE:
            found.append(f"{name} says nothing: {p.reason}")
        if 2 * looked.missing > looked.rows and looked.distinct:
            found.append(f"{name} is missing in {looked.missing / looked.rows:.0%} of rows")
        if p.published and looked.twins:
            twins = counted(looked.twins, "value")
            found.append(
                f"{name} has {twins} that differ from another only in case or width: casefold merges them"
            )
    return found
