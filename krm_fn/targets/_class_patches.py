"""The variable and the patches of a ClusterClass, as they are to be and as they stand in it.

The law of this room: they are known by their names, and everything else in their lists is someone else's. An operation
is as small as its cause: another proxy changes the default of the variable only.

Source: Cluster API ``api/core`` v1beta1 and v1beta2, ``clusterclass_types.go``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from krm_fn import noproxy
from krm_fn.patch import ListEdit, Pointer, lookup, replace
from krm_fn.results import Change, Finding, Severity
from krm_fn.settings import ProxySettings
from krm_fn.targets._around import Around
from krm_fn.targets._class_nodes import Nodes, nodes_of
from krm_fn.targets._class_operations import LISTS, NODES, patches, started
from krm_fn.targets._class_templates import VARIABLE
from krm_fn.targets._shape import wrong_type

DEFAULT = ("schema", "openAPIV3Schema", "default")
PATCHES = (LISTS, NODES)

_VARIABLES = ("spec", "variables")
_PATCHES = ("spec", "patches")


def propose(obj: Mapping[str, Any], settings: ProxySettings, around: Around) -> Iterator[Change | Finding]:
    """Yield what a ClusterClass lacks or has too much; ``settings`` are the default of the variable."""
    found: list[Nodes | Finding] = [*_wrong(obj)]
    found = found or (list(nodes_of(obj, around)) if around.is_wanted else [])
    problems = [one for one in found if isinstance(one, Finding)]
    nodes = [one for one in found if isinstance(one, Nodes)]
    if around.is_wanted and not found:
        message = "it names no templates, so there is nothing to patch: leave it out with `spec.selector.exclude`"
        problems.append(Finding(Severity.ERROR, message, ("spec",)))
    problems += _overwritten(obj, nodes, around)
    yield from problems
    if not any(one.severity is Severity.ERROR for one in problems):
        yield from _edited(obj, _VARIABLES, [_variable(settings)] if nodes else [], (VARIABLE,))
        yield from _edited(obj, _PATCHES, patches(nodes, around), PATCHES)


def value_of(settings: ProxySettings) -> dict[str, Any]:
    """The value of the variable; empty for no proxy."""
    members = {"httpProxy": settings.http_proxy, "httpsProxy": settings.https_proxy}
    found: dict[str, Any] = {name: value for name, value in members.items() if value}
    return {**found, "noProxy": list(noproxy.parse(settings.no_proxy))} if settings.no_proxy else found


def _wrong(obj: Mapping[str, Any]) -> Iterator[Finding]:
    spec = obj.get("spec")
    if spec is not None and not isinstance(spec, Mapping):
        yield wrong_type(("spec",), spec, "a mapping")
        return
    for path in (_VARIABLES, _PATCHES):
        held = lookup(obj, path)
        if held is not None and not isinstance(held, list):
            yield wrong_type(path, held, "a list")


def _edited(
    obj: Mapping[str, Any], path: Pointer, wanted: Sequence[dict[str, Any]], names: tuple[str, ...]
) -> Iterator[Change]:
    """The entries of our names in one list: as they are wanted and in that order, or gone."""
    entries, edit = lookup(obj, path) or (), ListEdit(path, lookup(obj, path))
    ours = [(index, entry) for index, entry in enumerate(entries) if lookup(entry, ("name",)) in names]
    if [entry["name"] for _, entry in ours] == [entry["name"] for entry in wanted]:
        for (index, there), entry in zip(ours, wanted, strict=True):
            yield from _updated((*path, str(index)), there, entry)
        return
    edit.removed = {index for index, _ in ours}
    edit.appended = list(wanted)
    verb, shown = ("adds", wanted) if wanted else ("removes", [entry for _, entry in ours])
    what = f"the {'variable' if path == _VARIABLES else 'patches'}"
    told = f"{verb} {what} {', '.join(f'`{name}`' for name in dict.fromkeys(entry['name'] for entry in shown))}"
    names_only = {"current": told, "proposed": told} if path == _PATCHES else {}
    yield from (Change(operation, told, **names_only) for operation in edit.operations())


def _updated(path: Pointer, there: Any, wanted: Any) -> Iterator[Change]:
    """The least that makes an entry what it is to be."""
    default, name = lookup(wanted, DEFAULT), wanted["name"]
    if there == wanted:
        return
    if default is not None and lookup(there, DEFAULT) is not None and _but_default(there) == _but_default(wanted):
        message = f"changes the default of the variable `{name}`, which Clusters get that are made from now on"
        yield Change(replace(*path, *DEFAULT, value=default), message)
    else:
        yield Change(replace(*path, value=wanted), f"brings `{name}` up to date", current=name, proposed=name)


def _but_default(variable: Any) -> Any:
    schema = {**variable["schema"]["openAPIV3Schema"], "default": None}
    return {**variable, "schema": {**variable["schema"], "openAPIV3Schema": schema}}


def _variable(settings: ProxySettings) -> dict[str, Any]:
    text = {"type": "string"}
    schema = {
        "description": "The proxy of the nodes; without httpProxy and httpsProxy they have none.",
        "type": "object",
        "properties": {
            "httpProxy": dict(text),
            "httpsProxy": dict(text),
            "noProxy": {
                "description": "What is reached directly; builtin.cluster.network.* is what the Cluster says.",
                "type": "array",
                "items": dict(text),
            },
        },
        "default": value_of(settings),
    }
    return {"name": VARIABLE, "required": False, "schema": {"openAPIV3Schema": schema}}


def _overwritten(obj: Mapping[str, Any], nodes: Sequence[Nodes], around: Around) -> Iterator[Finding]:
    """Patches before ours that may write a list whole: whether it is there then, cannot be told from the template."""
    lacking = {path for one in nodes for path in started(one, around)}
    for index, other in enumerate(lookup(obj, _PATCHES) or () if lacking else ()):
        if lookup(other, ("name",)) in PATCHES:
            return
        is_external = lookup(other, ("external", "generateExtension")) is not None
        where = sorted(lacking if is_external else lacking & set(_written(other)))
        if where:
            message = (
                f"this patch may write `{where[0]}` before the patch `{LISTS}` starts that list: give each template of "
                "the class an entry in it, then both add to it"
            )
            yield Finding(Severity.ERROR, message, (*_PATCHES, str(index)))


def _written(patch: Any) -> Iterator[str]:
    definitions = lookup(patch, ("definitions",))
    for definition in definitions if isinstance(definitions, list) else ():
        operations = lookup(definition, ("jsonPatches",))
        paths = (lookup(each, ("path",)) for each in (operations if isinstance(operations, list) else ()))
        yield from (path for path in paths if isinstance(path, str))
