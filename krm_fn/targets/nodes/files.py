"""Entries of ``files`` of a configuration: their text in each encoding, and files that a target keeps as a whole.

Files whose text is edited, because others write in them, too, are in ``drop_in_file.py`` (a systemd drop-in) and
``environment_file.py``; both read and encode their entry by the functions of this module.

An entry that is not ours is reported and not edited; ours are written as a whole, and a path is there once. What
ours is, the target says.

Limits: ``validateFiles`` in Cluster API ``kubeadmconfig_types.go`` (a ``path`` is unique), ``File.content`` there
(10240 characters), and its ``internal/ignition/clc`` (no ``gzip``).
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Iterator, Mapping, Sequence

from krm_fn.carriers.site import SiteWithoutVariables, Variables
from krm_fn.krm.results import Severity
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.patch import Pointer, lookup
from krm_fn.targets.nodes import service_restart
from krm_fn.targets.nodes.config_spec import ConfigSpec

MARK = f"{service_restart.MARK}\n"
"""The first line of a file that cannot be known by its path alone."""

_PLAIN = (None, "")
_MOST_NAMED = 3
"""So many paths are in a message."""

LARGEST = 1024 * 1024
"""The longest ``content`` that is read, in characters, and the longest text that is unpacked from one, in bytes."""


class FileEntry(NamedTuple):
    """One entry of ``files`` that has a path."""

    at: int
    path: str
    entry: Mapping[str, Any]

    @property
    def text(self) -> str | None:
        """Its text; None where that is in a Secret, or cannot be read."""
        return decode(self.entry) if self.entry.get("contentFrom") is None else None


def entries_of(spec: ConfigSpec) -> Iterator[FileEntry]:
    """Yield the entries of ``files`` as they are now, without those that have no path."""
    for at, entry in enumerate(spec.entries(spec.files)):
        path = lookup(entry, ("path",))
        if isinstance(path, str):
            yield FileEntry(at, path, entry)


def decode(entry: Mapping[str, Any]) -> str | None:
    """Return the text of ``entry`` (an entry of ``files`` with inline content).

    None if it cannot be read as text.

    A content that Cluster API renders (``contentFormat: Template``) is not read. More than 1 MiB is not read: Cluster
    API takes 10 KiB, and systemd no line longer than that. Plain ``gzip`` holds raw bytes, which YAML text cannot
    carry, so it is never read.
    """
    content, encoding = entry.get("content"), entry.get("encoding")
    if entry.get("contentFormat") == "Template":
        return None
    if content is None:
        content = ""
    if (
        not isinstance(content, str)
        or encoding not in (*_PLAIN, "base64", "gzip+base64")
        or len(content) > LARGEST
    ):
        return None
    if encoding in _PLAIN:
        return content
    try:
        raw = base64.b64decode("".join(content.split()), validate=True)
        return (_gunzip(raw) if encoding == "gzip+base64" and raw else raw).decode()
    except (binascii.Error, ValueError):
        return None


def encode(text: str, encoding: str | None) -> str:
    """Return ``text`` as the ``content`` of an entry with an ``encoding`` that ``decode`` reads."""
    if encoding in _PLAIN:
        return text
    raw = text.encode()
    if encoding == "gzip+base64":
        import gzip  # noqa: PLC0415 -- few files are compressed

        raw = gzip.compress(raw, mtime=0)
    return base64.b64encode(raw).decode()


def _gunzip(raw: bytes) -> bytes:
    """Return the content of a gzip file, up to a size that no drop-in has.

    A small file can hold a huge one.
    """
    import zlib  # noqa: PLC0415 -- few files are compressed

    reader = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    try:
        content = reader.decompress(raw, LARGEST)
    except zlib.error as error:
        raise ValueError("not gzip") from error
    if not reader.eof or reader.unused_data:
        raise ValueError("not one whole gzip file of a reasonable size")
    return content


class File(NamedTuple):
    """One file that is wanted on the nodes."""

    path: str
    content: str
    owner: str = "root:root"
    permissions: str = "0640"

    def entry(self, spec: ConfigSpec) -> dict[str, str]:
        """Return the file as a new entry of ``files``; some systems know no owner."""
        owner = {"owner": self.owner} if spec.system.has_owner else {}
        return {
            "content": self.content,
            **owner,
            "path": self.path,
            "permissions": self.permissions,
        }


class NodeFiles(SiteWithoutVariables):
    """All files of one target, as a site; they hold no proxy variable.

    Args:
        spec: the configuration that puts the files on the nodes.
        label: names the files in a sentence ("the registry mirror of containerd").
        is_ours: says from the path and the text of an entry whether this target wrote it, now or in
            an earlier run.
        wanted: the files that have to be there, in the order in which they are appended; without any
            of them all that inject-proxy wrote are removed.
        described: what messages say about a text; "" for nothing.
    """

    def __init__(
        self,
        spec: ConfigSpec,
        label: str,
        is_ours: Callable[[str, str], bool],
        wanted: Sequence[File],
        described: Callable[[str], str],
    ) -> None:
        self.spec = spec
        self.label = label
        self._is_ours = is_ours
        self._wanted = {file.path: file for file in wanted}
        self._described = described
        self._draft = spec.draft

    def write(self, variables: Variables) -> None:
        """Make ``files`` hold the wanted files and no other one of our own, whatever the variables are.

        Raises:
            WrongTypeError: ``files`` is no list, and something has to be written there.
        """
        if self._wanted:
            self._draft.items(self.spec.files)
        kept: list[Any] = []
        origins: list[int | None] = []
        met: set[str] = set()
        removed: list[File] = []
        for index, entry in enumerate(self.spec.entries(self.spec.files)):
            path = lookup(entry, ("path",))
            if isinstance(path, str):
                text = self._text(entry, path)
                if text is not None and (path not in self._wanted or path in met):
                    removed.append(File(path, text))
                    continue
                place = (*self.spec.files, str(len(kept)))
                kept.append(self._edited(entry, path, text, place))
                met.add(path)
            else:
                kept.append(entry)
            origins.append(index)
        added = [file for path, file in self._wanted.items() if path not in met]
        for file in added:
            entry = file.entry(self.spec)
            self._report_limits(entry, (*self.spec.files, str(len(kept))))
            kept.append(entry)
            origins.append(None)
        self._describe("removes", "from", removed)
        self._describe("sets", "in", added)
        if added or removed or self._wanted:
            self._draft.set_items(self.spec.files, kept, origins)

    def _text(self, entry: Mapping[str, Any], path: str) -> str | None:
        """Return the text of one of our own entries; None for an entry of others."""
        if entry.get("contentFrom") is not None or entry.get("append") is True:
            return None
        text = decode(entry)
        return text if text is not None and self._is_ours(path, text) else None

    def _edited(self, entry: Any, path: str, text: str | None, place: Pointer) -> Any:
        """Return an entry that stays, with the text that is wanted; owner and permissions stay as they are."""
        file = self._wanted.get(path)
        if file is None:
            return entry
        if text is None:
            self._report_foreign(path, place)
            return entry
        edited = entry
        if text != file.content:
            edited = {**entry, "content": encode(file.content, entry.get("encoding"))}
            self._describe("updates", "in", [file])
        self._report_limits(edited, place)
        return edited

    def _describe(self, verb: str, preposition: str, files: Sequence[File]) -> None:
        named = []
        for file in files[:_MOST_NAMED]:
            what = self._described(file.content)
            named.append(f'"{file.path}" ({what})' if what else f'"{file.path}"')
        if len(files) > _MOST_NAMED:
            named.append(f"{len(files) - _MOST_NAMED} more files")
        if named:
            self._draft.describe(f"{verb} {self.label} {preposition} {' and '.join(named)}")

    def _report_foreign(self, path: str, place: Pointer) -> None:
        message = (
            f'"{path}" was not written by this function, so it is left as it is; remove the entry '
            f"to let {self.label} be set, or keep it correct by hand"
        )
        self._draft.report(Severity.WARNING, message, (*place, "path"), code="NotWrittenHere")

    def _report_limits(self, entry: Mapping[str, Any], place: Pointer) -> None:
        """Report what Cluster API or Ignition would make of an entry as it is to be."""
        self.spec.report_encoding(entry.get("encoding"), place)
        content = entry.get("content") or ""
        self.spec.report_length((*place, "content"), content, "use fewer certificates")
