"""The explanation as one HTML file that a person can open: nothing is loaded from anywhere.

Its frame, style and script are page.html, page.css and page.js. The script only filters and unfolds: the page says the
same without it. Every value is escaped, and the Content-Security-Policy of the page allows only that style and script.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from string import Template

from krm_fn.explain import Block, Explanation, wording
from krm_fn.explain.clusters import ClusterRow, cluster_rows
from krm_fn.explain.difference import Difference, ProxyChange
from krm_fn.explain.html_block import card
from krm_fn.explain.html_parts import (
    Colours,
    code,
    folded,
    link_to_code,
    listed,
    named,
    names,
    row,
    section,
    table,
    text,
)
from krm_fn.explain.without import Without
from krm_fn.krm.masking import redact
from krm_fn.krm.results import Result, Severity
from krm_fn.package_files import text_of
from krm_fn.patch import field_path
from krm_fn.printable import printable_html

_MANY_TILES = 60
"""More Clusters have tiles without a name."""
_MANY_TARGETS = 4
_COLUMNS = ("Clusters", "Proxy", "What changes", "Nodes", "What is wrong")
_PICTURE, _CLUSTERS, _NODES, _FINDINGS = "picture", "clusters", "nodes", "findings"
_ANSWERS, _CHANGES = "answers", "changes"


def render(explanation: Explanation) -> str:
    """Return one self-contained page."""
    if explanation.difference is not None:
        return _page(
            "Who gets another proxy",
            _figures_of_difference(explanation, explanation.difference),
            [(_CHANGES, "Changes", _difference(explanation.difference)), *_reports(explanation)],
        )
    rows = cluster_rows(explanation)
    blocks = explanation.blocks
    overview = explanation.overview
    colours = Colours(
        wording.proxies(line.http_proxy, line.https_proxy)
        for group in overview
        for line in group.lines
    )
    nothing = "" if explanation.answers else f'<p class="card">{text(wording.NOTHING)}</p>'
    cards = [card(block, number, colours) for number, block in enumerate(blocks, start=1)]
    below = [_entry(block, number, colours) for number, block in enumerate(blocks, start=1)]
    return _page(
        "Who gets which proxy, and why",
        _figures(explanation, rows),
        [
            (_PICTURE, "At a glance", nothing + _picture(explanation, rows, colours)),
            (_CLUSTERS, "Clusters", _clusters(rows, colours)),
            *_reports(explanation),
            (_ANSWERS, "Each proxy in detail", "\n".join(cards)),
        ],
        {_ANSWERS: below},
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
        (_NODES, "Nodes", _nodes(explanation)),
        (_FINDINGS, "Errors and warnings of a run", _findings(explanation.findings)),
    ]


def _page(
    title: str,
    figures: Sequence[tuple[int, str, str]],
    sections: Sequence[_Section],
    below: dict[str, list[str]] | None = None,
) -> str:
    """Put a page together.

    Args:
        title: its title.
        figures: numbers on top: the number, what it counts, and its class.
        sections: its sections.
        below: name of a section -> entries of the contents below its own.
    """
    contents = ""
    for name, heading, body in sections:
        if body:
            entries = "".join((below or {}).get(name, ()))
            of_section = f"<ul>{entries}</ul>" if entries else ""
            contents += f'<li><a href="#{name}">{heading}</a>{of_section}</li>'
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
    of_kind = f' class="{kind}"' if kind and number else ""
    return f"<div><dt>{name}</dt><dd{of_kind}>{number:,}</dd></div>"


def _figures(explanation: Explanation, rows: Iterable[ClusterRow]) -> list[tuple[int, str, str]]:
    clusters = {name for one in rows for name in one.clusters}
    lacking = {one.title for one in explanation.without}
    changed = {(one.place.file, one.place.object) for one in explanation.answers if one.is_changed}
    return [
        (len(clusters), "Clusters", ""),
        (len(lacking), "get nothing, wholly or in part", "bad"),
        (len(changed), "objects change", ""),
        *_figures_of_reports(explanation),
    ]


def _figures_of_difference(
    explanation: Explanation, difference: Difference
) -> list[tuple[int, str, str]]:
    return [
        (sum(change.places for change in difference.changes), "places change", ""),
        (difference.unchanged, "places stay", ""),
        *_figures_of_reports(explanation),
    ]


def _figures_of_reports(explanation: Explanation) -> list[tuple[int, str, str]]:
    rolled = {name for one in explanation.nodes if one.is_rolled for name in one.clusters}
    found = [one.severity for one in explanation.findings]
    return [
        (len(rolled), "Clusters roll nodes", ""),
        (found.count(Severity.ERROR), "errors", "bad"),
        (found.count(Severity.WARNING), "warnings", "warning"),
    ]


# the picture


def _picture(explanation: Explanation, rows: Sequence[ClusterRow], colours: Colours) -> str:
    """Return a lane for each proxy with a tile for each Cluster, and first a lane for those that get nothing."""
    partly = {name for one in rows if one.lines and one.without for name in one.clusters}
    nothing = [one for one in rows if not one.lines]
    lanes: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
    for group in explanation.overview:
        for line in group.lines:
            proxy = wording.proxies(line.http_proxy, line.https_proxy)
            lanes.setdefault(proxy, []).append((", ".join(line.parts), group.clusters))
    is_small = len({name for one in rows for name in one.clusters}) > _MANY_TILES
    shown = []
    if nothing:
        title = '<span class="proxy bad"><span class="dot empty"></span>gets nothing</span>'
        clusters = [name for one in nothing for name in one.clusters]
        objects = [name for one in nothing if not one.clusters for name in _objects(one)]
        tiled = _tiles(clusters, "p-none", set(), is_small=is_small) if clusters else ""
        if objects:
            tiled += '<p class="quiet">objects without a known Cluster</p>'
            tiled += _tiles(objects, "p-none", set(), is_small=False)
        shown.append(_lane(title, len(clusters), [tiled]))
    for proxy, lines in lanes.items():
        of_parts: dict[str, list[str]] = {}
        for parts, of_group in lines:
            of_parts.setdefault(parts, []).extend(of_group or [wording.NO_CLUSTER])
        lines_of_tiles = [
            f'<p class="quiet">{printable_html(parts)}</p>'
            + _tiles(found, colours.of(proxy), partly, is_small=is_small)
            for parts, found in of_parts.items()
        ]
        number = len({name for _, of_group in lines for name in of_group})
        shown.append(_lane(colours.dot(proxy), number, lines_of_tiles))
    if not shown:
        return ""
    legend = "A tile is a Cluster." + " With a red ring: a part of it gets nothing." * bool(partly)
    return f'<div class="card">{"".join(shown)}<p class="quiet small">{legend}</p></div>'


def _objects(one: ClusterRow) -> list[str]:
    return [lacking.name for lacking in one.without]


def _lane(title: str, number: int, tiles: Sequence[str]) -> str:
    clusters = wording.counted(number, "Cluster") if number else ""
    return f'<div class="lane" data-unit><h3>{title}<span class="quiet">{clusters}</span></h3>{"".join(tiles)}</div>'


def _tiles(clusters: Iterable[str], colour: str, partly: set[str], *, is_small: bool) -> str:
    """Return the tiles; small ones show their names where the pointer is, and the table below names all of them."""
    shown = ""
    for name in clusters:
        is_partly = name in partly
        kind = f"tile {colour}{' partly' * is_partly}"
        label = printable_html(name)
        title = f"{label}: a part of it gets nothing" if is_partly else label
        if is_small and name != wording.NO_CLUSTER:
            kind += " small-tile"
        shown += f'<li class="{kind}" title="{title}" data-part>{label}</li>'
    return f'<ul class="tiles" data-list>{shown}</ul>'


# the table of Clusters


def _clusters(rows: Sequence[ClusterRow], colours: Colours) -> str:
    shown = [_cells(one, colours) for one in rows]
    if not shown:
        return ""
    number = len(_COLUMNS) if any(cells[-1] for cells in shown) else len(_COLUMNS) - 1
    lines = []
    for one, cells in zip(rows, shown, strict=True):
        if one.lines:
            lines.append(row(_COLUMNS[:number], cells[:number], " data-unit"))
        else:
            lines.append(_row_of_nothing(cells))
    return f'<div class="card">{table("clusters", _COLUMNS[:number], lines)}</div>'


def _row_of_nothing(cells: Sequence[str]) -> str:
    """Return the row of what gets nothing: there is no proxy, and why is in the place of what changes."""
    clusters, proxy, *_, wrong = cells
    return (
        f'<tr class="nothing" data-unit><td colspan="2">{clusters}{proxy}</td>'
        f'<td colspan="3">{wrong}</td></tr>'
    )


def _cells(one: ClusterRow, colours: Colours) -> tuple[str, ...]:
    found = one.clusters or ([] if one.lines else _objects(one)) or [wording.NO_CLUSTER]
    return (
        f'<div class="names">{names(found)}</div>',
        _proxies(one, colours),
        _changes(one),
        _rolls(one),
        _wrong(one),
    )


def _proxies(one: ClusterRow, colours: Colours) -> str:
    if not one.lines:
        return '<p class="bad">gets nothing</p>'
    shown = ""
    for line in one.lines:
        proxy = colours.dot(wording.proxies(line.http_proxy, line.https_proxy))
        parts = printable_html(", ".join(line.parts))
        shown += f'<p>{proxy}<br><span class="quiet small">{parts}</span></p>'
    return shown


def _changes(one: ClusterRow) -> str:
    if not one.lines:
        return ""
    shown = names(one.targets)
    if len(one.targets) > _MANY_TARGETS:
        shown = folded(f"{len(one.targets)} targets", map(printable_html, one.targets))
    targets = f'<div class="quiet small">{shown}</div>'
    if not one.changed:
        return f"nothing{targets}"
    objects = wording.counted(one.objects, "object")
    number = objects if one.changed == one.objects else f"{one.changed} of {objects}"
    each = " in each" if len(one.clusters) > 1 else ""
    return f"{number}{each}{targets}"


def _rolls(one: ClusterRow) -> str:
    shown = ""
    if one.rolled:
        shown += f"<p><b>rolled</b>: {printable_html(', '.join(one.rolled))}</p>"
    if one.kept:
        shown += f'<p><b class="warning">not rolled</b>: {printable_html(", ".join(one.kept))}</p>'
    return shown


def _wrong(one: ClusterRow) -> str:
    reasons: dict[str, list[Without]] = {}
    for lacking in one.without:
        reasons.setdefault(lacking.code or lacking.why, []).append(lacking)
    shown = _parts_without(one.without) if one.lines and reasons else _reasons(reasons)
    for severity in Severity:
        links = [
            link_to_code(name)
            for of_finding, name in one.problems
            if of_finding is severity and name and name not in reasons
        ]
        if links:
            label = f'<b class="{severity.value}">{severity.value}</b>'
            shown += f"<p>{label} {', '.join(links)}</p>"
    return shown


def _reasons(reasons: Mapping[str, Sequence[Without]]) -> str:
    """Return why something gets nothing: of each kind of reason one, and the others folded."""
    shown = ""
    for first, *others in reasons.values():
        link = f"{link_to_code(first.code)}: " if first.code else ""
        rest = [text(f"{one.title}: {one.why}") for one in others]
        shown += f"<p>{link}{text(first.why)}</p>{listed(f'{len(rest)} more', rest)}"
    return shown


def _parts_without(lacking: Iterable[Without]) -> str:
    """Return which parts of Clusters get nothing, folded."""
    items = [
        text(f"{one.title}: {one.why}") + (f" ({link_to_code(one.code)})" if one.code else "")
        for one in lacking
    ]
    return folded('<b class="bad">a part gets nothing</b>', items)


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
    parts = (redact(one.ref.file_path), str(one.ref), redact(field_path(one.path)))
    return " ".join(code(part) for part in parts if part)
