"""The one ProxyConfig of a command line: in a file of its own, or among the manifests.

The law of this room: it finds a ProxyConfig and judges nothing in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from krm_fn import config
from krm_fn.cli._files import read_files
from krm_fn.config import Lookup, ProxyConfig
from krm_fn.errors import UsageError
from krm_fn.manifests import Manifests


def config_files(path: str) -> Manifests:
    """What stands in the file of ``--config``."""
    return Manifests(read_files([path]))


def the_config(manifests: Manifests, *, path: str = "", objects: Lookup | None = None) -> ProxyConfig:
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
    if len(found) != 1 and path:
        raise UsageError(f'"{path}" must hold one ProxyConfig, but it holds {len(found) or "none"}')
    if len(found) != 1:
        number = f"{len(found)} were" if found else "none was"
        raise UsageError(f"there must be one ProxyConfig, but {number} found: name its file with `--config FILE`")
    wanted = config.load(found[0], objects)
    if wanted is None:
        raise UsageError("the functionConfig asks for nothing: it must say which proxy to inject")
    return wanted


def _configs(manifests: Manifests, index: int) -> Iterator[Any]:
    if config.KIND not in manifests.kinds(index):
        return
    given = manifests.function_config(index)
    if given is not None:
        yield given
        return
    wanted = (config.API_VERSION, config.KIND)
    yield from (obj.data for obj in manifests.objects(index) if (obj.ref.api_version, obj.ref.kind) == wanted)
