"""Two ways to read and write the text of a ResourceList: cut into its items, or as one document.

Both give the same data and the same meaning; the cut one only pays for what is looked at.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial

from krm_fn.errors import DocumentError, EditError, InputError, TextError
from krm_fn.krm.resourcelist.objects import (
    WHOLE_ITEM,
    ListChanges,
    item_after,
    reference,
    with_path,
)
from krm_fn.light_typing import Any, Fields
from krm_fn.patch import Pointer, list_at
from krm_fn.yamledit import Cut, Document, Lines, cut
from krm_fn.yamledit.tree import Span

SHAPE = (
    "the input must be a ResourceList (`apiVersion: config.kubernetes.io/v1`, `kind: ResourceList`, `items: [...]`), "
    "as kustomize and kpt send it on standard input"
)
# Anchors or aliases, or words like them in comments and commands.
_ANCHOR = r"&([0-9A-Za-z_-]+)"
_ALIAS = r"\*([0-9A-Za-z_-]+)"
_COMMENT = r"[ \t]*#.*"


def layout_of(text: str) -> CutLayout | WholeLayout:
    """Return the cheaper layout that fits; raises InputError for a text that is no ResourceList."""
    # Without a final line break nothing can be put behind the last member by text alone.
    parts = None
    if text.endswith("\n"):
        parts = cut(text, "items")
    if parts and not _share_values(parts):
        with suppress(InputError):  # the whole may make sense, or knows the line
            return CutLayout(parts)
    return WholeLayout(text)


def _share_values(parts: Cut) -> bool:
    """Return whether an alias in an item may mean a value of another item."""
    text = parts.text
    if "*" not in text or "&" not in text:
        return False
    anchors = set(re.findall(_ANCHOR, text))
    for start, end in parts.items:
        if anchors.isdisjoint(re.compile(_ALIAS).findall(text, start, end)):
            continue
        try:
            Document(text[start:end]).data()
        except InputError:  # an alias is not behind its anchor
            return True
    return False


class CutLayout:
    """A block-style list, cut by text: each part is read, and written, on its own.

    Attributes:
        spans: where the text of each item begins and ends.
        head: the plain data of the list without its items.
    """

    def __init__(self, parts: Cut) -> None:
        self.text = parts.text
        self.spans: Sequence[Span] = parts.items
        self._members = parts.members
        start, end = parts.members["items"]
        around = self.text[:start] + self.text[end:]
        self.head: Fields = Document(around).data() or {}

    def text_of(self, index: int) -> str:
        """Return the text of an item, which can be read alone."""
        start, end = self.spans[index]
        return self.text[start:end]

    def read(self, index: int) -> Any:
        """Return plain data of an item; a key may have two values in one that nobody edits: kpt passes it on."""
        (item,) = Document(self.text_of(index)).data(keys_may_repeat=True)
        return item

    def write(self, changes: ListChanges, results: Sequence[Any]) -> Iterator[str]:
        """Yield the new text in pieces, so that a long list is not in memory twice.

        Args:
            changes: the changes of the items.
            results: entries of ``results`` that the list does not hold yet.
        """
        text = self.text
        last = len(self.spans) - 1
        touched = set(changes.items)
        if changes.created:
            touched.add(last)
        end_of_text = (len(text), len(text))
        results_start, results_end = self._members.get("results", end_of_text)
        removed = list(changes.items.values()).count(WHOLE_ITEM)
        is_empty = removed == len(self.spans) and not changes.created
        is_behind_results = touched and self.spans[max(touched)][1] > results_start
        # Without an item it is no block list any more; and earlier `results` have no place behind the last edit.
        if is_empty or is_behind_results:
            yield from WholeLayout(text).write(changes, results)
            return
        position = 0
        for index in sorted(touched):
            start, end = self.spans[index]
            yield text[position:start]
            yield self._item(index, changes, new_items(changes) if index == last else [])
            position = end
        yield text[position:results_start]
        yield self._results(text[results_start:results_end], results)
        yield text[results_end:]

    def _item(self, index: int, changes: ListChanges, new: list[Any]) -> str:
        """Return the text of an item after its edits, then new items; comments below the item stay below."""
        item = self.text_of(index)
        column = len(item) - len(item.lstrip(" "))
        objects = changes.items.get(index, {})
        is_gone = objects == WHOLE_ITEM
        if objects and not is_gone:
            try:
                item = _edited(item, objects)
            except TextError as error:
                above = Lines(self.text).above(self.spans[index][0])
                raise DocumentError(f"`items[{index}]`: {error.below(above)}") from None
        end = _end_of_item(item, column)
        text = "" if is_gone else item[:end]
        if new:
            text += _block_text(new, column, like=self.text)
        return text + item[end:]

    def _results(self, member: str, results: Sequence[Any]) -> str:
        if not results:
            return member
        if not member:
            return _block_text({"results": list(results)}, like=self.text)
        document = Document(member, envelope=("results",))
        known = list_at(self.head, "results")
        return document.with_data({"results": [*known, *results]})


def new_items(changes: ListChanges) -> list[Any]:
    """Return the items that a list gets for the objects that it lacks."""
    names = [new.ref._replace(file_path="") for new in changes.created]
    numbers = Counter(names)
    items = []
    for new, name in zip(changes.created, names, strict=True):
        # kpt makes one path of one name: those of two clusters go into the folders of these.
        folder = new.ref.file_path.rpartition("/")[0] if numbers[name] > 1 else ""
        items.append(with_path(new.data, folder))
    return items


def _edited(item: str, objects: Mapping[Pointer, Any]) -> str:
    document = Document(item)

    def read() -> Any:
        (old,) = document.data()
        return old

    try:
        return document.with_data([item_after(read, objects)])
    except EditError as error:
        raise EditError(f"{reference(read())}: {error}") from None


def _end_of_item(item: str, column: int) -> int:
    """Return where the comments below an item begin: those at its end that are not indented more than its dash."""
    start = len(item)
    while start:
        line = item.rfind("\n", 0, start - 1) + 1
        words = item[line:start].strip()
        if words and not words.startswith("#"):
            break
        start = line
    outer_comment = re.compile(rf"^ {{0,{column}}}#", re.MULTILINE)
    comment = outer_comment.search(item, start)
    return comment.start() if comment else len(item)


def _block_text(data: Any, column: int = 0, *, like: str) -> str:
    """Return new data in block style, with the line breaks of another text."""
    from krm_fn.yamledit.render import block_text  # noqa: PLC0415 -- a list that stays has nothing new

    return block_text(data, column, like=like)


class WholeLayout:
    """A list in any other layout, read and written as one document; attributes as those of ``CutLayout``."""

    def __init__(self, text: str) -> None:
        self._document = Document(text, envelope=("items", "results"))
        members = self._document.members()
        if members is None:
            raise InputError(SHAPE)
        self.text = self._document.text
        held = members.pop("items", None)
        self.head = {key: self._document.data(node) for key, node in members.items()}
        items = self._document.items(held)
        if items is None:
            if held is not None and self._document.data(held) is not None:
                raise InputError("`items` must be a list of objects")
            items = []
        self._items = items
        self.spans: Sequence[Span] = [(item.start, item.end) for item in items]

    def text_of(self, index: int) -> str:
        """As ``CutLayout.text_of``, with a comment behind the item; it begins in its column, to be read alone."""
        start, end = self.spans[index]
        line = self.text.rfind("\n", 0, start) + 1
        comment = re.compile(_COMMENT).match(self.text, end)
        if comment:
            end = comment.end()
        return " " * (start - line) + self.text[start:end]

    def read(self, index: int) -> Any:
        """As ``CutLayout.read``."""
        return self._document.data(self._items[index], keys_may_repeat=True)

    def write(self, changes: ListChanges, results: Sequence[Any]) -> Iterator[str]:
        """As ``CutLayout.write``, in one piece."""
        data = self._document.data()
        # Without `items` kustomize and kpt take it for no ResourceList.
        items = data.setdefault("items", [])
        for index in sorted(changes.items, reverse=True):
            objects = changes.items[index]
            if objects == WHOLE_ITEM:
                del items[index]
            else:
                items[index] = item_after(partial(items.__getitem__, index), objects)
        if changes.created:
            data["items"] = [*(items or []), *new_items(changes)]
        if results:
            known = list_at(self.head, "results")
            data["results"] = [*known, *results]
        yield self._document.with_data(data)
