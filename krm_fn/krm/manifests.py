"""Files of manifests, as they lie in a repository or come out of `kustomize build`.

A file is YAML documents between ``---`` lines, each read and edited on its own; it offers the
same looks as a ResourceList. A document that is no mapping is no object and is passed by.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from krm_fn.errors import InputError
from krm_fn.krm.resourcelist import Object, hides_words, kinds_in, objects
from krm_fn.patch import Operation, Pointer
from krm_fn.yamledit import Document, documents, repeated_keys


@dataclass(frozen=True)
class _Slice:
    """A document: ``number`` in its file, and where its text stands there."""

    file: str
    number: int
    start: int
    end: int


class Manifests:
    """The documents of several files.

    Args:
        files: name -> content. A ResourceList among them counts as the objects in it.

    Raises:
        InputError: a file is not UTF-8.
    """

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._texts = {name: _decoded(name, data) for name, data in files.items()}
        self._slices = [part for name, text in self._texts.items() for part in _slices(name, text)]

    def __len__(self) -> int:
        return len(self._slices)

    def kinds(self, index: int) -> frozenset[str]:
        """As ``ResourceList.kinds``."""
        return kinds_in(self._text(index))

    def contains(self, index: int, words: Sequence[str]) -> bool:
        """As ``ResourceList.contains``."""
        text = self._text(index)
        return not words or any(word in text for word in words) or hides_words(text)

    def objects(self, index: int) -> list[Object]:
        """The objects of one document, each with the name of its file; none if it is no mapping.

        Raises:
            InputError: the document cannot be read; the message names the file.
        """
        part = self._slices[index]
        try:
            data = Document(self._text(index)).data()
        except InputError as error:
            raise InputError(f"{part.file}, document {part.number + 1}: {error}") from None
        found = list(objects(data)) if isinstance(data, dict) else []
        return [
            replace(obj, ref=replace(obj.ref, file_path=part.file, file_index=part.number))
            for obj in found
        ]

    def function_config(self, index: int) -> Any:
        """The ``functionConfig`` of a document that is a ResourceList, else None."""
        data = Document(self._text(index)).data() if "ResourceList" in self.kinds(index) else None
        return data.get("functionConfig") if isinstance(data, dict) else None

    def repeated(self, index: int, path: Pointer) -> list[Pointer]:
        """Paths, below the value at ``path`` of a document, of keys that stand twice in one mapping."""
        found = repeated_keys(Document(self._text(index)).root)
        return [one[len(path) :] for one in found if one[: len(path)] == path]

    def edited(self, changes: Mapping[int, Sequence[Operation]]) -> dict[str, bytes]:
        """The files that change, with operations applied to some of their documents."""
        pieces: dict[str, list[str]] = {}
        ends: dict[str, int] = {}
        for index in sorted(index for index in changes if changes[index]):
            part = self._slices[index]
            between = self._texts[part.file][ends.get(part.file, 0) : part.start]
            pieces.setdefault(part.file, []).extend(
                (between, Document(self._text(index)).edit(changes[index]))
            )
            ends[part.file] = part.end
        return {
            name: "".join([*some, self._texts[name][ends[name] :]]).encode()
            for name, some in pieces.items()
        }

    def _text(self, index: int) -> str:
        part = self._slices[index]
        return self._texts[part.file][part.start : part.end]


def _decoded(name: str, data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise InputError(f"{name} must be UTF-8, but byte {error.start + 1} is not") from None


def _slices(name: str, text: str) -> Iterable[_Slice]:
    return [_Slice(name, number, start, end) for number, (start, end) in enumerate(documents(text))]
