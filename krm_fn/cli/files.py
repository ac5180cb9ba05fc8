"""Find files, and write them.

Found are those that a person names on the command line, and those of folders without those that ignore files leave out.
Written are all or none, as far as a file system allows: new contents are first written into hidden files beside the old
ones, `.inject-proxy.*`, and then replace them one after another. If one cannot be replaced, those before it get their
old content back.

Sources: git's documentation of `gitignore`, "PATTERN FORMAT" and "NOTES" (a file that git tracks is not affected), and
of its index (`gitformat-index`); kustomize and kpt read `.krmignore` in the same format.
"""

from __future__ import annotations

import errno
import fnmatch
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path

from krm_fn.cli.streams import LARGEST_IGNORE_FILE, read_file, unreadable
from krm_fn.errors import OutputError, UsageError
from krm_fn.krm.manifests import ContentChange, FileChanges
from krm_fn.light_typing import NamedTuple

ENDINGS = (".yaml", ".yml", ".json", ".yaml.patch")
# The beginnings of the name of a template of a kustomization.
TEMPLATES = ("kustomization.yaml.", "kustomization.yml.")
# The beginning of the name of a new content that has not replaced its file yet.
UNFINISHED = ".inject-proxy."
_ANY_NAME = re.compile(".+")
_LITERAL_IN_FNMATCH = "!^#] "


class FoundFile(NamedTuple):
    """A file by the name that messages call it, and its absolute path without links.

    ``is_regular`` is False for a link or a pipe inside of a folder, which is not read: it may lead anywhere.
    """

    name: str
    path: str
    is_regular: bool


def find_files(paths: Sequence[str], exclude: Sequence[str]) -> list[FoundFile]:
    """Return the named files, and every YAML, JSON or template of a kustomization in named folders, each once.

    Hidden files and those that `.gitignore` and `.krmignore` name are left out of folders; a file named itself is
    left out by ``exclude`` only.

    Raises:
        UsageError: a path does not exist, or this user may not read a folder.
    """
    found: dict[str, FoundFile] = {}
    for path in paths:
        real = os.path.realpath(path)
        name = os.path.normpath(path)
        if os.path.isdir(path):
            ignored = ignored_in(real, exclude)
            above = "" if name == "." else name
            for file in _files_below(above, real, ignored):
                found.setdefault(file.path, file)
        elif os.path.exists(path):
            excluded = Ignored(exclude=rules_of(os.path.dirname(real), exclude))
            if excluded.keeps(real, is_folder=False):
                found.setdefault(real, FoundFile(name, real, is_regular=True))
        else:
            raise UsageError(f'there is no file or folder "{path}"')
    return list(found.values())


def _files_below(name: str, path: str, ignored: Ignored) -> Iterator[FoundFile]:
    """Yield the YAML and JSON files below a folder, in order."""
    for child in _children(path, ignored):
        name_of_child = os.path.join(name, child.name)
        if child.is_dir(follow_symlinks=False):
            yield from _files_below(name_of_child, child.path, ignored.below(child.path))
        else:
            yield FoundFile(name_of_child, child.path, child.is_file(follow_symlinks=False))


def _children(folder: str, ignored: Ignored) -> Iterator[os.DirEntry[str]]:
    """Yield the folders, YAML and JSON files in a folder, in order, without those that are hidden or left out."""
    try:
        with os.scandir(folder) as entries:
            children = sorted(entries, key=lambda child: child.name)
    except OSError as error:
        raise unreadable(folder, error) from None
    for child in children:
        is_folder = child.is_dir(follow_symlinks=False)
        if not child.name.startswith((*TEMPLATES, UNFINISHED)):
            if child.name.startswith("."):
                continue
            if not (is_folder or child.name.endswith(ENDINGS)):
                continue
        if ignored.keeps(child.path, is_folder=is_folder):
            yield child


def files_above(folder: str, exclude: Sequence[str] = ()) -> Iterator[str]:
    """Yield the names of YAML and JSON files directly in a folder, and in those above it in its git repository."""
    root = repository_of(folder)
    while root is not None:
        for child in _children(folder, ignored_in(folder, exclude)):
            if child.is_file(follow_symlinks=False):
                yield os.path.relpath(child.path)
        if folder == root:
            return
        folder = os.path.dirname(folder)


_MOST_FOLDERS = 1000


def folders_around(folder: str) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield each folder of the git repository that holds a folder, with the names of its files.

    Outside of git it is the current folder, if that is around, and of its folders the first thousand: it may be the
    home of somebody. Hidden folders are left out.
    """
    repository = repository_of(folder)
    root = repository or os.getcwd()
    if root in (folder, os.sep) or not Path(folder).is_relative_to(root):
        return
    walk = os.walk(root)
    if not repository:
        walk = islice(walk, _MOST_FOLDERS)
    for path, folders, files in walk:
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield path, files


def real_path(name: str) -> str:
    """Return the path of a file without links in its folders; the file itself may be one."""
    folder, own_name = os.path.split(name)
    return os.path.join(os.path.realpath(folder), own_name)


def common_folder(paths: Sequence[str]) -> str:
    """Return the absolute path of the innermost folder that holds all of the paths; without any, the current one."""
    folders = []
    for path in paths or ".":
        folder = path if os.path.isdir(path) else os.path.dirname(path)
        folders.append(os.path.realpath(folder))
    return os.path.commonpath(folders)


# A pattern for each name of a path, and None for any number of names (`**`).
_NamePatterns = list[re.Pattern[str] | None]


class _Rule(NamedTuple):
    """One line of the ignore file of a folder, which is ``depth`` names deep; the patterns are for paths below it."""

    depth: int
    patterns: _NamePatterns
    is_for_folders: bool
    leaves_out: bool
    is_of_git: bool

    def matches(self, names: Sequence[str], *, is_folder: bool) -> bool:
        """Return whether it is for a path, of which these are the names."""
        if self.is_for_folders and not is_folder:
            return False
        return _matches(names[self.depth :], self.patterns)


class Ignored(NamedTuple):
    """Files that are left out: the last rule of folders that matches decides, and before them those of `--exclude`.

    Attributes:
        rules: the rules of ignore files.
        exclude: those of the command line.
        root: the folder of the git repository.
        tracked: the content of its index, which names the files that git tracks.
        is_inside: whether a rule of git leaves out the folder that this is about, so that only tracked files count.
    """

    rules: Sequence[_Rule] = ()
    exclude: Sequence[_Rule] = ()
    root: str = ""
    tracked: bytes = b""
    is_inside: bool = False

    def keeps(self, path: str, *, is_folder: bool) -> bool:
        """Return whether an absolute path is not left out."""
        names = path.split("/")
        for rule in chain(reversed(self.exclude), reversed(self.rules)):
            if not rule.matches(names, is_folder=is_folder):
                continue
            if rule.leaves_out:
                if rule.is_of_git:
                    return self._is_tracked(path, is_folder=is_folder)
                return False
            if not self.is_inside:
                return True
        if not self.is_inside:
            return True
        return self._is_tracked(path, is_folder=is_folder)

    def below(self, folder: str) -> Ignored:
        """Return the rules for a folder, an absolute path, inside of this one."""
        # Git rules out each file of a folder that is ignored, and no later rule brings it back.
        is_kept = self._replace(tracked=b"").keeps(folder, is_folder=True)
        return self._replace(is_inside=not is_kept).with_rules_of(folder)

    def with_rules_of(self, folder: str) -> Ignored:
        """Return these rules and those of the ignore files of a folder."""
        of_git = _read(folder, ".gitignore", is_of_git=True)
        of_krm = _read(folder, ".krmignore")
        return self._replace(rules=[*self.rules, *of_git, *of_krm])

    def _is_tracked(self, path: str, *, is_folder: bool) -> bool:
        """Return whether git tracks a file, or a file in a folder: the index holds its path, which a NUL ends."""
        name = os.path.relpath(path, self.root)
        end = "/" if is_folder else "\0"
        return f"{name}{end}".encode(errors="surrogateescape") in self.tracked


def ignored_in(folder: str, exclude: Sequence[str]) -> Ignored:
    """Return the rules for a folder, an absolute path, to which the patterns ``exclude`` are relative.

    The rules of the folders above count, too, up to the root of the git repository.
    """
    root = repository_of(folder) or folder
    rules = _read(root, ".git/info/exclude", is_of_git=True)
    ignored = Ignored(rules, rules_of(folder, exclude), root, _index_of(root))
    for above in reversed([Path(folder), *Path(folder).parents]):
        if above.is_relative_to(root):
            ignored = ignored.with_rules_of(str(above))
    return ignored


def repository_of(folder: str) -> str | None:
    """Return the root of the git repository of a folder; None outside of one."""
    for above in (Path(folder), *Path(folder).parents):
        if os.path.exists(above / ".git"):
            return str(above)
    return None


def _index_of(root: str) -> bytes:
    """Return the content of the index of a git repository, which may be missing."""
    folder = os.path.join(root, ".git")
    if os.path.isfile(folder):  # of a worktree or a submodule: `gitdir: ../.git/modules/a`
        _, _, name = os.fsdecode(read_file(folder)).strip().partition("gitdir: ")
        folder = os.path.join(root, name)
    index = os.path.join(folder, "index")
    if not os.path.isfile(index):
        return b""
    return read_file(index, os.path.relpath(index))


def _matches(names: Sequence[str], patterns: _NamePatterns) -> bool:
    """Return whether names match patterns. Only the last `**` is tried again, so that the time is their product."""
    name = pattern = 0
    behind_stars = -1
    tried_at = 0
    while name < len(names):
        is_left = pattern < len(patterns)
        wanted = patterns[pattern] if is_left else None
        if wanted and wanted.fullmatch(names[name]):
            name += 1
            pattern += 1
        elif is_left and not wanted:
            pattern += 1
            behind_stars = pattern
            tried_at = name
        elif behind_stars >= 0:
            tried_at += 1
            name = tried_at
            pattern = behind_stars
        else:
            return False
    return pattern == len(patterns)


def _read(folder: str, name: str, *, is_of_git: bool = False) -> list[_Rule]:
    """Return the rules of an ignore file, if it is a regular file: git follows no link to one either."""
    file = os.path.join(folder, name)
    if os.path.islink(file) or not os.path.isfile(file):
        return []
    content = read_file(file, os.path.relpath(file), at_most=LARGEST_IGNORE_FILE)
    lines = content.decode(errors="surrogateescape").split("\n")
    return rules_of(folder, lines, is_of_git=is_of_git)


def rules_of(folder: str, lines: Iterable[str], *, is_of_git: bool = False) -> list[_Rule]:
    """Return the rules in the lines of an ignore file of a folder, an absolute path."""
    depth = len(folder.rstrip("/").split("/"))
    rules = []
    for line in lines:
        # A blank at the end counts if it is escaped.
        text = re.sub(r"(?:(?<![\\ ])|(?<=\\ )) +$", "", line.rstrip("\r\n"))
        pattern = text.removeprefix("!")
        if text.startswith("#") or not pattern.strip("/"):
            continue
        names = _patterns(pattern.removesuffix("/"))
        is_for_folders = pattern.endswith("/")
        leaves_out = pattern == text
        rules.append(_Rule(depth, names, is_for_folders, leaves_out, is_of_git))
    return rules


def _patterns(text: str) -> _NamePatterns:
    """Return the patterns for the names of a path; a text without a slash is for a name in any folder."""
    patterns: _NamePatterns = [] if "/" in text else [None]
    for name in text.removeprefix("/").split("/"):
        if name == "**":
            patterns.append(None)
        else:
            escaped = re.sub(r"\\(.)", _literal, name)
            patterns.append(re.compile(fnmatch.translate(escaped.replace("[^", "[!"))))
    if patterns[-1] is None:
        # `a/**` is what is inside of `a`, and not `a` itself.
        patterns.append(_ANY_NAME)
    return patterns


def _literal(escaped: re.Match[str]) -> str:
    char = escaped[1]
    return char if char in _LITERAL_IN_FNMATCH else f"[{char}]"


# what is written


def write_files(changes: FileChanges, *, before: Callable[[], object]) -> None:
    """Give files a new content; owner, mode and hard links stay.

    Args:
        changes: absolute path without links, as of the reading -> content that was read, and new content.
        before: called when all new contents are on the disk; nothing is written if it raises.

    Raises:
        OutputError: a file cannot be written, or has changed since it was read. Unless it says so, nothing was written.
    """
    # What is removed comes last: it could not be restored with the mode that it had.
    in_order = sorted(changes.items(), key=lambda item: item[1].new is None)
    files = _without_other_names({Path(path): change for path, change in in_order})
    beside = {}
    done = {}
    file = Path()
    try:
        for file, change in files.items():
            _refuse_other_state(file, change)
            if change.new is not None:
                beside[file] = file.with_name(f"{UNFINISHED}{os.urandom(8).hex()}")
                _write_beside(beside[file], file, change.new)
        before()
        for file, change in files.items():
            _refuse_other_state(file, change)
            done[file] = change
            _replace(file, beside.get(file))
    except OSError as error:
        left = _restored(done)
        which = "nothing was written"
        if left:
            which = f"{', '.join(left)} could not be restored"
        raise OutputError(f'"{file}" cannot be written: {error.strerror}; {which}') from None
    except BaseException:  # Ctrl-C, or nobody takes the output
        _restored(done)
        raise
    finally:
        for path in beside.values():
            path.unlink(missing_ok=True)


def _without_other_names(files: Mapping[Path, ContentChange]) -> dict[Path, ContentChange]:
    """Return each file once that several names (hard links) are for, where all of them get the same content."""
    kept: dict[object, tuple[Path, ContentChange]] = {}
    for file, change in files.items():
        key: object = file
        if change.old is not None and file.is_file():
            status = file.stat()
            key = (status.st_dev, status.st_ino, change)
        kept.setdefault(key, (file, change))
    return dict(kept.values())


def _refuse_other_state(file: Path, change: ContentChange) -> None:
    """Raise OSError for a file that is read-only, or that is not as it was when it was read."""
    if os.path.realpath(file) != str(file):
        raise OSError(errno.ELOOP, "it is, or is behind, a link")
    if change.old is None:
        if file.exists():
            raise OSError(errno.EEXIST, "it exists")
        return
    if not file.is_file() or file.read_bytes() != change.old:
        raise OSError(errno.EBUSY, "it has changed since it was read, so run the command again")
    if not (file.stat().st_mode & 0o222 and os.access(file, os.W_OK)):
        raise OSError(errno.EACCES, "it is read-only")


def _write_beside(new: Path, file: Path, content: bytes) -> None:
    """Write a new file beside another one, with the mode that the other has, or a new one gets."""
    file.parent.mkdir(parents=True, exist_ok=True)
    mode = file.stat().st_mode if file.exists() else 0o666
    handle = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(handle, "wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(handle)
    if file.exists():
        new.chmod(file.stat().st_mode)


def _replace(file: Path, new: Path | None) -> None:
    """Put a new file in the place of another one; in place where that has hard links or another owner."""
    if new is None:
        file.unlink()
        return
    if file.exists():
        old = file.stat()
        status = new.stat()
        is_of_same_owner = (old.st_uid, old.st_gid) == (status.st_uid, status.st_gid)
        if old.st_nlink > 1 or not is_of_same_owner:
            from shutil import copyfile  # noqa: PLC0415 -- few files are so, and it loads compression

            copyfile(new, file)
            new.unlink()
            return
    new.replace(file)


def _restored(done: Mapping[Path, ContentChange]) -> list[str]:
    """Give files their content back; return the names of those that cannot get it back."""
    left = []
    for file, change in done.items():
        try:
            if change.old is None:
                file.unlink(missing_ok=True)
            else:
                file.write_bytes(change.old)
        except OSError:  # noqa: PERF203
            left.append(str(file))
    return left
