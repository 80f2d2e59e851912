"""Small series on the disk: the tables of Xiao and Tao 2007, and churning tables published without a memory."""

import json

import numpy as np
import polars as pl

import voile

COLUMNS = {
    "name": "subject",
    "age": {"role": "qi", "type": "integer"},
    "zip": {"role": "qi", "type": "integer"},
    "disease": "sensitive",
}
SPEC = """[columns]
name = { role = "subject" }
age = { role = "qi", type = "integer" }
zip = { role = "qi", type = "integer" }
disease = { role = "sensitive" }
"""


def microdata(cases, table):
    """A table of the running example."""
    rows = [(name, *row) for name, row in cases[table].items()]
    return pl.DataFrame(rows, schema=list(COLUMNS), orient="row")


def write_release(folder, groups, series=None):
    """Published groups of the running example, as a folder without certificate or with one of a series."""
    folder.mkdir()
    lines = ["group,age,zip,disease"]
    for group in groups:
        (a, b), (c, d) = group["age"], group["zip_k"]
        lines += [f'{group["gid"]},"[{a}, {b}]","[{c}000, {d}000]",{value}' for value in group["values"]]
    (folder / "data.csv").write_text("\n".join(lines) + "\n")
    fakes = [f"{group['gid']},{group['counterfeits']}" for group in groups if group["counterfeits"]]
    if fakes:
        (folder / "counterfeits.csv").write_text("\n".join(["group,counterfeits", *fakes]) + "\n")
    return folder


def add_certificate(folder, series):
    """Make a folder look like one of a series, with the digest of what is there."""
    import hashlib

    files = [path for path in folder.iterdir() if path.name in ("data.csv", "counterfeits.csv")]
    digests = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    promise = {"model": "unique_distinct_l_diversity", "parameters": {"l": series["m"]}}
    columns = [{"name": "disease", "role": "sensitive", "published": "as it is"}]
    document = {"files": digests, "promise": promise, "table": {"columns": columns}, "series": series}
    (folder / "certificate.json").write_text(json.dumps(document))
    return folder


def paper_series(tmp_path, cases, second):
    """The two releases and the two tables of the running example."""
    folders = [write_release(tmp_path / "r1", cases["T*1_table1b"]), write_release(tmp_path / "r2", cases[second])]
    return folders, [microdata(cases, "T1"), microdata(cases, "T2")]


def churning_tables(rows, releases, seed=0, churn=0.1, columns=None):
    """Tables of persons who come and go; nobody's values change."""
    from benchmarks import synthetic

    pool = synthetic.rows(2 * rows, seed).with_row_index("person").with_columns(pl.col("person").cast(pl.String))
    rng = np.random.default_rng(seed)
    here = np.arange(rows)
    tables = []
    for _ in range(releases):
        tables.append(pool[here])
        staying = rng.permutation(here)[: int(rows * (1 - churn))]
        others = rng.permutation(np.setdiff1d(np.arange(2 * rows), here))[: rows - staying.size]
        here = np.concatenate((staying, others))
    return tables, {"person": "subject", **synthetic.columns()}


def published(tmp_path, tables, columns, algorithm, **parameters):
    """Each table published by itself, as if there were no others."""
    folders = []
    for number, table in enumerate(tables, 1):
        folders.append(tmp_path / f"{algorithm}{number}")
        voile.anonymize(voile.read(table, columns), algorithm, **parameters).write(folders[-1])
    return folders


TREE = voile.Hierarchy.from_lines([[f"{i // 9}{i % 9}", f"{i // 9}*", "*"] for i in range(81)])
RICH = {
    "person": "subject",
    "age": {"role": "qi", "type": "integer", "hierarchy": {"intervals": [5, 10, 50]}},
    "height": {"role": "qi", "type": "decimal"},
    "born": {"role": "qi", "type": "date"},
    "zip": {"role": "qi", "hierarchy": {"mask": 2}},
    "city": {"role": "qi"},
    "stage": {"role": "qi", "type": "ordinal", "order": ["low", "mid, or so", "high"]},
    "tree": {"role": "qi", "hierarchy": TREE},
    "ward": {"role": "insensitive", "keep": True},
    "dose": {"role": "sensitive", "type": "decimal"},
}


def rich_table(rows, seed):
    """Persons with a column of every kind, and labels that are hard to read back."""
    rng = np.random.default_rng(seed)
    cities = ["=Rome", "{Bern}", "Oslo, N", 'The "Hague"', "Kiel", "-5"]
    return pl.DataFrame(
        {
            "person": [f"p{i}" for i in range(rows)],
            "age": rng.integers(15, 60, rows),
            "height": [f"{x / 100:.2f}" for x in rng.integers(-150, 200, rows)],
            "born": [
                f"{y}-0{m}-1{m}"
                for y, m in zip(rng.integers(1950, 2000, rows), rng.integers(1, 9, rows), strict=True)
            ],
            "zip": [f"{z:04d}" for z in rng.integers(0, 300, rows)],
            "city": [cities[i] for i in rng.integers(0, 6, rows)],
            "stage": [RICH["stage"]["order"][i] for i in rng.integers(0, 3, rows)],
            "tree": [f"{i // 9}{i % 9}" for i in rng.integers(0, 81, rows)],
            "ward": ["w"] * rows,
            "dose": [str(0.5 * (i % 8)) for i in range(rows)],
        }
    )
