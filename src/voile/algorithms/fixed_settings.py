"""Settings of `glass` and `blind_cut`, fixed before anybody looks at the sensitive column.

They depend on l alone: to choose them by result would be a choice that depends on who has what, outside every
proof (docs/facts/safety.md, section 4.1, selection warning). What is not given is taken from here; the certificate
lists what was used. Reasons, and what did not help: docs/algorithms/glass.md.
"""

from fractions import Fraction
from typing import Any

Settings = dict[str, Any]


def settings_of_glass(ell: int) -> Settings:
    """For tested cuts.

    With few values in a group there is slack enough: cut between codes, skim only what must go. With many, halves
    keep most of the slack, and a skim that makes a cut certain (a fifth of the rows) or likely pays.
    """
    if ell <= 3:
        return {
            "tau": Fraction(1),
            "limit": Fraction(1, 2),
            "sure": Fraction(0),
            "least": 4 if ell == 2 else 6 * ell,
            "cuts": "codes",
        }
    likely = {"tau": Fraction(13, 20), "limit": Fraction(1, 2), "sure": Fraction(1, 5)}
    return {**likely, "least": 8 * ell, "cuts": "middle"}


def settings_of_blind_cut(ell: int) -> Settings:
    """For certain cuts: halves, and whatever skim makes them certain."""
    return {"tau": Fraction(1, 2), "limit": Fraction(17, 20), "least": ell}
