"""A value of a Kyverno policy: its static part, the part that Kyverno computes, and its new text.

Text that holds ``{{ }}`` or ``$( )`` is never overwritten. Either a part around it is, or the
context variable that it names; where neither is possible, the reason is reported.

Source: the chapters "Variables" and "External Data Sources" of the Kyverno documentation; context entries:
``api/kyverno/v1/common_types.go`` (``ContextEntry``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from krm_fn.light_typing import Any
from krm_fn.patch import Pointer, lookup
from krm_fn.targets.kyverno.policy_rules import ContextEntry, VariableSlot

_REFERENCE = re.compile(r'\{\{\s*(?:"([\w-]+)"|([A-Za-z_]\w*))\s*\}\}')
_DATA = re.compile(r'\{\{\s*([A-Za-z_]\w*)\.data\.(?:"([\w.-]+)"|([A-Za-z_]\w*))\s*\}\}')
_FIRST_WORDS = re.compile(r"\{\{\s*([\w.-]*)")
_SOURCES = {
    "apiCall": "an API call",
    "imageRegistry": "an image registry",
    "globalReference": "a global context entry",
}


@dataclass(frozen=True)
class ValuePlace:
    """The place of the text that decides a value: in the entry itself, or in the context variable ``variable``.

    ``inner`` leads to the entry in the text of a JSON Patch, if it is in one.
    """

    path: Pointer
    value: Any
    variable: str = ""
    inner: Pointer = ()


@dataclass(frozen=True)
class ConfigMapKey:
    """The key of a ConfigMap that a context reads; ``namespace`` is "" where the context names none."""

    namespace: str
    name: str
    key: str


@dataclass(frozen=True)
class Unfillable:
    """Why a value cannot be set, as the end of a sentence.

    ``is_stale`` is True where it is known to be another value than the declared one. ``source`` is the key that is
    nothing else than the value.
    """

    path: Pointer
    reason: str
    is_stale: bool = False
    source: ConfigMapKey | None = None


def find_place(slot: VariableSlot) -> ValuePlace | Unfillable:
    """Follow ``{{ name }}`` from variable to variable, to the text that can be edited."""
    if slot.from_elsewhere:
        return Unfillable(
            slot.path[:-1], "it comes from a `valueFrom`: set it there, or give the entry a `value`"
        )
    if slot.inner:
        return ValuePlace(slot.path, slot.value, inner=slot.inner)
    place, seen = ValuePlace(slot.path, slot.value), set[Pointer]()
    while isinstance(place.value, str) and is_expression(place.value.strip()):
        entry = _entry_of(place.value.strip(), slot.context)
        if isinstance(entry, str):
            source = _config_map_key(place.value.strip(), slot.context)
            return Unfillable(place.path, entry, source=source)
        if entry.path in seen:
            return Unfillable(entry.path, f'the context variable "{entry.name}" refers to itself')
        seen.add(entry.path)
        comes_from = _source(entry)
        if comes_from:
            return Unfillable(entry.path, f"it comes from {comes_from}: set it there")
        variable = entry.source["variable"]
        place = ValuePlace((*entry.path, "variable", "value"), variable["value"], entry.name)
    return place


def new_value(place: ValuePlace, wanted: str, *, is_list: bool) -> str | Unfillable:
    """Return the text at ``place`` with its static part replaced by ``wanted``.

    A list keeps the entries that Kyverno computes, in their order, behind ours; of a URL, all or nothing is static.
    """
    if isinstance(place.value, (Mapping, list)):
        return Unfillable(place.path, "its `value` must be a text: write one")
    if place.value is None or not is_dynamic(str(place.value)):
        return wanted
    entries = split_entries(str(place.value)) if is_list else None
    if entries is None:
        return Unfillable(
            place.path,
            "a part of it is computed by Kyverno: write it as one context variable, or as text",
        )
    kept = [entry.strip() for entry in entries if is_dynamic(entry)]
    # Without the comma, a single expression would be taken for a reference by the next run, which would follow it.
    first = [wanted] if wanted or (len(kept) == 1 and is_expression(kept[0])) else []
    return ",".join([*first, *kept])


def resolved(text: str, context: Sequence[ContextEntry], depth: int = 0) -> str | None:
    """Return a text with its context variables replaced by their values.

    None where Kyverno computes a part of it.

    Args:
        text: such as ``http://{{ host }}:3128``.
        context: the variables that it may refer to, the innermost last.
        depth: how many variables refer to it, so that those that refer to themselves have an end.
    """
    if not is_dynamic(text):
        return text
    if depth > len(context):
        return None

    def value_of(reference: re.Match[str]) -> str:
        entry = _entry_named(reference[1] or reference[2], context)
        value = (
            lookup(entry.source, ("variable", "value")) if entry and not _source(entry) else None
        )
        known = resolved(value, context, depth + 1) if isinstance(value, str) else None
        return reference[0] if known is None else known

    found = _REFERENCE.sub(value_of, text)
    return None if is_dynamic(found) else found


def different_proxies(
    found: Iterable[tuple[str, str, Any, Pointer]],
) -> tuple[str, str, str, Pointer] | None:
    """Return the first variable to which two authors give different proxies, both authors, and where the second is.

    Args:
        found: author, variable, value and place of each value, those of one author together. An author may have
            several values, of which one must be a value of the first author. Only plain text counts, and no list.
    """
    by_author: dict[tuple[str, str], tuple[set[str], Pointer]] = {}
    for author, name, value, path in found:
        proxy = value.strip().rstrip("/") if isinstance(value, str) else ""
        if name.upper() != "NO_PROXY" and proxy and not is_dynamic(proxy):
            by_author.setdefault((name.upper(), author), (set(), path))[0].add(proxy)
    first: dict[str, str] = {}
    for (variable, author), (values, path) in by_author.items():
        other = first.setdefault(variable, author)
        if by_author[variable, other][0].isdisjoint(values):
            return variable, other, author, path
    return None


def is_dynamic(text: str) -> bool:
    """Return whether Kyverno or Kubernetes replaces a part of ``text``."""
    return "{{" in text or "$(" in text


def is_expression(text: str) -> bool:
    """Return whether ``text`` is exactly one ``{{ … }}``."""
    if not (text.startswith("{{") and text.endswith("}}")):
        return False
    depth = 0
    for index, char in enumerate(text):
        depth += (char == "{") - (char == "}")
        if depth == 0:
            return index == len(text) - 1
    return False


def split_entries(text: str) -> list[str] | None:
    """Return the comma-separated entries of a list, ignoring commas within braces.

    None if braces do not match.
    """
    entries, depth = [""], 0
    for char in text:
        depth += (char == "{") - (char == "}")
        if depth < 0:
            return None
        if char == "," and depth == 0:
            entries.append("")
        else:
            entries[-1] += char
    return entries if depth == 0 else None


def _entry_of(expression: str, context: Sequence[ContextEntry]) -> ContextEntry | str:
    """Return the context entry that a pure reference names, or the reason why there is none."""
    reference = _REFERENCE.fullmatch(expression)
    start = _FIRST_WORDS.match(expression)
    words = start[1] if start else ""
    name = (reference[1] or reference[2]) if reference else words.split(".")[0]
    entry = _entry_named(name, context)
    if reference and entry:
        return entry
    if reference:
        return f'"{name}" is no context variable of the rule: declare it under `context`, or write the value as text'
    if entry:
        source = _source(entry) or f'the context variable "{name}"'
        return f'Kyverno computes it from "{words}", that is from {source}: set it there, or write the value as text'
    return f'Kyverno computes it from "{words}" when an object is admitted: write the value as text'


def _entry_named(name: str, context: Sequence[ContextEntry]) -> ContextEntry | None:
    """Return an entry; an inner context hides an outer one, and a later entry an earlier one of the same name."""
    return next((entry for entry in reversed(context) if entry.name == name), None)


def _config_map_key(expression: str, context: Sequence[ContextEntry]) -> ConfigMapKey | None:
    """Return the key of a ConfigMap that an expression is; None where it is something else."""
    found = _DATA.fullmatch(expression)
    entry = _entry_named(found[1], context) if found else None
    config_map = entry.source.get("configMap") if entry else None
    name, namespace = lookup(config_map, ("name",), ""), lookup(config_map, ("namespace",), "")
    if found is None or not isinstance(name, str) or not isinstance(namespace, str):
        return None
    if not name or is_dynamic(name) or is_dynamic(namespace):
        return None
    return ConfigMapKey(namespace, name, found[2] or found[3])


def _source(entry: ContextEntry) -> str:
    """Return the source of the value of a context entry; "" if it is a plain ``variable.value``."""
    variable = entry.source.get("variable")
    if isinstance(variable, Mapping):
        if variable.get("jmesPath") is not None:
            return f'the `jmesPath` of the context variable "{entry.name}"'
        if isinstance(variable.get("value"), (Mapping, list)) or "value" not in variable:
            return f'the context variable "{entry.name}", whose `value` is not a text'
        return ""
    config_map = entry.source.get("configMap")
    if isinstance(config_map, Mapping):
        return f'the ConfigMap "{config_map.get("namespace", "?")}/{config_map.get("name", "?")}"'
    for key, text in _SOURCES.items():
        if key in entry.source:
            return text
    return f'the context entry "{entry.name}"'
