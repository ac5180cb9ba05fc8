"""The one ProxyConfig of a command line: in a file of its own, or among the manifests.

It finds a ProxyConfig and judges nothing in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from krm_fn import config
from krm_fn.cli._files import read_files
from krm_fn.config import Lookup, ProxyConfig
from krm_fn.errors import InputError, UsageError
from krm_fn.krm.manifests import Manifests
from krm_fn.krm.resourcelist import Object
from krm_fn.patch import Pointer


def config_files(path: str) -> Manifests:
    """What stands in the file of ``--config``."""
    return Manifests(read_files([path]))


def the_config(
    manifests: Manifests, *, path: str = "", objects: Lookup | None = None
) -> ProxyConfig:
    """The one ProxyConfig among ``manifests``, or the functionConfig of a ResourceList among them.

    Args:
        manifests: where it stands.
        path: the file of ``--config`` if that is what they are.
        objects: reads what it refers to; None: that is left out.

    Raises:
        UsageError: there is none, or there are several, or it asks for nothing.
        ConfigError: it is wrong.
    """
    found = [given for index in range(len(manifests)) for given in _configs(manifests, index)]
    meant = "" if found else _misspelt(manifests)
    if len(found) != 1 and path:
        raise UsageError(
            f'"{path}" must hold one ProxyConfig, but it holds {len(found) or "none"}{meant}'
        )
    if len(found) != 1:
        number = f"{len(found)} were" if found else "none was"
        advice = meant or ": name its file with `--config FILE`"
        raise UsageError(f"there must be one ProxyConfig, but {number} found{advice}")
    given = found[0]
    wanted = config.load(
        given.data, objects, repeated=manifests.repeated(given.document, given.path)
    )
    if wanted is None:
        raise UsageError("the functionConfig asks for nothing: it must say which proxy to inject")
    return wanted


class _LocatedConfig(NamedTuple):
    """A FunctionConfig, and where it stands: in which document, and below which path of it."""

    data: Any
    document: int
    path: Pointer


def _configs(manifests: Manifests, index: int) -> Iterator[_LocatedConfig]:
    if config.KIND not in manifests.kinds(index):
        return
    given = manifests.function_config(index)
    if given is not None:
        yield _LocatedConfig(given, index, ("functionConfig",))
        return
    for obj in manifests.objects(index):
        if (obj.ref.api_version, obj.ref.kind) == (config.API_VERSION, config.KIND):
            yield _LocatedConfig(obj.data, index, obj.path)


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
    if not (manifests.contains(index, [group]) or any("proxy" in kind.lower() for kind in kinds)):
        return []
    try:
        return manifests.objects(index)
    except InputError:
        return []
