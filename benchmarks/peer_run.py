"""What the peers do, in their own environment: no Voile here. Called by `benchmarks.peers`.

    python peer_run.py FOLDER

Reads FOLDER/task.json, times each peer on the same rows and writes its release as CSV.
"""

import contextlib
import io
import json
import sys
import time
import warnings
from pathlib import Path

import anjana.anonymity
import anonypy
import pandas as pd
import pycanon.anonymity

warnings.filterwarnings("ignore")


def timed(function):
    began = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()):
        result = function()
    return time.perf_counter() - began, result


def hierarchy_of(path):
    """anjana's form: level -> array, level 0 the values."""
    table = pd.read_csv(path, sep=";", header=None, dtype=str, encoding="utf-8-sig")
    return {level: table[level].to_numpy() for level in table.columns}


def with_anjana(rows, task, ell):
    trees = {name: hierarchy_of(path) for name, path in task["hierarchies"].items()}
    # up to 5 % suppression, as in facts/peers.md; alpha = 1/l is frequency l-diversity
    return anjana.anonymity.alpha_k_anonymity(
        rows.astype(str), [], task["quasi"], task["sensitive"], ell, 1 / ell, 5, trees
    )


def with_anonypy(rows, task, ell):
    frame = rows.copy()
    for name in [*task["quasi"], task["sensitive"]]:
        if name not in task["numbers"]:
            frame[name] = frame[name].astype("category")
    preserver = anonypy.Preserver(frame, task["quasi"], task["sensitive"])
    return pd.DataFrame(preserver.anonymize_l_diversity(ell, ell))


def audits(path, task):
    rows = pd.read_csv(path, dtype=str)
    quasi, sensitive = ["group", *task["quasi"]], [task["sensitive"]]
    checks = pycanon.anonymity
    found = {
        "k_anonymity": lambda: checks.k_anonymity(rows, quasi),
        "distinct_l_diversity": lambda: checks.l_diversity(rows, quasi, sensitive),
        "entropy_l_diversity": lambda: checks.entropy_l_diversity(rows, quasi, sensitive),
        "alpha_k_anonymity": lambda: checks.alpha_k_anonymity(rows, quasi, sensitive),
        "t_closeness": lambda: checks.t_closeness(rows, quasi, sensitive),
    }
    return {key: timed(check)[0] for key, check in found.items()}


def main(folder):
    task = json.loads((folder / "task.json").read_text())
    rows = pd.read_csv(folder / "rows.csv", dtype=dict.fromkeys(task["words"], str))
    found = {"releases": [], "audits": audits(folder / "release.csv", task)}
    for name, peer in {"anjana": with_anjana, "anonypy": with_anonypy}.items():
        for ell in task["l"]:
            seconds, release = timed(lambda peer=peer, ell=ell: peer(rows, task, ell))
            release.to_csv(folder / f"{name}-{ell}.csv", index=False)
            found["releases"].append({"peer": name, "l": ell, "seconds": seconds, "rows": len(release)})
    (folder / "found.json").write_text(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
