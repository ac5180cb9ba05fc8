"""What a git repository held at a revision, beside the files as they are now.

Nothing is asked of the index: a change that is committed, staged, unstaged or in a file that git does not know is a
change. ``git hash-object`` judges a file as git would store it, whatever line endings or filters are configured.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

from krm_fn.errors import UsageError
from krm_fn.light_typing import NamedTuple

_LINK = "120000"


class Revision(NamedTuple):
    """The files of a commit.

    Attributes:
        root: the folder of the working tree, links followed.
        blobs: path from there -> the name of the content of a file.
        links: the same of symbolic links.
        submodules: the same of submodules, whose files belong to another repository.
    """

    root: Path
    blobs: dict[str, str]
    links: dict[str, str]
    submodules: dict[str, str]

    def place_of(self, path: str) -> str:
        """Return the absolute path, without links above the working tree, of a path from the root."""
        return f"{str(self.root).rstrip(os.sep)}{os.sep}{path.replace('/', os.sep)}"

    def path_of(self, place: str) -> str | None:
        """Return the path from the root of an absolute one without links; None outside of the working tree."""
        root = str(self.root).rstrip(os.sep) + os.sep
        return place.removeprefix(root).replace(os.sep, "/") if place.startswith(root) else None

    def differing(self, paths: Iterable[str]) -> set[str]:
        """Return those of some paths of files, from the root, that have another content than in the commit, or none."""
        asked = [path for path in paths if path in self.blobs and "\n" not in path]
        names = b"".join(os.fsencode(path) + b"\n" for path in asked)
        found = _git(self.root, ["hash-object", "--stdin-paths"], names) if asked else b""
        now = dict(zip(asked, (found or b"").decode().split(), strict=False))
        return {path for path in paths if path not in now or now[path] != self.blobs[path]}

    def is_same_submodule(self, path: str) -> bool:
        """Return whether a submodule is at the commit that this one names, without a change in any of its files.

        One that is not checked out is the same: this clone has no file of it at any commit.
        """
        place = self.root / path
        if place.is_dir() and not any(place.iterdir()):
            return True
        head = _git(place, ["rev-parse", "--verify", "--quiet", "HEAD"])
        if head is None or head.decode().strip() != self.submodules[path]:
            return False
        return _git(place, ["status", "--porcelain", "--ignore-submodules=none"]) == b""

    def contents(self, paths: Sequence[str]) -> dict[str, bytes]:
        """Return what some files and links of the commit hold; what git does not give is left out."""
        digests = {**self.links, **self.blobs}
        asked = "".join(f"{digests[path]}\n" for path in paths).encode()
        found = _git(self.root, ["cat-file", "--batch"], asked) if paths else b""
        contents: dict[str, bytes] = {}
        at = 0
        for path in paths:
            head, _, _ = (found or b"")[at:].partition(b"\n")
            fields = head.split()
            at += len(head) + 1
            if len(fields) == 3:
                size = int(fields[2])
                contents[path] = (found or b"")[at : at + size]
                at += size + 1
        return contents


def revision(name: str, folder: Path) -> Revision:
    """Return the files of a commit.

    Args:
        name: how git calls it; ``HEAD`` of a repository without a commit holds nothing.
        folder: a folder of the working tree.

    Raises:
        UsageError: git is not there, or the folder is in no repository, or there is no such commit.
    """
    root = _git(folder, ["rev-parse", "--show-toplevel"])
    if root is None:
        raise UsageError(
            f'`--changed` must be used in a git repository, and git finds none for "{folder}": '
            f"`git -C {folder} status` says why"
        )
    top = Path(os.path.realpath(os.fsdecode(root.rstrip(b"\n"))))
    commit = _git(
        top, ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"]
    )
    if commit is None and name == "HEAD" and _git(top, ["symbolic-ref", "--quiet", "HEAD"]):
        return Revision(top, {}, {}, {})
    if commit is None:
        raise UsageError(
            f'`--changed` must name a commit of this clone, and git knows no "{name}": '
            "fetch it, as in `git fetch --depth=1 origin COMMIT`, or correct the name"
        )
    tree = _git(top, ["ls-tree", "-r", "-z", "--full-tree", commit.decode().strip()])
    if tree is None:
        raise UsageError(
            f'`--changed` must name a commit of this clone, and git cannot read "{name}"'
        )
    blobs: dict[str, str] = {}
    links: dict[str, str] = {}
    submodules: dict[str, str] = {}
    for entry in filter(None, tree.split(b"\0")):
        head, _, path = entry.partition(b"\t")
        mode, kind, digest = head.decode().split()
        if kind == "commit":
            submodules[os.fsdecode(path)] = digest
        elif mode == _LINK:
            links[os.fsdecode(path)] = digest
        else:
            blobs[os.fsdecode(path)] = digest
    return Revision(top, blobs, links, submodules)


def _git(folder: Path, arguments: Sequence[str], given: bytes = b"") -> bytes | None:
    """Return what git prints; None where it fails.

    Raises:
        UsageError: there is no git.
    """
    command = ["git", "-C", str(folder), "-c", "core.fsmonitor=false", *arguments]
    try:
        done = subprocess.run(command, input=given, capture_output=True, check=False)  # noqa: S603 -- no shell
    except OSError:
        raise UsageError("`--changed` needs the program git, and it cannot be started") from None
    return done.stdout if done.returncode == 0 else None
