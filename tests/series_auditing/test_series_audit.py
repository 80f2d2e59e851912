"""The audit of a series: the paper's example, series without a memory as control, and what must be refused."""

from fractions import Fraction

import polars as pl
import pytest

import voile
from tests.series_auditing.series import (
    COLUMNS,
    RICH,
    add_certificate,
    churning_tables,
    paper_series,
    published,
    rich_table,
)
from voile.series_auditing import audit_series


def test_tables_1b_and_2b_tell_four_persons(tmp_path, m_invariance_cases):
    """Bob and David by candidate sets; with Alice and Andy, four by counting."""
    folders, known = paper_series(tmp_path, m_invariance_cases, "T*2_table2b")
    report = audit_series(folders, COLUMNS, known, require_m=2)
    assert (report.told, report.right, report.below, report.none_left, report.changed) == (2, 2, 2, 0, 0)
    assert report.exact.certain == 4 and report.exact.highest == 1
    assert report.exact.counted == report.persons == 16 and report.exact.impossible == 0
    assert report.pairs == ((0, 2), (0, 0))
    assert [(r.m, r.groups, r.told, r.newly_told) for r in report.releases] == [(2, 5, 0, 0), (2, 5, 2, 2)]
    assert report.failures == ("2 persons of 16 with fewer than 2 values left (fewest 1)",)


def test_tables_1b_and_3a_tell_nobody(tmp_path, m_invariance_cases):
    folders, known = paper_series(tmp_path, m_invariance_cases, "T*2_table3a")
    report = audit_series(folders, COLUMNS, known, require="m>=2, k>=2")
    assert report.ok and report.told == 0 and report.below == 0
    assert report.exact.certain == 0 and report.exact.highest == Fraction(1, 2)
    assert report.releases[1].counterfeits == 2 and report.releases[1].rows == 13
    assert report.releases[1].old_signatures == report.releases[1].signatures == 4
    assert report.document()["exact_risk"]["highest"] == "1/2"


def test_without_tables_it_says_what_it_cannot(tmp_path, m_invariance_cases):
    folders, _ = paper_series(tmp_path, m_invariance_cases, "T*2_table2b")
    without_subject = {name: role for name, role in COLUMNS.items() if name != "name"}
    report = audit_series(folders, without_subject)
    assert report.ok and report.persons is None and report.exact is None
    assert "--known" in report.notes[-1]
    assert report.releases[1].signatures == 3 and report.releases[1].old_signatures == 3
    assert not audit_series(folders, without_subject, require_m=3).ok


def series_entry(number, **other):
    entry = {
        "ledger": "ab",
        "release": number,
        "after": number - 1,
        "record": f"0{number}",
        "previous": f"f{number}",
        "m": 2,
    }
    return entry | other


def test_certificates_of_a_series(tmp_path, m_invariance_cases):
    """The promise is judged, and the chain: in order, from one ledger."""
    folders, known = paper_series(tmp_path, m_invariance_cases, "T*2_table3a")
    for number, folder in enumerate(folders, 1):
        add_certificate(folder, series_entry(number))
    report = audit_series(folders, COLUMNS, known)
    assert report.ok and report.m == 2, report.failures
    assert "at least 2 values are left for everybody, required >= 2" in report.met
    turned = audit_series(folders[::-1], COLUMNS)
    assert turned.failures == ("r1: release 1 after release 2: out of order",)
    add_certificate(folders[1], series_entry(2, ledger="cd"))
    assert "another ledger" in audit_series(folders, COLUMNS).failures[0]
    add_certificate(folders[1], series_entry(2, record=5))
    assert "says too little" in audit_series(folders, COLUMNS).failures[0]
    (folders[1] / "certificate.json").unlink()
    assert "not of a series" in audit_series(folders, COLUMNS).failures[0]


def test_a_broken_promise_of_a_series(tmp_path, m_invariance_cases):
    folders, known = paper_series(tmp_path, m_invariance_cases, "T*2_table2b")
    for number, folder in enumerate(folders, 1):
        add_certificate(folder, series_entry(number))
    report = audit_series(folders, COLUMNS, known)
    assert not report.ok and "fewer than 2 values left" in report.failures[0]


def test_a_table_with_others_than_the_release_is_noticed(tmp_path, m_invariance_cases):
    folders, known = paper_series(tmp_path, m_invariance_cases, "T*2_table3a")
    stranger = pl.DataFrame([("Zoe", 90, 90000, "flu")], schema=list(COLUMNS), orient="row")
    report = audit_series(folders, COLUMNS, [known[0], pl.concat([known[1], stranger])])
    assert report.none_left == 1 and report.exact.impossible >= 1
    assert "11 rows of persons published, 12 in its table" in report.notes[0]


def test_changed_values_are_said(tmp_path, m_invariance_cases):
    folders, known = paper_series(tmp_path, m_invariance_cases, "T*2_table2b")
    ill = known[1].with_columns(
        disease=pl.when(pl.col("name") == "Bob").then(pl.lit("gastritis")).otherwise("disease")
    )
    report = audit_series(folders, COLUMNS, [known[0], ill])
    assert report.changed == 1 and report.told == report.right == 2
    assert "believes that values last" in report.notes[-1]


def test_what_is_refused(tmp_path, m_invariance_cases):
    folders, known = paper_series(tmp_path, m_invariance_cases, "T*2_table2b")
    with pytest.raises(voile.VoileError, match="1 table for 2 releases"):
        audit_series(folders, COLUMNS, known[:1])
    with pytest.raises(voile.VoileError, match=r"no subject column.*role = \"subject\""):
        audit_series(folders, {n: r for n, r in COLUMNS.items() if n != "name"}, known)
    with pytest.raises(voile.VoileError, match="1 row too many for the persons"):
        audit_series(folders, COLUMNS, [pl.concat([known[0], known[0][:1]]), known[1]])
    with pytest.raises(voile.VoileError, match="2 sensitive columns"):
        audit_series(folders, {**COLUMNS, "zip": "sensitive"}, known)


def test_rows_that_are_dropped_are_nobody(tmp_path, m_invariance_cases):
    """Without a name: refused, or dropped where the spec says so; then nobody counts them."""
    folders, known = paper_series(tmp_path, m_invariance_cases, "T*2_table3a")
    nameless = pl.DataFrame([(None, 90, 90000, "flu")], schema=known[0].schema, orient="row")
    tables = [known[0], pl.concat([known[1], nameless])]
    with pytest.raises(voile.VoileError, match="missing values: 1 in name"):
        audit_series(folders, COLUMNS, tables)
    lenient = {**COLUMNS, "name": {"role": "subject", "missing": "drop-row"}}
    report = audit_series(folders, lenient, tables, require_m=2)
    assert report.ok and report.persons == 16
    ageless = pl.DataFrame([("Zoe", None, 90000, "flu")], schema=known[0].schema, orient="row")
    lenient["age"] = {"role": "qi", "type": "integer", "missing": "drop-row"}
    report = audit_series(folders, lenient, [known[0], pl.concat([known[1], ageless])], require_m=2)
    assert report.ok and report.persons == 16 and report.none_left == 0


def test_numbers_of_persons_may_be_numbers(tmp_path, m_invariance_cases):
    """7 in a data frame and 7 in a file are one person."""
    folders, known = paper_series(tmp_path, m_invariance_cases, "T*2_table2b")
    names = sorted(m_invariance_cases["T1"] | m_invariance_cases["T2"])
    first, second = (
        t.with_columns(name=pl.col("name").replace_strict({n: i for i, n in enumerate(names)})) for t in known
    )
    second.write_csv(tmp_path / "t2.csv")
    report = audit_series(folders, COLUMNS, [first, tmp_path / "t2.csv"])
    assert report.told == report.right == 2 and report.persons == 16


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["elig", "rda"])
@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_every_kind_of_column_covers_its_own(tmp_path, algorithm, format):
    """Everybody is inside the box of the own group: what is left holds the truth, nobody has nothing."""
    tables = [rich_table(120, 1), rich_table(120, 1)[20:110]]
    folders = []
    for number, table in enumerate(tables):
        folders.append(tmp_path / f"r{number}")
        voile.anonymize(voile.read(table, RICH), algorithm, l=4).write(folders[-1], format)
    report = audit_series(folders, RICH, tables)
    assert report.none_left == 0 and report.right == report.told
    assert report.exact is None or report.exact.impossible == 0
    if algorithm == "elig":  # the control: boxes are tight enough to tell many
        assert report.told > 3


@pytest.mark.slow
@pytest.mark.parametrize(("ell", "share"), [(2, 0.1), (4, 0.005)])
def test_independent_releases_tell_many(tmp_path, ell, share):
    """The positive control: tables that change by a tenth, each l-diverse, published without a memory."""
    tables, columns = churning_tables(20_000, 4, seed=2)
    report = audit_series(published(tmp_path, tables, columns, "bsgi", l=ell), columns, tables, require_m=ell)
    assert not report.ok
    assert report.told == report.right > share * report.persons
    assert report.below >= report.told and report.none_left == 0
    assert [r.told for r in report.releases] == sorted(r.told for r in report.releases)
    assert sum(sum(row) for row in report.pairs) == report.told
