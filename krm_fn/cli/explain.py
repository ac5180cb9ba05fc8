"""``inject-proxy explain``: who gets which proxy, why each entry of NO_PROXY is there, and which programs honour it.

It reads what it is given and writes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable

from krm_fn.cli._arguments import parse_arguments
from krm_fn.cli._command_result import CommandResult
from krm_fn.cli._config import config_files, the_config
from krm_fn.cli._files import read_files
from krm_fn.errors import UsageError
from krm_fn.explain import Section, explain, html, text, to_data
from krm_fn.krm.manifests import Manifests
from krm_fn.plan import plan_edits
from krm_fn.printable import printable_json
from krm_fn.sources import Objects

USAGE = """\
inject-proxy explain: who gets which proxy, why each entry of NO_PROXY is there, and which programs honour it.

usage: inject-proxy explain [--config FILE] [--output text|json|html] [PATH ...]

  PATH              files and folders of manifests, or a ResourceList; without one, standard input is read
      --config      the ProxyConfig, where it is not among the manifests
      --output      text (default) for a terminal, json for programs, html for one page that needs nothing else
"""
_OUTPUTS: dict[str, Callable[[Iterable[Section]], str]] = {
    "text": text.render,
    "json": lambda sections: printable_json(
        json.dumps(to_data(sections), indent=2, ensure_ascii=False) + "\n"
    ),
    "html": html.render,
}
_OPTIONS = {"--config": (), "--output": tuple(_OUTPUTS)}


def run(arguments: list[str], read_stdin: Callable[[], bytes]) -> CommandResult:
    """Explain what a run would write.

    Args:
        arguments: those behind ``explain``.
        read_stdin: gives standard input; called only where no path is named.

    Raises:
        UsageError: an unknown option, or no ProxyConfig, or several.
        InputError, ConfigError: the input is wrong.
    """
    given = parse_arguments("explain", arguments, _OPTIONS)
    paths = [word for word in given.words if word != "-"]
    files = read_files(paths) if paths else {"standard input": read_stdin()}
    manifests = Manifests(files)
    if not len(manifests):
        raise UsageError("there is nothing to explain: the input holds no manifest")
    path = given.options.get("--config", "")
    source = config_files(path) if path else manifests
    wanted = the_config(
        source, path=path, objects=Objects(manifests, source) if path else Objects(manifests)
    )
    render = _OUTPUTS[given.options.get("--output", "text")]
    return CommandResult(render(explain(plan_edits(manifests, wanted))).encode())
