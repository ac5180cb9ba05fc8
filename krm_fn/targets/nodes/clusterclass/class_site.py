"""Our variable and our patches in a ClusterClass: the wanted ones, and those that are there.

They are recognised by their names; all others in their lists have another author. An operation is as small as its
cause: another proxy changes the default of the variable only.

Our patches are behind those of others. Where others were added behind ours, ours stay where they are as long as the
others take nothing out; else ours move to the end.

Source: Cluster API ``api/core`` v1beta1 and v1beta2, ``clusterclass_types.go``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import replace as changed
from functools import cached_property

from krm_fn.carriers.cluster_variables import named
from krm_fn.carriers.reading import Reading
from krm_fn.carriers.site import SiteWithoutVariables, Variables, quoted
from krm_fn.carriers.three_keys import CAMEL, ThreeKeys
from krm_fn.engine import Draft
from krm_fn.krm.results import Finding, Severity
from krm_fn.krm.type_errors import wrong_type
from krm_fn.light_typing import Any
from krm_fn.patch import lookup
from krm_fn.products.cluster_api import OUR_PATCHES
from krm_fn.settings import ProxySettings
from krm_fn.targets.class_context import ClassContext
from krm_fn.targets.nodes.clusterclass.definitions import front, patches
from krm_fn.targets.nodes.clusterclass.names import (
    EMPTY_LISTS,
    LISTS,
    NODES,
    VARIABLE,
    Possibility,
)
from krm_fn.targets.nodes.clusterclass.node_operations import (
    Eraser,
    Nodes,
    erasers,
    names_templates,
    nodes_of,
)
from krm_fn.targets.nodes.clusterclass.variable import definition_of

DEFAULT = ("schema", "openAPIV3Schema", "default")
_BEHIND = OUR_PATCHES[1:]
_VARIABLES = ("spec", "variables")
_PATCHES = ("spec", "patches")


class ClassEdit:
    """What a ClusterClass has to have: worked out once for the sites of its variable and of its patches.

    Args:
        draft: the data of the ClusterClass.
        settings: the default of the variable.
        class_context: what is known of the list.
    """

    def __init__(self, draft: Draft, settings: ProxySettings, class_context: ClassContext) -> None:
        self.draft = draft
        self.settings = settings
        self.class_context = class_context

    @property
    def is_declared(self) -> bool:
        """Return whether something says which proxy there has to be, so that what is there may change."""
        return self.settings.is_declared or self.class_context.is_wanted

    @cached_property
    def arranged(self) -> _Arranged | None:
        """Return the patches as they have to be.

        None where something is in the way, so that the class stays as it is. What is wrong is reported.
        """
        obj, class_context = self.draft.data, self.class_context
        if not self._has_lists():
            return None
        others, moved = _others(obj, class_context)
        is_wanted = class_context.is_wanted or class_context.is_behind
        ours = [entry for _, entry in _ours(obj)]
        found = (
            list(nodes_of(obj, class_context, others.entries[: others.split], ours))
            if is_wanted
            else []
        )
        problems = [one for one in found if isinstance(one, Finding)]
        nodes = [one for one in found if isinstance(one, Nodes)]
        if is_wanted and not found and not names_templates(obj):
            message = (
                "it names no templates, so there is nothing to patch: leave it out with "
                "`spec.selector.exclude`"
            )
            problems.append(Finding(Severity.WARNING, message, ("spec",), code="NothingToPatch"))
        if any(one.is_stale for one in problems):
            self.draft.findings += [_at(one, others.old_index) for one in problems]
            return None
        kept = [] if self.is_declared else _ours(obj)
        arranged = _arranged(others, nodes, class_context, kept)
        if nodes:
            problems += _reasons(obj, class_context, moved)
        self.draft.findings += [_at(one, arranged.new_index) for one in problems]
        return changed(
            arranged, has_nodes=any(one.is_patched for one in nodes), is_moved=bool(moved)
        )

    def _has_lists(self) -> bool:
        """Return whether variables and patches can be read; report what is of a wrong type."""
        spec = self.draft.get(("spec",))
        if spec is not None and not isinstance(spec, Mapping):
            self.draft.findings.append(wrong_type(("spec",), spec, "a mapping"))
            return False
        is_right = True
        for path in (_VARIABLES, _PATCHES):
            held = self.draft.get(path)
            if held is not None and not isinstance(held, list):
                self.draft.findings.append(wrong_type(path, held, "a list"))
                is_right = False
        return is_right


class VariableDefinition:
    """The variable in a ClusterClass, as a site."""

    label = f"the variable `{VARIABLE}`"

    def __init__(self, edit: ClassEdit) -> None:
        self._edit = edit
        self._draft = edit.draft

    def read(self) -> Iterator[Reading]:
        """Yield what the default of the variable says, with the names that Cluster API fills in."""
        for entry in named(self._draft.data, _VARIABLES, VARIABLE):
            yield from ThreeKeys((*entry, *DEFAULT), CAMEL, self.label).read(self._draft.data)

    def write(self, variables: Variables) -> None:
        """Define the variable, or remove it, as the ClusterClass needs it, whatever the variables are."""
        edit = self._edit
        if edit.arranged is None or not edit.is_declared:
            return
        is_wanted = edit.arranged.has_nodes and edit.class_context.is_wanted
        wanted = [definition_of(edit.settings, edit.class_context)] if is_wanted else []
        old = self._draft.get(_VARIABLES) or []
        ours = [index for index, one in enumerate(old) if lookup(one, ("name",)) == VARIABLE]
        if len(ours) == len(wanted):
            for index, definition in zip(ours, wanted, strict=True):
                if old[index] != definition:
                    self._draft.set((*_VARIABLES, str(index)), definition)
                    self._draft.describe(
                        f"changes the variable `{VARIABLE}`, whose default Clusters get that are "
                        "created from now on"
                    )
            return
        others = [one for index, one in enumerate(old) if index not in ours]
        if wanted:
            self._draft.describe(f"adds {self.label}")
        else:
            self._draft.describe(f"removes {self.label}")
        self._draft.set_items(_VARIABLES, [*others, *wanted])


class ClassPatches(SiteWithoutVariables):
    """Our patches in a ClusterClass, as a site; what they write is in the variable."""

    label = "the patches"

    def __init__(self, edit: ClassEdit) -> None:
        self._edit = edit
        self._draft = edit.draft

    def write(self, variables: Variables) -> None:
        """Make the patches what they have to be and put them where they belong, whatever the variables are."""
        arranged = self._edit.arranged
        if arranged is None:
            return
        old, wanted = self._draft.get(_PATCHES) or [], arranged.entries
        names_before, names = list(map(_name, old)), list(map(_name, wanted))
        if names_before == names:
            for name, before, after in zip(names, old, wanted, strict=True):
                if name and before != after:
                    self._draft.describe(f"updates the patch `{name}`")
            self._draft.set_items(_PATCHES, wanted, range(len(wanted)))
            return
        # The patches of others keep their order; ours have no origin, so that they can have any place.
        of_others = (index for index, name in enumerate(names_before) if name is None)
        origins = [None if name else next(of_others) for name in names]
        verb = "removes"
        if any(names):
            verb = "moves" if arranged.is_moved else "adds"
        concerned = [name for name in names if name] or [name for name in names_before if name]
        self._draft.describe(f"{verb} the patches {quoted(concerned)}")
        self._draft.set_items(_PATCHES, wanted, origins)


def sites(
    draft: Draft, settings: ProxySettings, class_context: ClassContext
) -> Iterator[VariableDefinition | ClassPatches]:
    """Yield the variable and the patches of a ClusterClass.

    ``settings`` are the default of the variable.
    """
    edit = ClassEdit(draft, settings, class_context)
    yield VariableDefinition(edit)
    yield ClassPatches(edit)


def possibility(
    obj: Mapping[str, Any], settings: ProxySettings, class_context: ClassContext
) -> Possibility:
    """Return whether a ClusterClass can be patched; ``settings`` are the default of the variable."""
    arranged = ClassEdit(Draft(obj), settings, class_context).arranged
    if arranged is None:
        return Possibility.IN_THE_WAY
    return Possibility.PATCHED if arranged.has_nodes else Possibility.NOTHING


def erasers_of(obj: Mapping[str, Any], class_context: ClassContext) -> list[Eraser]:
    """Return the operations of others that remove what the templates of a class must hold.

    Their paths name the index of a patch among those of others.
    """
    held = lookup(obj, _PATCHES)
    if not isinstance(held, list):
        held = []
    others = [entry for entry in held if _name(entry) is None]
    return list(erasers(obj, class_context, others))


@dataclass(frozen=True)
class _Others:
    """The patches of others: ``indices`` are theirs in the class, and ours follow on the first ``split`` of them."""

    entries: list[Any]
    indices: list[int]
    split: int

    def old_index(self, number: int) -> int:
        """Return the index of the patch ``number`` in the class before the edit."""
        return self.indices[number]


def _others(obj: Mapping[str, Any], class_context: ClassContext) -> tuple[_Others, list[Eraser]]:
    """Return the patches of others, and those behind ours that require ours to move."""
    held = list(enumerate(lookup(obj, _PATCHES) or ()))
    others = [
        (index, entry) for index, entry in held if lookup(entry, ("name",)) not in OUR_PATCHES
    ]
    ours = [index for index, entry in held if lookup(entry, ("name",)) in _BEHIND]
    entries, indices = [entry for _, entry in others], [index for index, _ in others]
    split = len(others)
    moved: list[Eraser] = []
    if ours and ours[-1] - ours[0] == len(ours) - 1:
        split = sum(index < ours[0] for index in indices)
        moved = [_shifted(one, split) for one in erasers(obj, class_context, entries[split:])]
    return _Others(entries, indices, len(others) if moved else split), moved


def _shifted(one: Eraser, number: int) -> Eraser:
    return changed(one, field=changed(one.field, patch=one.field.patch + number))


@dataclass(frozen=True)
class _Arranged:
    """All patches of a class as they are to be.

    Attributes:
        entries: the patches.
        before: where ours in front are, after so many of others; None for none.
        split: so many of others are in front of the rest of our own.
        behind: how many of our own are there.
        has_nodes: whether there are nodes that the patches are for.
        is_moved: whether ours move behind a patch of others that erases.
    """

    entries: list[Any]
    before: int | None
    split: int
    behind: int
    has_nodes: bool = False
    is_moved: bool = False

    def new_index(self, number: int) -> int:
        """Return the index of the patch ``number`` of others after the edit."""
        index = number
        if self.before is not None and number >= self.before:
            index += 1
        if number >= self.split:
            index += self.behind
        return index


def _arranged(
    others: _Others,
    nodes: Sequence[Nodes],
    class_context: ClassContext,
    kept: Sequence[tuple[int, Any]],
) -> _Arranged:
    """Return all patches in order.

    ``kept`` are ours that stay, because no proxy is declared for them.
    """
    first = front(nodes, class_context)
    before = min(one.first_writer for one in nodes if one.front) if first else None
    behind = patches(nodes, class_context)
    for index, entry in kept:
        if _name(entry) in (LISTS, NODES):
            behind.append(entry)
        elif _name(entry) == EMPTY_LISTS and not first:
            first, before = entry, sum(other < index for other in others.indices)
    entries = [*others.entries[: others.split], *behind, *others.entries[others.split :]]
    if first and before is not None:
        entries.insert(before, first)
    return _Arranged(entries, before, others.split, len(behind))


def _ours(obj: Mapping[str, Any]) -> list[tuple[int, Any]]:
    held = lookup(obj, _PATCHES) or ()
    return [(index, entry) for index, entry in enumerate(held) if _name(entry)]


def _reasons(
    obj: Mapping[str, Any], class_context: ClassContext, moved: Sequence[Eraser]
) -> Iterator[Finding]:
    """Yield why a class is patched that the user did not choose, and why our patches move."""
    if moved:
        yield from (_reason(one, f"so `{NODES}` is moved behind it") for one in moved)
    elif not class_context.is_chosen:
        found = erasers_of(obj, class_context)
        yield from (_reason(one, f"so the proxy is in `{NODES}` behind it") for one in found)
        if not found:
            message = (
                "a template of this class belongs to another class, too, whose patches erase what the template holds: "
                f"the proxy is in the patch `{NODES}`"
            )
            yield Finding(Severity.INFO, message, ("spec",), code="ClassPatched")


def _reason(one: Eraser, consequence: str) -> Finding:
    message = f"this patch erases what the template has in `{one.key}`, {consequence}"
    return Finding(Severity.INFO, message, one.path, code="ClassPatched")


def _at(finding: Finding, index: Any) -> Finding:
    """Return a finding about a patch of others with the index of that patch in the class."""
    if finding.path[:2] != _PATCHES or len(finding.path) == len(_PATCHES):
        return finding
    return finding._replace(path=(*_PATCHES, str(index(int(finding.path[2]))), *finding.path[3:]))


def _name(entry: Any) -> str | None:
    """Return the name of one of our patches; None for one of others."""
    name = lookup(entry, ("name",))
    return str(name) if name in OUR_PATCHES else None
