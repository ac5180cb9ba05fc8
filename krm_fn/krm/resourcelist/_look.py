"""A quick look at the texts of objects: which kinds may be in each, and which words are, without reading YAML.

The look may see a kind that is none. It must never miss one: where a kind may be written in a way that it does not
understand, it says that nothing is known, and the item is read.

A text is searched as a whole for one word after the other, so that a word which is nowhere costs nothing for each of
thousands of items. What is asked about few of them is looked for in these alone.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from itertools import compress
from operator import attrgetter, itemgetter

from krm_fn.target_table import ROWS
from krm_fn.yamledit import with_line_feeds

_COMMENT = r"(?:#[^\n\r]*(?![^\n\r]))?"
_GAP = rf"[ \t]*{_COMMENT}(?:[\n\r][ \t]*{_COMMENT})*"
"""Blanks, line breaks and comments between a key and its value."""

_KIND = re.compile(r"""kind["']?[ \t]*:(?:[ \t]*(?P<plain>[A-Za-z][A-Za-z0-9]*))?""")
"""A key, and its value if it is a plain word beside it, as it nearly always is."""
_VALUE = (
    rf"""{_GAP}(?P<unknown>[&!*|>]|"[^"\n\r]*\\)"""
    r"""|[ \t]*["']?(?P<beside>[A-Za-z][A-Za-z0-9]*)"""
    rf"""|{_GAP}["']?(?P<below>[A-Za-z][A-Za-z0-9]*)["']?[ \t]*(?:[,}}\]#\n\r]|\Z)"""
)
_EXPLICIT_KEY = r"""\?\s+(?:["']?kind|[#&!*])"""
_ALIAS_AS_KEY = r"\*[^\s,\[\]{}*]+[ \t]+:"
_MERGE_KEY = r"""<<["']?[ \t]*:"""

_OF_WORD = r"A-Za-z0-9_.:\-"
"""What the words that are looked for consist of, besides slashes."""
_CODE = "(?:[4-7][0-9a-fA-F]|2[d-fD-F]|3[0-9aA])"
_BREAK = r"[\r\n\x85\u2028\u2029]"
_BEHIND_WORD = rf"(?<=[{_OF_WORD}/]\\{_BREAK})(?<!(?<!\\)\\[a-zA-Z0]\\{_BREAK})"
_BEHIND_BACKSLASH = (
    rf"x{_CODE}|u00{_CODE}|U000000{_CODE}"
    rf"|{_BREAK}{_BEHIND_WORD}\n?[ \t]*(?:\\{_BREAK}\n?[ \t]*)*(?:[{_OF_WORD}/]|\\/)"
)
_HIDING = rf"\\(?:{_BEHIND_BACKSLASH}|/)"
r"""What may hide a word in a text in double quotes: a character of it as an escape, ``\/``, or a backslash at the end
of a line, which continues on the next one. A line that ends in ``\n\`` does not count: many programs
break long texts there, and no word goes on."""
_SLASH = r"\/"
_HIDING_BESIDE_SLASHES = rf"\\(?:{_BEHIND_BACKSLASH}|/[{_OF_WORD}]*/)|(?<!\\)/[{_OF_WORD}]*\\/"
r"""The same, where ``\/`` alone hides nothing: ``_spellings`` has each word with all its slashes so. What hides a word
is ``\/`` with a ``/`` before or behind it."""

_LONG = 100_000
"""From so many characters on, a look for what many words share says that most are absent; below, it costs more."""
_SHARED = ("xy", "XY", "penshift", "KeyRef")
"""Many of the words that targets look for hold one of these, and few items of a list do."""

Span = tuple[int, int]


class QuickLook:
    """Kinds and words in the parts of texts: an item of a ResourceList, or a document of a file.

    Args:
        texts: texts, each with start and end of its parts, in their order; the number of a part counts through all.
    """

    def __init__(self, texts: Sequence[tuple[str, Sequence[Span]]]) -> None:
        self._texts: list[_DividedText] = []
        self._number = 0
        is_long = sum(len(text) for text, _ in texts) >= _LONG
        for text, parts in texts:
            if parts:
                self._texts.append(_DividedText(text, parts, self._number, is_long=is_long))
                self._number += len(parts)
        self._holding: dict[tuple[str, ...], bytearray] = {}
        self._absent: set[str] = set()
        self._asked: dict[tuple[str, ...], int] = {}

    def kinds(self, number: int) -> frozenset[str]:
        """Return every word of a part that could be its kind, or the kind of an object inside it.

        Empty: nothing is known without reading the part.
        """
        return self._kinds[number]

    @cached_property
    def by_kinds(self) -> Mapping[frozenset[str], Sequence[int]]:
        """Kinds that are seen together -> the numbers of the parts, in order."""
        found: dict[frozenset[str], list[int]] = {}
        for number, kinds in enumerate(self._kinds):
            found.setdefault(kinds, []).append(number)
        return found

    def contains(self, number: int, words: tuple[str, ...]) -> bool:
        """Return True if one of the words is in a part or may be hidden there, or if there are no words."""
        if not words or self._hiding[number]:
            return True
        if words not in self._holding:
            asked = self._asked.get(words, 0)
            if self._are_few(asked):
                self._asked[words] = asked + 1
                return self._text_of(number).holds(number, _spellings(words))
        return self._marks(words)[number] != 0

    def holding(self, words: tuple[str, ...], among: Sequence[int] | None = None) -> Sequence[int]:
        """Return the numbers of the parts for which ``contains`` is True, in order.

        Args:
            words: words.
            among: the numbers of the parts that are asked about; None for all.
        """
        every = range(self._number)
        if not words:
            return every if among is None else among
        if among is None:
            return list(compress(every, self._marks(words)))
        if self._are_few(len(among)):
            return [number for number in among if self.contains(number, words)]
        marks = self._marks(words)
        return [number for number in among if marks[number]]

    def _are_few(self, asked: int) -> bool:
        """Return whether so many parts are looked through faster than all."""
        return 2 * asked < self._number

    def _text_of(self, number: int) -> _DividedText:
        """Return the text of a part."""
        return self._texts[bisect_right(self._texts, number, key=attrgetter("first")) - 1]

    @cached_property
    def _kinds(self) -> list[frozenset[str]]:
        known: dict[frozenset[str], frozenset[str]] = {}
        found = []
        for text in self._texts:
            found += [known.setdefault(kinds, kinds) for kinds in text.kinds()]
        for number in compress(range(self._number), self._hiding):
            found[number] = frozenset()
        return found

    @cached_property
    def _hiding(self) -> bytearray:
        """For each part 1 where a word may be written with escapes, so that it is not found as it is spelled."""
        marks = bytearray(self._number)
        for text in self._texts:
            for number in text.with_escapes():
                marks[number] = 1
        return marks

    def _marks(self, words: tuple[str, ...]) -> bytearray:
        """Return for each part 1 where it holds one of the words, or may hide it, and else 0."""
        if words not in self._holding:  # each target asks for its words, part by part
            marks = self._hiding[:]
            for word in _spellings(words):
                if word not in self._absent:
                    self._mark(marks, word)
            self._holding[words] = marks
        return self._holding[words]

    def _mark(self, marks: bytearray, word: str) -> None:
        is_absent = True
        for text in self._texts:
            for number in text.with_word(word):
                marks[number] = 1
                is_absent = False
        if is_absent:
            self._absent.add(word)


class _DividedText:
    """One text with its parts; ``first`` is the number of the first of them, ``is_long`` whether all texts are long."""

    def __init__(self, text: str, parts: Sequence[Span], first: int, *, is_long: bool) -> None:
        self._text = text
        self._parts = parts
        self.first = first
        self._is_long = is_long
        self._with_shared: dict[re.Pattern[str], list[int]] = {}

    def kinds(self) -> Iterator[frozenset[str]]:
        """Yield the kinds in each part, nothing where one may be hidden; escapes do not count here."""
        text = with_line_feeds(self._text)
        # One character is looked for faster than two.
        may_be_unusual = "?" in text or "*" in text or ("<" in text and "<<" in text)
        for start, end in self._parts:
            words = _KIND.findall(text, start, end)
            found = _with_unusual_values(text, start, end) if "" in words else frozenset(words)
            if may_be_unusual and found and _has_unusual_keys(text[start:end]):
                found = frozenset()
            yield found

    def holds(self, number: int, words: tuple[str, ...]) -> bool:
        """Return whether one of the words is in a part."""
        start, end = self._parts[number - self.first]
        for word in words:  # noqa: SIM110 -- thousands of parts are asked
            if self._text.find(word, start, end) >= 0:
                return True
        return False

    def with_escapes(self) -> Iterator[int]:
        """Yield the numbers of the parts with what may hide a word."""
        if "\\" not in self._text:
            return
        hiding = re.compile(_HIDING)

        def search(start: int, end: int) -> Span | None:
            found = hiding.search(self._text, start, end)
            if found and found[0] == _SLASH:
                found = re.compile(_HIDING_BESIDE_SLASHES).search(self._text, start, end)
            return found.span() if found else None

        yield from self._parts_with(search)

    def with_word(self, word: str) -> Sequence[int]:
        """Return the numbers of the parts with a word."""
        shared = _shared_by(word) if self._is_long else None
        if shared is None:
            return self._with(word)
        if shared not in self._with_shared:
            self._with_shared[shared] = list(self._with_pattern(shared))
        found = []
        for number in self._with_shared[shared]:
            start, end = self._parts[number - self.first]
            if self._text.find(word, start, end) >= 0:
                found.append(number)
        return found

    def _with(self, word: str) -> list[int]:
        def search(start: int, end: int) -> Span | None:
            at = self._text.find(word, start, end)
            return (at, at + len(word)) if at >= 0 else None

        return list(self._parts_with(search))

    def _with_pattern(self, pattern: re.Pattern[str]) -> Iterator[int]:
        def search(start: int, end: int) -> Span | None:
            found = pattern.search(self._text, start, end)
            return found.span() if found else None

        return self._parts_with(search)

    def _parts_with(self, search: Callable[[int, int], Span | None]) -> Iterator[int]:
        """Yield the numbers of the parts in which something is.

        Args:
            search: returns where it is between two positions for the first time, None where it is not.
        """
        position, end_of_all = self._parts[0][0], self._parts[-1][1]
        while found := search(position, end_of_all):
            start, end = found
            number = bisect_right(self._parts, start, key=itemgetter(0)) - 1
            end_of_part = self._parts[number][1]
            if end <= end_of_part:
                yield self.first + number
                position = end_of_part
            else:  # between two parts
                position = start + 1


@lru_cache(maxsize=256)
def _shared_by(word: str) -> re.Pattern[str] | None:
    """Return the pattern that is in each text with a word; None if it shares none."""
    return next((pattern for pattern in _shared_patterns() if pattern.search(word)), None)


@cache
def _shared_patterns() -> tuple[re.Pattern[str], ...]:
    """Return patterns each of which is in many of the words that targets look for, and in few items of a list.

    A text is looked through fast for a pattern that begins with a rare character. The last one is in all words with a
    dash, so one look says that none of twenty is there.
    """
    dashed: dict[str, str] = {}
    for row in ROWS.values():
        for word in _spellings((*row.text_hints, *row.reference_words)):
            behind = word.partition("-")[2]
            if behind:
                dashed[word] = behind
    # Of two that match at one dash the shorter one is found: the other one may reach beyond the part.
    words = sorted(dashed, key=lambda word: len(dashed[word]))
    either = "|".join(f"{re.escape(dashed[word])}(?<={re.escape(word)})" for word in words)
    return tuple(map(re.compile, (*_SHARED, f"-(?:{either})")))


@lru_cache(maxsize=256)
def _spellings(words: tuple[str, ...]) -> tuple[str, ...]:
    r"""Return words, and those with a slash as some programs write it in JSON: ``\/``."""
    return (*words, *(word.replace("/", r"\/") for word in words if "/" in word))


def _with_unusual_values(text: str, start: int, end: int) -> frozenset[str]:
    """Return the kinds in a part where not each one is a plain word behind its key; nothing where one may be hidden."""
    found = set()
    for key in _KIND.finditer(text, start, end):
        if key["plain"]:
            found.add(key["plain"])
        elif value := re.compile(_VALUE).match(text, key.end(), end):
            if value["unknown"]:
                return frozenset()
            found.add(value["beside"] or value["below"])
    return frozenset(found)


def _has_unusual_keys(text: str) -> bool:
    """Return True for ``? kind``, ``*k : Pod`` and ``<<: *base``: keys that are no words beside a colon."""
    if "?" in text and re.search(_EXPLICIT_KEY, text):
        return True
    if "*" in text and re.search(_ALIAS_AS_KEY, text):
        return True
    return "<<" in text and re.search(_MERGE_KEY, text) is not None
