"""What the page of a hierarchy is told by its child."""

import pytest

from voile.web.child import outcome_of
from voile.web.tasks.hierarchy_tree import LONGEST_TEXT, MOST_CHILDREN, MOST_NODES, run

TABLE = "zip,age,disease\n81675,23,flu\n81677,37,gout\n12345,21,flu\n,24,asthma\n"
TREE = "flu;lung;*\nasthma;lung;*\ngout;joints;*\n"


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


def looked(table, column, hierarchy=None, out="", **options):
    given = {"role": "quasi-identifying", **options, **({} if hierarchy is None else {"hierarchy": hierarchy})}
    arguments = {"path": str(table), "file": {}, "column": column, "options": given, "out": str(out)}
    return run(arguments, lambda stage, share: None)


def written(tmp_path, text):
    path = tmp_path / "tree.csv"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_file_that_fits(table, tmp_path):
    found = looked(table, "disease", written(tmp_path, TREE + "measles;skin;*\n"))
    assert (found["leaves"], found["levels"], found["values"], found["rows"]) == (4, 3, 3, 4)
    assert (found["lacking"], found["lacking_rows"], found["unused"]) == (0, 0, 1)
    assert found["text"] == TREE + "measles;skin;*\n"  # joints has one child, and stays in the text
    lung, *_ = found["tree"]["children"]
    assert (lung["label"], lung["leaves"], lung["rows"]) == ("lung", 2, 3)


def test_missing_cells_are_no_values(table):
    found = looked(table, "zip", {"mask": [1, 3]})
    assert (found["leaves"], found["missing"], found["lacking"]) == (3, 1, 0)
    assert "81675;8167*;*" in found["text"].splitlines()
    assert looked(table, "zip", {"mask": [1, 3]}, missing="category")["leaves"] == 4


def test_what_is_lacking_can_be_added(table, tmp_path):
    given = written(tmp_path, "flu;lung;*\nasthma;lung;*\n")
    found = looked(table, "disease", given)
    assert (found["lacking"], found["lacking_rows"], found["values"]) == (1, 1, 3)
    whole = looked(table, "disease", given, out=tmp_path / "whole.csv")
    assert (whole["lacking"], whole["leaves"]) == (0, 3)
    assert (tmp_path / "whole.csv").read_text(encoding="utf-8").splitlines()[-1] == "gout;gout;*"
    assert (tmp_path / "whole.csv").stat().st_mode & 0o777 == 0o600


def test_one_number_in_two_spellings_is_added_once(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("age\n7\n007\n8\n8.0\n9\n", encoding="utf-8")
    given = written(tmp_path, "9;high;*\n")
    found = looked(table, "age", given, out=tmp_path / "whole.csv", type="decimal")
    assert (found["leaves"], found["lacking"]) == (3, 0)


@pytest.mark.parametrize(
    ("text", "what", "lines"),
    [
        ("flu;lung;*\ngout;joints;*\nflu;skin;*\n", "again", [1, 3]),
        ("flu;lung;*\ngout;*\n", "2 levels", [1, 2]),
        ("flu;lung;x;*\ngout;lung;y;*\n", "another parent", [1, 2]),
    ],
)
def test_refusals_come_with_the_text(table, tmp_path, text, what, lines):
    found = looked(table, "disease", written(tmp_path, text))
    assert what in found["refused"]["what"]
    assert found["text"] == text
    assert [number for number, _ in found["at"]] == lines
    assert "flu" not in str(found["refused"])


def test_misleading_labels(table, tmp_path):
    given = written(tmp_path, "23;20-29;*\n21;20-29;*\n24;20-29;*\n37;20-29;*\n")
    assert "does not contain" in looked(table, "age", given, type="integer")["refused"]["what"]
    assert looked(table, "age", given, type="integer", check_labels=False)["lacking"] == 0


def test_a_hierarchy_of_another_column(table, tmp_path):
    found = looked(table, "zip", written(tmp_path, TREE))
    assert "none of the table's values" in found["refused"]["what"]


def test_recipes_of_another_type_are_refused(table):
    assert "another type" in looked(table, "disease", {"intervals": [5]})["refused"]["what"]
    assert "nest" in looked(table, "age", {"intervals": [5, 7]}, type="integer")["refused"]["what"]


def test_without_a_hierarchy_there_are_the_values(table):
    found = looked(table, "age", type="integer")
    assert found["text"] == "21;*\n23;*\n24;*\n37;*\n"
    assert found["about"] == {"low": 21, "high": 37}


def test_large_trees_are_cut(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("age\n" + "\n".join(map(str, range(60_000))) + "\n", encoding="utf-8")
    found = looked(table, "age", {"intervals": [10, 1000]}, type="integer")
    seen, waiting = 0, [found["tree"]]
    for node in waiting:
        seen += 1
        waiting += node["children"]
        assert len(node["children"]) <= MOST_CHILDREN
    assert seen <= MOST_NODES + 1
    assert found["tree"]["more"] == 60 - MOST_CHILDREN
    assert found["leaves"] == 60_000
    assert found["text"] is None or len(found["text"]) <= LONGEST_TEXT


def test_what_is_no_text(table, tmp_path):
    (tmp_path / "tree.csv").write_bytes(b"flu;\xff;*\n")
    found = looked(table, "disease", str(tmp_path / "tree.csv"))
    assert found == {"refused": found["refused"]}
    assert "UTF-8" in found["refused"]["what"]


def test_a_child_answers_in_json(table):
    arguments = {"path": str(table), "file": {}, "column": "zip", "options": {"role": "sensitive"}, "out": ""}
    assert outcome_of("hierarchy_tree", arguments, lambda *_: None)["done"]["values"] == 3
