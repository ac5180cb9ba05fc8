"""An entry of ``files`` that holds the text of a drop-in itself: edited inside its text, through its encoding.

The text is edited, never written anew; what cannot be read is not touched.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from krm_fn.carriers import unit_text
from krm_fn.formats.file_content import LARGEST, decode, encode
from krm_fn.krm.results import Change, Finding, Severity
from krm_fn.patch import ListEdit, Pointer, add, replace
from krm_fn.targets._drop_in_place import DropIn
from krm_fn.targets._unit_warnings import difference, shown

_GZIP = ("gzip", "gzip+base64")


def new_entry(drop_in: DropIn) -> dict[str, Any]:
    """An entry with its keys in the order of the Tanzu document."""
    return {
        "content": unit_text.fresh(drop_in.variables),
        "owner": str(drop_in.options.get("owner", "root:root")),
        "path": drop_in.path,
        "permissions": str(drop_in.options.get("permissions", "0640")),
    }


def edit(
    drop_in: DropIn, index: int, entry: Mapping[str, Any], edited: ListEdit
) -> Iterator[Change | Finding]:
    """Bring the text of an existing entry in line, or note in ``edited`` that the entry has to go."""
    place = (*drop_in.files, str(index))
    old = decode(entry)
    if old is None:
        yield _unreadable(place, entry)
        return
    new = unit_text.edit(old, drop_in.variables)
    if old and not new:
        edited.removed.add(index)
        return
    content = entry.get("content") or ""
    if new != old:
        content = encode(new, entry.get("encoding"))
        operation = (replace if "content" in entry else add)(*place, "content", value=content)
        message = difference(old, new, drop_in.unit)
        yield Change(operation, message, current=shown(old), proposed=shown(new))
    if drop_in.variables:
        yield from drop_in.attributes(place, entry)
        yield from limits(drop_in, place, entry, content)


def _unreadable(place: Pointer, entry: Mapping[str, Any]) -> Finding:
    message = (
        f'`content` cannot be read as "{entry.get("encoding")}" and is left as it is; '
        "write it without `encoding`, or as base64 or gzip+base64 of UTF-8 text"
    )
    if len(entry.get("content") or "") > LARGEST:
        message = f"`content` must not be longer than {LARGEST} characters, it is left as it is; shorten it"
    return Finding(Severity.WARNING, message, (*place, "content"), code="TextUnreadable")


def limits(
    drop_in: DropIn, place: Pointer, entry: Mapping[str, Any], content: str
) -> Iterator[Finding]:
    """What Cluster API, Ignition or cloud-init would make of an entry when its content is ``content``."""
    encoding = entry.get("encoding")
    yield from drop_in.limits(place)
    if drop_in.spec.ignition and encoding in _GZIP:
        message = (
            f'`encoding` must not be "{encoding}" with Ignition, which cannot unpack it; use base64'
        )
        yield Finding(Severity.WARNING, message, (*place, "encoding"), code="EncodingUnusable")
    if not drop_in.spec.ignition and not encoding:
        yield from drop_in.spec.jinja(drop_in.settings, (*place, "content"))
    remedy = (
        "shorten `noProxy`"
        if drop_in.spec.ignition
        else "shorten `noProxy`, or use `encoding: gzip+base64`"
    )
    yield from drop_in.spec.too_long((*place, "content"), content, remedy)
