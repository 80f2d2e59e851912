"""Who may import whom (docs/architecture.md), and what importing voile must not load."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "src" / "voile"
# top to bottom: a module may import from its own line's package or from lines below, not siblings
LAYERS = [
    {"__main__"},
    {"cli"},
    {"web"},
    {"spark"},
    {"attacking", "comparing"},
    {"series", "hospital", "series_auditing"},
    {"pipeline", "estimating", "explaining"},
    {"writing"},
    {"reporting"},
    {"auditing", "inspection", "measuring", "querying", "prices"},
    {"release_files", "certified", "published_bags"},
    {"requirements", "exposure", "asked"},
    {"catalog"},
    {"intake", "output", "ledger"},
    {"sql"},
    {"algorithms", "rendering", "metrics", "attacks"},
    {"models"},
    {"theory"},
    {"core"},
    {"kernels"},
    {"unix"},
    {"errors"},
]


def modules():
    return sorted(PACKAGE.rglob("*.py"))


def part_of(path):
    relative = path.relative_to(PACKAGE)
    return relative.parts[0] if len(relative.parts) > 1 else relative.stem


def layer_of(part):
    return next(i for i, layer in enumerate(LAYERS) if part in layer)


def imported_parts(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{a.name}" if node.module == "voile" else node.module for a in node.names]
        elif isinstance(node, ast.Import):
            names = [a.name for a in node.names]
        for name in names:
            if name.startswith("voile."):
                yield name.split(".")[1]


def upward(part, imported):
    """Those of the imported parts that are not below a part."""
    return {name for name in imported if name not in ("__version__", part) and layer_of(name) <= layer_of(part)}


def test_imports_go_down():
    checked = [path for path in modules() if part_of(path) != "__init__"]
    found = {str(p.relative_to(PACKAGE)): upward(part_of(p), imported_parts(p)) for p in checked}
    assert len(found) > 400
    assert not {path: parts for path, parts in found.items() if parts}


def test_an_import_that_goes_up_is_seen():
    assert upward("kernels", ["errors", "kernels", "core"]) == {"core"}
    assert upward("metrics", ["attacks"]) == {"attacks"}  # a sibling


def test_print_only_in_cli():
    for path in modules():
        if part_of(path) == "cli":
            continue
        calls = [n for n in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(n, ast.Call)]
        assert not any(getattr(c.func, "id", "") == "print" for c in calls), path.name


def test_algorithms_never_touch_labels():
    for folder in ("algorithms", "models", "kernels", "metrics"):
        for path in (PACKAGE / folder).rglob("*.py"):
            attributes = {
                n.attr
                for n in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
                if isinstance(n, ast.Attribute)
            }
            assert not attributes & {"labels", "label", "names"}, path.name


def test_no_raise_inside_except():
    """An error raised while a library's is being handled keeps it, and its cell, in __context__."""
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ExceptHandler):
                assert not any(isinstance(n, ast.Raise) and n.exc for n in ast.walk(node)), (
                    f"{path.name}:{node.lineno}"
                )


def loaded_after(code):
    script = f"{code}\nimport sys\nprint(*sorted(m for m in sys.modules if '.' not in m))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_import_voile_is_light():
    assert not loaded_after("import voile") & {"polars", "numba", "numpy", "click", "rich", "sklearn"}


@pytest.mark.slow
def test_optional_packages_have_one_place():
    """scikit-learn comes with the extra [ml]: only its metric may ask for it, and only when it measures."""
    users = set()
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if any(name.split(".")[0] == "sklearn" for name in names):
                users.add(path.relative_to(PACKAGE).as_posix())
    assert users == {"metrics/classification.py"}
    listing = "from voile import catalog\ncatalog.metrics()\nfrom voile.measuring import parse_measures"
    assert not loaded_after(listing) & {"sklearn"}


@pytest.mark.slow
def test_the_driver_of_the_ledger_has_one_place():
    """psycopg comes with the extra [sql]: the ledger asks for it in one file, when it connects."""
    users = set()
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if part_of(path) == "ledger" and any(name.split(".")[0] == "psycopg" for name in names):
                users.add(path.relative_to(PACKAGE).as_posix())
    assert users == {"ledger/postgresql_connection.py"}
    naming = "from voile.ledger.home import home_of\nhome_of('postgresql://h/d#x')\nhome_of('a.ledger')"
    assert not loaded_after(naming) & {"psycopg", "adbc_driver_postgresql"}


@pytest.mark.slow
def test_the_web_framework_has_one_place():
    """It comes with the extra [web]: only the app may ask for it."""
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            used = {name.split(".")[0] for name in names} & {"nicegui", "fastapi", "uvicorn", "starlette"}
            assert not used or part_of(path) == "web", path.name


def test_the_drivers_of_databases_have_one_place():
    """They come with the extra [sql], and are loaded when a database is first asked for."""
    users = {path.relative_to(PACKAGE).as_posix() for path in modules() if "adbc_driver" in path.read_text()}
    assert users == {"sql/drivers.py"}
    assert "pyarrow" in (PACKAGE / "sql" / "drivers.py").read_text()
    assert not loaded_after("from voile.sql import source") & {"adbc_driver_manager", "pyarrow"}


@pytest.mark.slow
def test_spark_has_one_place():
    """It comes with the extra [spark]: only its package asks for it, when something runs on a cluster."""
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            used = {name.split(".")[0] for name in names} & {"pyspark", "py4j"}
            assert not used or part_of(path) == "spark", path.name
    listing = "import voile.spark.cluster\nfrom voile.cli import algorithms, anonymize, audit, estimate"
    loaded = loaded_after(listing)
    assert "polars" in loaded and not loaded & {"pyspark", "py4j", "pandas"}


HEAVY = {"numba", "llvmlite", "vl_convert", "pyspark", "nicegui", "psycopg", "sklearn"}


def loaded_by(command):
    quiet = f"with contextlib.redirect_stdout(io.StringIO()): run({command.split()})"
    return loaded_after(f"import contextlib, io\nfrom voile.cli.main import run\n{quiet}")


@pytest.mark.slow
@pytest.mark.parametrize("command", ["--help", "anonymize --help", "algorithms"])
def test_what_only_prints_is_light(command):
    loaded = loaded_by(command)
    assert "click" in loaded and not loaded & HEAVY
    assert "polars" not in loaded or command == "algorithms", "that asks what runs on a cluster"


@pytest.mark.slow
def test_what_reads_a_table_is_not(tmp_path):
    """Control: the same look at a run finds what others leave out; drawing the report needs no converter."""
    (tmp_path / "t.csv").write_text("age,job\n" + "".join(f"{20 + i},{'abc'[i % 3]}\n" for i in range(12)))
    (tmp_path / "t.toml").write_text('[columns]\nage = { role = "qi", type = "integer" }\njob = "sensitive"\n')
    loaded = loaded_by(f"anonymize {tmp_path}/t.csv -s {tmp_path}/t.toml -p l=2 --report -o {tmp_path}/out")
    assert (tmp_path / "out" / "report.html").exists()
    assert {"polars", "numba", "llvmlite"} <= loaded and "vl_convert" not in loaded
