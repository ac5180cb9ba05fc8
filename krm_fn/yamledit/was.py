r"""The value of a member before it got its first items, in a note: ``files: # was: []`` becomes ``files: []`` again.

A list that loses its last item is removed with its key, because that restores the text if there was none before. Where
its author wrote ``files: []``, ``files: ~`` or ``files:``, only the text shows it, so these words stay in a
comment behind the key while something else is there, and come back when the member would go.

A text that ytt reads gets ``config: #! was: null``: ``#!`` begins a comment there, and ytt refuses any other than that
and ``#@``, its code (https://carvel.dev/ytt/docs/latest/ytt-text-templates/). None is written behind the dash of a
list, where kpt puts it above the item, and none inside of a flow collection.
"""

from __future__ import annotations

import re

from krm_fn.errors import InputError
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.yamledit.data import is_merge, key_text, same, view
from krm_fn.yamledit.layout import Slot, slots_of
from krm_fn.yamledit.lines import end_of_line, end_of_match, newline_of
from krm_fn.yamledit.pairs import pair_items
from krm_fn.yamledit.tree import Mapping, Node, Scalar, Sequence, compose, walk

_NOTE = r"""(?x)
    (?P<comment> [ \t]+ \# [^\n]* | )         # `  # ours`
    [ ] \# !? [ ] was: (?P<words> [^\n]* )    # ` # was: []`
"""
_BLOCK_HEADER = r"[^\n]*?[ \t][|>][-+0-9]*"
_ENDS_LINE = r"# *(?:kpt-set:|\{\"\$)|#@"
"""A comment behind which nothing may be written: a setter of kpt, or code or an annotation of ytt."""
GONE: Any = object()
"""In place of the new data of a value that is removed."""


class EarlierValue(NamedTuple):
    """The text that was behind the colon of a member.

    Attributes:
        words: the value as it was written, with the blanks, or the line break, in front of it.
        comment: the comment on the line of the key; behind the value if that was on this line.
        data: the meaning of the words.
    """

    words: str
    comment: str
    data: Any

    @property
    def is_below(self) -> bool:
        """Whether the value was on a line below its key."""
        return self.words.startswith(("\r", "\n"))

    @property
    def text(self) -> str:
        """The text between the colon and the end of the value's line."""
        if self.is_below:
            return self.comment + self.words
        return self.words + self.comment


def with_note(comment: str, words: str, opening: str) -> str:
    """Return a comment behind a key with the note that ``words`` were the value; ``opening`` begins a comment."""
    # kpt copies comments back: the note may be there already.
    if re.fullmatch(_NOTE, comment) or re.search(_ENDS_LINE, comment):
        return comment
    # A note is one line: a value below its key, or in brackets over several lines, is written with escapes.
    if "\n" in words:
        words = re.sub("\r?\n", r"\\n", words.replace("\\", "\\\\"))
    note = f" {opening} was:{words}"
    if comment.strip():
        return comment + note
    return note + comment


def words_of(text: str, slot: Slot, *, is_scalar: bool) -> str:
    """Return the text of a member's value, with the blanks in front of it; comments above it stay where they are.

    Args:
        text: the whole text.
        slot: where the member is.
        is_scalar: a scalar comes in its place, and is written where it was.
    """
    node = slot.node
    if isinstance(node, Scalar) and node.style in ("|", ">"):
        return text[slot.behind : end_of_match(_BLOCK_HEADER, text, slot.behind)]
    if node.start <= end_of_line(text, slot.behind):
        return text[slot.behind : node.end]
    if is_scalar:
        return f" {text[node.start : node.end]}"
    line = text.rfind("\n", 0, node.start)
    return text[line : node.end]


def earlier_values(text: str, root: Node) -> dict[Node, EarlierValue]:
    """Return the earlier values that the notes of a document state."""
    known: dict[Node, EarlierValue] = {}
    if " was:" not in text:
        return known
    newline = newline_of(text)
    for node in walk(root):
        if not isinstance(node, Mapping) or node.flow:
            continue
        for slot in slots_of(text, node):
            earlier = _earlier_value(rest_of_line(text, slot), slot.node, newline)
            if earlier is not None:
                known[slot.node] = earlier
    return known


def rest_of_line(text: str, slot: Slot) -> str:
    """Return the rest of the line behind a scalar, the header of a block, or the colon of a collection."""
    start = slot.behind
    if isinstance(slot.node, Scalar):
        if slot.node.style in ("|", ">"):
            start = end_of_match(_BLOCK_HEADER, text, start)
        else:
            start = slot.node.end
    return text[start : end_of_line(text, start)]


def _earlier_value(line: str, value: Node, newline: str) -> EarlierValue | None:
    """Return the earlier value that a note states; None without a note."""
    note = re.fullmatch(_NOTE, line)
    if note is None:
        return None
    words = note["words"]
    data = _read(words)
    if "\\" in words:
        lines = re.sub(r"\\(.)", lambda escape: escape[1].replace("n", newline), words)
        # Of a value on the line of its key that holds something, the escapes are its own.
        if words.startswith("\\") or not _read(lines):
            words = lines
            data = _read(lines)
    if data is GONE:
        return None
    # On removal kpt copies the note to the line below: above another kind of value, it means nothing.
    if isinstance(value, Mapping):
        is_fit = isinstance(data, dict)
    elif isinstance(value, Sequence):
        is_fit = isinstance(data, list)
    else:
        is_fit = data == "" or data is False
    if is_fit or data is None:
        return EarlierValue(words, note["comment"], data)
    return None


def _read(words: str) -> Any:
    """Return the data of the words behind a colon; ``GONE`` if they are no value."""
    text = f'{{"k":{words}\n}}'
    if words.lstrip().startswith(("|", ">")):
        text = f"k:{words}\n"  # an empty block, which can be in no flow mapping
    try:
        return view(compose(text))["k"]
    except (InputError, TypeError, KeyError):
        return GONE


def with_earlier_values(node: Node, old: Any, new: Any, known: dict[Node, EarlierValue]) -> Any:
    """Return new data in which a value that loses its last member gets its earlier value back.

    Args:
        node: a value of the text.
        old: its data.
        new: its new data, ``GONE`` if it is removed.
        known: the notes of the text.
    """
    if same(old, new):
        return new
    inner = new
    if isinstance(node, Mapping) and (new is GONE or isinstance(new, dict)):
        members = {} if new is GONE else dict(new)
        for key, value in node.entries:
            name = key_text(key)
            if is_merge(key):
                continue
            member = members.get(name, GONE)
            member = with_earlier_values(value, old[name], member, known)
            if member is not GONE:
                members[name] = member
        inner = members or new
    elif isinstance(node, Sequence) and isinstance(new, list):
        inner = list(new)
        for at, to in pair_items(old, new):
            item = node.items[at]
            inner[to] = with_earlier_values(item, old[at], new[to], known)
    # Its members first: where all of them are as they were, this value is so as a whole.
    earlier = known.get(node)
    if earlier and _remains(inner, earlier.data):
        return earlier.data
    return inner


def _remains(new: Any, earlier: Any) -> bool:
    """Return whether new data equal an earlier value, if null and empty members are left aside."""
    if _is_empty(new):
        new = GONE
        if isinstance(earlier, dict):
            new = {}
    if isinstance(new, dict) and isinstance(earlier, dict):
        if not all(_is_empty(new[name]) for name in new.keys() - earlier.keys()):
            return False
        return all(_remains(new.get(name, GONE), data) for name, data in earlier.items())
    if isinstance(new, list) and isinstance(earlier, list):
        if len(new) != len(earlier):
            return False
        return all(map(_remains, new, earlier))
    if new is GONE:
        return earlier is None or earlier is False or earlier in ("", [])
    return same(new, earlier)


def _is_empty(new: Any) -> bool:
    """Return whether nothing is left of new data but empty mappings in each other, such as a ``spec``."""
    if isinstance(new, dict):
        return all(map(_is_empty, new.values()))
    return new is GONE or new == []
