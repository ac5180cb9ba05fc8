"""A text of several YAML documents, taken apart by its separators alone.

The law of this room: what stands between two separators is one document, comments before its first line included; a
part that holds nothing but comments and blanks is none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from krm_fn.patch import Operation
from krm_fn.yamledit.document import Document

_BOM = "\ufeff"
_SEPARATOR = re.compile(r"^---(?:[ \t][^\n]*)?\r?(?:\n|\Z)", re.MULTILINE)
_EMPTY = re.compile(r"(?:[ \t\r]*(?:#[^\n]*)?(?:\n|\Z))*")


def documents(text: str) -> list[tuple[int, int]]:
    """Where each document starts and ends in ``text``, without the separators around it."""
    starts = [int(text.startswith(_BOM)), *(match.end() for match in _SEPARATOR.finditer(text))]
    ends = [*(match.start() for match in _SEPARATOR.finditer(text)), len(text)]
    return [(start, end) for start, end in zip(starts, ends, strict=True) if not _EMPTY.fullmatch(text, start, end)]


def edit_documents(text: str, operations: Mapping[int, Sequence[Operation]]) -> str:
    """``text`` with operations applied to some of its documents, by their number in ``documents``.

    Raises: as ``Document.edit``.
    """
    pieces, position = [], 0
    for number, (start, end) in enumerate(documents(text)):
        pieces += [text[position:start], Document(text[start:end]).edit(operations.get(number, ()))]
        position = end
    return "".join([*pieces, text[position:]])
