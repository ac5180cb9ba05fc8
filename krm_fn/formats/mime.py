"""Find the parts of a multi-part MIME text: where each begins and ends, whatever it holds.

Source: RFC 2046 section 5.1.1; cloud-init takes such a text as user data.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from krm_fn.light_typing import NamedTuple

_HEADER_END = re.compile(r"\r?\n\r?\n")
_BOUNDARY = r"""(?i)\bboundary=(?:"([^"\r\n]+)"|([^\s;"]+))"""

_AS_IT_IS = ("", "7bit", "8bit", "binary")


class MimePart(NamedTuple):
    """One part: ``text[start:end]`` is its body; ``headers`` as they are written."""

    headers: str
    start: int
    end: int

    def is_plain(self, content_type: str) -> bool:
        """Return whether the body has a type, and stands in the text as it is."""
        encoding = self._field("content-transfer-encoding")
        return self._field("content-type") == content_type and encoding in _AS_IT_IS

    def _field(self, name: str) -> str:
        """Return the value of a header, without its parameters; "" for none."""
        field = re.search(rf"(?im)^{name}[ \t]*:[ \t]*([^;\s]*)", self.headers)
        return field[1].lower() if field else ""


def parts(text: str) -> Iterator[MimePart]:
    """Yield the parts of a text; none of one that is no multi-part MIME text."""
    if text.lstrip()[:13].lower() not in ("mime-version:", "content-type:"):
        return
    head = _HEADER_END.search(text)
    if head is None:
        return
    boundary = re.search(_BOUNDARY, text[: head.start()])
    if boundary is None:
        return
    mark = f"\n--{boundary[1] or boundary[2]}"
    at = text.find(mark, head.start())
    while at >= 0:
        start = at + len(mark)
        following = text.find(mark, start)
        if following < 0 or text.startswith("--", start):
            return
        end = _HEADER_END.search(text, start, following + 1)
        if end:
            yield MimePart(text[start : end.start()].strip(), end.end(), following + 1)
        at = following
