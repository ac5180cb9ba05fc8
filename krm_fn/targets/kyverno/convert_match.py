"""Which objects a converted policy is about: ``match``, ``exclude`` and ``preconditions`` of a rule, in CEL.

The conditions use only what the API server knows, too, because Kyverno hands them to it in its webhook
(``pkg/controllers/webhook/match_conditions.go``): no ``variables`` and no functions of Kyverno.

Sources: ``pkg/engine/utils/match.go`` (``MatchesResourceDescription``), ``pkg/autogen/v1`` and
``pkg/engine/variables/operator`` of Kyverno 1.19.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from krm_fn.light_typing import Any
from krm_fn.patch import Pointer, lookup
from krm_fn.targets.kyverno import autogen
from krm_fn.targets.kyverno.cel_text import text
from krm_fn.targets.kyverno.convert_shape import (
    ANY,
    CONDITIONS,
    NotConvertibleError,
    check,
    refuse,
)
from krm_fn.targets.kyverno.policy_rules import RESOURCES, PolicyRule, pod_spec_of

OPERATIONS = ("CREATE", "UPDATE")
"""On which operations a rule runs that names none."""

_OF_REQUESTER = ("subjects", "roles", "clusterRoles")
_TEXT_FIELDS = (
    "nodeName",
    "priorityClassName",
    "runtimeClassName",
    "schedulerName",
    "serviceAccountName",
)
_KEY = re.compile(r"\{\{\s*request\.([^|{}]+?)\s*(?:\|\|\s*'([^']*)'\s*)?\}\}")
_STEP = re.compile(r'(?:([A-Za-z_]\w*)|"([^"\\]+)")(?:\.(?=.)|\Z)')
_COMPARABLE = re.compile(r"[A-Za-z_][^*?]*\*?|")
"""What a condition may be compared with: Kyverno takes other texts for numbers, durations or ranges."""

_EQUAL, _NOT_EQUAL = ("Equals", "Equal"), ("NotEquals", "NotEqual")
_IN, _NOT_IN = ("AnyIn", "In"), ("AnyNotIn", "AllNotIn", "NotIn")


@dataclass(frozen=True)
class MatchBlock:
    """One entry of ``match`` or ``exclude``; None for what it does not ask for.

    ``tests`` are CEL expressions which must all be true; ``namespace_selector`` is not among them.
    """

    kinds: frozenset[str] | None
    operations: frozenset[str] | None
    tests: tuple[str, ...]
    namespace_selector: Mapping[str, Any] | None

    @property
    def is_empty(self) -> bool:
        """Whether it asks for nothing. Kyverno lets such an entry fit nothing (``ResourceDescription.IsEmpty``)."""
        return (
            self.kinds is None
            and self.operations is None
            and not self.tests
            and self.namespace_selector is None
        )


@dataclass(frozen=True)
class RuleScope:
    """What one rule is about.

    Attributes:
        kinds: those that it matches, with those to which Kyverno extends it.
        is_extended: Kyverno extends it from pods to other kinds.
        operations: those that it matches.
        match: entries of ``match``; one of them has to fit, or all of them.
        match_is_any: one has to fit.
        exclude: entries of ``exclude``.
        exclude_is_any: an object is excluded if one of them fits.
        preconditions: a CEL expression; "" where there are none.
    """

    kinds: frozenset[str]
    is_extended: bool
    operations: frozenset[str]
    match: tuple[MatchBlock, ...]
    match_is_any: bool
    exclude: tuple[MatchBlock, ...]
    exclude_is_any: bool
    preconditions: str

    @property
    def namespace_selector(self) -> Mapping[str, Any] | None:
        """The selector that every matched object has to fit, if the whole ``match`` is one entry."""
        return self.match[0].namespace_selector if len(self.match) == 1 else None

    def conditions(self, *, is_selected: bool) -> list[tuple[str, str]]:
        """Return name and CEL expression of what has to be true besides kind and operation.

        Args:
            is_selected: ``namespace_selector`` is asked elsewhere.
        """
        found = []
        terms = [self._of_block(block, is_selected=is_selected) for block in self.match]
        is_any = self.match_is_any and len(terms) > 1
        match = any_of(terms) if is_any else all_of(terms)
        if match != "true":
            found.append(("match", match))
        terms = [self._of_block(block, is_selected=False) for block in self.exclude]
        if terms:
            excluded = any_of(terms) if self.exclude_is_any else all_of(terms)
            if excluded != "false":
                found.append(("exclude", negated(excluded)))
        if self.preconditions not in ("", "true"):
            found.append(("preconditions", self.preconditions))
        return found

    def _of_block(self, block: MatchBlock, *, is_selected: bool) -> str:
        if block.is_empty:
            return "false"
        terms = []
        if block.kinds is not None and not block.kinds >= self.kinds:
            terms.append(kind_is(block.kinds & self.kinds))
        if block.operations is not None and not block.operations >= self.operations:
            terms.append(operation_is(block.operations & self.operations))
        terms += block.tests
        if block.namespace_selector is not None and not is_selected:
            terms += _selected("namespaceObject.metadata", block.namespace_selector)
        return all_of(terms)


def derived_kinds(policy: Mapping[str, Any]) -> frozenset[str]:
    """Return the kinds to which Kyverno extends the rules of a policy on pods.

    Raises:
        NotConvertibleError: the annotation of the policy names no list of kinds.
    """
    found = autogen.derived_kinds(policy)
    if found is None:
        name = autogen.ANNOTATION[-1]
        if isinstance(lookup(policy, autogen.ANNOTATION), str):
            refuse(
                f'the annotation `{name}` says "all": name the kinds, or remove it',
                autogen.ANNOTATION,
            )
        refuse(f"the annotation `{name}` must be a text", autogen.ANNOTATION)
    return found


def scope(rule: PolicyRule, derived: frozenset[str]) -> RuleScope:
    """Return what a rule is about.

    Args:
        rule: a rule of a ClusterPolicy or Policy.
        derived: the kinds to which Kyverno extends the rules on pods.

    Raises:
        NotConvertibleError: a part of it has no equivalent that is proven.
    """
    match, match_is_any = _blocks(rule.fields.get("match"), (*rule.path, "match"))
    exclude, exclude_is_any = _blocks(rule.fields.get("exclude"), (*rule.path, "exclude"))
    kinds = _kinds_of_match(match, match_is_any, (*rule.path, "match"))
    excluded = frozenset().union(*(block.kinds or () for block in exclude))
    is_extended = bool(derived) and autogen.is_about_pods(kinds, excluded)
    if is_extended:
        for block in (*match, *exclude):
            if block.kinds not in (None, frozenset({"Pod"})):
                reason = "it is about pods, to which Kyverno adds other kinds, and about those kinds: split it"
                raise NotConvertibleError(reason, rule.path)
        match = [_extended(block, derived) for block in match]
        exclude = [_extended(block, derived) for block in exclude]
        kinds |= derived
    given = [block.operations or frozenset(OPERATIONS) for block in match]
    operations = (
        frozenset().union(*given) if match_is_any else frozenset(OPERATIONS).intersection(*given)
    )
    return RuleScope(
        kinds,
        is_extended,
        operations,
        tuple(match),
        match_is_any,
        tuple(exclude),
        exclude_is_any,
        _preconditions(rule, kinds, is_extended=is_extended),
    )


def kind_is(kinds: Iterable[str]) -> str:
    """Return a CEL expression that is true of objects of some kinds."""
    return one_of("object.kind", [kind for kind in RESOURCES if kind in set(kinds)])


def operation_is(operations: Iterable[str]) -> str:
    """Return a CEL expression that is true of requests with some operations."""
    return one_of("request.operation", [one for one in OPERATIONS if one in set(operations)])


def matches(subject: str, patterns: Sequence[str]) -> str:
    """Return a CEL expression that is true where a text fits one of some patterns with ``*`` and ``?``.

    Args:
        subject: a CEL expression that yields the text.
        patterns: as Kyverno's ``wildcard.Match`` takes them.
    """
    terms = [one_of(subject, [one for one in patterns if not _has_wildcard(one)])]
    for pattern in filter(_has_wildcard, patterns):
        if pattern == "*":
            return "true"
        start, end = pattern.removesuffix("*"), pattern.removeprefix("*")
        if not _has_wildcard(start):
            terms.append(f"{subject}.startsWith({text(start)})")
        elif not _has_wildcard(end):
            terms.append(f"{subject}.endsWith({text(end)})")
        else:
            parts = {"*": ".*", "?": "."}
            regex = "".join(parts.get(char) or re.escape(char) for char in pattern)
            terms.append(f"{subject}.matches({text(f'^(?s){regex}$')})")
    return any_of(terms)


def one_of(subject: str, texts: Sequence[str]) -> str:
    """Return a CEL expression that is true where a text is one of some."""
    if not texts:
        return "false"
    if len(texts) == 1:
        return f"{subject} == {text(texts[0])}"
    return f"{subject} in [{', '.join(map(text, texts))}]"


def any_of(terms: Iterable[str]) -> str:
    """Return a CEL expression that is true where one of some is."""
    found = [term for term in dict.fromkeys(terms) if term != "false"]
    if "true" in found:
        return "true"
    return " || ".join(map(_grouped, found) if len(found) > 1 else found) or "false"


def all_of(terms: Iterable[str]) -> str:
    """Return a CEL expression that is true where all of some are."""
    found = [term for term in dict.fromkeys(terms) if term != "true"]
    if "false" in found:
        return "false"
    return " && ".join(map(_grouped, found) if len(found) > 1 else found) or "true"


def negated(term: str) -> str:
    """Return a CEL expression that is true where another one is false."""
    return {"true": "false", "false": "true"}.get(term) or f"!({term})"


def _blocks(given: Any, path: Pointer) -> tuple[list[MatchBlock], bool]:
    """Return the entries of ``match`` or ``exclude``, and whether one that fits is enough."""
    if given is None:
        return [], True
    if not given:
        return [], True
    for key in ("any", "all"):
        if key in given:
            check(given, {key: ANY}, path)
            blocks = [_block(one, (*path, key, str(at))) for at, one in enumerate(given[key] or ())]
            return blocks, key == "any"
    block = _block(given, path)
    return ([] if block.is_empty else [block]), True


def _block(given: Any, path: Pointer) -> MatchBlock:
    for key in _OF_REQUESTER:
        if given.get(key):
            refuse(f"`{key}` asks who makes the request", (*path, key))
    resources = given.get("resources")
    path = (*path, "resources")
    if resources is None:
        refuse("a part of it has another type than it must have", path)
    tests: list[str] = []
    if resources.get("namespaces"):
        tests.append(matches("request.namespace", resources["namespaces"]))
    if resources.get("name"):
        tests.append(_name_fits([resources["name"]]))
    if resources.get("names"):
        tests.append(_name_fits(resources["names"]))
    for key, value in (resources.get("annotations") or {}).items():
        place = (*path, "annotations")
        tests.append(_member_fits("object.metadata.?annotations", key, value, place))
    selector = _selector(resources, "selector", path)
    if selector is not None:
        tests += _selected("object.metadata", selector)
    kinds = frozenset(_kind(name, (*path, "kinds")) for name in resources.get("kinds") or ())
    operations = frozenset(resources.get("operations") or ())
    if not operations <= set(OPERATIONS):
        refuse("`operations` names another one than CREATE and UPDATE", (*path, "operations"))
    return MatchBlock(
        kinds or None,
        operations or None,
        tuple(tests),
        _selector(resources, "namespaceSelector", path),
    )


def _kinds_of_match(match: Sequence[MatchBlock], is_any: bool, path: Pointer) -> frozenset[str]:
    given = [block.kinds for block in match if block.kinds is not None]
    if not given or len(given) < len(match):
        refuse("`match` has an entry without `kinds`", path)
    kinds = frozenset().union(*given) if is_any else given[0].intersection(*given)
    if not kinds:
        refuse("no object is of all kinds of `match`", path)
    return kinds


def _extended(block: MatchBlock, derived: frozenset[str]) -> MatchBlock:
    """Return an entry as it is for pods and for the kinds to which Kyverno extends the rule.

    In the rule for CronJobs, Kyverno gives each entry that kind (``generateCronJobRule``), an empty one, too.
    """
    if block.is_empty and "CronJob" in derived:
        return MatchBlock(frozenset({"CronJob"}), None, (), None)
    kinds = None if block.kinds is None else block.kinds | derived
    return MatchBlock(kinds, block.operations, block.tests, block.namespace_selector)


def _kind(name: str, path: Pointer) -> str:
    """Return the kind that a selector such as ``apps/v1/Deployment`` means."""
    *before, kind = name.split("/")
    group, _ = RESOURCES.get(kind, ("", ""))
    known = ("", "v1", "*", "*/*", "*/v1", f"{group}/v1", f"{group}/*")
    if kind not in RESOURCES or "/".join(before) not in known:
        refuse("its `kinds` hold one that is no pod and makes none", path)
    return kind


def _name_fits(patterns: Sequence[str]) -> str:
    """Return whether the name fits; an object without one has that from which its name will be made."""
    fits = matches("name", patterns)
    name = 'object.metadata.?name.orValue(object.metadata.?generateName.orValue(""))'
    return fits if fits in ("true", "false") else f"[{name}].exists(name, {fits})"


def _member_fits(mapping: str, key: str, value: str, path: Pointer) -> str:
    """Return whether a mapping, an optional of CEL, has a member whose value fits a pattern."""
    if _has_wildcard(key):
        refuse("a key has a wildcard", path)
    member = f"{mapping}[?{text(key)}]"
    if value and not _has_wildcard(value):
        return f'{member}.orValue("") == {text(value)}'
    return f"{member}.optMap(value, {matches('value', [value])}).orValue(false)"


def _selector(resources: Mapping[str, Any], key: str, path: Pointer) -> Mapping[str, Any] | None:
    """Return a label selector that is checked; None where there is none."""
    selector = resources.get(key)
    path = (*path, key)
    if selector is None:
        return None
    for name, value in (selector.get("matchLabels") or {}).items():
        if _has_wildcard(name) or _has_wildcard(value):
            refuse("a label selector has a wildcard", path)
    for at, one in enumerate(selector.get("matchExpressions") or ()):
        is_of_values = one.get("operator") in ("In", "NotIn")
        is_whole = bool(one.get("operator") and one.get("key"))
        if not is_whole or bool(one.get("values")) is not is_of_values:
            place = (*path, "matchExpressions", str(at))
            refuse("a label selector has an expression of an unknown form", place)
    if key == "selector" and not any(selector.values()):
        refuse("`selector` asks for nothing, and Kyverno does not accept that", path)
    found: Mapping[str, Any] = selector
    return found


def _selected(metadata: str, selector: Mapping[str, Any]) -> list[str]:
    """Return CEL expressions that are true where labels fit a selector."""
    labels = f"{metadata}.?labels"
    terms = [
        _member_fits(labels, key, value, ())
        for key, value in (selector.get("matchLabels") or {}).items()
    ]
    for one in selector.get("matchExpressions") or ():
        label = f"{labels}[?{text(one['key'])}]"
        is_one = f"{label}.optMap(value, {one_of('value', one.get('values') or [])}).orValue(false)"
        term = {
            "In": is_one,
            "NotIn": f"!{is_one}",
            "Exists": f"{label}.hasValue()",
            "DoesNotExist": f"!{label}.hasValue()",
        }
        terms.append(term[one["operator"]])
    return terms


def _preconditions(rule: PolicyRule, kinds: frozenset[str], *, is_extended: bool) -> str:
    """Return the preconditions of a rule in CEL; "" where there are none.

    In the rules that Kyverno derives for controllers, ``request.object`` is the template of the pod.
    """
    given = rule.fields.get("preconditions")
    path = (*rule.path, "preconditions")
    if given is None:
        return ""
    if not is_extended:
        return _conditions(given, path, "object", is_template=False)
    by_root: dict[str, list[str]] = {}
    for kind in RESOURCES:
        if kind in kinds:
            root = ".".join(("object", *(pod_spec_of(kind) or ())[:-1]))
            by_root.setdefault(root, []).append(kind)
    terms = {root: _conditions(given, path, root, is_template=root != "object") for root in by_root}
    if len(set(terms.values())) == 1:
        return next(iter(terms.values()))
    return any_of(all_of((kind_is(of_root), terms[root])) for root, of_root in by_root.items())


def _conditions(given: Any, path: Pointer, root: str, *, is_template: bool) -> str:
    """Return conditions in CEL; a list, Kyverno's older form, holds conditions that must all be true."""
    places = {"any": (*path, "any"), "all": (*path, "all")}
    if isinstance(given, list):
        check(given, CONDITIONS["all"], path)
        given, places = {"all": given}, {"any": path, "all": path}
    else:
        check(given, CONDITIONS, path)
    found: dict[str, list[str]] = {"any": [], "all": []}
    for key, terms in found.items():
        for at, one in enumerate(given.get(key) or ()):
            place = (*places[key], str(at))
            terms.append(_condition(one, place, root, is_template=is_template))
    is_one = any_of(found["any"]) if found["any"] else "true"
    return all_of((*found["all"], is_one))


def _condition(given: Any, path: Pointer, root: str, *, is_template: bool) -> str:
    operator, value = given.get("operator"), given.get("value")
    values = value if isinstance(value, list) else [value]
    if not values or not all(isinstance(one, str) and _COMPARABLE.fullmatch(one) for one in values):
        refuse("a precondition compares with something else than words", path)
    is_annotation = "annotations" in str(given.get("key"))
    subject = _subject(given.get("key"), path, root, is_template=is_template)
    if operator in (*_EQUAL, *_NOT_EQUAL) and not isinstance(value, list):
        term = matches(subject, values)
        return term if operator in _EQUAL else negated(term)
    is_plain = not is_annotation and not any(map(_has_wildcard, values))
    if operator in (*_IN, *_NOT_IN) and isinstance(value, list) and is_plain:
        term = one_of(subject, values)
        return term if operator in _IN else negated(term)
    return refuse("a precondition has an operator or values of another form", path)


def _subject(key: Any, path: Pointer, root: str, *, is_template: bool) -> str:
    """Return the key of a precondition in CEL: the operation, or a text of the object."""
    found = _KEY.fullmatch(key.strip()) if isinstance(key, str) else None
    reason = "a precondition asks for something else than the operation or a text of the object"
    if found is None:
        return refuse(reason, path)
    if found[1] in ("operation", "namespace"):
        return f"request.{found[1]}"
    steps: list[str] = []
    position = 0
    while position < len(found[1]):
        step = _STEP.match(found[1], position)
        if step is None:
            return refuse(reason, path)
        steps.append(step[1] or step[2])
        position = step.end()
    of, *steps = steps
    if of != "object":
        refuse(reason, path)
    is_named = steps in (["metadata", "name"], ["metadata", "namespace"])
    is_text = is_named or (len(steps) == 2 and steps[0] == "spec" and steps[1] in _TEXT_FIELDS)
    is_member = len(steps) == 3 and steps[:2] in (
        ["metadata", "labels"],
        ["metadata", "annotations"],
    )
    if not is_text and not is_member:
        refuse(reason, path)
    if found[2] is None and is_named and not is_template:
        return ".".join((root, *steps))
    if found[2] != "":
        refuse("Kyverno fails where the field of a precondition is missing: write `|| ''`", path)
    parent = f"{root}.?{steps[0]}" if is_template else f"{root}.{steps[0]}"
    member = f"[?{text(steps[2])}]" if is_member else ""
    return f'{parent}.?{steps[1]}{member}.orValue("")'


def _has_wildcard(pattern: str) -> bool:
    return "*" in pattern or "?" in pattern


def _grouped(term: str) -> str:
    is_composed = any(sign in term for sign in (" && ", " || ", " ? "))
    return f"({term})" if is_composed else term
