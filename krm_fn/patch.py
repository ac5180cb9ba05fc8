"""JSON Patch (RFC 6902) as the only language in which a package may ask for a change.

An operation is a value; applying operations to plain data is left to ``jsonpatch``, which is also
the oracle that every edit of the text is proven against.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from krm_fn.errors import InternalError

Pointer = tuple[str, ...]
"""A JSON Pointer (RFC 6901) taken apart: ``("spec", "files", "0")`` for ``/spec/files/0``."""

APPEND = "-"
"""The pointer token that stands for the place behind the last item of a list."""


@dataclass(frozen=True)
class Operation:
    """One operation of RFC 6902 on one object.

    ``value`` is plain data (dict, list, str, int, float, bool, None) and ignored by ``remove``. ``before`` names the
    member of the same mapping in front of which a new one stands in the text; it means nothing to the data.
    ``leaves_around`` says of an added member that the removal of it later leaves the mapping around it, even an empty
    one; where it is False, that mapping may go with its last member. It means nothing to the data, either.
    """

    op: Literal["add", "replace", "remove"]
    path: Pointer
    value: Any = None
    before: str = ""
    leaves_around: bool = field(default=False, compare=False)

    def to_json(self) -> dict[str, Any]:
        """The operation as RFC 6902 writes it."""
        whole = {"op": self.op, "path": render_pointer(self.path)}
        return whole if self.op == "remove" else {**whole, "value": self.value}


def add(*path: str | int, value: Any, before: str = "", leaves_around: bool = False) -> Operation:
    """Set the member, or insert before the item, that ``path`` names."""
    return Operation("add", tuple(map(str, path)), value, before, leaves_around)


def replace(*path: str | int, value: Any) -> Operation:
    """Set what is there already."""
    return Operation("replace", tuple(map(str, path)), value)


def remove(*path: str | int) -> Operation:
    """Take out what ``path`` names."""
    return Operation("remove", tuple(map(str, path)))


def render_pointer(path: Pointer) -> str:
    """``("a/b", "0")`` -> ``/a~1b/0`` (RFC 6901)."""
    return "".join("/" + token.replace("~", "~0").replace("/", "~1") for token in path)


def field_path(path: Pointer) -> str:
    """``("spec", "files", "0", "path")`` -> ``spec.files[0].path``, the style of the KRM functions specification."""
    text = ""
    for token in path:
        if token.isdigit():
            text += f"[{token}]"
        elif token == APPEND:
            text += "[-]"
        else:
            text += ("." if text else "") + token
    return text


def lookup(data: Any, path: Iterable[str | int], default: Any = None) -> Any:
    """What stands at ``path`` in plain data, or ``default`` where a step of it is missing."""
    for token in path:
        if isinstance(data, Mapping):
            if token not in data:
                return default
            data = data[token]
        elif isinstance(data, Sequence) and not isinstance(data, str) and str(token).isdigit():
            if int(token) >= len(data):
                return default
            data = data[int(token)]
        else:
            return default
    return data


def apply(data: Any, operations: Iterable[Operation]) -> Any:
    """``data`` after the operations; ``data`` itself is changed where that is possible.

    Raises:
        InternalError: an operation does not fit the data. Targets work on data they have seen, so this is
            never the mistake of a user.
    """
    import jsonpatch  # noqa: PLC0415 -- a run that changes nothing does not pay for it

    # A later operation may reach into the value of an earlier one, so each value is copied.
    patch = jsonpatch.JsonPatch([copy.deepcopy(operation.to_json()) for operation in operations])
    try:
        return patch.apply(data, in_place=True)
    except (jsonpatch.JsonPatchException, jsonpatch.JsonPointerException) as error:
        message = f"an operation does not fit its object: {error}"
        raise InternalError(message) from error


@dataclass
class ListEdit:
    """Collects edits of one list of an object and gives them as operations that hold when applied in order.

    New entries stand at the end: orchestrators copy comments back by list index. Only ``tail`` entries, which have to
    be last and are not removed, stay behind them, and ``inserted`` ones (index of the old list -> entries that come to
    stand before what is there). A list that is not there yet is made; one that loses its last entry goes, key and all.
    """

    path: Pointer
    old: Sequence[Any] | None
    tail: int = 0

    def __post_init__(self) -> None:
        self.replaced: dict[int, Any] = {}
        self.removed: set[int] = set()
        self.appended: list[Any] = []
        self.inserted: dict[int, list[Any]] = {}

    def place_of(self, index: int) -> int:
        """Where the entry that stands at ``index`` of the old list, or new ones behind, will stand after the edits."""
        place, end = index - sum(gone < index for gone in self.removed), len(self.old or ())
        place += sum(len(values) for before, values in self.inserted.items() if before <= index)
        if index >= end:
            return place - self.tail
        return place + len(self.appended) if index >= end - self.tail else place

    def operations(self) -> list[Operation]:
        """Replacements, then removals from the back, then additions."""
        old = self.old or ()
        if not old:
            appended = list(self.appended)
            return [add(*self.path, value=appended, leaves_around=True)] if appended else []
        if len(self.removed) == len(old) and not self.appended and not self.inserted:
            return [remove(*self.path)]
        inserted = list(self._insertions())
        end = len(old) - len(self.removed) - self.tail + len(inserted)
        places: list[int | str] = [
            end + number if self.tail else APPEND for number in range(len(self.appended))
        ]
        return [
            *(
                replace(*self.path, index, value=value)
                for index, value in sorted(self.replaced.items())
            ),
            *(remove(*self.path, index) for index in sorted(self.removed, reverse=True)),
            *inserted,
            *(
                add(*self.path, place, value=value)
                for place, value in zip(places, self.appended, strict=True)
            ),
        ]

    def _insertions(self) -> Iterator[Operation]:
        """The additions of ``inserted``, from the front, so that each index holds when it is its turn."""
        number = 0
        for before, values in sorted(self.inserted.items()):
            kept = before - sum(gone < before for gone in self.removed)
            for value in values:
                yield add(*self.path, kept + number, value=value)
                number += 1
