"""Patches in overlays of kustomize that replace a list into which a run writes.

Kustomize knows no schema of custom resources, so a patch replaces each of their lists as a whole; lists of containers
and their variables it merges by name (``kyaml/openapi``, the schema of Kubernetes that is built in).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress

from krm_fn.errors import InputError
from krm_fn.krm.resourcelist.objects import reference
from krm_fn.krm.results import Result
from krm_fn.light_typing import Texts
from krm_fn.patch import Data, Pointer, list_at, lookup, text_at
from krm_fn.places.containers import pod_spec
from krm_fn.plan.items import ObjectSource, readable_objects
from krm_fn.plan.record import ObjectRecord
from krm_fn.yamledit import read
from krm_fn.yamledit.stream import texts_of_documents

_MESSAGE = (
    "this patch replaces the list, and with it the proxy that a run writes into the object itself: let the run read "
    "what `kustomize build` gives, or write the proxy into the list here, too"
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
        for path in lists.get((ref.kind, ref.name), ()):
            if isinstance(lookup(data, path), list):
                finding = Result.of("PatchErases", _MESSAGE, path)
                yield finding.about(ref._replace(file_path=file))


def _lists_with_proxy(
    records: Iterable[ObjectRecord],
) -> dict[tuple[str, str], dict[Pointer, None]]:
    """Return the lists that hold the proxy, by kind and name of their object."""
    lists: dict[tuple[str, str], dict[Pointer, None]] = {}
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
        for data in _readable(text_at(entry, ("patch",))):
            yield file, data


def _readable(text: str) -> Iterator[Data]:
    """Yield the mappings of a text, but for documents that cannot be read."""
    for document in texts_of_documents(text):
        with suppress(InputError):
            data = read(document)
            if isinstance(data, dict):
                yield data
