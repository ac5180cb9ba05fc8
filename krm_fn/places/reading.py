"""The value of a proxy variable in an object, as the program that reads it there gets it.

It is the same whoever wrote it, and it is not judged here. A value that the object alone does not
show is None with a reason, never a guess.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from krm_fn.light_typing import NamedTuple
from krm_fn.noproxy import parse
from krm_fn.patch import Pointer


class Reading(NamedTuple):
    """One of the six variables as one place of an object sets it.

    A place whose content is not in the list has one Reading for each variable.

    Attributes:
        variable: the name, as its reader sees it.
        value: what the reader gets (systemd unescaped, shell unquoted, ``$$`` of Kubernetes undone); None where that is
            not known.
        path: leads to the text, or to the command that unsets the variable.
        raw: that text as written: the line of the drop-in as systemd joins it, the command, the value of the entry.
        place: names the place in one phrase; it is the same for all variables that one program reads together.
        why_unknown: why the value is not known, as the end of the sentence "its value is not known:".
        known: the part of the value that is certain where the rest is computed later.
        unresolved: the text of an ``env`` that refers to other variables by ``$(NAME)``: only a container resolves it.
        file: the path of the file on the node, for a variable that is in one.
        permissions: those of that file.
        by_ignition: Ignition writes that file.
        is_lost: the text does not reach the reader, although its author did not want that: systemd drops it, the shell
            runs a part of it.
        is_provided: a ConfigMap or Secret of the list holds the value, and is judged itself.
        maybe_elsewhere: in upper case, the variables that the place may get from what is not in the list, such as
            ``envFrom`` of a container: nobody can say that it lacks them.
        member: the name of the field that holds the value, where that is not the variable.
    """

    variable: str
    value: str | None
    path: Pointer
    raw: str
    place: str
    why_unknown: str = ""
    known: str = ""
    file: str = ""
    permissions: str = ""
    by_ignition: bool = False
    is_lost: bool = False
    is_provided: bool = False
    maybe_elsewhere: frozenset[str] = frozenset()
    member: str = ""
    unresolved: str = ""

    @property
    def is_list(self) -> bool:
        """Whether the variable holds a list, and no URL."""
        return self.variable.upper() == "NO_PROXY"

    @property
    def text(self) -> str:
        """The value, or the part of it that is known."""
        if self.value is None:
            return self.known
        return self.value


Variables = Mapping[str, str]
"""Name of one of the six proxy variables -> value; empty: no proxy."""


def same_value(variable: str, value: str, other: str) -> bool:
    """Return whether two values of a variable say the same: a list may have its entries in any order."""
    if variable.upper() != "NO_PROXY":
        return value == other
    entries = set(parse(value))
    return entries == set(parse(other))


def quoted(names: Iterable[str]) -> str:
    """Return names as messages write them, each once: ``HTTP_PROXY``, ``http_proxy`` in back-quotes."""
    return ", ".join(f"`{name}`" for name in dict.fromkeys(names))
