"""Names explain: no junk drawers, no shadows of the standard library, exports as declared."""

import ast
import re
import sys
from pathlib import Path

import pytest

import voile

ROOT = Path(__file__).parents[2]
FORBIDDEN = {"utils", "helpers", "misc", "common", "base_utils", "manager", "handler", "tools", "aux"}
PREFIXES = ("get_", "do_", "handle_", "process_")


def modules():
    return sorted((ROOT / "src" / "voile").rglob("*.py"))


def test_file_names():
    for path in modules():
        assert path.stem not in FORBIDDEN, path
        if path.parent.name != "cli":
            assert path.stem not in sys.stdlib_module_names - {"__init__"}, path


def test_function_names():
    overridden = {"get_command", "get_call_template", "get_overload", "get_pointer_to_function"}  # of click, numba
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name not in overridden:
                assert not node.name.startswith(PREFIXES), f"{path.name}: {node.name}"


def test_functions_and_files_are_short():
    for path in modules():
        text = path.read_text(encoding="utf-8")
        assert text.count("\n") <= 400, path
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef):
                assert (node.end_lineno or 0) - node.lineno < 60, f"{path.name}: {node.name}"


def test_exports():
    assert sorted(voile.__all__) == voile.__all__
    assert all(getattr(voile, name) is not None for name in voile.__all__)
    assert set(voile.__all__) == set(voile._HOMES)


def test_one_public_class_per_catalog_file():
    for folder in ("models", "algorithms", "metrics"):
        for path in (ROOT / "src" / "voile" / folder).glob("*.py"):
            classes = [n for n in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(n, ast.ClassDef)]
            assert len([c for c in classes if not c.name.startswith("_")]) <= 1, path


def outside(text):
    """Hosts, registries and paths of a machine in a file; the project's own addresses may be named."""
    own = re.compile(r"^\[project\.urls\]\n(?:[A-Z][a-z]+ = \"https://voile\.[\w./-]+\"\n)+", re.M)
    return re.findall(r"://|/root\b|/work/|index-url|find-links", own.sub("", text))


SET_UP = ("constraints.txt", "pyproject.toml", "Makefile", "Containerfile", "mkdocs.yml", ".ci/*", ".github/*/*")


@pytest.mark.parametrize("path", [p for name in SET_UP for p in sorted(ROOT.glob(name))], ids=lambda p: p.name)
def test_no_machine_or_registry_in_the_repo(path):
    """Nothing installed by hand counts, and nobody's paths or hosts are ours to publish."""
    assert not outside(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "line", ["-i https://registry.example/simple", "--find-links wheels", "/root/.pyenv/bin/python"]
)
def test_a_machine_or_registry_would_be_found(line):
    """The positive control, in the file that may name the project's own addresses: before and among them."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert outside(f"{line}\n{text}")
    assert outside(text.replace("[project.urls]\n", f"[project.urls]\n{line}\n"))
    assert outside(text.replace("[project.urls]\n", '[project.urls]\nMirror = "https://registry.example"\n'))
