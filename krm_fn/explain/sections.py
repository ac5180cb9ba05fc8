"""What an explanation says, section by section: titles, lines and tables, the same for a terminal and for the page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from krm_fn.explain.answer import Explanation
from krm_fn.explain.clusters import ClusterAnswer
from krm_fn.explain.grants import Proxy
from krm_fn.krm.masking import redact
from krm_fn.krm.messages import explanations
from krm_fn.krm.results import Result
from krm_fn.light_typing import NamedTuple
from krm_fn.patch import field_path


class Line(NamedTuple):
    """A line, a mark in front of it such as "warning", and the lines that may be folded below it."""

    text: str
    mark: str = ""
    below: tuple[str, ...] = ()


class Section(NamedTuple):
    """A title with lines or a table; ``head`` names the columns. What stands in back-quotes is code.

    ``is_detail`` is True where it belongs to the section before it.
    """

    title: str
    lines: tuple[Line, ...] = ()
    head: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    is_detail: bool = False


def sections(explanation: Explanation) -> list[Section]:
    """Return the sections that have something to say, the most important first."""
    found = [
        Section("What to do", tuple(_findings(explanation.results))),
        Section("What was covered", (), *_covered(explanation)),
        Section("Clusters", (), *_clusters(explanation.clusters)),
        Section("Nodes that are replaced, or keep what they have", tuple(_nodes(explanation))),
    ]
    for proxy in explanation.proxies:
        found += _proxy(proxy)
    return [section for section in found if section.lines or section.rows]


def some(names: Sequence[str], number: int = 3) -> str:
    """Return names in one phrase: the first few, and the number of the others."""
    if len(names) <= number + 1:
        return ", ".join(names)
    return f"{', '.join(names[:number])} and {len(names) - number} more"


def _findings(results: Iterable[Result]) -> Iterable[Line]:
    """Yield the errors and warnings; those of one code are one, with what to do."""
    known = explanations()
    by_code: dict[tuple[str, str], list[str]] = {}
    for result in results:
        subject = (result.ref.file_path, str(result.ref), field_path(result.path))
        text = f"{' '.join(filter(None, subject))}: {result.message}"
        by_code.setdefault((result.severity.value, result.code), []).append(redact(text))
    for (severity, code), places in by_code.items():
        yield Line(f"`{code}`: {known[code].remedy}", severity, tuple(places))


_Table = tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]


def _covered(explanation: Explanation) -> _Table:
    rows = []
    for row in explanation.covered:
        numbers = [str(number) for number in (row.found, row.same, row.changed, row.left)]
        rows.append((row.system, *numbers, "\n".join(row.why)))
    return ("System", "Found", "Have it", "Changed", "Left", "Why"), tuple(rows)


def _clusters(clusters: Iterable[ClusterAnswer]) -> _Table:
    """Return the Clusters; those about which there is the same to say are one row."""
    alike: dict[tuple[str, ...], list[ClusterAnswer]] = {}
    for cluster in clusters:
        alike.setdefault(_cells(cluster), []).append(cluster)
    rows = []
    for (*cells, codes), members in alike.items():
        wrong = [f"gets nothing: {why}" for cluster in members for why in cluster.left]
        if codes:
            wrong.append(codes)
        names = "\n".join(cluster.name for cluster in members)
        rows.append((names, *cells, "\n".join(wrong)))
    return ("Clusters", "Proxy", "Changes", "Nodes", "What is wrong"), tuple(rows)


def _cells(cluster: ClusterAnswer) -> tuple[str, ...]:
    """Return the proxies of a Cluster, what changes, its nodes, and its codes."""
    parts: dict[str, list[str]] = {}
    for part, url in cluster.proxies.items():
        parts.setdefault(url, []).append(part)
    proxies = [f"`{url}` {', '.join(named)}" for url, named in parts.items()]
    changes = f"{cluster.changed} of {cluster.objects} objects change" if proxies else ""
    nodes = []
    if cluster.replaced:
        nodes.append(f"replaced: {', '.join(cluster.replaced)}")
    if cluster.kept:
        nodes.append(f"NOT replaced: {', '.join(cluster.kept)}")
    return "\n".join(proxies), changes, "\n".join(nodes), ", ".join(cluster.codes)


def _nodes(explanation: Explanation) -> Iterable[Line]:
    alike: dict[tuple[bool, str], list[str]] = {}
    for change in sorted(explanation.nodes, key=lambda change: not change.is_replaced):
        subject = f"{change.file} {change.object}".strip()
        alike.setdefault((change.is_replaced, change.why), []).append(subject)
    for (is_replaced, why), objects in alike.items():
        yield Line(why, "replaced" if is_replaced else "NOT replaced", tuple(objects))


def _proxy(proxy: Proxy) -> list[Section]:
    """Return where a proxy is written, what its list holds, and which programs reach which hosts."""
    readers = f"{proxy.readers[:1].upper()}{proxy.readers[1:]}"
    clusters = f" of {some(proxy.clusters)}" if proxy.clusters else " without a known Cluster"
    parts = f" ({some(proxy.parts)})" if proxy.parts else ""
    places = []
    for place in proxy.places:
        now = f", now `{some(place.before)}`" if place.before else ""
        subject = f"{place.file} {place.object}".strip()
        places.append(f"{subject} ({', '.join(place.targets)}{now})")
    line = Line(f"`{proxy.urls}`", "", tuple(places))
    found = [Section(f"{readers}{clusters}{parts}", (line,))]
    if proxy.http_proxy or proxy.https_proxy:
        found.append(_entries(proxy))
    return [*found, _hosts(proxy)]


def _entries(proxy: Proxy) -> Section:
    rows = []
    for entry in proxy.no_proxy:
        only = f"only for {some(entry.clusters)}: " if entry.clusters else ""
        rows.append((f"`{entry.text}`", only + "; ".join(entry.why)))
    head = ("Entry", "Why it is there")
    return Section("`NO_PROXY`", (), head, tuple(rows), is_detail=True)


def _hosts(proxy: Proxy) -> Section:
    rows = []
    for row in proxy.hosts:
        name = some([f"`{name}`" for name in (row.host.name, *row.others)])
        number = len(row.direct) + len(row.by_proxy) + len(row.failing)
        how = f"{len(row.direct)} of {number} direct"
        if row.wrong:
            how += f"\nWRONG: {some(row.wrong)}"
        rows.append((name, row.host.what, how))
    head = ("Host", "What it is", "How programs reach it")
    return Section("Hosts", (), head, tuple(rows), is_detail=True)
