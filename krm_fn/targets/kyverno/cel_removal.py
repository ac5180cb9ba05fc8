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

import re
from collections.abc import Sequence
from dataclasses import dataclass

from krm_fn.formats.splice import Edit, splice
from krm_fn.krm.masking import redact
from krm_fn.patch import Pointer
from krm_fn.settings import PROXY_VARIABLES
from krm_fn.targets.kyverno import cel_text
from krm_fn.targets.kyverno.cel import CelNode, NodeKind, ungrouped
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
from krm_fn.targets.kyverno.rules import CONTAINER_LISTS, STEPS

_BEHIND_LAST = re.compile(r"[ \t]*(?:,[ \t]*)?//[^\n]*")
"""A comment behind the last item of a list, and a comma before it."""


class NotRemovableError(Exception):
    """An expression has another form than those that inject-proxy writes."""


@dataclass(frozen=True)
class _OwnEntry:
    """One entry of ``env`` that sets a proxy variable, and the expression in which it is."""

    name: str
    node: CelNode
    value: CelNode
    of: Expression


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
        ways = ("op", "path") if is_patch else (*STEPS, *CONTAINER_LISTS)
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
        is_password = node.value is not None and redact(node.value) != node.value
        if is_password and not _is_of_another(expression, node):
            return expression.path
    return None


def _is_of_another(expression: Expression, node: CelNode) -> bool:
    """Return whether a literal is in an object with a name that is no proxy variable."""
    for parent, _ in expression.around(node):
        name = named(parent)
        if name is not None:
            return name not in PROXY_VARIABLES
    return False


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
        self._names = {one.name for one in self._entries} - self._names_that_stay()
        self._understood: set[int] = set()
        """Lists of entries, references to variables, and names, of which it is known what they do."""

    def edits(self) -> dict[Pointer, list[Edit]]:
        """Return path -> what to write in the place of what, for each expression that changes."""
        if not self._entries:
            return {}
        for expression, node in nodes_of(self._expressions):
            if node.kind is NodeKind.OBJECT and not expression.variable:
                self._read_object(node, expression)
        for expression, node in nodes_of(self._expressions):
            if node.kind is NodeKind.LIST:
                self._cut_entries(node, expression)
        self._empty_values()
        self._check()
        return self._edits

    def _edit(self, expression: Expression, *edits: Edit) -> None:
        known = self._edits.setdefault(expression.path, [])
        known += [one for one in edits if one not in known]

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
            entry = _OwnEntry(name, node, bare(value.value), expression)
            if self._text_of(entry) is not None:
                static.append(entry)
            elif name.upper() != "NO_PROXY":
                is_url_left = True
        if is_url_left:
            return [one for one in static if one.name.upper() != "NO_PROXY"]
        return static

    def _text_of(self, entry: _OwnEntry) -> tuple[Expression, CelNode] | None:
        """Return the literal that is the value of an entry, and where it is; None where it is none."""
        of, node = entry.of, entry.value
        name = variable_name(node)
        if name in self._by_name:
            of = self._by_name[name]
            node = bare(of.root)
        return None if node.value is None else (of, node)

    def _names_that_stay(self) -> set[str]:
        """Return the names of the entries that are not removed, those without a ``value`` too."""
        found: set[str] = set()
        for _, node in nodes_of(self._expressions):
            name = named(node)
            if name and id(node) not in self._gone:
                found.add(name)
        return found

    def _read_object(self, node: CelNode, expression: Expression) -> None:
        """Read the value of a patch, or ``env`` of an applied configuration."""
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
        for node in value.all():
            of = self._by_name.get(variable_name(node))
            if id(node) in self._gone or (
                of is not None and any(id(one) in self._gone for one in of.root.all())
            ):
                return True
        return False

    def _read_value(self, node: CelNode, expression: Expression) -> bool:
        """Return whether something is left of a list: entries of others, or what the container has.

        Raises:
            NotRemovableError: it is composed in another way than inject-proxy does it.
        """
        node = bare(node)
        if node.kind is NodeKind.LIST:
            self._understood.add(id(node))
            return any(id(bare(one)) not in self._gone for one in node.parts)
        if node.kind is NodeKind.BINARY and node.text == "+":
            is_left = [self._read_value(one, expression) for one in node.parts]
            return any(is_left)
        if node.kind is NodeKind.CONDITION:
            return self._read_choice(node, expression)
        if reads_env(node):
            return True
        name = variable_name(node)
        if name in self._by_name:
            self._understood.add(id(node))
            return self._read_value(self._by_name[name].root, self._by_name[name])
        if is_method(node, "orValue"):
            return self._read_value(node.parts[0], expression)
        if is_method(node, "filter") and len(node.arguments) == 2:
            subject, predicate = node.arguments
            self._read_filter(ungrouped(predicate), subject.text, expression)
            return self._read_value(node.parts[0], expression)
        raise NotRemovableError

    def _read_choice(self, node: CelNode, expression: Expression) -> bool:
        """Return whether something is left where a container has an ``env``."""
        asked = ungrouped(node.parts[0])
        then, otherwise = node.parts[1:]
        if asked.kind is NodeKind.UNARY and asked.text == "!":
            asked = ungrouped(asked.parts[0])
            then, otherwise = otherwise, then
        if asked.kind is not NodeKind.CALL or asked.text != "has" or not reads_env(asked.parts[0]):
            raise NotRemovableError
        self._read_value(otherwise, expression)
        return self._read_value(then, expression)

    def _read_filter(self, predicate: CelNode, subject: str, expression: Expression) -> None:
        """Cut names out of a filter that leaves entries of these names out.

        Raises:
            NotRemovableError: the filter asks for something else.
        """
        asked = terms(predicate, "&&")
        unwanted: set[int] = set()
        for at, term in enumerate(asked):
            one = ungrouped(term)
            if one.kind is NodeKind.UNARY and one.text == "!":
                self._read_negated(ungrouped(one.parts[0]), subject, expression)
                continue
            literal = _compared_name(one, subject)
            if literal is None:
                raise NotRemovableError
            self._understood.add(id(literal))
            if literal.value in self._names:
                unwanted.add(at)
        if unwanted and len(unwanted) == len(asked):
            self._edit(expression, (predicate.start, predicate.end, "true"))
        elif unwanted:
            self._edit(expression, *_cuts(expression.text, asked, unwanted, separator="&&"))

    def _read_negated(self, asked: CelNode, subject: str, expression: Expression) -> None:
        """Cut names out of ``e.name in [...]``; ``variables.env.exists(...)`` asks for the entries themselves."""
        if is_method(asked, "exists") and variable_name(asked.parts[0]) in self._by_name:
            self._understood.add(id(asked.parts[0]))
            return
        if (
            asked.kind is not NodeKind.BINARY
            or asked.text != "in"
            or not _is_name(asked.parts[0], subject)
        ):
            raise NotRemovableError
        names = ungrouped(asked.parts[1])
        name = variable_name(names)
        if name in self._by_name:
            self._understood.add(id(names))
            expression = self._by_name[name]
            names = ungrouped(expression.root)
        if names.kind is not NodeKind.LIST:
            raise NotRemovableError
        self._understood |= {id(one) for one in names.parts}
        unwanted = {at for at, one in enumerate(names.parts) if one.value in self._names}
        self._cut(names, unwanted, expression)

    def _cut_entries(self, items: CelNode, expression: Expression) -> None:
        """Cut the entries out of one list."""
        unwanted = {at for at, one in enumerate(items.parts) if id(bare(one)) in self._gone}
        if unwanted and id(items) not in self._understood:
            raise NotRemovableError
        for at in unwanted:
            self._understood |= {id(one) for one in items.parts[at].all()}
        self._cut(items, unwanted, expression)

    def _cut(self, items: CelNode, unwanted: set[int], expression: Expression) -> None:
        if unwanted and len(unwanted) == len(items.parts):
            # A comment and a comma behind the last item go, too.
            self._edit(expression, (items.start + 1, items.end - 1, ""))
        elif unwanted:
            self._edit(expression, *_cuts(expression.text, items.parts, unwanted))

    def _empty_values(self) -> None:
        """Empty the texts of variables that were the value of an entry."""
        for entry in self._entries:
            found = self._text_of(entry)
            if found is not None and found[0] is not entry.of and found[1].value:
                expression, literal = found
                empty = cel_text.text("", literal.text)
                self._edit(expression, (literal.start, literal.end, empty))

    def _check(self) -> None:
        """Refuse what still reads a variable that changes, and names that do anything else than expected.

        Raises:
            NotRemovableError: there is such a part.
        """
        changed = {one.variable for one in self._expressions if one.path in self._edits}
        for _, node in nodes_of(self._expressions):
            is_key = any(one.key in PROXY_VARIABLES for one in node.members)
            is_name = node.value in self._names
            is_read = variable_name(node) in changed - {""}
            if is_key or ((is_name or is_read) and id(node) not in self._understood):
                raise NotRemovableError


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


def _compared_name(node: CelNode, subject: str) -> CelNode | None:
    """Return the literal from which ``<subject>.name`` must differ; None where a part does anything else."""
    if node.kind is not NodeKind.BINARY or node.text != "!=":
        return None
    left, right = map(ungrouped, node.parts)
    if _is_name(right, subject):
        left, right = right, left
    return right if _is_name(left, subject) and right.value is not None else None
