"""`voile audit --series`, as it is typed."""

import json

import polars as pl
import pytest

from tests.command_line import voile as command
from tests.series_auditing.series import SPEC, add_certificate, paper_series

pytestmark = pytest.mark.slow  # of processes, or of many worlds


@pytest.fixture
def series(tmp_path, m_invariance_cases):
    def made(second):
        folders, known = paper_series(tmp_path, m_invariance_cases, second)
        (tmp_path / "s.toml").write_text(SPEC)
        arguments = ["audit", "--series", *folders, "-s", tmp_path / "s.toml"]
        for number, table in enumerate(known, 1):
            table.write_csv(tmp_path / f"t{number}.csv")
            arguments += ["--known", tmp_path / f"t{number}.csv"]
        return arguments

    return made


def test_a_series_that_tells(series):
    done = command(*series("T*2_table2b"), "--require", "m>=2")
    assert done.code == 1, done.err
    assert "not met: 2 persons of 16 with fewer than 2 values left (fewest 1)" in done.out
    text = " ".join(done.out.replace("\u2502", " ").split())
    assert "2 have one value left, which is true of 2" in text
    assert "certain for 4" in text and "never publish it" in text
    assert "next: publish further releases with a ledger" in text
    assert not any(name in done.out for name in ("Bob", "David", "dyspepsia", "gastritis"))


def test_a_series_that_tells_nobody(series):
    done = command(*series("T*2_table3a"), "--require", "m>=2", "--json")
    assert done.code == 0, done.err
    document = json.loads(done.out)
    assert document["ok"] and document["told"] == 0 and document["exact_risk"]["highest"] == "1/2"
    assert [r["counterfeits"] for r in document["releases"]] == [0, 2]


def test_a_promise_of_certificates_is_judged(series, tmp_path):
    arguments = series("T*2_table2b")
    for number in (1, 2):
        entry = {"ledger": "ab", "release": number, "record": f"a{number}", "previous": f"b{number}", "m": 2}
        add_certificate(tmp_path / f"r{number}", entry)
    done = command(*arguments)
    assert done.code == 1 and "fewer than 2 values left" in done.out


def test_without_known_and_wrong_use(series, tmp_path):
    arguments = series("T*2_table2b")
    done = command(*arguments[:6])
    assert done.code == 0 and "--known" in done.out
    alone = command("audit", tmp_path / "r1", tmp_path / "r2", "-s", tmp_path / "s.toml")
    assert alone.code == 2 and "--series" in alone.err
    short = command(*arguments[:-2])
    assert short.code == 2 and "one source table per release" in short.err
    assert pl.read_csv(tmp_path / "t1.csv").height == 11
