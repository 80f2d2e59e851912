"""Series: life as it is (docs/facts/m_invariance.md B4), through the real ledger and the written bytes."""

import itertools

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import voile
from tests.series.clinic import SPEC, TWO, candidates, certificate, published, table
from voile.core.draws import InsecureDraws
from voile.errors import (
    HierarchyError,
    Infeasible,
    InputError,
    LedgerRefused,
    OutputError,
    ParameterError,
    SpecError,
)
from voile.ledger import Ledger
from voile.series.recollection import person_texts
from voile.series.registering import publish_once


@pytest.fixture
def series(tmp_path, monkeypatch):
    monkeypatch.setenv("VOILE_KEYS", str(tmp_path / "keys"))
    return voile.Series.create(tmp_path / "clinic.ledger")


def signature(series, rows, name):
    """What the ledger remembers of a person."""
    with Ledger.open(series.path) as ledger:
        number = ledger.recall(ledger.pseudonyms(person_texts(table(rows))))
        names = [r[0] for r in sorted(rows, key=lambda r: (r[1], r[2], r[0]))]
        return ledger.signatures()[int(number[names.index(name)])]


def test_first_release_and_the_same_again(series):
    for number in (1, 2):
        plan, report = series.publish(table(TWO), m=2)
        assert plan.number == number and report.ok
        assert plan.counts["published"] == 4 and plan.counts["counterfeits"] == 0
        assert plan.counts["new"] == (4 if number == 1 else 0)
    folders = [series.path.parent / f"release-{n}" for n in (1, 2)]
    for _, age, disease in TWO:
        assert candidates(folders[0], age) == candidates(folders[1], age) >= {disease}
    stated = [certificate(folder)["series"] for folder in folders]
    assert [s["release"] for s in stated] == [1, 2] and len({s["ledger"] for s in stated}) == 1
    assert stated[0]["m"] == 2 and stated[0]["balance"] == "counterfeit"


def test_who_left_and_returns_has_the_old_signature(series):
    series.publish(table(TWO), m=2)
    before = signature(series, TWO, "ann")
    series.publish(table(TWO[1:]))
    series.publish(table(TWO))
    assert signature(series, TWO, "ann") == before
    assert candidates(series.path.parent / "release-3", 30) == set(before)


def test_critical_absence_is_filled_by_a_counterfeit(series):
    """Bob's partner of the signature is gone: without a counterfeit his value would be left alone."""
    series.publish(table([("ann", 30, "flu"), ("bob", 40, "cold")]), m=2)
    plan, _ = series.publish(table([("bob", 40, "cold")]))
    assert plan.counts["counterfeits"] == 1
    groups, fakes = published(series.path.parent / "release-2")
    assert [[row["disease"] for row in rows] for rows in groups.values()] == [["cold", "flu"]] and fakes == {
        "1": 1
    }
    assert certificate(series.path.parent / "release-2")["table"] | {"columns": None} == {
        "rows": 2,
        "counterfeits": 1,
        "groups": 1,
        "suppressed": 0,
        "columns": None,
    }


def test_a_value_nobody_has_now_stands_where_its_label_belongs(series):
    """Were it last, the order of rows would tell that no real row has it."""
    series.publish(table([("ann", 30, "anemia"), ("bob", 40, "cold")]), m=2)
    series.publish(table([("bob", 40, "cold")]))
    groups, _ = published(series.path.parent / "release-2")
    assert [row["disease"] for row in groups["1"]] == ["anemia", "cold"]


def test_changed_quasi_identifier_keeps_the_signature(series):
    series.publish(table(TWO), m=2)
    before = signature(series, TWO, "ann")
    moved = [("ann", 59, "flu"), *TWO[1:]]
    series.publish(table(moved))
    assert signature(series, moved, "ann") == before


def test_changed_value(series):
    """Inside the signature it stays; outside it the row is held back, or the release refused by choice."""
    rows = [("ann", 30, "flu"), ("bob", 40, "cold")]
    series.publish(table(rows), m=2)
    plan, _ = series.publish(table([("ann", 30, "cold"), ("bob", 40, "cold")]))
    assert plan.counts["changed"] == 0 and plan.counts["counterfeits"] == 2
    changed = [("ann", 30, "gout"), ("bob", 40, "cold")]
    with pytest.raises(Infeasible, match="not in the signature"):
        series.publish(table(changed), changed="refuse")
    plan, _ = series.publish(table(changed))
    assert plan.counts["changed"] == 1 and plan.counts["published"] == 1
    stated = certificate(series.path.parent / "release-3")
    assert stated["table"]["suppressed"] == 0, "nothing public tells who is held back from who left"
    assert any("row is absent" in limit for limit in stated["adversary"]["not_promised"])
    plan, _ = series.publish(table(rows))
    assert plan.counts["changed"] == 0 and plan.counts["published"] == 2


def test_an_ineligible_batch_waits_as_a_whole(series):
    series.publish(table(TWO), m=2)
    batch = [("eve", 35, "gout"), ("fay", 36, "gout"), ("gus", 37, "flu")]
    with pytest.raises(Infeasible, match="m = "):
        series.publish(table(TWO + batch), ineligible="refuse")
    plan, _ = series.publish(table(TWO + batch))
    assert plan.counts["waiting"] == 3 and plan.counts["published"] == 4
    assert certificate(series.path.parent / "release-2")["adversary"]["rung"] == "release", "waiting tells"
    more = [*batch, ("hal", 38, "cold")]
    plan, _ = series.publish(table(TWO + more))
    assert plan.counts["waiting"] == 0 and plan.counts["new"] == 4
    assert certificate(series.path.parent / "release-3")["adversary"]["rung"] == "release"


def test_an_ineligible_first_release_is_refused_without_a_trace(series):
    with pytest.raises(Infeasible, match="fewer than m = 2"):
        series.publish(table([("ann", 30, "flu"), ("bob", 40, "flu")]), m=2)
    assert series.history().height == 0
    assert not (series.path.parent / "release-1").exists()


def test_everybody_left(series):
    series.publish(table(TWO), m=2)
    plan, report = series.publish(table([]))
    assert report.ok and plan.counts["published"] == 0
    assert voile.audit(series.path.parent / "release-2", SPEC).rows == 0
    plan, _ = series.publish(table(TWO))
    assert plan.counts["new"] == 0


def test_nobody_yet(series):
    with pytest.raises(Infeasible):
        series.publish(table([]), m=2)


def test_preview_writes_nothing(series):
    plan = series.preview(table(TWO), m=2)
    assert plan.number == 1 and plan.counts["published"] == 4
    assert series.history().height == 0
    assert sorted(p.name for p in series.path.parent.iterdir()) == ["clinic.ledger", "clinic.ledger.lock", "keys"]
    assert "ann" not in repr(plan) and "flu" not in repr(plan)
    with pytest.raises(ValueError):
        plan.release.write(series.path.parent / "smuggled")


def test_duplicate_and_missing_persons(series):
    with pytest.raises(InputError, match="one row per person"):
        series.publish(table([*TWO, ("ann", 31, "cold")]), m=2)
    frame = pl.DataFrame({"name": ["ann", None], "age": [1, 2], "disease": ["flu", "cold"]})
    with pytest.raises(InputError, match="missing"):
        voile.read(frame, SPEC)
    lenient = {**SPEC, "name": {"role": "subject", "missing": "category"}}
    with pytest.raises(SpecError, match="name of their own"):
        series.publish(voile.read(frame, lenient), m=2)


def test_no_subject_column_and_wrong_types(series):
    frame = pl.DataFrame({"age": [1, 2], "disease": ["flu", "cold"]})
    plain = {"age": {"role": "qi", "type": "integer"}, "disease": "sensitive"}
    with pytest.raises(SpecError, match="subject"):
        series.publish(voile.read(frame, plain), m=2)
    with pytest.raises(InputError, match="read it first"):
        series.publish(frame, m=2)
    decimal = {**SPEC, "disease": {"role": "sensitive", "type": "decimal"}}
    with pytest.raises(SpecError, match="decimal"):
        series.publish(table([("ann", 1, "0.5"), ("bob", 2, "0.7")], decimal), m=2)


def test_m_is_the_promise_of_the_whole_series(series):
    with pytest.raises(ParameterError, match="first release fixes it"):
        series.publish(table(TWO))
    series.publish(table(TWO), m=2)
    with pytest.raises(ParameterError, match="promises m = 2"):
        series.publish(table(TWO), m=3)


def test_another_sensitive_column_is_refused(series):
    series.publish(table(TWO), m=2)
    frame = pl.DataFrame({"name": ["ann"], "age": [1], "job": ["nurse"]})
    other = {"name": "subject", "age": {"role": "qi", "type": "integer"}, "job": "sensitive"}
    with pytest.raises(LedgerRefused, match="another sensitive column"):
        series.publish(voile.read(frame, other))


@pytest.mark.parametrize(
    "subject",
    [{"role": "subject", "casefold": True}, {"role": "subject", "type": "integer"}],
    ids=["spelling", "type"],
)
def test_persons_declared_otherwise_would_all_be_new(series, subject):
    rows = [(str(i), age, disease) for i, (_, age, disease) in enumerate(TWO)]
    series.publish(table(rows), m=2)
    with pytest.raises(LedgerRefused, match="declared otherwise"):
        series.publish(table(rows, {**SPEC, "name": subject}))


def test_another_column_of_persons(series):
    series.publish(table(TWO), m=2)
    other = {"person": "subject", "age": SPEC["age"], "disease": "sensitive"}
    frame = pl.DataFrame(TWO, schema=["person", "age", "disease"], orient="row")
    with pytest.raises(LedgerRefused, match="declared otherwise"):
        series.publish(voile.read(frame, other))


def test_decimal_persons(series):
    """Their spelling depends on the table: 1.5 is 1.50 beside 2.25."""
    rows = [(f"{i}.5", age, disease) for i, (_, age, disease) in enumerate(TWO)]
    with pytest.raises(SpecError, match="decimal subject"):
        series.publish(table(rows, {**SPEC, "name": {"role": "subject", "type": "decimal"}}), m=2)


def test_nobody_known_is_a_misspelling_until_told_otherwise(series):
    series.publish(table(TWO), m=2)
    shouted = [(name.upper(), age, disease) for name, age, disease in TWO]
    with pytest.raises(LedgerRefused, match="none of the 4 persons"):
        series.publish(table(shouted))
    plan, _ = series.publish(table(shouted), all_new=True)
    assert plan.counts["new"] == 4


def test_filling_weakens_the_claim_for_ever_after(series):
    rungs = []
    for number, balance in enumerate(("counterfeit", "fill", "counterfeit"), 1):
        series.publish(table(TWO), m=2, balance=balance)
        rungs.append(certificate(series.path.parent / f"release-{number}")["adversary"]["rung"])
    assert rungs == ["algorithm, marginal", "release", "release"]


def test_spelling_is_the_same_value_only_where_the_spec_says_so(series):
    series.publish(table(TWO), m=2)
    shouted = [(name, age, disease.upper()) for name, age, disease in TWO]
    with pytest.raises(SpecError, match="spelled otherwise"):
        series.publish(table(shouted))
    folded = {**SPEC, "disease": {"role": "sensitive", "casefold": True}}
    plan, _ = series.publish(table(shouted, folded))
    assert plan.counts["changed"] == 0 and plan.counts["published"] == 4


def test_a_hierarchy_that_lost_a_published_value(series):
    def spec(*leaves):
        tree = voile.Hierarchy.from_lines([[leaf, "any", "*"] for leaf in leaves])
        return {**SPEC, "disease": {"role": "sensitive", "hierarchy": tree}}

    series.publish(table(TWO, spec("flu", "cold", "gout")), m=2)
    with pytest.raises(HierarchyError, match="earlier releases"):
        series.publish(table(TWO[:1], spec("flu")))


def test_persons_published_otherwise_are_never_published_again(series, tmp_path):
    book = {"ledger": series.path}
    rows = [(f"p{i}", i, d) for i, d in enumerate(["flu", "cold", "gout", "flu"] * 3)]
    frame = pl.DataFrame(rows, schema=["name", "age", "disease"], orient="row")
    publish_once(frame, SPEC, "rda", tmp_path / "a", l=2, **book)
    with pytest.raises(LedgerRefused, match="12 persons"):
        publish_once(frame, SPEC, "rda", tmp_path / "b", l=2, **book)
    assert not (tmp_path / "b").exists()
    with pytest.raises(LedgerRefused, match="1 person "):
        series.publish(table([*TWO, rows[0]]), m=2)
    series.publish(table(TWO), m=2)
    with pytest.raises(LedgerRefused, match="4 persons"):
        publish_once(
            pl.DataFrame(TWO, schema=["name", "age", "disease"], orient="row"),
            SPEC,
            "rda",
            tmp_path / "c",
            l=2,
            **book,
        )
    assert certificate(tmp_path / "a")["series"]["release"] == 1
    assert series.history()["state"].to_list() == ["published", "published"]


def test_erased_persons_are_held_back(series):
    series.publish(table(TWO), m=2)
    with Ledger.open(series.path) as ledger:
        assert ledger.erase(ledger.pseudonyms(pl.Series(["ann"]))) == 1
    plan, _ = series.publish(table(TWO))
    assert plan.counts["erased"] == 1 and plan.counts["published"] == 3


def test_who_was_erased_before_the_series_began(series, tmp_path):
    rows = [(f"p{i}", i, d) for i, d in enumerate(["flu", "cold"] * 2)]
    frame = pl.DataFrame(rows, schema=["name", "age", "disease"], orient="row")
    publish_once(frame, SPEC, "elig", tmp_path / "a", ledger=series.path, l=2)
    with Ledger.open(series.path) as ledger:
        assert ledger.erase(ledger.pseudonyms(pl.Series([r[0] for r in rows]))) == 4
    plan, _ = series.publish(table(rows + TWO), m=2)
    assert plan.counts["erased"] == 4 and plan.counts["published"] == 4


def test_a_series_is_not_registered_as_a_single_release(series, tmp_path):
    frame = pl.DataFrame(TWO, schema=["name", "age", "disease"], orient="row")
    with pytest.raises(ParameterError, match="voile publish"):
        publish_once(frame, SPEC, "m_invariant", tmp_path / "a", ledger=series.path, m=2)


def test_interrupted_after_it_was_revealed(series, monkeypatch):
    """The truth is told: it is visible, whatever stopped us; and it stays remembered."""
    monkeypatch.setattr(Ledger, "commit", lambda self, release: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(LedgerRefused, match="is visible"):
        series.publish(table(TWO), m=2)
    assert series.history()["state"].to_list() == ["audited"]
    monkeypatch.undo()
    monkeypatch.setenv("VOILE_KEYS", str(series.path.parent / "keys"))
    plan, _ = series.publish(table(TWO), m=2)
    assert plan.counts["new"] == 0


def test_interrupted_before(series, monkeypatch):
    from voile.output.staging import Staging

    monkeypatch.setattr(Staging, "reveal", lambda self: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        series.publish(table(TWO), m=2)
    assert series.history()["state"].to_list() == ["abandoned"]


def test_held_back_looks_like_having_left(series, tmp_path):
    """But for the date and the hashes, the certificates are the same."""
    spec = {**SPEC, "town": "qi"}
    columns = ["name", "age", "disease", "town"]
    rows = [(f"p{i}", 30 + i, ("flu", "cold")[i % 2], "ab"[i % 2]) for i in range(8)] + [("vic", 90, "flu", "z")]
    rows.append(("wim", 91, "cold", "z"))
    certificates = []
    for number, later in enumerate(([("vic", 90, "gout", "z")], [])):
        other = voile.Series.create(tmp_path / f"{number}.ledger")
        for wave, table_of in enumerate((rows, rows[:8] + later)):
            frame = pl.DataFrame(table_of, schema=columns, orient="row")
            plan, _ = other.publish(
                voile.read(frame, spec), tmp_path / f"{number}-{wave}", m=2, draws=InsecureDraws(1)
            )
        certificates.append(certificate(tmp_path / f"{number}-1"))
    held, left = ({k: v for k, v in c.items() if k not in ("series", "files")} for c in certificates)
    assert held == left and plan.counts["published"] == 8


def test_draws_that_can_be_repeated_weaken_the_series(series):
    rungs = []
    for number, more in enumerate(({"draws": InsecureDraws(1)}, {}), 1):
        series.publish(table(TWO), m=2, **more)
        rungs.append(certificate(series.path.parent / f"release-{number}")["adversary"]["rung"])
    assert rungs == ["release", "release"]


def test_m_of_an_abandoned_first_release_binds_nobody(series, monkeypatch):
    from voile.output.staging import Staging

    monkeypatch.setattr(Staging, "reveal", lambda self: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        series.publish(table(TWO), m=2, balance="fill")
    monkeypatch.undo()
    monkeypatch.setenv("VOILE_KEYS", str(series.path.parent / "keys"))
    rows = [(f"p{i}", i, d) for i, d in enumerate(["flu", "cold", "gout"] * 2)]
    plan, _ = series.publish(table(rows), m=3)
    assert plan.release.certificate["adversary"]["rung"] == "algorithm, marginal"


def test_missing_values_that_are_a_category_stay_last(series):
    spec = {**SPEC, "disease": {"role": "sensitive", "missing": "category"}}
    rows = [("ann", 1, "flu"), ("bob", 1, None), ("cid", 1, "cold"), ("dan", 1, "gout")]
    series.publish(table(rows, spec), m=4)
    series.publish(table(rows[:3], spec))
    series.publish(table([rows[0], *rows[2:]], spec))
    for number in (1, 2, 3):
        groups, _ = published(series.path.parent / f"release-{number}")
        assert [row["disease"] for row in groups["1"]] == ["cold", "flu", "gout", "(missing)"]


@pytest.mark.parametrize("kind", [{"type": "date"}, {"type": "ordinal", "order": ["1", "2"]}], ids=str)
def test_another_type_of_the_sensitive_column(series, kind):
    whole = {**SPEC, "disease": {"role": "sensitive", "type": "integer"}}
    series.publish(table([("ann", 1, "770001"), ("bob", 2, "770002")], whole), m=2)
    now = "2020-01-01" if kind["type"] == "date" else "1"
    with pytest.raises(SpecError, match="as before") as refusal:
        series.publish(
            table([("ann", 1, now), ("bob", 2, now)], {**SPEC, "disease": {"role": "sensitive", **kind}})
        )
    assert "77000" not in str(refusal.value) and refusal.value.__context__ is None


def test_an_old_copy_is_noticed_by_a_release_beside(series):
    """Ledger and witness of yesterday: only the certificate of today's release can tell."""
    import shutil

    series.publish(table(TWO), m=2)
    keys, ledger = series.path.parent / "keys", series.path
    shutil.copytree(keys, series.path.parent / "old-keys")
    shutil.copy(ledger, series.path.parent / "old")
    series.publish(table(TWO))
    shutil.rmtree(keys)
    shutil.copytree(series.path.parent / "old-keys", keys)
    shutil.copy(series.path.parent / "old", ledger)
    with pytest.raises(LedgerRefused, match="release 2"):
        series.publish(table(TWO), series.path.parent / "release-3")


def test_a_failed_audit_is_abandoned(series, monkeypatch):
    """What was never revealed is not remembered as published; the number is not used again."""
    from voile import writing

    monkeypatch.setattr(writing, "audit", lambda *arguments: (_ for _ in ()).throw(OSError(5, "disk")))
    with pytest.raises(OutputError, match="cannot be written"):
        series.publish(table(TWO), m=2)
    monkeypatch.undo()
    monkeypatch.setenv("VOILE_KEYS", str(series.path.parent / "keys"))
    assert series.history()["state"].to_list() == ["abandoned"]
    plan, _ = series.publish(table(TWO), m=2)
    assert plan.number == 2 and plan.counts["new"] == 4


def test_no_ledger_is_never_a_new_one(tmp_path):
    with pytest.raises(LedgerRefused, match="there is no ledger"):
        voile.Series(tmp_path / "mistyped.ledger")


@pytest.mark.slow
@settings(max_examples=15)
@given(data=st.data())
def test_signatures_persist_through_any_life(tmp_path_factory, data):
    """Random waves of arrivals, departures, returns, moves and changed values: m-unique groups, the same
    signature for ever, somebody real in every group."""
    folder = tmp_path_factory.mktemp("life")
    m, balance = data.draw(st.integers(2, 3)), data.draw(st.sampled_from(["fill", "counterfeit"]))
    key = folder / "the.key"
    voile.Series.create(folder / "a.ledger", key=key)
    series = voile.Series(folder / "a.ledger", key=key)
    remembered = {}
    for wave in range(data.draw(st.integers(1, 4))):
        names = data.draw(st.sets(st.sampled_from("abcdefghijkl"), min_size=4))
        rows = [(n, data.draw(st.integers(0, 9)), data.draw(st.sampled_from("uvwxyz"))) for n in sorted(names)]
        draws = InsecureDraws(data.draw(st.integers(0, 99)))
        try:
            plan, _ = series.publish(table(rows), m=m, balance=balance, draws=draws, all_new=True)
        except Infeasible:
            continue
        shown = plan.recollection.table
        secret, label = shown.sensitive[0].codes, shown.sensitive[0].domain.labels
        names_in_order = [shown.columns[0].domain.labels[c] for c in shown.columns[0].codes]
        for g in range(plan.partition.groups):
            members = [i for i, own in enumerate(plan.partition.group) if own == g]
            fakes = plan.partition.counterfeit_value[plan.partition.counterfeit_group == g]
            bag = [label[c] for c in itertools.chain(secret[members], fakes)]
            assert members and len(bag) >= m and len(set(bag)) == len(bag)
            for i in members:
                assert remembered.setdefault(names_in_order[i], set(bag)) == set(bag), wave
