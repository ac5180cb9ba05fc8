"""Code of ytt in a document: what it decides must not be edited, and no comment of it may come to mean another place.

The document is data values inside a text, or a manifest. An edit passes, or a finding says why the document stays as it
is. The text before and after proves it: where code decides nothing about what is set or taken out, and everything else
has the comments it had, ytt reads what was asked for.

Sources: ytt, "YAML primer" and "Language" (https://carvel.dev/ytt/docs/latest/): ``#@ code``, ``#@annotation``; blocks
from ``if``, ``for``, ``def`` to ``end``, or ``if/end`` for the next place alone; a comment on a line of its own belongs
to the place below it, one behind ``key:`` gives that its value; ``(@= code @)`` inside a text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from krm_fn.errors import EditError, ExpansionError
from krm_fn.formats.embedded import Embedded, Value
from krm_fn.krm.results import Finding, Severity
from krm_fn.patch import Operation, Pointer
from krm_fn.yamledit.comments import CommentedPlace, places
from krm_fn.yamledit.stream import edit_document

_CODE = re.compile(r"#@(?:template/\w+)?(?:[ \t]+|$)(?P<code>.*)")
_BLOCK = re.compile(r"(?P<word>if|for|while|def)(?P<once>/end)?\b")
_NAME = re.compile(r"#@[\w/-]*")
_HARMLESS = re.compile(
    r"#@(?:data/values|library/|yaml/text-templated-strings|overlay/(?:match|match-child-defaults|merge)\b"
    r"|schema/(?:title|desc|examples|deprecated)\b)(?!.*\b(?:by|when|via) *=)"
)
"""Annotations under which the value that is there is the one that counts."""
_OF_A_DOCUMENT = re.compile(r"^[ \t]*#@(?:data|library)/", re.MULTILINE)
_SEPARATOR = re.compile(r"^---(?:[ \t]+#.*|[ \t\r]*)$", re.MULTILINE)

_OVERLAY = re.compile(r"^#@[ \t]*overlay/match\b", re.MULTILINE)
"""Above the separator of a document: it says what changes in documents that ytt makes elsewhere."""

_COMPUTED = "`{name}` is computed by ytt, so the document stays as it is: write a value there"
_UNREAD = (
    "`{name}` is computed by ytt, so inject-proxy neither reads nor changes it: see that it needs no proxy, or write a "
    "value there"
)
_BLOCKED = (
    "`{name}` is or would be in code of ytt (`{word}`), so the document stays as it is: move the code away, or "
    "edit it by hand"
)
_ANNOTATED = (
    "the annotation `{word}` of ytt belongs to `{name}`, so the document stays as it is: take the annotation out, or "
    "edit it by hand"
)
_UNMATCHED = (
    "is an overlay of ytt, which takes nothing new in `{name}` without an annotation, so the document stays as it is: "
    "write it by hand, with `#@overlay/match missing_ok=True` or `#@overlay/append`"
)


@dataclass(frozen=True)
class _Meant:
    """A place as ytt takes it.

    ``own`` is what is above it and is about it alone: annotations, and ``if/end``. ``blocks`` are open around it,
    each by the number of the line of code and by its word; so many lines of ``code`` have run before it.
    """

    place: CommentedPlace
    own: tuple[str, ...]
    beside: tuple[str, ...]
    blocks: tuple[tuple[int, str], ...]
    code: int

    @property
    def is_document(self) -> bool:
        return len(self.place.path) == 1

    @property
    def comments(self) -> tuple[object, ...]:
        return (self.own, self.beside, self.blocks, self.code)


_Text = Mapping[Pointer, _Meant]


class YttSyntax:
    """What ytt makes of an edit of data values.

    Args:
        members: what the edit gives a value; code must not decide about one of them that has the right one already.
    """

    def __init__(self, members: Iterable[Pointer] = ()) -> None:
        self._members = tuple(members)

    def checked(
        self, found: Embedded, operations: Sequence[Operation]
    ) -> Sequence[Operation] | Finding:
        """Return operations that do in the eyes of ytt what ``operations`` do, or why the document must stay.

        Where a new member in front of another would part that from its comments, it is added at the end.
        """
        if not _has_code(found.value.text):
            return operations
        places = _meant(found.value.text)
        members = ((str(found.number), *path) for path in self._members)
        decided = next(_standing(places, members), None)
        if decided is not None:
            return decided
        problem = _problem(places, found, operations)
        if problem is None:
            return operations
        at_the_end = [one._replace(before="") for one in operations]
        return problem if _problem(places, found, at_the_end) else at_the_end

    def opened(self, value: Value, name: str) -> Value | Finding:
        """Return a text without a document to which one can be added.

        A header that is not closed yet is.
        """
        separators = list(_SEPARATOR.finditer(value.text))
        if _OF_A_DOCUMENT.search(value.text, separators[-1].end() if separators else 0):
            newline = "\r\n" if "\r\n" in value.text else "\n"
            gap = "" if value.text.endswith("\n") else newline
            value = value._replace(text=f"{value.text}{gap}---{newline}")
        for problem in _decided(_meant(value.text)[()], name, is_strict=False):
            return problem._replace(path=value.path)
        return value


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

    @cached_property
    def _places(self) -> _Text:
        return _meant(self._text) if _has_code(self._text) else {}

    @cached_property
    def _is_for_ytt(self) -> bool:
        """Whether code or an annotation is at a place, not only in a text that the object holds."""
        places = self._places.values()
        return self._is_overlay or any(one.own or one.beside or one.code for one in places)

    def checked(self, operations: Sequence[Operation]) -> Sequence[Operation] | Finding:
        """Return operations on the object that do in the eyes of ytt what ``operations`` do.

        Returns:
            A Finding that says why the object must stay, if there are none.
        """
        if not self._is_for_ytt:
            return operations
        found = Embedded(Value((), self._text), 0, None)
        checked = YttSyntax().checked(found, self._in_text(operations))
        if isinstance(checked, Finding):
            return self._about_object(checked)
        for one in operations if self._is_overlay else ():
            if one.op == "add" or isinstance(one.value, (dict, list)):
                place = one.path[:-1] if one.op == "add" else one.path
                return _ytt_warning(_UNMATCHED, place, name=_shown(place))
        return self._in_object(checked)

    def computed(self, path: Pointer) -> Finding | None:
        """Return the finding about code of ytt that makes the value at ``path`` of the object, if there is such."""
        for depth in range(1, len(path) + 1):
            place = self._places.get(("0", *self._path, *path[:depth]))
            if place is not None and any(map(_CODE.match, place.beside)):
                return _ytt_warning(_UNREAD, path[:depth], name=_shown(path[:depth]))
        return None

    def edited(self, operations: Sequence[Operation]) -> None:
        """Take over operations that ``checked`` has returned."""
        if self._is_for_ytt:
            self._text = edit_document(self._text, 0, self._in_text(operations))
            self.__dict__.pop("_places", None)

    def _in_text(self, operations: Sequence[Operation]) -> list[Operation]:
        return [one._replace(path=(*self._path, *one.path)) for one in operations]

    def _in_object(self, operations: Iterable[Operation]) -> list[Operation]:
        return [one._replace(path=one.path[len(self._path) :]) for one in operations]

    def _about_object(self, finding: Finding) -> Finding:
        return finding._replace(path=finding.path[1 + len(self._path) :])


def _shown(path: Pointer) -> str:
    """Return the name of a place: its key, with the index behind it where it is an item."""
    keys = [at for at, token in enumerate(path) if not token.isdigit()]
    name, *indexes = path[keys[-1] :] if keys else path
    return name + "".join(f"[{index}]" for index in indexes)


def undecided(text: str, names: Collection[str]) -> str:
    """Return the first of ``names``, members at the root of a document, that code may change.

    "" for none.

    Raises:
        InputError: the text cannot be read.
    """
    meant = _meant(text) if _has_code(text) else {}
    ours = (path for path in meant if len(path) == 2 and path[1] in names)
    return next((path[1] for path in ours if any(_deciding_code(meant, path))), "")


def _standing(meant: _Text, paths: Iterable[Pointer]) -> Iterator[Finding]:
    """Yield findings about ytt code that decides about existing places."""
    for path in paths:
        yield from _deciding_code(meant, path) if path in meant else ()


def _problem(meant: _Text, found: Embedded, operations: Sequence[Operation]) -> Finding | None:
    if not operations:
        return None
    try:
        new = edit_document(found.value.text, found.number, operations)
    except (EditError, ExpansionError):
        return None  # whoever writes the text tells it
    return next(_problems(meant, _meant(new)), None)


def _has_code(text: str) -> bool:
    return "#@" in text  # so do all texts with `(@`: an annotation allows it


def _meant(text: str) -> _Text:
    """Return the places of a text; a repeated name gets a different one."""
    found: dict[Pointer, _Meant] = {}
    again: Counter[Pointer] = Counter()
    blocks: list[tuple[int, str]] = []
    code = 0
    for place in places(text):
        own = []
        for comment in place.above:
            line = _CODE.match(comment)
            block = _BLOCK.match(line["code"]) if line else None
            if comment.startswith("#@") and (not line or (block and block["once"])):
                own.append(comment)
            elif line:
                code += 1
                _run(line["code"], code, blocks)
        path = place.path
        while path in found:
            again[place.path] += 1
            path = (*place.path[:-1], f"{place.path[-1]} again {again[place.path]}")
        beside = tuple(comment for comment in place.beside if comment.startswith("#@"))
        found[path] = _Meant(place, tuple(own), beside, tuple(blocks), code)
    return found


def _run(code: str, number: int, blocks: list[tuple[int, str]]) -> None:
    block = _BLOCK.match(code)
    if block:
        blocks.append((number, f"#@ {block['word']}"))
    elif re.match(r"end\b", code) and blocks:
        blocks.pop()


def _problems(old: _Text, new: _Text) -> Iterator[Finding]:
    """Yield findings about an edit that turns ``old`` into ``new``."""
    for path, one in old.items():
        if path not in new or new[path].place.value_text != one.place.value_text:
            yield from _deciding_code(old, path)
        if path not in new:
            yield from (_annotated(comment, _shown(path), path) for comment in one.own)
    for path, one in new.items():
        if path not in old:
            yield from _deciding_code(old, path)
            yield from _decided(one, _shown(path))
            yield from (_annotated(comment, _shown(path), path) for comment in one.own)
    for path, one in old.items():
        if path in new and one.comments != new[path].comments:
            comment = next(iter((*one.own, *one.beside)), "#@")
            yield _annotated(comment, _shown(path) if path else "the end", path)


def _deciding_code(meant: _Text, path: Pointer) -> Iterator[Finding]:
    """Yield findings about code that decides about a place, or about one that contains it."""
    for depth in range(1, len(path) + 1):
        if path[:depth] in meant:
            yield from _decided(meant[path[:depth]], _shown(path))


def _decided(one: _Meant, name: str, *, is_strict: bool = True) -> Iterator[Finding]:
    """Yield findings about code that decides about the value of one place.

    Messages show ``name``.
    """
    if "(@" in (one.place.value_text or "") or any(map(_CODE.match, one.beside)):
        shown = name if one.is_document else _shown(one.place.path)
        yield _ytt_warning(_COMPUTED, one.place.path, name=shown)
    for _, word in one.blocks:
        yield _ytt_warning(_BLOCKED, one.place.path, name=name, word=word)
    for comment in (*one.own, *one.beside):
        if _CODE.match(comment):
            yield _ytt_warning(_BLOCKED, one.place.path, name=name, word="#@ if/end")
        elif is_strict and not one.is_document and not _HARMLESS.match(comment):
            yield _annotated(comment, name, one.place.path)


def _annotated(comment: str, name: str, path: Pointer) -> Finding:
    """Return the finding about an annotation, with its name alone.

    The rest of the line may hold anything.
    """
    found = _NAME.match(comment)
    return _ytt_warning(_ANNOTATED, path, name=name, word=found[0] if found else "")


def _ytt_warning(message: str, path: Pointer, **words: str) -> Finding:
    return Finding(Severity.WARNING, message.format(**words), path, code="YttCode")
