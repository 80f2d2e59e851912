"""Files from the browser: in slices, counted while they come, under names that the server gives.

What the browser calls a file is a label on a page, never a path. A slice is its own request, so a refusal arrives
while the rest is still unsent.
"""

import os
import secrets
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO
from urllib.parse import unquote

from voile.errors import InputError
from voile.web.sessions import Session

LARGEST = 512 * 2**20
LONGEST_LINE = 2**24
SLICE = 8 * 2**20
_KINDS = {".parquet": ".parquet", ".csv": ".csv", ".tsv": ".csv", ".txt": ".csv", ".data": ".csv"}
_ARCHIVES = {
    b"\x1f\x8b": "gzip",
    b"PK\x03\x04": "a workbook or zip archive",
    b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"7z\xbc\xaf": "7z",
    b"Rar!": "rar",
}
_LONGEST_MARK = max(map(len, _ARCHIVES))


@dataclass(eq=False, repr=False)
class Upload:
    """A file that is coming, or has come: where it lies, and what the browser called it."""

    id: str
    label: str
    path: Path
    size: int = 0
    head: bytes = b""  # how it begins
    line: int = 0  # bytes since the last line end
    busy: bool = False  # a slice is on its way
    whole: bool = False

    def __repr__(self) -> str:
        return "Upload()"


def label_of(name: str) -> str:
    """What a browser calls a file, as text to show: the last part of it, without signs that nobody sees.

    >>> label_of("..%2F..%2Fetc%2Fpasswd"), label_of("C:\\\\data\\\\my table.csv"), label_of("")
    ('passwd', 'my table.csv', 'table')
    """
    last = unquote(name).replace("\\", "/").rsplit("/", 1)[-1]
    plain = "".join(c for c in unicodedata.normalize("NFC", last) if c.isprintable()).strip(" .")
    return plain[:80] or "table"


def kind_of(label: str) -> str:
    """The suffix under which a file is kept: what it is decides how it is read.

    >>> kind_of("a.Parquet"), kind_of("b.csv"), kind_of("c")
    ('.parquet', '.csv', '.csv')
    """
    return _KINDS.get(Path(label).suffix.lower(), ".csv")


class Uploads:
    """The files that sessions send."""

    def __init__(self, largest: int = LARGEST) -> None:
        self.largest = largest
        self._coming: dict[str, tuple[Session, Upload]] = {}

    def begin(self, session: Session, name: str) -> Upload:
        """A new, empty file of mode 0600 in the session's folder."""
        label, key = label_of(name), secrets.token_hex(8)
        upload = Upload(key, label, session.folder / f"table-{key}{kind_of(label)}")
        os.close(os.open(upload.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        self._coming[key] = session, upload
        return upload

    def of(self, session: Session, key: str) -> Upload | None:
        """An upload of this very session."""
        owner, upload = self._coming.get(key, (None, None))
        return upload if owner is session else None

    def ready(self, session: Session, key: str) -> Upload | None:
        """An upload of this very session that takes a slice, or can be declared whole: one thing after the other,
        and nothing after the end, when a job reads it."""
        upload = self.of(session, key)
        return None if upload is None or upload.busy or upload.whole else upload

    def write(self, upload: Upload, file: BinaryIO, chunk: bytes) -> None:
        """Take a part; what cannot be a table is refused before more of it comes."""
        upload.head = (upload.head + chunk)[:_LONGEST_MARK]
        refuse_archive(upload.head)
        upload.size += len(chunk)
        if upload.size > self.largest:
            raise InputError(
                f"more than {self.largest // 2**20} MiB",
                where="upload",
                remedy="put the file into the folder of voile serve and pick it there: that has no limit",
            )
        if upload.path.suffix == ".csv":
            upload.line = _since_line_end(upload.line, chunk)
        file.write(chunk)

    def drop(self, upload: Upload) -> None:
        """Forget a file."""
        self._coming.pop(upload.id, None)
        upload.path.unlink(missing_ok=True)

    def forget(self, session: Session) -> None:
        """The session has ended; its folder goes, too."""
        self._coming = {key: pair for key, pair in self._coming.items() if pair[0] is not session}


def refuse_archive(head: bytes) -> None:
    """Nothing is unpacked here: a small archive can hold a very large file."""
    for begin, name in _ARCHIVES.items():
        if head.startswith(begin):
            raise InputError(
                f"is {name}", where="upload", rule="CSV or Parquet, not compressed", remedy="unpack it first"
            )


def _since_line_end(before: int, chunk: bytes) -> int:
    """How long the last line is by now; refuses one that never ends."""
    first, last = chunk.find(b"\n"), chunk.rfind(b"\n")
    longest = before + (len(chunk) if first < 0 else first)
    if longest > LONGEST_LINE:
        raise InputError(
            f"a line of more than {LONGEST_LINE // 2**20} MiB",
            where="upload",
            rule="one row per line",
            remedy="check quotes and line ends",
        )
    return longest if first < 0 else len(chunk) - last - 1
