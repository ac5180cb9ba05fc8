"""The one ProxyConfig of a command line: in the file of `--config`, among the manifests, or in a folder above them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from krm_fn import config
from krm_fn.cli.files import common_folder, files_above, read_file
from krm_fn.cli.selection import Selection
from krm_fn.config import ProxyConfig
from krm_fn.config.located import LocatedConfig, located_configs
from krm_fn.errors import InputError, UsageError
from krm_fn.krm.manifests import Manifests
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.plan.sources import Objects


class FoundConfig(NamedTuple):
    """A ProxyConfig, not checked yet, a reader of the objects that it refers to, and the file above the paths."""

    located: LocatedConfig
    objects: Objects
    above: str = ""

    def load(self) -> ProxyConfig:
        """Return the checked ProxyConfig; raises ConfigError if it is wrong."""
        wanted = config.load(self.located.data, self.objects, repeated=self.located.repeated)
        if wanted is None:
            raise UsageError(
                "the functionConfig asks for nothing: it must say which proxy to inject"
            )
        return wanted

    def lines(self) -> list[str]:
        """Return a line that names the file of the ProxyConfig, if the command line does not."""
        return [f"the ProxyConfig is the one in {self.above}"] if self.above else []


def config_of(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return a ProxyConfig as data."""
    head = {"apiVersion": config.API_VERSION, "kind": config.KIND, "metadata": {"name": "proxy"}}
    return {**head, "spec": spec}


def config_of_file(path: str, manifests: Manifests | None = None) -> FoundConfig:
    """Return the ProxyConfig in the file of `--config`, which may refer to objects of the manifests, too."""
    own = Manifests({path: read_file(path)})
    objects = Objects(manifests, own) if manifests is not None else Objects(own)
    return FoundConfig(_the_one(_configs(own), path), objects)


def find_config(
    manifests: Manifests, selection: Selection, path: str, paths: Sequence[str]
) -> FoundConfig:
    """Return the one ProxyConfig of a command line.

    Args:
        manifests: the documents of the command line.
        selection: their files.
        path: the file of `--config`; "" where it is not given.
        paths: the files and folders of the command line.

    Raises:
        UsageError: there is none, or there are several.
    """
    inside = _configs(manifests)
    if path:
        same = [one for one in inside if _is_same(one, path, selection)]
        if not same:
            return config_of_file(path, manifests)
        return FoundConfig(_the_one(same, path), Objects(manifests))
    if inside:
        return FoundConfig(_the_one(inside), Objects(manifests))
    _refuse_misspelt(manifests)
    above = config_above(manifests, paths)
    if above is None:
        raise UsageError(
            "there is no ProxyConfig: name its file with `--config FILE`, or let `inject-proxy init` write one"
        )
    return above


def config_above(manifests: Manifests, paths: Sequence[str]) -> FoundConfig | None:
    """Return the one ProxyConfig in the folder of the paths or above it, up to the root of the git repository."""
    start = common_folder([path for path in paths if path != "-"] or ["."])
    found = [located for file in files_above(start) for located in _configs_of_file(file)]
    if not found:
        return None
    located = _the_one(found)
    file = located.ref.file_path
    return FoundConfig(located, Objects(manifests, Manifests({file: read_file(file)})), file)


def _configs_of_file(file: str) -> list[LocatedConfig]:
    """Return the ProxyConfigs that are objects of a file; none of one that cannot be read."""
    try:
        content = read_file(file)
        configs = _configs(Manifests({file: content})) if config.KIND.encode() in content else []
    except (InputError, UsageError):
        return []
    return [located for located in configs if not located.is_of_list]


def _refuse_misspelt(manifests: Manifests) -> None:
    """Raise UsageError for an object that must be meant to be a ProxyConfig."""
    for index in range(len(manifests)):
        if not any("proxy" in kind.lower() for kind in manifests.kinds(index)):
            continue
        for obj in manifests.objects(index):
            meant = config.probably_meant(obj.ref.api_version, obj.ref.kind)
            if meant:
                names = " and ".join(f"`{name}`" for name in meant)
                raise UsageError(f"{obj.ref.file_path} is no ProxyConfig: it must say {names}")


def _is_same(located: LocatedConfig, path: str, selection: Selection) -> bool:
    return selection.paths.get(located.ref.file_path) == os.path.realpath(path)


def _configs(manifests: Manifests) -> list[LocatedConfig]:
    """Return the ProxyConfigs among manifests; what a ResourceList says to its function counts before its items."""
    found: list[LocatedConfig] = []
    for index in range(len(manifests)):
        of_document = list(located_configs(manifests, index))
        found += [one for one in of_document if one.is_of_list] or of_document
    return found


def _the_one(found: Sequence[LocatedConfig], path: str = "") -> LocatedConfig:
    if len(found) == 1:
        return found[0]
    if path:
        raise UsageError(f'"{path}" must hold one ProxyConfig, but it holds {len(found) or "none"}')
    files = ", ".join(dict.fromkeys(one.ref.file_path for one in found))
    raise UsageError(
        f"there must be one ProxyConfig, but {len(found)} are in {files}: use `--config`"
    )
