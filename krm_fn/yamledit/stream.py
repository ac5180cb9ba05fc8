"""A text of several YAML documents, taken apart by its separators alone.

The text between two separators is one document, comments before its first line included; a part that holds only
comments, blanks, directives and ends (``...``) is none. A separator with something behind it on its line is part of
its document: ``--- {a: b}``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from krm_fn.errors import EditError
from krm_fn.yamledit.data import same
from krm_fn.yamledit.document import Document
from krm_fn.yamledit.tree import Span, newline_of, with_line_feeds

_BOM = "\ufeff"
# It begins with its literal, which is searched for faster than the beginning of a line.
_SEPARATOR = r"""(?x)
    ---
    (?: (?P<alone> (?: [ \t]+ (?: \# [^\r\n]* )? )? \r? (?: \n | \Z ) )    # `--- # staging`
      | (?= [ \t] )                                                        # `--- {a: b}`
    )
"""
_EMPTY_LINE = r"""
    (?: % [A-Za-z] [^\r\n]*            # `%YAML 1.2`
      | \.\.\. (?! [^ \t\r\n] ) )?     # `...`
    [ \t\r]* (?: \# [^\r\n]* \r? )?    # `  # comment`
"""
_EMPTY = rf"(?x) (?: {_EMPTY_LINE} \n )* {_EMPTY_LINE} \Z"
# With one of these begins a part that holds nothing: nearly all documents begin with a letter.
_BEGIN_OF_NOTHING = frozenset(" \t\r\n#.%")


def documents(text: str) -> list[Span]:
    """Return where each document starts and ends in ``text``, without the separators around it.

    A byte order mark is no part of its document; inside a file there is one where files were joined by `cat`.
    """
    text = with_line_feeds(text)
    slices = []
    start = 0
    for separator in [*_separators(text), None]:
        start += text.startswith(_BOM, start)
        end = len(text)
        if separator:
            end = separator.start()
        begins_with_words = start < end and text[start] not in _BEGIN_OF_NOTHING
        if begins_with_words or not re.compile(_EMPTY).fullmatch(text, start, max(start, end)):
            slices.append((start, end))
        if separator:
            start = separator.start()
            if separator["alone"] is not None:
                start = separator.end()
    return slices


def texts_of_documents(text: str) -> list[str]:
    """Return the text of each document."""
    return [text[start:end] for start, end in documents(text)]


def _separators(text: str) -> Iterator[re.Match[str]]:
    """Yield the separators, which are at the beginning of a line, or behind a byte order mark."""
    first = int(text.startswith(_BOM))
    for match in re.finditer(_SEPARATOR, text):
        start = match.start()
        if start == first or text[start - 1] == "\n":
            yield match


def comments_above(text: str, start: int) -> str:
    """Return the lines of comments directly above the separator of the document that starts at ``start``.

    They count to the document before; a program that reads comments may take them for those of this one.
    """
    end = start
    if not text.startswith("---", start):
        end = text.rfind("\n", 0, max(start - 1, 0)) + 1
    begin = end
    while begin > 0:
        line = text.rfind("\n", 0, begin - 1) + 1
        if not text.startswith("#", line):
            break
        begin = line
    return text[begin:end]


def rewrite_documents(text: str, texts: Mapping[int, str | None], new: Sequence[str] = ()) -> str:
    """Return ``text`` with other texts for some of its documents, and with new documents behind its last one.

    A document that goes takes the separator above it along, or the one below it where it is the first. So documents
    that were added here and go again leave the bytes of before.

    Args:
        text: documents, and separators between them.
        texts: number of a document, as in ``documents`` -> its new text, or None to remove it.
        new: texts of new documents, without separators.

    Raises:
        EditError: the new text would not be taken apart into these documents.
    """
    slices = documents(text)
    around = [(0, 0), *slices, (len(text), len(text))]
    between = [text[above[1] : below[0]] for above, below in pairwise(around)]
    pieces = [between[0]]
    meant = []
    for number, (start, end) in enumerate(slices):
        document = texts.get(number, text[start:end])
        below = between[number + 1]
        if document is None:
            above = pieces.pop()
            shorter = _without_separator(above, first=False)
            if shorter == above:
                below = _without_separator(below, first=True)
            pieces.append(shorter + below)
        else:
            meant.append(document)
            pieces += [document, below]
    if new:
        _add(pieces, meant, new, newline_of(text))
    after = "".join(pieces)
    if texts_of_documents(after) != meant:
        raise EditError(
            "the new text would not have the documents that are meant: "
            "separate its documents by lines of `---` alone"
        )
    return after


def _add(pieces: list[str], meant: list[str], new: Sequence[str], newline: str) -> None:
    """Add new documents behind the last one of ``pieces`` and ``meant``.

    Raises:
        EditError: with a line break behind it, the last document would say something else.
    """
    separator = f"---{newline}"
    rest = pieces.pop()
    above = separator
    if not meant:
        above = rest
        if above and not above.endswith(("\n", "\r")):
            above += newline
        if rest.strip(_BOM) and not list(_separators(rest)):
            above += separator
        rest = ""
    elif not meant[-1].endswith(("\n", "\r")):
        last = meant[-1]
        pieces[-1] = meant[-1] = last + newline
        before = Document(last).data()
        if not same(before, Document(last + newline).data()):
            raise EditError(
                "its last line must end with a line break, because a document must follow it"
            )
    pieces += [above, separator.join(new), rest]
    meant += new


def _without_separator(between: str, *, first: bool) -> str:
    """Remove the separator that begins, or ends, the text between two documents."""
    for match in _separators(with_line_feeds(between)):
        above = between[: match.start()]
        below = between[match.end() :]
        is_meant = not below
        if first:
            is_meant = not above
        if is_meant and match["alone"] is not None:
            return above + below
    return between
