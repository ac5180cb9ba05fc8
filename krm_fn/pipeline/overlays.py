"""Patches in overlays of kustomize that replace a list into which a run writes, or spoil a variable in it.

Kustomize knows no schema of custom resources, so a patch replaces each of their lists as a whole; lists of containers
and their variables it merges by name (``kyaml/openapi``, the schema of Kubernetes that is built in).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product

from krm_fn.krm.resourcelist import ObjectSource
from krm_fn.krm.results import Result, Results
from krm_fn.light_typing import Texts
from krm_fn.patch import Pointer, lookup, pointer_of, text_at
from krm_fn.places.containers import pod_spec, read_all_containers
from krm_fn.plan.kustomizations import Patch, patches
from krm_fn.plan.record import ObjectRecord

_MESSAGE = (
    "this patch replaces the list, or counts in it, while a run writes the proxy into the object itself: let the run "
    "read what `kustomize build` gives, or write the proxy into the list here, too"
)
_DOUBLED = (
    "kustomize leaves the `value` and the `valueFrom` of this variable beside each other, and the API server refuses "
    "both: write `value: null` beside `valueFrom` here, `valueFrom: null` beside `value`, or take the variable out"
)


def replacing_patches(
    source: ObjectSource, records: Iterable[ObjectRecord], urls: Iterable[str]
) -> Results:
    """Yield a warning for each patch that replaces a list with the proxy of a run.

    Args:
        source: the objects, and the files beside them that hold none.
        records: the records of the objects after the run.
        urls: those of the ProxyConfig; a patch that holds one knows of the proxy.
    """
    lists: dict[Texts, dict[Pointer, None]] = {}
    members: dict[Texts, str] = {}
    for record in records:
        for target_record in record.targets:
            for reading in target_record.after:
                key = (record.obj.ref.kind, record.obj.base_name, reading.variable)
                members[key] = reading.path[-1]
        paths = _lists_with_proxy(record)
        if not paths:
            continue
        ref = record.obj.ref
        for key in product((ref.api_version, ""), [ref.kind], (record.obj.base_name, "")):
            lists.setdefault(key, {}).update(paths)
    if not members:
        return
    for patch in patches(source):
        yield from _doubled(patch, members)
        written = str(patch.written)
        if any(url in written for url in urls if url):
            continue
        for name in patch.names:
            for path in lists.get((patch.target.api_version, patch.target.kind, name), ()):
                if _touches(patch, path):
                    yield Result("PatchErases", _MESSAGE, path, ref=patch.target)


def _doubled(patch: Patch, members: Mapping[Texts, str]) -> Results:
    """Yield a warning for each variable in a container that gets a ``value`` beside a ``valueFrom``."""
    readings = read_all_containers(patch.written) if isinstance(patch.written, dict) else ()
    for reading in readings:
        for name in patch.names:
            member = members.get((patch.target.kind, name, reading.variable))
            entry = lookup(patch.written, reading.path[:-1])
            if member in ("value", "valueFrom") and member not in entry:
                yield Result("PatchErases", _DOUBLED, reading.path, ref=patch.target)


def _lists_with_proxy(record: ObjectRecord) -> dict[Pointer, None]:
    """Return the paths of the lists of an object that hold the proxy; kustomize merges those of containers."""
    paths: dict[Pointer, None] = {}
    if pod_spec(record.obj.data) is not None:
        return paths
    for target_record in record.targets:
        for reading in target_record.after:
            for length, step in enumerate(reading.path):
                if step.isdigit():
                    paths[reading.path[:length]] = None
                    break
    return paths


def _touches(patch: Patch, path: Pointer) -> bool:
    """Return whether a patch replaces the list at a path, alone or with what is around it, or counts in it."""
    if isinstance(patch.written, dict):
        return isinstance(lookup(patch.written, path), list)
    for operation in patch.written:
        place = pointer_of(text_at(operation, ("path",)))
        if not place or text_at(operation, ("op",)) == "test":
            continue
        if place == path[: len(place)]:
            return True
        if place[: len(path)] == path and place[len(path)] != "-":
            return True
    return False
