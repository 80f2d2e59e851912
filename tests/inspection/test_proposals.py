"""Roles from names in several languages, from the shape of cells and from counts; each with its contrast."""

import datetime
import random
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

import voile
from tests.inspection.expected_roles import ID, QI, REST, SENSITIVE, SUBJECT
from voile.errors import Infeasible
from voile.inspection.candidate import EDGE, candidate, usable
from voile.inspection.vocabulary import concept_of

RNG = random.Random(7)
ROWS = 200
DISEASES = ["flu", "gout", "asthma", "ulcer", "angina"]

NAMES = {
    QI: """age Alter edad idade leeftijd alder birthDate Geburtsdatum date_naissance fecha_nacimiento
        data-di-nascita geboortedatum fodelsedatum sex Geschlecht sexe sesso geslacht PLZ Postleitzahl
        code_postal zip ZIPCode marital_status Familienstand état_civil estado-civil stato_civile civilstand
        nationality Nationalität education Bildungsabschluss uddannelse country
        Land pays woonplaats native-country""",
    SENSITIVE: """diagnosis Diagnose maladie enfermedad malattia ziekte sygdom sjukdom ICD10 Hauptdiagnose
        income Einkommen salaire sueldo stipendio inkomen inkomst religion Konfession HIV_status
        medication Beruf""",
    ID: """first_name Vorname prénom apellido cognome achternaam efternavn email E-Mail Telefonnummer phone SSN
        IBAN Sozialversicherungsnummer personnummer BSN street_address Straße""",
    SUBJECT: "patient_id PatientID Patientennummer subject_id person_id id_paciente",
}


@pytest.mark.parametrize(
    ("role", "name"), [(role, name) for role, names in NAMES.items() for name in names.split()]
)
def test_words_of_many_languages(role, name):
    concept = concept_of(name)
    assert concept is not None and concept.role == role


@pytest.mark.parametrize(
    "name", ["page", "tagging", "x1", "agent", "usage", "massage", "sextant", "form", "colour"]
)
def test_parts_of_words_mean_nothing(name):
    assert concept_of(name) is None


@pytest.mark.parametrize(
    ("name", "role"), [("country name", QI), ("disease code", SENSITIVE), ("patient name", ID)]
)
def test_the_specific_word_decides(name, role):
    assert concept_of(name).role == role


def of(cells, name="v17", **more):
    frame = pl.DataFrame({name: cells, "age": [20 + i % 50 for i in range(len(cells))]})
    disease = [DISEASES[i % 5] for i in range(len(cells))]
    return voile.inspect(frame.with_columns(pl.Series("disease", disease)), **more).columns[0]


def digits(n):
    return "".join(RNG.choice("123456789") for _ in range(n))


SHAPES = {
    "email": (lambda i: f"p{i % 90}@example.org", ID),
    "phone": (lambda i: f"+49 30 {digits(7)}", ID),
    "IBAN": (lambda i: f"DE{digits(20)}", ID),
    "UUID": (lambda i: f"{digits(8)}-{digits(4)}-{digits(4)}-{digits(4)}-{digits(12)}", ID),
    "long number": (lambda i: digits(11), ID),
    "far too long number": (lambda i: digits(18), ID),
    "running number": (lambda i: str(i + 1), ID),
    "unique text": (lambda i: f"k{digits(6)}x{i}", ID),
    "person": (
        lambda i: f"{RNG.choice(('Ada', 'Ben', 'Eva'))} {RNG.choice('ABCDEFGH')}{'abcdefghij'[i % 10]}o",
        ID,
    ),
    "two words of few": (lambda i: ("New York", "Los Angeles", "Las Vegas")[i % 3], QI),
    "few words": (lambda i: "abc"[i % 3], QI),
    "amount": (lambda i: str(i % 80 / 4), QI),
    "constant": (lambda i: "x", REST),
    "nothing": (lambda i: None, REST),
}


@pytest.mark.parametrize("name", SHAPES)
def test_cells_decide_where_the_name_says_nothing(name):
    cell, role = SHAPES[name]
    found = of([cell(i) for i in range(ROWS)])
    assert found.role == role, found


def test_a_name_without_a_clue_is_asked():
    assert of(["abc"[i % 3] for i in range(ROWS)]).question
    assert not of(["abc"[i % 3] for i in range(ROWS)], name="sex").question


def test_amounts_are_not_numbers_of_persons():
    assert of([digits(11) for _ in range(ROWS)], name="income").role == SENSITIVE
    assert of([digits(11) for _ in range(ROWS)], name="xyz").role == ID


TYPES = {
    "integer": (lambda i: str(20 + i % 40), "integer"),
    "negative": (lambda i: str(i % 40 - 20), "integer"),
    "decimal": (lambda i: f"{i % 40}.{i % 7}", "decimal"),
    "date": (lambda i: f"2024-{1 + i % 12:02d}-{1 + i % 28:02d}", "date"),
    "no date": (lambda i: f"2024-{1 + i % 14:02d}-{1 + i % 28:02d}", "category"),
    "German date": (lambda i: f"{1 + i % 28}.{1 + i % 12}.1980", "category"),
    "codes": (lambda i: f"0{1000 + i % 40}", "category"),
    "yes or no": (lambda i: str(i % 2), "category"),
    "decimal comma": (lambda i: f"{i % 40},{i % 7}", "category"),
}


@pytest.mark.parametrize("name", TYPES)
def test_types(name):
    cell, type_ = TYPES[name]
    assert of([cell(i) for i in range(ROWS)]).type == type_


def test_typed_columns_of_a_frame():
    days = [datetime.date(2024, 1, 1 + i % 28) for i in range(ROWS)]
    moments = [datetime.datetime(2024, 1, 1 + i % 28, i % 24) for i in range(ROWS)]
    assert of(days).type == "date"
    assert of([i % 9 / 2 for i in range(ROWS)]).type == "decimal"
    assert of([i % 2 == 0 for i in range(ROWS)]).type == "category"
    asked = of(moments)
    assert (asked.written, asked.question[:8]) == (ID, "left out")
    assert of([[i] for i in range(ROWS)]).written == ID
    assert of([float("inf") if i == 3 else i / 4 for i in range(ROWS)]).written == ID


def test_scales_are_ordinal_only_when_values_may_be_shown():
    cells = [("low", "medium", "high")[i % 3] for i in range(ROWS)]
    assert of(cells).type == "category"
    shown = of(cells, show_values=True)
    assert (shown.type, shown.order) == ("ordinal", ("low", "medium", "high"))
    assert of([("low", "blue", "high")[i % 3] for i in range(ROWS)], show_values=True).type == "category"


def test_missing_values_get_a_policy():
    def with_gaps(cell, share):
        return of([None if i < ROWS * share else cell(i) for i in range(ROWS)])

    assert with_gaps(lambda i: "abc"[i % 3], 0.3).missing == "category"
    assert with_gaps(lambda i: str(i % 60), 0.05).missing == "drop-row"
    assert with_gaps(lambda i: str(i % 60), 0.4).question.startswith("left out: 40.0% missing")
    few = with_gaps(lambda i: str(i % 6), 0.4)
    assert (few.type, few.missing) == ("category", "category")


def test_words_for_missing():
    def file_of(word, other="a"):
        cells = [word if i % 10 == 0 else str(i % 30) for i in range(ROWS)]
        frame = pl.DataFrame({"v1": cells, "v2": [other if i % 3 else "b" for i in range(ROWS)]})
        return voile.inspect(frame.with_columns(pl.Series("disease", [DISEASES[i % 5] for i in range(ROWS)])))

    assert file_of("?").file == {"missing": ["?"]}
    assert file_of("unknown").file == {"missing": ["unknown"]}
    assert file_of("strange").file == {}  # a word of the data is never repeated
    both = file_of("-", other="-")  # what means "missing" in one column is so in all
    assert [p.missing for p in both.columns[:2]] == ["drop-row", "category"]
    countries = pl.DataFrame({"country": ["NA", "DE", "FR", "US"] * 50, "disease": DISEASES * 40})
    assert voile.inspect(countries).file == {}


def test_words_that_hide_a_secret_are_missing(tmp_path):
    """What hides a value of the sensitive column is no value: the spec says what becomes of it, and it runs."""
    cells = ["Unknown" if i % 40 == 0 else DISEASES[i % 5] for i in range(ROWS)]
    frame = pl.DataFrame({"age": [str(20 + i % 50) for i in range(ROWS)], "disease": cells})
    found = voile.inspect(frame)
    assert found.file == {"missing": ["Unknown"]} and found.columns[1].missing == "drop-row"
    (tmp_path / "s.toml").write_text(found.spec())
    assert voile.read(frame, tmp_path / "s.toml").n == ROWS - ROWS // 40
    with pytest.raises(voile.VoileError, match=f"missing values: {ROWS // 40} in disease"):
        voile.read(frame, {"age": {"role": "qi", "type": "integer"}, "disease": "sensitive"})
    kept = voile.read(frame.with_columns(disease="age", age="disease"), {"age": "qi", "disease": "sensitive"})
    assert kept.n == ROWS  # of what is not sensitive it is a value


def test_a_person_with_several_rows_is_seen():
    found = of([f"P{i // 4:04d}" for i in range(ROWS)], name="patient_id")
    assert found.role == SUBJECT
    assert "4 rows each" in found.reason


def test_twins_are_merged_and_reported():
    frame = pl.DataFrame({"age": [20 + i % 40 for i in range(ROWS)], "disease": [*DISEASES[:4], "FLU"] * 40})
    found = voile.inspect(frame)
    assert found.columns[1].casefold
    assert found.candidates[0].values == 4
    assert found.largest_l == 2  # two of five rows have the flu
    assert any("differ from another only in case" in w for w in found.warnings)


def test_the_feasible_candidate_is_chosen_unless_told():
    frame = pl.DataFrame(
        {
            "age": [20 + i % 40 for i in range(ROWS)],
            "HIV": ["no" if i % 10 else "yes" for i in range(ROWS)],
            "job": [f"job {i % 8}" for i in range(ROWS)],
        }
    )
    assert [p.written for p in voile.inspect(frame).columns] == [QI, ID, SENSITIVE]
    told = voile.inspect(frame, sensitive=["HIV"])
    assert [p.written for p in told.columns] == [QI, SENSITIVE, ID]
    assert told.largest_l == 1
    assert told.candidates[0].raised_by_suppressing == 160
    assert "-a sweep -p tau=0.5 -p l=2" in told.command()  # nothing else publishes most of the rows
    with pytest.raises(voile.VoileError, match="no column"):
        voile.inspect(frame, sensitive=["income"])


def test_a_telling_column_is_reported():
    frame = pl.DataFrame(
        {
            "sex": ["fm"[i % 2] for i in range(ROWS)],
            "ward": [f"w{i % 5}" for i in range(ROWS)],
            "disease": [DISEASES[i % 5] for i in range(ROWS)],
        }
    )
    told = [w for w in voile.inspect(frame).warnings if "tells much about disease" in w]
    assert told == ["ward tells much about disease: it is guessed right in 100% of rows instead of 20%"]


def test_values_only_on_request():
    frame = pl.DataFrame({"age": [20 + i % 40 for i in range(ROWS)], "disease": ["zzflu"] * 80 + DISEASES * 24})
    assert "zzflu" not in repr(voile.inspect(frame)) + voile.inspect(frame).spec() + str(
        voile.inspect(frame).document()
    )
    shown = voile.inspect(frame, show_values=True)
    assert "zzflu" in shown.spec()  # positive control
    assert "zzflu" not in repr(shown)


def skewed(*counts):
    """Jobs with so many rows each."""
    jobs = [f"job {i}" for i, count in enumerate(counts) for _ in range(count)]
    return pl.DataFrame({"age": [20 + i % 40 for i in range(len(jobs))], "job": jobs})


def test_reachable_lines():
    """What true values allow is the line of the whole column; generalising goes down to equal shares."""
    found = voile.inspect(skewed(14, 2, 2, 1, 1), sensitive=["job"])
    (only,) = found.candidates
    assert only.least_taus == ((2, Fraction(7, 10)), (3, Fraction(7, 10)), (5, Fraction(4, 5)))
    assert only.on_true_values == "tau from 0.7 with l = 2, 0.7 with l = 3, 0.8 with l = 5"
    assert only.generalised == "tau from 0.2, l up to 5"
    assert only.on_true_values in found.spec().replace("\n# ", " ")
    assert only.generalised in found.spec().replace("\n# ", " ")
    assert only.suggested == "-p tau=0.75 -p l=3"
    assert f"{EDGE}, for example sweep_e {only.suggested}" in found.spec().replace("\n# ", " ")
    document = found.document()["candidates"][0]
    assert document["tau_l_on_true_values"][0] == {"l": 2, "least_tau": 0.7}
    assert document["tau_l_generalised"] == {"largest_l": 5, "least_tau": 0.2}


@pytest.mark.parametrize("counts", [(14, 2, 2, 1, 1), (140, 20, 10, 10, 7), (9, 9, 1), (3, 3), (50, 1)])
def test_what_inspect_says_is_reachable_is_reached(counts):
    """And nothing below."""
    frame, spec = skewed(*counts), {"age": {"role": "qi", "type": "integer"}, "job": "sa"}
    table = voile.read(frame, spec)
    (found,) = voile.inspect(frame, sensitive=["job"]).candidates
    for ell, tau in found.least_taus:
        release = voile.anonymize(table, "sweep_e", tau=usable(tau), l=ell, ineligible="refuse")
        assert release.certificate["true_values"]["kept"]
        with pytest.raises(Infeasible):
            voile.anonymize(table, "sweep_e", tau=str(tau * Fraction(99, 100)), l=ell, ineligible="refuse")
    voile.anonymize(table, "sweep", tau=usable(Fraction(1, found.values)), l=found.values)
    with pytest.raises(Infeasible):
        voile.anonymize(table, "sweep", tau=0.5, l=found.values + 1)


@pytest.mark.parametrize(
    ("counts", "suggested"),
    [
        ((14, 6, 5), "-p tau=0.65 -p l=3"),
        ((3, 3), "-p tau=0.55 -p l=2"),
        ((24, 24, 1), "-p tau=0.54 -p l=2"),  # with l = 3 nothing below 1 has room
        ((50, 1), "-p tau=0.981 -p l=2"),  # nor here: the edge itself
        ((30_000, 1), "-p tau=0.99997 -p l=2"),  # to three places it would be 1, and promise nothing
        ((9,), ""),
    ],
)
def test_suggestions_leave_room_above_the_edge(counts, suggested):
    found = candidate("job", np.array(counts), True)
    assert found.suggested == suggested
    if suggested:
        tau, ell = (part.split("=")[1] for part in suggested.split(" -p "))
        table = voile.read(skewed(*counts), {"age": {"role": "qi", "type": "integer"}, "job": "sa"})
        release = voile.anonymize(table, "sweep_e", tau=tau, l=int(ell), ineligible="refuse")
        assert release.certificate["true_values"]["kept"]


def test_a_skewed_column_is_told_the_ways_out():
    mild, hard = (voile.inspect(skewed(*counts), sensitive=["job"]) for counts in ((14, 6, 5), (40, 2, 2)))
    assert "-a elig -p l=2 -p ineligible=suppress" in mild.command()
    assert "-a sweep -p tau=0.5 -p l=2" in hard.command()
    for found in (mild, hard):
        assert "whoever knows the algorithm can tell" in found.ways_out
        assert "whoever knows the algorithm can tell" in found.spec().replace("\n#   ", " ")
        assert found.document()["ways_out"] == found.ways_out
    assert voile.inspect(skewed(5, 5, 5), sensitive=["job"]).ways_out == ""  # control
    assert voile.inspect(skewed(9), sensitive=["job"]).ways_out == ""  # nothing would help


def test_numbers_need_a_hierarchy_first():
    """sweep refuses numbers without one, so the next command stays with elig."""
    frame = pl.DataFrame({"age": [20 + i % 40 for i in range(50)], "income": [0] * 45 + [10, 20, 30, 40, 50]})
    found = voile.inspect(frame, sensitive=["income"])
    assert found.candidates[0].generalised == "tau from 0.167, l up to 6, once it has a hierarchy"
    assert "once it has a hierarchy" in found.ways_out
    assert "-a elig" in found.command()
