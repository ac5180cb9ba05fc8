"""The conversion of a ClusterPolicy or Policy to the MutatingPolicy that does the same, as a site.

The policy is converted as a whole or not at all: Kyverno would otherwise run what is left of it beside the new one.
Each rule becomes one mutation for each list of containers, in the order in which Kyverno executes the rules.

Source: ``api/policies.kyverno.io/v1`` (``MutatingPolicySpec``) and ``pkg/cel/policies/mpol`` of Kyverno 1.19. Each
mutation sees what those before it changed; ``variables`` are evaluated once for all of them, so that none of them
depends on ``env``. Kyverno's own extension to controllers of pods is turned off, because it does not rewrite a
``jsonPatch``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from krm_fn.carriers.site import SiteWithoutVariables, Variables
from krm_fn.engine import Draft
from krm_fn.krm.resourcelist import group_kind
from krm_fn.krm.results import Finding, Severity
from krm_fn.light_typing import Any
from krm_fn.patch import Pointer, lookup
from krm_fn.targets.kyverno import autogen, cel_text, policy_rules
from krm_fn.targets.kyverno.checks import harmful_expressions
from krm_fn.targets.kyverno.convert_match import (
    OPERATIONS,
    RuleScope,
    all_of,
    derived_kinds,
    kind_is,
    operation_is,
    scope,
)
from krm_fn.targets.kyverno.convert_patches import EnvEdit, EnvEntry, Own, env_edits
from krm_fn.targets.kyverno.convert_shape import (
    RULE,
    SPEC,
    NotConvertibleError,
    check,
    refuse,
)
from krm_fn.targets.kyverno.policy_rules import PolicyRule

_GROUP = "policies.kyverno.io"
_KINDS = {"ClusterPolicy": "MutatingPolicy", "Policy": "NamespacedMutatingPolicy"}
EXCEPTION = ("kyverno.io", "PolicyException")
"""Group and kind of the objects that exempt others from a ClusterPolicy or Policy, and from nothing else."""

_NAMESPACE_OBJECT = "namespaceObject"


@dataclass(frozen=True)
class _ReadRule:
    """One rule, as far as it is understood."""

    scope: RuleScope
    edits: Sequence[EnvEdit]


def deprecated(policy: Mapping[str, Any], *, is_wrapped: bool = False) -> Finding | None:
    """Return the warning that Kyverno will not execute a policy any more; None for a kind that it will.

    Args:
        policy: any policy that sets a proxy.
        is_wrapped: it is inside another object.
    """
    group, kind = group_kind(policy)
    if group != EXCEPTION[0] or kind not in _KINDS:
        return None
    remedy = "convert it with `targets.kyvernoPolicies.convert: MutatingPolicy`"
    if is_wrapped:
        remedy = (
            "write a MutatingPolicy in its place; a policy inside another object is not converted"
        )
    message = f"Kyverno 1.20 no longer executes a {kind}: {remedy}"
    return Finding(Severity.WARNING, message, ("kind",), code="PolicyDeprecated")


def excepted_policies(exception: Mapping[str, Any]) -> Iterator[tuple[str, str, str, str]]:
    """Yield group, kind, namespace and name of the policies that a PolicyException names; of other objects nothing."""
    if group_kind(exception) != EXCEPTION:
        return
    for one in policy_rules.list_or_empty(lookup(exception, ("spec", "exceptions"))):
        name = lookup(one, ("policyName",))
        if isinstance(name, str):
            namespace, _, name = name.rpartition("/")
            yield EXCEPTION[0], "Policy" if namespace else "ClusterPolicy", namespace, name


class Conversion(SiteWithoutVariables):
    """The policy as a whole, after its values are set.

    Args:
        draft: the data of a ClusterPolicy or Policy.
        is_wanted: the options ask for a conversion.
        is_wrapped: the policy is inside another object; such a one is not converted.
        own: the variables of each rule to which an override gives some of its own, else None.
        names_in_use: group, kind, namespace and name of the policies with CEL expressions that are in the list.
    """

    label = "the policy"

    def __init__(
        self,
        draft: Draft,
        *,
        is_wanted: bool,
        is_wrapped: bool = False,
        own: Sequence[Variables | None] = (),
        names_in_use: Collection[tuple[str, str, str, str]] = (),
    ) -> None:
        self._draft = draft
        self._is_wanted = is_wanted and not is_wrapped
        self._is_wrapped = is_wrapped
        self._own = own
        self._names_in_use = names_in_use

    def write(self, variables: Variables) -> None:
        """Convert the policy, or report why it stays; without a proxy, do nothing."""
        if not variables:
            return
        if not self._is_wanted:
            self._report_deprecation()
            return
        policy = self._draft.data
        if not policy_rules.mentioned(lookup(policy, ("spec", "rules"))):
            return
        problems: list[Finding] = []
        found = list(self._read_rules(policy, variables, problems))
        # Kyverno executes the rules that it derives from those on pods after all that a person wrote.
        found.sort(key=lambda rule: "Pod" in rule.scope.kinds)
        if problems:
            self._draft.findings += problems
            return
        self._replace(policy, found)

    def _report_deprecation(self) -> None:
        found = deprecated(self._draft.data, is_wrapped=self._is_wrapped)
        if self._draft.edits and found is not None:
            self._draft.findings.append(found)

    def _read_rules(
        self, policy: Mapping[str, Any], variables: Variables, problems: list[Finding]
    ) -> Iterator[_ReadRule]:
        """Yield all rules; add what is not convertible to ``problems``, one finding for each rule."""
        try:
            self._check_name(policy)
            _check_spec(policy)
            derived = derived_kinds(policy)
        except NotConvertibleError as error:
            problems.append(_refusal("the policy", error))
            return
        if any(own is not None and dict(own) != dict(variables) for own in self._own):
            reason = (
                "its rules have proxies of their own, and a MutatingPolicy has no names of rules"
            )
            problems.append(_refusal("the policy", NotConvertibleError(reason, ("spec", "rules"))))
            return
        for index, fields in enumerate(policy["spec"]["rules"]):
            title = policy_rules.title_of(fields, index)
            rule = PolicyRule(title, ("spec", "rules", str(index)), fields)
            try:
                _check_rule(rule)
                yield _read(rule, derived)
            except NotConvertibleError as error:
                problems.append(_refusal(title, error))

    def _check_name(self, policy: Mapping[str, Any]) -> None:
        kind = _KINDS[str(policy["kind"])]
        for key in ("namespace", "name"):
            if not isinstance(lookup(policy, ("metadata", key)), str | None):
                refuse(f"`{key}` must be a text", ("metadata", key))
        namespace, name = (lookup(policy, ("metadata", key)) or "" for key in ("namespace", "name"))
        if (_GROUP, kind, namespace, name) in self._names_in_use:
            reason = f"the list has a {kind} of the same name already, or gets one by `generate`"
            refuse(reason, ("metadata", "name"))
        if (EXCEPTION[0], str(policy["kind"]), namespace, name) in self._names_in_use:
            reason = (
                "a PolicyException names it, and exempts nothing from a MutatingPolicy: write one of "
                "`policies.kyverno.io` with `policyRefs` in its place"
            )
            refuse(reason, ("metadata", "name"))

    def _replace(self, policy: Mapping[str, Any], found: Sequence[_ReadRule]) -> None:
        """Write the new policy over the old one; its metadata stays, but for what Kyverno no longer reads."""
        kind = str(policy["kind"])
        spec = _spec(policy["spec"], found)
        self._draft.set(("apiVersion",), f"{_GROUP}/v1")
        self._draft.set(("kind",), _KINDS[kind])
        self._draft.remove(autogen.ANNOTATION, keep=1)
        self._draft.remove(("status",))
        self._draft.set(("spec",), spec)
        self._draft.describe(f"converts the {kind} to a {_KINDS[kind]}")
        was_broken = any(one.code == "PolicyItemsAnchored" for one in self._draft.findings)
        # What was found in the fields of the old policy means nothing in the new one.
        of_others = [one for one in self._draft.findings if one.path[:2] != ("spec", "rules")]
        self._draft.findings[:] = [*of_others, *harmful_expressions(self._draft.data)]
        message = (
            f"delete the {kind} from clusters where nothing prunes it: the {_KINDS[kind]}, which Kyverno 1.17 or newer "
            "executes, takes its place in the list, without the comments of its `spec`"
        )
        if was_broken:
            message += (
                ". The rules deleted containers or their images, because several items of a list have `(name)` "
                "(kyverno#16862): now each container gets what its items say"
            )
        if any(edit.condition != "true" for one in found for edit in one.edits):
            message += (
                ". Containers keep their order: the rules moved those that they patch to the front"
            )
        self._draft.report(Severity.WARNING, message, code="PolicyConverted")


def _check_spec(policy: Mapping[str, Any]) -> None:
    spec = policy.get("spec")
    check(spec, SPEC, ("spec",))
    if not isinstance(spec, Mapping) or spec.get("rules") is None:
        refuse("`spec` has no `rules`", ("spec",))
    if spec.get("applyRules") == "One" and len(spec["rules"]) > 1:
        refuse("`applyRules: One` ends with the first rule that applies", ("spec", "applyRules"))


def _check_rule(rule: PolicyRule) -> None:
    if not isinstance(rule.fields, Mapping) or not isinstance(rule.fields.get("mutate"), Mapping):
        refuse("it does not mutate: move it to a policy of its own", rule.path)
    if rule.name.startswith("autogen-"):
        refuse("Kyverno derived it from another rule: delete it", rule.path)
    check(rule.fields, RULE, rule.path)


def _read(rule: PolicyRule, derived: frozenset[str]) -> _ReadRule:
    of_rule = scope(rule, derived)
    edits = env_edits(rule)
    for edit in edits:
        fitting = {policy_rules.pod_spec_of(kind) for kind in of_rule.kinds}
        if of_rule.is_extended:
            fitting = {policy_rules.pod_spec_of("Pod")}
        if fitting != {edit.pod_spec}:
            path = ".".join(edit.pod_spec)
            reason = f"Kyverno skips its patch, because `{path}` is no place of containers in all its kinds"
            refuse(reason, (*rule.path, "mutate"))
    return _ReadRule(of_rule, edits)


def _refusal(title: str, error: NotConvertibleError) -> Finding:
    message = f"{title} cannot be converted to a MutatingPolicy: {error.reason}"
    return Finding(Severity.WARNING, message, error.path, code="PolicyNotConverted")


def _spec(old: Mapping[str, Any], found: Sequence[_ReadRule]) -> dict[str, Any]:
    """Return ``spec`` of the new policy."""
    kinds = frozenset().union(*(one.scope.kinds for one in found))
    selector = found[0].scope.namespace_selector
    if any(one.scope.namespace_selector != selector for one in found):
        selector = None
    constraints: dict[str, Any] = {}
    if selector is not None:
        constraints["namespaceSelector"] = dict(selector)
    constraints["resourceRules"] = _resource_rules([one.scope for one in found])
    guards = [_guard(one.scope, found, is_selected=selector is not None) for one in found]
    variables = _Variables(edit for one in found for edit in one.edits)
    conditions: list[tuple[str, str]] = []
    if all(guard == guards[0] for guard in guards):
        # In the conditions of a webhook there is no `namespaceObject` (kyverno#17018).
        conditions = [one for one in guards[0] if _NAMESPACE_OBJECT not in one[1]]
    mutations: list[dict[str, Any]] = []
    for one, guard in zip(found, guards, strict=True):
        applies = variables.applies([term for term in guard if term not in conditions])
        mutations += [_mutation(edit, one.scope, applies, variables) for edit in one.edits]
    spec = _settings(old)
    spec["matchConstraints"] = constraints
    if conditions:
        spec["matchConditions"] = [
            {"name": name, "expression": f"{expression}\n"} for name, expression in conditions
        ]
    if "Pod" in kinds:
        spec["autogen"] = {"podControllers": {"controllers": []}}
    return {**spec, "variables": variables.items(), "mutations": mutations}


def _settings(old: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the policy says about its webhook and about background scans."""
    spec: dict[str, Any] = {}
    webhook = old.get("webhookConfiguration") or {}
    failure_policy = webhook.get("failurePolicy") or old.get("failurePolicy")
    timeout = webhook.get("timeoutSeconds") or old.get("webhookTimeoutSeconds")
    if failure_policy:
        spec["failurePolicy"] = failure_policy
    if timeout:
        spec["webhookConfiguration"] = {"timeoutSeconds": timeout}
    evaluation = {
        key: {"enabled": False} for key in ("admission", "background") if old.get(key) is False
    }
    if evaluation:
        spec["evaluation"] = evaluation
    return spec


def _resource_rules(scopes: Sequence[RuleScope]) -> list[dict[str, Any]]:
    """Return which kinds and operations Kyverno is asked about, a rule for each group and its operations.

    Pods have a rule of their own, in which a person can limit them to CREATE.
    """
    found: dict[tuple[bool, str, tuple[str, ...]], list[str]] = {}
    for kind, (group, resource) in policy_rules.RESOURCES.items():
        wanted = _operations(kind, scopes)
        if wanted:
            found.setdefault((kind == "Pod", group, wanted), []).append(resource)
    return [
        {
            "apiGroups": [group],
            "apiVersions": ["v1"],
            "operations": list(operations),
            "resources": resources,
        }
        for (_, group, operations), resources in found.items()
    ]


def _operations(kind: str, scopes: Sequence[RuleScope]) -> tuple[str, ...]:
    """Return on which operations any rule is about a kind, in the order of the API.

    Jobs are left out on UPDATE: the API server accepts no other ``env`` for one that exists.
    """
    wanted = frozenset().union(*(_of_kind(one, kind) for one in scopes if kind in one.kinds))
    return tuple(one for one in OPERATIONS if one in wanted)


def _of_kind(of_rule: RuleScope, kind: str) -> frozenset[str]:
    """Return on which operations a rule is about objects of a kind."""
    return of_rule.operations - {"UPDATE"} if kind == "Job" else of_rule.operations


def _guard(
    of_rule: RuleScope, found: Sequence[_ReadRule], *, is_selected: bool
) -> list[tuple[str, str]]:
    """Return name and expression of what has to be true for a rule, given what all rules are asked about."""
    scopes = [one.scope for one in found]
    terms = []
    if any(not one.kinds <= of_rule.kinds for one in scopes):
        terms.append(kind_is(of_rule.kinds))
    if any(set(_operations(kind, scopes)) != _of_kind(of_rule, kind) for kind in of_rule.kinds):
        terms.append(operation_is(of_rule.operations))
    conditions = of_rule.conditions(is_selected=is_selected)
    return [("object", all_of(terms)), *conditions] if terms else conditions


class _Variables:
    """The entries of ``spec.variables``: conditions of rules, the path of pods, and lists of ``env``.

    Args:
        edits: all that the mutations do.
    """

    def __init__(self, edits: Iterable[EnvEdit]) -> None:
        kept = [edit for edit in edits if edit.own is not Own.REPLACED]
        lists = [entries for edit in kept for entries in (edit.before, edit.after) if entries]
        self._lists = list(dict.fromkeys(lists))
        self._applies: list[str] = []
        self._path = ""

    def applies(self, guard: Sequence[tuple[str, str]]) -> str:
        """Return a reference to a variable that is true where a rule applies; "" where it always does."""
        expression = all_of(term for _, term in guard)
        if expression == "true":
            return ""
        if expression not in self._applies:
            self._applies.append(expression)
        return f"variables.applies{self._applies.index(expression) + 1}"

    def env(self, entries: tuple[EnvEntry, ...]) -> str:
        """Return a reference to a variable that is a list of entries."""
        return f"variables.{self._name_of(self._lists.index(entries))}"

    def path(self, expression: str) -> str:
        """Return a reference to the variable that is the path of the pod specification."""
        self._path = expression
        return "variables.podPath"

    def items(self) -> list[dict[str, str]]:
        """Return the variables, each with its name and expression."""
        found = [(f"applies{at}", text) for at, text in enumerate(self._applies, start=1)]
        found += [("podPath", self._path)] if self._path else []
        found += [(self._name_of(at), _list_of(one)) for at, one in enumerate(self._lists)]
        return [{"name": name, "expression": f"{text}\n"} for name, text in found]

    def _name_of(self, index: int) -> str:
        return f"env{index + 1}" if len(self._lists) > 1 else "env"


def _list_of(entries: Sequence[EnvEntry]) -> str:
    return cel_text.entries((one.name, cel_text.text(one.value)) for one in entries)


def _mutation(
    edit: EnvEdit, of_rule: RuleScope, applies: str, variables: _Variables
) -> dict[str, Any]:
    """Return one mutation: the JSON Patch that sets ``env`` of each container of a list."""
    by_path: dict[Pointer, list[str]] = {}
    for kind in policy_rules.RESOURCES:
        if kind in of_rule.kinds:
            by_path.setdefault(policy_rules.pod_spec_of(kind) or (), []).append(kind)
    if len(by_path) == 1:
        pod_spec = next(iter(by_path))
        pod = ".".join(("object", *pod_spec))
        path = f'"/{"/".join(pod_spec)}/{edit.containers}/"'
        expression = _patches(edit, pod, path, variables)
    else:
        specs = {one: ".".join(("object", *one)) for one in by_path}
        paths = {one: cel_text.text("/" + "/".join(one)) for one in by_path}
        path = f'{variables.path(_by_kind(by_path, paths))} + "/{edit.containers}/"'
        patches = _patches(edit, "pod", path, variables)
        expression = f"cel.bind(pod,\n{_indented(_by_kind(by_path, specs))},\n{_indented(patches)})"
    if applies:
        expression = f"!{applies} ? [] :\n{_indented(expression)}"
    return {"patchType": "JSONPatch", "jsonPatch": {"expression": f"{expression}\n"}}


def _by_kind(by_path: Mapping[Pointer, Sequence[str]], texts: Mapping[Pointer, str]) -> str:
    """Return a CEL expression that yields one of some texts, by the kind of the object."""
    *others, last = sorted(by_path, key=lambda path: len(by_path[path]))
    choices = [f"{kind_is(by_path[one])} ? {texts[one]} :\n" for one in others]
    return "".join([*choices, texts[last]])


def _patches(edit: EnvEdit, pod: str, path: str, variables: _Variables) -> str:
    """Return a CEL expression that yields a patch for each container of a list.

    Args:
        edit: what becomes of ``env``.
        pod: a CEL expression that yields the pod specification.
        path: one that yields the path of the list, with a slash behind it.
        variables: gets the lists that the expression needs.
    """
    containers = f"{pod}.{edit.containers}"
    chosen = f"[{containers}[0]]" if edit.is_first_only else containers
    if edit.condition != "true":
        chosen += f".filter(c, {edit.condition})"
    lines = [
        f"{chosen}.map(c, JSONPatch{{",
        '  op: "add",',
        f'  path: {path} + string({containers}.map(x, x.name).indexOf(c.name)) + "/env",',
        f"  value: {_value(edit, variables)}",
        "})",
    ]
    text = "\n".join(lines)
    if edit.containers == "containers":
        return text
    return f"!has({containers}) ? [] :\n{_indented(text)}"


def _value(edit: EnvEdit, variables: _Variables) -> str:
    """Return a CEL expression that yields the new ``env`` of the container ``c``."""
    if edit.own is Own.MERGED:
        ours = variables.env(edit.before)
        kept = f"c.env.filter(e, !{ours}.exists(p, p.name == e.name))"
        return f"{ours} + (has(c.env) ? {kept} : [])"
    if edit.own is Own.REPLACED:
        return _list_of((*edit.before, *edit.after)).replace("\n", "\n  ")
    parts = [variables.env(edit.before)] if edit.before else []
    parts.append("(has(c.env) ? c.env : [])")
    if edit.after:
        parts.append(variables.env(edit.after))
    return " + ".join(parts)


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.split("\n"))
