"""Code of ytt in a text: a text that holds any is not edited, as the code may decide about all of it.

Sources: ytt, "YAML primer" and "Language" (https://carvel.dev/ytt/docs/latest/): ``#@ code``, ``#@annotation``, and
``(@ code @)`` in texts below ``#@yaml/text-templated-strings``.
"""

from __future__ import annotations

import re

from krm_fn.errors import InputError
from krm_fn.formats.embedded import NotEditedError, Value
from krm_fn.krm.results import Result
from krm_fn.yamledit import Document
from krm_fn.yamledit.lines import splice
from krm_fn.yamledit.stream import documents
from krm_fn.yamledit.tree import Scalar, walk

_HEADER = r"""
    \#@
    (?: [ \t]* load\(                                      # `#@ load("@ytt:overlay", "overlay")`
      | (?: data/values                                    # `#@data/values`
          | library/                                       # `#@library/ref "@lib"`
          | schema/ (?: title | desc | examples | deprecated ) \b
          | overlay/ (?: match | match-child-defaults | merge ) \b    # `#@overlay/match missing_ok=True`
        )
        (?! [^\r\n]* \b (?: by | when | via ) [ ]* = )     # `by=` and the like are code
    )
"""
"""Lines at the left margin under which the values that are there are those that count."""
_CODE = rf"""(?mx)
    ^ (?! {_HEADER} ) \#@    # `#@ if x:`
    | [ \t] \#@              # `a: #@ x`
"""
_OF_A_DOCUMENT = r"(?m)^[ \t]*#@(?:data|library)/"
_SEPARATOR = r"(?m)^---(?:[ \t]+#.*|[ \t\r]*)$"

LEFT_ALONE = "code of ytt may decide what counts, so the text stays as it is: edit it by hand"


def has_code(text: str) -> bool:
    """Return whether code of ytt is in YAML documents, beyond the head of data values."""
    if "#@" not in text:
        return False
    try:
        spans = documents(text)
        for start, end in reversed(spans):
            text = text[:start] + _without_scalars(text[start:end]) + text[end:]
    except InputError:
        return True
    return re.search(_CODE, text) is not None


def _without_scalars(text: str) -> str:
    """Return a document without its scalars: code in one is text of the scalar."""
    edits = []
    for node in walk(Document(text).root):
        if isinstance(node, Scalar):
            start = node.start
            if node.style in ("|", ">"):  # a comment may follow the indicator
                start = text.find("\n", start, node.end)
            edits.append((start, node.end, "\n" if start > node.start else ""))
    return splice(text, edits)


def check(value: Value) -> None:
    """Check that a text of data values may be edited.

    Raises:
        NotEditedError: code of ytt is in the text.
    """
    if has_code(value.text):
        raise NotEditedError(Result.of("TextUnreadable", LEFT_ALONE, value.path))


def opened(value: Value) -> Value:
    """Return a text without a document to which one can be added: a header that is not closed yet is."""
    separators = list(re.finditer(_SEPARATOR, value.text))
    end = separators[-1].end() if separators else 0
    if not re.search(_OF_A_DOCUMENT, value.text[end:]):
        return value
    newline = "\r\n" if "\r\n" in value.text else "\n"
    gap = "" if value.text.endswith("\n") else newline
    return value._replace(text=f"{value.text}{gap}---{newline}")
