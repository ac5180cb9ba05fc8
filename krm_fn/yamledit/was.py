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
from krm_fn.light_typing import Any, Fields, NamedTuple
from krm_fn.yamledit.data import is_merge, key_text, same, view
from krm_fn.yamledit.layout import slots_of, surroundings_of
from krm_fn.yamledit.pairs import pair_items
from krm_fn.yamledit.tree import (
    Mapping,
    Node,
    Scalar,
    Sequence,
    compose,
    end_of_line,
    newline_of,
    walk,
)

_NOTE = r"""(?x)
    (?P<comment> [ \t]+ \# [^\n]* | )         # `  # ours`
    [ ] \# !? [ ] was: (?P<words> [^\n]* )    # ` # was: []`
"""
# A comment behind which nothing may be written: a setter of kpt, or code or an annotation of ytt.
_ENDS_LINE = r"# *(?:kpt-set:|\{\"\$)|#@"
# In each note.
MARK = " was:"
# In place of the new data of a value that is removed.
GONE: Any = object()


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


def with_note(comment: str, words: str, opening: str) -> str:
    """Return a comment behind a key with the note that ``words`` were the value; ``opening`` begins a comment."""
    # kpt copies comments back: the note may be there already.
    if re.fullmatch(_NOTE, comment) or re.search(_ENDS_LINE, comment):
        return comment
    # A note is one line, also of a value below its key, or in brackets over several lines.
    words = re.sub("\r?\n", r"\\n", words.replace("\\", "\\\\"))
    note = f" {opening}{MARK}{words}"
    if comment.strip():
        return comment + note
    return note + comment


def earlier_values(text: str, root: Node) -> dict[Node, EarlierValue]:
    """Return the earlier values that the notes of a document state."""
    known = {}
    newline = newline_of(text)
    for node in walk(root):
        if not isinstance(node, Mapping) or node.flow:
            continue
        for slot in slots_of(text, node):
            if text.find(MARK, slot.behind, end_of_line(text, slot.end)) < 0:
                continue
            around = surroundings_of(text, slot)
            line = around.head
            if isinstance(slot.node, Scalar):
                line = around.tail
            earlier = _earlier_value(line, slot.node, newline)
            if earlier is not None:
                known[slot.node] = earlier
    return known


def _earlier_value(line: str, value: Node, newline: str) -> EarlierValue | None:
    """Return the earlier value that a note states; None without a note."""
    note = re.fullmatch(_NOTE, line)
    if note is None:
        return None
    words = re.sub(r"\\(.)", lambda escape: escape[1].replace("n", newline), note["words"])
    try:
        data = view(compose(f"k:{words}\n"))["k"]
    except (InputError, TypeError, KeyError):
        return None
    # On removal kpt copies the note to the line below: above another kind of value, it means nothing.
    is_fit = data is None
    if isinstance(value, Mapping):
        is_fit |= isinstance(data, dict)
    elif isinstance(value, Sequence):
        is_fit |= isinstance(data, list)
    else:
        is_fit |= data == "" or data is False
    if is_fit:
        return EarlierValue(words, note["comment"], data)
    return None


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
        members: Fields = {}
        if new is not GONE:
            members.update(new)
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
    if same(new, earlier):
        return True
    if isinstance(new, dict) and isinstance(earlier, dict):
        names = new.keys() | earlier.keys()
        return all(_remains(new.get(name, GONE), earlier.get(name, GONE)) for name in names)
    if isinstance(new, list) and isinstance(earlier, list):
        return len(new) == len(earlier) and all(map(_remains, new, earlier))
    return _is_gone(new) and _was_empty(earlier)


def _is_gone(new: Any) -> bool:
    """Return whether nothing is left of new data but empty mappings in each other, such as a ``spec``."""
    if isinstance(new, dict):
        return all(map(_is_gone, new.values()))
    return new is GONE or new == []


def _was_empty(earlier: Any) -> bool:
    """Return whether an earlier value held nothing but what a removal takes away."""
    if isinstance(earlier, dict):
        return all(map(_was_empty, earlier.values()))
    return earlier is False or earlier in (GONE, None, "", [])
