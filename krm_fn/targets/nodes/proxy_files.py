"""A file on the nodes that sets the proxy of one program, as an entry of ``files`` of a configuration.

There is at most one such entry, known by its path. Its text is edited in its form, never replaced. Whether the text is
in the entry or in the Secret of the Cluster is its author's decision unless the user decides.

Sources: systemd.unit(5) for drop-ins; ``validateFiles`` of Cluster API (a path is unique, content or contentFrom).
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping

from krm_fn.engine import Draft
from krm_fn.formats.assignments import Syntax
from krm_fn.formats.systemd_unit import unset_by
from krm_fn.light_typing import Any, Fields, NamedTuple, Texts
from krm_fn.patch import Data, Pointer, list_at, lookup, text_at
from krm_fn.places import cluster_secret
from krm_fn.places.place import Place, Reading, quoted
from krm_fn.places.text_forms import DROP_IN, readings
from krm_fn.settings import PROXY_VARIABLES, ProxySettings
from krm_fn.targets.nodes.node_config import FileEntry, NodeConfig, encode
from krm_fn.targets.nodes.node_files import NodeFile


class ProxyFile(NamedTuple):
    """The file of one program among the files of a configuration, as a form.

    Attributes:
        config: the configuration that puts the file on the nodes.
        file: what the file is.
        options: ``path`` and ``content`` of the file.
        path: where it is: the path of the user, or that of a file that is there, or the first of ``file.paths``.
    """

    config: NodeConfig
    file: NodeFile
    options: Data
    path: str

    def read(self, data: Any, place: Place) -> Iterator[Reading]:
        """Yield what the file sets."""
        for entry in self.config.files_in(data):
            if entry.path == self.path:
                yield from readings_of(self.config, entry, place.label, self.file.form)
                return

    def write(self, draft: Draft, place: Place, settings: ProxySettings) -> None:
        """Make the file set the variables, or remove it where it sets nothing else.

        A removal takes them out of each file in which the program may look for them.
        """
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

    def _edit(self, draft: Draft, entry: FileEntry, settings: ProxySettings) -> None:
        """Make an entry of our path set the variables, and nothing of ours without any."""
        problem = self._problem(entry)
        if problem:
            message = f"{problem}, so the entry is left as it is; set the proxy there by hand"
            draft.report("ByHand", message, entry.field("content"))
        elif entry.has_reference:
            self._edit_reference(draft, entry, settings)
        else:
            self._edit_text(draft, entry, settings)

    def _problem(self, entry: FileEntry) -> str:
        """Return what keeps an entry from being edited; "" for nothing."""
        data = entry.entry
        if data.get("append") is True and not self.file.appends:
            return "it appends to a file"
        if data.get("contentFormat") == "Template":
            return "it is a template"
        if entry.has_reference:
            return "it has `content` and `contentFrom`" if data.get("content") else ""
        if entry.text is None:
            return "its `content` cannot be read as text"
        return self.file.form.problem(entry.text)

    def _edit_text(self, draft: Draft, entry: FileEntry, settings: ProxySettings) -> None:
        old = entry.text or ""
        variables = settings.variables()
        if variables and self._is_reference:
            if not self.file.form.edit(old, {}).strip():
                self._refer(draft, entry, settings)
                return
            message = (
                "`content` holds more than proxy variables, so it does not become `contentFrom`"
            )
            draft.report("ByHand", message, entry.field("content"))
        new = self.file.form.edit(old, variables)
        if old and not new:
            draft.remove(entry.place, keep=len(self.config.path))
            return
        if new != old:
            content = encode(new, entry.entry.get("encoding"))
            draft.set(entry.field("content"), content)
        if variables:
            self._report_limits(draft, entry.place)

    def _edit_reference(self, draft: Draft, entry: FileEntry, settings: ProxySettings) -> None:
        """Make an entry with ``contentFrom`` set the variables.

        Without a proxy the Secret of the Cluster loses its text, and no node starts from a reference to nothing.
        Where the Cluster is not known, a reference to some Cluster's Secret is right.
        """
        name, key = source_of(entry.entry)
        if not cluster_secret.is_of(name, settings):
            message = f'content comes from key "{key}" of Secret "{name}"; check its proxy'
            draft.report("ByHand", message, entry.field("contentFrom"))
        elif not settings.sets_any:
            draft.describe(f"removes the reference to the Secret from {self.file.label}")
            draft.remove(entry.place, keep=len(self.config.path))
        elif self._is_reference and settings.clusters:
            self._refer(draft, entry, settings)
        elif "content" in self.options and not self._is_reference:
            content = self.file.form.edit("", settings.variables())
            draft.set(entry.place, {**entry.without_content, "content": content})

    def _refer(self, draft: Draft, entry: FileEntry, settings: ProxySettings) -> None:
        """Let an entry take its content from the Secret of the Cluster."""
        if not self._may_refer(draft, settings):
            return
        wanted = cluster_secret.reference(settings, self.file.unit)
        if not cluster_secret.is_reference(entry.entry.get("contentFrom"), wanted):
            draft.set(entry.place, {**entry.without_content, "contentFrom": wanted})
            draft.describe(f"takes {self.file.label} from the Secret of its Cluster")

    def _may_refer(self, draft: Draft, settings: ProxySettings) -> bool:
        obstacle = cluster_secret.obstacle(settings)
        if not obstacle:
            return True
        message = f"the Secret `<cluster>-systemd-proxy` {obstacle}, or set `content` to `Inline`"
        draft.report("CannotWrite", message, self.config.files)
        return False

    def _add(self, draft: Draft, settings: ProxySettings) -> None:
        """Add an entry; its keys have the order of the Tanzu document, or of Giant Swarm's."""
        entry: Fields
        if self._is_reference:
            if not self._may_refer(draft, settings):
                return
            entry = {
                "path": self.path,
                "permissions": "0600",
                "contentFrom": cluster_secret.reference(settings, self.file.unit),
            }
            draft.describe(f"takes {self.file.label} from the Secret of its Cluster")
        else:
            text = self.file.form.edit("", settings.variables())
            if not text or (self.file.appends and not self._may_append(draft)):
                return
            entry = {
                "append": self.file.appends,
                "content": text,
                "owner": self.config.system.has_owner and "root:root",
                "path": self.path,
                "permissions": self.file.permissions,
            }
        entry = {key: value for key, value in entry.items() if value}
        draft.append(self.config.files, entry)
        last = len(list_at(draft.data, self.config.files)) - 1
        self._report_limits(draft, (*self.config.files, str(last)))

    def _may_append(self, draft: Draft) -> bool:
        if self.config.system.has_append and not self.config.has_ignition:
            return True
        message = (
            f'an entry would replace the "{self.path}" of the image, so none is added: take "profile" in place of '
            '"environment", or write an entry with what your image holds'
        )
        draft.report("ByHand", message, self.config.files)
        return False

    def _report_limits(self, draft: Draft, place: Pointer) -> None:
        """Report what Cluster API or Ignition would refuse of an entry."""
        if self.config.has_ignition and self.path.startswith("/usr/"):
            message = (
                "`path` must not be under /usr with Ignition (read-only); write one under /etc"
            )
            draft.report("CannotWrite", message, (*place, "path"))
        self.config.report_length(draft, (*place, "content"))


class OtherDropIns(NamedTuple):
    """The drop-ins of a service, which are reported where they work against ours, and never written."""

    ours: ProxyFile

    def _all(self, data: Any) -> Iterator[FileEntry]:
        """Yield all drop-ins of the service, ours among them."""
        own_folder = posixpath.dirname(self.ours.path)
        folders = {*self.ours.file.folders, own_folder}
        for entry in self.ours.config.files_in(data):
            folder, name = posixpath.split(entry.path)
            if folder in folders and name.endswith(".conf"):
                yield entry

    def read(self, data: Any, place: Place) -> Iterator[Reading]:
        """Yield what the others set; what is elsewhere is judged by the name of the file."""
        for entry in self._all(data):
            if entry.path == self.ours.path:
                continue
            if entry.text is not None or "proxy" in posixpath.basename(entry.path):
                label = f'the drop-in "{entry.path}" in `files[{entry.place[-1]}]`'
                yield from readings_of(self.ours.config, entry, label, DROP_IN)

    def write(self, draft: Draft, place: Place, settings: ProxySettings) -> None:
        """Report each that sets a proxy as well, or takes it away."""
        unit = self.ours.file.unit
        message = f"this drop-in sets proxy variables for {unit}, too; remove it"
        paths = [reading.path[:-1] for reading in self.read(draft.data, place)]
        for path in dict.fromkeys(paths):
            draft.report("OtherProxy", message, (*path, "path"))
        for entry in self._all(draft.data):
            unset = unset_by(entry.text or "", settings.variables())
            if unset:
                message = f"`UnsetEnvironment=` takes {quoted(unset)} away from {unit}; remove it"
                draft.report("ProxySwitchedOff", message, entry.field("content"))


def proxy_file(config: NodeConfig, file: NodeFile, data: Any, given: Any) -> ProxyFile:
    """Return the form of a file in a configuration of an object; ``given`` are the options of its target, if any."""
    options = given if isinstance(given, Mapping) else {}
    existing = {entry.path for entry in config.files_in(data)}
    paths = [path for path in file.paths if path in existing]
    path, *_ = paths or file.paths
    return ProxyFile(config, file, options, options.get("path", path))


def readings_of(
    config: NodeConfig, entry: FileEntry, label: str, form: Syntax
) -> Iterator[Reading]:
    """Yield each variable that a file sets; all six where its text is not here."""
    blank = Reading(
        "",
        None,
        entry.field("content"),
        "",
        label,
        file=entry.path,
        permissions=text_at(entry.entry, ("permissions",)),
        by_ignition=config.has_ignition,
    )
    if entry.text is not None:
        if not form.problem(entry.text):
            yield from readings(entry.text, form, blank)
        return
    why = "its `content` cannot be read as text"
    if entry.has_reference:
        name, key = source_of(entry.entry)
        why = f'it is under the key "{key}" of the Secret "{name}"'
        blank = blank._replace(path=entry.field("contentFrom"))
    for variable in PROXY_VARIABLES:
        yield blank._replace(variable=variable, why_unknown=why)


def source_of(entry: Data) -> tuple[Any, Any]:
    """Return name and key of the Secret with the content of an entry; that of k0s has another member for it."""
    source = entry.get("contentFrom")
    secret = lookup(source, ("secret",)) or lookup(source, ("secretRef",))
    return lookup(secret, ("name",)), lookup(secret, ("key",))
