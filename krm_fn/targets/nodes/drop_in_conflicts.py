"""What keeps the variables of a drop-in from its service: other drop-ins, and settings of systemd that win over them.

It reports each conflict at the entry that causes it, and changes nothing, because that entry has another author.

Source: systemd.exec(5): ``UnsetEnvironment=`` is applied last, and settings of ``EnvironmentFile=`` override those of
``Environment=``, wherever they are.
"""

import posixpath
from collections.abc import Mapping
from typing import Any, NamedTuple

from krm_fn.carriers import unit_text
from krm_fn.carriers.site import Variables, quoted
from krm_fn.engine import Draft
from krm_fn.formats.drop_in_precedence import hidden_by, is_drop_in, winner_of
from krm_fn.formats.file_content import decode
from krm_fn.krm.results import Severity
from krm_fn.patch import Pointer, lookup
from krm_fn.targets.nodes import environment_text

_ENVIRONMENT = "/etc/environment"


def is_about_proxies(path: str) -> bool:
    """Return whether the name of a file says that it sets a proxy: the best guess where its content is not here."""
    return "proxy" in posixpath.basename(path).lower()


class Conflicts(NamedTuple):
    """What is in the way of our drop-in for one service.

    Attributes:
        draft: the data of the object, with the drop-in as it is to be.
        files: leads to the list of files.
        unit: name of the service without ``.service``.
        ours: path of our drop-in.
        option: the option that sets that path.
    """

    draft: Draft
    files: Pointer
    unit: str
    ours: str
    option: str

    def report_other_drop_in(self, index: int, *, is_wanted: bool) -> None:
        """Report an entry of ``files`` that is another drop-in of the service and sets proxy variables.

        Args:
            index: that of the entry; one with ``contentFrom`` is judged by the name of its file.
            is_wanted: whether a proxy has to be set at all.
        """
        place = (*self.files, str(index))
        entry = self.draft.get(place)
        path = lookup(entry, ("path",))
        if not isinstance(path, str) or path == self.ours or not is_drop_in(path, self.unit):
            return
        text = _text(entry)
        if not (unit_text.read(text) if text is not None else is_about_proxies(path)):
            return
        doubt = "" if text is not None else " (judged by its name: its content is not seen here)"
        if is_wanted:
            message = (
                f'"{path}" sets proxy variables for {self.unit} too{doubt}; {self._who_wins(path)}'
            )
        else:
            message = f'"{path}" still sets proxy variables for {self.unit}{doubt}'
        message += "; remove it"
        if not (is_wanted and path in hidden_by(self.ours)):
            message += f", or set `{self.option}` to its path"
        self.draft.report(Severity.WARNING, message, (*place, "path"), code="OtherDropIn")

    def _who_wins(self, theirs: str) -> str:
        winner = winner_of(self.ours, theirs)
        if posixpath.basename(self.ours) == posixpath.basename(theirs):
            return f'of two with the same name systemd reads only "{winner}"'
        return f'the name of "{winner}" sorts last, so systemd reads it last and its values win'

    def report_overrides(self, variables: Variables) -> None:
        """Report what takes away the variables that the service has to get; nothing for no variables."""
        entries = self.draft.get(self.files)
        if not variables or not isinstance(entries, list):
            return
        texts: dict[str, str | None] = {}
        for entry in entries:
            path = lookup(entry, ("path",))
            if isinstance(path, str):
                texts[path] = decode(entry)
        for index, entry in enumerate(entries):
            path = lookup(entry, ("path",))
            if not isinstance(path, str) or not (path == self.ours or is_drop_in(path, self.unit)):
                continue
            text = _text(entry)
            if text is None:
                continue
            place = (*self.files, str(index), "content")
            self._report_unset(place, text, variables)
            for file in unit_text.environment_files(text):
                self._report_environment_file(place, file, texts, variables)

    def _report_unset(self, place: Pointer, text: str, variables: Variables) -> None:
        """Report an ``UnsetEnvironment=`` for which systemd ignores assignments of a drop-in."""
        gone = unit_text.unset_by(text, variables)
        if gone:
            names = quoted(name for name in variables if name in gone)
            message = (
                f"`UnsetEnvironment=` in `content` takes {names} away from {self.unit} again, "
                "whatever sets it; remove the name there"
            )
            self.draft.report(Severity.WARNING, message, place, code="VariableUnset")

    def _report_environment_file(
        self, place: Pointer, file: str, texts: Mapping[str, str | None], variables: Variables
    ) -> None:
        """Report an environment file that sets something else, or seems to."""
        text = texts.get(file)
        if text is not None:
            found = environment_text.of_lines(text)
            differing = [name for name, value in found.items() if value != variables.get(name)]
            if not differing:
                return
            message = (
                "`EnvironmentFile=` in `content` reads a file of this object that sets "
                f"{quoted(differing)} to another value, and wins over the drop-in of {self.unit}; "
                "remove the variables there"
            )
        elif file == _ENVIRONMENT or is_about_proxies(file):
            message = (
                "`EnvironmentFile=` in `content` reads a file that is not in `files` of this object, "
                f"and what it sets wins over the drop-in of {self.unit}; make sure that it sets no "
                "other proxy"
            )
        else:
            return
        self.draft.report(Severity.WARNING, message, place, code="EnvironmentFileWins")


def _text(entry: Any) -> str | None:
    """Return the text of an entry; None where it is in a Secret, or cannot be read."""
    return decode(entry) if entry.get("contentFrom") is None else None
