"""Operations on the text of a document, as tests write them: the writer takes data."""

from __future__ import annotations

from collections.abc import Sequence

from krm_fn.formats.embedded import TextEditor, Value
from krm_fn.patch import Operation, apply
from krm_fn.yamledit import Document
from krm_fn.yamledit.stream import documents


def rewrite(document: Document, operations: Sequence[Operation]) -> str:
    return document.with_data(apply(document.data(), operations))


def edit_document(text: str, number: int, operations: Sequence[Operation]) -> str:
    start, end = documents(text)[number]
    data = apply(Document(text[start:end]).data(), operations)
    return TextEditor(Value(("data", "values.yaml"), text)).edit(number, data)
