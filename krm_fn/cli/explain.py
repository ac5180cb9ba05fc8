"""``inject-proxy explain``: who gets which proxy, why each entry of NO_PROXY is there, and which programs honour it.

The law of this room: it reads what it is given and writes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from krm_fn import config
from krm_fn.cli._answer import Answer
from krm_fn.cli._files import read_files
from krm_fn.config import ProxyConfig
from krm_fn.errors import UsageError
from krm_fn.explain import Section, explain, html, text, to_data
from krm_fn.manifests import Manifests
from krm_fn.survey import survey

USAGE = """\
inject-proxy explain: who gets which proxy, why each entry of NO_PROXY is there, and which programs honour it.

usage: inject-proxy explain [--config FILE] [--output text|json|html] [PATH ...]

  PATH              files and folders of manifests, or a ResourceList; without one, standard input is read
      --config      the ProxyConfig, where it is not among the manifests
      --output      text (default) for a terminal, json for programs, html for one page that needs nothing else
"""
_OUTPUTS: dict[str, Callable[[Iterable[Section]], str]] = {
    "text": text.render,
    "json": lambda sections: json.dumps(to_data(sections), indent=2, ensure_ascii=False) + "\n",
    "html": html.render,
}
_OPTIONS = ("--config", "--output")


def run(arguments: list[str], read_stdin: Callable[[], bytes]) -> Answer:
    """Explain what a run would write.

    Args:
        arguments: those behind ``explain``.
        read_stdin: gives standard input; called only where no path is named.

    Raises:
        UsageError: an unknown option, or no ProxyConfig, or several.
        InputError, ConfigError: the input is wrong.
    """
    options, paths = _taken_apart(arguments)
    render = _OUTPUTS.get(options.get("--output", "text"))
    if render is None:
        raise UsageError(f'`--output` must be one of {", ".join(_OUTPUTS)}, not "{options["--output"]}"')
    files = read_files(paths) if paths else {"standard input": read_stdin()}
    manifests = Manifests(files)
    if not len(manifests):
        raise UsageError("there is nothing to explain: the input holds no manifest")
    wanted = _config(options.get("--config"), manifests)
    return Answer(render(explain(survey(manifests, wanted))).encode())


def _taken_apart(arguments: list[str]) -> tuple[dict[str, str], list[str]]:
    options: dict[str, str] = {}
    paths: list[str] = []
    rest = iter(arguments)
    for argument in rest:
        name, equals, value = argument.partition("=")
        if name in _OPTIONS:
            options[name] = value if equals else next(rest, "")
            if not options[name]:
                raise UsageError(f"`{name}` must be followed by a value")
        elif argument.startswith("-") and argument != "-":
            raise UsageError(f'unknown option "{name}": `inject-proxy explain --help` lists what there is')
        elif argument != "-":
            paths.append(argument)
    return options, paths


def _config(path: str | None, manifests: Manifests) -> ProxyConfig:
    """The ProxyConfig of the file ``path``, else the one among the manifests."""
    source = Manifests(read_files([path])) if path else manifests
    found = [given for index in range(len(source)) for given in _configs(source, index)]
    if len(found) != 1:
        number = f"{len(found)} were" if found else "none was"
        raise UsageError(f"there must be one ProxyConfig, but {number} found: name its file with `--config FILE`")
    wanted = config.load(found[0])
    if wanted is None:
        raise UsageError("the functionConfig asks for nothing: it must say which proxy to inject")
    return wanted


def _configs(source: Manifests, index: int) -> Iterable[Any]:
    if config.KIND not in source.kinds(index):
        return []
    given = source.function_config(index)
    if given is not None:
        return [given]
    wanted = (config.API_VERSION, config.KIND)
    return [obj.data for obj in source.objects(index) if (obj.ref.api_version, obj.ref.kind) == wanted]
