"""docs/theory.md: its examples run, in order, and give what they show; its limits are the program's."""

import doctest
import re
from pathlib import Path

from voile.theory.covers import MOST_BIJECTIONS
from voile.theory.partitions import MOST_PERSONS
from voile.theory.safe_sets import MOST_PARTITIONS
from voile.theory.surjections import MOST_STATES
from voile.theory.worlds import MOST_WORLDS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "theory.md").read_text(encoding="utf-8")


def test_examples_of_the_page():
    code = "\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.S))
    test = doctest.DocTestParser().get_doctest(code, {}, "docs/theory.md", None, 0)
    assert len(test.examples) > 10
    failed, _ = doctest.DocTestRunner().run(test)
    assert failed == 0


def test_the_page_names_every_file_and_limit():
    for path in (ROOT / "src" / "voile" / "theory").glob("[!_]*.py"):
        assert f"`{path.name}`" in PAGE
    limits = f"{MOST_WORLDS:,} worlds, {MOST_PERSONS} persons for all partitions, {MOST_PARTITIONS} locally safe"
    assert limits in PAGE and f"{MOST_BIJECTIONS:,}" in PAGE
    assert f"{MOST_STATES:,} half-made surjections" in PAGE
