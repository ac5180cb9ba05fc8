"""Who gets which proxy, why each entry of NO_PROXY is there, and which programs honour it.

It shows what a run would do and changes nothing; what it shows holds no credential.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from krm_fn.clients import CLIENTS
from krm_fn.explain.hosts import Row, rows
from krm_fn.krm.results import redact
from krm_fn.noproxy import Audience, Entry
from krm_fn.plan import PlannedEdit

__all__ = ["Section", "explain", "to_data"]


@dataclass(frozen=True)
class Section:
    """One proxy setting and all places that get it.

    ``clusters`` are the names of the Clusters (none is known where it is empty), ``roles`` their roles and worker
    groups, ``audience`` is ``node``, ``pod``, ``go``, ``product`` or ``tkg``; the URLs are redacted. A product
    completes its list by itself, so it is not shown who honours it. ``readers`` are the IDs of the programs that
    read the list, one for each verdict of a row: all of ``CLIENTS``, or Go alone.
    """

    clusters: tuple[str, ...]
    roles: tuple[str, ...]
    audience: str
    http_proxy: str
    https_proxy: str
    entries: tuple[Entry, ...]
    places: tuple[str, ...]
    rows: tuple[Row, ...]
    readers: tuple[str, ...]


def explain(places: Iterable[PlannedEdit]) -> list[Section]:
    """The sections for all places that a run would write to, in the order in which they are first met."""
    grouped: dict[Any, list[PlannedEdit]] = {}
    for place in places:
        is_written = not place.target.only_reports and place.audience is not Audience.NOBODY
        if is_written and place.resolved.declared and place.is_touched:
            grouped.setdefault(_key(place), []).append(place)
    return [_section(members) for members in grouped.values()]


def _key(place: PlannedEdit) -> tuple[Any, ...]:
    clusters = tuple(_name(membership.cluster) for membership in place.memberships)
    roles = tuple(membership.role for membership in place.memberships)
    return (clusters, roles, place.audience, place.resolved.settings, place.resolved.entries)


def _section(places: list[PlannedEdit]) -> Section:
    first = places[0]
    proxy = first.resolved.settings
    memberships = [membership for place in places for membership in place.memberships]
    is_reported = not first.audience.completes_the_list and any(
        (proxy.http_proxy, proxy.https_proxy)
    )
    return Section(
        clusters=tuple(
            dict.fromkeys(_name(membership.cluster) for membership in first.memberships)
        ),
        roles=tuple(dict.fromkeys(filter(None, map(_role, memberships)))),
        audience=first.audience.value,
        http_proxy=redact(proxy.http_proxy),
        https_proxy=redact(proxy.https_proxy),
        entries=first.resolved.entries,
        places=tuple(dict.fromkeys(f"{place.obj.ref} ({place.target_id})" for place in places)),
        rows=_rows(first) if is_reported else (),
        readers=_readers(first),
    )


def _rows(place: PlannedEdit) -> tuple[Row, ...]:
    resolved = place.resolved
    has_https = bool(resolved.settings.https_proxy)
    return rows(
        resolved.settings.no_proxy,
        resolved.networks,
        resolved.written,
        https=has_https,
        readers=_readers(place),
    )


def _readers(place: PlannedEdit) -> tuple[str, ...]:
    return ("go",) if place.audience is Audience.GO else tuple(CLIENTS)


def _name(cluster: Any) -> str:
    return "/".join(part for part in (cluster.namespace, cluster.name) if part)


def _role(membership: Any) -> str:
    role = {"ControlPlane": "control plane", "Worker": "worker"}.get(
        membership.role.value if membership.role else "", ""
    )
    return f"{role} {membership.group}".strip()


def to_data(sections: Iterable[Section]) -> dict[str, Any]:
    """The sections as plain data, for ``--output json``; the keys are part of the interface."""
    return {
        "consumers": [{"id": client.ID, "name": client.NAME} for client in CLIENTS.values()],
        "sections": [_section_data(section) for section in sections],
    }


def _section_data(section: Section) -> dict[str, Any]:
    return {
        "clusters": list(section.clusters),
        "roles": list(section.roles),
        "consumer": section.audience,
        "httpProxy": section.http_proxy,
        "httpsProxy": section.https_proxy,
        "noProxy": [{"entry": entry.text, "why": list(entry.why)} for entry in section.entries],
        "places": list(section.places),
        "hosts": [
            {
                "host": row.host.name,
                "port": row.host.port,
                "what": row.host.what,
                "verdicts": dict(zip(section.readers, map(_verdict, row.verdicts), strict=True)),
            }
            for row in section.rows
        ],
    }


def _verdict(direct: bool | None) -> str:
    return {True: "direct", False: "proxy", None: "breaks"}[direct]
