"""``--shard I/N``: which of the files of a run one of N jobs writes and reports.

Every job reads all files, because objects in the files of the others say what belongs into ``NO_PROXY``. A file
belongs to one job, whatever machine the job runs on and whichever other files there are.
"""

from __future__ import annotations

import re
from pathlib import Path

from krm_fn.cli.files import absolute
from krm_fn.errors import UsageError

_FORM = re.compile(r"([0-9]{1,6})/([0-9]{1,6})")


class Shard:
    """The files of job ``index``, from 1, of ``number`` jobs.

    ``base`` is the folder from which names are counted, because checkouts are at other places on other machines.
    """

    def __init__(self, index: int, number: int, base: Path) -> None:
        self.index = index
        self.number = number
        self.base = base

    def holds(self, name: str) -> bool:
        """Return whether this job writes and reports a file."""
        if self.number == 1:
            return True
        path = absolute(name)
        inside = path.relative_to(self.base) if path.is_relative_to(self.base) else path
        return self.holds_text(inside.as_posix())

    def holds_text(self, text: str) -> bool:
        """Return whether this job has what a text names; exactly one of all jobs has it."""
        import hashlib  # noqa: PLC0415 -- loads OpenSSL: few runs are divided

        digest = hashlib.sha256(text.encode(errors="surrogateescape")).digest()
        return int.from_bytes(digest[:8], "big") % self.number == self.index - 1

    def __str__(self) -> str:
        return f"{self.index}/{self.number}"


def shard_of(text: str, base: Path) -> Shard:
    """Return the shard that ``I/N`` names.

    Args:
        text: the value of ``--shard``.
        base: the folder that all paths of the command line have in common.

    Raises:
        UsageError: it has another form, or I is not between 1 and N.
    """
    found = _FORM.fullmatch(text)
    index, number = (int(found[1]), int(found[2])) if found else (0, 0)
    if not 1 <= index <= number:
        raise UsageError('`--shard` must be I/N with I from 1 to N, such as "2/8"')
    return Shard(index, number, base)
