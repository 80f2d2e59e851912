"""A choice in words, and that it never looks where looking would break the promise."""

from dataclasses import replace

import pytest

import voile
from tests.comparing.people import DISEASES, SPEC, people, skewed, table
from voile.comparing.choosing import NEEDS, Needs
from voile.comparing.plan import Run
from voile.comparing.recommended_spec import recommended_spec
from voile.comparing.recommending import recommendations, recommended
from voile.errors import ParameterError
from voile.pipeline import anonymize
from voile.reporting.comparison_page import _answer

RELEASE = replace(NEEDS, adversary="release")


def outcome(gcp, achieved=4, **more):
    return {"kept": True, "achieved_l": achieved, "gcp_leaves": gcp, "suppressed_rows": 0} | more


def results(**losses):
    return [(Run(key, (("l", "4"),)), outcome(loss)) for key, loss in losses.items()]


def test_the_reader_who_knows_the_algorithm_is_assumed():
    found = recommended(table())
    assert found.algorithm == "glass" and found.rung == "algorithm, marginal" and not found.looked
    strong = recommended(table(), replace(NEEDS, strong=True))
    assert strong.algorithm == "blind_cut" and strong.rung == "algorithm, strong" and not strong.looked
    assert "--against algorithm --strong -a blind_cut" in strong.command("t.csv", "s.toml")


@pytest.mark.parametrize("winner", ["ria", "elig", "gda"])
def test_no_figure_changes_the_choice_against_who_knows_the_algorithm(winner):
    """Control: the same figures do change it where that costs nothing."""
    won = results(**{key: 0.1 if key == winner else 0.9 for key in ("rda", "ria", "elig", "gda")})
    assert recommended(table(), NEEDS, won).algorithm == "glass"
    control = recommended(table(), RELEASE, won)
    assert control.algorithm == winner and control.looked and control.rung == "release"


@pytest.mark.parametrize(
    ("winner", "certified"), [("rda", "algorithm, strong"), ("ria", "algorithm, strong"), ("elig", "")]
)
def test_what_results_chose_holds_against_readers_of_the_release_alone(winner, certified):
    found = recommended(table(), RELEASE, results(**{winner: 0.1}))
    assert (found.rung, found.rung_given_up) == ("release", certified)
    document = found.document()
    assert ("no longer applies" in str(document["reasons"])) == bool(certified)
    card = _answer(document, [])
    assert "readers who do not reason about how it was made" in card and "who know the algorithm" not in card
    assert ("no longer applies" in card) == bool(certified) != ("free here" in card)


def test_the_spec_says_what_choosing_by_results_gave_up(tmp_path):
    (tmp_path / "s.toml").write_text("")
    found = recommended(table(), RELEASE, results(rda=0.1))
    said = recommended_spec(found, tmp_path / "s.toml", tmp_path / "out" / "r.toml", "")
    assert "no longer applies" in " ".join(said.replace("#", " ").split())


@pytest.mark.parametrize("values", ["negative", "large", "dates", "skewed"])
@pytest.mark.parametrize("reader", [NEEDS, RELEASE])
def test_sensitive_numbers_and_dates(values, reader):
    numbers = {
        "negative": lambda i: i % 5 - 9,
        "large": lambda i: i % 5 * 10**12,
        "skewed": lambda i: -max(i - 40, 0),
    }
    make = numbers.get(values, lambda i: f"19{60 + i % 5}-01-31")
    frame = people(figure=lambda rows: [make(i) for i in range(rows)]).drop("disease")
    columns = {name: role for name, role in SPEC.items() if name != "disease"}
    kind = "date" if values == "dates" else "integer"
    subject = voile.read(frame, columns | {"figure": {"role": "sensitive", "type": kind}})
    found = recommended(subject, reader)
    assert found.algorithm or (values, reader) == ("skewed", NEEDS)
    if found.algorithm:
        anonymize(subject, found.algorithm, **found.parameters)


def test_who_has_what_does_not_matter_for_the_choice_against_who_knows_the_algorithm():
    """Permuted diseases: the same frequencies, other persons."""
    frame = people()
    for seed in range(5):
        other = frame.with_columns(frame["disease"].shuffle(seed))
        assert recommended(voile.read(other, SPEC)) == recommended(voile.read(frame, SPEC))


def test_a_run_that_promises_less_is_not_compared():
    weak = [(Run("bsgi", (("l", "2"),)), outcome(0.01, achieved=2)), *results(elig=0.3, rda=0.5)]
    assert recommended(table(), replace(RELEASE, l=4), weak).algorithm == "elig"


@pytest.mark.parametrize(
    ("parameters", "fits"),
    [
        ({"property": "k_anonymity", "k": "10"}, False),
        ({"property": "distinct", "l": "4"}, False),
        ({"property": "entropy", "l": "4"}, False),
        ({"property": "tau_l", "tau": "1/3", "l": "4"}, False),
        ({"property": "tau_l", "tau": "1/4", "l": "4"}, True),
        ({"l": "3"}, False),
        ({"l": "4"}, True),
    ],
)
def test_a_run_that_only_happened_to_achieve_l_is_not_compared(parameters, fits):
    lucky = [(Run("mondrian", tuple(parameters.items())), outcome(0.01)), *results(elig=0.3)]
    found = recommended(table(), replace(RELEASE, l=4), lucky)
    assert found.algorithm == ("mondrian" if fits else "elig")
    alone = recommended(table(), replace(RELEASE, l=4), lucky[:1])
    assert alone.looked == fits and (fits or "no run here promises 1/4" in alone.reasons[-1][1])


def test_an_automatic_l_counts_by_what_it_came_to():
    for ell in (3, 4):
        automatic = [(Run("bsgi", (("l", "auto"),)), outcome(0.01, settings={"l": ell})), *results(elig=0.3)]
        found = recommended(table(), replace(RELEASE, l=4), automatic)
        assert found.algorithm == ("bsgi" if ell == 4 else "elig")


def test_broken_and_refused_runs_are_not_recommended():
    broken = [(Run("bsgi", (("l", "4"),)), {"refusal": "no", "why": "infeasible"}), *results(elig=0.3)]
    assert recommended(table(), RELEASE, broken).algorithm == "elig"


def test_values_that_are_generalised_do_not_compare():
    """Their loss is elsewhere."""
    generalised = [(Run("sweep_e", (("tau", "1/4"), ("l", "4"))), outcome(0.001)), *results(elig=0.3)]
    assert recommended(table(), RELEASE, generalised).algorithm == "elig"


def test_l_is_asked_for_or_usual_and_never_more_than_there_can_be():
    assert recommended(table()).parameters == {"l": "4"}
    assert recommended(table(), replace(NEEDS, l=3)).parameters == {"l": "3"}
    too_much = recommended(table(), replace(NEEDS, l=9))
    assert int(too_much.parameters["l"]) <= 5 and "Not for l = 9" in too_much.reasons[0][1]
    compared = [(Run("elig", (("l", str(ell)),)), outcome(0.2, ell)) for ell in (2, 3, 5)]
    compared.append((Run("k_jump", (("l", "\u00b2"),)), {"refusal": "no", "why": "refused"}))
    assert recommended(table(), RELEASE, compared).parameters == {"l": "3"}


def test_a_skewed_column():
    found = recommended(skewed(), RELEASE)
    assert found.algorithm == "sweep_e" and set(found.parameters) == {"tau", "l"}
    assert anonymize(skewed(), found.algorithm, **found.parameters).certificate["checks"]["tau_l_diversity"] < 1
    against_all = recommended(skewed())
    assert against_all.algorithm == "" and against_all.command("t.csv", "s.toml") == ""


def test_one_value_hides_nothing():
    assert recommended(table(values=1), RELEASE).algorithm == ""


def test_a_series_goes_through_the_ledger():
    """And needs to know who is who."""
    named = voile.read(people(person=lambda rows: [f"p{i}" for i in range(rows)]), {**SPEC, "person": "subject"})
    found = recommended(named, replace(NEEDS, releases="series"))
    assert found.options() == "-a m_invariant -p m=4" and "voile publish" in found.command("t.csv", "s.toml")
    assert recommended(named, replace(RELEASE, releases="series")).parameters["balance"] == "fill"
    unnamed = recommended(table(), replace(NEEDS, releases="series"))
    assert unnamed.algorithm == "" and 'role = "subject"' in unnamed.reasons[-1][1]


def test_several_sensitive_columns():
    frame = people(income=lambda rows: [f"i{(i * 3) % 5}" for i in range(rows)])
    two = voile.read(frame, {**SPEC, "income": "sensitive"})
    assert recommended(two).algorithm == "blind_cut" and recommended(two).rung == "algorithm, strong"
    frame = frame.with_columns(frame["income"].alias("debt"))
    three = voile.read(frame, {**SPEC, "income": "sensitive", "debt": "sensitive"})
    assert recommended(three).algorithm == "" and recommended(three, RELEASE).algorithm == "elig"


@pytest.mark.parametrize("adversary", ["algorithm", "release"])
def test_what_is_recommended_works(adversary):
    found = recommended(table(), replace(NEEDS, adversary=adversary))
    release = anonymize(table(), found.algorithm, **found.parameters)
    assert release.certificate["adversary"]["rung"] == found.rung


def test_both_readers_the_asked_one_first():
    assert list(recommendations(table(), RELEASE)) == ["release", "algorithm"]


def test_no_value_in_any_word():
    said = str([found.document() for found in recommendations(table(), NEEDS, results(elig=0.1)).values()])
    assert not any(value in said for value in DISEASES)


@pytest.mark.parametrize(
    "wrong",
    [
        {"adversary": "nobody"},
        {"releases": "two"},
        {"notation": "x"},
        {"l": 1},
        {"strong": True, "releases": "series"},
    ],
)
def test_needs_that_nobody_has(wrong):
    with pytest.raises(ParameterError):
        Needs(**wrong)
