"""SWEEP as Tian and Zhang 2009 write it, with the resolutions of docs/facts/sweep.md B2: dicts, lists and
fractions, one tuple at a time. Slow on purpose; equal on purpose.

Rows are numbered as given. Quasi-identifiers are in order of importance. Ties: the dominant value is the first one
depth first; of the tuples that could be removed or raised, the lowest row.
"""

from collections import Counter
from fractions import Fraction
from itertools import pairwise, product
from typing import NamedTuple

from voile.core.axis import Axis


class Tree:
    """A taxonomy given as child -> parent; children come in the order in which they are given."""

    def __init__(self, parent, root=None):
        self.parent = dict(parent)
        self.root = next(v for v in parent.values() if v not in parent) if root is None else root
        self.children = {self.root: []}
        for child, above in parent.items():
            self.children.setdefault(child, [])
            self.children.setdefault(above, []).append(child)
        self.nodes = self._depth_first(self.root)
        self.leaves = self.leaves_under(self.root)
        self.height = max(self.depth(leaf) for leaf in self.leaves)

    def _depth_first(self, node):
        return [node] + [below for child in self.children[node] for below in self._depth_first(child)]

    def leaves_under(self, node):
        return [below for below in self._depth_first(node) if not self.children[below]]

    def path(self, node):
        """From a node to the root."""
        return [node] if node == self.root else [node, *self.path(self.parent[node])]

    def depth(self, node):
        return len(self.path(node)) - 1

    def at_level(self, leaf, level):
        """The value of a leaf on a level, the root's being 0; a leaf that ends above it is repeated."""
        path = self.path(leaf)[::-1]
        return path[min(level, len(path) - 1)]

    def information(self, node):
        """Definition 5."""
        return Fraction(1, len(self.leaves_under(node)))


class Requirement(NamedTuple):
    tau: Fraction
    ell: int

    def psi(self, k):
        """Definition 4."""
        return self.tau + (1 - self.tau) / (self.ell - 1) * (k - 1) if k <= self.ell else Fraction(1)

    def holds(self, frequencies):
        return all(share <= self.psi(k) for k, share in enumerate(cumulative(frequencies), 1))


class Sensitive:
    """The sensitive attribute: its taxonomy, and the weight p(a) of each base value."""

    def __init__(self, tree, weight):
        self.tree, self.weight = tree, weight
        self._induced = {}

    def induced(self, node):
        """Definition 2: l(node, a) of every base value a that it can stand for."""
        if node not in self._induced:
            below = self.tree.leaves_under(node)
            total = sum(self.weight[v] for v in below)
            self._induced[node] = {a: Fraction(self.weight[a], total) for a in below}
        return self._induced[node]

    def above(self, node):
        """What a tuple is raised to: its parent; but one under which no further value is possible would be the
        same thing under another name (docs/facts/sweep.md B2.10), and is passed over. None at the top."""
        under = self.possible(node)
        return next((up for up in self.tree.path(node) if self.possible(up) > under), None)

    def possible(self, node):
        return sum(self.weight[a] > 0 for a in self.tree.leaves_under(node))

    def frequencies(self, nodes):
        """f(a) of every base value, depth first, in a class of published nodes."""
        sums = dict.fromkeys(self.tree.leaves, Fraction(0))
        for node, count in Counter(nodes).items():
            for a, share in self.induced(node).items():
                sums[a] += share * count
        return {a: total / len(nodes) for a, total in sums.items()}


class Publication(NamedTuple):
    order: list  # level vectors
    classes: list  # (values of the quasi-identifiers, rows)
    sensitive: list  # the published node of each row
    root_steps: int  # tuples raised in the last class
    um: Fraction


def cumulative(frequencies):
    """Definition 3."""
    largest = sorted(frequencies.values(), reverse=True)
    return [sum(largest[: k + 1]) for k in range(len(largest))]


def weights_of(rule, tree, values):
    """p(a) of every base value by one of three rules."""
    counts = Counter(values)
    weigh = {"present": lambda a: min(counts[a], 1), "all": lambda a: 1, "table": lambda a: counts[a]}[rule]
    return {a: weigh(a) for a in tree.leaves}


def eligible(weight, requirement):
    """Whether a class in which everything is the root would do."""
    positive = [w for w in weight.values() if w]
    if set(positive) <= {1}:
        return len(positive) >= requirement.ell and requirement.tau * len(positive) >= 1
    return requirement.holds({a: Fraction(w, sum(positive)) for a, w in weight.items()})


def level_information(tree, values):
    """I(S_j) of every level of a padded taxonomy, the root's first."""
    occurring = set(values)
    found = []
    for level in range(tree.height + 1):
        nodes = dict.fromkeys(tree.at_level(leaf, level) for leaf in tree.leaves)
        weight = {v: sum(leaf in occurring for leaf in tree.leaves_under(v)) for v in nodes}
        found.append(sum(weight[v] * tree.information(v) for v in nodes) / Fraction(sum(weight.values())))
    return found


def level_vectors(trees, columns):
    """Definition 6: all items <I, levels>, the first to be swept first."""
    information = [level_information(tree, values) for tree, values in zip(trees, columns, strict=True)]
    items = []
    for levels in product(*(range(len(each)) for each in information)):
        kept = sum((each[j] for each, j in zip(information, levels, strict=True)), Fraction(0))
        items.append((kept / max(len(trees), 1), *levels))
    return sorted(items, reverse=True)


def generalised(trees, base, levels):
    """A QI value on some levels."""
    return tuple(tree.at_level(leaf, j) for tree, leaf, j in zip(trees, base, levels, strict=True))


def next_value(trees, base, item, order):
    """Definition 7: the QI value that the tuple visits after an item. In padded taxonomies every tuple has a value
    on every level, so it visits every item."""
    return generalised(trees, base, order[order.index(item) + 1][1:])


def dominant(frequencies, among=None):
    """The most frequent base value, the first one depth first."""
    return max(among or frequencies, key=lambda a: frequencies[a])  # max returns the first of equals


def what_to_raise(sensitive, nodes):
    """The node of which a tuple is raised next: the deepest that covers the dominant value, which must have a
    tuple that is not at the top."""
    tree = sensitive.tree
    low = {node for node in nodes if sensitive.above(node) is not None}
    movable = [a for a in tree.leaves if low & set(tree.path(a))]
    value = dominant(sensitive.frequencies(nodes), movable)
    return max(low & set(tree.path(value)), key=tree.depth)


def raise_in_class(sensitive, requirement, rows, published):
    """Section III.C: raise tuples until a class is diversified. The number of steps."""
    steps = 0
    while not requirement.holds(sensitive.frequencies([published[row] for row in rows])):
        node = what_to_raise(sensitive, [published[row] for row in rows])
        row = min(row for row in rows if published[row] == node)
        published[row] = sensitive.above(node)
        steps += 1
    return steps


def leaving(sensitive, requirement, values):
    """How many tuples the same steps move out of each node, whichever tuples they are."""
    standing, moves = Counter(values), Counter()
    while not requirement.holds(sensitive.frequencies(list(standing.elements()))):
        node = what_to_raise(sensitive, list(standing.elements()))
        moves[node] += 1
        standing[node] -= 1
        standing[sensitive.above(node)] += 1
    return moves


def raise_spread(sensitive, requirement, values):
    """The same number of tuples raised out of each node, evenly spread over the rows that stand there."""
    moves, published = leaving(sensitive, requirement, values), list(values)
    for node in sorted(sensitive.tree.nodes, key=sensitive.tree.depth, reverse=True):  # children before parents
        here = [row for row, at in enumerate(published) if at == node]
        n, k = len(here), moves[node]
        for i, row in enumerate(here):
            if (i + 1) * k // n > i * k // n:
                published[row] = sensitive.above(node)
    return published


def raise_in_table(sensitive, requirement, values, raised):
    """Steps 1 and 2: the published nodes before the sweep."""
    if raised == "spread":
        return raise_spread(sensitive, requirement, values)
    published = list(values)
    raise_in_class(sensitive, requirement, range(len(values)), published)
    return published


def remove_from_class(sensitive, requirement, rows, published):
    """Section III.D: the rows that stay, and those that are swept on."""
    stay, swept = list(rows), []
    while stay:
        frequencies = sensitive.frequencies([published[row] for row in stay])
        if requirement.holds(frequencies):
            break
        value = dominant(frequencies)
        gone = max(stay, key=lambda row: (sensitive.induced(published[row]).get(value, 0), -row))
        stay.remove(gone)
        swept.append(gone)
    return stay, sorted(swept)


def information_kept(trees, sensitive, classes, published):
    """um of Definition 5; everything was a base value."""
    kept = sum(
        len(rows) * sum(tree.information(v) for tree, v in zip(trees, qi, strict=True)) for qi, rows in classes
    )
    kept += sum(sensitive.tree.information(node) for node in published)
    return Fraction(kept) / (len(published) * (len(trees) + 1))


def swept(trees, columns, sensitive, requirement, published):
    """Steps 3 to 17: the classes that close before the last item, and the rows that are left."""
    order = level_vectors(trees, columns)
    active, closed = list(range(len(published))), []
    for item in order[:-1]:
        classes = {}
        for row in active:
            base = [values[row] for values in columns]
            classes.setdefault(generalised(trees, base, item[1:]), []).append(row)
        active = []
        for qi, rows in classes.items():
            stay, gone = remove_from_class(sensitive, requirement, rows, published)
            active += gone
            closed += [(qi, stay)] if stay else []
        active.sort()
    return order, closed, active


def sweep(trees, columns, tree, values, requirement, weights="present", raised="first"):
    """Figure 4. The publication, or None where nothing can satisfy the requirement."""
    sensitive = Sensitive(tree, weights_of(weights, tree, values))
    if not eligible(sensitive.weight, requirement):
        return None
    published = raise_in_table(sensitive, requirement, values, raised)
    order, closed, last = swept(trees, columns, sensitive, requirement, published)
    steps = raise_in_class(sensitive, requirement, last, published) if last else 0
    closed += [(tuple(tree.root for tree in trees), last)] if last else []
    return Publication(order, closed, published, steps, information_kept(trees, sensitive, closed, published))


def tree_of(domain):
    """A Hierarchy as a taxonomy of its node numbers, an Axis as one of equal intervals."""
    return tree_of_axis(domain.low, domain.high) if isinstance(domain, Axis) else tree_of_hierarchy(domain)


def tree_of_axis(low, high):
    """Whole numbers under 64, 16, 4 and 1 intervals, as far as these are fewer than the numbers."""
    steps = high - low + 1
    parent = {}
    for v in range(low, high + 1):
        path = [v, *((parts, (v - low) * parts // steps) for parts in (64, 16, 4, 1) if parts < steps)]
        parent.update(pairwise(path))
    return Tree(parent, (1, 0) if steps > 1 else low)


def tree_of_hierarchy(hierarchy):
    """A taxonomy of node numbers."""
    nodes = sorted(range(len(hierarchy.labels)), key=lambda v: int(hierarchy.low[v]))
    above = {v: int(hierarchy.parent[v]) for v in nodes}
    return Tree({v: up for v, up in above.items() if up >= 0}, next(v for v, up in above.items() if up < 0))


def sweep_table(table, tau, ell, order=None, **options):
    """The same of a Table; `order` is that of importance, of its quasi-identifiers by number."""
    quasi = table.quasi if order is None else [table.quasi[c] for c in order]
    trees = [tree_of(column.domain) for column in quasi]
    columns = [column.codes.tolist() for column in quasi]
    secret = table.sensitive[0]
    requirement = Requirement(Fraction(tau), ell)
    return sweep(trees, columns, tree_of(secret.domain), secret.codes.tolist(), requirement, **options)
