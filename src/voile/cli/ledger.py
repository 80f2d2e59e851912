"""`voile ledger`: the memory of a series, for those who keep it."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from voile.errors import LedgerRefused, VoileError, counted

if TYPE_CHECKING:
    from voile.ledger import Ledger, LedgerView, ReleaseRecord

_ledger = click.argument("ledger")  # a path, or an address that a path would spoil
_key = click.option(
    "--key", type=click.Path(path_type=Path), default=None, help="The key file, if not in its usual place."
)
_json = click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
Command = Callable[..., Any]


@click.group(
    help="The memory of a series of releases: what it holds, and whether it is sound. All commands have --json."
)
def command() -> None:
    pass


def _open(path: str, key: Path | None, **options: Any) -> "Ledger":
    from voile.ledger import Ledger

    return Ledger.open(path, key, waiting=_waiting, **options)


def _waiting() -> None:
    click.echo("another publisher is using the ledger: waiting up to a minute", err=True)


def _say(as_json: bool, document: dict[str, Any], title: str, rows: list[tuple[str, str]]) -> None:
    from voile.cli import show

    if as_json:
        show.document(document)
    else:
        show.facts(title, rows)


@command.command(help="Make a new LEDGER and its key.")
@_ledger
@_key
@_json
def create(ledger: str, key: Path | None, as_json: bool) -> None:
    from voile.ledger import Ledger

    Ledger.create(ledger, key)
    view = Ledger.read(ledger, key)
    where = str(view.key_path)
    rows = [
        ("ledger", f"{view.home.text}: back it up after every release, together with nothing else"),
        ("key", f"{where}: back it up now, somewhere else (voile ledger key {ledger} --backup FILE)"),
        ("next", f"voile publish TABLE -s SPEC --ledger {ledger} -p m=4 -o FOLDER"),
    ]
    _say(as_json, {"ok": True, "ledger": view.home.text, "id": view.id, "key": where}, "Created", rows)


@command.command(help="List the releases of LEDGER; needs no key.")
@_ledger
@click.option(
    "--picture",
    type=click.Path(path_type=Path),
    default=None,
    help="Draw the history too: a name in .svg or .png.",
)
@_json
def show(ledger: str, picture: Path | None, as_json: bool) -> None:
    from voile.cli import show as shown
    from voile.ledger import Ledger

    if picture is not None:
        from voile.series.publishing import Series

        Series(ledger).picture(picture)

    view = Ledger.read(ledger)
    releases = view.releases()
    if as_json:
        shown.document(_document(view))
        return
    header = ("release", "date", "state", "algorithm", "m, balance", "rows", "counterfeits", "withheld", "folder")
    shown.grid(f"{view.home.name}: {counted(len(releases), 'release')}", header, map(_row, releases))
    facts = [("persons", f"{view.persons} remembered"), ("ledger id", view.id), ("head", view.head)]
    interrupted = [str(release.number) for release in releases if release.state in ("reserved", "audited")]
    if interrupted:
        word = "release" if len(interrupted) == 1 else "releases"
        was = "was" if len(interrupted) == 1 else "were"
        advice = f"{was} interrupted and counts as published: voile ledger recover {ledger}"
        facts.append(("to do", f"{word} {', '.join(interrupted)} {advice}"))
    if view.content.moved_to:
        facts.append(("moved", f"it goes on in {view.content.moved_to}; nothing is written here any more"))
    shown.facts("Kept", facts)


def _document(view: "LedgerView") -> dict[str, Any]:
    releases = [
        {
            "release": release.number,
            "date": release.date,
            "state": release.state,
            "folder": release.folder,
            "files": release.files,
            "record": release.record,
            "body": release.body,
        }
        | ({"reason": release.reason} if release.reason else {})
        for release in view.releases()
    ]
    return {"ok": True, "ledger": view.id, "head": view.head, "persons": view.persons, "releases": releases}


def _row(release: "ReleaseRecord") -> list[object]:
    body = release.body
    parameters = body.get("parameters") or {}
    settings = [str(parameters[name]) for name in ("m", "balance") if name in parameters]
    counts = [body.get(name, "-") for name in ("rows", "counterfeits", "withheld")]
    first = [release.number, release.date[:10], release.state, body.get("algorithm", "-")]
    return [*first, ", ".join(settings) or "-", *counts, release.folder]


@command.command(help="Check LEDGER, its key and its releases; changes nothing. Exit 3 if anything is wrong.")
@_ledger
@_key
@click.option(
    "--release", "releases", multiple=True, type=click.Path(path_type=Path), help="A release folder; repeatable."
)
@_json
def verify(ledger: str, key: Path | None, releases: tuple[Path, ...], as_json: bool) -> int:
    from voile.cli import show as shown
    from voile.ledger.home import home_of
    from voile.ledger.recovery import verify as verified

    findings = verified(ledger, key, releases)
    sound = all(finding.ok is not False for finding in findings)
    if as_json:
        listed = [{"ok": finding.ok, "what": finding.what} for finding in findings]
        shown.document({"ok": sound, "findings": listed})
    else:
        words = {True: "sound", False: "WRONG", None: "unknown"}
        rows = [(words[finding.ok], finding.what) for finding in findings]
        shown.facts(f"Verified: {home_of(ledger).name}", rows)
    return 0 if sound else LedgerRefused.exit_code


@command.command(help="Settle what an interruption left open in LEDGER. Exit 3 while something stays open.")
@_ledger
@_key
@click.option(
    "--attest-not-published",
    "not_published",
    multiple=True,
    type=click.IntRange(min=1),
    metavar="N",
    help="You attest that nobody ever saw release N; repeatable.",
)
@click.option("--attest-current", is_flag=True, help="You attest that this is the newest copy of the ledger.")
@_json
def recover(
    ledger: str, key: Path | None, not_published: tuple[int, ...], attest_current: bool, as_json: bool
) -> int:
    from voile.ledger.recovery import recover as recovered

    with _open(ledger, key, attest_current=attest_current) as opened:
        outcomes = recovered(opened, not_published)
    settled = all(outcome.result in ("committed", "abandoned") for outcome in outcomes)
    listed = [{"release": o.release, "result": o.result, "why": o.why} for o in outcomes]
    rows = [(f"release {o.release}", f"{o.result}: {o.why}") for o in outcomes]
    nothing = [("ledger", "sound; no release was interrupted")]
    _say(as_json, {"ok": settled, "releases": listed}, "Recovered", rows or nothing)
    return 0 if settled else LedgerRefused.exit_code


@command.command(help="Move a ledger FROM a file or a server TO another; the old one ends. Again: goes on.")
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@_key
@_json
def copy(source: str, target: str, key: Path | None, as_json: bool) -> None:
    from voile.ledger.copying import copy_ledger
    from voile.ledger.home import home_of

    there = copy_ledger(home_of(source), home_of(target), key, waiting=_waiting)
    records, persons = counted(len(there.chain), "record"), counted(there.persons, "person")
    rows = [
        ("ledger", f"{there.home.text}: {records}, {persons}, read back and verified"),
        ("ended", f"{home_of(source).text}: nothing can be written there any more; keep no copy that is older"),
        ("next", f"voile ledger verify {there.home.text}"),
    ]
    _say(as_json, {"ok": True, "ledger": there.id, "head": there.head, "records": len(there.chain)}, "Moved", rows)


@command.command(help="Note that release NUMBER of LEDGER was recalled from its readers; nothing is forgotten.")
@_ledger
@click.argument("number", type=click.IntRange(min=1))
@click.option("--reason", required=True, help="Why; kept in the ledger, so name no person.")
@_key
@_json
def withdraw(ledger: str, number: int, reason: str, key: Path | None, as_json: bool) -> None:
    with _open(ledger, key) as opened:
        opened.withdraw(number, reason)
        folder = opened.releases()[number - 1].folder
    rows = [
        ("release", f"{number} is withdrawn; its persons keep their signatures, since it may have been read"),
        ("next", f"remove {folder} and ask its readers to do so"),
    ]
    _say(as_json, {"ok": True, "release": number, "state": "withdrawn"}, "Withdrawn", rows)


@command.command(help="Forget what persons were published with in LEDGER; they are never published again.")
@_ledger
@click.option(
    "--persons",
    required=True,
    type=click.File("r", encoding="utf-8"),
    help="A file with one identifier per line, or - for standard input; never on the command line.",
)
@_key
@_json
def erase(ledger: str, persons: Any, key: Path | None, as_json: bool) -> None:
    import polars as pl

    from voile.cli.progress import announce_compilation
    from voile.intake.normalise import normalised

    try:
        lines = persons.read().splitlines()
    except ValueError:
        lines = None
    if lines is None:
        raise VoileError("is not UTF-8 text", where="the list of persons", remedy="save it as UTF-8")
    texts = normalised(pl.Series(lines, dtype=pl.String)).drop_nulls().unique()
    announce_compilation()
    with _open(ledger, key) as opened:
        count = opened.erase(opened.pseudonyms(_spelled(texts, opened.releases())))
    rows = [
        ("asked for", counted(len(texts), "person")),
        ("forgotten", f"the signatures of {counted(count, 'person')}"),
        *(
            [
                (
                    "not found",
                    f"{len(texts) - count}: unknown, erased before, or spelled otherwise than in the tables",
                )
            ]
            if count < len(texts)
            else []
        ),
        ("stays", "a pseudonym each, so that they are recognised and held back if they return (docs/ledger.md)"),
        ("backups", "older copies of the ledger still hold the signatures: replace them"),
    ]
    _say(as_json, {"ok": True, "asked": len(texts), "erased": count}, "Erased", rows)


def _spelled(texts: Any, releases: "list[ReleaseRecord]") -> Any:
    """Names as the spec of the series reads them: numbers without leading zeros, spellings merged if so."""
    from voile.intake.normalise import twin_keys

    declared = [release.body["subject"] for release in releases if release.body.get("subject")]
    if declared and declared[0]["casefold"]:
        return twin_keys(texts)
    if declared and declared[0]["type"] == "integer":
        return texts.str.replace(r"^\+?(-?)0*([0-9])", "${1}${2}")
    return texts


@command.command(help="Where the key of LEDGER is and whether it fits; back it up, restore it, rotate it.")
@_ledger
@_key
@click.option("--backup", type=click.Path(path_type=Path), default=None, help="Copy the key to a new file.")
@click.option("--restore", type=click.Path(path_type=Path), default=None, help="Put a backup back in its place.")
@click.option("--rotate", is_flag=True, help="A new key over the old: who has only an old copy recognises nobody.")
@_json
def key(
    ledger: str, key: Path | None, backup: Path | None, restore: Path | None, rotate: bool, as_json: bool
) -> None:
    from voile.ledger import Ledger
    from voile.ledger.keys import KeyFile, back_up, restore_key

    if sum((backup is not None, restore is not None, rotate)) > 1:
        raise click.UsageError("--backup, --restore and --rotate one at a time")
    if rotate:
        with _open(ledger, key) as opened:
            opened.rotate()
    view = Ledger.read(ledger, key)
    if restore is not None:
        restore_key(restore, view.key_path, view.id, view.content.generation, view.content.check)
    keys = KeyFile.read(view.key_path, view.id)
    keys.refuse_other(view.content.generation, view.content.check)
    rows = [("key", str(view.key_path)), ("fits", f"yes, generation {view.content.generation}")]
    if backup is not None:
        back_up(keys, backup)
        rows.append(("backup", f"{backup}: keep it away from the ledger and its backups"))
    if rotate:
        rows.append(("rotated", "make a new backup of the key and of the ledger, and destroy the old ones"))
    document = {"ok": True, "key": str(view.key_path), "generation": view.content.generation}
    _say(as_json, document, "Key", rows)
