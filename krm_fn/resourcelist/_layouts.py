"""Two ways to read and write the text of a ResourceList: cut into its items, or as one document.

The law of this room: both give the same data and the same meaning; the cut one only pays for what is looked at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from krm_fn import patch
from krm_fn.errors import EditError, InputError
from krm_fn.patch import Operation
from krm_fn.resourcelist._objects import reference
from krm_fn.yamledit import Cut, Document, cut, member_text

SHAPE = (
    "the input must be a ResourceList (`apiVersion: config.kubernetes.io/v1`, `kind: ResourceList`, `items: [...]`), "
    "as kustomize and kpt send it on standard input"
)


def layout_of(text: str) -> CutLayout | WholeLayout:
    """The cheaper of the two that fits; raises InputError for a text that is no ResourceList in either."""
    # Without a final line break nothing can be put behind the last member by text alone.
    parts = cut(text, "items") if text.endswith("\n") else None
    try:
        return CutLayout(parts) if parts else WholeLayout(text)
    except InputError:  # as in `ResourceList.read`: the whole may make sense, or knows the line
        return WholeLayout(text)


class CutLayout:
    """A block-style list, cut by text: each part is read, and written, on its own."""

    def __init__(self, parts: Cut) -> None:
        self.parts = parts
        self.head: dict[str, Any] = {}
        for key in parts.members:
            if key != "items":
                self.head |= Document(parts.member(key)).data()

    def __len__(self) -> int:
        return len(self.parts.items)

    def text(self, index: int) -> str:
        start, end = self.parts.items[index]
        return self.parts.text[start:end]

    def read(self, index: int) -> Any:
        return Document(self.text(index)).data()[0]

    def write(self, changes: Mapping[int, Sequence[Operation]], known: list[Any], new: list[Any]) -> str:
        text, pieces, position = self.parts.text, [], 0
        for index in sorted(changes):
            start, end = self.parts.items[index]
            operations = [replace(operation, path=("0", *operation.path)) for operation in changes[index]]
            pieces += [text[position:start], _edited(text[start:end], operations)]
            position = end
        start, end = self.parts.members.get("results", (len(text), len(text)))
        if start < position:  # `results` stands before the items: there is no slice behind the last edit to put it in
            return WholeLayout(text).write(changes, known, new)
        return "".join([*pieces, text[position:start], self._results(text[start:end], known, new), text[end:]])

    def _results(self, member: str, known: list[Any], new: list[Any]) -> str:
        if not new:
            return member
        if member:
            return Document(member).edit(_result_operations(known, new))
        return member_text("results", new, like=self.parts.text)


def _edited(slice_: str, operations: list[Operation]) -> str:
    document = Document(slice_)
    try:
        return document.edit(operations)
    except EditError as error:
        raise EditError(f"{reference(document.data()[0])}: {error}") from None


class WholeLayout:
    """Any other layout: read, and written, as one document."""

    def __init__(self, text: str) -> None:
        self.document = Document(text)
        members = self.document.members()
        if members is None:
            raise InputError(SHAPE)
        self.lacks_items = "items" not in members
        held = members.pop("items", None)
        self.head = {key: part.data() for key, part in members.items()}
        items = held.items() if held else []
        if items is None and held and held.data() is not None:
            raise InputError("`items` must be a list of objects")
        self.items = items or []

    def __len__(self) -> int:
        return len(self.items)

    def text(self, index: int) -> str:
        return self.items[index].text

    def read(self, index: int) -> Any:
        return self.items[index].data()

    def write(self, changes: Mapping[int, Sequence[Operation]], known: list[Any], new: list[Any]) -> str:
        operations = [
            replace(operation, path=("items", str(index), *operation.path))
            for index in sorted(changes)
            for operation in changes[index]
        ]
        if self.lacks_items:  # a list without `items` is not taken for a ResourceList by kustomize and kpt
            operations.append(patch.add("items", value=[]))
        return self.document.edit(operations + (_result_operations(known, new) if new else []))


def _result_operations(known: list[Any], new: list[Any]) -> list[Operation]:
    if known:
        return [patch.add("results", patch.APPEND, value=result) for result in new]
    return [patch.add("results", value=new)]
