"""`python -m benchmarks.figures`: figures of real tables that must come out again. Ends with 1 if one does not.

They are published ones, or those of the facts that Voile was built by. Tests cannot check them: they have no real
table, but its twin, on which they check the promises and which algorithm loses less. Needs `make data`; what needs
a table that is not there is left out, and said.
"""

import sys
from collections.abc import Callable, Iterator
from functools import cache

import voile
from benchmarks import acs, acs_states, adult, safety_runs
from voile.algorithms.incognito import Incognito
from voile.algorithms.mondrian import Mondrian
from voile.core.table import Table

ELLS = range(2, 8)
Figure = tuple[str, float, float, float]  # what, found, expected at least, at most
MEDIAN = {  # docs/facts/bsgi.md A6: mondrian, seven QI, strict, cut at medians
    "frequency": [0.031, 0.164, 0.470, 0.658, 0.791, 0.878],
    "distinct": [0.0179, 0.0340, 0.0509, 0.0694, 0.0855, 0.1079],
}
RELAXED = [2.37, 4.21, 7.23, 9.66, 14.12, 19.25]  # docs/facts/bsgi.md A3: average sizes; 5 % for the order of ties
CURVE = [0.0274, 0.0768, 0.1584, 0.2464, 0.3460, 0.4366]  # docs/facts/bsgi.md A6, by sides of equal length
ELIG = [0.0112, 0.0284, 0.0550, 0.0920, 0.1456, 0.2088]  # docs/facts/bsgi.md A6
AVERAGE = [
    "2.0000",
    "3.0000",
    "4.0003",
    "5.0003",
    "6.0000",
    "7.0014",
]  # Table 5 of Ye et al. 2008, to its last digit
BSGI = [0.1076, 0.1666, 0.2120, 0.2442, 0.2937, 0.2999]  # docs/facts/bsgi.md A6
ARX = {3: 0.108, 5: 0.467}  # docs/facts/peers.md: local recoding, rows suppressed as well
INCOGNITO = {3: 0.572, 5: 0.833}  # docs/facts/peers.md: ARX's optimum without suppression


@cache
def seven() -> Table:
    """Adult with seven QI."""
    return voile.read(adult.complete_rows(), adult.columns())


@cache
def six() -> Table:
    """Adult with six QI and hierarchies."""
    return voile.read(adult.complete_rows(*adult.SIX, adult.SENSITIVE), adult.six_columns())


def _loss(key: str, ell: int, **more: object) -> float:
    utility = voile.anonymize(seven(), key, l=ell, **more).certificate["utility"]
    return float(utility["gcp_leaves"])


def mondrian() -> Iterator[Figure]:
    """Medians as in the facts; average sizes of relaxed parts."""
    for property, expected in MEDIAN.items():
        for ell, loss in zip(ELLS, expected, strict=True):
            found = _loss("mondrian", ell, property=property, cuts="median")
            yield f"mondrian, {property} {ell}, medians", found, loss - 0.0006, loss + 0.0006
    for ell, size in zip(ELLS, RELAXED, strict=True):
        algorithm = Mondrian(l=ell, property="distinct", mode="relaxed", cuts="median")
        found = seven().n / algorithm.partition(seven()).groups
        yield f"mondrian, relaxed, distinct {ell}: average size", found, 0.94 * size, 1.06 * size


def hilbert() -> Iterator[Figure]:
    """A tenth below the facts, whose curve takes sides of equal length; refined near elig."""
    for ell, loss in zip(ELLS, CURVE, strict=True):
        yield f"hilbert, {ell}", _loss("hilbert", ell), 0, 0.9 * loss
    yield "hilbert, 3, refined", _loss("hilbert", 3, refine=12), 0, 1.02 * 0.0307


def elig() -> Iterator[Figure]:
    """At most 2 % above the facts; half of what ARX loses."""
    for ell, loss in zip(ELLS, ELIG, strict=True):
        yield f"elig, {ell}", _loss("elig", ell), 0, 1.02 * loss
    for ell, loss in ARX.items():
        found = voile.anonymize(six(), "elig", l=ell).certificate["utility"]["gcp_minus1"]
        yield f"elig, {ell}, beside ARX", float(found), 0, loss / 2


def bsgi() -> Iterator[Figure]:
    """Table 5 of the paper; loss within 3 % of the facts."""
    for ell, average, loss in zip(ELLS, AVERAGE, BSGI, strict=True):
        utility = voile.anonymize(seven(), "bsgi", l=ell).certificate["utility"]
        yield f"bsgi, {ell}: average size", round(utility["aecs"], 4), float(average), float(average)
        yield f"bsgi, {ell}", float(utility["gcp_leaves"]), 0.97 * loss, 1.03 * loss


def incognito() -> Iterator[Figure]:
    """The optimum that ARX finds."""
    spec = adult.tree_columns() | {adult.SENSITIVE: {"role": "sensitive"}}
    table = voile.read(adult.complete_rows(*adult.SIX, adult.SENSITIVE), spec)
    for ell, loss in INCOGNITO.items():
        search = Incognito(l=ell, by="gcp_minus1").search(table)
        found = float(search.loss(search.best("gcp_minus1").levels, "gcp_minus1") / table.n / 6)
        yield f"incognito, {ell}", round(found, 3), loss, loss


def tables() -> Iterator[Figure]:
    """Rows of Adult; its largest l."""
    yield "Adult, rows", seven().n, 30_162, 30_162
    yield "Adult, rows of both files", adult.all_complete_rows().height, 45_222, 45_222


def states() -> Iterator[Figure]:
    """ACS: rows, and medians as in docs/facts/safety.md."""
    yield "ACS, rows", acs.recoded().height, 295_243, 295_243
    yield "ACS, occupations", acs_states.rows()[acs_states.SENSITIVE].n_unique(), 27, 27
    found = safety_runs.repeated("acs", "mondrian, medians", 4)
    yield "ACS, mondrian, 4", found["gcp_leaves"], found["facts"] - 0.0005, found["facts"] + 0.0005


OF_ADULT: tuple[Callable[[], Iterator[Figure]], ...] = (tables, mondrian, hilbert, elig, bsgi, incognito)


def main() -> None:
    """Print every figure; exit with 1 if one is off."""
    if not adult.available():
        sys.exit("no data: `make data` gets it")
    if not acs.available():
        print(f"left out: {acs.NAME} is not here")
    off = 0
    for figures in (*OF_ADULT, *([states] if acs.available() else [])):
        for name, found, least, most in figures():
            fine = least <= found <= most
            off += not fine
            print(f"{'ok ' if fine else 'OFF'} {name}: {found:.4f} ({least:.4f} to {most:.4f})", flush=True)
    sys.exit(1 if off else 0)


if __name__ == "__main__":
    main()
