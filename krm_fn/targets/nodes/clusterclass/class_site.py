"""Our variable and our patches in a ClusterClass: the wanted ones, and those that are there.

They are recognised by their names. Ours are behind those of others, but for one: ``inject-proxy-empty-lists`` runs
before the patches of others that may or may not write a list, so that there is one in the end whatever they do.

Source: Cluster API ``api/core`` v1beta1 and v1beta2, ``clusterclass_types.go``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from krm_fn.engine import Draft
from krm_fn.krm.results import Finding
from krm_fn.krm.type_errors import wrong_type
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.patch import list_at, lookup, named_items
from krm_fn.places.members import CAMEL
from krm_fn.places.place import Place
from krm_fn.places.reading import Reading, quoted
from krm_fn.settings import ProxySettings
from krm_fn.targets.class_context import ClassContext
from krm_fn.targets.nodes.clusterclass.foreign_patches import SELECTORS, is_ours
from krm_fn.targets.nodes.clusterclass.names import (
    ADDITIONS,
    EMPTY_LISTS,
    LISTS,
    NODES,
    VARIABLE,
    Possibility,
)
from krm_fn.targets.nodes.clusterclass.node_patches import (
    NodePatches,
    erasers_of,
    node_patches,
    references,
)
from krm_fn.targets.nodes.clusterclass.variable import definition_of, enabled_if

_DEFAULT = ("schema", "openAPIV3Schema", "default")
_VARIABLES = ("spec", "variables")
_PATCHES = ("spec", "patches")


class ClassPlan(NamedTuple):
    """What a class has to have.

    Attributes:
        patches: all of them, in order; None where something is in the way, so that the class stays as it is.
        has_nodes: whether there are nodes that ours are for.
        findings: what the user should know.
    """

    patches: Sequence[Any] | None
    has_nodes: bool
    findings: Sequence[Finding]


def plan(obj: Mapping[str, Any], class_context: ClassContext) -> ClassPlan:
    """Return what a ClusterClass has to have."""
    wrong = [
        wrong_type(path, lookup(obj, path), "a list")
        for path in (_VARIABLES, _PATCHES)
        if lookup(obj, path) is not None and not isinstance(lookup(obj, path), list)
    ]
    if wrong:
        return ClassPlan(None, False, wrong)
    answers: list[NodePatches | Finding] = []
    if class_context.is_wanted or class_context.is_behind:
        answers = [*node_patches(obj, class_context)]
        if not any(references(obj)):
            message = "it names no templates, so there is nothing to patch: leave it out with `spec.selector.exclude`"
            answers.append(Finding.of("ByHand", message, ("spec",)))
    problems = [sort for sort in answers if isinstance(sort, Finding)]
    sorts = [sort for sort in answers if isinstance(sort, NodePatches)]
    if any(problem.is_stale for problem in problems):
        return ClassPlan(None, False, problems)
    problems += _reasons(obj, class_context) if sorts else []
    has_nodes = any(sort.front or sort.common or sort.lists or sort.own for sort in sorts)
    patches = _with_ours(obj, sorts, class_context)
    return ClassPlan(patches, has_nodes, [_moved(problem, obj, patches) for problem in problems])


def _moved(finding: Finding, obj: Mapping[str, Any], patches: Sequence[Any]) -> Finding:
    """Return a finding about a patch of others with the index that it has among the new patches."""
    if finding.path[:2] != _PATCHES:
        return finding
    old = lookup(obj, finding.path[:3])
    index = next(index for index, patch in enumerate(patches) if patch is old)
    return finding._replace(path=(*_PATCHES, str(index), *finding.path[3:]))


def _with_ours(
    obj: Mapping[str, Any], sorts: Sequence[NodePatches], class_context: ClassContext
) -> list[Any]:
    """Return the patches of others with ours: the empty lists in front of the first that writes one, the rest behind."""  # noqa: E501
    front = _patch(EMPTY_LISTS, "front", sorts, _condition_of_front(sorts, class_context))
    first = min((index for sort in sorts for index in sort.writers), default=0)
    before: list[Any] = []
    behind: list[Any] = []
    for index, patch in enumerate(list_at(obj, _PATCHES)):
        if not is_ours(patch):
            (before if index < first else behind).append(patch)
    return [*before, *front, *behind, *_patches_behind(sorts, class_context)]


def _reasons(obj: Mapping[str, Any], class_context: ClassContext) -> Iterator[Finding]:
    """Yield why a class is patched that the user did not choose."""
    if class_context.is_chosen:
        return
    erasers = [*erasers_of(obj, class_context)]
    for eraser, key in erasers:
        message = f"this patch erases what the template has in `{key}`, so the proxy is in `{NODES}` behind it"
        path = (*_PATCHES, str(eraser.patch), *eraser.field)
        yield Finding.of("ClassPatched", message, path)
    if not erasers:
        message = f"it shares a template with a class whose patches erase, so the proxy is in the patch `{NODES}`"
        yield Finding.of("ClassPatched", message, ("spec",))


def _condition_of_front(sorts: Sequence[NodePatches], class_context: ClassContext) -> str:
    return "" if any(sort.common for sort in sorts) else enabled_if(class_context)


def _patches_behind(
    sorts: Sequence[NodePatches], class_context: ClassContext
) -> Iterator[dict[str, Any]]:
    """Yield our patches behind those of others, in order."""
    condition = enabled_if(class_context)
    yield from _patch(ADDITIONS, "common", sorts, "")
    yield from _patch(LISTS, "lists", sorts, condition)
    yield from _patch(NODES, "own", sorts, condition)


def _patch(
    name: str, member: str, sorts: Sequence[NodePatches], condition: str
) -> list[dict[str, Any]]:
    """Return the patch of a name; nodes that need the same share a definition. Empty if it has nothing to do."""
    groups: dict[str, list[NodePatches]] = {}
    for sort in sorts:
        operations = getattr(sort, member)
        if operations:
            alike = (sort.nodes.api_version, sort.nodes.kind, not sort.nodes.section, operations)
            groups.setdefault(repr(alike), []).append(sort)
    definitions = [
        {"selector": _selector(alike), "jsonPatches": list(getattr(alike[0], member))}
        for alike in groups.values()
    ]
    enabled = {"enabledIf": condition} if condition else {}
    return [{"name": name, **enabled, "definitions": definitions}] if definitions else []


def _selector(alike: Sequence[NodePatches]) -> dict[str, Any]:
    first = alike[0].nodes
    matched: dict[str, Any] = {} if first.section else {"controlPlane": True}
    for section, member in SELECTORS.items():
        names = [sort.nodes.name for sort in alike if sort.nodes.section == section]
        if names:
            matched[member] = {"names": names}
    return {"apiVersion": first.api_version, "kind": first.kind, "matchResources": matched}


def places(
    obj: Mapping[str, Any], settings: ProxySettings, class_context: ClassContext
) -> Iterator[Place | Finding]:
    """Yield the variable and the patches of a ClusterClass; ``settings`` are the default of the variable."""
    wanted_plan = plan(obj, class_context)
    yield from wanted_plan.findings
    is_declared = settings.is_declared or class_context.is_wanted or class_context.is_behind
    if wanted_plan.patches is None or not is_declared:
        return
    is_defined = wanted_plan.has_nodes and class_context.is_wanted
    definition = definition_of(settings, class_context) if is_defined else None
    yield Place(_VARIABLES, Definition(definition), f"the variable `{VARIABLE}`", 1, is_trust=True)
    yield Place(_PATCHES, Patches(wanted_plan.patches), "the patches", is_trust=True)


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


def possibility(obj: Mapping[str, Any], class_context: ClassContext) -> Possibility:
    """Return whether a ClusterClass can be patched."""
    wanted_plan = plan(obj, class_context)
    if wanted_plan.patches is None:
        return Possibility.IN_THE_WAY
    return Possibility.PATCHED if wanted_plan.has_nodes else Possibility.NOTHING
