"""The records of a run, one for each object, and the facts that a plan finds besides, in one overview.

A record holds the values of the places of its object, and those that they should have. The report of a run, the count
of `--check`, the answer of `explain` and its table are views of these records: none looks at an object again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum

from krm_fn import settings
from krm_fn.clusters import Key, Membership, ObjectIndex, Topology, key_of, uses
from krm_fn.clusters.cluster import Memberships
from krm_fn.config import ProxyConfig
from krm_fn.errors import DocumentError
from krm_fn.formats import left_alone
from krm_fn.krm.codes import Severity
from krm_fn.krm.resourcelist import Object
from krm_fn.krm.results import Edit, Result, Results
from krm_fn.light_typing import TYPE_CHECKING, NamedTuple, Variables
from krm_fn.noproxy import Audience
from krm_fn.patch import Data
from krm_fn.places.provided import DataUses
from krm_fn.plan.items import is_selected
from krm_fn.products.cluster_api import CLUSTER, Role
from krm_fn.products.node_kinds import NODE_KINDS
from krm_fn.products.systems import System, system_of
from krm_fn.settings import ProxySettings
from krm_fn.targets import Context, ObjectProxy, Reach, Writes

if TYPE_CHECKING:
    from krm_fn.clusters import Cluster
    from krm_fn.places.place import Place, Places, Reading
    from krm_fn.targets.base import Target

_NO_CONFIG = ProxyConfig()
_OWNS_TEMPLATES = {"Cluster", "MachineDeployment", "MachinePool"}


class TargetRecord:
    """One object as one target sees it: the plan makes it, and the edit completes it.

    Attributes:
        record: the record of the object.
        target: the target itself.
        target_id: its ID.
        memberships: the Clusters that the object, or the nodes that it makes, belong to.
        resolved: the proxy that these get.
        class_context: for a target that can give groups of workers their own proxy, if there are such groups.
        context: the knowledge of the target about the list while it edits the object.
        notes: findings about the object, whatever the target finds in it.
        before: the values of the places of the target before the run.
        after: their values after it.
        results: at most one change, and findings.
    """

    def __init__(
        self,
        record: ObjectRecord,
        target: Target,
        object_proxy: ObjectProxy,
        options: Data,
        notes: Results = (),
    ) -> None:
        self.record = record
        self.target = target
        self.target_id = target.id
        self.memberships = object_proxy.memberships
        self.resolved = object_proxy.resolved
        self.class_context = object_proxy.context
        self.context = Context(
            options,
            object_proxy.resolved.settings,
            object_proxy.context,
            record.uses,
            record.is_whole,
        )
        self.notes = notes
        self.before: Sequence[Reading] = ()
        self.after: Sequence[Reading] = ()
        self.results: list[Result] = []

    @property
    def obj(self) -> Object:
        """The object."""
        return self.record.obj

    @property
    def audience(self) -> Audience:
        """Who reads the values of the target."""
        context = self.context
        return self.target.readers(self.obj.data, context.options, context.uses).audience

    @property
    def subjects(self) -> list[Data]:
        """The subjects that overrides can match here: each role, too, where all machines share the place."""
        memberships = [*self.memberships]
        if self.target.reach is Reach.ROLES:
            for role in Role:
                memberships += [membership._replace(role=role) for membership in self.memberships]
        name = self.obj.base_name
        return [
            settings.subject_of(membership, self.target_id, name)
            for membership in memberships or [Membership()]
        ]

    def places(self) -> list[Place | Result]:
        """Return the places of the object as it is now, and the findings about others that cannot be one."""
        return [*self.target.places(self.obj.data, self.context)]

    def proposals(self, places: Places) -> Iterator[Edit | Result]:
        """Yield the findings about the object, given its places, and at most one Edit.

        About an object that SOPS encrypted there is only the finding that it is encrypted.
        """
        yield from self.notes
        proposals = list(self.target.edit(self.obj.data, self.context, places))
        if left_alone.is_encrypted(self.obj.data):
            if proposals:
                yield left_alone.refusal()
        elif self.record.has_code:
            yield from _left_alone(proposals)
        else:
            yield from proposals

    def readings(self, places: Places) -> Sequence[Reading]:
        """Return the variables that the object holds in places of the target; none if it is encrypted."""
        if left_alone.is_encrypted(self.obj.data):
            return ()
        from krm_fn.places.place import read_places  # noqa: PLC0415 -- many lists have no place

        return [*read_places(self.obj.data, places)]

    @property
    def variables(self) -> Variables:
        """Variable -> the value that the places should have; none where there should be no proxy."""
        return self.resolved.settings.variables

    @property
    def is_changed(self) -> bool:
        """Whether the run changes the places, or would if it were no check."""
        return any(result.reports_edit for result in self.results)

    @property
    def all_settings(self) -> list[ProxySettings]:
        """The proxy that the object gets, and those of the groups of nodes that it makes."""
        groups = self.class_context.groups.values() if self.class_context else ()
        own = self.resolved.settings
        return [own, own.in_text or own, *groups]

    @property
    def proxy_urls(self) -> set[str]:
        """The URLs of all its proxies."""
        urls = set()
        for given in self.all_settings:
            urls |= {given.http_proxy, given.https_proxy}
        return urls - {""}

    @property
    def has_list(self) -> bool:
        """Whether a place holds a list after the run."""
        return any(reading.is_list and reading.value is not None for reading in self.after)

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
        if self.before or self.after:
            return True
        return self.target.has_site(self.obj.data, self.context)

    @property
    def is_asked(self) -> bool:
        """Whether a proxy is declared for the object, or for some nodes it makes, or a value that needs none."""
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


def _left_alone(proposals: Iterable[Edit | Result]) -> Results:
    """Yield the findings of a target about an object with code of ytt, which stays as it is."""
    for proposal in proposals:
        if isinstance(proposal, Result) and proposal.severity is not Severity.ERROR:
            yield proposal
        else:
            yield Result("TextUnreadable", left_alone.HAS_CODE, proposal.path)


_CHOOSE = "inject-proxy choose KIND/NAME"


class Why(Enum):
    """Why objects are left, in the order of the report.

    Attributes:
        sentence: says it of several objects; that of FINDING is the message of its finding. NAMES stands for the charts
            or presets that these objects are of.
        change: the command that changes it, "" for none.
    """

    FINDING = ""
    FAILED = "nothing was changed, because the run has errors"
    SWITCHED_OFF = "`spec.only` or `spec.targets` leaves them out"
    NOT_SELECTED = "`spec.selector` leaves them out"
    REFUSED = "an annotation leaves them out"
    LOCAL = "the annotation `config.kubernetes.io/local-config` leaves them out"
    NOT_DECLARED = "no proxy is declared for them, in `spec` or in an override that fits"
    HOLD_NONE = "they hold no proxy"
    STILL_HOLD = "they still hold a proxy, and are to have none"
    OTHER_PROXY = "they set another proxy: `OtherProxy` says in which field"
    LEFT_BEHIND = "they hold the proxy of an earlier run, which no run changes: `LeftBehind` says in which field"
    NO_TARGET = "no target that is on writes them"
    BY_CLASS = "their ClusterClass writes it"
    POLICY_WITHOUT = "they set no proxy"
    PRESET = ("presets would choose them (NAMES)", _CHOOSE)
    OTHER_CHART = "charts whose values are not known: NAMES"
    KNOWN_CHART = ("known charts that nobody chose (NAMES)", _CHOOSE)
    WORKLOAD = ("nobody chose them", _CHOOSE)
    CHART = "they name no chart"
    VALUES = "their values switch off what would use the proxy"
    NOT_JUDGED = (
        "set the proxy yourself: values of `helmCharts`, `spec.kustomize` of a FluxInstance"
    )

    def __init__(self, sentence: str, change: str = "") -> None:
        self.sentence = sentence
        self.change = change


class Reason(NamedTuple):
    """Why one object is left.

    Attributes:
        why: the kind of the reason.
        name: the chart or the preset that could be chosen.
        finding: of FINDING: the finding that says it.
    """

    why: Why
    name: str = ""
    finding: Result | None = None


class State(Enum):
    """The state of an object after a run."""

    CHANGED = "changed"
    HAS_IT = "have it"
    LEFT = "left"


class ObjectRecord:
    """One object in a run: the plan makes it, the edits complete it, and all that a run says is a view of it.

    Attributes:
        item_index: the number of its item in the list; of a new object that of the item beside which it is added, or
            ``NO_ITEM``.
        obj: the object.
        memberships: the Clusters that it belongs to.
        is_new: the object is not in the list yet.
        standalone: the Cluster that it is, or makes, if no other is known.
        uses: the ConfigMaps and Secrets of the list that others read as a proxy.
        is_whole: it is known to be no patch.
        has_code: code of ytt is in its text, so nothing is written into it.
        targets: the record of each target that looks at it.
        names_proxy: its text names a variable for a proxy, wherever that is.
        is_left_out: the selector leaves it out.
        others: the variables of a proxy in it that no target owns.
        findings: those about these variables.
        state: changed, with the proxy, or left.
        reason: why it is left, as far as something in it says so.
    """

    def __init__(
        self, item_index: int, obj: Object, memberships: Memberships, *, is_new: bool = False
    ) -> None:
        self.item_index = item_index
        self.obj = obj
        self.memberships = memberships
        self.is_new = is_new
        self.standalone: Cluster | None = None
        self.uses = DataUses()
        self.is_whole = False
        self.has_code = False
        self.targets: list[TargetRecord] = []
        self.names_proxy = False
        self.is_left_out = False
        self.others: Sequence[Reading] = ()
        self.findings: Results = ()
        self.state = State.LEFT
        self.reason: Reason | None = None

    @property
    def holds_proxy(self) -> bool:
        """Whether something in it sets a proxy."""
        readings = [*self.others]
        for target_record in self.targets:
            readings += target_record.after
        return any(reading.text and not reading.is_list for reading in readings)


def edited_targets(records: Iterable[ObjectRecord]) -> Iterator[TargetRecord]:
    """Yield the targets for whose objects something is declared."""
    for record in records:
        for target_record in record.targets:
            if target_record.is_asked:
                yield target_record


class OtherNodes(NamedTuple):
    """Nodes of another system, or whose class, control plane or template is not in the list.

    Attributes:
        obj: the object that makes them, or that names the one that does.
        key: the key of the object that makes them.
        memberships: the Clusters of ``obj``.
        system: the system that they run, if that is none of ``NODE_KINDS``; None for one of these.
        is_own: ``obj`` itself makes them.
        is_missing: the list lacks the object that makes them, and a target would write into it.
    """

    obj: Object
    key: Key
    memberships: Memberships
    system: System | None
    is_own: bool
    is_missing: bool


def other_nodes(objects: Iterable[Object], topology: Topology) -> Iterator[OtherNodes]:
    """Yield the nodes that objects of ``clusters.kinds()`` and of ``system_kinds()`` make or name."""
    read = list(objects)
    listed = ObjectIndex((key_of(obj), None) for obj in read)
    for obj in read:
        own = key_of(obj)._replace(name=obj.base_name)
        keys = [own, *(use.target for use in uses(obj))]
        class_key = topology.class_of(obj) if obj.group_kind == CLUSTER else None
        if class_key is not None:
            keys.append(class_key)
        for key in keys:
            system = system_of(*key.group_kind)
            is_awaited = key is class_key or (
                key is not own and obj.ref.kind in _OWNS_TEMPLATES and _is_written(key, system)
            )
            is_missing = is_awaited and not listed.candidates(key)
            if system or is_missing:
                memberships = topology.of(obj)
                yield OtherNodes(obj, key, memberships, system, key is own, is_missing)


def _is_written(key: Key, system: System | None) -> bool:
    """Return whether a target writes into objects of the kind of this one without being asked to."""
    if system is None:
        return key.group_kind in NODE_KINDS
    return bool(system.target) and not system.waits


class Overview:
    """The records of a list of objects, and the facts found besides them; ``plan_records`` fills it.

    Attributes:
        records: those of the objects that a target looks at or that name a proxy, in the order of the list. Targets
            have the order of their table in each; at the end are objects that the list lacks.
        config: the ProxyConfig of the plan.
        candidates: how many objects are of kinds that a target could write.
        selected: how many of them the selector includes.
        other_nodes: nodes of other systems, and those whose class or template is not in the list.
        not_generated: objects that an option asks for and that the selector does not include, except by ``exclude``,
            which is intended.
        not_built: an object that a build of kustomize lacks, the file of which is its folder -> where others have it.
        unreadable: index of an item that cannot be read -> why.
        clusters: all Clusters that count as themselves, not as another one of the same name.
        uses: the ConfigMaps and Secrets of the list that others read as a proxy, and the sources of charts.
        kinds: index of an item that was read -> the kinds of its objects.
    """

    def __init__(self, config: ProxyConfig = _NO_CONFIG) -> None:
        self.config = config
        self.records: list[ObjectRecord] = []
        self.candidates = 0
        self.selected = 0
        self.other_nodes: list[OtherNodes] = []
        self.not_generated: list[Object] = []
        self.not_built: dict[Key, Object] = {}
        self.unreadable: dict[int, DocumentError] = {}
        self.clusters: list[tuple[Object, Memberships]] = []
        self.uses = DataUses()
        self.kinds: dict[int, set[str]] = {}

    def take(self, read: Sequence[Object], topology: Topology) -> None:
        """Note the systems and classes of Clusters, and of the objects that make their nodes."""
        for nodes in other_nodes(read, topology):
            if is_selected(nodes.obj, self.config):
                self.other_nodes.append(nodes)
        for obj in read:
            if obj.group_kind != CLUSTER or obj.is_local:
                continue
            memberships = topology.of(obj)
            if any(membership.cluster.ref == obj.ref for membership in memberships):
                self.clusters.append((obj, memberships))
