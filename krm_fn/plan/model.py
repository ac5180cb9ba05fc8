"""What a plan consists of: the source of the objects, and what was noticed besides its records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from krm_fn.clusters import Topology
from krm_fn.clusters.model import Memberships
from krm_fn.config import ProxyConfig
from krm_fn.errors import DocumentError
from krm_fn.krm.resourcelist import Object
from krm_fn.krm.results import ObjectRef
from krm_fn.light_typing import Protocol, Texts
from krm_fn.patch import Pointer
from krm_fn.places.provided import NO_USES, DataUses
from krm_fn.plan.other_systems import OtherNodes, other_nodes
from krm_fn.plan.selection import is_selected
from krm_fn.products.cluster_api import CLUSTER


class ObjectSource(Protocol):
    """Where objects come from: a ResourceList, or files of manifests."""

    def __len__(self) -> int: ...

    @property
    def by_kinds(self) -> Mapping[frozenset[str], Sequence[int]]:
        """The kinds that may be in some entries, empty if nothing is known -> their indexes, in order."""

    def holding(self, words: Texts, among: Sequence[int] | None = None) -> Sequence[int]:
        """Return the indexes of the entries, or of those ``among`` them, with one of the words, in order.

        Without words, return all.
        """

    def objects(self, index: int) -> list[Object]:
        """Return the objects of one entry; raises InputError."""

    def text_for_ytt(self, index: int) -> str:
        """Return the text of one entry, with the comments above; "" where no code of ytt can be in it."""


def holds_code(source: ObjectSource, index: int) -> bool:
    """Return whether code of ytt is in the text of an entry."""
    text = source.text_for_ytt(index)
    if not text:
        return False
    from krm_fn.formats.ytt import has_code  # noqa: PLC0415 -- few manifests hold code of ytt

    return has_code(text)


Location = tuple[int, Pointer, ObjectRef]
"""By what an object of a list is told from all others, listed and new: its item, its place in it, its identity."""


def location_of(item_index: int, obj: Object) -> Location:
    """Return by what an object is told from the others of its list."""
    return item_index, obj.path, obj.ref


class Overview:
    """What ``plan_records`` sees besides the records; it is filled while that runs.

    Attributes:
        config: the ProxyConfig of the plan; None before the Clusters are read.
        candidates: how many objects are of kinds that a target could write.
        selected: how many of them the selector includes.
        other_nodes: nodes of other systems, and those whose class or template is not in the list.
        not_generated: objects that an option asks for and that the selector does not include, except by ``exclude``,
            which is intended.
        unreadable: entries that no target needs and that cannot be read.
        clusters: all Clusters that count as themselves, not as another one of the same name.
        uses: the ConfigMaps and Secrets of the list that others read as a proxy, and the sources of charts.
        kinds: index of an item that was read -> the kinds of its objects.
    """

    def __init__(self) -> None:
        self.config: ProxyConfig | None = None
        self.candidates = 0
        self.selected = 0
        self.other_nodes: list[OtherNodes] = []
        self.not_generated: list[Object] = []
        self.unreadable: list[DocumentError] = []
        self.clusters: list[tuple[Object, Memberships]] = []
        self.uses = NO_USES
        self.kinds: dict[int, set[str]] = {}

    def take(
        self, read: Sequence[Object], topology: Topology, uses: DataUses, config: ProxyConfig
    ) -> None:
        """Note what Clusters, and the objects that make their nodes, say of systems and classes."""
        self.config = config
        self.uses = uses
        for nodes in other_nodes(read, topology):
            if is_selected(nodes.obj, config):
                self.other_nodes.append(nodes)
        for obj in read:
            if obj.group_kind != CLUSTER or obj.is_local:
                continue
            memberships = topology.of(obj)
            if any(membership.cluster.ref == obj.ref for membership in memberships):
                self.clusters.append((obj, memberships))
