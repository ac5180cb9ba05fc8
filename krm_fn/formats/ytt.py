"""Code of ytt in a document: what it decides must not be edited.

A document stays as it is where code makes a value that an edit is about, or where a block of code begins among the members
of a mapping that an edit changes. Sources: ytt, "YAML primer" and "Language" (https://carvel.dev/ytt/docs/latest/):
``#@ code``, ``#@annotation``; blocks from ``if``, ``for``, ``def`` to ``end``, or ``if/end`` for the next place alone; a
comment on a line of its own belongs to the place below it, one behind ``key:`` gives that its value.
"""  # noqa: E501

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from krm_fn.formats.embedded import Embedded, NotEditedError, Value
from krm_fn.krm.results import Finding
from krm_fn.patch import Operation, Pointer
from krm_fn.yamledit.comments import CommentedPlace, places
from krm_fn.yamledit.stream import edit_document

_CODE = re.compile(r"#@(?:template/\w+)?(?:[ \t]+|$)(?P<code>.*)")
_BLOCK = re.compile(r"(?:if|for|while|def)(?P<once>/end)?\b")
_HARMLESS = re.compile(
    r"#@(?:data/values|library/|yaml/text-templated-strings|overlay/(?:match|match-child-defaults|merge)\b"
    r"|schema/(?:title|desc|examples|deprecated)\b)(?!.*\b(?:by|when|via) *=)"
)
"""Annotations under which the value that is there is the one that counts."""
_OF_A_DOCUMENT = re.compile(r"^[ \t]*#@(?:data|library)/", re.MULTILINE)
_SEPARATOR = re.compile(r"^---(?:[ \t]+#.*|[ \t\r]*)$", re.MULTILINE)
_OVERLAY = re.compile(r"^#@[ \t]*overlay/match\b", re.MULTILINE)
"""Above the separator of a document: it says what changes in documents that ytt makes elsewhere."""

_DECIDED = "code of ytt decides about `{name}`, so the document stays as it is: write a value there, or edit it by hand"
_UNMATCHED = (
    "is an overlay of ytt, which takes nothing new in `{name}` without an annotation, so the document stays as it is: "
    "write it by hand, with `#@overlay/match missing_ok=True` or `#@overlay/append`"
)


class YttCode:
    """The code in a text.

    Args:
        text: one or several YAML documents.
    """

    def __init__(self, text: str) -> None:
        self._decided: set[Pointer] = set()
        self._with_blocks: set[Pointer] = set()
        self._annotated: set[Pointer] = set()
        depth = 0
        for place in places(text) if "#@" in text else ():
            for comment in place.above:
                code = _CODE.match(comment)
                block = _BLOCK.match(code["code"]) if code else None
                if block and not block["once"]:
                    depth += 1
                    self._with_blocks.add(place.path[:-1])
                elif code and re.match(r"end\b", code["code"]):
                    depth -= 1
            if depth > 0 or _is_decided(place):
                self._decided.add(place.path)
            if any(comment.startswith("#@") for comment in place.above):
                self._annotated.add(place.path)

    def checked(self, operations: Iterable[Operation], root: Pointer) -> list[Operation] | Finding:
        """Return operations below a place that leave the code alone, or why there are none.

        A new member is not parted from its annotations by another one in front of it.
        """
        found = []
        for one in operations:
            path = (*root, *one.path)
            goes = one.op == "remove" and path in self._annotated
            if goes or self.decides(path) or (one.op != "add" and self._is_below(path)):
                return _warning(_DECIDED, one.path)
            is_parted = (*path[:-1], one.before) in self._annotated
            found.append(one._replace(before="") if is_parted else one)
        return found

    def decides(self, path: Pointer) -> bool:
        """Return whether code decides about a place, which begins with the number of its document."""
        steps = [path[:length] for length in range(1, len(path) + 1)]
        return path[:-1] in self._with_blocks or not self._decided.isdisjoint(steps)

    def _is_below(self, path: Pointer) -> bool:
        """Return whether code decides about a part of a place."""
        return any(place[: len(path)] == path for place in self._decided)

    def is_computed(self, path: Pointer) -> bool:
        """Return whether code decides about a place itself."""
        return path in self._decided


def _is_decided(place: CommentedPlace) -> bool:
    """Return whether code, or an annotation that does more than describe, is at a place."""
    is_document = len(place.path) == 1
    if "(@" in (place.value_text or "") or any(map(_CODE.match, place.beside)):
        return True
    for comment in place.above:
        code = _CODE.match(comment)
        if code and (block := _BLOCK.match(code["code"])) and block["once"]:
            return True
        if (
            comment.startswith("#@")
            and not code
            and not is_document
            and not _HARMLESS.match(comment)
        ):
            return True
    return False


def checked(document: Embedded, operations: Iterable[Operation]) -> list[Operation]:
    """Return operations on a document of data values that leave its code alone.

    Raises:
        NotEditedError: its code decides about something that they change.
    """
    answer = YttCode(document.value.text).checked(operations, (str(document.number),))
    if isinstance(answer, Finding):
        raise NotEditedError(answer)
    return answer


def opened(value: Value) -> Value:
    """Return a text without a document to which one can be added: a header that is not closed yet is."""
    separators = list(_SEPARATOR.finditer(value.text))
    if not _OF_A_DOCUMENT.search(value.text, separators[-1].end() if separators else 0):
        return value
    newline = "\r\n" if "\r\n" in value.text else "\n"
    gap = "" if value.text.endswith("\n") else newline
    return value._replace(text=f"{value.text}{gap}---{newline}")


def undecided(text: str, names: Collection[str]) -> str:
    """Return the first of some members at the root of a text that code may change; "" for none."""
    code = YttCode(text)
    return next((name for name in names if code.decides(("0", name))), "")


class YttManifest:
    """An object in a text with code of ytt, as it is edited, one edit after another.

    Args:
        text: holds the object in its first document.
        path: leads to the object in it.
        above: the comments above the separator of the document.
    """

    def __init__(self, text: str, path: Pointer, above: str) -> None:
        self._text = text
        self._path = path
        self._is_overlay = bool(_OVERLAY.search(above))

    def checked(self, operations: Sequence[Operation]) -> Sequence[Operation] | Finding:
        """Return operations on the object, or why it must stay as it is."""
        for one in operations:
            is_new = one.op == "add" or isinstance(one.value, (dict, list))
            if self._is_overlay and is_new:
                return _warning(_UNMATCHED, one.path[:-1] if one.op == "add" else one.path)
        return YttCode(self._text).checked(operations, ("0", *self._path))

    def computed(self, path: Pointer) -> Finding | None:
        """Return the finding about code that makes the value at a path of the object, if there is such."""
        code = YttCode(self._text)
        for length in range(1, len(path) + 1):
            if code.is_computed(("0", *self._path, *path[:length])):
                return _warning(_DECIDED, path[:length])
        return None

    def edited(self, operations: Iterable[Operation]) -> None:
        """Take over operations that ``checked`` has returned."""
        inside = [one._replace(path=(*self._path, *one.path)) for one in operations]
        self._text = edit_document(self._text, 0, inside)


def _warning(message: str, path: Pointer) -> Finding:
    name = next((step for step in reversed(path) if not step.isdigit()), "")
    return Finding.of("TextUnreadable", message.format(name=name), path)
