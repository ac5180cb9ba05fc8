"""What ``fill: Complete`` adds to CEL expressions: entries of ``env``, and their names in the filters beside them.

A JSON Patch that keeps the other entries of a container has to leave out those that it sets, or each would be there
twice: ``c.env.filter(e, !(e.name in ["HTTP_PROXY"]))`` or ``c.env.filter(e, e.name != "HTTP_PROXY")``. Expressions in
which one of the six names is anything else than the name of an entry or part of such a filter are not extended. The
shapes are those of ``kyverno/policies`` (``other-mpol/add-pod-proxies``, ``other-mpol/mitigate-log4shell``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from krm_fn.formats import cel
from krm_fn.formats.cel import Token, TokenKind
from krm_fn.formats.splice import Edit, splice
from krm_fn.settings import PROXY_VARIABLES

_OPENING = {"}": "{", "]": "[", ")": "("}
_BEFORE_LIST, _BEFORE_CHAIN = 10, 9
"""How many tokens begin a filter, up to its first name."""


def completed(
    texts: Sequence[str], variables: Mapping[str, str], *, merges: bool
) -> list[str] | None:
    """Return expressions that set all variables; None where that is not known to be right.

    Args:
        texts: all expressions of a policy.
        variables: name -> value, escaped for the environment of a container.
        merges: the engine merges the entries with those that are there (``applyConfiguration``), so that no filter
            is needed.
    """
    shapes = [_Shape(text) for text in texts]
    if not any(shape.entries for shape in shapes):
        return None
    if not all(shape.is_known for shape in shapes):
        return None
    if not merges and any(shape.keeps_env for shape in shapes):
        return None
    return [shape.extended(variables) for shape in shapes]


@dataclass
class _ListedEntry:
    """One entry of ``env`` in a list: where it is, its name, and the tokens of its name and of its value."""

    start: int
    end: int
    gap: str
    name: Token
    value: Sequence[Token]


@dataclass
class _Filter:
    """The names that a filter leaves out, and how another one is written behind the last of them.

    ``index`` is that of its word ``filter`` among the tokens.
    """

    index: int
    names: list[Token]
    end: int
    pattern: str


class _Shape:
    """What one expression does with the six names."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = cel.tokens(text)
        self.entries: dict[int, list[_ListedEntry]] = {}
        self.filters: list[_Filter] = [*self._lists_of_names(), *self._comparisons()]
        self._note_entries()

    @property
    def is_known(self) -> bool:
        """Whether each of the six names is the name of an entry, or one that a filter leaves out."""
        known = {one.name.start for entries in self.entries.values() for one in entries}
        known |= {token.start for one in self.filters for token in one.names}
        return all(token.start in known for token in self._tokens if token.value in PROXY_VARIABLES)

    @property
    def keeps_env(self) -> bool:
        """Whether the expression reads a list ``env`` that no filter follows, other than in ``has()``.

        A filter follows the list itself, ``orValue([])`` behind it, or the parentheses in which it is.
        """
        filtered = {one.index for one in self.filters}
        return any(filtered.isdisjoint(self._behind(index)) for index in self._reads_of_env())

    def _behind(self, index: int) -> Iterator[int]:
        """Yield where a method would be called on what is read at ``index``: on it, and on what it is part of."""
        at = index + 1
        if self._texts(at, 1) == ["]"] and self._tokens[index].value == "env":
            at += 1
        ends = [at]
        if self._texts(at, 6) == [".", "orValue", "(", "[", "]", ")"]:
            ends.append(at + 6)
        for opening, closing in self._groups():
            if opening < index < closing:
                ends.append(closing + 1)
        for end in ends:
            if self._texts(end, 1) == ["."]:
                yield end + 1

    def _texts(self, index: int, count: int) -> list[str]:
        return [token.text for token in self._tokens[index : index + count]]

    def _groups(self) -> Iterator[tuple[int, int]]:
        """Yield where each pair of parentheses is that is no call."""
        open_at: list[int] = []
        for index, token in enumerate(self._tokens):
            if token.text == "(":
                open_at.append(index)
            elif token.text == ")" and open_at:
                opening = open_at.pop()
                before = self._tokens[opening - 1] if opening else None
                if before is None or (before.kind is TokenKind.SIGN and before.text not in ")]}"):
                    yield opening, index

    def _reads_of_env(self) -> Iterator[int]:
        """Yield the index of each token that reads ``env`` of something, other than in ``has()``."""
        open_at: list[int] = []
        for index, token in enumerate(self._tokens):
            behind = self._tokens[index + 1].text if index + 1 < len(self._tokens) else ""
            if token.text == "(":
                open_at.append(index)
            elif token.text == ")" and open_at:
                open_at.pop()
            elif token.value == "env" and behind != ":":
                yield index
            elif token.text == "env" and behind not in ("{", ":"):
                opening = open_at[-1] if open_at else 0
                if behind != ")" or opening < 1 or self._tokens[opening - 1].text != "has":
                    yield index

    def extended(self, variables: Mapping[str, str]) -> str:
        """Return the expression with the entries that are missing, and with all names in its filters."""
        edits: list[Edit] = []
        for entries in self.entries.values():
            last = entries[-1]
            existing = {one.name.value: one for one in entries}
            missing = [name for name in variables if name not in existing]
            new = "".join(
                f",{last.gap}{self._entry(name, variables[name], existing, last)}"
                for name in missing
            )
            edits += [(last.end, last.end, new)] if new else []
        for one in self.filters:
            names_in_filter = {token.value for token in one.names}
            left = [name for name in variables if name not in names_in_filter]
            added = "".join(one.pattern.replace("\0", name) for name in left)
            edits += [(one.end, one.end, added)] if added else []
        return splice(self._text, edits)

    def _entry(
        self, name: str, value: str, existing: Mapping[str | None, _ListedEntry], last: _ListedEntry
    ) -> str:
        """Return a new entry: that of the variable in the other case, or the last one with another value."""
        model = existing.get(name.swapcase(), last)
        edits = [(model.name.start, model.name.end, cel.literal(name, model.name.text))]
        if model is last and name.swapcase() not in existing:
            start, end = model.value[0].start, model.value[-1].end
            edits.append((start, end, cel.literal(value, model.name.text)))
        text = splice(self._text[: model.end], edits)
        return text[model.start :]

    def _note_entries(self) -> None:
        """Find the lists whose items are objects with one of the six names."""
        open_at: list[int] = []
        item_starts: dict[int, int] = {}
        by_end = {one.end: one for one in cel.named_objects(self._text)}
        for index, token in enumerate(self._tokens):
            if token.kind is not TokenKind.SIGN:
                continue
            if token.text in _OPENING.values():
                open_at.append(index)
                item_starts[index] = index + 1
            elif open_at and token.text == ",":
                item_starts[open_at[-1]] = index + 1
            elif open_at and token.text in _OPENING:
                open_at.pop()
                found = by_end.get(token.end)
                is_item = bool(open_at) and self._tokens[open_at[-1]].text == "["
                if found and is_item and found.name.value in PROXY_VARIABLES and found.value:
                    first = item_starts[open_at[-1]]
                    start = self._tokens[first].start
                    gap = _gap(self._text[self._tokens[first - 1].end : start])
                    entry = _ListedEntry(start, token.end, gap, found.name, found.value)
                    self.entries.setdefault(open_at[-1], []).append(entry)

    def _lists_of_names(self) -> Iterator[_Filter]:
        """Yield each ``filter(e, !(e.name in ["HTTP_PROXY", ...]))``."""
        found = self._tokens
        for index in range(_BEFORE_LIST, len(found)):
            before = [token.text for token in found[index - _BEFORE_LIST : index]]
            subject = before[2]
            wanted = ["filter", "(", subject, ",", "!", "(", subject, ".", "name", "in"]
            if found[index].text != "[" or before != wanted:
                continue
            names, at = [], index + 1
            while (
                at + 1 < len(found) and found[at].value is not None and found[at + 1].text in ",]"
            ):
                names.append(found[at])
                at += 2
            is_closed = self._texts(at - 1, 2) == ["]", ")"]
            if _has_proxy(names) and is_closed and self._is_conjunct(at + 1):
                quote = names[-1].text[-1]
                pattern = f", {quote}\0{quote}"
                yield _Filter(index - _BEFORE_LIST, names, names[-1].end, pattern)

    def _comparisons(self) -> Iterator[_Filter]:
        """Yield each ``filter(e, e.name != "HTTP_PROXY" && e.name != "NO_PROXY")``."""
        found = self._tokens
        for index in range(_BEFORE_CHAIN, len(found)):
            before = [token.text for token in found[index - _BEFORE_CHAIN : index]]
            subject = before[2]
            compared = [subject, ".", "name", "!", "="]
            if before != ["filter", "(", subject, ",", *compared]:
                continue
            chain, at, end = [], index, index
            while at < len(found) and found[at].value is not None:
                chain.append(found[at])
                end = at + 1
                if self._texts(at + 1, 7) != ["&", "&", *compared]:
                    break
                at += 8
            if _has_proxy(chain) and self._is_conjunct(end):
                quote = chain[-1].text[-1]
                pattern = f" && {subject}.name != {quote}\0{quote}"
                yield _Filter(index - _BEFORE_CHAIN, chain, chain[-1].end, pattern)

    def _is_conjunct(self, index: int) -> bool:
        """Return whether what ends before ``index``, directly in the call of ``filter``, must be true there."""
        if self._texts(index, 1) != [")"] and self._texts(index, 2) != ["&", "&"]:
            return False
        depth = 1
        for token in self._tokens[index:]:
            depth += (token.text in _OPENING.values()) - (token.text in _OPENING)
            if depth == 0:
                return True
            if depth == 1 and token.text in ("|", "?"):
                return False
        return False


def _has_proxy(found: Sequence[Token]) -> bool:
    return any(token.value in PROXY_VARIABLES for token in found)


def _gap(text: str) -> str:
    """Return the white space in front of another item: a line break and the indentation, or a blank."""
    _, newline, indentation = text.rpartition("\n")
    is_blank = not indentation.strip()
    return f"\n{indentation}" if newline and is_blank else " "
