"""CSV: scanned strictly, then read as text. Nothing is inferred, nothing is repaired.

The library's own reader accepts NUL bytes, shifts columns at odd line ends and quotes cells in
its errors (docs/facts/threats.md 2.5), so it only ever sees files that passed the scan, and its
exceptions never leave this module.
"""

import codecs
import contextlib
import csv
import io
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from voile.core.schema import FileOptions
from voile.errors import InputError
from voile.intake.header import sound_names
from voile.intake.panics import FAILURES
from voile.kernels import csv_scan

DELIMITERS = ",;\t|"
ENCODING_RULE = "UTF-8 unless declared"
LONGEST_FIELD = 2**20
_SNIFFED = 2**16
_CHUNK = 2**24
_HEAD = 4 * LONGEST_FIELD  # of a large file, looked at before the rest is touched

_FINDINGS = {
    csv_scan.NUL: ("a NUL byte", "text has none", "if the file is UTF-16, save it as UTF-8"),
    csv_scan.STRAY_QUOTE: (
        "a quote inside or after a field",
        "a quoted field begins and ends with a quote",
        "double the quote, and quote the whole field",
    ),
    csv_scan.OPEN_QUOTE: ("a quoted field that never ends", "quotes close", "close the quote"),
    csv_scan.LONE_CR: (
        "a carriage return that ends no line",
        "lines end with LF or CR LF",
        "convert the line ends",
    ),
    csv_scan.MIXED_ENDS: ("another line end than above", "one kind per file", "convert the line ends"),
    csv_scan.LONG_FIELD: ("a field of more than 1 MiB", "fields are short", "check quotes and delimiter"),
    csv_scan.BLANK: ("an empty line", "one record per line", "delete the line"),
}


_WORKBOOK = b"PK\x03\x04"  # how .xlsx and .ods begin


def read_csv(path: Path, options: FileOptions) -> pl.DataFrame:
    """All cells as text, missing ones as null; header names trimmed."""
    data = _without_blank_end(_bytes_of(path, options))
    delimiter = options.delimiter or _sniff(data)
    _refuse_findings(data, delimiter)
    names = sound_names(_header(data, delimiter))
    try:
        frame = pl.read_csv(data.tobytes(), separator=delimiter, infer_schema=False, empty_string_is_null=True)
    except FAILURES:  # its message would quote cells
        frame = None
    if frame is None or frame.width != len(names):
        raise InputError("cannot be read", where="file", rule="CSV", remedy="check the delimiter in [file]")
    frame.columns = [str(i) for i in range(len(names))]  # never a clash while renaming
    frame.columns = names
    return frame


def _bytes_of(path: Path, options: FileOptions) -> NDArray[np.uint8]:
    """The file as UTF-8 bytes without a byte order mark."""
    encoding = options.encoding
    if path.stat().st_size == 0:
        raise InputError("empty", where="file", remedy="a header and one line per row are needed")
    data: NDArray[np.uint8] = np.memmap(path, np.uint8, mode="r")
    if bytes(data[:2]) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        raise InputError("UTF-16", where="file, line 1", rule="text is UTF-8", remedy="save it as UTF-8")
    if bytes(data[:4]) == _WORKBOOK:
        raise InputError("a workbook or archive", where="file", rule="CSV or Parquet", remedy="save it as CSV")
    try:
        decoder = codecs.getincrementaldecoder(encoding) if "a".encode(encoding) else None
    except (LookupError, ValueError):  # unknown, or not an encoding of text
        decoder = None
    if decoder is None:
        raise InputError("unknown encoding", where="spec, [file]", remedy='for example encoding = "latin-1"')
    if data.size > _HEAD and 'a,\n"'.encode(encoding) == b'a,\n"':
        _refuse_monster(data[:_HEAD], options.delimiter)
    text = _decoded(path, decoder(), keep=encoding.lower().replace("_", "-") not in ("utf-8", "utf8"))
    if text is not None:
        data = np.frombuffer(text.encode(errors="replace"), np.uint8)
    return data[3:] if bytes(data[:3]) == codecs.BOM_UTF8 else data


def _refuse_monster(head: NDArray[np.uint8], delimiter: str | None) -> None:
    """A field without an end is refused by how it begins: not after a gigabyte of it was read."""
    finding, *_ = csv_scan.scan(head, ord(delimiter or _sniff(head)), LONGEST_FIELD)
    if finding in (csv_scan.NUL, csv_scan.LONG_FIELD):
        _refuse_findings(head, delimiter or _sniff(head))


def _decoded(path: Path, decoder: codecs.IncrementalDecoder, keep: bool) -> str | None:
    """Decode chunk by chunk; a bad byte is reported by its line. Read, not mapped: it takes one chunk's memory."""
    text: list[str] = []
    bad_line = lines = 0
    with open(path, "rb") as file:
        while bad_line == 0:
            chunk = file.read(_CHUNK)
            try:
                part = decoder.decode(chunk, final=not chunk)
                if keep:
                    text.append(part)
            except UnicodeError as error:  # holds the bytes: must not become a __context__
                bad_line = lines + chunk[: getattr(error, "start", 0)].count(b"\n") + 1
            lines += chunk.count(b"\n")
            if not chunk:
                break
    if bad_line:
        raise InputError(
            "bytes that are not text in the declared encoding",
            where=f"file, line {bad_line}",
            rule=ENCODING_RULE,
            remedy='declare it in the spec, for example [file] encoding = "latin-1"',
        )
    return "".join(text) if keep else None


def _without_blank_end(data: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The bytes up to the line end after the last text: empty lines at the very end are nobody."""
    text = np.flatnonzero((data[-(2**16) :] != 10) & (data[-(2**16) :] != 13))
    if text.size == 0:
        return data
    last = max(0, data.size - 2**16) + int(text[-1]) + 1
    ends = data[last : last + 2].tobytes()
    return data[: last + (2 if ends == b"\r\n" else len(ends[:1]))]


def _sniff(data: NDArray[np.uint8]) -> str:
    """The delimiter that gives the first lines the same number of fields, the more the better."""
    sample = data[:_SNIFFED]
    if data.size > _SNIFFED:
        breaks = np.flatnonzero(sample == 10)
        sample = sample[: breaks[-1] + 1] if breaks.size else sample
    best, most = DELIMITERS[0], 1
    for regular in (True, False):
        for delimiter in DELIMITERS:
            finding, _, width, _ = csv_scan.scan(sample, ord(delimiter), LONGEST_FIELD)
            if width > most and (finding == csv_scan.OK or not regular):
                best, most = delimiter, width
        if most > 1:
            break
    return best


def _refuse_findings(data: NDArray[np.uint8], delimiter: str) -> None:
    finding, line, width, _ = csv_scan.scan(data, ord(delimiter), LONGEST_FIELD)
    where = f"file, line {line}"
    if finding == csv_scan.RAGGED:
        raise InputError(
            f"not the {width} fields of the header",
            where=where,
            rule="all rows are equally long",
            remedy="correct the line, or quote the field that holds a delimiter",
        )
    if finding != csv_scan.OK:
        what, rule, remedy = _FINDINGS[finding]
        raise InputError(what, where=where, rule=rule, remedy=remedy)


def _header(data: NDArray[np.uint8], delimiter: str) -> list[str]:
    end = data.size
    for end in np.flatnonzero(data[: 2**20] == 10).tolist():
        if np.count_nonzero(data[:end] == 34) % 2 == 0:  # not inside quotes
            break
    line = data[:end].tobytes().decode().removesuffix("\r")
    names = None
    with contextlib.suppress(csv.Error):
        names = next(csv.reader(io.StringIO(line, newline=""), delimiter=delimiter))
    if names is None:
        raise InputError("cannot be read", where="header", rule="names are short", remedy="check its quotes")
    return names
