"""A text of several YAML documents, taken apart by its separators alone.

What is between two separators is one document, comments before its first line included; a part that holds nothing but
comments, blanks and ends (``...``) is none, and directives belong to the document below them. A separator with
something behind it on its line is part of its document: ``--- {a: b}``. Nothing is written that PyYAML would take
apart in another way.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from krm_fn.errors import EditError, InputError
from krm_fn.light_typing import Any
from krm_fn.patch import Operation
from krm_fn.yamledit.breaks import newline_of, with_line_feeds
from krm_fn.yamledit.document import CODE_OF_YTT, FOR_YTT, PLAIN, Document
from krm_fn.yamledit.tree import compose_all
from krm_fn.yamledit.view import same, view

_BOM = "\ufeff"
_COMMENT = r"(?:#[^\r\n]*)?"
_SEPARATOR = rf"---(?:(?P<alone>(?:[ \t]+{_COMMENT})?\r?(?:\n|\Z))|(?=[ \t]))"
"""Begins with its literal, which is searched for faster than the beginning of a line; see ``_separators``."""
# Each line of it is read in one way only: where a CR could be a blank or the end of a line, time is exponential.
_EMPTY_LINE = r"(?:\.\.\.(?![^ \t\r\n]))?[ \t\r]*(?:#[^\r\n]*\r?)?"
_DIRECTIVES = (
    r"(?:[ \t\r]*(?:#[^\n]*)?\n)*%[A-Za-z][^\n]*\n(?:(?:%[A-Za-z][^\n]*|[ \t\r]*(?:#[^\n]*)?)\n)*\Z"
)
"""Directives (YAML 1.1, section 4.1) and comments between them: the separator below them begins their document."""
_WAS_OPEN = " was: no line break above"
"""A comment behind the separator of a document that was added."""
_EMPTY = rf"(?:{_EMPTY_LINE}\n)*{_EMPTY_LINE}\Z"
_BEGIN_OF_NOTHING = frozenset(" \t\r\n#.%")
"""With one of these begin directives, and a part that holds nothing: nearly all documents begin with a letter."""


def documents(text: str) -> list[tuple[int, int]]:
    """Return where each document starts and ends in ``text``, without the separators around it.

    A byte order mark is no part of its document; inside a file there is one where files were joined by `cat`.
    """
    text = with_line_feeds(text)
    separators = _separators(text)
    starts = [0, *(one.start() if one["alone"] is None else one.end() for one in separators)]
    starts = [start + text.startswith(_BOM, start) for start in starts]
    ends = [*(one.start() for one in separators), len(text)]
    found: list[tuple[int, int]] = []
    of_directives: int | None = None
    for start, end in zip(starts, ends, strict=True):
        first = start if of_directives is None else of_directives
        of_directives = None
        if start < end and text[start] not in _BEGIN_OF_NOTHING:
            found.append((first, end))
        elif re.compile(_DIRECTIVES).fullmatch(text, start, end):
            of_directives = first
        elif not re.compile(_EMPTY).fullmatch(text, start, end):
            found.append((first, end))
    return found


def comments_above(text: str, start: int) -> str:
    """Return the lines of comments directly above the separator of the document that starts at ``start``.

    They count to the document before; a program that reads comments may take them for those of this one.
    """
    end = start if text.startswith("---", start) else text.rfind("\n", 0, max(start - 1, 0)) + 1
    first = end
    while first > 0:
        line = text.rfind("\n", 0, first - 1) + 1
        if not text.startswith("#", line):
            break
        first = line
    return text[first:end]


def _separators(text: str) -> list[re.Match[str]]:
    """Return the separators, which are at the beginning of a line, or behind a byte order mark."""
    text = with_line_feeds(text)
    first = int(text.startswith(_BOM))
    return [
        one
        for one in re.finditer(_SEPARATOR, text)
        if one.start() == first or text[one.start() - 1] == "\n"
    ]


def rewrite_documents(text: str, texts: Mapping[int, str | None], new: Sequence[str] = ()) -> str:
    """Return ``text`` with other texts for some of its documents, and with new documents at its end.

    A document that goes takes the separator above it along, or the one below it where it is the first. A new one stands
    above a separator that ends the text; where the text ends without a line break, a comment behind the separator keeps
    that. So documents that were added here and go again leave the bytes of before.

    Args:
        text: documents, and separators between them.
        texts: number of a document, as in ``documents`` -> its new text, or None to remove it.
        new: texts of new documents, without separators.

    Raises:
        EditError: the new text would not be taken apart into these documents.
    """
    slices = documents(text)
    kept = [texts.get(number, text[start:end]) for number, (start, end) in enumerate(slices)]
    pieces, position = [], 0
    for start, end, replacement in _replacements(text, slices, texts):
        pieces += [text[position : max(start, position)], replacement]
        position = max(end, position)
    after = "".join([*pieces, text[position:]])
    expected = [one for one in kept if one is not None]
    mark = ""
    if new and expected and kept[-1] is not None and _is_open(after, expected[-1]):
        after, expected[-1] = _with_line_break(after, expected[-1])
        mark = f" {FOR_YTT if CODE_OF_YTT in text else PLAIN}{_WAS_OPEN}"
    elif expected and kept[-1] is None and _was_open(text, slices, kept):
        after, expected[-1] = _without_line_break(after, expected[-1])
    after = _with_documents(after, new, mark)
    expected += new
    if [after[start:end] for start, end in documents(after)] != expected:
        raise EditError(
            "the new text would not have the documents that are meant: "
            "separate its documents by lines of `---` alone"
        )
    return after


def _replacements(
    text: str, slices: Sequence[tuple[int, int]], texts: Mapping[int, str | None]
) -> list[tuple[int, int, str]]:
    """Return start, end and new text of each part of ``text`` that changes, in the order of the text."""
    separators = _separators(text) if None in texts.values() else []
    alone = [one.span() for one in separators if one["alone"] is not None]
    above = {end: start for start, end in alone}
    below = dict(alone)
    found = []
    for number in sorted(texts):
        (start, end), new = slices[number], texts[number]
        if new is None and start in above:
            start = above[start]
        elif new is None:
            end = below.get(end, end)
        found.append((start, end, new or ""))
    return found


def _with_line_break(text: str, last: str) -> tuple[str, str]:
    """Return a text and its last document with a line break at the end.

    Raises:
        EditError: with a line break, the document says something else.
    """
    line_break = newline_of(text)
    if not same(Document(last).data(), Document(last + line_break).data()):
        raise EditError(
            "its last line must end with a line break, because a document must follow it"
        )
    return text + line_break, last + line_break


def _is_open(text: str, last: str) -> bool:
    """Return whether a text ends with its last document, and that without a line break."""
    return text.endswith(last) and not text.endswith(("\n", "\r"))


def _was_open(text: str, slices: Sequence[tuple[int, int]], kept: Sequence[str | None]) -> bool:
    """Return whether a mark says that a text which loses its last documents had no line break at its end."""
    first = max(number for number, one in enumerate(kept) if one is not None) + 1
    above = text[slices[first - 1][1] : slices[first][0]]
    return _WAS_OPEN in above and slices[-1][1] == len(text)


def _without_line_break(text: str, last: str) -> tuple[str, str]:
    """Return a text and its last document without the line break at the end, where that says the same."""
    line_break = newline_of(text)
    shorter = last.removesuffix(line_break)
    if not text.endswith(last) or not same(Document(last).data(), Document(shorter).data()):
        return text, last
    return text.removesuffix(line_break), shorter


def _with_documents(text: str, new: Sequence[str], mark: str) -> str:
    """Return ``text`` with documents behind its last one, above a separator that ends it.

    Comments behind such a separator stay there, too, if they have no line break at their end.

    ``mark`` is a comment behind the separator above the first of them, or "".
    """
    if not new:
        return text
    separators, slices = _separators(text), documents(text)
    end = len(text)
    if separators and (separators[-1].end() == end or _ends_in_open_comment(text, slices)):
        end = separators[-1].start()
    separator = f"---{newline_of(text)}"
    if not slices:
        is_separated = end < len(text) or not text.strip(_BOM)
        return text + ("" if is_separated else separator) + separator.join(new)
    first = f"---{mark}{newline_of(text)}"
    return text[:end] + first + separator.join(new) + text[end:]


def _ends_in_open_comment(text: str, slices: Sequence[tuple[int, int]]) -> bool:
    """Return whether a text ends behind its last document, and that without a line break."""
    return bool(slices) and slices[-1][1] < len(text) and not text.endswith(("\n", "\r"))


def edit_document(text: str, number: int, operations: Sequence[Operation]) -> str:
    """Return ``text`` with operations applied to one of its documents, by its number in ``documents``.

    Raises: as ``DocumentsEditor.edit``.
    """
    return DocumentsEditor(text).edit(number, operations)


class DocumentsEditor:
    """The documents of a text as they are edited, one after another.

    The first edit is proven by reading the text as a whole, each further one by reading its document and the two beside
    it: PyYAML reads a document in the same way whatever is before its separator. So the time for all edits grows with
    the length of the text, also where each document is edited.

    Args:
        text: YAML documents.
    """

    def __init__(self, text: str) -> None:
        slices = documents(text)
        for_ytt = CODE_OF_YTT in text  # also above the first separator, where no document is
        self._documents = [Document(text[start:end], for_ytt=for_ytt) for start, end in slices]
        self._texts = [document.text for document in self._documents]
        self._meant = [document.data() for document in self._documents]
        ends = [0, *(end for _, end in slices)]
        starts = [*(start for start, _ in slices), len(text)]
        self._between = [text[end:start] for end, start in zip(ends, starts, strict=True)]
        self._is_proven = False

    def edit(self, number: int, operations: Sequence[Operation]) -> str:
        """Return the text after operations on one of its documents, and after the edits of others before.

        The operations apply to the document as it was at first. After an error the edit is not made.

        Raises:
            InputError: as ``Document.edit``.
            EditError: as ``Document.edit`` and ``prove``.
        """
        from krm_fn.yamledit.edit import edited  # noqa: PLC0415 -- most documents are only read

        new = edited(self._documents[number], operations)
        old = self._texts[number], self._meant[number]
        self._texts[number], self._meant[number] = new
        first, behind = 0, len(self._texts)
        if self._is_proven:
            first, behind = max(number - 1, 0), min(number + 2, behind)
        try:
            prove(self._joined(first, behind), self._meant[first:behind])
        except EditError:
            self._texts[number], self._meant[number] = old
            raise
        self._is_proven = True
        return self._joined(0, len(self._texts))

    def _joined(self, first: int, behind: int) -> str:
        """Return the text from one document to the one before another, what is around all of them included."""
        pieces = [self._between[0]] if first == 0 else []
        for number in range(first, behind):
            pieces += [self._texts[number], self._between[number + 1]]
        return "".join(pieces)


def prove(text: str, meant: Sequence[Any]) -> str:
    """Return ``text``, after PyYAML has read as a whole the documents ``meant`` in it.

    Raises:
        EditError: it says something else, or nothing.
    """
    try:
        reread = [view(root) for root in compose_all(text)]
    except InputError as error:
        raise EditError(f"the new text would be {error}") from None
    if not same(reread, list(meant)):
        raise EditError(
            "the new text would not say what is meant: separate its documents by lines of `---` alone"
        )
    return text
