"""What a removal takes out of CEL expressions: entries of ``env`` that set a proxy variable, and what belongs to them.

An entry goes out of its list; its name goes out of the filters that leave it out of what a container has, or the
container would lose its own. A JSON Patch that sets nothing else is kept from running, because an empty list would
take away the ``env`` of a container: its containers are filtered away (``.filter(c, false)``), and the text that holds
the proxy becomes empty. An expression never becomes ``[]`` as a whole: CEL does not know then that it is a list of
patches (``pkg/cel/compiler`` of Kyverno 1.19, ``CompileMutation``; Kubernetes asks for the same type).

Where it is not known what the expressions do without the entries, nothing is taken out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from krm_fn.formats import cel
from krm_fn.formats.cel_tree import CelNode, NodeKind, parse, ungrouped
from krm_fn.formats.splice import Edit
from krm_fn.patch import Pointer
from krm_fn.settings import PROXY_VARIABLES
from krm_fn.targets.kyverno.cel_left import only_asks
from krm_fn.targets.kyverno.cel_nodes import (
    COMPREHENSIONS,
    PATCH,
    Expression,
    bound_to,
    chain,
    is_bind,
    is_dyn,
    variable_name,
    wrapped,
)

_BEHIND_LAST = re.compile(r"[ \t]*(?:,[ \t]*)?//[^\n]*")
"""A comment behind the last item of a list, and a comma before it."""


class NotRemovableError(Exception):
    """It is not known what the expressions do without the entries.

    Attributes:
        path: leads to the expression.
    """

    def __init__(self, path: Pointer) -> None:
        super().__init__()
        self.path = path


@dataclass(frozen=True)
class _ProxyEntry:
    """One entry of ``env`` that sets a proxy variable, and the expression in which it is."""

    name: str
    node: CelNode
    value: CelNode
    of: Expression


def without_proxy(texts: Mapping[Pointer, str], names: Mapping[Pointer, str]) -> dict[Pointer, str]:
    """Return the expressions of a policy without the entries that set a proxy variable.

    Args:
        texts: path -> each expression of a policy.
        names: path -> what ``variables.<name>`` of the expression is called, for those of ``spec.variables``.

    Returns:
        Path -> new text, of each expression that changes.

    Raises:
        NotRemovableError: it is not known what the expressions do without the entries.
    """
    expressions: list[Expression] = []
    for path, text in texts.items():
        root = parse(text)
        if root is None:
            raise NotRemovableError(path)
        expressions.append(Expression(path, text, names.get(path, ""), root))
    _Removal(expressions).take_out()
    edited = {one.path: one.edited() for one in expressions if one.edits}
    for path, text in edited.items():
        if parse(text) is None:
            raise NotRemovableError(path)
    return {path: text for path, text in edited.items() if text != texts[path]}


class _Removal:
    """Takes the entries out of all expressions of one policy.

    Args:
        expressions: all of them; they see each other as ``variables.<name>``.
    """

    def __init__(self, expressions: Sequence[Expression]) -> None:
        self._expressions = expressions
        self._by_name = {one.variable: one for one in expressions if one.variable}
        self._emptied: set[int] = set()
        """Lists from which all items are cut."""
        self._idle: dict[int, Expression] = {}
        """Patches that must not run, because nothing is left of their value."""
        self._known_names: set[int] = set()
        """Literals that name a variable in an entry or a filter that is edited."""

    def take_out(self) -> None:
        """Note all edits in the expressions."""
        entries = self._entries()
        if not entries:
            return
        lists: dict[int, list[_ProxyEntry]] = {}
        for entry in entries:
            self._known_names |= {id(one) for one in entry.node.all()}
            place = self._place(entry)
            if place.kind is NodeKind.LIST:
                lists.setdefault(id(place), []).append(entry)
            else:
                self._empty_single(entry, place)
        for of_list in lists.values():
            self._cut_entries(of_list)
        gone_names = {entry.name for entry in entries} - self._names_that_stay(entries)
        for one in self._expressions:
            self._cut_names(one, gone_names)
        for one in self._expressions:
            self._follow_empty_lists(one)
        for one in self._expressions:
            self._keep_from_running(one)
        self._check_names(gone_names)
        self._empty_variables(entries)

    def _entries(self) -> list[_ProxyEntry]:
        """Return the entries whose value the policy itself says, at least in part.

        NO_PROXY stays where a URL stays: without it the traffic of the cluster itself would go through that proxy.
        """
        static: list[_ProxyEntry] = []
        others: list[_ProxyEntry] = []
        for one in self._all_entries():
            has_literal = any(True for _ in self._static_parts(one.value, one.of, set()))
            if has_literal:
                static.append(one)
            else:
                others.append(one)
        if any(one.name.upper() != "NO_PROXY" for one in others):
            return [one for one in static if one.name.upper() != "NO_PROXY"]
        return static

    def _all_entries(self) -> Iterator[_ProxyEntry]:
        for expression in self._expressions:
            for node in expression.root.all():
                name, value = node.member("name"), node.member("value")
                if name is not None and value is not None and name.value.value in PROXY_VARIABLES:
                    yield _ProxyEntry(str(name.value.value), node, value.value, expression)

    def _names_that_stay(self, gone: Sequence[_ProxyEntry]) -> set[str]:
        """Return the names of the entries that are not removed, those without a ``value`` too."""
        removed = {id(entry.node) for entry in gone}
        found: set[str] = set()
        for expression in self._expressions:
            for node in expression.root.all():
                name = node.member("name")
                if name is not None and name.value.value and id(node) not in removed:
                    self._known_names.add(id(name.value))
                    found.add(name.value.value)
        return found

    def _static_parts(
        self, value: CelNode, of: Expression, seen: set[str]
    ) -> Iterator[tuple[Expression, CelNode]]:
        """Yield the literals of which a value is composed, variables followed; no other literal counts."""
        value = ungrouped(value)
        name = variable_name(value)
        if value.kind is NodeKind.LITERAL and value.value is not None:
            yield of, value
        elif name in self._by_name and name not in seen:
            one = self._by_name[name]
            yield from self._static_parts(one.root, one, seen | {name})
        elif value.kind is NodeKind.BINARY and value.text == "+":
            for part in value.parts:
                yield from self._static_parts(part, of, seen)
        elif value.kind is NodeKind.CONDITION:
            for part in value.parts[1:]:
                yield from self._static_parts(part, of, seen)

    def _place(self, entry: _ProxyEntry) -> CelNode:
        """Return the list or the patch that holds an entry, ``dyn()`` around it left out."""
        for parent, part in entry.of.around(entry.node):
            if parent.kind is NodeKind.LIST:
                return parent
            if _is_patched_with(parent, part):
                return parent
            if parent.kind is not NodeKind.GROUP and not is_dyn(parent):
                break
        raise NotRemovableError(entry.of.path)

    def _empty_single(self, entry: _ProxyEntry, patch: CelNode) -> None:
        """Take the members of an entry that is the value of a patch; nothing is left of it."""
        first, last = entry.node.members[0], entry.node.members[-1]
        entry.of.edits.append((first.start, last.end, ""))
        self._idle[id(patch)] = entry.of

    def _cut_entries(self, entries: Sequence[_ProxyEntry]) -> None:
        """Cut entries out of one list, and note a list in which nothing is left.

        Raises:
            NotRemovableError: something depends on the positions of the entries or on their number.
        """
        expression = entries[0].of
        place = self._place(entries[0])
        if self._is_counted(place, expression, frozenset()):
            raise NotRemovableError(expression.path)
        gone = {id(entry.node) for entry in entries}
        unwanted = {
            at
            for at, item in enumerate(place.parts)
            if any(id(one) in gone for one in wrapped(item))
        }
        expression.edits += _cuts(expression.text, place.parts, unwanted)
        if len(unwanted) == len(place.parts):
            # A comment and a comma behind the last item go, too.
            expression.edits.append((place.start + 1, place.end - 1, ""))
            self._emptied.add(id(place))

    def _is_counted(self, items: CelNode, expression: Expression, seen: frozenset[str]) -> bool:
        """Return whether something asks for an item of a list by its position, or for the size of the list."""
        for parent, part in expression.around(items):
            if parent.kind is NodeKind.INDEX:
                return parent.parts[0] is part
            if parent.kind is NodeKind.CALL and parent.text == "size":
                return True
            is_joined = parent.kind is NodeKind.BINARY and parent.text == "+"
            if parent.kind is not NodeKind.GROUP and not is_dyn(parent) and not is_joined:
                return False
        name = expression.variable
        if not name or name in seen:
            return False
        for one in self._expressions:
            for node in one.root.all():
                if variable_name(node) == name and self._is_counted(node, one, seen | {name}):
                    return True
        return False

    def _follow_empty_lists(self, expression: Expression) -> None:
        """Note the patches whose value is an empty list now.

        Raises:
            NotRemovableError: it is not known what is done with an empty list.
        """
        for node in expression.root.all():
            if not self._is_gone(node, expression, frozenset()):
                continue
            parent = expression.above.get(id(node))
            if parent is None:
                if not expression.variable:
                    raise NotRemovableError(expression.path)
            elif _is_patched_with(parent, node):
                self._idle[id(parent)] = expression
            elif not self._is_harmless(parent, node, expression):
                raise NotRemovableError(expression.path)

    def _is_gone(self, node: CelNode, expression: Expression, seen: frozenset[str]) -> bool:
        """Return whether a part is a list in which nothing is left, after the entries are cut.

        Raises:
            NotRemovableError: that depends on a condition.
        """
        if id(node) in self._emptied:
            return True
        if node.kind is NodeKind.GROUP or is_dyn(node):
            return any(self._is_gone(one, expression, seen) for one in node.parts)
        if node.kind is NodeKind.BINARY and node.text == "+":
            return all(self._is_gone(one, expression, seen) for one in node.parts)
        if node.kind is NodeKind.CALL and node.is_method and _yields_items(node):
            return self._is_gone(node.parts[0], expression, seen)
        if node.kind is NodeKind.CONDITION:
            gone = [one for one in node.parts[1:] if self._is_gone(one, expression, seen)]
            if len(gone) == 1 and not _asks_for_env(node, gone[0]):
                raise NotRemovableError(expression.path)
            return len(gone) == 2
        name = variable_name(node)
        if name in self._by_name and name not in seen:
            other = self._by_name[name]
            return self._is_gone(other.root, other, seen | {name})
        bound = bound_to(node, expression)
        return bound is not None and self._is_gone(bound, expression, seen)

    def _is_harmless(self, parent: CelNode, node: CelNode, expression: Expression) -> bool:
        """Return whether a part around an empty list is the same without it, as far as containers are concerned."""
        if self._is_gone(parent, expression, frozenset()):
            return True
        if parent.kind is NodeKind.BINARY and parent.text == "+":
            return True
        if parent.kind is NodeKind.CONDITION:
            return parent.parts[0] is not node
        if parent.kind is NodeKind.CALL and parent.is_method and parent.parts[0] is node:
            return parent.text in COMPREHENSIONS
        if is_bind(parent):
            return parent.arguments[1] is node
        if parent.kind is NodeKind.OBJECT:
            return any(one.key == "env" for one in parent.members if one.value is node)
        return False

    def _cut_names(self, expression: Expression, gone: set[str]) -> None:
        """Cut names out of the filters of an expression that leave entries of these names out."""
        for node in expression.root.all():
            is_filter = node.kind is NodeKind.CALL and node.text == "filter" and node.is_method
            if is_filter and len(node.arguments) == 2:
                subject, predicate = node.arguments
                self._cut_terms(expression, predicate, subject.text, gone, is_negated=False)

    def _cut_terms(
        self,
        expression: Expression,
        predicate: CelNode,
        subject: str,
        gone: set[str],
        *,
        is_negated: bool,
    ) -> None:
        """Cut comparisons with names out of a chain of terms that must all be true; if negated, all false."""
        predicate = ungrouped(predicate)
        if predicate.kind is NodeKind.UNARY and predicate.text == "!":
            self._cut_terms(
                expression, predicate.parts[0], subject, gone, is_negated=not is_negated
            )
            return
        joins, compares = ("||", "==") if is_negated else ("&&", "!=")
        terms = list(chain(predicate, joins))
        unwanted: set[int] = set()
        for at, term in enumerate(terms):
            compared = ungrouped(term)
            literal = _compared_name(compared, compares, subject)
            if literal is not None and literal.value in gone:
                self._known_names.add(id(literal))
                unwanted.add(at)
            elif is_negated and compared.text == "in" and _is_name(compared.parts[0], subject):
                self._cut_list(expression, compared.parts[1], gone)
            elif compared is not term or compared.kind is NodeKind.UNARY:
                self._cut_terms(expression, compared, subject, gone, is_negated=is_negated)
        if unwanted and len(unwanted) == len(terms):
            neutral = "false" if is_negated else "true"
            expression.edits.append((predicate.start, predicate.end, neutral))
        elif unwanted:
            expression.edits += _cuts(expression.text, terms, unwanted, separator=joins)

    def _cut_list(self, expression: Expression, names: CelNode, gone: set[str]) -> None:
        """Cut names out of the list of those that a filter leaves out; it may be a variable of the policy."""
        names = ungrouped(names)
        variable = variable_name(names)
        if variable in self._by_name:
            expression = self._by_name[variable]
            names = ungrouped(expression.root)
            self._check_uses_as_names(variable)
        if names.kind is not NodeKind.LIST:
            return
        unwanted = {at for at, item in enumerate(names.parts) if item.value in gone}
        self._known_names |= {id(names.parts[at]) for at in unwanted}
        if unwanted and len(unwanted) == len(names.parts):
            expression.edits.append((names.start + 1, names.end - 1, ""))
        else:
            expression.edits += _cuts(expression.text, names.parts, unwanted)

    def _check_uses_as_names(self, variable: str) -> None:
        """Refuse a list of names that is used for more than to leave entries out."""
        for one in self._expressions:
            for node in one.root.all():
                if variable_name(node) != variable:
                    continue
                above = [up for up, _ in one.around(node) if up.kind is not NodeKind.GROUP]
                signs = [up.text for up in above[:2]]
                if signs != ["in", "!"]:
                    raise NotRemovableError(one.path)

    def _keep_from_running(self, expression: Expression) -> None:
        """Take the patches out that must not run; each must be in a list or in a ``map``."""
        idle = {id(node) for node in expression.root.all()} & self._idle.keys()
        if idle:
            reached = self._thin(expression, expression.root)
            if reached != idle:
                raise NotRemovableError(expression.path)

    def _thin(self, expression: Expression, node: CelNode) -> set[int]:
        """Take idle patches out of a part that yields a list of patches; return those that were reached."""
        if node.kind is NodeKind.LIST:
            return self._thin_list(expression, node)
        if node.kind is NodeKind.CALL and node.is_method and node.text == "map":
            return self._thin_map(expression, node)
        results: Sequence[CelNode] = ()
        if node.kind is NodeKind.CONDITION:
            results = node.parts[1:]
        elif node.kind is NodeKind.GROUP or (node.kind is NodeKind.BINARY and node.text == "+"):
            results = node.parts
        elif is_bind(node):
            results = node.arguments[2:]
        elif node.kind is NodeKind.CALL and node.is_method and node.text in ("flatten", "filter"):
            results = node.parts[:1]
        reached: set[int] = set()
        for result in results:
            reached |= self._thin(expression, result)
        return reached

    def _thin_list(self, expression: Expression, node: CelNode) -> set[int]:
        """Cut idle patches out of a list; one in which no other is left is filtered, to stay a list of patches."""
        states = [self._state(item) for item in node.parts]
        unwanted = {at for at, state in enumerate(states) if state is False}
        if unwanted and len(unwanted) == len(states):
            expression.edits.append((node.end, node.end, ".filter(patch, false)"))
        else:
            expression.edits += _cuts(expression.text, node.parts, unwanted)
        return {id(one) for at in unwanted for one in node.parts[at].all()} & self._idle.keys()

    def _thin_map(self, expression: Expression, node: CelNode) -> set[int]:
        """Filter what a ``map`` goes through, so that its idle patches do not run."""
        *_, body = node.arguments
        state = self._state(body)
        if state is True:
            return self._thin(expression, body)
        if state is None:
            return set()
        condition = self._running(expression, body)
        source = node.parts[0]
        name = node.arguments[0].text
        expression.edits.append((source.end, source.end, f".filter({name}, {condition})"))
        return {id(one) for one in body.all()} & self._idle.keys()

    def _state(self, node: CelNode) -> bool | str | None:
        """Return whether the patch that a part yields runs: True, False, "" where that depends, None if not known."""
        node = ungrouped(node)
        if id(node) in self._idle:
            return False
        if node.kind is NodeKind.CONDITION:
            then, otherwise = (self._state(one) for one in node.parts[1:])
            if then is None or otherwise is None:
                return None
            return then if then == otherwise else ""
        if is_bind(node):
            state = self._state(node.arguments[2])
            return None if state == "" else state
        is_idle_inside = any(id(one) in self._idle for one in node.all())
        return None if is_idle_inside and node.kind is NodeKind.OBJECT else True

    def _running(self, expression: Expression, node: CelNode) -> str:
        """Return a condition for that the patch of a part runs."""
        node = ungrouped(node)
        state = self._state(node)
        if state is not True and state is not False:
            asked, then, otherwise = node.parts
            condition = expression.text[asked.start : asked.end]
            results = [self._running(expression, one) for one in (then, otherwise)]
            if results == ["true", "false"]:
                return f"({condition})"
            if results == ["false", "true"]:
                return f"!({condition})"
            return f"(({condition}) ? {results[0]} : {results[1]})"
        return "true" if state else "false"

    def _check_names(self, gone: set[str]) -> None:
        """Refuse expressions that do anything else with a name than to ask for it."""
        for expression in self._expressions:
            for node in expression.root.all():
                if node.kind is not NodeKind.LITERAL or node.value not in gone:
                    continue
                is_idle_around = any(
                    id(parent) in self._idle for parent, _ in expression.around(node)
                )
                is_known = id(node) in self._known_names or is_idle_around
                if not is_known and not only_asks(expression, node):
                    raise NotRemovableError(expression.path)

    def _empty_variables(self, entries: Sequence[_ProxyEntry]) -> None:
        """Empty the texts of variables that decided the value of an entry; nothing else may refer to these."""
        values = [
            pair
            for entry in entries
            for pair in self._static_parts(entry.value, entry.of, set())
            if pair[0] is not entry.of
        ]
        for expression, literal in values:
            if literal.value and self._is_still_used(expression.variable, entries, set()):
                raise NotRemovableError(expression.path)
            empty = cel.literal("", literal.text)
            if literal.value:
                expression.edits.append((literal.start, literal.end, empty))

    def _is_still_used(self, variable: str, entries: Sequence[_ProxyEntry], seen: set[str]) -> bool:
        """Return whether anything but the entries reads a variable, through other variables, too."""
        inside = {id(one) for entry in entries for one in entry.value.all()}
        for one in self._expressions:
            reads = [node for node in one.root.all() if variable_name(node) == variable]
            for node in reads:
                if id(node) in inside:
                    continue
                if not one.variable:
                    return True
                if one.variable in seen | {variable}:
                    continue
                if self._is_still_used(one.variable, entries, seen | {variable}):
                    return True
        return False


def _is_patched_with(patch: CelNode, value: CelNode) -> bool:
    """Return whether a part is a patch, and another one its value."""
    member = patch.member("value") if patch.text == PATCH else None
    return member is not None and member.value is value


def _yields_items(call: CelNode) -> bool:
    """Return whether a call on a list yields a list of entries, and no patches."""
    if call.text == "filter":
        return True
    parts = (part for argument in call.arguments for part in argument.all())
    return call.text == "map" and all(part.text != PATCH for part in parts)


def _cuts(
    text: str, items: Sequence[CelNode], unwanted: set[int], separator: str = ","
) -> list[Edit]:
    """Return what to cut so that some of several items go, each with a separator and the white space beside it.

    A comment on the line of an item goes with it; that of an item that stays is kept.
    """
    edits: list[Edit] = []
    start: int | None = None
    for at, item in enumerate(items):
        if at in unwanted:
            start = at if start is None else start
        elif start is not None:
            edits.append((items[start].start, item.start, ""))
            start = None
    if start is None or start == 0:
        return edits
    before, end = items[start - 1].end, items[-1].end
    gap = text[before : items[start].start]
    sign = gap.find(separator)
    line = gap.rfind("\n")
    behind = _BEHIND_LAST.match(text, end)
    end = behind.end() if behind else end
    if "//" not in gap or not 0 <= sign < line:
        return [*edits, (before, end, "")]
    if behind is None or separator not in behind[0]:
        edits.append((before + sign, before + sign + len(separator), ""))
    # The comment must not reach what is behind the last item.
    ends_line = not text[end:].lstrip(" \t") or text[end:].lstrip(" \t").startswith("\n")
    return [*edits, (before + line + (not ends_line), end, "")]


def _is_name(node: CelNode, subject: str) -> bool:
    """Return whether a part is ``<subject>.name``."""
    node = ungrouped(node)
    return node.kind is NodeKind.MEMBER and node.text == "name" and node.parts[0].text == subject


def _compared_name(node: CelNode, operator: str, subject: str) -> CelNode | None:
    """Return the literal with which ``<subject>.name`` is compared; None where a part does anything else."""
    if node.kind is not NodeKind.BINARY or node.text != operator:
        return None
    left, right = node.parts
    if _is_name(right, subject):
        left, right = right, left
    return right if _is_name(left, subject) and right.value is not None else None


def _asks_for_env(condition: CelNode, part: CelNode) -> bool:
    """Return whether a result is chosen where a container has no ``env``, so that an empty one takes nothing away."""
    asked = ungrouped(condition.parts[0])
    is_negated = asked.kind is NodeKind.UNARY and asked.text == "!"
    if is_negated:
        asked = ungrouped(asked.parts[0])
    if asked.kind is not NodeKind.CALL or asked.text != "has" or not asked.parts:
        return False
    chosen = condition.parts[1] if is_negated else condition.parts[2]
    return asked.parts[0].text == "env" and chosen is part
