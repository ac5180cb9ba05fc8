"""``inject-proxy export``: the proxy of a ProxyConfig in the form of another system: a file, or a command line.

The package ``sources`` knows what a file gets. The file itself is written, or created, only with ``--in-place``.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from krm_fn import settings
from krm_fn.cli import _konvoy
from krm_fn.cli._config import config_files, the_config
from krm_fn.cli.command_result import CommandResult
from krm_fn.cli.files import exists, read_file, refuse_closed
from krm_fn.cli.import_ import FORMS, KONVOY
from krm_fn.cli.parser import CommandParser
from krm_fn.cli.writing import write_files
from krm_fn.clusters import Cluster, Membership, Role
from krm_fn.config import Mode, ProxyConfig
from krm_fn.errors import InputError, UsageError
from krm_fn.krm.manifests import Manifests
from krm_fn.krm.results import ObjectRef
from krm_fn.near_names import did_you_mean
from krm_fn.plan.sources import Objects
from krm_fn.plan.sources.files import filled, kind_of
from krm_fn.settings import Resolved

_STDIN = "standard input"


def parser() -> CommandParser:
    """Return the parser of this command."""
    command = CommandParser(
        "export",
        usage=[
            "tkg|giantswarm|image-builder|openshift [--config FILE] [OPTIONS] [--in-place] FILE|-",
            "konvoy [--config FILE] [OPTIONS]",
        ],
        examples=[
            (
                "inject-proxy export giantswarm --config proxy.yaml --in-place secret-values.yaml.patch",
                "write the values of a config repository, in a new file or in the one that is there",
            ),
            (
                "inject-proxy export tkg --cluster prod/west cluster-config.yaml < proxy.yaml",
                "print a cluster configuration file of TKG as it would be for one Cluster",
            ),
            (
                "inject-proxy export konvoy --config proxy.yaml --cluster west --labels region=west",
                "print the command line that creates a cluster of Konvoy with this proxy",
            ),
        ],
        notes=[
            "tkg: a cluster configuration file of TKG: TKG_HTTP_PROXY_ENABLED, TKG_HTTP_PROXY, TKG_HTTPS_PROXY ...",
            "giantswarm: the secret-values.yaml.patch of a config repository: proxy.http, proxy.https, proxy.noProxy",
            (
                "image-builder: an override file of Konvoy Image Builder: proxy_env, and http_proxy, https_proxy, "
                "no_proxy beside it"
            ),
            "openshift: install-config.yaml: proxy.httpProxy, proxy.httpsProxy, proxy.noProxy; additionalTrustBundle",
            (
                "konvoy: `konvoy create cluster` with --control-plane-http-proxy, --worker-no-proxy and the like, "
                "--registry-mirror-url, --apiserver-host, --os-hint"
            ),
            (
                "A file keeps everything else that is in it; with `mode: Remove` the proxy is taken out. What is "
                "printed may hold a password, if the ProxyConfig does."
            ),
            "exit codes: 0 done; 1 the file or the ProxyConfig is wrong; 2 wrong usage; 3 a bug of this program.",
        ],
    )
    command.words("SYSTEM FILE|-", "the system, and the file that is filled; `-` is standard input")
    command.add_argument(
        "--config",
        metavar="FILE",
        default="",
        help="the ProxyConfig, and the objects it refers to; without it, standard input holds them",
    )
    command.add_argument(
        "--cluster",
        metavar="[NAMESPACE/]NAME",
        default="",
        help="the Cluster that the file is for: overrides that match it count",
    )
    command.add_argument(
        "--labels",
        metavar="KEY=VALUE,...",
        default="",
        help="the labels of the Cluster, for overrides that match labels",
    )
    command.add_argument(
        "--role",
        choices=[role.value for role in Role],
        help="the role of the nodes, for overrides that match roles; with konvoy, its flags only",
    )
    command.add_argument(
        "--in-place",
        action="store_true",
        help="write the file, or create it; without it, it is printed as it would be",
    )
    return command.common()


def run(arguments: list[str], read_stdin: Callable[[], bytes]) -> CommandResult:
    """Fill a file, or print a command line.

    Args:
        arguments: those behind ``export``.
        read_stdin: gives standard input, which holds the file or the ProxyConfig.

    Raises:
        UsageError: an unknown system or option, not one file, or a ProxyConfig that says no proxy for it.
        InputError, ConfigError: the file or the ProxyConfig is wrong.
        OutputError: the file cannot be written.
    """
    given = parser().parse(arguments)
    if given.words[:1] == [KONVOY]:
        return _command_line(given, read_stdin)
    system, file = _words(given.words, given.config)
    if file == "-" and (given.in_place or not given.config):
        raise UsageError(
            "`-` needs `--config` and must be without `--in-place`: standard input is the file itself"
        )
    wanted = _config(given, read_stdin)
    memberships = _memberships(given)
    resolved = _resolved(wanted, system, memberships)
    is_new = given.in_place and not exists(file)
    name, content = _file(file, read_stdin, is_new=is_new)
    try:
        text, edits = filled(content.decode(), FORMS[system], resolved.settings)
    except UnicodeDecodeError as error:
        raise InputError(f"{name} must be UTF-8, but byte {error.start + 1} is not") from None
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
    notes = (note.about(ObjectRef()) for note in settings.notes(resolved, memberships))
    reported = [f"[{note.severity.value}] {name}: {note.text}" for note in notes]
    reported += [f"created {name}"] if is_new and edits else []
    reported += [f"inject-proxy export: {'; '.join(edits) or 'nothing to change'}"]
    if not given.in_place:
        return CommandResult(text.encode(), tuple(reported))
    changed = {name: text.encode()} if edits else {}
    originals = {name: None if is_new else content}
    write = partial(write_files, changed, originals)
    return CommandResult(b"", tuple(reported), write=write)


def _command_line(given: Namespace, read_stdin: Callable[[], bytes]) -> CommandResult:
    """Return the command line of Konvoy."""
    if len(given.words) > 1 or given.in_place:
        raise UsageError(
            "`inject-proxy export konvoy` prints a command line: it must be without a file and `--in-place`"
        )
    wanted = _config(given, read_stdin)
    if wanted.mode is Mode.REMOVE:
        raise UsageError(
            "`spec.mode` must not be Remove: a command line without proxy flags sets no proxy"
        )
    (membership,) = _memberships(given) or (Membership(Cluster()),)
    roles = [membership.role] if membership.role else list(Role)
    text, warnings = _konvoy.command_line(wanted, membership.cluster, roles)
    return CommandResult(text.encode(), tuple(warnings))


def _config(given: Namespace, read_stdin: Callable[[], bytes]) -> ProxyConfig:
    manifests = config_files(given.config) if given.config else Manifests({_STDIN: read_stdin()})
    wanted = the_config(manifests, path=given.config, objects=Objects(manifests))
    _refuse_unknown(given.cluster, manifests)
    return wanted


def _refuse_unknown(asked: str, manifests: Manifests) -> None:
    """Raise UsageError if the input holds Clusters, and the one of `--cluster` is none of them."""
    names: set[str] = set()
    for index in range(len(manifests)):
        if asked and "Cluster" in manifests.kinds(index):
            for obj in manifests.objects(index):
                if obj.group_kind == ("cluster.x-k8s.io", "Cluster"):
                    names |= {obj.ref.name, f"{obj.ref.namespace}/{obj.ref.name}"}
    if names and asked not in names:
        advice = did_you_mean(asked, names, begin=": ")
        raise UsageError(
            f'`--cluster` must name a Cluster of the input, and "{asked}" is none{advice}'
        )


def _memberships(given: Namespace) -> tuple[Membership, ...]:
    """Return the Cluster and the role of the command line as overrides match them; none where neither is named."""
    if not (given.cluster or given.labels or given.role):
        return ()
    namespace, _, name = given.cluster.rpartition("/")
    cluster = Cluster(namespace, name, _labels(given.labels))
    return (Membership(cluster, Role(given.role) if given.role else None),)


def _labels(text: str) -> Mapping[str, str]:
    labels = {}
    for pair in text.split(",") if text else ():
        key, equals, value = pair.strip().partition("=")
        if not (key and equals):
            raise UsageError("`--labels` must hold pairs such as `region=west,stage=prod`")
        labels[key] = value
    return labels


def _file(file: str, read_stdin: Callable[[], bytes], *, is_new: bool) -> tuple[str, bytes]:
    """Return the name and the content of the file that is filled; a new one is empty."""
    if file == "-":
        return _STDIN, read_stdin()
    if is_new:
        return file, b""
    if not exists(file):
        refuse_closed(file)
        raise UsageError(f'there is no file "{file}"; `--in-place` creates it')
    return file, read_file(file)


def _words(words: Sequence[str], config: str) -> tuple[str, str]:
    if len(words) == 1 and words[0] in FORMS:
        if config and not exists(config):
            raise UsageError(f'there is no file "{config}", which `--config` names')
        raise UsageError(
            f"the file that gets the proxy must be named: `inject-proxy export {words[0]} FILE`, with `--in-place` a "
            "new one, too; `-` is standard input"
        )
    if len(words) != 2 or words[0] not in FORMS:
        raise UsageError(
            f"a system ({', '.join(FORMS)}) and one file must be named, or `{KONVOY}` alone: "
            "`inject-proxy export --help`"
        )
    return words[0], words[1]


def _resolved(wanted: ProxyConfig, system: str, memberships: Sequence[Membership]) -> Resolved:
    """Return the proxy for the file.

    Raises:
        UsageError: the ProxyConfig declares none for it.
    """
    target, kind = kind_of(FORMS[system])
    resolved = settings.resolve(wanted, memberships, target=target, audience=kind.audience)
    if not resolved.declared and wanted.mode is not Mode.REMOVE:
        raise UsageError(
            "the ProxyConfig must say which proxy goes into the file: in `spec`, in an override whose `match` holds "
            f"nothing but `targets: [{target}]`, or in one that fits `--cluster`, `--labels` and `--role`"
        )
    return resolved
