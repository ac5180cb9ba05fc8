"""Find the FunctionConfigs among manifests: ProxyConfigs, and the ``functionConfig`` of a ResourceList.

It finds them and checks nothing in them.
"""

from __future__ import annotations

from collections.abc import Iterator

from krm_fn.config import API_VERSION, KIND, probably_meant
from krm_fn.errors import ConfigError
from krm_fn.krm.manifests import Manifests
from krm_fn.krm.results import ObjectRef, Result
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.patch import Pointer


class LocatedConfig(NamedTuple):
    """A FunctionConfig, its name and its place.

    Attributes:
        data: the plain data, of any type.
        ref: which object it is.
        manifests: the documents among which it is.
        path: where it is in its document.
    """

    data: Any
    ref: ObjectRef
    manifests: Manifests
    path: Pointer

    @property
    def is_of_list(self) -> bool:
        """Whether it is the `functionConfig` of a ResourceList, and no object."""
        return self.path == ("functionConfig",)

    def placed(self, result: Result) -> Result:
        """Return a result with its line and column, if it is about this FunctionConfig."""
        if result.ref != self.ref:
            return result
        return self.manifests.placed(result, self.path)

    def results(self, error: ConfigError) -> Iterator[Result]:
        """Yield a result for each of its problems."""
        for problem in error.problems:
            result = Result.of(error.code, problem.text, problem.path)
            yield self.placed(result.about(self.ref))


def located_configs(manifests: Manifests, index: int) -> Iterator[LocatedConfig]:
    """Yield the ProxyConfigs of a document, then the `functionConfig` of a ResourceList, of whatever kind it is.

    Raises:
        DocumentError: the document cannot be read.
    """
    if manifests.contains(index, (KIND,)):
        for obj in manifests.objects(index):
            if obj.ref.api_version == API_VERSION and obj.ref.kind == KIND:
                yield LocatedConfig(obj.data, obj.ref, manifests, obj.path)
    given = manifests.function_config_of(index)
    if given is not None:
        yield LocatedConfig(given.data, given.ref, manifests, given.path)


def misspelt(manifests: Manifests) -> Iterator[tuple[ObjectRef, str]]:
    """Yield each object that is probably meant to be a ProxyConfig, and the line that would make it one."""
    for index in manifests.holding((API_VERSION, KIND)):
        for obj in manifests.objects(index):
            for meant in probably_meant(obj.ref.api_version, obj.ref.kind)[:1]:
                field = "kind" if meant == KIND else "apiVersion"
                yield obj.ref, f"{field}: {meant}"
