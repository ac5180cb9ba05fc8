"""One answer as data: who gets which proxy, why, what changes, and what is left.

Everything in it is plain and without a credential; ``dataclasses.asdict`` is what `--output json` prints.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from krm_fn.explain.clients import CLIENTS
from krm_fn.explain.covered import Covered, covered
from krm_fn.explain.hosts import Reached, reached
from krm_fn.explain.nodes import NodeChange, cluster_name, node_changes, parts_of
from krm_fn.krm.codes import Severity
from krm_fn.krm.masking import redact
from krm_fn.krm.proxy_values import shown_url
from krm_fn.krm.results import ObjectRef, Result, by_importance
from krm_fn.light_typing import Any
from krm_fn.lint.compared import Compared
from krm_fn.noproxy import Audience, Entry
from krm_fn.pipeline import Comparison
from krm_fn.plan import ObjectSource
from krm_fn.settings import ProxySettings, Resolved, declared_urls
from krm_fn.targets import Writes

READERS = {
    Audience.NODE: "nodes",
    Audience.POD: "pods",
    Audience.GO: "Go programs in pods",
    Audience.TKG: "stored configuration of TKG",
    Audience.PRODUCT: "products",
}


@dataclass(frozen=True)
class ProxyEntry:
    """An entry of NO_PROXY, why it is there, and the Clusters that alone have it; none where all have it."""

    text: str
    why: tuple[str, ...]
    clusters: tuple[str, ...] = ()


@dataclass(frozen=True)
class Place:
    """An object that holds a proxy, the targets that write it, and the other proxies that are there now."""

    object: str
    file: str
    targets: tuple[str, ...] = ()
    before: tuple[str, ...] = ()


@dataclass(frozen=True)
class Proxy:
    """A proxy, and everyone who gets it with one list as a person wrote it.

    Attributes:
        readers: who reads the list.
        clusters: the Clusters; empty where none is known.
        parts: which nodes of them, or which rules of a policy; empty where all are meant.
        http_proxy: the URL without a credential.
        https_proxy: the URL without a credential.
        no_proxy: the entries of their lists.
        places: where it is written.
        hosts: which programs reach which hosts; none where the reader completes the list by itself.
    """

    readers: str
    clusters: tuple[str, ...]
    parts: tuple[str, ...]
    http_proxy: str
    https_proxy: str
    no_proxy: tuple[ProxyEntry, ...]
    places: tuple[Place, ...]
    hosts: tuple[Reached, ...]

    @property
    def urls(self) -> str:
        """The proxies in one phrase."""
        if self.http_proxy == self.https_proxy:
            return self.http_proxy or "no proxy"
        pairs = ((self.http_proxy, "http://"), (self.https_proxy, "https://"))
        return ", ".join(f"{url} ({scheme})" for url, scheme in pairs if url)


@dataclass
class ClusterAnswer:
    """What one Cluster gets.

    Attributes:
        name: ``namespace/name``.
        proxies: its parts -> their proxy.
        objects: how many objects get one.
        changed: how many of these a run changes.
        replaced: which of its nodes are replaced.
        kept: which of its nodes keep what they have.
        left: what of it gets no proxy, and why.
        codes: the codes of the errors and warnings about it.
    """

    name: str
    proxies: dict[str, str] = field(default_factory=dict)
    objects: int = 0
    changed: int = 0
    replaced: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    codes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Explanation:
    """The whole answer; ``summary`` is one sentence."""

    summary: str
    clusters: tuple[ClusterAnswer, ...]
    covered: tuple[Covered, ...]
    nodes: tuple[NodeChange, ...]
    findings: tuple[dict[str, Any], ...]
    proxies: tuple[Proxy, ...]
    results: tuple[Result, ...] = field(repr=False, default=())
    silenced: int = 0


@dataclass(frozen=True)
class _Grant:
    """A proxy that a place gets, for some parts of its Clusters."""

    record: Compared
    clusters: tuple[str, ...]
    parts: tuple[str, ...]
    resolved: Resolved

    @property
    def audience(self) -> Audience:
        """Who reads the list."""
        return self.record.place.audience

    @property
    def urls(self) -> tuple[str, str]:
        """The proxies without a credential."""
        first, second = self.resolved.urls
        return redact(first), redact(second)


def explain(comparison: Comparison, source: ObjectSource, only: Sequence[str] = ()) -> Explanation:
    """Return the explanation of a run.

    Args:
        comparison: what the run found out.
        source: the objects of the list.
        only: the names of the Clusters that are explained; empty for all.
    """
    belonging = _belonging(comparison.compared)
    if only:
        comparison = _about(comparison, belonging, only)
    grants = [grant for record in comparison.compared for grant in _grants(record)]
    nodes = node_changes([*comparison.results, *comparison.silenced], comparison.compared)
    results = [one for one in comparison.results if one.severity is not Severity.INFO]
    clusters = _clusters(comparison, grants, nodes, belonging)
    if only:
        clusters = [cluster for cluster in clusters if is_one_of(cluster.name, only)]
    rows = covered(comparison.compared, source)
    results = by_importance(results)
    return Explanation(
        _summary(clusters, nodes, rows),
        tuple(clusters),
        tuple(rows),
        tuple(nodes),
        tuple(result.to_data() for result in results),
        tuple(_proxies(grants)),
        tuple(results),
        len(comparison.silenced),
    )


def is_one_of(name: str, only: Sequence[str]) -> bool:
    """Return whether a Cluster, ``namespace/name``, is one that somebody names, with or without its namespace."""
    return name in only or name.rpartition("/")[2] in only


def _about(
    comparison: Comparison, belonging: Mapping[ObjectRef, set[str]], only: Sequence[str]
) -> Comparison:
    """Return what is about some Clusters, and about none."""

    def is_about(ref: ObjectRef) -> bool:
        names = belonging.get(ref, set())
        return not names or any(is_one_of(name, only) for name in names)

    return comparison._replace(
        compared=[record for record in comparison.compared if is_about(record.obj.ref)],
        results=[result for result in comparison.results if is_about(result.ref)],
    )


def _belonging(compared: Iterable[Compared]) -> dict[ObjectRef, set[str]]:
    """Return the names of the Clusters of each object that was looked at."""
    belonging: dict[ObjectRef, set[str]] = {}
    for record in compared:
        for membership in record.place.memberships:
            for ref in (record.obj.ref, membership.cluster.ref):
                belonging.setdefault(ref, set()).add(cluster_name(membership))
    return belonging


# who gets which proxy


def _grants(record: Compared) -> list[_Grant]:
    """Return what a place gets, and what some groups of workers get there in its place."""
    place = record.place
    if not (place.target_id and place.is_asked and place.resolved.declared):
        return []
    is_read = place.target.writes is not Writes.NOTHING and place.audience is not Audience.NOBODY
    if not is_read or not (record.is_changed or record.before or record.after):
        return []
    known = place.memberships
    if place.audience in (Audience.POD, Audience.GO):  # it gets the networks of the only Cluster
        known = tuple(membership for membership in known if not membership.is_only)
    clusters = tuple(dict.fromkeys(map(cluster_name, known)))
    grants = [_Grant(record, clusters, tuple(parts_of(known)), place.resolved)]
    others: dict[str, ProxySettings] = {}
    if place.class_context:
        for (_, group), settings in place.class_context.groups.items():
            if settings.is_declared:
                others[f"worker {redact(group)}"] = settings
    for part, settings in others.items():
        if settings.variables() != place.resolved.settings.variables():
            entries = tuple(Entry(text) for text in settings.no_proxy.split(",") if text)
            resolved = place.resolved._replace(settings=settings, entries=entries)
            grants.append(replace(grants[0], parts=(part,), resolved=resolved))
    return grants


def _proxies(grants: Sequence[_Grant]) -> list[Proxy]:
    """Return the proxies; places whose lists a person wrote alike, for the same readers, are one."""
    alike: dict[object, list[_Grant]] = {}
    for grant in grants:
        key = (grant.audience, bool(grant.clusters), grant.resolved.urls, grant.resolved.written)
        alike.setdefault(key, []).append(grant)
    return [_proxy(members) for members in alike.values()]


def _proxy(grants: Sequence[_Grant]) -> Proxy:
    first = grants[0]
    has_hosts = any(first.urls) and not first.audience.completes_the_list
    return Proxy(
        READERS[first.audience],
        tuple(dict.fromkeys(cluster for grant in grants for cluster in grant.clusters)),
        tuple(dict.fromkeys(part for grant in grants for part in grant.parts)),
        *first.urls,
        tuple(_entries(grants)),
        tuple(_places(grants)),
        tuple(_hosts(grants)) if has_hosts else (),
    )


def _places(grants: Iterable[_Grant]) -> Iterable[Place]:
    places: dict[ObjectRef, Place] = {}
    for grant in grants:
        ref = grant.record.obj.ref
        place = places.get(ref, Place(redact(str(ref)), redact(ref.file_path)))
        before = [
            shown_url(reading.value)
            for reading in grant.record.before
            if reading.value and not reading.is_list and reading.value not in grant.resolved.urls
        ]
        places[ref] = replace(
            place,
            targets=tuple(dict.fromkeys((*place.targets, grant.record.place.target_id))),
            before=tuple(dict.fromkeys((*place.before, *before))),
        )
    return places.values()


def _entries(grants: Sequence[_Grant]) -> list[ProxyEntry]:
    """Return the entries of all lists: first those that all have, then the others, each with its Clusters."""
    first: dict[str, Entry] = {}
    owners: dict[str, list[_Grant]] = {}
    for grant in grants:
        for entry in grant.resolved.entries:
            first.setdefault(entry.text, entry)
            owners.setdefault(entry.text, []).append(grant)
    common, own = [], []
    for text, entry in first.items():
        shown = ProxyEntry(redact(text), tuple(map(redact, entry.why)))
        if len(owners[text]) == len(grants):
            common.append(shown)
        else:
            names = dict.fromkeys(name for grant in owners[text] for name in grant.clusters)
            own.append(replace(shown, clusters=tuple(names)))
    return common + own


def _hosts(grants: Sequence[_Grant]) -> Iterable[Reached]:
    """Return how programs reach the hosts of all lists; hosts that mean the same and are reached alike are one."""
    readers = ["go"] if grants[0].audience is Audience.GO else list(CLIENTS)
    hosts: dict[object, Reached] = {}
    lists = [(grant.resolved.settings.no_proxy, grant.resolved.networks) for grant in grants]
    written = grants[0].resolved.written
    for no_proxy, networks in dict.fromkeys(lists):
        for row in reached(no_proxy, networks, written, readers):
            key = (row.host.what, row.host.port, row.direct, row.failing)
            known = hosts.setdefault(key, row)
            if row.host.name not in (known.host.name, *known.others):
                hosts[key] = replace(known, others=(*known.others, row.host.name))
    return hosts.values()


# Clusters


def _clusters(  # noqa: C901, PLR0912
    comparison: Comparison,
    grants: Iterable[_Grant],
    nodes: Iterable[NodeChange],
    belonging: Mapping[ObjectRef, set[str]],
) -> list[ClusterAnswer]:
    """Return what each Cluster gets; first those of which something gets nothing."""
    answers: dict[str, ClusterAnswer] = {}
    why_nothing = _why_nothing(comparison, grants)
    for grant in grants:
        for name in grant.clusters:
            answers.setdefault(name, ClusterAnswer(name))
    for name in why_nothing:
        answers.setdefault(name, ClusterAnswer(name))
    changed: dict[tuple[str, ObjectRef], bool] = {}
    for grant in grants:
        url = grant.urls[0] or grant.urls[1] or "no proxy"
        for name in grant.clusters:
            _add_parts(answers[name].proxies, grant.parts or (READERS[grant.audience],), url)
            key = (name, grant.record.obj.ref)
            changed[key] = changed.get(key, False) or grant.record.is_changed
    for (name, _), is_changed in changed.items():
        answers[name].objects += 1
        answers[name].changed += is_changed
    for change in nodes:
        for name in answers.keys() & set(change.clusters):
            kinds = answers[name].replaced if change.is_replaced else answers[name].kept
            _add(kinds, *(_kind(part) for part in change.parts or ("nodes",)))
    for record in comparison.compared:
        if any(result.code == "NodesWithoutProxy" for result in record.results):
            for name in answers.keys() & belonging.get(record.obj.ref, set()):
                _add(answers[name].left, f"{record.obj.ref}: {redact(record.why_left)}")
    for result in [*comparison.results, *comparison.silenced]:
        for name in answers.keys() & belonging.get(result.ref, set()):
            if result.code in ("NodesWithoutProxy", "ClassPatchErases"):
                _add(answers[name].left, f"{result.ref}: {redact(result.message)}")
    for result in comparison.results:
        for name in answers.keys() & belonging.get(result.ref, set()):
            if result.severity is not Severity.INFO:
                _add(answers[name].codes, result.code)
    for name, why in why_nothing.items():
        if why and not (answers[name].proxies or answers[name].left):
            answers[name].left.append(why)
    return sorted(answers.values(), key=lambda answer: not answer.left)


def _add(names: list[str], *more: str) -> None:
    """Add names to a list, each once."""
    names += [name for name in dict.fromkeys(more) if name not in names]


def _kind(part: str) -> str:
    return "workers" if part.startswith("worker") else part


def _add_parts(proxies: dict[str, str], parts: Iterable[str], url: str) -> None:
    """Note the proxy of some parts; groups of workers are one part where all of them get the same."""
    for part in parts:
        if proxies.setdefault(_kind(part), url) != url:
            proxies[part] = url


def _why_nothing(comparison: Comparison, grants: Iterable[_Grant]) -> dict[str, str]:
    """Return each Cluster of the list -> why it would get no proxy; "" where its nodes have it by something else."""
    overview = comparison.overview
    served = {foreign.cluster.ref for foreign in overview.foreign if foreign.cluster}
    contexts = [grant.record.place.class_context for grant in grants]
    classes = {context.of_class for context in contexts if context}
    for record in comparison.compared:
        context = record.place.class_context
        if context and context.of_class in classes:
            served.update(membership.cluster.ref for membership in record.place.memberships)
    reasons = {}
    for obj in overview.clusters:
        memberships = overview.memberships.get(obj.ref, ())
        wanted = overview.wanted
        if obj.ref in served or wanted is None:
            why = ""
        elif obj.ref in overview.left_out:
            why = "`spec.selector` leaves the Cluster out"
        elif not any(declared_urls(wanted, memberships, target="") or ()):
            why = "no proxy is declared for it, in `spec` or in an override that fits"
        else:
            why = "no object of the input that a target writes into makes its nodes"
        reasons[redact("/".join(filter(None, (obj.ref.namespace, obj.ref.name))))] = why
    return reasons


def _summary(
    clusters: Sequence[ClusterAnswer], nodes: Sequence[NodeChange], rows: Sequence[Covered]
) -> str:
    """Return one sentence: how many Clusters get which proxy, what is replaced, and what is left."""
    phrases = []
    served = [cluster for cluster in clusters if cluster.proxies]
    urls = list(dict.fromkeys(url for cluster in served for url in cluster.proxies.values()))
    if clusters:
        which = f"the proxy {urls[0]}" if len(urls) == 1 else f"one of {len(urls)} proxies"
        get = "gets" if len(served) == 1 else "get"
        number = f"{len(served)} of {_counted(len(clusters), 'cluster')}"
        phrases.append(f"{number} {get} {which}" if urls else "no cluster gets a proxy")
    changed = sum(row.changed for row in rows)
    phrases.append(f"a run changes {_counted(changed, 'object') if changed else 'nothing'}")
    replaced = {name for change in nodes if change.is_replaced for name in change.clusters}
    if replaced:
        phrases.append(f"merging replaces nodes of {_counted(len(replaced), 'cluster')}")
    for row in rows:
        if row.left and row.system in ("workloads", "charts"):
            phrases.append(f"{row.left} of {row.found} {row.system} stay without")  # noqa: PERF401
    sentence = "; ".join(phrases)
    return f"{sentence[:1].upper()}{sentence[1:]}."


def _counted(number: int, name: str) -> str:
    return f"{number} {name}" if number == 1 else f"{number} {name}s"
