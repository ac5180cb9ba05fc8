"""JSON Patch (RFC 6902): the only form in which packages exchange changes.

An operation is a value; ``jsonpatch`` applies operations to plain data, and every edit of a text is
compared with its result.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from krm_fn.errors import InternalError
from krm_fn.light_typing import Any, Fields, Literal, NamedTuple

# One object as plain data; any field may be missing, null or of a wrong type.
Data = Mapping[str, Any]
# A JSON Pointer (RFC 6901) taken apart: ``("spec", "files", "0")`` for ``/spec/files/0``.
Pointer = tuple[str, ...]

# Values, each behind its path.
PlacedValues = Iterator[tuple[Pointer, Any]]

# The pointer token that stands for the place behind the last item of a list.
APPEND = "-"
# No list has as many items as a number of so many digits says.
_TOO_LONG_FOR_AN_INDEX = 20


class Operation(NamedTuple):
    """One operation of RFC 6902 on one object; ``value`` is plain data and ignored by ``remove``."""

    op: Literal["add", "replace", "remove"]
    path: Pointer
    value: Any = None

    def to_json(self) -> Fields:
        """Return the operation as RFC 6902 writes it."""
        whole: Fields = {"op": self.op, "path": render_pointer(self.path)}
        if self.op != "remove":
            whole["value"] = copied(self.value)
        return whole


def render_pointer(path: Pointer) -> str:
    """Return a path as a JSON Pointer (RFC 6901): ``("a/b", "0")`` -> ``/a~1b/0``."""
    return "".join("/" + token.replace("~", "~0").replace("/", "~1") for token in path)


def pointer_of(text: str) -> Pointer:
    """Return the path that a JSON Pointer (RFC 6901) leads along; () for an empty text."""
    tokens = text.split("/")[1:]
    return tuple(token.replace("~1", "/").replace("~0", "~") for token in tokens)


def field_path(path: Pointer) -> str:
    """Return a path in the style of the KRM functions specification: ``spec.files[0].path``."""
    text = ""
    for token in path:
        if is_index(token):
            text += f"[{token}]"
        elif token == APPEND:
            text += "[-]"
        elif text:
            text += f".{token}"
        else:
            text = token
    return text


def is_index(token: str) -> bool:
    """Return whether a step of a path is an index of a list: a number in ASCII (RFC 6901) that a list can have."""
    return token.isascii() and token.isdigit() and len(token) < _TOO_LONG_FOR_AN_INDEX


def lookup(data: Any, path: Iterable[str], default: Any = None) -> Any:
    """Return the value at ``path`` in plain data, or ``default`` if a step of it is missing; a text is one step."""
    if isinstance(path, str):
        path = (path,)
    for token in path:
        if isinstance(data, dict):
            if token not in data:
                return default
            data = data[token]
        elif isinstance(data, list) and is_index(str(token)):
            if int(token) >= len(data):
                return default
            data = data[int(token)]
        else:
            return default
    return data


def text_at(data: Any, path: Iterable[str]) -> str:
    """Return the string at ``path`` in plain data; "" where there is none, or something else."""
    value = lookup(data, path)
    if isinstance(value, str):
        return value
    return ""


def stripped(value: Any) -> str:
    """Return a string without blanks around it; "" for anything else."""
    if isinstance(value, str):
        return value.strip()
    return ""


def list_at(data: Any, path: Iterable[str] = ()) -> list[Any]:
    """Return the list at ``path`` in plain data; an empty one where there is none, or something else."""
    value = lookup(data, path)
    if isinstance(value, list):
        return value
    return []


def items_at(data: Any, path: Pointer) -> PlacedValues:
    """Yield the items of the list at ``path``, each behind its own path."""
    for index, item in enumerate(list_at(data, path)):
        yield (*path, str(index)), item


def put_at(data: Fields, path: Pointer, value: Any) -> None:
    """Set a member of mappings in mappings, which are made where they are missing or null."""
    *above, name = path
    for step in above:
        if data.get(step) is None:
            data[step] = {}
        data = data[step]
    data[name] = value


def walk(data: Any, path: Pointer = ()) -> PlacedValues:
    """Yield data, and each mapping, list and value in it, with its path, in order."""
    pending = [(path, data)]
    while pending:
        path, data = pending.pop()
        yield path, data
        members: Iterable[tuple[Any, Any]] = ()
        if isinstance(data, dict):
            members = data.items()
        elif isinstance(data, list):
            members = enumerate(data)
        inner = [((*path, str(key)), member) for key, member in members]
        pending += reversed(inner)


def pattern(path: str) -> Pointer:
    """Return ``"spec.subnets.*.cidr"`` as a pointer, in which ``*`` means every item or member."""
    return tuple(path.split("."))


def field_of(steps: Pointer) -> Pointer:
    """Return the path of the field whose items, or whose value, match a pattern."""
    if steps[-1] == "*":
        return steps[:-1]
    return steps


def find_values(data: Any, steps: Pointer, path: Pointer = ()) -> PlacedValues:
    """Yield each value in ``data``, which is at ``path``, that matches a pattern, with its path."""
    for depth, step in enumerate(steps, start=1):
        if step == "*" and isinstance(data, (list, dict)):
            members = data.items() if isinstance(data, dict) else enumerate(data)
            for name, member in members:
                yield from find_values(member, steps[depth:], (*path, str(name)))
            return
        if not isinstance(data, dict) or step not in data:
            return
        data = data[step]
        path = (*path, step)
    yield path, data


def named_items(data: Any, path: Pointer, name: str) -> list[Pointer]:
    """Return the paths of the items of a list that have a name, the last one first, so that a removal moves no other."""  # noqa: E501
    paths: list[Pointer] = []
    for item_path, item in items_at(data, path):
        if lookup(item, "name") == name:
            paths.insert(0, item_path)
    return paths


def copied(value: Any) -> Any:
    """Return a copy of plain data, which shares no mapping and no list with it."""
    if isinstance(value, dict):
        return {name: copied(member) for name, member in value.items()}
    if isinstance(value, list):
        return [copied(item) for item in value]
    return value


def apply(data: Any, operations: Iterable[Operation]) -> Any:
    """Return ``data`` after the operations; ``data`` itself is changed where that is possible.

    Raises:
        InternalError: an operation does not fit the data. Targets work on data they have seen, so this is
            never the mistake of a user.
    """
    import jsonpatch  # noqa: PLC0415 -- a run that changes nothing does not pay for it

    # ``JsonPatch`` would make each operation twice, to check it and to apply it.
    kinds = {
        "add": jsonpatch.AddOperation,
        "replace": jsonpatch.ReplaceOperation,
        "remove": jsonpatch.RemoveOperation,
    }
    try:
        for operation in operations:
            # A later operation may reach into the value of an earlier one, so each value is copied.
            data = kinds[operation.op](operation.to_json()).apply(data)
    except (jsonpatch.JsonPatchException, jsonpatch.JsonPointerException) as error:
        message = f"an operation does not fit its object: {error}"
        raise InternalError(message) from error
    return data
