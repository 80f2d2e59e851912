"""Mistakes of other tools (docs/facts/peers.md) that must be impossible here, by the public way in."""

import json

import pytest

import voile
from tests.command_line import SPEC, clinic
from tests.command_line import voile as command
from voile.errors import HierarchyError, Infeasible, InputError, SpecError


def audited(folder, text, columns, require=""):
    (folder / "theirs.csv").write_text(text, encoding="utf-8")
    return voile.audit(folder / "theirs.csv", voile.Schema.of(columns), require)


def figure(report, key):
    return report.achieved[key].achieved


def test_no_row_numbers_in_a_release(tmp_path):
    """anjana adds the original row number whenever it suppresses."""
    table, spec = clinic(tmp_path)
    table.write_text(table.read_text() + "".join(f"Extra{i},60,01000,f,flu\n" for i in range(30)))
    release = voile.anonymize(voile.read(table, spec), "bsgi", l=3, ineligible="suppress")
    assert release.certificate["table"]["suppressed"] > 0
    assert release.frame.columns == ["group", "age", "zip", "sex", "disease"]
    numbers = release.frame["group"].to_list()
    assert numbers == sorted(numbers)  # numbered by content, not by place in the source


def test_the_infeasible_is_refused_not_empty(tmp_path):
    """anjana prints a line and returns an empty frame."""
    table, spec = clinic(tmp_path)
    with pytest.raises(Infeasible, match="largest possible"):
        voile.anonymize(voile.read(table, spec), "bsgi", l=30)


def test_t_is_not_ignored(tmp_path):
    """AnonyPy's t-closeness ignores t."""
    text = "age,d\n" + "1,flu\n" * 4 + "2,HIV\n" * 4
    assert not audited(tmp_path, text, {"age": "qi", "d": "sa"}, "t<=0.4").ok
    assert audited(tmp_path, text, {"age": "qi", "d": "sa"}, "t<=0.5").ok


def test_spellings_are_one_value(tmp_path):
    """pyCANON counts `HIV`, `HIV ` and `hiv` as three values."""
    text = "age,d\n1,HIV\n1,HIV \n1,hiv\n"
    with pytest.raises(SpecError, match="only in case"):
        audited(tmp_path, text, {"age": "qi", "d": "sa"})
    merged = audited(tmp_path, text, {"age": "qi", "d": {"role": "sa", "casefold": True}})
    assert figure(merged, "distinct_l_diversity") == 1
    assert figure(merged, "frequency_l_diversity") == 1


def test_ten_rows_of_one_person(tmp_path):
    """pyCANON says k = 10."""
    text = "who,age,d\n" + "".join(f"P{'' if i % 2 else ' '},1,v{i}\n" for i in range(10))
    report = audited(tmp_path, text, {"who": "subject", "age": "qi", "d": "sa"})
    assert figure(report, "k_anonymity") == 1
    assert figure(report, "frequency_l_diversity") == 1
    assert report.rows == 10
    assert report.failures == ("identifying column who is published",)
    text = "who,age,d\n" + "".join(f"P{i},1,v{i}\n" for i in range(10))  # positive control
    assert figure(audited(tmp_path, text, {"who": "subject", "age": "qi", "d": "sa"}), "k_anonymity") == 10
    with pytest.raises(InputError, match="row 2: rows without a person"):
        audited(tmp_path, "who,age,d\nP1,1,a\n,1,b\n", {"who": "subject", "age": "qi", "d": "sa"})


@pytest.mark.slow
def test_a_hierarchy_that_lacks_a_value(tmp_path):
    """ARX #283: anonymisation fails silently."""
    table, spec = clinic(tmp_path)
    (tmp_path / "zip.csv").write_text("01000;01***;*\n02000;02***;*\n02100;02***;*\n")
    with pytest.raises(HierarchyError, match="10 rows with a value not in the hierarchy") as refusal:
        voile.read(table, spec)
    assert "01100" not in str(refusal.value)
    refused = command("anonymize", table, "-s", spec, "-p", "l=2", "-o", tmp_path / "out")
    assert refused.code == 2
    assert not (tmp_path / "out").exists()


def test_suppressed_rows_are_no_class(tmp_path):
    """ARX #259: `*` rows count as a class when a release is read back."""
    columns = {"age": "qi", "d": "sa"}
    report = audited(tmp_path, "age,d\n1,a\n1,b\n1,c\n*,*\n", columns)
    assert (figure(report, "k_anonymity"), report.groups, report.suppressed) == (3, 1, 1)
    many = audited(tmp_path, "age,d\n1,a\n" + "*,*\n" * 9, columns)
    assert figure(many, "k_anonymity") == 1
    assert figure(many, "marketer_risk") == 1


def test_missing_values_are_one_value_at_most(tmp_path):
    """sdcMicro #363: l-diversity wrong with missing values."""
    cells, value = "age,d\n1,flu\n1,\n1,\n", {"role": "sa", "missing": "category"}
    report = audited(tmp_path, cells, {"age": "qi", "d": value})
    assert figure(report, "distinct_l_diversity") == 2
    assert float(figure(report, "frequency_l_diversity")) == 1.5
    report = audited(tmp_path, cells, {"age": "qi", "d": "sa"})  # unless nobody says so: they may be flu
    assert figure(report, "distinct_l_diversity") == figure(report, "frequency_l_diversity") == 1


@pytest.mark.slow
def test_missing_as_a_category_stays_k_anonymous(tmp_path):
    """sdcMicro #225: output is not k-anonymous when missing counts as a category."""
    table, _ = clinic(tmp_path)
    spec = tmp_path / "s.toml"
    spec.write_text(SPEC.replace('sex = { role = "qi" }', 'sex = { role = "qi", missing = "category" }'))
    table.write_text(table.read_text().replace(",f,", ",,", 7))
    with pytest.raises(InputError, match="missing values"):  # undecided: refused
        voile.read(table, voile.Schema.of({"name": "id", "age": "qi", "zip": "qi", "sex": "qi", "disease": "sa"}))
    out = tmp_path / "out"
    assert command("anonymize", table, "-s", spec, "-p", "l=4", "-o", out).code == 0
    found = command("audit", out, "-s", spec, "--require", "k>=4, l>=4, prosecutor<=1/4", "--json")
    assert found.code == 0, found.out
    assert json.loads(found.out)["achieved"]["k_anonymity"] >= 4


def test_an_undeclared_column_is_an_error(tmp_path):
    """PyARXaaS #29: it silently becomes quasi-identifying."""
    table, _ = clinic(tmp_path)
    spec = tmp_path / "s.toml"
    spec.write_text(SPEC.replace('sex = { role = "qi" }\n', ""))
    with pytest.raises(SpecError, match="1 column not declared, the first is column 4 of 5"):
        voile.read(table, spec)
