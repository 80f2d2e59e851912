"""Two tables that do not fit each other are refused, without a word of what they hold."""

import polars as pl
import pytest

import voile
from tests.algorithms.test_anatomy import CLINIC, SPEC
from voile.errors import InputError, SpecError, VoileError

ROWS = CLINIC.height


@pytest.fixture(params=["csv", "parquet"])
def folder(request, tmp_path):
    release = voile.anonymize(voile.read(CLINIC, SPEC), "anatomy", l=2)
    release.write(tmp_path / "out", request.param)
    return tmp_path / "out"


def tampered(folder, name, change):
    path = next(folder.glob(f"{name}.*"))
    if path.suffix == ".csv":
        change(pl.read_csv(path, infer_schema_length=0)).write_csv(path)
    else:
        change(pl.read_parquet(path)).write_parquet(path)


def test_files_and_modes(folder):
    names = {path.name for path in folder.iterdir()}
    kind = next(folder.glob("data.*")).suffix
    assert names == {f"data{kind}", f"sensitive{kind}", "certificate.json", "private"} | (
        names & {"report.html", "dictionary.md", "dictionary.json"}
    )
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in folder.iterdir() if path.is_file())
    report = voile.audit(folder, SPEC)
    assert report.ok and report.digest_matches and report.in_two_tables
    assert report.rows == ROWS and report.groups == ROWS // 2
    assert report.document()["published"] == "two tables"


def cast(frame, name, expression):
    return frame.with_columns(expression.cast(frame[name].dtype).alias(name))


CHANGES = {
    "a group that the data lacks": ("sensitive", lambda f: cast(f, "group", pl.lit(99))),
    "a group without values": ("sensitive", lambda f: f.filter(pl.col("group").cast(pl.Int64) > 1)),
    "a group without rows": ("data", lambda f: f.filter(pl.col("group").cast(pl.Int64) > 1)),
    "a row less": ("data", lambda f: f.head(f.height - 1)),
    "a value twice": ("sensitive", lambda f: pl.concat([f, f.head(1)])),
    "counts that are too large": ("sensitive", lambda f: cast(f, "count", pl.lit(2))),
    "huge counts": ("sensitive", lambda f: cast(f, "count", pl.lit(4_000_000_000))),
    "zero": ("sensitive", lambda f: cast(f, "count", pl.lit(0))),
    "negative": (
        "sensitive",
        lambda f: f.with_columns(count=pl.lit(-1) if f["count"].dtype != pl.String else pl.lit("-1")),
    ),
    "words": ("sensitive", lambda f: f.with_columns(count=pl.lit("one"))),
    "no count": ("sensitive", lambda f: f.with_columns(count=pl.lit(None, dtype=f["count"].dtype))),
    "a fourth column": ("sensitive", lambda f: f.with_columns(age=pl.lit("31"))),
    "no values": ("sensitive", lambda f: f.drop("disease")),
    "no groups": ("data", lambda f: f.drop("group")),
    "values beside the rows": ("data", lambda f: f.with_columns(disease=pl.lit("flu"))),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CHANGES)
def test_what_does_not_fit_is_refused(folder, name):
    which, change = CHANGES[name]
    tampered(folder, which, change)
    for ask in (lambda: voile.audit(folder, SPEC), lambda: voile.estimate(folder, "age > 30 and disease = 'flu'")):
        with pytest.raises(VoileError) as refused:
            ask()
        words = str(refused.value)
        assert not any(value in words for value in CLINIC["disease"].unique().to_list())
        assert refused.value.__context__ is None


def test_a_changed_value_is_seen_by_the_digest(folder):
    tampered(folder, "sensitive", lambda f: f.with_columns(disease=pl.lit("flu")))
    report = voile.audit(folder, SPEC)
    assert report.digest_matches is False
    assert any("frequency l-diversity" in line for line in report.failures)


def test_a_table_that_is_gone_is_missed(folder):
    next(folder.glob("sensitive.*")).unlink()
    with pytest.raises(InputError, match="cannot be read"):
        voile.audit(folder, SPEC)


def test_a_second_table_beside_one_that_has_all(tmp_path):
    voile.anonymize(voile.read(CLINIC, SPEC), l=2).write(tmp_path / "out")
    (tmp_path / "out" / "sensitive.csv").write_text("group,disease,count\n1,flu,8\n")
    report = voile.audit(tmp_path / "out", SPEC)
    assert report.digest_matches is False and not report.ok


def test_two_tables_of_somebody_else(folder):
    """Without a certificate the same figures are found; alone, the rows say what is missing."""
    (folder / "certificate.json").unlink()
    report = voile.audit(folder, SPEC)
    assert report.in_two_tables and report.achieved["frequency_l_diversity"].achieved == 2
    alone = folder.parent / next(folder.glob("data.*")).name
    next(folder.glob("data.*")).rename(alone)
    with pytest.raises(SpecError, match="no column disease"):
        voile.audit(alone, SPEC)


def test_models_that_count_people_count_who_looks_alike(tmp_path):
    """Twins are in no larger a crowd for being in groups of three."""
    source = pl.DataFrame({"age": [30, 30, 41, 52, 52, 52], "sex": ["F"] * 6, "disease": list("abcabc")})
    voile.anonymize(voile.read(source, SPEC), "anatomy", l=3).write(tmp_path / "out")
    report = voile.audit(tmp_path / "out", SPEC, "k>=2, l>=3")
    figures = {key: verdict.achieved for key, verdict in report.achieved.items()}
    assert figures["k_anonymity"] == 1 and figures["prosecutor_risk"] == 1
    assert figures["marketer_risk"] == pytest.approx(3 / 6)
    assert figures["frequency_l_diversity"] == 3
    assert report.failures == (
        "k-anonymity: achieved 1, required >= 2; 1 set of rows that look alike with 1 row below",
    )
    strict = voile.audit(tmp_path / "out", SPEC, "alpha[k=2]<=1/3")
    assert not strict.ok


def test_values_that_spreadsheets_run_come_back(tmp_path):
    source = CLINIC.with_columns(disease=pl.col("disease").replace("flu", "=flu"), sex=pl.lit("+M"))
    voile.anonymize(voile.read(source, SPEC), "anatomy", l=2).write(tmp_path / "out")
    assert "'=flu" in (tmp_path / "out" / "sensitive.csv").read_text()
    assert voile.audit(tmp_path / "out", SPEC).ok
    assert voile.estimate(tmp_path / "out", "disease = '=flu' and sex = '+M'").count == 2
