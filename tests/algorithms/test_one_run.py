"""One run, one release, and nothing of how it was made is left behind (docs/algorithms/glass.md, points 10 and 11
of the checklist)."""

import json
import logging
import os
import re

import numpy as np
import pytest

import voile
from tests.small_tables import table_from
from voile import catalog
from voile.algorithms import fixed_settings
from voile.core.draws import SECRET, InsecureDraws
from voile.core.schema import Role
from voile.core.table import Column, Table
from voile.kernels import threads
from voile.output.certificate import Claim
from voile.pipeline import released
from voile.requirements import promise_of

KEYS = ["glass", "symb", "blind_cut"]
PARAMETERS = {"l", "match", "tau", "limit", "least", "cuts"}
# what would tell how a release was made: words of keys and of file names
FORBIDDEN = re.compile(
    r"draw|seed|bucket|signature|place|seat|skim|apart|node|tree|leaf|leaves|level|depth|shift|turn|test|failed|passed"
    r"|cut|curve|order|attempt|retry|second|millis|elapsed|duration|timing"
)
each = pytest.mark.parametrize("key", KEYS)


@pytest.fixture(scope="module")
def table():
    chance = np.random.default_rng(8)
    n = 300
    secret = np.minimum(chance.integers(0, 9, n), chance.integers(0, 9, n))
    return table_from(
        chance.integers(0, 40, n).tolist(),
        chance.integers(0, 9, n).tolist(),
        chance.integers(0, 5, n).tolist(),
        chance.integers(0, 5, n).tolist(),
        secret.tolist(),
    )


@each
@pytest.mark.usefixtures("secret_draws")
def test_partition_is_called_once_with_secret_draws(key, table, monkeypatch, tmp_path):
    calls, words = [], []
    real, urandom = catalog.algorithm(key).partition, os.urandom

    def spy(self, table, progress, draws):
        calls.append(draws)
        with monkeypatch.context() as meanwhile:  # attacks on the finished release may guess by a seed
            meanwhile.setattr(np.random, "default_rng", refuse)
            meanwhile.setattr(os, "urandom", counted)
            return real(self, table, progress, draws)

    def counted(size):
        words.append(size)
        return urandom(size)

    def refuse(*_):
        raise AssertionError("a generator with a seed")

    monkeypatch.setattr(catalog.algorithm(key), "partition", spy)
    voile.anonymize(table, key, l=2).write(tmp_path / "out")
    assert calls == [SECRET]
    assert sum(words) >= 3 * table.n, "a word of four bytes for the seat of nearly every row"


def keys_of(document):
    if isinstance(document, dict):
        for name, inside in document.items():
            yield name
            yield from keys_of(inside)
    elif isinstance(document, list):
        for inside in document:
            yield from keys_of(inside)


@each
def test_nothing_is_said_of_draws_buckets_tests_or_time(key, table, tmp_path, caplog, capfd):
    with caplog.at_level(logging.INFO):
        voile.anonymize(table, key, l=2).write(tmp_path / "out", with_report=True)
    assert not [record for record in caplog.records if not record.name.startswith("numba")]
    assert capfd.readouterr() == ("", "")
    files = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert any(path.suffix == ".csv" for path in files) and any(path.suffix == ".json" for path in files)
    known = {
        "columns",
        "tree",
        "gcp_leaves",
        *PARAMETERS,
    }  # of the table, of a metric, and what was fixed in advance
    for path in files:
        assert not FORBIDDEN.search(path.name), path.name
        if path.suffix == ".json":
            for name in set(keys_of(json.loads(path.read_text(encoding="utf-8")))) - known - set(catalog.models()):
                assert not FORBIDDEN.search(name), f"{path.name}: {name}"
    header = next(path for path in files if path.suffix == ".csv").read_text().splitlines()[0]
    assert header.split(",") == ["group", "number", "other", "tree", "letter", "secret"]


@each
def test_a_release_is_a_function_of_groups_bags_and_quasi_identifiers(key, table):
    """Exchange the values of persons inside every group: rows, certificate and findings are the same."""
    algorithm = catalog.algorithm(key).configure({"l": 2}).resolve(table)
    part = algorithm.partition(table, draws=InsecureDraws(3))
    secret = table.sensitive[0]
    order = np.arange(table.n)
    chance = np.random.default_rng(1)
    for g in range(part.groups):
        rows = np.flatnonzero(part.group == g)
        order[rows] = chance.permutation(rows)
    assert (secret.codes[order] != secret.codes).any()
    other = Table(
        [
            Column(c.name, c.role, c.domain, c.codes if c.role != Role.SENSITIVE else secret.codes[order])
            for c in table.columns
        ],
        schema=table.schema,
    )
    again = partition_of(other, table, part, secret.codes[order])
    claim = Claim(algorithm, promise_of(algorithm))
    first, second = released(table, part, claim), released(other, again, claim)
    assert first.frame.equals(second.frame)
    assert first.certificate == second.certificate


def partition_of(other, table, part, secret):
    """The same groups for a table in whose canonical order some rows that look alike have moved."""
    columns = [*(c.codes for c in table.quasi), secret, part.group]
    order = np.lexsort(columns[::-1])
    assert all((c.codes == codes[order]).all() for c, codes in zip(other.quasi, columns, strict=False))
    assert (other.sensitive[0].codes == secret[order]).all()
    return type(part)(part.group[order])


@each
@pytest.mark.parametrize("match", ["fine", "fast"])
def test_groups_do_not_depend_on_the_number_of_threads(key, match, adult_table, monkeypatch):
    some = adult_table.of_rows(np.random.default_rng(2).random(adult_table.n) < 0.1)
    settings = {"l": 3} if key == "blind_cut" else {"l": 3, "match": match}
    found = []
    monkeypatch.setattr(threads, "FEW", 0)
    for number in (1, 2, 7):
        monkeypatch.setattr(os, "cpu_count", lambda number=number: number)
        found.append(catalog.algorithm(key).configure(settings).partition(some, draws=InsecureDraws(5)).group)
    assert (found[0] == found[1]).all() and (found[0] == found[2]).all()


def test_settings_are_functions_of_l_alone(adult_table, table):
    """And what was used is in the certificate."""
    for key in ("glass", "blind_cut"):
        both = [catalog.algorithm(key)(l=3).resolve(t).settings() for t in (adult_table, table)]
        assert both[0] == both[1]
        for name, value in getattr(fixed_settings, f"settings_of_{key}")(3).items():
            assert str(both[0][name]) == str(value)
        shown = voile.anonymize(table, key, l=3).certificate["algorithm"]["parameters"]
        assert shown == both[1]
