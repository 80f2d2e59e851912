"""Tables as they ship inside a package, back in the form in which their authors give them. Needs only Python."""

import array
import itertools
import lzma
import pickletools
import struct
from collections.abc import Iterator
from decimal import Decimal

NURSERY = {  # the values of each attribute in the order of the original
    "parents": ["usual", "pretentious", "great_pret"],
    "has_nurs": ["proper", "less_proper", "improper", "critical", "very_crit"],
    "form": ["complete", "completed", "incomplete", "foster"],
    "children": ["1", "2", "3", "more"],
    "housing": ["convenient", "less_conv", "critical"],
    "finance": ["convenient", "inconv"],
    "social": ["nonprob", "slightly_prob", "problematic"],
    "health": ["recommended", "priority", "not_recom"],
}
WIDTH = len(NURSERY) + 1
CLASSES = ["recommend", "very_recom", "priority", "spec_prior", "not_recom"]
WORK = [
    *("rownames", "idcode", "year", "birth_yr", "age", "race", "msp", "nev_mar", "grade", "collgrad", "not_smsa"),
    *("c_city", "south", "ind_code", "occ_code", "union", "wks_ue", "ttl_exp", "tenure", "hours", "wks_work"),
    "ln_wage",
]
WHOLE = {"rownames", "idcode", "year", "birth_yr", "race", "collgrad"}  # kept as integers: nothing is missing
_SINGLE = struct.Struct("f")


def nursery(shuffled: bytes) -> bytes:
    """From KEEL's file to the original: a row per combination, in order."""
    rows = shuffled.decode("ascii").partition("@data")[2].split()
    cells = ["".join(rows[first : first + WIDTH]).split(",") for first in range(0, len(rows), WIDTH)]
    decision = {tuple(case): made for *case, made in cells}
    return b"".join(
        f"{','.join(case)},{decision[case]}\r\n".encode() for case in itertools.product(*NURSERY.values())
    )


def work(packed: bytes) -> bytes:
    """From the pickle of a data frame to CSV. It is not unpickled: only its two blocks of numbers are read."""
    blocks = [found for step, found, _ in pickletools.genops(lzma.decompress(packed)) if step.name == "BYTEARRAY8"]
    real, whole = sorted(filter(None, map(bytes, blocks)), key=len, reverse=True)[:2]
    rows = len(whole) // 8 // len(WHOLE)
    numbers, codes = _columns("d", real, rows), _columns("q", whole, rows)
    columns = [next(codes if name in WHOLE else numbers) for name in WORK]
    lines = (",".join(map(_cell, line)) for line in zip(*columns, strict=True))
    return "".join(f"{line}\n" for line in (",".join(WORK), *lines)).encode()


def _columns(kind: str, block: bytes, rows: int) -> Iterator[array.array]:  # type: ignore[type-arg]
    values = array.array(kind, block)
    return (values[first : first + rows] for first in range(0, len(values), rows))


def _cell(value: float) -> str:
    """A number as the original has it: of single precision, 17 digits where these say it exactly."""
    if value != value or value == int(value):
        return "" if value != value else str(int(value))
    (single,) = _SINGLE.unpack(_SINGLE.pack(value))
    exact = Decimal(single)
    return str(exact) if len(exact.as_tuple().digits) == 17 else repr(single)
