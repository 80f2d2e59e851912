"""Where a ledger and its key may lie, who may read them, and how small files are replaced whole."""

import contextlib
import errno
import glob
import hashlib
import os
import platform
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from voile.errors import LedgerRefused

SHARED_FILE_SYSTEMS = {
    "9p", "afs", "afp", "beegfs", "ceph", "cifs", "coda", "davfs", "fuse.ceph", "fuse.davfs2",
    "fuse.glusterfs", "fuse.rclone", "fuse.s3fs", "fuse.sshfs", "gfs2", "glusterfs", "lustre", "ncpfs",
    "nfs", "nfs4", "ocfs2", "orangefs", "smb2", "smb3", "smbfs", "virtiofs", "vboxsf",
}  # fmt: skip
_DRAFT = ".voile-draft-"
_MOUNTS = Path("/proc/self/mountinfo")


def disk_problem(error: OSError) -> tuple[str, str]:
    """What the disk says, in words, and what to do."""
    problem = f"cannot be read or written ({os.strerror(error.errno or errno.EIO).lower()})"
    if isinstance(error, PermissionError):
        return problem, "make it and its folder accessible to yourself, or run Voile as the user who owns it"
    if error.errno in (errno.ENAMETOOLONG, errno.ELOOP, errno.ENOTDIR, errno.EINVAL):
        return problem, "correct the path"
    return problem, "make room or mend the disk, then try again; nothing half done is believed"


@contextlib.contextmanager
def refusing_disk(where: str) -> Iterator[None]:
    """What the disk says, as a refusal."""
    problem, remedy = "", ""
    try:
        yield
    except OSError as error:
        problem, remedy = disk_problem(error)
    if problem:
        raise LedgerRefused(problem, where=where, remedy=remedy)


def wal_of(ledger: Path) -> Path:
    """Where SQLite keeps what is not yet in the file itself."""
    return ledger.with_name(ledger.name + "-wal")


def has_content(path: Path) -> bool:
    """Whether a file exists and is not empty."""
    return path.exists() and path.stat().st_size > 0


def file_system_of(folder: Path, mounts: str) -> str:
    """The type of the file system that holds a folder, from the text of a mountinfo file; "" if it does not say.

    >>> file_system_of(Path("/data/x"), "1 0 8:1 / / rw - ext4 a rw\\n2 1 0:5 / /data rw - nfs4 b rw\\n")
    'nfs4'
    """
    found, depth = "", -1
    for line in mounts.splitlines():
        left, _, right = line.partition(" - ")
        fields = left.split(" ")
        if len(fields) < 5 or not right:
            continue
        point = Path(fields[4].encode().decode("unicode_escape").encode("latin-1").decode(errors="replace"))
        if folder.is_relative_to(point) and len(point.parts) >= depth:  # a later mount covers an earlier one
            found, depth = right.split(" ")[0], len(point.parts)
    return found


def _shared(folder: Path) -> str:
    try:
        kind = file_system_of(folder.resolve(), _MOUNTS.read_text(encoding="utf-8", errors="surrogateescape"))
    except OSError:  # a system without /proc cannot be asked
        return ""
    return kind if kind in SHARED_FILE_SYSTEMS else ""


def refuse_folder(folder: Path, where: str, writing: bool = True) -> None:
    """Refuse a folder where locks and fsync cannot be trusted, or where nothing can be written."""
    with refusing_disk(where):
        exists = folder.is_dir()
    if not exists:
        raise LedgerRefused(
            "its folder does not exist", where=where, remedy="create the folder, or correct the path"
        )
    shared = _shared(folder)
    if shared:
        raise LedgerRefused(
            f"lies on a network or shared file system ({shared})",
            where=where,
            rule="locks and writes are not reliable there",
            remedy="move it to a local disk (docs/ledger.md)",
        )
    if writing and not (os.access(folder, os.W_OK) and folder.stat().st_mode & stat.S_IWUSR):
        raise LedgerRefused("its folder is read-only", where=where, remedy="make the folder writable for yourself")


def refuse_file(path: Path, where: str, writing: bool = True, private: bool = True) -> None:
    """Refuse a file that is a link, is missing, is shared with others, or cannot be written."""
    with refusing_disk(where):
        problem, remedy = _unfit(path, writing, private)
    if problem:
        raise LedgerRefused(problem, where=where, remedy=remedy)


def _unfit(path: Path, writing: bool, private: bool) -> tuple[str, str]:
    problem, remedy = "", "restore it from your newest backup, or correct the path (docs/ledger.md)"
    if path.is_symlink():
        problem, remedy = (
            "is a symbolic link",
            "give the path of the file itself: a link could lead to an old copy",
        )
    elif not path.exists():
        problem = "does not exist"
    elif not path.is_file():
        problem, remedy = "is not a file", "correct the path"
    else:
        status = path.stat()
        if status.st_nlink > 1:
            problem, remedy = (
                "has a second name (hard link)",
                "remove the other name: each would have its own lock",
            )
        elif private and status.st_mode & 0o077:
            problem, remedy = (
                "can be read or written by others",
                f"run: chmod 600 {path.name}, and ask who read it",
            )
        elif writing and not (os.access(path, os.W_OK) and status.st_mode & stat.S_IWUSR):
            problem, remedy = "is read-only", f"run: chmod 600 {path.name}"
        elif not os.access(path, os.R_OK):
            problem, remedy = "cannot be read", "run Voile as the user who owns it"
    return problem, remedy


def refuse_existing(path: Path, where: str) -> None:
    """Refuse to write where something is."""
    if os.path.lexists(path):
        raise LedgerRefused("exists already", where=where, remedy="use it, or choose another name")


def this_machine(ledger: str) -> str:
    """A digest of this machine's name, of no use for another ledger: it tells where the folder of a release is.

    >>> this_machine("ab") == this_machine("ab"), this_machine("ab") == this_machine("cd")
    (True, False)
    """
    return hashlib.sha256(f"{ledger} {platform.node()}".encode()).hexdigest()[:16]


def file_digest(path: Path) -> str:
    """SHA-256 of a file's bytes. Never while SQLite has it open in this process: closing drops its locks."""
    with open(path, "rb", buffering=0) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def log_is_gone(ledger: Path) -> bool:
    """Whether SQLite's log is empty or removed, and stays so after a power loss."""
    log = wal_of(ledger)
    if has_content(log):
        return False
    if log.exists():  # somebody who reads has kept it from being removed
        with open(log, "rb") as file:
            os.fsync(file.fileno())
    sync_folder(ledger.parent)
    return True


def replace_file(path: Path, content: bytes) -> None:
    """Write a private file whole or not at all, durably; drafts that a killed run left, perhaps with keys in them,
    are removed."""
    for left in path.parent.glob(f"{_DRAFT}{glob.escape(path.stem)}.*"):
        left.unlink(missing_ok=True)
    handle, name = tempfile.mkstemp(prefix=f"{_DRAFT}{path.name}-", dir=path.parent)  # mode 0600
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
    sync_folder(path.parent)
