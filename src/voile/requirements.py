"""Requirements as people write them, "l>=4, c[l=3]<4", become models with a bound."""

import re
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from voile import catalog
from voile.core.algorithm import Algorithm
from voile.core.parameters import exact_number
from voile.core.privacy_model import PrivacyModel
from voile.core.table import Table
from voile.errors import ParameterError

_REQUIREMENT = re.compile(r"([a-z_]+)\s*(?:\[([^\[\]]*)\])?\s*([<>]=?|=)\s*([0-9./]+)")
_BETWEEN_REQUIREMENTS = re.compile(r",(?![^\[]*\])|\band\b")


def parse_requirements(text: str, where: str = "--require") -> list[PrivacyModel]:
    """Promises from "l>=4, k>=5, c[l=3]<4"; `where` is named when they cannot be read.

    >>> parse_requirements("l>=4, c[l=3] < 3/2")
    [FrequencyLDiversity(l=Fraction(4, 1)), RecursiveCLDiversity(c=Fraction(3, 2), l=3)]
    """
    if not isinstance(text, str):
        raise ParameterError("not a text", where=where, remedy='for example "l>=4, k>=5, t<=0.2"')
    return [_requirement(part, where) for part in filter(None, map(str.strip, _BETWEEN_REQUIREMENTS.split(text)))]


def _requirement(text: str, where: str) -> PrivacyModel:
    models = catalog.models()
    by_name = {model.symbol: model for model in models.values()} | models
    match = _REQUIREMENT.fullmatch(text)
    name, inner, sense, bound = match.groups() if match else ("", "", "", "")
    number = exact_number(bound)
    if name not in by_name or number is None:
        raise ParameterError(
            "not a requirement",
            where=where,
            rule=f"NAME, then {', '.join(('>=', '<=', '<'))}, then a NUMBER, with NAME one of "
            f"{', '.join(model.symbol for model in models.values())} or a model's full name",
            remedy='for example "l>=4, k>=5, t<=0.2, c[l=3]<4"',
        )
    model = by_name[name]
    if sense != model.sense:
        raise ParameterError(
            f"{name} with {sense}",
            where=where,
            rule=f"{model.title} bounds {model.bound} by {model.sense}",
            remedy=f"write {name}{model.sense}{bound}",
        )
    promise = bounded(model, number, inner or "")
    if promise.says_nothing():
        raise ParameterError(
            "every release keeps it",
            where=where,
            rule=f"{model.title} says something of {model.bound} {'above' if sense == '>=' else 'below'} 1",
            remedy=f"5 % is {name}{sense}0.05" if sense == "<=" else f"for example {name}{sense}2",
        )
    return promise


def bounded(model: type[PrivacyModel], number: Fraction, inner: str) -> PrivacyModel:
    """The promise of a bound and the parameters in brackets. l >= 5/2 may be asked of what is found,
    though nobody can promise it beforehand: whole bounds may be fractions here."""
    pairs = [pair.partition("=") for pair in inner.split(",") if pair.strip()]
    others = {name.strip(): value.strip() for name, _, value in pairs}
    card = next(card for card in model.parameters() if card.name == model.bound)
    given = {**others, model.bound: number if card.places is not None else max(1, int(number))}
    return replace(model.configure(given), **{model.bound: number})  # type: ignore[type-var]


def promise_with(model: type[PrivacyModel], parameters: Mapping[str, object]) -> PrivacyModel:
    """The promise of a model's own parameters, as an algorithm or a certificate gives them; l may be 5/3.

    >>> from voile.models.frequency_l_diversity import FrequencyLDiversity
    >>> promise_with(FrequencyLDiversity, {"l": "5/3"}), promise_with(FrequencyLDiversity, {"l": 4})
    (FrequencyLDiversity(l=Fraction(5, 3)), FrequencyLDiversity(l=4))
    """
    bound = exact_number(parameters.get(model.bound))
    if bound is None or bound < 1 or bound.denominator == 1:
        return model.configure(parameters)
    return bounded(model, bound, ", ".join(f"{n}={v}" for n, v in parameters.items() if n != model.bound))


def further_promises(also: str, chosen: Algorithm, promise: PrivacyModel, table: Table) -> list[PrivacyModel]:
    """The models of `also`, if merging groups for them cannot break the algorithm's own promise."""
    further = parse_requirements(also, "also")
    if further and not (promise.survives_merging and chosen.mergeable):
        able = [
            key
            for key, a in catalog.algorithms().items()
            if a.mergeable and catalog.models()[a.promise].survives_merging
        ]
        what = chosen.key if promise.survives_merging else promise.title
        raise ParameterError(
            f"{what} does not survive the merging of groups",
            where="also",
            rule="further promises are reached by merging groups",
            remedy=f"use {', '.join(able)}; or leave it out, and see what is achieved with voile audit --require",
        )
    if further and table.kept:
        raise ParameterError(
            "merged groups would show which values go with a kept column",
            where="also",
            rule="what is merged may depend on groups, their values and quasi-identifiers only",
            remedy="leave it out, drop the kept columns, or declare them quasi-identifying",
        )
    if further and table.persons is not None:
        raise ParameterError(
            "merging would bring rows of one person together",
            where="also",
            rule="a group holds a person once",
            remedy="leave it out, or keep one row of each person",
        )
    return further


def promise_of(algorithm: Algorithm) -> PrivacyModel:
    """The model an algorithm keeps, with the algorithm's own parameters."""
    key, values = algorithm.promised()
    model = catalog.models()[key]
    shared = {card.name: values[card.name] for card in model.parameters() if card.name in values}
    return promise_with(model, shared)
