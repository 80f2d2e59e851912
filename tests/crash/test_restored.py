"""Yesterday's ledger, a second machine, a lost or wrong key: refused, and nothing is changed."""

import shutil

import pytest

from tests.crash.aftermath import refusal, unspeakable
from tests.crash.power_loss import tree_of
from tests.crash.scene import Scene

pytestmark = pytest.mark.slow


def publish(stage, table, scene=None):
    scene = scene or stage.scene
    return stage.warm.run(scene.publish(table), keys=scene.keys)


def assert_refused(stage, scene=None, table="t3"):
    """Exit 3, a reason and a remedy; every file is as it was."""
    scene = scene or stage.scene
    before = tree_of(scene.root)
    outcome = publish(stage, table, scene)
    assert outcome.code == 3, outcome
    assert refusal(outcome) + unspeakable(outcome) == []
    after = tree_of(scene.root)
    after.pop("clinic.ledger.lock", None)
    before.pop("clinic.ledger.lock", None)
    assert after == before


@pytest.fixture
def two(stage):
    """The clinic after its second release, with yesterday's state in stage.folder / "one"."""
    stage.set("next")
    assert publish(stage, "t2").code == 0
    return stage


def yesterday(stage, *names):
    for name in names:
        source, target = stage.folder / "one" / name, stage.scene.root / name
        if source.is_dir():
            shutil.rmtree(target)
            shutil.copytree(source, target)
        else:
            shutil.copyfile(source, target)


def test_yesterdays_ledger_with_todays_witness(two):
    yesterday(two, "clinic.ledger")
    assert_refused(two)


def test_yesterdays_ledger_and_witness(two):
    """Only the releases themselves can tell."""
    yesterday(two, "clinic.ledger", "home")
    assert_refused(two)


def test_yesterdays_witness_alone(two):
    """A witness that is behind proves nothing against the ledger but that it is not the file it knew."""
    yesterday(two, "home")
    outcome = publish(two, "t3")
    assert outcome.code in (0, 3)
    assert refusal(outcome) + unspeakable(outcome) == []


def forked(stage, folder):
    """A copy of everything on a second machine; each publishes, and knows nothing of the other."""
    stage.set("next")
    other = Scene(folder / "clinic")
    stage.scene.keep(other.root)
    assert publish(stage, "t2").code == 0
    away = stage.scene.root.rename(folder / "another machine")
    assert publish(stage, "t3", other).code == 0
    away.rename(stage.scene.root)
    return other


def test_forked_on_two_machines(stage, tmp_path):
    other = forked(stage, tmp_path)
    shutil.copytree(other.out / "t3", stage.scene.out / "t3")  # their releases meet
    assert_refused(stage, table="t4")


def test_the_ledger_of_the_other_machine(stage, tmp_path):
    other = forked(stage, tmp_path)
    shutil.copyfile(other.ledger, stage.scene.ledger)
    assert_refused(stage, table="t4")


def test_the_ledger_is_gone(two):
    two.scene.ledger.unlink()
    assert_refused(two)


def test_the_key_is_gone(two):
    next(two.scene.keys.glob("*.key")).unlink()
    assert_refused(two)


def test_the_witness_is_gone(two):
    next(two.scene.keys.glob("*.witness")).unlink()
    assert_refused(two)


def test_the_key_is_another(two):
    key = next(two.scene.keys.glob("*.key"))
    lines = key.read_text().splitlines()
    key.write_text("\n".join([*lines[:-1], "ab" * 32]) + "\n")
    assert_refused(two)
