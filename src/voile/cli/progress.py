"""Progress on the error stream: only on a terminal, only when it takes longer than a second."""

import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

PATIENCE = 1.0


class ProgressBar:
    """`with ProgressBar() as report:` gives the pipeline's `report(stage, share)`."""

    def __init__(self) -> None:
        self._console = Console(stderr=True)
        self._began = time.monotonic()
        self._bar: Progress | None = None
        self._stage = ""

    def __enter__(self) -> "ProgressBar":
        return self

    def __call__(self, stage: str, share: float) -> None:
        """Called by the pipeline as it goes."""
        if not self._console.is_terminal or time.monotonic() - self._began < PATIENCE:
            return
        if self._bar is None:
            columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
            self._bar = Progress(*columns, console=self._console, transient=True)
            self._bar.start()
        if stage != self._stage:
            for task in self._bar.task_ids:
                self._bar.remove_task(task)
            self._bar.add_task(stage, total=1.0)
            self._stage = stage
        total = 1.0 if share else None  # a stage that cannot count pulses
        self._bar.update(self._bar.task_ids[-1], completed=share, total=total)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()


def announce_compilation() -> None:
    """Say why the very first run takes longer."""
    from voile.kernels.compiled import kernels_are_cached

    if not kernels_are_cached():
        Console(stderr=True).print("first run: compiling, about 20 seconds, once", style="dim")
