"""``inject-proxy export``: a file of another system, filled with the proxy of a ProxyConfig.

It reads a file and gives it back; what is written into it, other packages know. The file itself is
written only where ``--in-place`` asks for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from krm_fn import settings
from krm_fn.cli._command_result import CommandResult
from krm_fn.cli._config import config_files, the_config
from krm_fn.cli._files import read_file
from krm_fn.cli._parser import CommandParser
from krm_fn.cli._writing import write_files
from krm_fn.cli.import_ import FORMS
from krm_fn.config import Mode, ProxyConfig
from krm_fn.errors import InputError, UsageError
from krm_fn.krm.manifests import Manifests
from krm_fn.krm.results import ObjectRef
from krm_fn.settings import Resolved
from krm_fn.sources import Objects
from krm_fn.sources.files import KINDS, filled

_STDIN = "standard input"


def parser() -> CommandParser:
    """Return the parser of this command."""
    made = CommandParser(
        "export",
        "fills a file of another system with the proxy of a ProxyConfig, and leaves the rest as it is",
        usage=["tkg|giantswarm|image-builder [--config FILE] [--in-place] FILE|-"],
        examples=[
            (
                "inject-proxy export giantswarm --config proxy.yaml --in-place secret-values.yaml.patch",
                "write the values of a config repository",
            ),
            (
                "inject-proxy export tkg cluster-config.yaml < proxy.yaml",
                "print a cluster configuration file as it would be",
            ),
        ],
        notes=[
            "tkg: a cluster configuration file of TKG: TKG_HTTP_PROXY_ENABLED, TKG_HTTP_PROXY, TKG_HTTPS_PROXY ...",
            "giantswarm: the secret-values.yaml.patch of a config repository: proxy.http, proxy.https, proxy.noProxy",
            (
                "image-builder: an override file of Konvoy Image Builder: proxy_env, and http_proxy, https_proxy, "
                "no_proxy beside it"
            ),
            "With `mode: Remove` the proxy is taken out.",
            "exit codes: 0 done; 1 the file or the ProxyConfig is wrong; 2 wrong usage; 3 a bug of this program.",
        ],
    )
    made.words("SYSTEM FILE|-", "the system, and the file that is filled; `-` is standard input")
    made.add_argument(
        "--config",
        metavar="FILE",
        default="",
        help="the ProxyConfig, and the objects it refers to; without it, standard input holds them",
    )
    made.add_argument(
        "--in-place",
        action="store_true",
        help="write the file; without it, it is printed as it would be",
    )
    return made.common()


def run(arguments: list[str], read_stdin: Callable[[], bytes]) -> CommandResult:
    """Fill a file.

    Args:
        arguments: those behind ``export``.
        read_stdin: gives standard input, which holds the file or the ProxyConfig.

    Raises:
        UsageError: an unknown system or option, or not one file.
        InputError, ConfigError: the file or the ProxyConfig is wrong.
        OutputError: the file cannot be written.
    """
    given = parser().parse(arguments)
    path, in_place = given.config, given.in_place
    system, file = _words(given.words)
    if file == "-" and (in_place or not path):
        raise UsageError(
            "`-` needs `--config` and must be without `--in-place`: standard input is the file itself"
        )
    manifests = config_files(path) if path else Manifests({_STDIN: read_stdin()})
    wanted = the_config(manifests, path=path, objects=Objects(manifests))
    resolved = _resolved(wanted, system)
    name, content = (_STDIN, read_stdin()) if file == "-" else (file, read_file(file))
    try:
        text, edits = filled(content.decode(), FORMS[system], resolved.settings)
    except UnicodeDecodeError as error:
        raise InputError(f"{name} must be UTF-8, but byte {error.start + 1} is not") from None
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
    notes = (note.about(ObjectRef()) for note in settings.notes(resolved, ()))
    reported = tuple(f"[warning] {name}: {note.text}" for note in notes)
    reported = (*reported, f"inject-proxy export: {'; '.join(edits) or 'nothing to change'}")
    if not in_place:
        return CommandResult(text.encode(), reported)
    write_files({name: text.encode()} if edits else {}, {name: content})
    return CommandResult(b"", reported)


def _words(words: Sequence[str]) -> tuple[str, str]:
    if len(words) != 2 or words[0] not in FORMS:
        raise UsageError(
            f"a system ({', '.join(FORMS)}) and one file must be named: `inject-proxy export --help`"
        )
    return words[0], words[1]


def _resolved(wanted: ProxyConfig, system: str) -> Resolved:
    """The proxy for the file, which belongs to no Cluster of a list."""
    kind = KINDS[FORMS[system]]
    resolved = settings.resolve(wanted, (), target=kind.target, audience=kind.audience)
    if not resolved.declared and wanted.mode is not Mode.REMOVE:
        raise UsageError(
            "the ProxyConfig must say which proxy goes into the file: in `spec`, or in an override whose `match` holds "
            f"nothing but `targets: [{kind.target}]`"
        )
    return resolved
