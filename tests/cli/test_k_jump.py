"""`voile anonymize -a k_jump` with a plan from a file; what is refused, with which exit code."""

import json
import re

import pytest

from tests.algorithms.test_k_jump import PATIENTS, TABLE_1
from voile.cli.anonymize import LARGEST_FILE, parameters_of
from voile.cli.main import run
from voile.errors import ParameterError

SPEC = """
[columns]
name = { role = "identifying" }
born = { role = "quasi-identifying", type = "integer" }
condition = { role = "sensitive" }
"""


def test_a_file_stands_for_its_content(tmp_path):
    plan = tmp_path / "plan.json"
    plan.write_text('[{"a": 1}, {"b": 2}]\n', encoding="utf-8-sig")
    assert parameters_of((f"l=2,sequence=@{plan}",)) == {"l": "2", "sequence": '[{"a": 1}, {"b": 2}]\n'}
    (tmp_path / "big.json").write_bytes(b" " * (LARGEST_FILE + 1))
    (tmp_path / "odd.json").write_bytes(b"\xff\xfe")
    for name in ("missing.json", "big.json", "odd.json", "", "."):
        with pytest.raises(ParameterError, match="parameter sequence: the file after @ cannot be read"):
            parameters_of((f"sequence=@{tmp_path / name}",))


def test_what_cannot_be_met(tmp_path, monkeypatch, capsys):
    """An infeasible size and an l that is too large: exit code 1, what would work, and no value."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.toml").write_text(SPEC)
    rows = [f"{i},{1900 + i * 37 % 100},CANARY{i % 20}" for i in range(60)]
    (tmp_path / "t.csv").write_text("\n".join(["name,born,condition", *rows]) + "\n")
    for parameters, words, remedy in (
        ("l=2,strategy=safe", "before looking at who has what", "raise first by"),
        ("l=21", "l = 21", "l = 20 is the largest"),
    ):
        for command in (["anonymize", "-o", "out", "-a", "k_jump"], ["explain"]):
            assert run([*command, "t.csv", "-s", "s.toml", "-p", parameters]) == 1
            said = " ".join("".join(capsys.readouterr()).split())
            assert words in said and remedy in said, said
            assert "CANARY" not in said and not (tmp_path / "out").exists()
    first = 1
    while run(["explain", "t.csv", "-s", "s.toml", "-p", f"l=2,first={first}"]) == 1:  # as advised, once
        assert first == 1
        first += int(re.search(r"raise first by\s+(\d+)", capsys.readouterr().err)[1])
    assert first > 1


def test_exit_codes(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    PATIENTS.write_csv(tmp_path / "t.csv")
    (tmp_path / "s.toml").write_text(SPEC)
    (tmp_path / "plan.json").write_text(json.dumps({"functions": TABLE_1}))
    (tmp_path / "part.json").write_text(json.dumps([TABLE_1[0][:2]]))
    (tmp_path / "twice.json").write_text(json.dumps([[{"born": "[1940, 1970]"}, {"born": "[1960, 1999]"}]]))
    (tmp_path / "unsorted.json").write_text(json.dumps(TABLE_1[::-1]))

    def anonymized(*parameters, out="out"):
        given = [word for parameter in ("l=2", "utility=dm", *parameters) for word in ("-p", parameter)]
        code = run(["anonymize", "t.csv", "-s", "s.toml", "-a", "k_jump", *given, "-o", out])
        return code, " ".join("".join(capsys.readouterr()).split())

    for parameters, code, words in (
        (("sequence=@plan.json",), 0, "someone who also knows the algorithm"),
        (("sequence=@plan.json", "k=2"), 1, "nothing was published"),
        (("sequence=@plan.json", "k=1+1"), 2, "2 jump distances for 3 functions"),
        (("sequence=@plan.json", "k=0"), 2, "below 1"),
        (("sequence=@part.json",), 2, "2 rows in no group"),
        (("sequence=@twice.json",), 2, "group 2 overlaps"),
        (("sequence=@unsorted.json",), 2, "loses less"),
        (("sequence=@nowhere.json",), 2, "cannot be read"),
    ):
        found, said = anonymized(*parameters, out=f"out{code}{len(words)}")
        assert (found, words in said) == (code, True), said
        assert "cancer" not in said
        assert (tmp_path / f"out{code}{len(words)}").exists() == (code == 0)
