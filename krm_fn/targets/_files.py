"""Files that a target keeps on the nodes as a whole: entries of ``files`` of a KubeadmConfigSpec.

An entry that is not ours is told, never touched; ours are written anew as a whole, and a path
stands there once. What ours is, the target says.

Limits: ``validateFiles`` in Cluster API ``kubeadmconfig_types.go`` (a ``path`` is unique), ``File.content`` there
(10240 characters), and its ``internal/ignition/clc`` (no ``gzip``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from krm_fn.carriers import kubeadm_config, service_restart
from krm_fn.carriers.kubeadm_config import ConfigSpec
from krm_fn.formats.file_content import decode, encode
from krm_fn.krm.results import Change, Finding, Severity
from krm_fn.patch import ListEdit, Operation, add, lookup, replace

MARK = f"{service_restart.MARK}\n"
"""The first line of a file that cannot be known by its path alone."""

_KEY = "files"
_GZIP = ("gzip", "gzip+base64")
_PLAIN = (None, "")


@dataclass(frozen=True)
class File:
    """One file that is wanted on the nodes."""

    path: str
    content: str
    owner: str = "root:root"
    permissions: str = "0640"

    def entry(self) -> dict[str, str]:
        """The file as a new entry of ``files``."""
        content = {"content": self.content, "owner": self.owner}
        return {**content, "path": self.path, "permissions": self.permissions}


@dataclass(frozen=True)
class NodeFiles:
    """All files of one target.

    Args:
        what: names them in a sentence ("the registry mirror of containerd").
        is_ours: from the path and the text of an entry, whether this target wrote it, now or in an earlier run.
        wanted: the files that are to be there, in the order in which they are to be appended; none takes all away.
        shown: what results show of a text, where the text itself says nothing to a person.
    """

    what: str
    is_ours: Callable[[str, str], bool]
    wanted: Sequence[File] = ()
    shown: Callable[[str], str] = str

    def at(self, path: object) -> File | None:
        """The wanted file with this path."""
        return next((file for file in self.wanted if file.path == path), None)


def propose(spec: ConfigSpec, files: NodeFiles) -> Iterator[Change | Finding]:
    """Yield what has to change in ``files`` of ``spec`` so that exactly the wanted ones of ours are there."""
    entries = spec.entries(_KEY)
    if isinstance(entries, Finding):
        if files.wanted:
            yield entries
        return
    edit = ListEdit((*spec.path, _KEY), entries)
    yield from kubeadm_config.at_new_places(list(_edit(spec, files, edit)), edit)


def _edit(spec: ConfigSpec, files: NodeFiles, edit: ListEdit) -> Iterator[Change | Finding]:
    old, met = edit.old or (), set()
    for index, entry in enumerate(old):
        path = lookup(entry, ("path",))
        if not isinstance(path, str):
            continue
        text = decode(entry) if entry.get("contentFrom") is None else None
        file = files.at(path)
        if text is None or entry.get("append") is True or not files.is_ours(path, text):
            yield from _foreign(files, edit, index) if file else ()
        elif file is None or path in met:
            edit.removed.add(index)
        else:
            yield from _update(spec, files, edit, index)
        met.add(path)
    edit.appended += [file.entry() for file in files.wanted if file.path not in met]
    yield from (_whole(spec, files, operation, old) for operation in edit.operations())
    for place, new in enumerate(edit.appended, len(old)):
        yield from _limits(spec, files, (*edit.path, str(place)), new)


def _foreign(files: NodeFiles, edit: ListEdit, index: int) -> Iterator[Finding]:
    """A warning that another one's file stands where one of ours is to be."""
    place = (*edit.path, str(index), "path")
    message = (
        f'"{lookup(edit.old, (index, "path"))}" was not written by this function, so it is left as it is; '
        f"remove the entry if {files.what} is to be set, or keep it up by hand"
    )
    yield Finding(Severity.WARNING, message, place, code="NotWrittenHere")


def _update(
    spec: ConfigSpec, files: NodeFiles, edit: ListEdit, index: int
) -> Iterator[Change | Finding]:
    """Bring the text of an entry of ours in line; owner and permissions stay as they are."""
    entry, place = lookup(edit.old, (index,)), (*edit.path, str(index))
    file = files.at(entry["path"])
    if file is None:
        return
    content, old = entry.get("content") or "", decode(entry) or ""
    if old != file.content:
        content = encode(file.content, entry.get("encoding"))
        operation = (replace if "content" in entry else add)(*place, "content", value=content)
        message = f'updates {files.what} in "{file.path}"'
        yield Change(
            operation, message, current=files.shown(old), proposed=files.shown(file.content)
        )
    yield from _limits(spec, files, place, {**entry, "content": content})


def _limits(
    spec: ConfigSpec, files: NodeFiles, place: tuple[str, ...], entry: dict[str, Any]
) -> Iterator[Finding]:
    """What Cluster API, Ignition or cloud-init would make of an entry as it is to be."""
    encoding, path = entry.get("encoding"), entry["path"]
    if spec.ignition and path.startswith("/usr/"):
        message = f'"{path}" must not be under /usr with Ignition (read-only), so {files.what} would not be set'
        yield Finding(Severity.ERROR, message, (*place, "path"))
    if spec.ignition and encoding in _GZIP:
        message = (
            f'`encoding` must not be "{encoding}" with Ignition, which cannot unpack it; use base64'
        )
        yield Finding(Severity.WARNING, message, (*place, "encoding"), code="EncodingUnusable")
    if encoding in _PLAIN and spec.is_rendered(entry["content"]):
        message = "`content` holds what cloud-init renders as a jinja template on the node; set `encoding` to base64"
        yield Finding(Severity.WARNING, message, (*place, "content"), code="RenderedByCloudInit")
    yield from spec.too_long((*place, "content"), entry["content"], "use fewer certificates")


def _whole(spec: ConfigSpec, files: NodeFiles, operation: Operation, old: Sequence[Any]) -> Change:
    """An entry that comes or goes as a whole, or the list with it."""
    is_list = operation.path == (*spec.path, _KEY)
    if operation.op == "add":
        entries = operation.value if is_list else [operation.value]
        message = f"sets {files.what} in {_paths(entries)}"
        return Change(spec.rooted(operation), message, proposed=_shown(files, entries))
    gone = old if is_list else [old[int(operation.path[-1])]]
    return Change(
        operation, f"removes {files.what} from {_paths(gone)}", current=_shown(files, gone)
    )


def _paths(entries: Sequence[Mapping[str, Any]]) -> str:
    return " and ".join(f'"{entry["path"]}"' for entry in entries)


def _shown(files: NodeFiles, entries: Sequence[Mapping[str, Any]]) -> str:
    return "\n".join(files.shown(decode(entry) or "") for entry in entries)
