"""The commands as a person types them."""

import json

import polars as pl
import pytest

from tests.command_line import SPEC, clinic, left_behind, voile
from voile import catalog
from voile.cli.main import COMMANDS, run


def test_anonymize_then_audit(tmp_path):
    table, spec = clinic(tmp_path)
    done = voile("anonymize", table, "-s", spec, "-a", "bsgi", "-p", "l=5", "-o", tmp_path / "out")
    assert done.code == 0, done.err
    assert "unique distinct l-diversity, l = 5" in done.out
    assert "40 rows in 8 groups" in done.out
    audited = voile("audit", tmp_path / "out", "-s", spec, "--require", "l>=4, k>=5")
    assert audited.code == 0, audited.err
    assert "20.0%" in audited.out
    assert left_behind(tmp_path) == ["out"]


@pytest.mark.slow
def test_json_is_one_document(tmp_path):
    table, spec = clinic(tmp_path)
    done = voile("anonymize", table, "-s", spec, "-p", "l=auto", "-o", tmp_path / "out", "--json")
    assert json.loads(done.out)["certificate"]["promise"]["parameters"] == {"l": 5}
    audited = voile("audit", tmp_path / "out", "-s", spec, "--json")
    assert json.loads(audited.out)["achieved"]["unique_distinct_l_diversity"] == 5
    refused = voile("anonymize", table, "-s", spec, "-p", "l=6", "-o", tmp_path / "no", "--json")
    assert refused.code == 1
    assert json.loads(refused.out)["error"]["kind"] == "Infeasible"
    misused = voile("audit", "--json")
    assert misused.code == 2
    assert json.loads(misused.out)["error"]["kind"] == "Usage"


@pytest.mark.slow
def test_audit_of_a_table_we_did_not_make(tmp_path):
    """A k-anonymous table with a homogeneous group: k is fine, l is not (positive control)."""
    rows = [("20-29", "01***", "f", "flu")] * 4 + [
        ("30-39", "02***", "m", d) for d in ("flu", "gout", "HIV", "flu")
    ]
    pl.DataFrame(rows, schema=["age", "zip", "sex", "disease"], orient="row").write_csv(tmp_path / "theirs.csv")
    _, spec = clinic(tmp_path)
    found = voile("audit", tmp_path / "theirs.csv", "-s", spec, "--require", "k>=4", "--json")
    assert found.code == 0, found.err
    assert json.loads(found.out)["achieved"] == {
        "alpha_k_anonymity": 1,
        "beta_likeness": "infinite",
        "delta_disclosure": "infinite",
        "distinct_l_diversity": 1,
        "entropy_l_diversity": 1,
        "frequency_l_diversity": 1,
        "journalist_risk": 0.25,
        "k_anonymity": 4,
        "m_uniqueness": 0,
        "marketer_risk": 0.25,
        "prosecutor_risk": 0.25,
        "recursive_cl_diversity": "infinite",
        "t_closeness": 0.25,
        "tau_l_diversity": 1,
        "unique_distinct_l_diversity": 0,
    }
    failed = voile("audit", tmp_path / "theirs.csv", "-s", spec, "--require", "l>=2")
    assert failed.code == 1
    assert "achieved 1, required >= 2; 1 group of 2 with 4 rows below" in failed.out
    open_ended = voile("audit", tmp_path / "theirs.csv", "-s", spec)
    assert open_ended.code == 0
    assert "nothing was promised or required" in open_ended.out


def test_spellings_do_not_pass_for_diversity(tmp_path):
    """Fifty ways to write one value: achieved l stays 1. A naive counter would say 50."""
    invisible = ["", "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u200e", "\u202a", "\u2063"]
    spaces = ["", " ", "  ", "\t", "\u00a0"]
    variants = [f"{i}caf{e}{s}" for i in invisible[:5] for s in spaces for e in ("\u00e9", "e\u0301")]
    variants += [f"caf{i}\u00e9" for i in invisible[5:]]
    assert len(set(variants)) >= 50
    frame = pl.DataFrame({"age": ["*"] * len(variants), "zip": "*", "sex": "*", "disease": variants})
    frame.write_csv(tmp_path / "theirs.csv")
    _, spec = clinic(tmp_path)
    found = voile("audit", tmp_path / "theirs.csv", "-s", spec, "--json")
    assert json.loads(found.out)["achieved"]["distinct_l_diversity"] == 1, found.err


@pytest.mark.slow
def test_audit_of_suppressed_rows(tmp_path):
    """Rows of stars that show nothing are no group; with a visible value they are judged."""
    _, spec = clinic(tmp_path)
    head = "age,zip,sex,disease\n1,a,f,flu\n1,a,f,gout\n"
    for tail, k, suppressed in ("*,*,*,*\n", 2, 1), ("*,*,*,HIV\n", 1, 0):
        (tmp_path / "theirs.csv").write_text(head + tail, encoding="utf-8")
        found = json.loads(voile("audit", tmp_path / "theirs.csv", "-s", spec, "--json").out)
        assert (found["achieved"]["k_anonymity"], found["suppressed"]) == (k, suppressed)


@pytest.mark.slow
def test_audit_sees_a_changed_release(tmp_path):
    table, spec = clinic(tmp_path)
    voile("anonymize", table, "-s", spec, "-p", "l=3", "-o", tmp_path / "out")
    data = tmp_path / "out" / "data.csv"
    data.write_text(data.read_text().replace("flu", "gout", 1))
    found = voile("audit", tmp_path / "out", "-s", spec)
    assert found.code == 1
    assert "digest differs" in found.out


@pytest.mark.slow
@pytest.mark.parametrize("content", ["{", "[]", '{"promise": "x"}', '{"files": {}, "promise": {"model": "none"}}'])
def test_audit_refuses_a_damaged_certificate(tmp_path, content):
    table, spec = clinic(tmp_path)
    voile("anonymize", table, "-s", spec, "-p", "l=3", "-o", tmp_path / "out")
    (tmp_path / "out" / "certificate.json").write_text(content)
    found = voile("audit", tmp_path / "out", "-s", spec)
    assert found.code == 1, found.err
    assert "certificate is damaged" in found.out


def audited(tmp_path, text, columns):
    import voile as library

    (tmp_path / "theirs.csv").write_text(text)
    report = library.audit(tmp_path / "theirs.csv", library.Schema.of(columns))
    return {key: verdict.shown() for key, verdict in report.achieved.items()}


def test_audit_of_numbers_written_in_several_ways(tmp_path):
    columns = {"age": "qi", "d": {"role": "sa", "type": "integer"}}
    assert audited(tmp_path, "age,d\n20,5\n20,5.0\n20,05\n", columns)["distinct_l_diversity"] == 1
    assert audited(tmp_path, 'age,d\n20,5\n20,05\n20,"[1, 2]"\n', columns)["distinct_l_diversity"] == 2


def test_audit_of_nothing_but_stars(tmp_path):
    columns = {"age": "qi", "d": "sa"}
    assert set(audited(tmp_path, "age,d\n*,*\n*,*\n", columns).values()) == {None}


def test_audit_sorts_out_rows_inside_a_group(tmp_path):
    text = "group,age,d\n1,20,a\n1,30,b\n1,20,c\n1,30,d\n"
    assert audited(tmp_path, text, {"age": "qi", "d": "sa"})["k_anonymity"] == 2


def test_audit_refuses_identifying_columns(tmp_path):
    table, spec = clinic(tmp_path)
    found = voile("audit", table, "-s", spec)
    assert found.code == 1
    assert "identifying column name is published" in found.out


@pytest.mark.slow
def test_audit_refuses_nonsense_requirements(tmp_path):
    _, spec = clinic(tmp_path)
    for rule in ("q>=4", "l>=4/0", "l<=4", "l>=x"):
        assert voile("audit", tmp_path / "t.csv", "-s", spec, "--require", rule).code == 2


@pytest.mark.slow
def test_latin1_semicolon_source_is_audited_as_written(tmp_path):
    """The release is UTF-8 with commas, whatever the source was."""
    table, _ = clinic(tmp_path)
    text = table.read_text().replace(",", ";").replace("gout", "goutt\u00e9")
    table.write_bytes(text.encode("latin-1"))
    spec = tmp_path / "s.toml"
    spec.write_text('[file]\nencoding = "latin-1"\ndelimiter = ";"\n' + SPEC)
    done = voile("anonymize", table, "-s", spec, "-p", "l=5", "-o", tmp_path / "out")
    assert done.code == 0, done.err
    by_file = voile("audit", tmp_path / "out" / "data.csv", "-s", spec)
    assert by_file.code == 0, by_file.err
    assert "matches the data" in by_file.out
    assert "goutt\u00e9" in (tmp_path / "out" / "data.csv").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(
    "name, found", [("algorithms", catalog.algorithms), ("models", catalog.models), ("metrics", catalog.metrics)]
)
def test_catalogs(name, found):
    listed = json.loads(voile(name, "--json").out)[name]
    assert [card[name[:-1]] for card in listed] == list(found())
    assert all(key in voile(name).out for key in found())


@pytest.mark.slow
def test_demo(tmp_path):
    for _ in range(2):  # the second run replaces the first
        done = voile("demo", cwd=tmp_path)
        assert done.code == 0, done.err
    assert "10000 patients, invented" in done.out
    assert "everything promised and required is met" in done.out
    assert (tmp_path / "voile-demo" / "release" / "certificate.json").is_file()
    (tmp_path / "voile-demo" / "notes.txt").write_text("mine")
    assert voile("demo", cwd=tmp_path).code == 0
    assert (tmp_path / "voile-demo" / "notes.txt").read_text() == "mine"
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("precious")
    assert voile("demo", "-o", "mine/thesis.txt/x", cwd=tmp_path).code == 2
    refused = voile("demo", "-o", "mine", cwd=tmp_path)
    assert refused.code == 2
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "precious"


def test_the_steward_sees_what_reading_did(tmp_path):
    table, _ = clinic(tmp_path)
    spec = tmp_path / "s.toml"
    spec.write_text(SPEC.replace('"integer"', '"integer", missing = "drop-row"'))
    table.write_text(table.read_text().replace("Person0,20,", "Person0,,").replace("flu", "flu ", 1))
    done = voile("anonymize", table, "-s", spec, "-p", "l=3", "-o", tmp_path / "out")
    assert "40 rows, 1 dropped for missing values" in done.out
    assert "rows_dropped" not in (tmp_path / "out" / "certificate.json").read_text()


@pytest.mark.slow
def test_hierarchy_is_written_edited_and_read_back(tmp_path):
    table, spec = clinic(tmp_path, rows=400)
    spec.write_text(SPEC.replace('"integer"', '"integer", weight = 50, hierarchy = { intervals = [5, 10] }'))
    done = voile("hierarchy", table, "-s", spec, "-c", "age", "-o", tmp_path / "age.csv")
    assert done.code == 0, done.err
    assert "never publish it" in done.out and "37 values" in done.out
    assert (tmp_path / "age.csv").read_text().startswith("20;[20, 24];[20, 29];*\n")
    assert (tmp_path / "age.csv").stat().st_mode & 0o777 == 0o600
    again = voile("hierarchy", table, "-s", spec, "-c", "age", "-o", tmp_path / "age.csv")
    assert again.code == 2 and "never overwritten" in again.err
    voile("anonymize", table, "-s", spec, "-a", "elig", "-p", "l=3", "-o", tmp_path / "built-in")
    spec.write_text(SPEC.replace('"integer"', '"integer", weight = 50, hierarchy = "age.csv"'))
    voile("anonymize", table, "-s", spec, "-a", "elig", "-p", "l=3", "-o", tmp_path / "from-file")
    data = [(tmp_path / out / "data.csv").read_bytes() for out in ("built-in", "from-file")]
    assert data[0] == data[1]
    edited = (tmp_path / "age.csv").read_text().replace("[20, 24]", "early twenties")
    (tmp_path / "age.csv").write_text(edited)
    told = voile("hierarchy", table, "-s", spec, "-c", "zip", "-o", tmp_path / "z.csv", "--json")
    assert json.loads(told.out)["leaves"] == 4
    assert voile("anonymize", table, "-s", spec, "-a", "elig", "-p", "l=3", "-o", tmp_path / "edited").code == 0
    assert "early twenties" in (tmp_path / "edited" / "data.csv").read_text()


@pytest.mark.slow
def test_no_hierarchy_to_write(tmp_path):
    table, spec = clinic(tmp_path)
    for column, hint in (
        ("age", "declare one"),
        ("name", "a dropped column has none"),
        ("nonsense", "as in the header"),
    ):
        done = voile("hierarchy", table, "-s", spec, "-c", column, "-o", tmp_path / "h.csv")
        assert done.code == 2 and hint in done.err
    assert left_behind(tmp_path) == []


def test_no_command_is_help(capsys):
    assert run([]) == 0
    assert "anonymize" in capsys.readouterr().out


def test_every_command_has_help(capsys):
    for name in COMMANDS:
        assert run([name, "--help"]) == 0
        assert "--json" in capsys.readouterr().out


def test_a_defect_shows_no_message(tmp_path, monkeypatch, capsys):
    """An unforeseen exception may hold a cell: only its kind and place are shown."""
    from voile import pipeline

    def broken(*_arguments, **_options):
        raise RuntimeError("cell of a person")

    monkeypatch.setattr(pipeline, "read", broken)
    table, spec = clinic(tmp_path)
    assert run(["anonymize", str(table), "-s", str(spec), "-p", "l=2", "-o", str(tmp_path / "out")]) == 2
    said = capsys.readouterr()
    assert "RuntimeError at test_commands.py" in said.err
    assert "cell of a person" not in said.err + said.out
    assert left_behind(tmp_path) == []
