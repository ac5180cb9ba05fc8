"""What a plan consists of: the source of the objects, one planned edit, and what else was noticed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from krm_fn import settings
from krm_fn.clusters import Topology
from krm_fn.clusters.model import Memberships
from krm_fn.config import OverrideSubject, ProxyConfig
from krm_fn.errors import DocumentError
from krm_fn.formats import sops
from krm_fn.krm.codes import Severity
from krm_fn.krm.resourcelist import Object
from krm_fn.krm.results import Edit, ObjectRef, Result
from krm_fn.light_typing import TYPE_CHECKING, NamedTuple, Protocol, Texts
from krm_fn.noproxy import Audience
from krm_fn.patch import Data, Pointer
from krm_fn.places.provided import NO_USES, DataUses
from krm_fn.plan.other_systems import OtherNodes, other_nodes
from krm_fn.plan.selection import is_selected
from krm_fn.products.cluster_api import CLUSTER, Role
from krm_fn.settings import ProxySettings, Resolved
from krm_fn.targets import TARGETS, ClassContext, Context, Reach, Writes

if TYPE_CHECKING:
    from krm_fn.places.place import Place, Reading
    from krm_fn.targets.base import Target


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


class PlannedEdit(NamedTuple):
    """One object as one target sees it.

    Attributes:
        item_index: the number of its item in the list.
        obj: the object.
        target_id: the ID of the target.
        memberships: the Clusters that it belongs to.
        resolved: the proxy that it gets.
        options: those of the target.
        is_new: the object is not in the list yet; ``item_index`` is that of the item beside which it is added, or
            ``NO_ITEM``.
        class_context: for a target that can give groups of workers their own proxy, if there are such groups.
        notes: findings about the object, whatever the target finds in it.
        uses: the ConfigMaps and Secrets of the list that others read as a proxy.
        is_whole: whether it is known to be no patch.
        has_code: code of ytt is in the text of the object, so nothing is written into it.
        known_readings: what the place of the target holds, where that was read and nothing has edited the object since.
    """

    item_index: int
    obj: Object
    target_id: str
    memberships: Memberships
    resolved: Resolved
    options: Data
    is_new: bool = False
    class_context: ClassContext | None = None
    notes: tuple[Result, ...] = ()
    uses: DataUses = NO_USES
    is_whole: bool = False
    has_code: bool = False
    known_readings: tuple[Reading, ...] | None = None

    @property
    def target(self) -> Target:
        """The target itself."""
        return TARGETS[self.target_id]

    @property
    def location(self) -> Location:
        """By what the object is told from the others."""
        return location_of(self.item_index, self.obj)

    @property
    def context(self) -> Context:
        """What the target knows of the list while it edits the object."""
        return Context(
            self.options, self.resolved.settings, self.class_context, self.uses, self.is_whole
        )

    @property
    def audience(self) -> Audience:
        """Who reads what the target writes."""
        return self.target.readers(self.obj.data, self.options).audience

    @property
    def subjects(self) -> list[OverrideSubject]:
        """What overrides can match here: each role, too, where all machines share the place."""
        memberships = [*self.memberships]
        if self.target.reach is Reach.ROLES:
            for role in Role:
                memberships += [membership._replace(role=role) for membership in self.memberships]
        return settings.subjects(memberships, target=self.target_id, name=self.obj.base_name)

    def places(self) -> list[Place | Result]:
        """Return the places of the object as it is now, and what keeps others from being one."""
        return [*self.target.places(self.obj.data, self.context)]

    def proposals(self, places: Iterable[Place | Result]) -> Iterator[Edit | Result]:
        """Yield the findings about the object, given its places, and at most one Edit.

        About an object that SOPS encrypted there is only the finding that it is encrypted.
        """
        yield from self.notes
        proposals = list(self.target.edit(self.obj.data, self.context, places))
        if sops.is_encrypted(self.obj.data):
            if proposals:
                yield sops.refusal()
        elif self.has_code:
            yield from _left_alone(proposals)
        else:
            yield from proposals

    def readings(self, places: Iterable[Place | Result] | None = None) -> Iterator[Reading]:
        """Yield what the object holds already in the place of the target; ``places`` where they are known.

        Nothing if it is encrypted.
        """
        if self.known_readings is not None:
            yield from self.known_readings
        elif not sops.is_encrypted(self.obj.data):
            from krm_fn.places.place import read_places  # noqa: PLC0415 -- many lists have no place

            yield from read_places(self.obj.data, self.places() if places is None else places)

    @property
    def all_settings(self) -> list[ProxySettings]:
        """The proxy that the object gets, and those of the groups of nodes that it makes."""
        groups = self.class_context.groups.values() if self.class_context else ()
        return [self.resolved.settings, *groups]

    @property
    def proxy_urls(self) -> set[str]:
        """The URLs of all its proxies."""
        urls: set[str] = set()
        for given in self.all_settings:
            urls |= {given.http_proxy, given.https_proxy}
        return urls - {""}

    @property
    def has_list_by_class(self) -> bool:
        """Whether it is a Cluster that gets its ``NO_PROXY`` by a ClusterClass, whatever the Cluster itself holds."""
        known = self.class_context
        if not known or not known.of_class:
            return False
        return known.is_wanted and bool(self.memberships)

    @property
    def has_place(self) -> bool:
        """Whether the target has a place for a proxy in the object: it reads, writes or deliberately skips one."""
        for _ in self.readings():
            return True
        return self.target.has_site(self.obj.data, self.context)

    @property
    def is_asked(self) -> bool:
        """Whether something is declared: a proxy for the object, or for some nodes it makes, or what needs none."""
        for given in self.all_settings:
            if given.is_declared:
                return True
        if self.class_context and self.class_context.repairs_erased:
            return True
        if self.target.writes is not Writes.PROXY_AND_TRUST:
            return False
        given = self.resolved.settings
        return bool(given.trusted_ca.pem or given.mirror)

    def result(self, finding: Result) -> Result:
        """Return ``finding`` as a result about the object and the target."""
        return finding.about(self.obj.ref, self.target_id)


def _left_alone(proposals: Iterable[Edit | Result]) -> Iterator[Result]:
    """Yield what a target says about an object with code of ytt in its text, which stays as it is."""
    from krm_fn.formats.ytt import LEFT_ALONE  # noqa: PLC0415 -- few manifests hold code of ytt

    for proposal in proposals:
        if isinstance(proposal, Result) and proposal.severity is not Severity.ERROR:
            yield proposal
        else:
            yield Result.of("TextUnreadable", LEFT_ALONE, proposal.path)


class Overview:
    """What ``plan_edits`` sees besides the edits; it is filled while that runs.

    Attributes:
        config: the ProxyConfig of the plan; None before the Clusters are read.
        candidates: how many objects are of kinds that a target could write.
        selected: how many of them the selector includes.
        other_nodes: nodes of other systems, and those whose class or template is not in the list.
        not_generated: objects that an option asks for and that the selector does not include, except by ``exclude``,
            which is intended.
        unreadable: entries that no target needs and that cannot be read.
        naming: the selected objects whose text names a variable for a proxy, each with its item and its Clusters.
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
        self.naming: list[tuple[int, Object, Memberships]] = []
        self.clusters: list[tuple[Object, Memberships]] = []
        self.uses = NO_USES
        self.kinds: dict[int, set[str]] = {}

    @property
    def has_others(self) -> bool:
        """Whether the list has something besides the places that targets write."""
        return bool(self.naming or self.other_nodes)

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
