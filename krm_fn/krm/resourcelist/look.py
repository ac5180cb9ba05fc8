"""A quick look at the texts of objects: which kinds and which words may be in each, without reading YAML.

The look may see a kind that is none. It must never miss one: where a kind or a word may be written in a way that it
does not understand, it says that nothing is known, and the item is read.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property, partial
from itertools import accumulate, pairwise
from operator import itemgetter

from krm_fn.krm.resourcelist.objects import Object
from krm_fn.light_typing import Texts
from krm_fn.patch import Data
from krm_fn.yamledit import with_line_feeds
from krm_fn.yamledit.tree import Span

# A key, and its value if that is one word beside it; the value of another key is unknown.
_KIND = re.compile(
    r"""(?x)
    kind["']?[ \t]*:                        # `kind:` and `"kind":`
    (?![ \t]*\n[ \t]*[A-Za-z][\w-]*:[ \n])  # a key below says that it is none: `kind:` and `  type: string` of a schema
    (?![ \t]*"")                            # an empty text is none: `kind: ""` in the status of a CRD
    (?:[ \t]*["']?
       (?P<kind>[A-Za-z][A-Za-z0-9]*)       # one word beside it, as nearly always: `kind: Pod`
       ["']?[ \t]*(?=[,}\]\#\n\r]|\Z))?
    """
)
# Keys that are no words beside a colon.
_UNUSUAL_KEY = r"""(?x)
    \? \s+ (?: ["']? kind | [\#&!*] )  # `? kind`, `? &k kind`, `? *k`
    | \* [^\s,\[\]{}*]+ [ \t]+ :       # `*k : Pod`
    | << ["']? [ \t]* :                # `<<: *base`
"""
# Signs that hide a word in double quotes.
_ESCAPED_LETTER = r"""(?x)
    \\ (?:
        x[2-7] | u00[2-7] | U000000[2-7]  # a letter by its number: `"\x6bind"`, `"\u006bind"`
        | (?<= [A-Za-z0-9_.:/-] \\ )      # a word that goes on in the next line: `"Deploy\`,
          (?<! \\n \\ ) \r?\n             # unless a line break ends it: `"first line\n\`
    )
"""
_ESCAPED_SLASH = r"\/"


class ObjectSource:
    """Where objects come from: the items of a ResourceList, or the documents of files, which are parts of texts.

    Args:
        texts: texts, each with start and end of its parts, in their order; the number of a part counts through all.

    Attributes:
        paths: name of a file of the list -> its absolute path, as far as these are files of this machine.
        others: name -> content of files that are read and hold no objects.
        kustomizations: absolute path -> data of the kustomizations in the folders of the files, and around them.
    """

    paths: Mapping[str, str] = {}
    others: Mapping[str, bytes] = {}
    kustomizations: Mapping[str, Data] = {}

    def __init__(self, texts: Sequence[tuple[str, Sequence[Span]]]) -> None:
        self._texts = [_with_plain_slashes(text, spans) for text, spans in texts]
        self._parts = [(text, *span) for text, spans in self._texts for span in spans]
        self._with = cache(lambda word: self._parts_with(partial(_span_of_word, word)))

    def __len__(self) -> int:
        return len(self._parts)

    def objects(self, index: int) -> list[Object]:
        """Return the objects of one part; raises InputError."""
        raise NotImplementedError

    def text_for_ytt(self, index: int) -> str:
        """Return the text of one part, with the comments above."""
        raise NotImplementedError

    @cached_property
    def by_kinds(self) -> Mapping[frozenset[str], Sequence[int]]:
        """The kinds that are seen together -> the numbers of the parts, in order."""
        numbers: dict[frozenset[str], list[int]] = {}
        for number, kinds in enumerate(self.kinds):
            numbers.setdefault(kinds, []).append(number)
        return numbers

    def contains(self, number: int, words: Texts) -> bool:
        """Return True if one of the words is in a part or may be hidden there, or if there are no words."""
        if not words or number in self._hiding:
            return True
        text, start, end = self._parts[number]
        for word in words:  # noqa: SIM110 -- thousands of parts are asked
            if text.find(word, start, end) >= 0:
                return True
        return False

    def holding(self, words: Texts, among: Sequence[int] | None = None) -> Sequence[int]:
        """Return the numbers of the parts, or of those ``among`` them, for which ``contains`` is True, in order."""
        if among is None:
            among = range(len(self))
        if not words:
            return among
        if 2 * len(among) < len(self):  # they are looked through faster than all
            return [number for number in among if self.contains(number, words)]
        holding = self._hiding.union(*map(self._with, words))
        return [number for number in among if number in holding]

    @cached_property
    def kinds(self) -> list[frozenset[str]]:
        """Every word of each part that could be its kind, or that of an object inside it; empty where none is known."""
        known: dict[frozenset[str], frozenset[str]] = {}
        kinds: list[frozenset[str]] = []
        for text, parts in self._texts:
            text = with_line_feeds(text)  # noqa: PLW2901
            may_be_unusual = "?" in text or "*" in text or "<<" in text
            for start, end in parts:
                words = frozenset(_KIND.findall(text, start, end))
                is_unknown = "" in words or len(kinds) in self._hiding
                if may_be_unusual and re.compile(_UNUSUAL_KEY).search(text, start, end):
                    is_unknown = True
                if is_unknown:
                    words = frozenset()
                words = known.setdefault(words, words)
                kinds.append(words)
        return kinds

    @cached_property
    def _hiding(self) -> frozenset[int]:
        """The parts in which a word may be written with escapes, so that it is not found as it is spelled."""
        return self._parts_with(_span_of_escape)

    def _parts_with(self, search: Callable[[str, int], Span | None]) -> frozenset[int]:
        """Return the numbers of the parts in which something is; each text is looked through once.

        Args:
            search: returns where it is in a text behind a position, None where it is not.
        """
        numbers = set()
        first = 0
        for text, parts in self._texts:
            position = len(text)
            if parts:
                position, _ = parts[0]
            while span := search(text, position):
                start, end = span
                number = bisect_right(parts, start, key=itemgetter(0)) - 1
                _, end_of_part = parts[number]
                position = start + 1
                if end <= end_of_part:
                    numbers.add(first + number)
                    position = max(position, end_of_part)
            first += len(parts)
        return frozenset(numbers)


def _with_plain_slashes(text: str, spans: Sequence[Span]) -> tuple[str, Sequence[Span]]:
    r"""Return a text, and its parts, where each ``\/`` is a slash: patterns of CRDs hold many that hide nothing."""
    if _ESCAPED_SLASH not in text:
        return text, spans
    parts = [text[start:end].replace(_ESCAPED_SLASH, "/") for start, end in spans]
    ends = [*accumulate(map(len, parts), initial=0)]
    return "".join(parts), [*pairwise(ends)]


def _span_of_word(word: str, text: str, position: int) -> Span | None:
    start = text.find(word, position)
    if start < 0:
        return None
    return start, start + len(word)


def _span_of_escape(text: str, position: int) -> Span | None:
    match = None
    if "\\" in text:
        match = re.compile(_ESCAPED_LETTER).search(text, position)
    return match.span() if match else None
