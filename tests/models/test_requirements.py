"""What `--require` understands, and what an audit knows of a column's order or tree."""

import json
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import voile
from tests.command_line import clinic
from tests.command_line import voile as command
from voile import catalog
from voile.core.bags import Bags
from voile.core.hierarchy import Hierarchy
from voile.errors import ParameterError
from voile.requirements import parse_requirements, promise_of


def test_every_model_can_be_required():
    for model in catalog.models().values():
        for name in (model.symbol, model.key):
            bound = Fraction(1, 2) if model.trivial and model.sense == "<=" else Fraction(3, 2)
            (promise,) = parse_requirements(f"{name} {model.sense} {bound}")
            assert type(promise) is model
            assert promise.threshold() == bound


def test_parameters_in_brackets():
    first, second, third = parse_requirements("c[l=3]<4, beta[variant=basic]<=1 and alpha[k=5]<=0.25")
    assert (first.l, first.c) == (3, 4)
    assert second.variant == "basic"
    assert (third.k, third.alpha) == (5, Fraction(1, 4))
    assert parse_requirements("alpha[k=5]<=1"), "says that groups have five persons"


@pytest.mark.parametrize("model", [model for model in catalog.models().values() if model.trivial], ids=str)
def test_a_trivial_bound_is_kept_by_everybody_alone(model):
    """One row of one value in each group: what holds of these promises nothing."""
    alone = Bags.of(np.arange(3), [np.array([0, 0, 1])])
    trivial = model(**{model.bound: Fraction(model.trivial)})
    assert trivial.says_nothing() and trivial.check(alone).ok
    nearly = Fraction(99, 100) if model.sense == "<=" else Fraction(101, 100)
    assert not replace(trivial, **{model.bound: nearly}).says_nothing()


def test_a_further_promise_that_promises_nothing_is_refused(tmp_path):
    table, spec = clinic(tmp_path)
    with pytest.raises(ParameterError, match="also: every release keeps it"):
        voile.anonymize(voile.read(table, spec), "mondrian", l=2, also="tau<=1.7")


@pytest.mark.parametrize(
    "text, word",
    [
        ("l<=4", "by >=.*write l>=4"),
        ("t>=0.2", "by <=.*write t<=0.2"),
        ("c<=4", "by <"),
        ("q>=4", "not a requirement"),
        ("l>=4/0", "not a requirement"),
        ("l>=1e9", "not a requirement"),
        ("t<=0", "above 0"),
        ("t<=5", "every release keeps it.*below 1.*5 % is t<=0.05"),
        ("tau<=1.7", "every release keeps it.*tau below 1"),
        ("tau[l=4]<=1", "every release keeps it"),
        ("alpha<=1", "every release keeps it"),
        ("prosecutor<=1", "every release keeps it"),
        ("k>=1", "every release keeps it.*k above 1.*for example k>=2"),
        ("l>=1/2", "every release keeps it"),
        ("c[l=0]<4", "whole number from 1"),
        ("c[m=3]<4", "no parameter m"),
        ("t[distance=far]<=0.1", "auto or equal"),
        ("entropy_l>=1/3", "4 decimal places"),
        ("c[l=3<4", "not a requirement"),
    ],
)
def test_refused(text, word):
    with pytest.raises(ParameterError, match=word):
        parse_requirements(text)


def report(folder, text, columns, require=""):
    (folder / "theirs.csv").write_text(text, encoding="utf-8")
    return voile.audit(folder / "theirs.csv", voile.Schema.of(columns), require)


def test_bounds_are_met_exactly(tmp_path):
    """1/3 is at most 1/3, and more than 0.3333."""
    text = "age,d\n1,a\n1,b\n1,c\n"
    columns = {"age": "qi", "d": "sa"}
    assert report(tmp_path, text, columns, "prosecutor<=1/3, entropy_l>=3, l>=3, alpha[k=3]<=1/3").ok
    failed = report(tmp_path, text, columns, "prosecutor<=0.3333, alpha[k=4]<=1/2")
    assert failed.failures == (
        "prosecutor risk: achieved 1/3, required <= 0.3333; 1 group of 1 with 3 rows above",
        "(alpha,k)-anonymity (k = 4): achieved infinite, required <= 0.5; 1 group of 1 with 3 rows above",
    )


@pytest.mark.slow
def test_infinite_figures_are_valid_json(tmp_path):
    _, spec = clinic(tmp_path)
    (tmp_path / "theirs.csv").write_text("age,zip,sex,disease\n1,a,f,flu\n2,a,f,HIV\n")
    found = command("audit", tmp_path / "theirs.csv", "-s", spec, "--json")
    assert json.loads(found.out, parse_constant=pytest.fail)["achieved"]["delta_disclosure"] == "infinite"
    said = command("audit", tmp_path / "theirs.csv", "-s", spec).out
    assert "infinite" in said and "smaller" in said


ROWS = "age,d\n1,{}\n1,{}\n2,{}\n2,{}\n"


def closeness(folder, cells, options):
    text = ROWS.format(*cells)
    return report(folder, text, {"age": "qi", "d": {"role": "sa", **options}}).achieved["t_closeness"].achieved


def test_an_audit_uses_the_order_of_a_column(tmp_path):
    """Neighbours on a line are nearer than its ends, however the rows are sorted."""
    ordered = Fraction(1, 2) * (Fraction(1, 3) + Fraction(2, 3))  # {a, b} against {a, b, c, d}
    for cells, options in (
        (["10", "9", "11.0", "100"], {"type": "decimal"}),
        (["2024-01-31", "2023-12-01", "2024-02-01", "2025-01-01"], {"type": "date"}),
        (["mid", "low", "high", "top"], {"type": "ordinal", "order": ["low", "mid", "high", "top"]}),
    ):
        assert closeness(tmp_path, cells, options) == Fraction(1, 3)
    assert closeness(tmp_path, ["10", "9", "11", '"[50, 99]"'], {"type": "integer"}) == ordered  # equal distance


def test_an_audit_uses_the_tree_of_a_column(tmp_path):
    lines = [["flu", "lung", "*"], ["asthma", "lung", "*"], ["ulcer", "gut", "*"], ["gastritis", "gut", "*"]]
    tree = {"hierarchy": Hierarchy.from_lines(lines)}
    mixed, apart = ["flu", "ulcer", "asthma", "gastritis"], ["flu", "asthma", "ulcer", "gastritis"]
    assert closeness(tmp_path, mixed, tree) == Fraction(1, 4)
    assert closeness(tmp_path, apart, tree) == Fraction(1, 2)
    assert closeness(tmp_path, mixed, {}) == Fraction(1, 2)
    generalised = ["flu", "gut", "asthma", "gastritis"]  # gut counts half for each of the values under it
    assert closeness(tmp_path, generalised, tree) == Fraction(3, 16)


def test_the_audit_finds_what_the_certificate_says(tmp_path):
    """Every model, with two meanings of a sensitive column: figures of the table and of its bytes agree."""
    table, spec = clinic(tmp_path)
    (tmp_path / "disease.csv").write_text("flu;lung;*\nasthma;lung;*\nulcer;gut;*\nHIV;blood;*\ngout;blood;*\n")
    for option in ("", ', hierarchy = "disease.csv"'):
        spec.write_text(spec.read_text().replace('role = "sa"', f'role = "sa"{option}'))
        release = voile.anonymize(voile.read(table, spec), "bsgi", l=3)
        release.write(tmp_path / f"out{len(option)}")
        found = voile.audit(tmp_path / f"out{len(option)}", spec)
        assert found.ok
        assert {key: v.shown() for key, v in found.achieved.items()} == release.certificate["checks"]


def test_certificates_of_models_with_several_parameters(tmp_path):
    """A promise is read back as it was written; one that is not the model's is damage."""
    table, spec = clinic(tmp_path)
    voile.anonymize(voile.read(table, spec), "bsgi", l=3).write(tmp_path / "out")
    path = tmp_path / "out" / "certificate.json"
    document = json.loads(path.read_text())
    for model, parameters, outcome in (
        ("t_closeness", {"t": "9/10", "distance": "equal"}, ()),
        ("recursive_cl_diversity", {"c": 1, "l": 2}, ()),
        ("t_closeness", {"t": "1/100", "distance": "equal"}, ("t-closeness (distance = equal): achieved",)),
        ("t_closeness", {"distance": "equal"}, ("the certificate is damaged",)),
        ("t_closeness", {"t": None}, ("the certificate is damaged",)),
        ("t_closeness", [0.1], ("the certificate is damaged",)),
        ("t_closeness", None, ("the certificate is damaged",)),
    ):
        document["promise"] = {"model": model, "parameters": parameters}
        path.write_text(json.dumps(document))
        failures = voile.audit(tmp_path / "out", spec).failures
        assert len(failures) == len(outcome)
        assert all(found.startswith(start) for found, start in zip(failures, outcome, strict=True))


def test_an_algorithm_passes_on_what_it_has():
    algorithm = catalog.algorithm("bsgi").configure({"l": 3})
    assert promise_of(algorithm).settings() == {"l": 3}


def test_infinity_is_shown_in_words():
    from voile.core.verdict import Verdict

    assert Verdict(False, math.inf, 0).shown() == "infinite"
    assert Verdict(True, None, None).shown() is None
    assert Verdict(True, Fraction(1, 3), 0).shown() == 0.3333
