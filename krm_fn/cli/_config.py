"""The one ProxyConfig of a command line: in a file of its own, among the manifests, or above them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from krm_fn import config
from krm_fn.cli._config_above import files_with_config_above
from krm_fn.cli.files import is_folder, read_file
from krm_fn.cli.selection import Selection
from krm_fn.config import Lookup, ProxyConfig
from krm_fn.config.located import LocatedConfig, located_configs
from krm_fn.errors import InputError, UsageError
from krm_fn.krm.manifests import Manifests
from krm_fn.krm.resourcelist import Object
from krm_fn.plan.sources import Objects

_ANOTHER = ": name another file, or let `inject-proxy init` write one"
_NAMED = 3
"""How many files of several ProxyConfigs a message names."""


def named_above(found: LocatedConfig, command: str) -> list[str]:
    """Return a line that names the file of a ProxyConfig, if the command line does not."""
    if not found.above:
        return []
    return [f"inject-proxy {command}: the ProxyConfig is the one in {found.ref.file_path}"]


def config_files(path: str) -> Manifests:
    """Return the documents in the file of ``--config``."""
    if is_folder(path):
        raise UsageError(
            f'`--config` must name a file, but "{path}" is a folder: name the file in it that holds the ProxyConfig'
        )
    return Manifests({path: read_file(path)})


def config_among(
    files: Manifests,
    selection: Selection,
    path: str,
    paths: Sequence[str],
    exclude: Sequence[str],
) -> tuple[LocatedConfig, Objects]:
    """Return the one ProxyConfig of a command line, and a reader of the objects that it refers to.

    Args:
        files: the manifests of the command line.
        selection: the files that they are in.
        path: the value of `--config`, which may be one of these files; "" where it is not given.
        paths: the files and folders of the command line: where they hold no ProxyConfig, the one above them counts.
        exclude: the values of `--exclude`.

    Raises:
        UsageError: there is no ProxyConfig, or there are several.
        InputError: the file of `--config` cannot be read.
    """
    if path and not selection.holds(path):
        others = config_files(path)
        return located_config(others, path=path, file=path), Objects(files, others)
    found = _found(files, path)
    if found or path or _misspelt(files):
        return _the_one(found, files, path), Objects(files)
    above = Manifests(files_with_config_above(paths, exclude))
    one = _the_one(_found(above), above)
    return one._replace(above=tuple(above.files)), Objects(files, above)


def config_above(
    files: Mapping[str, bytes], paths: Sequence[str], exclude: Sequence[str]
) -> LocatedConfig | None:
    """Return the one ProxyConfig above the paths of a command that can do without; None where the files hold one.

    Args:
        files: name -> content of the manifests of the command line.
        paths: as for ``config_among``.
        exclude: as for ``config_among``.

    Raises:
        UsageError: there are several.
    """
    for name, text in files.items():
        if config.KIND.encode() not in text:
            continue
        try:
            if _found(Manifests({name: text})):
                return None
        except InputError:  # the command reports the file
            continue
    above = Manifests(files_with_config_above(paths, exclude))
    found = _found(above)
    return _the_one(found, above)._replace(above=tuple(above.files)) if found else None


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
    return _the_one(_found(manifests, file), manifests, path)


def _found(manifests: Manifests, file: str = "") -> list[LocatedConfig]:
    """Return the ProxyConfigs among ``manifests``; of one file, where it is named."""
    found: list[LocatedConfig] = []
    for index in range(len(manifests)):
        of_document = list(located_configs(manifests, index))
        # What a ResourceList says to its function counts before what is in the list.
        found += [given for given in of_document if given.is_of_list] or of_document
    if file:
        found = [given for given in found if _is_same(given.ref.file_path, file)]
    return found


def _the_one(found: Sequence[LocatedConfig], manifests: Manifests, path: str = "") -> LocatedConfig:
    """Return the one ProxyConfig that was found among ``manifests``; raises UsageError for none and for several."""
    meant = "" if found else _misspelt(manifests)
    if len(found) != 1 and path:
        raise UsageError(
            f'"{path}" must hold one ProxyConfig, but it holds {len(found) or "none"}'
            f"{meant or _ANOTHER if not found else ''}"
        )
    if len(found) > 1:
        raise UsageError(
            f"there must be one ProxyConfig, but {len(found)} were found, in {_files_of(found)}: name the file of the "
            "right one with `--config FILE`, or leave out the others with `--exclude`"
        )
    if not found:
        advice = (
            meant or ": name its file with `--config FILE`, or let `inject-proxy init` write one"
        )
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
