"""The worked cases of paper 000."""

import json

import pytest

from tests.conftest import SHARED


@pytest.fixture(scope="session")
def cases():
    path = SHARED / "cases" / "streamliner.json"
    if not path.is_file():
        pytest.skip(f"no cases: put streamliner.json into {path.parent.name}/ or set VOILE_SHARED")
    return json.loads(path.read_text(encoding="utf-8"))
