"""Files that a target keeps on the nodes as a whole: entries of ``files`` of a configuration.

An entry that is not ours is reported and not edited; ours are written as a whole, and a path is there once. What
ours is, the target says.

Limits: ``validateFiles`` in Cluster API ``kubeadmconfig_types.go`` (a ``path`` is unique), ``File.content`` there
(10240 characters), and its ``internal/ignition/clc`` (no ``gzip``).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from krm_fn.carriers.site import SiteWithoutVariables, Variables
from krm_fn.formats.file_content import decode, encode
from krm_fn.krm.results import Severity
from krm_fn.patch import Pointer, lookup
from krm_fn.targets.nodes import service_restart
from krm_fn.targets.nodes.config_spec import ConfigSpec

MARK = f"{service_restart.MARK}\n"
"""The first line of a file that cannot be known by its path alone."""

_PLAIN = (None, "")
_MOST_NAMED = 3
"""So many paths are in a message."""


class File(NamedTuple):
    """One file that is wanted on the nodes."""

    path: str
    content: str
    owner: str = "root:root"
    permissions: str = "0640"

    def entry(self) -> dict[str, str]:
        """Return the file as a new entry of ``files``."""
        return {
            "content": self.content,
            "owner": self.owner,
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
            self._report_limits(file.entry(), (*self.spec.files, str(len(kept))))
            kept.append(file.entry())
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
        """Report what Cluster API, Ignition or cloud-init would make of an entry as it is to be."""
        spec, encoding, path = self.spec, entry.get("encoding"), entry["path"]
        content = entry.get("content") or ""
        if spec.ignition and path.startswith("/usr/"):
            message = (
                f'"{path}" must not be under /usr with Ignition (read-only), so {self.label} would '
                "not be set"
            )
            path_of_file = (*place, "path")
            self._draft.report(Severity.ERROR, message, path_of_file, code="ReadOnlyPath")
        spec.report_encoding(encoding, place)
        if encoding in _PLAIN and spec.is_rendered(content):
            message = (
                "`content` holds what cloud-init renders as a jinja template on the node; set "
                "`encoding` to base64"
            )
            path_of_content = (*place, "content")
            self._draft.report(
                Severity.WARNING, message, path_of_content, code="RenderedByCloudInit"
            )
        spec.report_length((*place, "content"), content, "use fewer certificates")
