"""docs/minimality.md: its Python runs, in order, and gives what it shows; its pictures are of the same table."""

import doctest
import json
import re
import shlex
from pathlib import Path

import pytest

from benchmarks import clinic_pictures, minimality_pictures
from tests.command_line import voile

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "minimality.md").read_text(encoding="utf-8")


def test_python_of_the_page():
    code = "\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.S))
    test = doctest.DocTestParser().get_doctest(code, {}, "docs/minimality.md", None, 0)
    assert len(test.examples) > 25
    failed, _ = doctest.DocTestRunner().run(test)
    assert failed == 0


def test_the_patients_are_those_of_the_pictures():
    shown = [line.strip("| ").split(" | ") for line in PAGE.splitlines() if re.match(r"\| [A-Z]\w+ \| 19", line)]
    assert [(name, condition) for name, _, condition in shown] == list(
        zip(minimality_pictures.PERSONS, minimality_pictures.HAS, strict=True)
    )


def test_pictures_say_what_the_page_says():
    said = {chart.__name__: json.dumps(chart(), default=float) for chart in minimality_pictures.CHARTS}
    assert '"36 tables"' in said["posteriors"] and '"cancer 1"' in said["posteriors"]
    assert "publishes g2" in said["paths"] and "8 tables: 1/2" in said["paths"]
    assert "highest share 1/3: keeps 1/2" in said["groupings"]
    for name in said:
        assert f"(pictures/minimality-{name}.svg)" in PAGE


def plain(text):
    """Words alone: no frames of tables, and blanks as one."""
    return " ".join(re.sub(r"[^\x00-\x7f]|\|", " ", text).split())


@pytest.mark.slow
def test_commands_of_the_page(tmp_path):
    for path in (ROOT / "examples").glob("clinic*"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    blocks = re.findall(r"```console\n(.*?)```", PAGE, re.S)
    typed = [part for block in blocks for part in block.split("$ ")[1:]]
    assert len(typed) == 6
    for command, *shown in (part.splitlines() for part in typed):
        program, *arguments = shlex.split(command)
        done = voile(*arguments, cwd=tmp_path)
        assert program == "voile" and done.code == ("attack" in command and "naive" in command), done.err
        for line in shown:
            assert plain(line) in plain(done.out + done.err), f"{command}: {line}"


@pytest.mark.slow
def test_the_picture_of_the_clinic():
    above = [dot for dot in clinic_pictures.dots() if dot["colour"] == clinic_pictures.RED]
    assert [(dot["release"], dot["seen"], dot["x"]) for dot in above] == [("naive", "knowing the search", 1)] * 2
