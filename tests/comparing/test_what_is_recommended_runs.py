"""Whatever is recommended runs on that very table; or nothing is, and why."""

import itertools
import os
import shlex
from dataclasses import replace

import pytest

import voile
from tests.command_line import voile as typed
from tests.comparing.tables import TABLES, permuted, spec_of, subject
from voile.comparing.choosing import ADVERSARIES, NEEDS, NOTATIONS, RELEASES, Needs
from voile.comparing.one_run import outcome_of
from voile.comparing.plan import Run
from voile.comparing.reach import reach_of
from voile.comparing.recommending import recommended
from voile.errors import VoileError

pytestmark = pytest.mark.slow  # a hundred recommendations, each of them run

WAYS = list(itertools.product(ADVERSARIES, RELEASES, NOTATIONS))
# what a careful steward would say; all others may end in nothing, with a reason
RELEASE = replace(NEEDS, adversary="release")
EXPECTED = {
    ("two rows per person", NEEDS): "-a glass -p l=2",
    ("two rows per person", RELEASE): "-a elig -p l=4",
    ("a person with most rows", NEEDS): "",
    ("a person with most rows", RELEASE): "-a elig -p l=2 -p ineligible=suppress",
    ("skewed", NEEDS): "",
    ("skewed", RELEASE): "-a sweep_e -p tau=0.75 -p l=3",
    ("kept", NEEDS): "",
    ("kept", RELEASE): "",
    ("kept", replace(NEEDS, notation="tables")): "-a anatomy -p l=4",
    ("kept, all the same", RELEASE): "-a elig -p l=4",
    ("grid", NEEDS): "-a glass -p l=4",
    ("grid", replace(NEEDS, notation="tables")): "",
    ("two sensitive", NEEDS): "-a blind_cut -p l=4",
    ("grid", replace(NEEDS, strong=True)): "-a blind_cut -p l=4",
    ("three sensitive", RELEASE): "-a elig -p l=3",
    ("one row per person", replace(NEEDS, releases="series")): "-a m_invariant -p m=4",
}


def run_it(found, table, folder):
    """The release that was recommended, or a refusal."""
    if found.needs.releases == "one":
        return voile.anonymize(table, found.algorithm, **found.parameters)
    series = voile.Series.create(folder / "s.ledger", key=folder / "keys" / "s.key")
    return series.publish(table, folder / "release-1", **found.parameters)[0].release


def expect_it_runs(found, table, folder):
    """Or that the recommendation says that nothing works and why."""
    if not found.algorithm:
        assert found.answer.startswith("None") and found.command("t.csv", "s.toml") == ""
        question, why = found.reasons[-1]
        assert question == "Why none?" and len(why) > 30
        return
    release = run_it(found, table, folder)
    assert found.looked or release.certificate["adversary"]["rung"] == found.rung
    notation = dict(found.reasons)["Which notation?"]
    assert notation.startswith("Two tables" if release.sensitive is not None else "One table")


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("way", WAYS, ids=" ".join)
def test_what_is_recommended_runs(name, way, tmp_path):
    table = subject(name)
    for ell in (None, 4):
        (tmp_path / f"{ell}").mkdir()
        expect_it_runs(recommended(table, Needs(*way, ell)), table, tmp_path / f"{ell}")


@pytest.mark.parametrize(("name", "needs"), EXPECTED, ids=str)
def test_where_something_runs_something_is_recommended(name, needs):
    found = recommended(subject(name), needs)
    assert (found.options() if found.algorithm else "") == EXPECTED[name, needs], found.reasons


@pytest.mark.parametrize("name", TABLES)
def test_after_a_comparison_too(name, tmp_path):
    """What was just reported as infeasible, or made by a lucky draw, is not the answer."""
    table = subject(name)
    runs = [Run(key, (("l", ell),)) for key in ("elig", "rda", "mondrian", "gda") for ell in ("2", "4")]
    results = [(run, outcome_of(table, run.algorithm, dict(run.parameters), "")) for run in runs]
    refused = {run for run, outcome in results if not outcome.get("kept")}
    for adversary, notation in itertools.product(ADVERSARIES, NOTATIONS):
        for ell in (None, 4):
            found = recommended(table, Needs(adversary, notation=notation, l=ell), results)
            assert Run(found.algorithm, tuple(found.parameters.items())) not in refused
            expect_it_runs(found, table, tmp_path)


@pytest.mark.parametrize("name", TABLES)
def test_who_has_what_does_not_matter_against_who_knows_the_algorithm(name):
    """Permuted values: the same frequencies and persons, other values for each. The same choice, in the same
    words; and no result is looked at, whatever it is."""
    runs = [Run(key, (("l", "2"),)) for key in ("elig", "rda")]
    for releases, notation in itertools.product(RELEASES, NOTATIONS):
        needs = Needs("algorithm", releases, notation)
        found = recommended(subject(name), needs)
        assert not found.looked
        for seed in range(3):
            assert recommended(permuted(name, seed), needs) == found
        failed = [(run, {"refusal": "no", "why": "broken"}) for run in runs]
        lucky = [(run, {"kept": True, "achieved_l": 2, "gcp_leaves": 0.0, "suppressed_rows": 0}) for run in runs]
        assert recommended(subject(name), needs, failed) == recommended(subject(name), needs, lucky)


def test_nothing_is_tried_against_who_knows_the_algorithm(monkeypatch):
    """A trial looks at who has what."""

    def trial(*_):
        raise AssertionError("tried")

    monkeypatch.setattr("voile.comparing.choosing.tried", trial)
    for name, releases, notation in itertools.product(TABLES, RELEASES, NOTATIONS):
        recommended(subject(name), Needs("algorithm", releases, notation))
    with pytest.raises(AssertionError):  # control
        recommended(subject("kept"), RELEASE)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("key", ["rda", "elig", "anatomy", "glass", "blind_cut"])
def test_reach_is_how_far_an_algorithm_goes(name, key):
    table = subject(name)
    reach = reach_of(key, table)
    for ell in (2, reach.largest, reach.largest + 1):
        if ell < 2:
            continue
        try:
            voile.anonymize(table, key, l=ell)
        except VoileError:
            assert ell > reach.largest or table.kept or len(table.marks()) > 2
        else:
            assert ell <= reach.largest


def test_the_sentence_on_l_is_what_the_algorithm_says():
    found = recommended(subject("two rows per person"), replace(NEEDS, l=4))
    said = found.reasons[0][1]
    assert (
        said.startswith("For l up to 2 with glass") and "Not for l = 4: column person: a person has up to" in said
    )
    most = recommended(subject("a person with most rows"), RELEASE)
    assert (
        most.reasons[0][1].startswith("Not for any l") and "a person has up to 60 of 80 rows" in most.reasons[0][1]
    )
    assert "suppressed 40 rows of 80" in most.reasons[-1][1]


def test_two_tables_of_a_skewed_column_are_refused_not_replaced():
    found = recommended(subject("skewed"), replace(RELEASE, notation="tables"))
    assert found.algorithm == "" and "ask for intervals" in found.reasons[-1][1]


def test_kept_columns_are_told_what_to_do():
    why = recommended(subject("kept"), NEEDS).reasons[-1][1]
    assert "keep = false" in why and "quasi-identifying" in why


def test_a_draw_that_happened_to_succeed_is_no_promise_that_the_next_one_does():
    made = {"kept": True, "achieved_l": 4, "gcp_leaves": 0.1, "suppressed_rows": 0}
    lucky = [(Run("rda", (("l", "4"),)), made)]
    assert recommended(subject("plain"), RELEASE, lucky).algorithm == "rda"
    assert recommended(subject("kept, all the same"), RELEASE, lucky).algorithm == "elig"
    drawn = [(Run("secret_choice", (("l", "4"),)), made)]
    assert recommended(subject("plain"), RELEASE, drawn).algorithm == "elig"


def test_what_was_given_up_here_is_not_recommended():
    given_up = [(Run("elig", (("l", "4"),)), {"refusal": "given up after 1 seconds", "why": "failed"})]
    found = recommended(subject("plain"), RELEASE, given_up)
    assert (found.options(), found.rung, found.looked) == ("-a glass -p l=4", "release", True)


def test_the_command_survives_the_shell():
    run = Run("rda", (("l", "4"), ("blocks", "sex+age<40")))
    made = {"kept": True, "achieved_l": 4, "gcp_leaves": 0.1, "suppressed_rows": 0}
    command = recommended(subject("plain"), RELEASE, [(run, made)]).command("t.csv", "s.toml")
    assert "blocks=sex+age<40" in shlex.split(command) and "'" in command


@pytest.mark.slow
@pytest.mark.parametrize("name", ["two rows per person", "a person with most rows", "skewed", "kept", "grid"])
@pytest.mark.parametrize("adversary", ADVERSARIES)
def test_the_next_command_can_be_typed(name, adversary, tmp_path):
    frame, more = TABLES[name]
    frame.write_csv(tmp_path / "t.csv")
    (tmp_path / "s.toml").write_text("[columns]\n" + "".join(_declared(*c) for c in spec_of(frame, more).items()))
    given = ["t.csv", "-s", "s.toml", "--recommend", "--adversary", adversary, "-p", "l=4"]
    done = typed("compare", *given, "-o", "out", cwd=tmp_path)
    lines = (tmp_path / "out" / "recommended.toml").read_text().splitlines()
    command = [line for line in lines if "voile anonymize" in line]
    assert done.code == (0 if command else 1), done.err
    for line in command:
        again = typed(*shlex.split(line.lstrip("# "))[1:], cwd=tmp_path, env=dict(os.environ))
        assert again.code == 0, again.err


def _declared(column, role):
    options = role if isinstance(role, dict) else {"role": role}
    words = {True: "true"}
    given = ", ".join(f"{n} = {words.get(v, repr(v))}".replace("'", '"') for n, v in options.items())
    return f"{column} = {{ {given} }}\n"
