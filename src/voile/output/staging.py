"""A private folder beside the target that becomes the target by one rename, or vanishes; single files, too.

The folder is locked while its process lives; what a killed run left behind is swept away by the
next one that writes to the same place.
"""

import contextlib
import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from voile.errors import OutputError
from voile.output.writers import write_bytes
from voile.unix import lock_file, require_locks

_PREFIX = ".voile-staging-"


def write_whole(content: bytes, target: Path) -> Path:
    """A new file that is whole from the moment it has its name: who is killed before leaves nothing there."""
    with Staging(target, "output file") as staging:
        write_bytes(content, staging.path / target.name)
        staging.reveal_file(target.name)
    return target


class Staging:
    """`with Staging(target) as folder:` write into folder.path, then folder.reveal()."""

    def __init__(self, target: str | Path, what: str = "output folder") -> None:
        self.target = Path(os.path.realpath(target))
        self.where = f"{what} {self.target.name}"
        self.path: Path = self.target
        self._lock = -1
        self._revealed = False
        self._made: list[Path] = []  # parents that did not exist before

    def __enter__(self) -> "Staging":
        require_locks()
        problem = _occupied(self.target)
        if not problem:
            try:
                self._make_parents()
                with alone_in(self.target.parent):  # nobody sweeps a folder that is not locked yet
                    sweep(self.target.parent)
                    self.path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=self.target.parent))
                    self._lock = os.open(self.path, os.O_RDONLY)
                    lock_file(self._lock)
            except OSError as error:
                problem = f"cannot be created ({os.strerror(error.errno or 0).lower()})"
        if problem:
            self.__exit__(None, None, None)
            raise OutputError(problem, where=self.where, remedy="choose another folder")
        return self

    def _make_parents(self) -> None:
        for parent in reversed(self.target.parents):
            if not parent.exists():
                parent.mkdir()
                self._made.append(parent)

    def reveal(self) -> None:
        """Make everything durable, then visible at once."""
        with self.writing():
            for folder, _, files in os.walk(self.path):
                for name in files:
                    _sync(Path(folder) / name)
                _sync(Path(folder))
            os.rename(self.path, self.target)
            self.path, self._revealed = self.target, True
            for kept in (self.target, *reversed(self._made)):  # a parent that is lost takes the release with it
                _sync(kept.parent)

    def reveal_file(self, name: str) -> None:
        """The same for one file of the folder: it becomes the target, and the folder vanishes."""
        with self.writing():
            _sync(self.path / name)
            _give_name(self.path / name, self.target)
            self._revealed = True
            for kept in (self.target, *reversed(self._made)):
                _sync(kept.parent)

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """A disk that fails meanwhile, as a refusal that says whether anything is visible."""
        problem = ""
        try:
            yield
        except OSError as error:
            problem = os.strerror(error.errno).lower() if error.errno else "the disk failed"
        if problem:
            what, remedy = f"cannot be written ({problem})", "free space or choose another folder"
            if self._revealed:
                what = f"is visible, but the disk did not confirm it ({problem})"
                remedy = "check the disk, then the folder with voile audit"
            raise OutputError(what, where=self.where, remedy=remedy)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.path != self.target:
            shutil.rmtree(self.path, ignore_errors=True)
        if not self._revealed:
            for parent in reversed(self._made):
                with contextlib.suppress(OSError):
                    parent.rmdir()
        if self._lock >= 0:
            os.close(self._lock)


def _give_name(staged: Path, target: Path) -> None:
    """Never to what has the name by now. A rename would replace that, so it is for disks without second names."""
    if os.path.lexists(target):
        raise FileExistsError(errno.EEXIST, "")
    try:
        os.link(staged, target)
    except FileExistsError:
        raise
    except OSError:
        os.rename(staged, target)


def _occupied(target: Path) -> str:
    """Why the target cannot be used; an empty folder can."""
    if os.path.lexists(target) and not target.is_dir():
        return "is a file"
    try:
        if target.is_dir() and any(target.iterdir()):
            return "is not empty (what is there is never overwritten)"
    except OSError:
        return "cannot be read"
    return ""


@contextlib.contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder for the moment that staging is set up in it."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        lock_file(handle)
        yield
    finally:
        os.close(handle)


def sweep(parent: Path, prefix: str = _PREFIX) -> None:
    """Remove private folders whose process is gone: only then can their lock be taken."""
    for left in parent.glob(f"{prefix}*"):
        try:
            handle = os.open(left, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:
            continue
        try:
            lock_file(handle, wait=False)
            shutil.rmtree(left, ignore_errors=True)
        except OSError:
            pass
        finally:
            os.close(handle)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
