"""Our variable and our patches in a ClusterClass: the wanted ones, and those that are there.

They are recognised by their names. Ours are behind those of others, but for one: ``inject-proxy-empty-lists`` runs
before them, so that a list that they may or may not write is there in the end.

Source: Cluster API ``api/core`` v1beta1 and v1beta2, ``clusterclass_types.go``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from krm_fn.clusters import ObjectIndex
from krm_fn.engine import Draft, WrongTypeError
from krm_fn.krm.results import Result
from krm_fn.light_typing import Any, Fields, NamedTuple
from krm_fn.patch import Data, lookup, named_items
from krm_fn.places.members import CAMEL
from krm_fn.places.place import Place
from krm_fn.places.reading import Reading, quoted
from krm_fn.settings import ProxySettings
from krm_fn.targets.base import Places
from krm_fn.targets.class_context import ClassContext, ClassPlan
from krm_fn.targets.nodes.clusterclass.foreign_patches import (
    SELECTORS,
    NodeGroup,
    is_ours,
    others_in,
)
from krm_fn.targets.nodes.clusterclass.listed_class import ListedClass
from krm_fn.targets.nodes.clusterclass.names import (
    ADDITIONS,
    EMPTY_LISTS,
    LISTS,
    NODES,
    PATCHES,
    VARIABLE,
    VARIABLES,
)
from krm_fn.targets.nodes.clusterclass.node_patches import NodePatches, node_patches
from krm_fn.targets.nodes.clusterclass.variable import definition_of, enabled_if

_DEFAULT = ("schema", "openAPIV3Schema", "default")


def plan(listed: ListedClass, templates: ObjectIndex[Data]) -> ClassPlan:
    """Return the patches that a class has to have.

    Args:
        listed: the class.
        templates: the objects that belong to classes that are patched, and to nothing else.
    """
    obj = listed.obj.data
    draft = Draft(obj)
    try:
        draft.items(VARIABLES)
        draft.items(PATCHES)
    except WrongTypeError as error:
        return ClassPlan(None, findings=[error.finding])
    groups: list[NodePatches] = []
    findings: list[Result] = []
    if listed.is_wanted or listed.repairs_erased:
        groups += node_patches(listed, templates)
    for group in groups:
        findings += group.findings
    if any(finding.is_stale for finding in findings):
        return ClassPlan(None, findings=findings)
    condition = enabled_if(listed.context())
    front = [*_patch(EMPTY_LISTS, groups, condition)]
    behind: list[Any] = []
    for name in (ADDITIONS, LISTS, NODES):
        behind += _patch(name, groups, condition)
    has_nodes = bool(front or behind)
    if has_nodes and not listed.is_chosen:
        findings += _reasons(listed, len(front))
    return ClassPlan([*front, *others_in(obj), *behind], has_nodes, findings)


def _reasons(listed: ListedClass, shift: int) -> Iterator[Result]:
    """Yield why a class is patched that the user did not choose; ``shift``: so many patches are before the others."""
    for eraser, key in listed.erasers:
        message = f"this patch erases what the template has in `{key}`, so the proxy is in `{NODES}` behind it"
        path = (*PATCHES, str(eraser.patch + shift), *eraser.field)
        yield Result.of("ClassPatched", message, path)
    if not listed.erasers:
        message = f"it shares a template with a class whose patches erase, so the proxy is in the patch `{NODES}`"
        yield Result.of("ClassPatched", message, ("spec",))


def _patch(name: str, groups: Sequence[NodePatches], condition: str) -> Iterator[Fields]:
    """Yield our patch of a name, if it has anything to do; nodes that need the same share a definition."""
    alike: dict[str, list[NodePatches]] = {}
    for group in groups:
        if name in group.operations:
            nodes = group.nodes
            key = (nodes.api_version, nodes.kind, not nodes.section, group.operations[name])
            alike.setdefault(repr(key), []).append(group)
    if not alike:
        return
    patch: Fields = {"name": name}
    has_additions = any(ADDITIONS in group.operations for group in groups)
    if not has_additions or name not in (EMPTY_LISTS, ADDITIONS):
        patch["enabledIf"] = condition
    patch["definitions"] = [
        {
            "selector": _selector([group.nodes for group in equal]),
            "jsonPatches": equal[0].operations[name],
        }
        for equal in alike.values()
    ]
    yield patch


def _selector(nodes: Sequence[NodeGroup]) -> Fields:
    """Return what selects the templates of some groups of nodes of one kind."""
    first = nodes[0]
    matched: Fields = {}
    if not first.section:
        matched["controlPlane"] = True
    for section, member in SELECTORS.items():
        names = [group.name for group in nodes if group.section == section]
        if names:
            matched[member] = {"names": names}
    return {"apiVersion": first.api_version, "kind": first.kind, "matchResources": matched}


def places(obj: Data, settings: ProxySettings, class_context: ClassContext) -> Places:
    """Yield the variable and the patches of a ClusterClass; ``settings`` are the default of the variable."""
    class_plan = class_context.plan or ClassPlan(others_in(obj))
    yield from class_plan.findings
    is_asked = class_context.is_wanted or class_context.repairs_erased
    if class_plan.patches is None or not (settings.is_declared or is_asked):
        return
    definition = None
    if class_plan.has_nodes and class_context.is_wanted:
        definition = definition_of(settings, class_context)
    if settings.is_declared or not named_items(obj, VARIABLES, VARIABLE):
        label = f"the variable `{VARIABLE}`"
        yield Place(VARIABLES, Definition(definition), label, 1, is_trust=True)
    yield Place(PATCHES, Patches(class_plan.patches), "the patches", is_trust=True)


class Definition(NamedTuple):
    """The definition of our variable among those of a class; None for none."""

    wanted: Fields | None

    def read(self, data: Any, place: Place) -> Iterator[Reading]:
        """Yield what the default of the variable says, with the names that Cluster API fills in."""
        for entry in named_items(data, place.path, VARIABLE):
            default = Place((*entry, *_DEFAULT), CAMEL, place.label)
            yield from CAMEL.read(data, default)

    def write(self, draft: Draft, place: Place, settings: ProxySettings) -> None:
        """Define the variable, or remove it."""
        wanted = []
        missing = self.wanted
        for item in draft.items(place.path):
            if lookup(item, ("name",)) != VARIABLE:
                wanted.append(item)
            elif missing is not None:
                wanted.append(missing)
                missing = None
        if missing is not None:
            wanted.append(missing)
        draft.set_items(place.path, wanted)


class Patches(NamedTuple):
    """All patches of a class; what ours write is in the variable."""

    wanted: Sequence[Any]

    def read(self, data: Any, place: Place) -> Iterator[Reading]:
        """Yield nothing."""
        yield from ()

    def write(self, draft: Draft, place: Place, settings: ProxySettings) -> None:
        """Make the patches what they have to be."""
        edits = draft.edits
        draft.set_items(place.path, self.wanted)
        if draft.edits == edits:
            return
        names = [str(patch["name"]) for patch in self.wanted if is_ours(patch)]
        if names:
            draft.describe(f"sets the patches {quoted(names)}")
        else:
            draft.describe("removes our patches")
