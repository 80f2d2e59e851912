"""What children do for the pages of a series, called as they call it."""

import json
import os
import stat

import numpy as np
import pytest

import voile
from voile.errors import InputError, LedgerRefused, OutputError, ParameterError, SpecError
from voile.ledger import Ledger
from voile.pipeline import silent
from voile.web.child import outcome_of
from voile.web.draft import Draft
from voile.web.fingerprint import fingerprint
from voile.web.pages.series_preview import preview_markup
from voile.web.series_columns import as_before
from voile.web.series_shelf import commands_for, key_of, title_of
from voile.web.shelf import Shelf
from voile.web.tasks import series_begin, series_books, series_preview, series_publish

SPEC = """[columns]
name = { role = "subject" }
age = { role = "quasi-identifying", type = "integer" }
disease = { role = "sensitive" }
"""
ROWS = [f"p{i},{20 + i},{('flu', 'cold', 'gout', 'asthma')[i % 4]}" for i in range(24)]


@pytest.fixture
def clinic(tmp_path, monkeypatch):
    """A shelf with a series that has begun, and a table with its spec elsewhere."""
    monkeypatch.setenv("VOILE_KEYS", str(tmp_path / "keys"))
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    ledger = Shelf(shelf).new_series("clinic")
    series_begin.run({"ledger": str(ledger)}, silent)
    draft = tmp_path / "draft"
    draft.mkdir()
    (draft / "spec.toml").write_text(SPEC)
    write(draft / "table.csv", ROWS)
    return ledger, draft


def write(path, rows):
    path.write_text("\n".join(["name,age,disease", *rows]) + "\n")


def asked(clinic, **more):
    ledger, draft = clinic
    basic = {"path": str(draft / "table.csv"), "spec": str(draft / "spec.toml"), "ledger": str(ledger)}
    basic["fingerprint"] = fingerprint(draft / "table.csv", draft / "spec.toml")
    return {**basic, "parameters": {"m": 3}, "all_new": False, **more}


def publish(clinic, number, **more):
    out = str(clinic[0].parent / f"release-{number}")
    return series_publish.run(asked(clinic, out=out, format="csv", number=number, **more), silent)


def test_a_series_begins_in_a_private_folder_of_its_own(clinic):
    ledger, _ = clinic
    assert stat.S_IMODE(ledger.parent.stat().st_mode) == 0o700 and ledger.name == "clinic.ledger"
    assert list(Shelf(ledger.parent.parent).ledgers()) == ["clinic/clinic.ledger"]
    with pytest.raises(OutputError, match="cannot be made"):
        series_begin.run({"ledger": str(ledger)}, silent)
    assert ledger.exists(), "what is there stays"


def test_a_series_that_cannot_begin_leaves_nothing(tmp_path, monkeypatch):
    (tmp_path / "keys").write_text("not a folder")
    monkeypatch.setenv("VOILE_KEYS", str(tmp_path / "keys"))
    with pytest.raises(LedgerRefused):
        series_begin.run({"ledger": str(tmp_path / "clinic" / "clinic.ledger")}, silent)
    assert not (tmp_path / "clinic").exists()


@pytest.mark.parametrize("name", ["", "..", "../up", "a/b", "-a", "a b", "a.b", "a\n", "ä", "x" * 41, "a\0"])
def test_names_of_series_are_plain(tmp_path, name):
    with pytest.raises(InputError, match="not a name"):
        Shelf(tmp_path).new_series(name)
    assert Shelf(tmp_path).new_series("clinic-2026") == tmp_path.resolve() / "clinic-2026" / "clinic-2026.ledger"


def test_a_name_that_is_taken_is_refused(clinic):
    with pytest.raises(InputError, match="already"):
        Shelf(clinic[0].parent.parent).new_series("clinic")


def test_preview_says_what_publishing_then_does(clinic):
    ledger, draft = clinic
    before = {path: path.read_bytes() for path in ledger.parent.iterdir()}
    seen = series_preview.run(asked(clinic), silent)
    assert {path: path.read_bytes() for path in ledger.parent.iterdir()} == before, "nothing is written"
    done = publish(clinic, 1)
    assert seen["counts"] == done["counts"] and seen["number"] == done["number"] == 1
    write(draft / "table.csv", [*ROWS[4:], "q1,33,flu", "q2,34,cold", "q3,35,gout"])
    second = publish(clinic, 2, parameters={})
    assert (second["counts"]["new"], second["counts"]["gone"], second["counts"]["returned"]) == (3, 4, 0)
    write(draft / "table.csv", ROWS)
    third = series_preview.run(asked(clinic, parameters={}), silent)
    assert (third["counts"]["new"], third["counts"]["gone"], third["counts"]["returned"]) == (0, 3, 4)
    json.dumps(third)
    text = preview_markup(third)
    assert "4 persons known, and not in the last release" in text and "3 persons published before" in text


def test_a_lost_note_is_said_to_be_lost(clinic):
    publish(clinic, 1)
    (clinic[0].parent / "clinic.ledger.members").unlink()
    found = series_preview.run(asked(clinic, parameters={}), silent)
    assert found["counts"]["returned"] is None and "not known" in preview_markup(found)


def test_what_was_not_previewed_is_not_published(clinic):
    publish(clinic, 1)
    with pytest.raises(LedgerRefused, match="release 1 was previewed, but the next one is 2"):
        publish(clinic, 1)
    assert voile.Series(clinic[0]).history().height == 1


@pytest.mark.parametrize("name", ["spec.toml", "table.csv", "hierarchy-3.csv"])
def test_what_changed_since_the_preview_is_not_published(clinic, name):
    old = asked(clinic, out=str(clinic[0].parent / "release-1"), format="csv", number=1)
    path = clinic[1] / name
    path.write_text((path.read_text() if path.exists() else "") + "\n")
    with pytest.raises(InputError, match="changed since the preview"):
        series_publish.run(old, silent)
    assert voile.Series(clinic[0]).history().height == 0


def test_another_m_is_impossible(clinic):
    publish(clinic, 1)
    with pytest.raises(ParameterError) as refused:
        series_preview.run(asked(clinic, parameters={"m": 4}), silent)
    assert "m = 3" in refused.value.remedy
    assert series_preview.run(asked(clinic, parameters={}), silent)["m"] == 3


def test_without_persons_there_is_no_series(clinic):
    (clinic[1] / "spec.toml").write_text(SPEC.replace("subject", "identifying"))
    with pytest.raises(SpecError) as refused:
        series_preview.run(asked(clinic), silent)
    assert refused.value.remedy


def test_strangers_are_refused_without_naming_them(clinic):
    publish(clinic, 1)
    write(clinic[1] / "table.csv", [row.replace("p", "canary") for row in ROWS])
    found = outcome_of("series_preview", asked(clinic, parameters={}), silent)
    assert "--all-new" in found["error"]["remedy"] and "canary" not in json.dumps(found)
    assert series_preview.run(asked(clinic, parameters={}, all_new=True), silent)["counts"]["new"] == 24


def test_the_spec_is_kept_beside_the_ledger_once(clinic):
    ledger, draft = clinic
    (draft / "hierarchy-3.csv").write_text("flu;*\ncold;*\ngout;*\nasthma;*\n")
    publish(clinic, 1)
    kept = ledger.with_suffix(".toml")
    assert kept.read_text() == SPEC and stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert (ledger.parent / "hierarchy-3.csv").exists()
    kept.write_text(SPEC + "# mine\n")
    publish(clinic, 2, parameters={})
    assert kept.read_text().endswith("# mine\n"), "never in place of something that is there"
    found = series_books.run({"ledgers": {"x": str(ledger)}}, silent)["books"]["x"]
    assert found["columns"]["name"] == {"role": "subject"}


def test_books_tell_what_is_to_do_and_one_that_refuses_hides_no_other(clinic, tmp_path):
    ledger, _ = clinic
    publish(clinic, 1)
    with Ledger.open(ledger) as book:
        body = {"algorithm": "rda", "parameters": {}, "rows": 0}
        book.reserve(np.empty((0, 2), np.uint64), [], (), body, ledger.parent / "release-2")
    broken = tmp_path / "broken.ledger"
    broken.write_bytes(b"x" * 5000)
    os.chmod(broken, 0o600)
    before = sorted((path, path.read_bytes()) for path in ledger.parent.glob("clinic.ledger*"))
    asked_for = {"ledgers": {"broken": str(broken), "clinic": str(ledger)}, "charts": True}
    books = series_books.run(asked_for, silent)["books"]
    assert sorted((path, path.read_bytes()) for path in ledger.parent.glob("clinic.ledger*")) == before
    assert books["broken"]["error"]["kind"] == "LedgerRefused"
    found = books["clinic"]
    assert (found["m"], found["persons"], found["next"], found["interrupted"]) == (3, 24, 3, [2])
    assert [line["state"] for line in found["releases"]] == ["published", "reserved"]
    assert len(found["charts"]) == 2 and all("<svg" in chart for chart in found["charts"])
    assert found["key_is_there"] and (found["subject"], found["sensitive"]) == ("name", "disease")
    json.dumps(books)


def test_commands_are_exact(tmp_path):
    ledger = tmp_path / "a b" / "c.ledger"
    error = {"kind": "LedgerRefused", "remedy": "voile ledger recover c.ledger --attest-current"}
    assert commands_for(error, ledger)[1] == f"voile ledger recover '{ledger}' --attest-current"
    assert commands_for({"kind": "Infeasible", "remedy": "recover"}, ledger) == []


def test_ledgers_in_addresses():
    assert key_of("a/a.ledger") != key_of("b/b.ledger") and title_of("x.ledger") == "x"


def test_columns_of_the_next_release_are_as_before(clinic, tmp_path):
    """With their hierarchies, where these lie beside the ledger under names of ours; nothing else is fetched."""
    folder = clinic[0].parent
    (folder / "hierarchy-2.csv").write_text("flu;*\n")
    (tmp_path / "secret.csv").write_text("not ours")
    draft = Draft.begun(tmp_path, "series", tmp_path / "next.csv", "next.csv")
    draft.columns = {"age": {"role": "quasi-identifying"}, "disease": {"role": "sensitive"}}
    own = as_before(draft, "disease", {"role": "sensitive", "hierarchy": "hierarchy-2.csv"}, folder)
    assert own == {"role": "sensitive", "hierarchy": "hierarchy-2.csv"}
    assert (draft.folder / "hierarchy-2.csv").read_text() == "flu;*\n"
    recipe = {"role": "quasi-identifying", "hierarchy": {"intervals": [5]}}
    assert as_before(draft, "age", recipe, folder) == recipe
    for elsewhere in ("../secret.csv", str(tmp_path / "secret.csv"), "hierarchy-9.csv"):
        assert as_before(draft, "age", {"role": "sensitive", "hierarchy": elsewhere}, folder) == {
            "role": "sensitive"
        }
