"""Two running apps for each worker: as it is, and with what is there for tests alone. A file whose app must be of its
own kind has its own `app`."""

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
