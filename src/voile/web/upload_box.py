"""A place to drop a file, or to choose one with the keyboard."""

from voile.web.desk import Desk
from voile.web.elements import tag
from voile.web.uploads import SLICE

ACCEPT = ".csv,.tsv,.txt,.data,.parquet"


def upload_box(
    desk: Desk,
    purpose: str,
    words: str = "Choose a file",
    accept: str = ACCEPT,
    largest: int = 0,
    remedy: str = "",
) -> None:
    """app.js sends what is chosen, in slices, and goes where the server says. `remedy`: what to do with a file of
    more than `largest` bytes, where that is less than what a table may have."""
    most = largest or desk.uploads.largest
    given = {"data_purpose": purpose, "data_largest": most, "data_slice": SLICE, "data_remedy": remedy or None}
    with tag("div", classes="drop", **given):
        with tag("label", classes="button main"):
            tag("span", words)
            tag("input", type="file", accept=accept, aria_label=words)
        tag("span", " or drop it here", "note")
        tag("progress", max=1, value=0, hidden=True, aria_label="upload")
        tag("div", classes="said", role="alert")
