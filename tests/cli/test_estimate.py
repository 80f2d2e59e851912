"""`voile estimate` and `voile anonymize --measure` as a steward types them."""

import json

import pytest

from tests.command_line import clinic, voile

pytestmark = pytest.mark.slow  # each test starts the command


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    folder = tmp_path_factory.mktemp("clinic")
    table, spec = clinic(folder)
    options = ("-s", spec, "-p", "l=3", "-o", folder / "out", "--measure", "qwe_mean[on=age], dm")
    return folder, voile("anonymize", table, *options)


def test_measured_figures_are_marked_private(released):
    folder, done = released
    assert done.code == 0, done.err
    line = next(line for line in done.out.splitlines() if "qwe_mean[on=age]" in line)
    assert "private" in line and "never publish" in done.out
    assert "dm " not in line and any("measured" in each and "dm " in each for each in done.out.splitlines())
    assert "qwe" not in (folder / "out" / "certificate.json").read_text()
    assert "qwe_mean[on=age]" in json.loads((folder / "out" / "private" / "record.json").read_text())["measured"]


def test_unknown_measures_are_refused_before_the_work(released):
    folder, _ = released
    options = ("-s", folder / "s.toml", "-p", "l=3", "-o", folder / "no", "--measure", "magic")
    done = voile("anonymize", folder / "t.csv", *options)
    assert done.code == 2 and "not a metric" in done.err and not (folder / "no").exists()


def test_public_and_private_figures_are_apart_in_json(released):
    folder, _ = released
    options = ("-s", folder / "s.toml", "-p", "l=3", "-o", folder / "again", "--measure", "qwe_mean, dm", "--json")
    found = json.loads(voile("anonymize", folder / "t.csv", *options).out)
    assert list(found["measured"]) == ["dm"] and list(found["private"]["measured"]) == ["qwe_mean"]


def test_words(released):
    folder, _ = released
    done = voile("estimate", folder / "out", "age between 30 and 39 and disease = 'flu'")
    assert done.code == 0, done.err
    assert "about" in done.out and "at least" in done.out
    assert "no valid interval yet" in done.out and "95 %" not in done.out and "standard error" not in done.out
    exact = voile("estimate", folder / "out", "disease = 'flu'")
    assert "8 of 40 published rows, exactly" in exact.out


def test_json_and_the_spec(released):
    folder, _ = released
    done = voile("estimate", folder / "out", "zip = '01***'", "-s", folder / "s.toml", "--json")
    found = json.loads(done.out)
    assert found["ok"] and found["at_least"] <= found["count"] <= found["at_most"]
    assert found["low"] is found["high"] is found["standard_error"] is None
    assert found["interval"].startswith("no valid interval yet")
    without = voile("estimate", folder / "out", "zip = '01***'", "--json")
    assert without.code == 2 and "give the spec" in json.loads(without.out)["error"]["remedy"]


def test_a_mistake_is_pointed_at(released):
    folder, _ = released
    done = voile("estimate", folder / "out", "age = thirty")
    assert done.code == 2
    assert "query, character 7" in done.err and "for example" in done.err and "thirty" not in done.err
