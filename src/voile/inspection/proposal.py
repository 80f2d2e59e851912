"""A role and a type for one column, with the reason, and the question where there is doubt.

Content that gives a person away decides first, then what the name says, then numbers alone. Whatever is
not certain becomes a question that the spec shows.
"""

from dataclasses import dataclass, field

from voile.core.schema import Missing, Role, Type
from voile.inspection.column_profile import (
    DECIMAL_COMMA,
    GIVEAWAYS,
    LONG_NUMBERS,
    NAMES,
    OTHER_DATES,
    UUIDS,
    WITH_TIME,
    ColumnProfile,
)
from voile.inspection.scales import ordered
from voile.inspection.vocabulary import Concept, concept_of
from voile.intake.exact_sets import FEW_ROWS

SURE, LIKELY, GUESS = "sure", "likely", "guess"
LEFT_OUT = "left out"
_MANY_CODES = 100  # numbers of a code list are few; more are postal codes or amounts
_TEXT = 40  # characters beyond which a cell is a sentence

_KNOWN = "may others know it? A secret is sensitive; what names a person, identifying"
_OR_ELSE = "If not, quasi-identifying or sensitive"
_REPAIR = {
    WITH_TIME: "a time of day singles people out: keep the day (YYYY-MM-DD) and set type = date",
    OTHER_DATES: "dates in another form: write them as YYYY-MM-DD and set type = date, to publish ranges",
    DECIMAL_COMMA: "numbers with a decimal comma: write a point and set type = decimal, to publish ranges",
}


@dataclass(frozen=True)
class Proposal:
    """What to declare for a column.

    `role` is what the column looks like, `written` what the spec declares: of several sensitive columns
    one is protected and the others are dropped.
    """

    name: str
    role: Role
    reason: str
    confidence: str
    question: str = ""
    type: Type = Type.CATEGORY
    written: Role = Role.IDENTIFYING
    missing: Missing = Missing.REFUSE
    casefold: bool = False
    notes: tuple[str, ...] = ()  # for the spec's comment
    order: tuple[str, ...] = field(default=(), repr=False)  # values: only on request

    @property
    def published(self) -> bool:
        """Whether a release would show the column."""
        return self.written in (Role.QUASI_IDENTIFYING, Role.SENSITIVE)


def propose(profile: ColumnProfile, told_sensitive: bool = False, show_values: bool = False) -> Proposal:
    """The proposal for one column, looked at by itself."""
    concept = concept_of(profile.name)
    if told_sensitive and profile.readable and profile.distinct:
        role, reason, confidence, question = Role.SENSITIVE, "you said so", SURE, ""
    else:
        role, reason, confidence, question = (
            _by_content(profile, concept) or _by_name(profile, concept) or _by_numbers(profile)
        )
    published = role in (Role.QUASI_IDENTIFYING, Role.SENSITIVE)
    type_, order, notes = _typed(profile, concept, show_values) if published else (Type.CATEGORY, (), ())
    if profile.readable and profile.shape in _REPAIR:  # also of a column that is dropped: it need not be
        question = "; ".join(filter(None, (question, _REPAIR[profile.shape])))
        confidence = LIKELY if confidence == SURE else confidence
    return Proposal(
        profile.name,
        role,
        reason,
        confidence,
        question,
        type_,
        written=Role.IDENTIFYING if question.startswith(LEFT_OUT) else role,
        casefold=published and type_ == Type.CATEGORY and profile.twins > 0,
        notes=notes,
        order=order,
    )


_Verdict = tuple[Role, str, str, str]


def _by_content(profile: ColumnProfile, concept: Concept | None) -> _Verdict | None:
    """Cells that decide, whatever the name says or because it says nothing else."""
    if not profile.readable:
        what = profile.shape or "cells of a kind that cannot be published"
        remedy = "keep only the day (YYYY-MM-DD)" if profile.shape == WITH_TIME else "convert the column"
        return Role.IDENTIFYING, what, GUESS, f"{LEFT_OUT}: {what}; {remedy} to publish it"
    if profile.distinct == 0:
        return Role.INSENSITIVE, "no value in any row", SURE, ""
    if profile.distinct == 1 and not profile.missing:
        return Role.INSENSITIVE, "the same value in every row", SURE, ""
    if profile.shape in GIVEAWAYS:
        return Role.IDENTIFYING, f"looks like {profile.shape}", SURE, ""
    return _numbers_of_someone(profile, concept) or _unfit_numbers(profile, concept)


def _numbers_of_someone(profile: ColumnProfile, concept: Concept | None) -> _Verdict | None:
    """Numbers that count or name, unless the name knows better: a person, an age, an amount."""
    if concept is not None and concept.role != Role.IDENTIFYING:
        return None
    if profile.running and (concept or profile.rows >= FEW_ROWS):
        return Role.IDENTIFYING, "a running number", SURE, ""
    if profile.shape in (LONG_NUMBERS, UUIDS) and (profile.uniqueness > 0.5 or profile.long):
        return Role.IDENTIFYING, f"looks like {profile.shape}", SURE, ""
    return None


def _unfit_numbers(profile: ColumnProfile, concept: Concept | None) -> _Verdict | None:
    """Numbers that the intake refuses, because they do not fit exact arithmetic."""
    infinite = profile.floating and profile.type == Type.CATEGORY
    amount = concept is None or concept.role in (Role.QUASI_IDENTIFYING, Role.SENSITIVE)
    if not amount or not (profile.long or infinite):
        return None
    why = "infinite numbers" if infinite else "numbers of more than 15 digits"
    role = concept.role if concept else Role.QUASI_IDENTIFYING
    return role, why, GUESS, f"{LEFT_OUT}: {why}; correct or round them to publish the column"


def _is_key(profile: ColumnProfile) -> bool:
    """Whether values tell rows or persons apart, also persons with many rows."""
    return profile.uniqueness >= 0.5 or (profile.distinct > 20 and profile.uniqueness >= 0.01)


def _by_name(profile: ColumnProfile, concept: Concept | None) -> _Verdict | None:
    """What the name says, unless the cells contradict it."""
    if concept is None:
        return None
    reason = f"name: {concept.meaning}"
    row_number = concept.role == Role.IDENTIFYING and not (concept.sure or concept.specific)
    if concept.role == Role.SUBJECT or row_number:
        return _number_of_someone(profile, concept, reason)
    if concept.role == Role.IDENTIFYING:
        few = profile.distinct <= 20 and profile.uniqueness < 0.05
        if few:
            question = f"the name says {concept.meaning}, but there are only {profile.distinct} values: right?"
            return Role.IDENTIFYING, reason, GUESS, question
        return (Role.IDENTIFYING, reason, SURE, "") if concept.sure else _free_text(profile, reason)
    if profile.type == Type.CATEGORY and profile.uniqueness > 0.9 and profile.rows >= FEW_ROWS:
        question = "nearly every row has its own value; identifying if it names a person"
        return concept.role, reason, LIKELY, question
    if concept.sure:
        return concept.role, reason, SURE, ""
    if concept.role == Role.SENSITIVE:
        question = f"{concept.meaning}: is it the secret? If others may know it, quasi-identifying"
    else:
        question = f"{concept.meaning}: may others know it? If it is the secret, sensitive"
    return concept.role, reason, LIKELY, question


def _free_text(profile: ColumnProfile, reason: str) -> _Verdict:
    question = "free text may name people; publish it only if its values are a short list"
    return Role.IDENTIFYING, reason, LIKELY, question if profile.uniqueness < 0.5 else ""


def _number_of_someone(profile: ColumnProfile, concept: Concept, reason: str) -> _Verdict | None:
    """An id: of the rows, or of a person, who may have several rows."""
    if not _is_key(profile):
        return None
    if concept.role == Role.SUBJECT:
        return Role.SUBJECT, f"{reason}, {_repeats(profile)}", SURE, ""
    if profile.uniqueness == 1:
        return Role.IDENTIFYING, f"{reason}, every row its own", SURE, ""
    question = "the same number in several rows: is it a person? If it is a place or a thing, quasi-identifying"
    return Role.SUBJECT, f"{reason}, {_repeats(profile)}", LIKELY, question


def _repeats(profile: ColumnProfile) -> str:
    return "every row its own" if profile.uniqueness == 1 else f"{1 / profile.uniqueness:.3g} rows each"


def _by_numbers(profile: ColumnProfile) -> _Verdict:
    """A name without a clue: how many values there are, and of which kind."""
    text = profile.type == Type.CATEGORY
    if profile.shape == NAMES and profile.uniqueness > 0.5:
        return Role.IDENTIFYING, "looks like names of persons", LIKELY, f"names of persons? {_OR_ELSE}"
    if text and profile.uniqueness > 0.9:
        certain = profile.uniqueness == 1 and profile.rows >= FEW_ROWS
        question = "" if certain else "nearly every row has its own value: a name or number of a person?"
        return Role.IDENTIFYING, "nearly every row its own value", SURE if certain else GUESS, question
    if text and profile.length > _TEXT and profile.uniqueness > 0.2:
        return Role.IDENTIFYING, "long texts", LIKELY, "long texts may name people; publish it only if none does"
    if profile.type == Type.INTEGER and profile.uniqueness == 1 and profile.rows >= FEW_ROWS:
        return Role.IDENTIFYING, "whole numbers, every row its own", GUESS, f"a number of a person? {_OR_ELSE}"
    what = "dates" if profile.type == Type.DATE else f"{profile.distinct} values"
    return Role.QUASI_IDENTIFYING, f"no clue in the name; {what}", GUESS, _KNOWN


def _typed(
    profile: ColumnProfile, concept: Concept | None, show_values: bool
) -> tuple[Type, tuple[str, ...], tuple[str, ...]]:
    """Type, order of an ordinal, and notes for the spec."""
    if profile.type == Type.INTEGER and not profile.floating:
        code = concept is not None and concept.codes and profile.distinct <= _MANY_CODES
        return (Type.CATEGORY if code or profile.distinct <= 2 else Type.INTEGER), (), ()
    if profile.coded:
        return Type.CATEGORY, (), ("codes with leading zeros; a hierarchy keeps more detail",)
    order = ordered(profile.words)
    if profile.type == Type.CATEGORY and order and not profile.twins:
        if show_values:
            return Type.ORDINAL, order, ("a known scale",)
        return Type.CATEGORY, (), ("a known scale: --show-values writes it as ordinal",)
    return profile.type, (), ()
