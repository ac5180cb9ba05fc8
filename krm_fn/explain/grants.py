"""Say who gets which proxy: the grant of each place, and places that get the same, as one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from krm_fn.clusters import ClusterNetwork
from krm_fn.explain.clients import CLIENTS
from krm_fn.explain.cluster_names import cluster_names, distinct, parts_of
from krm_fn.explain.hosts import Reached, reached
from krm_fn.krm.masking import redact
from krm_fn.light_typing import NamedTuple, Texts, Urls
from krm_fn.noproxy import Audience, Entry, parse
from krm_fn.plan.record import TargetRecord
from krm_fn.products.node_kinds import OF_CLASSES
from krm_fn.proxy_url import secret_key_ref
from krm_fn.settings import Resolved

_READERS = {
    Audience.NODE: "nodes",
    Audience.POD: "pods",
    Audience.GO: "Go programs in pods",
    Audience.TKG: "stored configuration of TKG",
    Audience.PRODUCT: "products",
}


@dataclass(frozen=True)
class ProxyEntry:
    """An entry of NO_PROXY, and why it is there.

    Attributes:
        text: without a credential.
        why: a line for each reason.
        clusters: the Clusters that alone have it; empty if all have it.
    """

    text: str
    why: Texts
    clusters: Texts


@dataclass(frozen=True)
class WrittenPlace:
    """An object that holds a proxy, and the targets that write it."""

    object: str
    file: str
    targets: Texts


@dataclass(frozen=True)
class Proxy:
    """A proxy, and everyone who gets it with one list as a person wrote it.

    Attributes:
        readers: who reads the list.
        clusters: the Clusters; empty if none is known.
        parts: the nodes of them, or the rules of a policy, that get it; empty if all do.
        http_proxy: the URL without a credential.
        https_proxy: the URL without a credential.
        no_proxy: the entries of their lists.
        places: the objects that hold it.
        hosts: which programs reach which hosts; empty if the reader completes the list by itself.
    """

    readers: str
    clusters: Texts
    parts: Texts
    http_proxy: str
    https_proxy: str
    no_proxy: list[ProxyEntry]
    places: list[WrittenPlace]
    hosts: list[Reached]

    @property
    def urls(self) -> str:
        """The proxies in one phrase."""
        if self.http_proxy == self.https_proxy:
            return self.http_proxy or "no proxy"
        urls = []
        if self.http_proxy:
            urls.append(f"{self.http_proxy} (http://)")
        if self.https_proxy:
            urls.append(f"{self.https_proxy} (https://)")
        return ", ".join(urls)


class Grant(NamedTuple):
    """A proxy that a place of an object gets, for some parts of its Clusters."""

    target_record: TargetRecord
    object: str
    clusters: Texts
    parts: Texts
    resolved: Resolved

    @property
    def audience(self) -> Audience:
        """Who reads the list."""
        return self.target_record.audience

    @property
    def readers(self) -> str:
        """Who reads the list, in words."""
        is_of_class = self.target_record.target_id == OF_CLASSES
        return _READERS[Audience.NODE if is_of_class else self.audience]

    @property
    def urls(self) -> Urls:
        """The proxies without a credential."""
        first, second = self.resolved.urls
        return _visible(first), _visible(second)


def _visible(url: str) -> str:
    """Return a URL without a credential, or where it stands in a Secret."""
    reference = secret_key_ref(url)
    if reference:
        return f"{reference['key']} of the Secret {reference['name']}"
    return str(redact(url))


def read_grants(target_record: TargetRecord) -> list[Grant]:
    """Return the grant of a place, and those of groups of workers that get another proxy there."""
    if not target_record.resolved.declared or target_record.audience is Audience.NOBODY:
        return []
    if not (target_record.is_changed or target_record.before or target_record.after):
        return []
    memberships = target_record.memberships
    if target_record.audience in (Audience.POD, Audience.GO):
        # Pods get the networks of the only Cluster, although nothing says that they run in it.
        memberships = tuple(membership for membership in memberships if not membership.is_only)
    name = str(redact(str(target_record.obj.ref)))
    clusters = cluster_names(memberships)
    grant = Grant(target_record, name, clusters, parts_of(memberships), target_record.resolved)
    grants = [grant]
    groups = target_record.class_context.groups if target_record.class_context else {}
    ours = target_record.resolved.settings.variables
    for (_, group), settings in groups.items():
        if settings.is_declared and settings.variables != ours:
            entries = tuple(map(Entry, parse(settings.no_proxy)))
            resolved = target_record.resolved._replace(settings=settings, entries=entries)
            part = f"worker {redact(group)}"
            grants.append(grant._replace(parts=(part,), resolved=resolved))
    return grants


def join_proxies(grants: Iterable[Grant]) -> list[Proxy]:
    """Return the proxies: places whose lists a person wrote alike, for the same readers, are one."""
    alike = defaultdict(list)
    for grant in grants:
        resolved = grant.resolved
        key = (grant.readers, grant.audience, bool(grant.clusters), resolved.urls, resolved.written)
        alike[key].append(grant)
    return list(map(_proxy, alike.values()))


def _proxy(grants: Sequence[Grant]) -> Proxy:
    first = grants[0]
    clusters: list[str] = []
    parts: list[str] = []
    lists: dict[tuple[str, Sequence[ClusterNetwork]], None] = {}
    for grant in grants:
        clusters += grant.clusters
        parts += grant.parts
        lists[grant.resolved.settings.no_proxy, grant.resolved.networks] = None
    http_proxy, https_proxy = first.urls
    hosts = []
    if any(first.urls) and not first.audience.completes_the_list:
        clients = [CLIENTS["go"]] if first.audience is Audience.GO else [*CLIENTS.values()]
        hosts = reached(lists, first.resolved.written, clients)
    return Proxy(
        readers=first.readers,
        clusters=distinct(clusters),
        parts=distinct(parts),
        http_proxy=http_proxy,
        https_proxy=https_proxy,
        no_proxy=_entries(grants),
        places=list(_places(grants)),
        hosts=hosts,
    )


def _places(grants: Iterable[Grant]) -> Iterator[WrittenPlace]:
    """Yield the objects that hold a proxy, each once."""
    targets = defaultdict(list)
    for grant in grants:
        place = grant.target_record
        targets[place.obj.ref].append(place.target_id)
    for ref, names in targets.items():
        yield WrittenPlace(redact(str(ref)), redact(ref.file_path), distinct(names))


def _entries(grants: Sequence[Grant]) -> list[ProxyEntry]:
    """Return the entries of all lists: first those that all have, then the others, each with its Clusters."""
    firsts: dict[str, Entry] = {}
    owners = defaultdict(list)
    for grant in grants:
        for entry in grant.resolved.entries:
            firsts.setdefault(entry.text, entry)
            owners[entry.text].append(grant)
    shown = []
    for text, entry in firsts.items():
        names: list[str] = []
        if len(owners[text]) < len(grants):
            for grant in owners[text]:
                names += grant.clusters
        why = tuple(map(redact, entry.why))
        shown.append(ProxyEntry(redact(text), why, distinct(names)))
    return sorted(shown, key=lambda entry: bool(entry.clusters))
