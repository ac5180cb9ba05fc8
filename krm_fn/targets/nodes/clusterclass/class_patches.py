"""Our variable and our patches in a ClusterClass: the wanted ones, and those that are there.

They are recognised by their names. Ours are behind those of others, but for one: ``inject-proxy-empty-lists`` runs
before them, so that a list that they may or may not write is there in the end.

Source: Cluster API ``api/core`` v1beta1 and v1beta2, ``clusterclass_types.go``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from krm_fn.engine import Draft
from krm_fn.krm.results import Result
from krm_fn.krm.type_errors import wrong_type
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.patch import lookup, named_items
from krm_fn.places.members import CAMEL
from krm_fn.places.place import Place
from krm_fn.places.reading import Reading, quoted
from krm_fn.products.cluster_api import OUR_PATCHES
from krm_fn.settings import ProxySettings
from krm_fn.targets.class_context import ClassContext
from krm_fn.targets.context import Data
from krm_fn.targets.nodes.clusterclass.foreign_patches import SELECTORS, is_ours, others_in
from krm_fn.targets.nodes.clusterclass.names import (
    ADDITIONS,
    EMPTY_LISTS,
    NODES,
    PATCHES,
    VARIABLE,
    VARIABLES,
)
from krm_fn.targets.nodes.clusterclass.node_patches import (
    NodePatches,
    erasers_of,
    node_patches,
    references,
)
from krm_fn.targets.nodes.clusterclass.variable import definition_of, enabled_if

_DEFAULT = ("schema", "openAPIV3Schema", "default")


class ClassPlan(NamedTuple):
    """What a class has to have.

    Attributes:
        patches: all of them, in order; None where something is in the way, so that the class stays as it is.
        has_nodes: whether there are nodes that ours are for.
        findings: what the user should know.
    """

    patches: Sequence[Any] | None
    has_nodes: bool
    findings: Sequence[Result]


def plan(obj: Data, class_context: ClassContext) -> ClassPlan:
    """Return what a ClusterClass has to have."""
    wrong = [
        wrong_type(path, lookup(obj, path), "a list")
        for path in (VARIABLES, PATCHES)
        if lookup(obj, path) is not None and not isinstance(lookup(obj, path), list)
    ]
    if wrong:
        return ClassPlan(None, False, wrong)
    findings: list[Result] = []
    groups: list[NodePatches] = []
    if class_context.is_wanted or class_context.repairs_erased:
        for answer in node_patches(obj, class_context):
            if isinstance(answer, Result):
                findings.append(answer)
            else:
                groups.append(answer)
        if not any(references(obj)):
            message = "it names no templates, so there is nothing to patch: leave it out with `spec.selector.exclude`"
            findings.append(Result.of("ByHand", message, ("spec",)))
    if any(finding.is_stale for finding in findings):
        return ClassPlan(None, False, findings)
    if groups and not class_context.is_chosen:
        findings += _reasons(obj, class_context)
    ours = [patch for name in OUR_PATCHES for patch in _patch(name, groups, class_context)]
    front = [patch for patch in ours if patch["name"] == EMPTY_LISTS]
    patches = [*front, *others_in(obj), *ours[len(front) :]]
    return ClassPlan(patches, bool(ours), [_moved(finding, len(front)) for finding in findings])


def _moved(finding: Result, by: int) -> Result:
    """Return a finding about a patch of others with the index that it has behind some of ours."""
    if finding.path[:2] != PATCHES:
        return finding
    index, *rest = finding.path[2:]
    return finding._replace(path=(*PATCHES, str(int(index) + by), *rest))


def _reasons(obj: Data, class_context: ClassContext) -> Iterator[Result]:
    """Yield why a class is patched that the user did not choose."""
    erasers = [*erasers_of(obj, class_context)]
    for eraser, key in erasers:
        message = f"this patch erases what the template has in `{key}`, so the proxy is in `{NODES}` behind it"
        path = (*PATCHES, str(eraser.patch), *eraser.field)
        yield Result.of("ClassPatched", message, path)
    if not erasers:
        message = f"it shares a template with a class whose patches erase, so the proxy is in the patch `{NODES}`"
        yield Result.of("ClassPatched", message, ("spec",))


def _patch(
    name: str, groups: Sequence[NodePatches], class_context: ClassContext
) -> Iterator[dict[str, Any]]:
    """Yield our patch of a name, if it has anything to do; nodes that need the same share a definition."""
    alike: dict[str, list[NodePatches]] = {}
    for group in groups:
        if name in group.operations:
            nodes = group.nodes
            key = (nodes.api_version, nodes.kind, not nodes.section, group.operations[name])
            alike.setdefault(repr(key), []).append(group)
    if not alike:
        return
    is_for_all = name == ADDITIONS or (
        name == EMPTY_LISTS and any(ADDITIONS in group.operations for group in groups)
    )
    condition = {} if is_for_all else {"enabledIf": enabled_if(class_context)}
    definitions = [
        {"selector": _selector(of_one), "jsonPatches": [*of_one[0].operations[name]]}
        for of_one in alike.values()
    ]
    yield {"name": name, **condition, "definitions": definitions}


def _selector(groups: Sequence[NodePatches]) -> dict[str, Any]:
    first = groups[0].nodes
    matched: dict[str, Any] = {} if first.section else {"controlPlane": True}
    for section, member in SELECTORS.items():
        names = [group.nodes.name for group in groups if group.nodes.section == section]
        if names:
            matched[member] = {"names": names}
    return {"apiVersion": first.api_version, "kind": first.kind, "matchResources": matched}


def places(
    obj: Data, settings: ProxySettings, class_context: ClassContext
) -> Iterator[Place | Result]:
    """Yield the variable and the patches of a ClusterClass; ``settings`` are the default of the variable."""
    class_plan = plan(obj, class_context)
    yield from class_plan.findings
    is_asked = class_context.is_wanted or class_context.repairs_erased
    if class_plan.patches is None or not (settings.is_declared or is_asked):
        return
    is_defined = class_plan.has_nodes and class_context.is_wanted
    definition = definition_of(settings, class_context) if is_defined else None
    if settings.is_declared or not named_items(obj, VARIABLES, VARIABLE):
        label = f"the variable `{VARIABLE}`"
        yield Place(VARIABLES, Definition(definition), label, 1, is_trust=True)
    yield Place(PATCHES, Patches(class_plan.patches), "the patches", is_trust=True)


class Definition(NamedTuple):
    """The definition of our variable among those of a class; None for none."""

    wanted: dict[str, Any] | None

    def read(self, data: Any, place: Place) -> Iterator[Reading]:
        """Yield what the default of the variable says, with the names that Cluster API fills in."""
        for entry in named_items(data, place.path, VARIABLE):
            yield from CAMEL.read(data, Place((*entry, *_DEFAULT), CAMEL, place.label))

    def write(self, draft: Draft, place: Place, settings: ProxySettings) -> None:
        """Define the variable, or remove it."""
        others = [
            item for item in draft.items(place.path) or () if lookup(item, ("name",)) != VARIABLE
        ]
        entries = named_items(draft.data, place.path, VARIABLE)
        if self.wanted is None:
            draft.set_items(place.path, others)
        elif len(entries) == 1:
            draft.set(entries[0], self.wanted)
        else:
            draft.set_items(place.path, [*others, self.wanted])


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
        if draft.edits > edits:
            names = [str(patch["name"]) for patch in self.wanted if is_ours(patch)]
            draft.describe(f"sets the patches {quoted(names)}" if names else "removes our patches")
