"""The parser of CEL: lists, objects, calls and conditions of an expression, each with its place in the text.

Source: the grammar of the CEL language definition (github.com/google/cel-spec, doc/langdef.md, "Syntax"), with the
optional members ``a.?b``, ``a[?b]`` and ``[?a]`` of cel-go. Nothing is evaluated and no type is checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from krm_fn.targets.kyverno.cel_tokens import Token, TokenKind, tokens

_MAX_DEPTH = 40
"""How deep an expression may be nested to be read; those of policies are nested a dozen times."""

_MAX_LEVELS = 150
"""How many parts may be around each other: each call of ``a.b().c()`` is around those before it."""

_END = "\n;"
"""A token that is in no expression: it is the last one, unless a string before it is not closed."""

_OR, _RELATION, _PRODUCT = 0, 2, 4
_OPERATORS: tuple[tuple[tuple[str, ...], ...], ...] = (
    (("|", "|"),),
    (("&", "&"),),
    (("<", "="), (">", "="), ("=", "="), ("!", "="), ("<",), (">",), ("in",)),
    (("+",), ("-",)),
    (("*",), ("/",), ("%",)),
)
"""The operators of each level of precedence, each as its signs; those of the last level bind closest."""


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
    """One member of a map literal or a message: its key, if that is plain, and its value."""

    key: str | None
    value: CelNode


@dataclass(frozen=True)
class CelNode:
    """One part of an expression, from ``start`` to ``end``.

    Attributes:
        kind: what it is.
        text: of a name, member and call its name; of a binary its operator; of an object its type, "" for a map.
        value: the string of a string literal; None for anything else.
        parts: of a member and an index what it is read from; of a call what it is called on, if anything, and its
            arguments; of a list its items; of a binary both sides, or all terms that its operator joins; of a
            condition itself and both results.
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


@lru_cache(maxsize=100)
def parse(expression: str) -> CelNode | None:
    """Return the structure of an expression; None where it is no CEL, or nested too deep to be read.

    A run reads an expression before and after an edit, and for what it reports: the last ones are remembered.
    """
    found = tokens(f"{expression}{_END}")
    if not found or found[-1].end != len(expression) + len(_END):
        return None
    reader = _Reader(found[:-1])
    try:
        node = reader.expression(0)
    except _NotCelError:
        return None
    return node if reader.is_at_end and not _is_deep(node) else None


def objects(expression: str) -> list[CelNode]:
    """Return the map literals and messages of an expression; none where it is no CEL."""
    root = parse(expression)
    every = root.all() if root is not None else ()
    return [node for node in every if node.kind is NodeKind.OBJECT]


def ungrouped(node: CelNode) -> CelNode:
    """Return what is in the parentheses, if a part is nothing else, else the part itself."""
    while node.kind is NodeKind.GROUP:
        node = node.parts[0]
    return node


class _NotCelError(Exception):
    """The tokens are no expression."""


class _Reader:
    """Reads expressions from tokens, by recursive descent.

    Args:
        found: the tokens.
    """

    def __init__(self, found: Sequence[Token]) -> None:
        self._tokens = found
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
        return self._node(NodeKind.CONDITION, asked.start, parts=(asked, then, otherwise))

    def _binary(self, level: int, depth: int) -> CelNode:
        """Read operators of one level of precedence, which group from the left."""
        if level > _PRODUCT:
            return self._unary(depth)
        left = self._binary(level + 1, depth)
        operator = self._operator(level)
        while operator is not None:
            terms = [left, self._binary(level + 1, depth)]
            following = self._operator(level)
            while following == operator and level != _RELATION:
                terms.append(self._binary(level + 1, depth))
                following = self._operator(level)
            left = CelNode(NodeKind.BINARY, left.start, terms[-1].end, operator, parts=tuple(terms))
            operator = following
        return left

    def _operator(self, level: int) -> str | None:
        """Take an operator of a level; None where the next tokens are none."""
        for signs in _OPERATORS[level]:
            if self._takes(*signs):
                return "".join(signs)
        return None

    def _unary(self, depth: int) -> CelNode:
        start = self._at
        while self._takes("!") or self._takes("-"):
            pass
        signs = self._tokens[start : self._at]
        node = self._with_members(self._primary(depth), depth)
        for sign in reversed(signs):
            node = self._node(NodeKind.UNARY, sign.start, sign.text, (node,))
        return node

    def _with_members(self, node: CelNode, depth: int) -> CelNode:
        """Read members, indices and calls behind a part, and the fields of a message."""
        while True:
            if self._takes("."):
                self._takes("?")
                name = self._word().text
                if self._takes("("):
                    parts = (node, *self._listed(")", depth))
                    node = self._node(NodeKind.CALL, node.start, name, parts, is_method=True)
                else:
                    node = self._node(NodeKind.MEMBER, node.start, name, (node,))
            elif self._takes("["):
                self._takes("?")
                index = self.expression(depth + 1)
                self._expect("]")
                node = self._node(NodeKind.INDEX, node.start, parts=(node, index))
            elif _is_type(node) and self._takes("{"):
                node = self._object(node.start, _dotted(node), depth)
            else:
                return node

    def _primary(self, depth: int) -> CelNode:
        token = self._next()
        text, start = token.text, token.start
        is_word = token.kind is TokenKind.WORD
        if token.kind is TokenKind.STRING or (is_word and text[0].isdigit()):
            return CelNode(NodeKind.LITERAL, start, token.end, text, token.value)
        if is_word:
            if self._takes("("):
                return self._node(NodeKind.CALL, start, text, self._listed(")", depth))
            return self._node(NodeKind.NAME, start, text)
        if text == "(":
            inner = self.expression(depth + 1)
            self._expect(")")
            return self._node(NodeKind.GROUP, start, parts=(inner,))
        if text == "[":
            return self._node(NodeKind.LIST, start, parts=self._listed("]", depth))
        if text == "{":
            return self._object(start, "", depth)
        if text == ".":
            return self._node(NodeKind.NAME, start, self._word().text)
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

    def _object(self, start: int, of_type: str, depth: int) -> CelNode:
        """Read the members of an object up to its brace."""
        found: list[ObjectMember] = []
        while not self._takes("}"):
            self._takes("?")
            key = self.expression(depth + 1)
            self._expect(":")
            value = self.expression(depth + 1)
            plain = key.text if key.kind is NodeKind.NAME else key.value
            found.append(ObjectMember(plain, value))
            if not self._takes(","):
                self._expect("}")
                break
        end = self._tokens[self._at - 1].end
        return CelNode(NodeKind.OBJECT, start, end, of_type, members=tuple(found))

    def _node(
        self,
        kind: NodeKind,
        start: int,
        text: str = "",
        parts: tuple[CelNode, ...] = (),
        *,
        is_method: bool = False,
    ) -> CelNode:
        """Return a part that ends with the last token that was taken."""
        end = self._tokens[self._at - 1].end
        return CelNode(kind, start, end, text, parts=parts, is_method=is_method)

    def _next(self) -> Token:
        if self.is_at_end:
            raise _NotCelError
        self._at += 1
        return self._tokens[self._at - 1]

    def _word(self) -> Token:
        if self.is_at_end or self._tokens[self._at].kind is not TokenKind.WORD:
            raise _NotCelError
        return self._next()

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
