"""Texts that are left alone: those that SOPS has encrypted, and those that hold code of ytt.

A text with an encrypted value is not edited, because its checksum would not hold any more, and it is not read. Code of
ytt may decide about all of the text around it.

Sources: ``getsops/sops``: an encrypted value is ``ENC[AES256_GCM,…]``, a comment ``#ENC[AES256_GCM,…]``; a document
with one, or with a checksum of the plain ones, has a mapping ``sops`` at its top, each member on a line of its own.
ytt, "YAML primer" and "Language" (https://carvel.dev/ytt/docs/latest/): ``#@ code``, ``#@annotation``, and
``(@ code @)`` in texts below ``#@yaml/text-templated-strings``.
"""

from __future__ import annotations

import re

from krm_fn.errors import InputError
from krm_fn.krm.results import Result
from krm_fn.patch import Data, Pointer
from krm_fn.yamledit import CODE_OF_YTT, Document
from krm_fn.yamledit.tree import Scalar, newline_of, splice, walk

ENCRYPTED = "is encrypted by SOPS: decrypt it first"
HAS_CODE = "code of ytt may decide what counts, so the text stays as it is: edit it by hand"

_MEMBER_OF_SOPS = "sops"
_MARKS_OF_SOPS = {"mac", "lastmodified", "version"}
# Not in a comment of a person.
_ENCRYPTED_VALUE = r"(?m)^(?![ \t]*#[ \t]).*ENC\[AES256_GCM,"
_CHECKSUM = r"""(?mx)
    ^ (?P<at> [ \t]{1,8} (?=") | ) "?sops"? : .* \n    # `sops:`, or `  "sops": {` in JSON
    (?: (?: (?P=at) [ \t\#] .* | \r? ) \n )*?           # `    kms: []`: lines below it, comments, empty lines
    (?P=at) [ \t]+ "?mac"? :                            # `    mac: ENC[AES256_GCM,...]`
"""

# Lines at the left margin under which the values that are there are those that count.
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
_CODE = rf"""(?mx)
    ^ (?! {_HEADER} ) \#@    # `#@ if x:`
    | [ \t] \#@              # `a: #@ x`
"""
_OF_A_DOCUMENT = r"(?m)^[ \t]*#@(?:data|library)/"
_SEPARATOR = r"(?m)^---(?:[ \t]+#.*|[ \t\r]*)$"


def is_encrypted(data: Data) -> bool:
    """Return whether SOPS has encrypted an object of the list."""
    held = data.get(_MEMBER_OF_SOPS)
    return isinstance(held, dict) and not _MARKS_OF_SOPS.isdisjoint(held)


def hides(text: str) -> bool:
    """Return whether a text is a value or a document that SOPS has encrypted."""
    if re.search(_ENCRYPTED_VALUE, text):
        return True
    return re.search(_CHECKSUM, text) is not None


def refusal(path: Pointer = (_MEMBER_OF_SOPS,)) -> Result:
    """Return the finding about an encrypted object, or about the encrypted text at ``path``."""
    return Result(
        "TextUnreadable", f"{ENCRYPTED}, or leave it out with `spec.selector.exclude`", path
    )


def has_code(text: str) -> bool:
    """Return whether code of ytt is in YAML documents, beyond the head of data values."""
    if CODE_OF_YTT not in text:
        return False
    from krm_fn.yamledit.stream import documents  # noqa: PLC0415 -- few manifests hold code of ytt

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
        if not isinstance(node, Scalar):
            continue
        start = node.start
        rest = ""
        if node.style in ("|", ">"):  # a comment may follow the indicator
            start = text.find("\n", start, node.end)
            rest = "\n"
        edits.append((start, node.end, rest))
    return splice(text, edits)


def opened(text: str) -> str:
    """Return a text without a document to which one can be added: a header of ytt that is not closed yet is."""
    end = 0
    for separator in re.finditer(_SEPARATOR, text):
        end = separator.end()
    if not re.search(_OF_A_DOCUMENT, text[end:]):
        return text
    newline = newline_of(text)
    if not text.endswith("\n"):
        text += newline
    return f"{text}---{newline}"
