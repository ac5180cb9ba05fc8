"""The texts of ``patchesJson6902``: which variables they set, and how to edit them without changing anything else.

A text is a JSON Patch (RFC 6902) in YAML or JSON. An operation sets a variable with a ``value`` that is an entry of
``env``, or a list of such entries; ``{{ }}`` in it is left to Kyverno.

Source: ``api/kyverno/v1/common_types.go`` (``Mutation.PatchesJSON6902``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from krm_fn.engine import Draft
from krm_fn.errors import EditError, InputError
from krm_fn.krm.results import Finding, Severity
from krm_fn.light_typing import Any
from krm_fn.patch import Pointer, is_index
from krm_fn.settings import PROXY_VARIABLES
from krm_fn.yamledit import read
from krm_fn.yamledit.stream import edit_document


def parsed(text: Any) -> Any:
    """Return the data of a text; None where it is no YAML. Data that is no text is its own data."""
    if not isinstance(text, str):
        return text
    try:
        return read(text)
    except InputError:
        return None


def entries(data: Any) -> Iterator[tuple[Pointer, str, Any]]:
    """Yield path, name and value of each mapping of a patch with one of the six names, in the order of the text."""
    waiting: list[tuple[Pointer, Any]] = [((), data)]
    while waiting:
        path, item = waiting.pop(0)
        if isinstance(item, list):
            waiting = [((*path, str(at)), value) for at, value in enumerate(item)] + waiting
        elif isinstance(item, Mapping):
            name = item.get("name")
            if name in PROXY_VARIABLES and "value" in item:
                yield path, name, item["value"]
            else:
                waiting = [((*path, str(key)), value) for key, value in item.items()] + waiting


def set_values(draft: Draft, path: Pointer, values: Mapping[Pointer, str]) -> None:
    """Set the values of entries in the text at ``path``.

    Args:
        draft: the data of the policy.
        path: leads to the text.
        values: path of an entry in the data of the text -> its value.
    """
    inner = Draft(parsed(draft.get(path)))
    for entry, value in values.items():
        inner.set((*entry, "value"), value)
    _commit(draft, path, inner)


def remove_entries(draft: Draft, path: Pointer, gone: list[Pointer]) -> None:
    """Remove entries from the text at ``path``, and the operations that do nothing else.

    Args:
        draft: the data of the policy.
        path: leads to the text.
        gone: paths of the entries in the data of the text.
    """
    inner = Draft(parsed(draft.get(path)))
    for entry in sorted(gone, key=_sort_key, reverse=True):
        operation = entry[:1]
        inner.remove(entry, keep=2)
        if not inner.get((*operation, "value")):
            inner.remove(operation)
    if inner.data:
        _commit(draft, path, inner)
    else:
        draft.remove(path, keep=len(path) - 1)


def _sort_key(path: Pointer) -> list[tuple[int, str]]:
    """Return what to sort paths by: an index counts as a number, so that 10 is behind 9."""
    return [(int(step), "") if is_index(step) else (0, step) for step in path]


def _commit(draft: Draft, path: Pointer, inner: Draft) -> None:
    """Write the data of a text back, every other byte of the text as it was."""
    text = draft.get(path)
    operations = inner.operations()
    if not operations:
        return
    if not isinstance(text, str):
        draft.set(path, inner.data)
        return
    try:
        draft.set(path, edit_document(text, 0, operations))
    except (EditError, InputError) as error:
        message = f"the text of `patchesJson6902` cannot be edited: {error}; set the proxy there"
        found = Finding(Severity.WARNING, message, path, is_stale=True, code="PolicyNotFilled")
        draft.findings.append(found)
