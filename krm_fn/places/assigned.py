"""Texts that assign the six variables of a proxy: the form of a drop-in, and what any such text says to its reader."""

from __future__ import annotations

from collections.abc import Iterator

from krm_fn.formats.assignments import Syntax, effective
from krm_fn.formats.systemd_unit import form_of
from krm_fn.places.reading import Reading
from krm_fn.settings import PROXY_VARIABLES

DROP_IN = form_of(PROXY_VARIABLES)
"""The form of every place that holds a drop-in of systemd."""


def readings(text: str, form: Syntax, blank: Reading) -> Iterator[Reading]:
    """Yield each variable that a text sets; where it sets any, those that its form cannot say are not known.

    Args:
        text: the text.
        form: how it sets variables.
        blank: what is the same for all of them.
    """
    assignments = effective(form.read(text))
    for variable in PROXY_VARIABLES:
        name = variable if variable in form.names else variable.upper()
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
