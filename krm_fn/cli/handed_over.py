"""Find the ProxyConfigs that kustomize or kpt does not get: both go on without them, and say little or nothing.

Sources: kustomize 5.8, tried: it runs the program that a file under `transformers` names, in the folder of that
kustomization, and takes a file under `resources` as an object. kpt: `pkg/api/kptfile/v1/types.go`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress

from krm_fn.cli.selection import Selection, kustomizations_in, texts_in
from krm_fn.config.located import LocatedConfig
from krm_fn.errors import InputError
from krm_fn.krm.results import Result, Results
from krm_fn.patch import Data, text_at
from krm_fn.yamledit import read

_FUNCTIONS = ("transformers", "generators", "pipeline")
_OBJECTS = ("resources",)
_ANNOTATION = ("metadata", "annotations", "config.kubernetes.io/function")
_NAME = "inject-proxy"
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
    paths = selection.paths
    configs = {paths[config.file]: config for config in located if config.file in paths}
    packages: dict[str, Data] = {}
    for folder in set(map(os.path.dirname, paths.values() if configs else ())):
        packages.update(kustomizations_in(folder, also=("Kptfile",)))
    functions = set().union(*(_paths(file, packages[file], _FUNCTIONS) for file in packages))
    named = functions.union(*(_paths(file, packages[file], _OBJECTS) for file in packages))
    for file, data in packages.items():
        folder = os.path.dirname(file)
        taken = _paths(file, data, _OBJECTS)
        # One of ProxyConfigs alone, or that is a function, holds what a kustomization elsewhere takes.
        is_function = folder in functions or taken.issubset(configs)
        for path, config in configs.items():
            annotation = text_at(config.data, _ANNOTATION)
            runs = str(data.get("pipeline", annotation))
            message = ""
            if path in taken and not is_function:
                message = _OBJECT
            elif path in _paths(file, data, ["transformers"]):
                message = _fault_of(annotation, folder)
            elif os.path.dirname(path) == folder and path not in named and _NAME in runs:
                message = _NOT_NAMED
            if message:
                text = message.replace("FILE", os.path.relpath(file))
                result = Result.of("ConfigIgnored", text)
                yield config.placed(result.about(config.ref))


def _paths(file: str, package: Data, fields: Iterable[str]) -> set[str]:
    """Return the absolute paths in fields of a kustomization or a Kptfile, among other texts."""
    folder = os.path.dirname(file)
    texts = texts_in([package.get(field) for field in fields])
    return {os.path.normpath(os.path.join(folder, text)) for text in texts}


def _fault_of(annotation: str, folder: str) -> str:
    """Return what keeps kustomize in a folder from running the program of an annotation; "" for nothing."""
    if not annotation:
        return _NO_PROGRAM
    with suppress(InputError):
        command = text_at(read(annotation), ("exec", "path"))
        program = os.path.join(folder, command)
        if os.sep in command and not (os.path.isfile(program) and os.access(program, os.X_OK)):
            return _WRONG_PROGRAM
    return ""
