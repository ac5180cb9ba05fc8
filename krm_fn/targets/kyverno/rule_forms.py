"""One rule of a ClusterPolicy or Policy: the places of its strategic merge patches, and of each text of a JSON Patch.

A rule is not extended: its author decides which variables and which containers get a proxy. A removal takes entries
out, because Kyverno would write one with an empty value over the proxy that a pod sets for itself.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping, Sequence
from functools import partial
from operator import not_

from krm_fn.engine import Draft
from krm_fn.formats.embedded import Value
from krm_fn.krm.results import Result
from krm_fn.light_typing import Any
from krm_fn.patch import field_path, lookup, text_at
from krm_fn.places.place import Place, quoted
from krm_fn.places.text_forms import YamlText, text_place
from krm_fn.targets.base import Data, Places
from krm_fn.targets.kyverno import rules
from krm_fn.targets.kyverno.policy_entries import PolicyEntry, PolicyForm, TextPlace, mentioned
from krm_fn.targets.kyverno.rules import PolicyRule

_JSON_PATCH = "patchesJson6902"
_PATCH_STEPS = ("mutate", rules.STRATEGIC_MERGE)


def rule_places(policy: Data, rule: PolicyRule) -> Places:
    """Yield the places of one rule; report which variables it names in a place that none of them reads."""
    places = [Place(rule.path, RuleForm(rule), rule.title)]
    for body in rules.patch_bodies(rule):
        text = text_at(body.fields, (_JSON_PATCH,))
        if mentioned(text):
            value = Value((*body.path, _JSON_PATCH), text)
            form = YamlText(
                partial(_in_json_patch, rule),
                is_first_only=False,
                holds=list,
                says_nothing=not_,
            )
            place = text_place(value, form, rule.title)
            places.append(place._replace(kept_steps=len(body.path)))
    yield from places
    known = {reading.variable for place in places for reading in place.form.read(policy, place)}
    names = mentioned(rule.fields["mutate"])
    others = [name for name in names if name not in known]
    if others:
        message = f"{quoted(others)} of {rule.title} is named where no value of `env` is set: set the proxy there"
        yield Result.of("ByHand", message, (*rule.path, "mutate"))


def _in_json_patch(rule: PolicyRule, document: Any) -> Places:
    yield Place((), JsonPatchForm(rule), rule.title)


class RuleForm(PolicyForm):
    """The entries that the strategic merge patches of a rule set; ``rule``: as it was before any edit."""

    def __init__(self, rule: PolicyRule) -> None:
        self.rule = rule

    def entries(self, data: Any) -> list[PolicyEntry]:
        """Return the entries of the rule."""
        fields = lookup(data, self.rule.path)
        rule = self.rule._replace(fields=fields)
        return [*rules.find_entries(rule)]

    def container_name(self, entry: PolicyEntry, label: str) -> str:
        """Return the name that messages give to the container of an entry: its path in the patch."""
        steps = entry.path[len(self.rule.path) : -2]
        path = tuple(step for step in steps if step not in _PATCH_STEPS)
        return f"`{field_path(path)}` of {label}"

    def set_texts(self, draft: Draft, texts: Mapping[TextPlace, str]) -> None:
        """Set the texts in entries and in context variables."""
        for place, text in texts.items():
            draft.set(place.path, text)

    def remove(self, draft: Draft, place: Place, entries: Sequence[PolicyEntry]) -> None:
        """Remove the entries, and our part of the context variables that decide their values."""
        for entry in reversed(entries):
            if not entry.problem:
                draft.set(entry.place.path, entry.rest)
            self.take_out(draft, entry)
        if entries:
            message = f"{place.label} sets no proxy any more: delete it if it does nothing else"
            draft.report("ByHand", message, self.rule.path)

    def take_out(self, draft: Draft, entry: PolicyEntry) -> None:
        """Take one entry out of its list, which goes with its last one."""
        draft.remove(entry.path, keep=len(entry.path) - 2)


class JsonPatchForm(RuleForm):
    """The entries in the data of one JSON Patch."""

    def entries(self, data: Any) -> list[PolicyEntry]:
        """Return the entries of the patch; references in it are left to Kyverno."""
        return [*rules.entries_in(data, (), ChainMap())]

    def container_name(self, entry: PolicyEntry, label: str) -> str:
        """Return the name that messages give to the patch."""
        return f"`{_JSON_PATCH}` of {label}"

    def take_out(self, draft: Draft, entry: PolicyEntry) -> None:
        """Take out one entry, and the operation that sets nothing else."""
        operation = entry.path[:1]
        draft.remove(entry.path, keep=2)
        if not draft.get((*operation, "value")):
            draft.remove(operation)
