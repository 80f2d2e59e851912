"""The runs of a comparison that are done, in a private file beside the folder to come.

An interrupted comparison goes on from it. It begins with a salted digest of all that an outcome depends on (table,
what is measured, code): where that differs it is begun anew. A line is one run; half a line, from a power cut, is
none, and nor is one that says something else.

It is as private as the folder will be, and no less: whoever knows all of a table but one value can try each, by
the digest as by any figure that compares with the source. A slow digest would not change that: there are few
values to try, and the figures are beside it. So its owner alone may read it, and it goes when all is done.
"""

import contextlib
import dataclasses
import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Iterator
from enum import Enum
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

import voile
from voile.comparing.plan import Run
from voile.core.table import Table
from voile.errors import OutputError
from voile.unix import lock_file


def file_of(target: Path) -> Path:
    """Where the finished runs of a folder to come are."""
    return target.parent / f".{target.name}.voile-runs"


class FinishedRuns:
    """`with FinishedRuns(target, table, measure) as finished:` then look up `.known`, and `.add` what is new."""

    def __init__(self, target: Path, table: Table, measure: str) -> None:
        self.path = file_of(target)
        self.known: dict[Run, dict[str, Any]] = {}
        self._subject = (table.columns, table.n, measure, _code())
        self._file = -1

    def __enter__(self) -> "FinishedRuns":
        problem = ""
        try:
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
            lock_file(self._file, wait=False)
            os.fchmod(self._file, 0o600)
            self._resume()
        except BlockingIOError:
            problem = "another comparison is writing to it"
        except OSError as error:
            problem = f"cannot be written beside ({os.strerror(error.errno or 0).lower()})"
        if problem:
            self._close()
            raise OutputError(problem, where="output folder", remedy="wait for it, or choose another folder")
        return self

    def _resume(self) -> None:
        with open(self.path, "rb") as file:
            header, *lines = [*_documents(file.read())] or [{}]
        if header.get("digest") != self._digest(str(header.get("salt", ""))):
            salt = secrets.token_hex(32)
            os.ftruncate(self._file, 0)
            self._append({"salt": salt, "digest": self._digest(salt)})
            return
        self.known.update(found for line in lines if (found := _finished(line)) is not None)
        os.lseek(self._file, 0, os.SEEK_END)
        os.write(self._file, b"\n")  # half a line stays one of its own

    def _digest(self, salt: str) -> str:
        digest = hmac.new(salt.encode(), digestmod=hashlib.sha256)
        for part in _parts(self._subject):
            digest.update(len(part).to_bytes(8, "big") + part)
        return digest.hexdigest()

    def add(self, run: Run, outcome: dict[str, Any]) -> None:
        """Keep an outcome; what failed for want of memory or time is tried again."""
        self.known[run] = outcome
        if outcome.get("why") != "failed":
            self._append({"algorithm": run.algorithm, "parameters": run.parameters, "outcome": outcome})

    def _append(self, document: dict[str, Any]) -> None:
        with contextlib.suppress(OSError):  # a full disk costs what could have been resumed, nothing else
            os.write(self._file, json.dumps(document).encode() + b"\n")

    def forget(self) -> None:
        """All is done and written elsewhere."""
        self.path.unlink(missing_ok=True)

    def _close(self) -> None:
        if self._file >= 0:
            os.close(self._file)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self.known:  # nothing to go on from
            self.forget()
        self._close()


def _documents(content: bytes) -> Iterator[dict[str, Any]]:
    for line in content.splitlines():
        with contextlib.suppress(ValueError):
            found = json.loads(line)
            if isinstance(found, dict):
                yield found


def _finished(line: dict[str, Any]) -> tuple[Run, dict[str, Any]] | None:
    """A run and its outcome; None for a line that has another shape: that run is made again."""
    algorithm, parameters, outcome = (line.get(name) for name in ("algorithm", "parameters", "outcome"))
    if not isinstance(algorithm, str) or not isinstance(parameters, list) or not isinstance(outcome, dict):
        return None
    if not all(isinstance(p, list) and [type(part) for part in p] == [str, str] for p in parameters):
        return None
    if not outcome.get("kept") and not {"why", "refusal"} <= outcome.keys():
        return None
    return Run(algorithm, tuple((name, value) for name, value in parameters)), outcome


def _code() -> str:
    """The sources: a version number stays while they change."""
    package, digest = Path(voile.__file__).parent, hashlib.sha256()
    for source in sorted(package.rglob("*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()


def _parts(value: object) -> Iterator[bytes]:
    """Everything in a value, one piece after the other, the same in every process."""
    if isinstance(value, np.ndarray):
        yield f"{value.dtype}{value.shape}".encode()
        yield np.ascontiguousarray(value).tobytes()
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from _parts(getattr(value, field.name))
    elif isinstance(value, tuple | list):
        yield f"{len(value)}".encode()
        for item in value:
            yield from _parts(item)
    elif isinstance(value, str | int | float | Fraction | Enum | None):
        yield f"{type(value).__name__} {value}".encode()
    else:
        raise TypeError(f"a {type(value).__name__} has no digest")
