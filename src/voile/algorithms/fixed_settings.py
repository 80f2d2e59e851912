"""Settings of `glass`, `symb` and `blind_cut`, fixed before anybody looks at the sensitive column.

They depend on l, the number of rows and the number of quasi-identifiers only: to choose them by result would be a
choice that depends on who has what, outside every proof (facts/safety.md, section 4.1, selection warning). What is
not given is taken from this table; the certificate lists what was used.
"""

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Settings:
    """What steers a tree; see the parameters of the algorithms."""

    tau: Fraction
    limit: Fraction
    least: int
    cuts: str


def settings_of_glass(ell: int) -> Settings:
    """For tested cuts (facts/safety.md 1.2)."""
    if ell <= 3:
        return Settings(Fraction(1), Fraction(2, 5), 4 if ell == 2 else 6 * ell, "codes")
    return Settings(Fraction(13, 20), Fraction(2, 5), 8 * ell, "middle")


def settings_of_blind_cut(ell: int) -> Settings:
    """For certain cuts (facts/safety.md 1.3)."""
    return Settings(Fraction(1, 2), Fraction(17, 20), ell, "middle")
