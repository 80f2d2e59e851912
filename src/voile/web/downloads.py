"""What may be taken away of a draft: by fixed names, from its own folders."""

from dataclasses import dataclass
from pathlib import Path

from voile.web.draft import SPEC, Draft

PUBLISHED = (
    *("data.csv", "data.parquet", "sensitive.csv", "sensitive.parquet", "counterfeits.csv"),
    *("certificate.json", "report.html"),
)


@dataclass(frozen=True)
class Download:
    """A file, and what the browser shall call it."""

    path: Path
    name: str


def offered(draft: Draft) -> dict[str, Path]:
    """Names in addresses, and the files behind them."""
    found = {"spec": draft.folder / SPEC} | {
        path.stem: path for path in sorted(draft.folder.glob("hierarchy-*.csv"))
    }
    if draft.out is not None:
        found |= {Path(name).stem: draft.out / name for name in PUBLISHED if (draft.out / name).is_file()}
    page = draft.folder / "audit.html"
    return {name: path for name, path in {**found, "audit": page}.items() if path.is_file()}


def download_of(draft: Draft, name: str) -> Download | None:
    """The file of a name, if there is one."""
    path = offered(draft).get(name)
    if path is None:
        return None
    stem = Path(draft.label).stem or "table"
    if name == "spec":
        return Download(path, f"{stem}.toml")
    if name.startswith("hierarchy-"):
        return Download(path, path.name)
    return Download(path, f"{stem}-{name}{path.suffix}")
