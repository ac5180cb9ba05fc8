"""The envelope: a ResourceList as the KRM functions specification v1 has it, and the objects in it.

The law of this room: it knows the envelope, the identity of an object and where its text is; never what a field of an
object means. An item that nobody asks for is never read.

Source: kustomize ``cmd/config/docs/api-conventions/functions-spec.md``, "apiVersion: v1" (v1beta1 is the same shape).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from krm_fn.errors import InputError
from krm_fn.patch import Operation, Pointer
from krm_fn.resourcelist._kinds import hides_words, kinds_in
from krm_fn.resourcelist._layouts import SHAPE, Edits, WholeLayout, layout_of
from krm_fn.resourcelist._objects import BASE_NAME, Object, objects, reference

__all__ = ["BASE_NAME", "Object", "ResourceList", "hides_words", "kinds_in", "objects", "reference"]

_BOM = "\ufeff"
_ANCHOR = re.compile(r"""(?:^|[\s\[{,:])&([^\s,\[\]{}]+)""")


class ResourceList:
    """A ResourceList and the text it stands in.

    Raises:
        InputError: the bytes are not one, in one line that says what they must be.
    """

    def __init__(self, data: bytes) -> None:
        text = _decode(data)
        self._bom = _BOM if text.startswith(_BOM) else ""
        self._text = text.removeprefix(_BOM)
        self._aliases: dict[str, bool] = {}
        if _is_plain(self._text):
            raise InputError(f"{SHAPE}; it is plain YAML: {_INSTEAD}")
        self._layout = layout_of(self._text)
        if self._layout.head.get("kind") != "ResourceList":
            raise InputError(f"{SHAPE}; its `kind` is {_shown(self._layout.head.get('kind'))}")

    def __len__(self) -> int:
        return len(self._layout)

    @property
    def function_config(self) -> Any:
        """Plain data of ``functionConfig``, None if there is none."""
        return self._layout.head.get("functionConfig")

    @property
    def repeated_in_function_config(self) -> list[Pointer]:
        """Paths, below ``functionConfig``, of keys that stand twice in one mapping."""
        return self._layout.repeated("functionConfig")

    def kinds(self, index: int) -> frozenset[str]:
        """A cheap look at an item's text: every word in it that could be its kind, or the kind of something in it.

        Empty: nothing can be told without reading the item.
        """
        return kinds_in(self._layout.text(index))

    def contains(self, index: int, words: Sequence[str]) -> bool:
        """Return True if one of the words is in the item's text or may be hidden there, or if there are no words."""
        text = self._layout.text(index)
        return not words or any(word in text for word in words) or hides_words(text)

    def objects(self, index: int) -> list[Object]:
        """The object that an item is, or those inside an item of kind ``List``; raises as ``read`` does."""
        return list(objects(self.read(index)))

    def read(self, index: int) -> dict[str, Any]:
        """Plain data of one item, made anew.

        Raises:
            InputError: the item cannot be read, or is no object.
        """
        try:
            data = self._layout.read(index)
        except InputError:
            # A slice that cannot be read alone may make sense in the whole; if not, the whole knows the line.
            self._take_as_whole()
            data = self._read_part(index)
        if not isinstance(data, dict):
            raise InputError(f"`items[{index}]` must be an object, but it is a {_TYPE_NAMES.get(type(data), 'value')}")
        return data

    def write(
        self,
        changes: Mapping[int, Sequence[Operation]],
        results: Sequence[Mapping[str, Any]],
        new_items: Sequence[Mapping[str, Any]] = (),
    ) -> bytes:
        """The list with operations applied to some of its items, and with the results that it does not hold yet.

        Args:
            changes: index of an item -> operations, their paths from the item's root; one that removes the root takes
                the item out.
            results: entries of ``results``.
            new_items: objects that are to stand behind all others.
        """
        wanted = {index: operations for index, operations in changes.items() if operations}
        if any(self._is_entangled(index) for index in wanted):
            self._take_as_whole()
        held = self._layout.head.get("results")
        known = held if isinstance(held, list) else []
        told = {repr(result) for result in known}
        new = [dict(result) for result in results if repr(result) not in told]
        return (self._bom + self._layout.write(Edits(wanted, list(new_items)), known, new)).encode()

    def _has_alias(self, name: str) -> bool:
        """True if an alias of that name may stand somewhere: ``a && b`` in a command looks like an anchor, too."""
        if name not in self._aliases:
            self._aliases[name] = f"*{name}" in self._text
        return self._aliases[name]

    def _take_as_whole(self) -> None:
        whole = WholeLayout(self._text)
        if len(whole) != len(self._layout):  # indexes that were given away would name other items
            raise InputError("`items` must be laid out plainly: an item must be indented more than its dash")
        self._layout = whole

    def _read_part(self, index: int) -> Any:
        try:
            return self._layout.read(index)
        except InputError as error:
            raise InputError(f"`items[{index}]`: {error}") from None

    def _is_entangled(self, index: int) -> bool:
        """True if another item holds an alias to an anchor of this one."""
        text = self._layout.text(index)
        names = _ANCHOR.findall(text) if "&" in text else []
        names = [name for name in names if self._has_alias(name)]
        others = [self._layout.text(other) for other in range(index + 1, len(self))] if names else []
        return any(_refers_out(other, name) for name in names for other in others)


def _refers_out(text: str, name: str) -> bool:
    """True if an alias in ``text`` may mean an anchor that stands before it."""
    alias, anchor = text.find(f"*{name}"), text.find(f"&{name}")
    return alias >= 0 and not 0 <= anchor < alias


_MEMBER = re.compile(r"""^["']?(apiVersion|kind)["']?[ \t]*:[ \t]*["']?([A-Za-z]*)""", re.MULTILINE)

_INSTEAD = (
    "run `kpt fn eval FOLDER --exec inject-proxy --fn-config FILE`, or name the ProxyConfig under `transformers` of a "
    "kustomization.yaml, which make a ResourceList of it; `inject-proxy lint -` and `inject-proxy explain` read plain "
    "YAML"
)


def _is_plain(text: str) -> bool:
    """Return whether a text holds manifests as people write them: documents that are objects, and no ResourceList."""
    found = dict.fromkeys(_MEMBER.findall(text))
    kinds = [value for key, value in found if key == "kind"]
    is_known = bool(kinds) and "" not in kinds  # a kind behind an anchor or a tag is not seen here
    return is_known and "ResourceList" not in kinds and any(key == "apiVersion" for key, _ in found)


_TYPE_NAMES = {list: "list", str: "string", int: "number", float: "number", bool: "boolean", type(None): "null"}


def _decode(data: bytes) -> str:
    if not data.strip():
        raise InputError(f"the input is empty; {SHAPE}")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"the input must be UTF-8, but byte {error.start + 1} is not") from None


def _shown(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else "missing" if value is None else "not a string"
