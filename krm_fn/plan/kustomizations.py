"""What kustomizations say: the builds that objects are part of, and patches.

Each kustomization that no other one lists is built alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from posixpath import dirname, join, normpath

from krm_fn.clusters import Key
from krm_fn.errors import InputError
from krm_fn.krm.resourcelist import ObjectSource, reference
from krm_fn.krm.results import ObjectRef
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.patch import list_at, lookup, text_at
from krm_fn.yamledit import read


class Patch(NamedTuple):
    """A patch of a kustomization.

    Attributes:
        folder: the absolute path of the folder of the kustomization.
        target: version, kind and name of the objects that it changes, and the file that holds it. The name is a
            pattern; "" for all names, and for all versions.
        written: a mapping for a strategic merge patch, the list of operations for a JSON Patch.
    """

    folder: str
    target: ObjectRef
    written: Any

    @property
    def names(self) -> list[str]:
        """The names that its pattern lists: one, or several with ``|`` between them."""
        return self.target.name.strip("^()$").split("|")


class Builds:
    """The builds that each file of a list is part of, and the patches in them, which are read when they are needed."""

    def __init__(self, source: ObjectSource) -> None:
        self.source = source
        # Path of a file or folder -> the folder of each kustomization that lists it, and its namespace.
        self._parents: dict[str, list[tuple[str, str]]] = {}
        for file, data in source.kustomizations.items():
            parent = (dirname(file), text_at(data, "namespace"))
            for field in ("resources", "bases", "components"):
                for entry in list_at(data, field):
                    path = normpath(join(parent[0], str(entry)))
                    self._parents.setdefault(path, []).append(parent)

    def needs(self, key: Key) -> set[Key]:
        """Return an object as each build has it that its file is part of; the folder of the build is the file."""
        return {
            key._replace(file=folder, namespace=namespace or key.namespace)
            for folder, namespace in self._above(key.file)
            if folder not in self._parents
        }

    def patch_of(self, key: Key) -> str:
        """Return the file of a patch by which a kustomization names an object that it builds; "" for none."""
        for folder, _ in sorted(self._above(key.file)):
            file = self._patched.get((folder, key.kind, key.name))
            if file:
                return file
        return ""

    @cached_property
    def _patched(self) -> dict[tuple[str, str, str], str]:
        """The folder of a kustomization, the kind and the name of what a patch of it changes -> its file."""
        patched = {}
        for patch in patches(self.source):
            for name in patch.names:
                patched[patch.folder, patch.target.kind, name] = patch.target.file_path
        return patched

    def _above(self, file: str) -> set[tuple[str, str]]:
        """Return the folder of each kustomization that builds a file, and the namespace of all objects in it, or ""."""
        above = set()
        waiting = [(self.source.paths.get(file, ""), "")]
        for inner, namespace in waiting:
            for folder, outer in self._parents.get(inner, ()):
                step = (folder, outer or namespace)
                if step not in above:
                    above.add(step)
                    waiting.append(step)
        return above


def patches(source: ObjectSource) -> Iterator[Patch]:
    """Yield the patches of the kustomizations among the files of a list, those in files and those inside of them."""
    names = {path: name for name, path in source.paths.items()}
    for path, kustomization in source.kustomizations.items():
        folder = dirname(path)
        for field in ("patches", "patchesJson6902", "patchesStrategicMerge"):
            for entry in list_at(kustomization, field):
                text = entry if isinstance(entry, str) else text_at(entry, "path")
                file = names.get(normpath(join(folder, text)), "")
                if file in source.others:
                    text = source.others[file].decode(errors="replace")
                else:
                    file = names.get(path, "")
                    text = text_at(entry, "patch") or text
                for written in _readable(text):
                    target = lookup(entry, "target")
                    version = text_at(target, "version")
                    if version:
                        version = f"{text_at(target, 'group')}/{version}".lstrip("/")
                    ref = ObjectRef(version, text_at(target, "kind"), text_at(target, "name"))
                    if isinstance(written, dict) and not target:
                        ref = reference(written)
                    if file and isinstance(written, (dict, list)):
                        yield Patch(folder, ref._replace(file_path=file), written)


def _readable(text: str) -> Iterator[Any]:
    """Yield the data of the documents of a text that can be read."""
    from krm_fn.yamledit.stream import texts_of_documents  # noqa: PLC0415 -- few runs read patches

    for document in texts_of_documents(text):
        with suppress(InputError):
            yield read(document)
