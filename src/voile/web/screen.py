"""What a tab shows of a draft. Tabs share the draft, so one of them can be out of date: it must not publish what
it does not show."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from nicegui.element import Element

from voile.web.draft import Draft
from voile.web.elements import link, tag

OUT_OF_DATE = (
    "Nothing was published. Your choices were changed in another tab, or the file was replaced, after this page "
    "was opened. So this page is out of date."
)
SHOW_NOW = "Show how it is now"


class Screen:
    """One tab, and the state of the draft that it shows. It lives on the server: no click can come between."""

    def __init__(self, draft: Draft, step: str, state: str = "") -> None:
        self._draft, self._step, self._state = draft, step, state or draft.state()

    def is_current(self) -> bool:
        """Whether this tab shows the draft as it is now."""
        return self._state == self._draft.state()

    @contextmanager
    def own_change(self) -> Iterator[None]:
        """A change made in this tab, which shows it. A tab that was out of date stays so, whatever it changes."""
        was_current = self.is_current()
        yield
        self._state = self._draft.state() if was_current else "out of date"

    def guarded(self, said: Element, action: Callable[[], None]) -> Callable[[], None]:
        """An action for a button: if the tab is out of date, it is told so in the place `said` instead."""

        def act() -> None:
            said.clear()
            if self.is_current():
                action()
            else:
                with said:
                    self.tell()

        return act

    def tell(self) -> None:
        """Words for a tab that is out of date, and the way to what is there now."""
        tag("p", OUT_OF_DATE, "warning")
        link(SHOW_NOW, self._draft.place(self._step), "main")
