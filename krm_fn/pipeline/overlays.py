"""Patches in overlays of kustomize that replace a list into which a run writes.

Kustomize knows no schema of custom resources, so a patch replaces each of their lists as a whole; lists of containers
and their variables it merges by name (``kyaml/openapi``, the schema of Kubernetes that is built in).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress

from krm_fn.errors import InputError
from krm_fn.krm.resourcelist import ObjectSource
from krm_fn.krm.resourcelist.objects import reference
from krm_fn.krm.results import ObjectRef, Result
from krm_fn.light_typing import Any, NamedTuple, Texts
from krm_fn.patch import Data, Pointer, list_at, lookup, pointer_of, text_at
from krm_fn.places.containers import pod_spec
from krm_fn.plan.items import readable_objects
from krm_fn.plan.record import ObjectRecord
from krm_fn.yamledit import read
from krm_fn.yamledit.stream import texts_of_documents

_MESSAGE = (
    "this patch replaces the list, or counts in it, while a run writes the proxy into the object itself: let the run "
    "read what `kustomize build` gives, or write the proxy into the list here, too"
)


class _Patch(NamedTuple):
    """A patch of an overlay.

    Attributes:
        file: the file that holds it.
        target: kind and name of the objects that it changes; a JSON Patch without a name is for all of the kind.
        written: a mapping for a strategic merge patch, the list of operations for a JSON Patch.
    """

    file: str
    target: ObjectRef
    written: Any

    def touches(self, path: Pointer) -> bool:
        """Return whether it replaces the list at a path, alone or with what is around it, or counts in it."""
        if isinstance(self.written, dict):
            return isinstance(lookup(self.written, path), list)
        for operation in self.written:
            place = pointer_of(text_at(operation, ("path",)))
            if not place or text_at(operation, ("op",)) == "test":
                continue
            if place == path[: len(place)]:
                return True
            if place[: len(path)] == path and place[len(path)] != "-":
                return True
        return False


def replacing_patches(
    source: ObjectSource, records: Iterable[ObjectRecord], urls: Iterable[str]
) -> Iterator[Result]:
    """Yield a warning for each patch that replaces a list with the proxy of a run.

    Args:
        source: the objects, and the files beside them that hold none.
        records: the records of the objects after the run.
        urls: those of the ProxyConfig; a patch that holds one knows of the proxy.
    """
    lists: dict[tuple[str, str], dict[Pointer, None]] = {}
    for record in records:
        paths = _lists_with_proxy(record)
        if not paths:
            continue
        for name in (record.obj.base_name, ""):
            lists.setdefault((record.obj.ref.kind, name), {}).update(paths)
    if not lists:
        return
    for patch in _patches(source, tuple({kind for kind, _ in lists})):
        written = str(patch.written)
        if any(url in written for url in urls if url):
            continue
        target = patch.target
        for path in lists.get((target.kind, target.name), ()):
            if patch.touches(path):
                finding = Result.of("PatchErases", _MESSAGE, path)
                yield finding.about(target._replace(file_path=patch.file))


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


def _patches(source: ObjectSource, kinds: Texts) -> Iterator[_Patch]:
    """Yield the patches beside the objects, and those inside kustomizations, whose text has one of the kinds."""
    for file, content in source.others.items():
        text = content.decode(errors="replace")
        if not any(kind in text for kind in kinds):
            continue
        for data in _readable(text):
            if isinstance(data, dict):
                yield _Patch(file, reference(data), data)
                yield from _inline_patches(file, data)
    kustomizations = source.holding(("patches",), source.holding(kinds))
    for obj in readable_objects(source, kustomizations):
        yield from _inline_patches(obj.ref.file_path, obj.data)


def _inline_patches(file: str, kustomization: Data) -> Iterator[_Patch]:
    """Yield the patches that are texts of a kustomization; a JSON Patch is one of its ``target``."""
    for field in ("patches", "patchesJson6902"):
        for entry in list_at(kustomization, (field,)):
            for data in _readable(text_at(entry, ("patch",))):
                if isinstance(data, dict):
                    yield _Patch(file, reference(data), data)
                elif isinstance(data, list):
                    kind = text_at(entry, ("target", "kind"))
                    name = text_at(entry, ("target", "name"))
                    yield _Patch(file, ObjectRef(kind=kind, name=name), data)


def _readable(text: str) -> Iterator[Any]:
    """Yield the data of the documents of a text that can be read."""
    for document in texts_of_documents(text):
        with suppress(InputError):
            yield read(document)
