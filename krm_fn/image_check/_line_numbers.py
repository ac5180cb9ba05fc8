"""The numbers of lines in a file of a build, which its line feeds end."""

from __future__ import annotations

import bisect
import re


class LineNumbers:
    """The line feeds of a text, found once for any number of positions."""

    def __init__(self, text: str) -> None:
        self._line_feeds = [found.start() for found in re.finditer("\n", text)]

    def at(self, position: int) -> int:
        """Return the number, from 1, of the line that a position is in."""
        return bisect.bisect_left(self._line_feeds, position) + 1
