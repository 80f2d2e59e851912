"""Each kind of bad input: the exit code, place, rule and remedy, no cell value, no file left behind."""

import resource

import pytest

from tests.command_line import HIERARCHY, SPEC, clinic, left_behind, started_anew, voile

pytestmark = pytest.mark.slow  # a process per refusal

HEADER = "name,age,zip,sex,disease\n"
ROW = "Secreta,33,01000,f,flu\n"


def run(folder, table=None, spec=SPEC, hierarchy=HIERARCHY, parameters="l=2", out="out"):
    clinic(folder)
    if table is not None:
        (folder / "t.csv").write_bytes(table if isinstance(table, bytes) else table.encode())
    (folder / "s.toml").write_text(spec, encoding="utf-8")
    (folder / "zip.csv").write_text(hierarchy, encoding="utf-8")
    return voile("anonymize", folder / "t.csv", "-s", folder / "s.toml", "-p", parameters, "-o", folder / out)


CASES = {
    "infeasible": (dict(parameters="l=6"), 1, ["l = 5 is the largest possible", "finer detail"]),
    "undeclared column": (
        dict(spec=SPEC.replace('sex = { role = "qi" }\n', "")),
        2,
        ["column 4 of 5", "declare it"],
    ),
    "misspelled column": (
        dict(spec=SPEC.replace("sex =", "gender =")),
        2,
        ["column 4 of 5", "no gender", "misspelling"],
    ),
    "wrong delimiter": (
        dict(spec='[file]\ndelimiter = ";"\n' + SPEC),
        2,
        ["column 1 of 1", "delimiter"],
    ),
    "hierarchy with a header": (
        dict(hierarchy="zip;region;country\n" + HIERARCHY),
        2,
        ["end every line with *", "no header line"],
    ),
    "absent column": (dict(spec=SPEC + 'ward = { role = "qi" }\n'), 2, ["no column ward", "correct the spec"]),
    "hierarchy lacks a value": (
        dict(hierarchy=HIERARCHY.replace("02100;02***;*\n", "")),
        2,
        ["column zip, row 4", "10 rows with a value not in the hierarchy", "every value has a line", "add a line"],
    ),
    "hierarchy with two parents": (
        dict(hierarchy=HIERARCHY + "02200;02***;other\n"),
        2,
        ["line 5", "one parent per child"],
    ),
    "hierarchy of unequal width": (dict(hierarchy=HIERARCHY + "02200;*\n"), 2, ["line 5", "equal width"]),
    "duplicate header": (dict(table=HEADER.replace("sex", "age") + ROW), 2, ["column 4", "same name as column 2"]),
    "header twins": (dict(table=HEADER.replace("sex", "AGE ") + ROW), 2, ["column 4", "same name as column 2"]),
    "ragged row": (
        dict(table=HEADER + ROW + "Secretb,34,01000,f\n"),
        2,
        ["line 3", "5 fields", "correct the line"],
    ),
    "NUL byte": (
        dict(table=(HEADER + ROW + "Secret\0b,34,01000,f,flu\n").encode()),
        2,
        ["line 3", "NUL", "UTF-8"],
    ),
    "Latin-1 bytes": (
        dict(table=HEADER.encode() + "Sécret,33,01000,f,flu\n".encode("latin-1")),
        2,
        ["line 2", 'encoding = "latin-1"'],
    ),
    "UTF-16": (dict(table=(HEADER + ROW).encode("utf-16")), 2, ["UTF-16", "save it as UTF-8"]),
    "empty file": (dict(table=b""), 2, ["empty", "header"]),
    "header only": (dict(table=HEADER), 2, ["no rows"]),
    "unclosed quote": (dict(table=HEADER + '"Secreta,33,01000,f,flu\n'), 2, ["line 2", "never ends"]),
    "mixed line ends": (dict(table=HEADER + ROW.replace("\n", "\r\n")), 2, ["line 2", "line end"]),
    "not an integer": (
        dict(table=HEADER + ROW + "Secretb,thirty,01000,f,flu\n"),
        2,
        ["column age, row 2", "type = integer"],
    ),
    "a float in an integer column": (
        dict(table=HEADER + "Secretb,3.5,01000,f,flu\n"),
        2,
        ["row 1", "type = integer"],
    ),
    "a number too long": (
        dict(table=HEADER + "Secretb,1234567890123456,01000,f,flu\n"),
        2,
        ["row 1", "15 digits"],
    ),
    "missing value": (dict(table=HEADER + ROW + "Secretb,,01000,f,flu\n"), 2, ["column age, row 2", "drop-row"]),
    "case twins": (dict(table=HEADER + ROW + ROW.replace("flu", "FLU")), 2, ["column disease", "casefold = true"]),
    "output is not empty": (dict(out="."), 2, ["not empty", "choose another folder"]),
    "output below a file": (dict(out="t.csv/out"), 2, ["cannot be created", "choose another folder"]),
    "output nowhere to be written": (
        dict(out="/proc/voile/out"),
        2,
        ["cannot be created", "choose another folder"],
    ),
    "unknown algorithm parameter": (dict(parameters="l=2,q=3"), 2, ["no parameter q"]),
    "a parameter named like an option": (dict(parameters="l=2,format=csv"), 2, ["no parameter format"]),
    "output in new folders": (dict(parameters="l=6", out="n1/n2/out"), 1, ["largest possible"]),
    "role is a list": (dict(spec=SPEC.replace('"sa"', '["sa"]')), 2, ["column disease"]),
    "hierarchy is a number": (dict(spec=SPEC.replace('"zip.csv"', "5")), 2, ["path of a file"]),
    "unknown encoding": (dict(spec='[file]\nencoding = "rot13"\n' + SPEC), 2, ["unknown encoding"]),
    "l missing": (dict(parameters="match=fast"), 2, ["needs l", "-p l="]),
    "spec is not TOML": (dict(spec="[columns\n"), 2, ["not TOML", "line 1"]),
    "unknown role": (dict(spec=SPEC.replace('"sa"', '"precious"')), 2, ["column disease", "quasi-identifying"]),
    "no sensitive column": (dict(spec=SPEC.replace('"sa"', '"id"')), 2, ["no sensitive column"]),
    "contradicting options": (
        dict(spec=SPEC.replace('role = "qi"', 'role = "qi", grid = 5')),
        2,
        ["column sex", "grid and min_width need"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_refusal(name, tmp_path):
    arguments, code, words = CASES[name]
    outcome = run(tmp_path, **arguments)
    assert outcome.code == code, outcome.err
    assert outcome.out == ""
    assert all(word in outcome.err for word in words), outcome.err
    assert "Traceback" not in outcome.err
    for cell in ("Secret", "Person", "flu", "FLU", "HIV", "02100", "thirty", "1234567890"):
        assert cell not in outcome.err
    assert left_behind(tmp_path) == []


def test_missing_file_and_spec(tmp_path):
    table, spec = clinic(tmp_path)
    assert voile("anonymize", tmp_path / "none.csv", "-s", spec, "-p", "l=2", "-o", tmp_path / "o").code == 2
    assert voile("anonymize", table, "-s", tmp_path / "none.toml", "-p", "l=2", "-o", tmp_path / "o").code == 2
    assert left_behind(tmp_path) == []


def test_usage_errors_are_exit_2(tmp_path):
    assert voile("nonsense").code == 2
    assert voile("anonymize").code == 2
    table, spec = clinic(tmp_path)
    assert voile("anonymize", table, "-s", spec, "-p", "l", "-o", tmp_path / "o").code == 2


def test_a_disk_that_takes_no_more_leaves_nothing(tmp_path):
    """The system refuses to let the file grow, half-way through: cause named, staging folder gone."""
    table, spec = clinic(tmp_path, rows=2000)

    def no_file_over_4k():
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    arguments = ("anonymize", table, "-s", spec, "-p", "l=2", "-o", tmp_path / "out")
    outcome = started_anew(*arguments, preexec_fn=no_file_over_4k)
    assert outcome.code == 2, outcome.err
    assert "data.csv: cannot be written" in outcome.err
    assert "free space" in outcome.err
    assert left_behind(tmp_path) == []
    assert voile(*arguments).code == 0  # control: without the limit it is written


def test_parquet_that_is_not_parquet(tmp_path):
    _, spec = clinic(tmp_path)
    (tmp_path / "x.parquet").write_bytes(b"PAR1 Secret PAR1")
    outcome = voile("anonymize", tmp_path / "x.parquet", "-s", spec, "-p", "l=2", "-o", tmp_path / "o")
    assert outcome.code == 2
    assert "Parquet" in outcome.err and "Secret" not in outcome.err
