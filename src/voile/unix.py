"""What only Unix has: locks of files, and limits of a process.

Elsewhere the package still imports, and a command that needs one of them refuses in one sentence.
"""

from voile.errors import Unsupported

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]
try:
    import resource
except ImportError:
    resource = None  # type: ignore[assignment]


def _refusal(what: str) -> Unsupported:
    return Unsupported(what, where="this system", remedy="run it on Linux or macOS")


def require_locks() -> None:
    """Refuse where files cannot be locked, before anything is written."""
    if fcntl is None:
        raise _refusal("cannot lock files, and whoever writes needs a lock")


def require_limits() -> None:
    """Refuse where the memory of a process can be neither measured nor bounded, before one is started."""
    if resource is None:
        raise _refusal("can neither measure nor bound the memory of a process")


def lock_file(handle: int, *, shared: bool = False, wait: bool = True) -> None:
    """Lock an open file or folder until it is closed; BlockingIOError where it is locked and we do not wait."""
    require_locks()
    kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    fcntl.flock(handle, kind if wait else kind | fcntl.LOCK_NB)


def forbid_core_dumps() -> None:
    """They would hold the table. Where there are no limits there are no core dumps either."""
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def bound_memory(most: int) -> None:
    """Writable memory, in bytes: what would take more fails inside, not on the machine. Not address space, of
    which the drawing library reserves a hundred times what it uses."""
    require_limits()
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (bound, hard))


def peak_memory() -> int:
    """The most bytes that this process has held."""
    require_limits()
    return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) * 1024
