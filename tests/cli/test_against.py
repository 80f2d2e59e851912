"""A promise is asked for, not an algorithm: what is chosen, refused, certified and audited."""

import json

import polars as pl
import pytest

import voile
from benchmarks import adult
from tests.command_line import clinic, left_behind
from tests.command_line import voile as typed
from voile.cli.main import run
from voile.hospital import write_hospital

TWO = """
[columns]
age = { role = "qi", type = "integer" }
sex = { role = "qi" }
disease = { role = "sensitive" }
job = { role = "sensitive" }
"""
SUBJECT = """
[columns]
name = { role = "subject" }
age = { role = "qi", type = "integer" }
zip = { role = "identifying" }
sex = { role = "qi" }
disease = { role = "sensitive" }
"""


def two_columns(folder, rows=120):
    frame = pl.DataFrame(
        {
            "age": [20 + i * 7 % 60 for i in range(rows)],
            "sex": ["fm"[i % 2] for i in range(rows)],
            "disease": [f"d{i % 6}" for i in range(rows)],
            "job": [f"j{i * 5 % 7}" for i in range(rows)],
        }
    )
    frame.write_csv(folder / "t.csv")
    (folder / "s.toml").write_text(TWO)
    return frame


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def anonymize(*options):
    return run(["anonymize", "t.csv", "-s", "s.toml", "-o", "out", *map(str, options)])


def certificate(folder):
    return json.loads((folder / "out" / "certificate.json").read_text())


@pytest.mark.parametrize(
    ("options", "algorithm", "rung", "asked"),
    [
        ([], "glass", "algorithm, marginal", {"against": "algorithm", "tier": "marginal"}),
        (["--against", "algorithm"], "glass", "algorithm, marginal", {"against": "algorithm", "tier": "marginal"}),
        (["--strong"], "blind_cut", "algorithm, strong", {"against": "algorithm", "tier": "strong"}),
        (["--against", "release"], "elig", "release", {"against": "release"}),
        (["-a", "rda", "--strong"], "rda", "algorithm, strong", {"against": "algorithm", "tier": "strong"}),
        (["-a", "rda", "--against", "release"], "rda", "release", {"against": "release"}),
    ],
)
def test_what_is_asked_chooses_and_is_certified(here, capsys, options, algorithm, rung, asked):
    clinic(here)
    assert anonymize("-p", "l=3", *options) == 0
    made = certificate(here)
    assert made["algorithm"]["key"] == made["asked"]["algorithm"] == algorithm
    assert made["adversary"]["rung"] == rung
    assert {name: made["asked"][name] for name in ("against", "tier") if name in made["asked"]} == asked
    said = " ".join(capsys.readouterr().out.replace("│", " ").split())
    assert f"algorithm {algorithm}: {made['asked']['why']}" in said and "asked a promise against readers" in said


def test_an_algorithm_that_is_named_alone_is_taken_as_it_is(here, capsys):
    clinic(here)
    assert anonymize("-a", "elig", "-p", "l=3") == 0
    assert "asked" not in certificate(here)
    assert run(["audit", "out", "-s", "s.toml"]) == 0
    assert run(["audit", "out", "-s", "s.toml", "--against", "release"]) == 0
    assert run(["audit", "out", "-s", "s.toml", "--against", "algorithm"]) == 1
    assert "holds against release only" in capsys.readouterr().out.replace("\n", " ")


def test_two_sensitive_columns_are_protected_strongly(here):
    two_columns(here)
    assert anonymize("-p", "l=4", "--against", "algorithm") == 0
    made = certificate(here)
    assert (made["algorithm"]["key"], made["adversary"]["rung"]) == ("blind_cut", "algorithm, strong")
    assert "glass protects one" in made["asked"]["why"]
    assert run(["audit", "out", "-s", "s.toml", "--against", "algorithm", "--strong"]) == 0


def test_three_sensitive_columns_are_told_what_would_work(here, capsys):
    frame = two_columns(here)
    frame.with_columns(pl.col("job").alias("debt")).write_csv("t.csv")
    (here / "s.toml").write_text(TWO + 'debt = { role = "sensitive" }\n')
    assert anonymize("-p", "l=2") == 2
    said = capsys.readouterr().err
    assert "3 sensitive columns" in said and "elig" in said
    assert anonymize("-p", "l=2", "--against", "release") == 0


def test_a_kept_column_is_refused_before_anything_is_tried(here, capsys):
    """Whether its parts keep the promise depends on who has what."""
    clinic(here)
    (here / "s.toml").write_text(
        (here / "s.toml").read_text().replace('{ role = "qi" }', '{ role = "insensitive", keep = true }')
    )
    for options in ([], ["-a", "rda", "--strong"]):
        assert anonymize("-p", "l=2", *options) == 2
        assert "keep = false" in capsys.readouterr().err
    assert anonymize("-p", "l=2", "-a", "anatomy", "--against", "algorithm") == 0


def test_a_draw_that_passed_with_a_kept_column_holds_against_readers_of_the_release(here):
    """That it passed depends on who has what."""
    clinic(here, rows=200)
    (here / "t.csv").write_text((here / "t.csv").read_text().replace(",m,", ",f,"))
    kept = '{ role = "insensitive", keep = true }'
    (here / "s.toml").write_text((here / "s.toml").read_text().replace('{ role = "qi" }', kept))
    assert anonymize("-p", "l=2", "-a", "rda") == 0
    assert run(["audit", "out", "-s", "s.toml", "--against", "release"]) == 0
    assert run(["audit", "out", "-s", "s.toml", "--against", "algorithm"]) == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["-a", "elig", "--against", "algorithm"], "leave -a out"),
        (["-a", "glass", "--strong"], "blind_cut"),
        (["-a", "k_jump", "-p", "strategy=naive", "--against", "algorithm"], "holds against: release"),
        (["--against", "release", "--strong"], "leave strong out"),
        (["-p", "refine=0"], "-a elig"),
        (["-p", "ineligible=suppress"], "-a "),
        (["--strong", "-p", "match=fast"], "-a glass"),
        (["-p", "beauty=1"], "see voile algorithms"),
        (["--insecure-seed", "7"], "leave the seed out"),
        (["--against", "series", "-a", "rda"], "voile publish"),
    ],
)
def test_what_cannot_be_is_refused_with_the_next_step(here, capsys, options, words):
    clinic(here)
    assert anonymize("-p", "l=2", *options) == 2
    assert words in capsys.readouterr().err
    assert left_behind(here) == []


def test_an_l_out_of_reach_is_refused_as_by_the_algorithm(here, capsys):
    clinic(here)
    assert anonymize("-p", "l=6") == 1
    assert "l = 5 is the largest possible" in capsys.readouterr().err


def test_a_series_without_a_ledger_is_told_the_commands_and_they_work(here, capsys):
    clinic(here, spec=SUBJECT)
    assert anonymize("-p", "l=3", "--against", "series") == 2
    said = capsys.readouterr().err
    create, publish = (part.strip() for part in said[said.index("voile ledger create") :].split("; then "))
    assert publish == "voile publish t.csv -s s.toml --ledger s.ledger -p m=3 -o out"
    assert run([*create.split()[1:], "--key", "elsewhere/s.key"]) == 0
    assert run([*publish.split()[1:], "--key", "elsewhere/s.key"]) == 0
    for reader in ("series", "release", "algorithm"):
        assert run(["audit", "out", "-s", "s.toml", "--against", reader]) == 0
    assert run(["audit", "out", "-s", "s.toml", "--against", "algorithm", "--strong"]) == 1


def test_a_series_with_a_ledger_is_told_to_publish(here, capsys):
    clinic(here)
    (here / "my.ledger").touch()
    assert anonymize("-p", "l=3", "--against", "series", "--ledger", "my.ledger") == 2
    said = capsys.readouterr().err
    assert "voile publish t.csv -s s.toml --ledger my.ledger -p m=3 -o out" in said
    assert "ledger create" not in said and 'role = "subject"' in said and "ever after" in said


def test_one_remembered_release_is_no_series(here):
    clinic(here, spec=SUBJECT)
    assert run(["ledger", "create", "s.ledger", "--key", "elsewhere/s.key"]) == 0
    assert anonymize("-p", "l=3", "--ledger", "s.ledger", "--key", "elsewhere/s.key") == 0
    assert certificate(here)["adversary"]["rung"] == "algorithm, marginal"
    assert run(["audit", "out", "-s", "s.toml", "--against", "series"]) == 1


def edited(folder, **changes):
    """The certificate as somebody would have it."""
    made = certificate(folder)
    for path, value in changes.items():
        section, _, name = path.partition("__")
        made[section] = {**made[section], name: value} if name else value
    (folder / "out" / "certificate.json").write_text(json.dumps(made))


@pytest.mark.parametrize(
    "changes",
    [
        {"algorithm__key": "elig", "algorithm__parameters": {"l": 3}},
        {"randomness": "from a seed, for tests only"},
        {"adversary__rung": "release"},
        {"adversary__rung": "everybody"},
        {"algorithm__parameters": {"l": 3, "beauty": 1}},
        {"algorithm": []},
        {"asked__against": "nobody"},
        {"asked": "much"},
    ],
    ids=str,
)
def test_a_certificate_counts_no_further_than_its_algorithm_holds(here, changes):
    clinic(here)
    assert anonymize("-p", "l=3") == 0
    assert run(["audit", "out", "-s", "s.toml"]) == 0  # control
    edited(here, **changes)
    assert run(["audit", "out", "-s", "s.toml"]) == 1


def test_a_seed_lowers_what_the_audit_finds(here):
    clinic(here)
    assert anonymize("-p", "l=3", "-a", "glass", "--insecure-seed", "7") == 0
    assert run(["audit", "out", "-s", "s.toml", "--against", "algorithm"]) == 1
    assert run(["audit", "out", "-s", "s.toml", "--against", "release"]) == 0


def test_a_table_without_a_certificate_promises_nothing(here, capsys):
    clinic(here)
    assert anonymize("-p", "l=3") == 0
    (here / "out" / "data.csv").rename("alone.csv")
    assert run(["audit", "alone.csv", "-s", "s.toml", "--against", "release"]) == 1
    assert "no certificate" in capsys.readouterr().out


def test_the_report_says_what_was_asked_for(here):
    clinic(here)
    assert anonymize("-p", "l=3", "--report") == 0
    said = (here / "out" / "report.html").read_text()
    assert "Asked for was a promise against readers who know the algorithm; glass was taken" in said
    edited(here, asked={"against": "algorithm", "why": 7})
    assert run(["report", "out", "-s", "s.toml", "-o", "again.html"]) == 0


def test_reports_and_known_persons_are_judged_alike(here):
    clinic(here)
    assert anonymize("-p", "l=3") == 0
    for more in (["--report", "page.html"], ["--known", "t.csv"]):
        asked = ["audit", "out", "-s", "s.toml", "--against", "algorithm", *more]
        assert run(asked) == 0
        (here / "page.html").unlink(missing_ok=True)
        assert run([*asked, "--strong"]) == 1
    assert run(["audit", "--series", "out", "-s", "s.toml", "--against", "series"]) == 2


def test_nothing_is_revealed_that_does_not_hold(here, monkeypatch, capsys):
    """What is asked for is audited from the bytes, like everything else."""
    clinic(here)
    monkeypatch.setattr("voile.pipeline.refuse_seed", lambda asked: None)
    assert anonymize("-p", "l=3", "--insecure-seed", "7") == 1
    assert "nothing was revealed" in capsys.readouterr().err and left_behind(here) == []


def test_in_python(here):
    frame = two_columns(here)
    one = voile.read(frame.drop("job"), {"age": {"role": "qi", "type": "integer"}, "sex": "qi", "disease": "sa"})
    made = {
        "glass": voile.anonymize(one, l=3),
        "blind_cut": voile.anonymize(one, strong=True, l=3),
        "elig": voile.anonymize(one, against="release", l=3),
    }
    assert {key: release.certificate["algorithm"]["key"] for key, release in made.items()} == {k: k for k in made}
    for wrong in ({"against": "series"}, {"against": "nobody"}, {"algorithm": "elig", "against": "algorithm"}):
        with pytest.raises(voile.VoileError):
            voile.anonymize(one, l=3, **wrong)
    _, found = voile.publish(frame, here / "s.toml", None, here / "out", l=3)
    assert found.ok and any("--against algorithm" in line for line in found.met)
    assert not voile.audit("out", "s.toml", against="series").ok


@pytest.mark.slow
def test_the_demo_table(tmp_path):
    table, spec = write_hospital(tmp_path)
    done = typed("anonymize", table, "-s", spec, "-p", "l=5", "--against", "algorithm", "-o", tmp_path / "out")
    assert done.code == 0, done.err
    assert certificate(tmp_path)["adversary"]["rung"] == "algorithm, marginal"
    assert typed("audit", tmp_path / "out", "-s", spec, "--against", "algorithm").code == 0


@pytest.mark.slow
@pytest.mark.parametrize(("strong", "algorithm"), [(False, "glass"), (True, "blind_cut")])
def test_adult(twins, strong, algorithm):
    frame = adult.complete_rows(*adult.columns())
    release = voile.anonymize(voile.read(frame, adult.columns()), against="algorithm", strong=strong, l=4)
    document = release.certificate
    assert document["algorithm"]["key"] == algorithm and document["asked"]["against"] == "algorithm"
    assert document["adversary"]["rung"] == f"algorithm, {'strong' if strong else 'marginal'}"
    assert document["checks"]["frequency_l_diversity"] >= 4


EDITS = {
    "another l": lambda found: found["algorithm"]["parameters"].update(l=2),
    "another promise": lambda found: found.update(promise={"model": "t_closeness", "parameters": {"t": "2/5"}}),
    "a share above 1": lambda found: found["algorithm"]["parameters"].update(tau="5"),
    "another algorithm": lambda found: found["algorithm"].update(key="rda", parameters={"l": 2}),
}


@pytest.mark.parametrize("edit", EDITS)
def test_a_certificate_whose_promise_is_not_that_of_its_algorithm_holds_against_readers_alone(here, edit):
    two_columns(here)
    (here / "s.toml").write_text(TWO.replace('job = { role = "sensitive" }', 'job = { role = "identifying" }'))
    assert anonymize("-p", "l=3") == 0
    assert voile.audit(here / "out", here / "s.toml", against="algorithm").ok
    found = certificate(here)
    EDITS[edit](found)
    (here / "out" / "certificate.json").write_text(json.dumps(found))
    assert not voile.audit(here / "out", here / "s.toml", against="algorithm").ok


def test_a_kept_column_that_a_certificate_hides_is_seen_in_the_data(here):
    two_columns(here)
    kept = TWO.replace('job = { role = "sensitive" }', 'job = { role = "insensitive", keep = true }')
    (here / "s.toml").write_text(kept)
    pl.read_csv("t.csv").with_columns(job=pl.lit("same")).write_csv("t.csv")
    assert anonymize("-p", "l=3", "-a", "glass") == 0
    found = certificate(here)
    assert found["adversary"]["rung"] == "release"
    found["adversary"]["rung"] = "algorithm, marginal"
    found["table"]["columns"] = [c for c in found["table"]["columns"] if c["role"] != "insensitive"]
    (here / "out" / "certificate.json").write_text(json.dumps(found))
    assert not voile.audit(here / "out", here / "s.toml", against="algorithm").ok


def test_what_was_asked_against_readers_of_the_release_is_certified_for_them_alone(here):
    two_columns(here)
    assert anonymize("-p", "l=3", "-a", "blind_cut", "--against", "release") == 0
    assert certificate(here)["adversary"]["rung"] == "release"


def test_prices_of_a_release_that_only_its_own_parameters_allow(here):
    frame = two_columns(here).with_columns(disease=pl.Series(["d0"] * 60 + [f"d{i % 5}" for i in range(60)]))
    spec = {"age": {"role": "qi", "type": "integer"}, "sex": {"role": "qi"}, "disease": {"role": "sensitive"}}
    table = voile.read(frame.select(list(spec)), spec)
    release = voile.anonymize(table, "elig", l=3, ineligible="suppress", prices=True)
    assert all("refusal" in line or "gcp_leaves" in line for line in release.private_record["prices"])


def test_strong_is_yes_or_no(here):
    two_columns(here)
    with pytest.raises(voile.VoileError, match="True or False"):
        voile.anonymize(voile.read("t.csv", "s.toml"), strong="no", l=2)
