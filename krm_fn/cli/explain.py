"""``inject-proxy explain``: who gets which proxy, why each entry of NO_PROXY is there, and which programs honour it.

It reads what it is given and writes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable

from krm_fn.cli._command_result import CommandResult
from krm_fn.cli._config import config_files, the_config
from krm_fn.cli._files import read_files
from krm_fn.cli._parser import CommandParser
from krm_fn.errors import UsageError
from krm_fn.explain import Section, explain, html, text, to_data
from krm_fn.krm.manifests import Manifests
from krm_fn.plan import plan_edits
from krm_fn.printable import printable_json
from krm_fn.sources import Objects

_OUTPUTS: dict[str, Callable[[Iterable[Section]], str]] = {
    "text": text.render,
    "json": lambda sections: printable_json(
        json.dumps(to_data(sections), indent=2, ensure_ascii=False) + "\n"
    ),
    "html": html.render,
}


def parser() -> CommandParser:
    """Return the parser of this command."""
    made = CommandParser(
        "explain",
        "who gets which proxy, why each entry of NO_PROXY is there, and which programs honour it",
        usage=["[--config FILE] [--output text|json|html] [PATH...]"],
        examples=[
            ("inject-proxy explain .", "explain what a run would write"),
            ("inject-proxy explain --output html . > proxy.html", "the same as a page"),
            ("kustomize build . | inject-proxy explain --config proxy.yaml", "explain a stream"),
        ],
        notes=["exit codes: 0 done; 1 the input is wrong; 2 wrong usage; 3 a bug of this program."],
    )
    made.words(
        "PATH",
        "files and folders of manifests, or a ResourceList; without one, standard input is read",
    )
    made.add_argument(
        "--config",
        metavar="FILE",
        default="",
        help="the ProxyConfig, where it is not among the manifests",
    )
    made.add_argument(
        "--output",
        choices=list(_OUTPUTS),
        default="text",
        help="text (default) for a terminal, json for programs, html for one page that needs nothing else",
    )
    return made.common()


def run(arguments: list[str], read_stdin: Callable[[], bytes]) -> CommandResult:
    """Explain what a run would write.

    Args:
        arguments: those behind ``explain``.
        read_stdin: gives standard input; called only where no path is named.

    Raises:
        UsageError: an unknown option, or no ProxyConfig, or several.
        InputError, ConfigError: the input is wrong.
    """
    given = parser().parse(arguments)
    paths = [word for word in given.words if word != "-"]
    files = read_files(paths) if paths else {"standard input": read_stdin()}
    manifests = Manifests(files)
    if not len(manifests):
        raise UsageError("there is nothing to explain: the input holds no manifest")
    path = given.config
    source = config_files(path) if path else manifests
    wanted = the_config(
        source, path=path, objects=Objects(manifests, source) if path else Objects(manifests)
    )
    render = _OUTPUTS[given.output]
    return CommandResult(render(explain(plan_edits(manifests, wanted))).encode())
