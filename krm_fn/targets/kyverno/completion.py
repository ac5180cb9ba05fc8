"""What ``fill: Complete`` adds to a policy: variables, init containers, ``valueFrom: null``, CREATE only.

Extended is what a strategic merge patch sets by a plain ``env`` list. The text of a JSON Patch is not, because its
operations have indices, and CEL expressions are not, because ``generate`` writes right ones.

Sources: a strategic merge keeps the ``valueFrom`` of an entry of a pod unless the patch says ``valueFrom: null``, and
the API server rejects an entry with both; it rejects a new ``env`` of a pod that exists (``tests/kyverno``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from krm_fn.carriers.site import Variables, quoted
from krm_fn.engine import Draft
from krm_fn.formats.escaping import kubernetes_env
from krm_fn.krm.results import Severity
from krm_fn.light_typing import Any
from krm_fn.patch import Pointer, copied, lookup
from krm_fn.settings import PROXY_VARIABLES
from krm_fn.targets.kyverno import policy_rules
from krm_fn.targets.kyverno.policy_rules import PolicyRule, VariableSlot
from krm_fn.targets.kyverno.policy_value import is_dynamic

_CREATE = ["CREATE"]


def complete_rule(draft: Draft, rule: PolicyRule, variables: Variables) -> None:
    """Extend what a rule sets, after its values are set.

    Args:
        draft: the data of a ClusterPolicy or Policy.
        rule: one of its rules, as it is now.
        variables: the proxy of the settings.
    """
    lists: dict[Pointer, list[VariableSlot]] = {}
    for patch in policy_rules.patches(rule):
        if any(True for _ in policy_rules.anchored_lists(patch)):
            continue  # Kyverno panics where such a patch has more entries
        slots = list(policy_rules.slots(patch))
        harmful = {slot.path[:-2] for slot in slots if slot.name_key != "name"}
        for slot in slots:
            if _is_plain(slot) and slot.path[:-2] not in harmful:
                lists.setdefault(slot.path[:-2], []).append(slot)
    for path, slots in lists.items():
        _complete_env(draft, path, slots, variables)
    for path in dict.fromkeys(path[:-3] for path in lists if path[-3] == "containers"):
        _add_init_containers(draft, path, rule.title)
    _report_texts(draft, rule, variables)
    if lists or any(True for _ in policy_rules.text_patches(rule)):
        _limit_to_create(draft, rule)


def remove_completion(draft: Draft, rule: PolicyRule, emptied: Sequence[Pointer]) -> None:
    """Remove what ``complete_rule`` added and what has no effect any more; report what stays.

    Args:
        draft: the data of a ClusterPolicy or Policy, without the proxy variables.
        rule: one of its rules, as it is now.
        emptied: the containers that had proxy variables.
    """
    for path in dict.fromkeys(container[:-1] for container in emptied):
        items = draft.get(path)
        is_init = path[-1] == "initContainers" and isinstance(items, list)
        if is_init and all(_only_asks(item) for item in items):
            draft.remove(path, keep=len(path) - 1)
    for path, operations in _operations(rule):
        if operations == _CREATE and emptied:
            message = (
                f"`operations: [CREATE]` of {rule.title} stays, because its author may have "
                "written it: remove it if the rule is about updates, too"
            )
            draft.report(Severity.INFO, message, path, code="PolicyCompletionStays")


def report_expressions(draft: Draft) -> None:
    """Report that CEL expressions are not extended, where they leave out what ``fill: Complete`` would add."""
    spec = draft.get(("spec",))
    named = policy_rules.mentioned(spec)
    is_complete = len(named) == len(PROXY_VARIABLES) and policy_rules.mentions(
        spec, "initContainers"
    )
    if named and not is_complete:
        message = (
            "`fill: Complete` does not extend CEL expressions: `generate: MutatingPolicy` adds a policy for all six "
            "variables and for init containers, in whose favour this one can be deleted"
        )
        draft.report(Severity.INFO, message, ("spec", "mutations"), code="PolicyNotCompleted")


def _is_plain(slot: VariableSlot) -> bool:
    return (slot.env_key, slot.name_key, slot.value_key) == ("env", "name", "value")


def _complete_env(
    draft: Draft, path: Pointer, slots: Sequence[VariableSlot], variables: Variables
) -> None:
    """Make one ``env`` list set all variables, each with ``valueFrom: null``."""
    entries = copied(draft.get(path))
    known = {slot.name: slot for slot in slots}
    for slot in slots:
        entry = entries[int(slot.path[-2])]
        if not slot.from_elsewhere:
            entry.setdefault("valueFrom", None)
    added = []
    for name, value in variables.items():
        twin = known.get(name.swapcase())
        if name in known or (twin is not None and twin.from_elsewhere):
            continue
        wanted = kubernetes_env(value) if twin is None else entries[int(twin.path[-2])].get("value")
        # What Kyverno would take for a reference is reported where the other variables are set.
        if twin is not None or not is_dynamic(wanted):
            added.append({"name": name, "value": wanted, "valueFrom": None})
    end = max(int(slot.path[-2]) for slot in slots) + 1
    entries[end:end] = added
    if entries != draft.get(path):
        draft.set(path, entries, keep=len(path) - 1)
        draft.describe("replaces `valueFrom` of pods")


def _add_init_containers(draft: Draft, path: Pointer, title: str) -> None:
    """Give init containers what the containers of one pod specification get, if the patch names none.

    Args:
        draft: the data of the policy.
        path: leads to the pod specification in the patch, above ``containers``.
        title: what messages call the rule.
    """
    spec = draft.get(path)
    if any("initContainers" in str(key) for key in spec):
        return
    items = []
    for item in spec.get("containers") or ():
        env = item.get("env") if isinstance(item, Mapping) else None
        ours = [one for one in env or () if lookup(one, ("name",)) in PROXY_VARIABLES]
        if ours and is_dynamic(str(item.get("(name)", ""))):
            message = (
                f"init containers are not added to {title}, because its `foreach` goes through containers: add a "
                "`foreach` for them"
            )
            draft.report(Severity.INFO, message, path, code="PolicyNotCompleted")
            return
        if ours and "(name)" in item:
            items.append({"(name)": item["(name)"], "env": ours})
        elif ours:
            message = (
                f"init containers are not added to {title}, because it patches containers by "
                "their `name`: add them there"
            )
            draft.report(Severity.INFO, message, path, code="PolicyNotCompleted")
            return
    if items:
        draft.set((*path, "initContainers"), items, keep=len(path))
        draft.describe("covers init containers")


def _limit_to_create(draft: Draft, rule: PolicyRule) -> None:
    if not policy_rules.runs_on_update(rule):
        return
    for path, operations in _operations(rule):
        if operations is None or "UPDATE" in operations:
            draft.set(path, list(_CREATE), keep=len(path) - 1)
            draft.describe(f"limits {rule.title} to CREATE")


def _operations(rule: PolicyRule) -> Iterator[tuple[Pointer, list[Any] | None]]:
    """Yield where ``match`` of a rule says on which operations it is about pods, and what it says."""
    for path, block in policy_rules.match_blocks(rule):
        if "Pod" in policy_rules.kinds_of(block):
            operations = lookup(block, ("resources", "operations"))
            yield (
                (*path, "resources", "operations"),
                operations if isinstance(operations, list) and operations else None,
            )


def _report_texts(draft: Draft, rule: PolicyRule, variables: Variables) -> None:
    for text in policy_rules.text_patches(rule):
        missing = [name for name in variables if name not in text.names]
        if missing:
            message = f"{quoted(missing)} cannot be added to `patchesJson6902` of {rule.title}: add them there"
            draft.report(Severity.INFO, message, text.path, code="PolicyNotCompleted")


def _only_asks(item: Any) -> bool:
    """Return whether an item of a patch sets nothing: it has a condition for the name at most."""
    return isinstance(item, Mapping) and set(item) <= {"(name)"}
