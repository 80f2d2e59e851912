"""A disk that loses power: what may be left of a recorded run, replayed from its system calls.

`kill -9` keeps the page cache, so it never finds a missing fsync. Here every file and folder
remembers what was synced and what was not; when the power fails, of what was not

* each page of 4096 bytes holds what one of its writes left, or what was synced before,
* the length is that after one of the changes, or the synced one; a hole reads as zeros,
* names in a folder are as after some of the changes; one name sees its own changes in order, and a
  rename takes both its names with it.

Everything synced is there. Shared memory of SQLite (`-shm`) is never kept.
"""

import hashlib
import os
import random
from dataclasses import dataclass, field
from pathlib import Path

from tests.crash.system_calls import Call

PAGE = 4096
SYNCS = ("fsync", "fdatasync", "sync", "syncfs")
HARMLESS = ("lseek", "mmap", "utimensat", "chmod", "fchmod", "fchmodat")


class NotModelled(Exception):
    """The run used a call this disk does not know: teach it, before trusting the suite."""


@dataclass
class File:
    synced: bytes = b""
    pending: list[tuple[int, bytes]] = field(default_factory=list)  # (offset, data); (length, None) cuts

    def now(self) -> bytes:
        return self.left(lambda last: last)

    def sync(self) -> None:
        self.synced, self.pending = self.now(), []

    def left(self, cut) -> bytes:
        """The bytes after a power loss; `cut(n)` chooses how many of n changes survived, page by page."""
        changes = self.pending
        size = len(self.synced)
        for offset, data in changes[: cut(len(changes))]:
            size = offset if data is None else max(size, offset + len(data))
        pages = {number for change in changes for number in _pages(change, size)}
        content = bytearray(self.synced[:size].ljust(size, b"\0"))
        for number in sorted(pages):
            low = number * PAGE
            page = _page_after(self.synced[low : low + PAGE], low, changes[: cut(len(changes))])
            content[low : min(low + PAGE, size)] = page[: max(0, min(PAGE, size - low))]
        return bytes(content[:size])


def _pages(change: tuple[int, bytes | None], size: int) -> range:
    offset, data = change
    end = max(size, offset) if data is None else offset + len(data)
    return range(offset // PAGE, -(-end // PAGE))


def _page_after(page: bytes, low: int, changes: list[tuple[int, bytes]]) -> bytes:
    content = bytearray(page.ljust(PAGE, b"\0"))
    for offset, data in changes:
        if data is None:
            start = max(0, offset - low)
            content[start:] = bytes(max(0, PAGE - start))
        elif offset < low + PAGE and offset + len(data) > low:
            first, last = max(offset, low), min(offset + len(data), low + PAGE)
            content[first - low : last - low] = data[first - offset : last - offset]
    return bytes(content[:PAGE])


@dataclass(frozen=True)
class Entry:
    """A change of names: `inode` leaves `old` (if any) and comes to `new` (if any)."""

    inode: "File | Folder"
    old: str = ""
    new: str = ""


@dataclass
class Folder:
    synced: dict = field(default_factory=dict)
    pending: list[Entry] = field(default_factory=list)

    def now(self) -> dict:
        return self.left(lambda last: last)

    def sync(self) -> None:
        self.synced, self.pending = self.now(), []

    def left(self, cut) -> dict:
        names = dict(self.synced)
        for changes in self._linked():
            for entry in changes[: cut(len(changes))]:
                if entry.old and names.get(entry.old) is entry.inode:
                    del names[entry.old]
                if entry.new:
                    names[entry.new] = entry.inode
        return names

    def _linked(self) -> list[list[Entry]]:
        """Changes that share a name, together and in order."""
        parts: list[tuple[set[str], list[int]]] = []
        for number, entry in enumerate(self.pending):
            names, members = {entry.old, entry.new} - {""}, [number]
            for other in [part for part in parts if part[0] & names]:
                parts.remove(other)
                names, members = names | other[0], other[1] + members
            parts.append((names, sorted(members)))
        return [[self.pending[number] for number in members] for _, members in parts]


class Disk:
    """The tree below one folder; `play` a call, then ask for what is `now` there or `left` after a loss."""

    def __init__(self, root: Path, deaf_to=lambda call: False) -> None:
        self.root, self.deaf_to = root, deaf_to
        self.top = _snapshot(root)
        self.positions: dict[str, int] = {}  # where a plain write goes on, by path: descriptors are duplicated

    def play(self, call: Call) -> bool:
        """Apply a call; says whether it was about this tree."""
        if call.name == "io_uring_setup":
            raise NotModelled(call.name)
        if call.name == "lseek":
            self.positions[call.target] = call.result
        if call.name in ("sync", "syncfs"):
            raise NotModelled(call.name)
        if call.result < 0 or not Path(call.target).is_relative_to(self.root):
            return False
        if call.name == "mmap" and "MAP_SHARED" in call.arguments and "PROT_WRITE" in call.arguments:
            if not call.target.endswith("-shm"):
                raise NotModelled(f"{call.name} {call.target}")
        elif call.name not in HARMLESS:
            getattr(self, f"_{call.name}", self._unknown)(call)
        return call.name not in HARMLESS

    def _unknown(self, call: Call) -> None:
        raise NotModelled(call.name)

    def _at(self, path: str):
        node = self.top
        for part in Path(path).relative_to(self.root).parts:
            node = node.now().get(part) if isinstance(node, Folder) else None
        return node

    def _parent(self, path: str) -> tuple[Folder, str]:
        return self._at(os.path.dirname(path)), os.path.basename(path)

    def _openat(self, call: Call) -> None:
        node = self._at(call.target)
        if node is None and "O_CREAT" in call.arguments:
            folder, name = self._parent(call.target)
            node = File()
            folder.pending.append(Entry(node, new=name))
        if not isinstance(node, File):
            return
        if "O_TRUNC" in call.arguments and node.now():
            node.pending.append((0, None))
        self.positions[call.target] = len(node.now()) if "O_APPEND" in call.arguments else 0

    def _write(self, call: Call) -> None:
        self._change(call, self.positions[call.target])
        self.positions[call.target] += call.result

    def _pwrite64(self, call: Call) -> None:
        self._change(call, int(call.arguments.rsplit(",", 1)[1]))

    def _change(self, call: Call, offset: int) -> None:
        node = self._at(call.target)
        if isinstance(node, File):  # else it has no name any more, and nobody will find it
            node.pending.append((offset, call.texts[0][: call.result]))

    def _ftruncate(self, call: Call) -> None:
        node = self._at(call.target)
        if isinstance(node, File):
            node.pending.append((int(call.arguments.rsplit(",", 1)[1]), None))

    def _fsync(self, call: Call) -> None:
        node = self._at(call.target)
        if node is not None and not self.deaf_to(call):
            node.sync()

    _fdatasync = _fsync

    def _mkdir(self, call: Call) -> None:
        folder, name = self._parent(call.target)
        folder.pending.append(Entry(Folder(), new=name))

    _mkdirat = _mkdir

    def _unlink(self, call: Call) -> None:
        folder, name = self._parent(call.target)
        folder.pending.append(Entry(folder.now()[name], old=name))

    _unlinkat = _rmdir = _unlink

    def _rename(self, call: Call) -> None:
        bases = (call.paths[0], call.paths[-1]) if call.paths else ("/", "/")
        old, new = (os.path.normpath(os.path.join(b, t.decode())) for b, t in zip(bases, call.texts, strict=True))
        folder, name = self._parent(old)
        if folder is not self._parent(new)[0]:
            raise NotModelled("a rename into another folder")
        folder.pending.append(Entry(folder.now()[name], old=name, new=os.path.basename(new)))

    _renameat = _renameat2 = _rename

    def now(self) -> dict[str, bytes | None]:
        """The tree as running programs see it: bytes of files, None for folders."""
        return self.left(lambda last: last)

    def left(self, cut) -> dict[str, bytes | None]:
        tree: dict[str, bytes | None] = {}
        _collect(self.top, "", cut, tree)
        return tree


def _snapshot(path: Path):
    if path.is_dir():
        return Folder({child.name: _snapshot(child) for child in path.iterdir() if not child.is_fifo()})
    return File(path.read_bytes())


def _collect(node, path: str, cut, tree: dict[str, bytes | None]) -> None:
    if isinstance(node, File):
        tree[path] = node.left(cut)
        return
    for name, child in node.left(cut).items():
        below = f"{path}/{name}" if path else name
        if name.endswith("-shm"):
            continue
        if isinstance(child, Folder):
            tree[below] = None
        _collect(child, below, cut, tree)


def tree_of(folder: Path) -> dict[str, bytes | None]:
    """What is really there, in the same words."""
    return {
        str(path.relative_to(folder)): None if path.is_dir() else path.read_bytes()
        for path in folder.rglob("*")
        if not path.name.endswith("-shm")
    }


def build(tree: dict[str, bytes | None], folder: Path) -> None:
    """Write a tree into an empty folder, private as the product makes it."""
    for name in sorted(tree):
        content = tree[name]
        if content is None:
            (folder / name).mkdir(mode=0o700, parents=True, exist_ok=True)
        else:
            (folder / name).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
            (folder / name).chmod(0o600)


@dataclass(frozen=True)
class Loss:
    """Power failed after this call: what is left, and what the world had seen until then."""

    after: Call
    left: dict[str, bytes | None]
    seen: dict[str, bytes | None]


def losses(calls: list[Call], disk: Disk, draws: int, seed: int) -> list[Loss]:
    """After every call: nothing unsynced survived, all did, or (draws times) some; equal trees once."""
    rng = random.Random(seed)

    def some(last: int) -> int:
        return rng.choice((0, last, rng.randint(0, last)))

    found: dict[bytes, Loss] = {}
    for call in calls:
        if not disk.play(call):
            continue
        seen = disk.now()
        for cut in (lambda last: 0, lambda last: last, *[some] * draws):
            left = disk.left(cut)
            found.setdefault(_digest(left, seen), Loss(call, left, seen))
    return list(found.values())


def _digest(*trees: dict[str, bytes | None]) -> bytes:
    digest = hashlib.sha256()
    for tree in trees:
        for name in sorted(tree):
            content = tree[name]
            digest.update(repr((name, content is None, hashlib.sha256(content or b"").hexdigest())).encode())
    return digest.digest()
