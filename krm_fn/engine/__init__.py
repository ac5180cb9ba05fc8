"""The engine: targets edit plain data, and the engine finds out what that changes.

``diff`` compares two states of one object and yields the JSON Patch that leads from the one to the
other; ``apply`` makes the second state of the first one.
"""

from __future__ import annotations

from krm_fn.engine.diff import apply, diff

__all__ = ["apply", "diff"]
