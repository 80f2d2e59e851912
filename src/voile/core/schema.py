"""Schema: the role and type of each column, as the steward declares them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import Any

from voile.core.hierarchy import Hierarchy
from voile.core.hierarchy_recipe import KINDS, Recipe
from voile.errors import SpecError


class Role(StrEnum):
    """ARX's four words, and `subject`: the person, stable over releases."""

    IDENTIFYING = "identifying"
    SUBJECT = "subject"
    QUASI_IDENTIFYING = "quasi-identifying"
    SENSITIVE = "sensitive"
    INSENSITIVE = "insensitive"


ROLE_ALIASES = {"id": Role.IDENTIFYING, "qi": Role.QUASI_IDENTIFYING, "sa": Role.SENSITIVE}


class Type(StrEnum):
    """How the cells of a column are read."""

    CATEGORY = "category"
    INTEGER = "integer"
    DECIMAL = "decimal"
    DATE = "date"
    ORDINAL = "ordinal"


GROUP = "group"  # the column a release adds
COUNTERFEITS = "counterfeits"  # beside it, in the file of that name: how many rows of a group stand for nobody
SENSITIVE_TABLE = (
    "sensitive"  # the file with the sensitive values of each group, where they have a table of their own
)
CERTIFICATE = "certificate"  # of a release in a database: its table of one cell
COUNT = "count"  # its last column: rows of a group that have a value
TWO_TABLES = "two tables"  # how a certificate says so
AS_IT_IS = "as it is"  # how it says that a column is not generalised
MOST_PRIOR = 10**6  # weight of one value beforehand
NUMERIC = (Type.INTEGER, Type.DECIMAL, Type.DATE)


class Missing(StrEnum):
    """What to do with a missing value; refused unless the steward decides."""

    REFUSE = "refuse"
    DROP_ROW = "drop-row"
    CATEGORY = "category"


@dataclass(frozen=True)
class ColumnSpec:
    """One line of a spec."""

    name: str
    role: Role
    type: Type = Type.CATEGORY
    hierarchy: Any = None  # path of an ARX CSV, a Hierarchy, or the Recipe of a built-in one
    check_labels: bool = True  # refuse interval labels that do not contain their leaf
    order: tuple[str, ...] = ()  # of an ordinal
    weight: Fraction = Fraction(1)  # in the information loss
    grid: Fraction | None = None  # published ends are multiples of it
    min_width: Fraction | None = None  # published intervals are at least this wide
    missing: Missing = Missing.REFUSE
    casefold: bool | None = None  # None: not decided, refused if it matters in a sensitive column
    keep: bool = False  # publish an insensitive column
    prior: tuple[tuple[str, int], ...] = ()  # of sensitive values: how likely readers hold them; others 1

    @property
    def published(self) -> bool:
        """Whether the column appears in a release."""
        return self.role in (Role.QUASI_IDENTIFYING, Role.SENSITIVE) or self.keep


def _one_of(kind: type[StrEnum], value: object, where: str, option: str) -> Any:
    try:
        return kind(str(value))
    except ValueError:
        pass
    words = ", ".join(kind)
    raise SpecError(f"{option} is none of the known words", where=where, rule=f"{option}: {words}")


def _fraction(value: object, where: str, option: str) -> Fraction:
    if isinstance(value, int | float | str | Fraction) and not isinstance(value, bool):
        try:
            number = Fraction(str(value))
        except (ValueError, ZeroDivisionError):
            number = Fraction(-1)
        if number > 0 or (number == 0 and option == "weight"):
            return number
    raise SpecError(f"{option} is not a positive number", where=where)


def _prior(value: object, where: str) -> tuple[tuple[str, int], ...]:
    if isinstance(value, Mapping) and all(
        isinstance(name, str) and type(weight) is int and 0 < weight <= MOST_PRIOR
        for name, weight in value.items()
    ):
        return tuple(value.items())
    raise SpecError(
        "prior is not a table of values and weights",
        where=where,
        rule=f"whole numbers from 1 to {MOST_PRIOR}",
        remedy="for example prior = { influenza = 20, measles = 3 }; values that are not named have 1",
    )


def _column(name: str, options: object) -> ColumnSpec:
    where = f"spec, column {name}"
    if isinstance(options, str):
        options = {"role": options}
    if not isinstance(options, Mapping):
        raise SpecError("not a table of options", where=where, remedy='write { role = "..." }')
    known = {f.name for f in fields(ColumnSpec)} - {"name"}
    unknown = sorted(set(options) - known)
    if unknown:
        raise SpecError(f"unknown option {unknown[0]}", where=where, rule=f"options: {', '.join(sorted(known))}")
    if "role" not in options:
        raise SpecError("no role", where=where, rule=f"roles: {', '.join(Role)}")
    given: dict[str, Any] = dict(options)
    given["role"] = ROLE_ALIASES.get(str(given["role"])) or _one_of(Role, given["role"], where, "role")
    if "type" in given:
        given["type"] = _one_of(Type, given["type"], where, "type")
    if "missing" in given:
        given["missing"] = _one_of(Missing, given["missing"], where, "missing")
    for option in ("weight", "grid", "min_width"):
        if option in given:
            given[option] = _fraction(given[option], where, option)
    for option in ("check_labels", "casefold", "keep"):
        if option in given and not isinstance(given[option], bool):
            raise SpecError(f"{option} is not true or false", where=where)
    if "order" in given:
        order = given["order"]
        if not isinstance(order, list | tuple) or not all(isinstance(o, str) for o in order):
            raise SpecError("order is not a list of words", where=where)
        given["order"] = tuple(order)
    if "prior" in given:
        given["prior"] = _prior(given["prior"], where)
    if isinstance(given.get("hierarchy"), Mapping):
        given["hierarchy"] = Recipe.of(given["hierarchy"], given.get("type", Type.CATEGORY), where)
    column = ColumnSpec(name=name, **given)
    _refuse_contradictions(column, where)
    return column


def _refuse_contradictions(column: ColumnSpec, where: str) -> None:
    """Options that would silently do nothing, or something else than they say."""
    numeric = column.type in NUMERIC
    contradictions = {
        "grid and min_width snap intervals; a hierarchy publishes its nodes": column.hierarchy is not None
        and bool(column.grid or column.min_width),
        "type = ordinal needs order, and only it has one": bool(column.order) != (column.type == Type.ORDINAL),
        "order names a value twice": len(set(column.order)) != len(column.order),
        "grid and min_width need a numeric or date type": bool(column.grid or column.min_width) and not numeric,
        "casefold needs type = category": bool(column.casefold) and column.type != Type.CATEGORY,
        'missing = "category" needs type = category, or a hierarchy': column.missing == Missing.CATEGORY
        and column.type != Type.CATEGORY
        and column.hierarchy is None,
        "prior is for sensitive categories, or numbers with a hierarchy": bool(column.prior)
        and (column.role != Role.SENSITIVE or (column.type != Type.CATEGORY and column.hierarchy is None)),
        "keep is for insensitive columns": column.keep and column.role != Role.INSENSITIVE,
        "a date needs a grid and min_width of whole days": column.type == Type.DATE
        and any(x is not None and x.denominator != 1 for x in (column.grid, column.min_width)),
        "an integer needs a whole grid and min_width": column.type == Type.INTEGER
        and any(x is not None and x.denominator != 1 for x in (column.grid, column.min_width)),
        f"hierarchy is the path of a file, or {{ {' | '.join(KINDS)} = ... }}": not isinstance(
            column.hierarchy, str | Path | Hierarchy | Recipe | None
        )
        or "\0" in str(column.hierarchy),
    }
    for rule, broken in contradictions.items():
        if broken:
            raise SpecError("options contradict each other", where=where, rule=rule)


@dataclass(frozen=True)
class FileOptions:
    """How the source file is written: encoding, delimiter, which cells mean "missing"."""

    encoding: str = "utf-8"
    delimiter: str | None = None  # None: sniffed
    missing: tuple[str, ...] = ()  # beside the empty cell


@dataclass(frozen=True)
class Schema:
    """The declared columns of a table.

    >>> schema = Schema.of({"age": {"role": "qi", "type": "integer"}, "disease": "sensitive"})
    >>> [column.role.value for column in schema]
    ['quasi-identifying', 'sensitive']
    """

    columns: tuple[ColumnSpec, ...]
    file: FileOptions = field(default=FileOptions())

    @classmethod
    def of(cls, columns: Mapping[str, object], file: Mapping[str, object] | None = None) -> "Schema":
        """Check a mapping of column name to role or options, as in the spec's [columns]."""
        if not columns:
            raise SpecError("no columns", where="spec", remedy="declare each column under [columns]")
        specs = tuple(_column(name, options) for name, options in columns.items())
        return cls(specs, _file_options(file or {}))

    def __iter__(self) -> Iterator[ColumnSpec]:
        return iter(self.columns)

    def with_role(self, role: Role) -> tuple[ColumnSpec, ...]:
        """The columns of one role, in declared order."""
        return tuple(column for column in self.columns if column.role == role)

    def refuse_reserved_names(self) -> None:
        """Names that a release cannot carry: its own group column, and what a spreadsheet runs."""
        for column in self.columns:
            where = f"spec, column {column.name}"
            if column.name.casefold() == GROUP:
                raise SpecError("a column named group", where=where, rule="a release adds one", remedy="rename it")
            if column.published and column.name[:1] in tuple("=+-@'"):
                raise SpecError(
                    "a name that a spreadsheet would run", where=where, rule="names begin with none of = + - @ '"
                )

    def required_subject(self) -> ColumnSpec:
        """The column that names the person, for what needs to recognise persons."""
        found = self.with_role(Role.SUBJECT)
        if not found:
            raise SpecError(
                "no subject column",
                where="spec",
                rule="persons are recognised by it, over releases and tables",
                remedy='declare the column that names the person: { role = "subject" }',
            )
        return found[0]

    def require_roles(self) -> None:
        """A promise needs someone to protect from being found, and something to protect."""
        for role in (Role.QUASI_IDENTIFYING, Role.SENSITIVE):
            if not self.with_role(role):
                raise SpecError(f"no {role} column", where="spec", remedy="declare at least one")
        subjects = len(self.with_role(Role.SUBJECT))
        if subjects > 1:
            raise SpecError(
                f"{subjects} subject columns",
                where="spec",
                rule="one column says which person a row belongs to",
                remedy="join them into one, or declare the others identifying",
            )


def _file_options(options: Mapping[str, object]) -> FileOptions:
    unknown = sorted(set(options) - {"encoding", "delimiter", "missing"})
    if unknown:
        raise SpecError(f"unknown option {unknown[0]}", where="spec, [file]", rule="encoding, delimiter, missing")
    delimiter = options.get("delimiter")
    if delimiter is not None and (not isinstance(delimiter, str) or len(delimiter) != 1):
        raise SpecError("delimiter is not one character", where="spec, [file]")
    missing = options.get("missing", [])
    if not isinstance(missing, list | tuple) or not all(isinstance(word, str) for word in missing):
        raise SpecError("missing is not a list of words", where="spec, [file]")
    return FileOptions(str(options.get("encoding", "utf-8")), delimiter, tuple(missing))
