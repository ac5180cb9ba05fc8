"""Code of ytt in data values: what it decides must not be edited, and no comment of it may come to mean another place.

It lets an edit pass, or says why the document stays as it is. It proves it of the text before and
after: where code decides nothing about what is set or taken out, and everything else has the comments it had, ytt reads
what was asked for.

Sources: ytt, "YAML primer" and "Language" (https://carvel.dev/ytt/docs/latest/): ``#@ code``, ``#@annotation``; blocks
from ``if``, ``for``, ``def`` to ``end``, or ``if/end`` for the next place alone; a comment on a line of its own belongs
to the place below it, one behind ``key:`` gives that its value; ``(@= code @)`` inside a text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from krm_fn.errors import EditError, ExpansionError
from krm_fn.formats.embedded import Embedded, Value
from krm_fn.krm.results import Finding, Severity
from krm_fn.patch import Operation, Pointer
from krm_fn.yamledit import CommentedPlace, edit_document, places

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

_COMPUTED = "`{name}` is computed by ytt, so the document stays as it is: write a value there"
_BLOCKED = (
    "`{name}` is or would be in code of ytt (`{word}`), so the document stays as it is: move the code away, or "
    "edit it by hand"
)
_ANNOTATED = (
    "the annotation `{word}` of ytt belongs to `{name}`, so the document stays as it is: take the annotation out, or "
    "edit it by hand"
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


def undecided(text: str, names: Collection[str]) -> str:
    """Return the first of ``names``, members at the root of a document, that code may change.

    "" for none.

    Raises:
        InputError: the text cannot be read.
    """
    reported = _meant(text) if _has_code(text) else {}
    ours = (path for path in reported if len(path) == 2 and path[1] in names)
    return next((path[1] for path in ours if any(_class_context(reported, path))), "")


def _standing(reported: _Text, paths: Iterable[Pointer]) -> Iterator[Finding]:
    """Yield findings about ytt code that decides about existing places."""
    for path in paths:
        yield from _class_context(reported, path) if path in reported else ()


def _problem(reported: _Text, found: Embedded, operations: Sequence[Operation]) -> Finding | None:
    if not operations:
        return None
    try:
        new = edit_document(found.value.text, found.number, operations)
    except (EditError, ExpansionError):
        return None  # whoever writes the text tells it
    return next(_problems(reported, _meant(new)), None)


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
            yield from _class_context(old, path)
        if path not in new:
            yield from (_annotated(comment, path[-1]) for comment in one.own)
    for path, one in new.items():
        if path not in old:
            yield from _class_context(old, path)
            yield from _decided(one, path[-1])
            yield from (_annotated(comment, path[-1]) for comment in one.own)
    for path, one in old.items():
        if path in new and one.comments != new[path].comments:
            yield _annotated(
                next(iter((*one.own, *one.beside)), "#@"), path[-1] if path else "the end"
            )


def _class_context(reported: _Text, path: Pointer) -> Iterator[Finding]:
    """Yield findings about code that decides about a place, or about one that contains it."""
    for depth in range(1, len(path) + 1):
        if path[:depth] in reported:
            yield from _decided(reported[path[:depth]], path[-1])


def _decided(one: _Meant, name: str, *, is_strict: bool = True) -> Iterator[Finding]:
    """Yield findings about code that decides about the value of one place.

    Messages show ``name``.
    """
    if "(@" in (one.place.value_text or "") or any(map(_CODE.match, one.beside)):
        yield _ytt_warning(_COMPUTED, name=name if one.is_document else one.place.path[-1])
    for _, word in one.blocks:
        yield _ytt_warning(_BLOCKED, name=name, word=word)
    for comment in (*one.own, *one.beside):
        if _CODE.match(comment):
            yield _ytt_warning(_BLOCKED, name=name, word="#@ if/end")
        elif is_strict and not one.is_document and not _HARMLESS.match(comment):
            yield _annotated(comment, name)


def _annotated(comment: str, name: str) -> Finding:
    """Return the finding about an annotation, with its name alone.

    The rest of the line may hold anything.
    """
    found = _NAME.match(comment)
    return _ytt_warning(_ANNOTATED, name=name, word=found[0] if found else "")


def _ytt_warning(message: str, **words: str) -> Finding:
    return Finding(Severity.WARNING, message.format(**words), code="YttCode")
