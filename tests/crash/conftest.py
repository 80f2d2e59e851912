"""A warm process and a stage for every worker: the clinic with no ledger, an empty one, or one release."""

import pytest

from tests.crash.scene import Scene
from tests.crash.stage import Stage
from tests.crash.system_calls import why_not
from tests.crash.warm_process import WarmProcess


@pytest.fixture(scope="session")
def warm(tmp_path_factory):
    process = WarmProcess(tmp_path_factory.mktemp("warm"))
    yield process
    process.close()


@pytest.fixture(scope="session")
def stage(warm, tmp_path_factory):
    folder = tmp_path_factory.mktemp("stage")
    return Stage(Scene(folder / "clinic"), warm, folder)


@pytest.fixture(scope="session")
def tracing():
    if why_not():
        pytest.skip(why_not())
