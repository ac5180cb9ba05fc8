"""A drop-in of systemd as a form, and the readings of a text that assigns variables."""

from __future__ import annotations

from krm_fn.engine import Draft
from krm_fn.formats.assignments import Syntax, effective
from krm_fn.formats.systemd_unit import form_of
from krm_fn.light_typing import TYPE_CHECKING, NamedTuple
from krm_fn.places.place import Place, Reading, Readings
from krm_fn.settings import PROXY_VARIABLES, ProxySettings

if TYPE_CHECKING:
    from krm_fn.formats.embedded import Value

# The form of every place that holds a drop-in of systemd.
DROP_IN = form_of(PROXY_VARIABLES)


class UnitText(NamedTuple):
    """A drop-in of systemd."""

    def read(self, value: Value, place: Place) -> Readings:
        """Yield the variables that systemd reads, and those that it drops."""
        blank = Reading("", None, value.path, "", place.label)
        yield from readings(value.text, DROP_IN, blank)

    def edit(self, draft: Draft, value: Value, settings: ProxySettings) -> str:
        """Return the text with the variables; report one that systemd does not read, or cannot hold."""
        problem = DROP_IN.problem(value.text)
        if problem:
            draft.report("TextUnreadable", f"{problem}, so the text is left as it is", value.path)
            return value.text
        try:
            return DROP_IN.edit(value.text, settings.variables)
        except ValueError as error:
            draft.report("CannotWrite", f"{error}; change the proxy settings", value.path)
            return value.text


def readings(text: str, form: Syntax, blank: Reading) -> Readings:
    """Yield each variable that a text sets; where it sets any, those that its form cannot say are not known.

    Args:
        text: the text.
        form: how it sets variables.
        blank: the reading without variable and value.
    """
    assignments = effective(form.read(text))
    for variable in PROXY_VARIABLES:
        name = variable
        if name not in form.names:
            name = variable.upper()
        if name in assignments:
            assignment = assignments[name]
            raw = text[assignment.line_start : assignment.line_end].strip()
            is_lost = assignment.value is None
            why = ""
            if is_lost:
                why = "its reader cannot make anything of it"
            yield blank._replace(
                variable=variable, value=assignment.value, raw=raw, why_unknown=why, is_lost=is_lost
            )
        elif assignments and name not in form.names:
            yield blank._replace(variable=variable, why_unknown=f"{blank.place} has no such list")
