"""Read the structure of a CEL expression: lists, objects, calls and conditions, each with its place in the text.

Source: the grammar of the CEL language definition (github.com/google/cel-spec, doc/langdef.md, "Syntax"), with the
optional members ``a.?b``, ``a[?b]`` and ``[?a]`` of cel-go. Nothing is evaluated and no type is checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from krm_fn.targets.kyverno import cel
from krm_fn.targets.kyverno.cel import Token, TokenKind

_MAX_DEPTH = 40
"""How deep an expression may be nested to be read; those of policies are nested a dozen times."""

_MAX_LEVELS = 150
"""How many parts may be around each other: each term of a sum is around those before it."""

_END = "\n;"
"""A token that is in no expression: it is the last one, unless a string before it is not closed."""

_PRECEDENCE = (("|", "|"), ("&", "&"), None, ("+", "-"), ("*", "/", "%"))
_RELATIONS = (("<", "="), (">", "="), ("=", "="), ("!", "="), ("<",), (">",), ("in",))
_OR, _AND, _RELATION, _SUM, _PRODUCT = range(5)


class NodeKind(Enum):
    """What one part of an expression is."""

    LITERAL = "literal"
    NAME = "name"
    MEMBER = "member"
    INDEX = "index"
    CALL = "call"
    LIST = "list"
    OBJECT = "object"
    GROUP = "group"
    UNARY = "unary"
    BINARY = "binary"
    CONDITION = "condition"


@dataclass(frozen=True)
class ObjectMember:
    """One member of a map literal or a message: its key, if that is plain, its value and where it is."""

    key: str | None
    value: CelNode
    start: int
    end: int


@dataclass(frozen=True)
class CelNode:
    """One part of an expression, from ``start`` to ``end``.

    Attributes:
        kind: what it is.
        text: of a name, member and call its name; of a binary its operator; of an object its type, "" for a map.
        value: the string of a string literal; None for anything else.
        parts: of a member and an index what it is read from; of a call what it is called on, if anything, and its
            arguments; of a list its items; of a binary both sides; of a condition itself and both results.
        is_method: a call is called on its first part.
        members: those of an object.
    """

    kind: NodeKind
    start: int
    end: int
    text: str = ""
    value: str | None = None
    parts: tuple[CelNode, ...] = ()
    is_method: bool = False
    members: tuple[ObjectMember, ...] = ()

    @property
    def arguments(self) -> tuple[CelNode, ...]:
        """The arguments of a call."""
        return self.parts[1:] if self.is_method else self.parts

    def member(self, key: str) -> ObjectMember | None:
        """Return the member of an object with a key; None where there is none."""
        return next((one for one in self.members if one.key == key), None)

    def all(self) -> Iterator[CelNode]:
        """Yield the part itself and all parts of it."""
        waiting = [self]
        while waiting:
            one = waiting.pop()
            yield one
            waiting += one.parts
            waiting += (member.value for member in one.members)


def parse(expression: str) -> CelNode | None:
    """Return the structure of an expression; None where it is no CEL, or nested too deep to be read."""
    found = cel.tokens(f"{expression}{_END}")
    if not found or found[-1].end != len(expression) + len(_END):
        return None
    reader = _Reader(found[:-1])
    try:
        node = reader.expression(0)
    except _NotCelError:
        return None
    return node if reader.is_at_end and not _is_deep(node) else None


def ungrouped(node: CelNode) -> CelNode:
    """Return what is in the parentheses, if a part is nothing else, else the part itself."""
    while node.kind is NodeKind.GROUP:
        node = node.parts[0]
    return node


class _NotCelError(Exception):
    """The tokens are no expression."""


class _Reader:
    """Reads one expression from its tokens, by recursive descent.

    Args:
        tokens: those of the expression.
    """

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self._at = 0

    @property
    def is_at_end(self) -> bool:
        """Whether all tokens are read."""
        return self._at == len(self._tokens)

    def expression(self, depth: int) -> CelNode:
        """Read a condition, or anything that binds closer."""
        if depth > _MAX_DEPTH:
            raise _NotCelError
        asked = self._binary(_OR, depth)
        if not self._takes("?"):
            return asked
        then = self._binary(_OR, depth + 1)
        self._expect(":")
        otherwise = self.expression(depth + 1)
        parts = (asked, then, otherwise)
        return CelNode(NodeKind.CONDITION, asked.start, otherwise.end, parts=parts)

    def _binary(self, level: int, depth: int) -> CelNode:
        """Read operators of one level of precedence, which group from the left."""
        if level > _PRODUCT:
            return self._unary(depth)
        left = self._binary(level + 1, depth)
        while (operator := self._operator(level)) is not None:
            right = self._binary(level + 1, depth)
            left = CelNode(NodeKind.BINARY, left.start, right.end, operator, parts=(left, right))
        return left

    def _operator(self, level: int) -> str | None:
        """Take an operator of a level; None where the next tokens are none."""
        signs = _PRECEDENCE[level]
        if signs is None:
            for relation in _RELATIONS:
                if self._takes(*relation):
                    return "".join(relation)
            return None
        if level in (_OR, _AND):
            return "".join(signs) if self._takes(*signs) else None
        return next((sign for sign in signs if self._takes(sign)), None)

    def _unary(self, depth: int) -> CelNode:
        start = self._at
        while self._takes("!") or self._takes("-"):
            pass
        signs = self._tokens[start : self._at]
        node = self._with_members(self._primary(depth), depth)
        for sign in reversed(signs):
            node = CelNode(NodeKind.UNARY, sign.start, node.end, sign.text, parts=(node,))
        return node

    def _with_members(self, node: CelNode, depth: int) -> CelNode:
        """Read members, indices and calls behind a part, and the fields of a message."""
        while True:
            if self._takes("."):
                self._takes("?")
                name = self._word()
                if self._takes("("):
                    arguments = self._listed(")", depth)
                    parts = (node, *arguments)
                    node = self._node(NodeKind.CALL, node.start, name.text, parts, is_method=True)
                else:
                    node = CelNode(NodeKind.MEMBER, node.start, name.end, name.text, parts=(node,))
            elif self._takes("["):
                self._takes("?")
                index = self.expression(depth + 1)
                self._expect("]")
                node = self._node(NodeKind.INDEX, node.start, "", (node, index))
            elif _is_type(node) and self._takes("{"):
                members = self._members(depth)
                end = self._tokens[self._at - 1].end
                node = CelNode(NodeKind.OBJECT, node.start, end, _dotted(node), members=members)
            else:
                return node

    def _primary(self, depth: int) -> CelNode:
        token = self._next()
        if token.kind is TokenKind.STRING:
            return CelNode(NodeKind.LITERAL, token.start, token.end, token.text, token.value)
        if token.kind is TokenKind.WORD:
            if token.text[0].isdigit():
                return CelNode(NodeKind.LITERAL, token.start, token.end, token.text)
            if self._takes("("):
                return self._node(NodeKind.CALL, token.start, token.text, self._listed(")", depth))
            return CelNode(NodeKind.NAME, token.start, token.end, token.text)
        if token.text == "(":
            inner = self.expression(depth + 1)
            self._expect(")")
            return self._node(NodeKind.GROUP, token.start, "", (inner,))
        if token.text == "[":
            return self._node(NodeKind.LIST, token.start, "", self._listed("]", depth))
        if token.text == "{":
            members = self._members(depth)
            end = self._tokens[self._at - 1].end
            return CelNode(NodeKind.OBJECT, token.start, end, members=members)
        if token.text == ".":
            name = self._word()
            return CelNode(NodeKind.NAME, token.start, name.end, name.text)
        raise _NotCelError

    def _listed(self, closing: str, depth: int) -> tuple[CelNode, ...]:
        """Read items up to a closing bracket; a comma may be behind the last one."""
        found: list[CelNode] = []
        while not self._takes(closing):
            self._takes("?")
            found.append(self.expression(depth + 1))
            if not self._takes(","):
                self._expect(closing)
                break
        return tuple(found)

    def _members(self, depth: int) -> tuple[ObjectMember, ...]:
        """Read the members of an object up to its brace."""
        found: list[ObjectMember] = []
        while not self._takes("}"):
            start = self._peek().start
            self._takes("?")
            key = self.expression(depth + 1)
            self._expect(":")
            value = self.expression(depth + 1)
            plain = key.text if key.kind is NodeKind.NAME else key.value
            found.append(ObjectMember(plain, value, start, value.end))
            if not self._takes(","):
                self._expect("}")
                break
        return tuple(found)

    def _node(
        self,
        kind: NodeKind,
        start: int,
        text: str,
        parts: tuple[CelNode, ...],
        *,
        is_method: bool = False,
    ) -> CelNode:
        """Return a part that ends with the last token that was taken."""
        end = self._tokens[self._at - 1].end
        return CelNode(kind, start, end, text, parts=parts, is_method=is_method)

    def _peek(self) -> Token:
        if self.is_at_end:
            raise _NotCelError
        return self._tokens[self._at]

    def _next(self) -> Token:
        token = self._peek()
        self._at += 1
        return token

    def _word(self) -> Token:
        token = self._next()
        if token.kind is not TokenKind.WORD:
            raise _NotCelError
        return token

    def _takes(self, *texts: str) -> bool:
        """Take tokens that are next to each other, if they are the next ones."""
        found = self._tokens[self._at : self._at + len(texts)]
        if len(found) < len(texts):
            return False
        for token, text in zip(found, texts, strict=True):
            if token.text != text or token.kind is TokenKind.STRING:
                return False
        self._at += len(texts)
        return True

    def _expect(self, text: str) -> None:
        if not self._takes(text):
            raise _NotCelError


def _is_deep(node: CelNode) -> bool:
    """Return whether more parts are around each other than a reader of the structure may follow."""
    waiting = [(node, 1)]
    while waiting:
        one, level = waiting.pop()
        if level > _MAX_LEVELS:
            return True
        waiting += ((part, level + 1) for part in one.parts)
        waiting += ((member.value, level + 1) for member in one.members)
    return False


def _is_type(node: CelNode) -> bool:
    """Return whether a part can be the name of a message: names that are joined by dots."""
    while node.kind is NodeKind.MEMBER:
        node = node.parts[0]
    return node.kind is NodeKind.NAME


def _dotted(node: CelNode) -> str:
    names = [node.text]
    while node.kind is NodeKind.MEMBER:
        node = node.parts[0]
        names.append(node.text)
    return ".".join(reversed(names))
