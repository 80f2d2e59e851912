"""What a database refuses, in our words: its own quote cells, queries and names of users."""

from collections.abc import Callable
from typing import TypeVar

from voile.errors import VoileError

T = TypeVar("T")
Words = tuple[str, str]  # what, and what would help

_QUERY = "correct the query; try it with the database's own program"
_STATES: dict[str, Words] = {  # the longest that fits is taken
    "25006": ("it would write", "give a query that only reads: select ..."),
    "3D": ("no such database", "check the address"),
    "3F": ("no such schema", "create it first, or check the name: case counts"),
    "42501": ("not permitted", "ask for the right: select on what is read, create in the schema that is written"),
    "42601": ("not one query that the database understands", _QUERY),
    "42703": ("no such column", _QUERY),
    "42P01": ("no such table", "check the name: case counts, and a schema may be needed (schema.table)"),
    "42P07": ("a table of this name is already there", "choose another name: what is there is never overwritten"),
    "42": ("not a query that the database understands", _QUERY),
    "21": ("the query fails on the rows that are there", _QUERY),
    "22P05": ("its encoding cannot hold a text", "use a database in UTF-8"),
    "22": ("the query fails on a value that is there", _QUERY),
    "28": (
        "user or password not accepted",
        "set PGPASSWORD, or write it to ~/.pgpass or a service file",
    ),
    "40": ("the database could not let it go on beside others", "run it again"),
    "53": ("the database is out of space, memory or connections", "free some, and run it again"),
    "54": ("more columns, or longer names, than the database takes", "publish fewer columns"),
    "55": ("the database is busy with what is asked for", "run it again"),
    "57": ("the server ended the connection", "see that it runs, and run it again"),
    "08": ("the connection was lost", "see that the server runs, and run it again"),
}
_SIGNS: dict[str, str | Words] = {  # where a driver gives no state: parts of its messages, and what they are
    "password authentication failed": "28",
    "no password supplied": "28",
    "authentication failed": "28",
    "role": "28",
    "does not exist": "3D",
    "could not translate host name": ("the server cannot be found", "check the address"),
    "connection refused": ("the server does not answer", "check the address, and that the server runs"),
    "timeout": ("the server does not answer", "check the address, and that the server runs"),
    "closed the connection": "08",
    "terminating connection": "57",
    "no such table": "42P01",
    "no such column": "42703",
    "readonly": "25006",
    "syntax error": "42601",
    "already exists": "42P07",
    "not a database": ("not an SQLite database", "check the file"),
    "unable to open": ("cannot be opened", "check the file and its permissions"),
    "failed to open": ("cannot be opened", "check the file and its permissions"),
    "locked": "55",
    "disk": "53",
    "overflow": "22",
}
_UNKNOWN: Words = ("the database refuses", "try it with the database's own program, which says why")


def attempted(act: Callable[[], T], kind: type[VoileError], where: str) -> T:
    """What an act on a database returns; its refusal in our words, with nothing of the driver's message.

    >>> attempted(lambda: 1 // 0, VoileError, "database clinic")
    Traceback (most recent call last):
    voile.errors.VoileError: database clinic: the database refuses; try it with the database's own program, which \
says why
    """
    state, words = "", _UNKNOWN
    try:
        return act()
    except VoileError:
        raise
    except Exception as error:  # its message may quote a cell, the query, a user
        state, words = _state_of(error), words_of(error)
    raise kind(words[0], where=where, rule=f"SQLSTATE class {state[:2]}" if state else "", remedy=words[1])


def _state_of(error: Exception) -> str:
    state = getattr(error, "sqlstate", None)
    return state if isinstance(state, str) and len(state) == 5 and state.isalnum() else ""


def words_of(error: Exception) -> Words:
    """What happened, and what would help.

    >>> words_of(ValueError("FATAL: password authentication failed for user"))[0]
    'user or password not accepted'
    """
    state, message = _state_of(error), str(error).casefold()
    for length in (5, 2):
        if state[:length] in _STATES:
            return _STATES[state[:length]]
    for sign, meaning in _SIGNS.items():
        if sign in message:
            return _STATES[meaning] if isinstance(meaning, str) else meaning
    return _UNKNOWN
