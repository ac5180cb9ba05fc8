"""YAML documents inside a value of a Secret or a ConfigMap, read and edited as losslessly as the object around them.

It knows where such a text is and how it is encoded, and never what is in it. A text that is
not there, or cannot be read, is no text; a part of it that no edit is about stays as it is, comments and annotations
of ytt, separators and order included.

Source: Kubernetes ``core/v1``: ``stringData`` of a Secret replaces the same key in ``data``, whose values
are base64; values of a ConfigMap's ``data`` are text.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from krm_fn.errors import EditError, ExpansionError, InputError
from krm_fn.formats import sops
from krm_fn.krm.results import Finding, Severity
from krm_fn.krm.type_errors import wrong_type
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.patch import Operation, Pointer, lookup
from krm_fn.yamledit import Document
from krm_fn.yamledit.render import block_text
from krm_fn.yamledit.stream import DocumentsEditor, documents, prove


class Value(NamedTuple):
    """One text of an object: ``path`` leads to it, ``is_base64`` says how it is written there.

    ``width``: the length of a line if base64 has several lines, else 0; ``ending``: the line breaks behind base64;
    ``before`` and ``behind``: what is around a text that is a part of the one at ``path``.
    """

    path: Pointer
    text: str
    is_base64: bool = False
    width: int = 0
    ending: str = ""
    before: str = ""
    behind: str = ""

    def written(self, text: str) -> str:
        """Return ``text`` as the object must hold it."""
        if not self.is_base64:
            return f"{self.before}{text}{self.behind}"
        coded = base64.b64encode(text.encode()).decode()
        width = self.width or len(coded) or 1
        return (
            "\n".join(coded[start : start + width] for start in range(0, len(coded), width))
            + self.ending
        )

    def read(self, written: str) -> str:
        """Return the text that the object holds as ``written``."""
        return _decoded(written) if self.is_base64 else written


class Embedded(NamedTuple):
    """One YAML document of a value, with its ``number`` among those in it; ``data`` is its plain data."""

    value: Value
    number: int
    data: Any


def values(obj: Mapping[str, Any]) -> list[Value | Finding]:
    """Return the texts of a Secret or a ConfigMap, in order, and a finding for each that cannot be read.

    If a key is in ``data`` and in ``stringData``, only the latter counts. What SOPS has encrypted is no text.
    """
    if sops.is_encrypted(obj):
        return [sops.refusal()]
    is_secret = obj.get("kind") == "Secret"
    plain = ("stringData", "data") if is_secret else ("data",)
    found: dict[str, Value | Finding] = {}
    for field in plain:
        members = obj.get(field)
        if members is not None and not isinstance(members, Mapping):
            found[field] = wrong_type((field,), members, "a mapping")
            continue
        for key, text in (members or {}).items():
            if key not in found and text is not None:
                found[key] = _value(
                    (field, str(key)), text, is_base64=is_secret and field == "data"
                )
    return list(found.values())


def places(obj: Mapping[str, Any], value: Value) -> list[Pointer]:
    """Return what must go from an object so that a text of it is gone.

    That is the text, and what it hides: the same key in ``data`` would count without the one in ``stringData``.
    """
    hidden = ("data", value.path[-1])
    if value.path[0] == "stringData" and lookup(obj, hidden) is not None:
        return [value.path, hidden]
    return [value.path]


def read(value: Value) -> list[Embedded] | Finding:
    """Return the YAML documents of a text; a finding if it cannot be read."""
    try:
        parts = [value.text[start:end] for start, end in documents(value.text)]
        return [Embedded(value, index, Document(part).data()) for index, part in enumerate(parts)]
    except InputError as error:
        return _left_alone(value, error)


class TextEditor:
    """Edits the documents of a text, one after another."""

    def __init__(self, value: Value) -> None:
        self._value = value

    def edit(self, number: int, operations: Sequence[Operation]) -> str | Finding:
        """Return the text after operations on one of its documents, and the edits before; or why that is impossible.

        Of two edits of one document only the last one counts.
        """
        try:
            return self._documents.edit(number, operations)
        except ExpansionError as error:
            return _left_alone(self._value, error)
        except EditError as error:
            return _refused(self._value, error)

    @cached_property
    def _documents(self) -> DocumentsEditor:
        return DocumentsEditor(self._value.text)


def begin_text(value: Value, members: Mapping[str, Any]) -> str | Finding:
    """Return a text that has no document, only comments and separators, with a first one behind them.

    A text without a line break at its end gets none, so that removal gives it back.

    Args:
        value: the text as it is.
        members: what the document says.

    Returns:
        A Finding where a YAML parser would not read the document there.
    """
    newline = "\r\n" if "\r\n" in value.text else "\n"
    gap = newline if value.text and not value.text.endswith("\n") else ""
    document = block_text(dict(members)).replace("\n", newline)
    if gap:
        document = document.removesuffix(newline)
    try:
        return prove(f"{value.text}{gap}{document}", [members])
    except EditError as error:
        return _refused(value, error)


def mappings(value: Value) -> Iterator[Embedded]:
    """Yield the documents of a text that are mappings; none where it cannot be read."""
    found = read(value)
    for one in found if isinstance(found, list) else ():
        if isinstance(one.data, dict):
            yield one


def _left_alone(value: Value, error: InputError) -> Finding:
    return Finding(
        Severity.WARNING,
        f"the YAML in it cannot be read and is left as it is: {error}",
        value.path,
        code="TextUnreadable",
    )


def _refused(value: Value, error: EditError) -> Finding:
    message = f"the YAML in it cannot be edited: {error}"
    return Finding(Severity.ERROR, message, value.path, code=error.code)


def _value(path: Pointer, text: Any, *, is_base64: bool) -> Value | Finding:
    if not isinstance(text, str):
        return wrong_type(path, text, "a string")
    if not is_base64 or sops.hides(text):
        return sops.refusal(path) if sops.hides(text) else Value(path, text)
    try:
        decoded = _decoded(text)
    except (binascii.Error, ValueError):
        message = f"`{path[-1]}` must be base64 of UTF-8 text; correct it, or write the text itself under `stringData`"
        return Finding(Severity.WARNING, message, path, code="TextUnreadable")
    first, *more = text.split("\n")
    ending = text[len(text.rstrip("\n")) :]
    found = Value(
        path, decoded, is_base64=True, width=len(first) if any(more) else 0, ending=ending
    )
    return sops.refusal(path) if sops.hides(decoded) else found


def _decoded(text: str) -> str:
    return base64.b64decode("".join(text.split()), validate=True).decode()
