"""``inject-proxy export``: the proxy of a ProxyConfig in the form of another system: a file, or a command line."""

from __future__ import annotations

import os
from argparse import Namespace

from krm_fn import settings
from krm_fn.cli import konvoy, streams
from krm_fn.cli.config import config_of_file, find_config
from krm_fn.cli.files import read_file
from krm_fn.cli.import_ import FORMS
from krm_fn.cli.selection import select
from krm_fn.cli.streams import STDIN, Answer, ContentChange
from krm_fn.cli.system_files import filled, kind_of
from krm_fn.clusters import Cluster, Membership, Role
from krm_fn.config import Mode, ProxyConfig
from krm_fn.errors import InputError, UsageError
from krm_fn.krm.manifests import Manifests
from krm_fn.krm.results import ObjectRef
from krm_fn.noproxy import Readers


def run(given: Namespace) -> Answer:
    """Fill a file, or print a command line."""
    if (given.system == "konvoy") == bool(given.file):
        raise UsageError("one file must be named, or `konvoy` alone, which prints a command line")
    if given.file == "-" and (given.in_place or not given.config):
        raise UsageError("`-` must be with `--config` and without `--in-place`")
    wanted = _config(given)
    if given.system == "konvoy":
        return _command_line(given, wanted)
    return _file(given, wanted)


def _config(given: Namespace) -> ProxyConfig:
    if given.config:
        return config_of_file(given.config).load()
    selection = select(["-"], ())
    return find_config(Manifests(selection.manifests), selection, "", ()).load()


def _command_line(given: Namespace, wanted: ProxyConfig) -> Answer:
    if wanted.mode is Mode.REMOVE:
        raise UsageError(
            "`spec.mode` must not be Remove: a command line without flags sets no proxy"
        )
    roles = [Role(given.role)] if given.role else list(Role)
    text, lines = konvoy.command_line(wanted, _cluster(given), roles)
    return Answer([text.encode()], lines)


def _file(given: Namespace, wanted: ProxyConfig) -> Answer:
    memberships: tuple[Membership, ...] = ()
    if given.cluster or given.labels or given.role:
        role = Role(given.role) if given.role else None
        memberships = (Membership(_cluster(given), role),)
    form = FORMS[given.system]
    target, kind = kind_of(form)
    resolved = settings.resolve(wanted, memberships, target=target, readers=Readers(kind.audience))
    if not resolved.declared and wanted.mode is not Mode.REMOVE:
        raise UsageError(
            "the ProxyConfig must say which proxy goes into the file: in `spec`, in an override whose `match` holds "
            f"nothing but `targets: [{target}]`, or in one that fits `--cluster`, `--labels` and `--role`"
        )
    name = STDIN if given.file == "-" else given.file
    is_new = given.in_place and not os.path.lexists(given.file)
    old = None if is_new else streams.read() if given.file == "-" else read_file(given.file)
    try:
        text, edits = filled((old or b"").decode(), form, resolved.settings)
    except UnicodeDecodeError:
        raise InputError(f"{name} must be UTF-8") from None
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
    notes = [
        note.about(ObjectRef(file_path=name)) for note in settings.notes(resolved, memberships)
    ]
    lines = [note.line_with_file() for note in notes]
    lines.append(f"inject-proxy export: {'; '.join(edits) or 'nothing to change'}")
    if not given.in_place:
        return Answer([text.encode()], lines)
    return Answer((), lines, changes={name: ContentChange(old, text.encode())} if edits else {})


def _cluster(given: Namespace) -> Cluster:
    """Return the Cluster of the command line, as overrides match it."""
    namespace, _, name = given.cluster.rpartition("/")
    labels = {}
    for pair in given.labels.split(",") if given.labels else ():
        key, equals, value = pair.strip().partition("=")
        if not (key and equals):
            raise UsageError("`--labels` must hold pairs such as `region=west,stage=prod`")
        labels[key] = value
    return Cluster(namespace, name, labels)
