"""Releases whose sensitive values are nodes of a hierarchy, made without any of the algorithms that do so."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import polars as pl

import voile
from voile.core.algorithm import Algorithm, Rung
from voile.core.partition import Partition
from voile.output.certificate import Claim
from voile.pipeline import released
from voile.requirements import promise_of

ANY = Fraction(1)  # a tau that promises nothing


@dataclass(frozen=True, kw_only=True)
class Raising(Algorithm):
    """Raises whatever it is told to."""

    key = "raising"
    title = "values raised by a test"
    paper = "none"
    promise = "tau_l_diversity"
    rung = Rung.RELEASE
    deterministic = True
    cost = "n"
    meaning = "for tests"
    generalises = True

    tau: Fraction = ANY
    l: int = 2  # noqa: E741

    def settings(self):
        return {"tau": str(self.tau), "l": self.l, "weights": "prior"}

    def partition(self, table, progress=lambda share: None):
        raise NotImplementedError


def raised(tree, codes, levels):
    """The node so many levels above each leaf, or the root."""
    nodes = []
    for code, up in zip(codes, levels, strict=True):
        node = int(code)
        for _ in range(up):
            node = node if tree.parent[node] < 0 else int(tree.parent[node])
        nodes.append(node)
    return np.array(nodes, np.int64)


def partition_of(table, group, levels, weight=None):
    """The group and the levels by which the value is raised of each row, in the table's order of rows."""
    column = table.sensitive[0]
    tree = column.tree()
    weight = np.bincount(column.codes, minlength=tree.leaves) if weight is None else np.array(weight)
    return Partition(np.array(group), node=raised(tree, column.codes, levels), weight=weight)


def release_of(table, group, levels, weight=None, **parameters):
    """A release of a table with the claim of (tau,l)-diversity, tau = 1 unless told."""
    algorithm = Raising(**parameters)
    partition = partition_of(table, group, levels, weight)
    return released(table, partition, Claim(algorithm, promise_of(algorithm)))


def patients(cells, **options):
    """A table of two quasi-identifiers and these sensitive cells."""
    frame = pl.DataFrame(
        {
            "age": [20 + i % 7 for i in range(len(cells))],
            "sex": ["fm"[i % 2] for i in range(len(cells))],
            "value": cells,
        }
    )
    return voile.read(frame, schema(**options))


def schema(**options):
    """The spec of `patients`."""
    columns = {"age": {"role": "qi", "type": "integer"}, "sex": "qi", "value": {"role": "sa", **options}}
    return voile.Schema.of(columns)


def assert_round_trip(table, folder, group, levels, weight=None):
    """Written as CSV and Parquet, the audit finds in the bytes what the certificate says."""
    release = release_of(table, group, levels, weight)
    for form in ("csv", "parquet"):
        release.write(folder / form, form)
        found = voile.audit(folder / form, table.schema)
        assert found.ok, found.failures
        assert {key: v.shown() for key, v in found.achieved.items()} == release.certificate["checks"]
        assert found.rows == table.n
        (column,) = (c for c in release.certificate["table"]["columns"] if c["role"] == "sensitive")
        assert found.generalised == column["generalised_rows"]
    return release
