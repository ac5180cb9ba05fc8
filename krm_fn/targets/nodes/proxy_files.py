"""A file on the nodes that sets the proxy of one program, as an entry of ``files`` of a configuration.

There is at most one such entry, known by its path. Its text is edited in its form, never replaced. Whether the text is
in the entry or in the Secret of the Cluster is its author's decision unless the user decides.

Sources: systemd.unit(5) for drop-ins; ``validateFiles`` of Cluster API (a path is unique, content or contentFrom).
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from functools import partial

from krm_fn.engine import Draft
from krm_fn.formats.assignments import Syntax, effective
from krm_fn.formats.line_files import form_of
from krm_fn.formats.systemd_unit import DROP_IN, unset_by
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.patch import Pointer, lookup
from krm_fn.places import cluster_secret
from krm_fn.places.place import Place
from krm_fn.places.reading import Reading, Variables, quoted
from krm_fn.products.node_files import ATTRIBUTES, NODE_FILES, SYSTEMD_ENVIRONMENT, NodeFile
from krm_fn.settings import PROXY_VARIABLES, ProxySettings
from krm_fn.targets.nodes.node_config import FileEntry, NodeConfig, encode

_ENVIRONMENT_FILE = form_of(SYSTEMD_ENVIRONMENT)
_FORMS = {file.path: form_of(file.form) for file in NODE_FILES.values() if file.form}
_ATTRIBUTES = ("owner", "permissions")
_OF_CONTENT = ("content", "encoding", "contentFrom")
_UNIT_FOLDERS = ("/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib")
"""Where systemd looks for drop-ins, the folder that hides the others first."""


class NodePlace(NamedTuple):
    """A file that sets the proxy of one program.

    Attributes:
        label: the place in one phrase, for messages.
        paths: where the program looks for the file; a new one has the first.
        form: how its text sets variables.
        permissions: those of a new file.
        unit: the service whose drop-in it is; "" for another file.
        appends: the image has such a file with more in it, so a new entry appends to it.
    """

    label: str
    paths: tuple[str, ...]
    form: Syntax
    permissions: str = "0640"
    unit: str = ""
    appends: bool = False


def drop_in_of(unit: str) -> NodePlace:
    """Return the drop-in of a service."""
    inner = f"systemd/system/{unit}.service.d/http-proxy.conf"
    paths = tuple(f"{folder}/{inner}" for folder in _UNIT_FOLDERS)
    return NodePlace(f"the drop-in of {unit}", paths, DROP_IN, unit=unit)


def environment_file_of(unit: str) -> NodePlace:
    """Return the environment file of a service of RKE2 or K3s (``EnvironmentFile=-/etc/default/%N``)."""
    return NodePlace(
        f"the environment file of {unit}", (f"/etc/default/{unit}",), _ENVIRONMENT_FILE
    )


def file_of(file: NodeFile) -> NodePlace:
    """Return the place of a file of another program."""
    if file.form is None:
        return drop_in_of(file.reader)._replace(paths=(file.path,))
    form, permissions = _FORMS[file.path], ATTRIBUTES["permissions"]
    label = f'the file "{file.path}"'
    return NodePlace(label, (file.path,), form, permissions, appends=file.is_shared)


class ProxyFile(NamedTuple):
    """The file of one program among the files of a configuration, as a form.

    Attributes:
        config: the configuration that puts the file on the nodes.
        file: what the file is.
        options: ``path``, ``owner``, ``permissions`` and ``content`` of the file.
    """

    config: NodeConfig
    file: NodePlace
    options: Mapping[str, Any]

    @property
    def path(self) -> str:
        """Where the file is: the path of the user, or that of a file that is there, or the first."""
        existing = {file.path for file in self.config.file_entries()}
        possible = [path for path in self.file.paths if path in existing]
        return str(self.options.get("path", (possible or self.file.paths)[0]))

    def read(self, data: Any, place: Place) -> Iterator[Reading]:
        """Yield what the file sets."""
        config, path = self.config.on(Draft(data)), self.path
        for file in [file for file in config.file_entries() if file.path == path][:1]:
            yield from readings(config, file, place.label, self.file.form)

    def write(self, draft: Draft, place: Place, settings: ProxySettings) -> None:
        """Make the file set the variables, or remove it where it sets nothing else."""
        writer = _Writer(self.config.on(draft), self, self.path, settings)
        draft.items(place.path)
        try:
            writer.write(settings.variables())
        except ValueError as error:
            message = f"{error}; change the proxy settings"
            writer.config.draft.report("CannotWrite", message, place.path)
        writer.config.report_types(place.path, "a mapping", ("path",))


class _Writer:
    """The edit of one file."""

    def __init__(
        self, config: NodeConfig, form: ProxyFile, path: str, settings: ProxySettings
    ) -> None:
        self.config = config
        self.place = form.file
        self.path = path
        self._draft = config.draft
        self._options = form.options
        self._settings = settings
        self._is_reference = form.options.get("content") == "Secret"

    def write(self, variables: Variables) -> None:
        """Make the file set the variables."""
        if not variables:
            self._remove()
            return
        for file in [file for file in self.config.file_entries() if file.path == self.path][:1]:
            self._edit(file, variables)
            return
        self._add(variables)

    def _remove(self) -> None:
        """Take the variables out of each file in which the program may look for them."""
        paths = (self.path,) if "path" in self._options else self.place.paths
        for file in reversed([*self.config.file_entries()]):
            if file.path in paths:
                self._edit(file, {})

    def _edit(self, file: FileEntry, variables: Variables) -> None:
        """Make an entry of our path set the variables."""
        field, problem = self._problem(file)
        if problem:
            message = f"{problem}, so the entry is left as it is; set the proxy there by hand"
            self.config.draft.report("ByHand", message, file.field(field))
        elif file.entry.get("contentFrom") is not None:
            self._edit_reference(file, variables)
        else:
            self._edit_text(file, variables)

    def _problem(self, file: FileEntry) -> tuple[str, str]:
        """Return in which field something keeps an entry from being edited, and what; "" for nothing."""
        entry = file.entry
        if entry.get("append") is True and not self.place.appends:
            return "append", "it appends to a file"
        if entry.get("contentFormat") == "Template":
            return "contentFormat", "it is a template"
        if entry.get("contentFrom") is not None:
            return "content", "it has `content` and `contentFrom`" if entry.get("content") else ""
        if file.text is None:
            return "content", "its `content` cannot be read as text"
        return "content", self.place.form.problem(file.text)

    def _edit_text(self, file: FileEntry, variables: Variables) -> None:
        old, form = file.text or "", self.place.form
        if variables and self._is_reference and not form.edit(old, {}).strip():
            self._refer(file)
            return
        new = form.edit(old, variables)
        if old and not new:
            self._draft.remove(file.place, keep=len(file.place) - 2)
            return
        if new != old:
            self._draft.set(file.field("content"), encode(new, file.entry.get("encoding")))
        if variables:
            self._set_attributes(file)
            self._report_limits(file.place)
            if self._is_reference:
                message = (
                    "`content` holds more than proxy variables, so it does not become `contentFrom`"
                )
                self.config.draft.report("ByHand", message, file.field("content"))

    def _edit_reference(self, file: FileEntry, variables: Variables) -> None:
        """Make an entry with ``contentFrom`` set the variables.

        Without a proxy the Secret of the Cluster loses its text, and no node starts from a reference to nothing. Where the
        Cluster is not known, a reference to some Cluster's Secret is right.
        """  # noqa: E501
        name, key = source_of(file.entry)
        is_ours = cluster_secret.is_of(name, self._settings)
        if is_ours and not variables:
            self._draft.describe(f"removes the reference to the Secret from {self.place.label}")
            self._draft.remove(file.place, keep=len(file.place) - 2)
        elif not is_ours:
            message = f'content comes from key "{key}" of Secret "{name}"; check its proxy'
            self.config.draft.report("ByHand", message, file.field("contentFrom"))
        elif self._is_reference and self._settings.clusters:
            self._refer(file)
        elif self._is_reference:
            self._set_attributes(file)
        elif "content" in self._options:
            text = self.place.form.edit("", variables)
            left = {key: file.entry[key] for key in file.entry if key not in _OF_CONTENT}
            self._draft.set(file.place, {**left, "content": text})
            self._set_attributes(file)

    def _refer(self, file: FileEntry) -> None:
        """Let an entry take its content from the Secret of the Cluster."""
        if not self._may_refer():
            return
        wanted = cluster_secret.reference(self._settings, self.place.unit)
        if not cluster_secret.is_reference(file.entry.get("contentFrom"), wanted):
            left = {key: file.entry[key] for key in file.entry if key not in _OF_CONTENT}
            self._draft.set(file.place, {**left, "contentFrom": wanted})
            self._draft.describe(f"takes {self.place.label} from the Secret of its Cluster")
        self._set_attributes(file)

    def _may_refer(self) -> bool:
        obstacle = cluster_secret.obstacle(self._settings)
        if obstacle:
            message = (
                f"the Secret `<cluster>-systemd-proxy` {obstacle}, or set `content` to `Inline`"
            )
            self.config.draft.report("CannotWrite", message, self.config.files)
        return not obstacle

    def _add(self, variables: Variables) -> None:
        """Add an entry; its keys have the order of the Tanzu document, or of Giant Swarm's."""
        owner = {"owner": "root:root"} if self.config.system.has_owner else {}
        chosen = {key: self._options[key] for key in _ATTRIBUTES if key in self._options}
        entry: dict[str, Any]
        if self._is_reference:
            if not self._may_refer():
                return
            reference = cluster_secret.reference(self._settings, self.place.unit)
            of_author = {"owner": chosen["owner"]} if "owner" in chosen else {}
            entry = {
                "path": self.path,
                **of_author,
                "permissions": "0600",
                "contentFrom": reference,
            }
            self._draft.describe(f"takes {self.place.label} from the Secret of its Cluster")
        else:
            text = self.place.form.edit("", variables)
            if not text or (self.place.appends and not self._may_append()):
                return
            entry = {"append": True} if self.place.appends else {}
            entry |= {"content": text, **owner, "path": self.path}
            entry["permissions"] = self.place.permissions
        index = len(self.config.entries(self.config.files))
        self._draft.append(self.config.files, {**entry, **chosen})
        self._report_limits((*self.config.files, str(index)))

    def _may_append(self) -> bool:
        may_append = self.config.system.has_append and not self.config.has_ignition
        if not may_append:
            message = (
                f'an entry would replace the "{self.path}" of the image, so none is added: take "profile" in place of '
                '"environment", or write an entry with what your image holds'
            )
            self.config.draft.report("ByHand", message, self.config.files)
        return may_append

    def _set_attributes(self, file: FileEntry) -> None:
        """Set owner and permissions, which are the author's unless the user gives them."""
        for key in _ATTRIBUTES:
            if key in self._options:
                self._draft.set(file.field(key), self._options[key])

    def _report_limits(self, place: Pointer) -> None:
        """Report what Cluster API or Ignition would refuse of an entry."""
        if self.config.has_ignition and self.path.startswith("/usr/"):
            message = (
                "`path` must not be under /usr with Ignition (read-only); write one under /etc"
            )
            self.config.draft.report("CannotWrite", message, (*place, "path"))
        path = (*place, "content")
        self.config.report_length(self._draft.get(path) or "", path, "shorten `noProxy`")


class NotRead(NamedTuple):
    """A file whose program the nodes do not run: nobody reads its variables, so they are only taken away."""

    form: ProxyFile

    def read(self, data: Any, place: Place) -> Iterator[Reading]:
        """Yield nothing."""
        yield from ()

    def write(self, draft: Draft, place: Place, settings: ProxySettings) -> None:
        """Take the variables away, as the settings of the place hold none."""
        self.form.write(draft, place, settings)


class OtherDropIns(NamedTuple):
    """The drop-ins of a service, which are reported where they work against ours, and never written."""

    ours: ProxyFile

    def _all(self, config: NodeConfig) -> Iterator[FileEntry]:
        """Yield all drop-ins of the service, ours among them."""
        folders = {posixpath.dirname(path) for path in (*self.ours.file.paths, self.ours.path)}
        for file in config.file_entries():
            if posixpath.dirname(file.path) in folders and file.path.endswith(".conf"):
                yield file

    def _others(self, config: NodeConfig) -> Iterator[FileEntry]:
        """Yield the others; systemd reads one file of a name, so none has the name of ours."""
        name = posixpath.basename(self.ours.path)
        for file in self._all(config):
            if posixpath.basename(file.path) != name:
                yield file

    def read(self, data: Any, place: Place) -> Iterator[Reading]:
        """Yield what they set; what is elsewhere is judged by the name of the file."""
        config = self.ours.config.on(Draft(data))
        for file in self._others(config):
            if file.text is not None or "proxy" in posixpath.basename(file.path):
                label = f'the drop-in "{file.path}" in `files[{file.place[-1]}]`'
                yield from readings(config, file, label, DROP_IN)

    def write(self, draft: Draft, place: Place, settings: ProxySettings) -> None:
        """Report each that sets a proxy as well, or takes it away."""
        for path in dict.fromkeys(reading.path[:-1] for reading in self.read(draft.data, place)):
            message = f"this drop-in sets proxy variables for {self.ours.file.unit}, too; remove it"
            draft.report("OtherProxy", message, (*path, "path"))
        for file in self._all(self.ours.config.on(draft)):
            unset = unset_by(file.text or "", settings.variables())
            if unset:
                message = f"`UnsetEnvironment=` takes {quoted(unset)} away from {self.ours.file.unit}; remove it"
                draft.report("ProxySwitchedOff", message, file.field("content"))


def readings(config: NodeConfig, file: FileEntry, label: str, form: Syntax) -> Iterator[Reading]:
    """Yield each variable that a file sets; all six where its text is not here."""
    permissions = file.entry.get("permissions")
    reading = partial(
        Reading,
        place=label,
        file=file.path,
        permissions=permissions if isinstance(permissions, str) else "",
        by_ignition=config.has_ignition,
    )
    path = file.field("content")
    if file.text is None:
        why = "its `content` cannot be read as text"
        if file.entry.get("contentFrom") is not None:
            name, key = source_of(file.entry)
            why = f'it is under the key "{key}" of the Secret "{name}"'
            path = file.field("contentFrom")
        for variable in PROXY_VARIABLES:
            yield reading(variable, None, path, "", why_unknown=why)
        return
    if form.problem(file.text):
        return
    assignments = effective(form.read(file.text))
    for variable in PROXY_VARIABLES:
        name = variable if variable in form.names else variable.upper()
        if name in assignments:
            assignment = assignments[name]
            raw = file.text[assignment.line_start : assignment.line_end].strip()
            is_lost = assignment.value is None
            why = "its reader cannot make anything of it" if is_lost else ""
            yield reading(variable, assignment.value, path, raw, why_unknown=why, is_lost=is_lost)
        elif assignments and name not in form.names:
            yield reading(variable, None, path, "", why_unknown=f"{label} has no such list")


def source_of(entry: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return name and key of the Secret with the content of an entry; that of k0s has another member for it."""
    source = entry.get("contentFrom")
    secret = lookup(source, ("secret",)) or lookup(source, ("secretRef",))
    return lookup(secret, ("name",)), lookup(secret, ("key",))
