"""A systemd drop-in that sets proxy variables, as one entry of ``files`` of a KubeadmConfigSpec.

There is at most one entry of ours, known by its ``path``; another entry is looked at but not
touched. Whether the text stands in the entry or in a Secret, is its author's to say unless the user does.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from krm_fn.carriers import unit_text
from krm_fn.carriers.kubeadm_config import ConfigSpec, at_new_places, find
from krm_fn.carriers.node_system import CONTAINERD, CRI_O, NodeSystem
from krm_fn.carriers.site import quoted
from krm_fn.formats.file_content import decode
from krm_fn.krm.results import Change, Finding, Severity
from krm_fn.krm.type_errors import wrong_type
from krm_fn.patch import ListEdit, Operation, Pointer, apply
from krm_fn.settings import ProxySettings
from krm_fn.targets import _drop_in_inline, _drop_in_secret, _unit_overrides
from krm_fn.targets._drop_in_place import DropIn
from krm_fn.targets._drop_in_seen import elsewhere
from krm_fn.targets._rivals import rival
from krm_fn.targets._unit_warnings import shown


def propose(
    obj: Mapping[str, Any],
    settings: ProxySettings,
    options: Mapping[str, Any],
    *,
    unit: str,
    target: str,
) -> Iterator[Change | Finding]:
    """Yield what has to change in ``obj`` so that the service ``unit`` runs with ``settings``.

    Args:
        obj: an object of one of ``kubeadm_config.KINDS`` as plain data.
        settings: the proxy; all empty means none.
        options: ``path``, ``owner``, ``permissions`` and ``content`` of the file.
        unit: name of the service without ``.service``.
        target: the key under ``spec.targets`` that a message names.
    """
    spec = find(obj, wanted=bool(settings.variables()))
    if not isinstance(spec, ConfigSpec):
        yield from () if spec is None else (spec,)
        return
    if settings.variables() and spec.system is not NodeSystem.LINUX:
        yield from spec.unwritten()
        settings = ProxySettings()
    if unit == CONTAINERD and spec.runtime == CRI_O:
        # CRI-O pulls the images there: what an earlier run wrote for containerd goes, and CRI-O gets a drop-in.
        gone = [*_propose(DropIn(unit, target, spec, ProxySettings(), options))]
        if "path" in options or any(isinstance(one, Finding) for one in gone):
            gone = []
        yield from gone
        operations = [one.operation for one in gone if isinstance(one, Change)]
        after = find(apply(copy.deepcopy(dict(obj)), operations)) if operations else spec
        if isinstance(after, ConfigSpec):
            yield from _propose(DropIn(CRI_O, target, after, settings, options))
        return
    yield from _propose(DropIn(unit, target, spec, settings, options))


def _propose(drop_in: DropIn) -> Iterator[Change | Finding]:
    """The same for one drop-in of one object."""
    spec, settings = drop_in.spec, drop_in.settings
    yield from spec.findings(settings)
    entries = spec.entries("files")
    if isinstance(entries, Finding):
        yield entries
        return
    edit = ListEdit(drop_in.files, entries or ())
    yield from at_new_places(list(_edit_files(drop_in, entries or (), edit)), edit)


def _edit_files(
    drop_in: DropIn, entries: Sequence[Any], edit: ListEdit
) -> Iterator[Change | Finding]:
    yield from _wrong_entries(drop_in, entries)
    files = [(index, entry) for index, entry in enumerate(entries) if isinstance(entry, dict)]
    try:
        yield from _edit_ours(drop_in, files, edit)
    except ValueError as error:
        yield Finding(Severity.ERROR, f"{error}; change the proxy settings", drop_in.files)
    yield from _unit_overrides.findings(drop_in, files)
    for index, entry in files:
        if entry.get("path") in drop_in.paths:
            continue
        wanted = bool(drop_in.variables)
        warning = rival(
            entry, unit=drop_in.unit, ours=drop_in.path, option=drop_in.option, wanted=wanted
        )
        if warning:
            yield Finding(
                Severity.WARNING, warning, (*drop_in.files, str(index), "path"), code="OtherDropIn"
            )


def _edit_ours(
    drop_in: DropIn, files: Sequence[tuple[int, Mapping[str, Any]]], edit: ListEdit
) -> Iterator[Change | Finding]:
    """The changes of the entry that has our path, or the entry itself."""
    ours = [(index, entry) for index, entry in files if entry.get("path") in drop_in.paths]
    for number, (index, entry) in enumerate(ours):
        if number and drop_in.variables:
            message = f'`path` must be unique, but "{drop_in.path}" stands here again; remove one of the two entries'
            yield Finding(
                Severity.WARNING, message, (*drop_in.files, str(index), "path"), code="PathRepeated"
            )
        else:
            yield from _edit_entry(drop_in, index, entry, edit)
    if drop_in.variables and not ours:
        yield from _append(drop_in, edit)
    yield from (_whole_entry(drop_in, operation, edit.old or ()) for operation in edit.operations())


def _wrong_entries(drop_in: DropIn, entries: Sequence[Any]) -> Iterator[Finding]:
    for index, entry in enumerate(entries):
        place = (*drop_in.files, str(index))
        if not isinstance(entry, dict):
            yield wrong_type(place, entry, "a mapping")
        elif not isinstance(entry.get("path"), str | None):
            yield wrong_type((*place, "path"), entry["path"], "a string")


def _append(drop_in: DropIn, edit: ListEdit) -> Iterator[Finding]:
    place = (*drop_in.files, str(len(edit.old or ())))
    if drop_in.content != "Secret":
        entry = _drop_in_inline.new_entry(drop_in)
        edit.appended.append(entry)
        yield from _drop_in_inline.limits(drop_in, place, entry, entry["content"])
        return
    source = _drop_in_secret.source(drop_in)
    if isinstance(source, Finding):
        yield source
        return
    edit.appended.append(_drop_in_secret.new_entry(drop_in, source))
    yield from drop_in.limits(place)


def _edit_entry(
    drop_in: DropIn, index: int, entry: Mapping[str, Any], edit: ListEdit
) -> Iterator[Change | Finding]:
    """Bring an existing entry of our path in line, or note in ``edit`` that it has to go."""
    place = (*drop_in.files, str(index))
    obstacle = _obstacle(place, entry)
    if obstacle:
        yield obstacle
    elif entry.get("contentFrom") is not None:
        yield from _edit_reference(drop_in, index, entry, edit)
    elif (
        drop_in.content == "Secret" and drop_in.variables and _drop_in_secret.is_replaceable(entry)
    ):
        yield from _drop_in_secret.refer(drop_in, place, entry)
    else:
        yield from _drop_in_inline.edit(drop_in, index, entry, edit)
        if drop_in.content == "Secret" and drop_in.variables and decode(entry) is not None:
            yield _drop_in_secret.stays(drop_in, place)


def _edit_reference(
    drop_in: DropIn, index: int, entry: Mapping[str, Any], edit: ListEdit
) -> Iterator[Change | Finding]:
    """The same for an entry with ``contentFrom``: where nobody says where the text is to stand, it stays there.

    Without a proxy the Secret of the Cluster loses its text, and a reference to nothing makes no node.
    """
    place = (*drop_in.files, str(index))
    if _drop_in_secret.is_ours(drop_in, entry) and not drop_in.variables:
        edit.removed.add(index)
    elif not drop_in.content or not _drop_in_secret.is_ours(drop_in, entry):
        yield _drop_in_secret.note(drop_in, place, entry)
    elif drop_in.content == "Secret":
        yield from _drop_in_secret.refer(drop_in, place, entry)
    else:
        made = list(_drop_in_secret.inline(drop_in, place, entry))
        yield from made
        yield from drop_in.attributes(place, entry)
        yield from _drop_in_inline.limits(drop_in, place, entry, made[-1].operation.value)


def _obstacle(place: Pointer, entry: Mapping[str, Any]) -> Finding | None:
    """What keeps an entry from being edited: a wrong type, or two contents."""
    for key in ("content", "encoding"):
        if not isinstance(entry.get(key), str | None):
            return wrong_type((*place, key), entry[key], "a string")
    for key, value, what in (
        ("append", True, "appends to a file"),
        ("contentFormat", "Template", "is a template"),
    ):
        if entry.get(key) == value:
            message = (
                f"an entry that {what} (`{key}`) is not edited, and the drop-in cannot stand beside it, because a path "
                f"must be unique; remove `{key}`, or set the proxy there by hand"
            )
            return Finding(Severity.WARNING, message, (*place, key), code="EntryNotEdited")
    source = entry.get("contentFrom")
    if source is not None and not isinstance(source, dict):
        return wrong_type((*place, "contentFrom"), source, "a mapping")
    if source is not None and entry.get("content"):
        message = "`content` and `contentFrom` must not both be set, Cluster API rejects that; remove one of them"
        return Finding(Severity.ERROR, message, place)
    return None


def _whole_entry(drop_in: DropIn, operation: Operation, entries: Sequence[Any]) -> Change:
    """An entry that comes or goes as a whole, or the list with it."""
    if operation.op == "add":
        entry = operation.value[0] if isinstance(operation.value, list) else operation.value
        if "contentFrom" in entry:
            return Change(drop_in.spec.rooted(operation), _drop_in_secret.reported(drop_in))
        message = f"sets {quoted(drop_in.variables)} for {drop_in.unit} in a new drop-in"
        return Change(
            drop_in.spec.rooted(operation),
            message,
            proposed=shown(unit_text.fresh(drop_in.variables)),
        )
    gone = entries if operation.path == drop_in.files else [entries[int(operation.path[-1])]]
    is_reference = any(entry.get("contentFrom") for entry in gone)
    why = (
        "whose content is to go from the Secret"
        if is_reference
        else "which held nothing but proxy variables"
    )
    message = f"removes the drop-in of {drop_in.unit}, {why}"
    return Change(drop_in.spec.rooted(operation), message, current="\n".join(map(_described, gone)))


def _described(entry: Mapping[str, Any]) -> str:
    return elsewhere(entry) if entry.get("contentFrom") else shown(decode(entry) or "")
