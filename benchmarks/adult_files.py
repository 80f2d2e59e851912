"""Adult as a steward has it, a CSV and a spec in a folder: `python -m benchmarks.adult_files FOLDER`.

Then, for example: `voile compare FOLDER/adult.csv -s FOLDER/adult.toml -a elig,bsgi,rda -p l=2..7 -o compare/`.
"""

import sys
from pathlib import Path

from benchmarks import adult, adult_trees
from voile.core.hierarchy import Hierarchy


def write(folder: Path) -> tuple[Path, Path]:
    """The 30,162 complete rows with the seven QI of docs/facts/bsgi.md; returns table and spec."""
    folder.mkdir(parents=True, exist_ok=True)
    table, spec = folder / "adult.csv", folder / "adult.toml"
    adult.complete_rows().write_csv(table)
    lines = ["[columns]"]
    for name, options in adult.columns().items():
        words = [f'{key} = "{_local(value, name, folder)}"' for key, value in options.items()]
        lines.append(f"{name} = {{ {', '.join(words)} }}")
    spec.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return table, spec


def _local(value: object, name: str, folder: Path) -> object:
    """The only hierarchy, written beside the spec; anything else as it is."""
    if not isinstance(value, Hierarchy):
        return value
    (folder / f"{name}.csv").write_text("\n".join(map(";".join, adult_trees.MARRIAGE)) + "\n", encoding="utf-8")
    return f"{name}.csv"


if __name__ == "__main__":
    print("wrote", *write(Path(sys.argv[1])))
