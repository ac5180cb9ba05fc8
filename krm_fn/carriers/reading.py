"""The value of a proxy variable in an object, as the program that reads it there gets it.

It is the same whoever wrote it, and it is not judged here. A value that the object alone does not
show is None with a reason, never a guess.
"""

from typing import NamedTuple

from krm_fn.patch import Pointer


class Reading(NamedTuple):
    """One of the six variables as one place of an object sets it.

    ``value`` is what the reader gets (systemd unescaped, shell unquoted, ``$$`` of Kubernetes undone); None where that
    cannot be known here, for the reason ``why_unknown``, which is the end of the sentence "its value is not known:".
    A place whose content is not seen at all has one entry for each variable.

    ``path`` leads to the text, ``raw`` is that text as written (the line of the drop-in as systemd puts it together,
    the command, the value of the entry). ``place`` names the place in one phrase and is the same for all variables
    that one program reads together. ``known`` is the part that is there in any case where the rest is computed later.
    ``file`` and ``permissions`` are those of the file on the node, for a variable that is in one, and
    ``by_ignition`` is True where Ignition writes it. ``is_lost`` is True where the text does not reach the reader
    although nobody means that: systemd drops it, the shell runs a part of it. ``is_unset`` is True where a later
    command takes the variable out of the environment again, and leaves the one in the other case there; ``path`` leads
    to that command then. ``is_provided`` is True where a ConfigMap or Secret of the list holds the value, and is
    judged itself. ``beside`` names, in upper case, the variables that the place may get from what is not seen here,
    such as ``envFrom`` of a container: nobody can say that it lacks one of them. ``member`` is the name of the field
    that holds the value, where that is not the variable.
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
    is_unset: bool = False
    is_provided: bool = False
    beside: frozenset[str] = frozenset()
    member: str = ""
