"""What a newcomer stumbled over, and a reviewer found: each once, as a regression."""

import json
import os

import numpy as np
import polars as pl
import pytest

import voile
from tests.command_line import clinic
from tests.command_line import voile as command
from voile.cli.main import run

pytestmark = pytest.mark.slow  # of processes, or of many worlds

COLUMNS = {"age": {"role": "qi", "type": "integer"}, "disease": "sensitive"}


def frame(n=60):
    return pl.DataFrame({"age": [20 + i % 37 for i in range(n)], "disease": [f"d{i % 6}" for i in range(n)]})


def test_an_exported_hierarchy_serves_though_rows_are_dropped(tmp_path):
    """Values that occur only in dropped rows need no line."""
    rows = "".join(f"{1960 + i}-03-0{1 + i % 9},{'' if i % 10 == 0 else 'abcd'[i % 4]}\n" for i in range(40))
    (tmp_path / "t.csv").write_text("born,disease\n" + rows)
    spec = """[columns]
born = {{ role = "qi", type = "date", hierarchy = {} }}
disease = {{ role = "sensitive", missing = "drop-row" }}
"""
    (tmp_path / "s.toml").write_text(spec.format('{ dates = ["month", "year"] }'))
    arguments = [str(tmp_path / "t.csv"), "-s", str(tmp_path / "s.toml")]
    assert run(["hierarchy", *arguments, "-c", "born", "-o", str(tmp_path / "born.csv")]) == 0
    (tmp_path / "s.toml").write_text(spec.format('"born.csv"'))
    assert run(["anonymize", *arguments, "-p", "l=2", "-o", str(tmp_path / "out")]) == 0


def test_a_mapping_is_a_spec_everywhere(tmp_path):
    voile.anonymize(voile.read(frame(), COLUMNS), l=3).write(tmp_path / "out")
    report = voile.audit(tmp_path / "out", COLUMNS, require="l>=3")
    assert report.ok
    assert report.met == (
        "frequency l-diversity: achieved 3, required >= 3",
        "frequency l-diversity: achieved 3, required >= 3",
        "--against algorithm: frequency l-diversity, l = 3, is certified for algorithm, marginal",
    )


def test_a_frame_must_be_read_first():
    with pytest.raises(voile.VoileError, match="read it first"):
        voile.anonymize(frame(), l=2)
    import pandas as pd

    found = voile.inspect(pd.DataFrame(frame().to_dict(as_series=False)))
    assert [p.role.value for p in found.columns] == ["quasi-identifying", "sensitive"]


def test_requirements_are_answered_one_by_one(tmp_path):
    table, spec = clinic(tmp_path)
    command("anonymize", table, "-s", spec, "-p", "l=5", "-o", tmp_path / "out")
    done = command("audit", tmp_path / "out", "-s", spec, "--require", "c[l=3]<4, t[distance=equal]<=0.9, l>=9")
    assert done.code == 1
    assert "met: recursive (c,l)-diversity (l = 3): achieved 0.3333, required < 4" in done.out
    assert "met: t-closeness (distance = equal): achieved 0, required <= 0.9" in done.out
    assert "not met: frequency l-diversity: achieved 5, required >= 9" in done.out


def test_persons_with_several_rows_are_named_in_the_certificate(tmp_path):
    rows = frame().with_row_index("person").with_columns(pl.col("person") // 2)
    table = voile.read(rows, {"person": "subject", **COLUMNS})
    document = voile.anonymize(table, l=3).certificate
    assert any("one person's" in limit for limit in document["adversary"]["not_promised"])
    plain = voile.anonymize(voile.read(frame(), COLUMNS), l=3).certificate
    assert not any("one person's" in limit for limit in plain["adversary"]["not_promised"])
    constant = rows.with_columns(pl.col("person").mod(7).cast(pl.String).alias("disease"))
    warned = voile.inspect(constant.rename({"person": "patient id"})).warnings
    assert any("publish one row per person" in warning for warning in warned)
    assert not any("publish one row per person" in w for w in voile.inspect(frame()).warnings)


def test_loss_is_told_by_column(tmp_path):
    """One column of stars must not hide behind the others."""
    rng = np.random.default_rng(0)
    rows = frame(200).with_columns(code=pl.Series([f"c{i % 100}" for i in rng.permutation(200)]))
    rows.write_csv(tmp_path / "t.csv")
    (tmp_path / "s.toml").write_text(
        '[columns]\nage = { role = "qi", type = "integer" }\ncode = { role = "qi" }\ndisease = "sensitive"\n'
    )
    done = command("anonymize", tmp_path / "t.csv", "-s", tmp_path / "s.toml", "-p", "l=3", "-o", tmp_path / "out")
    assert done.code == 0, done.err
    assert "hardly anything is left of code" in " ".join(done.out.replace("\u2502", " ").split())
    document = json.loads((tmp_path / "out" / "certificate.json").read_text())
    losses = {c["name"]: c.get("loss") for c in document["table"]["columns"]}
    assert losses["code"] == 1 and losses["age"] < 0.1 and losses["disease"] is None


def test_a_workbook_is_not_taken_for_latin(tmp_path, capsys):
    (tmp_path / "t.xlsx").write_bytes(b"PK\x03\x04" + os.urandom(50))
    assert run(["inspect", str(tmp_path / "t.xlsx")]) == 2
    assert "save it as CSV" in capsys.readouterr().err


@pytest.mark.parametrize("end", ["\n", "\n\n\n", "", "\r\n\r\n"])
def test_empty_lines_at_the_end_are_nobody(tmp_path, end):
    line = "\r\n" if "\r" in end else "\n"
    (tmp_path / "t.csv").write_bytes((line.join(["age,disease", "30,flu", "40,gout"]) + end).encode())
    assert voile.read(tmp_path / "t.csv", COLUMNS).n == 2


def test_a_parameter_is_given_once(tmp_path, capsys):
    table, spec = clinic(tmp_path)
    assert (
        run(["anonymize", str(table), "-s", str(spec), "-p", "l=3", "-p", "l=4", "-o", str(tmp_path / "o")]) == 2
    )
    assert "given twice" in capsys.readouterr().err


def test_single_precision_is_read_as_written():
    rows = pl.DataFrame({"x": pl.Series([0.1, 2.5, 0.1, 7.25], dtype=pl.Float32), "d": list("abab")})
    table = voile.read(rows, {"x": {"role": "qi", "type": "decimal"}, "d": "sensitive"})
    assert table.quasi[0].domain.scale == 2


RECIPES = {
    "mask": ({"hierarchy": {"mask": 2}}, lambda i: f"{i * 37 % 900:03d}"),
    "intervals": ({"type": "integer", "hierarchy": {"intervals": [5, 10]}}, lambda i: str(20 + i * 7 % 40)),
    "dates": (
        {"type": "date", "hierarchy": {"dates": ["month", "year"]}},
        lambda i: f"2020-{1 + i % 12:02d}-{1 + i % 28:02d}",
    ),
    "groups": ({"type": "ordinal", "order": list("abcd"), "hierarchy": {"groups": [2]}}, lambda i: "abcd"[i % 4]),
}


@pytest.mark.parametrize("name", RECIPES)
def test_audit_and_certificate_agree_on_a_sensitive_tree(name, tmp_path):
    options, cell = RECIPES[name]
    rows = pl.DataFrame({"age": [i * 13 % 50 for i in range(60)], "s": [cell(i) for i in range(60)]})
    spec = {"age": {"role": "qi", "type": "integer"}, "s": {"role": "sensitive", **options}}
    release = voile.anonymize(voile.read(rows, spec), l=2)
    release.write(tmp_path / "out")
    audited = voile.audit(tmp_path / "out", spec)
    assert {key: verdict.shown() for key, verdict in audited.achieved.items()} == release.certificate["checks"]
