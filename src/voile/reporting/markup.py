"""HTML that cannot be broken by what it shows: text is escaped, only markup is not."""

import html


class Markup(str):
    """Text that is HTML already. Made by `element`, never from what a user wrote."""

    __slots__ = ()


def escaped(text: object) -> str:
    """Text as HTML shows it; control characters, which no reader sees, are marked.

    >>> escaped('<b a="1">')
    '&lt;b a=&quot;1&quot;&gt;'
    """
    plain = "".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in str(text))
    return html.escape(plain, quote=True)


def element(name: str, *content: object, **attributes: str | bool) -> Markup:
    """An element; content is escaped unless it is Markup. `class_` is class, `aria_label` aria-label.

    >>> element("p", "1 < 2 ", element("b", "yes"), class_="note")
    '<p class="note">1 &lt; 2 <b>yes</b></p>'
    """
    given = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{escaped(value)}"')
        for key, value in attributes.items()
        if value is not False
    )
    return Markup(f"<{name}{given}>{joined(*content)}</{name}>")


def joined(*content: object) -> Markup:
    """Several pieces as one, each escaped unless it is Markup.

    >>> joined("a&b", element("i", "c"))
    'a&amp;b<i>c</i>'
    """
    return Markup("".join(part if isinstance(part, Markup) else escaped(part) for part in content))
