"""The targets that give nodes the proxy by files and commands, each by its row in ``products/node_kinds.py``.

Here are the files: entries of ``files`` that set the proxy of a program. The commands are in ``node_commands``.

There is at most one entry of a path. The text of one that sets a proxy is edited in its form, never replaced; whether
it is in the entry or in the Secret of the Cluster is its author's decision unless the user decides.

Sources: ``modules/pam_env/pam_env.c`` of Linux-PAM (``_parse_env_file``: a ``#`` begins a comment even in quotes, and
nothing is escaped); POSIX Shell Command Language section 2.2 (``/etc/profile.d``); apt.conf(5) and
apt-transport-http(1); dnf.conf(5) and ``IniParser.cpp`` of libdnf; ``zypp/base/Sysconfig.cc`` and
``zypp/media/proxyinfo/ProxyInfoSysconfig.cc`` of libzypp; Docker's documentation "Use a proxy server with the Docker
daemon"; systemd.unit(5) for drop-ins; ``File.append`` in ``api/bootstrap/kubeadm`` of Cluster API, its
``validateFiles`` (a path is unique, content or contentFrom), and ``bootstrap/eks/api`` of its provider for AWS;
``internal/ignition/clc`` of Cluster API ignores ``append``.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping

from krm_fn.engine import Draft
from krm_fn.formats import cached_by_text
from krm_fn.formats.assignments import LineForm, Syntax, form_of
from krm_fn.formats.systemd_unit import unset_by
from krm_fn.krm.results import Result
from krm_fn.light_typing import Any, Fields, NamedTuple, Texts
from krm_fn.noproxy import Audience
from krm_fn.patch import Data, Pointer, list_at, lookup, text_at
from krm_fn.places import cluster_secret
from krm_fn.places.drop_ins import DROP_IN, readings
from krm_fn.places.place import Place, Reading, Readings, quoted
from krm_fn.products.node_kinds import EKS_NODEADM, FILES_ON_REQUEST, RKE2
from krm_fn.settings import PROXY_VARIABLES, ProxySettings
from krm_fn.target_table import part_of
from krm_fn.targets.base import Context, Options, Places
from krm_fn.targets.nodes.node_commands import NodeExports
from krm_fn.targets.nodes.node_config import CONTAINERD, ConfigTarget, FileEntry, NodeConfig

_BOTH_CASES = {name: name for name in PROXY_VARIABLES}


class NodeFile(NamedTuple):
    """A file that sets the proxy of one program.

    Attributes:
        label: the place in one phrase, for messages.
        paths: where the program looks for the file; a new one has the first.
        form: how its text sets variables.
        lines: how its lines are written; None for a drop-in of systemd.
        permissions: those of a new file; a file of programs of every user can be read by all.
        unit: the service whose drop-in it is; "" for another file.
        appends: the image has such a file with more in it, so a new entry appends to it.
    """

    label: str
    paths: Texts
    form: Syntax
    lines: LineForm | None = None
    permissions: str = "0640"
    unit: str = ""
    appends: bool = False


# A value that pam_env, systemd, libzypp and a shell read alike.
_ASSIGNED = (
    r"""(?:'[^'"\\$`#\r\n]*'"""  # 'http://proxy:3128'
    r"""|"[^"\\$`#\r\n]*\""""  # "http://proxy:3128"
    r"""|[^'"\\$`#\s;&|<>(){}*?\[\]~!]*)"""  # http://proxy:3128
)

_ENVIRONMENT = LineForm(
    names=_BOTH_CASES,
    line="{name}={value}",
    quoted='"{}"',
    before=r"[ \t]*(?:export[ \t]+)?",
    sign="=",
    values=_ASSIGNED,
    refused='"\\$`#',
)
_PROFILE = _ENVIRONMENT._replace(
    line="export {name}={value}",
    before=r"(?:export[ \t]+)?",  # what is indented may be in a condition, which cannot be empty
    quoted="'{}'",
    values=(
        r"""(?:'[^'\r\n]*'"""  # 'http://proxy:3128'
        r"""|"[^"\\$`\r\n]*\""""  # "http://proxy:3128"
        r"""|[^'"\\$`#\s;&|<>(){}*?\[\]~!])*"""  # http://proxy:3128, and parts of one word: http://'proxy':3128
    ),
    refused="",
    # A quote ends the word, stands in other quotes, and begins the word again.
    escapes={"'": "'\"'\"'"},
)
_APT = LineForm(
    names={"HTTP_PROXY": "http", "HTTPS_PROXY": "https"},
    line="Acquire::{name}::Proxy {value}",
    quoted='"{}";',
    before=r"[ \t]*Acquire::",
    sign=r"::Proxy[ \t]+",
    values=r'"[^"\r\n]*";',
    refused='"\\',
)
_DNF = LineForm(
    names={"HTTPS_PROXY": "proxy"},  # one for all repositories
    line="[main]\n{name}={value}",  # a section may be there twice; the file of the image may end in another one
    quoted="{}",
    before=r"(?:\[main\]\r?\n(?=[^\n]*(?:\n\[|\n?\Z)))?",  # the header of a section without other lines
    sign=r"[ \t]*=[ \t]*",
    values=r"[^\s]*",
    refused="$",
    has_words=False,
    limits=(
        r"(?m)^\[(?!main\])"  # [fedora]
        r"|^proxy_"  # proxy_username=…
        r"|^proxy[^\n]*\n[ \t]+\S"  # a line that goes on
    ),
)
_ZYPPER = _ENVIRONMENT._replace(
    names={name: name for name in ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")},
    before=r"[ \t]*",
    constants={"PROXY_ENABLED": "yes"},
)

# A file that ``EnvironmentFile=`` of a unit reads: a ``%`` means itself there.
_SERVICE_ENVIRONMENT = _ENVIRONMENT._replace(
    before=r"[ \t]*",
    sign=r"[ \t]*=[ \t]*",
    values=(
        r"(?:\\\r?\n|\\."  # a line that goes on behind a backslash, and an escaped character
        r"""|"(?:[^"\\]|\\.)*\""""  # "http://proxy:3128"
        r"""|'[^']*'|[^"'\\\r\n])*?"""  # 'http://proxy:3128', and bare
    ),
    refused="",
    escapes={char: f"\\{char}" for char in '\\"$`'},
    bare=r"[A-Za-z0-9_@%+=:,./^-]*",
)

# Where systemd looks for drop-ins, the folder that hides the others first.
_UNIT_FOLDERS = ("/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib")


@cached_by_text
def drop_in(unit: str) -> NodeFile:
    """Return the drop-in of a service."""
    name = f"systemd/system/{unit}.service.d/http-proxy.conf"
    paths = tuple(f"{folder}/{name}" for folder in _UNIT_FOLDERS)
    return NodeFile(f"the drop-in of {unit}", paths, DROP_IN, unit=unit)


def _file(path: str, lines: LineForm, *, appends: bool = False) -> NodeFile:
    return NodeFile(f'the file "{path}"', (path,), form_of(lines), lines, "0644", appends=appends)


SERVICE_FORM = form_of(_SERVICE_ENVIRONMENT)
_DOCKER = drop_in("docker")
# Values of the option ``files`` of the target ``nodes.files`` -> the file.
NODE_FILES = {
    "environment": _file("/etc/environment", _ENVIRONMENT, appends=True),
    "profile": _file("/etc/profile.d/http-proxy.sh", _PROFILE),
    "apt": _file("/etc/apt/apt.conf.d/90http-proxy", _APT),
    "dnf": _file("/etc/dnf/dnf.conf", _DNF, appends=True),
    "zypper": _file("/etc/sysconfig/proxy", _ZYPPER),
    "docker": _DOCKER._replace(paths=_DOCKER.paths[:1]),
}

# Path -> file.
BY_PATH = {file.paths[0]: file for file in NODE_FILES.values()}


@cached_by_text
def _folders_of(paths: Texts) -> set[str]:
    """Return the folders of some paths; all nodes have the same ones."""
    return set(map(posixpath.dirname, paths))


@cached_by_text
def _new_text(form: Syntax, settings: ProxySettings) -> str:
    """Return the text of a new file, which is that of many nodes."""
    return form.edit("", settings.variables)


class ProxyFile(NamedTuple):
    """The file of one program among the files of a configuration, as a form.

    Other drop-ins of its service are reported where they work against it, and never written.

    Attributes:
        config: the configuration that puts the file on the nodes.
        file: the row of the file.
        options: ``path`` and ``content`` of the file.
        path: where it is: the path of the user, or that of a file that is there, or the first of ``file.paths``.
    """

    config: NodeConfig
    file: NodeFile
    options: Data
    path: str

    def read(self, data: Any, place: Place) -> Readings:
        """Yield the variables that the file sets, and those of other drop-ins."""
        for entry in self.config.files_in(data):
            if entry.path == self.path:
                yield from file_readings(self.config, entry, place.label, self.file.form)
                break
        yield from self._read_others(data)

    def write(self, draft: Draft, place: Place, settings: ProxySettings) -> None:
        """Make the file set the variables, or remove it where it sets nothing else; report other drop-ins."""
        self._write_ours(draft, place, settings)
        unit = self.file.unit
        message = f"this drop-in sets proxy variables for {unit}, too; remove it"
        paths = [reading.path[:-1] for reading in self._read_others(draft.data)]
        for path in dict.fromkeys(paths):
            draft.report("OtherProxy", message, (*path, "path"))
        for entry in self._drop_ins(draft.data):
            unset = unset_by(entry.text or "", settings.variables)
            if unset:
                draft.report(
                    "ProxySwitchedOff",
                    f"`UnsetEnvironment=` takes {quoted(unset)} away from {unit}; remove it",
                    entry.field("content"),
                )

    def _drop_ins(self, data: Any) -> Iterator[FileEntry]:
        """Yield all drop-ins of the service, ours among them."""
        if not self.file.unit:
            return
        folders = _folders_of((self.path, *drop_in(self.file.unit).paths))
        for entry in self.config.files_in(data):
            if entry.path.endswith(".conf") and posixpath.dirname(entry.path) in folders:
                yield entry

    def _read_others(self, data: Any) -> Readings:
        """Yield the variables of the other drop-ins; a text that is elsewhere is judged by the name of the file."""
        for entry in self._drop_ins(data):
            if entry.path == self.path:
                continue
            if entry.text is not None or "proxy" in posixpath.basename(entry.path):
                label = f'the drop-in "{entry.path}" in `files[{entry.place[-1]}]`'
                yield from file_readings(self.config, entry, label, DROP_IN)

    def _write_ours(self, draft: Draft, place: Place, settings: ProxySettings) -> None:
        """Write the file; a removal takes the variables out of each file in which the program may look for them."""
        draft.items(place.path)
        paths: Texts = (self.path,)
        if not settings.sets_any and "path" not in self.options:
            paths = self.file.paths
        entries = [entry for entry in self.config.files_in(draft.data) if entry.path in paths]
        if settings.sets_any:
            del entries[1:]
        try:
            if settings.sets_any and not entries:
                self._add(draft, settings)
            for entry in reversed(entries):
                self._edit(draft, entry, settings)
        except ValueError as error:
            draft.report("CannotWrite", f"{error}; change the proxy settings", place.path)

    @property
    def _is_reference(self) -> bool:
        """Whether the user wants the text in the Secret of the Cluster."""
        return bool(self.options.get("content") == "Secret")

    def _edit(self, draft: Draft, file_entry: FileEntry, settings: ProxySettings) -> None:
        """Make an entry of our path set the variables, and nothing of ours without any."""
        problem = self._problem(file_entry)
        if problem:
            draft.report(
                "ByHand",
                f"{problem}, so the entry is left as it is; set the proxy there by hand",
                file_entry.field("content"),
            )
        elif file_entry.has_reference:
            self._edit_reference(draft, file_entry, settings)
        else:
            self._edit_text(draft, file_entry, settings)

    def _problem(self, file_entry: FileEntry) -> str:
        """Return why an entry cannot be edited; "" if it can be."""
        data = file_entry.entry
        if data.get("append") is True and not self.file.appends:
            return "it appends to a file"
        if data.get("contentFormat") == "Template":
            return "it is a template"
        if file_entry.has_reference:
            if not data.get("content"):
                return ""
            return "it has `content` and `contentFrom`"
        if file_entry.text is None:
            return "its `content` cannot be read as text"
        return self.file.form.problem(file_entry.text)

    def _edit_text(self, draft: Draft, file_entry: FileEntry, settings: ProxySettings) -> None:
        old = file_entry.text or ""
        variables = settings.variables
        if variables and self._is_reference:
            if not self.file.form.edit(old, {}).strip():
                self._refer(draft, file_entry, settings)
                return
            draft.report(
                "ByHand",
                "`content` holds more than proxy variables, so it does not become `contentFrom`",
                file_entry.field("content"),
            )
        new = self.file.form.edit(old, variables)
        if old and not new:
            draft.remove(file_entry.place, keep=len(self.config.path))
            return
        if new != old:
            file_entry.set_text(draft, new)
        if variables:
            self._report_limits(draft, file_entry.place)

    def _edit_reference(self, draft: Draft, file_entry: FileEntry, settings: ProxySettings) -> None:
        """Make an entry with ``contentFrom`` set the variables.

        Without a proxy the Secret of the Cluster loses its text, and no node starts from a reference to nothing.
        Where the Cluster is not known, a reference to some Cluster's Secret is right.
        """
        name, key = secret_source(file_entry.entry)
        if not cluster_secret.is_named_for(name, settings):
            draft.report(
                "ByHand",
                f'content comes from key "{key}" of Secret "{name}"; check its proxy',
                file_entry.field("contentFrom"),
            )
        elif not settings.sets_any:
            draft.describe(f"removes the reference to the Secret from {self.file.label}")
            draft.remove(file_entry.place, keep=len(self.config.path))
        elif self._is_reference and settings.clusters:
            self._refer(draft, file_entry, settings)
        elif "content" in self.options and not self._is_reference:
            content = _new_text(self.file.form, settings)
            draft.set(file_entry.place, {**file_entry.without_content, "content": content})

    def _refer(self, draft: Draft, file_entry: FileEntry, settings: ProxySettings) -> None:
        """Let an entry take its content from the Secret of the Cluster."""
        source = self._secret_source(draft, settings)
        if source and not cluster_secret.is_reference(file_entry.entry.get("contentFrom"), source):
            draft.set(file_entry.place, {**file_entry.without_content, "contentFrom": source})
            draft.describe(f"takes {self.file.label} from the Secret of its Cluster")

    def _secret_source(self, draft: Draft, settings: ProxySettings) -> Fields | None:
        """Return the ``contentFrom`` that names the Secret of the Cluster; None where that cannot be used."""
        obstacle = cluster_secret.obstacle(settings)
        if not obstacle:
            return cluster_secret.reference(settings, self.file.unit)
        draft.report(
            "CannotWrite",
            f"the Secret `<cluster>-systemd-proxy` {obstacle}, or set `content` to `Inline`",
            self.config.files,
        )
        return None

    def _add(self, draft: Draft, settings: ProxySettings) -> None:
        """Add an entry; its keys have the order of the Tanzu document, or of Giant Swarm's."""
        if self._is_reference:
            source = self._secret_source(draft, settings)
            if source is None:
                return
            draft.describe(f"takes {self.file.label} from the Secret of its Cluster")
            entry: Fields = {"path": self.path, "permissions": "0600", "contentFrom": source}
        else:
            text = _new_text(self.file.form, settings)
            if not text or (self.file.appends and not self._may_append(draft)):
                return
            entry = {} if not self.file.appends else {"append": True}
            entry |= self.config.new_file(self.path, text, self.file.permissions)
        draft.append(self.config.files, entry)
        last = len(list_at(draft.data, self.config.files)) - 1
        self._report_limits(draft, (*self.config.files, str(last)))

    def _may_append(self, draft: Draft) -> bool:
        if self.config.system.has_append and not self.config.has_ignition:
            return True
        advice = "write an entry with what your image holds"
        if self.file.lines is _ENVIRONMENT:
            advice = f'take "profile" in place of "environment", or {advice}'
        draft.report(
            "ByHand",
            f'an entry would replace the "{self.path}" of the image, so none is added: {advice}',
            self.config.files,
        )
        return False

    def _report_limits(self, draft: Draft, path: Pointer) -> None:
        """Report an entry that Cluster API or Ignition would refuse."""
        if self.config.has_ignition and self.path.startswith("/usr/"):
            draft.report(
                "CannotWrite",
                "`path` must not be under /usr with Ignition (read-only); write one under /etc",
                (*path, "path"),
            )
        self.config.report_length(draft, (*path, "content"))


def proxy_file(node_config: NodeConfig, file: NodeFile, option: Any) -> ProxyFile:
    """Return the form of a file in a configuration; ``option`` is that of its target: `true`, a mapping, or none."""
    options = option if isinstance(option, Mapping) else {}
    existing = {entry.path for entry in node_config.files_in(node_config.obj)}
    paths = [path for path in file.paths if path in existing]
    path, *_ = paths or file.paths
    return ProxyFile(node_config, file, options, options.get("path", path))


def file_readings(
    node_config: NodeConfig, file_entry: FileEntry, label: str, form: Syntax
) -> Readings:
    """Yield each variable that a file sets; all six where its text is not here."""
    blank = Reading(
        "",
        None,
        file_entry.field("content"),
        "",
        label,
        file=file_entry.path,
        permissions=text_at(file_entry.entry, "permissions"),
        by_ignition=node_config.has_ignition,
    )
    if file_entry.text is not None:
        if not form.problem(file_entry.text):
            yield from readings(file_entry.text, form, blank)
        return
    why = "its `content` cannot be read as text"
    if file_entry.has_reference:
        name, key = secret_source(file_entry.entry)
        why = f'it is under the key "{key}" of the Secret "{name}"'
        blank = blank._replace(path=file_entry.field("contentFrom"))
    for variable in PROXY_VARIABLES:
        yield blank._replace(variable=variable, why_unknown=why)


def secret_source(file_entry: Data) -> tuple[str, str]:
    """Return name and key of the Secret with the content of an entry; that of k0s has another member for it."""
    source = file_entry.get("contentFrom")
    secret = lookup(source, "secret") or lookup(source, "secretRef")
    return text_at(secret, "name"), text_at(secret, "key")


# The field with which nodeadm does not ask the cloud before the commands run.
_EARLY_SWITCH = ("featureGates", "InstanceIdNodeName")
# The targets whose drop-ins may be in the Secret of a Cluster, and their services.
UNITS = {"nodes.containerd": CONTAINERD, "nodes.kubelet": "kubelet"}


def target_files(target_id: str, node_config: NodeConfig, options: Options) -> list[NodeFile]:
    """Return the files that a target writes."""
    unit = UNITS.get(target_id)
    if unit:
        if unit == CONTAINERD:
            unit = node_config.runtime
        return [drop_in(unit)]
    if target_id == FILES_ON_REQUEST:
        chosen = list_at(options, "files")
        return [file for name, file in NODE_FILES.items() if name in chosen]
    if node_config.system is RKE2:
        # ``EnvironmentFile=-/etc/default/%N``
        return [
            NodeFile(f"the environment file of {unit}", (f"/etc/default/{unit}",), SERVICE_FORM)
            for unit in node_config.kind.services
        ]
    services = [*node_config.kind.services, node_config.commands_unit]
    return [drop_in(service) for service in services if service]


class NodeTarget(ConfigTarget):
    """One target of the table of node kinds, by its ID.

    Example: ``nodes.containerd`` adds to ``files`` of a KubeadmConfigTemplate::

        - path: /etc/systemd/system/containerd.service.d/http-proxy.conf
          content: |
            [Service]
            Environment="HTTP_PROXY=http://proxy:3128"
    """

    audience = Audience.NODE

    def __init__(self, target_id: str) -> None:
        super().__init__(target_id)
        self.is_service_in_go = target_id in UNITS

    def is_wanted(self, context: Context) -> bool:
        """Return whether any file is to be written."""
        is_asked = self.id != FILES_ON_REQUEST or bool(list_at(context.options, "files"))
        return is_asked and context.settings.sets_any

    def places_in(self, node_config: NodeConfig, context: Context) -> Places:
        """Yield the files, and the commands; report a step before these, which gets no proxy."""
        own = context.settings.without_proxy if node_config.unsupported else None
        for file in target_files(self.id, node_config, context.options):
            options = lookup(context.options, part_of(self.id))
            form = proxy_file(node_config, file, options)
            yield Place(node_config.files, form, file.label, settings=own)
        if self.id != node_config.system.exporter:
            return
        is_early = (
            node_config.system is EKS_NODEADM
            and lookup(node_config.data, _EARLY_SWITCH) is not True
        )
        if is_early and context.settings.sets_any:
            yield Result(
                "NetworkBeforeProxy",
                "without this, nodeadm asks EC2 for the name of the node before it can have a proxy: switch it on, "
                "or let nodes reach EC2 directly",
                (*node_config.path, *_EARLY_SWITCH),
            )
        if node_config.commands_unit:
            own = context.settings.without_proxy  # its drop-in replaces the exports
        label = f"the exports in `{node_config.commands[-1]}`"
        exports = NodeExports(node_config, context.options)
        yield Place(node_config.commands, exports, label, settings=own)
