"""Which places of a list are concerned, and the proxy that each is to get.

The law of this room: it brings objects, targets, Clusters and settings together and decides nothing; an item that no
target and no Cluster could want is never read, and none is read twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from krm_fn import settings, topology
from krm_fn.config import ProxyConfig
from krm_fn.noproxy import Consumer
from krm_fn.resourcelist import Object, reference
from krm_fn.results import Finding, Result
from krm_fn.settings import Resolved
from krm_fn.targets import MAKERS, TARGETS, Target
from krm_fn.topology import Membership, Topology


class Source(Protocol):
    """Where objects come from: a ResourceList, or files of manifests."""

    def __len__(self) -> int: ...

    def kinds(self, index: int) -> frozenset[str]:
        """A cheap look at one entry: the kinds that may be in it; empty where nothing can be told."""

    def contains(self, index: int, words: Sequence[str]) -> bool:
        """A cheap look at one entry: whether one of the words stands in it, or there are no words."""

    def objects(self, index: int) -> list[Object]:
        """The objects of one entry; raises InputError."""


@dataclass(frozen=True)
class Place:
    """One object as one target sees it: item ``index`` of the list, its Clusters, and the proxy it is to get.

    ``is_new``: the object is not in the list yet; its ``index`` is -1.
    """

    index: int
    obj: Object
    target_id: str
    memberships: tuple[Membership, ...]
    resolved: Resolved
    options: Mapping[str, Any]
    is_new: bool = False

    @property
    def target(self) -> Target:
        """The target itself."""
        return TARGETS[self.target_id]

    @property
    def consumer(self) -> Consumer:
        """Who reads what the target writes."""
        return self.target.CONSUMER

    def result(self, finding: Finding) -> Result:
        """``finding``, stamped with the object and the target."""
        return Result(
            finding.severity,
            finding.message,
            self.obj.ref,
            finding.path,
            finding.current,
            finding.proposed,
            self.target_id,
        )


def survey(source: Source, wanted: ProxyConfig) -> Iterator[Place]:
    """All places, in the order of the list and, in one object, of the table of targets; then those that are missing.

    The data of an object is the same for all its places: what one target changes there, the next one sees.

    Raises:
        InputError: an item that is wanted cannot be read.
    """
    reader = _Reader(source)
    atlas = Topology(reader.of_kinds(topology.kinds()))
    there: set[_Identity] = set()
    owed: list[Place] = []
    for index in range(len(source)):
        targets = _wanted_targets(source, index, wanted)
        for obj in reader.take(index) if targets else ():
            there.add(_identity(obj))
            for place in _places(index, obj, targets, atlas, wanted) if _is_selected(obj, wanted) else ():
                owed += _companions(place)
                yield place
    for place in owed:
        if _identity(place.obj) not in there and _is_selected(place.obj, wanted):
            there.add(_identity(place.obj))
            yield place


_Identity = tuple[tuple[str, str], str, str]
"""(group, kind), namespace, name."""


def _identity(obj: Object) -> _Identity:
    return obj.group_kind, obj.ref.namespace, obj.ref.name


def _companions(place: Place) -> Iterator[Place]:
    """What goes with an object, of the same Clusters and with the same proxy."""
    maker = MAKERS.get(place.target_id)
    for data in maker.companions(place.obj.data, place.resolved.settings, place.options) if maker else ():
        yield replace(place, index=-1, obj=Object((), data, reference(data)), is_new=True)


def _places(
    index: int, obj: Object, targets: dict[str, Target], atlas: Topology, wanted: ProxyConfig
) -> Iterator[Place]:
    concerned = {name: target for name, target in targets.items() if obj.group_kind in target.KINDS}
    memberships = atlas.of(obj) if concerned else ()
    for name, target in concerned.items():
        resolved = settings.resolve(wanted, memberships, target=name, consumer=target.CONSUMER)
        yield Place(index, obj, name, memberships, resolved, wanted.targets.get(name, {}))


def _wanted_targets(source: Source, index: int, wanted: ProxyConfig) -> dict[str, Target]:
    """The enabled targets that could want something in an item, judged by its text."""
    kinds = source.kinds(index)
    return {
        name: target
        for name, target in TARGETS.items()
        if wanted.targets.get(name, {}).get("enabled", True)
        and not (kinds and kinds.isdisjoint(kind for _, kind in target.KINDS))
        and source.contains(index, target.WORDS)
    }


def _is_selected(obj: Object, wanted: ProxyConfig) -> bool:
    return not obj.is_local and wanted.selector.selects(
        kind=obj.ref.kind,
        name=obj.ref.name,
        namespace=obj.ref.namespace,
        labels=obj.labels,
        annotations=obj.annotations,
    )


class _Reader:
    """Reads each item once, when it is first asked for, and forgets it when it is taken."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.held: dict[int, list[Object]] = {}

    def of_kinds(self, kinds: frozenset[str]) -> Iterator[Object]:
        for index in range(len(self.source)):
            seen = self.source.kinds(index)
            if not (seen and kinds.isdisjoint(seen)):
                self.held[index] = self.source.objects(index)
                yield from self.held[index]

    def take(self, index: int) -> list[Object]:
        held = self.held.pop(index, None)
        return self.source.objects(index) if held is None else held
