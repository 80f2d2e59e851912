"""Staged privately, audited from disk, revealed by rename; what leaves holds nothing of the source."""

import json
import os
import signal
import stat
import subprocess
import sys

import polars as pl
import pytest

import voile
from tests.command_line import SPEC, clinic, left_behind
from voile.errors import PromiseBroken


def modes(folder):
    for root, folders, files in os.walk(folder):
        yield from (stat.S_IMODE(os.stat(os.path.join(root, n)).st_mode) for n in files)
        assert all(stat.S_IMODE(os.stat(os.path.join(root, n)).st_mode) == 0o700 for n in folders)


@pytest.mark.parametrize("umask", [0o000, 0o022])
def test_files_are_private(tmp_path, umask):
    table, spec = clinic(tmp_path)
    before = os.umask(umask)
    try:
        voile.publish(table, spec, "bsgi", tmp_path / "out", l=3)
    finally:
        os.umask(before)
    assert set(modes(tmp_path / "out")) == {0o600}
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o700


def test_same_input_same_bytes_and_day(tmp_path):
    table, spec = clinic(tmp_path)
    for out in ("a", "b"):
        for form in ("csv", "parquet"):
            voile.publish(table, spec, "bsgi", tmp_path / f"{out}-{form}", format=form, l=3)
    for name in ("csv", "parquet"):
        first, second = (tmp_path / f"{out}-{name}" / f"data.{name}" for out in "ab")
        assert first.read_bytes() == second.read_bytes()
        assert first.stat().st_mtime % 86400 == 0


def test_a_broken_release_is_never_revealed(tmp_path, monkeypatch):
    """Positive control of the audit: bytes that break the promise are caught after writing."""
    from voile import pipeline

    table, spec = clinic(tmp_path)
    honest = pipeline.rendered

    def homogeneous(*arguments):
        frame, *others = honest(*arguments)
        return frame.with_columns(disease=pl.lit(frame["disease"][0])), *others

    monkeypatch.setattr(pipeline, "rendered", homogeneous)
    with pytest.raises(PromiseBroken, match="nothing was revealed"):
        voile.publish(table, spec, "bsgi", tmp_path / "out", l=3)
    assert left_behind(tmp_path) == []


def test_a_release_is_never_overwritten(tmp_path):
    table, spec = clinic(tmp_path)
    voile.publish(table, spec, "bsgi", tmp_path / "out", l=3)
    before = (tmp_path / "out" / "data.csv").read_bytes()
    with pytest.raises(voile.VoileError, match="never overwritten"):
        voile.publish(table, spec, "bsgi", tmp_path / "out", l=2)
    assert (tmp_path / "out" / "data.csv").read_bytes() == before


def test_formulas_are_neutralised(tmp_path):
    cells = ["=1+1", "@x", "+a", "-5", "-a", "'=q", "\uff1dz", "\u207a2", "plain"]
    text = "age,d\n" + "".join(f'{i},"{c}"\n' for i, c in enumerate(cells))
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    schema = voile.Schema.of({"age": {"role": "qi", "type": "integer"}, "d": "sa"})
    voile.publish(tmp_path / "t.csv", schema, "bsgi", tmp_path / "out", l=2)
    written = set(pl.read_csv(tmp_path / "out" / "data.csv", infer_schema=False)["d"])
    assert written == {"'=1+1", "'@x", "'+a", "-5", "'-a", "''=q", "'\uff1dz", "'\u207a2", "plain"}


def test_parquet_holds_only_what_is_published(tmp_path):
    """No dictionary, index or metadata of the source: suppressed values and places are not in the bytes."""
    rows = 60
    frame = pl.DataFrame(
        {
            "name": [f"identity{i}" for i in range(rows)],
            "age": range(rows),
            "ward": pl.Series([f"dropped{i % 7}" for i in range(rows)], dtype=pl.Categorical),
            "d": pl.Series(
                ["rarely" if i < 40 else f"v{i % 5}" for i in range(rows)],
                dtype=pl.Enum(["rarely", "unused", *(f"v{i}" for i in range(5))]),
            ),
        }
    )
    path = tmp_path / "very-secret-file-name.parquet"
    frame.write_parquet(path)
    schema = voile.Schema.of(
        {"name": "id", "age": {"role": "qi", "type": "integer"}, "ward": "insensitive", "d": "sa"}
    )
    voile.publish(path, schema, "bsgi", tmp_path / "out", format="parquet", l=2, ineligible="suppress")
    content = (tmp_path / "out" / "data.parquet").read_bytes()
    for word in (b"identity", b"dropped", b"unused", b"very-secret", b"pandas", os.uname().nodename.encode()):
        assert word not in content
    assert pl.read_parquet(tmp_path / "out" / "data.parquet").columns == ["group", "age", "d"]


def test_certificate_and_private_record(tmp_path):
    table, spec = clinic(tmp_path)
    voile.publish(table, spec, "bsgi", tmp_path / "out", l=3)
    public = json.loads((tmp_path / "out" / "certificate.json").read_text())
    assert public["promise"]["parameters"] == {"l": 3}
    assert public["adversary"]["rung"] == "release"
    assert public["table"]["rows"] == 40
    private = json.loads((tmp_path / "out" / "private" / "record.json").read_text())
    assert private["rows_read"] == 40
    assert private["input_hmac_sha256"] not in json.dumps(public)


def test_kept_columns_are_known_to_the_adversary(tmp_path):
    """A kept column that tells rows of a group apart breaks the promise: refused, not warned."""
    table, _ = clinic(tmp_path)
    spec = tmp_path / "s.toml"
    spec.write_text(SPEC.replace('sex = { role = "qi" }', 'sex = { role = "insensitive", keep = true }'))
    with pytest.raises(PromiseBroken, match="sex split groups"):
        voile.publish(table, spec, "bsgi", tmp_path / "out", l=3)
    text = table.read_text().replace(",m,", ",f,")
    table.write_text(text)
    _, found = voile.publish(table, spec, "bsgi", tmp_path / "out", l=3)
    assert found.ok


_SLOW = """
import sys, time
import voile
from voile import writing
def stuck(*arguments):
    print("staged", flush=True)
    time.sleep(600)
writing.audit = stuck
from voile.cli.main import main
sys.argv = ["voile", "anonymize", *sys.argv[1:]]
main()
"""


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_run_reveals_nothing(tmp_path, how):
    """Killed while everything is written but not yet audited; the next run sweeps up what is left."""
    table, spec = clinic(tmp_path)
    arguments = [str(table), "-s", str(spec), "-p", "l=3", "-o", str(tmp_path / "out")]
    child = subprocess.Popen(
        [sys.executable, "-c", _SLOW, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdout.readline() == "staged\n"
    child.send_signal(how)
    _, error = child.communicate(timeout=300)
    assert not (tmp_path / "out").exists()
    if how == signal.SIGKILL:
        assert len(left_behind(tmp_path)) == 1
        assert stat.S_IMODE((tmp_path / left_behind(tmp_path)[0]).stat().st_mode) == 0o700
    else:
        assert child.returncode == 130
        assert "nothing is half published" in error
        assert left_behind(tmp_path) == []
    voile.publish(table, spec, "bsgi", tmp_path / "out", l=3)
    assert left_behind(tmp_path) == ["out"]


@pytest.mark.slow
def test_many_publishers_in_one_folder(tmp_path):
    """Eight at once beside each other: nobody sweeps up another's staging folder."""
    from concurrent.futures import ThreadPoolExecutor

    table, spec = clinic(tmp_path)
    with ThreadPoolExecutor(8) as pool:
        done = list(
            pool.map(lambda i: voile.publish(table, spec, "bsgi", tmp_path / f"out{i}", l=3)[1].ok, range(24))
        )
    assert all(done)
    assert len(left_behind(tmp_path)) == 24


def test_a_rename_that_fails_leaves_nothing(tmp_path, monkeypatch):
    from voile.output import staging

    table, spec = clinic(tmp_path)

    def full(*_arguments):
        raise OSError(28, "no space")

    monkeypatch.setattr(staging.os, "rename", full)
    with pytest.raises(voile.VoileError, match="no space left"):
        voile.publish(table, spec, "bsgi", tmp_path / "out", l=3)
    assert left_behind(tmp_path) == []


def test_a_living_run_is_not_swept_up(tmp_path):
    from voile.output.staging import Staging

    with Staging(tmp_path / "one") as first, Staging(tmp_path / "two") as second:
        assert first.path.is_dir() and second.path.is_dir()
    assert list(tmp_path.iterdir()) == []


def test_a_link_to_an_empty_folder_is_filled(tmp_path):
    table, spec = clinic(tmp_path)
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    voile.publish(table, spec, "bsgi", tmp_path / "link", l=3)
    assert (tmp_path / "real" / "data.csv").is_file()
