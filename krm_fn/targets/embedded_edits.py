"""Edits of documents inside a text, as changes of the object that holds the text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from krm_fn.engine.member_edits import MemberEdits
from krm_fn.formats.embedded import Embedded
from krm_fn.formats.embedded import change as embedded_change
from krm_fn.krm.results import Change, Finding
from krm_fn.patch import Operation, Pointer


def in_document(found: Embedded, made: MemberEdits | Finding) -> Iterator[Change | Finding]:
    """The same about the object in which the document stands."""
    yield from in_documents([(found, made)])


def in_documents(
    made: Iterable[tuple[Embedded, MemberEdits | Finding]],
) -> Iterator[Change | Finding]:
    """The same for several documents, of several texts or of one; no two edits are about the same members."""
    edits: dict[Pointer, list[tuple[Embedded, MemberEdits]]] = {}
    for found, one in made:
        if isinstance(one, Finding):
            yield Finding(one.severity, f"in it, {one.message}", found.value.path, code=one.code)
        elif one.operations:
            edits.setdefault(found.value.path, []).append((found, one))
    for of_text in edits.values():
        operations: dict[int, list[Operation]] = {}
        for found, one in of_text:
            operations.setdefault(found.index, []).extend(one.operations)
        message = ", ".join(dict.fromkeys(one.message for _, one in of_text))
        current, proposed = (
            "\n".join(dict.fromkeys(text for text in texts if text))
            for texts in zip(*((one.current, one.proposed) for _, one in of_text), strict=True)
        )
        yield embedded_change(
            of_text[0][0].value, operations, message, current=current, proposed=proposed
        )
