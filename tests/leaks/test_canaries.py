"""A table whose every cell is a unique token, through every command and every induced failure.

Identifying tokens appear nowhere. Quasi-identifying and sensitive ones only in their place in the
release. Whatever else is printed or written holds no token at all.
"""

import hashlib
import os
from pathlib import Path

import pytest

from tests.command_line import voile
from voile import catalog
from voile.cli.main import COMMANDS

ROWS = 30
pytestmark = pytest.mark.slow  # a process per failure


def token(*what):
    return "cnry" + hashlib.sha256(repr(what).encode()).hexdigest()[:12]


def number(column, row):
    """Reserved 15-digit numbers; the year 1801 for dates is in `day`."""
    return 900_000_000_000_000 + 1000 * column + row


def day(row):
    return f"1801-{1 + row % 12:02d}-{1 + row % 28:02d}"


SPEC = """
[columns]
name = { role = "identifying" }
person = { role = "subject" }
income = { role = "quasi-identifying", type = "integer" }
born = { role = "quasi-identifying", type = "date" }
code = { role = "quasi-identifying", hierarchy = "code.csv" }
town = { role = "quasi-identifying" }
ward = { role = "insensitive" }
secret = { role = "sensitive" }
"""


def row(i):
    cells = (
        token("name", i),
        token("person", i),
        number(1, i),
        day(i),
        token("code", i % (ROWS // 2)),  # more would be refused: a set of them hides nobody
        token("town", i % (ROWS // 2)),
        token("ward", i),
    )
    return [*map(str, cells), token("secret", i)]


def write(folder):
    lines = ["name,person,income,born,code,town,ward,secret", *(",".join(row(i)) for i in range(ROWS))]
    (folder / "t.csv").write_text("\n".join(lines) + "\n")
    (folder / "code.csv").write_text("".join(f"{token('code', i)};part{i % 3};*\n" for i in range(ROWS)))
    (folder / "s.toml").write_text(SPEC)


@pytest.fixture
def folder(tmp_path):
    write(tmp_path)
    return tmp_path


# each model with a bound that no release of these rows meets: every failure gets its line
EVERYTHING_REQUIRED = ", ".join(
    f"{model.symbol}{model.sense}{1000 if model.sense == '>=' else '1/1000'}"
    for model in catalog.models().values()
)


def tokens_in(text, kinds=("name", "person", "income", "born", "code", "town", "ward", "secret")):
    found = set()
    for i in range(ROWS):
        cells = dict(
            zip(("name", "person", "income", "born", "code", "town", "ward", "secret"), row(i), strict=True)
        )
        found |= {kind for kind in kinds if cells[kind] in text}
    return found


def files_of(folder):
    return {
        p.relative_to(folder): p.read_bytes().decode("utf-8", "replace") for p in folder.rglob("*") if p.is_file()
    }


def anonymize(folder, *more, **options):
    return voile(
        "anonymize",
        folder / "t.csv",
        "-s",
        folder / "s.toml",
        "-o",
        folder / "out",
        *(more or ("-p", "l=3")),
        cwd=folder,
        **options,
    )


@pytest.mark.parametrize("key", catalog.algorithms())
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_release_holds_tokens_only_in_their_place(folder, form, key):
    bound = catalog.models()[catalog.algorithm(key).promise].bound
    given = ["-p", "tau=0.5", "-p", "l=3"] if bound == "tau" else ["-p", f"{bound}=3"]
    done = anonymize(folder, "-a", key, *given, "-f", form)
    assert done.code == 0, done.err
    assert tokens_in(done.out + done.err) == set()
    for name, content in files_of(folder / "out").items():
        apart = catalog.algorithm(key).separates
        places = {"data": {"income", "born", "code", "town"} | (set() if apart else {"secret"})}
        expected = (places | ({"sensitive": {"secret"}} if apart else {})).get(name.stem, set())
        assert tokens_in(content) <= expected, name
        assert tokens_in(str(name)) == set()


def test_reports_hold_no_identifying_token(folder):
    """The public one what the release shows; the steward's own also what it was before."""
    done = anonymize(folder, "-p", "l=3", "--report")
    said = done.out + done.err
    for more in (
        ["report", folder / "out", "-o", folder / "again.html"],
        ["report", folder / "out", "-o", folder / "mine.html", "--source", folder / "t.csv"],
        ["report", folder / "t.csv", "-o", folder / "raw.html", "--json"],
        ["report", folder / "out", "-o", folder / "again.html"],
    ):
        done = voile(*more, "-s", folder / "s.toml", cwd=folder)
        said += done.out + done.err
        assert "defect" not in done.err
    assert tokens_in(said) == set()
    pages = {name: content for name, content in files_of(folder).items() if name.suffix == ".html"}
    assert len(pages) == 5
    for name, content in pages.items():
        assert tokens_in(content, ("name", "person")) == set(), name
        assert tokens_in(content, ("ward",)) <= (
            {"ward"} if name.stem == "raw" else set()
        )  # there it is published
    assert tokens_in(pages[Path("out/private/report.html")]), "control: quasi-identifiers are in it"


def test_tokens_are_found_where_they_are(folder):
    """Positive control: the sweep sees what is there."""
    assert tokens_in((folder / "t.csv").read_text()) == {
        "name",
        "person",
        "income",
        "born",
        "code",
        "town",
        "ward",
        "secret",
    }


def test_audit_and_catalogs_hold_no_token(folder):
    anonymize(folder)
    for arguments in (
        ["audit", folder / "out", "-s", folder / "s.toml"],
        ["audit", folder / "out", "-s", folder / "s.toml", "--require", "l>=9"],
        ["audit", folder / "out", "-s", folder / "s.toml", "--require", EVERYTHING_REQUIRED],
        ["audit", folder / "t.csv", "-s", folder / "s.toml", "--json"],
    ):
        done = voile(*arguments)
        assert done.code in (0, 1), done.err
        assert tokens_in(done.out + done.err) == set()
    for name in set(COMMANDS) - {"anonymize", "audit", "compare", "hierarchy", "inspect", "publish", "serve"}:
        assert tokens_in(voile(name, cwd=folder).out) == set()


def compare(folder, *more):
    return voile("compare", folder / "t.csv", "-s", folder / "s.toml", "-o", folder / "out", *more, cwd=folder)


def test_a_comparison_holds_no_token(folder):
    """It is private, and still: figures, names of columns and words are all that is in it. What --json prints is
    what is in comparison.json."""
    asked = ["-a", "elig,sweep", "-p", "l=3", "-p", "tau=0.5", "--recommend", "--measure", "qwe_mean[queries=9]"]
    done = compare(folder, *asked)
    assert done.code == 0, done.err
    assert tokens_in(done.out + done.err) == set()
    written = files_of(folder / "out")
    assert {str(name) for name in written} == {
        "comparison.csv",
        "comparison.json",
        "index.html",
        "recommended.toml",
    }
    assert {name: tokens_in(text) for name, text in written.items()} == {name: set() for name in written}


@pytest.mark.parametrize("name", ["missing cell", "kept column"])  # when it is read, and in a run
def test_no_refusal_of_a_comparison_shows_a_token(folder, name):
    FAILURES[name](folder)
    done = compare(folder, "-a", "elig", "-p", "l=3", "--measure", "")
    assert done.code in (1, 2), (done.code, done.out, done.err)
    assert tokens_in(done.out + done.err) == set() and "defect" not in done.out + done.err
    for path, text in files_of(folder).items():
        if path.name not in ("t.csv", "code.csv", "s.toml"):
            assert tokens_in(text) == set(), path


def publish(folder, *more):
    place = {**os.environ, "VOILE_KEYS": str(folder / "keys")}
    return voile("publish", folder / "t.csv", "-s", folder / "s.toml", *more, cwd=folder, env=place)


def ledger(folder, *arguments, **options):
    place = {**os.environ, "VOILE_KEYS": str(folder / "keys")}
    return voile("ledger", *arguments, cwd=folder, env=place, **options)


def test_a_series_holds_tokens_only_in_their_place(folder):
    """The ledger keeps sets of sensitive values, and nobody's name, quasi-identifier or own value."""
    said = ledger(folder, "create", "s.ledger").out
    said += publish(folder, "-p", "m=3", "--preview").out
    for more in (["-p", "m=3"], ["--json"], ["--preview", "--json"]):
        done = publish(folder, *more)
        assert done.code == 0, done.err
        said += done.out + done.err
    (folder / "gone.txt").write_text(token("person", 3) + "\n")
    for arguments in (
        ["show", "s.ledger"],
        ["show", "s.ledger", "--json"],
        ["verify", "s.ledger"],
        ["withdraw", "s.ledger", "1", "--reason", "a test"],
        ["erase", "s.ledger", "--persons", "gone.txt"],
        ["key", "s.ledger", "--rotate"],
        ["key", "s.ledger", "--backup", "copy.key"],
        ["recover", "s.ledger"],
        ["show", "missing.ledger"],
    ):
        done = ledger(folder, *arguments)
        said += done.out + done.err
    assert tokens_in(said) == set()
    places = {"data": {"income", "born", "code", "town", "secret"}, "s.ledger": {"secret"}}
    for name, content in files_of(folder).items():
        if name.name not in ("t.csv", "code.csv", "s.toml", "gone.txt"):
            expected = places.get(name.stem, set()) | places.get(name.name, set())
            assert tokens_in(content) <= expected, name
            assert tokens_in(str(name)) == set()
    assert tokens_in(files_of(folder)[Path("s.ledger")]) == {"secret"}, "control: signatures are in the ledger"


@pytest.mark.parametrize(
    "name", ["missing cell", "same person for most", "same secret for most", "kept column", "case twins"]
)
def test_no_refusal_of_a_series_shows_a_token(folder, name):
    ledger(folder, "create", "s.ledger")
    assert publish(folder, "-p", "m=3").code == 0  # control
    FAILURES[name](folder)
    done = publish(folder, "-p", "changed=refuse", "-p", "ineligible=refuse")
    assert done.code in (1, 2, 3), (done.code, done.out, done.err)
    assert tokens_in(done.out + done.err) == set()
    assert "defect" not in done.err
    assert not (folder / "release-2").exists()


@pytest.mark.parametrize("more", [[], ["--json"]], ids=["words", "json"])
def test_estimate_repeats_no_token(folder, more):
    """Not even one that was asked for, nor a label that cannot be read."""
    anonymize(folder)
    first, spec = token("secret", 1), ["-s", folder / "s.toml"]
    for query in (
        f"secret = '{first}'",
        f"town = '{token('town', 2)}' and income > {number(1, 3)} and code = '{token('code', 1)}'",
        f"secret = {first}",
        f"{first} = 3",
        f"income = '{first}'",
        f"secret < '{first}'",
        "secret = 'nothing'",
    ):
        done = voile("estimate", folder / "out", query, *spec, *more)
        assert tokens_in(done.out + done.err) == set(), query
    spoil(folder, "s.toml", 'code = { role = "quasi-identifying", hierarchy = "code.csv" }', 'code = "qi"')
    spoil(folder, "s.toml", 'town = { role = "quasi-identifying" }', 'town = { role = "qi", type = "integer" }')
    done = voile("estimate", folder / "out", "town > 3", *spec, *more)
    assert done.code == 2 and tokens_in(done.out + done.err) == set()


@pytest.mark.parametrize("more", [[], ["--json"], ["--sensitive", "town"]], ids=["words", "json", "told"])
def test_inspect_holds_no_token(folder, more):
    done = voile("inspect", folder / "t.csv", "-o", folder / "first.toml", *more)
    assert done.code == 0, done.err
    written = (folder / "first.toml").read_text()
    assert tokens_in(done.out + done.err + written) == set()
    run = voile("anonymize", folder / "t.csv", "-s", folder / "first.toml", "-p", "l=auto", "-o", folder / "out")
    assert run.code == 0, run.err


def test_inspect_shows_values_when_asked(folder):
    """Positive control: the sweep sees what inspect writes."""
    done = voile("inspect", folder / "t.csv", "-o", folder / "first.toml", "--show-values")
    assert done.code == 0, done.err
    assert tokens_in((folder / "first.toml").read_text()) != set()


def spoil(folder, file, old, new):
    path = folder / file
    content = path.read_bytes()
    assert old.encode() in content
    path.write_bytes(content.replace(old.encode(), new.encode("latin-1"), 1))


FAILURES = {
    "bad type": lambda f: spoil(f, "t.csv", str(number(1, 4)), token("income", 4)),
    "bad date": lambda f: spoil(f, "t.csv", day(5), "1801-13-45"),
    "long number": lambda f: spoil(f, "t.csv", str(number(1, 4)), str(number(1, 4)) + "99"),
    "missing cell": lambda f: spoil(f, "t.csv", token("town", 3), ""),
    "missing column": lambda f: spoil(f, "s.toml", "town =", "city ="),
    "no header": lambda f: spoil(f, "t.csv", "name,person,income,born,code,town,ward,secret\n", ""),
    "ragged": lambda f: spoil(f, "t.csv", token("town", 3) + ",", token("town", 3) + ",,"),
    "open quote": lambda f: spoil(f, "t.csv", token("town", 3), '"' + token("town", 3)),
    "stray quote": lambda f: spoil(f, "t.csv", token("town", 3), token("town", 3) + '"'),
    "NUL": lambda f: spoil(f, "t.csv", token("town", 3), token("town", 3) + "\0"),
    "latin-1": lambda f: spoil(f, "t.csv", token("town", 3), token("town", 3) + "\u00e9"),
    "duplicate header": lambda f: spoil(f, "t.csv", "ward", "town"),
    "hierarchy lacks a value": lambda f: spoil(f, "code.csv", token("code", 7), "another"),
    "hierarchy twice": lambda f: spoil(f, "code.csv", token("code", 7), token("code", 8)),
    "hierarchy ragged": lambda f: spoil(f, "code.csv", "part1;*", "part1"),
    "hierarchy two parents": lambda f: spoil(f, "code.csv", "part1;*", "part1;" + token("code", 2)),
    "same person for most": lambda f: [
        spoil(f, "t.csv", token("person", i), token("person", 0)) for i in range(1, 20)
    ],
    "case twins": lambda f: spoil(f, "t.csv", token("secret", 7), token("secret", 8).upper()),
    "same secret for most": lambda f: [
        spoil(f, "t.csv", token("secret", i), token("secret", 0)) for i in range(1, 20)
    ],
    "kept column": lambda f: spoil(f, "s.toml", '"insensitive"', '"insensitive", keep = true'),
    "output occupied": lambda f: ((f / "out").mkdir(), (f / "out" / "x").touch()),
}


@pytest.mark.parametrize("name", FAILURES)
@pytest.mark.parametrize("more", [[], ["--json"]], ids=["words", "json"])
def test_no_failure_shows_a_token(folder, name, more):
    FAILURES[name](folder)
    before = set(files_of(folder))
    done = anonymize(folder, "-p", "l=3", *more)
    assert done.code in (1, 2), (done.code, done.out, done.err)
    assert tokens_in(done.out + done.err) == set()
    assert "defect" not in done.err
    assert set(files_of(folder)) == before


@pytest.mark.parametrize("name", [name for name in FAILURES if name not in ("output occupied", "missing column")])
def test_inspect_shows_no_token_of_a_spoilt_table(folder, name):
    FAILURES[name](folder)
    done = voile("inspect", folder / "t.csv", "-o", folder / "first.toml")
    assert done.code in (0, 2), (done.code, done.out, done.err)
    written = (folder / "first.toml").read_text() if (folder / "first.toml").exists() else ""
    assert tokens_in(done.out + done.err + written) == set()
    assert "defect" not in done.err


def test_no_traceback_or_context_keeps_a_token(folder):
    """Python callers get an exception, too: neither it nor what it was raised from holds a cell."""
    import voile as library

    for name in ("bad type", "open quote", "latin-1", "hierarchy lacks a value"):
        write(folder)
        FAILURES[name](folder)
        try:
            library.read(folder / "t.csv", folder / "s.toml")
            error = None
        except library.VoileError as caught:
            error = caught
        assert error is not None, name
        seen = []
        while error is not None:
            seen.append(repr(error) + repr(getattr(error, "__dict__", "")))
            error = error.__cause__ or error.__context__
        assert tokens_in("".join(seen)) == set(), name
        assert len(seen) == 1, name


def test_an_exported_hierarchy_is_private_and_only_there(folder):
    """The file holds the column's own values, and is the steward's alone; the screen shows none."""
    for column in ("code", "town", "secret"):
        done = voile("hierarchy", folder / "t.csv", "-s", folder / "s.toml", "-c", column, "-o", folder / "h.csv")
        assert done.code == 0, done.err
        assert tokens_in(done.out + done.err) == set()
        assert tokens_in((folder / "h.csv").read_text()) == {column}
        assert (folder / "h.csv").stat().st_mode & 0o777 == 0o600
        (folder / "h.csv").unlink()
    for column in ("income", "name", "person", token("town", 1)):
        done = voile("hierarchy", folder / "t.csv", "-s", folder / "s.toml", "-c", column, "-o", folder / "h.csv")
        assert done.code == 2 and not (folder / "h.csv").exists()
        assert tokens_in((done.out + done.err).replace(column, "")) == set()


BUILT_IN = {
    "mask": ("town = {", "town = { hierarchy = { mask = 3 },"),
    "intervals": ('type = "integer"', 'type = "integer", hierarchy = { intervals = [10, 100] }'),
    "dates": ('type = "date"', 'type = "date", hierarchy = { dates = ["month", "year"] }'),
}


@pytest.mark.parametrize(
    "name", ["bad type", "bad date", "long number", "missing cell", "hierarchy lacks a value"]
)
def test_no_failure_with_built_in_hierarchies_shows_a_token(folder, name):
    for old, new in BUILT_IN.values():
        spoil(folder, "s.toml", old, new)
    assert anonymize(folder).code == 0  # control
    FAILURES[name](folder)
    done = voile("anonymize", folder / "t.csv", "-s", folder / "s.toml", "-p", "l=3", "-o", folder / "out2")
    assert done.code == 2
    assert tokens_in(done.out + done.err) == set()


def test_a_star_in_a_masked_code_is_not_shown(folder):
    spoil(folder, "s.toml", *BUILT_IN["mask"])
    spoil(folder, "t.csv", token("town", 3), token("town", 3) + "*")
    done = anonymize(folder)
    assert done.code == 2 and "1 value with a *" in done.err
    assert tokens_in(done.out + done.err) == set()


def frames():
    """Data frames that cannot be read as they are declared, each with tokens where it fails."""
    import duckdb
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    towns, secrets = [token("town", i) for i in range(5)], [token("secret", i) for i in range(5)]
    mixed = pd.DataFrame({"town": pd.Series([1, *towns[1:]], dtype=object), "secret": secrets})
    sound = pl.DataFrame({"town": towns, "secret": secrets})
    yield "mixed", mixed
    yield "undeclared index", pa.Table.from_pandas(pd.DataFrame({"town": towns, "secret": secrets}, index=towns))
    yield "names are data", pl.DataFrame({towns[0]: towns, secrets[0]: secrets})
    yield "twice", pa.Table.from_arrays([pa.array(towns), pa.array(secrets)], names=[towns[0]] * 2)
    yield "query", duckdb.from_arrow(sound.to_arrow()).select("cast(town as int) as town, secret")
    yield "lazy", sound.lazy().with_columns(pl.col("town").cast(pl.Int64))
    yield "type", sound.with_columns(pl.col("town").cast(pl.Binary))
    yield "star", sound.with_columns(pl.col("town") + "*")


def test_no_refused_frame_keeps_a_token():
    import voile as library

    spec = {"town": {"role": "qi", "hierarchy": {"mask": 3}}, "secret": "sa"}
    for name, frame in frames():
        try:
            library.read(frame, spec)
            error = None
        except library.VoileError as caught:
            error = caught
        assert error is not None, name
        assert error.__cause__ is None and error.__context__ is None, name
        assert tokens_in(repr(error) + repr(vars(error))) == set(), name


def test_repr_shows_shape_only(folder):
    import voile as library

    table = library.read(folder / "t.csv", folder / "s.toml")
    release = library.anonymize(table, "elig", l=3)
    shown = [repr(table), repr(release), repr(table.columns), repr(table.intake), repr(table.columns[0].domain)]
    assert tokens_in("".join(shown)) == set()


def test_nothing_is_left_in_the_temporary_folder(folder):
    scratch = folder / "scratch"
    scratch.mkdir()
    anonymize(folder, env={**os.environ, "TMPDIR": str(scratch)})
    assert list(Path(scratch).rglob("*")) == []


def test_attack_and_explanation_hold_no_token(folder):
    """Who is given away is counted; names and values need --show-values, as the control shows."""
    search = ("-p", "l=3,strategy=naive")
    done = anonymize(folder, "-a", "k_jump", *search)
    assert done.code == 0, done.err
    attack = ["attack", "minimality", folder / "out", "-s", folder / "s.toml", "--known", folder / "t.csv"]
    explain = ["explain", folder / "t.csv", "-s", folder / "s.toml", *search]
    for arguments in (attack, [*attack, "--json", "--require", "l>=99"], explain, [*explain, "--json"]):
        done = voile(*arguments)
        assert done.code in (0, 1, 2) and "defect" not in done.err, done.err
        assert tokens_in(done.out + done.err) == set()
    assert "secret" in tokens_in(voile(*attack, "--json", "--show-values").out)
