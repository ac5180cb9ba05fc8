"""``inject-proxy export``: the proxy of a ProxyConfig in the form of another system: a file, or a command line.

A file is filled as losslessly as objects of a list: by the target that fills objects of its system.
"""

from __future__ import annotations

import os
from argparse import Namespace
from functools import partial

from krm_fn import settings
from krm_fn.cli import konvoy
from krm_fn.cli.config import config_of_file, find_config
from krm_fn.cli.selection import select
from krm_fn.cli.streams import STDIN, Answer, read_text
from krm_fn.clusters import Cluster, Membership, Role
from krm_fn.clusters.cluster import Memberships
from krm_fn.config import ProxyConfig
from krm_fn.engine import Draft
from krm_fn.errors import InputError, InternalError, UsageError
from krm_fn.formats import left_alone
from krm_fn.formats.embedded import Value
from krm_fn.krm.manifests import ContentChange, Manifests
from krm_fn.krm.results import ObjectRef, Result
from krm_fn.noproxy import Readers
from krm_fn.places.place import Place, write_places
from krm_fn.places.text_forms import Text, YamlText
from krm_fn.settings import ProxySettings
from krm_fn.targets import load_target
from krm_fn.targets.base import FileForm
from krm_fn.yamledit.stream import documents

# System -> the target that fills its files.
TARGET_OF = {
    "tkg": "tkg.clusterConfig",
    "giantswarm": "giantswarm.installationValues",
    "image-builder": "konvoy",
}


def run(args: Namespace) -> Answer:
    """Fill a file, or print a command line."""
    if (args.system == "konvoy") == bool(args.file):
        raise UsageError("one file must be named, or `konvoy` alone, which prints a command line")
    if args.file == "-" and (args.in_place or not args.config):
        raise UsageError("`-` must be with `--config` and without `--in-place`")
    if args.config:
        config = config_of_file(args.config).load()
    else:
        selection = select(["-"], ())
        config = find_config(Manifests(selection.manifests), selection).load()
    if args.system == "konvoy":
        return _command_line(args, config)
    return _file(args, config)


def _command_line(args: Namespace, config: ProxyConfig) -> Answer:
    if config.is_removal:
        raise UsageError(
            "`spec.mode` must not be Remove: a command line without flags sets no proxy"
        )
    roles = [Role(args.role)] if args.role else list(Role)
    return konvoy.command_line(config, _cluster(args), roles)


def _file(args: Namespace, config: ProxyConfig) -> Answer:
    memberships: Memberships = ()
    if args.cluster or args.labels or args.role:
        role = Role(args.role) if args.role else None
        memberships = (Membership(_cluster(args), role),)
    target = load_target(TARGET_OF[args.system])
    if target.file is None:
        raise InternalError(f"`{target.id}` fills no files")
    resolved = settings.resolve(
        config, memberships, target=target.id, readers=Readers(target.file.audience)
    )
    if not resolved.declared and not config.is_removal:
        raise UsageError(
            "the ProxyConfig must say which proxy goes into the file: in `spec`, in an override whose `match` holds "
            f"nothing but `targets: [{target.id}]`, or in one that fits `--cluster`, `--labels` and `--role`"
        )
    name = STDIN if args.file == "-" else args.file
    is_new = args.in_place and not os.path.lexists(args.file)
    old = "" if is_new else read_text(args.file)
    try:
        text, edits = _filled(old, target.file, resolved.settings)
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
    ref = ObjectRef(file_path=name)
    lines = [note.about(ref).line_with_file() for note in settings.notes(resolved, memberships)]
    lines.append(f"inject-proxy export: {'; '.join(edits) or 'nothing to change'}")
    if not args.in_place:
        return Answer([text.encode()], lines)
    changes = {}
    if edits:
        before = None if is_new else old.encode()
        changes[os.path.realpath(name)] = ContentChange(before, text.encode())
    return Answer((), lines, changes=changes)


def _cluster(args: Namespace) -> Cluster:
    """Return the Cluster of the command line, as overrides match it."""
    namespace, _, name = (args.cluster or "").rpartition("/")
    pairs = args.labels.split(",") if args.labels else ()
    labels = dict(pair.strip().partition("=")[::2] for pair in pairs)
    if "" in labels or "" in labels.values():
        raise UsageError("`--labels` must hold pairs such as `region=west,stage=prod`")
    return Cluster(namespace, name, labels)


def _filled(text: str, form: FileForm, proxy: ProxySettings) -> tuple[str, list[str]]:
    """Return a file with a proxy, or without one, and a description of the change, if there is one.

    Raises:
        InputError: the file cannot be read or edited, or is none of the system.
    """
    if left_alone.hides(text):
        raise InputError(f"the file {left_alone.ENCRYPTED}")
    number = len(documents(text))
    if number > 1:
        raise InputError(f"the file must hold one YAML document, but it holds {number}")
    new_document = []
    for place in form.places(proxy, {}):
        if isinstance(place, Result):
            raise InputError(place.message)
        new_document.append(place)
    yaml = YamlText(partial(form.places, proxy), new_document)
    draft = Draft(text)
    write_places(
        draft, [Place((), Text(Value((), text), yaml), "the file", is_unconditional=True)], proxy
    )
    for finding in draft.findings:
        raise InputError(finding.message.removeprefix("in it, "))
    after = str(draft.data)
    if text.strip() and not after.strip():
        after = "{}\n"  # readers of values want a mapping
    return after, draft.descriptions
