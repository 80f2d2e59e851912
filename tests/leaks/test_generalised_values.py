"""Generalised sensitive values: unique tokens in their place in release and certificate, and nowhere else."""

from pathlib import Path

import pytest

from tests.command_line import voile
from tests.leaks.test_canaries import (
    EVERYTHING_REQUIRED,
    FAILURES,
    ROWS,
    anonymize,
    files_of,
    spoil,
    token,
    tokens_in,
    write,
)

pytestmark = pytest.mark.slow  # a process per failure
SWEEP = ("-a", "sweep", "-p", "tau=0.5", "-p", "l=3")


@pytest.fixture
def folder(tmp_path):
    write(tmp_path)
    return tmp_path


def skewed(folder, tree=""):
    """Most persons have the secret of the first; perhaps in a hierarchy."""
    FAILURES["same secret for most"](folder)
    (folder / "secret.csv").write_text("".join(f"{token('secret', i)};kind{i % 3};*\n" for i in range(ROWS)))
    if tree:
        spoil(folder, "s.toml", 'secret = { role = "sensitive" }', f'secret = {{ role = "sensitive", {tree} }}')


@pytest.mark.parametrize("tree", ["", 'hierarchy = "secret.csv"', "hierarchy = { mask = 12 }"])
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_generalised_values_are_only_in_their_place(folder, form, tree):
    """The certificate lists the values that there are in the sensitive column, and no others'."""
    skewed(folder, tree)
    done = anonymize(folder, *SWEEP, "-f", form)
    assert done.code == 0, done.err
    said = done.out + done.err
    for arguments in (
        ["audit", folder / "out", "-s", folder / "s.toml"],
        ["audit", folder / "out", "-s", folder / "s.toml", "--require", EVERYTHING_REQUIRED, "--json"],
        ["audit", "--series", folder / "out", "-s", folder / "s.toml"],
        ["estimate", folder / "out", f"secret = '{token('secret', 0)}'", "-s", folder / "s.toml"],
        ["estimate", folder / "out", f"secret = '{token('secret', 0)}'"],
    ):
        found = voile(*arguments)
        assert "defect" not in found.err
        said += found.out + found.err
    assert tokens_in(said) == set()
    places = {"data": {"income", "born", "code", "town", "secret"}, "certificate": {"secret"}}
    for name, content in files_of(folder / "out").items():
        assert tokens_in(content) <= places.get(name.stem, set()), name
    assert tokens_in(files_of(folder / "out")[Path("certificate.json")]) == {"secret"}, "control: base values"


@pytest.mark.parametrize("tree", ["", 'hierarchy = "secret.csv"', "hierarchy = { mask = 12 }"])
def test_no_refusal_of_generalised_values_shows_a_token(folder, tree):
    skewed(folder, tree)
    for given in (("tau=0.01", "l=3"), ("tau=0.5", "l=29"), ("tau=0.9", "l=1")):
        done = anonymize(folder, "-a", "sweep", "-p", given[0], "-p", given[1])
        assert done.code in (1, 2), done.out
        assert tokens_in(done.out + done.err) == set() and "defect" not in done.err
    assert anonymize(folder, *SWEEP).code == 0
    original, spec = (folder / "out" / "certificate.json").read_text(), (folder / "s.toml").read_text()
    last = token("secret", ROWS - 1)
    for file, old, new, passes in (
        ("out/certificate.json", f'"{last}"', '"another"', False),
        ("out/certificate.json", f'"{last}"', f'"{token("secret", 0)}"', False),
        ("s.toml", "town =", "city =", False),
        ("s.toml", '"sensitive"', '"sensitive", type = "integer"', "secret.csv" in tree),  # the tree says all
    ):
        (folder / "out" / "certificate.json").write_text(original)
        (folder / "s.toml").write_text(spec)
        spoil(folder, file, old, new)
        for command in (["audit", folder / "out"], ["estimate", folder / "out", f"secret = '{last}'"]):
            found = voile(*command, "-s", folder / "s.toml")
            assert tokens_in(found.out + found.err) == set()
            assert "defect" not in found.err
            if command[0] == "audit":
                assert (found.code == 0) == passes, (found.out, found.err)
