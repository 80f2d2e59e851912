"""Progress on the error stream: only on a terminal, only when it takes longer than a second."""

import threading
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

PATIENCE = 1.0


class ProgressBar:
    """`with ProgressBar() as report:` gives the pipeline's `report(stage, share)`.

    The bar appears by itself after a second, also while a stage that cannot count is under way.
    """

    def __init__(self) -> None:
        columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
        console = Console(stderr=True)
        self._bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
        self._task = self._bar.add_task("starting", total=None)
        self._stage = ""
        self._timer = threading.Timer(PATIENCE, self._bar.start)
        self._timer.daemon = True

    def __enter__(self) -> "ProgressBar":
        self._timer.start()
        return self

    def __call__(self, stage: str, share: float) -> None:
        """Called by the pipeline as it goes; a share of 0 means that it cannot be told yet."""
        if stage != self._stage:
            self._stage = stage
            self._bar.reset(self._task, description=stage, total=None)
        self._bar.update(self._task, completed=share, total=1.0 if share else None)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._timer.cancel()
        self._timer.join()
        self._bar.stop()


def announce_compilation() -> None:
    """Say why the very first run takes longer."""
    from voile.kernels.compiled import kernels_are_cached

    if not kernels_are_cached():
        words = "first run: compiling, about 10 seconds, once (voile warmup does it beforehand)"
        Console(stderr=True).print(words, style="dim")
