"""Find the ProxyConfigs that kustomize or kpt does not get: both go on without them, and say little or nothing.

Sources: kustomize 5.8, tried: it runs the program that a file under `transformers` names, in the folder of that
kustomization, and takes a file under `resources` as an object. kpt: `pkg/api/kptfile/v1/types.go`.
"""

from __future__ import annotations

import os
from collections.abc import Container, Iterable
from contextlib import suppress
from shutil import which

from krm_fn.cli.selection import Selection, kustomizations_in, texts_in
from krm_fn.config.located import LocatedConfig
from krm_fn.errors import InputError
from krm_fn.krm.results import Result, Results
from krm_fn.patch import Data, text_at
from krm_fn.yamledit import read

_ANNOTATION = ("metadata", "annotations", "config.kubernetes.io/function")
_OBJECT = "`resources` of FILE takes it as an object, which runs nothing: name it under `transformers` instead"
_NOT_NAMED = (
    "FILE does not name it, so that it does not run there: name it under `transformers`, or in `configPath` of a "
    "Kptfile, or remove the annotation, if `inject-proxy run` alone reads it"
)
_NO_PROGRAM = (
    "FILE names it, and nothing says which program to run: add the annotation "
    '`config.kubernetes.io/function: "exec: {path: inject-proxy}"`'
)
_WRONG_PROGRAM = (
    "`exec.path`, seen from the folder of FILE, is no file that may be executed: correct it, or write `inject-proxy`, "
    "which is looked up on `PATH`"
)


def not_handed_over(located: Iterable[LocatedConfig], selection: Selection) -> Results:
    """Yield a warning for each ProxyConfig that kustomize or kpt does not get, with the line that is missing.

    Args:
        located: the ProxyConfigs among the files.
        selection: the files; a stream has none.
    """
    packages = {}
    functions: set[str] = set()
    for folder in set(map(os.path.dirname, selection.paths.values())):
        packages[folder] = dict(kustomizations_in(folder, also=("Kptfile",)))
        for data in packages[folder].values():
            functions.update(map(os.path.basename, _names(data, "transformers")))
    for config in located:
        path = selection.paths.get(config.file, "")
        for file, data in packages.get(os.path.dirname(path), {}).items():
            fault = _fault_of(config, path, data, functions)
            if fault:
                result = Result("ConfigIgnored", fault.replace("FILE", os.path.relpath(file)))
                yield config.placed(result.about(config.ref))


def _fault_of(config: LocatedConfig, path: str, package: Data, functions: Container[str]) -> str:
    """Return why the kustomization or Kptfile beside a ProxyConfig does not run it; "" where it does, or need not.

    ``functions`` are the names of files and folders that some kustomization takes as functions.
    """
    folder, name = os.path.split(path)
    annotation = text_at(config.data, _ANNOTATION)
    objects = _names(package, "resources")
    if name in objects:
        # A folder of one ProxyConfig is made for another kustomization.
        is_function = len(objects) == 1 or os.path.basename(folder) in functions
        return "" if is_function else _OBJECT
    if name not in _names(package, "transformers"):
        is_named = name in functions or name in _names(package, "pipeline")
        is_meant = "inject-proxy" in str(package.get("pipeline", annotation))
        return _NOT_NAMED if is_meant and not is_named else ""
    if not annotation:
        return _NO_PROGRAM
    with suppress(InputError):
        command = text_at(read(annotation), ("exec", "path"))
        if os.sep in command and not which(os.path.join(folder, command)):
            return _WRONG_PROGRAM
    return ""


def _names(package: Data, field: str) -> list[str]:
    """Return the texts in a field, such as the names of files."""
    return [*map(os.path.normpath, texts_in(package.get(field)))]
