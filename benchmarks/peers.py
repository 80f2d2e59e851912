"""The peers of facts/peers.md on the same rows in the same run: anjana, AnonyPy and pyCANON.

They live in an environment of their own (they pin other versions of numpy and pandas), installed from the
registry by name, and see files only. What they publish is judged here, by Voile's audit and one formula.
"""

import json
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import polars as pl

import voile
from benchmarks import adult
from voile.auditing import audit_frame
from voile.core.bags import Bags
from voile.core.order import dense_rank

HERE = Path(__file__).parent
ENVIRONMENT = HERE.parent / ".venv-peers"
PEERS = ("anjana==1.2.3", "anonypy==0.2.1", "pycanon==1.3.5")
ELLS = (3, 5)


def environment() -> Path:
    """The peers' Python, made on first use."""
    python = ENVIRONMENT / "bin" / "python"
    if not python.is_file():
        subprocess.run([sys.executable, "-m", "venv", ENVIRONMENT], check=True)
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PEERS]
        subprocess.run(install, check=True)
    return python


def trees() -> dict[str, Path]:
    """ARX's hierarchies of the six QI."""
    return {name: next((adult.DATA / "adult" / "hierarchies").glob(f"*{name}.csv")) for name in adult.SIX}


def cell_losses() -> dict[str, dict[str, float]]:
    """gcp_minus1 of every label a peer may publish: a value, a node of the hierarchy, or `*`."""
    losses: dict[str, dict[str, float]] = {}
    for name, path in trees().items():
        lines = [line.split(";") for line in path.read_text(encoding="utf-8-sig").splitlines() if line]
        found = {"*": 1.0}
        for level in range(len(lines[0])):
            for label in {line[level] for line in lines}:
                leaves = [line[0] for line in lines if line[level] == label]
                if name == "age":  # only the ages there are: 17 to 90
                    ages = [min(max(int(leaf), 17), 90) for leaf in leaves]
                    found.setdefault(label, (max(ages) - min(ages)) / 73)
                else:
                    found.setdefault(label, (len(leaves) - 1) / (len(lines) - 1))
        losses[name] = found
    return losses


def _anonypy_loss(name: str, cell: str, leaves: int) -> float:
    """AnonyPy writes ['22-33'] and ['a,b']: a set costs its values, not a node above them."""
    text = cell.removeprefix("['").removesuffix("']").removeprefix("[").removesuffix("]")
    if name == "age":
        ends = [int(end) for end in re.findall("[0-9]+", text)]
        return (ends[-1] - ends[0]) / 73
    return (len(set(text.split(","))) - 1) / (leaves - 1)


def judged(name: str, frame: pl.DataFrame, rows: int, losses: dict[str, dict[str, float]]) -> dict[str, Any]:
    """What a peer's release achieves and loses; a row that is not published counts 1 in every cell."""
    if name == "anonypy":
        frame = frame.select(pl.all().repeat_by(pl.col("count").cast(pl.Int64)).explode())
    spec: dict[str, object] = {**dict.fromkeys(adult.SIX, "qi"), adult.SENSITIVE: "sensitive"}
    found = audit_frame(frame.select(*spec), voile.Schema.of(spec))
    total = float(len(adult.SIX) * (rows - frame.height))
    for column in adult.SIX:
        counts = frame[column].value_counts()
        for label, count in counts.rows():
            known = losses[column]
            leaves = sum(loss == 0 for loss in known.values())
            total += count * (_anonypy_loss(column, label, leaves) if name == "anonypy" else known[label])
    return {
        "suppressed": 1 - frame.height / rows,
        "distinct_l": found.achieved["distinct_l_diversity"].shown(),
        "frequency_l": found.achieved["frequency_l_diversity"].shown(),
        "gcp_minus1": total / rows / len(adult.SIX),
    }


def compared(folder: Path) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Releases and audits of Voile and its peers."""
    frame = adult.complete_rows(*adult.SIX, adult.SENSITIVE)
    frame.write_csv(folder / "rows.csv")
    ours = [_ours(frame, key, ell) for key in ("elig", "bsgi") for ell in ELLS]
    release = voile.anonymize(voile.read(frame, adult.six_columns()), "elig", l=ELLS[0]).frame
    release.write_csv(folder / "release.csv")
    task = {
        "quasi": adult.SIX,
        "sensitive": adult.SENSITIVE,
        "numbers": ["age"],
        "words": [name for name in frame.columns if name != "age"],
        "l": ELLS,
        "hierarchies": {name: str(path) for name, path in trees().items()},
    }
    (folder / "task.json").write_text(json.dumps(task))
    subprocess.run([environment(), HERE / "peer_run.py", folder], check=True)
    found = json.loads((folder / "found.json").read_text())
    losses, theirs = cell_losses(), []
    for run in found["releases"]:
        published = pl.read_csv(folder / f"{run['peer']}-{run['l']}.csv", infer_schema=False)
        row = {"tool": run["peer"], "l": run["l"], "seconds": run["seconds"]}
        theirs.append(row | judged(run["peer"], published, frame.height, losses))
    return ours + theirs, audits(release, found["audits"])


def _ours(frame: pl.DataFrame, key: str, ell: int) -> dict[str, Any]:
    """In memory, like the peers: from a frame to a frame."""
    voile.anonymize(voile.read(frame.head(500), adult.six_columns()), key, l=2)  # kernels warm
    began = time.perf_counter()
    release = voile.anonymize(voile.read(frame, adult.six_columns()), key, l=ell)
    seconds = time.perf_counter() - began
    checks, utility = release.certificate["checks"], release.certificate["utility"]
    return {
        "tool": f"voile {key}",
        "l": ell,
        "seconds": seconds,
        "suppressed": utility["suppressed"],
        "distinct_l": checks["distinct_l_diversity"],
        "frequency_l": checks["frequency_l_diversity"],
        "gcp_minus1": utility["gcp_minus1"],
    }


def audits(release: pl.DataFrame, theirs: dict[str, float]) -> list[dict[str, Any]]:
    """Each model on one release, ours with grouping and counting included, beside pyCANON's."""
    from voile import catalog

    quasi = ["group", *adult.SIX]
    rows = []
    for key, model in catalog.models().items():
        began = time.perf_counter()
        group = dense_rank([release[name].cast(pl.Categorical).to_physical().to_numpy() for name in quasi[1:]])
        values = release[adult.SENSITIVE].cast(pl.Categorical).to_physical().to_numpy()
        model.achieved(Bags.of(group, [values]))
        seconds = time.perf_counter() - began
        peer = theirs.get(key)
        rows.append({"model": key, "seconds": seconds, "pycanon": peer, "times": peer / seconds if peer else None})
    return rows
