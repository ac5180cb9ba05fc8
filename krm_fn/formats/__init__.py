"""Text formats that objects carry in their values. Nothing here knows about proxies.

Several targets and rules read each text, one after another, and the nodes of a cluster have the same files and
commands. The texts of some clusters are enough for the caches of functions that read them: of a long list, no cache
holds all until the next step asks again.
"""

from __future__ import annotations

# For lines of units, and for commands.
CACHED_LINES = 256
# For whole files, and for paths.
CACHED_TEXTS = 64
