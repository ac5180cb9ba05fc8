"""The ProxyConfig of a command line: in the file of `--config`, among the manifests, or in a folder above them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress

from krm_fn import config
from krm_fn.cli.selection import Selection
from krm_fn.cli.streams import read_file
from krm_fn.config.located import LocatedConfig, located_configs, misspelt
from krm_fn.errors import InputError, UsageError
from krm_fn.formats import left_alone
from krm_fn.krm.manifests import Manifests
from krm_fn.light_typing import Fields
from krm_fn.patch import Data
from krm_fn.plan.sources import Objects


def config_of(spec: Data) -> Fields:
    """Return a ProxyConfig as data."""
    return {
        "apiVersion": config.API_VERSION,
        "kind": config.KIND,
        "metadata": {"name": "proxy"},
        "spec": spec,
    }


def config_of_file(path: str, *more: Manifests) -> LocatedConfig:
    """Return the ProxyConfig in the file of `--config`, which may refer to objects of other manifests, too."""
    own = Manifests({path: read_file(path)}, {path: path})
    configs = _configs(own, *more)
    if not configs:
        raise _without_config(own, path)
    return _only(configs)


def find_config(
    manifests: Manifests, selection: Selection, path: str | None = None
) -> LocatedConfig:
    """Return the only ProxyConfig of a command line.

    Args:
        manifests: the documents of the command line.
        selection: their files.
        path: the file of `--config`; None where it is not given.

    Raises:
        UsageError: there is none, or there are several.
    """
    configs = _configs(manifests)
    if path:
        real_path = os.path.realpath(path)
        named = [
            candidate for candidate in configs if selection.paths.get(candidate.file) == real_path
        ]
        if named:
            return _only(named)
        return config_of_file(path, manifests)
    if not configs:
        _refuse_misspelt(manifests)
    if not configs or not (selection.is_stream or configs[0].is_of_list):
        configs += _configs_above(manifests, selection)
    if not configs:
        names = [*selection.paths, *selection.above()]
        names = [name for name in names if os.path.basename(name) == "proxy.yaml"]
        if names:  # an empty one is the one that is meant
            name = min(names, key=os.path.getsize)
            raise _without_config(Manifests({name: read_file(name)}), name)
        raise UsageError(
            "there is no ProxyConfig (hidden files, and what `.gitignore` names, are not read): name its file with "
            "`--config FILE`, or let `inject-proxy init` write one"
        )
    return _only(configs)


def config_above(manifests: Manifests, selection: Selection) -> LocatedConfig | None:
    """Return the only ProxyConfig in the folder of the paths or above it, or None."""
    configs = _configs_above(manifests, selection)
    return _only(configs) if configs else None


def _configs_above(manifests: Manifests, selection: Selection) -> list[LocatedConfig]:
    """Return the ProxyConfigs of other files in the folder of the paths, and above it in the git repository.

    A file that cannot be read holds none, and the ``functionConfig`` of a ResourceList is none.
    """
    configs = []
    known = manifests.paths.values()
    for file in selection.above():
        if os.path.realpath(file) in known:
            continue
        with suppress(InputError, UsageError):
            content = read_file(file)
            if config.KIND.encode() in content:
                configs += _configs(Manifests({file: content}, {file: file}), manifests)
    return [candidate._replace(is_above=True) for candidate in configs if not candidate.is_of_list]


def _configs(manifests: Manifests, *more: Manifests) -> list[LocatedConfig]:
    """Return the ProxyConfigs among manifests; the ``functionConfig`` of a ResourceList counts before its items."""
    objects = Objects(manifests, *more)
    configs = []
    for index in manifests.holding((config.KIND, "ResourceList")):
        of_document = list(located_configs(manifests, index, objects))
        of_list = [located for located in of_document if located.is_of_list]
        configs += of_list or of_document
    return configs


def _only(configs: Sequence[LocatedConfig]) -> LocatedConfig:
    if len(configs) == 1:
        only = configs[0]
        if left_alone.has_code(only.manifests.files.get(only.file, "")):
            raise UsageError(f"{only.file} holds code of ytt: name the file that ytt makes of it")
        return only
    files = ", ".join(dict.fromkeys(candidate.file for candidate in configs))
    raise UsageError(
        f"there must be one ProxyConfig, but {len(configs)} are in {files}: name its file with `--config`; "
        "a file must hold only one"
    )


def _without_config(manifests: Manifests, file: str) -> UsageError:
    """Return the error about a file that holds no ProxyConfig; raises another one about its text, or its kind."""
    for index in range(len(manifests)):
        list(manifests.objects(index))
    _refuse_misspelt(manifests)
    return UsageError(
        f"{file} holds no ProxyConfig, which begins with `apiVersion: {config.API_VERSION}` and "
        f"`kind: {config.KIND}` and is no template: `inject-proxy init --print` shows one"
    )


def _refuse_misspelt(manifests: Manifests) -> None:
    """Raise UsageError for an object that must be meant to be a ProxyConfig."""
    for ref, meant in misspelt(manifests):
        raise UsageError(f"{ref.file_path} is no ProxyConfig: it must say `{meant}`")
