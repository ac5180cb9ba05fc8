"""The sections of an explanation as one page, which a browser opens without a server and a script.

Every value is escaped, and the Content-Security-Policy of the page allows nothing but its style.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from string import Template

from krm_fn.explain.answer import Explanation
from krm_fn.explain.clusters import ClusterAnswer
from krm_fn.explain.names import distinct, some
from krm_fn.explain.sections import Section, sections
from krm_fn.package_files import text_of
from krm_fn.printable import printable_html

_COLOURS = 8
_FEW = 3
_MANY_TILES = 60
_NOTHING = "gets nothing"


def render(explanation: Explanation, about: str = "") -> str:
    """Return the page; ``about`` says of which folder it is."""
    body, links = "", ""
    for number, section in enumerate(sections(explanation)):
        title = _text(section.title)
        content = _table(section)
        if section.is_detail:
            summary = f"<summary>{title}: {len(section.rows)}</summary>"
            body += f"<details>{summary}{content}</details>\n"
            continue
        links += f'<li><a href="#s{number}">{title}</a></li>'
        if section.title == "Clusters":
            content = _tiles(explanation.clusters) + content
        body += f'<section id="s{number}"><h2>{title}</h2>{content}</section>\n'
    return Template(text_of("explain/page.html")).substitute(
        style=text_of("explain/page.css"),
        summary=printable_html(explanation.summary),
        about=printable_html(about),
        contents=links,
        body=body,
    )


def _table(section: Section) -> str:
    columns = "".join(f'<th scope="col">{name}</th>' for name in section.head)
    rows = ""
    for row in section.rows:
        rows += "<tr>"
        for name, cell in zip(section.head, row, strict=True):
            lines = cell.splitlines()
            rows += f'<td data-of="{name}">{_folded(name.lower(), lines)}</td>'
        rows += "</tr>\n"
    return f"<table><thead><tr>{columns}</tr></thead><tbody>\n{rows}</tbody></table>"


def _folded(called: str, lines: Sequence[str]) -> str:
    """Return lines, folded where they are many."""
    if len(lines) <= _FEW:
        return "".join(f"<p>{_text(line)}</p>" for line in lines)
    items = "".join(f"<li>{_text(line)}</li>" for line in lines)
    first = f"{len(lines)} {called}"
    if max(map(len, lines)) < 40:
        first = _text(some(lines))
    return f"<details><summary>{first}</summary><ul>{items}</ul></details>"


def _text(words: str) -> str:
    """Return escaped text, with what is in back-quotes as code."""
    pieces = printable_html(words).split("`")
    for number in range(1, len(pieces) - 1, 2):
        pieces[number] = f"<code>{pieces[number]}</code>"
    return "".join(pieces)


def _tiles(clusters: Iterable[ClusterAnswer]) -> str:
    """Return a lane for each proxy, with a tile for each Cluster; first what gets nothing."""
    lanes: dict[str, list[ClusterAnswer]] = {}
    for cluster in clusters:
        for url in distinct(cluster.proxies.values()) or [_NOTHING]:
            lanes.setdefault(url, []).append(cluster)
    shown = ""
    for number, (url, members) in enumerate(lanes.items()):
        kind = "none" if url == _NOTHING else f"p{number % _COLOURS}"
        if len(members) > _MANY_TILES:
            kind += " small"
        tiles = ""
        for cluster in members:
            partly = " partly" if cluster.left and cluster.proxies else ""
            name = printable_html(cluster.name)
            tiles += f'<li class="tile {kind}{partly}" title="{name}">{name}</li>'
        title = _text(f"`{url}` {len(members)}")
        shown += f'<div class="lane"><h3>{title}</h3><ul class="tiles">{tiles}</ul></div>'
    if not shown:
        return ""
    legend = '<p class="quiet">A tile is a cluster; with a red ring, a part of it gets nothing.</p>'
    return f'<div class="card">{shown}{legend}</div>'
