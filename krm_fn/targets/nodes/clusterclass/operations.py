"""What our patches of a ClusterClass do to the templates of its nodes.

Nodes of one sort get one definition. What depends on what a template holds is one patch, and what is the same for all
another, so that the texts of the Go templates are there as seldom as can be.

``inject-proxy-empty-lists`` runs before the patches of others that may or may not write a list, so that there is one in
the end whatever they do. All others run behind them.

Source: Cluster API ``api/core`` v1beta1 and v1beta2, ``clusterclass_types.go``; its engine applies the operations one
after another with ``evanphx/json-patch``, which adds to no list that is not there.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any

from krm_fn.carriers import drop_in_secret
from krm_fn.patch import render_pointer
from krm_fn.targets.class_context import ClassContext
from krm_fn.targets.nodes import kubeadm_commands, service_restart
from krm_fn.targets.nodes.clusterclass import templates
from krm_fn.targets.nodes.clusterclass.class_patches import SELECTORS
from krm_fn.targets.nodes.clusterclass.names import ADDITIONS, EMPTY_LISTS, LISTS, NODES
from krm_fn.targets.nodes.clusterclass.nodes import COMMANDS, FILES, UNITS, Nodes, enabled
from krm_fn.targets.nodes.clusterclass.variable import enabled_if
from krm_fn.targets.nodes.drop_in_file import BY_REFERENCE, path_of

_Operations = list[dict[str, Any]]


def front(nodes: Sequence[Nodes], class_context: ClassContext) -> dict[str, Any] | None:
    """Return the patch that creates lists before the patches of others run, if the class needs one."""
    definitions = _definitions(nodes, lambda one: (*one.place, one.front), _fronts)
    if not definitions:
        return None
    is_for_all = any(one.files or one.commands for one in nodes)
    return _patch(EMPTY_LISTS, definitions, "" if is_for_all else enabled_if(class_context))


def patches(nodes: Sequence[Nodes], class_context: ClassContext) -> list[dict[str, Any]]:
    """Return the patches that a class with these nodes needs behind those of others, in order."""
    additions = _definitions(nodes, lambda one: one.sort, lambda one: list(_common(one)))
    needed = [_patch(ADDITIONS, additions)] if additions else []
    if not class_context.is_wanted:
        return needed
    lists = _definitions(nodes, lambda one: one.sort, lambda one: list(_starts(one, class_context)))
    own = _definitions(
        nodes,
        lambda one: (one.place, one.exports_first, one.runtime),
        lambda one: list(_additions(one, class_context)),
    )
    if lists:
        needed.append(_patch(LISTS, lists, enabled_if(class_context)))
    if own:
        needed.append(_patch(NODES, own, enabled_if(class_context)))
    return needed


def _patch(name: str, definitions: list[dict[str, Any]], condition: str = "") -> dict[str, Any]:
    """Return a patch for the Clusters for which ``condition`` is true, "" for all."""
    patch: dict[str, Any] = {"name": name}
    if condition:
        patch["enabledIf"] = condition
    patch["definitions"] = definitions
    return patch


def _definitions(
    nodes: Sequence[Nodes],
    sort: Callable[[Nodes], Hashable],
    operations: Callable[[Nodes], _Operations],
) -> list[dict[str, Any]]:
    groups: dict[Hashable, list[Nodes]] = {}
    for one in nodes:
        groups.setdefault((sort(one), not one.section), []).append(one)
    return [
        {"selector": _selector(alike), "jsonPatches": done}
        for alike in groups.values()
        if (done := operations(alike[0]))
    ]


def _selector(alike: Sequence[Nodes]) -> dict[str, Any]:
    matched: dict[str, Any] = {} if alike[0].section else {"controlPlane": True}
    for section, member in SELECTORS.items():
        names = [one.name for one in alike if one.section == section]
        matched |= {member: {"names": names}} if names else {}
    return {"apiVersion": alike[0].api_version, "kind": alike[0].kind, "matchResources": matched}


def _fronts(one: Nodes) -> _Operations:
    return [_add(one, key, value=[]) for key in one.front]


def _common(one: Nodes) -> Iterator[dict[str, Any]]:
    """Yield the entries that are the same for all Clusters, in lists that they create if necessary."""
    for key, is_there, entries in (
        (FILES, one.has_files, one.files),
        (COMMANDS, one.has_commands, one.commands),
    ):
        if entries and not is_there:
            yield _add(one, key, value=[])
        yield from (_add(one, key, "-", value=entry) for entry in entries)


def _starts(one: Nodes, class_context: ClassContext) -> Iterator[dict[str, Any]]:
    at_work = enabled(class_context)
    if not (one.has_files or one.files) and at_work.keys() & UNITS.keys():
        yield _add(one, FILES, value=[])
    options = at_work.get(kubeadm_commands.TARGET.id, {"exports": False, "restart": False})
    restart = []
    if one.needs_restart and options.get("restart", True):
        restart = [service_restart.command(one.runtime)]
    has_commands = one.has_commands or bool(one.commands)
    if not has_commands and (restart or options.get("exports", True)):
        yield _add(one, COMMANDS, value=restart)
    elif restart:
        yield _add(one, COMMANDS, "0" if one.restart_first else "-", value=restart[0])


def _additions(one: Nodes, class_context: ClassContext) -> Iterator[dict[str, Any]]:
    for name, options in enabled(class_context).items():
        if name in UNITS:
            yield _add(one, FILES, "-", valueFrom={"template": _file(one.unit(name), options)})
        elif options.get("exports", True):
            place = "0" if one.exports_first else "-"
            yield _add(one, COMMANDS, place, valueFrom={"template": templates.exports()})


def _add(one: Nodes, *steps: str, **value: Any) -> dict[str, Any]:
    return {"op": "add", "path": render_pointer((*one.path, *steps)), **value}


def _file(unit: str, options: Mapping[str, Any]) -> str:
    """Return the Go template of a drop-in.

    It has the attributes that ``DropIn`` gives to a new entry of a template.
    """
    path = {"path": path_of(options, unit, ())}
    if options.get("content") == BY_REFERENCE:
        owner = {"owner": str(options["owner"])} if options.get("owner") else {}
        permissions = {"permissions": str(options.get("permissions", "0600"))}
        key = drop_in_secret.key_of(unit)
        return templates.secret_drop_in(
            {**path, **owner, **permissions}, drop_in_secret.name_for(""), key
        )
    owner = {"owner": str(options.get("owner", "root:root"))}
    permissions = {"permissions": str(options.get("permissions", "0640"))}
    return templates.drop_in({**path, **owner, **permissions})
