"""Names explain: no junk drawers, no shadows of the standard library, exports as declared."""

import ast
import sys
from pathlib import Path

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
    overridden = {"get_command"}  # click's
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


def test_no_machine_or_registry_in_the_repo():
    """Nothing installed by hand counts, and nobody's paths or hosts are ours to publish."""
    for name in ("constraints.txt", "pyproject.toml", "Makefile", ".ci/run"):
        text = (ROOT / name).read_text(encoding="utf-8")
        assert "://" not in text and "/root" not in text and "index-url" not in text, name
