"""What an explanation says, as titles and tables: the same for a terminal and for the page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from krm_fn.explain.answer import Explanation
from krm_fn.explain.clusters import ClusterAnswer
from krm_fn.explain.covered import HEAD, Covered
from krm_fn.explain.grants import Proxy
from krm_fn.explain.hosts import Reached
from krm_fn.explain.names import Names, capitalised, some
from krm_fn.explain.nodes import NodeChange
from krm_fn.krm.masking import redact
from krm_fn.krm.messages import explanations
from krm_fn.krm.results import Result
from krm_fn.light_typing import NamedTuple

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
    shown = [
        Section("What to do", ("What", "Where"), _findings(explanation.findings)),
        Section(COVERED, (*HEAD, "Why"), _covered(explanation.covered)),
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
    title = capitalised(proxy.readers)
    if proxy.clusters:
        title += f" of {some(proxy.clusters)}"
    else:
        title += " without a known Cluster"
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
        why = "; ".join(row.why)
        cells.append([*row.cells, why])
    return cells


def _findings(results: Iterable[Result]) -> _Rows:
    """Return the errors and warnings; those of one code are one, with what to do."""
    places = defaultdict(list)
    for result in results:
        line = result.sentence(redact(result.ref.file_path))
        text = line.replace(f"{result.code}: ", "", 1)
        places[result.severity.value, result.code].append(text)
    known = explanations()
    rows = []
    for (severity, code), texts in places.items():
        what = f"[{severity}] `{code}`: {known[code].meaning} {known[code].remedy}"
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
        together = "\n".join(names)
        rows.append([together, proxies, nodes, "\n".join(wrong)])
    return rows


def _cells(cluster: ClusterAnswer) -> Names:
    """Return the proxies of a Cluster, its nodes, and its codes."""
    parts = defaultdict(list)
    for part, url in cluster.proxies.items():
        parts[url].append(part)
    proxies = []
    for url, named in parts.items():
        names = ", ".join(named)
        proxies.append(f"`{url}` {names}")
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
        targets = ", ".join(place.targets)
        places.append(f"{name} ({targets})")
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
    number = len((*row.direct, *row.by_proxy, *row.failing))
    how = f"{len(row.direct)} of {number} direct"
    if row.wrong:
        how += f"; WRONG: {some(row.wrong)}"
    return [some(names), row.host.what, how]
