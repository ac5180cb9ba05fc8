"""Kyverno policies: those that set proxy variables on pods get the values of the ProxyConfig."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from krm_fn.carriers.data_references import DataUsesReader
from krm_fn.carriers.reading import Reading, Values
from krm_fn.carriers.site import Places
from krm_fn.engine import Draft
from krm_fn.formats.escaping import kubernetes_env
from krm_fn.krm.resourcelist import group_kind
from krm_fn.krm.results import Finding
from krm_fn.light_typing import Any
from krm_fn.noproxy import Audience
from krm_fn.patch import lookup
from krm_fn.targets.base import (
    Context,
    Creation,
    GroupKind,
    ObjectName,
    Options,
    Present,
    Target,
    Writes,
)
from krm_fn.targets.kyverno import compared, generated, policy_rules
from krm_fn.targets.kyverno.cel_site import CelExpressions
from krm_fn.targets.kyverno.checks import (
    harmful_expressions,
    other_forms,
    two_proxies,
    without_effect,
)
from krm_fn.targets.kyverno.compared import ComparedPolicy, generating_rules
from krm_fn.targets.kyverno.completion import report_expressions
from krm_fn.targets.kyverno.config_maps import config_map_of, keys_read
from krm_fn.targets.kyverno.convert import EXCEPTION, Conversion, deprecated, excepted_policies
from krm_fn.targets.kyverno.generated import GeneratedObject
from krm_fn.targets.kyverno.policy_value import ValuePlace, new_value
from krm_fn.targets.kyverno.rule_site import RuleSite
from krm_fn.targets.kyverno.wrapped import (
    POLICIES,
    WRAPPERS,
    policies,
    wrapped,
)

_BINDING = ("admissionregistration.k8s.io", generated.BINDING)
_WITH_CEL = ("MutatingPolicy", "NamespacedMutatingPolicy", "MutatingAdmissionPolicy")

COMPLETE = "Complete"
"""A value of the option ``fill``: what a policy leaves out is added."""


CONVERT = "MutatingPolicy"
"""A value of the option ``convert``: a ClusterPolicy or Policy becomes a policy with CEL expressions."""


def _sites(
    draft: Draft, context: Context, *, is_wrapped: bool = False
) -> Iterator[RuleSite | CelExpressions | ComparedPolicy | Conversion]:
    """Yield the sites of one policy; one inside another object is not converted."""
    kind = group_kind(draft.data)
    if kind in compared.KINDS:
        yield ComparedPolicy(draft, ("spec",), f"this {kind[1]}")
        return
    for path, title in generating_rules(draft.data):
        yield ComparedPolicy(draft, path, title)
    is_complete = context.options.get("fill") == COMPLETE
    if kind[1] in _WITH_CEL:
        if context.settings.sets_any:
            draft.findings += harmful_expressions(draft.data)
            if is_complete:
                report_expressions(draft)
        yield CelExpressions(draft)
        return
    yield from _sites_of_rules(draft, context, is_wrapped=is_wrapped, is_complete=is_complete)


def _sites_of_rules(
    draft: Draft, context: Context, *, is_wrapped: bool, is_complete: bool
) -> Iterator[RuleSite | Conversion]:
    """Yield the rules of a policy, and the policy as a whole, which may be converted."""
    found: list[policy_rules.PolicyRule] = []
    for rule in policy_rules.rules(draft.data):
        if isinstance(rule, Finding):
            draft.findings.append(rule)
            continue
        found.append(rule)
        draft.findings += other_forms(rule)
        if context.settings.sets_any:
            draft.findings += without_effect(rule, policy=draft.data, is_complete=is_complete)
    own = {rule.path: _own_variables(rule, context) for rule in found}
    for wanted in dict.fromkeys(map(_key, own.values())):
        together = [rule for rule in found if _key(own[rule.path]) == wanted]
        conflict = two_proxies(together) if context.settings.sets_any else None
        if conflict:
            draft.findings.append(conflict)
            return
    for rule in found:
        yield RuleSite(
            draft,
            rule,
            is_complete=is_complete,
            own=own[rule.path],
            is_filled=lambda source: context.uses.fills(
                config_map_of(draft.data, source), source.key
            ),
        )
    if found:
        is_wanted = context.options.get("convert") == CONVERT
        yield Conversion(
            draft,
            is_wanted=is_wanted,
            is_wrapped=is_wrapped,
            own=tuple(own.values()),
            names_in_use=context.names_in_use,
        )


def _own_variables(rule: policy_rules.PolicyRule, context: Context) -> dict[str, str] | None:
    """Return the variables that an override gives to a rule; None where it has those of the policy."""
    if context.settings_of_rule is None:
        return None
    return context.settings_of_rule(rule.name).variables()


def _key(variables: dict[str, str] | None) -> tuple[tuple[str, str], ...]:
    return tuple((variables or {}).items())


def _converts_to(options: Mapping[str, Any]) -> frozenset[GroupKind]:
    if options.get("convert") != CONVERT:
        return frozenset()
    return frozenset({EXCEPTION, *(("policies.kyverno.io", kind) for kind in _WITH_CEL[:2])})


def _names_in_use(options: Mapping[str, Any], present: Present) -> frozenset[ObjectName]:
    """Return the policies with CEL expressions that the list has after this run, and the policies that others name.

    A ClusterPolicy is not converted to one of the former, nor where it is one of the latter.
    """
    kinds = _converts_to(options)
    found: set[ObjectName] = set()
    for obj, is_editable in present(kinds) if kinds else ():
        if is_editable and generated.is_dropped(obj.data, options):
            continue
        found.add((*obj.group_kind, obj.ref.namespace, obj.base_name))
        found.update(excepted_policies(obj.data))
    return frozenset(found)


class _KyvernoPolicies(Target):
    id = "kyvernoPolicies"
    kinds = POLICIES | WRAPPERS | {_BINDING}
    audience = Audience.POD
    writes = Writes.VALUES
    creates = Creation(generated=generated.objects, names_in_use=_names_in_use)

    def hints(self, options: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the text hints, and the names of the objects to generate: one of them may be in the way."""
        names = [str(lookup(one, ("metadata", "name"))) for one in generated.objects(options)]
        return (*super().hints(options), *names)

    def sites(self, draft: Draft, context: Context) -> Places:
        """Yield the rules of a policy, or its CEL expressions; those of policies inside another object."""
        if generated.is_generated(draft.data):
            return iter([GeneratedObject(draft, context.options)])
        if context.settings.sets_any and generated.is_in_the_way(draft.data, context.options):
            generated.report_in_the_way(draft)
            return iter(())
        kind = group_kind(draft.data)
        if kind == _BINDING:
            return iter(())
        if kind in WRAPPERS:
            return wrapped(draft, lambda policy: _sites(policy, context, is_wrapped=True))
        return _sites(draft, context)

    def note_references(
        self, uses: DataUsesReader, obj: Mapping[str, Any], options: Mapping[str, Any]
    ) -> None:
        """Note the keys of ConfigMaps that the rules of a policy read."""
        uses.note_keys(keys_read(obj))

    def names_of_rules(self, data: Mapping[str, Any]) -> list[str]:
        """Return the names of the rules of all policies in an object."""
        every = [rule for one in policies(data) for rule in policy_rules.rules(one)]
        return [rule.name for rule in every if isinstance(rule, policy_rules.PolicyRule)]

    def outdated(self, data: Mapping[str, Any]) -> Finding | None:
        """Return that Kyverno removes the kind of a policy."""
        return deprecated(data)

    def fix(
        self, draft: Draft, place: Mapping[str, Reading], values: Values, options: Options
    ) -> None:
        """Set values of entries and of context variables; the author of a policy decides which names it sets.

        JSON patches, CEL expressions and policies in a text, which hold more than one value, stay as they are.
        """
        for name, value in values.items():
            one = place.get(name)
            path = one.path if one is not None else ()
            if value is None or one is None or not path or "value" not in path[-1]:
                continue
            if draft.get(path) != one.raw:  # a text around the policy
                continue
            text = new_value(
                ValuePlace(path, draft.get(path)),
                kubernetes_env(value),
                is_list=name.upper() == "NO_PROXY",
            )
            if isinstance(text, str):
                draft.set(path, text)


TARGET = _KyvernoPolicies()
