"""A text of several YAML documents, taken apart by its separators alone.

What is between two separators is one document, comments before its first line included; a part that holds nothing but
comments, blanks, directives and ends (``...``) is none. A separator with something behind it on its line is part of
its document: ``--- {a: b}``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from krm_fn.errors import EditError
from krm_fn.light_typing import Any
from krm_fn.yamledit.data import same
from krm_fn.yamledit.document import CODE_OF_YTT, Document
from krm_fn.yamledit.lines import newline_of, with_line_feeds

_BOM = "\ufeff"
# It begins with its literal, which is searched for faster than the beginning of a line.
_SEPARATOR = re.compile(r"---(?:(?P<alone>(?:[ \t]+(?:#[^\r\n]*)?)?\r?(?:\n|\Z))|(?=[ \t]))")
_EMPTY_LINE = r"(?:%[A-Za-z][^\r\n]*|\.\.\.(?![^ \t\r\n]))?[ \t\r]*(?:#[^\r\n]*\r?)?"
_EMPTY = re.compile(rf"(?:{_EMPTY_LINE}\n)*{_EMPTY_LINE}\Z")
_BEGIN_OF_NOTHING = frozenset(" \t\r\n#.%")
"""With one of these begins a part that holds nothing: nearly all documents begin with a letter."""


def documents(text: str) -> list[tuple[int, int]]:
    """Return where each document starts and ends in ``text``, without the separators around it.

    A byte order mark is no part of its document; inside a file there is one where files were joined by `cat`.
    """
    text = with_line_feeds(text)
    slices: list[tuple[int, int]] = []
    start = 0
    for separator in [*_separators(text), None]:
        start += text.startswith(_BOM, start)
        end = separator.start() if separator else len(text)
        begins_with_words = start < end and text[start] not in _BEGIN_OF_NOTHING
        if begins_with_words or not _EMPTY.fullmatch(text, start, max(start, end)):
            slices.append((start, end))
        if separator:
            start = separator.end() if separator["alone"] is not None else separator.start()
    return slices


def _separators(text: str) -> Iterator[re.Match[str]]:
    """Yield the separators, which are at the beginning of a line, or behind a byte order mark."""
    first = int(text.startswith(_BOM))
    for match in _SEPARATOR.finditer(text):
        if match.start() == first or text[match.start() - 1] == "\n":
            yield match


def comments_above(text: str, start: int) -> str:
    """Return the lines of comments directly above the separator of the document that starts at ``start``.

    They count to the document before; a program that reads comments may take them for those of this one.
    """
    end = start if text.startswith("---", start) else text.rfind("\n", 0, max(start - 1, 0)) + 1
    begin = end
    while begin > 0:
        line = text.rfind("\n", 0, begin - 1) + 1
        if not text.startswith("#", line):
            break
        begin = line
    return text[begin:end]


def rewrite_documents(text: str, texts: Mapping[int, str | None], new: Sequence[str] = ()) -> str:
    """Return ``text`` with other texts for some of its documents, and with new documents at its end.

    A document that goes takes the separator above it along, or the one below it where it is the first. A new one stands
    above a separator that ends the text. So documents that were added here and go again leave the bytes of before.

    Args:
        text: documents, and separators between them.
        texts: number of a document, as in ``documents`` -> its new text, or None to remove it.
        new: texts of new documents, without separators.

    Raises:
        EditError: the new text would not be taken apart into these documents.
    """
    slices = documents(text)
    if new and slices and not text.endswith(("\n", "\r")):
        newline = newline_of(text)
        last = len(slices) - 1
        if slices[last][1] == len(text) and texts.get(last, "") is not None:
            texts = {**texts, last: _closed(texts.get(last) or text[slice(*slices[last])], newline)}
        else:
            text += newline
    meant: list[str] = []
    pieces: list[str] = []
    position = 0
    is_separator_gone = False
    for number, (start, end) in enumerate(slices):
        above, document = text[position:start], texts.get(number, text[start:end])
        position = end
        if is_separator_gone:
            above = _without_separator(above, first=True)
        is_separator_gone = False
        if document is None:
            shorter = _without_separator(above, first=False)
            is_separator_gone = shorter == above
            pieces.append(shorter)
        else:
            pieces += [above, document]
            meant.append(document)
    rest = text[position:]
    pieces.append(_without_separator(rest, first=True) if is_separator_gone else rest)
    after = _with_documents("".join(pieces), new)
    if [after[start:end] for start, end in documents(after)] != [*meant, *new]:
        raise EditError(
            "the new text would not have the documents that are meant: "
            "separate its documents by lines of `---` alone"
        )
    return after


def _closed(document: str, newline: str) -> str:
    """Return a document with a line break at its end.

    Raises:
        EditError: with a line break, the document says something else.
    """
    if not same(Document(document).data(), Document(document + newline).data()):
        raise EditError(
            "its last line must end with a line break, because a document must follow it"
        )
    return document + newline


def _without_separator(between: str, *, first: bool) -> str:
    """Remove the separator that begins, or ends, the text between two documents."""
    for match in _separators(with_line_feeds(between)):
        is_meant = match.start() == 0 if first else match.end() == len(between)
        if is_meant and match["alone"] is not None:
            return between[: match.start()] + between[match.end() :]
    return between


def _with_documents(text: str, new: Sequence[str]) -> str:
    """Return ``text`` with documents behind its last one, above a separator that ends it."""
    if not new:
        return text
    newline = newline_of(text)
    separator = f"---{newline}"
    if not documents(text):
        is_separated = not text.strip(_BOM) or any(True for _ in _separators(text))
        return text + ("" if is_separated else separator) + separator.join(new)
    end = len(text)
    for match in _separators(with_line_feeds(text)):
        if match.end() == len(text):
            end = match.start()
    return text[:end] + separator + separator.join(new) + text[end:]


class DocumentsEditor:
    """The documents of a text as they are edited, one after another.

    Args:
        text: YAML documents.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        for_ytt = CODE_OF_YTT in text  # also above the first separator, where no document is
        slices = documents(text)
        self._documents = [Document(text[start:end], for_ytt=for_ytt) for start, end in slices]
        self._new: dict[int, str | None] = {}

    def edit(self, number: int, data: Any) -> str:
        """Return the text after new data for one of its documents, and after the edits of others before.

        After an error the edit is not made.

        Raises:
            InputError: as ``Document.with_data``.
            EditError: as ``Document.with_data`` and ``rewrite_documents``.
        """
        new = {**self._new, number: self._documents[number].with_data(data)}
        text = rewrite_documents(self._text, new)
        self._new = new
        return text
