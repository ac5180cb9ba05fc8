"""``--changed REV``: which of the files of a run differ from a revision, and what they held there."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

from krm_fn.cli._git import Revision, revision
from krm_fn.cli.files import ENDINGS, LeftAlone, absolute, common_folder, is_folder
from krm_fn.cli.reading import read_found
from krm_fn.cli.selection import KUSTOMIZATIONS, Selection, inputs_of, select
from krm_fn.config.located import LocatedConfig
from krm_fn.errors import InputError, UsageError
from krm_fn.krm.manifests import ManifestList, Manifests
from krm_fn.light_typing import NamedTuple
from krm_fn.plan.part import Changed

_ABOUT_OTHERS = (".gitignore", ".krmignore", "Chart.yaml", *KUSTOMIZATIONS)
"""Files that say of others whether they are manifests."""
_LFS = b"version https://git-lfs"


def changed_part(
    given: Namespace, selection: Selection, files: ManifestList, config: LocatedConfig
) -> Changed | None:
    """Return what may differ from a revision; None where that may be anything.

    Args:
        given: ``changed`` is the revision, ``words`` are the files and folders that are read, and ``named`` those whose
            files count as if they were new, also where they do not differ.
        selection: the files that were read.
        files: those of them that are manifests.
        config: the ProxyConfig of the run.

    Raises:
        UsageError: as ``revision``, or one of ``named`` does not exist.
    """
    paths, of_config = given.words or ["."], config.above or [config.ref.file_path]
    places = _places(given.named)
    also = {name for name, place in selection.paths.items() if _is_in(place, places)}
    former = former_files(given.changed, paths, selection, of_config)
    # Of a named file that does not differ nobody knows what it held before, and what others were by it.
    about_others = [name for name in also - former.names if Path(name).name in _ABOUT_OTHERS]
    about_others += [file for file in of_config if _is_in(os.path.realpath(file), places)]
    if former.manifests is None or about_others:
        return None
    names = former.names | also
    return Changed(files, names, former.manifests, partial(order_of, paths), config.data)


def _places(named: Sequence[str]) -> set[Path]:
    """Return the absolute paths of files and folders that are named, links followed."""
    for path in named:
        if not os.path.lexists(path):
            raise UsageError(
                f'"{path}" does not exist: leave it out, because `--changed` finds a deleted file itself'
            )
    return {Path(os.path.realpath(path)) for path in named}


def _is_in(place: str, places: set[Path]) -> bool:
    """Return whether a file is one of some places, or in a folder that is."""
    return bool(places) and not places.isdisjoint([Path(place), *Path(place).parents])


class FormerFiles(NamedTuple):
    """How files differ from a revision.

    Attributes:
        names: the files that differ, under the names that a run has for them, of former ones, too.
        manifests: those that were manifests, as they were; None: what was there is not known.
    """

    names: frozenset[str]
    manifests: Manifests | None


def former_files(
    name: str, paths: Sequence[str], selection: Selection, configs: Sequence[str]
) -> FormerFiles:
    """Return how the files of a run differ from a revision.

    Args:
        name: the revision.
        paths: the files and folders of the command line.
        selection: the files that were read.
        configs: the files of the ProxyConfig, and of what it refers to outside of the paths.

    Raises:
        UsageError: as ``revision``.
    """
    then = revision(name, common_folder(paths))
    known = {file: then.path_of(selection.paths[file]) for file in selection.files}
    there = set(known.values())
    differing = then.differing([path for path in there if path is not None])
    names = {
        file
        for file, path in known.items()
        if path is None or path in differing or _is_new_link(file, then)
    }
    former = {
        file: path for file in names if (path := known[file]) is not None and path in then.blobs
    }
    given = [_given(path) for path in paths]
    left_out: list[str] = []
    for path in then.blobs:
        place = then.place_of(path)
        file = _name(place, given) if path.endswith(ENDINGS) and path not in there else None
        if file is not None and Path(place).is_file() and os.path.realpath(place) == place:
            left_out.append(place)
        elif file is not None:
            former[file] = path
    unknown = FormerFiles(frozenset({*names, *former}), None)
    paths_of_configs = [then.path_of(os.path.realpath(config)) for config in configs]
    if then.differing([path or "" for path in paths_of_configs]):
        return unknown
    if _has_other_submodule(then, given):
        return unknown
    if _other_rules(then, [*selection.paths.values(), *left_out]):
        return unknown
    contents = then.contents([*former.values()])
    texts = {file: contents[path] for file, path in former.items() if path in contents}
    if len(texts) < len(former) or any(text.startswith(_LFS) for text in texts.values()):
        return unknown
    old = select(texts)
    if LeftAlone.NOT_UTF8 in old.left_alone.values():  # a filter of git may have encrypted it
        return unknown
    try:
        return unknown._replace(manifests=Manifests(old.manifests))
    except InputError:
        return unknown


def order_of(paths: Sequence[str], file: str) -> tuple[int, tuple[str, ...]]:
    """Return the place of a file among those of a command line, as ``find_files`` has it."""
    parts = Path(file).parts
    for number, path in enumerate(paths):
        above = Path(path).parts
        if parts[: len(above)] == above:
            return number, parts
    return len(paths), parts


class _Given(NamedTuple):
    """A path of the command line, the same from the root, with links and without, and whether it is a folder."""

    path: str
    absolute: str
    real: str
    is_folder: bool


def _given(path: str) -> _Given:
    return _Given(path, str(absolute(path)), os.path.realpath(path), is_folder(path))


def _name(place: str, given: Iterable[_Given]) -> str | None:
    """Return the name that a run has for a file of its paths that is not ignored; None for any other."""
    for one in given:
        if place in (one.absolute, one.real):
            return one.path
        above = one.real.rstrip(os.sep) + os.sep
        inside = place.removeprefix(above)
        is_hidden = inside.startswith(".") or f"{os.sep}." in inside
        if one.is_folder and inside != place and not is_hidden:
            return str(Path(one.path) / inside)
    return None


def _is_new_link(file: str, then: Revision) -> bool:
    """Return whether a file is a link that the revision does not have."""
    place = absolute(file)
    if not place.is_symlink():
        return False
    folder = Path(os.path.realpath(place.parent))
    if not folder.is_relative_to(then.root):
        return True
    return (folder / place.name).relative_to(then.root).as_posix() not in then.links


def _has_other_submodule(then: Revision, given: Sequence[_Given]) -> bool:
    """Return whether a submodule of the paths differs from the revision: what its files held is not known."""
    for path in then.submodules:
        is_read = _name(then.place_of(path), given) is not None
        if is_read and not then.is_same_submodule(path):
            return True
    return False


def _other_rules(then: Revision, places: Iterable[str]) -> bool:
    """Return whether a link, or a file that decides which others are manifests, differs from the revision.

    Args:
        then: the revision.
        places: the absolute paths of the files that are read, and of those that are left out now.
    """
    links = then.contents([*then.links])
    if any(links.get(path) != _link_at(then.root / path) for path in then.links):
        return True
    folders = {Path(place).parent for place in places}
    folders |= {above for folder in folders for above in folder.parents}
    deciding = {path for path in then.blobs if path.rpartition("/")[2] in _ABOUT_OTHERS}
    for folder in folders:
        for name in _ABOUT_OTHERS if folder.is_relative_to(then.root) else ():
            if (folder / name).is_file():
                deciding.add((folder / name).relative_to(then.root).as_posix())
    differing = then.differing(deciding)
    of_kustomize = [path for path in differing if path.rpartition("/")[2] in KUSTOMIZATIONS]
    if len(of_kustomize) < len(differing):
        return True
    texts = then.contents([path for path in of_kustomize if path in then.blobs])
    for path in of_kustomize:
        place = then.root / path
        before = inputs_of(texts[path]) if path in texts else set()
        now = inputs_of(_content(place)) if place.exists() else set()
        if before is None or now is None or before != now:
            return True
    return False


def _link_at(place: Path) -> bytes | None:
    return os.fsencode(place.readlink()) if place.is_symlink() else None


def _content(place: Path) -> bytes:
    try:
        return read_found(place)
    except (InputError, OSError):
        return b""
