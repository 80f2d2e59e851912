"""What all tests share: where the cases and data are, and how little tables are made."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

SHARED = Path(os.environ.get("VOILE_SHARED") or Path(__file__).parents[2] / "shared")

settings.register_profile(
    "voile", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow], database=None
)
settings.load_profile("voile")


@pytest.fixture(scope="session")
def bsgi_cases():
    """The worked cases of the shared folder."""
    path = SHARED / "cases" / "bsgi.json"
    if not path.is_file():
        pytest.skip(f"no cases: put bsgi.json into {path.parent.name}/ or set VOILE_SHARED")
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def adult_table():
    """Adult's 30,162 complete rows with the seven QI of facts/bsgi.md."""
    import voile
    from benchmarks import adult
    from voile.intake.table_reader import table_of

    if not adult.available():
        pytest.skip("no data: set VOILE_DATA to a folder with adult/adult.data")
    return table_of(adult.complete_rows(), voile.Schema.of(adult.columns()))
