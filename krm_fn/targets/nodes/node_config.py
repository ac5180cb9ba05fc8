"""The configuration of nodes inside an object: its files and commands, and the limits that its nodes set.

The kinds that hold one, and the paths in them, are in ``products/node_kinds.py``.

Sources: Cluster API ``kubeadmconfig_types.go`` for limits; cloud-init ``cloudinit/templater.py`` for templates;
its providers' templates for Windows; ``k0sproject/k0smotron`` ``api/bootstrap`` (v1beta1, v1beta2) and
``internal/provisioner/ignition.go`` (``k0s-bootstrap``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property

from krm_fn import placeholders
from krm_fn.engine import Draft, WrongTypeError
from krm_fn.formats import pem
from krm_fn.formats.escaping import base64_of, text_of_base64
from krm_fn.krm.resourcelist import group_kind
from krm_fn.light_typing import Any, Fields, NamedTuple
from krm_fn.patch import Pointer, field_path, items_at, list_at, lookup, text_at
from krm_fn.places.place import Place
from krm_fn.products.node_kinds import K0S, KUBEADM, NODE_KINDS, NodeConfigKind
from krm_fn.settings import ProxySettings
from krm_fn.targets.base import Context, Data, Places, Target

# Ends a command of ours, and begins a file of ours, so that a removal takes neither from somebody else.
MARK = "# inject-proxy"
# Begins a file that cannot be known by its path alone.
FIRST_LINE = f"{MARK}\n"
# The services that pull images.
CONTAINERD, CRI_O = "containerd", "crio"

# So long may a content or a command be, in characters.
_LONGEST = 10_240
# Longer commands are not read, so that patterns take no long time.
LONGEST_COMMAND = 65_536
# Longer contents are not read.
_LARGEST = 1024 * 1024
_CONTENT_FIELDS = ("content", "encoding", "contentFrom")
_WINDOWS = r"""(?xi)
(?: \A | \0 ) \s*
(?: [a-z]:[\\/]                                   # C:\k\azure.json
  | (?:cmd(?:\.exe)?\s+/c\s+)? (?:\S*[\\/])? powershell(?:\.exe|-xml)? (?:\s|\0|\Z)
                                                  # cmd /c powershell.exe x.ps1
  | windows (?:\0|\Z)                             # provisioner.platform of k0s
  | npipe:                                        # npipe:////./pipe/containerd-containerd
)
"""
_SYSTEMS = (("provisioner", "type"), ("provisioner", "platform"))
_SOCKETS = (
    ("initConfiguration", "nodeRegistration", "criSocket"),
    ("joinConfiguration", "nodeRegistration", "criSocket"),
)
# The ``spec`` of an object that has nothing on the way to its configuration.
_EMPTY_SPECS: tuple[Any, ...] = (
    {},
    {"template": {}},
    {"template": None},
    {"template": {"spec": {}}},
)


class FileEntry(NamedTuple):
    """One entry of ``files`` that has a path.

    Attributes:
        place: leads to the entry in the object.
        path: the path of the file on the node.
        entry: the entry itself.
    """

    place: Pointer
    path: str
    entry: Data

    @property
    def text(self) -> str | None:
        """Its text; None where that is elsewhere, made later, or cannot be read."""
        entry = self.entry
        if entry.get("contentFrom") is not None or entry.get("contentFormat") == "Template":
            return None
        content = entry.get("content")
        if content is None:
            return ""
        if not isinstance(content, str) or len(content) > _LARGEST:
            return None
        if content.lstrip().startswith("${") and not placeholders.without(content).strip():
            return None  # a placeholder such as ${SCRIPT}, and nothing else
        encoding = entry.get("encoding")
        if not encoding:
            return content
        if encoding != "base64":
            return None  # gzip
        try:
            return text_of_base64(content)
        except ValueError:
            return None

    @property
    def has_reference(self) -> bool:
        """Whether its text is in a Secret."""
        return self.entry.get("contentFrom") is not None

    @property
    def without_content(self) -> Fields:
        """The entry without the fields of its text."""
        return {key: value for key, value in self.entry.items() if key not in _CONTENT_FIELDS}

    def field(self, name: str) -> Pointer:
        """Return the path to a field of the entry."""
        return (*self.place, name)

    def set_text(self, draft: Draft, text: str) -> None:
        """Set its text, in the encoding that it has."""
        content = base64_of(text) if self.entry.get("encoding") else text
        draft.set(self.field("content"), content)


class NodeConfig:
    """The configuration of nodes in one object, as that was when it was looked up.

    Args:
        obj: the object.
        kind: the row of its kind.

    Attributes:
        obj: the object.
        kind: the row of its kind.
        data: the configuration; empty where a new one is to be written.
        system: the system that sets up the nodes.
        path: leads to the configuration.
        files: leads to the list of files.
        commands: leads to the list of commands that run before the nodes are set up.
    """

    def __init__(self, data: Data, kind: NodeConfigKind) -> None:
        self.obj = data
        self.kind = kind
        self.system = kind.system
        self.path: Pointer = kind.path
        self.data: Data = lookup(data, self.path) or {}
        self.files: Pointer = kind.files
        commands = self.system.commands
        if self.system is K0S and str(data.get("apiVersion")).endswith("/v1beta1"):
            commands = "preStartCommands"  # k0smotron renamed it with v1beta2
        self.commands: Pointer = (*self.path, commands)

    @cached_property
    def runtime(self) -> str:
        """The service that pulls images."""
        for path in _SOCKETS:
            if text_at(self.data, path).endswith("/crio.sock"):
                return CRI_O
        return CONTAINERD

    @cached_property
    def has_ignition(self) -> bool:
        """Whether Ignition sets up the nodes, not cloud-init; k0smotron has a field for it, too."""
        if self.system is K0S and self.data.get("ignition") is not None:
            return True
        return text_at(self.data, self.system.format) == "ignition"

    @property
    def commands_unit(self) -> str:
        """The service that runs each command in a shell of its own; "" where they are one script."""
        if self.system is K0S and self.has_ignition:
            return "k0s-bootstrap"
        return ""

    @cached_property
    def unsupported(self) -> str:
        """The operating system of the nodes if nothing can be written for it, else ""."""
        if self.data.get("format") == "bottlerocket":
            return "Bottlerocket"
        texts = [text_at(self.data, path) for path in (*_SYSTEMS, *_SOCKETS)]
        texts += list_at(self.obj, self.commands)
        texts += list_at(self.data, self.system.late_commands)
        for entry in list_at(self.obj, self.files):
            texts.append(lookup(entry, "path"))
        # One search in all of them: no text of YAML holds a NUL.
        is_windows = re.search(_WINDOWS, "\0".join(map(str, texts)))
        return "Windows" if is_windows else ""

    def new_file(self, path: str, text: str, permissions: str) -> Fields:
        """Return a new entry of ``files``, with keys in the order of the Tanzu document; k0smotron knows no owner."""
        owner = {} if self.system is K0S else {"owner": "root:root"}
        return {"content": text, **owner, "path": path, "permissions": permissions}

    def files_in(self, data: Any) -> Iterator[FileEntry]:
        """Yield the entries of ``files`` of the object as it is now, but for those that have no path."""
        for place, entry in items_at(data, self.files):
            path = lookup(entry, "path")
            if isinstance(path, str):
                yield FileEntry(place, path, entry)

    def commands_in(self, data: Any) -> list[str]:
        """Return the commands of the object as it is now; "" for an entry that is no text, or too long a text."""
        texts = []
        for command in list_at(data, self.commands):
            text = command if isinstance(command, str) else ""
            if len(text) > LONGEST_COMMAND:
                text = ""
            texts.append(text)
        return texts

    def scripts_in(self, data: Any) -> dict[str, str | None]:
        """Return the texts of the files of the object as it is now, by path; None for an unknown text."""
        return {file.path: file.text for file in self.files_in(data)}

    def report_length(self, draft: Draft, path: Pointer) -> None:
        """Report a content or a command that is longer than Cluster API takes it; other providers set no limit."""
        length = len(text_at(draft.data, path))
        if length > _LONGEST and self.system is KUBEADM:
            draft.report(
                "ProviderRefuses",
                f"Cluster API takes at most {_LONGEST} characters, and this would have {length}: shorten it",
                path,
            )


class WholeFiles(NamedTuple):
    """All files of one target, which ``write`` writes.

    Attributes:
        config: the configuration that puts the files on the nodes.
        is_ours: says from path and text whether this target wrote a file, now or in an earlier run.
        files: path -> text of each file that has to be there; all others that inject-proxy wrote are removed.
        permissions: those of new files.
    """

    config: NodeConfig
    is_ours: Callable[[str, str], bool]
    files: Mapping[str, str]
    permissions: str

    def write(self, draft: Draft, place: Place, settings: ProxySettings) -> None:
        """Make the list hold the files and no other one of our own."""
        if self.files:
            draft.items(place.path)
        missing = dict(self.files)
        # From the end, so that an entry that goes moves none that is still to be edited.
        entries = [*self.config.files_in(draft.data)]
        for entry in reversed(entries):
            path = entry.path
            missing.pop(path, None)
            if entry.text is not None and self.is_ours(path, entry.text):
                self._update(draft, place, entry, entry.text)
            elif path in self.files:
                draft.report(
                    "ByHand",
                    f'"{path}" was not written by this function; remove it to let {place.label} be set',
                    entry.field("path"),
                )
        for path, text in missing.items():
            file = self.config.new_file(path, text, self.permissions)
            draft.append(place.path, file)
            self._describe(draft, "sets", place, path, text)
        for entry in self.config.files_in(draft.data):
            if entry.path in self.files:
                self.config.report_length(draft, entry.field("content"))

    def _update(self, draft: Draft, place: Place, file_entry: FileEntry, text: str) -> None:
        """Give an entry of our own its text, or remove it."""
        new = self.files.get(file_entry.path)
        if new is None:
            draft.remove(file_entry.place, keep=len(self.config.path))
            self._describe(draft, "removes", place, file_entry.path, text)
        elif new != text:
            file_entry.set_text(draft, new)
            self._describe(draft, "updates", place, file_entry.path, new)

    def _describe(self, draft: Draft, verb: str, place: Place, path: str, text: str) -> None:
        change = f'{verb} {place.label} "{path}"'
        if pem.split(text):
            change += f" ({pem.shown(text)})"
        draft.describe(change)


def find(draft: Draft, *, is_wanted: bool = False, is_whole: bool = False) -> NodeConfig | None:
    """Return the configuration of nodes in an object, if it has one, or may get one.

    An object without it is a patch more often than not, and lists of a patch replace those of its object. So only an
    object that is known to be no patch, and would say nothing as a patch, gets one.

    Args:
        draft: the data of the object, of any shape; gets the findings.
        is_wanted: whether something has to be written into it; then it is reported why that cannot be.
        is_whole: whether it is known to be no patch.
    """
    obj = draft.data
    kind = NODE_KINDS.get(group_kind(obj))
    if kind is None:
        return None
    try:
        draft.mapping(kind.path)
    except WrongTypeError as error:
        if is_wanted:
            draft.findings.append(error.finding)
        return None
    is_missing = draft.get(kind.path, kind) is kind
    if is_missing and not (is_wanted and is_whole and _may_get_spec(obj, kind)):
        if is_wanted:
            draft.report(
                "ByHand",
                f"`{field_path(kind.path)}` is missing, so there is no place for a proxy: write `{{}}` if this is no "
                "patch",
                kind.path,
            )
        return None
    config = NodeConfig(obj, kind)
    if is_wanted and config.unsupported:
        draft.report(
            "NodesWithoutProxy",
            f"these are {config.unsupported} nodes, which get no proxy here: set it in their image",
            kind.path,
        )
    return config


def _may_get_spec(data: Data, kind: NodeConfigKind) -> bool:
    """Return whether an object makes nodes though its ``spec`` says nothing; the API server needs that of a cluster."""
    if kind.is_control_plane and not kind.is_template:
        return False
    return (data.get("spec") or {}) in _EMPTY_SPECS and "$patch" not in data


class ConfigTarget(Target):
    """A target whose places are in the configuration of nodes."""

    def is_wanted(self, context: Context) -> bool:
        """Return whether something has to be written."""
        return context.settings.sets_any

    def places_in(self, node_config: NodeConfig, context: Context) -> Places:
        """Yield the places of a configuration, and findings about places that cannot be used."""
        raise NotImplementedError

    def places(self, data: Data, context: Context) -> Places:
        """Yield the places of an object, and findings about places that cannot be used."""
        draft = Draft(data)
        is_wanted = self.is_wanted(context)
        config = find(draft, is_wanted=is_wanted, is_whole=context.is_whole)
        yield from draft.findings
        if config is not None:
            yield from self.places_in(config, context)
