"""Operations on the text of a document, as tests write them: the writer takes data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from krm_fn.patch import Operation, apply
from krm_fn.yamledit import CODE_OF_YTT, Document
from krm_fn.yamledit.stream import rewrite_documents, texts_of_documents


def rewrite(document: Document, operations: Sequence[Operation]) -> str:
    return document.with_data(apply(document.data(), operations))


def edited(text: str, *operations: Operation) -> str:
    return rewrite(Document(text), operations)


def edit_document(text: str, number: int, operations: Sequence[Operation]) -> str:
    document = Document(texts_of_documents(text)[number], for_ytt=CODE_OF_YTT in text)
    return rewrite_documents(text, {number: rewrite(document, operations)})


def add(*path: str | int, value: Any) -> Operation:
    """Set the member, or insert before the item, that ``path`` names."""
    return Operation("add", tuple(map(str, path)), value)


def replace(*path: str | int, value: Any) -> Operation:
    """Set a value that is there already."""
    return Operation("replace", tuple(map(str, path)), value)


def remove(*path: str | int) -> Operation:
    """Take out the value that ``path`` names."""
    return Operation("remove", tuple(map(str, path)))
