"""Published rows -> bags: which rows an adversary cannot tell apart, and the sensitive values of each class."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from voile.core.bags import Bags, Crowds, Domain
from voile.core.base_values import Alternatives, BaseValues
from voile.core.order import dense_rank, row_counts
from voile.core.schema import COUNTERFEITS, GROUP, Role, Schema
from voile.errors import BeyondReach, InputError, SpecError
from voile.intake.columns import factorised, indexed
from voile.intake.hidden import MOST_PAIRS
from voile.intake.published_values import sensitive_codes, stated_nodes
from voile.intake.sensitive_table import joined
from voile.kernels.threads import Threads

STAR = "*"
Held = tuple[NDArray[np.int64], Domain | BaseValues]  # the codes of a sensitive column, and what they mean


def bags_of_one(
    frame: pl.DataFrame,
    schema: Schema,
    counterfeits: Mapping[int, int],
    stated: Mapping[str, Mapping[str, int]],
    whole: Mapping[str, pl.DataFrame],
) -> tuple[Bags, int]:
    """The values of each class of rows, and how many of them are nodes above several."""
    secrets = schema.with_role(Role.SENSITIVE)
    tables: list[tuple[NDArray[np.int64], NDArray[np.int64]] | None] = [None] * len(secrets)
    with Threads(frame.height, 2) as beside:
        classes = beside.submit(classes_of, frame, schema)
        held: list[Held] = [
            stated_nodes(frame[c.name], c, stated[c.name])
            if c.name in stated
            else sensitive_codes(_after(whole.get(c.name), frame[c.name]), c, schema)
            for c in secrets
        ]
        group = classes.result()
    for i, c in enumerate(secrets):
        if c.name in whole:  # codes that all parts of a release have in common
            (codes, meaning), cells = held[i], whole[c.name]
            if isinstance(meaning, Alternatives):  # what a part may hide is told by all of them
                raise InputError(
                    "cells that may be one of several values: missing, a set or an interval",
                    where=f"column {c.name}",
                    rule="on a cluster every cell is a value",
                    remedy="audit the table without --engine spark",
                )
            tables[i] = _counted(codes[: cells.height], cells["count"].to_numpy())
            held[i] = codes[cells.height :], meaning
    fakes = _fakes(frame, group, counterfeits) if counterfeits else None
    bags, generalised = _bags(group, held, _persons(frame, schema), fakes)
    own = tuple(replace(bag, table=table) for bag, table in zip(bags.columns, tables, strict=True))
    return replace(bags, columns=own), generalised


def _after(whole: pl.DataFrame | None, cells: pl.Series) -> pl.Series:
    """The cells of a part after those of the whole release."""
    return cells if whole is None else pl.concat([whole["cell"].cast(cells.dtype), cells])


def _counted(codes: NDArray[np.int64], counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The different codes and how often each occurs."""
    present, which = np.unique(codes, return_inverse=True)
    return present, np.bincount(which, weights=counts).astype(np.int64)


def bags_of_two(frame: pl.DataFrame, sensitive: pl.DataFrame, schema: Schema) -> tuple[Bags, int]:
    """The values of each group as the second table has them; and how many rows of the first are alike."""
    secrets = schema.with_role(Role.SENSITIVE)
    if len(secrets) > 1:
        raise SpecError(
            f"{len(secrets)} sensitive columns",
            where="spec",
            rule="a table of sensitive values by group has one",
            remedy="give the spec it was made with",
        )
    tables = joined(frame, sensitive, secrets[0].name)
    with Threads(frame.height, 2) as beside:
        alike = beside.submit(_alike, frame, schema)
        codes, meaning = sensitive_codes(sensitive[secrets[0].name], secrets[0], schema)
        lines = tables.lines()
        bags, generalised = _bags(tables.line_group[lines], [(codes[lines], meaning)])
        return replace(bags, alike=alike.result()), generalised


def _alike(frame: pl.DataFrame, schema: Schema) -> Crowds:
    """How many rows are equal in all that is published of them, group numbers aside: by these nobody is known."""
    with Threads(frame.height, 2) as pair:
        codes = pair.map(lambda name: _text_codes(frame[name]), known_columns(frame, schema))
        return Crowds.of(row_counts(list(codes)))


def known_columns(frame: pl.DataFrame, schema: Schema) -> list[str]:
    """What an adversary can know of a row."""
    roles = (Role.QUASI_IDENTIFYING, Role.INSENSITIVE)
    return [c.name for c in schema if c.role in roles and c.name in frame.columns]


def _bags(
    group: NDArray[np.int64],
    held: list[Held],
    persons: NDArray[np.int64] | None = None,
    fakes: NDArray[np.int64] | None = None,
) -> tuple[Bags, int]:
    for codes, meaning in held:
        if isinstance(meaning, Alternatives):
            _refuse_many(group, codes, meaning)
    bags = Bags.of(
        group,
        [codes for codes, _ in held],
        subject=persons,
        domains=[None if isinstance(meaning, BaseValues) else meaning for _, meaning in held],
        base_values=[meaning if isinstance(meaning, BaseValues) else None for _, meaning in held],
        counterfeits=fakes,
    )
    return bags, sum(meaning.generalised(codes) for codes, meaning in held if isinstance(meaning, BaseValues))


def _refuse_many(group: NDArray[np.int64], codes: NDArray[np.int64], values: Alternatives) -> None:
    """Each cell of a group counts for every value that it may be: that many numbers must fit into memory."""
    several = values.total[codes] > 1
    pairs = np.unique(group[several] * values.total.size + codes[several])
    if values.total[pairs % max(1, values.total.size)].sum() > MOST_PAIRS:
        raise BeyondReach(
            "too many groups with cells that may be any of very many values",
            where="sensitive values",
            rule=f"at most {MOST_PAIRS} pairs of such a cell and a value",
            remedy='leave out the rows whose value is missing, or set missing = "category" if missing is a value',
        )


def _fakes(frame: pl.DataFrame, group: NDArray[np.int64], stated: Mapping[int, int]) -> NDArray[np.int64]:
    """Of each class the rows that stand for nobody; each class leaves somebody."""
    number = frame[GROUP].cast(pl.Int64, strict=False).fill_null(-1).to_numpy() if GROUP in frame.columns else None
    sizes = np.bincount(group)
    fakes = np.zeros_like(sizes)
    if number is not None:
        fakes[group] = pl.Series(number).replace_strict(dict(stated), default=0, return_dtype=pl.Int64).to_numpy()
    if fakes.sum() != sum(stated.values()) or (fakes >= sizes).any():
        raise InputError(
            "does not fit the data",
            where=f"{COUNTERFEITS}.csv",
            rule="a number per published group, less than its rows",
            remedy="use the file that was published with it",
        )
    return fakes


def suppressed_rows(frame: pl.DataFrame, schema: Schema) -> NDArray[np.bool_]:
    """Which rows say nothing at all. A row of stars with a visible sensitive value says something:
    it stays a member of a group (of all rows like it) and is judged with it."""
    quasi, sensitive = (schema.with_role(r) for r in (Role.QUASI_IDENTIFYING, Role.SENSITIVE))
    stars = frame.select(pl.all_horizontal(pl.col(c.name).cast(pl.String) == STAR for c in quasi))
    flags = stars.to_series().fill_null(False).to_numpy()
    if flags.any():
        for column in sensitive:
            shown = frame[column.name].cast(pl.String)
            flags = flags & ((shown == STAR) | shown.is_null()).fill_null(True).to_numpy()
    return np.asarray(flags, bool)


def classes_of(frame: pl.DataFrame, schema: Schema) -> NDArray[np.int64]:
    """Rows an adversary cannot tell apart: equal in all that is published but the sensitive.

    A group number splits groups of equal labels, never joins different ones. Rows of a release
    stand group by group, so runs of equal rows are the classes; any other table is sorted out.
    """
    names = known_columns(frame, schema)
    if GROUP in frame.columns:
        number = frame[GROUP]
        names = [GROUP, *names]
        if number.dtype == pl.String:
            number = number.cast(pl.Int64, strict=False)
        if number.null_count() == 0 and number.is_sorted():
            changes = pl.any_horizontal(pl.col(n).ne_missing(pl.col(n).shift()) for n in names)
            new = frame.select(changes).to_series().to_numpy().astype(np.int64)
            if new.sum() == number.n_unique():  # all rows of a group agree, so runs are classes
                return np.cumsum(new) - 1
    return dense_rank([_text_codes(frame[name]) for name in names])


def _text_codes(series: pl.Series) -> NDArray[np.int64]:
    if series.dtype.is_integer() and series.null_count() == 0:
        return series.cast(pl.Int64).to_numpy()
    return indexed(series.cast(pl.String))[1]


def _persons(frame: pl.DataFrame, schema: Schema) -> NDArray[np.int64] | None:
    """The person of each row, where the table says it: several rows of one person are no crowd."""
    for spec in schema.with_role(Role.SUBJECT):
        if spec.name in frame.columns:
            cells = factorised(spec, frame[spec.name].cast(pl.String), schema.file.missing)
            if cells.rows_with(cells.distinct.is_null()):
                raise InputError(
                    "rows without a person",
                    where=cells.first_row(cells.distinct.is_null()),
                    rule="a subject column names the person of every row",
                    remedy="fill the cells in, or audit the table without this column",
                )
            labels = cells.distinct.drop_nulls().unique()
            person = cells.distinct.cast(pl.Enum(labels)).to_physical().cast(pl.Int64).fill_null(-1)
            return person.to_numpy()[cells.index]
    return None
