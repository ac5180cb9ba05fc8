"""How far a run is, on one line of a terminal, for trees that take a while."""

from __future__ import annotations

import sys

_MANY = 500
_EACH = 100
_CLEAR = "\r\x1b[K"


class Progress:
    """A line on standard error that is written over; nothing for a few files, or where no terminal is.

    Args:
        total: how many files there are.
    """

    def __init__(self, total: int) -> None:
        self._total = total
        self._is_shown = total >= _MANY and sys.stderr is not None and sys.stderr.isatty()

    def read(self, number: int) -> None:
        """Show how many files are read."""
        if self._is_shown and (number % _EACH == 0 or number == self._total):
            self._show(f"reading files: {number} of {self._total}")

    def look(self, objects: int) -> None:
        """Show that documents are looked at now."""
        if self._is_shown:
            self._show(f"{self._total} files read, looking at {objects} documents")

    def end(self) -> None:
        """Remove the line."""
        if self._is_shown:
            sys.stderr.write(_CLEAR)
            sys.stderr.flush()

    def _show(self, text: str) -> None:
        sys.stderr.write(f"{_CLEAR}inject-proxy run: {text}")
        sys.stderr.flush()
