"""The FunctionConfigs among manifests: ProxyConfigs, and what a ResourceList says to its function.

It finds them and checks nothing in them.
"""

from __future__ import annotations

from collections.abc import Iterator

from krm_fn.config import API_VERSION, KIND, probably_meant
from krm_fn.krm.manifests import Manifests
from krm_fn.krm.results import ObjectRef
from krm_fn.light_typing import Any, NamedTuple


class LocatedConfig(NamedTuple):
    """A FunctionConfig, what it is called and where it is."""

    data: Any
    ref: ObjectRef
    is_of_list: bool = False
    """Whether it is the `functionConfig` of a ResourceList, and no object."""


def located_configs(manifests: Manifests, index: int) -> Iterator[LocatedConfig]:
    """Yield the ProxyConfigs of a document, then the `functionConfig` of a ResourceList, of whatever kind it is.

    Raises:
        DocumentError: the document cannot be read.
    """
    if KIND in manifests.kinds(index):
        for obj in manifests.objects(index):
            if obj.ref.api_version == API_VERSION and obj.ref.kind == KIND:
                yield LocatedConfig(obj.data, obj.ref)
    given = manifests.function_config_of(index)
    if given is not None:
        yield LocatedConfig(given.data, given.ref, is_of_list=True)


def misspelt(manifests: Manifests) -> Iterator[tuple[ObjectRef, str]]:
    """Yield each object that is probably meant to be a ProxyConfig, and what it must say for that."""
    for index in manifests.holding((API_VERSION, KIND)):
        for obj in manifests.objects(index):
            for meant in probably_meant(obj.ref.api_version, obj.ref.kind)[:1]:
                yield obj.ref, meant
