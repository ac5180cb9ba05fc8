"""A story in another layout (``layouts``): its comments stay, and what goes leaves the bytes of before."""

from __future__ import annotations

import re
from random import Random

from fuzz import lists
from fuzz.program import Broken, function
from krm_fn.errors import InjectProxyError
from layouts import REVERSIBLE_STORIES, mutated
from stories import items, removing

COMMENT = rb"(?m)(?:^|(?<=[ \t]))#(?! was:)[^\r\n#]*"

NOT_GIVEN_BACK = (b"mode:", b"conflict: Keep", b"#@", b"I0B")
"""Where removal may leave something else (docs/removal.md): also data values of ytt, plain and in base64."""


def make(random: Random) -> bytes:
    """Return a story in another layout."""
    text = (random.choice(REVERSIBLE_STORIES) / "input.yaml").read_text(encoding="utf-8")
    return mutated(text, random).encode()


def judge(data: bytes) -> None:
    """Judge a list, and hold a run to every byte where a removal finds nothing to remove.

    Raises:
        Broken: a promise does not hold.
    """
    lists.judge(data)
    try:
        removed = function(removing(data))
        outcome = function(data)
    except (InjectProxyError, TypeError, KeyError, AttributeError):
        return
    if removed is None or outcome is None or removed.changed or outcome.exit_code:
        return
    after = outcome.output.replace(rb"\\", b"\\")
    lost = [comment for comment in re.findall(COMMENT, data) if comment.rstrip() not in after]
    if lost:
        raise Broken("a run keeps each comment", str(lost[:3]))
    if any(mark in data for mark in NOT_GIVEN_BACK):
        return
    back = function(removing(outcome.output))
    if back is not None and not back.exit_code and _items(back.output) != _items(data):
        raise Broken("removal gives back each byte")


def _items(data: bytes) -> list[bytes]:
    return list(items(data))
