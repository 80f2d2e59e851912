"""Where a ledger may lie."""

from pathlib import Path

import pytest

from voile.errors import LedgerRefused
from voile.ledger import Ledger, places

MOUNTS = """\
21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/root rw
40 21 0:30 / /mnt/share rw - nfs4 server:/x rw
41 21 0:31 / /mnt/my\\040disk rw - cifs //server/x rw
42 40 8:2 / /mnt/share/local rw - xfs /dev/sdb rw
43 21 0:33 / /over rw - ext4 /dev/sdc rw
44 43 0:34 / /over rw - fuse.sshfs me@there rw
"""


@pytest.mark.parametrize(
    "folder, kind",
    [
        ("/home/x", "ext4"),
        ("/mnt/share", "nfs4"),
        ("/mnt/share/a/b", "nfs4"),
        ("/mnt/shared", "ext4"),
        ("/mnt/my disk/a", "cifs"),
        ("/mnt/share/local/a", "xfs"),
        ("/over/x", "fuse.sshfs"),
    ],
)
def test_file_systems(folder, kind):
    assert places.file_system_of(Path(folder), MOUNTS) == kind


def test_shared_file_systems_are_refused(path, tmp_path, monkeypatch):
    mounts = tmp_path / "mounts"
    monkeypatch.setattr(places, "_MOUNTS", mounts)
    mounts.write_text(f"1 0 0:1 / / rw - ext4 a rw\n2 1 0:2 / {tmp_path} rw - nfs4 b rw\n")
    for use in (Ledger.open, Ledger.read):
        with pytest.raises(LedgerRefused, match="nfs4"):
            use(path)
    with pytest.raises(LedgerRefused, match="nfs4"):
        Ledger.create(tmp_path / "new.ledger")
    mounts.unlink()  # a system that does not tell is believed
    Ledger.open(path).close()


def test_replacing_leaves_old_or_new(tmp_path, monkeypatch):
    file = tmp_path / "note"
    places.replace_file(file, b"old")
    monkeypatch.setattr(places.os, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, "full")))
    with pytest.raises(OSError):
        places.replace_file(file, b"new")
    assert file.read_bytes() == b"old" and list(tmp_path.iterdir()) == [file]


def test_names_no_disk_takes(tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    for odd in (tmp_path / ("x" * 300), tmp_path / ("x" * 300) / "a", tmp_path / "loop" / "a"):
        for use in (Ledger.create, Ledger.open, Ledger.read):
            with pytest.raises(LedgerRefused):
                use(odd)


def test_the_log_of_another_ledger_is_not_taken_over(tmp_path):
    (tmp_path / "a.ledger-wal").write_bytes(b"x")
    with pytest.raises(LedgerRefused, match="exists"):
        Ledger.create(tmp_path / "a.ledger")
