"""``inject-proxy import``: a ProxyConfig made of the values of another system.

What it prints is a ProxyConfig that loads without an error, or nothing is printed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import takewhile

from krm_fn import config, noproxy
from krm_fn.cli import _konvoy
from krm_fn.cli.command_result import CommandResult
from krm_fn.cli.files import read_file
from krm_fn.cli.parser import CommandParser
from krm_fn.config import ForeignValue
from krm_fn.errors import ConfigError, InputError, UsageError
from krm_fn.light_typing import Any
from krm_fn.plan.sources import formats
from krm_fn.yamledit.render import block_text

FORMS = {
    "tkg": formats.TKG,
    "giantswarm": formats.GIANT_SWARM,
    "image-builder": formats.IMAGE_BUILDER,
    "openshift": formats.OPENSHIFT,
}
"""Name on the command line -> form of the file."""
KONVOY = "konvoy"
"""The system that has a command line in the place of a file."""

_VERBOSE = frozenset({"-v", "--verbose"})
_LISTS = ("noProxy", "podCIDRs", "serviceCIDRs")


def parser() -> CommandParser:
    """Return the parser of this command."""
    command = CommandParser(
        "import",
        usage=[
            "tkg FILE|-",
            "giantswarm FILE|-",
            "image-builder FILE|-",
            "openshift FILE|-",
            "konvoy -- <flags of `konvoy create cluster`>",
        ],
        examples=[
            (
                "inject-proxy import tkg cluster-config.yaml > proxy.yaml",
                "say what a file of TKG says",
            ),
            (
                (
                    "inject-proxy import konvoy -- --control-plane-http-proxy=http://proxy:3128 "
                    "--worker-http-proxy=http://other:3128"
                ),
                "say what a command line says",
            ),
        ],
        notes=[
            "tkg: a cluster configuration file of TKG: TKG_HTTP_PROXY, TKG_HTTPS_PROXY, TKG_NO_PROXY ...",
            "giantswarm: the secret-values.yaml.patch of a config repository: proxy.http, proxy.https, proxy.noProxy",
            "image-builder: an override file of Konvoy Image Builder: proxy_env, http_proxy, https_proxy, no_proxy",
            "openshift: install-config.yaml: proxy.httpProxy, proxy.httpsProxy, proxy.noProxy; additionalTrustBundle",
            (
                "konvoy: --control-plane-http-proxy, --worker-no-proxy and the like, --registry-mirror-url, "
                "--cluster-name, --apiserver-host, --os-hint; of `dkp` and `nkp` as well. Other flags are named in a "
                "warning."
            ),
            "What is printed may hold a password, if the values do.",
            "exit codes: 0 done; 1 the values are wrong; 2 wrong usage; 3 a bug of this program.",
        ],
    )
    command.words("SYSTEM FILE|-", "the system, and its file; `-` is standard input")
    return command.common()


def run(arguments: list[str], read_stdin: Callable[[], bytes]) -> CommandResult:
    """Print a ProxyConfig.

    Args:
        arguments: those behind ``import``.
        read_stdin: gives standard input; called only for ``-``.

    Raises:
        UsageError: an unknown system, not one file, or a flag of Konvoy that does not exist.
        InputError: the file cannot be read.
        ConfigError: its values are wrong.
    """
    leading = list(takewhile(_VERBOSE.__contains__, arguments))
    system, *rest = arguments[len(leading) :] or [""]
    if system == KONVOY:
        flags = rest[1:] if rest[:1] == ["--"] else rest
        spec, reported = _konvoy.spec(flags, lambda path: _text(path, read_stdin))
        return CommandResult(
            _printed(spec, "the flags of `konvoy create cluster`"), tuple(reported)
        )
    words = parser().parse(rest).words
    if system not in FORMS:
        raise UsageError(
            f"the system must be {', '.join(FORMS)} or konvoy: `inject-proxy import --help` shows how"
        )
    if len(words) != 1:
        raise UsageError(
            f"`inject-proxy import {system}` must be followed by one file, or by `-` for standard input"
        )
    text = _text(words[0], read_stdin)
    try:
        found = formats.read(text, FORMS[system])
    except ConfigError as error:
        raise ConfigError([f"the file {problem}" for problem in error.problems]) from None
    spec = _spec(found)
    try:
        printed = _printed(spec, f"a file of {system}")
    except ConfigError as error:
        raise ConfigError(
            [_in_words_of_the_file(problem, found) for problem in error.problems]
        ) from None
    return CommandResult(
        printed, tuple(_warnings_about(text)) if system == "tkg" and "mode" not in spec else ()
    )


def _text(path: str, read_stdin: Callable[[], bytes]) -> str:
    content = read_stdin() if path == "-" else read_file(path)
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise InputError(f"the file must be UTF-8, but byte {error.start + 1} is not") from None


def _in_words_of_the_file(problem: str, found: Mapping[tuple[str, ...], ForeignValue]) -> str:
    """Return a problem in the words of the file that was read: with its name for the field.

    A problem of the whole ``spec`` means that the file has no proxy.
    """
    where, _, text = problem.partition(": ")
    if where == "spec":
        return "the file must name a proxy for HTTP or HTTPS, not only what belongs to it"
    fields = {".".join(("spec", *path)): given.place for path, given in found.items()}
    place = fields.get(where.partition("[")[0])
    return f"the file: {place} {text}" if place else problem


def _warnings_about(text: str) -> list[str]:
    names = ", ".join(f"`{name}`" for name in formats.left_out(text))
    remedy = "TKG adds to its list what that stands for, so write it into `spec.noProxy`"
    return (
        [f"[warning] not taken over, because no field of a ProxyConfig says it: {names}; {remedy}"]
        if names
        else []
    )


def _spec(found: Mapping[tuple[str, ...], ForeignValue]) -> dict[str, Any]:
    spec: dict[str, Any] = {}
    for path, given in found.items():
        node = spec
        for step in path[:-1]:
            node = node.setdefault(step, {})
        is_list = path[-1] in _LISTS and isinstance(given.value, str)
        node[path[-1]] = list(noproxy.parse(given.value)) if is_list else given.value
    if all(spec.get(name) == "" for name in ("httpProxy", "httpsProxy")):
        return {"mode": config.Mode.REMOVE.value}  # the system says that there is no proxy
    return {name: value for name, value in spec.items() if value not in ("", [])}


def _printed(spec: Mapping[str, Any], origin: str) -> bytes:
    document = {
        "apiVersion": config.API_VERSION,
        "kind": config.KIND,
        "metadata": {"name": "proxy"},
        "spec": spec,
    }
    config.load(document)
    return f"# made by `inject-proxy import` of {origin}\n{block_text(document)}".encode()
