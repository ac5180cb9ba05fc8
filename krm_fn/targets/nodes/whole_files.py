"""Files on the nodes that a target writes as a whole, as a form; what others wrote at such a path is left alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from krm_fn.engine import Draft
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.places.place import Place, Reading
from krm_fn.settings import ProxySettings
from krm_fn.targets.nodes.command_order import MARK as OWN_MARK
from krm_fn.targets.nodes.node_config import FileEntry, NodeConfig, encode

MARK = f"{OWN_MARK}\n"
"""The first line of a file that cannot be known by its path alone."""


class WholeFile(NamedTuple):
    """One file that is wanted on the nodes."""

    path: str
    text: str
    permissions: str = "0640"


class WholeFiles(NamedTuple):
    """All files of one target, as a form.

    Attributes:
        config: the configuration that puts the files on the nodes.
        is_ours: says from path and text whether this target wrote a file, now or in an earlier run.
        wanted: path -> the file that has to be there; without any all that inject-proxy wrote are removed.
        described: what messages say about a text; "" for nothing.
    """

    config: NodeConfig
    is_ours: Callable[[str, str], bool]
    wanted: Mapping[str, WholeFile]
    described: Callable[[str], str]

    def read(self, data: Any, place: Place) -> Iterable[Reading]:
        """Return nothing: no variable is there."""
        return ()

    def write(self, draft: Draft, place: Place, settings: ProxySettings) -> None:
        """Make ``files`` hold the wanted files and no other one of our own."""
        if self.wanted:
            draft.items(place.path)
        missing = dict(self.wanted)
        for file in reversed([*self.config.files_in(draft.data)]):
            path, text = file.path, file.text
            missing.pop(path, None)
            if text is not None and self.is_ours(path, text):
                self._update(draft, place, file, text)
            elif path in self.wanted:
                message = f'"{path}" was not written by this function; remove it to let {place.label} be set'
                draft.report("ByHand", message, file.field("path"))
        for path, wanted in missing.items():
            entry = {"content": wanted.text}
            if self.config.system.has_owner:
                entry["owner"] = "root:root"
            entry |= {"path": path, "permissions": wanted.permissions}
            draft.append(place.path, entry)
            self._describe(draft, "sets", place, path, wanted.text)
        for file in self.config.files_in(draft.data):
            if file.path in self.wanted:
                self.config.report_length(draft, file.field("content"))

    def _update(self, draft: Draft, place: Place, file: FileEntry, text: str) -> None:
        """Give a file of our own the wanted text, or remove it."""
        wanted = self.wanted.get(file.path)
        if wanted is None:
            draft.remove(file.place, keep=len(self.config.path))
            self._describe(draft, "removes", place, file.path, text)
        elif wanted.text != text:
            content = encode(wanted.text, file.entry.get("encoding"))
            draft.set(file.field("content"), content)
            self._describe(draft, "updates", place, file.path, wanted.text)

    def _describe(self, draft: Draft, verb: str, place: Place, path: str, text: str) -> None:
        change = f'{verb} {place.label} "{path}"'
        what = self.described(text)
        if what:
            change += f" ({what})"
        draft.describe(change)
