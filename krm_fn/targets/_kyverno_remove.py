"""Take the proxy variables out of the rules of a Kyverno policy.

An entry with an empty value is no removal: Kyverno would write it over the proxy that a pod sets for itself.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from krm_fn.carriers.site import quoted
from krm_fn.krm.results import Change, Finding, Severity
from krm_fn.patch import ListEdit, Operation, Pointer, apply, lookup
from krm_fn.settings import ProxySettings
from krm_fn.targets import _kyverno as kyverno
from krm_fn.targets._kyverno_fill import FillableText, Reasons, fill, note
from krm_fn.targets._kyverno_values import Unfillable, ValuePlace, find_place, new_value

RuleSlots = tuple[kyverno.PolicyRule, Sequence[kyverno.VariableSlot]]


def remove(
    policy: Mapping[str, Any], rules: Sequence[RuleSlots], reasons: Reasons
) -> Iterator[Change | Finding]:
    """Yield the operations that take the entries out of all ``env`` lists, and empty their context variables.

    ``NO_PROXY`` stays in a list in which a URL stays, because without it the traffic of the cluster itself would go
    through that proxy. A rule that sets nothing else afterwards is a warning.

    Args:
        policy: a ClusterPolicy or a Policy.
        rules: its rules, each with the entries of the six variables in it.
        reasons: gets the entries that cannot be removed, and why.
    """
    variables: dict[Pointer, FillableText] = {}
    operations: dict[Pointer, list[Operation]] = {}
    for rule, slots in rules:
        own: list[Operation] = []
        for list_path, entries in _by_list(slots).items():
            removable = _removable(entries, rule, reasons)
            for slot, place in removable:
                if place.variable:
                    variables.setdefault(place.path, FillableText(place, rule.title)).names.append(
                        slot.name
                    )
            for change in _list_changes(policy, list_path, [slot for slot, _ in removable], rule):
                own.append(change.operation)
                yield change
        if own:
            operations[rule.path] = own
    yield from fill(variables.values(), ProxySettings(), reasons)
    yield from _rules_without_effect(policy, [rule for rule, _ in rules], operations)


def _by_list(slots: Sequence[kyverno.VariableSlot]) -> dict[Pointer, list[kyverno.VariableSlot]]:
    """Return path of an ``env`` list -> the entries of the six variables in it."""
    found: dict[Pointer, list[kyverno.VariableSlot]] = {}
    for slot in slots:
        found.setdefault(slot.path[:-2], []).append(slot)
    return found


def _removable(
    slots: Sequence[kyverno.VariableSlot], rule: kyverno.PolicyRule, reasons: Reasons
) -> list[tuple[kyverno.VariableSlot, ValuePlace]]:
    """Return the entries of one list that go, each with the text that decides its value; note why others stay."""
    found: list[tuple[kyverno.VariableSlot, ValuePlace]] = []
    is_url_left = False
    for slot in slots:
        is_list = slot.name.upper() == "NO_PROXY"
        place = find_place(slot)
        value = place if isinstance(place, Unfillable) else new_value(place, "", is_list=is_list)
        if isinstance(value, Unfillable):
            note(reasons, rule.title, value, slot.name)
            is_url_left = is_url_left or not is_list
        elif not isinstance(place, Unfillable):
            found.append((slot, place))
    if is_url_left:
        return [(slot, place) for slot, place in found if slot.name.upper() != "NO_PROXY"]
    return found


def _list_changes(
    policy: Mapping[str, Any],
    path: Pointer,
    slots: Sequence[kyverno.VariableSlot],
    rule: kyverno.PolicyRule,
) -> Iterator[Change]:
    names = {int(slot.path[-2]): slot.name for slot in slots}
    edit = ListEdit(path, lookup(policy, path))
    edit.removed |= set(names)
    for operation in edit.operations() if names else ():
        is_whole = operation.path == path
        removed = list(names.values()) if is_whole else [names[int(operation.path[-1])]]
        yield Change(operation, f"removes {quoted(removed)} of {rule.title}")


def _rules_without_effect(
    policy: Mapping[str, Any],
    rules: Sequence[kyverno.PolicyRule],
    operations: Mapping[Pointer, list[Operation]],
) -> Iterator[Finding]:
    everything = [operation for of_rule in operations.values() for operation in of_rule]
    after = apply(copy.deepcopy(policy), everything)
    for rule in rules:
        if rule.path in operations and not kyverno.sets_something(
            lookup(after, (*rule.path, "mutate"))
        ):
            message = f"{rule.title} sets nothing any more: delete it, a later injection does not fill it again"
            yield Finding(Severity.WARNING, message, rule.path, code="PolicyRuleEmpty")
