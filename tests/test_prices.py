"""What each promise costs: from runs, or beside a release; for the steward alone."""

import json

import polars as pl
import pytest

import voile
from tests.command_line import clinic
from tests.comparing.people import SPEC, people, table
from voile.cli.main import run
from voile.comparing.comparison import Comparison
from voile.comparing.plan import Run
from voile.errors import ParameterError
from voile.prices import BEWARE, TITLE, is_complete, price_rows
from voile.reporting.comparison_page import _prices

READERS = [
    "readers of the release alone",
    "readers who know the algorithm",
    "readers who know the algorithm and everybody else's values",
]


def test_a_release_knows_what_the_other_promises_cost():
    release = voile.anonymize(table(), l=3, prices=True)
    listed = release.private_record["prices"]
    header, rows = price_rows(listed)
    assert header == ["a promise against", "algorithm", "l = 3"]
    assert [row[:2] for row in rows] == [
        list(pair) for pair in zip(READERS, ["elig", "glass", "blind_cut"], strict=True)
    ]
    assert is_complete(listed) and all(0 <= line["gcp_leaves"] <= 1 for line in listed)
    own = next(line for line in listed if line["algorithm"] == "glass")
    assert own["gcp_leaves"] == release.certificate["utility"]["gcp_leaves"]
    assert "prices" not in release.certificate and "prices" not in str(release.certificate)


def test_not_unless_asked_for():
    assert "prices" not in voile.anonymize(table(), l=3).private_record


def test_two_sensitive_columns_have_one_algorithm_for_both_tiers():
    frame = people(income=lambda rows: [f"i{(i * 3) % 5}" for i in range(rows)])
    release = voile.anonymize(voile.read(frame, {**SPEC, "income": "sensitive"}), l=3, prices=True)
    listed = release.private_record["prices"]
    assert [line["algorithm"] for line in listed] == ["elig", "blind_cut", "blind_cut"]
    assert listed[1]["gcp_leaves"] == listed[2]["gcp_leaves"]


def test_a_promise_that_bounds_no_confidence_has_no_price():
    with pytest.raises(ParameterError, match="ask for an l"):
        voile.anonymize(table(), "mondrian", property="k_anonymity", k=4, prices=True)


def test_other_settings_do_not_stand_for_the_usual_ones():
    release = voile.anonymize(table(), "glass", l=3, match="fast", prices=True)
    assert is_complete(release.private_record["prices"])


def test_kept_columns_have_no_price():
    frame = people(ward=lambda rows: ["w"] * rows)
    kept = voile.read(frame, {**SPEC, "ward": {"role": "insensitive", "keep": True}})
    with pytest.raises(ParameterError, match="voile compare"):
        voile.anonymize(kept, "elig", l=2, prices=True)


def test_only_the_stewards_page_shows_them(tmp_path, monkeypatch, capsys):
    clinic(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert run(["anonymize", "t.csv", "-s", "s.toml", "-p", "l=3", "-o", "out", "--prices", "--report"]) == 0
    said = capsys.readouterr().out
    assert TITLE in said and BEWARE[:40] in said
    out = tmp_path / "out"
    assert TITLE in (out / "private" / "report.html").read_text()
    assert len(json.loads((out / "private" / "record.json").read_text())["prices"]) == 3
    for public in ("report.html", "certificate.json", "data.csv"):
        assert TITLE not in (out / public).read_text() and "blind_cut" not in (out / public).read_text()


@pytest.mark.parametrize(
    "damage", ["much", [1], [{"against": "nobody"}], [{"against": "release", "gcp_leaves": "x"}]]
)
def test_a_record_that_makes_no_sense_is_no_obstacle(tmp_path, damage):
    out = voile.anonymize(table(), "elig", l=3, prices=True).write(tmp_path / "out")
    record = out / "private" / "record.json"
    record.write_text(json.dumps(json.loads(record.read_text()) | {"prices": damage}))
    voile.report(out, SPEC, tmp_path / "own.html", source=people())
    assert (tmp_path / "own.html").read_text().rstrip().endswith("</html>")  # the page is there, and whole


def compared(*runs):
    made = {"kept": True, "gcp_leaves": 0.25}
    pairs = tuple(
        (Run(key, tuple(given.items())), made if fine else {"refusal": "no"}) for key, given, fine in runs
    )
    return Comparison(pairs, (), {}, {"sensitive": ["disease"]})


def test_a_comparison_lists_what_was_run():
    found = compared(
        ("elig", {"l": "3"}, True),
        ("elig", {"l": "4", "refine": "0"}, True),
        ("glass", {"l": "3"}, False),
        ("rda", {"l": "7"}, True),
    ).prices
    assert [(line["algorithm"], line["l"], line.get("gcp_leaves")) for line in found] == [
        ("elig", 3, 0.25),
        ("glass", 3, None),
        ("blind_cut", 3, None),
    ]
    assert price_rows(found)[1][1][2] == "refused" and price_rows(found)[1][2][2] == "not run"
    assert not is_complete(found) and "--prices" in str(list(_prices({"prices": found})))


def test_a_comparison_of_others_lists_nothing():
    assert compared(("rda", {"l": "3"}, True)).prices == []
    assert "--prices" in str(list(_prices({"prices": []})))


@pytest.mark.slow
def test_prices_of_a_table_as_it_is_typed(tmp_path, monkeypatch, capsys):
    clinic(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert run(["compare", "t.csv", "-s", "s.toml", "--prices", "-p", "l=2..3", "--measure", "", "-o", "out"]) == 0
    said = capsys.readouterr().out
    assert TITLE in said and "not run" not in said
    document = json.loads((tmp_path / "out" / "comparison.json").read_text())
    assert is_complete(document["prices"]) and len(document["prices"]) == 6
    assert TITLE in (tmp_path / "out" / "index.html").read_text()
    assert pl.read_csv(tmp_path / "out" / "comparison.csv").height == 6


@pytest.mark.parametrize(
    ("options", "algorithm"),
    [
        ([], "-a glass"),
        (["--strong"], "-a blind_cut"),
        (["--against", "release"], "-a elig"),
        (["--adversary", "release"], "-a elig"),
    ],
)
def test_a_recommendation_says_how_to_see_prices(tmp_path, monkeypatch, capsys, options, algorithm):
    clinic(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert run(["compare", "t.csv", "-s", "s.toml", "--recommend", "-p", "l=3", "-o", "out", *options]) == 0
    said = capsys.readouterr().out
    assert "--prices" in said and algorithm in " ".join(said.replace("│", " ").split())


def test_strong_is_for_who_knows_the_algorithm(tmp_path, monkeypatch, capsys):
    clinic(tmp_path)
    monkeypatch.chdir(tmp_path)
    given = ["compare", "t.csv", "-s", "s.toml", "--recommend", "-o", "out", "--strong"]
    assert run([*given, "--against", "release"]) == 2 and run([*given, "--against", "series"]) == 2
    assert run([*given, "--releases", "series"]) == 2
