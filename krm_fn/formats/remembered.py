"""How many texts the readers of formats remember, so that one that is asked for several facts is read once.

The nodes of a cluster have the same files and commands, and several targets and rules look at each.
"""

from __future__ import annotations

LINES = 1024
"""Lines of units, and commands."""
TEXTS = 256
"""Whole files, and paths."""
