"""The scanner agrees with Python's csv module about sound files, and names what is wrong with others."""

import csv
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voile.kernels import csv_scan
from voile.kernels.csv_scan import scan


def scanned(text, delimiter=",", longest=100):
    data = text if isinstance(text, bytes) else text.encode()
    return scan(np.frombuffer(data, np.uint8), ord(delimiter), longest)


@pytest.mark.parametrize(
    "text, finding, line",
    [
        ("a,b\n1,2\n", csv_scan.OK, None),
        ("a,b\n1,2", csv_scan.OK, None),
        ("a,b\r\n1,2\r\n", csv_scan.OK, None),
        ('a,b\n"1\n2",3\n', csv_scan.OK, None),
        ('a,b\n"1""2",3\n', csv_scan.OK, None),
        ('a,b\n,""\n', csv_scan.OK, None),
        ("a,b\n1,2\n3\n", csv_scan.RAGGED, 3),
        ("a,b\n1,2,3\n", csv_scan.RAGGED, 2),
        ('a,b\n"x\ny",1,2\n', csv_scan.RAGGED, 2),
        (b"a,b\n1,\x002\n", csv_scan.NUL, 2),
        (b'a,b\n1,"\x00"\n', csv_scan.NUL, 2),
        ('a,b\n1,2"3\n', csv_scan.STRAY_QUOTE, 2),
        ('a,b\n1,"2"3\n', csv_scan.STRAY_QUOTE, 2),
        ('a,b\n1,2\n"3,4\n', csv_scan.OPEN_QUOTE, 3),
        ("a,b\r1,2\r", csv_scan.LONE_CR, 1),
        ("a,b\r\n1,2\n", csv_scan.MIXED_ENDS, 2),
        ("a,b\n1,2\r\n", csv_scan.MIXED_ENDS, 2),
        ("a,b\n\n1,2\n", csv_scan.BLANK, 2),
        ("a,b\n1," + "x" * 101, csv_scan.LONG_FIELD, 2),
    ],
)
def test_findings(text, finding, line):
    found = scanned(text)
    assert found[0] == finding
    assert line is None or found[1] == line


cells = st.text(st.sampled_from('ab,;"\n x'), max_size=6)


@given(st.integers(1, 4), st.data())
def test_agrees_with_the_csv_module(width, data):
    rows = data.draw(st.lists(st.lists(cells, min_size=width, max_size=width), min_size=1, max_size=6))
    out = io.StringIO()
    csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(rows)
    finding, _, fields, records = scanned(out.getvalue())
    assert (finding, fields, records) == (csv_scan.OK, width, len(rows))
