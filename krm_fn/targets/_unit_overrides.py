"""What keeps the variables of a drop-in from its service: other settings of systemd that win over them.

In: the drop-in of a unit and the entries of ``files``. Out: findings, each at the entry that is in the way; nothing is
changed, because what is in the way belongs to somebody else.

Source: systemd.exec(5): ``UnsetEnvironment=`` is applied last, and settings of ``EnvironmentFile=`` override those of
``Environment=``, wherever they stand.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from krm_fn.carriers import environment_text, unit_text
from krm_fn.carriers.site import quoted
from krm_fn.formats import unit_lines
from krm_fn.formats.drop_in_precedence import is_drop_in
from krm_fn.formats.file_content import decode
from krm_fn.krm.results import Finding, Severity
from krm_fn.patch import lookup
from krm_fn.targets._drop_in_place import DropIn

_ENVIRONMENT = "/etc/environment"


def findings(
    drop_in: DropIn, entries: Sequence[tuple[int, Mapping[str, Any]]]
) -> Iterator[Finding]:
    """Yield what is in the way of the variables that the drop-in has to set; nothing where it has to set none."""
    if not drop_in.variables:
        return
    texts = {
        path: decode(entry)
        for _, entry in entries
        if isinstance(path := lookup(entry, ("path",)), str)
    }
    for index, entry in entries:
        path = lookup(entry, ("path",))
        text = decode(entry) if isinstance(path, str) and entry.get("contentFrom") is None else None
        if text is None or not (path == drop_in.path or is_drop_in(path, drop_in.unit)):
            continue
        place = (*drop_in.files, str(index), "content")
        if path == drop_in.path and _is_rejected(text, drop_in):
            message = (
                "systemd rejects a section header in `content`, and reads nothing of the text behind it: a header must "
                "stand alone on its line, in square brackets; correct it"
            )
            yield Finding(Severity.WARNING, message, place, code="SectionRejected")
        gone = unit_lines.unset_by(text, drop_in.variables)
        if unset := [name for name in drop_in.variables if name in gone]:
            message = (
                f"`UnsetEnvironment=` in `content` takes {quoted(unset)} away from {drop_in.unit} again, "
                "whatever sets it; remove the name there"
            )
            yield Finding(Severity.WARNING, message, place, code="VariableUnset")
        for file in unit_lines.environment_files(text):
            yield from _of_file(drop_in, place, file, texts)


def _is_rejected(text: str, drop_in: DropIn) -> bool:
    try:
        edited = unit_text.edit(text, drop_in.variables)
    except ValueError:  # the caller reports the value
        return False
    return unit_lines.rejected_header(edited) is not None


def _of_file(
    drop_in: DropIn, place: tuple[str, ...], file: str, texts: Mapping[str, str | None]
) -> Iterator[Finding]:
    """A warning if an environment file sets something else, or seems to: the entry of the file itself has its own."""
    text = texts.get(file)
    if text is not None:
        found = environment_text.of_lines(text)
        differing = [name for name, value in found.items() if value != drop_in.variables.get(name)]
        if differing:
            message = (
                f"`EnvironmentFile=` in `content` reads a file of this object that sets {quoted(differing)} to "
                f"another value, and wins over the drop-in of {drop_in.unit}; remove the variables there"
            )
            yield Finding(Severity.WARNING, message, place, code="EnvironmentFileWins")
    elif file == _ENVIRONMENT or "proxy" in posixpath.basename(file).lower():
        message = (
            "`EnvironmentFile=` in `content` reads a file that is not in `files` of this object, and what it sets wins "
            f"over the drop-in of {drop_in.unit}; make sure that it sets no other proxy"
        )
        yield Finding(Severity.WARNING, message, place, code="EnvironmentFileWins")
