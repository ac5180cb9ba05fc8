"""What keeps the variables of a drop-in from its service: other drop-ins, and settings of systemd that win over them.

It reports each conflict at the entry that causes it, and changes nothing, because that entry has another author.

Sources: systemd.unit(5): drop-ins are read in the order of their file names, whatever their folder; the last
assignment wins; a file in ``/etc`` hides one of the same name in ``/run``, and that one in ``/usr``. systemd.exec(5):
``UnsetEnvironment=`` is applied last, and settings of ``EnvironmentFile=`` override those of ``Environment=``, wherever
they are.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from functools import lru_cache

from krm_fn.carriers import unit_text
from krm_fn.carriers.site import Variables, quoted
from krm_fn.formats import CACHED_TEXTS
from krm_fn.krm.results import Severity
from krm_fn.light_typing import NamedTuple
from krm_fn.patch import Pointer
from krm_fn.targets.nodes.config_spec import ConfigSpec
from krm_fn.targets.nodes.files import FileEntry, decode, entries_of

_ENVIRONMENT = "/etc/environment"

_ROOTS = ("/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib")
"""Where systemd looks, the folder that hides the others first."""


@lru_cache(maxsize=CACHED_TEXTS)
def namesakes(path: str) -> tuple[str, ...]:
    """Return where systemd looks for a drop-in of this name and service, the one that hides the others first.

    A path that systemd does not look at has no others.
    """
    for root in _ROOTS:
        if path.startswith(f"{root}/systemd/system/"):
            return tuple(f"{other}{path.removeprefix(root)}" for other in _ROOTS)
    return (path,)


def hiding(path: str) -> Sequence[str]:
    """Return the paths at which a file keeps systemd from reading the one at ``path``."""
    same = namesakes(path)
    return same[: same.index(path)]


@lru_cache(maxsize=CACHED_TEXTS)
def is_drop_in(path: str, unit: str) -> bool:
    """Return whether systemd reads the file ``path`` for the service ``unit`` (its name without ``.service``)."""
    if not path.endswith(".conf"):
        return False
    folder = posixpath.dirname(path)
    return any(folder == f"{root}/systemd/system/{unit}.service.d" for root in _ROOTS)


def _winner_of(one: str, other: str) -> str:
    """Return the path of two drop-ins of one service whose assignments count."""
    if posixpath.basename(one) == posixpath.basename(other):
        return min(one, other, key=_rank)
    return max(one, other, key=posixpath.basename)


def _rank(path: str) -> int:
    for rank, root in enumerate(_ROOTS):
        if path.startswith(f"{root}/systemd/"):
            return rank
    return len(_ROOTS)


def is_about_proxies(path: str) -> bool:
    """Return whether the name of a file says that it sets a proxy: the best guess where its content is not here."""
    return "proxy" in posixpath.basename(path).lower()


class Conflicts(NamedTuple):
    """What is in the way of our drop-in for one service.

    Attributes:
        spec: the configuration of the nodes, with the drop-in as it is to be.
        unit: name of the service without ``.service``.
        ours: path of our drop-in.
        option: the option that sets that path; "" where there is none.
    """

    spec: ConfigSpec
    unit: str
    ours: str
    option: str

    def report_other_drop_in(self, file: FileEntry, *, is_wanted: bool) -> None:
        """Report an entry of ``files`` that is another drop-in of the service and sets proxy variables.

        Args:
            file: the entry; one with ``contentFrom`` is judged by its name.
            is_wanted: whether a proxy has to be set at all.
        """
        path, text = file.path, file.text
        if path == self.ours or not is_drop_in(path, self.unit):
            return
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
        if self.option and not (is_wanted and self.ours in hiding(path)):
            message += f", or set `{self.option}` to its path"
        self._report(message, (str(file.at), "path"), code="OtherDropIn")

    def _who_wins(self, theirs: str) -> str:
        winner = _winner_of(self.ours, theirs)
        if posixpath.basename(self.ours) == posixpath.basename(theirs):
            return f'of two with the same name systemd reads only "{winner}"'
        return f'the name of "{winner}" sorts last, so systemd reads it last and its values win'

    def report_overrides(self, variables: Variables) -> None:
        """Report what takes away the variables that the service has to get; nothing for no variables."""
        if not variables:
            return
        files = [*entries_of(self.spec)]
        for file in files:
            if not (file.path == self.ours or is_drop_in(file.path, self.unit)):
                continue
            text = file.text
            if text is None:
                continue
            place = (str(file.at), "content")
            self._report_unset(place, text, variables)
            read = unit_text.environment_files(text)
            texts = {one.path: decode(one.entry) for one in files} if read else {}
            for path in read:
                self._report_environment_file(place, path, texts, variables)

    def _report_unset(self, place: Pointer, text: str, variables: Variables) -> None:
        """Report an ``UnsetEnvironment=`` for which systemd ignores assignments of a drop-in."""
        gone = unit_text.unset_by(text, variables)
        if gone:
            names = quoted(name for name in variables if name in gone)
            message = (
                f"`UnsetEnvironment=` in `content` takes {names} away from {self.unit} again, "
                "whatever sets it; remove the name there"
            )
            self._report(message, place, code="VariableUnset")

    def _report_environment_file(
        self, place: Pointer, file: str, texts: Mapping[str, str | None], variables: Variables
    ) -> None:
        """Report an environment file that sets something else, or seems to."""
        text = texts.get(file)
        if text is not None:
            from krm_fn.targets.nodes import other_files  # noqa: PLC0415 -- few objects have such a file

            found = other_files.of_lines(text)
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
        self._report(message, place, code="EnvironmentFileWins")

    def _report(self, message: str, place: Pointer, *, code: str) -> None:
        path = (*self.spec.files, *place)
        self.spec.draft.report(Severity.WARNING, message, path, code=code)
