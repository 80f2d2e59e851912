"""One run of one peer, in the peers' environment: no Voile here. Called by `benchmarks.peers.environment`.

    python peer_child.py FOLDER PEER PROMISE NUMBER

Reads FOLDER/task.json and FOLDER/rows.csv, writes the peer's release as FOLDER/PEER-PROMISE-NUMBER.csv and what it
took as .json. PROMISE is frequency, distinct or k_anonymity; or audit, which checks FOLDER/release.csv.
"""

import contextlib
import importlib.metadata
import io
import json
import resource
import sys
import time
import warnings
from pathlib import Path

import pandas as pd

warnings.filterwarnings("ignore")


def hierarchy_of(path):
    """anjana's form: level -> array, level 0 the values."""
    table = pd.read_csv(path, sep=";", header=None, dtype=str, encoding="utf-8-sig")
    return {level: table[level].to_numpy() for level in table.columns}


def with_anjana(rows, task, promise, number):
    from anjana import anonymity

    trees = {name: hierarchy_of(path) for name, path in task["hierarchies"].items()}
    given = rows.astype(str), [], task["quasi"]
    if promise == "k_anonymity":
        return lambda: anonymity.k_anonymity(*given, number, task["suppress"], trees)
    if promise == "distinct":
        return lambda: anonymity.l_diversity(*given, task["sensitive"], number, number, task["suppress"], trees)
    # alpha = 1/l is frequency l-diversity
    return lambda: anonymity.alpha_k_anonymity(
        *given, task["sensitive"], number, 1 / number, task["suppress"], trees
    )


def categories(rows, task):
    frame = rows.copy()
    for name in [*task["quasi"], task["sensitive"]]:
        if name not in task["numbers"]:
            frame[name] = frame[name].astype("category")
    return frame


def with_anonypy(rows, task, promise, number):
    import anonypy

    preserver = anonypy.Preserver(categories(rows, task), task["quasi"], task["sensitive"])
    if promise == "k_anonymity":
        return lambda: pd.DataFrame(preserver.anonymize_k_anonymity(number))
    return lambda: pd.DataFrame(preserver.anonymize_l_diversity(number, number))


def with_anonypyx(rows, task, promise, number):
    import anonypyx

    wanted = {"k": number} if promise == "k_anonymity" else {"k": number, "l": number}
    anonymiser = anonypyx.Anonymiser(
        categories(rows, task),
        feature_columns=task["quasi"],
        sensitive_column=task["sensitive"],
        generalisation_strategy="human-readable",
        **wanted,
    )
    return anonymiser.anonymise


def with_crowds(rows, task, promise, number):
    from crowds.kanonymity import ola
    from crowds.kanonymity.generalizations import GenRule

    frame = rows.astype(str)
    rules = {}
    for name, path in task["hierarchies"].items():
        levels = hierarchy_of(path)
        steps = [dict(zip(levels[0], levels[i], strict=True)) for i in range(1, len(levels) - 1)]
        rules[name] = GenRule([lambda value, step=step: step.get(value) for step in steps])
    return lambda: ola.anonymize(frame, rules, k=number)[0].fillna("*")


def with_pycanon(task, release):
    from pycanon import anonymity

    rows, quasi, sensitive = pd.read_csv(release, dtype=str), ["group", *task["quasi"]], [task["sensitive"]]
    return {
        "k_anonymity": lambda: anonymity.k_anonymity(rows, quasi),
        "distinct_l_diversity": lambda: anonymity.l_diversity(rows, quasi, sensitive),
        "entropy_l_diversity": lambda: anonymity.entropy_l_diversity(rows, quasi, sensitive),
        "alpha_k_anonymity": lambda: anonymity.alpha_k_anonymity(rows, quasi, sensitive),
        "t_closeness": lambda: anonymity.t_closeness(rows, quasi, sensitive),
    }


RELEASES = {
    "anjana": with_anjana,
    "anonypy": with_anonypy,
    "anonypyx": with_anonypyx,
    "crowds": with_crowds,
}


def timed(function):
    began, used = time.perf_counter(), time.process_time()
    with contextlib.redirect_stdout(io.StringIO()):
        result = function()
    return {"seconds": time.perf_counter() - began, "cpu_seconds": time.process_time() - used}, result


def run(folder, task, peer, promise, number):
    """What it took; the release is written beside."""
    if promise == "audit":
        return {
            "audits": {key: timed(check)[0] for key, check in with_pycanon(task, folder / "release.csv").items()}
        }
    rows = pd.read_csv(folder / "rows.csv", dtype=dict.fromkeys(task["words"], str))
    took, release = timed(RELEASES[peer](rows, task, promise, number))
    if not len(release):
        return {"error": "an empty table"}
    release.to_csv(folder / f"{peer}-{promise}-{number}.csv", index=False)
    return {**took, "peak_gb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9}


def main(folder, peer, promise, number):
    task = json.loads((folder / "task.json").read_text())
    limit = task["cpu_seconds"]
    # the soft limit ends it with SIGXCPU, which nothing else sends: so the caller can tell why it ended
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 10))
    try:
        found = run(folder, task, peer, promise, number)
    except Exception as error:  # a peer's own; its text may hold cells
        found = {"error": type(error).__name__}
    found["version"] = importlib.metadata.version(peer)
    (folder / f"{peer}-{promise}-{number}.json").write_text(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4]))
