"""The minimality attack on a release that lies on a disk, by somebody who knows everybody in it and the search."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from voile.algorithms.k_jump import KJump
from voile.attacking.known_persons import KnownPersons, single_sensitive
from voile.attacks.candidate_sets import PublishedGroups
from voile.attacks.minimality import Conclusion, Score, Search, Seen, conclude, matched, score
from voile.core.hierarchy import EVERYTHING
from voile.core.parameters import AUTO
from voile.core.schema import GROUP, Role, Schema
from voile.core.table import Table
from voile.errors import BeyondReach, InputError, ParameterError, SpecError, counted
from voile.intake.spec_file import Spec, schema_of
from voile.intake.table_reader import refuse_undeclared
from voile.release_files import ReadRelease, as_certified, read_release
from voile.rendering.labels import value_labels
from voile.requirements import parse_requirements
from voile.series_auditing.knowledge import ShownRelease, Values
from voile.theory.set_figures import in_words, set_document

Integers = NDArray[np.int64]
SECRET_CHOICE = "secret_choice"
SEARCHES = ("k_jump", SECRET_CHOICE)
STRATEGIES = ("naive", "safe", "jump", SECRET_CHOICE)
PROPERTY_OF_MODEL = {
    "frequency_l_diversity": "frequency",
    "distinct_l_diversity": "distinct",
    "recursive_cl_diversity": "recursive",
    "entropy_l_diversity": "entropy",
    "k_anonymity": "k_anonymity",
}
MOST_PAIRS = 100_000_000  # of persons and published groups


@dataclass(frozen=True, repr=False, eq=False)
class MinimalityReport:
    """What the release tells somebody who knows the search. Figures about persons are not for publication."""

    search: Search
    strategy: str
    found: Conclusion
    graded: Score | None  # None: the true values are not known
    truth_differs: bool  # values were given, but not those of the release
    altered: bool  # the files are not those that the certificate names
    groups: int
    ignored: tuple[str, ...]  # published columns that the attack leaves aside
    people: pl.DataFrame  # quasi-identifiers of each person
    labels: Mapping[int, str]  # of the values

    @property
    def ok(self) -> bool:
        """Whether the promise holds for everybody even so."""
        return not self.found.above.any()

    @property
    def title(self) -> str:
        """What the function that was disclosed does."""
        return self.search.sequence.titles[self.found.functions[0] - 1]

    def document(self, show_values: bool = False) -> dict[str, Any]:
        """For `--json`."""
        found, graded = self.found, self.graded
        return {
            "ok": self.ok,
            "promise": in_words(self.search.wanted),
            "strategy": self.strategy,
            "functions": len(self.search.sequence),
            "disclosed": list(found.functions),
            "title": self.title,
            "persons": found.above.size,
            "groups": self.groups,
            "on_its_face": set_document(found.face),
            "left": set_document(found.left),
            "persons_above": int(found.above.sum()),
            "persons_certain": int(found.certain.sum()),
            "graded": None if graded is None else asdict(graded),
            "ignored": list(self.ignored),
            "altered": self.altered,
            **({"guesses": self.guesses()} if show_values else {}),
        }

    def guesses(self) -> list[dict[str, Any]]:
        """Everybody's likeliest value, the best known first: cell values, for `--show-values` alone."""
        found, face = self.found, self.found.face
        told = [
            {
                "person": person,
                "likeliest": self.labels[code],
                "on_its_face": str(face.ratios[shown]),
                "left": str(found.left.ratios[kind]),
                "above": above,
            }
            for person, code, shown, kind, above in zip(
                self.people.to_dicts(),
                found.guess.tolist(),
                face.kind.tolist(),
                found.left.kind.tolist(),
                found.above.tolist(),
                strict=True,
            )
        ]
        return sorted(told, key=lambda each: -Fraction(each["left"]))


def attack_minimality(
    source: str | Path,
    spec: Spec,
    known: Any,
    *,
    sequence: str = "",
    utility: str = "",
    require: str = "",
    strategy: str = "",
    k: str = "",
    limit: int | None = None,
) -> MinimalityReport:
    """The minimality attack on a release folder or any published table.

    `known` are everybody's quasi-identifiers (a file or a data frame); with the sensitive column, guesses are
    graded. What the certificate does not say is given: `sequence` is levels, cuts, lattice or a plan (JSON),
    `require` for example "l>=2", `strategy` naive, safe, jump (with distances `k`) or secret_choice. `limit`:
    millions of steps that the exact answer may take.
    """
    schema = schema_of(spec)
    schema.require_roles()
    secret = single_sensitive(schema)
    published = read_release(source, schema)
    published.refuse_two_tables("the minimality attack")
    release, ignored = _without_known_columns(published)
    values = Values(secret)
    shown = ShownRelease.of(release, values)
    _refuse_suppressed(shown, release.schema)
    persons = KnownPersons.read(known, schema, values)
    given = {"sequence": sequence, "utility": utility, "require": require, "strategy": strategy, "k": k}
    allowed = {} if limit is None else {"limit": limit}
    chosen, name = _chosen(_stated(release.certificate) | _asked(given) | allowed)
    search = _search(persons.table, chosen, name)
    found = conclude(_seen(shown, persons, search, release.schema), search, limit=chosen.limit)
    graded = None if persons.truth is None else _graded(found, shown, persons.truth)
    people = pl.DataFrame([value_labels(c, c.codes).cast(pl.String) for c in persons.compared.columns])
    cells = shown.frame[secret.name].cast(pl.String).fill_null("")
    labels = dict(zip(values.codes(cells).tolist(), cells.to_list(), strict=True))
    differs = graded is None and persons.truth is not None
    altered = release.certificate is not None and not as_certified(release)
    return MinimalityReport(search, name, found, graded, differs, altered, shown.groups, ignored, people, labels)


def _without_known_columns(release: ReadRelease) -> tuple[ReadRelease, tuple[str, ...]]:
    """The release without what is published as it is: no sequence says how that splits groups. Who knows it, too,
    can only tell more."""
    refuse_undeclared(release.frame, release.schema, also=(GROUP,))
    roles = (Role.QUASI_IDENTIFYING, Role.SENSITIVE)
    absent = [c.name for c in release.schema if c.role in roles and c.name not in release.frame.columns]
    if absent:
        raise SpecError(
            f"the release has no column {absent[0]}",
            where="header",
            rule="all quasi-identifying and sensitive columns are published",
            remedy="give the spec that the release was made with, without columns that were dropped",
        )
    aside = tuple(c.name for c in release.schema if c.role not in roles and c.name in release.frame.columns)
    return replace(release, frame=release.frame.drop(aside)), aside


def _refuse_suppressed(shown: ShownRelease, schema: Schema) -> None:
    """A search that suppresses rows goes through other functions than the sequence has."""
    quasi = schema.with_role(Role.QUASI_IDENTIFYING)
    stars = shown.frame.select(pl.all_horizontal(pl.col(c.name).cast(pl.String) == EVERYTHING for c in quasi))
    hidden = int(stars.to_series().fill_null(False).sum())
    rows = shown.suppressed + (hidden if hidden < shown.frame.height else 0)
    if rows:
        raise InputError(
            f"{counted(rows, 'row')} suppressed",
            where="release",
            rule="the attack is on searches that publish every row in a group of its function",
            remedy="make the release without suppression",
        )


def _stated(certificate: Mapping[str, Any] | None) -> dict[str, Any]:
    """The parameters of a search that a certificate names."""
    algorithm = {} if certificate is None else certificate.get("algorithm", {})
    if not isinstance(algorithm, dict) or algorithm.get("key") not in SEARCHES:
        return {}
    parameters = algorithm.get("parameters")
    told = dict(parameters) if isinstance(parameters, dict) else {}
    return told | ({"strategy": SECRET_CHOICE} if algorithm["key"] == SECRET_CHOICE else {})


def _asked(given: Mapping[str, str]) -> dict[str, Any]:
    """Parameters as the attacker gives them."""
    told: dict[str, Any] = {name: value for name, value in given.items() if value and name != "require"}
    if "sequence" in told:
        told |= {"first": 1, "reuse": "none"}
    if "strategy" in told and "k" not in told:
        told["k"] = 1
    return told | (_looked_for(given["require"]) if given["require"] else {})


def _looked_for(require: str) -> dict[str, Any]:
    """The property of a requirement, as k_jump names it."""
    models = parse_requirements(require)
    model: Any = models[0] if len(models) == 1 else None
    if model is None or model.key not in PROPERTY_OF_MODEL:
        raise ParameterError(
            "not one property of a search",
            where="--require",
            rule=f"one of {', '.join(PROPERTY_OF_MODEL)}",
            remedy='for example --require "l>=2"',
        )
    size = model.k if model.key == "k_anonymity" else model.l
    return {"property": PROPERTY_OF_MODEL[model.key], "l": size} | ({"c": model.c} if hasattr(model, "c") else {})


def _chosen(told: Mapping[str, Any]) -> tuple[KJump, str]:
    """The search with its parameters, and its strategy in a word."""
    for name, option in (("sequence", "levels, cuts, lattice, or @plan.json"), ("l", 'for example "l>=2"')):
        if name not in told:
            raise ParameterError(
                f"no {'property' if name == 'l' else name}",
                where="--require" if name == "l" else "--sequence",
                rule="the adversary knows the search, and this release has no certificate that tells it",
                remedy=option,
            )
    strategy = told.get("strategy", "naive")
    if strategy not in STRATEGIES:
        raise ParameterError("not an accepted value", where="--strategy", rule=" or ".join(STRATEGIES))
    if told.get("k") == AUTO:
        raise ParameterError(
            "no jump distances",
            where="--k",
            rule="auto looks at frequencies; the adversary knows what it chose",
            remedy="give the distances, for example --k 1+1+2; the certificate of k_jump states them",
        )
    known = "naive" if strategy == SECRET_CHOICE else strategy
    return KJump.configure({"k": 1, **told, "strategy": known}), strategy


def _search(table: Table, chosen: KJump, strategy: str) -> Search:
    """What the adversary knows."""
    sequence, wanted, known = chosen.search(table)
    return Search(sequence, wanted, None if strategy == SECRET_CHOICE else known)


def _seen(shown: ShownRelease, persons: KnownPersons, search: Search, schema: Schema) -> Seen:
    """Which published group everybody is in."""
    groups, points = shown.seen_with(persons.compared, schema)
    rows, everybody = shown.group.size, persons.table.n
    if rows != everybody:
        raise _not_everybody(f"{counted(rows, 'row')} published for {counted(everybody, 'person')} known")
    if everybody * groups.groups > MOST_PAIRS:
        raise BeyondReach(
            f"{everybody} persons and {groups.groups} groups",
            where="minimality attack",
            rule=f"at most {MOST_PAIRS} pairs of them are compared",
            remedy="attack a part of the table",
        )
    covers = _covers(groups, points)
    nowhere = int((~covers.any(axis=1)).sum())
    if nowhere:
        raise _not_everybody(f"{counted(nowhere, 'person')} in no published group")
    group = matched(search.sequence, covers, np.bincount(shown.group))
    if group is None:
        raise ParameterError(
            "the published groups are not those of one function of the sequence",
            where="release",
            rule="each published group holds exactly the persons whom a function puts together; built functions "
            "with a group too small for the property are left out",
            remedy="give the sequence that the search went through, its property, and the spec it was made with",
        )
    return Seen(group, shown.bag)


def _not_everybody(what: str) -> InputError:
    return InputError(
        what,
        where="known persons",
        rule="they are exactly the persons of the release",
        remedy="give the table that the release was made of, and its spec",
    )


def _covers(groups: PublishedGroups, points: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Of each person, which published boxes the person is in."""
    covers = np.ones((len(points), groups.groups), bool)
    for (places, label), place in zip(groups.columns, points.T, strict=True):
        inside = (places.low[:, None] <= place) & (place <= places.high[:, None])
        for i in np.flatnonzero(np.diff(places.first)).tolist():
            inside[i] &= np.isin(place, places.members[places.first[i] : places.first[i + 1]])
        covers &= inside[label].T
    return covers


def _graded(found: Conclusion, shown: ShownRelease, truth: Integers) -> Score | None:
    """The guesses against the truth, if that is what was published."""
    published = np.sort(np.repeat(shown.bag.codes, shown.bag.counts))
    return score(found, truth) if np.array_equal(published, np.sort(truth)) else None
