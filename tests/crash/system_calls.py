"""What a run asks of the file system, by strace: recorded, or spoiled at one chosen call."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.crash.warm_process import Outcome, WarmProcess

WRITE_LIKE = frozenset(
    [
        "openat",
        "write",
        "pwrite64",
        "writev",
        "pwritev",
        "pwritev2",
        "ftruncate",
        "truncate",
        "fallocate",
        "fsync",
        "fdatasync",
        "sync",
        "syncfs",
        "sync_file_range",
        "rename",
        "renameat",
        "renameat2",
        "unlink",
        "unlinkat",
        "rmdir",
        "mkdir",
        "mkdirat",
        "link",
        "linkat",
        "symlink",
        "symlinkat",
        "sendfile",
        "copy_file_range",
        "chmod",
        "fchmod",
        "fchmodat",
        "utimensat",
    ]
)
OBSERVED = (*sorted(WRITE_LIKE), "lseek", "mmap", "io_uring_setup")
_LINE = re.compile(
    r"^(?:(?P<thread>\d+) +)?(?P<name>\w+)\((?P<arguments>.*)\) += (?P<result>-?\d+|\?)(?P<rest>.*)$"
)
_UNFINISHED = re.compile(r"^(?P<thread>\d+) +(?P<start>\w+\(.*) <unfinished \.\.\.>$")
_RESUMED = re.compile(r"^(?P<thread>\d+) +<\.\.\. \w+ resumed>(?P<end>.*)$")
_RANDOM = re.compile(r"(?<=staging-)[^/]+|(?<=\.witness-)[^/]+|(?<=\.key-)[^/]+|[0-9a-f]{32}")
_TOKEN = re.compile(r'"((?:\\x[0-9a-f]{2})*)"(?:\.\.\.)?|<((?:\\x[0-9a-f]{2})*)>(?:\(deleted\))?')


@dataclass(frozen=True)
class Call:
    """One system call: texts are its quoted arguments, paths those of its descriptors, in order."""

    number: int
    thread: int
    name: str
    arguments: str
    result: int
    texts: tuple[bytes, ...]
    paths: tuple[str, ...]

    @property
    def target(self) -> str:
        """The path a call is about: its last named one, made absolute by the descriptor before it."""
        if self.name in ("write", "pwrite64", "writev", "pwritev", "pwritev2") or not self.texts:
            return self.paths[0] if self.paths else ""
        base = (self.paths or ("/",))[-1 if self.name.startswith("rename") else 0]
        return os.path.normpath(os.path.join(base, self.texts[-1].decode()))


@dataclass(frozen=True)
class Point:
    """The `index`-th call of this name in its thread, which is how strace counts; 1 is the first.

    Threads beside the main one share work as they like: there, calls about this very path are counted.
    """

    name: str
    index: int
    target: str
    beside: bool  # in another than the main thread

    @property
    def place(self) -> tuple[str, str]:
        """Call and path, without what is random in names of drafts."""
        return self.name, _RANDOM.sub("", self.target)


@dataclass(frozen=True)
class Fault:
    """What happens instead of a call: `signal=KILL`, or `error=ENOSPC` and its like."""

    point: Point
    what: str


@cache
def why_not() -> str:
    """Why tracing is impossible here; empty when it works."""
    if shutil.which("strace") is None:
        return "no strace: install it (apt-get install strace) to run the crash suite"
    tried = subprocess.run(
        ["strace", "-f", "-e", "inject=fsync:signal=KILL:when=1", "true"], capture_output=True, check=False
    )
    return "" if tried.returncode == 0 else "the system forbids tracing (ptrace): allow it to run the crash suite"


def traced(
    warm: WarmProcess,
    arguments,
    *,
    keys: Path,
    log: Path,
    mutant: str = "",
    data: bool = False,
    fault: Fault | None = None,
) -> Outcome:
    """Run `voile ARGUMENTS` under strace, with a fault at one call; `data` to log all bytes."""
    gate = log.with_suffix(".gate")
    gate.unlink(missing_ok=True)
    os.mkfifo(gate)
    run = warm.start(arguments, keys=keys, mutant=mutant, gate=gate)
    command = ["strace", "-y", "-xx", "-s", "2000000" if data else "1024", "-o", str(log), "-p", str(run.pid)]
    command += ["-e", f"trace={','.join(OBSERVED)}", "-e", "signal=none"]
    if fault is None or fault.point.beside:
        command.append("-f")
    if fault is not None and fault.point.beside:
        command += ["-P", fault.point.target]
    if fault is not None:
        command += ["-e", f"inject={fault.point.name}:{fault.what}:when={fault.point.index}"]
    tracer = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert tracer.stderr
        first = tracer.stderr.readline()
        assert "attached" in first, first
        gate.write_bytes(b".")
        outcome = run.wait()
    finally:
        tracer.communicate(timeout=60)
    return outcome


def calls(log: Path) -> list[Call]:
    """The finished calls of a log in order of their end; one that was killed has the result -1."""
    found: list[Call] = []
    begun: dict[str, str] = {}
    for line in log.read_text(encoding="ascii").splitlines():
        if match := _UNFINISHED.match(line):
            begun[match["thread"]] = match["start"]
            continue
        if match := _RESUMED.match(line):
            line = f"{match['thread']} {begun.pop(match['thread'])}{match['end']}"
        if match := _LINE.match(line):
            found.append(_call(len(found), match))
    return found


def _call(number: int, match: re.Match) -> Call:
    texts, paths = [], []
    for token in _TOKEN.finditer(match["arguments"] + match["rest"]):
        if token[1] is not None:
            texts.append(bytes.fromhex(token[1].replace("\\x", "")))
        else:
            paths.append(bytes.fromhex(token[2].replace("\\x", "")).decode())
    plain = _TOKEN.sub("", match["arguments"])
    result = -1 if match["result"] == "?" else int(match["result"])
    return Call(number, int(match["thread"] or 0), match["name"], plain, result, tuple(texts), tuple(paths))


def struck(log: Path) -> tuple[str, str]:
    """The place where a fault was injected: a call that never returned, or whose error was made up."""
    lines = [line for line in log.read_text(encoding="ascii").splitlines() if _LINE.match(line)]
    spoiled = [line for line in lines if line.endswith("(INJECTED)")] or lines[-1:]
    match = _LINE.match(spoiled[0]) if spoiled else None
    if match is None:
        return ("", "")
    call = _call(0, match)
    return Point(call.name, 0, call.target, False).place


def _writes(call: Call) -> bool:
    if call.name == "openat":
        return any(flag in call.arguments for flag in ("O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC"))
    return call.name in WRITE_LIKE


def points(log: Path, within: Path) -> list[Point]:
    """Every call that would write below a folder."""
    counted: dict[tuple[int, str, str], int] = {}
    found = []
    recorded = calls(log)
    threads = [call.thread for call in recorded]
    for call in recorded:
        beside = call.thread != threads[0]
        counter = (call.thread, call.name, call.target if beside else "")
        index = counted[counter] = counted.get(counter, 0) + 1
        if _writes(call) and Path(call.target).is_relative_to(within):
            found.append(Point(call.name, index, call.target, beside))
    return found
