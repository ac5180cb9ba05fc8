"""Where a Kyverno policy sets proxy variables: rules, patches, container lists, entries.

It finds places and decides no value. Only what a patch *sets* counts: ``+(key)`` and ``=(key)`` do, the conditions
``(key)``, ``<(key)``, ``X(key)`` do not, but for the name of an entry.

Source: ``api/kyverno/v1/common_types.go`` (``Mutation``, ``ForEachMutation``) and the anchors of the Kyverno
documentation, "Mutate Resources". Kyverno derives rules named ``autogen-*`` from the authored ones: they are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from krm_fn.carriers.pod_spec import LISTS, POD_SPEC, POD_SPEC_OF
from krm_fn.krm.results import Finding
from krm_fn.krm.type_errors import wrong_type
from krm_fn.light_typing import Any
from krm_fn.patch import Pointer, lookup
from krm_fn.settings import PROXY_VARIABLES
from krm_fn.targets.kyverno import json_patches

STEPS = ("spec", "template", "jobTemplate")
"""The members that lead to a pod specification."""

_NAME_OF_NAMESPACE = "kubernetes.io/metadata.name"
_SETTING_ANCHOR = re.compile(r"[+=]\((.*)\)")
_CONDITION_ANCHOR = re.compile(r"[<^X]?\(.*\)")
_NAME_KEYS = ("name", "(name)", "+(name)", "<(name)", "X(name)", "^(name)")
_KEYS = (*STEPS, *LISTS, "env", "name", "value")
RESOURCES = {
    "Pod": ("", "pods"),
    "ReplicationController": ("", "replicationcontrollers"),
    "DaemonSet": ("apps", "daemonsets"),
    "Deployment": ("apps", "deployments"),
    "ReplicaSet": ("apps", "replicasets"),
    "StatefulSet": ("apps", "statefulsets"),
    "CronJob": ("batch", "cronjobs"),
    "Job": ("batch", "jobs"),
}
"""Kind -> group and resource; the version of each is ``v1``."""

_PLACES = {kind: path for (_, kind), path in POD_SPEC_OF.items()}
_PLACES["ReplicationController"] = POD_SPEC
POD_SPECS = frozenset(_PLACES.values())
"""Where objects of these kinds have their pod specification."""

_PROXY_NAME = re.compile(rf"(?<!\w)({'|'.join(PROXY_VARIABLES)})(?!\w)")


@dataclass(frozen=True)
class ContextEntry:
    """One entry of a ``context`` list: what ``{{ name }}`` means, and where that is written."""

    name: str
    path: Pointer
    source: Mapping[str, Any]


@dataclass(frozen=True)
class StrategicMergePatch:
    """One ``patchStrategicMerge``, and the context entries it sees, the innermost last."""

    path: Pointer
    body: Any
    context: tuple[ContextEntry, ...]


@dataclass(frozen=True)
class VariableSlot:
    """One place where a policy sets one of the six variables.

    Attributes:
        name: the variable.
        path: leads to the value.
        value: None where there is none yet.
        from_elsewhere: it has a ``valueFrom``.
        pod_spec: leads, without anchors, to the pod specification in the object that is patched.
        container: the plain ``name`` of the container, or "".
        context: the context variables that the value may refer to.
        name_key: how ``name`` is written in the entry.
        replaces_value_from: it has ``valueFrom: null``, without which that of a pod stays.
        inner: of an entry in a text of ``patchesJson6902``, to which ``path`` leads then: where it is in the data
            of the text; else empty.
        target: the ``path`` of its operation in there.
    """

    name: str
    path: Pointer
    value: Any
    from_elsewhere: bool
    pod_spec: Pointer
    container: str
    context: tuple[ContextEntry, ...]
    name_key: str = "name"
    replaces_value_from: bool = False
    inner: Pointer = ()
    target: str = ""

    @property
    def env_key(self) -> str:
        """How ``env`` is written, with its anchor."""
        return self.path[-3]

    @property
    def value_key(self) -> str:
        """How ``value`` is written, with its anchor."""
        return self.path[-1]


@dataclass(frozen=True)
class TextPatch:
    """One text of ``patchesJson6902``, the variables that it mentions, and those that it sets as entries of ``env``."""

    path: Pointer
    text: Any
    names: Sequence[str]
    slots: Sequence[VariableSlot]

    def others(self) -> list[str]:
        """Return the variables that it mentions elsewhere than in an entry."""
        known = {slot.name for slot in self.slots}
        return [name for name in self.names if name not in known]


@dataclass(frozen=True)
class PolicyRule:
    """One authored rule with a ``mutate``, and how messages call it."""

    title: str
    path: Pointer
    fields: Mapping[str, Any]

    @property
    def name(self) -> str:
        """Its name; "" where it has none."""
        name = self.fields.get("name")
        return name if isinstance(name, str) else ""

    @property
    def mutate(self) -> Mapping[str, Any]:
        """What the rule does to objects."""
        mutate: Mapping[str, Any] = self.fields["mutate"]
        return mutate


def rules(policy: Mapping[str, Any]) -> Iterator[PolicyRule | Finding]:
    """Yield the rules of a ClusterPolicy or Policy that mutate, without those that Kyverno derived."""
    items = lookup(policy, ("spec", "rules"))
    if items is not None and not isinstance(items, list):
        yield from (wrong_type(("spec", "rules"), items, "a list") for _ in mentioned(items)[:1])
        return
    for index, fields in enumerate(items or ()):
        mutate = fields.get("mutate") if isinstance(fields, Mapping) else None
        name = fields.get("name") if isinstance(fields, Mapping) else None
        path = ("spec", "rules", str(index))
        if mutate is None or str(name).startswith("autogen-"):
            continue
        if isinstance(mutate, Mapping):
            yield PolicyRule(title_of(fields, index), path, fields)
        elif mentioned(mutate):
            yield wrong_type((*path, "mutate"), mutate, "a mapping")


def title_of(fields: Any, index: int) -> str:
    """Return what messages call the rule at an index of a policy."""
    name = lookup(fields, ("name",))
    return f'rule "{name}"' if isinstance(name, str) else f"rule {index}"


def patches(rule: PolicyRule) -> Iterator[StrategicMergePatch]:
    """Yield every strategic merge patch of a rule, those of ``foreach`` at any depth included."""
    context = _context(rule.fields, rule.path)
    for index, target in enumerate(list_or_empty(rule.mutate.get("targets"))):
        context += _context(target, (*rule.path, "mutate", "targets", str(index)))
    for path, body, seen in _bodies(rule.mutate, (*rule.path, "mutate"), context):
        if body.get("patchStrategicMerge") is not None:
            yield StrategicMergePatch(
                (*path, "patchStrategicMerge"), body["patchStrategicMerge"], seen
            )


def text_patches(rule: PolicyRule) -> Iterator[TextPatch]:
    """Yield each ``patchesJson6902`` text that mentions proxy variables."""
    for path, body, _ in _bodies(rule.mutate, (*rule.path, "mutate"), ()):
        text = body.get("patchesJson6902")
        names = mentioned(text)
        if names:
            place = (*path, "patchesJson6902")
            yield TextPatch(place, text, names, list(_slots_of_text(place, text)))


def merge_slots(rule: PolicyRule) -> list[VariableSlot]:
    """Return the entries of the strategic merge patches of a rule."""
    return [slot for patch in patches(rule) for slot in slots(patch)]


def text_slots(rule: PolicyRule) -> list[VariableSlot]:
    """Return the entries of the JSON Patches of a rule."""
    return [slot for patch in text_patches(rule) for slot in patch.slots]


def _slots_of_text(path: Pointer, text: Any) -> Iterator[VariableSlot]:
    data = json_patches.parsed(text)
    for inner, name, value in json_patches.entries(data):
        target = lookup(data, (*inner[:1], "path"))
        yield VariableSlot(
            name=name,
            path=path,
            value=value,
            from_elsewhere=False,
            pod_spec=(),
            container="",
            context=(),
            inner=inner,
            target=target if isinstance(target, str) else "",
        )


def slots(patch: StrategicMergePatch) -> Iterator[VariableSlot]:
    """Yield the entries of one patch with one of the six names, in order."""
    for path, container in _containers(patch.body, patch.path):
        env_key = _key(container, "env")
        name = container.get("name")
        for index, entry in enumerate(list_or_empty(container.get(env_key))):
            if _entry_name(entry) in PROXY_VARIABLES and not _sets_nothing(entry):
                key = _key(entry, "value")
                yield VariableSlot(
                    name=_entry_name(entry),
                    path=(*path, env_key, str(index), key),
                    value=entry.get(key),
                    from_elsewhere=entry.get(_key(entry, "valueFrom")) is not None,
                    pod_spec=_bare(path[len(patch.path) : -2]),
                    container=name if isinstance(name, str) else "",
                    context=patch.context,
                    replaces_value_from="valueFrom" in entry and entry["valueFrom"] is None,
                    name_key=next(key for key in _NAME_KEYS if key in entry),
                )


def literal_keys(patch: StrategicMergePatch) -> Iterator[Pointer]:
    """Yield where a patch says ``=(key)`` on the way to a proxy variable.

    Below such a key nothing is looked for.
    """
    waiting: list[tuple[Pointer, Any]] = [(patch.path, patch.body)]
    while waiting:
        path, item = waiting.pop(0)
        if isinstance(item, list):
            waiting += [((*path, str(index)), value) for index, value in enumerate(item)]
        elif isinstance(item, Mapping):
            for key, value in item.items():
                place = (*path, str(key))
                is_known = str(key).startswith("=(") and _bare_key(key) in _KEYS
                if not is_known:
                    waiting.append((place, value))
                elif mentioned(value) or (_bare_key(key) == "value" and mentioned(item)):
                    yield place


def anchored_lists(patch: StrategicMergePatch) -> Iterator[Pointer]:
    """Yield the lists of containers in which several items have a condition for the name, and one sets a proxy."""
    items: dict[Pointer, int] = {}
    for path, container in _containers(patch.body, patch.path):
        items.setdefault(path[:-1], 0)
        items[path[:-1]] += "(name)" in container
    setting = {slot.path[:-4] for slot in slots(patch)}
    yield from (path for path, count in items.items() if count > 1 and path in setting)


def env_from(patch: StrategicMergePatch) -> Iterator[Pointer]:
    """Yield the paths where containers of a patch take whole ConfigMaps or Secrets as environment."""
    for path, container in _containers(patch.body, patch.path):
        key = _key(container, "envFrom")
        if container.get(key):
            yield (*path, key)


def kinds(rule: PolicyRule) -> set[str]:
    """Return the kinds whose objects a rule changes.

    Those of ``targets`` if it has any, else the matched ones.
    """
    targets = [
        target.get("kind")
        for target in list_or_empty(rule.mutate.get("targets"))
        if isinstance(target, Mapping)
    ]
    if targets:
        return {kind for kind in targets if isinstance(kind, str)}
    return {kind for _, block in match_blocks(rule) for kind in kinds_of(block)}


def pod_spec_of(kind: str) -> Pointer | None:
    """Return where objects of a kind have their pod specification.

    None where the kind is not known.
    """
    return _PLACES.get(kind)


def runs_on_update(rule: PolicyRule) -> bool:
    """Return whether a rule changes pods that are updated, as far as ``match`` and ``exclude`` say it.

    A rule that asks for ``request.operation`` decides itself; one with ``targets`` does not change the object of the
    request. Source: ``ResourceDescription.Operations``; a mutation without operations runs on CREATE and UPDATE.
    """
    if rule.mutate.get("targets") is not None or mentions(rule.fields, "request.operation"):
        return False
    match, exclude = rule.fields.get("match"), rule.fields.get("exclude")
    excluding = [exclude, *list_or_empty(lookup(exclude, ("any",)))]
    if any(
        "UPDATE" in list_or_empty(lookup(one, ("resources", "operations"))) for one in excluding
    ):
        return False
    every = [match, *list_or_empty(lookup(match, ("all",)))]
    if any(not _has_update(block) for block in every):
        return False
    pods = [block for _, block in match_blocks(rule) if "Pod" in kinds_of(block)]
    return any(_has_update(block) for block in pods)


def nested_foreach(rule: PolicyRule) -> Pointer | None:
    """Return where a ``foreach`` has a ``foreach`` of its own; None where none has."""
    for index, one in enumerate(list_or_empty(rule.mutate.get("foreach"))):
        if isinstance(one, Mapping) and list_or_empty(one.get("foreach")):
            return (*rule.path, "mutate", "foreach", str(index), "foreach")
    return None


def asks_for_env(rule: PolicyRule) -> bool:
    """Return whether a condition of a rule or of its ``foreach`` reads ``env``."""
    bodies = [body for _, body, _ in _bodies(rule.mutate, (), ())]
    conditions = [one.get("preconditions") for one in (rule.fields, *bodies)]
    return any(mentions(one, ".env") or mentions(one, "env[") for one in conditions)


def _has_update(block: Any) -> bool:
    operations = list_or_empty(lookup(block, ("resources", "operations")))
    return not operations or "UPDATE" in operations


def mentions(data: Any, word: str) -> bool:
    """Return whether a string at or below ``data`` holds a word."""
    if isinstance(data, Mapping):
        return any(mentions(key, word) or mentions(value, word) for key, value in data.items())
    if isinstance(data, list):
        return any(mentions(item, word) for item in data)
    return isinstance(data, str) and word in data


def namespaces(rule: PolicyRule, policy: Mapping[str, Any]) -> set[str]:
    """Return the namespaces of the objects that a rule matches; a Policy sees only its own."""
    names = [lookup(policy, ("metadata", "namespace"))] if policy.get("kind") == "Policy" else []
    for _, block in match_blocks(rule) if rule.mutate.get("targets") is None else ():
        names += list_or_empty(lookup(block, ("resources", "namespaces")))
        names.append(
            lookup(block, ("resources", "namespaceSelector", "matchLabels", _NAME_OF_NAMESPACE))
        )
    return {name for name in names if isinstance(name, str)}


def match_blocks(rule: PolicyRule) -> Iterator[tuple[Pointer, Any]]:
    """Yield ``match`` of a rule and the entries of its ``any`` and ``all``, each with its path."""
    match = rule.fields.get("match")
    path = (*rule.path, "match")
    yield path, match
    for key in ("any", "all"):
        for index, block in enumerate(list_or_empty(lookup(match, (key,)))):
            yield (*path, key, str(index)), block


def kinds_of(block: Any) -> set[str]:
    """Return the kinds of one block of ``match``, without their groups."""
    names = list_or_empty(lookup(block, ("resources", "kinds")))
    return {name.rsplit("/", 1)[-1] for name in names if isinstance(name, str)}


def sets_something(mutation: Any) -> bool:
    """Return whether a ``mutate`` (or one entry of its ``foreach``) changes anything in an object."""
    if not isinstance(mutation, Mapping):
        return False
    if mutation.get("patchesJson6902") or _sets_a_value(mutation.get("patchStrategicMerge")):
        return True
    return any(sets_something(entry) for entry in list_or_empty(mutation.get("foreach")))


def _sets_a_value(body: Any) -> bool:
    """Return whether a strategic merge patch holds more than conditions and names of list items."""
    if isinstance(body, list):
        return any(_sets_a_value(_without_name(item)) for item in body)
    if not isinstance(body, Mapping):
        return body is not None
    return any(
        _sets_a_value(value)
        for key, value in body.items()
        if not _CONDITION_ANCHOR.fullmatch(str(key))
    )


def _without_name(item: Any) -> Any:
    if not isinstance(item, Mapping):
        return item
    return {key: value for key, value in item.items() if key != "name"}


def mentioned(data: Any) -> list[str]:
    """Return which of the six names occur in the strings of ``data`` as whole words, each once, in our order."""
    found = {name for _, names in mentioning_texts(data, ()) for name in names}
    return [name for name in PROXY_VARIABLES if name in found]


def mentioning_texts(data: Any, path: Pointer) -> Iterator[tuple[Pointer, list[str]]]:
    """Yield each string at or below ``path``, keys included, that contains one of the six names, and which."""
    waiting = [(path, data)]
    while waiting:
        place, item = waiting.pop()
        if isinstance(item, Mapping):
            waiting += [
                pair
                for key, value in item.items()
                for pair in ((place, key), ((*place, str(key)), value))
            ]
        elif isinstance(item, list):
            waiting += [((*place, str(index)), value) for index, value in enumerate(item)]
        elif isinstance(item, str) and (names := _PROXY_NAME.findall(item)):
            yield place, sorted(set(names), key=PROXY_VARIABLES.index)


def _bodies(
    mutation: Mapping[str, Any], path: Pointer, context: tuple[ContextEntry, ...]
) -> Iterator[tuple[Pointer, Mapping[str, Any], tuple[ContextEntry, ...]]]:
    yield path, mutation, context
    for index, body in enumerate(list_or_empty(mutation.get("foreach"))):
        if isinstance(body, Mapping):
            place = (*path, "foreach", str(index))
            yield from _bodies(body, place, context + _context(body, place))


def _context(fields: Any, path: Pointer) -> tuple[ContextEntry, ...]:
    items = list_or_empty(lookup(fields, ("context",)))
    return tuple(
        ContextEntry(item["name"], (*path, "context", str(index)), item)
        for index, item in enumerate(items)
        if isinstance(item, Mapping) and isinstance(item.get("name"), str)
    )


def _containers(body: Any, path: Pointer) -> Iterator[tuple[Pointer, Mapping[str, Any]]]:
    """Yield the containers of all pod specifications in a patch, at any depth."""
    if not isinstance(body, Mapping):
        return
    for key, value in body.items():
        place = (*path, str(key))
        if _bare_key(key) in STEPS:
            yield from _containers(value, place)
        elif _bare_key(key) in LISTS:
            for index, item in enumerate(list_or_empty(value)):
                if isinstance(item, Mapping):
                    yield (*place, str(index)), item


def _entry_name(entry: Any) -> str:
    if not isinstance(entry, Mapping):
        return ""
    names = (entry.get(key) for key in _NAME_KEYS)
    return next((name for name in names if isinstance(name, str)), "")


def _sets_nothing(entry: Mapping[str, Any]) -> bool:
    """Return whether the value is a condition, or the entry is a deletion (``$patch: delete``)."""
    return any(key in entry for key in ("(value)", "<(value)", "$patch"))


def _key(fields: Mapping[str, Any], name: str) -> str:
    """Return the key of ``name`` among ``fields``, with its anchor.

    ``name`` itself if it is not there.
    """
    return next((key for key in fields if _bare_key(key) == name), name)


def _bare(path: Pointer) -> Pointer:
    return tuple(_bare_key(token) for token in path)


def _bare_key(key: Any) -> str:
    anchor = _SETTING_ANCHOR.fullmatch(str(key))
    return anchor[1] if anchor else str(key)


def list_or_empty(value: Any) -> list[Any]:
    """Return a value if it is a list, else an empty one: only what is a list is read."""
    return value if isinstance(value, list) else []
