"""Read the proxy variables out of the texts of a policy that are not edited: JSON Patch (RFC 6902) and CEL.

Sources: ``patchesJson6902`` of ``api/kyverno/v1/common_types.go`` (a text in YAML or JSON); ``spec.mutations`` and
``spec.variables`` of MutatingPolicy (``api/policies.kyverno.io``), whose expressions see ``variables.<name>``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from krm_fn.carriers.site import quoted
from krm_fn.errors import InputError
from krm_fn.formats import cel
from krm_fn.formats.escaping import kubernetes_env
from krm_fn.krm.results import Finding, Severity
from krm_fn.patch import Pointer, lookup
from krm_fn.settings import PROXY_VARIABLES, ProxySettings
from krm_fn.targets import _kyverno as kyverno
from krm_fn.targets._kyverno_values import is_dynamic
from krm_fn.yamledit import read


@dataclass(frozen=True)
class TextReading:
    """One variable that a text sets: ``value`` as the text writes it, None where Kyverno computes it."""

    name: str
    value: str | None
    path: Pointer


def in_cel(policy: Mapping[str, Any]) -> Iterator[TextReading]:
    """Yield what the CEL expressions of a MutatingPolicy set, in the order of its fields.

    A name that no expression sets as ``{name: …, value: …}`` is yielded once, without a value.
    """
    places = list(kyverno.mentioning_texts(policy.get("spec"), ("spec",)))
    literals = _literal_variables(policy)
    found: dict[str, list[TextReading]] = {}
    for path, _ in places:
        text = lookup(policy, path)
        for entry in cel.named_values(text) if isinstance(text, str) else ():
            if entry.name in PROXY_VARIABLES:
                value = literals.get(entry.variable) if entry.literal is None else entry.literal
                found.setdefault(entry.name, []).append(TextReading(entry.name, value, path))
    for path, names in places:
        for name in names:
            found.setdefault(name, [TextReading(name, None, path)])
    for readings in found.values():
        yield from dict.fromkeys(readings)


def _literal_variables(policy: Mapping[str, Any]) -> dict[str, str]:
    """Return name -> text of the entries of ``spec.variables`` whose expression is one string literal."""
    variables = lookup(policy, ("spec", "variables"))
    found: dict[str, str] = {}
    for variable in variables if isinstance(variables, list) else ():
        name, expression = (lookup(variable, (key,)) for key in ("name", "expression"))
        text = cel.string_of(expression) if isinstance(expression, str) else None
        if isinstance(name, str) and text is not None:
            found[name] = text
    return found


def in_json_patches(rule: kyverno.PolicyRule) -> Iterator[TextReading]:
    """Yield what the ``patchesJson6902`` texts of a rule set; names in a text that is no YAML have no value."""
    for path, names in kyverno.text_patches(rule):
        text = lookup(rule.fields, path[len(rule.path) :])
        values = _entries(text)
        for name in names:
            for value in values.get(name) or {None: None}:
                yield TextReading(name, value, path)


def _entries(text: Any) -> dict[str, dict[str | None, None]]:
    """Return variable -> its different values, of all mappings with a ``name`` and a ``value`` in a text."""
    try:
        waiting = [read(text) if isinstance(text, str) else text]
    except InputError:
        return {}
    found: dict[str, dict[str | None, None]] = {}
    while waiting:
        item = waiting.pop()
        if isinstance(item, list):
            waiting += item
        elif isinstance(item, Mapping):
            waiting += item.values()
            name, value = item.get("name"), item.get("value")
            if isinstance(name, str) and "value" in item:
                is_known = isinstance(value, str) and not is_dynamic(value)
                found.setdefault(name, {})[value if is_known else None] = None
    return found


def compare(
    readings: Iterable[TextReading], settings: ProxySettings, language: str
) -> Iterator[Finding]:
    """Yield a warning for each text whose values are not those of the settings, or cannot be compared with them.

    Args:
        readings: what the texts set.
        settings: the proxy that the pods are meant to get; all empty means none.
        language: how a message calls the text: "the CEL expression", "`patchesJson6902`".
    """
    variables = settings.variables()
    different: dict[Pointer, list[str]] = {}
    computed: dict[Pointer, list[str]] = {}
    for reading in readings:
        if reading.value is None:
            computed.setdefault(reading.path, []).append(reading.name)
        elif reading.value != kubernetes_env(variables.get(reading.name, "")):
            different.setdefault(reading.path, []).append(reading.name)
    for path, names in different.items():
        if variables:
            problem = f"{language} sets {quoted(names)} to another value than the ProxyConfig: change its value there"
        else:
            problem = (
                f"{language} sets {quoted(names)}, and no proxy is declared for it: remove it there"
            )
        message = f"{problem}, inject-proxy does not edit {language}"
        yield Finding(Severity.WARNING, message, path, is_stale=True, code="PolicyTextStale")
    for path, names in computed.items():
        message = f"Kyverno computes {quoted(names)} in {language}: check there that the proxy is the declared one"
        yield Finding(Severity.WARNING, message, path, code="PolicyTextComputed")
