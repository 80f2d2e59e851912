"""The query language: conditions joined by `and`, each on one column.

    age between 30 and 39 and disease in ('flu', 'gout') and "home town" != 'Ulm'

Comparisons are =, !=, <, <=, >, >=, between, in, and the last two after `not`. Words and dates stand in
single quotes (doubled inside), names with blanks in double quotes, numbers as they are.
"""

import re
from dataclasses import dataclass
from functools import cached_property

from voile.errors import ParameterError

EXAMPLE = "age between 30 and 39 and disease in ('flu', 'gout')"
_TOKEN = re.compile(
    r"""\s*(?:
    (?P<text>'(?:[^']|'')*')
  | (?P<quoted>"(?:[^"]|"")*")
  | (?P<number>[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?![\w.-]))
  | (?P<sign><=|>=|!=|<>|=|<|>)
  | (?P<mark>[(),])
  | (?P<word>[^\W\d][\w.-]*)
  )""",
    re.VERBOSE,
)
_SIGNS = {"<>": "!="}


@dataclass(frozen=True)
class Literal:
    """A value of the query and where it stands (its first character is 1)."""

    text: str
    position: int


@dataclass(frozen=True)
class Condition:
    """`column sign values`; the sign is a comparison, "between" or "in", perhaps negated."""

    column: str
    sign: str
    values: tuple[Literal, ...]
    position: int
    negated: bool = False

    @cached_property
    def words(self) -> frozenset[str]:
        """The values as text; a list may be long."""
        return frozenset(value.text for value in self.values)


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    position: int


def parse_query(text: str) -> tuple[Condition, ...]:
    """The conditions of a query.

    >>> for condition in parse_query("age between 30 and 39 and \\"home town\\" not in ('Ulm', 'L''Aquila')"):
    ...     print(condition.column, condition.negated, condition.sign, [v.text for v in condition.values])
    age False between ['30', '39']
    home town True in ['Ulm', "L'Aquila"]
    """
    reader = _Reader(_tokens(text), len(text) + 1)
    conditions = [reader.condition()]
    while reader.tokens:
        reader.word("and", "conditions are joined by and; there is no or")
        conditions.append(reader.condition())
    return tuple(conditions)


def refuse(what: str, position: int, rule: str = "", remedy: str = "") -> ParameterError:
    """A refusal that points into the query; what stands there is not repeated."""
    return ParameterError(
        what, where=f"query, character {position}", rule=rule, remedy=remedy or f"for example: {EXAMPLE}"
    )


def _tokens(text: str) -> list[_Token]:
    tokens, at = [], 0
    while text[at:].strip():
        match = _TOKEN.match(text, at)
        if match is None or match.lastgroup is None:
            raise _unreadable(text, at + len(text[at:]) - len(text[at:].lstrip()))
        kind = match.lastgroup
        tokens.append(_Token(kind, match.group(kind), match.start(kind) + 1))
        at = match.end()
    return tokens


def _unreadable(text: str, at: int) -> ParameterError:
    if text[at] in "'\"":
        return refuse("a quote that is not closed", at + 1, "a quote inside a word is doubled")
    if text[at].isdigit() or text[at] in "+-.":
        return refuse("not a number", at + 1, "numbers have digits and a point; words and dates stand in ' '")
    return refuse("a sign that means nothing here", at + 1, "comparisons: =, !=, <, <=, >, >=, between, in, not")


class _Reader:
    """Takes tokens from the front."""

    def __init__(self, tokens: list[_Token], end: int) -> None:
        self.tokens, self.end = tokens, end

    def _next(self, expected: str) -> _Token:
        if not self.tokens:
            raise refuse(f"ends where {expected} should follow", self.end)
        return self.tokens.pop(0)

    def _ahead(self, *words: str) -> bool:
        return bool(self.tokens) and self.tokens[0].kind == "word" and self.tokens[0].text.lower() in words

    def word(self, word: str, rule: str = "") -> None:
        token = self._next(word)
        if token.kind != "word" or token.text.lower() != word:
            raise refuse(f"not {word}", token.position, rule)

    def _mark(self, mark: str) -> None:
        token = self._next(mark)
        if token.text != mark:
            raise refuse(f"not {mark}", token.position)

    def condition(self) -> Condition:
        name = self._next("a column")
        if name.kind not in ("word", "quoted"):
            raise refuse("not the name of a column", name.position, "a condition is COLUMN, comparison, value")
        column = name.text[1:-1].replace('""', '"') if name.kind == "quoted" else name.text
        negated = self._ahead("not")
        if negated:
            self.tokens.pop(0)
        if self._ahead("between"):
            self.tokens.pop(0)
            low = self._value()
            self.word("and", "between LOW and HIGH")
            return Condition(column, "between", (low, self._value()), name.position, negated)
        if self._ahead("in"):
            self.tokens.pop(0)
            return Condition(column, "in", self._list(), name.position, negated)
        sign = self._next("a comparison")
        if sign.kind != "sign" or negated:
            raise refuse("not a comparison", sign.position, "=, !=, <, <=, >, >=, [not] between, [not] in")
        return Condition(column, _SIGNS.get(sign.text, sign.text), (self._value(),), name.position)

    def _list(self) -> tuple[Literal, ...]:
        self._mark("(")
        values = [self._value()]
        while self.tokens and self.tokens[0].text == ",":
            self.tokens.pop(0)
            values.append(self._value())
        self._mark(")")
        return tuple(values)

    def _value(self) -> Literal:
        token = self._next("a value")
        if token.kind == "text":
            return Literal(token.text[1:-1].replace("''", "'"), token.position)
        if token.kind == "number":
            return Literal(token.text, token.position)
        raise refuse("not a value", token.position, "numbers as they are, words and dates in single quotes")
