"""Find the FunctionConfigs among manifests: ProxyConfigs, and the ``functionConfig`` of a ResourceList.

It finds them and checks nothing in them.
"""

from __future__ import annotations

from collections.abc import Iterator

from krm_fn.config import API_VERSION, KIND, Lookup, ProxyConfig, load, probably_meant
from krm_fn.errors import ConfigError
from krm_fn.krm.manifests import Manifests
from krm_fn.krm.results import ObjectRef, Result, Results
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.patch import Pointer


class LocatedConfig(NamedTuple):
    """A FunctionConfig, not checked yet, its name and its place.

    Attributes:
        data: the plain data, of any type.
        ref: which object it is.
        manifests: the documents among which it is.
        path: where it is in its document.
        objects: reads the objects that it refers to; None: these are left out.
        is_above: its file is none of the command line.
    """

    data: Any
    ref: ObjectRef
    manifests: Manifests
    path: Pointer
    objects: Lookup | None = None
    is_above: bool = False

    @property
    def file(self) -> str:
        """The name of its file."""
        return self.ref.file_path

    def load(self) -> ProxyConfig:
        """Return the checked ProxyConfig, which may ask for nothing; raises ConfigError if it is wrong."""
        try:
            return load(self.data, self.objects) or ProxyConfig()
        except ConfigError as error:
            error.lines = [result.line_with_file() for result in self.results(error)]
            raise

    def lines(self) -> list[str]:
        """Return a line that names the file of the ProxyConfig, if the command line does not."""
        if not self.is_above:
            return []
        return [f"the ProxyConfig is the one in {self.file}"]

    @property
    def is_of_list(self) -> bool:
        """Whether it is the `functionConfig` of a ResourceList, and no object."""
        return self.path == ("functionConfig",)

    def placed(self, result: Result) -> Result:
        """Return a result with its line and column, if it is about this FunctionConfig."""
        if result.ref != self.ref:
            return result
        return self.manifests.placed(result, self.path)

    def results(self, error: ConfigError) -> Results:
        """Yield a result for each of its problems."""
        for problem in error.problems:
            yield self.placed(Result(error.code, problem.text, problem.path, ref=self.ref))


def located_configs(
    manifests: Manifests, index: int, objects: Lookup | None = None
) -> Iterator[LocatedConfig]:
    """Yield the ProxyConfigs of a document, then the `functionConfig` of a ResourceList, of whatever kind it is.

    ``objects`` reads the objects that they refer to.

    Raises:
        DocumentError: the document cannot be read.
    """
    if manifests.contains(index, (KIND,)):
        for obj in manifests.objects(index):
            if obj.ref.api_version == API_VERSION and obj.ref.kind == KIND:
                yield LocatedConfig(obj.data, obj.ref, manifests, obj.path, objects)
    given = manifests.function_config_of(index)
    if given is not None:
        yield LocatedConfig(given.data, given.ref, manifests, given.path, objects)


def misspelt(manifests: Manifests) -> Iterator[tuple[ObjectRef, str]]:
    """Yield each object that is probably meant to be a ProxyConfig, and the line that would make it one."""
    for index in manifests.holding((API_VERSION, KIND)):
        for obj in manifests.objects(index):
            for meant in probably_meant(obj.ref.api_version, obj.ref.kind)[:1]:
                field = "kind" if meant == KIND else "apiVersion"
                yield obj.ref, f"{field}: {meant}"
