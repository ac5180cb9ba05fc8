"""Which string literals of CEL expressions decide the values of proxy variables.

Known are an entry, ``{"name": "HTTP_PROXY", "value": "..."}``, a member of a map, ``{"HTTP_PROXY": "..."}``, and an
entry whose name is computed where the expression says which names it can be:
``e.name == "HTTP_PROXY" ? {"name": e.name, "value": "..."} : e``, ``["HTTP_PROXY"].map(n, {...})`` and
``c.env.filter(e, e.name in ["HTTP_PROXY"]).map(e, {...})``. A name in any other place is yielded without a value, but
for one that an expression only asks for or leaves out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from krm_fn.light_typing import Any
from krm_fn.patch import Pointer, lookup
from krm_fn.settings import PROXY_VARIABLES
from krm_fn.targets.kyverno import policy_rules
from krm_fn.targets.kyverno.cel_nodes import (
    PATCH,
    Expression,
    bare,
    chain,
    is_method,
    joined,
    named,
    nodes_of,
    texts_of,
    variable_name,
)
from krm_fn.targets.kyverno.cel_parser import CelNode, NodeKind
from krm_fn.targets.kyverno.cel_policies import EXPRESSIONS, expressions_of

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
    places = dict(policy_rules.mentioning_texts(spec, ("spec",)))
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
        self._understood: set[int] = set()
        self._found: list[Literal] = []
        self._read: dict[Pointer, Expression] = {}
        variables: dict[Pointer, str] = {}
        for path, text, variable in expressions_of(spec):
            self._texts[path] = text
            variables[path] = variable
        for path, text in self._texts.items():
            if isinstance(text, str):
                expression = Expression.read(path, text, variables.get(path, ""))
                if expression is not None:
                    self._read[path] = expression
        for path, variable in variables.items():
            if variable and path in self._read:
                self._note_variable(self._read[path])

    def _note_variable(self, expression: Expression) -> None:
        """Note what a variable is: a text, a list of names, or a map with names as its keys."""
        name = expression.variable
        text = joined(expression.root, self._joined)
        if text is not None:
            self._joined[name] = text
        root = bare(expression.root)
        self._lists[name] = texts_of(root)
        self._maps[name] = {one.key for one in root.members if one.key is not None}
        if root.kind is NodeKind.LITERAL and root.value is not None:
            self._single[name] = Literal(name, root.value, expression.path, root.start, root.end)

    def literals(self) -> list[Literal]:
        """Return what decides the value of each variable."""
        for expression, node in nodes_of(self._read.values()):
            if node.kind is NodeKind.OBJECT:
                self._read_object(node, expression)
        for path in self._texts.keys() - self._read.keys():
            if len(path) > 1 and path[1] in EXPRESSIONS:  # else it is a member of the spec
                names = self._places.get(path, ())
                self._found += [Literal(name, None, path) for name in names]
        for expression, node in nodes_of(self._read.values()):
            self._read_name(node, expression)
        self._read_mentions()
        order = {path: at for at, path in enumerate(self._texts)}
        self._found.sort(key=lambda one: (order[one.path], one.start))
        return list(dict.fromkeys(self._found))

    def _read_object(self, node: CelNode, expression: Expression) -> None:
        """Read an entry of ``env``, or a map whose keys are names."""
        for member in node.members:
            if member.key in PROXY_VARIABLES:
                self._found.append(self._literal(member.key, member.value, expression.path))
        name, value = node.member("name"), node.member("value")
        if name is None or value is None:
            return
        if name.value.value in PROXY_VARIABLES:
            self._understood.add(id(name.value))
            if not self._is_of_map(value.value):
                found = self._literal(name.value.value, value.value, expression.path)
                self._found.append(found)
        elif name.value.value is None and self._says_text(value.value):
            names = self._names_of(bare(name.value), node, expression)
            for one in PROXY_VARIABLES:
                if one in names:
                    self._found.append(self._literal(one, value.value, expression.path))
            if not names:
                self._found += [Literal(one, None, expression.path) for one in self._mentioned()]

    def _literal(self, name: str, value: CelNode, path: Pointer) -> Literal:
        """Return what decides a value: a literal, the one of a variable, or what is joined of both."""
        of = bare(value)
        if of.kind is NodeKind.LITERAL and of.value is not None:
            return Literal(name, of.value, path, of.start, of.end)
        single = self._single.get(variable_name(of))
        if single is not None:
            return replace(single, name=name)
        computed = joined(value, self._joined)
        return Literal(name, None, path, value.start, value.end, computed)

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

    def _read_name(self, node: CelNode, expression: Expression) -> None:
        """Read a name that is in no entry and that the expression does more with than to ask for it."""
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
        return self._is_only_compared(expression.variable)

    def _is_only_compared(self, variable: str) -> bool:
        """Return whether a variable is a list of names, with which all that read it compare."""
        if not self._lists.get(variable):
            return False
        for expression, node in nodes_of(self._read.values()):
            if variable_name(node) == variable and id(node) not in self._understood:
                parent = expression.above.get(id(node))
                if parent is None or parent.text != "in":
                    return False
        return True

    def _read_mentions(self) -> None:
        """Read the names that are only parts of texts, or in texts that are no expressions."""
        known = {one.name for one in self._found}
        for path, names in self._places.items():
            mentioned = names
            if path in self._read:
                nodes = self._read[path].root.all()
                texts = [node.value for node in nodes if node.value not in PROXY_VARIABLES]
                mentioned = policy_rules.mentioned(texts)
            self._found += [Literal(name, None, path) for name in mentioned if name not in known]

    def _mentioned(self) -> list[str]:
        """Return the names that the policy mentions."""
        return [
            one for one in PROXY_VARIABLES if any(one in names for names in self._places.values())
        ]


def _is_entry(value: CelNode, name: str | None) -> bool:
    """Return whether a value is an entry of ``env`` with a name."""
    return named(bare(value)) == name
