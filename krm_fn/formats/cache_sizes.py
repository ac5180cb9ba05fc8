"""Sizes of the caches of functions that read texts of nodes.

Several targets and rules read each text, one after another, and the nodes of a cluster have the same files and
commands. The texts of some clusters are enough: of a long list, no cache holds all until the next step asks again.
"""

from __future__ import annotations

LINES = 256
"""For lines of units, and for commands."""
TEXTS = 64
"""For whole files, and for paths."""
