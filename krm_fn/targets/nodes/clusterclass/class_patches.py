"""Simulates the patches of a ClusterClass on one list of one of its templates.

Input: ``spec.patches`` of a class, the nodes whose template is patched, the path of a list in that
template and what it holds. Output: what can be said of the list once the patches ran, whatever
the variables of a Cluster say: a patch with ``enabledIf`` may run or not. What a variable or a Go
template of a patch yields is not known, only that a list that is written whole is a list, and which
members a mapping has whose lines begin with them.

A path on which Cluster API's engine fails (an entry is added to a list that is not there) makes no
nodes, so it does not count.

Sources: Cluster API 1.11, ``internal/controllers/topology/cluster/patches/inline`` (selectors,
``enabledIf``, the order of operations) and ``internal/webhooks/patch_validation.go`` (a patch adds
to a list at its beginning or its end, and neither replaces nor removes a single entry).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from krm_fn.light_typing import Any, NamedTuple
from krm_fn.patch import Pointer, lookup

SELECTORS = {
    "machineDeployments": "machineDeploymentClass",
    "machinePools": "machinePoolClass",
}
"""Section of ``spec.workers`` -> the member of ``matchResources`` that names its classes."""


class NodeClass(NamedTuple):
    """One sort of nodes of a class: section and name of its workers, "" for the control plane.

    ``api_version`` and ``kind`` are those of the reference to their template.
    """

    section: str
    name: str
    api_version: str
    kind: str


@dataclass(frozen=True)
class PatchField:
    """A field of a patch: ``patch`` is its index in the list that was simulated."""

    patch: int
    path: Pointer


class Written(NamedTuple):
    """A value that a patch may write into the list: ``text`` where a Go template makes it.

    ``is_first``: it is put at the beginning of the list.
    """

    field: PatchField
    value: Any = None
    text: str = ""
    is_first: bool = False

    def may_be_file(self, path: str) -> bool:
        """Return whether this may be a file with that path.

        A Go template that contains the path counts.
        """
        return lookup(self.value, ("path",)) == path or path in self.text


class ListState(NamedTuple):
    """What is known of the list, of all paths together.

    Attributes:
        may_be_missing: on some path it is not there, or null.
        may_be_list: on some path it is a list.
        may_hold_entries: on some path it has an entry.
        kept: the indices of the entries of the template that are there on every path.
        possible: those that are there on some path.
        added: what patches may have written.
        erasers: the operations that may write or remove the list as a whole.
        writers: the patches that may change it in any way.
        unseen: a runtime extension that may have made a list that was not there.
        may_be_null: Go templates that may render to nothing in its place.
    """

    may_be_missing: bool
    may_be_list: bool
    may_hold_entries: bool
    kept: frozenset[int] = frozenset()
    possible: frozenset[int] = frozenset()
    added: tuple[Written, ...] = ()
    erasers: tuple[PatchField, ...] = ()
    writers: tuple[int, ...] = ()
    unseen: int | None = None
    may_be_null: tuple[PatchField, ...] = ()

    @property
    def is_list(self) -> bool:
        """Whether there is a list to which an entry can be added, on every path."""
        return not self.may_be_missing

    @property
    def is_empty(self) -> bool:
        """Whether an empty list can be written without a loss, on every path."""
        return not self.may_hold_entries


class _Write(NamedTuple):
    """One operation: ``value`` is None where it is not known or where the operation removes."""

    field: PatchField
    op: str
    path: Pointer
    value: Any = None
    text: str = ""
    is_known: bool = False


class _NodePatch(NamedTuple):
    """The operations of a patch that concern the nodes."""

    writes: tuple[_Write, ...] = ()
    is_certain: bool = True
    is_external: bool = False


def of_template(entries: Sequence[Any] | None) -> ListState:
    """Return the state of a list before any patch: None for one that is missing or null.

    An empty one may be missing: the API server drops it (``omitempty``).
    """
    if not entries:
        return ListState(
            may_be_missing=True, may_be_list=bool(entries is not None), may_hold_entries=False
        )
    return ListState(
        may_be_missing=False,
        may_be_list=True,
        may_hold_entries=True,
        kept=frozenset(range(len(entries))),
        possible=frozenset(range(len(entries))),
    )


def state_of_started_list() -> ListState:
    """Return the state of a list that a patch has just made empty."""
    return ListState(may_be_missing=False, may_be_list=True, may_hold_entries=False)


def simulate(
    patches: Sequence[Any], nodes: NodeClass, path: Pointer, state: ListState
) -> ListState:
    """Return the state of the list at ``path`` of the template of ``nodes`` after the patches, in order.

    Args:
        patches: entries of ``spec.patches``; what has a wrong shape does nothing.
        nodes: the nodes of the template.
        path: where the list is in the template.
        state: what is known of the list before.
    """
    for index, patch in enumerate(patches):
        state = _after(state, index, _read(patch, index, nodes), path)
    return state


def _after(state: ListState, index: int, patch: _NodePatch, path: Pointer) -> ListState:
    if patch.is_external:
        return _after_extension(state, index)
    after = state
    for write in patch.writes:
        after = _written(after, write, path)
    if after is state:
        return state
    after = after._replace(writers=(*after.writers, index))
    return after if patch.is_certain else _joined(state, after)


def _after_extension(state: ListState, index: int) -> ListState:
    """Return the state after a runtime extension, which is assumed to keep entries, and may create others."""
    if not state.may_be_missing:
        return state
    return state._replace(may_be_list=True, may_hold_entries=True, unseen=index)


def _joined(one: ListState, other: ListState) -> ListState:
    """Return what is known if either state may be true; ``other`` is the later one."""
    return other._replace(
        may_be_missing=one.may_be_missing or other.may_be_missing,
        may_be_list=one.may_be_list or other.may_be_list,
        may_hold_entries=one.may_hold_entries or other.may_hold_entries,
        kept=one.kept & other.kept,
        possible=one.possible | other.possible,
        added=(*one.added, *(new for new in other.added if new not in one.added)),
    )


def _written(state: ListState, write: _Write, path: Pointer) -> ListState:
    if write.path == path[: len(write.path)]:
        return _whole(state, write, path[len(write.path) :])
    if write.path[: len(path)] != path or len(write.path) > len(path) + 1:
        return state
    if write.op != "add":  # of a single entry: Cluster API takes no such class
        return state._replace(kept=frozenset(), erasers=(*state.erasers, write.field))
    return state._replace(
        may_be_missing=False,
        may_be_list=True,
        may_hold_entries=True,
        added=(
            *state.added,
            Written(write.field, write.value, write.text, is_first=write.path[-1] == "0"),
        ),
        may_be_null=(),
    )


def _whole(state: ListState, write: _Write, inner: Pointer) -> ListState:
    """Return the state after the list, or a mapping around it, was written or removed."""
    erased = state._replace(
        kept=frozenset(),
        possible=frozenset(),
        added=(),
        erasers=(*state.erasers, write.field),
        unseen=None,
        may_be_null=(),
    )
    if write.op == "remove":
        return erased._replace(may_be_missing=True, may_be_list=False, may_hold_entries=False)
    if not write.is_known:
        members = _members(write.text) if inner else None
        if members is not None and inner[0] not in members:
            return erased._replace(may_be_missing=True, may_be_list=False, may_hold_entries=False)
        is_list = not inner or (members is not None and inner[1:] == () and members[inner[0]])
        may_be_null = members is None and _may_render_nothing(write.text)
        return erased._replace(
            may_be_missing=not is_list,
            may_be_list=True,
            may_hold_entries=True,
            added=(Written(write.field, text=write.text),),
            may_be_null=(write.field,) if may_be_null else (),
        )
    held = lookup(write.value, inner)
    if not isinstance(held, list):
        return erased._replace(may_be_missing=True, may_be_list=False, may_hold_entries=False)
    return erased._replace(
        may_be_missing=False,
        may_be_list=True,
        may_hold_entries=bool(held),
        added=tuple(Written(write.field, entry) for entry in held),
    )


def _may_render_nothing(text: str) -> bool:
    """Return whether a Go template may render no entry, depending on the variables."""
    return text != "" and not text.lstrip().startswith(("-", "["))


_MEMBER = r"""(["']?)([A-Za-z][\w-]*)\1:(?:\s+(.*))?"""
_CONTROL = r"\{\{-?\s*(?:if|else|end|with|range|\$\w+\s*:?=|/\*)[^}]*\}\}\s*"


def _members(text: str) -> dict[str, bool] | None:
    """Return the members of the mapping that a Go template renders to, whatever the variables are.

    The value says of each whether it is a list with entries in any case. None where the members cannot be told,
    as where an action renders some of them.
    """
    found: dict[str, bool] = {}
    lines = [line for line in text.splitlines() if line.strip()]
    is_conditional = False
    for line, following in pairwise([*lines, ""]):
        if re.fullmatch(_CONTROL, line):
            is_conditional = True
        elif member := re.fullmatch(_MEMBER, line):
            found[member[2]] = not member[3] and following.lstrip().startswith("- ")
        elif not found or not line.startswith((" ", "- ", "#")):
            return None
    if not found:
        return None
    return dict.fromkeys(found, False) if is_conditional else found


def _read(patch: Any, index: int, nodes: NodeClass) -> _NodePatch:
    if not isinstance(patch, Mapping):
        return _NodePatch()
    if isinstance(patch.get("external"), Mapping):
        return _NodePatch(is_external=True)
    condition = patch.get("enabledIf")
    is_conditional = isinstance(condition, str) and condition != ""
    if isinstance(condition, str) and is_conditional and "{{" not in condition:
        is_conditional = False
        if condition.strip() != "true":
            return _NodePatch()
    return _NodePatch(tuple(_writes(patch, index, nodes)), is_certain=not is_conditional)


def _writes(patch: Mapping[str, Any], index: int, nodes: NodeClass) -> Iterator[_Write]:
    for number, definition in _items(patch.get("definitions")):
        if not _matches(lookup(definition, ("selector",)), nodes):
            continue
        for at, operation in _items(lookup(definition, ("jsonPatches",))):
            path, op = lookup(operation, ("path",)), lookup(operation, ("op",))
            if isinstance(path, str) and op in ("add", "replace", "remove"):
                patch_field = PatchField(
                    index, ("definitions", str(number), "jsonPatches", str(at))
                )
                yield _write(operation, str(op), _pointer(path), patch_field)


def _write(operation: Any, op: str, path: Pointer, patch_field: PatchField) -> _Write:
    text = lookup(operation, ("valueFrom", "template"))
    return _Write(
        patch_field,
        op,
        path,
        value=lookup(operation, ("value",)),
        text=text if isinstance(text, str) else "",
        is_known=lookup(operation, ("valueFrom",)) is None,
    )


def _matches(selector: Any, nodes: NodeClass) -> bool:
    """Return whether a definition applies to the nodes' template (``matchesSelector`` of Cluster API)."""
    if lookup(selector, ("apiVersion",)) != nodes.api_version:
        return False
    if lookup(selector, ("kind",)) != nodes.kind:
        return False
    matched = lookup(selector, ("matchResources",))
    if not nodes.section:
        return lookup(matched, ("controlPlane",)) is True
    names = lookup(matched, (SELECTORS.get(nodes.section, ""), "names"))
    return any(_fits(name, nodes.name) for _, name in _items(names))


def _fits(pattern: Any, name: str) -> bool:
    """Return whether a pattern matches.

    Cluster API accepts one ``*``, at the beginning or at the end.
    """
    if not isinstance(pattern, str):
        return False
    if pattern.startswith("*") and name.endswith(pattern[1:]):
        return True
    if pattern.endswith("*") and name.startswith(pattern[:-1]):
        return True
    return pattern == name


def _items(value: Any) -> Iterator[tuple[int, Any]]:
    yield from enumerate(value) if isinstance(value, list) else ()


def _pointer(text: str) -> Pointer:
    """Return a JSON Pointer (RFC 6901) as a path: ``/a~1b/0`` -> ``("a/b", "0")``."""
    return tuple(token.replace("~1", "/").replace("~0", "~") for token in text.split("/")[1:])
