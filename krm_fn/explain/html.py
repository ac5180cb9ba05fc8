"""Show the sections of an explanation as one page, which a browser opens without a server and a script.

Every value is escaped, and the Content-Security-Policy of the page allows nothing but its style.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from string import Template

from krm_fn.explain.answer import Explanation
from krm_fn.explain.sections import CLUSTERS, Section, sections
from krm_fn.krm.masking import printable_html
from krm_fn.package_files import text_of

_FEW = 5
# So many rows, or lines of a cell, are shown: a page stays small however many Clusters there are.
_MOST = 200


def render(explanation: Explanation, about: str) -> str:
    """Return the page; ``about`` names the folder and the time."""
    body = ""
    links = ""
    shown = sections(explanation)
    anchors = {name: f"s{at}" for at, section in enumerate(shown) for name in section.clusters}
    for number, section in enumerate(shown):
        title = _text(section.title)
        if section.is_detail:
            summary = f"<summary>{title} ({len(section.rows)})</summary>"
            table = _table(section, anchors)
            body += f'<details>{summary}<div id="s{number}">{table}</div></details>\n'
            continue
        links += f'<li><a href="#s{number}">{title}</a></li>'
        body += f'<h2 id="s{number}">{title}</h2>'
        if section.is_list:
            body += _list(section)
        else:
            body += _table(section, anchors)
    return Template(text_of("explain/page.html")).substitute(
        style=text_of("explain/page.css"),
        summary=printable_html(explanation.summary),
        about=printable_html(about),
        contents=links,
        body=body,
    )


def _list(section: Section) -> str:
    """Return the steps to take, each with the text to paste and the places."""
    items = ""
    for what, text, places in section.rows:
        link = r'<span class="badge \1">\1</span> <a id="\1-\2" href="#\1-\2">\2</a>'
        with_badge = re.sub(r"^\[(\w+)\] <code>(\w+)</code>", link, _text(what))
        items += f"<li><p>{with_badge}</p>"
        few = _FEW
        if text:
            shown = "\n".join(map(printable_html, text.splitlines()))
            items += f'<pre tabindex="0"><code>{shown}</code></pre>'
            few = 1
        items += f"{_folded('places', places, few)}</li>\n"
    return f'<ol class="card">{items}</ol>\n'


def _table(section: Section, anchors: Mapping[str, str]) -> str:
    """Return a table in a box, which scrolls on a narrow screen; a Cluster leads to its list."""
    columns = "".join(f'<th scope="col">{name}</th>' for name in section.head)
    rows = ""
    for row in section.rows[:_MOST]:
        named = zip(section.head, row, strict=True)
        cells = [_folded(name.lower(), cell) for name, cell in named]
        first, *others = cells
        if section.title == CLUSTERS:
            first = _tiles(row[0].splitlines(), anchors)
        rows += f'<tr><th scope="row">{first}</th>'
        for cell in others:
            rows += f"<td>{cell}</td>"
        rows += "</tr>\n"
    table = f"<table><thead><tr>{columns}</tr></thead><tbody>\n{rows}</tbody></table>"
    title = printable_html(section.title)
    box = f'<div class="card box" role="region" aria-label="{title}" tabindex="0">'
    return f"{box}{table}{_rest(section.rows)}</div>\n"


def _folded(called: str, cell: str, few: int = _FEW) -> str:
    """Return the lines of a cell, folded if they are more than a few."""
    lines = cell.splitlines()
    if len(lines) <= few:
        return "".join(f"<p>{_text(line)}</p>" for line in lines)
    items = "".join(f"<li>{_text(line)}</li>" for line in lines[:_MOST])
    summary = f"<summary>{len(lines)} {called}</summary>"
    return f"<details>{summary}<ul>{items}</ul>{_rest(lines)}</details>"


def _rest(items: Sequence[object]) -> str:
    """Return the number of rows or lines that are not shown, and the option that shows them; "" if all are shown."""
    if len(items) <= _MOST:
        return ""
    return f"<p>and {len(items) - _MOST} more: <code>--output json</code> has each</p>"


def _text(words: str) -> str:
    """Return escaped text, with the words in back-quotes as code."""
    pieces = printable_html(words).split("`")
    for number in range(1, len(pieces) - 1, 2):
        pieces[number] = f"<code>{pieces[number]}</code>"
    return "".join(pieces)


def _tiles(names: Iterable[str], anchors: Mapping[str, str]) -> str:
    """Return a tile for each Cluster, which leads to its list, or to what is to be done."""
    tiles = ""
    for name in names:
        anchor = anchors.get(name, "s0")
        tiles += f'<li><a href="#{anchor}">{printable_html(name)}</a></li>'
    return f'<ul class="tiles">{tiles}</ul>'
