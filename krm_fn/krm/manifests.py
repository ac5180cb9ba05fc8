"""Files of manifests, as they lie in a repository or come out of `kustomize build`, read and with their changes.

A file is YAML documents between ``---`` lines, each read and edited on its own; it offers the
same looks as a ResourceList. A document that is no mapping is no object and is passed by.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache, cached_property, lru_cache

from krm_fn.errors import DocumentError, InputError, TextError
from krm_fn.krm.resourcelist import (
    Object,
    ObjectSource,
    function_config,
    new_file_name,
    objects,
)
from krm_fn.krm.resourcelist.objects import (
    NO_ITEM,
    WHOLE_ITEM,
    ListChanges,
    NewObject,
    item_after,
)
from krm_fn.krm.results import Result
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.patch import Pointer, lookup
from krm_fn.yamledit import CODE_OF_YTT, Document, Lines, Position
from krm_fn.yamledit.stream import comments_above, documents, rewrite_documents


class ContentChange(NamedTuple):
    """The content of a file before and after; None is a file that does not exist."""

    old: bytes | None
    new: bytes | None


# Name or path of a file -> its content before and after.
FileChanges = Mapping[str, ContentChange]

# The group of kustomize, in the text of a kustomization.
KUSTOMIZE = "kustomize.config.k8s.io/"


class DocumentSpan(NamedTuple):
    """A document: ``number`` in its file, and where its text is there."""

    file: str
    number: int
    start: int
    end: int


class Manifests(ObjectSource):
    """The documents of several files.

    Args:
        files: name -> content. A ResourceList among them counts as the objects in it.
        paths: name of a file -> its absolute path.
        others: name -> content of files beside them that hold no objects of the list.

    Attributes:
        files: name -> text.
        documents: where the documents are, in order.

    Raises:
        InputError: a file is not UTF-8.
    """

    def __init__(
        self,
        files: Mapping[str, bytes],
        paths: Mapping[str, str] = {},
        others: Mapping[str, bytes] = {},
    ) -> None:
        self.paths = paths
        self.others = others
        self.files = {name: _decoded(name, data) for name, data in files.items()}
        self.documents: list[DocumentSpan] = []
        self._lines_of = cache(lambda file: Lines(self.files[file]))
        # Results are in the order of the documents.
        self._document = lru_cache(maxsize=1)(lambda index: Document(self.text(index)))
        texts = []
        for name, text in self.files.items():
            spans = documents(text)
            texts.append((text, spans))
            for number, span in enumerate(spans):
                self.documents.append(DocumentSpan(name, number, *span))
        super().__init__(texts)

    @cached_property
    def files_for_ytt(self) -> list[str]:
        """The names of the files with code of ytt; looked for once, because a file may hold thousands of documents."""
        return [name for name, text in self.files.items() if CODE_OF_YTT in text]

    def text(self, index: int) -> str:
        """Return the text of a document."""
        file, _, start, end = self.documents[index]
        return self.files[file][start:end]

    def objects(self, index: int) -> list[Object]:
        """Return the objects of one document, each with the name of its file; none if it is no mapping.

        Raises:
            DocumentError: the document cannot be read; the message names the file, and the line in it.
        """
        data = self._read(index)
        if not isinstance(data, dict):
            return []
        return [self._placed(obj, index) for obj in objects(data)]

    def function_config_of(self, index: int) -> Object | None:
        """Return the ``functionConfig`` of a ResourceList, whose data may be of any type; None without one.

        Raises:
            DocumentError: the document cannot be read.
        """
        if "ResourceList" not in self.kinds[index]:
            return None
        data = lookup(self._read(index), "functionConfig")
        if data is None:
            return None
        return self._placed(function_config(data), index)

    def _placed(self, obj: Object, index: int) -> Object:
        """Return an object with its file and document: in a stream, which has no path, those of its annotations."""
        document = self.documents[index]
        if obj.ref.file_path and document.file not in self.paths:
            return obj
        ref = obj.ref._replace(file_path=document.file, file_index=document.number)
        return obj._replace(ref=ref)

    def _read(self, index: int) -> Any:
        text = self.text(index)
        # Of a key that is there twice, kustomize takes the last value.
        may_repeat = "Kustomization" in self.kinds[index] and KUSTOMIZE in text
        try:
            return Document(text).data(keys_may_repeat=may_repeat)
        except InputError as error:
            file, number, start, _ = self.documents[index]
            if isinstance(error, TextError):
                error = error.below(self._lines_of(file).above(start))
            problem = f"document {number + 1}: {error}"
            raise DocumentError(problem, file=file, number=number, code=error.code) from None

    def text_for_ytt(self, index: int) -> str:
        """Return the text of a document with the comments above its separator."""
        file, _, start, _ = self.documents[index]
        return comments_above(self.files[file], start) + self.text(index)

    def position(self, index: int, path: Pointer = ()) -> Position:
        """Return the position in its file of the field at ``path`` in a document, or of the nearest field above it.

        It is the beginning of the document where the document cannot be read.
        """
        document = self.documents[index]
        try:
            place = self._document(index).place(path)
        except InputError:
            place = 0
        return self._lines_of(document.file).position(document.start + place)

    def placed(self, result: Result, outer: Pointer = ()) -> Result:
        """Return a result with its line and column, if they are not known yet and its file is one of these.

        Args:
            result: says the file, and the path of the field in the object.
            outer: the path of the object in its document.
        """
        if result.position:
            return result
        index = self._indexes.get((result.ref.file_path, result.ref.file_index))
        if index is None:
            return result
        return result._replace(position=self.position(index, (*outer, *result.path)))

    def changed_files(self, changes: ListChanges, folder: str | None = None) -> FileChanges:
        """Return the files that change, in the order of their names.

        Args:
            changes: the changes of their documents.
            folder: as for ``file_of_new``.

        Raises:
            InputError: a file cannot be edited without risk; the message names it.
        """
        from krm_fn.yamledit.render import block_text  # noqa: PLC0415 -- most runs change nothing

        edited: defaultdict[str, dict[int, str | None]] = defaultdict(dict)
        added = defaultdict(list)
        for index, edits in changes.items.items():
            document = self.documents[index]
            new_text = None if edits == WHOLE_ITEM else self._edited(index, edits)
            edited[document.file][document.number] = new_text
        for created in changes.created:
            name = self.file_of_new(created, folder)
            text = block_text(dict(created.data), like=self.files.get(name, ""))
            added[name].append(text)
        changed = {}
        for name in sorted({*edited, *added}):
            text = self.files.get(name, "")
            old = text.encode() if name in self.files else None
            try:
                new = _rewritten(text, edited[name], added[name])
            except InputError as error:
                error.args = (f"{name}: {error}",)
                raise
            if new != old:
                changed[name] = ContentChange(old, new)
        return changed

    def file_of_new(self, new: NewObject, folder: str | None = None) -> str:
        """Return the name of the file for a new object.

        Args:
            new: the object.
            folder: where an object that belongs beside no other gets a file of its own; None: it becomes the last
                document of the last file.
        """
        if new.beside == NO_ITEM and folder is None:
            return list(self.files)[-1]
        name = new_file_name(new.data)
        if new.beside == NO_ITEM:
            return f"{folder}/{name}" if folder else name
        file = self.documents[new.beside].file
        if not file.endswith(".json"):
            return file
        # JSON cannot hold a second document.
        above, slash, _ = file.rpartition("/")
        return above + slash + name

    def _edited(self, index: int, edits: Mapping[Pointer, Any]) -> str:
        """Return the new text of a document."""
        file, number, *_ = self.documents[index]
        # The other objects of a List on one line keep their text.
        is_for_ytt = file in self.files_for_ytt
        document = Document(self.text(index), ("items",), for_ytt=is_for_ytt)
        try:
            return document.with_data(item_after(document.data, edits))
        except InputError as error:
            error.args = (f"{file}: document {number + 1}: {error}",)
            raise

    @cached_property
    def _indexes(self) -> dict[tuple[str, int], int]:
        return {(span.file, span.number): index for index, span in enumerate(self.documents)}


def _rewritten(text: str, texts: Mapping[int, str | None], added: Sequence[str]) -> bytes | None:
    """Return the new content of a file; None if no document is left in it."""
    removed = list(texts.values()).count(None)
    if removed and removed == len(documents(text)) and not added:
        return None
    return rewrite_documents(text, texts, added).encode()


def _decoded(name: str, content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        problem = f"must be UTF-8, but byte {error.start + 1} is not"
        raise DocumentError(problem, file=name) from None
