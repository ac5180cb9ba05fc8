"""What the patches of a ClusterClass do to the templates of its nodes.

The law of this room: nodes of one sort get one definition. What depends on what a template holds is one patch, and what
is the same for all another, so that the templates stand there as seldom as can be.

Source: Cluster API ``api/core`` v1beta1 and v1beta2, ``clusterclass_types.go``; its engine applies the operations one
after another with ``evanphx/json-patch``, which adds to no list that is not there.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any

from krm_fn.patch import render_pointer
from krm_fn.targets import _class_templates, _restart, _systemd_secret, kubeadm_commands
from krm_fn.targets._around import Around
from krm_fn.targets._class_nodes import UNITS, Nodes, enabled
from krm_fn.targets._drop_in_seen import path_of

LISTS, NODES = "inject-proxy-lists", "inject-proxy-nodes"

_FILES, _COMMANDS = "files", "preKubeadmCommands"
_SELECTORS = {"machineDeployments": "machineDeploymentClass", "machinePools": "machinePoolClass"}

_Operations = list[dict[str, Any]]


def patches(nodes: Sequence[Nodes], around: Around) -> list[dict[str, Any]]:
    """The patches that a class with these nodes needs, in their order."""
    made = {
        LISTS: _definitions(nodes, lambda one: one.sort, lambda one: list(_starts(one, around))),
        NODES: _definitions(nodes, lambda one: one.place, lambda one: list(_additions(one, around))),
    }
    return [
        {"name": name, "enabledIf": _class_templates.ENABLED_IF, "definitions": definitions}
        for name, definitions in made.items()
        if definitions
    ]


def started(one: Nodes, around: Around) -> Iterator[str]:
    """The paths of the lists that the patches start in the template of some nodes."""
    paths = (str(operation["path"]) for operation in _starts(one, around))
    yield from (path for path in paths if not path.endswith("/-"))


def _definitions(
    nodes: Sequence[Nodes], sort: Callable[[Nodes], Hashable], operations: Callable[[Nodes], _Operations]
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
    for section, member in _SELECTORS.items():
        names = [one.name for one in alike if one.section == section]
        matched |= {member: {"names": names}} if names else {}
    return {"apiVersion": alike[0].api_version, "kind": alike[0].kind, "matchResources": matched}


def _starts(one: Nodes, around: Around) -> Iterator[dict[str, Any]]:
    at_work = enabled(around)
    if not one.has_files and at_work.keys() & UNITS.keys():
        yield _add(one, _FILES, value=[])
    options = at_work.get(kubeadm_commands.ID, {"exports": False, "restart": False})
    restart = [_restart.COMMAND] if one.needs_restart and options.get("restart", True) else []
    if not one.has_commands and (restart or options.get("exports", True)):
        yield _add(one, _COMMANDS, value=restart)
    elif restart:
        yield _add(one, _COMMANDS, "-", value=restart[0])


def _additions(one: Nodes, around: Around) -> Iterator[dict[str, Any]]:
    for name, options in enabled(around).items():
        if name in UNITS:
            yield _add(one, _FILES, "-", valueFrom={"template": _file(UNITS[name], options)})
        elif options.get("exports", True):
            yield _add(one, _COMMANDS, "-", valueFrom={"template": _class_templates.exports()})


def _add(one: Nodes, *steps: str, **value: Any) -> dict[str, Any]:
    return {"op": "add", "path": render_pointer((*one.path, *steps)), **value}


def _file(unit: str, options: Mapping[str, Any]) -> str:
    is_secret = options.get("content") == "Secret"
    attributes = {
        "path": path_of(options, unit, ()),
        "owner": str(options.get("owner", "root:root")),
        "permissions": str(options.get("permissions", "0600" if is_secret else "0640")),
    }
    if is_secret:
        return _class_templates.secret_drop_in(attributes, _systemd_secret.name_for(""), _systemd_secret.KEYS[unit])
    return _class_templates.drop_in(attributes)
