"""A quick look at the text of an item: which kinds may be in it, without reading it as YAML.

The look may see a kind that is none. It must never miss one: where a kind may be written in a way that it does not
understand, it says that nothing is known, and the item is read.
"""

from __future__ import annotations

import re
from functools import cached_property

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

_ESCAPED = r"\\(?:x|u00|U000000)(?:[4-7][0-9a-fA-F]|2[d-fD-F])"
"""A letter, or one of ``-./``, as an escape of a text in double quotes."""


def kinds_in(text: str) -> frozenset[str]:
    """Return every word of a text that could be the kind of an object in it; nothing where one may be hidden."""
    text = with_line_feeds(text)
    found = set()
    for key in _KIND.finditer(text):
        if key["plain"]:
            found.add(key["plain"])
        elif value := re.compile(_VALUE).match(text, key.end()):
            if value["unknown"]:
                return frozenset()
            found.add(value["beside"] or value["below"])
    return frozenset() if hides_words(text) or _has_unusual_keys(text) else frozenset(found)


def _has_unusual_keys(text: str) -> bool:
    """Return True for ``? kind``, ``*k : Pod`` and ``<<: *base``: keys that are no words beside a colon."""
    if "?" in text and re.search(_EXPLICIT_KEY, text):
        return True
    if "*" in text and re.search(_ALIAS_AS_KEY, text):
        return True
    return "<<" in text and re.search(_MERGE_KEY, text) is not None


class WordSearch:
    """Looks for words in the parts of a text; a word that is nowhere in the text is not looked for in its parts."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._found: dict[tuple[str, ...], tuple[str, ...]] = {}

    @cached_property
    def _may_hide(self) -> bool:
        return hides_words(self._text)

    def are_possible(self, words: tuple[str, ...]) -> bool:
        """Return False if no part can hold one of the words."""
        if words not in self._found:  # each target asks for its words, part by part
            self._found[words] = tuple(word for word in words if word in self._text)
        return bool(self._found[words]) or not words or self._may_hide

    def may_hold(self, part: str, words: tuple[str, ...]) -> bool:
        """Return True if one of the words is in a part or may be hidden there, or if there are no words."""
        for word in self._found[words]:
            if word in part:
                return True
        return not words or (self._may_hide and hides_words(part))


def hides_words(text: str) -> bool:
    """Return True if a word of the text may be written with escapes, so that it is not found as it is spelled."""
    return "\\" in text and re.search(_ESCAPED, text) is not None
