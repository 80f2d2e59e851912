"""Five persons, looked at in full: which sets of partitions may an adversary know?"""

from fractions import Fraction

from voile import theory

names = ("Ada", "Bob", "Coy", "Dan", "Eve")
table, bound = ("flu", "flu", "cold", "cold", "HIV"), Fraction(2, 3)

lss = theory.locally_safe_set(table, bound)
left = theory.disclosure_set(lss, table, bound)
print(f"{len(lss)} partitions are locally safe; knowing all of them leaves {len(left)} possible tables")
print("then Eve's condition is", theory.posteriors(left)[4])

best = theory.largest(theory.strongly_globally_safe_sets(table, bound))[0]
ratios = theory.release_ratios(best, table, bound)
print("the largest strongly globally safe set:")
for groups, ratio in ratios.items():
    print("  ", " | ".join(" ".join(names[person] for person in group) for group in groups), "at most", ratio)
print("all promises met" if max(ratios.values()) <= bound else "a promise is broken")
