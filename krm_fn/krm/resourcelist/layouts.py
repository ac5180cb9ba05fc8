"""Two ways to read and write the text of a ResourceList: cut into its items, or as one document.

Both give the same data and the same meaning; the cut one only pays for what is looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from krm_fn.errors import EditError, InputError
from krm_fn.krm.changes import ListChanges, is_removed, item_after
from krm_fn.krm.resourcelist.objects import reference, with_path
from krm_fn.light_typing import Any
from krm_fn.patch import Pointer, list_at
from krm_fn.yamledit import Cut, Document, cut, repeated_keys

SHAPE = (
    "the input must be a ResourceList (`apiVersion: config.kubernetes.io/v1`, `kind: ResourceList`, `items: [...]`), "
    "as kustomize and kpt send it on standard input"
)
_ANCHOR_OR_ALIAS = re.compile(r"([&*])([0-9A-Za-z_-]+)")
"""What may be an anchor or an alias, in a comment or a command as well."""


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
        if aliases & anchors and not _stands_alone(text[start:end]):
            return True
    return False


def _stands_alone(item: str) -> bool:
    """Return whether the text of an item can be read without the others: each alias follows its anchor."""
    try:
        Document(item).data()
    except InputError:
        return False
    return True


class CutLayout:
    """A block-style list, cut by text: each part is read, and written, on its own."""

    def __init__(self, parts: Cut) -> None:
        self.text = parts.text
        self.parts = parts
        self._beside = {key: Document(parts.member(key)) for key in parts.members if key != "items"}
        self.head: dict[str, Any] = {}
        for document in self._beside.values():
            self.head |= document.data()

    def __len__(self) -> int:
        return len(self.parts.items)

    def repeated(self, key: str) -> list[Pointer]:
        """Return the paths, below a member, of the keys that occur twice there."""
        if key not in self._beside:
            return []
        return [path[1:] for path in repeated_keys(self._beside[key].root)]

    def spans(self) -> Sequence[tuple[int, int]]:
        """Return where the text of each item begins and ends."""
        return self.parts.items

    def text_of(self, index: int) -> str:
        """Return the text of an item, which can be read alone."""
        start, end = self.parts.items[index]
        return self.text[start:end]

    def read(self, index: int) -> Any:
        """Return plain data of an item."""
        return Document(self.text_of(index)).data()[0]

    def write(self, changes: ListChanges, results: Sequence[Any]) -> Iterator[str]:
        """Yield the new text in pieces, so that a long list is not in memory twice.

        Args:
            changes: what becomes of the items.
            results: entries of ``results`` that the list does not hold yet.
        """
        text, last = self.text, len(self) - 1
        touched = {*changes.items, *([last] if changes.created else [])}
        last_end = max((self.parts.items[index][1] for index in touched), default=0)
        results_start, results_end = self.parts.members.get("results", (len(text), len(text)))
        removed = sum(map(is_removed, changes.items.values()))
        is_empty = removed == len(self) and not changes.created
        # Without an item it is no block list any more; and earlier `results` have no place behind the last edit.
        if is_empty or results_start < last_end:
            yield from WholeLayout(text).write(changes, results)
            return
        position = 0
        for index in sorted(touched):
            start, end = self.parts.items[index]
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
        is_gone = is_removed(objects)
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
    """A list in any other layout, read and written as one document."""

    def __init__(self, text: str) -> None:
        self.document = Document(text, envelope=("items", "results"))
        members = self.document.members()
        if members is None:
            raise InputError(SHAPE)
        self.text = self.document.text
        self.members = members
        self.head = {key: part.data() for key, part in members.items() if key != "items"}
        held = members.get("items")
        self.items = (held.items() if held else None) or []
        self.has_list = held is not None and held.items() is not None
        if held is not None and not self.has_list and held.data() is not None:
            raise InputError("`items` must be a list of objects")

    def __len__(self) -> int:
        return len(self.items)

    def repeated(self, key: str) -> list[Pointer]:
        """Return the paths of repeated keys, as ``CutLayout.repeated``."""
        return list(repeated_keys(self.members[key].node)) if key in self.members else []

    def spans(self) -> Sequence[tuple[int, int]]:
        """As ``CutLayout.spans``."""
        return [(item.node.start, item.node.end) for item in self.items]

    def text_of(self, index: int) -> str:
        """Return the text of an item with a comment behind it, which can be read alone."""
        node = self.items[index].node
        before = node.start - (self.text.rfind("\n", 0, node.start) + 1)
        behind = self.text[node.end :].partition("\n")[0]
        comment = behind if behind.lstrip().startswith("#") else ""
        return " " * before + self.text[node.start : node.end] + comment

    def read(self, index: int) -> Any:
        """As ``CutLayout.read``."""
        return self.items[index].data()

    def write(self, changes: ListChanges, results: Sequence[Any]) -> Iterator[str]:
        """As ``CutLayout.write``, in one piece."""
        data = self.document.data()
        items = data["items"] if self.has_list else []
        created = new_items(changes)
        for index in sorted(changes.items, reverse=True):
            objects = changes.items[index]
            if is_removed(objects):
                del items[index]
            else:
                items[index] = item_after(items[index], objects)
        # Without `items` kustomize and kpt take it for no ResourceList.
        if self.has_list or created or "items" not in self.members:
            data["items"] = [*items, *created]
        if results:
            data["results"] = [*list_at(self.head, ("results",)), *results]
        yield self.document.with_data(data)
