"""What the rules of a Kyverno policy set in containers, as far as the policy itself tells.

It looks, and proposes nothing. What Kyverno computes is not known here; the text beside it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from krm_fn.carriers.reading import Reading
from krm_fn.formats.escaping import read_kubernetes_env
from krm_fn.krm.results import Finding
from krm_fn.patch import field_path, lookup
from krm_fn.targets import _kyverno as kyverno
from krm_fn.targets import _kyverno_texts
from krm_fn.targets._kyverno_values import Unfillable, find_place, is_dynamic, split_entries

_UNTOLD = ("mutate", "patchStrategicMerge")


def observe(obj: Mapping[str, Any]) -> Iterator[Reading]:
    """The variables that a policy of any kind sets, in the order of its rules."""
    if str(obj.get("kind")).endswith("MutatingPolicy"):
        for reading in _kyverno_texts.in_cel(obj):
            yield _of_text(obj, reading, "the CEL expressions")
        return
    for rule in kyverno.rules(obj):
        if isinstance(rule, Finding):
            continue
        for reading in _kyverno_texts.in_json_patches(rule):
            yield _of_text(obj, reading, f"`patchesJson6902` of {rule.title}")
        for patch in kyverno.patches(rule):
            for slot in kyverno.slots(patch):
                where = [token for token in slot.path[len(rule.path) : -3] if token not in _UNTOLD]
                yield _of_slot(slot, f"`{field_path(tuple(where))}` of {rule.title}")


def _of_text(obj: Mapping[str, Any], reading: _kyverno_texts.TextReading, place: str) -> Reading:
    """One variable of a text that is not edited."""
    raw = lookup(obj, reading.path)
    text = raw if isinstance(raw, str) else ""
    if reading.value is None:
        return Reading(reading.name, None, reading.path, text, place, "Kyverno computes it")
    return Reading(reading.name, read_kubernetes_env(reading.value), reading.path, text, place)


def _of_slot(slot: kyverno.VariableSlot, place: str) -> Reading:
    """One entry of ``env``, its context variable followed to the text that decides the value."""
    found = find_place(slot)
    if isinstance(found, Unfillable):
        raw = slot.value if isinstance(slot.value, str) else ""
        return Reading(slot.name, None, found.path, raw, place, found.reason)
    text = "" if found.value is None else found.value
    if not isinstance(text, str):
        return Reading(slot.name, None, found.path, "", place, "its `value` must be a text")
    if is_dynamic(text):
        known = _static_part(text) if slot.name.upper() == "NO_PROXY" else ""
        return Reading(
            slot.name, None, found.path, text, place, "a part of it is computed by Kyverno", known
        )
    return Reading(slot.name, read_kubernetes_env(text), found.path, text, place)


def _static_part(text: str) -> str:
    """The entries of a list that are there whatever Kyverno computes."""
    entries = [entry.strip() for entry in split_entries(text) or () if not is_dynamic(entry)]
    return read_kubernetes_env(",".join(filter(None, entries))) or ""
