"""Files on the nodes that one target writes as a whole, such as certificates: entries of ``files``."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from krm_fn.engine import Draft
from krm_fn.formats import pem
from krm_fn.light_typing import NamedTuple
from krm_fn.places.place import Place
from krm_fn.settings import ProxySettings
from krm_fn.targets.nodes.node_config import MARK, FileEntry, NodeConfig

# Begins a file that cannot be known by its path alone.
FIRST_LINE = f"{MARK}\n"


class WholeFiles(NamedTuple):
    """All files of one target, which ``write`` writes.

    Attributes:
        config: the configuration that puts the files on the nodes.
        is_ours: says from path and text whether this target wrote a file, now or in an earlier run.
        files: path -> text of each file that has to be there; all others that inject-proxy wrote are removed.
        permissions: those of new files.
    """

    config: NodeConfig
    is_ours: Callable[[str, str], bool]
    files: Mapping[str, str]
    permissions: str

    def write(self, draft: Draft, place: Place, settings: ProxySettings) -> None:
        """Make the list hold the files and no other one of our own."""
        if self.files:
            draft.items(place.path)
        missing = dict(self.files)
        # From the end, so that an entry that goes moves none that is still to be edited.
        entries = [*self.config.files_in(draft.data)]
        for entry in reversed(entries):
            path = entry.path
            missing.pop(path, None)
            if entry.text is not None and self.is_ours(path, entry.text):
                self._update(draft, place, entry, entry.text)
            elif path in self.files:
                draft.report(
                    "ByHand",
                    f'"{path}" was not written by this function; remove it to let {place.label} be set',
                    entry.field("path"),
                )
        for path, text in missing.items():
            file = self.config.new_file(path, text, self.permissions)
            draft.append(place.path, file)
            self._describe(draft, "sets", place, path, text)
        for entry in self.config.files_in(draft.data):
            if entry.path in self.files:
                self.config.report_length(draft, entry.field("content"))

    def _update(self, draft: Draft, place: Place, file_entry: FileEntry, text: str) -> None:
        """Give an entry of our own its text, or remove it."""
        new = self.files.get(file_entry.path)
        if new is None:
            draft.remove(file_entry.place, keep=len(self.config.path))
            self._describe(draft, "removes", place, file_entry.path, text)
        elif new != text:
            file_entry.set_text(draft, new)
            self._describe(draft, "updates", place, file_entry.path, new)

    def _describe(self, draft: Draft, verb: str, place: Place, path: str, text: str) -> None:
        change = f'{verb} {place.label} "{path}"'
        if pem.split(text):
            change += f" ({pem.shown(text)})"
        draft.describe(change)
