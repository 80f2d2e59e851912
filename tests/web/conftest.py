"""A browser and a running app for each file; a file that needs a folder of its own kind has its own `app`."""

import pytest

from tests.reporting.browser import chromium
from tests.web.serving import served


@pytest.fixture(scope="module")
def browser():
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    with served(tmp_path_factory.mktemp("shelf")) as running:
        yield running
