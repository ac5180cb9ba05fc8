"""The envelope: a ResourceList as the KRM functions specification v1 has it, and the objects in it.

It knows the envelope, the identity of an object and where its text is; never what a field of an
object means. An item that nobody asks for is never read.

Source: kustomize ``cmd/config/docs/api-conventions/functions-spec.md``, "apiVersion: v1" (v1beta1 is the same shape).
"""

from __future__ import annotations

import re
from bisect import bisect
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property

from krm_fn import patch
from krm_fn.errors import DocumentError, EditError, InputError, TextError
from krm_fn.krm.masking import redact
from krm_fn.krm.resourcelist._layouts import SHAPE, CutLayout, ItemEdits, WholeLayout, layout_of
from krm_fn.krm.resourcelist._look import QuickLook
from krm_fn.krm.resourcelist._objects import (
    BASE_NAME,
    BESIDE_NOTHING,
    Object,
    group_kind,
    new_file_name,
    objects,
    reference,
    with_path,
)
from krm_fn.krm.type_errors import type_name
from krm_fn.light_typing import Any
from krm_fn.patch import Operation, Pointer
from krm_fn.yamledit import CODE_OF_YTT, Lines, same

__all__ = [
    "BASE_NAME",
    "BESIDE_NOTHING",
    "Object",
    "QuickLook",
    "ResourceList",
    "group_kind",
    "new_file_name",
    "objects",
    "reference",
]

_BOM = "\ufeff"
_ANCHOR = r"&([0-9A-Za-z_-]+)"
_ALIAS = r"\*([0-9A-Za-z_-]+)"
"""What may be an anchor or an alias, in a comment or a command as well: only the tree knows."""

_NOT_PLAIN = "`items` must be laid out plainly: an item must be indented more than its dash"


class ResourceList:
    """A ResourceList and its text.

    Raises:
        InputError: the bytes are not one, in one line that says what they must be.
    """

    def __init__(self, data: bytes) -> None:
        text = _decode(data)
        self._bom = _BOM if text.startswith(_BOM) else ""
        self._text = text.removeprefix(_BOM)
        self._layout = _layout(self._text)
        self._look = QuickLook([(self._text, self._layout.spans())])

    def __len__(self) -> int:
        return len(self._layout)

    @property
    def paths(self) -> Mapping[str, str]:
        """Paths of files of this machine: none in a list."""
        return {}

    @property
    def others(self) -> Mapping[str, bytes]:
        """Files beside the objects: none in a list."""
        return {}

    @property
    def function_config(self) -> Any:
        """Plain data of ``functionConfig``, None if there is none."""
        return self._layout.head.get("functionConfig")

    @property
    def repeated_in_function_config(self) -> list[Pointer]:
        """Paths, below ``functionConfig``, of keys that are twice in one mapping."""
        return self._layout.repeated("functionConfig")

    def kinds(self, index: int) -> frozenset[str]:
        """Return every word of an item's text that could be its kind, or the kind of an object inside it.

        Empty: nothing is known without reading the item.
        """
        return self._look.kinds(index)

    def by_kinds(self) -> Mapping[frozenset[str], Sequence[int]]:
        """Return what ``kinds`` returns for some items -> their indexes, in order."""
        return self._look.by_kinds

    def contains(self, index: int, words: tuple[str, ...]) -> bool:
        """Return True if one of the words is in the item's text or may be hidden there, or if there are no words."""
        return self._look.contains(index, words)

    def holding(self, words: tuple[str, ...], among: Sequence[int] | None = None) -> Sequence[int]:
        """Return the indexes of the items, or of those ``among`` them, for which ``contains`` is True, in order."""
        return self._look.holding(words, among)

    def objects(self, index: int) -> list[Object]:
        """Return the object of an item, or the objects inside an item of kind ``List``.

        Raises as ``read`` does.
        """
        return list(objects(self.read(index)))

    def text_for_ytt(self, index: int) -> tuple[str, Pointer, str] | None:
        """Return a text that holds an item, and the path of the item in it; "" for the comments above, which it lacks.

        None where the text holds no code of ytt.
        """
        text, path = self._layout.readable(index)
        return (text, path, "") if CODE_OF_YTT in text else None

    def read(self, index: int) -> dict[str, Any]:
        """Return plain data of one item, a new copy each time.

        Raises:
            InputError: the item cannot be read, or is no object.
        """
        try:
            data = self._layout.read(index)
        except InputError as error:
            try:  # a slice that cannot be read alone may make sense in the whole
                self._take_as_whole()
            except TextError:
                raise self._item_error(index, error) from None
            data = self._read_part(index)
        if not isinstance(data, dict):
            raise DocumentError(f"`items[{index}]` must be an object, but it is {type_name(data)}")
        return data

    def write(
        self,
        changes: Mapping[int, Sequence[Operation]],
        results: Iterable[Mapping[str, Any]],
        new_items: Sequence[Mapping[str, Any]] = (),
        beside: Sequence[int] = (),
    ) -> list[bytes]:
        """Return the list after the operations on its items, with the results that it does not hold yet, in pieces.

        Joined, they are the list. Small pieces reuse the memory of data that is no longer needed; one text of the
        whole list could not.

        Args:
            changes: index of an item -> operations, their paths from the item's root; one that removes the root takes
                the item out.
            results: entries of ``results``.
            new_items: objects to add behind all others.
            beside: the items beside which these objects were created; of no use here.
        """
        wanted = {index: operations for index, operations in changes.items() if operations}
        may_be_entangled = isinstance(self._layout, CutLayout) and self._may_be_entangled(wanted)
        if may_be_entangled and self._is_entangled(wanted):
            self._take_as_whole()
        held = self._layout.head.get("results")
        known = held if isinstance(held, list) else []
        reported = {repr(result) for result in known}
        new = (result for result in results if not known or repr(result) not in reported)
        edits = ItemEdits(wanted, list(map(with_path, new_items)))
        pieces = self._layout.write(edits, known, new)
        if may_be_entangled:
            text = "".join(pieces)
            self._prove(text, edits)
            pieces = iter([text])
        return [self._bom.encode(), *(piece.encode() for piece in pieces)]

    def _take_as_whole(self) -> None:
        whole = WholeLayout(self._text)
        if len(whole) != len(self._layout):  # indexes that were given away would name other items
            raise InputError(_NOT_PLAIN)
        self._layout = whole
        self._look = QuickLook([(self._text, whole.spans())])

    def _read_part(self, index: int) -> Any:
        try:
            return self._layout.read(index)
        except InputError as error:
            raise self._item_error(index, error) from None

    @cached_property
    def _lines(self) -> Lines:
        return Lines(self._text)

    def _item_error(self, index: int, error: InputError) -> DocumentError:
        """Return an error that names the item, and the line in the whole text."""
        if isinstance(error, TextError):
            start, _ = self._layout.spans()[index]
            error = error.below(self._lines.above(start))
        return DocumentError(str(error), place=f"`items[{index}]`", code=error.code)

    def _may_be_entangled(self, changed: Collection[int]) -> bool:
        """Return True if the name of an anchor of a changed item may be that of an alias elsewhere."""
        everywhere = (
            Counter(re.findall(_ALIAS, self._text))
            if "*" in self._text and "&" in self._text
            else None
        )
        for index in changed if everywhere else ():
            text = self._layout.text(index)
            own = Counter(re.findall(_ALIAS, text))
            if everywhere and any(
                everywhere[name] > own[name] for name in set(re.findall(_ANCHOR, text))
            ):
                return True
        return False

    def _is_entangled(self, changed: Collection[int]) -> bool:
        """Return True if an alias means a value of another item, and one of the two changes.

        An alias in another member of the list is no case for it: read alone, such a member is an error, and the list
        was taken as a whole before.

        Raises:
            InputError: the list cannot be read as a whole.
        """
        whole = WholeLayout(self._text)
        starts = [start for start, _ in whole.spans()]
        if len(starts) != len(self._layout):
            raise InputError(_NOT_PLAIN)
        for alias, target in whole.document.links():
            one, other = bisect(starts, alias) - 1, bisect(starts, target) - 1
            if one != other and (one in changed or other in changed):
                return True
        return False

    def _prove(self, text: str, edits: ItemEdits) -> None:
        """Compare each item of the new text with what the old one and the operations on it make.

        Raises:
            EditError: an item says something else than is meant: nothing may be written.
        """
        kept = [index for index in range(len(self)) if index not in edits.removed]
        meant = [
            patch.apply(self._layout.read(index), edits.changes.get(index, ())) for index in kept
        ]
        reread = WholeLayout(text)
        if not same(
            [reread.read(index) for index in range(len(reread))], [*meant, *edits.new_items]
        ):
            raise EditError(
                "an alias of one item means a value of another: write it out, so that both can be edited"
            )


_MEMBER = r"""(?m)^["']?(apiVersion|kind)["']?[ \t]*:[ \t]*["']?([A-Za-z]*)"""

_INSTEAD = (
    "run `inject-proxy run --config FILE -` for plain YAML, `inject-proxy run PATH` for files, or name the ProxyConfig "
    "under `transformers` of a kustomization.yaml or in a Kptfile; `inject-proxy lint -` and `inject-proxy explain` "
    "read plain YAML, too"
)


def _layout(text: str) -> CutLayout | WholeLayout:
    """Return the layout of a ResourceList; raises InputError for anything else."""
    try:
        layout = layout_of(text)
        kind = layout.head.get("kind")
        if kind == "ResourceList":
            return layout
        error = InputError(f"{SHAPE}; its `kind` is {_shown(kind)}")
    except InputError as found:
        error = found
    raise InputError(f"{SHAPE}; it is plain YAML: {_INSTEAD}") if _is_plain(text) else error


def _is_plain(text: str) -> bool:
    """Return whether a text holds manifests as people write them.

    Documents that are objects, and no ResourceList.
    """
    keys: set[str] = set()
    for found in re.finditer(_MEMBER, text):
        key, value = found.groups()
        # A kind behind an anchor or a tag is not seen here.
        if key == "kind" and value in ("", "ResourceList"):
            return False
        keys.add(key)
    return keys == {"apiVersion", "kind"}


def _decode(data: bytes) -> str:
    if not data or data.isspace():
        raise InputError(f"the input is empty; {SHAPE}")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"the input must be UTF-8, but byte {error.start + 1} is not") from None


def _shown(value: Any) -> str:
    if value is None:
        return "missing"
    return f'"{redact(value)}"' if isinstance(value, str) else "not a string"
