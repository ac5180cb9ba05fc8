"""Compare plain data before and after the edits of targets.

``Draft`` holds the data of an object while targets edit it; ``diff`` compares two states of plain data
and yields the JSON Patch that leads from the one to the other.
"""

from __future__ import annotations

from krm_fn.engine.diff import diff
from krm_fn.engine.draft import Draft, WrongTypeError

__all__ = ["Draft", "WrongTypeError", "diff"]
