"""What the drop-ins of a service set, ours and those of others, as systemd reads them.

It looks, and proposes nothing; a content that is not in the object is told as unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any

from krm_fn.carriers.kubeadm_config import ConfigSpec, find
from krm_fn.carriers.node_system import CONTAINERD, CRI_O
from krm_fn.carriers.reading import Reading
from krm_fn.carriers.unit_variables import settings_of
from krm_fn.formats.drop_in_precedence import is_drop_in, namesakes
from krm_fn.formats.file_content import decode
from krm_fn.krm.results import Finding
from krm_fn.patch import Pointer, lookup
from krm_fn.settings import PROXY_VARIABLES
from krm_fn.targets._rivals import is_about_proxies


def path_of(options: Mapping[str, Any], unit: str, entries: Sequence[Any]) -> str:
    """Where the drop-in that this program keeps for ``unit`` stands on the node.

    Where the user does not say so, that is the path in ``entries`` of ``files`` at which systemd finds a drop-in of our
    name, whoever wrote it; else the one under ``/etc``.
    """
    if "path" in options:
        return str(options["path"])
    paths, possible = _paths(entries), possible_paths(unit)
    return next((path for path in possible if path in paths), possible[0])


def possible_paths(unit: str) -> list[str]:
    """Where the drop-in may stand if the user does not say so, the one that hides the others first."""
    return namesakes(f"/etc/systemd/system/{unit}.service.d/http-proxy.conf")


def observe(obj: Mapping[str, Any], options: Mapping[str, Any], *, unit: str) -> Iterator[Reading]:
    """What the drop-ins of ``unit`` in ``files`` set, in the order of the entries, without those that systemd ignores.

    Args:
        obj: an object of one of ``kubeadm_config.KINDS`` as plain data, of any shape.
        options: ``path`` is that of our drop-in.
        unit: name of the service without ``.service``.
    """
    spec = find(obj)
    entries = spec.entries("files") if isinstance(spec, ConfigSpec) else None
    if not isinstance(spec, ConfigSpec) or isinstance(entries, Finding):
        return
    if unit == CONTAINERD and spec.runtime == CRI_O:
        unit = CRI_O
    ours, paths, is_first = path_of(options, unit, entries or ()), _paths(entries or ()), True
    for index, entry in enumerate(entries or ()):
        file = lookup(entry, ("path",))
        if (
            not isinstance(file, str)
            or not (file == ours or is_drop_in(file, unit))
            or _is_hidden(file, paths)
        ):
            continue
        is_ours = file == ours and is_first
        is_first = is_first and not is_ours
        place = f"the drop-in of {unit}" if is_ours else f'the drop-in "{file}" in `files[{index}]`'
        blank = Reading(
            "",
            None,
            (*spec.path, "files", str(index)),
            "",
            place,
            file=file,
            by_ignition=spec.ignition,
        )
        blank = replace(blank, permissions=_permissions(entry))
        yield from _of_entry(spec, entry, blank, may_hide=is_ours or is_about_proxies(file))


def _paths(entries: Sequence[Any]) -> set[str]:
    return {path for entry in entries if isinstance(path := lookup(entry, ("path",)), str)}


def _is_hidden(file: str, paths: Set[str]) -> bool:
    """Whether systemd ignores ``file``, because it prefers one of the same name among ``paths``."""
    same = namesakes(file)
    return not paths.isdisjoint(same[: same.index(file)])


def _of_entry(
    spec: ConfigSpec, entry: Mapping[str, Any], blank: Reading, *, may_hide: bool
) -> Iterator[Reading]:
    """``blank`` with each variable that the entry sets; with all six where it may and its text cannot be seen."""
    text = decode(entry) if entry.get("contentFrom") is None else None
    if text is not None:
        path = (*blank.path, "content")
        for one in settings_of(text):
            seen = replace(
                blank,
                variable=one.name,
                value=one.value,
                path=path,
                raw=one.raw,
                why_unknown=one.why,
            )
            seen = replace(seen, is_lost=one.value is None)
            yield seen if entry.get("encoding") else spec.through_jinja(seen)
        return
    path, why = _hidden(entry, blank.path)
    for name in PROXY_VARIABLES if may_hide else ():
        yield replace(blank, variable=name, path=path, why_unknown=why)


def _hidden(entry: Mapping[str, Any], path: Pointer) -> tuple[Pointer, str]:
    if entry.get("contentFrom") is None:
        return (*path, "content"), "its `content` cannot be read as text"
    return (*path, "contentFrom"), elsewhere(entry)


def elsewhere(entry: Mapping[str, Any]) -> str:
    """Where the content of an entry with ``contentFrom`` stands, for a sentence."""
    source = (
        lookup(entry, ("contentFrom", "secret", "name")),
        lookup(entry, ("contentFrom", "secret", "key")),
    )
    return f'it stands under the key "{source[1]}" of the Secret "{source[0]}"'


def _permissions(entry: Mapping[str, Any]) -> str:
    written = entry.get("permissions")
    return written if isinstance(written, str) else ""
