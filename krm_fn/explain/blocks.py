"""Equal answers as one block: one proxy, the entries that all its lists share, and what differs between Clusters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from krm_fn.explain.answers import Answer, ClusterPart, WrittenPlace
from krm_fn.explain.hosts import Host, Row, rows
from krm_fn.krm.masking import redact
from krm_fn.noproxy import Audience, Entry
from krm_fn.noproxy.clients import CLIENTS

_NO_CLUSTER = ""


def shown(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Return entries without a credential, which a name made of a field of an object may hold in base64."""
    return tuple(one._replace(text=redact(one.text), why=redact(one.why)) for one in entries)


@dataclass(frozen=True)
class HostRow:
    """Hosts of one meaning that the programs reach in the same way; those of other Clusters are in ``others``."""

    row: Row
    others: tuple[str, ...] = ()


@dataclass(frozen=True)
class Block:
    """All places that get one proxy, and whose lists differ at most in what is known of their Clusters.

    Attributes:
        clusters: the names of the Clusters; empty where none is known.
        parts: which nodes or rules the places are for.
        audience: who reads the list.
        http_proxy: the URL without a credential.
        https_proxy: the URL without a credential.
        shared: the entries that all lists hold, with the reasons of the first Cluster.
        own: Cluster -> further entries of its list.
        places: where the proxy is written.
        hosts: who reaches which host how.
        readers: the IDs of the programs, one for each verdict of a row.
        is_of_class: whether it is about the nodes that Cluster API makes of ClusterClasses.
    """

    clusters: tuple[str, ...]
    parts: tuple[ClusterPart, ...]
    audience: Audience
    http_proxy: str
    https_proxy: str
    shared: tuple[Entry, ...]
    own: tuple[tuple[str, tuple[Entry, ...]], ...]
    places: tuple[WrittenPlace, ...]
    hosts: tuple[HostRow, ...]
    readers: tuple[str, ...]
    is_of_class: bool = False


def blocks(answers: Iterable[Answer]) -> list[Block]:
    """Return the blocks, in the order in which they are first met.

    A block is one proxy, one kind of reader, and one list as a person wrote it.
    """
    grouped: dict[object, list[Answer]] = {}
    for answer in answers:
        resolved = answer.resolved
        key = (answer.audience, answer.is_of_class, resolved.urls, resolved.written)
        grouped.setdefault(key, []).append(answer)
    return [_block(members) for members in grouped.values()]


def _block(answers: Sequence[Answer]) -> Block:
    first = answers[0]
    lists = dict.fromkeys(answer.resolved.entries for answer in answers)
    common = {entry.text for entry in first.resolved.entries}
    for entries in lists:
        common &= {entry.text for entry in entries}
    shared = shown(entry for entry in first.resolved.entries if entry.text in common)
    own: dict[str, dict[str, Entry]] = {}
    for answer in answers:
        further = [entry for entry in answer.resolved.entries if entry.text not in common]
        for cluster in answer.clusters or (_NO_CLUSTER,):
            for entry in further:
                own.setdefault(cluster, {}).setdefault(entry.text, entry)
    http_proxy, https_proxy = first.shown_urls
    is_judged = not first.audience.completes_the_list and bool(http_proxy or https_proxy)
    return Block(
        tuple(dict.fromkeys(cluster for answer in answers for cluster in answer.clusters)),
        tuple(dict.fromkeys(part for answer in answers for part in answer.parts)),
        first.audience,
        http_proxy,
        https_proxy,
        shared,
        tuple((cluster, shown(entries.values())) for cluster, entries in own.items()),
        tuple(dict.fromkeys(answer.place for answer in answers)),
        tuple(_hosts(answers)) if is_judged else (),
        readers_of(first.audience),
        first.is_of_class,
    )


def _hosts(answers: Iterable[Answer]) -> list[HostRow]:
    """Return the rows of all lists; hosts that mean the same and are reached in the same way are one row."""
    found: dict[object, HostRow] = {}
    judged: set[object] = set()
    for answer in answers:
        resolved = answer.resolved
        facts = (resolved.settings.no_proxy, resolved.networks)
        if facts in judged:
            continue
        judged.add(facts)
        for row in rows_of(answer):
            host = row.host
            key = (host.what, host.port, host.direct, row.verdicts)
            known = found.setdefault(key, HostRow(row))
            if host.name not in (known.row.host.name, *known.others):
                found[key] = replace(known, others=(*known.others, host.name))
    return list(found.values())


def rows_of(answer: Answer) -> tuple[Row, ...]:
    """Return what the programs that read a list do with the hosts that matter."""
    resolved = answer.resolved
    return rows(
        resolved.settings.no_proxy,
        resolved.networks,
        resolved.written,
        https=bool(resolved.settings.https_proxy),
        readers=readers_of(answer.audience),
    )


def readers_of(audience: Audience) -> tuple[str, ...]:
    """Return the IDs of the programs that read a list."""
    return ("go",) if audience is Audience.GO else tuple(CLIENTS)


def is_expected(host: Host, verdict: bool | None) -> bool:
    """Return whether a program does with a host what it should; where no list can promise it, both is expected."""
    if verdict is None:
        return False
    return host.direct is None or host.direct is verdict
