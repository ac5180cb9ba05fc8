"""Two ways to read and write the text of a ResourceList: cut into its items, or as one document.

Both give the same data and the same meaning; the cut one only pays for what is looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from krm_fn import patch
from krm_fn.errors import EditError, InputError
from krm_fn.krm.resourcelist._objects import reference
from krm_fn.light_typing import Any
from krm_fn.patch import Operation, Pointer
from krm_fn.yamledit import Cut, Document, cut, repeated_keys

SHAPE = (
    "the input must be a ResourceList (`apiVersion: config.kubernetes.io/v1`, `kind: ResourceList`, `items: [...]`), "
    "as kustomize and kpt send it on standard input"
)


def layout_of(text: str) -> CutLayout | WholeLayout:
    """Return the cheaper layout that fits; raises InputError for a text that is no ResourceList."""
    # Without a final line break nothing can be put behind the last member by text alone.
    parts = cut(text, "items") if text.endswith("\n") else None
    try:
        return CutLayout(parts) if parts else WholeLayout(text)
    except InputError:  # as in `ResourceList.read`: the whole may make sense, or knows the line
        return WholeLayout(text)


class ItemEdits:
    """What becomes of the items: operations by index, from the item's root, and objects to add behind all.

    An operation that removes the root takes the item out: ``removed`` are the indexes of these items.
    """

    def __init__(self, changes: Mapping[int, Sequence[Operation]], new_items: list[Any]) -> None:
        self.changes = changes
        self.new_items = new_items
        self.removed = {
            index
            for index, operations in changes.items()
            if any(not one.path for one in operations)
        }


def _end_of_item(text: str, column: int) -> int:
    """Return where the comments below an item begin.

    Those at the end of its slice that are indented less.
    """
    end = position = len(text)
    while position and text.endswith("\n", 0, position):
        start = text.rfind("\n", 0, position - 1) + 1
        line = text[start:position].strip(" \t\r\n")
        if line and not line.startswith("#"):
            break
        indent = len(text[start:position]) - len(text[start:position].lstrip(" "))
        if line and indent <= column and text.startswith("#", start + indent):
            end = start
        position = start
    return end


class CutLayout:
    """A block-style list, cut by text: each part is read, and written, on its own."""

    def __init__(self, parts: Cut) -> None:
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

    def text(self, index: int) -> str:
        start, end = self.parts.items[index]
        return self.parts.text[start:end]

    def readable(self, index: int) -> tuple[str, Pointer]:
        """Return a text that can be read alone, and the path of an item in it."""
        return self.text(index), ("0",)

    def read(self, index: int) -> Any:
        return Document(self.text(index)).data()[0]

    def write(self, edits: ItemEdits, known: list[Any], new: Iterable[Any]) -> Iterator[str]:
        """Yield the new text in pieces, so that a long list is not in memory twice."""
        text, position = self.parts.text, 0
        result_start, result_end = self.parts.members.get("results", (len(text), len(text)))
        touched = {*edits.changes, *([len(self) - 1] if edits.new_items else [])}
        last_end = max((self.parts.items[index][1] for index in touched), default=0)
        is_empty = len(edits.removed) == len(self) and not edits.new_items
        # Without an item it is no block list any more; and earlier `results` have no place behind the last edit.
        if is_empty or result_start < last_end:
            yield from WholeLayout(text).write(edits, known, new)
            return
        for index in sorted(touched):
            start, end = self.parts.items[index]
            yield text[position:start]
            yield self._item(index, edits)
            position = end
        yield text[position:result_start]
        yield from self._results(text[result_start:result_end], known, new)
        yield text[result_end:]

    def _item(self, index: int, edits: ItemEdits) -> str:
        """Return the slice of an item after its edits, then new items.

        Comments below the item stay below.
        """
        slice_, is_gone = self.text(index), index in edits.removed
        column = len(slice_) - len(slice_.lstrip(" "))
        operations = [
            Operation(one.op, ("0", *one.path), one.value, one.before)
            for one in edits.changes.get(index, ())
        ]
        edited = slice_ if is_gone or not operations else _edited(slice_, operations)
        new = ""
        if edits.new_items and index == len(self) - 1:
            new = _block_text(edits.new_items, column, like=slice_)
        if not (is_gone or new):
            return edited
        body = edited[: _end_of_item(edited, column)]
        return ("" if is_gone else body) + new + edited[len(body) :]

    def _results(self, member: str, known: list[Any], new: Iterable[Any]) -> Iterator[str]:
        """Yield the text of ``results``; without one that is there already, the data of one result at a time."""
        if member:
            document = Document(member, envelope=("results",))
            yield document.edit(_result_operations(known, [*new]))
            return
        for at, result in enumerate(new):
            if at == 0:
                yield _block_text({"results": [result]}, like=self.parts.text)
            else:
                yield _block_text([result], like=self.parts.text)


def _block_text(data: Any, column: int = 0, *, like: str) -> str:
    """Return new data in block style, with the line breaks of another text."""
    from krm_fn.yamledit.render import block_text  # noqa: PLC0415 -- a list that stays has nothing new

    return block_text(data, column, like=like)


def _edited(slice_: str, operations: list[Operation]) -> str:
    document = Document(slice_)
    try:
        return document.edit(operations)
    except EditError as error:
        raise EditError(f"{reference(document.data()[0])}: {error}") from None


class WholeLayout:
    """Any other layout: read, and written, as one document."""

    def __init__(self, text: str) -> None:
        self.document = Document(text, envelope=("items", "results"))
        members = self.document.members()
        if members is None:
            raise InputError(SHAPE)
        self.lacks_items = "items" not in members
        self.members = dict(members)
        held = members.pop("items", None)
        self.head = {key: part.data() for key, part in members.items()}
        items = held.items() if held else []
        if items is None and held and held.data() is not None:
            raise InputError("`items` must be a list of objects")
        self.has_list = bool(held) and items is not None
        self.items = items or []

    def __len__(self) -> int:
        return len(self.items)

    def repeated(self, key: str) -> list[Pointer]:
        """Return the paths of repeated keys, as ``CutLayout.repeated``."""
        return list(repeated_keys(self.members[key].node)) if key in self.members else []

    def spans(self) -> Sequence[tuple[int, int]]:
        """As ``CutLayout.spans``."""
        return [(item.node.start, item.node.end) for item in self.items]

    def text(self, index: int) -> str:
        return self.items[index].text

    def readable(self, index: int) -> tuple[str, Pointer]:
        """As ``CutLayout.readable``."""
        return self.document.text, ("items", str(index))

    def read(self, index: int) -> Any:
        return self.items[index].data()

    def write(self, edits: ItemEdits, known: list[Any], new: Iterable[Any]) -> Iterator[str]:
        """As ``CutLayout.write``, in one piece."""
        operations: list[Operation] = []
        # The last item first: the index of an item must hold once others are gone.
        for index in sorted(edits.changes, reverse=True):
            item = ("items", str(index))
            operations += [one._replace(path=(*item, *one.path)) for one in edits.changes[index]]
        if self.has_list:
            operations += [patch.add("items", patch.APPEND, value=item) for item in edits.new_items]
        elif edits.new_items or self.lacks_items:
            # Without `items` kustomize and kpt take it for no ResourceList.
            operations.append(patch.add("items", value=edits.new_items))
        yield self.document.edit([*operations, *_result_operations(known, [*new])])


def _result_operations(known: list[Any], new: list[Any]) -> list[Operation]:
    if known:
        return [patch.add("results", patch.APPEND, value=result) for result in new]
    return [patch.add("results", value=new)] if new else []
