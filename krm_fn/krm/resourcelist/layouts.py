"""Two ways to read and write the text of a ResourceList: cut into its items, or as one document.

Both give the same data and the same meaning; the cut one only pays for what is looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from krm_fn.errors import EditError, InputError
from krm_fn.krm.changes import WHOLE_ITEM, ListChanges, item_after
from krm_fn.krm.resourcelist.objects import reference, with_path
from krm_fn.light_typing import Any
from krm_fn.patch import Pointer, list_at
from krm_fn.yamledit import CODE_OF_YTT, Cut, Document, cut

SHAPE = (
    "the input must be a ResourceList (`apiVersion: config.kubernetes.io/v1`, `kind: ResourceList`, `items: [...]`), "
    "as kustomize and kpt send it on standard input"
)
_ANCHOR_OR_ALIAS = re.compile(r"([&*])([0-9A-Za-z_-]+)")
"""What may be an anchor or an alias, in a comment or a command as well."""
_COMMENT = re.compile(r"[ \t]*#.*")


def layout_of(text: str) -> CutLayout | WholeLayout:
    """Return the cheaper layout that fits; raises InputError for a text that is no ResourceList."""
    # Without a final line break nothing can be put behind the last member by text alone.
    parts = cut(text, "items") if text.endswith("\n") else None
    try:
        return CutLayout(parts) if parts and not _share_values(parts) else WholeLayout(text)
    except InputError:  # the whole may make sense, or knows the line
        return WholeLayout(text)


def _share_values(parts: Cut) -> bool:
    """Return whether an alias in an item may mean a value of another item."""
    text = parts.text
    if "*" not in text or "&" not in text:
        return False
    anchors = {name for mark, name in _ANCHOR_OR_ALIAS.findall(text) if mark == "&"}
    for start, end in parts.items:
        aliases = {name for mark, name in _ANCHOR_OR_ALIAS.findall(text, start, end) if mark == "*"}
        if aliases & anchors:
            try:
                Document(text[start:end]).data()
            except InputError:  # an alias is not behind its anchor
                return True
    return False


class CutLayout:
    """A block-style list, cut by text: each part is read, and written, on its own.

    Attributes:
        spans: where the text of each item begins and ends.
        root: the tree of what is beside the items.
        head: the plain data of that.
    """

    def __init__(self, parts: Cut) -> None:
        self.text = parts.text
        self.spans: Sequence[tuple[int, int]] = parts.items
        self._members = parts.members
        start, end = parts.members["items"]
        beside = Document(self.text[:start] + self.text[end:])
        self.root = beside.root
        self.head: dict[str, Any] = beside.data() or {}

    def _text_of(self, index: int) -> str:
        """Return the text of an item, which can be read alone."""
        start, end = self.spans[index]
        return self.text[start:end]

    def text_for_ytt(self, index: int) -> str:
        """Return the text of an item; "" where no code of ytt can be in it."""
        text = self._text_of(index)
        return text if CODE_OF_YTT in text else ""

    def read(self, index: int) -> Any:
        """Return plain data of an item."""
        return Document(self._text_of(index)).data()[0]

    def write(self, changes: ListChanges, results: Sequence[Any]) -> Iterator[str]:
        """Yield the new text in pieces, so that a long list is not in memory twice.

        Args:
            changes: what becomes of the items.
            results: entries of ``results`` that the list does not hold yet.
        """
        text, last = self.text, len(self.spans) - 1
        touched = {*changes.items, *([last] if changes.created else [])}
        last_end = max((self.spans[index][1] for index in touched), default=0)
        results_start, results_end = self._members.get("results", (len(text), len(text)))
        removed = sum(objects == WHOLE_ITEM for objects in changes.items.values())
        is_empty = removed == len(self.spans) and not changes.created
        # Without an item it is no block list any more; and earlier `results` have no place behind the last edit.
        if is_empty or results_start < last_end:
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
        item = self._text_of(index)
        column = len(item) - len(item.lstrip(" "))
        objects = changes.items.get(index, {})
        is_gone = objects == WHOLE_ITEM
        if objects and not is_gone:
            item = _edited(item, objects)
        end = _end_of_item(item, column)
        body = "" if is_gone else item[:end]
        return body + (_block_text(new, column, like=self.text) if new else "") + item[end:]

    def _results(self, member: str, results: Sequence[Any]) -> str:
        if not results:
            return member
        if not member:
            return _block_text({"results": list(results)}, like=self.text)
        document = Document(member, envelope=("results",))
        return document.with_data({"results": [*list_at(self.head, ("results",)), *results]})


def new_items(changes: ListChanges) -> list[Any]:
    """Return the items that a list gets for the objects that it lacks."""
    return [with_path(new.data) for new in changes.created]


def _edited(item: str, objects: Mapping[Pointer, Any]) -> str:
    document = Document(item)
    (old,) = document.data()
    ref = reference(old)
    try:
        return document.with_data([item_after(old, objects)])
    except EditError as error:
        raise EditError(f"{ref}: {error}") from None


def _end_of_item(item: str, column: int) -> int:
    """Return where the comments below an item begin: those at its end that are not indented more than its dash."""
    start = len(item)
    while start:
        line = item.rfind("\n", 0, start - 1) + 1
        words = item[line:start].strip()
        if words and not words.startswith("#"):
            break
        start = line
    comment = re.compile(rf"^ {{0,{column}}}#", re.MULTILINE).search(item, start)
    return comment.start() if comment else len(item)


def _block_text(data: Any, column: int = 0, *, like: str) -> str:
    """Return new data in block style, with the line breaks of another text."""
    from krm_fn.yamledit.render import block_text  # noqa: PLC0415 -- a list that stays has nothing new

    return block_text(data, column, like=like)


class WholeLayout:
    """A list in any other layout, read and written as one document; attributes as those of ``CutLayout``."""

    def __init__(self, text: str) -> None:
        self._document = Document(text, envelope=("items", "results"))
        self.root = self._document.root
        members = self._document.members()
        if members is None:
            raise InputError(SHAPE)
        self.text = self._document.text
        held = members.pop("items", None)
        self.head = {key: self._document.data(node) for key, node in members.items()}
        items = self._document.items(held)
        if items is None and held is not None and self._document.data(held) is not None:
            raise InputError("`items` must be a list of objects")
        self._items = items or []
        self.spans: Sequence[tuple[int, int]] = [(item.start, item.end) for item in self._items]

    def text_for_ytt(self, index: int) -> str:
        """As ``CutLayout.text_for_ytt``, with a comment behind the item; it begins in its column, to be read alone."""
        start, end = self.spans[index]
        column = start - (self.text.rfind("\n", 0, start) + 1)
        comment = _COMMENT.match(self.text, end)
        text = self.text[start : comment.end() if comment else end]
        return " " * column + text if CODE_OF_YTT in text else ""

    def read(self, index: int) -> Any:
        """As ``CutLayout.read``."""
        return self._document.data(self._items[index])

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
                items[index] = item_after(items[index], objects)
        if changes.created:
            data["items"] = [*(items or []), *new_items(changes)]
        if results:
            data["results"] = [*list_at(self.head, ("results",)), *results]
        yield self._document.with_data(data)
