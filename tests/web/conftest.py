"""Two running apps for each worker: as it is, and with what is there for tests alone. A file whose app must be of
its own kind has its own `app`."""

import pytest

from tests.web.altered import PROGRAM
from tests.web.serving import served


@pytest.fixture(scope="session")
def app(tmp_path_factory):
    with served(tmp_path_factory.mktemp("shelf")) as running:
        yield running


@pytest.fixture(scope="session")
def altered(tmp_path_factory):
    with served(tmp_path_factory.mktemp("altered"), program=PROGRAM) as running:
        yield running


@pytest.fixture
def people(tmp_path):
    """A small table for what does not depend on it."""
    diseases = ("flu", "gout", "asthma", "measles", "angina", "anemia")
    rows = "".join(f"{20 + i % 40},{'mf'[i % 2]},{diseases[i * 7 // 3 % 6]}\n" for i in range(240))
    (tmp_path / "people.csv").write_text(f"age,sex,disease\n{rows}")
    return tmp_path / "people.csv"
