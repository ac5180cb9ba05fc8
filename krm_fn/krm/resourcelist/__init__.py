"""The envelope: a ResourceList as the KRM functions specification v1 has it, and the objects in it.

It knows the envelope, the identity of an object and where its text is; never what a field of an
object means. An item that nobody asks for is never read.

Source: kustomize ``cmd/config/docs/api-conventions/functions-spec.md``, "apiVersion: v1" (v1beta1 is the same shape).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from krm_fn.errors import DocumentError, InputError, TextError
from krm_fn.krm.resourcelist.layouts import SHAPE, CutLayout, WholeLayout, layout_of
from krm_fn.krm.resourcelist.look import ObjectSource
from krm_fn.krm.resourcelist.objects import (
    BASE_NAME,
    NO_ITEM,
    ListChanges,
    NewObject,
    Object,
    function_config,
    group_kind,
    new_file_name,
    objects,
    reference,
)
from krm_fn.krm.results import type_name
from krm_fn.light_typing import Fields
from krm_fn.patch import Data, list_at
from krm_fn.yamledit import Lines

_BOM = "\ufeff"


class ResourceList(ObjectSource):
    """A ResourceList and its text.

    Raises:
        InputError: the bytes are not one; its line says which form they must have.
    """

    def __init__(self, content: bytes) -> None:
        text = _decode(content)
        self._bom = _BOM if text.startswith(_BOM) else ""
        self._layout = _layout(text.removeprefix(_BOM))
        super().__init__([(self._layout.text, self._layout.spans)])

    @property
    def function_config(self) -> Object:
        """The ``functionConfig``; its data is None if there is none."""
        return function_config(self._layout.head.get("functionConfig"))

    def objects(self, index: int) -> list[Object]:
        """Return the object of an item, or the objects inside an item of kind ``List``.

        Raises as ``read`` does.
        """
        return list(objects(self.read(index)))

    def text_for_ytt(self, index: int) -> str:
        """Return a text with all code of ytt that may be in an item."""
        return self._layout.text_of(index)

    def read(self, index: int) -> Fields:
        """Return plain data of one item, a new copy each time.

        Raises:
            InputError: the item cannot be read, or is no object.
        """
        try:
            data = self._layout.read(index)
        except InputError as error:
            raise self._item_error(index, error) from None
        if not isinstance(data, dict):
            raise DocumentError(f"`items[{index}]` must be an object, but it is {type_name(data)}")
        return data

    def write(self, changes: ListChanges, results: Iterable[Data]) -> list[bytes]:
        """Return the list after its changes, with the results that it does not hold yet, in pieces.

        Joined, they are the list. Small pieces reuse the memory of data that is no longer needed; one text of the
        whole list could not.

        Args:
            changes: the changes of the items; new ones are added behind all others.
            results: entries of ``results``.

        Raises:
            EditError: an item cannot be edited without risk; the message names it.
        """
        known = set(map(repr, list_at(self._layout.head, "results")))
        new_results = [result for result in results if not known or repr(result) not in known]
        pieces = [piece.encode() for piece in self._layout.write(changes, new_results)]
        return [self._bom.encode(), *pieces]

    def _item_error(self, index: int, error: InputError) -> DocumentError:
        """Return an error that names the item, and the line in the whole text."""
        if isinstance(error, TextError):
            start, _ = self._layout.spans[index]
            error = error.below(Lines(self._layout.text).above(start))
        return DocumentError(f"`items[{index}]`: {error}", code=error.code)


_INSTEAD = (
    "run `inject-proxy run --config FILE -` for plain YAML, `inject-proxy run PATH` for files, or name the ProxyConfig "
    "under `transformers` of a kustomization.yaml or in a Kptfile; `inject-proxy lint -` and `inject-proxy explain` "
    "read plain YAML, too"
)


def _layout(text: str) -> CutLayout | WholeLayout:
    """Return the layout of a ResourceList; raises InputError for anything else."""
    try:
        layout = layout_of(text)
        if layout.head.get("kind") == "ResourceList":
            return layout
        problem = "another one" if "kind" in layout.head else "missing"
        error = InputError(f"{SHAPE}; its `kind` is {problem}")
    except InputError as reason:
        error = reason
    if _is_plain(text):
        raise InputError(f"{SHAPE}; it is plain YAML: {_INSTEAD}")
    raise error


def _is_plain(text: str) -> bool:
    """Return whether a text holds manifests as people write them: objects, and no ResourceList."""
    kinds = re.findall(r"""(?m)^["']?kind["']?[ \t]*:[ \t]*["']?([A-Za-z]*)""", text)
    # A kind behind an anchor or a tag is "" here.
    if not kinds or not {"", "ResourceList"}.isdisjoint(kinds):
        return False
    return re.search("(?m)^[\"']?apiVersion", text) is not None


def _decode(content: bytes) -> str:
    if not content or content.isspace():
        raise InputError(f"the input is empty; {SHAPE}")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"the input must be UTF-8, but byte {error.start + 1} is not") from None
