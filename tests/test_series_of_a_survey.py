"""Fifteen waves of a survey, published to the end: people leave, return and change their occupation."""

import pytest

import voile
from benchmarks import nlswork


@pytest.mark.slow
@pytest.mark.parametrize("balance", ["counterfeit", "fill"])
def test_all_waves_and_nobody_below_m(twins, tmp_path, balance):
    waves, releases, shown = nlswork.published(tmp_path, 2, balance)
    assert len(waves) == 15 and waves[0]["published"] == waves[0]["rows"] == waves[0]["new"]
    for wave in waves:
        assert wave["not_m_unique"] == wave["without_real_row"] == wave["signature_changed"] == 0
        assert wave["published"] + wave["changed"] + wave["waiting"] == wave["rows"]
    assert all(wave["changed"] > 0 and wave["new"] > 0 for wave in waves[1:])
    assert all(wave["returned"] > 0 for wave in waves[2:])
    report = voile.audit_series(releases, nlswork.columns(), shown, require_m=2)
    assert report.ok, report.failures
    assert report.below == report.told == 0
    history = voile.Series(tmp_path / "series.ledger", key=tmp_path / "series.key").history()
    assert history["published"].to_list() == [wave["published"] for wave in waves]
