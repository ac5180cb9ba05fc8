"""Which string literals of CEL expressions decide the values of proxy variables.

Known are an entry, ``{"name": "HTTP_PROXY", "value": "..."}``, a member of a map, ``{"HTTP_PROXY": "..."}``, and an
entry whose name is computed where the expression says which names it can be:
``e.name == "HTTP_PROXY" ? {"name": e.name, "value": "..."} : e``, ``["HTTP_PROXY"].map(n, {...})`` and
``c.env.filter(e, e.name in ["HTTP_PROXY"]).map(e, {...})``. A name in any other place is yielded without a value, but
for one that an expression only asks for or leaves out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from krm_fn.patch import Pointer, lookup
from krm_fn.settings import PROXY_VARIABLES
from krm_fn.targets.kyverno import cel, rules
from krm_fn.targets.kyverno.cel_nodes import (
    PATCH,
    Expression,
    bare,
    chain,
    is_method,
    texts_of,
    variable_name,
)
from krm_fn.targets.kyverno.cel_policies import EXPRESSIONS, expressions_of
from krm_fn.targets.kyverno.cel_tree import CelNode, NodeKind

_RELATIONS = ("==", "!=", "<", ">", "<=", ">=", "in")
_QUESTIONS = ("startsWith", "endsWith", "matches", "contains")


@dataclass(frozen=True)
class Literal:
    """One string literal that decides the value of a variable; ``value`` is None where no single literal does.

    ``path`` leads to the expression; ``start`` and ``end`` are those of the literal in it. ``computed`` is what the
    expression joins of several literals, None where it computes something else.
    """

    name: str
    value: str | None
    path: Pointer
    start: int = 0
    end: int = 0
    computed: str | None = None

    @property
    def known(self) -> str | None:
        """The value, as far as the policy itself says it."""
        return self.computed if self.value is None else self.value


def literals(spec: Any) -> list[Literal]:
    """Return what decides the value of each variable, in the order of the expressions.

    Args:
        spec: that of a policy with CEL expressions.
    """
    places = dict(rules.mentioning_texts(spec, ("spec",)))
    return _LiteralReader(spec, places).literals() if places else []


class _LiteralReader:
    """Reads the expressions of one policy.

    Args:
        spec: that of the policy.
        places: path of each text of it that mentions a variable -> the variables.
    """

    def __init__(self, spec: Any, places: dict[Pointer, list[str]]) -> None:
        self._places = places
        self._texts = {path: lookup(spec, path[1:]) for path in places}
        self._lists: dict[str, set[str]] = {}
        self._maps: dict[str, set[str]] = {}
        self._single: dict[str, Literal] = {}
        self._joined: dict[str, str] = {}
        self._variables: dict[Pointer, str] = {}
        self._understood: set[int] = set()
        self._found: list[Literal] = []
        for index, one in enumerate(rules.list_or_empty(lookup(spec, ("variables",)))):
            self._note_variable(("spec", "variables", str(index), "expression"), one)
        for path, text in expressions_of(spec):
            self._texts[path] = text
        self._expressions: list[Expression] = []
        for path, text in self._texts.items():
            expression = Expression.read(path, text) if isinstance(text, str) else None
            if expression is not None:
                self._expressions.append(expression)

    def _note_variable(self, path: Pointer, variable: Any) -> None:
        """Note what an entry of ``spec.variables`` is: a text, a list of names, or a map with names as its keys."""
        name, text = (lookup(variable, (key,)) for key in ("name", "expression"))
        if not isinstance(name, str) or not isinstance(text, str):
            return
        self._variables[path] = name
        joined = cel.joined(cel.tokens(text), self._joined)
        if joined is not None:
            self._joined[name] = joined
        expression = Expression.read(path, text)
        if expression is None:
            return
        root = bare(expression.root)
        self._lists[name] = texts_of(root)
        self._maps[name] = {one.key for one in root.members if one.key is not None}
        if root.kind is NodeKind.LITERAL and root.value is not None:
            self._single[name] = Literal(name, root.value, path, root.start, root.end)

    def literals(self) -> list[Literal]:
        """Return what decides the value of each variable."""
        for expression in self._expressions:
            for node in expression.root.all():
                if node.kind is NodeKind.OBJECT:
                    self._read_object(node, expression)
        read = {one.path for one in self._expressions}
        for path in self._texts.keys() - read:
            self._read_tokens(path)
        for expression in self._expressions:
            self._read_names(expression)
        self._read_mentions()
        order = {path: at for at, path in enumerate(self._texts)}
        self._found.sort(key=lambda one: (order[one.path], one.start))
        return list(dict.fromkeys(self._found))

    def _read_object(self, node: CelNode, expression: Expression) -> None:
        """Read an entry of ``env``, or a map whose keys are names."""
        for member in node.members:
            if member.key in PROXY_VARIABLES:
                self._found.append(self._literal(member.key, member.value, expression))
        name, value = node.member("name"), node.member("value")
        if name is None or value is None:
            return
        if name.value.value in PROXY_VARIABLES:
            self._understood.add(id(name.value))
            if not self._is_of_map(value.value):
                found = self._literal(str(name.value.value), value.value, expression)
                self._found.append(found)
        elif name.value.value is None and self._says_text(value.value):
            names = self._names_of(bare(name.value), node, expression)
            for one in PROXY_VARIABLES:
                if one in names:
                    self._found.append(self._literal(one, value.value, expression))
            if not names:
                self._found += [Literal(one, None, expression.path) for one in self._mentioned()]

    def _literal(self, name: str, value: CelNode, expression: Expression) -> Literal:
        """Return what decides a value: a literal, the one of a variable, or what is joined of both."""
        of = bare(value)
        if of.kind is NodeKind.LITERAL and of.value is not None:
            return Literal(name, of.value, expression.path, of.start, of.end)
        single = self._single.get(variable_name(of))
        if single is not None:
            return replace(single, name=name)
        tokens = cel.tokens(expression.written(value))
        computed = cel.joined(tokens, self._joined)
        return Literal(name, None, expression.path, value.start, value.end, computed)

    def _is_of_map(self, value: CelNode) -> bool:
        """Return whether a value is a member of a map that is a variable, as ``variables.proxies["HTTP_PROXY"]``."""
        of = bare(value)
        if of.kind is not NodeKind.INDEX:
            return False
        return of.parts[1].value in self._maps.get(variable_name(of.parts[0]), ())

    def _says_text(self, value: CelNode) -> bool:
        """Return whether a value is, at least in part, a text of the policy."""
        keys = {id(one.parts[1]) for one in value.all() if one.kind is NodeKind.INDEX}
        return any(
            (one.value is not None and id(one) not in keys) or variable_name(one) in self._joined
            for one in value.all()
        )

    def _names_of(self, name: CelNode, entry: CelNode, expression: Expression) -> set[str]:
        """Return which names an entry with a computed name can have; nothing where that is not known."""
        subject = expression.written(name)
        for parent, part in expression.around(entry):
            if parent.kind is NodeKind.CONDITION and part is parent.parts[1]:
                names = self._compared(parent.parts[0], subject, expression)
                if names:
                    return names
            if is_method(parent, "map") and part is not parent.parts[0]:
                item = parent.arguments[0].text
                if subject == item:
                    return self._listed(parent.parts[0])
                if subject == f"{item}.name":
                    return self._filtered(parent.parts[0], expression)
        return set()

    def _listed(self, node: CelNode) -> set[str]:
        """Return the texts of a list, or of a variable that is one; each of them is understood then."""
        self._understood |= {id(one) for one in node.all()}
        return texts_of(node) or self._lists.get(variable_name(bare(node)), set())

    def _filtered(self, source: CelNode, expression: Expression) -> set[str]:
        """Return the names of the entries that the filters of a list leave."""
        source = bare(source)
        while is_method(source, "filter") and len(source.arguments) > 1:
            subject = f"{source.arguments[0].text}.name"
            names = self._compared(source.arguments[1], subject, expression)
            if names:
                return names
            source = bare(source.parts[0])
        return set()

    def _compared(self, condition: CelNode, subject: str, expression: Expression) -> set[str]:
        """Return the texts of which a part is one where a condition holds; nothing where that is not known."""
        found: set[str] = set()
        for choice in chain(condition, "||"):
            names: set[str] = set()
            for term in chain(choice, "&&"):
                names |= self._compared_once(term, subject, expression)
            if not names:
                return set()
            found |= names
        return found

    def _compared_once(self, term: CelNode, subject: str, expression: Expression) -> set[str]:
        if term.kind is not NodeKind.BINARY or term.text not in ("==", "in"):
            return set()
        left, right = map(bare, term.parts)
        if term.text == "==" and expression.written(right) == subject:
            left, right = right, left
        if expression.written(left) != subject:
            return set()
        if term.text == "in":
            return self._listed(right)
        return set() if right.value is None else {right.value}

    def _read_tokens(self, path: Pointer) -> None:
        """Read the entries of an expression whose structure cannot be read; other names have no known value."""
        text = self._texts[path]
        known = set()
        for entry in cel.named_values(text) if isinstance(text, str) else ():
            if entry.name not in PROXY_VARIABLES:
                continue
            one = Literal(entry.name, entry.literal, path, entry.start, entry.end)
            if entry.variable in self._single:
                one = replace(self._single[entry.variable], name=entry.name)
            elif entry.literal is None:
                one = replace(one, computed=cel.joined(entry.tokens, self._joined))
            known.add(entry.name)
            self._found.append(one)
        if path[1] in EXPRESSIONS:
            others = [name for name in self._places.get(path, ()) if name not in known]
            self._found += [Literal(name, None, path) for name in others]

    def _read_names(self, expression: Expression) -> None:
        """Read the names that are in no entry and that the expression does more with than to ask for them."""
        for node in expression.root.all():
            is_name = node.value in PROXY_VARIABLES and id(node) not in self._understood
            if is_name and not self._only_asks(node, expression):
                self._found.append(Literal(str(node.value), None, expression.path))

    def _only_asks(self, node: CelNode, expression: Expression) -> bool:
        """Return whether a name is only compared, or says which member or which patch is meant."""
        for parent, part in expression.around(node):
            if parent.text in _RELATIONS or is_method(parent, *_QUESTIONS):
                return True
            if parent.kind is NodeKind.INDEX and parent.parts[1] is part:
                return True
            if parent.kind is NodeKind.OBJECT and parent.text == PATCH:
                path, value = parent.member("path"), parent.member("value")
                is_in_path = path is not None and path.value is part
                return is_in_path and value is not None and _is_entry(value.value, node.value)
        return self._is_only_compared(expression.path)

    def _is_only_compared(self, path: Pointer) -> bool:
        """Return whether the expression at a path is a list of names, with which all that read it compare."""
        name = self._variables.get(path, "")
        if not self._lists.get(name):
            return False
        for expression in self._expressions:
            for node in expression.root.all():
                if variable_name(node) == name and id(node) not in self._understood:
                    parent = expression.above.get(id(node))
                    if parent is None or parent.text != "in":
                        return False
        return True

    def _read_mentions(self) -> None:
        """Read the names that are only parts of texts, or in texts that are no expressions."""
        known = {one.name for one in self._found}
        read = {one.path: one for one in self._expressions}
        for path, names in self._places.items():
            nodes = read[path].root.all() if path in read else ()
            texts = [node.value for node in nodes if node.value not in PROXY_VARIABLES]
            mentioned = rules.mentioned(texts) if path in read else names
            self._found += [Literal(name, None, path) for name in mentioned if name not in known]

    def _mentioned(self) -> list[str]:
        """Return the names that the policy mentions."""
        return [
            one for one in PROXY_VARIABLES if any(one in names for names in self._places.values())
        ]


def _is_entry(value: CelNode, name: str | None) -> bool:
    """Return whether a value is an entry of ``env`` with a name."""
    member = bare(value).member("name")
    return member is not None and member.value.value == name
