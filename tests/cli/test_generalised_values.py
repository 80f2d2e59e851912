"""Generalised sensitive values on the screen: how many, and what is left of the promise on true values."""

import json

import pytest

from tests.command_line import voile

pytestmark = pytest.mark.slow  # each test starts the command several times

JOBS = ["private"] * 14 + ["state", "state", "federal", "self", "self", "none"]
SWEEP = ["-a", "sweep", "-p", "tau=0.5", "-p", "l=3"]
SPEC = """
[columns]
person = { role = "subject" }
age = { role = "qi", type = "integer", hierarchy = { intervals = [5, 10, 20] } }
sex = { role = "qi" }
job = { role = "sa", hierarchy = "job.csv" }
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("jobs")
    rows = [f"P{i},{20 + i * 7 % 40},{'fm'[i // 3 % 2]},{JOBS[i % 20]}" for i in range(200)]
    (folder / "t.csv").write_text("\n".join(["person,age,sex,job", *rows]) + "\n")
    (folder / "job.csv").write_text("private;private;*\nstate;gov;*\nfederal;gov;*\nself;other;*\nnone;other;*\n")
    (folder / "s.toml").write_text(SPEC)
    return folder


def run(folder, *arguments):
    return voile(*arguments, cwd=folder)


def flat(screen):
    """Without the lines of tables, on one line."""
    return " ".join(screen.replace("│", " ").split())


def test_what_is_not_kept_is_said_aloud(folder):
    """(1/2, 3) of a column with 70 % of one value: raised values give themselves away."""
    made = run(folder, "anonymize", "t.csv", "-s", "s.toml", *SWEEP, "-o", "out")
    assert made.code == 0, made.err
    assert "of 200 rows show a node of job" in made.out
    assert "the certificate says: on true values not kept (at most " in made.out
    assert "not for a reader who finds out what they do stand for" in made.out
    record = json.loads((folder / "out" / "private" / "record.json").read_text())["true_values"]
    counts = f"for you alone: {record['rows_above']} rows in {record['groups_above']} groups above"
    assert record["rows_above"] > 0 and counts.split(" groups")[0] in made.out
    found = run(folder, "audit", "out", "-s", "s.toml")
    assert found.code == 0, found.err
    assert "rows show a broader term, a set, an interval, or none at all" in flat(found.out)
    assert "if such a cell may be any value that it covers" in flat(found.out)
    assert "on true values not kept" in found.out and "for you alone" not in found.out
    assert "counted by 5 base values of equal weight, as the certificate states" in flat(found.out)
    document = json.loads(run(folder, "audit", "out", "-s", "s.toml", "--json").out)
    assert document["ok"] and document["generalised"] > 0
    assert document["true_values"]["kept"] is False and "rows_above" not in document["true_values"]
    certificate = json.loads((folder / "out" / "certificate.json").read_text())
    assert document["true_values"] == certificate["true_values"]
    assert document["generalised"] == certificate["table"]["columns"][-1]["generalised_rows"]


def test_what_is_kept_is_said_quietly(folder):
    arguments = ["-a", "sweep_e", "-p", "tau=0.75", "-p", "l=2", "-o", "kept"]
    made = run(folder, "anonymize", "t.csv", "-s", "s.toml", *arguments)
    assert made.code == 0, made.err
    assert "on true values kept, too" in made.out and "show a node" not in made.out
    assert "on true values kept, too" in run(folder, "audit", "kept", "-s", "s.toml").out


def test_one_cut_has_its_own_words(folder):
    made = run(folder, "anonymize", "t.csv", "-s", "s.toml", "-a", "sweep_e", *SWEEP[2:], "-o", "cut")
    assert made.code == 0, made.err
    document = json.loads((folder / "cut" / "certificate.json").read_text())
    assert document["table"]["columns"][-1]["one_cut"] and not document["true_values"]["kept"]
    known = document["true_values"]["achieved_by_table_frequencies"]
    for screen in (made.out, run(folder, "audit", "cut", "-s", "s.toml").out):
        assert "One cut of the hierarchy for the whole table" in screen and "finds out" not in screen
        assert f"at most {known} for one of them" in screen
        assert ("it says nothing any more" in screen) == (document["table"]["columns"][-1]["nodes"] == 1)


def test_exact_decimals_are_shown_as_such(folder):
    for tau, shown in (("0.752", "0.752"), ("3/4", "0.75"), ("7/9", "7/9")):
        out = f"tau{tau.replace('/', '-')}"
        made = run(folder, "anonymize", "t.csv", "-s", "s.toml", "-a", "sweep", "-p", f"tau={tau},l=2", "-o", out)
        assert f"tau = {shown}, l = 2" in flat(made.out), made.err


def test_hostile_certificates_are_not_believed_and_do_no_harm(folder):
    run(folder, "anonymize", "t.csv", "-s", "s.toml", *SWEEP, "-o", "damaged")
    path = folder / "damaged" / "certificate.json"
    document = json.loads(path.read_text())
    own = document["true_values"]
    for section in ([], {"kept": True}, {**own, "kept": "yes"}, "kept", 3, {**own, "achieved": "[/]"}):
        path.write_text(json.dumps({**document, "true_values": section}))
        found = run(folder, "audit", "damaged", "-s", "s.toml")
        assert found.code == 1 and "certificate is damaged" in found.out
    path.write_text(json.dumps({**document, "true_values": {"kept": True, "achieved": 10**30}}))
    found = run(folder, "audit", "damaged", "-s", "s.toml")
    assert found.code == 1 and "line on true values does not fit the data" in flat(found.out)
    entry = document["table"]["columns"][-1]
    for value in ("[/]", [], {}, None, -1, 1e308, True):
        entry |= {"one_cut": value, "nodes": value, "generalised_rows": value}
        path.write_text(json.dumps({**document, "algorithm": value}))
        found = run(folder, "audit", "damaged", "-s", "s.toml")
        assert found.code == 0 and "on true values not kept" in found.out, found.err
    path.write_text("[" * 100_000)
    found = run(folder, "audit", "damaged", "-s", "s.toml")
    path.unlink()
    assert found.code == 1 and "certificate is damaged" in found.out


def test_estimates_say_how_nodes_are_read(folder):
    run(folder, "anonymize", "t.csv", "-s", "s.toml", *SWEEP, "-o", "asked")
    document = json.loads(run(folder, "estimate", "asked", "job = 'private'", "-s", "s.toml", "--json").out)
    assert document["at_least"] <= 140 <= document["at_most"]
    assert "a node of job is taken as the certificate weighs the values under it" in document["note"]
    assert document["low"] is document["high"] is document["standard_error"] is None
    screen = flat(run(folder, "estimate", "asked", "job = 'private'", "-s", "s.toml").out)
    assert "standard error" not in screen and "no valid interval yet" in screen and "at most" in screen


def test_quantiles_cannot_be_generalised(folder):
    """Whoever has only the release could not tell what a node stands for."""
    pay = ["person,age,pay", *(f"P{i},{20 + i % 40},{100 if i % 3 else 10 * i}" for i in range(60))]
    (folder / "pay.csv").write_text("\n".join(pay) + "\n")
    (folder / "pay.toml").write_text(
        '[columns]\nperson = "subject"\nage = { role = "qi", type = "integer" }\n'
        'pay = { role = "sa", type = "integer", hierarchy = { quantiles = 4, grid = 10 } }\n'
    )
    arguments = ["-s", "pay.toml", "-a", "sweep", "-p", "tau=0.3", "-p", "l=3", "-o", "pay"]
    refused = run(folder, "anonymize", "pay.csv", *arguments)
    assert refused.code == 2 and "hierarchy of quantiles" in refused.err
    assert run(folder, "hierarchy", "pay.csv", "-s", "pay.toml", "-c", "pay", "-o", "pay-tree.csv").code == 0
    spec = (folder / "pay.toml").read_text().replace("{ quantiles = 4, grid = 10 }", '"pay-tree.csv"')
    (folder / "pay.toml").write_text(spec)
    done = run(folder, "anonymize", "pay.csv", *arguments)
    assert done.code == 0, done.err


def test_a_ledger_remembers_persons_of_generalised_values(folder, monkeypatch):
    monkeypatch.setenv("VOILE_KEYS", str(folder / "keys"))
    assert run(folder, "ledger", "create", "s.ledger").code == 0
    arguments = ["-s", "s.toml", *SWEEP, "--ledger", "s.ledger"]
    done = run(folder, "anonymize", "t.csv", *arguments, "-o", "once")
    assert done.code == 0, done.err
    again = run(folder, "anonymize", "t.csv", *arguments, "-o", "twice")
    assert again.code == 3 and "200 persons of this table in an earlier release" in again.err


def test_a_series_of_generalised_values_is_refused(folder):
    run(folder, "anonymize", "t.csv", "-s", "s.toml", *SWEEP, "-o", "first")
    for more in ([], ["--known", "t.csv"]):
        refused = run(folder, "audit", "--series", "first", "-s", "s.toml", *more)
        assert refused.code == 2 and "with a generalised sensitive value" in refused.err
        assert "audit this release alone" in refused.err
    arguments = ["-a", "sweep", "-p", "tau=0.75", "-p", "l=2", "-o", "plain"]
    assert run(folder, "anonymize", "t.csv", "-s", "s.toml", *arguments).code == 0
    document = json.loads(run(folder, "audit", "plain", "-s", "s.toml", "--json").out)
    judged = run(folder, "audit", "--series", "plain", "-s", "s.toml", "--known", "t.csv")
    assert judged.code == (2 if document["generalised"] else 0), judged.err


def test_further_promises_and_measures(folder):
    more = ["--also", "k>=5", "--measure", "qwe_mean, qwe_median"]
    done = run(folder, "anonymize", "t.csv", "-s", "s.toml", *SWEEP, *more, "-o", "more", "--json")
    assert done.code == 0, done.err
    figures = json.loads(done.out)["private"]["measured"]
    assert set(figures) == {"qwe_mean", "qwe_median"} and all(0 <= figure < 10 for figure in figures.values())
    assert run(folder, "audit", "more", "-s", "s.toml", "--require", "k>=5, tau[l=3]<=0.5").code == 0
