"""docs/minimality.md: its Python runs, in order, and gives what it shows; its pictures are of the same table."""

import doctest
import json
import re
from pathlib import Path

from benchmarks import minimality_pictures

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
