"""Small pieces of the page of an explanation: escaped text, names, tables and lists that are folded.

What is filtered by page.js has attributes: ``data-unit`` is a row or a card, ``data-list`` a list inside of one, and
``data-part`` one of its items.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from krm_fn.explain import wording
from krm_fn.krm.messages import address
from krm_fn.printable import printable_html

_FEW = 4
_CODE = re.compile("`([^`]*)`")


def text(words: str) -> str:
    """Return escaped text, with what is in back-quotes as code."""
    return _CODE.sub(r"<code>\1</code>", printable_html(words))


def code(words: str) -> str:
    """Return escaped text as code."""
    return f"<code>{printable_html(words)}</code>"


def link_to_code(name: str) -> str:
    """Return the code of a finding as a link to what the documentation says about it."""
    shown = printable_html(name)
    return f'<a href="{printable_html(address(name))}" target="_blank" rel="noopener"><code>{shown}</code></a>'


def names(found: Sequence[str]) -> str:
    """Return names; of many the first ones, and all of them folded."""
    if len(found) <= _FEW:
        return printable_html(", ".join(found))
    return folded(printable_html(wording.some(found)), map(printable_html, found))


def code_names(found: Sequence[str]) -> str:
    """Return names as code, each on a line; of many the first one, and all of them folded."""
    if len(found) <= _FEW:
        return "<br>".join(map(code, found))
    return folded(f"{code(found[0])} and {len(found) - 1} more", map(code, found))


def folded(summary: str, items: Iterable[str]) -> str:
    """Return a folded list; summary and items are HTML."""
    lines = "".join(f"<li data-part>{item}</li>" for item in items)
    return f"<details><summary>{summary}</summary><ul data-list>{lines}</ul></details>"


def listed(summary: str, items: Sequence[str]) -> str:
    """Return a short list as it is, a long one folded."""
    if len(items) > 1:
        return folded(summary, items)
    return "".join(f"<p>{item}</p>" for item in items)


def table(kind: str, head: Sequence[str], rows: Iterable[str]) -> str:
    """Return a table; each row is HTML."""
    columns = "".join(f'<th scope="col">{name}</th>' for name in head)
    lines = "\n".join(rows)
    return (
        f'<table class="{kind}"><thead><tr>{columns}</tr></thead><tbody>\n{lines}\n</tbody></table>'
    )


def row(head: Sequence[str], cells: Sequence[str], attributes: str = "") -> str:
    """Return a row; each cell but the first holds the name of its column, which a small screen shows."""
    shown = f"<td>{cells[0]}</td>"
    for name, cell in zip(head[1:], cells[1:], strict=True):
        shown += f'<td data-of="{name}">{cell}</td>' if cell else "<td></td>"
    return f"<tr{attributes}>{shown}</tr>"


def named(file: str, name: str) -> str:
    """Return an object behind the name of its file."""
    return f"{code(file)} {code(name)}" if file else code(name)


def section(name: str, title: str, body: str) -> str:
    """Return a section with a heading, to which the contents lead; none without a body."""
    if not body:
        return ""
    heading = f'<h2 id="{name}-title">{title}</h2>'
    return f'<section id="{name}" aria-labelledby="{name}-title">\n{heading}\n{body}\n</section>'


class Colours:
    """A colour for each proxy; those behind the last colour begin with the first one again."""

    _NUMBER = 8

    def __init__(self, proxies: Iterable[str]) -> None:
        known = dict.fromkeys(proxies)
        known.pop(wording.NO_PROXY_SET, None)
        self._classes = {name: f"p{number % self._NUMBER}" for number, name in enumerate(known)}

    def of(self, proxy: str) -> str:
        """Return the class of a proxy in page.css."""
        return self._classes.get(proxy, "p-unset")

    def dot(self, proxy: str) -> str:
        """Return a proxy with a dot of its colour; a long one is broken behind its user."""
        shown = code(proxy).replace("@", "@<wbr>")
        return f'<span class="proxy"><span class="dot {self.of(proxy)}"></span>{shown}</span>'
