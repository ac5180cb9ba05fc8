"""What a removal takes out of CEL expressions: entries of ``env`` in the forms that inject-proxy itself writes.

That is what ``generate`` and ``convert`` write, and what ``fill: Complete`` of release 0.1.0 extended: entries listed
in the ``env`` of a container, alone or beside what the container has, by
``has(c.env) ? c.env.filter(e, !(e.name in ["HTTP_PROXY"])) : []`` and its like. An entry goes out of its list, and its
name out of the filters, or the container would lose its own. A JSON Patch that sets nothing else and keeps nothing is
kept from running (``.filter(c, false)``), because an empty list would take away the ``env`` of a container. Of any
other form nothing is taken out.

An expression never becomes ``[]`` as a whole: CEL does not know then that it is a list of patches
(``pkg/cel/compiler`` of Kyverno 1.19, ``CompileMutation``; Kubernetes asks for the same type).
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass

from krm_fn.carriers.pod_spec import LISTS
from krm_fn.formats.splice import Edit, splice
from krm_fn.krm.masking import redact
from krm_fn.patch import Pointer
from krm_fn.settings import PROXY_VARIABLES
from krm_fn.targets.kyverno import cel_text
from krm_fn.targets.kyverno.cel_nodes import (
    PATCH,
    Expression,
    bare,
    is_method,
    named,
    nodes_of,
    reads_env,
    terms,
    variable_name,
)
from krm_fn.targets.kyverno.cel_parser import CelNode, NodeKind, ungrouped
from krm_fn.targets.kyverno.policy_rules import STEPS


class NotRemovableError(Exception):
    """An expression has another form than those that inject-proxy writes."""


@dataclass(frozen=True)
class _OwnEntry:
    """One entry of ``env`` that sets a proxy variable, and the text that is its value; each with its expression."""

    name: str
    node: CelNode
    of: Expression
    text: CelNode
    text_of: Expression


def without_proxy(expressions: Sequence[Expression]) -> dict[Pointer, str]:
    """Return the expressions of a policy without the entries that set a proxy variable.

    Args:
        expressions: those of its variables and mutations.

    Returns:
        Path -> new text, of each expression that changes.

    Raises:
        NotRemovableError: an expression has another form than those that inject-proxy writes.
    """
    edits = _Removal(expressions).edits()
    return {one.path: splice(one.text, edits[one.path]) for one in expressions if one.path in edits}


def sets_nothing(expressions: Sequence[Expression]) -> bool:
    """Return whether the mutations change nothing in any object, because all that they would set was taken out."""
    filled = {one.variable for one in expressions if one.variable and _says_something(one.root)}
    for expression, node in nodes_of(expressions):
        if expression.variable or node.kind is not NodeKind.OBJECT:
            continue
        is_patch = node.text == PATCH
        if is_patch and node.member("value") is None:
            return False
        ways = ("op", "path") if is_patch else (*STEPS, *LISTS)
        for member in node.members:
            names = map(variable_name, member.value.all())
            is_set = _says_something(member.value) or filled.intersection(names)
            if member.key not in ways and is_set:
                return False
    return True


def _says_something(node: CelNode) -> bool:
    return any(one.value is not None or one.members for one in node.all())


def password_left(expressions: Sequence[Expression]) -> Pointer | None:
    """Return the path of an expression with a password in it; None where none has one.

    A password in an entry with another name belongs to something else.
    """
    for expression, node in nodes_of(expressions):
        if node.value is None or redact(node.value) == node.value:
            continue
        names = [named(parent) for parent, _ in expression.around(node) if named(parent)]
        if not names or names[0] in PROXY_VARIABLES:
            return expression.path
    return None


class _Removal:
    """Takes the entries out of all expressions of one policy.

    Args:
        expressions: all of them; they see each other as ``variables.<name>``.
    """

    def __init__(self, expressions: Sequence[Expression]) -> None:
        self._expressions = expressions
        self._by_name = {one.variable: one for one in expressions if one.variable}
        self._edits: dict[Pointer, list[Edit]] = {}
        self._entries = self._removable()
        self._gone = {id(one.node) for one in self._entries}
        staying = {named(node) for _, node in nodes_of(expressions) if id(node) not in self._gone}
        self._names = {one.name for one in self._entries} - staying
        self._understood: set[int] = set()
        """Entries, references to variables, and names, of which it is known what they do."""

    def edits(self) -> dict[Pointer, list[Edit]]:
        """Return path -> what to write in the place of what, for each expression that changes."""
        for expression, node in nodes_of(self._expressions):
            if node.kind is NodeKind.OBJECT and not expression.variable:
                self._read_object(node, expression)
        for entry in self._entries:
            if entry.text_of is not entry.of and entry.text.value:
                empty = cel_text.text("", entry.text.text)
                self._edit(entry.text_of, (entry.text.start, entry.text.end, empty))
        self._check()
        return self._edits

    def _removable(self) -> list[_OwnEntry]:
        """Return the entries whose value is one text of the policy.

        NO_PROXY stays where a URL stays: without it the traffic of the cluster itself would go through that proxy.
        """
        static: list[_OwnEntry] = []
        is_url_left = False
        for expression, node in nodes_of(self._expressions):
            name, value = named(node), node.member("value")
            if name not in PROXY_VARIABLES or value is None:
                continue
            text = bare(value.value)
            of = self._by_name.get(variable_name(text), expression)
            if of is not expression:
                text = bare(of.root)
            if text.value is not None:
                static.append(_OwnEntry(name, node, expression, text, of))
            elif name.upper() != "NO_PROXY":
                is_url_left = True
        if is_url_left:
            return [one for one in static if one.name.upper() != "NO_PROXY"]
        return static

    def _read_object(self, node: CelNode, expression: Expression) -> None:
        """Read the value of a patch, or ``env`` of an applied configuration, if an entry of it is removed."""
        member = node.member("value" if node.text == PATCH else "env")
        if member is None or not self._has_entries(member.value):
            return
        is_left = self._read_value(member.value, expression)
        if is_left or node.text != PATCH:
            return
        parent = expression.above.get(id(node))
        if parent is None or not is_method(parent, "map") or parent.parts[-1] is not node:
            raise NotRemovableError
        end = parent.parts[0].end
        self._edit(expression, (end, end, f".filter({parent.parts[1].text}, false)"))

    def _has_entries(self, value: CelNode) -> bool:
        """Return whether a value, or a variable that it reads, has an entry that is removed."""
        nodes = list(value.all())
        for node in value.all():
            of = self._by_name.get(variable_name(node))
            if of is not None:
                nodes += of.root.all()
        return any(id(one) in self._gone for one in nodes)

    def _read_value(self, node: CelNode, expression: Expression) -> bool:
        """Return whether something is left of a list: entries of others, or what the container has.

        Raises:
            NotRemovableError: it is composed in another way than inject-proxy does it.
        """
        node = bare(node)
        if reads_env(node):
            return True
        if node.kind is NodeKind.LIST:
            return self._cut(node, node.parts, self._gone, expression)
        if node.kind is NodeKind.BINARY and node.text == "+":
            is_left = [self._read_value(one, expression) for one in node.parts]
            return any(is_left)
        if node.kind is NodeKind.CONDITION:
            asked, then, otherwise = node.parts
            asked = ungrouped(asked)
            if asked.text == "!":
                asked, then, otherwise = ungrouped(asked.parts[0]), otherwise, then
            if asked.text != "has" or not reads_env(asked.parts[0]):
                raise NotRemovableError
            self._read_value(otherwise, expression)
            return self._read_value(then, expression)
        of = self._by_name.get(variable_name(node))
        if of is not None:
            self._understood.add(id(node))
            return self._read_value(of.root, of)
        if is_method(node, "filter"):
            self._read_filter(ungrouped(node.parts[-1]), expression)
        elif not is_method(node, "orValue"):
            raise NotRemovableError
        return self._read_value(node.parts[0], expression)

    def _read_filter(self, predicate: CelNode, expression: Expression) -> None:
        """Cut names out of a filter that leaves entries of these names out.

        Raises:
            NotRemovableError: the filter asks for something else.
        """
        unwanted: set[int] = set()
        for term in terms(predicate, "&&"):
            one = ungrouped(term)
            if one.kind is NodeKind.UNARY and one.text == "!":
                self._read_question(ungrouped(one.parts[0]), expression)
                continue
            names = [part for part in one.parts if part.value is not None]
            if one.text != "!=" or not names or not any(map(_is_name_of_item, one.parts)):
                raise NotRemovableError
            self._understood.add(id(names[0]))
            if names[0].value in self._names:
                unwanted.add(id(one))
        self._cut(predicate, terms(predicate, "&&"), unwanted, expression)

    def _read_question(self, asked: CelNode, expression: Expression) -> None:
        """Cut names out of ``e.name in [...]``; ``variables.env.exists(...)`` asks for the entries themselves."""
        if is_method(asked, "exists"):
            self._understood.add(id(asked.parts[0]))
            return
        if asked.text != "in" or not _is_name_of_item(asked.parts[0]):
            raise NotRemovableError
        names = bare(asked.parts[1])
        of = self._by_name.get(variable_name(names))
        if of is not None:
            self._understood.add(id(names))
            names, expression = bare(of.root), of
        if names.kind is not NodeKind.LIST:
            raise NotRemovableError
        self._understood |= {id(one) for one in names.parts}
        unwanted = {id(one) for one in names.parts if one.value in self._names}
        self._cut(names, names.parts, unwanted, expression)

    def _cut(
        self, of: CelNode, items: Sequence[CelNode], unwanted: Set[int], expression: Expression
    ) -> bool:
        """Cut items out of a list, or terms out of a condition; return whether one is left.

        Raises:
            NotRemovableError: a comment is beside one, and nobody knows whose it is.
        """
        is_wanted = [id(bare(one)) not in unwanted for one in items]
        for at, item in enumerate(items):
            if is_wanted[at] or not any(is_wanted):
                continue
            if any(is_wanted[:at]):
                start, end = items[at - 1].end, item.end
            else:
                start, end = item.start, items[at + 1].start
            if "//" in expression.text[start : item.start] + expression.text[item.end : end]:
                raise NotRemovableError
            self._edit(expression, (start, end, ""))
        if items and not any(is_wanted):
            empty = "[]" if of.kind is NodeKind.LIST else "true"
            self._edit(expression, (of.start, of.end, empty))
        self._understood |= unwanted & {id(bare(one)) for one in items}
        return any(is_wanted)

    def _edit(self, expression: Expression, edit: Edit) -> None:
        known = self._edits.setdefault(expression.path, [])
        if edit not in known:
            known.append(edit)

    def _check(self) -> None:
        """Refuse what still reads a variable that changes, and entries and names of which it is not known what they do.

        Raises:
            NotRemovableError: there is such a part.
        """
        if not self._gone <= self._understood:
            raise NotRemovableError
        changed = {one.variable for one in self._expressions if one.path in self._edits} - {""}
        for expression, node in nodes_of(self._expressions):
            if self._gone and any(one.key in PROXY_VARIABLES for one in node.members):
                raise NotRemovableError
            is_used = node.value in self._names or variable_name(node) in changed
            is_of_entry = id(expression.outer(node)) in self._gone
            if is_used and not is_of_entry and id(node) not in self._understood:
                raise NotRemovableError


def _is_name_of_item(node: CelNode) -> bool:
    """Return whether a part is ``<item>.name``."""
    node = bare(node)
    of = node.parts[0].kind if node.parts else None
    return node.kind is NodeKind.MEMBER and node.text == "name" and of is NodeKind.NAME
