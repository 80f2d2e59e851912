"""The only page that is open to everybody on this machine: it asks for the address that `voile serve` printed."""

from voile.reporting.markup import Markup, element, joined
from voile.reporting.page import page, paragraph, section

TITLE = "Voile"
WRONG = "That address was used already, or is not the newest one. The terminal of Voile shows the one that opens."
LOCKED = (
    "This page rested for a while, and is locked. Nothing is lost: what you prepared is there when you come back."
)


def login_page(why: str = "") -> str:
    """A form for the token; works without scripts."""
    form = element(
        "form",
        element("label", "Token", for_="token"),
        " ",
        Markup('<input id="token" name="token" type="password" autocomplete="off" required size="24"> '),
        element("button", "Open", type="submit"),
        method="post",
        action="/login",
    )
    lines = joined(
        paragraph(why, kind="warning") if why else "",
        paragraph(
            "Voile runs on this machine for one person. Open the address that ",
            element("code", "voile serve"),
            " printed in its terminal, or paste the part after token= here:",
        ),
        form,
    )
    text = page(TITLE, [section("open", "Who is there?", lines)])
    return text.replace("form-action 'none'", "form-action 'self'", 1)  # a report has no form; this page is one


def missing_page() -> str:
    """An address that leads nowhere."""
    home = element("a", "The first page", href="/")
    lines = joined(paragraph("There is nothing at this address."), paragraph(home))
    return page(TITLE, [section("missing", "Nothing here", lines)])


def entered_page() -> str:
    """After a token was taken: goes on by itself. A redirect would not do: a browser that was sent here from
    elsewhere keeps a SameSite=Strict cookie to itself until a page of ours asks."""
    text = page(TITLE, [section("open", "Welcome", paragraph(element("a", "Go on", href="/")))])
    return text.replace("<head>", '<head><meta http-equiv="refresh" content="0;url=/">', 1)
