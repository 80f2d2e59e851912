"""Certificates and records that anybody may have written: a report draws, or refuses in words, and never fails."""

import copy
import json

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import voile
from tests.command_line import clinic
from tests.command_line import voile as command
from tests.nights import examples
from voile.core.bags import Bag
from voile.core.parameters import in_decimals
from voile.errors import ParameterError, VoileError
from voile.models.k_anonymity import KAnonymity
from voile.requirements import parse_requirements

ODD = [
    *(float("nan"), float("inf"), -float("inf"), 1e-320, 10**400, 10**15 - 1, 10**15, -1, 2.5, True, None),
    *("x", "", "1e999999999", "999999999999999", "\ud800", "[/]", "<script>", [], {}, [[]], [None]),
    {"a": float("nan")},
]
JOBS = ["private"] * 14 + ["state", "state", "federal", "self", "self", "none"]
TREE = "private;private;*\nstate;gov;*\nfederal;gov;*\nself;other;*\nnone;other;*\n"


def places(node, at=()):
    """The way to every part of a document; of long lists the first three."""
    parts = node.items() if isinstance(node, dict) else enumerate(node[:3]) if isinstance(node, list) else ()
    return [at, *(way for key, part in parts for way in places(part, (*at, key)))]


def changed(document, way, value):
    """A copy with another value in one place."""
    if not way:
        return value
    document = copy.deepcopy(document)
    node = document
    for key in way[:-1]:
        node = node[key]
    node[way[-1]] = value
    return document


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    """A folder with generalised sensitive values, so that its certificate has every part."""
    folder = tmp_path_factory.mktemp("strange")
    (folder / "job.csv").write_text(TREE)
    spec = {"age": {"role": "qi", "type": "integer"}}
    spec["job"] = {"role": "sa", "hierarchy": str(folder / "job.csv")}
    rows = {"age": [20 + i * 7 % 40 for i in range(200)], "job": [JOBS[i % 20] for i in range(200)]}
    pl.DataFrame(rows).write_csv(folder / "t.csv")
    measured = {"tau": "0.5", "l": 3, "measure": "qwe_median[queries=20]", "with_report": True}
    voile.publish(folder / "t.csv", spec, "sweep", folder / "out", **measured)
    return folder, spec


def reported(release, name, document, **options):
    folder, spec = release
    path, page = folder / "out" / name, folder / "page.html"
    sound = path.read_text()
    path.write_text(json.dumps(document))
    page.unlink(missing_ok=True)
    try:
        voile.report(folder / "out", spec, page, **options)
        return page.read_text()
    except VoileError as error:
        return str(error)
    finally:
        path.write_text(sound)


@pytest.mark.slow
@settings(max_examples=examples(80, 500))
@given(st.data())
def test_no_certificate_makes_a_report_fail(release, data):
    sound = json.loads((release[0] / "out" / "certificate.json").read_text())
    way, value = data.draw(st.sampled_from(places(sound))), data.draw(st.sampled_from(ODD))
    text = reported(release, "certificate.json", changed(sound, way, value))
    assert text and "<script" not in text


@pytest.mark.slow
@settings(max_examples=examples(50, 300))
@given(st.data())
def test_no_record_makes_the_stewards_report_fail(release, data):
    sound = json.loads((release[0] / "out" / "private" / "record.json").read_text())
    way, value = data.draw(st.sampled_from(places(sound))), data.draw(st.sampled_from(ODD))
    document = changed(sound, way, value)
    text = reported(release, "private/record.json", document, source=release[0] / "t.csv")
    assert text and "<script" not in text


@pytest.mark.slow
def test_a_sound_certificate_is_drawn(release):
    """Control: what the tests above change makes a page, with its loss in it."""
    sound = json.loads((release[0] / "out" / "certificate.json").read_text())
    text = reported(release, "certificate.json", sound)
    assert "Everything promised and required is met" in text and "Detail lost" in text
    assert len(places(sound)) > 100


@pytest.mark.slow
@pytest.mark.parametrize("loss", ["NaN", "1e999", "-1e999", "1" * 400, '"much"', "true", "[" * 600 + "]" * 600])
def test_a_loss_that_is_none(tmp_path, loss):
    """As a foreign certificate may say it; really drawn, and by the command."""
    table, spec = clinic(tmp_path)
    voile.publish(table, spec, "elig", tmp_path / "out", l=2)
    path = tmp_path / "out" / "certificate.json"
    document = json.loads(path.read_text())
    kept = [entry["loss"] for entry in document["table"]["columns"] if "loss" in entry][1:]
    document["table"]["columns"][0]["loss"] = document["utility"]["gcp_leaves"] = "HERE"
    path.write_text(json.dumps(document).replace('"HERE"', loss))
    done = command("report", tmp_path / "out", "-s", spec, "-o", tmp_path / "page.html")
    assert done.code == 0 and "defect" not in done.err, done.err
    text = (tmp_path / "page.html").read_text()
    assert f"{100 * kept[0]:.3g}"[:3] in text, "control: sound losses are still drawn"


def test_numbers_beyond_arithmetic():
    """A promise of 10**400 values is none; one of 10**14 is counted without ruling out so many."""
    with pytest.raises(ParameterError):
        KAnonymity.configure({"k": 10**400})
    assert in_decimals(parse_requirements("k>=100000000000000")[0].threshold()) == "100000000000000"
    bag = Bag.of(pl.Series([0, 0, 1]).to_numpy(), pl.Series([5, 2, 2]).to_numpy(), 2)
    assert bag.largest(10**14).tolist() == [2, 1]
