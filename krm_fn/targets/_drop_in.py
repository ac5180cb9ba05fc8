"""A systemd drop-in that sets proxy variables, as one entry of ``files`` of a KubeadmConfigSpec.

The law of this room: there is at most one entry of ours, known by its ``path``; it is edited, never written anew, and
another entry is looked at but not touched.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from krm_fn.patch import ListEdit, Operation, Pointer, add, replace
from krm_fn.results import Change, Finding, Severity
from krm_fn.settings import ProxySettings
from krm_fn.targets import _unit_file, _unit_lines
from krm_fn.targets._drop_in_seen import elsewhere, path_of
from krm_fn.targets._file_content import LARGEST, decode, encode
from krm_fn.targets._kubeadm import ConfigSpec, at_new_places, find, names
from krm_fn.targets._rivals import rival
from krm_fn.targets._shape import wrong_type

_GZIP = ("gzip", "gzip+base64")


@dataclass(frozen=True)
class _DropIn:
    """One run of a drop-in target over one object."""

    unit: str
    target: str
    spec: ConfigSpec
    settings: ProxySettings
    options: Mapping[str, Any]

    @property
    def path(self) -> str:
        return path_of(self.options, self.unit)

    @property
    def option(self) -> str:
        return f"spec.targets.{self.target}.path"

    @property
    def variables(self) -> dict[str, str]:
        return self.settings.variables()

    @property
    def files(self) -> Pointer:
        return (*self.spec.path, "files")


def propose(
    obj: Mapping[str, Any], settings: ProxySettings, options: Mapping[str, Any], *, unit: str, target: str
) -> Iterator[Change | Finding]:
    """Yield what has to change in ``obj`` so that the service ``unit`` runs with ``settings``.

    Args:
        obj: an object of one of ``_kubeadm.KINDS`` as plain data.
        settings: the proxy; all empty means none.
        options: ``path``, ``owner``, ``permissions`` of the file.
        unit: name of the service without ``.service``.
        target: the key under ``spec.targets`` that a message names.
    """
    spec = find(obj, wanted=bool(settings.variables()))
    if not isinstance(spec, ConfigSpec):
        yield from () if spec is None else (spec,)
        return
    drop_in = _DropIn(unit, target, spec, settings, options)
    yield from spec.findings(settings)
    entries = spec.entries("files")
    if isinstance(entries, Finding):
        yield entries
        return
    edit = ListEdit(drop_in.files, entries or ())
    yield from at_new_places(list(_edit_files(drop_in, entries or (), edit)), edit)


def _edit_files(drop_in: _DropIn, entries: Sequence[Any], edit: ListEdit) -> Iterator[Change | Finding]:
    yield from _wrong_entries(drop_in, entries)
    files = [(index, entry) for index, entry in enumerate(entries) if isinstance(entry, dict)]
    try:
        yield from _edit_ours(drop_in, files, edit)
    except ValueError as error:
        yield Finding(Severity.ERROR, f"{error}; change the proxy settings", drop_in.files)
    for index, entry in files:
        wanted = bool(drop_in.variables)
        warning = rival(entry, unit=drop_in.unit, ours=drop_in.path, option=drop_in.option, wanted=wanted)
        if warning:
            yield Finding(Severity.WARNING, warning, (*drop_in.files, str(index), "path"))


def _edit_ours(
    drop_in: _DropIn, files: Sequence[tuple[int, Mapping[str, Any]]], edit: ListEdit
) -> Iterator[Change | Finding]:
    """The changes of the entry that has our path, or the entry itself."""
    ours = [(index, entry) for index, entry in files if entry.get("path") == drop_in.path]
    entries = edit.old or ()
    for number, (index, entry) in enumerate(ours):
        if number and drop_in.variables:
            message = f'`path` must be unique, but "{drop_in.path}" stands here again; remove one of the two entries'
            yield Finding(Severity.WARNING, message, (*drop_in.files, str(index), "path"))
        else:
            yield from _edit_entry(drop_in, index, entry, edit)
    if drop_in.variables and not ours:
        edit.appended.append(_new_entry(drop_in))
        yield from _limits(drop_in, len(entries), edit.appended[0], edit.appended[0]["content"])
    yield from (_whole_entry(drop_in, operation, entries) for operation in edit.operations())


def _wrong_entries(drop_in: _DropIn, entries: Sequence[Any]) -> Iterator[Finding]:
    for index, entry in enumerate(entries):
        place = (*drop_in.files, str(index))
        if not isinstance(entry, dict):
            yield wrong_type(place, entry, "a mapping")
        elif not isinstance(entry.get("path"), str | None):
            yield wrong_type((*place, "path"), entry["path"], "a string")


def _new_entry(drop_in: _DropIn) -> dict[str, str]:
    return {
        "content": _unit_file.fresh(drop_in.variables),
        "owner": str(drop_in.options.get("owner", "root:root")),
        "path": drop_in.path,
        "permissions": str(drop_in.options.get("permissions", "0640")),
    }


def _edit_entry(drop_in: _DropIn, index: int, entry: Mapping[str, Any], edit: ListEdit) -> Iterator[Change | Finding]:
    """Bring an existing entry of our path in line, or note in ``edit`` that it has to go."""
    place = (*drop_in.files, str(index))
    old = decode(entry)
    obstacle = _obstacle(place, entry)
    if obstacle or old is None:
        yield obstacle or _unreadable(place, entry)
        return
    new = _unit_file.edit(old, drop_in.variables)
    if old and not new:
        edit.removed.add(index)
        return
    content = entry.get("content") or ""
    if new != old:
        content = encode(new, entry.get("encoding"))
        operation = (replace if "content" in entry else add)(*place, "content", value=content)
        yield Change(operation, _difference(drop_in, old, new), current=_shown(old), proposed=_shown(new))
    if drop_in.variables:
        yield from _attributes(drop_in, place, entry)
        yield from _limits(drop_in, index, entry, content)


def _obstacle(place: Pointer, entry: Mapping[str, Any]) -> Finding | None:
    """What keeps an entry from being edited: a wrong type, or a content that stands elsewhere."""
    for key in ("content", "encoding"):
        if not isinstance(entry.get(key), str | None):
            return wrong_type((*place, key), entry[key], "a string")
    source = entry.get("contentFrom")
    if source is None:
        return None
    if not isinstance(source, dict):
        return wrong_type((*place, "contentFrom"), source, "a mapping")
    if entry.get("content"):
        message = "`content` and `contentFrom` must not both be set, Cluster API rejects that; remove one of them"
        return Finding(Severity.ERROR, message, place)
    message = (
        f"the content is not seen here, {elsewhere(entry)}; "
        "see to it that it holds the proxy that is wanted, or replace `contentFrom` by `content`"
    )
    return Finding(Severity.WARNING, message, (*place, "contentFrom"))


def _unreadable(place: Pointer, entry: Mapping[str, Any]) -> Finding:
    message = (
        f'`content` cannot be read as "{entry.get("encoding")}" and is left as it is; '
        "write it without `encoding`, or as base64 or gzip+base64 of UTF-8 text"
    )
    if len(entry.get("content") or "") > LARGEST:
        message = f"`content` must not be longer than {LARGEST} characters, it is left as it is; shorten it"
    return Finding(Severity.WARNING, message, (*place, "content"))


def _attributes(drop_in: _DropIn, place: Pointer, entry: Mapping[str, Any]) -> Iterator[Change]:
    """Owner and permissions of an existing entry are its author's unless they are asked for."""
    for key in ("owner", "permissions"):
        if key in drop_in.options and entry.get(key) != drop_in.options[key]:
            operation = (replace if key in entry else add)(*place, key, value=drop_in.options[key])
            yield Change(operation, f"sets `{key}` of the drop-in of {drop_in.unit}")


def _limits(drop_in: _DropIn, index: int, entry: Mapping[str, Any], content: str) -> Iterator[Finding]:
    """What Cluster API, Ignition or cloud-init would make of the entry when its content is ``content``."""
    place, encoding = (*drop_in.files, str(index)), entry.get("encoding")
    if drop_in.spec.ignition:
        if drop_in.path.startswith("/usr/"):
            message = (
                f"`path` must not be under /usr with Ignition (read-only); set `{drop_in.option}` to one under /etc"
            )
            yield Finding(Severity.ERROR, message, (*place, "path"))
        if encoding in _GZIP:
            message = f'`encoding` must not be "{encoding}" with Ignition, which cannot unpack it; use base64'
            yield Finding(Severity.WARNING, message, (*place, "encoding"))
    elif not encoding:
        yield from drop_in.spec.jinja(drop_in.settings, (*place, "content"))
    remedy = "shorten `noProxy`" if drop_in.spec.ignition else "shorten `noProxy`, or use `encoding: gzip+base64`"
    yield from drop_in.spec.too_long((*place, "content"), content, remedy)


def _whole_entry(drop_in: _DropIn, operation: Operation, entries: Sequence[Any]) -> Change:
    """An entry that comes or goes as a whole, or the list with it."""
    if operation.op == "add":
        message = f"sets {names(drop_in.variables)} for {drop_in.unit} in a new drop-in"
        return Change(drop_in.spec.rooted(operation), message, proposed=_shown(_unit_file.fresh(drop_in.variables)))
    gone = entries if operation.path == drop_in.files else [entries[int(operation.path[-1])]]
    old = "\n".join(_shown(decode(entry) or "") for entry in gone)
    message = f"removes the drop-in of {drop_in.unit}, which held nothing but proxy variables"
    return Change(drop_in.spec.rooted(operation), message, current=old)


def _difference(drop_in: _DropIn, old: str, new: str) -> str:
    before, after = _unit_lines.read(old), _unit_lines.read(new)
    changed = [name for name, value in after.items() if before.get(name) != value]
    gone = [name for name in before if name not in after]
    parts = [f"{verb} {names(some)}" for verb, some in (("sets", changed), ("removes", gone)) if some]
    return f"{' and '.join(parts) or 'removes repeated assignments of proxy variables'} for {drop_in.unit}"


def _shown(text: str) -> str:
    return "\n".join(f"{name}={value}" for name, value in _unit_lines.read(text).items())
