"""Hierarchies of Adult's columns: value, node, ..., *. All are trees that ARX's users know, but for one.

Their levels, nodes and order are those of the examples that ARX ships, so that what is lost here can be set beside
what ARX and others lose. Two things are our own: an age band is called by its ends (ARX's names are off by one),
and `MARRIAGE` is the tree of marital status by which Voile was first compared with BSGI.
"""

from functools import cache

from voile.core.hierarchy import Hierarchy

Lines = list[list[str]]
AGES = range(1, 101)
WIDTHS = (5, 10, 20)  # of an age band, level by level

_SECONDARY = ["11th", "HS-grad", "9th", "7th-8th", "12th", "10th"]
_NORTH = (
    "United-States Puerto-Rico Canada Outlying-US(Guam-USVI-etc) Cuba Honduras Jamaica Mexico Dominican-Republic "
    "Haiti Guatemala El-Salvador"
)
_ASIA = "Cambodia India Japan China Iran Philippines Vietnam Laos Taiwan Thailand Hong"
_EUROPE = (
    "England Germany Greece Italy Poland Portugal Ireland France Hungary Scotland Yugoslavia Holand-Netherlands"
)
_TREES: dict[str, dict[str, list[str]]] = {  # a path of nodes, joined by " < ", and its values
    "education": {
        "Undergraduate < Higher education": ["Bachelors", "Some-college"],
        "Professional Education < Higher education": ["Prof-school", "Assoc-acdm", "Assoc-voc"],
        "Graduate < Higher education": ["Masters", "Doctorate"],
        "High School < Secondary education": _SECONDARY,
        "Primary School < Primary education": ["1st-4th", "5th-6th", "Preschool"],
    },
    "marital-status": {
        "spouse present": ["Married-civ-spouse", "Married-AF-spouse"],
        "spouse not present": ["Divorced", "Never-married", "Separated", "Widowed", "Married-spouse-absent"],
    },
    "native-country": {
        "North America": _NORTH.split(),
        "Asia": _ASIA.split(),
        "Europe": _EUROPE.split(),
        "Africa": ["South"],
        "South America": ["Ecuador", "Columbia", "Nicaragua", "Trinadad&Tobago", "Peru"],
    },
    "occupation": {
        "Technical": ["Tech-support", "Craft-repair", "Prof-specialty", "Machine-op-inspct"],
        "Other": [
            *("Other-service", "Adm-clerical", "Farming-fishing", "Transport-moving", "Priv-house-serv"),
            *("Protective-serv", "Armed-Forces"),
        ],
        "Nontechnical": ["Sales", "Exec-managerial", "Handlers-cleaners"],
    },
    "workclass": {
        "Non-Government": ["Private", "Self-emp-not-inc", "Self-emp-inc"],
        "Government": ["Federal-gov", "Local-gov", "State-gov"],
        "Unemployed": ["Without-pay", "Never-worked"],
    },
    "race": {"": ["White", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other", "Black"]},
    "sex": {"": ["Male", "Female"]},
    "salary-class": {"": [">50K", "<=50K"]},
}
MARRIAGE = [
    ["Never-married", "Never-married", "*"],
    *([value, "Married", "*"] for value in ("Married-civ-spouse", "Married-AF-spouse")),
    *([value, "Left", "*"] for value in ("Divorced", "Separated")),
    *([value, "Alone", "*"] for value in ("Widowed", "Married-spouse-absent")),
]


def lines(name: str) -> Lines:
    """The hierarchy of a column, a line per value.

    >>> lines("age")[20], lines("sex")[0]
    (['21', '21-25', '21-30', '21-40', '*'], ['Male', '*'])
    """
    if name == "age":
        return [[str(age), *(_band(age, width) for width in WIDTHS), "*"] for age in AGES]
    return [
        [value, *filter(None, path.split(" < ")), "*"] for path, values in _TREES[name].items() for value in values
    ]


def _band(age: int, width: int) -> str:
    first = (age - 1) // width * width + 1
    return f"{first}-{first + width - 1}"


@cache
def tree(name: str) -> Hierarchy:
    """The same as a tree."""
    return Hierarchy.from_lines(lines(name))


@cache
def marriage() -> Hierarchy:
    """`MARRIAGE` as a tree."""
    return Hierarchy.from_lines(MARRIAGE)
