"""The name of a table, as a steward types it and as SQL quotes it."""

import re
from dataclasses import dataclass, replace

from voile.errors import ParameterError

_PART = r'(?:"(?:[^"]|"")+"|[^".]+)'
_NAME = re.compile(rf"(?:({_PART})\.)?({_PART})")


def quoted(name: str) -> str:
    """An identifier in SQL, whatever is in it.

    >>> print(quoted('a "b"'))
    "a \""b\"""
    """
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text in SQL.

    >>> print(literal("it's"))
    'it''s'
    """
    return "'" + text.replace("'", "''") + "'"


@dataclass(frozen=True)
class TableName:
    """A table, and the schema that it is in; without one the database looks where it usually does."""

    name: str
    schema: str = ""

    @classmethod
    def of(cls, text: str) -> "TableName":
        """Read `table`, `schema.table`, or either part in double quotes if it has a point or quotes in it.

        >>> TableName.of("clinic.patients"), TableName.of('"clinic.patients"')
        (TableName(name='patients', schema='clinic'), TableName(name='clinic.patients', schema=''))
        """
        found = _NAME.fullmatch(text)
        if found is None or "\0" in text or not text.isprintable():
            raise ParameterError(
                "not the name of a table",
                where="table",
                rule="name or schema.name, a part with points or quotes in it in double quotes",
                remedy="write it as the database shows it",
            )
        schema, name = (_bare(part or "") for part in found.groups())
        return cls(name, schema)

    def beside(self, suffix: str) -> "TableName":
        """The table of this release that holds something else: same schema, a suffix after the name."""
        return replace(self, name=f"{self.name}_{suffix}")

    @property
    def sql(self) -> str:
        """The name as SQL takes it.

        >>> print(TableName.of("clinic.patients").sql)
        "clinic"."patients"
        """
        return ".".join(quoted(part) for part in (self.schema, self.name) if part)

    def __str__(self) -> str:
        parts = (part for part in (self.schema, self.name) if part)
        return ".".join(quoted(part) if {".", '"'} & set(part) else part for part in parts)


def _bare(part: str) -> str:
    return part[1:-1].replace('""', '"') if part.startswith('"') else part
