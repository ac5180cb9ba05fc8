"""Sizes of the caches of functions that read texts of nodes.

Several targets and rules read each text, and the nodes of a cluster have the same files and commands.
"""

from __future__ import annotations

LINES = 1024
"""For lines of units, and for commands."""
TEXTS = 256
"""For whole files, and for paths."""
