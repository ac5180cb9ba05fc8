"""What one file would leave in an image, and what it takes out again.

Values only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from krm_fn.krm.results import Severity


@dataclass(frozen=True)
class Leak:
    """Settings of a proxy that a build leaves in the image: ``names`` in the file ``dest``, or what ``what`` says.

    Without ``names`` and ``what``, the text of the file is not known. ``is_swept``: the build may end in the sysprep of
    an image builder.
    """

    line: int
    names: tuple[str, ...]
    dest: str = ""
    what: str = ""
    is_swept: bool = True


@dataclass(frozen=True)
class Note:
    """One thing to say about a line of a file."""

    severity: Severity
    file: str
    line: int
    message: str
    code: str = "ProxyInImage"


@dataclass(frozen=True)
class ScanResult:
    """What was seen in one file.

    ``kind`` says what it is in one phrase, "" if it is nothing that is known here. ``removed`` are paths that it takes
    out of the image, with their lines; ``used`` files that it places, which need no judgement of their own; and
    ``defined`` the variables of a build that it sets, with their lines.
    """

    kind: str = ""
    left: tuple[Leak, ...] = ()
    removed: Mapping[str, int] = field(default_factory=dict)
    used: frozenset[str] = frozenset()
    defined: Mapping[str, int] = field(default_factory=dict)


def together(kind: str, parts: Iterable[ScanResult]) -> ScanResult:
    """Return the results of several passes over one file as one."""
    all_parts = list(parts)
    return ScanResult(
        kind,
        tuple(left for part in all_parts for left in part.left),
        {path: line for part in all_parts for path, line in part.removed.items()},
        frozenset(name for part in all_parts for name in part.used),
        {name: line for part in all_parts for name, line in part.defined.items()},
    )
