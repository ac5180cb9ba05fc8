"""The texts of a Kyverno policy that get a value, and the reasons why others do not.

A text that several variables share gets one value, or none; what cannot be filled is noted, once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from krm_fn.carriers.site import quoted
from krm_fn.formats.escaping import kubernetes_env
from krm_fn.krm.results import Change
from krm_fn.patch import Pointer, add, replace
from krm_fn.settings import ProxySettings
from krm_fn.targets._kyverno_values import Unfillable, ValuePlace, is_dynamic, new_value

Reasons = dict[tuple[str, str], tuple[Pointer, list[str]]]
"""(rule, why a value cannot be set) -> the first place, the variables: told once for all container lists of a rule."""


@dataclass(frozen=True)
class FillableText:
    """One text that can be edited, and the variables whose value it decides."""

    place: ValuePlace
    rule: str
    names: list[str] = field(default_factory=list)


def fill(
    texts: Iterable[FillableText], settings: ProxySettings, reasons: Reasons
) -> Iterator[Change]:
    """The changes of all texts that can get their value; the others are noted in ``reasons``."""
    variables = settings.variables()
    for text in texts:
        wanted = {kubernetes_env(variables.get(name, "")) for name in text.names}
        value = _value_of(text, wanted)
        if isinstance(value, Unfillable):
            for name in text.names:
                note(reasons, text.rule, value, name)
        elif value != ("" if text.place.value is None else text.place.value):
            operation = add if text.place.value is None else replace
            yield Change(
                operation(*text.place.path, value=value),
                _described(text, "empties" if wanted == {""} else "sets"),
            )


def _value_of(text: FillableText, wanted: set[str]) -> str | Unfillable:
    place = text.place
    if len(wanted) > 1:
        return Unfillable(
            place.path,
            f'they differ and share the context variable "{place.variable}": use one each',
        )
    value = next(iter(wanted))
    if is_dynamic(value):
        return Unfillable(
            place.path,
            "Kyverno takes `{{` and `$(` for a reference: the setting must not hold them",
        )
    return new_value(place, value, is_list={name.upper() for name in text.names} == {"NO_PROXY"})


def _described(text: FillableText, verb: str) -> str:
    part = (
        f'what is static in the context variable "{text.place.variable}", for '
        if text.place.variable
        else ""
    )
    return f"{verb} {part}{quoted(text.names)} of {text.rule}"


def note(reasons: Reasons, title: str, problem: Unfillable, name: str) -> None:
    """Remember that the variable ``name`` of the rule ``title`` cannot be set."""
    reasons.setdefault((title, problem.reason), (problem.path, []))[1].append(name)
