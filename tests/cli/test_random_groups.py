"""rda from the command line: what the certificate claims, seeds, blocks, further promises."""

import json

import pytest

from tests.command_line import clinic, left_behind
from voile.cli.main import run

SEED = 918273645


@pytest.fixture
def publish(tmp_path, capsys):
    """Publish the clinic with rda, or another algorithm; the exit code and what was said."""
    table, spec = clinic(tmp_path)

    def run_with(*more, out="out", algorithm="rda"):
        arguments = [str(table), "-s", str(spec), "-a", algorithm, "-p", "l=2", "-o", str(tmp_path / out)]
        code = run(["anonymize", *arguments, *map(str, more)])
        said = capsys.readouterr()
        return code, said.out + said.err

    return run_with


def certificate(tmp_path, out="out"):
    return json.loads((tmp_path / out / "certificate.json").read_text())


def test_the_certificate_claims_the_strong_rung(tmp_path, publish):
    code, said = publish("-p", "blocks=sex")
    document = certificate(tmp_path)
    assert code == 0
    assert document["adversary"]["rung"] == "algorithm, strong"
    assert document["randomness"] == "from the operating system, not stored"
    assert "second time" in " ".join(document["adversary"]["not_promised"])
    assert "outside the victim's group" in " ".join(said.replace("│", " ").split())
    assert document["algorithm"]["parameters"] == {"l": 2, "blocks": "sex"}
    assert any("others had failed" in limit for limit in document["adversary"]["not_promised"])


def test_without_blocks_nothing_is_said_of_them(tmp_path, publish):
    publish()
    assert not any("blocks" in limit for limit in certificate(tmp_path)["adversary"]["not_promised"])


def test_two_runs_differ_and_a_seed_repeats(tmp_path, publish):
    for out in ("one", "other"):
        publish(out=out)
    for out in ("seeded", "again"):
        publish("--insecure-seed", SEED, out=out)
    data = {out: (tmp_path / out / "data.csv").read_bytes() for out in ("one", "other", "seeded", "again")}
    assert data["one"] != data["other"]
    assert data["seeded"] == data["again"]


def test_a_seed_lowers_the_claim_and_is_written_nowhere(tmp_path, publish):
    _, said = publish("--insecure-seed", SEED)
    document = certificate(tmp_path)
    assert document["adversary"]["rung"] == "release"
    assert document["randomness"] == "from a seed, for tests only"
    assert any("guesses the seed" in limit for limit in document["adversary"]["not_promised"])
    written = b"".join(path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file())
    assert str(SEED).encode() not in written
    assert str(SEED) not in said


def test_a_seed_is_refused_where_nothing_is_drawn(tmp_path, publish):
    code, said = publish("--insecure-seed", SEED, algorithm="elig")
    assert code == 2
    assert "draws nothing" in said
    assert left_behind(tmp_path) == []


def test_further_promises_are_kept_certified_and_audited(tmp_path, publish, capsys):
    code, said = publish("--also", "k>=7, t<=0.5")
    document = certificate(tmp_path)
    assert code == 0
    assert [entry["model"] for entry in document["also"]] == ["k_anonymity", "t_closeness"]
    assert [entry["rung"] for entry in document["also"]] == ["algorithm, strong", "release"]
    assert document["also"][0]["parameters"] == {"k": 7}
    assert any("further promises" in limit for limit in document["adversary"]["not_promised"])
    assert document["checks"]["k_anonymity"] >= 7
    assert document["adversary"]["rung"] == "algorithm, strong"
    assert "also" in said
    audit = ["audit", str(tmp_path / "out"), "-s", str(tmp_path / "s.toml")]
    assert run(audit) == 0
    assert "k-anonymity" in capsys.readouterr().out
    document["also"][0]["parameters"]["k"] = 41
    (tmp_path / "out" / "certificate.json").write_text(json.dumps(document))
    assert run(audit) == 1
    assert "required >= 41" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    "also", ["x", {"model": "k_anonymity"}, {"model": "k_anonymity", "parameters": {"k": "x"}}]
)
def test_a_damaged_list_of_promises_is_no_certificate(tmp_path, publish, capsys, also):
    publish()
    document = certificate(tmp_path) | {"also": [also]}
    (tmp_path / "out" / "certificate.json").write_text(json.dumps(document))
    assert run(["audit", str(tmp_path / "out"), "-s", str(tmp_path / "s.toml")]) == 1
    assert "damaged" in capsys.readouterr().out


@pytest.mark.parametrize(
    "algorithm, more, code, word",
    [
        ("elig", ["--also", "k>=9"], 2, "rda"),
        ("rda", ["--also", "k>=41"], 1, "one group"),
        ("rda", ["--also", "k=9"], 2, "also"),
        ("rda", ["-p", "blocks=disease"], 2, "quasi-identifying"),
        ("rda", ["-p", "blocks=age<x"], 2, "integer"),
        ("rda", ["-p", "blocks=age"], 1, "blocks"),
        ("rda", ["--insecure-seed", "-3"], 2, "insecure-seed"),
    ],
)
def test_refusals_say_what_would_work(tmp_path, publish, algorithm, more, code, word):
    found, said = publish(*more, algorithm=algorithm)
    assert (found, word in said) == (code, True), said
    assert left_behind(tmp_path) == []


def test_merging_with_a_kept_column_is_refused(tmp_path, capsys):
    """It would show which values go with the column."""
    table, spec = clinic(tmp_path)
    spec.write_text(
        spec.read_text().replace('sex = { role = "qi" }', 'sex = { role = "insensitive", keep = true }')
    )
    arguments = [str(table), "-s", str(spec), "-a", "rda", "-p", "l=2", "-o", str(tmp_path / "out")]
    assert run(["anonymize", *arguments, "--also", "k>=4"]) == 2
    assert "kept column" in capsys.readouterr().err


@pytest.mark.parametrize("wrong", [{"insecure_seed": -1}, {"insecure_seed": "x"}, {"also": {"k": 5}}])
def test_wrong_types_from_python_are_refused_in_words(wrong):
    import polars as pl

    import voile

    rows = pl.DataFrame({"age": [1, 2, 3, 4], "disease": ["a", "b", "c", "d"]})
    table = voile.read(rows, {"age": {"role": "qi", "type": "integer"}, "disease": "sensitive"})
    with pytest.raises(voile.VoileError):
        voile.anonymize(table, "rda", l=2, **wrong)
