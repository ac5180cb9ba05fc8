"""Text formats that objects carry in their values. Nothing here knows about proxies.

Several targets and rules read each text, one after another, and the nodes of a cluster have the same files and
commands. The texts of some clusters are enough for the caches of functions that read them: of a long list, no cache
holds all until the next step asks again.
"""

from __future__ import annotations

from functools import lru_cache

# Remembers the answers of a function about lines of units, or commands.
cached_by_line = lru_cache(maxsize=256)
# Remembers those about whole files, or paths.
cached_by_text = lru_cache(maxsize=64)
