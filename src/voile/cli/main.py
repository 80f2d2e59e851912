"""`voile`: finds the commands, and turns every refusal into words and an exit code."""

import contextlib
import importlib
import json
import signal
import sys
from collections.abc import Sequence
from typing import Any

import click

from voile import __version__
from voile.cli.streams import set_up_streams
from voile.errors import Untold, VoileError, place_of
from voile.unix import forbid_core_dumps

# name -> one-line help; a command's module is imported only when it runs
COMMANDS = {
    "inspect": "Propose roles and types, warn, and write a first spec.",
    "anonymize": "Publish a table: group, check, write, audit, reveal.",
    "publish": "Publish the next release of a series; the ledger remembers.",
    "audit": "Say what any published table promises, from its bytes.",
    "compare": "Measure several algorithms on one table, and say which one to use.",
    "explain": "Say step by step what a search over generalizations does with a table.",
    "attack": "Say what a release tells somebody who knows how it was made.",
    "report": "Write the report of a release, or of any published table, as a page.",
    "estimate": "Answer a count from a release, with bounds that are certain.",
    "hierarchy": "Write a column's hierarchy as a file to edit.",
    "ledger": "The memory of a series: create, show, verify, recover, copy, withdraw, erase, key.",
    "serve": "Open the local app: from a file to a release in the browser.",
    "warmup": "Compile before a first run would.",
    "demo": "A synthetic hospital, end to end; no input needed.",
    "algorithms": "The catalog of algorithms, with adversaries and papers.",
    "models": "The catalog of privacy models.",
    "metrics": "The catalog of utility metrics.",
    "attacks": "The catalog of attacks, with what passes.",
}
INTERRUPTED = 130
_PANIC = "a library that reads or draws gave up on this input: is the file damaged?"
_WHOLE = "nothing is half published: a release is there as a whole, or not at all"


class Commands(click.Group):
    """Commands by name, loaded when needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"voile.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="voile")
def cli() -> None:
    """Publish tables about people, with a promise how surely a stated reader can infer a value.

    Exit codes: 0 done; 1 the promise cannot be met or a requirement failed; 2 bad input or usage;
    3 the ledger refuses; 4 done, but the answer could not be printed.
    """


def _fail(as_json: bool, message: str, document: dict[str, Any], code: int) -> int:
    with contextlib.suppress(Untold):  # the exit code still tells
        if as_json:
            click.echo(json.dumps({"ok": False, "error": document}, ensure_ascii=False))
            sys.stdout.flush()
    click.echo(f"voile: {message}", err=True)
    return code


def run(arguments: Sequence[str]) -> int:
    """Run a command line; returns the exit code. No traceback ever reaches the screen."""
    as_json = "--json" in arguments
    try:
        result = cli.main(list(arguments) or ["--help"], prog_name="voile", standalone_mode=False)
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except VoileError as error:
        return _fail(as_json, str(error), error.document(), error.exit_code)
    except click.ClickException as error:
        hint = "try voile --help"
        return _fail(
            as_json, f"{error.format_message()} ({hint})", {"kind": "Usage", "what": error.format_message()}, 2
        )
    except (KeyboardInterrupt, click.Abort):
        return _fail(as_json, f"interrupted; {_WHOLE}", {"kind": "Interrupted"}, INTERRUPTED)
    except MemoryError:
        return _fail(as_json, f"not enough memory; {_WHOLE}", {"kind": "MemoryError"}, 2)
    except SystemExit:
        raise
    except BaseException as error:  # also a library's panic: its message may hold a cell
        if type(error).__name__ == "PanicException":
            return _fail(as_json, f"{_PANIC}; {_WHOLE}", {"kind": "Panic", "what": _PANIC}, 2)
        place = place_of(error)
        return _fail(
            as_json,
            f"a defect of Voile ({place}), please report it; {_WHOLE}",
            {"kind": "Defect", "where": place},
            2,
        )


def _stop(signum: int, frame: object) -> None:
    raise KeyboardInterrupt


def main() -> None:
    """Entry point: no core dumps (they would hold the table); a polite kill and a closed terminal clean up like
    Ctrl-C."""
    forbid_core_dumps()
    for name in ("SIGTERM", "SIGHUP"):
        signum = getattr(signal, name, None)  # not every system has both
        if signum is not None and signal.getsignal(signum) != signal.SIG_IGN:  # nohup means that it goes on
            signal.signal(signum, _stop)
    set_up_streams()
    sys.exit(run(sys.argv[1:]))
