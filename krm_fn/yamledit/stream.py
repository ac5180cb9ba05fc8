"""A text of several YAML documents, taken apart by its separators alone.

What stands between two separators is one document, comments before its first line included; a
part that holds nothing but comments, blanks and ends (``...``) is none. A separator with something behind it on its
line is part of its document: ``--- {a: b}``. Nothing is written that PyYAML would take apart in another way.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from krm_fn.errors import EditError, InputError
from krm_fn.patch import Operation
from krm_fn.yamledit.breaks import with_line_feeds
from krm_fn.yamledit.document import CODE_OF_YTT, Document
from krm_fn.yamledit.tree import compose_all
from krm_fn.yamledit.view import same, view

_BOM = "\ufeff"
_COMMENT = r"(?:#[^\r\n\x85\u2028\u2029]*)?"
_SEPARATOR = re.compile(
    rf"(?:^|(?<=\A{_BOM}))---(?:(?P<alone>(?:[ \t]+{_COMMENT})?\r?(?:\n|\Z))|(?=[ \t]))",
    re.MULTILINE,
)
# Each line of it is read in one way only: where a CR could be a blank or the end of a line, time is exponential.
_EMPTY_LINE = r"(?:\.\.\.(?![^ \t\r\n]))?[ \t\r]*(?:#[^\r\n\x85\u2028\u2029]*\r?)?"
_EMPTY = re.compile(rf"(?:{_EMPTY_LINE}\n)*{_EMPTY_LINE}\Z")


def documents(text: str) -> list[tuple[int, int]]:
    """Where each document starts and ends in ``text``, without the separators that stand alone around it."""
    text = with_line_feeds(text)
    separators = list(_SEPARATOR.finditer(text))
    starts = [one.start() if one["alone"] is None else one.end() for one in separators]
    starts = [int(text.startswith(_BOM)), *starts]
    ends = [*(one.start() for one in separators), len(text)]
    return [
        (start, end)
        for start, end in zip(starts, ends, strict=True)
        if not _EMPTY.fullmatch(text, start, end)
    ]


def edit_documents(text: str, operations: Mapping[int, Sequence[Operation]]) -> str:
    """``text`` with operations applied to some of its documents, by their number in ``documents``.

    Raises: as ``Document.edit``, and EditError as ``prove``.
    """
    pieces, position = [], 0
    meant: list[Any] = []
    for_ytt = CODE_OF_YTT in text  # also above the first separator, where no document is
    for number, (start, end) in enumerate(documents(text)):
        document, asked = Document(text[start:end], for_ytt=for_ytt), operations.get(number, ())
        pieces += [text[position:start], document.edit(asked)]
        meant.append(document.meant(asked))
        position = end
    return prove("".join([*pieces, text[position:]]), meant)


def prove(text: str, meant: Sequence[Any]) -> str:
    """``text``, once PyYAML has read in it, as a whole, the documents that are meant.

    Raises:
        EditError: it says something else, or nothing.
    """
    try:
        said = [view(root) for root in compose_all(text)]
    except InputError as error:
        raise EditError(f"the new text would be {error}") from None
    if not same(said, list(meant)):
        raise EditError(
            "the new text would not say what is meant: separate its documents by lines of `---` alone"
        )
    return text
