"""Plans of blocks: read, applied, refused with a way out."""

import numpy as np
import pytest

from tests.small_tables import LETTERS, TREE, axis_of, column
from voile.algorithms.streamliner.block_plan import block_of_rows, coarser, plan_of
from voile.core.axis import Axis
from voile.core.hierarchy import Hierarchy
from voile.core.schema import Role, Type
from voile.core.table import Table
from voile.errors import ParameterError


def table():
    days = Axis(Type.DATE, 0, 100)
    ranks = Axis(Type.ORDINAL, 0, 2, names=("low", "middle", "high"))
    price = Axis(Type.DECIMAL, 0, 1000, scale=1)
    return Table(
        [
            column("age", axis_of([20, 40]), [20, 30, 40, 40]),
            column("tree", TREE, [0, 1, 2, 3]),
            column("day", days, [0, 31, 40, 90]),
            column("rank", ranks, [0, 1, 2, 2]),
            column("price", price, [9, 10, 11, 25]),
            column("letter", LETTERS, [0, 1, 2, 3]),
            column("secret", Hierarchy.flat(list("ab")), [0, 1, 0, 1], Role.SENSITIVE),
        ]
    )


@pytest.mark.parametrize(
    "plan, expected",
    [
        ("", [0, 0, 0, 0]),
        ("age", [0, 1, 2, 2]),
        ("age<40", [0, 0, 1, 1]),
        ("age<25<40", [0, 1, 2, 2]),
        ("age < 40 + tree@1", [0, 0, 1, 1]),
        ("tree@2", [0, 1, 2, 3]),
        ("day<1970-02-01", [0, 1, 1, 1]),
        ("rank<middle", [0, 1, 1, 1]),
        ("price<1.05", [0, 0, 1, 1]),
        ("age<40+price<2", [0, 0, 1, 2]),
    ],
)
def test_blocks(plan, expected):
    assert block_of_rows(table(), plan_of(plan)).tolist() == expected


@pytest.mark.parametrize(
    "plan, word",
    [
        ("+", "plan"),
        ("age<", "plan"),
        ("tree@", "plan"),
        ("tree@0", "plan"),
        ("tree@1<3", "plan"),
        ("secret", "quasi-identifying"),
        ("nonsense", "one of age"),
        ("age@1", "hierarchy"),
        ("tree<3", "number"),
        ("age<forty", "type integer"),
        ("age<1/0", "type integer"),
        ("age<1e300000000", "type integer"),
        ("age+age<40", "no column twice"),
        ("letter@1", "hierarchy"),
        ("age<40<30", "ascend"),
        ("age<40<40", "ascend"),
        ("rank<huge", "ordinal"),
        ("day<yesterday", "date"),
    ],
)
def test_what_is_no_plan_is_refused_with_the_rule(plan, word):
    with pytest.raises(ParameterError, match=word):
        block_of_rows(table(), plan_of(plan))


def test_coarser_plans_lose_one_thing():
    found = {"+".join(map(str, plan)) for plan in coarser(plan_of("sex+age<40<60+tree@2"))}
    assert found == {
        "age<40<60+tree@2",
        "sex+age<60+tree@2",
        "sex+age<40+tree@2",
        "sex+tree@2",
        "sex+age<40<60+tree@1",
        "sex+age<40<60",
    }


def test_blocks_never_look_at_the_sensitive_column():
    one, other = table(), table()
    object.__setattr__(other.sensitive[0], "codes", np.array([1, 1, 0, 0]))
    plan = plan_of("age<40+tree@1")
    assert block_of_rows(one, plan).tolist() == block_of_rows(other, plan).tolist()
