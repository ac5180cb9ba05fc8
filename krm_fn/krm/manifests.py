"""Files of manifests, as they lie in a repository or come out of `kustomize build`.

A file is YAML documents between ``---`` lines, each read and edited on its own; it offers the
same looks as a ResourceList. A document that is no mapping is no object and is passed by.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType

from krm_fn.errors import DocumentError, InputError, TextError
from krm_fn.krm.resourcelist import (
    BESIDE_NOTHING,
    Object,
    QuickLook,
    new_file_name,
    objects,
    reference,
)
from krm_fn.krm.results import ObjectRef
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.patch import Operation, Pointer, lookup
from krm_fn.yamledit import CODE_OF_YTT, Document, Lines, Outline, repeated_keys
from krm_fn.yamledit.render import block_text
from krm_fn.yamledit.stream import comments_above, documents, rewrite_documents


class _Slice(NamedTuple):
    """A document: ``number`` in its file, and where its text is there."""

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
        self._lines: dict[str, Lines] = {}
        self._for_ytt: dict[str, bool] = {}
        # Of the document asked about last: results are in the order of the documents.
        self._outline: tuple[int, Outline] | None = None
        self._slices: list[_Slice] = []
        texts: list[tuple[str, list[tuple[int, int]]]] = []
        for name, text in self._texts.items():
            spans = documents(text)
            texts.append((text, spans))
            for number, (start, end) in enumerate(spans):
                self._slices.append(_Slice(name, number, start, end))
        self._look = QuickLook(texts)

    def __len__(self) -> int:
        return len(self._slices)

    @property
    def files(self) -> Collection[str]:
        """The names of the files."""
        return self._texts.keys()

    def file(self, index: int) -> str:
        """Return the name of the file of a document."""
        return self._slices[index].file

    def text_of(self, file: str) -> str:
        """Return the text of a file."""
        return self._texts[file]

    def part(self, names: Iterable[str]) -> Manifests:
        """Return the files of some names, as far as they are there."""
        return Manifests(
            {name: self._texts[name].encode() for name in names if name in self._texts}
        )

    def kinds(self, index: int) -> frozenset[str]:
        """Return the kinds that may be in a document, as ``ResourceList.kinds``."""
        return self._look.kinds(index)

    def by_kinds(self) -> Mapping[frozenset[str], Sequence[int]]:
        """Return kinds -> the indexes of documents, as ``ResourceList.by_kinds``."""
        return self._look.by_kinds

    def contains(self, index: int, words: tuple[str, ...]) -> bool:
        """Return whether a document holds one of the words, as ``ResourceList.contains``."""
        return self._look.contains(index, words)

    def holding(self, words: tuple[str, ...], among: Sequence[int] | None = None) -> Sequence[int]:
        """Return the indexes of documents, as ``ResourceList.holding``."""
        return self._look.holding(words, among)

    def objects(self, index: int) -> list[Object]:
        """Return the objects of one document, each with the name of its file.

        None if it is no mapping.

        Raises:
            DocumentError: the document cannot be read; the message names the file, and the line in it.
        """
        data = self._read(index)
        found = objects(data) if isinstance(data, dict) else ()
        return [self._placed(obj, index) for obj in found]

    def _read(self, index: int) -> Any:
        try:
            return Document(self.text(index)).data()
        except InputError as error:
            raise self._document_error(self._slices[index], error) from None

    def _placed(self, obj: Object, index: int) -> Object:
        """Return an object with the name of its file, and the number of its document there."""
        part = self._slices[index]
        return obj._replace(ref=obj.ref._replace(file_path=part.file, file_index=part.number))

    def _document_error(self, part: _Slice, error: InputError) -> DocumentError:
        if isinstance(error, TextError):
            error = error.below(self._lines_of(part.file).above(part.start))
        place = f"document {part.number + 1}"
        return DocumentError(
            str(error), place=place, file=part.file, number=part.number, code=error.code
        )

    def text_for_ytt(self, index: int) -> tuple[str, Pointer, str] | None:
        """Return the text of a document, the path of its object in it, and the comments above its separator.

        None where no code of ytt is in its file.
        """
        part = self._slices[index]
        if not self._is_for_ytt(part.file):
            return None
        return self.text(index), (), comments_above(self._texts[part.file], part.start)

    def _is_for_ytt(self, file: str) -> bool:
        """Return whether ytt reads a file: it holds code or annotations of ytt."""
        if file not in self._for_ytt:
            self._for_ytt[file] = CODE_OF_YTT in self._texts[file]
        return self._for_ytt[file]

    def function_config_of(self, index: int) -> Object | None:
        """Return the ``functionConfig`` of a ResourceList, whose data may be of any type; None without one.

        Raises:
            DocumentError: the document cannot be read.
        """
        if "ResourceList" not in self.kinds(index):
            return None
        path = ("functionConfig",)
        given = lookup(self._read(index), path)
        if given is None:
            return None
        ref = reference(given) if isinstance(given, dict) else ObjectRef()
        return self._placed(Object(path, given, ref), index)

    def repeated(self, index: int, path: Pointer) -> list[Pointer]:
        """Return paths, below the value at ``path`` of a document, of keys that occur twice in one mapping."""
        found = repeated_keys(Document(self.text(index)).root)
        return [one[len(path) :] for one in found if one[: len(path)] == path]

    def edited(self, changes: Mapping[int, Sequence[Operation]]) -> dict[str, bytes]:
        """Return the files that change, with operations applied to some of their documents."""
        texts: dict[str, dict[int, str | None]] = {}
        for index in sorted(index for index in changes if changes[index]):
            part = self._slices[index]
            new = self._document(index).edit(changes[index])
            texts.setdefault(part.file, {})[part.number] = new
        return {
            name: rewrite_documents(self._texts[name], some).encode()
            for name, some in texts.items()
        }

    def _document(self, index: int) -> Document:
        """Return a document to be edited."""
        part = self._slices[index]
        return Document(self.text(index), for_ytt=self._is_for_ytt(part.file))

    def line(self, file: str, number: int, path: Pointer = ()) -> int:
        """Return the line, from 1, of the field at ``path`` in a document of a file, or of what there is above it.

        It is the first line of the document where the document cannot be read.
        """
        index = self._index.get((file, number))
        if index is None:
            return 1
        if self._outline is None or self._outline[0] != index:
            self._outline = (index, Outline(self.text(index)))
        position = self._slices[index].start + self._outline[1].place(path)
        return self._lines_of(file).above(position) + 1

    def _lines_of(self, file: str) -> Lines:
        if file not in self._lines:
            self._lines[file] = Lines(self._texts[file])
        return self._lines[file]

    @cached_property
    def _index(self) -> dict[tuple[str, int], int]:
        return {(part.file, part.number): index for index, part in enumerate(self._slices)}

    def text(self, index: int) -> str:
        """Return the text of a document."""
        part = self._slices[index]
        return self._texts[part.file][part.start : part.end]


class ManifestList(Manifests):
    """Files that a run edits, as the list of all their objects.

    ``function_config`` and ``repeated_in_function_config`` are those of the run, which the caller finds and sets, and
    so are ``paths``: name of a file -> its absolute path. It may set ``is_written`` until ``write`` is called.
    Once ``write`` was called, ``changed`` holds what becomes of the files, None for one that no document is left
    in, ``created`` the new objects with the files that they are in, and ``owners`` the files beside which these are.

    Args:
        files: name -> content.
        is_written: says by its name whether a file is one that this run writes; the others are only read.
        folder: where an object that belongs beside no other gets a file of its own; None: it becomes the last
            document of the last file.
        others: name -> content of files beside them that hold no objects of the list.
    """

    def __init__(
        self,
        files: Mapping[str, bytes],
        is_written: Callable[[str], bool] = lambda _: True,
        folder: str | None = None,
        others: Mapping[str, bytes] = MappingProxyType({}),
    ) -> None:
        super().__init__(files)
        self.others = others
        self.paths: Mapping[str, str] = {}
        self.is_written = is_written
        self._folder = folder
        self.function_config: Any = None
        self.repeated_in_function_config: list[Pointer] = []
        self.changed: dict[str, bytes | None] = {}
        self.created: dict[ObjectRef, str] = {}
        self.owners: dict[str, str] = {}

    def write(
        self,
        changes: Mapping[int, Sequence[Operation]],
        results: Iterable[Mapping[str, Any]],
        new_items: Sequence[Mapping[str, Any]] = (),
        beside: Sequence[int] = (),
    ) -> list[bytes]:
        """Put into ``changed`` what becomes of the files, and return nothing.

        Args:
            changes: as for ``ResourceList.write``.
            results: of no use here.
            new_items: objects that become documents at the end of a file.
            beside: for each of them, the index of the document whose file that is, or ``BESIDE_NOTHING``.

        Raises:
            EditError: a file cannot be edited without risk; the message names it.
        """
        texts: dict[str, dict[int, str | None]] = {}
        for index in sorted(index for index in changes if changes[index]):
            part = self._slices[index]
            if not self.is_written(part.file):
                continue
            is_removed = any(one.op == "remove" and not one.path for one in changes[index])
            new = None if is_removed else self._edited_text(index, changes[index])
            texts.setdefault(part.file, {})[part.number] = new
        added: dict[str, list[str]] = {}
        for data, index in zip(new_items, beside, strict=True):
            if index == BESIDE_NOTHING:
                own = self._file_of_its_own(data)
                self._add(data, own, own, added)
            else:
                beside_it = self._slices[index].file
                self._add(data, _file_beside(beside_it, data), beside_it, added)
        for name in [*texts, *(name for name in added if name not in texts)]:
            self.changed[name] = self._rewritten(name, texts.get(name, {}), added.get(name, []))
        return []

    def _edited_text(self, index: int, operations: Sequence[Operation]) -> str:
        part = self._slices[index]
        try:
            return self._document(index).edit(operations)
        except InputError as error:
            error.args = (f"{part.file}, document {part.number + 1}: {error}",)
            raise

    def _add(
        self, data: Mapping[str, Any], file: str, owner: str, added: dict[str, list[str]]
    ) -> None:
        """Add an object to a file; whether the run writes it is said by the file that it belongs to."""
        self.created[reference(data)] = file
        self.owners[file] = owner
        if self.is_written(owner):
            text = block_text(dict(data), like=self._texts.get(file, ""))
            added.setdefault(file, []).append(text)

    def _file_of_its_own(self, data: Mapping[str, Any]) -> str:
        if self._folder is None:
            return next(reversed(self._texts))
        return f"{self._folder}/{new_file_name(data)}" if self._folder else new_file_name(data)

    def _rewritten(
        self, name: str, texts: Mapping[int, str | None], added: Sequence[str]
    ) -> bytes | None:
        text = self._texts.get(name, "")
        removed = sum(new is None for new in texts.values())
        if removed and not added and removed == len(documents(text)):
            return None
        try:
            return rewrite_documents(text, texts, added).encode()
        except InputError as error:
            error.args = (f"{name}: {error}",)
            raise


def _file_beside(file: str, data: Mapping[str, Any]) -> str:
    """Return the file for an object beside those of a file: a new one where JSON cannot hold a second document."""
    if not file.endswith(".json"):
        return file
    folder = file[: file.rindex("/") + 1] if "/" in file else ""
    return f"{folder}{new_file_name(data)}"


def _decoded(name: str, data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        problem = f"must be UTF-8, but byte {error.start + 1} is not"
        raise DocumentError(problem, file=name) from None
