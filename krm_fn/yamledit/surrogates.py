r"""JSON that writes a character as two escapes (``"\ud83d\ude00"``), which YAML does not know and PyYAML refuses.

Source: RFC 8259, section 7: a character above U+FFFF is escaped as a UTF-16 surrogate pair.
"""

from __future__ import annotations

import json
import re

_ESCAPE = r"(?s)\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|.)"
_HALVES = 0x800
_PRIVATE = (0xE000, 0xE800, 0xF000)
"""Where as many characters begin that nobody has given a meaning (the Private Use Area of the BMP)."""


class ReadableText:
    """A text as PyYAML can read it, of the same length, and how to get back what its scalars mean.

    Each half of a pair is replaced by the escape of a private character that the text does not hold.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._first = 0
        if "\\ud" not in text.lower() or not _is_json(text):
            return
        self._first = next((first for first in _PRIVATE if not _holds(text, first)), 0)
        if self._first:
            self.text = re.sub(_ESCAPE, self._replaced, text)

    @property
    def has_pairs(self) -> bool:
        """Whether ``text`` has other characters than it was given: then ``meaning`` has to be asked."""
        return bool(self._first)

    def meaning(self, value: str) -> str:
        """Return what a scalar of a text that has pairs means for one that PyYAML read as ``value``."""
        high, low = self._first, self._first + _HALVES // 2
        pair = f"[{chr(high)}-{chr(low - 1)}][{chr(low)}-{chr(high + _HALVES - 1)}]"
        return re.sub(
            pair, lambda match: _joined(ord(match[0][0]) - high, ord(match[0][1]) - low), value
        )

    def _replaced(self, escape: re.Match[str]) -> str:
        if escape[1] is None:
            return escape[0]
        return "".join(f"\\u{int(half, 16) - 0xD800 + self._first:04x}" for half in escape.groups())


def _is_json(text: str) -> bool:
    if text.lstrip()[:1] not in ("{", "["):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _holds(text: str, first: int) -> bool:
    """Return True if one of the characters from ``first`` on is in the text, written out or as an escape."""
    last = first + _HALVES - 1
    escapes = "|".join(f"{code:02x}" for code in range(first >> 8, (last >> 8) + 1))
    return (
        re.search(rf"[{chr(first)}-{chr(last)}]|\\u(?:{escapes})", text, re.IGNORECASE) is not None
    )


def _joined(high: int, low: int) -> str:
    return chr(0x10000 + (high << 10) + low)
