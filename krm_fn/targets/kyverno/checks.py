"""What a person should look at in a policy that sets a proxy.

It only warns. Each warning says what is wrong, where, and what can be done.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from krm_fn.carriers.site import quoted
from krm_fn.krm.results import Finding, Severity
from krm_fn.light_typing import Any
from krm_fn.patch import Pointer
from krm_fn.targets.kyverno import cel_checks, cel_policies, policy_rules
from krm_fn.targets.kyverno.autogen import is_extended
from krm_fn.targets.kyverno.policy_value import different_proxies, find_place

# kyverno/kyverno charts/kyverno/values.yaml: `config.resourceFilters` and `config.webhooks` leave it out, both.
_IGNORED_NAMESPACE = "kube-system"


def other_forms(rule: policy_rules.PolicyRule) -> Iterator[Finding]:
    """Yield a warning for each form of setting a proxy in a strategic merge patch that nothing is written into."""
    replaced: list[Pointer] = []
    for patch in policy_rules.patches(rule):
        for path in policy_rules.env_from(patch):
            replaced.append(path)
            yield warning(
                f"`envFrom` of {rule.title} is not filled: set a proxy in what it refers to",
                path,
                code="PolicyNotFilled",
            )
        names = policy_rules.mentioned(patch.body)
        if names and not any(policy_rules.slots(patch)):
            are = "is" if len(names) == 1 else "are"
            message = f"{quoted(names)} of {rule.title} {are} mentioned where no `env` value is set"
            yield warning(f"{message}: nothing is filled there", patch.path, code="PolicyNotFilled")
    if replaced:
        message = f"`envFrom` of {rule.title} replaces the `envFrom` of each container: set `env`"
        yield warning(message, replaced[0], code="PolicyEnvFromReplaced")


def without_effect(
    rule: policy_rules.PolicyRule,
    *,
    policy: Mapping[str, Any],
    is_complete: bool = False,
) -> Iterator[Finding]:
    """Yield what is wrong with a rule that is filled and still does not do what its author wants.

    Args:
        rule: the rule.
        policy: the policy around it.
        is_complete: what the rule leaves out is added.
    """
    slots = policy_rules.merge_slots(rule)
    if slots and _IGNORED_NAMESPACE in policy_rules.namespaces(rule, policy):
        message = (
            f'{rule.title} is about the namespace "{_IGNORED_NAMESPACE}", which Kyverno ignores unless '
            "its `resourceFilters` and its webhooks are changed: set the proxy in the workloads there"
        )
        yield warning(message, rule.path, code="PolicyNamespaceSkipped")
    yield from _unfit_paths(rule, slots)
    yield from _harmful_keys(rule, slots)
    literal = [slot for slot in slots if slot.container == "*"]
    if literal:
        message = (
            f'{rule.title} adds a container that is literally named "*" to every pod, which '
            'the API server rejects: write `(name): "*"` for all containers'
        )
        yield warning(message, literal[0].path[:-3], code="PolicyContainerName")
    yield from _anchored_twice(rule)
    yield from _harmful_texts(rule)
    keeping = [slot for slot in slots if not slot.replaces_value_from and not slot.from_elsewhere]
    if keeping and not is_complete:
        message = (
            f"{rule.title} keeps the `valueFrom` of an entry beside its own `value`, and the API server "
            "rejects such a pod: add `valueFrom: null`, or set `fill: Complete`"
        )
        yield warning(message, keeping[0].path[:-1], code="PolicyKeepsValueFrom")
    nested = policy_rules.nested_foreach(rule)
    if nested and is_extended(rule, policy):
        message = (
            f"Kyverno derives a rule for Deployments from the nested `foreach` of {rule.title}, which "
            "deletes their `spec.template`: set the annotation "
            "`pod-policies.kyverno.io/autogen-controllers: none`"
        )
        yield warning(message, nested, code="PolicyNestedForeach")
    sets_proxy = bool(slots) or any(True for _ in policy_rules.text_patches(rule))
    if sets_proxy and not is_complete and policy_rules.runs_on_update(rule):
        message = (
            f"{rule.title} runs on UPDATE, too, where the API server rejects a new `env` of a pod or a Job: "
            "match `operations: [CREATE]`"
        )
        yield Finding(Severity.INFO, message, (*rule.path, "match"), code="PolicyRunsOnUpdate")
    is_added = is_complete and any(slot.env_key == "env" for slot in slots)
    if slots and not is_added and not any(slot.name.upper() == "NO_PROXY" for slot in slots):
        message = f"in-cluster traffic would go through the proxy: add `NO_PROXY` and `no_proxy` to {rule.title}"
        yield warning(message, rule.path, code="PolicyWithoutNoProxy")


def _unfit_paths(
    rule: policy_rules.PolicyRule, slots: Sequence[policy_rules.VariableSlot]
) -> Iterator[Finding]:
    """Yield a warning for each path that none of the kinds has which the rule is about.

    Kyverno skips such a patch without a word. Where one of the kinds is not known, nothing is claimed.
    """
    kinds = sorted(policy_rules.kinds(rule))
    if not kinds:
        return
    kinds_of: dict[Pointer, list[str]] = {}
    for kind in kinds:
        path = policy_rules.pod_spec_of(kind)
        if path is None:
            return
        kinds_of.setdefault(path, []).append(kind)
    reported: set[Pointer] = set()
    for slot in slots:
        if slot.pod_spec in kinds_of or slot.pod_spec in reported:
            continue
        reported.add(slot.pod_spec)
        patched = ".".join(slot.pod_spec)
        if kinds == ["Pod"] and slot.pod_spec == ("spec", "template", "spec"):
            message = (
                f"{rule.title} is about pods and patches `{patched}`, which a pod does not have: "
                "patch `spec`"
            )
            yield warning(message, slot.path, code="PolicyPatchesTemplate")
        else:
            message = (
                f"Kyverno skips the patch of {rule.title}, because `{patched}` is no place of "
                f"containers in {', '.join(kinds)}: patch {_right_paths(kinds_of)}"
            )
            yield warning(message, slot.path, code="PolicyPathUnfit")


def _right_paths(kinds_of: Mapping[Pointer, Sequence[str]]) -> str:
    """Return the path of the pod specification, or of several with the kinds that have it, for a message."""
    if len(kinds_of) == 1:
        (path,) = kinds_of
        return f"`{'.'.join(path)}`"
    paths = [f"`{'.'.join(path)}` for {', '.join(kinds)}" for path, kinds in kinds_of.items()]
    return f"{' and '.join(paths)}, in a rule for each"


def _harmful_keys(
    rule: policy_rules.PolicyRule, slots: Sequence[policy_rules.VariableSlot]
) -> Iterator[Finding]:
    """Yield a warning for each anchor that does not do what its author wants, each once for a rule."""
    for patch in policy_rules.patches(rule):
        for path in policy_rules.literal_keys(patch):
            key = path[-1]
            message = (
                f"Kyverno ignores `{key}` of {rule.title}, or writes this key into objects, "
                f"because `=( )` is no anchor of a mutation: write `{key[2:-1]}`"
            )
            yield warning(message, path, code="PolicyAnchorLiteral")
    reported: set[str] = set()
    for slot in slots:
        for found in _harmful_anchors(slot, rule.title):
            if found.code not in reported:
                reported.add(found.code)
                yield found


def _harmful_anchors(slot: policy_rules.VariableSlot, title: str) -> Iterator[Finding]:
    """Yield a warning for each anchor of one entry that does not do what its author wants."""
    if slot.env_key == "+(env)":
        message = (
            f"Kyverno skips `+(env)` of {title} in every pod in which any container has `env`: "
            "write `env`"
        )
        yield warning(message, slot.path[:-2], code="PolicyEnvSkipped")
    if slot.value_key == "+(value)":
        message = (
            f"`+(value)` of {title} makes Kyverno panic, or adds broken entries to other containers: "
            "write `value`"
        )
        yield warning(message, slot.path, code="PolicyValueAnchor")


def _anchored_twice(rule: policy_rules.PolicyRule) -> Iterator[Finding]:
    """Yield a warning for each list of containers with several items that have a condition for the name."""
    for patch in policy_rules.patches(rule):
        for path in policy_rules.anchored_lists(patch):
            message = (
                f"Kyverno deletes containers or their images, or panics, because {rule.title} has several items with "
                f'`(name)` in one list (kyverno#16862): write `(name): "a | b"`, or a rule for each'
            )
            yield warning(message, path, code="PolicyItemsAnchored")


def _harmful_texts(rule: policy_rules.PolicyRule) -> Iterator[Finding]:
    """Yield a warning for each JSON Patch that repeats an entry of a container, or takes its others away."""
    if policy_rules.asks_for_env(rule):
        return
    for text in policy_rules.text_patches(rule):
        path = text.path
        targets = {slot.target for slot in text.slots}
        if any(one.endswith("/env/-") for one in targets):
            message = (
                f"{rule.title} appends to `/env/-`, which repeats an entry that the container has "
                "already: use `patchStrategicMerge`, or a precondition about `env`"
            )
            yield warning(message, path, code="PolicyEntryRepeated")
        if any(one.endswith("/env") for one in targets):
            message = (
                f"{rule.title} replaces the whole `env`, so that containers lose their own variables: use "
                "`patchStrategicMerge`, or a precondition about `env`"
            )
            yield warning(message, path, code="PolicyEnvReplaced")


def harmful_expressions(policy: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield what a person should know about a policy whose CEL expressions set a proxy.

    Args:
        policy: a MutatingPolicy, NamespacedMutatingPolicy or MutatingAdmissionPolicy.
    """
    found = cel_policies.CelPolicy(policy)
    if found.fails_on_controllers:
        message = (
            "Kyverno tries the JSON Patch of this policy on Deployments and other controllers of "
            "pods, too, where it fails: set `autogen: {podControllers: {controllers: []}}`"
        )
        yield warning(message, ("spec", "mutations"), code="PolicyAutogenFails")
    for path in found.replaced_env_from:
        message = "Kyverno cannot merge `envFrom` of the CEL expression and fails: set `env` there"
        yield warning(message, path, code="PolicyEnvFromReplaced")
    for path in found.merged_entries:
        message = (
            "the CEL expression keeps the `valueFrom` of an entry beside its own `value`, and the API "
            "server rejects such a pod: write the whole `env` by a JSON Patch"
        )
        yield warning(message, path, code="PolicyKeepsValueFrom")
    yield from cel_checks.harmful(found.expressions)
    if found.runs_on_update:
        message = (
            "the policy runs on UPDATE, too, where the API server rejects a new `env` of a pod: "
            "use `operations: [CREATE]`"
        )
        path = ("spec", "matchConstraints", "resourceRules")
        yield Finding(Severity.INFO, message, path, code="PolicyRunsOnUpdate")


def two_proxies(rules: Sequence[policy_rules.PolicyRule]) -> Finding | None:
    """Return an error if two rules set different proxies: one value of the settings must not replace both.

    Args:
        rules: the rules of one policy. Only values that are plain text count.
    """
    found: list[tuple[str, str, Any, Pointer]] = []
    for rule in rules:
        for slot in (*policy_rules.merge_slots(rule), *policy_rules.text_slots(rule)):
            value = getattr(find_place(slot), "value", None)
            found.append((rule.title, slot.name, value, slot.path))
    different = different_proxies(found)
    if different is None:
        return None
    variable, first, second, path = different
    message = (
        f"{first} and {second} set two different proxies in `{variable}`, and one ProxyConfig writes one value to "
        "both: give one of them a proxy of its own with an entry of `spec.overrides` that matches it by `rules`, or "
        "write the same proxy in both"
    )
    return Finding(Severity.ERROR, message, path, code="PolicyTwoProxies")


def warning(message: str, path: Pointer, *, code: str) -> Finding:
    """Return a finding for a person to look at."""
    return Finding(Severity.WARNING, message, path, code=code)
