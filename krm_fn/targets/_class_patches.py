"""The variable and the patches of a ClusterClass, as they are to be and as they are in it.

They are known by their names, and everything else in their lists is someone else's. An operation is as small as its
cause: another proxy changes the default of the variable only.

Our patches are behind those of others. Where others were added behind ours, ours stay where they are as long as the
others take nothing out; else ours move to the end.

Source: Cluster API ``api/core`` v1beta1 and v1beta2, ``clusterclass_types.go``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import replace as changed
from typing import Any

from krm_fn.krm.results import Change, Finding, Severity
from krm_fn.krm.type_errors import wrong_type
from krm_fn.patch import APPEND, ListEdit, Pointer, add, lookup, remove, replace
from krm_fn.settings import ProxySettings
from krm_fn.targets._around import TargetContext
from krm_fn.targets._class_nodes import Eraser, Nodes, erasers, nodes_of
from krm_fn.targets._class_operations import ADDITIONS, EMPTY_LISTS, LISTS, NODES, front, patches
from krm_fn.targets._class_templates import VARIABLE
from krm_fn.targets._class_variable import definition_of

DEFAULT = ("schema", "openAPIV3Schema", "default")
PATCHES = (EMPTY_LISTS, ADDITIONS, LISTS, NODES)

_BEHIND = PATCHES[1:]
_VARIABLES = ("spec", "variables")
_PATCHES = ("spec", "patches")


def propose(
    obj: Mapping[str, Any], settings: ProxySettings, around: TargetContext
) -> Iterator[Change | Finding]:
    """Yield what a ClusterClass lacks or has too much; ``settings`` are the default of the variable."""
    wrong = list(_wrong(obj))
    yield from wrong
    if wrong:
        return
    others, moved = _others(obj, around)
    is_wanted = around.is_wanted or around.is_behind
    found = list(nodes_of(obj, around, others.entries[: others.split])) if is_wanted else []
    problems = [one for one in found if isinstance(one, Finding)]
    nodes = [one for one in found if isinstance(one, Nodes)]
    if is_wanted and not found:
        message = "it names no templates, so there is nothing to patch: leave it out with `spec.selector.exclude`"
        problems.append(Finding(Severity.ERROR, message, ("spec",)))
    if any(one.severity is Severity.ERROR for one in problems):
        yield from (_at(one, others.old_index) for one in problems)
        return
    kept = [] if settings.is_declared or around.is_wanted else _ours(obj)
    arranged = _arranged(others, nodes, around, kept)
    yield from (
        _at(one, arranged.new_index)
        for one in [*problems, *(_reasons(obj, around, moved) if nodes else ())]
    )
    if settings.is_declared or around.is_wanted:
        yield from _variables(
            obj, [definition_of(settings, around)] if nodes and around.is_wanted else []
        )
    yield from _rearranged(obj, arranged, is_moved=bool(moved))


def erasers_of(obj: Mapping[str, Any], around: TargetContext) -> list[Eraser]:
    """The operations of others that take out what the templates of a class are to hold.

    Their paths name the index of a patch among those of others.
    """
    held = lookup(obj, _PATCHES)
    others = [entry for entry in (held if isinstance(held, list) else ()) if _name(entry) is None]
    return list(erasers(obj, around, others))


@dataclass(frozen=True)
class _Others:
    """The patches of others: ``indices`` are theirs in the class, and ours follow on the first ``split`` of them."""

    entries: list[Any]
    indices: list[int]
    split: int

    def old_index(self, number: int) -> int:
        """Where the class has the patch ``number``."""
        return self.indices[number]


def _others(obj: Mapping[str, Any], around: TargetContext) -> tuple[_Others, list[Eraser]]:
    """The patches of others, and those behind ours that make ours move."""
    held = list(enumerate(lookup(obj, _PATCHES) or ()))
    others = [(index, entry) for index, entry in held if lookup(entry, ("name",)) not in PATCHES]
    ours = [index for index, entry in held if lookup(entry, ("name",)) in _BEHIND]
    entries, indices = [entry for _, entry in others], [index for index, _ in others]
    split = len(others)
    moved: list[Eraser] = []
    if ours and ours[-1] - ours[0] == len(ours) - 1:
        split = sum(index < ours[0] for index in indices)
        moved = [_shifted(one, split) for one in erasers(obj, around, entries[split:])]
    return _Others(entries, indices, len(others) if moved else split), moved


def _shifted(one: Eraser, number: int) -> Eraser:
    return changed(one, field=changed(one.field, patch=one.field.patch + number))


@dataclass(frozen=True)
class _Arranged:
    """All patches of a class as they are to be: ``before`` is where ours in front are, after so many of others."""

    entries: list[Any]
    before: int | None
    split: int
    behind: int

    def new_index(self, number: int) -> int:
        """Where the patch ``number`` of others will be."""
        in_front = self.before is not None and number >= self.before
        return number + in_front + (self.behind if number >= self.split else 0)


def _arranged(
    others: _Others, nodes: Sequence[Nodes], around: TargetContext, kept: Sequence[tuple[int, Any]]
) -> _Arranged:
    """All patches; ``kept`` are ours that stay as they are, because nothing says which proxy there is to be."""
    first = front(nodes, around)
    before = min(one.first_writer for one in nodes if one.front) if first else None
    behind = patches(nodes, around)
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
    obj: Mapping[str, Any], around: TargetContext, moved: Sequence[Eraser]
) -> Iterator[Finding]:
    """Why a class is patched that the user did not choose, and why our patches are moved."""
    if moved:
        yield from (_reason(one, f"so `{NODES}` is moved behind it") for one in moved)
    elif not around.is_chosen:
        found = erasers_of(obj, around)
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
    """A finding about a patch of others, which names its number among these, with its index in the class."""
    if finding.path[:2] != _PATCHES or len(finding.path) == len(_PATCHES):
        return finding
    return changed(finding, path=(*_PATCHES, str(index(int(finding.path[2]))), *finding.path[3:]))


def _wrong(obj: Mapping[str, Any]) -> Iterator[Finding]:
    spec = obj.get("spec")
    if spec is not None and not isinstance(spec, Mapping):
        yield wrong_type(("spec",), spec, "a mapping")
        return
    for path in (_VARIABLES, _PATCHES):
        held = lookup(obj, path)
        if held is not None and not isinstance(held, list):
            yield wrong_type(path, held, "a list")


def _variables(obj: Mapping[str, Any], wanted: Sequence[dict[str, Any]]) -> Iterator[Change]:
    """Our variable, as it is wanted, or gone."""
    entries, edit = lookup(obj, _VARIABLES) or (), ListEdit(_VARIABLES, lookup(obj, _VARIABLES))
    ours = [
        (index, entry)
        for index, entry in enumerate(entries)
        if lookup(entry, ("name",)) == VARIABLE
    ]
    if len(ours) == len(wanted):
        for (index, there), entry in zip(ours, wanted, strict=True):
            yield from _updated((*_VARIABLES, str(index)), there, entry)
        return
    edit.removed = {index for index, _ in ours}
    edit.appended = list(wanted)
    message = f"{'adds' if wanted else 'removes'} the variable `{VARIABLE}`"
    yield from (Change(operation, message) for operation in edit.operations())


def _rearranged(obj: Mapping[str, Any], arranged: _Arranged, *, is_moved: bool) -> Iterator[Change]:
    """Our patches as they are wanted and where they are wanted, or gone."""
    entries, wanted = lookup(obj, _PATCHES) or [], arranged.entries
    if [_name(entry) for entry in entries] == [_name(entry) for entry in wanted]:
        for index, entry in enumerate(wanted):
            if _name(entry):
                yield from _updated((*_PATCHES, str(index)), entries[index], entry)
        return
    gone = [index for index, entry in enumerate(entries) if _name(entry)]
    added = [index for index, entry in enumerate(wanted) if _name(entry)]
    verb = "moves" if is_moved else "adds" if added else "removes"
    names = [_name(wanted[index]) for index in added] or [_name(entries[index]) for index in gone]
    reported = f"{verb} the patches {', '.join(f'`{name}`' for name in dict.fromkeys(names))}"
    if len(gone) == len(entries):  # nothing of others
        edit = ListEdit(_PATCHES, lookup(obj, _PATCHES))
        edit.removed, edit.appended = set(gone), wanted
        operations = edit.operations()
    else:
        operations = [remove(*_PATCHES, index) for index in reversed(gone)]
        length = len(entries) - len(gone)
        for index in added:
            operations.append(
                add(*_PATCHES, APPEND if index == length else index, value=wanted[index])
            )
            length += 1
    yield from (
        Change(operation, reported, current=reported, proposed=reported) for operation in operations
    )


def _name(entry: Any) -> str | None:
    """The name of a patch of ours; None for one of others."""
    name = lookup(entry, ("name",))
    return str(name) if name in PATCHES else None


def _updated(path: Pointer, there: Any, wanted: Any) -> Iterator[Change]:
    """The least that makes an entry what it is to be."""
    default, name = lookup(wanted, DEFAULT), wanted["name"]
    if there == wanted:
        return
    if (
        default is not None
        and lookup(there, DEFAULT) is not None
        and _but_default(there) == _but_default(wanted)
    ):
        message = f"changes the default of the variable `{name}`, which Clusters get that are made from now on"
        yield Change(replace(*path, *DEFAULT, value=default), message)
    else:
        yield Change(
            replace(*path, value=wanted), f"brings `{name}` up to date", current=name, proposed=name
        )


def _but_default(variable: Any) -> Any:
    schema = {**variable["schema"]["openAPIV3Schema"], "default": None}
    return {**variable, "schema": {**variable["schema"], "openAPIV3Schema": schema}}
