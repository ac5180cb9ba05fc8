"""Write changes into files of manifests: the new text of each file that changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from krm_fn.errors import InputError
from krm_fn.krm.changes import (
    NO_ITEM,
    WHOLE_ITEM,
    ContentChange,
    FileChanges,
    ListChanges,
    NewObject,
    item_after,
)
from krm_fn.krm.manifests import Manifests
from krm_fn.krm.resourcelist import new_file_name
from krm_fn.light_typing import Any
from krm_fn.patch import Pointer
from krm_fn.yamledit import Document
from krm_fn.yamledit.render import block_text
from krm_fn.yamledit.stream import documents, rewrite_documents


def changed_files(
    manifests: Manifests, changes: ListChanges, folder: str | None = None
) -> FileChanges:
    """Return the files that change, in the order of their names.

    Args:
        manifests: the files.
        changes: the changes of their documents.
        folder: as for ``file_of_new``.

    Raises:
        InputError: a file cannot be edited without risk; the message names it.
    """
    edited: dict[str, dict[int, str | None]] = {}
    added: dict[str, list[str]] = {}
    for index, objects in changes.items.items():
        document = manifests.documents[index]
        text = None
        if objects != WHOLE_ITEM:
            text = _edited(manifests, index, objects)
        of_file = edited.setdefault(document.file, {})
        of_file[document.number] = text
    for created in changes.created:
        name = file_of_new(created, manifests, folder)
        like = manifests.files.get(name, "")
        texts = added.setdefault(name, [])
        texts.append(block_text(dict(created.data), like=like))
    changed = {}
    for name in sorted({*edited, *added}):
        text = manifests.files.get(name)
        of_file, behind = edited.get(name, {}), added.get(name, [])
        try:
            new = _rewritten(text or "", of_file, behind)
        except InputError as error:
            error.args = (f"{name}: {error}",)
            raise
        old = None if text is None else text.encode()
        if new != old:
            changed[name] = ContentChange(old, new)
    return changed


def file_of_new(new: NewObject, manifests: Manifests, folder: str | None = None) -> str:
    """Return the name of the file for a new object.

    Args:
        new: the object.
        manifests: the files of the list.
        folder: where an object that belongs beside no other gets a file of its own; None: it becomes the last
            document of the last file.
    """
    if new.beside == NO_ITEM and folder is None:
        return list(manifests.files)[-1]
    name = new_file_name(new.data)
    if new.beside == NO_ITEM:
        return f"{folder}/{name}" if folder else name
    file = manifests.documents[new.beside].file
    if not file.endswith(".json"):
        return file
    # JSON cannot hold a second document.
    above = file[: file.rfind("/") + 1]
    return above + name


def _edited(manifests: Manifests, index: int, objects: Mapping[Pointer, Any]) -> str:
    """Return the new text of a document."""
    place = manifests.documents[index]
    for_ytt = place.file in manifests.files_for_ytt
    document = Document(manifests.text(index), for_ytt=for_ytt)
    try:
        data = item_after(document.data, objects)
        return document.with_data(data)
    except InputError as error:
        error.args = (f"{place.file}: document {place.number + 1}: {error}",)
        raise


def _rewritten(text: str, texts: Mapping[int, str | None], added: Sequence[str]) -> bytes | None:
    """Return the new content of a file; None if no document is left in it."""
    removed = list(texts.values()).count(None)
    is_removed = removed and removed == len(documents(text))
    if is_removed and not added:
        return None
    return rewrite_documents(text, texts, added).encode()
