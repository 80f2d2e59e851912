"""What the oracle finds: who holds on which rung, and the smallest table on which a control is caught.

`make oracle` prints it.
"""

from fractions import Fraction
from functools import cache

from tests.oracle import subjects
from tests.oracle.possible_worlds import bag_posterior, count_vectors, worst_given_outsiders, worst_posterior
from tests.oracle.series_worlds import by, told, two_releases
from voile import catalog
from voile.core.algorithm import Rung

ATTACKS = {
    Rung.RELEASE: bag_posterior,
    Rung.ALGORITHM_MARGINAL: worst_posterior,
    Rung.ALGORITHM_STRONG: worst_given_outsiders,
}


SEARCHING = {"k_jump": {"k": 1}, "secret_choice": {}}  # what searches functions gets some that can fail


@cache
def subject_of(key, ell):
    """The oracle's view of an algorithm of the catalog."""
    if key == "ria":
        return subjects.ria(ell)
    if key in SEARCHING:
        return subjects.searching(key, l=ell, **SEARCHING[key])
    bound = catalog.models()[catalog.algorithm(key).promise].bound  # what the paper calls l or m
    if bound == "tau":  # the line through k/l at every k: no value more frequent than 1/l
        return subjects.catalog_algorithm(key, tau=Fraction(1, ell), l=ell)
    return cache(subjects.catalog_algorithm(key, **{bound: ell}))  # every attack looks at the same worlds


VARIANTS = {
    "rda, fixed blocks": lambda ell: subjects.catalog_algorithm("rda", l=ell, blocks="number<3"),
    "rda, uneven blocks": lambda ell: subjects.catalog_algorithm("rda", l=ell, blocks="number<7"),
    "rda, merged to k": lambda ell: subjects.catalog_algorithm("rda", l=ell, also=f"k>={ell + 1}"),
    "rda, merged to t": lambda ell: subjects.catalog_algorithm("rda", l=ell, also="t<=0.4"),
    "rda, merged around an outlier": lambda ell: subjects.catalog_algorithm(
        "rda", l=ell, also="t<=0.4", table=lambda world: subjects.table_of(world, subjects.OUTLIER)
    ),
    "ria, merged to t": lambda ell: subjects.ria(ell, also="t<=0.2"),
    "ria, merged around an outlier": lambda ell: subjects.ria(ell, "t<=0.2", subjects.OUTLIER),
}


SEARCHES = {
    "k_jump, safe": lambda ell: subjects.searching("k_jump", l=ell, strategy="safe"),
    "k_jump, k = 2": lambda ell: subjects.searching("k_jump", l=ell, k=2),
    "k_jump, g1 tried again": lambda ell: subjects.searching("k_jump", l=ell, k=1, reuse="1"),
}


# what must be caught: the attack that catches it, and the smallest table (docs/facts/streamliner.md A4)
CONTROLS = {
    "nobody is grouped": (subjects.no_protection, bag_posterior, (0, 1)),
    "RDA by lowest id": (subjects.lowest_id_rda, worst_posterior, (0, 0, 1, 2)),
    "GDA as written": (subjects.literal_gda, worst_posterior, (0, 0, 1, 2)),
    "GDA as shipped": (lambda ell: subjects.catalog_algorithm("gda", l=ell), worst_posterior, (0, 0, 1, 2)),
    "first-fit Mondrian": (subjects.first_fit_mondrian, worst_posterior, (0, 0, 1, 1, 2, 2)),
    "cheapest locally safe": (subjects.cheapest_locally_safe, worst_posterior, (0, 0, 1, 1, 2)),
    "blocks with fallback": (subjects.blocks_with_fallback, worst_posterior, (0, 0, 1, 2, 3)),
    "BSGI": (lambda ell: subjects.catalog_algorithm("bsgi", l=ell), worst_posterior, (0, 0, 1, 1)),
    "ELIG": (lambda ell: subjects.catalog_algorithm("elig", l=ell), worst_posterior, (0, 0, 1, 1, 2)),
    "Mondrian": (lambda ell: subjects.catalog_algorithm("mondrian", l=ell), worst_posterior, (0, 0, 1, 2, 3)),
    "Hilbert": (lambda ell: subjects.catalog_algorithm("hilbert", l=ell), worst_posterior, (0, 0, 1, 1, 2)),
    "SWEEP": (lambda ell: subject_of("sweep", ell), worst_posterior, (0, 0, 1, 2)),
    "SWEEP-E": (lambda ell: subject_of("sweep_e", ell), worst_posterior, (0, 0, 1, 1, 2)),
    "Incognito": (
        lambda ell: subjects.catalog_algorithm("incognito", table=subjects.on_crossing_halves, l=ell),
        worst_posterior,
        (0, 0, 1, 2, 3),
    ),
    "k-jump, naive": (
        lambda ell: subjects.searching("k_jump", l=ell, strategy="naive"),
        worst_posterior,
        (0, 0, 1, 2, 3),
    ),
    "secret choice": (lambda ell: subject_of("secret_choice", ell), worst_posterior, (0, 0, 1, 2, 3)),
}
NOT_CERTAIN = {"secret choice": Fraction(3, 5)}  # all others are caught with certainty


def smallest_breach(algorithm, attack, ell=2, most=6):
    """The first count vector on which an attack succeeds, and how far."""
    for n in range(ell, most + 1):
        for values in count_vectors(n, ell):
            found = attack(algorithm(ell), values)
            if found > Fraction(1, ell):
                return values, found
    return None, Fraction(0)


def held(algorithm, attack, ells=(2, 3), most=6):
    """On how many count vectors of up to `most` persons an attack stays within 1/l, and on how many not."""
    within = [
        attack(algorithm(ell), values) <= Fraction(1, ell)
        for ell in ells
        for n in range(ell, most + 1)
        for values in count_vectors(n, ell)
    ]
    return sum(within), len(within) - sum(within)


def held_in_series(m, balance, domain=3, first=3, second=3):
    """The same for all series of two small tables, counts of newcomers known; and the smallest that is broken."""
    found = told(by(m, balance), two_releases(m, domain, first, second))
    broken = [(sum(map(len, series)), series, values) for most, series, values in found if most > Fraction(1, m)]
    return len(found) - len(broken), len(broken), min(broken, default=None)


def print_series():
    """What two releases tell a reader who knows the algorithm."""
    print("\nseries of two tables of up to three persons and three newcomers, three values")
    for m in (2, 3):
        for balance in ("counterfeit", "fill"):
            good, bad, smallest = held_in_series(m, balance)
            shown = f"   persons {smallest[1]}, values {smallest[2]}" if smallest else ""
            print(f"{f'm_invariant, {balance}, m = {m}':53} {good:6} {bad:7}{shown}")


def main():
    """The table of verdicts."""
    print(f"{'algorithm':28} {'attack':24} {'holds':>6} {'broken':>7}   (count vectors, n <= 6, l = 2 and 3)")
    for key, algorithm in catalog.algorithms().items():
        for rung, attack in ATTACKS.items():
            good, bad = held(lambda ell, key=key: subject_of(key, ell), attack)
            claimed = " <- claimed" if rung == algorithm.rung else ""
            print(f"{key:28} {rung.value:24} {good:6} {bad:7}{claimed}")
    for name, variant in VARIANTS.items():
        most = 5 if name.startswith("ria") else 6  # six persons of ria have too many orders of groups
        good, bad = held(variant, worst_given_outsiders, most=most)
        print(f"{name:28} {Rung.ALGORITHM_STRONG.value:24} {good:6} {bad:7}")
    for name, variant in SEARCHES.items():
        good, bad = held(variant, worst_posterior, most=5)
        print(f"{name:28} {Rung.ALGORITHM_MARGINAL.value:24} {good:6} {bad:7}")
    print("\nsmallest broken table, l = 2")
    for name, (control, attack, _) in CONTROLS.items():
        values, posterior = smallest_breach(control, attack)
        print(f"{name:28} values {values}, posterior {posterior}")
    print_series()


if __name__ == "__main__":
    main()
