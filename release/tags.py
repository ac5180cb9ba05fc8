"""Print the tags that the image of a release gets: vX.Y.Z, and vX.Y and vX where no newer release has them.

Reads the tags of the repository, one a line, from standard input. There is never a `latest`: it would
bring its users a change that they did not choose.

Usage: git tag --list | tags.py vX.Y.Z
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable


def release_tags(released: str, others: Iterable[str]) -> list[str]:
    """Return the tags of the image of ``released``; raises ValueError for a name that is no version."""
    version = parsed(released)
    if version is None:
        raise ValueError(f"{released} is no version vX.Y.Z")
    versions = {other for other in map(parsed, others) if other is not None}
    tags = [released]
    if all(other <= version for other in versions if other[:2] == version[:2]):
        tags.append(f"v{version[0]}.{version[1]}")
    if all(other <= version for other in versions if other[0] == version[0]):
        tags.append(f"v{version[0]}")
    return tags


def parsed(tag: str) -> tuple[int, int, int] | None:
    """Return the three numbers of a tag vX.Y.Z, else None."""
    found = re.fullmatch(r"v(\d+)\.(\d+)\.(\d+)", tag.strip())
    return (int(found[1]), int(found[2]), int(found[3])) if found else None


if __name__ == "__main__":
    sys.stdout.write("\n".join(release_tags(sys.argv[1], sys.stdin)) + "\n")
