"""The files of this package that are no code: its schema, its pages and the texts of its messages."""

from __future__ import annotations

from contextlib import suppress

import krm_fn
from krm_fn.errors import InternalError


def text_of(*names: str) -> str:
    """Return the text of a file of this package.

    Args:
        names: where it may be, below the package; the first one that is there counts.

    Raises:
        InternalError: this installation has none of them.
    """
    for name in names:
        path = f"{krm_fn.__path__[0]}/{name}"
        with suppress(OSError), open(path, encoding="utf-8") as file:  # noqa: PTH123 -- nothing else of a run imports pathlib
            return file.read()
    message = f"`{names[0]}` is missing from this installation: install `inject-proxy` again"
    raise InternalError(message)
