"""Releases with reports, of the little clinic and of tables whose every cell is a token."""

from tests.command_line import clinic
from tests.leaks import test_canaries as canaries


def released(folder, *more, table=None, name="out", **options):
    """A release of the little clinic, with its reports; returns the folder, and the spec."""
    import voile

    source, spec = (table, folder / "s.toml") if table else clinic(folder)
    options = {"l": 2, **options}
    algorithm = options.pop("algorithm", "elig")
    voile.publish(source, spec, algorithm, folder / name, with_report=True, **options)
    return folder / name, spec


def canary(folder, algorithm="elig", form="csv", **parameters):
    """A release of the canary table, with its reports; returns the folder, and the spec."""
    import voile

    canaries.write(folder)
    spec = folder / "s.toml"
    voile.publish(
        folder / "t.csv",
        spec,
        algorithm,
        folder / "out",
        format=form,
        with_report=True,
        **(parameters or {"l": 3}),
    )
    return folder / "out", spec
