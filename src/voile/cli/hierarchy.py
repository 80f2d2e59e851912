"""`voile hierarchy`: a column's tree as an ARX CSV."""

from pathlib import Path

import click


@click.command(
    help="Write the hierarchy of a column of TABLE as ARX CSV. The file holds your data: keep it private."
)
@click.argument("table", type=click.Path(path_type=Path))
@click.option(
    "-s", "--spec", required=True, type=click.Path(path_type=Path), help="TOML file that declares each column."
)
@click.option("-c", "--column", required=True, help="Whose hierarchy.")
@click.option("-o", "--out", required=True, type=click.Path(path_type=Path), help="New file; never overwritten.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def command(table: Path, spec: Path, column: str, out: Path, as_json: bool) -> None:
    from voile.cli import show
    from voile.cli.progress import ProgressBar, announce_compilation
    from voile.core.hierarchy import Hierarchy
    from voile.pipeline import export_hierarchy, read

    announce_compilation()
    with ProgressBar() as progress:
        progress("reading", 0)
        source = read(table, spec)
        export_hierarchy(source, column, out)
    (tree,) = (c.domain for c in source.columns if c.name == column and isinstance(c.domain, Hierarchy))
    inner = tree.parent.size - tree.leaves
    if as_json:
        show.document({"ok": True, "file": str(out), "leaves": tree.leaves, "inner_nodes": inner})
        return
    rows = [
        ("file", f"{out}: {tree.leaves} values, {inner} nodes above them; value;parent;...;* per line"),
        ("private", "it holds values of your table: never publish it"),
        ("next", f'edit it, and write hierarchy = "{out.name}" for {column} in a spec beside it'),
    ]
    show.facts("Hierarchy", rows)
