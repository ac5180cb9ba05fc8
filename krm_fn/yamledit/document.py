"""One YAML document as a text: read once, and given new data."""

from __future__ import annotations

import re
from collections.abc import Collection
from collections.abc import Sequence as Path
from functools import cached_property

from krm_fn.light_typing import Any
from krm_fn.yamledit.data import (
    children,
    key_text,
    refuse_repeated_keys,
    view,
)
from krm_fn.yamledit.tree import Alias, Mapping, Node, Sequence, compose

# The mark of code and annotations of ytt: a text that has it, ytt reads.
CODE_OF_YTT = "#@"
# The mark of a comment; the second one in a text that ytt reads, which takes the first one for its own.
PLAIN, FOR_YTT = "#", "#!"
_PAIR = r"""(?xi)
    (?<!\\) ((?: \\\\ )*)          # `\\`: backslashes that are text
    ((?: \\ud[89ab][0-9a-f]{2}     # `\ud83d`: the first half of a character
         \\ud[c-f][0-9a-f]{2}      # `\ude00`: its other half
    )+)
"""


class Document:
    """One YAML document; ``root`` is its tree, composed on first use.

    ``envelope``: members of the outermost mapping of which nothing is kept in a comment when they are filled.
    ``for_ytt`` is True for a document of a text that ytt reads; one with code of ytt in it is one in any case.
    """

    def __init__(self, text: str, envelope: Collection[str] = (), *, for_ytt: bool = False) -> None:
        self.text = text
        self.envelope = envelope
        self.comment = PLAIN
        if for_ytt or CODE_OF_YTT in text:
            self.comment = FOR_YTT

    @cached_property
    def root(self) -> Node:
        """The tree of the text; raises InputError if it is not one YAML document."""
        if "\\ud" in self.text.lower():
            self.text = _with_characters(self.text)
        return compose(self.text)

    def data(self, node: Node | None = None, *, keys_may_repeat: bool = False) -> Any:
        """Return the plain data of the text, or of a value in it, new at each call: the caller may change it.

        Raises:
            InputError: the text cannot be read, or a key has two values in one mapping, and may not. In a text with
                code of ytt it may: functions share one mapping.
        """
        may_repeat = keys_may_repeat or self.comment is FOR_YTT
        return view(node or self.root, self.text, keys_may_repeat=may_repeat)

    def members(self) -> dict[str, Node] | None:
        """Return the members of the outermost mapping; None if the text is something else.

        Raises:
            TextError: a key is there twice.
        """
        if not isinstance(self.root, Mapping):
            return None
        if self.comment is not FOR_YTT:
            refuse_repeated_keys(self.root, self.text)
        return {key_text(key): value for key, value in self.root.entries}

    @staticmethod
    def items(node: Node | None) -> list[Node] | None:
        """Return the items of a list, None for anything else."""
        if isinstance(node, Alias):
            node = node.target
        if isinstance(node, Sequence):
            return node.items
        return None

    def place(self, path: Path[str]) -> int:
        """Return where the member or item at ``path`` begins, or the last parent of it that exists.

        Raises:
            InputError: the text cannot be read.
        """
        node = self.root
        position = node.start
        for step in path:
            while isinstance(node, Alias):
                node = node.target
            inner = {name: (start, value) for name, start, value in children(node)}
            if step not in inner:
                break
            position, node = inner[step]
        return position

    def with_data(self, new: Any) -> str:
        """Return the text with new data, as close to its author's style as possible.

        Raises:
            InputError: the text cannot be read.
            EditError: a key would have to be written that no text can hold.
            InternalError: no way of writing it passed the proof.
        """
        from krm_fn.yamledit.edit import rewritten  # noqa: PLC0415 -- most documents are only read

        original = self.text
        text = rewritten(self.text, self.root, new, self.envelope, self.comment)
        if text == self.text:
            return original
        return text


def _with_characters(text: str) -> str:
    r"""Return a text with each character that JSON writes as two escapes (``\ud83d\ude00``): YAML knows no such pair."""  # noqa: E501

    def characters(match: re.Match[str]) -> str:
        units = bytes.fromhex(re.sub(r"(?i)\\u", "", match[2]))
        return match[1] + units.decode("utf-16-be")

    return re.sub(_PAIR, characters, text)
