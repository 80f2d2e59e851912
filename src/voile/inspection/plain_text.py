"""Names of a file in sentences: they are not ours, so they must not break a line or drive a terminal."""


def shown(text: str) -> str:
    r"""One line, nothing that a terminal obeys.

    >>> shown("a\nb\x1b[2J")
    'a b [2J'
    """
    return "".join(c if c.isprintable() else " " for c in text)


def named(column: str) -> str:
    """A column in a sentence; in quotes if its name has blanks.

    >>> named("age"), named("place of birth")
    ('age', '"place of birth"')
    """
    plain = shown(column)
    return f'"{plain}"' if " " in plain else plain
