"""The Clusters on the page of an explanation: a picture of them, and a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from krm_fn.explain import wording
from krm_fn.explain.clusters import ClusterRow
from krm_fn.explain.html_parts import Colours, folded, link_to_code, listed, names, row, table, text
from krm_fn.explain.overview import ClusterGroup
from krm_fn.explain.without import Without
from krm_fn.krm.results import Severity
from krm_fn.printable import printable_html

_MANY_TILES = 60
"""More Clusters have tiles without a name."""
_MANY_TARGETS = 4
_COLUMNS = ("Clusters", "Proxy", "What changes", "Nodes", "What is wrong")


def picture(overview: Iterable[ClusterGroup], rows: Sequence[ClusterRow], colours: Colours) -> str:
    """Return a lane for each proxy with a tile for each Cluster, and first a lane for what gets nothing."""
    lanes = [_lane_of_nothing([one for one in rows if not one.lines], _is_small(rows))]
    partly = {name for one in rows if one.lines and one.without for name in one.clusters}
    of_proxies: dict[str, dict[str, list[str]]] = {}
    for group in overview:
        for line in group.lines:
            of_parts = of_proxies.setdefault(wording.proxies(line.http_proxy, line.https_proxy), {})
            clusters = of_parts.setdefault(", ".join(line.parts), [])
            clusters.extend(group.clusters or [wording.NO_CLUSTER])
    for proxy, of_parts in of_proxies.items():
        tiles = ""
        for parts, clusters in of_parts.items():
            tiles += f'<p class="quiet">{printable_html(parts)}</p>'
            tiles += _tiles(clusters, colours.of(proxy), partly, is_small=_is_small(rows))
        known = {name for clusters in of_parts.values() for name in clusters}
        lanes.append(_lane(colours.dot(proxy), len(known - {wording.NO_CLUSTER}), tiles))
    shown = "".join(lanes)
    if not shown:
        return ""
    legend = "A tile is a Cluster."
    if partly:
        legend += " With a red ring: a part of it gets nothing."
    return f'<div class="card">{shown}<p class="quiet small">{legend}</p></div>'


def _is_small(rows: Iterable[ClusterRow]) -> bool:
    return len({name for one in rows for name in one.clusters}) > _MANY_TILES


def _lane_of_nothing(rows: Sequence[ClusterRow], is_small: bool) -> str:
    if not rows:
        return ""
    clusters = [name for one in rows for name in one.clusters]
    objects = [name for one in rows if not one.clusters for name in _objects(one)]
    tiles = ""
    if clusters:
        tiles += _tiles(clusters, "p-none", set(), is_small=is_small)
    if objects:
        tiles += f'<p class="quiet">{wording.NO_CLUSTER}</p>'
        tiles += _tiles(objects, "p-none", set(), is_small=False)
    title = '<span class="proxy bad"><span class="dot empty"></span>gets nothing</span>'
    return _lane(title, len(clusters), tiles)


def _lane(title: str, number: int, tiles: str) -> str:
    clusters = wording.counted(number, "Cluster") if number else ""
    return f'<div class="lane" data-unit><h3>{title}<span class="quiet">{clusters}</span></h3>{tiles}</div>'


def _tiles(clusters: Iterable[str], colour: str, partly: set[str], *, is_small: bool) -> str:
    """Return the tiles; small ones show their names where the pointer is, and the table below names all of them."""
    shown = ""
    for name in clusters:
        kind = f"tile {colour}"
        label = title = printable_html(name)
        if name in partly:
            kind += " partly"
            title += ": a part of it gets nothing"
        if is_small and name != wording.NO_CLUSTER:
            kind += " small-tile"
        shown += f'<li class="{kind}" title="{title}" data-part>{label}</li>'
    return f'<ul class="tiles" data-list>{shown}</ul>'


def cluster_table(rows: Sequence[ClusterRow], colours: Colours) -> str:
    """Return the table of the Clusters; where nothing is wrong, it has no column for that."""
    shown = [_cells(one, colours) for one in rows]
    if not shown:
        return ""
    number = len(_COLUMNS)
    if not any(cells[-1] for cells in shown):
        number -= 1
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
    found: Sequence[str] = one.clusters
    if not found:
        found = [wording.NO_CLUSTER] if one.lines else _objects(one)
    return (
        f'<div class="names">{names(found)}</div>',
        _proxies(one, colours),
        _changes(one),
        _rolls(one),
        _wrong(one),
    )


def _objects(one: ClusterRow) -> list[str]:
    return [lacking.name for lacking in one.without]


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
    number = wording.counted(one.objects, "object")
    if one.changed < one.objects:
        number = f"{one.changed} of {number}"
    if len(one.clusters) > 1:
        number += " in each"
    return f"{number}{targets}"


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
