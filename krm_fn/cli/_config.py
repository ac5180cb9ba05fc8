"""The one ProxyConfig of a command line: in a file of its own, or among the manifests.

It finds a ProxyConfig and checks nothing in it.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from krm_fn import config
from krm_fn.cli.files import is_folder, read_file
from krm_fn.cli.selection import Selection
from krm_fn.config import Lookup, ProxyConfig
from krm_fn.errors import InputError, UsageError
from krm_fn.krm.manifests import Manifests
from krm_fn.krm.resourcelist import Object, reference
from krm_fn.krm.results import ObjectRef
from krm_fn.patch import Pointer
from krm_fn.plan.sources import Objects

_NAMED = 3
"""How many files of several ProxyConfigs a message names."""


class LocatedConfig(NamedTuple):
    """A FunctionConfig, what it is called and where it is, and the paths in it of keys that are there twice."""

    data: Any
    ref: ObjectRef
    repeated: list[Pointer]


def config_files(path: str) -> Manifests:
    """Return the documents in the file of ``--config``."""
    if is_folder(path):
        raise UsageError(
            f'`--config` must name a file, but "{path}" is a folder: name the file in it that holds the ProxyConfig'
        )
    return Manifests({path: read_file(path)})


def config_among(
    files: Manifests, selection: Selection, path: str
) -> tuple[LocatedConfig, Objects]:
    """Return the one ProxyConfig of a command line, and a reader of the objects that it refers to.

    Args:
        files: the manifests of the command line.
        selection: the files that they are in.
        path: the value of `--config`, which may be one of these files; "" where it is not given.

    Raises:
        UsageError: there is no ProxyConfig, or there are several.
        InputError: the file of `--config` cannot be read.
    """
    others = config_files(path) if path and not selection.holds(path) else None
    found = located_config(others or files, path=path, file=path)
    return found, Objects(files, *([others] if others else []))


def the_config(
    manifests: Manifests, *, path: str = "", objects: Lookup | None = None
) -> ProxyConfig:
    """Return the one ProxyConfig among ``manifests``, or the functionConfig of a ResourceList among them.

    Args:
        manifests: where it is.
        path: the file of ``--config`` if that is what they are.
        objects: reads what it refers to; None: references are not followed.

    Raises:
        UsageError: there is none, or there are several, or it asks for nothing.
        ConfigError: it is wrong.
    """
    return loaded(located_config(manifests, path=path), objects)


def loaded(given: LocatedConfig, objects: Lookup | None) -> ProxyConfig:
    """Return a ProxyConfig that was found; raises as ``the_config``."""
    wanted = config.load(given.data, objects, repeated=given.repeated)
    if wanted is None:
        raise UsageError("the functionConfig asks for nothing: it must say which proxy to inject")
    return wanted


def located_config(manifests: Manifests, *, path: str = "", file: str = "") -> LocatedConfig:
    """Return the one ProxyConfig among ``manifests``, not checked yet.

    Args:
        manifests: where it is.
        path: the file of ``--config`` if it was named.
        file: the name of a file of ``manifests``, if it must be in that one.

    Raises:
        UsageError: there is none, or there are several.
    """
    found = [given for index in range(len(manifests)) for given in _configs(manifests, index)]
    if file:
        found = [given for given in found if _is_same(given.ref.file_path, file)]
    meant = "" if found else _misspelt(manifests)
    if len(found) != 1 and path:
        raise UsageError(
            f'"{path}" must hold one ProxyConfig, but it holds {len(found) or "none"}{meant}'
        )
    if len(found) > 1:
        raise UsageError(
            f"there must be one ProxyConfig, but {len(found)} were found, in {_files_of(found)}: name the file of the "
            "right one with `--config FILE`, or leave out the others with `--exclude`"
        )
    if not found:
        advice = meant or ": name its file with `--config FILE`"
        raise UsageError(f"there must be one ProxyConfig, but none was found{advice}")
    return found[0]


def _files_of(found: Sequence[LocatedConfig]) -> str:
    """Return the names of the files that ProxyConfigs are in, each once, and of many the first ones."""
    names = list(dict.fromkeys(given.ref.file_path for given in found if given.ref.file_path))
    if len(names) > _NAMED:
        return f"{', '.join(names[:_NAMED])} and {len(names) - _NAMED} more files"
    return " and ".join(names) or "one input"


def _is_same(name: str, path: str) -> bool:
    return Path(name).resolve() == Path(path).resolve()


def _configs(manifests: Manifests, index: int) -> Iterator[LocatedConfig]:
    if config.KIND not in manifests.kinds(index):
        return
    given = manifests.function_config_of(index)
    if given is not None:
        ref = reference(given) if isinstance(given, dict) else ObjectRef()
        yield LocatedConfig(given, ref, manifests.repeated(index, ("functionConfig",)))
        return
    for obj in manifests.objects(index):
        if (obj.ref.api_version, obj.ref.kind) == (config.API_VERSION, config.KIND):
            yield LocatedConfig(obj.data, obj.ref, manifests.repeated(index, obj.path))


def _misspelt(manifests: Manifests) -> str:
    """Say what to write where an object is probably a ProxyConfig with a misspelt name; "" where none is."""
    for index in range(len(manifests)):
        for obj in _candidates(manifests, index):
            meant = config.probably_meant(obj.ref.api_version, obj.ref.kind)
            if meant:
                names = " and ".join(f"`{name}`" for name in meant)
                return f": did you mean {names} in {obj.ref.file_path}, document {obj.ref.file_index + 1}?"
    return ""


def _candidates(manifests: Manifests, index: int) -> list[Object]:
    """Return the objects of a document whose text resembles a ProxyConfig; none of one that cannot be read."""
    group = config.API_VERSION.partition("/")[0]
    kinds = manifests.kinds(index)
    if not (manifests.contains(index, (group,)) or any("proxy" in kind.lower() for kind in kinds)):
        return []
    try:
        return manifests.objects(index)
    except InputError:
        return []
