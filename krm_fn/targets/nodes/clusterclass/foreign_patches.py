"""The groups of nodes of a ClusterClass, and what the patches of others do to one list of their templates.

A patch with ``enabledIf`` may run or not. A path on which Cluster API's engine fails (an entry is added to a list that
is not there) makes no nodes, so it does not count.

Sources: Cluster API ``internal/controllers/topology/cluster/patches/inline`` (selectors, ``enabledIf``, the order of
operations) and ``internal/webhooks/patch_validation.go`` (a patch adds to a list at its beginning or its end, and
neither replaces nor removes a single entry); ``api/core`` v1beta1 (``template.bootstrap.ref``) and v1beta2
(``bootstrap.templateRef``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from krm_fn.light_typing import Any, GroupKind, NamedTuple
from krm_fn.patch import Data, Pointer, list_at, lookup, pointer_of, text_at
from krm_fn.products.cluster_api import OUR_PATCHES

SELECTORS = {"machineDeployments": "machineDeploymentClass", "machinePools": "machinePoolClass"}
"""Section of ``spec.workers`` -> the member of ``matchResources`` that names its classes."""
_BOOTSTRAPS = (("template", "bootstrap"), ("bootstrap",))


class NodeGroup(NamedTuple):
    """One group of nodes of a class, and its reference to their template.

    Attributes:
        section: that of its workers in ``spec.workers``; "" for the control plane.
        name: that of its workers; "" for the control plane.
        api_version: that of the template.
        kind: that of the template.
        template: the name of the template.
        path: leads to the reference in the class.
    """

    section: str
    name: str
    api_version: str
    kind: str
    template: str
    path: Pointer

    @property
    def group_kind(self) -> GroupKind:
        """API group and kind of the template."""
        return self.api_version.partition("/")[0], self.kind

    @property
    def called(self) -> str:
        """What messages call the template."""
        return f'the {self.kind} "{self.template}"'


def node_groups(obj: Data) -> Iterator[NodeGroup]:
    """Yield the groups of nodes of a class."""
    holders: list[tuple[str, str, Pointer]] = [("", "", ("spec", "controlPlane"))]
    for section in SELECTORS:
        workers = ("spec", "workers", section)
        for index, worker in enumerate(list_at(obj, workers)):
            name = text_at(worker, ("class",))
            if not name:
                continue
            for steps in _BOOTSTRAPS:
                holder = (*workers, str(index), *steps)
                holders.append((section, name, holder))
    for section, name, holder in holders:
        for member in ("ref", "templateRef"):
            path = (*holder, member)
            version, kind, template = (
                text_at(obj, (*path, key)) for key in ("apiVersion", "kind", "name")
            )
            if kind:
                yield NodeGroup(section, name, version, kind, template, path)


class ForeignOperation(NamedTuple):
    """One operation on the template of some nodes.

    Attributes:
        patch: the index of its patch among those of others.
        field: leads to it in the patch; () for a runtime extension, which may do anything but erase.
        op: ``add``, ``replace`` or ``remove``; "" for a runtime extension.
        path: leads to what it changes in the template.
        value: what it writes; None where that is not known.
        text: the Go template that makes the value; "" for none.
        is_certain: it runs for every Cluster.
    """

    patch: int
    field: Pointer
    op: str
    path: Pointer = ("",)
    value: Any = None
    text: str = ""
    is_certain: bool = True

    def is_whole(self, path: Pointer) -> bool:
        """Return whether the list at ``path`` is written or removed as a whole, or something around it."""
        return self.path == path[: len(self.path)]

    def is_entry(self, path: Pointer) -> bool:
        """Return whether an entry is added to the list at ``path``."""
        start = self.path[: len(path)]
        return start == path and self.path != path

    def leaves_list(self, path: Pointer) -> bool | None:
        """Return whether there is a list at ``path`` after this wrote it as a whole; None where that depends."""
        inner = path[len(self.path) :]
        if self.op == "remove":
            return False
        if self.text and inner:
            name = re.escape(inner[0])
            if not re.search(rf"(?m)^[\"']?{name}[\"']?:", self.text):
                return False
            if re.search(r"\{\{-?\s*(?:if|with|range)\b", self.text):
                return None
            return len(inner) == 1
        if not inner:
            return self.value is None or isinstance(self.value, list)
        return isinstance(lookup(self.value, inner), list)


class ListState(NamedTuple):
    """What is known of a list after the patches.

    Attributes:
        is_there: whether there is a list; None where that depends on a Cluster.
        erasers: the operations that write or remove it as a whole.
    """

    is_there: bool | None
    erasers: tuple[ForeignOperation, ...] = ()


def is_ours(patch: Any) -> bool:
    """Return whether a patch is one of ours."""
    return lookup(patch, ("name",)) in OUR_PATCHES


def others_in(obj: Data) -> list[Any]:
    """Return the patches of a class that are not ours."""
    return [patch for patch in list_at(obj, ("spec", "patches")) if not is_ours(patch)]


def written_path(obj: Data, paths: Iterable[str], kind: str = "") -> str:
    """Return the first of some paths of files that the patches of others write, too; "" for none.

    Args:
        obj: the ClusterClass.
        paths: the paths of our files.
        kind: that of the templates that count; "" for all.
    """
    theirs = ""
    for patch in others_in(obj):
        for definition in list_at(patch, ("definitions",)):
            if kind in ("", lookup(definition, ("selector", "kind"))):
                theirs += str(lookup(definition, ("jsonPatches",)))
    for path in paths:
        escaped = re.escape(path)
        if re.search(rf"path[\"'\\]*:? *[\"'\\]*{escaped}(?![\w./-])", theirs):
            return path
    return ""


def state_after(
    operations: Sequence[ForeignOperation], path: Pointer, *, is_there: bool = True
) -> ListState:
    """Return the state of the list at ``path`` of a template after some operations.

    Args:
        operations: those on the template.
        path: leads to the list.
        is_there: whether there is a list before.
    """
    state: bool | None = is_there
    erasers: list[ForeignOperation] = []
    for operation in operations:
        if not operation.op:
            state = state or None
        elif operation.is_whole(path):
            after = operation.leaves_list(path)
            if operation.is_certain:
                state = after
            elif after != state:
                state = None
            erasers.append(operation)
        elif operation.is_entry(path) and operation.is_certain:
            state = True
    return ListState(state, tuple(erasers))


def operations_on(obj: Data, nodes: NodeGroup) -> list[ForeignOperation]:
    """Return what the patches of others do to the template of some nodes, in order; a wrong shape does nothing."""
    operations: list[ForeignOperation] = []
    for index, patch in enumerate(others_in(obj)):
        condition = text_at(patch, ("enabledIf",))
        is_certain = "{{" not in condition
        if isinstance(lookup(patch, ("external",)), Mapping):
            operations.append(ForeignOperation(index, (), ""))
        elif not condition or not is_certain or condition.strip() == "true":
            operations += _of_patch(index, patch, nodes, is_certain=is_certain)
    return operations


def _of_patch(
    index: int, patch: Any, nodes: NodeGroup, *, is_certain: bool
) -> Iterator[ForeignOperation]:
    for number, definition in enumerate(list_at(patch, ("definitions",))):
        if not _selects(lookup(definition, ("selector",)), nodes):
            continue
        for at, fields in enumerate(list_at(definition, ("jsonPatches",))):
            op = text_at(fields, ("op",))
            path = text_at(fields, ("path",))
            if not path or op not in ("add", "replace", "remove"):
                continue
            yield ForeignOperation(
                index,
                ("definitions", str(number), "jsonPatches", str(at)),
                op,
                pointer_of(path),
                lookup(fields, ("value",)),
                text_at(fields, ("valueFrom", "template")),
                is_certain,
            )


def _selects(selector: Any, nodes: NodeGroup) -> bool:
    """Return whether a selector selects the template of the nodes (``matchesSelector`` of Cluster API)."""
    if lookup(selector, ("apiVersion",)) != nodes.api_version:
        return False
    if lookup(selector, ("kind",)) != nodes.kind:
        return False
    if not nodes.section:
        return lookup(selector, ("matchResources", "controlPlane")) is True
    member = SELECTORS[nodes.section]
    patterns = list_at(selector, ("matchResources", member, "names"))
    return any(_fits(pattern, nodes.name) for pattern in patterns)


def _fits(pattern: Any, name: str) -> bool:
    """Return whether a pattern with one ``*``, at the beginning or at the end, matches."""
    if not isinstance(pattern, str):
        return False
    if pattern.startswith("*"):
        return name.endswith(pattern[1:])
    if pattern.endswith("*"):
        return name.startswith(pattern[:-1])
    return pattern == name
