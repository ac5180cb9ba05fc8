"""An environment file of a service on the nodes, as one entry of ``files``; systemd reads it, and no shell.

Unlike in a drop-in, a `%` means itself (``formats/environment_file.py``). All else is as ``drop_in_file.py`` has it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from krm_fn.carriers.reading import Reading, Values
from krm_fn.carriers.site import Variables
from krm_fn.carriers.unit_text import UnitSetting
from krm_fn.engine import Draft
from krm_fn.formats import environment_file
from krm_fn.krm.results import Severity
from krm_fn.patch import Pointer
from krm_fn.settings import PROXY_VARIABLES, ProxySettings
from krm_fn.targets.nodes.config_spec import ConfigSpec
from krm_fn.targets.nodes.drop_in_file import DropIn, readings_of
from krm_fn.targets.nodes.files import decode, encode, entries_of


class EnvironmentFile(DropIn):
    """The environment file of one service, as a site.

    Args:
        spec: the configuration that puts the file on the nodes.
        unit: name of the service without ``.service``.
        target: the key under ``spec.targets`` that messages name.
        path: where the file is; "" where the unit says it.
    """

    def __init__(self, spec: ConfigSpec, unit: str, target: str, path: str = "") -> None:
        super().__init__(spec, unit, target, {"path": path or path_of(unit)}, ProxySettings())
        self.label = f"the environment file of {unit}"

    def read(self) -> Iterator[Reading]:
        """Yield what the first file of this path sets."""
        for file in entries_of(self.spec):
            if file.path == self.path:
                yield from readings_of(
                    self.spec, file, self.label, may_hide=True, settings_of=self.settings_of
                )
                return

    def settings_of(self, text: str) -> Iterator[UnitSetting]:
        """Yield the proxy variables that a text sets."""
        for one in environment_file.values(text, PROXY_VARIABLES):
            yield UnitSetting(one.name, one.value, text[one.start : one.end].strip(), "")

    def edited(self, text: str, place: Pointer, variables: Variables) -> str | None:
        """Return a text with exactly the variables; None where it is left alone, which is reported at ``place``.

        Raises:
            ValueError: a value cannot be written.
        """
        if not environment_file.is_closed(text):
            message = (
                "`content` ends within quotes, or with a backslash, so that nothing can be added, and is left as it "
                "is: close it"
            )
            self.spec.draft.report(Severity.WARNING, message, place, code="TextUnreadable")
            return None
        edited = environment_file.edit(text, variables, PROXY_VARIABLES)
        return edited if edited.strip() else ""

    def fresh(self, variables: Variables) -> str:
        """Return a new text with the variables.

        Raises:
            ValueError: a value cannot be written.
        """
        return environment_file.edit("", variables, PROXY_VARIABLES)


def path_of(unit: str) -> str:
    """Return where the units of RKE2 and K3s look for their environment file (``EnvironmentFile=-/etc/default/%N``)."""
    return f"/etc/default/{unit}"


def correct_environment_file(draft: Draft, place: Mapping[str, Reading], values: Values) -> None:
    """Give the variables of an environment file in ``files`` other values, where all that it sets is known."""
    path = next(iter(place.values())).path
    entry = draft.get(path[:-1])
    known = {name: one.value for name, one in place.items()} | dict(values)
    wanted = {name: known[name] for name in PROXY_VARIABLES if name in known}
    text = decode(entry)
    if text is None or None in wanted.values() or not environment_file.is_closed(text):
        return
    edited = environment_file.edit(
        text, {name: value or "" for name, value in wanted.items()}, PROXY_VARIABLES
    )
    if edited != text:
        draft.set(path, encode(edited, entry.get("encoding")))
