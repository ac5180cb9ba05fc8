"""Mask the lines of a manifest for a diff: some end with ``***``.

A document is read, because the field of a value, and its text without escapes, decide. From a secret value on, its line
is hidden. `krm_fn.krm.masking` hides texts with the form of a credential anywhere in a line.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from collections.abc import Sequence as Sequence_
from functools import lru_cache, partial
from itertools import accumulate

from krm_fn.errors import InputError
from krm_fn.krm.masking import (
    HIDDEN,
    ProxyPasswords,
    holds_secret_object,
    is_secret,
    may_name_secret,
    redact_lines,
    spans_over_lines,
)
from krm_fn.yamledit import Document
from krm_fn.yamledit.stream import documents
from krm_fn.yamledit.tree import Alias, Mapping, Node, Scalar, Sequence, walk

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_COMMENT = re.compile(r"(?:^|(?<=\s))#")


class MaskedText:
    """A text of a diff, ``raw`` its lines as they are; it is read when a line is wanted."""

    def __init__(self, text: str, passwords: ProxyPasswords) -> None:
        self.raw = _LINE.findall(text)
        self._text = text
        self._starts = [0, *accumulate(map(len, self.raw))]
        self._is_read = False
        self._hidden_from: dict[int, int] = {}
        self._masked = partial(_masked, passwords=passwords)

    def line(self, number: int) -> str:
        """Return the part of a line, counted from 0, that may be shown, without its line break."""
        if not self._is_read:
            self._is_read = True
            for start, end in documents(self._text):
                self._read(start, end)
        line, _ = self.split(number)
        if number in self._hidden_from:
            line = line[: self._hidden_from[number]]
            return self._masked(line + HIDDEN)
        return self._masked(line)

    def split(self, number: int) -> tuple[str, str]:
        """Return the content of a line, and its line break."""
        content = self.raw[number].rstrip("\r\n")
        return content, self.raw[number][len(content) :]

    def _read(self, start: int, end: int) -> None:
        """Note the hidden parts of a document."""
        try:
            document = Document(self._text[start:end])
            document.data()  # refuses aliases that say too much
        except InputError:  # nobody knows what is a value
            self._hide(start, end)
            return
        for first, last in spans_over_lines(self._text[start:end]):
            self._hide(start + first, start + last)
        is_secret = False
        for node in walk(document.root):
            secrets = list(_secrets(node))
            if isinstance(node, Scalar) and self._is_hidden_as_a_whole(node, start):
                secrets.append(node)
            for secret in secrets:
                self._hide(start + secret.start, start + secret.end)
            if _is_secret_object(node):
                is_secret = True
        if is_secret:
            self._hide_comments(start, end)

    def _hide_comments(self, start: int, end: int) -> None:
        """Hide the comments of a document: somebody may have left a value in one."""
        for number in self._lines_of(start, end):
            comment = _COMMENT.search(self.raw[number])
            if comment:
                begin = self._starts[number]
                self._hide(begin + comment.start(), begin + comment.end())

    def _is_hidden_as_a_whole(self, node: Scalar, start: int) -> bool:
        """Return whether a value holds a credential that its lines, each masked by itself, would show."""
        if holds_secret_object(node.value):
            return True
        masked = self._masked(node.value)
        if masked == node.value:
            return False
        if node.style == "|":
            return masked != "\n".join(map(self._masked, node.value.split("\n")))
        lines = [
            self.raw[number] for number in self._lines_of(start + node.start, start + node.end)
        ]
        return masked not in "\n".join(map(self._masked, lines))

    def _hide(self, start: int, end: int) -> None:
        """Hide the lines of a place, from its beginning on."""
        for number in self._lines_of(start, end):
            line = self.raw[number]
            if not line.strip():
                continue
            indentation = len(line) - len(line.lstrip())
            begin = max(start - self._starts[number], indentation)
            known = self._hidden_from.get(number, begin)
            self._hidden_from[number] = min(begin, known)

    def _lines_of(self, start: int, end: int) -> range:
        first = bisect_right(self._starts, start) - 1
        return range(first, max(bisect_right(self._starts, end - 1), first + 1))


@lru_cache(maxsize=10_000)
def _masked(text: str, passwords: ProxyPasswords) -> str:
    """Return a text without credentials; a line of JSON, and the documents of a list, hold it many times."""
    return redact_lines(text, passwords.hidden)


def _secrets(node: Node) -> Iterator[Node]:
    """Yield the values in a mapping or sequence that nobody may see because of the field that they are in."""
    if isinstance(node, Sequence):
        option = ""
        for argument in node.items:
            if option.startswith("-") and _is_secret(option, argument):
                yield argument
            option = _text(argument)
    elif isinstance(node, Mapping):
        members = list(_members(node))
        kinds = _values_of("kind", members)
        held = {"stringData"}
        if "Secret" in kinds:
            held.add("data")
        if "SecretList" in kinds:
            held.add("items")
        for key, value in members:
            names = _values_of("name", members) if key == "value" else [key]
            if key in held or any(_is_secret(name, value) for name in names):
                yield from _values_in(value)


def _is_secret_object(node: Node) -> bool:
    """Return whether a node is a Secret; a reference to one has no data."""
    if not isinstance(node, Mapping):
        return False
    members = list(_members(node))
    names = {name for name, _ in members}
    if "Secret" in _values_of("kind", members):
        return not names.isdisjoint({"metadata", "data", "stringData"})
    return "stringData" in names


def _members(node: Node) -> Iterator[tuple[str, Node]]:
    """Yield the members of a mapping, and those that merge keys (`<<`) bring into it."""
    target = _target(node)
    if isinstance(target, Sequence):
        for item in target.items:
            yield from _members(item)
    elif isinstance(target, Mapping):
        for key, value in target.entries:
            name = _text(key)
            if name == "<<":
                yield from _members(value)
            else:
                yield name, value


def _values_of(name: str, members: Sequence_[tuple[str, Node]]) -> list[str]:
    return [_text(value) for key, value in members if key == name]


def _is_secret(name: str, value: Node) -> bool:
    """Return whether nobody may see a value because of its name; an option is not the value of another one."""
    if isinstance(value, Mapping) or not may_name_secret(name):
        return False
    texts = [_text(scalar) for scalar in _values_in(value)]
    return any(is_secret(name, text) for text in texts if not text.startswith("-"))


def _values_in(node: Node) -> Iterator[Node]:
    """Yield the texts in a value, at any depth, and in the values of its aliases."""
    target = _target(node)
    if isinstance(target, Scalar):
        yield target
    elif isinstance(target, Sequence):
        for item in target.items:
            yield from _values_in(item)
    elif isinstance(target, Mapping):
        for _, value in target.entries:
            yield from _values_in(value)


def _text(node: Node) -> str:
    target = _target(node)
    return target.value if isinstance(target, Scalar) else ""


def _target(node: Node) -> Node:
    """Return the node that an alias means; another node as it is."""
    return node.target if isinstance(node, Alias) else node
