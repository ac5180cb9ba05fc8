"""Turn an explanation into titles and tables, alike for a terminal and for the page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from krm_fn.explain.answer import Explanation
from krm_fn.explain.cluster_answers import ClusterAnswer
from krm_fn.explain.grants import Proxy
from krm_fn.explain.hosts import Reached
from krm_fn.explain.node_changes import NodeChange
from krm_fn.krm.codes import explanations
from krm_fn.krm.masking import redact
from krm_fn.krm.results import grouped, some
from krm_fn.light_typing import NamedTuple, Texts
from krm_fn.pipeline.covered import HEAD
from krm_fn.pipeline.outcome import missing_facts_lines

COVERED = "What was covered"
CLUSTERS = "Clusters"
# The cells of each row; a cell may have several lines.
_Rows = list[list[str]]


class Section(NamedTuple):
    """A title and a table; ``head`` names the columns. Text in back-quotes is code.

    Attributes:
        is_detail: whether it belongs to the section before it.
        is_list: whether each row is a step to take, with a text to paste, and places.
        clusters: the Clusters that it is about; of the table of all of them none.
    """

    title: str
    head: Texts
    rows: _Rows
    is_detail: bool = False
    is_list: bool = False
    clusters: Texts = ()


def sections(explanation: Explanation) -> list[Section]:
    """Return the sections that have rows, the most important first."""
    clusters = _clusters(explanation.clusters)
    actions = list(_actions(explanation))
    covered = []
    for row in explanation.covered:
        reasons = "\n".join(map(str, row.reasons))
        covered.append([*row.cells, reasons])
    objects = [[name, "\n".join(lines)] for name, lines in explanation.objects.items()]
    places = []
    details = []
    for number, proxy in enumerate(explanation.proxies, start=1):
        places.append([f"{number}: {_who(proxy)}", f"`{proxy.urls}`", "\n".join(_places(proxy))])
        if proxy.http_proxy or proxy.https_proxy:
            title = f"`NO_PROXY` {number}: {proxy.readers}"
            details.append(
                Section(
                    title,
                    ("Entry", "Why"),
                    _entries(proxy),
                    is_detail=True,
                    clusters=proxy.clusters,
                )
            )
        of_hosts = ("Host", "What it is", "How programs reach it")
        hosts = list(map(_host, proxy.hosts))
        details.append(Section(f"Hosts {number}: {proxy.readers}", of_hosts, hosts, is_detail=True))
    nodes = _nodes(explanation.nodes)
    shown = [
        Section("Objects", ("Object", "What a run does"), objects),
        Section("What to do", ("What", "Text", "Places"), actions, is_list=True),
        Section(COVERED, (*HEAD, "Why"), covered),
        Section(CLUSTERS, (CLUSTERS, "Proxy", "What is left"), clusters),
        Section("Proxies", ("Who gets it", "Proxy", "Objects"), places),
        *details,
        Section("Nodes that are replaced, or stay", ("What happens", "Objects"), nodes),
    ]
    return [section for section in shown if section.rows]


def _who(proxy: Proxy) -> str:
    who = proxy.readers
    if proxy.clusters:
        who += f" of {some(proxy.clusters)}"
    else:
        who += " without a known Cluster"
    if proxy.parts:
        who += f" ({some(proxy.parts)})"
    return who


def _actions(explanation: Explanation) -> Iterator[list[str]]:
    """Yield a step to take for each code of the findings: a sentence, the text to paste, and the places."""
    groups = grouped(explanation.findings, lambda result: (result.severity, result.code))
    known = explanations()
    for results in groups:
        first = results[0]
        words = known[first.code]
        what = f"[{first.severity.value}] `{first.code}`: {words.meaning} {words.remedy}"
        lines = missing_facts_lines(results) if first.fact else []
        places = []
        for result in results:
            sentence = result.sentence(redact(result.ref.file_path))
            places.append(sentence.replace(f"{result.code}: ", "", 1))
        yield [what, "\n".join(lines), "\n".join(places)]


def _clusters(clusters: Iterable[ClusterAnswer]) -> _Rows:
    """Return the Clusters; those with the same proxies are one row."""
    alike = defaultdict(list)
    for cluster in clusters:
        key = (_proxies(cluster), bool(cluster.left))
        alike[key].append(cluster)
    rows = []
    for (proxies, _), members in alike.items():
        names = []
        left = {}
        for cluster in members:
            names.append(cluster.name)
            left.update(dict.fromkeys(cluster.left))
        rows.append(["\n".join(names), proxies, "\n".join(left)])
    return rows


def _proxies(cluster: ClusterAnswer) -> str:
    """Return the proxies of a Cluster, each with the parts that get it."""
    parts = defaultdict(list)
    for part, url in cluster.proxies.items():
        parts[url].append(part)
    lines = []
    for url, names in parts.items():
        parts_of_url = ", ".join(names)
        lines.append(f"`{url}` {parts_of_url}")
    return "\n".join(lines)


def _nodes(changes: Iterable[NodeChange]) -> _Rows:
    objects = defaultdict(list)
    for change in sorted(changes, key=lambda change: not change.is_replaced):
        what = "replaced" if change.is_replaced else "NOT replaced"
        name = f"{change.file} {change.object}"
        objects[f"{what}: {change.why}"].append(name.strip())
    return [[what, "\n".join(names)] for what, names in objects.items()]


def _places(proxy: Proxy) -> Iterator[str]:
    for place in proxy.places:
        name = f"{place.file} {place.object}".strip()
        yield f"{name} ({', '.join(place.targets)})"


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
        whatever = ", whatever the list is" if row.host.should_be_direct is None else ""
        how += f"; WRONG{whatever}: {some(row.wrong)}"
    return [some(names), row.host.what, how]
