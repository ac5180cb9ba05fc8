"""A text of a Secret or a ConfigMap that is one document of values: begun, edited, and taken out when nothing is left.

It knows no names in the document. A text that says nothing any more goes, with the field that
held nothing else, and with the object if that was made here; a comment is something.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from krm_fn import patch
from krm_fn.engine.member_edits import MemberEdits
from krm_fn.formats.embedded import Embedded, Value, begin, values
from krm_fn.krm.results import Change, Finding
from krm_fn.patch import lookup
from krm_fn.targets._made import is_made
from krm_fn.targets.embedded_edits import in_document

_NOTHING = "{}\n"
"""A text of which only an empty mapping is left, and no comment."""

# The CR of a comment belongs to it, and to nothing else: where it could, time is exponential.
_COMMENTS = r"(?:(?:---(?=[ \t\r\n]))?[ \t]*(?:#[^\n]*|\r)?\n)"
_BARE = rf"({_COMMENTS}*)%s(\r?\n)?({_COMMENTS}*[ \t]*(?:#[^\n]*)?)"
"""A text of which only an empty document is left, and what stands around it."""


def begun(obj: Mapping[str, Any], value: Value, made: MemberEdits) -> Iterator[Change | Finding]:
    """The change that gives a text its values where it has none; comments stay.

    Args:
        obj: the object, which need not have the text yet.
        value: the text, or an empty one where it is to stand.
        made: what makes the values of an empty mapping; without operations there are to be none.
    """
    if not made.operations:
        if _is_all_made_here(obj, value):
            yield _without(obj, value)
        return
    empty = replace(value, text="" if value.text.strip() == _NOTHING.strip() else value.text)
    change = begin(empty, made.operations, made.message, proposed=made.proposed)
    if isinstance(change, Finding):
        yield change
        return
    field, key = value.path
    text = change.operation.value
    if lookup(obj, value.path) is not None:
        yield change
    elif isinstance(obj.get(field), Mapping):
        yield replace(change, operation=patch.add(*value.path, value=text))
    else:
        yield replace(change, operation=patch.add(field, value={key: text}))


def edited(
    obj: Mapping[str, Any], found: Embedded, made: MemberEdits
) -> Iterator[Change | Finding]:
    """The change of a document of ``obj``; the text goes if that leaves nothing of it."""
    for reported in in_document(found, made):
        is_last = isinstance(reported, Change) and reported.operation.value == found.value.written(
            _NOTHING
        )
        yield _without(obj, found.value) if is_last else commented(found.value, reported)


def commented(value: Value, reported: Change | Finding, empty: str = "{}") -> Change | Finding:
    """The change of a text, without its document where that is ``empty`` now: comments and blanks are as they were.

    A text of blanks alone is one; what its author wrote in flow style was not begun here, and stays.
    """
    if not isinstance(reported, Change):
        return reported
    bare = re.fullmatch(_BARE % re.escape(empty), value.read(reported.operation.value))
    if bare is None or not bare[1] + bare[3] or value.text.startswith("{", len(bare[1])):
        return reported
    before, newline, behind = bare.groups()
    text = before + behind if newline or behind else before.removesuffix("\n").removesuffix("\r")
    return replace(reported, operation=replace(reported.operation, value=value.written(text)))


def given_back(
    texts: Iterable[Value], empty: Iterable[str], reported: Change | Finding
) -> Change | Finding:
    """As ``commented``, for a change of one of several texts, whose document may be empty in several ways."""
    about = next(
        (
            one
            for one in texts
            if isinstance(reported, Change) and reported.operation.path == one.path
        ),
        None,
    )
    ways = (commented(about, reported, one) for one in empty) if about else ()
    return next((one for one in ways if one is not reported), reported)


def is_blank(value: Value, found: Sequence[Embedded]) -> bool:
    """Whether a text says nothing, so that a document can be begun in it."""
    return not found or value.text.strip() == _NOTHING.strip()


def _without(obj: Mapping[str, Any], value: Value) -> Change:
    if _is_all_made_here(obj, value):
        return Change(
            patch.remove(), "removed: inject-proxy created this object and nothing else is in it"
        )
    path = value.path if len(obj[value.path[0]]) > 1 else value.path[:1]
    return Change(patch.remove(*path), "removes the values, which held nothing but a proxy")


def _is_all_made_here(obj: Mapping[str, Any], value: Value) -> bool:
    return is_made(obj) and all(one.path == value.path for one in values(obj))
