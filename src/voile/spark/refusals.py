"""Refusals that cross the cluster. An exception of an executor arrives as text among a trace that may quote cells;
ours are made of positions and counts, so they are sent as a document between marks, and only that is taken out."""

import base64
import json
from collections.abc import Callable
from typing import Any, TypeVar

from voile import errors
from voile.errors import InputError, VoileError, place_of

_BEGIN, _END = "voile-refusal<", ">voile-refusal"
Result = TypeVar("Result")


class OnExecutor(Exception):
    """What an executor raises instead of anything else."""


def told(error: VoileError) -> str:
    """A refusal as a word that survives a trace.

    >>> found_in("java.lang.X: " + told(InputError("empty", where="file"))).what
    'empty'
    """
    document = {"kind": type(error).__name__, "what": error.what, "where": error.where}
    document |= {"rule": error.rule, "remedy": error.remedy}
    return _BEGIN + base64.b64encode(json.dumps(document).encode()).decode() + _END


def found_in(text: str) -> VoileError | None:
    """The refusal in a trace, if there is one."""
    if _BEGIN not in text or _END not in text:
        return None
    word = text.split(_BEGIN, 1)[1].split(_END, 1)[0]
    try:
        document = json.loads(base64.b64decode(word))
    except ValueError:  # cut off
        return None
    kind = getattr(errors, document.pop("kind"), InputError)
    what = document.pop("what")
    try:
        return kind(what, **document)
    except TypeError:  # one with figures of its own
        return VoileError(what, **document)


def speaking(work: Callable[[Any, Any], Result]) -> Callable[[Any, Any], Result]:
    """What becomes of a cell, letting nothing out of an executor but refusals, and of a defect only where it
    is."""

    def guarded(key: Any, rows: Any) -> Result:
        try:
            return work(key, rows)
        except VoileError as refusal:
            word = told(refusal)
        except Exception as defect:
            word = told(VoileError(f"a defect: {place_of(defect)}", where="executor", remedy="please report it"))
        raise OnExecutor(word)

    return guarded
