"""Mask the lines of a manifest for a diff: some end with ``***``.

A document is read, because the field of a value, and its text without escapes, decide. From a secret value on, its line
is hidden. `krm_fn.krm.masking` hides texts with the form of a credential anywhere in a line.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from collections.abc import Sequence as Sequence_
from functools import cached_property, lru_cache, partial
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
from krm_fn.yamledit.tree import Alias, Mapping, Node, Scalar, Sequence, Span, walk

_COMMENT = r"(?m)(?:^|(?<=\s))#.*"
# A line of a text that sets a proxy without a user, or a list: no part of it can be a secret.
_PROXY = r"""(?xi)
    \s* (?: -\s )? (?: Environment= | export[ ] )? ["']?                     # - Environment="
    [\w.-]* (?: https? | no ) _?proxy ["']? \s* [:=] \s* ["']?               # TKG_NO_PROXY: "
    (?: https?://[a-z0-9.-]+ (?: :\d+ )? /? | [a-z0-9.:/*-]+ (?: ,[a-z0-9.:/*-]+ )+ ) ["']?   # a URL, or a list
"""


class MaskedText:
    """A text of a diff; ``raw`` are its lines as they are, with their line breaks."""

    def __init__(self, text: str, passwords: ProxyPasswords) -> None:
        self.raw = _lines(text)
        self._text = text
        self._masked = partial(_masked, passwords=passwords)

    def shown(self, number: int) -> str:
        """Return the part of a line, counted from 0, that may be shown, without its line break."""
        line = self.raw[number].rstrip("\r\n")
        if number in self._hidden_from:
            line = line[: self._hidden_from[number]] + HIDDEN
        return self._masked(line)

    def _says_proxy(self, line: str) -> bool:
        """Return whether a line sets a proxy, which people look for in the data of a Secret, and no credential."""
        line = line.rstrip()
        return re.fullmatch(_PROXY, line) is not None and self._masked(line) == line

    @cached_property
    def _hidden_from(self) -> dict[int, int]:
        """The number of each line with a secret -> the column from which it is hidden."""
        starts = [0, *accumulate(map(len, self.raw))]
        columns: dict[int, int] = {}
        for start, end in documents(self._text):
            for first, last in _secret_spans(self._text[start:end], self._masked):
                number = bisect_right(starts, start + first) - 1
                behind = max(bisect_right(starts, start + last - 1), number + 1)
                for at in range(
                    number, min(behind, len(self.raw))
                ):  # an empty value may be at the end
                    line = self.raw[at]
                    if line.strip() and not self._says_proxy(line):
                        indentation = len(line) - len(line.lstrip())
                        column = max(start + first - starts[at], indentation)
                        columns[at] = min(column, columns.get(at, column))
        return columns


def _lines(text: str) -> list[str]:
    """Return the lines of a text with their line breaks, which are those of YAML alone."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _secret_spans(text: str, masked: Callable[[str], str]) -> Iterator[Span]:
    """Yield where the parts of a document are of which no line may show anything.

    Args:
        text: the document.
        masked: returns a text without credentials.
    """
    try:
        document = Document(text)
        document.data()  # refuses aliases that say too much
    except InputError:  # nobody knows what is a value
        yield 0, len(text)
        return
    yield from spans_over_lines(text)
    is_secret = False
    for node in walk(document.root):
        for secret in _secrets(node):
            yield secret.start, secret.end
        if isinstance(node, Scalar) and _is_hidden_as_a_whole(node, text, masked):
            yield node.start, node.end
        is_secret = is_secret or _is_secret_object(node)
    if is_secret:  # somebody may have left a value in a comment
        for comment in re.finditer(_COMMENT, text):
            yield comment.span()


def _is_hidden_as_a_whole(node: Scalar, text: str, masked: Callable[[str], str]) -> bool:
    """Return whether a value holds a credential that its lines, each masked by itself, would show."""
    if holds_secret_object(node.value):
        return True
    shown = masked(node.value)
    if shown == node.value:
        return False
    if node.style == "|":
        return shown != "\n".join(map(masked, node.value.split("\n")))
    start = text.rfind("\n", 0, node.start) + 1
    _, _, behind = text[node.end - 1 :].partition("\n")
    lines = _lines(text[start : len(text) - len(behind)])
    return shown not in "\n".join(map(masked, lines))


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
