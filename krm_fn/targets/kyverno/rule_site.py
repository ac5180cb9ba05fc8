"""One rule of a Kyverno policy, as a site: its strategic merge patches and its JSON patches.

Without ``fill: Complete`` a rule is not extended: its author decides which names and containers get a proxy. A removal
takes entries out, because Kyverno would write an entry with an empty value over the proxy that a pod sets for itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from krm_fn.carriers.reading import Reading
from krm_fn.carriers.site import Variables, quoted
from krm_fn.engine import Draft
from krm_fn.formats.escaping import kubernetes_env, read_kubernetes_env
from krm_fn.krm.results import Finding, Severity
from krm_fn.patch import Pointer, field_path
from krm_fn.targets.kyverno import json_patches, policy_rules
from krm_fn.targets.kyverno.completion import complete_rule, remove_completion
from krm_fn.targets.kyverno.policy_rules import ContextEntry, PolicyRule, VariableSlot
from krm_fn.targets.kyverno.policy_value import (
    ConfigMapKey,
    Unfillable,
    ValuePlace,
    find_place,
    is_dynamic,
    new_value,
    resolved,
    split_entries,
)

_EFFECTS = {
    "(name)": "makes Kyverno panic",
    "+(name)": "writes the value into other entries, and adds their names to other containers",
    "<(name)": "makes Kyverno skip the rule",
    "X(name)": "adds entries without a name",
    "^(name)": "adds entries without a name",
}
"""What an anchor beside a value does in an entry of ``env``, as Kyverno's engine showed it."""

_PATCH_STEPS = ("mutate", "patchStrategicMerge")
_REFERENCE_IN_SETTING = (
    "Kyverno takes `{{` and `$(` for a reference: the setting must not hold them"
)


@dataclass
class _Text:
    """One text that decides the value of the variables ``names``."""

    place: ValuePlace
    names: list[str] = field(default_factory=list)
    context: tuple[ContextEntry, ...] = ()


class RuleSite:
    """The proxy variables that one rule sets in containers.

    Args:
        draft: the data of a ClusterPolicy or a Policy.
        rule: one of its rules.
        is_complete: what the rule leaves out is added, too.
        own: the variables of this rule, where an override gives it some of its own.
        is_filled: whether another target fills the ConfigMap that a value comes from.
    """

    def __init__(
        self,
        draft: Draft,
        rule: PolicyRule,
        *,
        is_complete: bool = False,
        own: Variables | None = None,
        is_filled: Callable[[ConfigMapKey], bool] | None = None,
    ) -> None:
        self._draft = draft
        self._is_complete = is_complete
        self._own = own
        self._is_filled = is_filled
        self._path = rule.path
        self._title = rule.title
        self._reasons: dict[tuple[str, bool], tuple[Pointer, list[str]]] = {}
        self.label = rule.title

    def read(self) -> Iterator[Reading]:
        """Yield the variables that the rule sets, as far as the policy itself says it."""
        rule = self._rule()
        for one in self._readings(rule):
            yield one._replace(rule=rule.name)

    def _readings(self, rule: PolicyRule) -> Iterator[Reading]:
        place = f"`patchesJson6902` of {self._title}"
        for text in policy_rules.text_patches(rule):
            raw = text.text if isinstance(text.text, str) else ""
            for name in text.names:
                found = [read_slot(one, place, raw) for one in text.slots if one.name == name]
                computed = Reading(name, None, text.path, raw, place, "Kyverno computes it")
                yield from dict.fromkeys(found or [computed])
        for slot in policy_rules.merge_slots(rule):
            steps = slot.path[len(self._path) : -3]
            where = tuple(step for step in steps if step not in _PATCH_STEPS)
            yield read_slot(slot, f"`{field_path(where)}` of {self._title}")

    def write(self, variables: Variables) -> None:
        """Set the variables that the rule has, and with ``fill: Complete`` the others; without a proxy, remove them."""
        if self._own is not None:
            variables = self._own
        before = self._draft.edits
        if variables:
            self._fill(variables)
            if self._is_complete:
                complete_rule(self._draft, self._rule(), variables)
        else:
            containers = [slot.path[:-3] for slot in policy_rules.merge_slots(self._rule())]
            self._remove()
            if self._is_complete:
                remove_completion(self._draft, self._rule(), containers)
        for (reason, is_stale), (path, names) in self._reasons.items():
            message = f"{quoted(names)} of {self._title} cannot be set: {reason}"
            found = Finding(
                Severity.WARNING, message, path, is_stale=is_stale, code="PolicyNotFilled"
            )
            self._draft.findings.append(found)
        is_emptied = not variables and self._draft.edits > before
        if is_emptied and not policy_rules.sets_something(self._draft.get((*self._path, "mutate"))):
            message = (
                f"{self._title} sets nothing any more: delete it, a later injection does not fill it "
                "again"
            )
            self._draft.report(Severity.WARNING, message, self._path, code="PolicyRuleEmpty")

    def _rule(self) -> PolicyRule:
        return PolicyRule(self._title, self._path, self._draft.get(self._path))

    def _slots(self) -> list[VariableSlot]:
        rule = self._rule()
        return [*policy_rules.merge_slots(rule), *policy_rules.text_slots(rule)]

    def _fill(self, variables: Variables) -> None:
        texts: dict[tuple[Pointer, Pointer], _Text] = {}
        slots = self._slots()
        self._report_anchors(slots, variables)
        for slot in slots:
            place = find_place(slot)
            if slot.name_key in _EFFECTS:
                continue
            if isinstance(place, Unfillable):
                if not self._is_provided(place):
                    self._note(place, slot.name)
            else:
                key = (place.path, place.inner)
                text = texts.setdefault(key, _Text(place, context=slot.context))
                text.names.append(slot.name)
        self._set_texts(texts.values(), variables)
        self._note_other_forms("set")

    def _note_other_forms(self, verb: str) -> None:
        """Note the variables that a JSON Patch sets in another form than as entries."""
        for text in policy_rules.text_patches(self._rule()):
            for name in text.others():
                reason = f"`patchesJson6902` does not set it as an entry of `env`: {verb} it there"
                self._note(Unfillable(text.path, reason), name)

    def _report_anchors(self, slots: Sequence[VariableSlot], variables: Variables) -> None:
        """Report each anchor beside a value, once; such an entry is not filled."""
        stale: dict[str, list[bool]] = {}
        paths: dict[str, Pointer] = {}
        for slot in slots:
            if slot.name_key in _EFFECTS:
                is_other = slot.value != kubernetes_env(variables.get(slot.name, ""))
                stale.setdefault(slot.name_key, []).append(is_other)
                paths.setdefault(slot.name_key, slot.path[:-1])
        for key, path in paths.items():
            message = (
                f"`{key}` beside a value in an `env` entry of {self._title} {_EFFECTS[key]}, so the entry is not "
                "filled: write `name`"
            )
            found = Finding(
                Severity.WARNING,
                message,
                path,
                is_stale=any(stale[key]),
                code="PolicyEntryAnchor",
            )
            self._draft.findings.append(found)

    def _set_texts(self, texts: Iterable[_Text], variables: Variables) -> None:
        """Set all texts that can get their value; note why the others cannot."""
        in_texts: dict[Pointer, dict[Pointer, str]] = {}
        for text in texts:
            place = text.place
            wanted = {kubernetes_env(variables.get(name, "")) for name in text.names}
            value = _value_of(text, wanted)
            if isinstance(value, Unfillable):
                known = resolved(str(place.value), text.context)
                if {known} == wanted:
                    continue
                for name in text.names:
                    self._note(replace(value, is_stale=known is not None), name)
            elif value != ("" if place.value is None else place.value):
                if place.inner:
                    in_texts.setdefault(place.path, {})[place.inner] = value
                else:
                    self._draft.set(place.path, value)
        for path, values in in_texts.items():
            json_patches.set_values(self._draft, path, values)

    def _remove(self) -> None:
        """Remove the entries of all ``env`` lists, and empty their context variables."""
        variables: dict[Pointer, _Text] = {}
        lists: dict[Pointer, list[VariableSlot]] = {}
        for slot in self._slots():
            lists.setdefault(slot.path if slot.inner else slot.path[:-2], []).append(slot)
        for path, slots in lists.items():
            gone = self._removable(slots)
            in_text = [slot.inner for slot, _ in gone if slot.inner]
            if in_text:
                json_patches.remove_entries(self._draft, path, in_text)
                continue
            for slot, place in reversed(gone):
                if place.variable:
                    variables.setdefault(place.path, _Text(place)).names.append(slot.name)
                self._draft.remove(slot.path[:-1], keep=len(path) - 1)
        self._set_texts(variables.values(), {})
        self._note_other_forms("remove")

    def _removable(self, slots: Sequence[VariableSlot]) -> list[tuple[VariableSlot, ValuePlace]]:
        """Return the entries of one list that are removed, each with the text that decides its value.

        ``NO_PROXY`` stays where a URL stays: without it the traffic of the cluster itself would go through that proxy.
        """
        found: list[tuple[VariableSlot, ValuePlace]] = []
        is_url_left = False
        for slot in slots:
            is_list = slot.name.upper() == "NO_PROXY"
            place = find_place(slot)
            if isinstance(place, Unfillable) and self._is_provided(place):
                found.append((slot, ValuePlace(slot.path, slot.value)))
                continue
            if not isinstance(place, Unfillable):
                value = new_value(place, "", is_list=is_list)
                if not isinstance(value, Unfillable):
                    found.append((slot, place))
                    continue
                place = value
            self._note(place, slot.name)
            is_url_left = is_url_left or not is_list
        if is_url_left:
            return [(slot, place) for slot, place in found if slot.name.upper() != "NO_PROXY"]
        return found

    def _is_provided(self, place: Unfillable) -> bool:
        """Return whether another target fills the ConfigMap that a value comes from; not with a proxy of one rule."""
        if place.source is None or self._is_filled is None or self._own is not None:
            return False
        return self._is_filled(place.source)

    def _note(self, problem: Unfillable, name: str) -> None:
        """Note that a variable cannot be set; each reason is reported once for all container lists."""
        key = (problem.reason, problem.is_stale)
        self._reasons.setdefault(key, (problem.path, []))[1].append(name)


def _value_of(text: _Text, wanted: set[str]) -> str | Unfillable:
    place = text.place
    if len(wanted) > 1:
        reason = f'they differ and share the context variable "{place.variable}": use one each'
        return Unfillable(place.path, reason)
    value = next(iter(wanted))
    if is_dynamic(value):
        return Unfillable(place.path, _REFERENCE_IN_SETTING)
    is_list = all(name.upper() == "NO_PROXY" for name in text.names)
    return new_value(place, value, is_list=is_list)


def read_slot(slot: VariableSlot, place: str, around: str | None = None) -> Reading:
    """Return what one entry of ``env`` sets, its context variable followed to the text that decides the value.

    Args:
        slot: the entry.
        place: what messages call its place.
        around: the text of the JSON Patch in which it is.
    """
    found = find_place(slot)
    if isinstance(found, Unfillable):
        raw = slot.value if isinstance(slot.value, str) else ""
        return Reading(slot.name, None, found.path, raw, place, found.reason)
    text = "" if found.value is None else found.value
    if not isinstance(text, str):
        return Reading(
            slot.name, None, found.path, around or "", place, "its `value` must be a text"
        )
    raw = text if around is None else around
    value = resolved(text, slot.context)
    if value is None:
        known = _known_part(slot.name, text)
        why = "a part of it is computed by Kyverno"
        return Reading(slot.name, None, found.path, raw, place, why, known)
    read = read_kubernetes_env(value)
    unresolved = value if read is None else ""
    return Reading(slot.name, read, found.path, raw, place, unresolved=unresolved)


def _known_part(name: str, text: str) -> str:
    """Return the entries of a list that are there whatever Kyverno computes; "" for a URL."""
    if name.upper() != "NO_PROXY":
        return ""
    entries = [entry.strip() for entry in split_entries(text) or () if not is_dynamic(entry)]
    return read_kubernetes_env(",".join(filter(None, entries))) or ""
