"""Labels read back: never misread, and what is not known is not made certain."""

import polars as pl
import pytest

import voile
from tests.small_tables import TREE
from voile.core.release import Release


def release_of(rows, schema=None, columns=()):
    """A release written by hand; without a schema, the certificate describes its columns."""
    certificate = {"table": {"columns": list(columns)}}
    return Release(pl.DataFrame(rows), certificate, None if schema is None else voile.Schema.of(schema))


def one(labels, options, **values):
    """A release of one quasi-identifying column x."""
    columns = [{"name": "x", **values}]
    rows = {"x": labels, "s": ["v"] * len(labels)}
    return release_of(rows, {"x": {"role": "qi", **options}, "s": "sa"}, columns)


def bounds(found):
    return found.at_least, found.at_most


def test_half_open_intervals_of_whole_numbers_have_whole_steps():
    entry = {"name": "x", "role": "quasi-identifying", "type": "integer"}
    release = release_of({"x": ["[20, 30)"], "s": ["v"]}, None, [entry])
    found = voile.estimate(release, "x >= 29.5")
    assert (found.count, *bounds(found)) == (0, 0, 0)
    found = voile.estimate(release, "x >= 25")
    assert found.count == pytest.approx(5 / 10)
    decimals = release_of({"x": ["[20, 30)"], "s": ["v"]}, None, [entry | {"type": "decimal"}])
    assert bounds(voile.estimate(decimals, "x >= 29.5")) == (0, 1)  # control


def test_too_many_places_are_never_misread():
    release = one(["0.1234567890123456", "2"], {"type": "decimal"})
    with pytest.raises(voile.VoileError, match="1 label that cannot be read"):
        voile.estimate(release, "x < 1")
    assert voile.estimate(one(["0.123456789012345", "2"], {"type": "decimal"}), "x < 1").count == 1  # control


@pytest.mark.parametrize("number", ["1" * 16, "0.1234567890123456", "9" * 5000])
@pytest.mark.parametrize("type_", ["integer", "decimal"])
def test_a_long_literal_is_refused_where_it_stands(number, type_):
    with pytest.raises(voile.VoileError, match="more than 15 digits") as refused:
        voile.estimate(one(["3", "[4, 9]"], {"type": type_}), f"x < {number}")
    assert "query, character 5" in str(refused.value) and number not in str(refused.value)


def test_a_literal_too_fine_for_large_labels_is_not_the_labels_fault():
    release = one(["[100000000, 200000000)"], {"type": "decimal", "hierarchy": {"intervals": [100000000]}})
    with pytest.raises(voile.VoileError, match="query, character 5"):
        voile.estimate(release, "x < 0.000000000001")
    assert voile.estimate(release, "x < 150000000.25").count == pytest.approx(0.5)


@pytest.mark.parametrize("query, truth", [("x < 5", (1, 2)), ("x > 50", (0, 1)), ("x between 1 and 4", (1, 2))])
def test_a_guessed_star_leaves_the_range_open(query, truth):
    found = voile.estimate(one(["[1, 4]", "*"], {"type": "integer"}), query)
    assert bounds(found) == truth
    assert "what is hidden decides" in found.note
    control = voile.estimate(one(["[1, 4]", "[1, 4]"], {"type": "integer"}), query)
    assert control.at_least == control.at_most and "decides" not in control.note


def test_a_star_of_words_leaves_the_range_open_where_the_share_says_nothing():
    hidden = voile.estimate(one(["a", "*"], {}, values=2), "x in ('a', 'b')")  # the other need not be b
    assert bounds(hidden) == (1, 2)
    known = voile.estimate(one(["a", "b", "*"], {}, values=2), "x in ('a', 'b')")
    assert bounds(known) == (3, 3) and "decides" not in known.note


def test_a_star_of_an_ordinal_is_the_whole_order():
    ordinal = {"type": "ordinal", "order": ["low", "mid", "high", "top"]}
    found = voile.estimate(one(["low", "*"], ordinal), "x >= 'high'")
    assert found.count == pytest.approx(0.5) and bounds(found) == (0, 1)
    assert bounds(voile.estimate(one(["*"], ordinal), "x >= 'low'")) == (1, 1)


def test_a_long_order_is_read_quickly_and_commas_are_not_guessed():
    names = [f"n{i}" for i in range(20_000)]
    found = voile.estimate(one(["[n0, n19999]"], {"type": "ordinal", "order": names}), "x < 'n10000'")
    assert found.count == pytest.approx(0.5)
    commas = {"type": "ordinal", "order": ["a", "a, b", "b, c", "c"]}
    with pytest.raises(voile.VoileError, match="cannot be read"):
        voile.estimate(one(["[a, b, c]"], commas), "x = 'a'")  # a to "b, c", or "a, b" to c
    assert voile.estimate(one(["[a, b, b, c]"], commas), "x = 'a, b'").count == pytest.approx(0.5)


@pytest.mark.parametrize("literal", ["816**", "*"])
def test_a_masked_code_is_not_asked_for(literal):
    release = one(["816**", "81675"], {"hierarchy": {"mask": 3}}, values=9)
    with pytest.raises(voile.VoileError, match="name whole codes"):
        voile.estimate(release, f"x in ('81675', '{literal}')")


def test_spellings_that_the_spec_merges_are_merged_in_the_query():
    for options in ({}, {"hierarchy": TREE}):
        merged = one(["p1", "q1"], options | {"casefold": True})
        assert voile.estimate(merged, "x = 'P1'").count == 1
        assert voile.estimate(merged, "x not in ('P1', 'Q1')").count == 0
        assert voile.estimate(one(["p1", "q1"], options), "x = 'P1'").count == 0  # control
    assert voile.estimate(one(["p1", "q1"], {"hierarchy": TREE, "casefold": True}), "x = 'Q'").count == 1
    codes = one(["AB1*", "AB12"], {"hierarchy": {"mask": 1}, "casefold": True})
    assert voile.estimate(codes, "x = 'ab12'").count == pytest.approx(1 + 1 / 10)


def test_long_lists_are_quick():
    release = one([f"w{i}" for i in range(5000)], {})
    words = ", ".join(f"'w{i}'" for i in range(0, 10_000, 2))
    assert voile.estimate(release, f"x in ({words})").count == 2500


def test_a_value_that_looks_like_a_set_is_none():
    odd = ["{a, b}", "a", "b", '"{a, b}"', "{", '"a"']
    frame = pl.DataFrame({"x": [odd[i % 6] for i in range(36)], "s": [f"v{i // 6}" for i in range(36)]})
    table = voile.read(frame, {"x": "qi", "s": "sa"})
    release = voile.anonymize(table, "elig", l=2)
    labels = set(release.frame["x"].to_list())
    assert {'"{a, b}"', '"""{a, b}"""', '"a"', "a"} <= labels  # control: each value has groups of its own
    for value in odd:
        assert bounds(voile.estimate(release, f"x = '{value}'")) == (6, 6)
    sets = one(['{"{a, b}", a}', "{a, b}", '"{a, b}"'], {})
    assert voile.estimate(sets, "x = '{a, b}'").count == pytest.approx(1 / 2 + 0 + 1)
    assert voile.estimate(sets, "x = 'a'").count == pytest.approx(1 / 2 + 1 / 2 + 0)
