"""What an explanation says, as titles and tables: the same for a terminal and for the page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from krm_fn.explain.answer import Explanation
from krm_fn.explain.clusters import ClusterAnswer
from krm_fn.explain.grants import Proxy
from krm_fn.explain.hosts import Reached
from krm_fn.explain.names import Names, some
from krm_fn.explain.nodes import NodeChange
from krm_fn.krm.masking import redact
from krm_fn.krm.messages import explanations
from krm_fn.krm.results import Result
from krm_fn.light_typing import NamedTuple
from krm_fn.patch import field_path

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
    covered = [
        [row.system, *map(str, (row.found, row.same, row.changed, row.left)), "; ".join(row.why)]
        for row in explanation.covered
    ]
    of_clusters = ("Clusters", "Proxy", "Nodes", "What is wrong")
    shown = [
        Section("What to do", ("What", "Where"), _findings(explanation.findings)),
        Section(
            "What was covered", ("System", "Found", "Have it", "Changed", "Left", "Why"), covered
        ),
        Section("Clusters", of_clusters, _clusters(explanation.clusters)),
        Section(
            "Nodes that are replaced, or keep what they have",
            ("What happens", "Objects"),
            _nodes(explanation.nodes),
        ),
    ]
    for proxy in explanation.proxies:
        readers = f"{proxy.readers[:1].upper()}{proxy.readers[1:]}"
        clusters = f" of {some(proxy.clusters)}" if proxy.clusters else " without a known Cluster"
        parts = f" ({some(proxy.parts)})" if proxy.parts else ""
        shown.append(Section(f"{readers}{clusters}{parts}", ("Proxy", "Places"), [_places(proxy)]))
        entries = _entries(proxy) if proxy.http_proxy or proxy.https_proxy else []
        shown.append(Section("`NO_PROXY`", ("Entry", "Why it is there"), entries, is_detail=True))
        of_hosts = ("Host", "What it is", "How programs reach it")
        shown.append(Section("Hosts", of_hosts, list(map(_host, proxy.hosts)), is_detail=True))
    return [section for section in shown if section.rows]


def _findings(results: Iterable[Result]) -> _Rows:
    """Return the errors and warnings; those of one code are one, with what to do."""
    places = defaultdict(list)
    for result in results:
        subject = (result.ref.file_path, str(result.ref), field_path(result.path))
        text = f"{' '.join(filter(None, subject))}: {result.message}"
        places[result.severity.value, result.code].append(redact(text))
    known = explanations()
    return [
        [f"[{severity}] `{code}`: {known[code].remedy}", "\n".join(texts)]
        for (severity, code), texts in places.items()
    ]


def _clusters(clusters: Iterable[ClusterAnswer]) -> _Rows:
    """Return the Clusters; those about which there is the same to say are one row."""
    alike = defaultdict(list)
    for cluster in clusters:
        alike[_cells(cluster)].append(cluster)
    rows = []
    for (*cells, codes), members in alike.items():
        wrong = [f"gets nothing: {why}" for cluster in members for why in cluster.left]
        if codes:
            wrong.append(codes)
        names = "\n".join(cluster.name for cluster in members)
        rows.append([names, *cells, "\n".join(wrong)])
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
        what = "replaced" if change.is_replaced else "NOT replaced"
        objects[f"{what}: {change.why}"].append(f"{change.file} {change.object}".strip())
    return [[what, "\n".join(names)] for what, names in objects.items()]


def _places(proxy: Proxy) -> list[str]:
    places = [
        f"{f'{place.file} {place.object}'.strip()} ({', '.join(place.targets)})"
        for place in proxy.places
    ]
    return [f"`{proxy.urls}`", "\n".join(places)]


def _entries(proxy: Proxy) -> _Rows:
    rows = []
    for entry in proxy.no_proxy:
        only = f"only for {some(entry.clusters)}: " if entry.clusters else ""
        rows.append([f"`{entry.text}`", only + "; ".join(entry.why)])
    return rows


def _host(row: Reached) -> list[str]:
    names = [f"`{name}`" for name in (row.host.name, *row.others)]
    number = len(row.direct) + len(row.by_proxy) + len(row.failing)
    how = f"{len(row.direct)} of {number} direct"
    if row.wrong:
        how += f"; WRONG: {some(row.wrong)}"
    return [some(names), row.host.what, how]
