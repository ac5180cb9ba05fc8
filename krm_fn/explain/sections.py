"""What an explanation says, as titles and tables: the same for a terminal and for the page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from krm_fn.explain.answer import Explanation
from krm_fn.explain.clusters import ClusterAnswer
from krm_fn.explain.covered import Covered
from krm_fn.explain.grants import Proxy
from krm_fn.explain.hosts import Reached
from krm_fn.explain.names import Names, some
from krm_fn.explain.nodes import NodeChange
from krm_fn.krm.masking import redact
from krm_fn.krm.messages import explanations
from krm_fn.krm.results import Result
from krm_fn.light_typing import NamedTuple
from krm_fn.patch import field_path

COVERED = "What was covered"
_Rows = list[list[str]]
"""The cells of each row; a cell may have several lines."""


class Section(NamedTuple):
    """A title and a table; ``head`` names the columns. What stands in back-quotes is code.

    ``is_detail`` is True where it belongs to the section before it.
    """

    title: str
    head: Names
    rows: _Rows
    is_detail: bool = False


def sections(explanation: Explanation) -> list[Section]:
    """Return the sections that have something to say, the most important first."""
    of_clusters = ("Clusters", "Proxy", "Nodes", "What is wrong")
    of_covered = ("System", "Found", "Have it", "Changed", "Left", "Why")
    shown = [
        Section("What to do", ("What", "Where"), _findings(explanation.findings)),
        Section(COVERED, of_covered, _covered(explanation.covered)),
        Section("Clusters", of_clusters, _clusters(explanation.clusters)),
        Section(
            "Nodes that are replaced, or keep what they have",
            ("What happens", "Objects"),
            _nodes(explanation.nodes),
        ),
    ]
    for proxy in explanation.proxies:
        shown += _of_proxy(proxy)
    return [section for section in shown if section.rows]


def _of_proxy(proxy: Proxy) -> Iterator[Section]:
    title = f"{proxy.readers[:1].upper()}{proxy.readers[1:]}"
    title += f" of {some(proxy.clusters)}" if proxy.clusters else " without a known Cluster"
    if proxy.parts:
        title += f" ({some(proxy.parts)})"
    yield Section(title, ("Proxy", "Places"), [_places(proxy)])
    if proxy.http_proxy or proxy.https_proxy:
        yield Section("`NO_PROXY`", ("Entry", "Why it is there"), _entries(proxy), is_detail=True)
    hosts = list(map(_host, proxy.hosts))
    yield Section("Hosts", ("Host", "What it is", "How programs reach it"), hosts, is_detail=True)


def _covered(rows: Iterable[Covered]) -> _Rows:
    cells = []
    for row in rows:
        numbers = (row.found, row.same, row.changed, row.left)
        why = "; ".join(row.why)
        cells.append([row.system, *map(str, numbers), why])
    return cells


def _findings(results: Iterable[Result]) -> _Rows:
    """Return the errors and warnings; those of one code are one, with what to do."""
    places = defaultdict(list)
    for result in results:
        subject = (result.ref.file_path, str(result.ref), field_path(result.path))
        where = " ".join(filter(None, subject))
        text = redact(f"{where}: {result.message}")
        places[result.severity.value, result.code].append(text)
    known = explanations()
    rows = []
    for (severity, code), texts in places.items():
        what = f"[{severity}] `{code}`: {known[code].remedy}"
        rows.append([what, "\n".join(texts)])
    return rows


def _clusters(clusters: Iterable[ClusterAnswer]) -> _Rows:
    """Return the Clusters; those about which there is the same to say are one row."""
    alike = defaultdict(list)
    for cluster in clusters:
        cells = _cells(cluster)
        alike[cells].append(cluster)
    rows = []
    for (proxies, nodes, codes), members in alike.items():
        names = []
        wrong = []
        for cluster in members:
            names.append(cluster.name)
            wrong += [f"gets nothing: {why}" for why in cluster.left]
        if codes:
            wrong.append(codes)
        rows.append(["\n".join(names), proxies, nodes, "\n".join(wrong)])
    return rows


def _cells(cluster: ClusterAnswer) -> Names:
    """Return the proxies of a Cluster, its nodes, and its codes."""
    parts = defaultdict(list)
    for part, url in cluster.proxies.items():
        parts[url].append(part)
    proxies = [f"`{url}` {', '.join(named)}" for url, named in parts.items()]
    nodes = []
    if cluster.replaced:
        nodes.append(f"replaced: {', '.join(cluster.replaced)}")
    if cluster.kept:
        nodes.append(f"NOT replaced: {', '.join(cluster.kept)}")
    return "\n".join(proxies), "\n".join(nodes), ", ".join(cluster.codes)


def _nodes(changes: Iterable[NodeChange]) -> _Rows:
    objects = defaultdict(list)
    for change in sorted(changes, key=lambda change: not change.is_replaced):
        what = f"replaced: {change.why}"
        if not change.is_replaced:
            what = f"NOT {what}"
        name = f"{change.file} {change.object}"
        objects[what].append(name.strip())
    return [[what, "\n".join(names)] for what, names in objects.items()]


def _places(proxy: Proxy) -> list[str]:
    places = []
    for place in proxy.places:
        name = f"{place.file} {place.object}".strip()
        places.append(f"{name} ({', '.join(place.targets)})")
    return [f"`{proxy.urls}`", "\n".join(places)]


def _entries(proxy: Proxy) -> _Rows:
    rows = []
    for entry in proxy.no_proxy:
        why = "; ".join(entry.why)
        if entry.clusters:
            why = f"only for {some(entry.clusters)}: {why}"
        rows.append([f"`{entry.text}`", why])
    return rows


def _host(row: Reached) -> list[str]:
    names = [f"`{name}`" for name in (row.host.name, *row.others)]
    number = len(row.direct) + len(row.by_proxy) + len(row.failing)
    how = f"{len(row.direct)} of {number} direct"
    if row.wrong:
        how += f"; WRONG: {some(row.wrong)}"
    return [some(names), row.host.what, how]
