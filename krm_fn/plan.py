"""Which places of a list are concerned, and the proxy that each is to get.

It brings objects, targets, Clusters and settings together and decides nothing; an item that no
target and no Cluster could want is never read, and none is read twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from krm_fn import clusters, settings
from krm_fn.clusters import ByKey, Foreign, Key, Membership, Role, Topology
from krm_fn.config import OverrideSubject, ProxyConfig, Selector
from krm_fn.errors import DocumentError, InputError
from krm_fn.formats import sops
from krm_fn.krm.resourcelist import BESIDE_NOTHING, Object, reference
from krm_fn.krm.results import Edit, Finding, ObjectRef, Result
from krm_fn.noproxy import INFRASTRUCTURE_ENDPOINT, Audience, ClusterNetwork
from krm_fn.patch import Pointer
from krm_fn.settings import ProxySettings, Resolved
from krm_fn.targets import (
    TARGETS,
    Context,
    Reading,
    Target,
    TargetContext,
    cluster_class,
    data_uses,
    of_kinds,
    proxy_data,
    words_of,
    workloads,
)
from krm_fn.targets.clusterclass.classes import Classes
from krm_fn.targets.clusterclass.names import INSTEAD_OF
from krm_fn.targets.data_uses import DataUses


class ObjectSource(Protocol):
    """Where objects come from: a ResourceList, or files of manifests."""

    def __len__(self) -> int: ...

    def kinds(self, index: int) -> frozenset[str]:
        """Return the kinds that may be in one entry, judged by its text.

        Empty if nothing is known.
        """

    def contains(self, index: int, words: Sequence[str]) -> bool:
        """Return whether one of the words is in the text of one entry; True without words."""

    def objects(self, index: int) -> list[Object]:
        """Return the objects of one entry; raises InputError."""


class PlannedEdit(NamedTuple):
    """One object as one target sees it: item ``item_index`` of the list, its Clusters, and the proxy it is to get.

    ``is_new``: the object is not in the list yet, and its ``item_index`` is that of the one beside which it is added,
    or ``BESIDE_NOTHING``.
    ``around`` is there for a target that gives groups of workers a proxy of their own, and knows of some. ``notes``
    are said about the object, whatever the target finds in it. ``settings_of_rule`` returns the proxy of a rule in a
    Kyverno policy by its name; None where all rules have the one of the object. ``uses`` are the
    ConfigMaps and Secrets of the list that others read as a proxy. ``taken`` are the objects of the kinds to which the
    target converts others.
    """

    item_index: int
    obj: Object
    target_id: str
    memberships: tuple[Membership, ...]
    resolved: Resolved
    options: Mapping[str, Any]
    is_new: bool = False
    around: TargetContext | None = None
    notes: tuple[Finding, ...] = ()
    settings_of_rule: Callable[[str], ProxySettings] | None = None
    uses: DataUses = DataUses()
    taken: frozenset[Key] = frozenset()

    @property
    def target(self) -> Target:
        """The target itself."""
        return TARGETS[self.target_id]

    @property
    def audience(self) -> Audience:
        """Who reads what the target writes."""
        return self.target.readers(self.obj.data, self.options).audience

    @property
    def subjects(self) -> list[OverrideSubject]:
        """What overrides can match here: each role, too, where all machines share the place."""
        memberships = self.memberships
        if self.target.takes_proxy_of_a_role:
            of_roles = (one._replace(role=role) for one in self.memberships for role in Role)
            memberships = (*self.memberships, *of_roles)
        names_of_rules = self.target.names_of_rules
        rules = names_of_rules(self.obj.data) if names_of_rules else ()
        return settings.subjects(
            memberships, target=self.target_id, name=self.obj.base_name, rules=tuple(rules)
        )

    def proposals(self) -> Iterator[Edit | Finding]:
        """Yield what there is to say about the object, and at most one Edit.

        Of an object that SOPS encrypted, the only thing to say is that it is.
        """
        yield from self.notes
        context = Context(
            self.options,
            self.resolved.settings,
            self.settings_of_rule,
            self.around,
            self.uses,
            self.taken,
        )
        found = list(self.target.edit(self.obj.data, context))
        if not sops.is_encrypted(self.obj.data):
            yield from found
        elif found:
            yield sops.refusal()

    def seen(self) -> Iterator[Reading]:
        """Yield what the object holds already in the place of the target.

        Nothing if it is encrypted.
        """
        if not sops.is_encrypted(self.obj.data):
            yield from self.target.read(self.obj.data, self.options, self.uses)

    @property
    def is_touched(self) -> bool:
        """Whether a run writes here, or finds here what it would write: the object has the place of the target."""
        if not self.is_asked:
            return False
        return any(isinstance(one, Edit) for one in self.proposals()) or any(
            True for _ in self.seen()
        )

    @property
    def is_asked(self) -> bool:
        """Whether something is declared: a proxy for the object, or for some nodes it makes, or what needs none."""
        groups = self.around.groups.values() if self.around else ()
        settings = self.resolved.settings
        is_more = self.target.is_concerned_without_proxy and bool(
            settings.trusted_ca.pem or settings.mirror
        )
        is_more = is_more or bool(self.around and self.around.is_behind)
        return is_more or self.resolved.declared or any(group.is_declared for group in groups)

    def result(self, finding: Finding) -> Result:
        """Return ``finding`` as a result about the object and the target."""
        return finding.about(self.obj.ref, self.target_id)


class Overview:
    """What `plan_edits` sees besides its places, filled while it runs.

    ``candidates`` counts the objects of kinds that a target could write, and ``selected`` those of them that the
    selector includes. ``foreign`` and ``without_class`` are Clusters that no target writes, or not here.
    ``unreadable`` says why an entry of the list that is asked only for more to report is no object.
    ``same_name`` are Clusters with the name of an earlier one, which is beside each.
    ``not_generated`` are objects that an option asks for and that the selector does not include; whoever leaves them
    out by ``exclude`` means that.
    ``naming`` are the selected objects whose text names a variable for a proxy, and their Clusters. ``memberships``
    are those of the Clusters themselves.
    """

    def __init__(self) -> None:
        self.candidates = 0
        self.selected = 0
        self.foreign: list[Foreign] = []
        self.without_class: list[tuple[Object, str, Pointer]] = []
        self.same_name: list[tuple[Object, Object]] = []
        self.not_generated: list[Object] = []
        self.unreadable: list[DocumentError] = []
        self.naming: list[tuple[Object, tuple[Membership, ...]]] = []
        self.memberships: dict[ObjectRef, tuple[Membership, ...]] = {}

    def take_clusters(self, read: Sequence[Object], atlas: Topology, wanted: ProxyConfig) -> None:
        """Note what Clusters, and the objects that make their nodes, say of systems and classes."""
        chosen = [obj for obj in read if _is_selected(obj, wanted)]
        self.foreign = clusters.foreign(chosen, atlas)
        without = list(clusters.without_class(read, atlas))
        self.without_class = [one for one in without if _is_selected(one[0], wanted)]
        pairs = clusters.same_name(read)
        self.same_name = [one for one in pairs if _is_selected(one[0], wanted)]
        self.memberships = {obj.ref: atlas.of(obj) for obj, _, _ in self.without_class}


_NAMES = ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy")


def plan_edits(
    source: ObjectSource, wanted: ProxyConfig, overview: Overview | None = None
) -> Iterator[PlannedEdit]:
    """Yield all planned edits, in the order of the list and of the table of targets.

    Then those of missing objects.

    The data of an object is the same for all its places: what one target changes there, the next one sees. The places
    where ClusterClasses are patched come last, because a patch follows what their templates hold in the end.

    Args:
        source: the objects.
        wanted: the checked FunctionConfig.
        overview: what else is to be noted; None where nobody needs it.

    Raises:
        InputError: an item that is wanted cannot be read.
    """
    reader = _ItemReader(source)
    kinds = clusters.kinds(credentials=wanted.derives(INFRASTRUCTURE_ENDPOINT))
    read = list(reader.of_kinds(kinds))
    if overview is not None:
        read += reader.readable_of_kinds(clusters.system_kinds())
    atlas = Topology(read)
    if overview is not None:
        overview.take_clusters(read, atlas, wanted)
    classes = Classes(read, lambda obj: _is_selected(obj, wanted), atlas, wanted)
    del read  # what is taken is to be forgotten
    uses = _data_uses(source, reader, wanted)
    generated = list(_generated(atlas, wanted))
    taken = _taken(source, reader, wanted, generated)
    enabled = _EnabledTargets(wanted, uses)
    there: ByKey[None] = ByKey()
    owed: list[PlannedEdit] = []
    last: list[PlannedEdit] = []
    for index in range(len(source)):
        targets = enabled.editors(source, index)
        creators = enabled.creators(source, index)
        is_patched = _may_patch(source, index, wanted, classes)
        is_wanted = bool(targets or creators or is_patched)
        names_proxy = overview is not None and source.contains(index, _NAMES)
        for obj in (
            reader.take(index) if is_wanted else reader.readable(index) if names_proxy else ()
        ):
            is_selected = _is_selected(obj, wanted)
            if overview is not None:
                _note(overview, obj, targets, wanted)
                if names_proxy and is_selected:
                    overview.naming.append((obj, atlas.of(obj)))
            if not is_wanted:
                continue
            there.add(_identity(obj), None)
            if is_selected:
                for place in _places(index, obj, targets, wanted, classes):
                    yield place._replace(uses=uses, taken=taken)
                last += _patched(index, obj, wanted, classes) if is_patched else ()
                owed += _companions(index, obj, creators, atlas, wanted)
    owed += generated
    yield from _created(owed, there, wanted, overview)
    if overview is not None:
        overview.unreadable = list(reader.unreadable.values())
    yield from last


def _created(
    owed: Sequence[PlannedEdit], there: ByKey[None], wanted: ProxyConfig, overview: Overview | None
) -> Iterator[PlannedEdit]:
    """Yield those of the new objects that the list lacks and the selector includes, each once."""
    for place in owed:
        if there.candidates(_identity(place.obj)):
            continue
        if _is_selected(place.obj, wanted):
            there.add(_identity(place.obj), None)
            yield place
        elif overview is not None and place.item_index == BESIDE_NOTHING and place.is_asked:
            is_excluded = _fits(place.obj, wanted.selector._replace(exclude=()))
            overview.not_generated += [] if is_excluded else [place.obj]


def _data_uses(source: ObjectSource, reader: _ItemReader, wanted: ProxyConfig) -> DataUses:
    """Return which ConfigMaps and Secrets of the list others read as a proxy, as far as they are to be filled."""
    uses = DataUses()
    if not _is_enabled(proxy_data.TARGET.id, wanted):
        return uses
    _note_references(uses, source, reader, wanted)
    names = uses.names
    for index in range(len(source)):
        if not names or not _may_hold(source.kinds(index), proxy_data.TARGET.kinds):
            continue
        if source.contains(index, names):
            for obj in reader.readable(index):
                is_open = not proxy_data.refuses(obj.data)
                if (
                    obj.group_kind in proxy_data.TARGET.kinds
                    and is_open
                    and _is_selected(obj, wanted)
                ):
                    uses.note_data(obj.data)
    return uses


def _note_references(
    uses: DataUses, source: ObjectSource, reader: _ItemReader, wanted: ProxyConfig
) -> None:
    """Note what workloads, objects of Flux and Kyverno policies refer to."""
    kinds = workloads.TARGET.all_kinds(workloads.TARGET.options(wanted.targets))
    hints = workloads.hints_of_containers_with_proxy(wanted.targets)
    has_policies = _is_enabled("kyvernoPolicies", wanted)
    for index in range(len(source)):
        is_workload = _may_hold(source.kinds(index), kinds) and source.contains(index, hints)
        words = data_uses.HINTS if is_workload else data_uses.HINTS_OF_FLUX
        is_policy = (
            has_policies
            and source.contains(index, data_uses.HINTS_OF_POLICIES)
            and source.contains(index, words_of("kyvernoPolicies"))
            and "kyvernoPolicies" in of_kinds(source.kinds(index))
        )
        if is_policy:
            words = (*words, *data_uses.HINTS_OF_POLICIES)
        for obj in reader.readable(index) if source.contains(index, words) else ():
            if _is_selected(obj, wanted):
                containers = workloads.containers_with_proxy(obj.data, wanted.targets)
                uses.note_containers(obj.ref.namespace, containers)
                uses.note_flux(obj.data)
                keys_read = TARGETS["kyvernoPolicies"].keys_read if is_policy else None
                if keys_read is not None:
                    uses.note_keys(keys_read(obj.data))


def _taken(
    source: ObjectSource,
    reader: _ItemReader,
    wanted: ProxyConfig,
    generated: Sequence[PlannedEdit],
) -> frozenset[Key]:
    """Return the objects of the kinds to which a target converts others: a name must not be there twice.

    They are those of the list, and those that this run generates.
    """
    kinds: set[tuple[str, str]] = set()
    for target in _with_options(wanted):
        if target.converts_to is not None:
            kinds |= target.converts_to(target.options(wanted.targets))
    found: set[Key] = set()
    for index in range(len(source) if kinds else 0):
        if _may_hold(source.kinds(index), frozenset(kinds)):
            found |= {_identity(one) for one in reader.readable(index) if one.group_kind in kinds}
    for place in generated:
        has_proxy = bool(place.resolved.settings.variables())
        if place.obj.group_kind in kinds and has_proxy and _is_selected(place.obj, wanted):
            found.add(_identity(place.obj))
    return frozenset(found)


def _note(overview: Overview, obj: Object, targets: Sequence[Target], wanted: ProxyConfig) -> None:
    """Count an object that could hold a proxy; whoever leaves objects out by ``exclude`` means that."""
    if not obj.is_local and any(_is_of(target, obj, wanted) for target in targets):
        overview.candidates += 1
        overview.selected += _fits(obj, wanted.selector._replace(exclude=()))


def _identity(obj: Object) -> Key:
    """Return the identity of an object, without the hash that a run added to its name."""
    return (*obj.group_kind, obj.ref.namespace, obj.base_name)


def _companions(
    index: int, obj: Object, creators: Sequence[Target], atlas: Topology, wanted: ProxyConfig
) -> Iterator[PlannedEdit]:
    """Yield what has to be created beside an object, of the same Clusters and with the same proxy."""
    for target in creators:
        creates = target.creates
        options = target.options(wanted.targets)
        if (
            creates is None
            or obj.group_kind not in creates.beside
            or not creates.is_wanted(options)
        ):
            continue
        memberships = atlas.of(obj)
        resolved = _resolved(wanted, memberships, target, obj)
        for data in creates.companions(obj.data, resolved.settings, options):
            created = Object((), data, reference(data))
            yield PlannedEdit(
                index, created, target.id, memberships, resolved, options, is_new=True
            )


def _with_options(wanted: ProxyConfig) -> Iterator[Target]:
    """Yield the enabled targets that have options: only these can ask for more, so no other is imported."""
    for name in wanted.targets:
        if _is_enabled(name, wanted):
            yield TARGETS[name]


def _generated(atlas: Topology, wanted: ProxyConfig) -> Iterator[PlannedEdit]:
    """Yield what the options of a target ask for, whatever is in the list."""
    for target in _with_options(wanted):
        if target.generates is None:
            continue
        options = target.options(wanted.targets)
        for data in target.generates(options):
            created = Object((), data, reference(data))
            memberships = atlas.of(created)
            resolved = _resolved(wanted, memberships, target, created)
            yield PlannedEdit(
                BESIDE_NOTHING, created, target.id, memberships, resolved, options, is_new=True
            )


def _places(
    index: int, obj: Object, targets: Sequence[Target], wanted: ProxyConfig, classes: Classes
) -> Iterator[PlannedEdit]:
    """Yield the edits of one object, in the order of the table of targets."""
    concerned = [target for target in targets if _is_of(target, obj, wanted)]
    memberships = classes.atlas.of(obj) if concerned else ()
    alone = classes.atlas.alone(obj) if concerned and not memberships else None
    for target in concerned:
        options = target.options(wanted.targets)
        resolved = _resolved(wanted, memberships, target, obj, alone)
        if classes.replaces(target.id, obj):
            resolved = Resolved(
                ProxySettings(cluster=resolved.settings.cluster, is_declared=resolved.declared)
            )
        of_nodes = classes.nodes(obj, target.id, resolved)
        if of_nodes:
            nodes, resolved, around = of_nodes
            yield PlannedEdit(index, obj, target.id, nodes, resolved, options, around=around)
        else:
            notes = _lost(obj, target.id, resolved, classes)
            yield PlannedEdit(
                index,
                obj,
                target.id,
                memberships,
                resolved,
                options,
                notes=notes,
                settings_of_rule=_settings_of_rule(wanted, memberships, target, obj),
            )


def _lost(obj: Object, name: str, resolved: Resolved, classes: Classes) -> tuple[Finding, ...]:
    """Return a warning where patches of a class that cannot be patched erase what the target writes."""
    if name not in INSTEAD_OF or not resolved.settings.variables():
        return ()
    found = classes.lost(obj)
    return (found,) if found else ()


def _resolved(
    wanted: ProxyConfig,
    memberships: tuple[Membership, ...],
    target: Target,
    obj: Object,
    alone: ClusterNetwork | None = None,
) -> Resolved:
    readers = target.readers(obj.data, target.options(wanted.targets))
    if target.takes_proxy_of_a_role:
        return settings.resolve_for_all_machines(
            wanted, memberships, target=target.id, audience=readers.audience
        )
    return settings.resolve(
        wanted,
        memberships,
        target=target.id,
        audience=readers,
        alone=alone,
        name=obj.base_name,
    )


def _settings_of_rule(
    wanted: ProxyConfig, memberships: tuple[Membership, ...], target: Target, obj: Object
) -> Callable[[str], ProxySettings] | None:
    """Return what gives each rule of a policy its proxy, where overrides tell rules apart."""
    if not target.names_of_rules or not any(one.match.rules for one in wanted.overrides):
        return None

    def settings_of_rule(rule: str) -> ProxySettings:
        return settings.resolve(
            wanted,
            memberships,
            target=target.id,
            audience=target.audience,
            name=obj.base_name,
            rule=rule,
        ).settings

    return settings_of_rule


def _is_of(target: Target, obj: Object, wanted: ProxyConfig) -> bool:
    return obj.group_kind in target.all_kinds(target.options(wanted.targets))


def _patched(
    index: int, obj: Object, wanted: ProxyConfig, classes: Classes
) -> Iterator[PlannedEdit]:
    """Yield the edit of a ClusterClass that gets or loses our patches, or of a Cluster of such a class."""
    about = classes.about(obj) if obj.group_kind in cluster_class.TARGET.kinds else None
    if about:
        memberships, resolved, around = about
        yield PlannedEdit(
            index,
            obj,
            cluster_class.TARGET.id,
            memberships,
            resolved,
            wanted.targets.get(cluster_class.TARGET.id, {}),
            around=around,
        )


_Hinted = tuple[Target, Sequence[str]]
"""A target, and words of which one is in the text of every object that concerns it; without words any may."""


class _EnabledTargets:
    """The targets that the FunctionConfig leaves enabled, found by the kinds of an item."""

    def __init__(self, wanted: ProxyConfig, uses: DataUses) -> None:
        self._wanted = wanted
        self._names = uses.names
        self._with_words: dict[frozenset[str], list[str]] = {}
        self._found: dict[
            tuple[frozenset[str], frozenset[str]], tuple[list[_Hinted], list[_Hinted]]
        ] = {}

    def editors(self, source: ObjectSource, index: int) -> list[Target]:
        """Return the targets that could edit an object of an item, judged by its text."""
        editors, _ = self._of_item(source, index)
        return [target for target, hints in editors if source.contains(index, hints)]

    def creators(self, source: ObjectSource, index: int) -> list[Target]:
        """Return the targets that could create an object beside one of an item, judged by its text."""
        _, creators = self._of_item(source, index)
        return [target for target, hints in creators if source.contains(index, hints)]

    def _of_item(self, source: ObjectSource, index: int) -> tuple[list[_Hinted], list[_Hinted]]:
        """Return the targets that an item could concern.

        One whose words its text lacks is not imported.
        """
        kinds = source.kinds(index)
        if kinds not in self._with_words:
            self._with_words[kinds] = [
                name
                for name in of_kinds(kinds)
                if words_of(name) and name not in self._wanted.targets
            ]
        lacking = [
            name for name in self._with_words[kinds] if not source.contains(index, words_of(name))
        ]
        key = (kinds, frozenset(lacking))
        if key not in self._found:
            self._found[key] = self._of_kinds(*key)
        return self._found[key]

    def _of_kinds(
        self, kinds: frozenset[str], lacking: frozenset[str]
    ) -> tuple[list[_Hinted], list[_Hinted]]:
        """Return the targets that edit objects of some kinds, and those that create others beside them."""
        editors: list[_Hinted] = []
        creators: list[_Hinted] = []
        # A target with options may have been given kinds by them, which only the target itself knows.
        asked = {*of_kinds(kinds), *self._wanted.targets} - lacking
        for name in TARGETS:
            if name not in asked or not _is_enabled(name, self._wanted):
                continue
            target = TARGETS[name]
            hints = target.hints(self._wanted.targets.get(name, {}))
            edited = target.all_kinds(target.options(self._wanted.targets))
            # ClusterClasses are edited last, by what their templates hold in the end.
            if target is not cluster_class.TARGET and _may_hold(kinds, edited):
                names = self._names if target is proxy_data.TARGET else ()
                editors.append((target, (*hints, *names)))
            if target.creates and _may_hold(kinds, target.creates.beside):
                # A target that creates objects beside those that it edits has hints for them.
                has_hints = target.creates.beside <= target.kinds
                creators.append((target, hints if has_hints else ()))
        return editors, creators


def _may_patch(source: ObjectSource, index: int, wanted: ProxyConfig, classes: Classes) -> bool:
    may_hold = _is_enabled(cluster_class.TARGET.id, wanted) and _may_hold(
        source.kinds(index), cluster_class.TARGET.kinds
    )
    return may_hold and (classes.is_on or source.contains(index, cluster_class.TARGET.text_hints))


def _is_enabled(name: str, wanted: ProxyConfig) -> bool:
    return bool(wanted.targets.get(name, {}).get("enabled", True))


def _may_hold(seen: frozenset[str], kinds: frozenset[tuple[str, str]]) -> bool:
    return not (seen and seen.isdisjoint(kind for _, kind in kinds))


def _is_selected(obj: Object, wanted: ProxyConfig) -> bool:
    return not obj.is_local and _fits(obj, wanted.selector)


def _fits(obj: Object, selector: Selector) -> bool:
    return selector.selects(
        kind=obj.ref.kind,
        name=obj.base_name,
        namespace=obj.ref.namespace,
        labels=obj.labels,
        annotations=obj.annotations,
    )


class _ItemReader:
    """Reads each item once, when it is first asked for, and forgets it when it is taken."""

    def __init__(self, source: ObjectSource) -> None:
        self.source = source
        self.held: dict[int, list[Object]] = {}
        self.unreadable: dict[int, DocumentError] = {}

    def of_kinds(self, kinds: frozenset[str]) -> Iterator[Object]:
        for index in range(len(self.source)):
            seen = self.source.kinds(index)
            if not (seen and kinds.isdisjoint(seen)):
                self.held[index] = self.source.objects(index)
                yield from self.held[index]

    def readable_of_kinds(self, kinds: frozenset[str]) -> list[Object]:
        """Return the objects of items that no target needs; one that cannot be read is no error."""
        found = []
        for index in range(len(self.source)):
            if index not in self.held and not kinds.isdisjoint(self.source.kinds(index)):
                found += self.readable(index)
        return found

    def readable(self, index: int) -> list[Object]:
        """Return the objects of one item that no target needs, none if it cannot be read."""
        if index not in self.held:
            try:
                self.held[index] = self.source.objects(index)
            except InputError as error:
                if not isinstance(error, DocumentError):
                    error = DocumentError(str(error))
                self.unreadable[index] = error
                return []
        return self.held[index]

    def take(self, index: int) -> list[Object]:
        held = self.held.pop(index, None)
        return self.source.objects(index) if held is None else held
