"""The audit by somebody who knows everybody: who is linked to which group, and what is guessed of them."""

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import adult
from tests.attacks.releases import covers, releases
from tests.command_line import clinic
from voile import anonymize, audit_with_known, catalog, read
from voile.attacking.known_audit import seated
from voile.attacks.candidate_sets import CoveredPlaces, PublishedGroups
from voile.cli.main import run
from voile.errors import InputError, SpecError

SPEC = {
    "age": {"role": "qi", "type": "integer"},
    "town": {"role": "qi", "type": "category"},
    "disease": {"role": "sensitive"},
}


def people(depends, rows=600):
    """Persons whose disease goes with age and town, as often as `depends` says."""
    rng = np.random.default_rng(2)
    disease = rng.permutation(np.repeat(np.arange(6), np.array([25, 22, 18, 15, 12, 8]) * rows // 100))
    age, town = (np.where(rng.random(rows) < depends, disease, rng.integers(0, 6, rows)) for _ in range(2))
    return pl.DataFrame(
        {
            "age": 20 + 10 * age + rng.integers(0, 10, rows),
            "town": [f"town {i}" for i in town],
            "disease": [f"d{i}" for i in disease],
        }
    )


def published(frame, folder, algorithm, **parameters):
    return anonymize(read(frame, SPEC), algorithm, **parameters).write(folder / "out")


def guessed(frame, folder, known=None):
    report = audit_with_known(folder / "out", SPEC, frame if known is None else known)
    return next(finding for finding in report.findings if finding.key == "definetti")


def test_two_tables_are_seen_through(tmp_path):
    """The control that must succeed: exact quasi-identifiers that tell, and values by group."""
    frame = people(0.8)
    published(frame, tmp_path, "anatomy", l=3)
    found = guessed(frame, tmp_path)
    assert found.rate > 0.6 and found.state == "not promised, and gets through" and found.private
    assert found.details["beyond_promise"]


def test_nothing_is_seen_in_noise(tmp_path):
    frame = people(0.0)
    published(frame, tmp_path, "anatomy", l=3)
    assert not guessed(frame, tmp_path).details["beyond_promise"]


def test_generalised_groups(tmp_path):
    """Groups of near persons still tell something; wide labels of random groups hide who is in which."""
    frame = people(0.8)
    published(frame, tmp_path, "elig", l=3)
    assert guessed(frame, tmp_path).trials == frame.height


def test_without_the_truth_nothing_is_graded(tmp_path):
    frame = people(0.8)
    published(frame, tmp_path, "elig", l=3)
    found = guessed(frame, tmp_path, frame.drop("disease"))
    assert (found.successes, found.ok, found.private) == (0, None, False)


def test_order_of_the_known_does_not_matter(tmp_path):
    """Neither that of the file, nor that by true values, which persons who look alike could be sorted by."""
    frame = people(0.8)
    published(frame, tmp_path, "anatomy", l=3)
    rates = [guessed(frame, tmp_path, known).rate for known in (frame, frame.sort("disease"), frame.reverse())]
    assert max(rates) - min(rates) < 0.03


def test_known_persons_need_every_quasi_identifier(tmp_path):
    frame = people(0.8)
    published(frame, tmp_path, "elig", l=3)
    with pytest.raises(SpecError):
        guessed(frame, tmp_path, frame.drop("town"))


def test_generalised_values_are_refused(tmp_path):
    frame = people(0.8).with_columns(pl.Series("disease", ["d0"] * 300 + ["d1"] * 200 + ["d2"] * 100))
    published(frame, tmp_path, "sweep", tau="0.4", l=3)
    with pytest.raises(InputError):
        guessed(frame, tmp_path)


@given(releases(), st.lists(st.tuples(st.integers(0, 2), st.integers(0, 5), st.integers(0, 699)), max_size=12))
def test_everybody_sits_in_a_box_that_covers(groups, some):
    points = np.array(some, np.int32).reshape(len(some), 3)
    found = seated(groups, points, np.ones(groups.groups, np.int64))
    for point, place in zip(some, found.tolist(), strict=True):
        fits = [g for g in range(groups.groups) if covers(groups, g, point)]
        assert place in fits if fits else place == -1


def test_who_has_no_choice_is_seated_first():
    """Ages 1 to 2 and 2 to 3, a seat each: who is 2 takes what the other leaves."""
    ages = CoveredPlaces.intervals(np.array([0, 1]), np.array([1, 2]))
    groups = PublishedGroups(((ages, np.array([0, 1])),), np.array([0, 1, 2]), np.array([0, 1]))
    assert seated(groups, np.array([[1], [0]], np.int32), np.array([1, 1])).tolist() == [1, 0]
    assert seated(groups, np.array([[1], [2]], np.int32), np.array([1, 1])).tolist() == [0, 1]


def test_the_command(tmp_path, capsys):
    table, spec = map(str, clinic(tmp_path))
    out = str(tmp_path / "out")
    assert run(["anonymize", table, "-s", spec, "-a", "rda", "-p", "l=2", "-o", out]) == 0
    assert run(["audit", out, "-s", spec, "--known", table]) == 0
    said = capsys.readouterr().out
    assert "for you alone" in said and "homogeneity" in said
    assert run(["audit", out, "-s", spec, "--known", table, "--json"]) == 0
    graded = [each for each in json.loads(capsys.readouterr().out)["attacks"] if each["private"]]
    assert [each["attack"] for each in graded] == ["definetti"] and len(graded[0]["interval"]) == 2
    assert run(["audit", out, "-s", spec, "--known", table, "--known", table]) == 2


def test_private_figures_stay_private(tmp_path):
    folder = published(people(0.8), tmp_path, "rda", l=2)
    certificate = json.loads((folder / "certificate.json").read_text())
    assert "definetti" not in {each["attack"] for each in certificate["attacks"]}
    assert not any(each["private"] for each in certificate["attacks"])
    record = json.loads((folder / "private" / "record.json").read_text())
    assert [each["attack"] for each in record["attacks"]] == ["definetti"]


def test_attacks_are_listed(capsys):
    assert run(["attacks", "--json"]) == 0
    listed = {each["attack"] for each in json.loads(capsys.readouterr().out)["attacks"]}
    assert listed == set(catalog.attacks())


@pytest.mark.slow
def test_adult_in_two_tables_is_guessed_far_above_what_is_promised(twins, tmp_path):
    """Where 1/4 is promised; and the steward's report says so."""
    frame = adult.complete_rows()[::7]
    release = anonymize(read(frame, adult.columns()), "anatomy", l=4)
    folder = release.write(tmp_path / "out", with_report=True)
    graded = json.loads((folder / "private" / "record.json").read_text())["attacks"][0]
    assert (
        graded["interval"][0] > 0.25
        and graded["beyond_promise"]
        and graded["state"] == "not promised, and gets through"
    )
    report = (folder / "private" / "report.html").read_text()
    assert "deFinetti" in report and "25.0% is promised against someone who does not learn" in report
    assert "guessed right" not in (folder / "report.html").read_text()
