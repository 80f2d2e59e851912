"""The digest of a table in a database, where rows have no order and cells no bytes of their own."""

import hashlib
from io import BytesIO

import polars as pl


def table_digest(frame: pl.DataFrame) -> str:
    """SHA-256 of the rows as CSV, sorted by all columns from the first: the same whatever order they come in.

    >>> rows = pl.DataFrame({"group": [1, 2], "disease": ["flu", "gout"]})
    >>> table_digest(rows) == table_digest(rows.reverse()), table_digest(rows) == table_digest(rows.head(1))
    (True, False)
    """
    text = BytesIO()
    (frame.sort(frame.columns) if frame.width else frame).write_csv(text)
    return hashlib.sha256(text.getbuffer()).hexdigest()
