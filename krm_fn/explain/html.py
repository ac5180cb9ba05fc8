"""The explanation as one HTML file that a person can open: nothing is loaded from anywhere.

Its frame, style and script are page.html, page.css and page.js. The script only filters and unfolds: the page says the
same without it. Every value is escaped, and the Content-Security-Policy of the page allows only that style and script.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from string import Template

from krm_fn.explain import Block, Explanation, wording
from krm_fn.explain.clusters import ClusterRow, cluster_rows
from krm_fn.explain.difference import Difference, ProxyChange
from krm_fn.explain.html_block import card
from krm_fn.explain.html_clusters import cluster_table, picture
from krm_fn.explain.html_parts import (
    Colours,
    code,
    link_to_code,
    listed,
    named,
    names,
    section,
    text,
)
from krm_fn.krm.masking import redact
from krm_fn.krm.results import Result, Severity
from krm_fn.package_files import text_of
from krm_fn.patch import field_path
from krm_fn.printable import printable_html

_ANSWERS = "answers"


def render(explanation: Explanation) -> str:
    """Return one self-contained page."""
    if explanation.difference is not None:
        return _page(
            "Who gets another proxy",
            _figures_of_difference(explanation, explanation.difference),
            [("changes", "Changes", _difference(explanation.difference)), *_reports(explanation)],
        )
    rows = cluster_rows(explanation)
    overview = explanation.overview
    colours = Colours(
        wording.proxies(line.http_proxy, line.https_proxy)
        for group in overview
        for line in group.lines
    )
    nothing = "" if explanation.answers else f'<p class="card">{text(wording.NOTHING)}</p>'
    cards = []
    below = ""
    for number, block in enumerate(explanation.blocks, start=1):
        cards.append(card(block, number, colours))
        below += _entry(block, number, colours)
    return _page(
        "Who gets which proxy, and why",
        _figures(explanation, rows),
        [
            ("picture", "At a glance", nothing + picture(overview, rows, colours)),
            ("clusters", "Clusters", cluster_table(rows, colours)),
            *_reports(explanation),
            (_ANSWERS, "Each proxy in detail", "\n".join(cards)),
        ],
        below,
    )


def _entry(block: Block, number: int, colours: Colours) -> str:
    """Return the line of the contents that leads to a card."""
    colour = colours.of(wording.proxies(block.http_proxy, block.https_proxy))
    title = printable_html(wording.heading(block))
    return f'<li><a href="#answer-{number}"><span class="dot {colour}"></span><span>{title}</span></a></li>'


_Section = tuple[str, str, str]
"""Its name, its title and its body, which is empty where there is nothing to say."""


def _reports(explanation: Explanation) -> list[_Section]:
    return [
        ("nodes", "Nodes", _nodes(explanation)),
        ("findings", "Errors and warnings of a run", _findings(explanation.findings)),
    ]


def _page(
    title: str,
    figures: Sequence[tuple[int, str, str]],
    sections: Sequence[_Section],
    below: str = "",
) -> str:
    """Put a page together.

    Args:
        title: its title.
        figures: numbers on top: the number, what it counts, and its class.
        sections: its sections.
        below: the lines of the contents that lead to cards.
    """
    contents = ""
    for name, heading, body in sections:
        if body:
            cards = f"<ul>{below}</ul>" if name == _ANSWERS else ""
            contents += f'<li><a href="#{name}">{heading}</a>{cards}</li>'
    style, script = text_of("explain/page.css"), text_of("explain/page.js")
    policy = (
        f"default-src 'none'; style-src {_source(style)}; script-src {_source(script)}; "
        "base-uri 'none'; form-action 'none'"
    )
    return Template(text_of("explain/page.html")).substitute(
        policy=policy,
        title=title,
        style=style,
        script=script,
        figures="".join(map(_figure, figures)),
        contents=f"<ul>{contents}</ul>",
        body="\n".join(filter(None, (section(*one) for one in sections))),
    )


def _source(content: str) -> str:
    """Return what a policy says of a style or a script in the page (Content Security Policy Level 3, "hash-source")."""
    digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
    return f"'sha256-{digest}'"


# the numbers on top


def _figure(figure: tuple[int, str, str]) -> str:
    number, name, kind = figure
    if not number:
        kind = ""
    return f'<div><dt>{name}</dt><dd class="{kind}">{number:,}</dd></div>'


def _figures(explanation: Explanation, rows: Iterable[ClusterRow]) -> list[tuple[int, str, str]]:
    clusters = {name for one in rows for name in one.clusters}
    lacking = {one.title for one in explanation.without}
    changed = {(one.place.file, one.place.object) for one in explanation.answers if one.is_changed}
    return [
        (len(clusters), "Clusters", ""),
        (len(lacking), "Without a proxy, wholly or in part", "bad"),
        (len(changed), "Objects that change", ""),
        *_figures_of_reports(explanation),
    ]


def _figures_of_difference(
    explanation: Explanation, difference: Difference
) -> list[tuple[int, str, str]]:
    return [
        (sum(change.places for change in difference.changes), "Places that change", ""),
        (difference.unchanged, "Places that stay", ""),
        *_figures_of_reports(explanation),
    ]


def _figures_of_reports(explanation: Explanation) -> list[tuple[int, str, str]]:
    rolled = {name for one in explanation.nodes if one.is_rolled for name in one.clusters}
    found = [one.severity for one in explanation.findings]
    return [
        (len(rolled), "Clusters that roll nodes", ""),
        (found.count(Severity.ERROR), "Errors", "bad"),
        (found.count(Severity.WARNING), "Warnings", "warning"),
    ]


# what another ProxyConfig changes


def _difference(difference: Difference) -> str:
    cards = "\n".join(map(_change, difference.changes))
    return f"{cards}\n<p>Unchanged: {wording.number_of_places(difference.unchanged)}.</p>"


def _change(change: ProxyChange) -> str:
    lines = [
        f"<dt><code>{name}</code></dt><dd><del>{code(old)}</del> → <ins>{code(new)}</ins></dd>"
        for name, old, new in wording.urls_before_and_after(change)
    ]
    entries = [f"<ins>+ {code(one)}</ins>" for one in change.added]
    entries += [f"<del>- {code(one)}</del>" for one in change.removed]
    if not (lines or entries):
        entries = ["has another order"]
    if entries:
        lines.append(f"<dt><code>NO_PROXY</code></dt><dd>{'<br>'.join(entries)}</dd>")
    clusters = (
        f'<div class="small">{names(change.clusters)}</div>' if len(change.clusters) > 3 else ""
    )
    return (
        f'<article class="card" data-unit>\n<h3>{printable_html(wording.of_change(change))}</h3>\n'
        f'<p class="quiet">{wording.number_of_places(change.places)}</p>{clusters}\n'
        f'<dl class="values">{"".join(lines)}</dl>\n</article>'
    )


# nodes and findings


def _nodes(explanation: Explanation) -> str:
    items = ""
    for group in wording.grouped_nodes(explanation.nodes):
        kind, verb = ("good", "rolled") if group.is_rolled else ("warning", "not rolled")
        objects = list(dict.fromkeys(named(one.file, one.object) for one in group.changes))
        items += (
            f'<li data-unit><b class="badge {kind}">{verb}</b> {printable_html(group.title)}'
            f'<p class="quiet">{text(group.why)}</p>'
            f'<div class="small">{listed(wording.counted(len(objects), "object"), objects)}</div></li>\n'
        )
    return f'<ul class="card list">{items}</ul>' if items else ""


def _findings(findings: Sequence[Result]) -> str:
    items = ""
    for first, *others in wording.grouped_findings(findings):
        severity = f'<b class="badge {first.severity.value}">{first.severity.value}</b>'
        link = link_to_code(first.code) if first.code else ""
        rest = listed(f"{len(others)} more", [_other(one, first) for one in others])
        items += (
            f"<li data-unit>{severity} {link}<p>{_message(first)}</p>"
            f'<div class="small quiet">{_subject(first)}</div>'
            f'<div class="small">{rest}</div></li>\n'
        )
    return f'<ul class="card list">{items}</ul>' if items else ""


def _other(one: Result, first: Result) -> str:
    """Return a further finding of one code; what it says only where the first one says something else."""
    if one.message == first.message:
        return _subject(one)
    return f"{_subject(one)}: {_message(one)}"


def _message(one: Result) -> str:
    return text(redact(one.message))


def _subject(one: Result) -> str:
    """Return file, object and field of a finding."""
    parts = (redact(one.ref.file_path), redact(str(one.ref)), redact(field_path(one.path)))
    return " ".join(code(part) for part in parts if part)
