"""What attacks advise fits who made the release; findings about several columns say which."""

import importlib
import json

import numpy as np
import polars as pl
import pytest

import voile
from voile import catalog
from voile.core.bags import Bags
from voile.errors import VoileError
from voile.exposure import exact_findings, verdicts
from voile.requirements import parse_requirements

SPEC = {"id": "subject", "age": {"role": "qi", "type": "integer"}, "disease": "sensitive"}


def advice(algorithm, promise=""):
    """What is said of a person who is like nobody else."""
    bags = Bags.of(np.array([0, 1, 1]), [np.array([1, 2, 3])])
    found = exact_findings(bags, verdicts(bags), parse_requirements(promise), algorithm)
    return next(each.remedy for each in found if each.key == "reidentification")


def rows(number=40):
    return pl.DataFrame({"age": np.arange(number) % 9, "disease": [f"d{i % 5}" for i in range(number)]})


@pytest.mark.parametrize("key", catalog.algorithms())
def test_also_is_advised_only_where_it_is_accepted(key):
    card = catalog.algorithm(key)
    model = catalog.models()[card.promise]
    promise = "l>=2" if model.survives_merging else "unique_l>=2"
    said = advice(key, promise)
    bound = {"tau": "0.6", "l": 2} if model.bound == "tau" else {model.bound: 2}
    table = voile.read(rows(), {"age": SPEC["age"], "disease": "sensitive"})
    refused = ""
    try:
        voile.anonymize(table, key, also="k>=5", **bound)
    except VoileError as error:
        refused = str(error)
    assert said and ("--also" in said) == ("also: " not in refused), refused


def test_a_table_of_anybody():
    """Nobody knows how it was made: a whole request is advised, and it works."""
    assert "-p property=k_anonymity -p k=5" in advice(None) and advice(None) == advice("unheard of") == advice(3)
    table = voile.read(rows(), {"age": SPEC["age"], "disease": "sensitive"})
    release = voile.anonymize(table, "mondrian", property="k_anonymity", k=5)
    assert release.certificate["checks"]["k_anonymity"] >= 5


def test_a_series_is_not_told_to_use_what_publish_does_not_have(tmp_path):
    series = voile.Series.create(tmp_path / "s.ledger", key=tmp_path / "keys" / "s.key")
    persons = [(f"p{i}", 20 + i * 5 % 31, "abcdef"[i % 6]) for i in range(36)]
    for number, some in enumerate((persons, persons[::6] + persons[1:3]), 1):
        frame = pl.DataFrame(some, schema=list(SPEC), orient="row")
        series.publish(voile.read(frame, SPEC), tmp_path / f"r{number}", m=3)
    told = json.loads((tmp_path / "r2" / "certificate.json").read_text())["attacks"]
    found = next(each for each in told if each["attack"] == "reidentification")
    assert found["alone"] > 0, "control: somebody is alone among counterfeits"
    options = {name for card in importlib.import_module("voile.cli.publish").command.params for name in card.opts}
    assert "--also" not in options and "--also" not in found["remedy"] and "min_width" in found["remedy"]
    audited = voile.audit(tmp_path / "r2", SPEC)
    assert next(each for each in audited.findings if each.key == "reidentification").remedy == found["remedy"]


def test_findings_about_several_columns_say_which():
    rng = np.random.default_rng(1)
    frame = pl.DataFrame(
        {
            "age": rng.integers(20, 60, 120),
            "disease": [f"d{i % 6}" for i in range(120)],
            "job": [f"j{i // 6 % 5}" for i in range(120)],
        }
    )
    spec = {"age": SPEC["age"], "disease": "sensitive", "job": "sensitive"}
    graded = voile.anonymize(voile.read(frame, spec), "elig", l=2).private_record["attacks"]
    assert [each["title"] for each in graded] == ["deFinetti: disease", "deFinetti: job"]
    assert [each["sensitive_column"] for each in graded] == ["disease", "job"]
    single = voile.anonymize(voile.read(frame.drop("job"), {k: v for k, v in spec.items() if k != "job"}), l=2)
    assert [each["title"] for each in single.private_record["attacks"]] == ["deFinetti"], "control: one column"
