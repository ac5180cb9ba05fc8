"""What is to be done to plain data, in operations and in words.

A value that says what gives data another meaning; it knows neither what the data is nor where it
stands, in an object or in a text inside one.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import repeat
from typing import Any

from krm_fn.krm.results import Change, Finding
from krm_fn.patch import Operation, apply


@dataclass(frozen=True)
class MemberEdits:
    """What gives the members of one mapping their values.

    ``operations`` hold one after another from the root of the data; ``current`` and ``proposed`` are lines for a
    person, ``message`` says what is done in all, and ``each`` what by each operation, if that is not the same.
    Without operations there is nothing to do.
    """

    operations: tuple[Operation, ...]
    message: str = ""
    current: str = ""
    proposed: str = ""
    each: tuple[str, ...] = ()

    def changes(self) -> Iterator[Change]:
        """A Change for each operation: for data that is the object itself."""
        for operation, reported in zip(self.operations, self.each or repeat(self.message)):  # noqa: B905 -- it has no end
            yield Change(operation, reported)


def together(
    data: Any, parts: Iterable[Callable[[Any], MemberEdits | Finding]]
) -> tuple[MemberEdits, list[Finding]]:
    """Several edits of the same data as one, and what stood in the way of others.

    Args:
        data: as for ``edit``.
        parts: each sees what those before it made of the data.
    """
    data, made, problems = copy.deepcopy(data), [], []
    for part in parts:
        one = part(data)
        if isinstance(one, Finding):
            problems.append(one)
        elif one.operations:
            data = apply(data, one.operations)
            made.append(one)
    return (
        MemberEdits(
            tuple(operation for one in made for operation in one.operations),
            ", ".join(one.message for one in made),
            "\n".join(one.current for one in made if one.current),
            "\n".join(one.proposed for one in made if one.proposed),
            tuple(
                reported
                for one in made
                for reported in one.each or repeat(one.message, len(one.operations))
            ),
        ),
        problems,
    )
