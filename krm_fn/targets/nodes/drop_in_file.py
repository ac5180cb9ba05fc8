"""A systemd drop-in that sets proxy variables, as one entry of ``files`` of a configuration.

There is at most one entry of our own, known by its ``path``. Its text is edited, never replaced. Whether the text
is in the entry or in the Secret of the Cluster is its author's decision unless the user decides. Other drop-ins of the
service are read and reported, and not edited.

The encodings of an entry are in ``files.py``, what systemd reads in the text is in ``carriers/unit_text.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from krm_fn.carriers import drop_in_secret, unit_text
from krm_fn.carriers.reading import Reading, Values
from krm_fn.carriers.site import Site, SiteWithoutVariables, Variables
from krm_fn.engine import Draft
from krm_fn.krm.results import Severity
from krm_fn.krm.type_errors import wrong_type
from krm_fn.light_typing import Any
from krm_fn.patch import Pointer, lookup
from krm_fn.settings import PROXY_VARIABLES, ProxySettings
from krm_fn.targets.base import Context
from krm_fn.targets.nodes import config_spec
from krm_fn.targets.nodes.config_spec import ConfigSpec
from krm_fn.targets.nodes.container_runtime import CONTAINERD, CRI_O
from krm_fn.targets.nodes.drop_in_conflicts import (
    Conflicts,
    hiding,
    is_about_proxies,
    is_drop_in,
    namesakes,
)
from krm_fn.targets.nodes.files import LARGEST, File, FileEntry, decode, encode, entries_of

BY_REFERENCE = "Secret"
"""The value of the option ``content`` with which the text of the drop-in is in the Secret of the Cluster."""

OF_TEXT = {"owner": "root:root", "permissions": "0640"}
"""What a new drop-in has where the user does not say so."""

OF_REFERENCE = {"permissions": "0600"}
"""The same for one whose text is in the Secret."""

_FILLED_BY = "giantswarmSystemdProxy"
"""The target that writes the Secret of a Cluster."""

_Entry = Mapping[str, Any]


def path_of(options: Mapping[str, Any], unit: str, entries: Sequence[Any]) -> str:
    """Return where our drop-in for ``unit`` is on the node.

    Where the user does not say so, that is the path in ``entries`` of ``files`` at which systemd finds a drop-in of
    our name, whoever wrote it; else the one under ``/etc``.
    """
    if "path" in options:
        return str(options["path"])
    existing = [lookup(entry, ("path",)) for entry in entries]
    possible = _possible_paths(unit)
    return next((path for path in possible if path in existing), possible[0])


def _possible_paths(unit: str) -> Sequence[str]:
    """Return where the drop-in may be if the user does not say so, the one that hides the others first."""
    return namesakes(f"/etc/systemd/system/{unit}.service.d/http-proxy.conf")


class DropIn:
    """Our drop-in for one service, as a site.

    Args:
        spec: the configuration that puts the file on the nodes.
        unit: name of the service without ``.service``.
        target: the key under ``spec.targets`` that messages name.
        options: ``path``, ``owner``, ``permissions`` and ``content`` of the file.
        settings: say which Secret a reference names.
    """

    option = ""
    """The option that says where the file is, in full; "" where there is none."""
    may_append = False
    """Whether an entry that appends to a file of the image is edited."""

    def __init__(
        self,
        spec: ConfigSpec,
        unit: str,
        target: str,
        options: Mapping[str, Any],
        settings: ProxySettings,
    ) -> None:
        self.spec = spec
        self.unit = unit
        self.target = target
        self.path = path_of(options, unit, spec.entries(spec.files))
        self.label = f"the drop-in of {unit}"
        self._options = options
        self._settings = settings
        self._draft = spec.draft
        self._content = str(options.get("content", ""))

    def read(self) -> Iterator[Reading]:
        """Yield what the drop-in sets, the first of several with its path; nothing where systemd ignores it."""
        for file, is_ours in _files_of(self.spec, self.unit, self.path):
            if is_ours:
                yield from readings_of(self.spec, file, self.label, may_hide=True)

    def write(self, variables: Variables) -> None:
        """Make the drop-in set the variables, or remove it where it sets nothing else.

        Raises:
            WrongTypeError: ``files`` is no list.
        """
        variables = self.spec.writable(variables)
        entries = self._draft.items(self.spec.files) or []
        try:
            self._write(entries, variables)
        except ValueError as error:
            message = f"{error}; change the proxy settings"
            self._report(Severity.ERROR, message, self.spec.files, code="ValueNotWritable")
        self._report_wrong_entries()

    def edited(self, text: str, place: Pointer, variables: Variables) -> str | None:
        """Return a text with exactly the variables; None where it is left alone, which is reported at ``place``.

        Raises:
            ValueError: a value cannot be written.
        """
        if unit_text.has_rejected_header(text):
            if variables or unit_text.settings_of(text):
                message = unit_text.REJECTED_HEADER
                self._report(Severity.WARNING, message, place, code="SectionRejected")
            return None
        return unit_text.edit(text, variables)

    def fresh(self, variables: Variables) -> str:
        """Return a new text with the variables.

        Raises:
            ValueError: a value cannot be written.
        """
        return unit_text.fresh(variables)

    def paths_of(self, variables: Variables) -> Sequence[str]:
        """Return the path, and where no proxy is wanted those that come into effect once it has gone."""
        if variables or "path" in self._options:
            return [self.path]
        return _possible_paths(self.unit)

    def _write(self, entries: Sequence[Any], variables: Variables) -> None:
        paths = self.paths_of(variables)
        kept: list[Any] = []
        origins: list[int | None] = []
        is_met = False
        for index, entry in enumerate(entries):
            place = (*self.spec.files, str(len(kept)))
            edited = entry
            if isinstance(entry, Mapping) and entry.get("path") in paths:
                if is_met and variables:
                    self._report_repeated(place)
                else:
                    edited = self._edited(entry, place, variables)
                    if edited is None:
                        continue
                is_met = True
            kept.append(edited)
            origins.append(index)
        if variables and not is_met:
            added = self._new_entry((*self.spec.files, str(len(kept))), variables)
            if added is not None:
                kept.append(added)
                origins.append(None)
        self._draft.set_items(self.spec.files, kept, origins)

    def _edited(self, entry: _Entry, place: Pointer, variables: Variables) -> _Entry | None:
        """Return an entry of our path as it should be; None where it has to be removed."""
        if self._report_obstacle(entry, place):
            return entry
        if entry.get("contentFrom") is not None:
            return self._edited_reference(entry, place, variables)
        if self._content == BY_REFERENCE and variables and _is_replaceable(entry):
            return self._referring(entry, place)
        return self._edited_text(entry, place, variables)

    def _edited_text(self, entry: _Entry, place: Pointer, variables: Variables) -> _Entry | None:
        old = decode(entry)
        if old is None:
            self._report_unreadable(entry, place)
            return entry
        new = self.edited(old, (*place, "content"), variables)
        if new is None:
            return entry
        if old and not new:
            return None
        edited = dict(entry)
        if new != old:
            edited["content"] = encode(new, entry.get("encoding"))
        if variables:
            self._set_attributes(edited)
            self._report_limits(edited, place, variables)
            if self._content == BY_REFERENCE:
                self._report_stays(place)
        return edited

    def _edited_reference(
        self, entry: _Entry, place: Pointer, variables: Variables
    ) -> _Entry | None:
        """Return an entry with ``contentFrom`` as it should be.

        Where the user does not say where the text has to be, it stays there. Without a proxy the Secret of the Cluster
        loses its text, and nodes cannot be created from a reference to nothing.
        """
        is_ours = self._is_ours(entry)
        if is_ours and not variables:
            self._draft.describe(f"removes the reference to the Secret from {self.label}")
            return None
        if not is_ours or not self._content:
            self._report_content_from(entry, place, is_ours=is_ours)
            return entry
        if self._content == BY_REFERENCE:
            return self._referring(entry, place)
        # An encoding would be that of the content of the Secret.
        edited = {key: entry[key] for key in entry if key not in ("contentFrom", "encoding")}
        edited["content"] = self.fresh(variables)
        self._draft.describe(f"puts the text of {self.label} in the place of a reference")
        self._set_attributes(edited)
        self._report_limits(edited, place, variables)
        return edited

    def _referring(self, entry: _Entry, place: Pointer) -> _Entry:
        """Return an entry that takes its content from the Secret."""
        if drop_in_secret.obstacle(self._settings):
            if self._settings.clusters or not self._is_ours(entry):
                self._report_no_secret()
            return entry
        edited = dict(entry)
        wanted = drop_in_secret.reference(self._settings, self.unit)
        if not drop_in_secret.is_reference(entry.get("contentFrom"), wanted):
            edited.pop("content", None)
            edited.pop("encoding", None)
            edited["contentFrom"] = wanted
            self._describe_reference()
        self._set_attributes(edited)
        self._report_path(place)
        return edited

    def _new_entry(self, place: Pointer, variables: Variables) -> _Entry | None:
        """Return a new entry; its keys have the order of the Tanzu document, or of Giant Swarm's."""
        owner = self._options.get("owner")
        permissions = self._options.get("permissions")
        if self._content != BY_REFERENCE:
            file = File(
                self.path,
                self.fresh(variables),
                str(owner or OF_TEXT["owner"]),
                str(permissions or OF_TEXT["permissions"]),
            )
            entry = file.entry(self.spec)
            self._report_limits(entry, place, variables)
            return entry
        if drop_in_secret.obstacle(self._settings):
            self._report_no_secret()
            return None
        self._describe_reference()
        self._report_path(place)
        return {
            "path": self.path,
            **({"owner": owner} if owner else {}),
            "permissions": str(permissions or OF_REFERENCE["permissions"]),
            "contentFrom": drop_in_secret.reference(self._settings, self.unit),
        }

    def _set_attributes(self, entry: dict[str, Any]) -> None:
        """Set owner and permissions, which are the author's unless the user gives them."""
        for key in ("owner", "permissions"):
            if key in self._options and entry.get(key) != self._options[key]:
                entry[key] = self._options[key]
                self._draft.describe(f"sets `{key}` of {self.label}")

    def _is_ours(self, entry: _Entry) -> bool:
        """Return whether the content is in the Secret that the target for it fills."""
        name = lookup(entry, ("contentFrom", "secret", "name"))
        return drop_in_secret.is_of(name, self._settings)

    def _describe_reference(self) -> None:
        self._draft.describe(f"takes {self.label} from the Secret of its Cluster")

    def _report(self, severity: Severity, message: str, path: Pointer, *, code: str) -> None:
        self._draft.report(severity, message, path, code=code)

    def _report_wrong_entries(self) -> None:
        """Report entries that are no mappings, or whose path is no string."""
        for index, entry in enumerate(self.spec.entries(self.spec.files)):
            place = (*self.spec.files, str(index))
            if not isinstance(entry, Mapping):
                self._draft.findings.append(wrong_type(place, entry, "a mapping"))
            elif not isinstance(entry.get("path"), str | None):
                path = (*place, "path")
                self._draft.findings.append(wrong_type(path, entry["path"], "a string"))

    def _report_obstacle(self, entry: _Entry, place: Pointer) -> bool:
        """Report what keeps an entry from being edited: a wrong type, or two contents."""
        for key in ("content", "encoding"):
            if not isinstance(entry.get(key), str | None):
                self._draft.findings.append(wrong_type((*place, key), entry[key], "a string"))
                return True
        for key, value, what in (
            ("append", True, "appends to a file"),
            ("contentFormat", "Template", "is a template"),
        ):
            if entry.get(key) == value and not (key == "append" and self.may_append):
                message = (
                    f"an entry that {what} (`{key}`) is not edited, and the drop-in cannot be added "
                    f"beside it, because a path must be unique; remove `{key}`, or set the proxy "
                    "there by hand"
                )
                self._report(Severity.WARNING, message, (*place, key), code="EntryNotEdited")
                return True
        source = entry.get("contentFrom")
        if source is not None and not isinstance(source, Mapping):
            path = (*place, "contentFrom")
            self._draft.findings.append(wrong_type(path, source, "a mapping"))
            return True
        if source is not None and entry.get("content"):
            message = (
                "`content` and `contentFrom` must not both be set, Cluster API rejects that; "
                "remove one of them"
            )
            self._report(Severity.ERROR, message, place, code="ContentTwice")
            return True
        return False

    def _report_repeated(self, place: Pointer) -> None:
        message = (
            f'`path` must be unique, but "{self.path}" is here again; remove one of the two entries'
        )
        self._report(Severity.WARNING, message, (*place, "path"), code="PathRepeated")

    def _report_unreadable(self, entry: _Entry, place: Pointer) -> None:
        if len(entry.get("content") or "") > LARGEST:
            message = (
                f"`content` must not be longer than {LARGEST} characters, it is left as it is; "
                "shorten it"
            )
        else:
            message = (
                f'`content` cannot be read as "{entry.get("encoding")}" and is left as it is; '
                "write it without `encoding`, or as base64 or gzip+base64 of UTF-8 text"
            )
        self._report(Severity.WARNING, message, (*place, "content"), code="TextUnreadable")

    def _report_content_from(self, entry: _Entry, place: Pointer, *, is_ours: bool) -> None:
        """Report which target writes a content that is in a Secret, or that none does."""
        secret = _source_of(entry)
        key, name = lookup(secret, ("key",)), lookup(secret, ("name",))
        message = f'content comes from key "{key}" of Secret "{name}"'
        if is_ours:
            severity = Severity.INFO
            message += f", which the target `{_FILLED_BY}` fills if it is in the list"
        else:
            severity = Severity.WARNING
            message += "; check that it sets the proxy, or replace `contentFrom` by `content`"
        self._report(severity, message, (*place, "contentFrom"), code="ContentInSecret")

    def _report_no_secret(self) -> None:
        message = (
            f"the Secret `<cluster>-systemd-proxy` {drop_in_secret.obstacle(self._settings)}, or "
            f"set `spec.targets.{self.target}.content` to `Inline`"
        )
        self._report(Severity.ERROR, message, self.spec.files, code="SecretNotUsable")

    def _report_stays(self, place: Pointer) -> None:
        message = (
            "`content` holds more than proxy variables, so it does not become `contentFrom`: move "
            f"the rest to a drop-in of its own, or set `spec.targets.{self.target}.content` to "
            "`Inline`"
        )
        self._report(Severity.WARNING, message, (*place, "content"), code="DropInStaysInline")

    def _report_path(self, place: Pointer) -> None:
        """Report a path that Ignition cannot write."""
        if self.spec.ignition and self.path.startswith("/usr/"):
            is_option = "path" in self._options
            remedy = f"set `{self.option}` to one" if is_option else "write one"
            message = (
                f"`path` must not be under /usr with Ignition (read-only); {remedy} under /etc"
            )
            self._report(Severity.ERROR, message, (*place, "path"), code="ReadOnlyPath")

    def _report_limits(self, entry: _Entry, place: Pointer, variables: Variables) -> None:
        """Report what Cluster API, Ignition or cloud-init would make of an entry as it is to be."""
        content, encoding = (*place, "content"), entry.get("encoding")
        remedy = "shorten `noProxy`"
        self._report_path(place)
        self.spec.report_encoding(encoding, place)
        if not self.spec.ignition:
            remedy += ", or use `encoding: gzip+base64`"
            if not encoding:
                self.spec.report_jinja(variables, content)
        self.spec.report_length(content, entry.get("content") or "", remedy)


class OtherDropIns:
    """The drop-ins of a service besides ours, as a site that writes nothing and reports what is in the way."""

    def __init__(self, ours: DropIn) -> None:
        self._ours = ours
        self._spec = ours.spec
        self.label = f"other drop-ins of {ours.unit}"

    def read(self) -> Iterator[Reading]:
        """Yield what they set, in the order of the entries, without those that systemd ignores."""
        for file, is_ours in _files_of(self._spec, self._ours.unit, self._ours.path):
            if not is_ours:
                label = f'the drop-in "{file.path}" in `files[{file.at}]`'
                yield from readings_of(
                    self._spec, file, label, may_hide=is_about_proxies(file.path)
                )

    def write(self, variables: Variables) -> None:
        """Report drop-ins that set a proxy as well, and settings that take the variables away again."""
        ours = self._ours
        variables = self._spec.writable(variables)
        found = Conflicts(self._spec, ours.unit, ours.path, ours.option)
        found.report_overrides(variables)
        paths = ours.paths_of(variables)
        for file in entries_of(self._spec):
            if file.path not in paths:
                found.report_other_drop_in(file, is_wanted=bool(variables))


def _files_of(spec: ConfigSpec, unit: str, ours: str) -> Iterator[tuple[FileEntry, bool]]:
    """Yield the drop-ins of a service that systemd reads, each with whether it is ours: the first with our path."""
    files = [*entries_of(spec)]
    paths = {file.path for file in files}
    is_met = False
    for file in files:
        if not (file.path == ours or is_drop_in(file.path, unit)):
            continue
        if not paths.isdisjoint(hiding(file.path)):
            continue
        is_ours = file.path == ours and not is_met
        is_met = is_met or is_ours
        yield file, is_ours


def readings_of(
    spec: ConfigSpec,
    file: FileEntry,
    label: str,
    *,
    may_hide: bool,
    settings_of: Callable[[str], Iterable[unit_text.UnitSetting]] = unit_text.settings_of,
) -> Iterator[Reading]:
    """Yield each variable that a file sets; all six where it may and its text is not here.

    Args:
        spec: the configuration with the file.
        file: one of its files.
        label: what messages call the file.
        may_hide: whether it may set variables where its text is not here.
        settings_of: reads a text.
    """
    entry, text = file.entry, file.text
    permissions = entry.get("permissions")
    if not isinstance(permissions, str):
        permissions = ""
    of_file = partial(Reading, file=file.path, permissions=permissions, by_ignition=spec.ignition)
    path = (*spec.files, str(file.at), "content")
    if text is not None:
        for one in settings_of(text):
            is_lost = one.value is None
            reading = of_file(one.name, one.value, path, one.raw, label, one.why, is_lost=is_lost)
            yield reading if entry.get("encoding") else spec.through_jinja(reading)
    elif may_hide:
        why = "its `content` cannot be read as text"
        if entry.get("contentFrom") is not None:
            secret = _source_of(entry)
            why = (
                f'it is under the key "{lookup(secret, ("key",))}" of the Secret '
                f'"{lookup(secret, ("name",))}"'
            )
            path = (*path[:-1], "contentFrom")
        for name in PROXY_VARIABLES:
            yield of_file(name, None, path, "", label, why)


def _source_of(entry: _Entry) -> Any:
    """Return the Secret with the content of an entry; that of k0s has another member for it."""
    found = (lookup(entry, ("contentFrom", member)) for member in ("secret", "secretRef"))
    return next((one for one in found if one is not None), None)


def _is_replaceable(entry: _Entry) -> bool:
    """Return whether an entry holds nothing but proxy variables, so that a reference can take its place."""
    text = decode(entry)
    return text is not None and not (text.strip() and unit_text.edit(text, {}))


def drop_in_sites(draft: Draft, context: Context, unit: str, target: str) -> Iterator[Site]:
    """Yield the drop-ins of a service; where CRI-O pulls the images, those of CRI-O in place of containerd's.

    Args:
        draft: an object of one of ``NODE_KINDS``.
        context: the options ``path``, ``owner``, ``permissions`` and ``content``, and the settings.
        unit: name of the service without ``.service``.
        target: the key under ``spec.targets`` that messages name.
    """
    is_wanted = context.settings.sets_any
    spec = config_spec.find(draft, is_wanted=is_wanted, is_whole=context.is_whole)
    if spec is None:
        return
    spec.report_form(is_wanted=is_wanted)
    if unit == CONTAINERD and spec.runtime == CRI_O:
        if "path" not in context.options:
            yield _Unused(spec, unit, target)
        unit = CRI_O
    drop_in = DropIn(spec, unit, target, context.options, context.settings)
    drop_in.option = f"spec.targets.{target}.path"
    yield drop_in
    yield OtherDropIns(drop_in)


def correct_drop_in(draft: Draft, place: Mapping[str, Reading], values: Values) -> None:
    """Give the variables of a drop-in in ``files`` other values, where all that it sets is known."""
    from krm_fn.carriers.unit_corrections import corrected  # noqa: PLC0415 -- only `lint --fix` corrects

    path = next(iter(place.values())).path
    entry = draft.get(path[:-1])
    text = decode(entry) if path[-1] == "content" else None
    edited = None if text is None else corrected(text, place, values)
    if edited is not None:
        draft.set(path, encode(edited, entry.get("encoding")))


class _Unused(SiteWithoutVariables):
    """The drop-in of a service that does not run on the nodes, as a site: what an earlier run wrote is removed.

    It stays as it is where something is in the way; nobody has to know about that.
    """

    def __init__(self, spec: ConfigSpec, unit: str, target: str) -> None:
        self._spec = spec
        self._unit = unit
        self._target = target
        self.label = f"the drop-in of {unit}"

    def write(self, variables: Variables) -> None:
        """Remove the drop-in, whatever the variables are."""
        tried = Draft(self._spec.draft.data)
        spec = config_spec.find(tried)
        if spec is None or not spec.entries(spec.files):
            return
        DropIn(spec, self._unit, self._target, {}, ProxySettings()).write({})
        if tried.operations() and not tried.findings:
            self._spec.draft.set_items(self._spec.files, spec.entries(spec.files))
            self._spec.draft.describe(f"removes {self.label}, which the nodes do not run")
