"""A user's type checker sees our types: with py.typed, without `Any` for every name."""

import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

import voile

pytest.importorskip("mypy", reason="no mypy: pip install 'voile[dev]'")
SCRIPT = Path(__file__).with_name("user_script.py")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """An environment of a user's where Voile is installed, as a type checker finds it."""
    folder = tmp_path_factory.mktemp("user")
    venv.create(folder / "env", with_pip=False, symlinks=True)
    packages = next((folder / "env").glob("lib/python*/site-packages"))
    places = [Path(voile.__file__).parents[1], sysconfig.get_path("platlib")]
    (packages / "voile.pth").write_text("".join(f"{place}\n" for place in places))
    return folder


def checked(site, text):
    (site / "script.py").write_text(text)
    run = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--cache-dir", "cache"]
    run += ["--python-executable", str(site / "env" / "bin" / "python"), "script.py"]
    return subprocess.run(run, cwd=site, capture_output=True, text=True, check=False).stdout


@pytest.mark.slow
def test_a_users_script_is_sound(site):
    assert checked(site, SCRIPT.read_text(encoding="utf-8")) == "Success: no issues found in 1 source file\n"


@pytest.mark.slow
def test_wrong_calls_are_found(site):
    """The positive control: were our types Any, as they are without py.typed, these would pass."""
    wrong = ["voile.read(3)", "voile.anonymise", "voile.audit('out').okay", "x: int = voile.anonymize"]
    said = checked(site, "import voile\n" + "\n".join(wrong) + "\n").splitlines()
    assert {int(line.split(":")[1]) for line in said if ": error:" in line} == set(range(2, 2 + len(wrong))), said
    assert not any("import-untyped" in line for line in said)


@pytest.mark.slow
def test_no_public_name_is_any(site):
    names = "\n".join(f"reveal_type(voile.{name})" for name in voile.__all__)
    said = [line for line in checked(site, f"import voile\n{names}\n").splitlines() if "Revealed type" in line]
    assert len(said) == len(voile.__all__) and not [line for line in said if 'is "Any"' in line]
