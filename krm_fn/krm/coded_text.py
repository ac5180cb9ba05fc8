"""Base64 inside a text, of text or of gzip: who reads an output decodes it, so what it says counts as shown.

Source: RFC 4648, sections 4 and 5 (both alphabets; encoders wrap lines); RFC 1952 (gzip).
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Callable
from functools import lru_cache

from krm_fn.printable import HIDDEN

_LETTERS = "[A-Za-z0-9+/_-]"
_LINE = rf"{_LETTERS}{{12,}}={{0,2}}"
_CODED = re.compile(rf"{_LINE}(?:[ \t]*\\?\r?\n[ \t]*{_LETTERS}+={{0,2}}(?![^\s\"'\\]))*")
"""Letters that may be base64; further lines count where they hold nothing else."""
_PIECE = rf"{_LETTERS}+={{0,2}}"
_CONTROL = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]"
_CODED_URL = ("Oi8v", "ovL", "6Ly")
"""What is always there of ``://`` in base64, by the number of bytes before it."""
_CREDENTIAL = r"://[!-9;-?A-~]{0,300}:[!-?A-~]{1,300}@"
"""User and password of a URL, in letters of which only a part is base64."""
_URL_SAFE = str.maketrans("-_", "+/")
_LONGEST_WORD = 64
_GZIP = "H4sI"
"""The three bytes with which gzip begins, in base64; other letters may be directly before them."""
_LARGEST = 1024 * 1024
_RATIO = 64
"""So many times longer than packed a text may be that is read; text is packed to a tenth."""


def without_coded(text: str, is_hidden: Callable[[str, bool], bool]) -> str:
    """Return a text with ``***`` for each base64 in it that must not be shown.

    Gzip that cannot be read, or that is too long, is not shown either.

    Args:
        text: any text, also one of many lines.
        is_hidden: says of a decoded text whether it must not be shown; the flag is True if it was packed.
    """
    found = [one.span() for one in _CODED.finditer(text) if _hides(one[0], is_hidden)]
    for start, end in reversed(found):
        text = f"{text[:start]}{_masked(text[start:end], is_hidden)}{text[end:]}"
    return text


def _masked(letters: str, is_hidden: Callable[[str, bool], bool]) -> str:
    """Return hidden letters with ``***`` in the place of each line, or of those that say it alone."""
    lines = re.findall(_PIECE, letters)
    if _hides_line("".join(lines), is_hidden):
        return re.sub(_PIECE, HIDDEN, letters)
    return re.sub(
        _PIECE, lambda line: HIDDEN if _hides_line(line[0], is_hidden) else line[0], letters
    )


def _hides(letters: str, is_hidden: Callable[[str, bool], bool]) -> bool:
    if "\n" not in letters:
        return _hides_line(letters, is_hidden)
    lines = re.findall(_PIECE, letters)
    return any(_hides_line(line, is_hidden) for line in ("".join(lines), *lines))


def _hides_line(letters: str, is_hidden: Callable[[str, bool], bool]) -> bool:
    if len(letters) <= _LONGEST_WORD and _is_word(letters):
        return False
    _, start, rest = letters.partition(_GZIP)
    if start:
        unpacked = _unpacked(_bytes_of(start + rest))
        return unpacked is None or is_hidden(unpacked.decode(errors="replace"), True)
    text = _printable(_bytes_of(letters))
    if text is not None:
        return is_hidden(text, False)
    if not _may_hold_url(letters):
        return False
    decoded = (_bytes_of(letters[first:]).decode("latin-1") for first in range(4))
    return any(re.search(_CREDENTIAL, one) for one in decoded)


@lru_cache(maxsize=4096)
def _is_word(letters: str) -> bool:
    """Return whether letters say nothing as base64: names of kinds and fields are in most messages."""
    is_read = _GZIP in letters or _printable(_bytes_of(letters)) is not None
    return not (is_read or _may_hold_url(letters))


def _may_hold_url(letters: str) -> bool:
    return any(coded in letters for coded in _CODED_URL)


def _printable(raw: bytes) -> str | None:
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return None
    return None if re.search(_CONTROL, text) else text


def _bytes_of(letters: str) -> bytes:
    """Return what base64 says, without what its end lacks; ``=`` may also be inside, at the end of a line."""
    bare = letters.rstrip("=").translate(_URL_SAFE)
    whole = len(bare) - ((len(bare) - bare.count("=")) % 4 == 1)
    return binascii.a2b_base64(f"{bare[:whole]}==")


def _unpacked(raw: bytes) -> bytes | None:
    """Return the content of gzip; None if it is damaged or too long, and says nobody knows what."""
    import zlib  # noqa: PLC0415 -- few texts hold gzip

    reader = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    limit = min(_LARGEST, _RATIO * len(raw))
    try:
        content = reader.decompress(raw, limit)
    except zlib.error:
        return None
    return content if len(content) < limit else None
