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

_FUNCTIONS = ("transformers", "generators")
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
    packages: dict[str, Data] = {}
    for folder in set(map(os.path.dirname, selection.paths.values())):
        packages.update(kustomizations_in(folder, also=("Kptfile",)))
    functions: set[str] = set()
    for file, package in packages.items():
        functions.update(_paths(file, package, *_FUNCTIONS, "pipeline"))
    for config in located:
        path = selection.paths.get(config.file, "")
        for file, package in packages.items():
            fault = _fault_of(config, path, file, package, functions)
            if fault:
                message = fault.replace("FILE", os.path.relpath(file))
                yield config.placed(Result("ConfigIgnored", message, ref=config.ref))


def _fault_of(
    config: LocatedConfig, path: str, file: str, package: Data, functions: Container[str]
) -> str:
    """Return why a kustomization or Kptfile does not run a ProxyConfig; "" where it does, or need not.

    ``functions`` are the paths of files and folders that some kustomization or Kptfile takes as functions.
    """
    folder = os.path.dirname(file)
    annotation = text_at(config.data, _ANNOTATION)
    objects = _paths(file, package, "resources")
    if path in objects:
        # A folder of one ProxyConfig is made for another kustomization.
        return "" if len(objects) == 1 or folder in functions else _OBJECT
    if path not in _paths(file, package, *_FUNCTIONS):
        is_meant = "inject-proxy" in str(package.get("pipeline", annotation))
        is_beside = os.path.dirname(path) == folder
        return _NOT_NAMED if is_meant and is_beside and path not in functions else ""
    if not annotation:
        return _NO_PROGRAM
    with suppress(InputError):
        command = text_at(read(annotation), ("exec", "path"))
        if os.sep in command and not which(os.path.join(folder, command)):
            return _WRONG_PROGRAM
    return ""


def _paths(file: str, package: Data, *fields: str) -> list[str]:
    """Return the paths of what some fields of a kustomization or Kptfile name."""
    folder = os.path.dirname(file)
    names = [name for field in fields for name in texts_in(package.get(field))]
    return [os.path.normpath(os.path.join(folder, name)) for name in names]
