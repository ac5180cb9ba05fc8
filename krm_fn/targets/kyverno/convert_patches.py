"""What a rule does to ``env`` of containers, read from its patches, as far as a CEL expression can do the same.

Sources: ``pkg/engine/mutate`` of Kyverno 1.19. A strategic merge writes the entries of the patch in front of those of
the container, and an entry replaces the one of the same name (``tests/kyverno/converted``). Kyverno creates ``env``
where a JSON Patch adds to a missing one; the JSON Patch of a MutatingPolicy would fail there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum

from krm_fn.light_typing import Any
from krm_fn.patch import Pointer, lookup
from krm_fn.targets.kyverno import json_patches
from krm_fn.targets.kyverno.cel_text import LISTS
from krm_fn.targets.kyverno.convert_match import (
    any_of,
    matches,
    negated,
)
from krm_fn.targets.kyverno.convert_shape import refuse
from krm_fn.targets.kyverno.policy_rules import (
    POD_SPECS,
    STEPS,
    ContextEntry,
    PolicyRule,
    StrategicMergePatch,
    VariableSlot,
    mentions,
    patches,
)
from krm_fn.targets.kyverno.policy_value import Unfillable, find_place, is_dynamic

_LIST_OF_FOREACH = re.compile(r"request\.object\.([\w.]+)\.(\w+)(\s*\|\|\s*`\[\]`)?")
_ELEMENT_NAME = re.compile(r"\{\{\s*element0?\.name\s*\}\}")
_PATH = re.compile(
    r"/(?P<pod>[\w/]+)/(?P<list>\w+)/(?P<index>0|\{\{\s*elementIndex0?\s*\}\})/env(?:/(?P<at>-|[0-9]+))?"
)
_ALTERNATIVE = re.compile(r"(!?)([A-Za-z0-9*?][\w.*?-]*)")


@dataclass(frozen=True)
class EnvEntry:
    """One entry of ``env`` that a policy sets."""

    name: str
    value: str


class Own(Enum):
    """What becomes of the entries that a container has."""

    MERGED = "kept, but for those that the policy sets"
    KEPT = "kept"
    REPLACED = "replaced"


@dataclass(frozen=True)
class EnvEdit:
    """What becomes of ``env`` in one list of containers.

    Attributes:
        pod_spec: leads to the pod specification in the object that is patched.
        containers: ``containers`` or ``initContainers``.
        condition: a CEL expression about the container ``c``; "true" for all.
        is_first_only: only the first container is patched.
        before: entries in front of those of the container.
        own: what becomes of those.
        after: entries behind them.
    """

    pod_spec: Pointer
    containers: str
    own: Own
    condition: str = "true"
    is_first_only: bool = False
    before: tuple[EnvEntry, ...] = ()
    after: tuple[EnvEntry, ...] = ()


def env_edits(rule: PolicyRule) -> list[EnvEdit]:
    """Return what a rule does, in the order in which Kyverno does it.

    Args:
        rule: a rule of a ClusterPolicy or Policy, with the values that it is to have.

    Raises:
        NotConvertibleError: a part of it has no equivalent that is proven.
    """
    path = (*rule.path, "mutate")
    forms = [
        key for key in ("patchStrategicMerge", "patchesJson6902", "foreach") if rule.mutate.get(key)
    ]
    if len(forms) != 1:
        refuse("`mutate` must have one form of a patch", path)
    for entry in rule.fields.get("context") or ():
        _check_context(entry, (*rule.path, "context"))
    if forms == ["patchesJson6902"]:
        return list(_of_text(rule.mutate["patchesJson6902"], (*path, "patchesJson6902"), None))
    merges = {patch.path: patch for patch in patches(rule)}
    if forms == ["patchStrategicMerge"]:
        place = (*path, "patchStrategicMerge")
        return list(_of_merge(merges[place], None))
    found: list[EnvEdit] = []
    for at, entry in enumerate(rule.mutate["foreach"]):
        found += _of_foreach(entry, (*path, "foreach", str(at)), merges)
    return found


def _of_foreach(
    entry: Mapping[str, Any], path: Pointer, merges: Mapping[Pointer, StrategicMergePatch]
) -> Iterator[EnvEdit]:
    """Yield what one entry of ``foreach`` does, which must go through all containers of one list."""
    for one in entry.get("context") or ():
        _check_context(one, (*path, "context"))
    found = _LIST_OF_FOREACH.fullmatch(str(entry.get("list")).strip())
    if found is None:
        refuse("`list` of `foreach` is no list of containers", (*path, "list"))
    of = (tuple(found[1].split(".")), found[2])
    if of[0] not in POD_SPECS or of[1] not in LISTS:
        refuse("`list` of `foreach` is no list of containers", (*path, "list"))
    if of[1] != "containers" and not found[3]:
        reason = f"Kyverno fails on objects without `{of[1]}`: write || `[]` behind the `list` of `foreach`"
        refuse(reason, (*path, "list"))
    merge = merges.get((*path, "patchStrategicMerge"))
    if merge is not None:
        yield from _of_merge(merge, of)
    if entry.get("patchesJson6902"):
        yield from _of_text(entry["patchesJson6902"], (*path, "patchesJson6902"), of)


def _of_merge(patch: StrategicMergePatch, of: tuple[Pointer, str] | None) -> Iterator[EnvEdit]:
    """Yield what a strategic merge patch does; ``of`` is the list that a ``foreach`` goes through."""
    for pod_spec, key, path, items in _container_lists(patch.body, (), patch.path):
        if of is not None and (pod_spec, key) != of:
            refuse("it patches another list than `foreach` goes through", path)
        for at, item in enumerate(items):
            place = (*path, str(at))
            condition = _condition(item, place, is_each=of is not None)
            entries = _entries(item, place, patch.context)
            yield EnvEdit(pod_spec, key, Own.MERGED, condition, before=tuple(entries))


def _container_lists(
    body: Any, steps: Pointer, path: Pointer
) -> Iterator[tuple[Pointer, str, Pointer, list[Any]]]:
    """Yield pod specification, name, path and items of each list of containers; refuse all else."""
    if not isinstance(body, Mapping):
        refuse("a part of its patch has another type than it must have", path)
    for key, value in body.items():
        place = (*path, str(key))
        if key in STEPS:
            yield from _container_lists(value, (*steps, str(key)), place)
        elif key in LISTS and steps in POD_SPECS and isinstance(value, list):
            yield steps, str(key), place, value
        else:
            refuse(f"it patches `{key}`, not only `env` of containers", place)


def _condition(item: Any, path: Pointer, *, is_each: bool) -> str:
    """Return which containers an item of a patch is about, as a CEL expression about ``c``."""
    if not isinstance(item, Mapping):
        refuse("a part of its patch has another type than it must have", path)
    for key in item:
        if key not in ("name", "(name)", "env"):
            refuse(f"it patches `{key}` of containers, not only `env`", (*path, str(key)))
    pattern = item.get("(name)", item.get("name"))
    if "env" not in item or not isinstance(pattern, str):
        refuse("an item for containers needs `(name)` and `env`", path)
    if is_each and _ELEMENT_NAME.fullmatch(pattern.strip()):
        return "true"
    if is_each or "(name)" not in item or "name" in item:
        reason = "Kyverno adds a container where none has the `name`: write `(name)`"
        refuse("it patches other containers than `element`" if is_each else reason, path)
    terms = []
    for one in pattern.split("|"):
        found = _ALTERNATIVE.fullmatch(one.strip())
        if found is None:
            refuse("`(name)` has a pattern of an unknown form", (*path, "(name)"))
        term = matches("c.name", [found[2]])
        terms.append(negated(term) if found[1] else term)
    return any_of(terms)


def _entries(
    item: Mapping[str, Any], path: Pointer, context: tuple[ContextEntry, ...]
) -> list[EnvEntry]:
    given = item["env"]
    if not isinstance(given, list) or not given:
        refuse("`env` is no list of entries", (*path, "env"))
    return [_entry(one, (*path, "env", str(at)), context) for at, one in enumerate(given)]


def _entry(given: Any, path: Pointer, context: tuple[ContextEntry, ...] = ()) -> EnvEntry:
    """Return one entry with its text, context variables followed."""
    if not isinstance(given, Mapping) or not isinstance(given.get("name"), str):
        refuse("an entry of `env` has no plain `name`", path)
    for key, value in given.items():
        if key not in ("name", "value") and (key, value) != ("valueFrom", None):
            refuse(f"an entry of `env` has `{key}`", (*path, str(key)))
    slot = VariableSlot(
        name=given["name"],
        path=(*path, "value"),
        value=given.get("value"),
        from_elsewhere=False,
        pod_spec=(),
        container="",
        context=context,
    )
    place = find_place(slot)
    if isinstance(place, Unfillable):
        refuse(f"`{slot.name}` is not known here: {place.reason}", place.path)
    if not isinstance(place.value, str) or is_dynamic(place.value) or is_dynamic(slot.name):
        refuse(f"Kyverno computes `{slot.name}`, or its `value` is no text", place.path)
    return EnvEntry(slot.name, place.value)


def _of_text(text: Any, path: Pointer, of: tuple[Pointer, str] | None) -> Iterator[EnvEdit]:
    """Yield what a JSON Patch does, one edit for each list; ``of`` is the list that a ``foreach`` goes through."""
    operations = json_patches.parsed(text)
    if not isinstance(operations, list) or not operations:
        refuse("`patchesJson6902` is no list of operations", path)
    edits: dict[tuple[Pointer, str], EnvEdit] = {}
    for operation in operations:
        found = _PATH.fullmatch(str(lookup(operation, ("path",))))
        if found is None or lookup(operation, ("op",)) != "add":
            refuse(
                "`patchesJson6902` does more than to add to `env` of all or the first container",
                path,
            )
        target = (tuple(found["pod"].split("/")), found["list"])
        is_each = found["index"] != "0"
        if target[0] not in POD_SPECS or target[1] not in LISTS or is_each is not (of is not None):
            refuse(
                "`patchesJson6902` does more than to add to `env` of all or the first container",
                path,
            )
        if (is_each and target != of) or (not is_each and target[1] != "containers"):
            refuse("`patchesJson6902` patches a list that an object may not have", path)
        edit = edits.get(target, EnvEdit(*target, Own.KEPT, is_first_only=not is_each))
        edits[target] = _with_operation(edit, found["at"], operation.get("value"), path)
    yield from edits.values()


def _with_operation(edit: EnvEdit, at: str | None, value: Any, path: Pointer) -> EnvEdit:
    """Return an edit after one more ``add``: to the end (``-``), at an index, or of the whole list (None)."""
    if at is None:
        if not isinstance(value, list):
            refuse("`patchesJson6902` adds an `env` that is no list", path)
        return replace(
            edit, own=Own.REPLACED, before=tuple(_entry(one, path) for one in value), after=()
        )
    entry = _entry(value, path)
    if at == "-":
        return replace(edit, after=(*edit.after, entry))
    index = int(at)
    if index > len(edit.before):
        refuse("`patchesJson6902` adds behind an entry that a container may not have", path)
    return replace(edit, before=(*edit.before[:index], entry, *edit.before[index:]))


def _check_context(entry: Mapping[str, Any], path: Pointer) -> None:
    """Refuse a context entry that reads something; plain variables are followed where they are used."""
    for key in entry:
        if key not in ("name", "variable"):
            what = {"configMap": "a ConfigMap", "apiCall": "an API call"}.get(str(key), f"`{key}`")
            if mentions(entry, "kubeadm-config"):
                what += (
                    " of kubeadm: let `generate: MutatingPolicy` with `generated.noProxyFrom: KubeadmConfig` add a "
                    "policy that reads it, and delete this one"
                )
            refuse(f"its `context` reads {what}", path)
