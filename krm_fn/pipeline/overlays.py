"""Patches in overlays of kustomize that replace a list into which a run writes.

Kustomize knows no schema of custom resources, so a patch replaces each of their lists as a whole; lists of containers
and their variables it merges by name (``kyaml/openapi``, the schema of Kubernetes that is built in).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress

from krm_fn.errors import InputError
from krm_fn.krm.resourcelist.objects import reference
from krm_fn.krm.results import ObjectRef, Result
from krm_fn.light_typing import Any, Fields, Texts
from krm_fn.patch import Data, Pointer, list_at, lookup, pointer_of, put_at, text_at
from krm_fn.places.containers import pod_spec
from krm_fn.plan.items import ObjectSource, readable_objects
from krm_fn.plan.record import ObjectRecord
from krm_fn.yamledit import read
from krm_fn.yamledit.stream import texts_of_documents

Lists = dict[tuple[str, str], dict[Pointer, None]]
"""Kind and name of an object -> its lists that hold the proxy."""

_MESSAGE = (
    "this patch replaces the list, or counts in it, while a run writes the proxy into the object itself: let the run "
    "read what `kustomize build` gives, or write the proxy into the list here, too"
)


def replacing_patches(
    source: ObjectSource, records: Iterable[ObjectRecord], urls: Iterable[str]
) -> Iterator[Result]:
    """Yield a warning for each patch that replaces a list with the proxy of a run.

    Args:
        source: the objects, and the files beside them that hold none.
        records: the records of the objects after the run.
        urls: those of the ProxyConfig; a patch that holds one knows of the proxy.
    """
    lists = _lists_with_proxy(records)
    kinds = tuple({kind for (kind, _), paths in lists.items() if paths})
    if not kinds:
        return
    for file, data in _patches(source, kinds):
        ref = reference(data)
        written = str(data)
        if any(url in written for url in urls if url):
            continue
        for path in _lists_of(lists, ref):
            if isinstance(lookup(data, path), list):
                finding = Result.of("PatchErases", _MESSAGE, path)
                yield finding.about(ref._replace(file_path=file))


def _lists_of(lists: Lists, ref: ObjectRef) -> Iterable[Pointer]:
    """Return the lists of the object that a patch names; of all objects of its kind where it names none."""
    if ref.name:
        return lists.get((ref.kind, ref.name), ())
    return {path for (kind, _), paths in lists.items() if kind == ref.kind for path in paths}


def _lists_with_proxy(records: Iterable[ObjectRecord]) -> Lists:
    """Return the lists that hold the proxy, by kind and name of their object."""
    lists: Lists = {}
    for record in records:
        if pod_spec(record.obj.data) is not None:
            continue
        paths = lists.setdefault((record.obj.ref.kind, record.obj.base_name), {})
        for target_record in record.targets:
            for reading in target_record.after:
                for length, step in enumerate(reading.path):
                    if step.isdigit():
                        paths[reading.path[:length]] = None
                        break
    return lists


def _patches(source: ObjectSource, kinds: Texts) -> Iterator[tuple[str, Data]]:
    """Yield the strategic merge patches beside the objects, and those inside kustomizations, each with its file.

    Only texts with one of the kinds are read.
    """
    for file, content in source.others.items():
        text = content.decode(errors="replace")
        if not any(kind in text for kind in kinds):
            continue
        for data in _readable(text):
            yield file, data
            yield from _inline_patches(file, data)
    kustomizations = source.holding(("patches",), source.holding(kinds))
    for obj in readable_objects(source, kustomizations):
        yield from _inline_patches(obj.ref.file_path, obj.data)


def _inline_patches(file: str, kustomization: Data) -> Iterator[tuple[str, Data]]:
    for entry in list_at(kustomization, ("patches",)):
        for data in _readable(text_at(entry, ("patch",)), lookup(entry, ("target",))):
            yield file, data


def _readable(text: str, target: Any = None) -> Iterator[Data]:
    """Yield the mappings of a text, but for documents that cannot be read; a JSON Patch is one of its target."""
    for document in texts_of_documents(text):
        with suppress(InputError):
            data = read(document)
            if isinstance(data, list):
                data = _lists_in_operations(target, data)
            if isinstance(data, dict):
                yield data


def _lists_in_operations(target: Any, operations: list[Any]) -> Data:
    """Return a patch of the target of a JSON Patch, with each list that one of the operations replaces or counts in."""
    data: Fields = {}
    for operation in operations:
        path = pointer_of(text_at(operation, ("path",)))
        numbers = [length for length, step in enumerate(path) if step.isdigit()]
        if numbers:
            path = path[: numbers[0]]
        if path and path[-1] != "-":
            put_at(data, path, [])
    metadata = {"name": text_at(target, ("name",))}
    return {**data, "kind": text_at(target, ("kind",)), "metadata": metadata}
