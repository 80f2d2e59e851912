"""What all tests share: the worked cases, the twins of real tables, servers and clusters."""

import json
import os
import zlib
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, settings

from tests import command_line
from tests.nights import NIGHT, examples
from tests.servers.spark import QUICK_JAVA

os.environ.setdefault("VOILE_REPORT", "no")  # drawing costs a second each; tests of reports ask for them
os.environ.setdefault("SPARK_SUBMIT_OPTS", QUICK_JAVA)  # of drivers
os.environ["VOILE_DATA"] = os.devnull  # no test reads a real table, whatever this machine has: see `twins`
CASES = Path(__file__).parent / "cases"

COLLECTED = pytest.StashKey[list[pytest.Item]]()  # with what only `make nightly` runs

settings.register_profile(
    "voile",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
    database=None,
    max_examples=examples(50, 200),
)
settings.register_profile("quick", parent=settings.get_profile("voile"), max_examples=20)
settings.register_profile("nightly", parent=settings.get_profile("voile"), derandomize=False, print_blob=True)
settings.load_profile("nightly" if NIGHT else "voile")


def _uses(item, *fixtures):
    return not set(fixtures).isdisjoint(getattr(item, "fixturenames", ()))


def _in_order(items):
    """Two workers take half of the tests each: tests with Spark begin the first half, tests with PostgreSQL the
    second, so that each server starts once. Commands that start a Spark of their own come before the session that
    all other tests with Spark share: a process has one at a time."""
    own = [item for item in items if item.path.name == "test_surface.py"]
    shared = [item for item in items if _uses(item, "spark", "spark_cluster")]
    server = [item for item in items if _uses(item, "postgresql")]
    chosen = {id(item) for item in (*own, *shared, *server)}
    others = [item for item in items if id(item) not in chosen]
    first = max(0, len(items) // 2 - len(own) - len(shared))
    return [*own, *shared, *others[:first], *server, *others[first:]]


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config, items):
    config.stash[COLLECTED] = list(items)
    for item in items:
        if _uses(item, "postgresql", "spark_cluster", "browser"):
            item.add_marker("slow")  # whatever it does: a server is started for it
    yield  # what is not asked for is taken out
    items[:] = _in_order(items)


@pytest.fixture(scope="session", autouse=True)
def _commands():
    yield
    command_line.end()


@pytest.fixture
def secret_draws():
    """For tests of the draws themselves: really from the operating system."""


@pytest.fixture(autouse=True)
def draws_of_a_test(request, monkeypatch):
    """What a test draws in its own process is the same in every run: chance may not decide whether it passes.
    Commands in processes of their own draw as they do."""
    if "secret_draws" in request.fixturenames:
        return
    from voile.core.draws import InsecureDraws, SecretDraws

    drawn = InsecureDraws(zlib.crc32(request.node.nodeid.encode()))
    monkeypatch.setattr(SecretDraws, "words", lambda _, count, bits: drawn.words(count, bits))


def _cases(name):
    return json.loads((CASES / name).read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def bsgi_cases():
    """The worked cases of Ye et al. 2008."""
    return _cases("bsgi.json")


@pytest.fixture(scope="session")
def streamliner_cases():
    """The worked cases of Liu and Wang 2012."""
    return _cases("streamliner.json")


@pytest.fixture(scope="session")
def m_invariance_cases():
    """The worked cases of Xiao and Tao 2007."""
    return _cases("m_invariance.json")


@pytest.fixture(scope="session")
def sweep_cases():
    """The worked cases of Tian and Zhang 2009."""
    return _cases("sweep.json")


@pytest.fixture(scope="session")
def k_jump_cases():
    """The worked cases of Liu et al. 2015."""
    return _cases("k_jump.json")


@pytest.fixture(scope="session")
def browser():
    """One for each worker: what must be apart has a context of its own. While it is there this thread has a loop
    that runs: a test that needs another one takes another thread."""
    from tests.reporting.browser import chromium

    with chromium() as found:
        yield found


@pytest.fixture(scope="session")
def postgresql():
    """A running server; a test makes a database of its own in it, and starts it again if it stops it."""
    from tests.servers.postgresql import PostgreSQL

    with PostgreSQL() as server:
        yield server


@pytest.fixture(scope="session")
def spark_cluster():
    """A running cluster: one master, two workers."""
    from tests.servers.spark import SparkCluster

    with SparkCluster() as cluster:
        yield cluster


@pytest.fixture(scope="session")
def spark(spark_cluster):
    """A session on it: a process has one at a time."""
    from voile.spark.session import session

    os.environ.update(spark_cluster.environment)
    with session(spark_cluster.master, spark_cluster.settings) as found:
        yield found


@pytest.fixture(scope="session")
def twins(tmp_path_factory):
    """A folder with the twins of all real tables, where benchmarks look for these."""
    from tests.twins import write

    folder = tmp_path_factory.mktemp("twins")
    write(folder)
    with pytest.MonkeyPatch.context() as changed:
        changed.setenv("VOILE_DATA", str(folder))
        yield folder


def _adult(rows, columns):
    import voile
    from benchmarks import adult
    from voile.intake.table_reader import table_of

    return table_of(rows(adult), voile.Schema.of(columns(adult)))


@pytest.fixture(scope="session")
def adult_table(twins):
    """The 30,162 complete rows of Adult's twin with the seven QI of docs/facts/bsgi.md."""
    return _adult(lambda adult: adult.complete_rows(), lambda adult: adult.columns())


@pytest.fixture(scope="session")
def adult_two_sensitive(twins):
    """Its first 3,000 rows with two sensitive columns, occupation and relationship."""
    return _adult(
        lambda adult: adult.complete_rows(*adult.QUASI, "occupation", "relationship").head(3000),
        lambda adult: {**adult.columns(), "relationship": "sensitive"},
    )


@pytest.fixture(scope="session")
def adult_three_records(twins):
    """Every three rows are one person."""
    return _adult(
        lambda adult: adult.complete_rows().with_row_index("person").with_columns(pl.col("person") // 3),
        lambda adult: {"person": "subject", **adult.columns()},
    )


@pytest.fixture(scope="session")
def adult_six(twins):
    """Adult's twin with ARX's hierarchies and the six QI of docs/facts/peers.md."""
    return _adult(
        lambda adult: adult.complete_rows(*adult.SIX, adult.SENSITIVE), lambda adult: adult.six_columns()
    )
