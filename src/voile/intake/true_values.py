"""What a certificate says of its promise on true values, before some were generalised: is it sound, does it fit?

No reader can check the figure where values are generalised, only that the line does not contradict itself, the
promise or the data.
"""

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from voile.core.privacy_model import PrivacyModel
from voile.core.verdict import Verdict

INFINITE = "infinite"
_NEEDED, _FURTHER = {"kept", "achieved"}, {"achieved_by_table_frequencies"}
_COARSE = Fraction(1, 10)  # figures are rounded up to it: exact ones would be facts about who has what


def is_sound(section: Any) -> bool:
    """Whether a section has the form that a certificate gives it.

    >>> is_sound({"kept": True, "achieved": 0.5}), is_sound({"kept": True, "achieved": "[/]"}), is_sound([])
    (True, False, False)
    """
    if not isinstance(section, dict) or not _NEEDED <= set(section) <= _NEEDED | _FURTHER:
        return False
    return type(section["kept"]) is bool and all(_is_figure(section[name]) for name in set(section) - {"kept"})


def _is_figure(value: Any) -> bool:
    if type(value) in (int, float):
        return value >= 0 and (type(value) is int or math.isfinite(value))
    return value is None or (isinstance(value, str) and value == INFINITE)


def fits(section: Mapping[str, Any], promise: PrivacyModel, verdict: Verdict, generalised: int) -> bool:
    """Whether a sound section can be true of a release: `verdict` is what the promise is found to be on the
    published values, so many of them generalised."""
    kept, told = section["kept"], section["achieved"]
    if told is None or verdict.achieved is None:  # nothing is published
        return kept and told is None and verdict.achieved is None
    if not generalised:  # the published values are the true ones
        return kept == verdict.ok and _is_rounded(told, verdict.achieved)
    if promise.sense == ">=":
        return True
    bound = promise.threshold()
    if told == INFINITE:
        return not kept
    if kept:
        return Fraction(str(told)) <= math.ceil(bound / _COARSE) * _COARSE
    return Fraction(str(told)) > bound


def _is_rounded(told: Any, exact: Fraction | float) -> bool:
    if told == INFINITE or exact == math.inf:
        return bool(told == INFINITE and exact == math.inf)
    figure = Fraction(exact)
    return figure <= Fraction(str(told)) < figure + _COARSE
