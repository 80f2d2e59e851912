"""Release: what the world sees, with its certificate."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from voile.errors import OutputError

if TYPE_CHECKING:
    import polars as pl

    from voile.core.schema import Schema


@dataclass(frozen=True, repr=False, eq=False)
class Release:
    """Labelled rows in canonical order, a certificate for everyone, a record for the steward.

    Made only by `voile.anonymize`; `write` publishes it (staged, audited from disk, revealed).
    """

    frame: "pl.DataFrame"
    certificate: Mapping[str, Any]
    schema: "Schema"
    private_record: Mapping[str, Any] = field(default_factory=dict)
    counterfeits: "pl.DataFrame | None" = None  # rows per group that stand for nobody, where there can be any
    writer: "Callable[..., Path] | None" = None
    sensitive: "pl.DataFrame | None" = None  # values by group, where `frame` has the quasi-identifiers alone
    truth: "Callable[[Any], dict[str, Any]] | None" = None  # compares with the source, for the steward's report

    def write(
        self,
        folder: str | Path,
        format: str = "csv",
        *,
        with_report: bool | None = None,
        to: str | None = None,
        to_table: str | None = None,
    ) -> Path:
        """Publish into a new folder: data.csv or data.parquet, certificate.json, report.html, private/,
        counterfeits.csv where there can be any, and sensitive.csv or sensitive.parquet where values have a table
        of their own. `with_report=False` leaves the reports out. `to` is the address of a database: the rows
        become its table `to_table`, and the folder has all but them."""
        if self.writer is None:
            raise ValueError("this release was not made by voile.anonymize")
        return self.writer(self, Path(folder), format, with_report, to, to_table)

    def __getstate__(self) -> dict[str, Any]:
        """A copy that is sent elsewhere does not take the source with it."""
        return {**self.__dict__, "truth": None}

    def to_pandas(self) -> Any:
        """The published rows as a pandas DataFrame, where pandas and pyarrow are installed."""
        absent = [name for name in ("pandas", "pyarrow") if find_spec(name) is None]
        if absent:
            raise OutputError(
                f"{' and '.join(absent)} not installed",
                where="to_pandas",
                remedy=f"pip install {' '.join(absent)}, or use release.frame (polars)",
            )
        return self.frame.to_pandas()

    def __repr__(self) -> str:
        return f"Release({self.frame.height} rows, {self.frame.width} columns)"
