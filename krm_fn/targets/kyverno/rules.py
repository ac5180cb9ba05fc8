"""The rules of a ClusterPolicy or Policy: which entries of ``env`` they set, and how these are written.

An entry is any mapping in a patch that has the name of a proxy variable and a value. Its value is a text, or a
reference such as ``{{ noProxy }}`` to a variable in the ``context`` of the rule or of its ``foreach``. A rule is not
extended: its author decides which variables and which containers get a proxy. A removal takes entries out, because
Kyverno would write one with an empty value over the proxy that a pod sets for itself.

Source: ``api/kyverno/v1/common_types.go`` (``Mutation``, ``ForEachMutation``, ``ContextEntry``) and the anchors in the
chapter "Mutate Resources" of the Kyverno documentation.
"""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Iterator, Mapping, Sequence
from operator import not_

from krm_fn.engine import Draft
from krm_fn.formats.embedded import Value
from krm_fn.krm.results import Result
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.patch import Pointer, field_path, items_at, lookup, text_at, walk
from krm_fn.places.place import Place, quoted, read_places
from krm_fn.places.text_forms import YamlText, text_place
from krm_fn.settings import PROXY_VARIABLES
from krm_fn.targets.base import Data, Places
from krm_fn.targets.kyverno.policy_entries import (
    COMPUTED,
    PolicyEntry,
    PolicyForm,
    TextPlace,
    is_computed,
    mentioned,
)

STRATEGIC_MERGE = "patchStrategicMerge"
_ANCHOR = re.compile(r"[+=<^X]?\((.*)\)")
_CONDITION = re.compile(r"[<^X]?\(.*\)")
# From how many variables to the next one a reference is followed; one may refer to itself.
_STEPS = 20
# An entry of a list; what is in double braces is what Kyverno takes for a variable (``RegexVariables``).
_PART = re.compile(r"(?:\{\{(?:\{[^{}]*\}|[^{}])*\}\}|[^,])+")
_REFERENCE = re.compile(r'\{\{\s*"?([A-Za-z_][\w-]*)"?\s*\}\}')


class ContextText(NamedTuple):
    """The text that ``{{ name }}`` means, and where it is written."""

    path: Pointer
    text: str


# Name -> the text that a value may refer to; None where that is no text of the policy.
ContextTexts = ChainMap[str, "ContextText | None"]


class Body(NamedTuple):
    """The path of a ``mutate``, or of a ``foreach`` in it, and the variables that its values may refer to."""

    path: Pointer
    context: ContextTexts


def mutating_rules(policy: Data) -> Iterator[Place]:
    """Yield the rules of a policy that change objects, as places, without those that Kyverno derived from others."""
    for path, fields in items_at(policy, ("spec", "rules")):
        name = text_at(fields, "name")
        # Kyverno derives these from the other rules itself, so a change would be lost.
        if name.startswith("autogen-"):
            continue
        if isinstance(lookup(fields, "mutate"), Mapping):
            title = f"rule {path[-1]}"
            if name:
                title = f'rule "{name}"'
            yield Place(path, RuleForm(), title)


def patch_bodies(policy: Data, rule: Place) -> list[Body]:
    """Return the ``mutate`` of a rule, and each ``foreach`` in it at any depth."""
    context = ChainMap(_read_context(policy, rule.path))
    bodies = [Body((*rule.path, "mutate"), context)]
    for body in bodies:  # which gets longer on the way
        for path, _ in items_at(policy, (*body.path, "foreach")):
            variables = _read_context(policy, path)
            context = body.context.new_child(variables)
            bodies.append(Body(path, context))
    return bodies


def entries_in(data: Any, above: Pointer, context: ContextTexts) -> Iterator[PolicyEntry]:
    """Yield the entries at or below a path, in their order, without those below a condition."""
    for path, fields in walk(lookup(data, above), above):
        if not isinstance(fields, Mapping):
            continue
        # Below a condition, such as ``(env)``, Kyverno compares values and sets none.
        if any(map(_CONDITION.fullmatch, path)):
            continue
        entry = _entry(fields, path, context)
        if entry is not None:
            yield entry


def bare(key: str) -> str:
    """Return a key without its anchor: ``env`` for ``+(env)``."""
    anchor = _ANCHOR.fullmatch(key)
    if anchor:
        return anchor[1]
    return key


def _read_context(policy: Data, path: Pointer) -> dict[str, ContextText | None]:
    """Return the variables of a rule or a ``foreach``; a later one hides an earlier one of its name."""
    variables: dict[str, ContextText | None] = {}
    for item_path, item in items_at(policy, (*path, "context")):
        variable = lookup(item, "variable")
        text = lookup(variable, "value")
        name = text_at(item, "name")
        # A variable from an API call, a ConfigMap or JMESPath has no text here, and hides an outer one all the same.
        variables[name] = None
        expression = lookup(variable, "jmesPath")
        if isinstance(text, str) and expression is None:
            text_path = (*item_path, "variable", "value")
            variables[name] = ContextText(text_path, text)
    return variables


def _entry(fields: Data, path: Pointer, context: ContextTexts) -> PolicyEntry | None:
    """Return the entry of a mapping; None for a condition, a deletion, or any other mapping."""
    # Keys may have anchors: ``+(value)`` is set where nothing is, ``(value)`` is a condition.
    keys = {bare(key): key for key in map(str, fields)}
    name_key = keys.get("name", "")
    value_key = keys.get("value", "")
    name = fields.get(name_key)
    if name not in PROXY_VARIABLES:
        return None
    value = fields.get(value_key)
    has_source = fields.get("valueFrom") is not None
    is_set = value_key and not _CONDITION.fullmatch(value_key)
    if not is_set and not has_source:
        return None
    is_text = not isinstance(value, (Mapping, list))
    text = ""
    if is_text and value is not None:
        text = str(value)
    text_path = (*path, "value")
    entry = PolicyEntry(name, path, TextPlace(text_path))
    has_anchors = (name_key, value_key) != ("name", "value")
    if is_text and not has_source and not has_anchors:
        return _resolved(entry, ContextText(text_path, text), context)
    return entry._replace(
        value=text or None,
        problem="Kyverno does no good with its form: write `name` and a text as `value`, without anchors and "
        "`valueFrom`",
    )


def _resolved(policy_entry: PolicyEntry, text: ContextText, context: ContextTexts) -> PolicyEntry:
    """Return an entry with the text that decides its value, to which references lead from variable to variable."""
    for _ in range(_STEPS):
        reference = _REFERENCE.fullmatch(text.text.strip())
        if reference is None:
            break
        target = context.get(reference[1])
        if target is None:
            break
        text = target
    policy_entry = policy_entry._replace(place=TextPlace(text.path))
    if not is_computed(text.text):
        return policy_entry._replace(value=text.text)
    parts = split_list(text.text)
    plain = []
    rest = ""
    for part in parts:
        if is_computed(part):
            rest += f",{part}"
        else:
            plain.append(part)
    # ``{{ a }}`` alone is the whole list; ``a,{{ b }}`` is ours up to the first expression.
    is_one_expression = len(parts) == 1 and text.text.strip().startswith("{{")
    if not policy_entry.is_list or is_one_expression:
        return policy_entry._replace(problem=COMPUTED)
    return policy_entry._replace(value=",".join(plain), rest=rest)


def split_list(text: str) -> list[str]:
    """Return the entries of a list; a comma in ``{{ }}`` separates nothing."""
    parts = [part.strip() for part in _PART.findall(text)]
    return [part for part in parts if part]


_JSON_PATCH = "patchesJson6902"
_PATCH_STEPS = ("mutate", STRATEGIC_MERGE)


def rule_places(policy: Data, rule: Place) -> Places:
    """Yield the places of one rule; report which variables it names in a place that none of them reads."""
    places = [rule]
    in_json_patch = Place((), JsonPatchForm(), rule.label)
    form = YamlText(
        lambda document: [in_json_patch],  # noqa: ARG005
        is_first_only=False,
        holds=list,
        says_nothing=not_,
    )
    for body in patch_bodies(policy, rule):
        path = (*body.path, _JSON_PATCH)
        text = text_at(policy, path)
        if mentioned(text):
            place = text_place(Value(path, text), form, rule.label)
            places.append(place._replace(kept_steps=len(body.path)))
    yield from places
    # A name in another form, such as in JMESPath, would keep the old proxy in silence.
    known = {reading.variable for reading in read_places(policy, places)}
    path = (*rule.path, "mutate")
    names = mentioned(lookup(policy, path))
    others = [name for name in names if name not in known]
    if others:
        yield Result(
            "ByHand",
            f"{quoted(others)} of {rule.label} is named where no value of `env` is set: set the proxy there",
            path,
        )


class RuleForm(PolicyForm):
    """The entries that the strategic merge patches of a rule set."""

    def entries(self, data: Any, place: Place) -> list[PolicyEntry]:
        """Return the entries of the rule."""
        entries: list[PolicyEntry] = []
        for body in patch_bodies(data, place):
            entries += entries_in(data, (*body.path, STRATEGIC_MERGE), body.context)
        return entries

    def container_name(self, policy_entry: PolicyEntry, place: Place) -> str:
        """Return the name that messages give to the container of an entry: its path in the patch."""
        steps = policy_entry.path[len(place.path) : -2]
        path = tuple(step for step in steps if step not in _PATCH_STEPS)
        return f"`{field_path(path)}` of {place.label}"

    def remove(self, draft: Draft, place: Place, entries: Sequence[PolicyEntry]) -> None:
        """Remove the entries, and our part of the context variables that decide their values."""
        # From the last one on, so that the paths of the others stay right.
        for entry in reversed(entries):
            if not entry.problem:
                draft.set(entry.place.path, entry.rest)
            self.take_out(draft, entry)
        if entries:
            draft.report(
                "ByHand",
                f"{place.label} sets no proxy any more: delete it if it does nothing else",
                place.path,
            )

    def take_out(self, draft: Draft, policy_entry: PolicyEntry) -> None:
        """Take one entry out of its list, which goes with its last one."""
        draft.remove(policy_entry.path, keep=len(policy_entry.path) - 2)


class JsonPatchForm(RuleForm):
    """The entries in the data of one JSON Patch."""

    def entries(self, data: Any, place: Place) -> list[PolicyEntry]:
        """Return the entries of the patch; references in it are left to Kyverno."""
        return [*entries_in(data, (), ChainMap())]

    def container_name(self, policy_entry: PolicyEntry, place: Place) -> str:
        """Return the name that messages give to the patch."""
        return f"`{_JSON_PATCH}` of {place.label}"

    def take_out(self, draft: Draft, policy_entry: PolicyEntry) -> None:
        """Take out one entry, and the operation that sets nothing else."""
        operation = policy_entry.path[:1]
        draft.remove(policy_entry.path, keep=2)
        if not draft.get((*operation, "value")):
            draft.remove(operation)
