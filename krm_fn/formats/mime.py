"""The parts of a multi-part MIME text: where each begins and ends. What is in them is for others to know.

Source: RFC 2046 section 5.1.1; cloud-init takes such a text as user data.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from krm_fn.light_typing import NamedTuple

_HEADER_END = r"\r?\n\r?\n"
_BOUNDARY = r"""(?i)\bboundary=(?:"([^"\r\n]+)"|([^\s;"]+))"""


class MimePart(NamedTuple):
    """One part: ``text[start:end]`` is its body; ``headers`` as they are written."""

    headers: str
    start: int
    end: int

    def is_plain(self, content_type: str) -> bool:
        """Return whether the body has a type, and stands in the text as it is."""
        lines = [line.partition(":") for line in self.headers.lower().splitlines()]
        said = {name.strip(): value.strip() for name, _, value in lines}
        encoding = said.get("content-transfer-encoding", "")
        is_it = said.get("content-type", "").partition(";")[0].strip() == content_type
        return is_it and encoding in ("", "7bit", "8bit", "binary")


def parts(text: str) -> Iterator[MimePart]:
    """Yield the parts of a text; none of one that is no multi-part MIME text."""
    if text.lstrip()[:13].lower() not in ("mime-version:", "content-type:"):
        return
    head = re.search(_HEADER_END, text)
    boundary = re.search(_BOUNDARY, text[: head.start()] if head else "")
    if head is None or boundary is None:
        return
    mark = f"\n--{boundary[1] or boundary[2]}"
    at = text.find(mark, head.start())
    while at >= 0 and not text.startswith("--", at + len(mark)):
        following = text.find(mark, at + len(mark))
        if following < 0:
            return
        found = re.compile(_HEADER_END).search(text, at + len(mark), following + 1)
        if found:
            yield MimePart(text[at + len(mark) : found.start()].strip(), found.end(), following + 1)
        at = following
