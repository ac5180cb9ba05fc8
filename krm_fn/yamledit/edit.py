"""Give the text of one YAML document new data, and change nothing else in it.

The tree of the text and the new data are walked together. Where both say the same, the text stays; where they differ,
the smallest change of the text is noted. A change need not be right in every layout one can think of: the new text is
read again, and if it does not say the new data, a coarser way is tried, and at last there is no new text.
"""

from __future__ import annotations

import re
from collections.abc import Collection as Names
from collections.abc import Iterator
from itertools import pairwise, product, zip_longest

from krm_fn.errors import EditError, InputError, InternalError
from krm_fn.light_typing import Any, Fields, NamedTuple
from krm_fn.yamledit.data import (
    children,
    has_complex_key,
    is_merge,
    key_text,
    merged,
    same,
    scalar_value,
    shared,
    view,
)
from krm_fn.yamledit.layout import (
    DASH,
    FLOW,
    KEY,
    ROOT,
    Slot,
    Surroundings,
    above_comments,
    end_of_child,
    is_block,
    quote_of,
    slots_of,
    style_near,
    style_of,
    surroundings_of,
)
from krm_fn.yamledit.pairs import comparable, pair_items
from krm_fn.yamledit.render import (
    WIDEST,
    AuthorScalar,
    Layout,
    behind,
    block,
    flow,
    key,
    plain_data,
)
from krm_fn.yamledit.scalars import restyled
from krm_fn.yamledit.tree import (
    BREAKS,
    Alias,
    Collection,
    Edit,
    Mapping,
    Node,
    Scalar,
    Sequence,
    column_of,
    compose,
    end_of_line,
    newline_of,
    splice,
    starts_line,
    walk,
    with_line_feeds,
)
from krm_fn.yamledit.was import (
    GONE,
    MARK,
    EarlierValue,
    earlier_values,
    with_earlier_values,
    with_note,
)

# The extent of a text that is written again: each value, the collections that get or lose children, or the whole.
_IN_PLACE, _COLLECTIONS, _ALL = range(3)


class Child(NamedTuple):
    """A value of the text that gets new data.

    Attributes:
        slot: where it is.
        old: its data.
        new: its new data; ``GONE`` if it is removed.
        holder: where the collection is that holds it, as ``Slot.kind`` says it; "" for the root.
    """

    slot: Slot
    old: Any
    new: Any
    holder: str = ""


class NewEntry(NamedTuple):
    """A member or an item of new data.

    Attributes:
        name: its key; None in a list.
        data: its data.
        at: the index of the child that it is; -1 for one that is new.
        moved: where an item is that says the same, and goes elsewhere in the list.
    """

    name: str | None
    data: Any
    at: int
    moved: Slot | None = None


def rewritten(text: str, root: Node, new: Any, envelope: Names[str], comment: str) -> str:
    """Return a text that says new data, as close to its author's style as possible.

    Args:
        text: one YAML document.
        root: its tree.
        new: plain data; where something would go that was there empty before, it stays in the text.
        envelope: members of the outermost mapping of which nothing is kept in a comment.
        comment: the mark that begins a comment.

    Raises:
        EditError: a key would have to be written that no text can hold.
        InternalError: no way of writing it passed the proof.
    """
    old = view(root, text)
    lines = with_line_feeds(text)
    known = {}
    if MARK in lines:
        known = earlier_values(lines, root)
        new = with_earlier_values(root, old, new, known)
    # From here on, values that say the same are one object: `is` finds those that change.
    new = shared(old, new)
    if new is old:
        return text
    style = style_of(lines, root)
    style = style._replace(newline=newline_of(text), comment=comment)
    slot = Slot(root, ROOT, root.start, root.start, root.end)
    # The smallest way first. Each way is tried without new literal blocks, too: a comment below one may become words
    # of it.
    ways = (_IN_PLACE, _COLLECTIONS, _ALL)
    for way, literals in product(ways, (True, False)):
        layout_of_way = style._replace(literals=literals)
        writer = _Writer(lines, layout_of_way, known, way, envelope, "*" in lines, [], set())
        writer.value(Child(slot, old, new))
        changed = splice(text, writer.edits)
        # A literal block needs a line break at its end.
        for candidate in (changed, changed + style.newline):
            if _says(candidate, new):
                return candidate
    raise InternalError("an edit would not have said what was asked for: nothing was written")


def _says(text: str, new: Any) -> bool:
    try:
        return same(view(compose(text)), plain_data(new))
    except InputError:
        return False


# Class of a node -> type of the data that it can be given in its place; an alias can be given none.
_KINDS: dict[type, type] = {Mapping: dict, Sequence: list, Scalar: str}


class _Writer(NamedTuple):
    """Notes the edits of a text, value by value.

    Attributes:
        text: its lines end at line feeds.
        style: the layout of new lines.
        known: the values that notes keep.
        way: the extent of what is written again.
        envelope: members of the outermost mapping of which nothing is kept in a comment.
        has_aliases: whether there may be aliases.
        edits: those that are noted.
        changed: the nodes that are written again.
    """

    text: str
    style: Layout
    known: dict[Node, EarlierValue]
    way: int
    envelope: Names[str]
    has_aliases: bool
    edits: list[Edit]
    changed: set[Node]

    def value(self, child: Child) -> None:
        """Note the edits that give a value its new data."""
        node = child.slot.node
        if child.old is not child.new:
            self.changed.add(node)
        elif not self._has_stale_alias(node):
            return  # an alias of a text that changed must be written out, though its own data stay
        earlier = self.known.get(node)
        kind = _KINDS.get(type(node), ())
        is_other_kind = not isinstance(child.new, kind)
        if earlier is not None and same(child.new, earlier.data):
            self._restore(child.slot, earlier)
        elif self.way == _ALL or is_other_kind or self._becomes_block(child):
            self._rewrite(child)
        elif isinstance(node, Mapping):
            self._mapping(child, node)
        elif isinstance(node, Sequence):
            self._sequence(child, node)
        elif isinstance(node, Scalar):
            self._scalar(child, node)

    def _restore(self, slot: Slot, earlier: EarlierValue) -> None:
        """Write the value that a note keeps; comments above it stay where they are."""
        self._overwrite(slot.node)
        around = surroundings_of(self.text, slot)
        new = earlier.words + earlier.comment
        if earlier.is_below:
            # `files: # ours # was:\\n  []`, comments, items -> `files: # ours`, comments, `  []`
            new = earlier.comment + around.above + earlier.words
        elif isinstance(slot.node, Scalar) and around.is_below:
            new = around.head + around.above + around.gap + new.lstrip(" ")
        self.edits.append((slot.behind, around.end, new))

    def _mapping(self, child: Child, node: Mapping) -> None:
        """Note the edits of the members of a mapping."""
        children: list[Child] = []
        inherited: Fields = {}
        indexes = {}
        slots = slots_of(self.text, node)
        for slot, (key_node, value) in zip(slots, node.entries, strict=True):
            if is_merge(key_node):
                old = new = view(value)
                inherited = {**merged(old), **inherited}
            else:
                old = child.old[slot.name]
                new = child.new.get(slot.name, GONE)
                if slot.name in indexes and not same(old, new):
                    raise EditError(f"the key `{slot.name}` is there twice: keep one of them")
                indexes[slot.name] = len(children)
            children.append(Child(slot, old, new, child.slot.kind))
        if not inherited.keys() <= child.new.keys():
            # An inherited member can only go if all of them are written out.
            self._rewrite(child)
            return
        entries = []
        for name, data in child.new.items():
            at = indexes.get(name, -1)
            is_inherited = at < 0 and same(inherited.get(name, GONE), data)
            if not is_inherited:
                entries.append(NewEntry(name, data, at))
        # A member that overrides an inherited one is the first of the new data: it goes behind all others.
        entries.sort(key=lambda entry: entry.at < 0 and entry.name in inherited)
        self._collection(child, node, children, entries)

    def _sequence(self, child: Child, node: Sequence) -> None:
        """Note the edits of the items of a list."""
        partners = dict(pair_items(child.old, child.new))
        children = []
        gone = {}
        slots = slots_of(self.text, node)
        for index, slot in enumerate(slots):
            old = child.old[index]
            new = GONE
            if index in partners:
                new = child.new[partners[index]]
                if same(old, new):
                    new = old  # an item at another index is not shared
            else:
                gone[comparable(old)] = slot  # it may be somewhere else in the new list
            children.append(Child(slot, old, new, child.slot.kind))
        origins = {to: index for index, to in partners.items()}
        entries = []
        for to, data in enumerate(child.new):
            index = origins.get(to, -1)
            moved = None
            if gone and index < 0:
                moved = gone.pop(comparable(data), None)
            entries.append(NewEntry(None, data, index, moved))
        self._collection(child, node, children, entries)

    def _collection(
        self,
        child: Child,
        node: Mapping | Sequence,
        children: list[Child],
        entries: list[NewEntry],
    ) -> None:
        """Note the removal of children, the edits inside of those that stay, and the new ones."""
        slots = [inner.slot for inner in children]
        kept = [index for index, inner in enumerate(children) if inner.new is not GONE]
        is_longer = any(entry.at < 0 for entry in entries)
        has_other_length = is_longer or len(kept) < len(children)
        is_emptied = slots and not child.new and self.way == _IN_PLACE
        if is_emptied and _has_comment_beside(self.text, node, slots):
            self._overwrite(node)
            self.edits.append((slots[0].start, slots[-1].end, ""))
            return
        if not kept or (has_other_length and self.way == _COLLECTIONS):
            self._rewrite(child)
            return
        # Neighbours that go are one removal: two removals would both want the comma, or the line break, between them.
        for left, right in pairwise([-1, *kept, len(slots)]):
            for slot in slots[left + 1 : right]:
                self._overwrite(slot.node)
            if right - left > 1:
                removal = self._removal(slots, left + 1, right - 1)
                self.edits.append(removal)
        for index in kept:
            self.value(children[index])
        if is_longer:
            self._insert(node, slots, kept, entries)

    def _insert(
        self,
        node: Mapping | Sequence,
        slots: list[Slot],
        kept: list[int],
        entries: list[NewEntry],
    ) -> None:
        """Note the new children beside those of a collection that are ``kept``, by their indexes."""
        style = style_near(self.text, node, slots, self.style)
        insertion = self._block_insertion
        if slots[0].kind == FLOW:
            insertion = self._flow_insertion
        neighbour = None
        first = slots[kept[0]]
        last = max(entry.at for entry in entries)
        if last < 0:  # merge keys alone, which are no entries
            neighbour = slots[kept[-1]]
        for entry in entries:
            if entry.at < 0:
                addition = insertion(entry, neighbour, first, style)
                self.edits.append(addition)
            elif entry.at == last:
                # Behind the last one that stays there may be merge keys: the new ones come behind them.
                neighbour = slots[kept[-1]]
            else:
                neighbour = slots[entry.at]

    def _removal(self, slots: list[Slot], first: int, last: int) -> Edit:
        """Remove the children from ``first`` to ``last``; another child must stay."""
        text = self.text
        start = slots[first].start
        end = slots[last].end
        if slots[first].kind == FLOW:
            if first:
                return slots[first - 1].end, end, ""
            return start, slots[last + 1].start, ""
        if not starts_line(text, start):
            # The line begins with the dash of the list around it; comments of the neighbour stay, below that dash.
            line_end = end_of_line(text, end)
            neighbour = slots[last + 1].start
            if text[line_end:neighbour].strip():
                before = text[:start].rstrip(" ")
                return len(before), line_end, ""
            return start, neighbour, ""
        start -= column_of(text, start)
        if start == 0:
            return 0, text.index("\n", end) + 1, ""
        # The line break before goes, the one behind stays: a new child behind the last one comes before that.
        line_before = end_of_line(text, start - 1)
        return line_before, end_of_line(text, end), ""

    def _block_insertion(
        self, new_entry: NewEntry, front: Slot | None, first: Slot, style: Layout
    ) -> Edit:
        """Insert lines below the child in front, or above ``first``, the first child that stays."""
        column = column_of(self.text, first.start)
        pad = " " * column
        if new_entry.moved:
            # It keeps its style and the comment behind it.
            end = end_of_line(self.text, new_entry.moved.end)
            lines = pad + self.text[new_entry.moved.start : end]
        else:
            new: Any = [new_entry.data]
            if new_entry.name is not None:
                new = {new_entry.name: new_entry.data}
            lines = style.newline.join(block(new, column, style))
        if front:
            position = end_of_child(self.text, front.end, column)
            return position, position, style.newline + lines
        start = first.start
        above = above_comments(self.text, start)
        comments = self.text[above:start]
        belong_to_first = new_entry.name is None or "#@" in comments
        if comments and belong_to_first:
            # The comments above the first item stay with it, and so do annotations of ytt above a first member.
            return above, above, lines + style.newline
        lines = lines.removeprefix(pad)
        return start, start, lines + style.newline + pad

    def _flow_insertion(
        self, new_entry: NewEntry, front: Slot | None, first: Slot, style: Layout
    ) -> Edit:
        """Insert a child behind the child in front, or before ``first``; on its own line if its neighbour is."""
        quote = style.quote_for("", new_entry.data)
        text = flow(new_entry.data, style, quote)
        if new_entry.name is not None:
            name = key(new_entry.name, flow=True, json=style.json)
            text = f"{name}: {text}"
        neighbour = (front or first).start
        gap = " "
        if starts_line(self.text, neighbour):
            column = column_of(self.text, neighbour)
            gap = style.newline + " " * column
        if front:
            return front.end, front.end, "," + gap + text
        return neighbour, neighbour, text + "," + gap

    def _scalar(self, child: Child, node: Scalar) -> None:
        """Give a text another value in its author's style, or replace it."""
        new = None
        # JSON knows no text without double quotes, and a note is written with the whole line.
        is_json = self.style.json and quote_of(node) != '"'
        if not is_json and self._words_to_keep(child) is None:
            raw = self.text[node.start : node.end]
            pad = ""
            if child.slot.kind != FLOW:
                column = column_of(self.text, child.slot.start)
                pad = " " * (column + self.style.step)
            new = restyled(raw, node, child.new, self.style.newline, pad)
        if new is None:
            self._rewrite(child)
            return
        self.edits.append((node.start, node.end, new))

    def _rewrite(self, child: Child) -> None:
        """Write a whole value, with its author's words for the scalars that stay."""
        node = child.slot.node
        kind = child.slot.kind
        self._overwrite(node)
        data = with_author_scalars(node, child.new)
        if kind in (KEY, DASH):
            self._replace_behind_indicator(child, data)
            return
        end = node.end
        if is_block(node):
            end = end_of_line(self.text, end)  # with the comment behind its last value
        new = flow(data, self.style)
        comments = _comments_inside(self.text, node)
        if kind == FLOW and comments and new[0] in "[{":
            inside = self.text.index(new[0], node.start) + 1
            self.edits.append((inside, inside, new[1:-1]))
            return
        may_be_block = data and isinstance(data, (dict, list)) and not self.style.json
        # Behind `---` on its line there can be no block.
        if may_be_block and kind == ROOT and starts_line(self.text, node.start):
            column = column_of(self.text, node.start)
            lines = [*comments, *block(data, column, self.style)]
            new = self.style.newline.join(lines).lstrip(" ")
        self.edits.append((node.start, end, new))

    def _replace_behind_indicator(self, child: Child, data: Any) -> None:
        """Write the whole value behind a ``-`` or ``:`` and keep the comments on its lines."""
        slot = child.slot
        node = slot.node
        around = surroundings_of(self.text, slot)
        column = column_of(self.text, slot.start)
        indicator = ":"
        if slot.kind == DASH:
            indicator = "-"
        quote = quote_of(node)
        rest, lines = behind(indicator, data, column, self.style, quote)
        words = self._words_to_keep(child)
        has_children = data and isinstance(data, (dict, list))
        if has_children and column <= WIDEST:
            new = self._collection_behind(child, around, words, rest, lines)
            self.edits.append((slot.behind, around.end, new))
            return
        before = around.head + around.above + around.gap
        # A value on the line of its key stays there, one below stays below. A block becomes one word on the line of
        # its key, unless comments above it would be lost.
        is_deeper = column_of(self.text, node.start) > column
        has_comments = around.above.strip() and is_deeper
        if is_block(node) and not has_comments:
            before = " "
        tail = around.tail
        if words is not None:
            tail = with_note(tail, words, self.style.comment)
        first = (before or " ") + rest[1:] + tail
        new = self.style.newline.join([first, *lines])
        self.edits.append((slot.behind, around.end, new))

    def _collection_behind(
        self, child: Child, around: Surroundings, words: str | None, rest: str, lines: list[str]
    ) -> str:
        """Return the text behind a key or a dash for a collection in lines below it.

        The comments that are above the value, or between its brackets, stay above the lines.

        Args:
            child: the value, and its new data.
            around: what is around it.
            words: those of the value, for a note.
            rest: the first line of an item, which goes on the line of the dash if no comments are above it.
            lines: the other lines.
        """
        inside = []
        if words is None:
            inside = _comments_inside(self.text, child.slot.node)
        newline = self.style.newline
        if rest and not around.is_below and not inside:
            return newline.join([rest + around.tail, *lines])
        if rest:
            pad = " " * (column_of(self.text, child.slot.start) + 1)
            lines = [pad + rest, *lines]
        first = lines[0]
        indent = first[: -len(first.lstrip(" "))]
        comment = around.head.rstrip(" ")
        if words is not None and around.is_below:
            words += around.tail  # it was on the line of the value, and comes back there
        else:
            comment += around.tail
        if words is not None:
            comment = with_note(comment, words, self.style.comment)
        comments = [indent + inner for inner in inside]
        below = newline.join(["", *comments, *lines])
        return comment + around.above + below

    def _words_to_keep(self, child: Child) -> str | None:
        """Return the text of a value for a note, if it was empty or a flow collection and becomes a block."""
        slot, old, new, holder = child
        if not self._takes_note(child) or _is_empty(new):
            return None
        is_scalar = isinstance(new, str)
        was_empty = _is_empty(old) or (is_scalar and old is False)
        if was_empty and not isinstance(slot.node, Alias):
            if is_scalar and holder == DASH:
                return None  # an item such as a variable goes as a whole
        elif not self._becomes_block(child):
            return None
        around = surroundings_of(self.text, slot)
        if is_scalar and around.is_below:
            return f" {around.words}"  # the new one is written in its place
        return around.gap + around.words

    def _becomes_block(self, child: Child) -> bool:
        """Return whether something empty in a flow collection on one line is filled, and nothing else changes there.

        A note on it needs block style. It would outlive a password in the collection, so there is none then.
        """
        node = child.slot.node
        if not isinstance(node, Collection) or not node.flow:
            return False
        if not self._takes_note(child):
            return False
        text = self.text[node.start : node.end]
        if "@" in text or "\n" in text:
            return False
        if has_complex_key(node):
            return False  # a key that is no text can only be left where it is
        return set(_fillings(child.old, child.new)) == {True}

    def _takes_note(self, child: Child) -> bool:
        """Return whether a value may become lines below its key, with a note behind that."""
        slot = child.slot
        if slot.kind != KEY:
            return False
        if column_of(self.text, slot.start) > WIDEST:
            return False
        if child.holder != ROOT:
            return True
        return slot.name not in self.envelope

    def _has_stale_alias(self, node: Node) -> bool:
        """Return whether an alias in a value means a text that changed or went: it must be written out."""
        if not self.has_aliases:
            return False
        for inner in walk(node):
            if not isinstance(inner, Alias):
                continue
            if inner.target in self.changed:
                return True
        return False

    def _overwrite(self, node: Node) -> None:
        """Note that a value is written again or goes with all in it: an alias of any of it must be written out."""
        if self.has_aliases:
            self.changed.update(walk(node))


def with_author_scalars(node: Node, new: Any) -> Any:
    """Return new data with the words of the author for each plain scalar of ``node`` that stays."""
    if isinstance(node, Alias):
        return with_author_scalars(node.target, new)
    if isinstance(node, Mapping) and isinstance(new, dict):
        members = dict(new)
        for key_node, value in node.entries:
            name = key_text(key_node)
            if name in new:
                members[name] = with_author_scalars(value, new[name])
        return members
    if isinstance(node, Sequence) and isinstance(new, list):
        items = list(new)
        for at, to in pair_items(view(node), new):
            items[to] = with_author_scalars(node.items[at], new[to])
        return items
    if isinstance(node, Scalar) and same(scalar_value(node), new):
        if node.value == "" or node.style or node.tag:
            return new
        # A blank line in a plain text means a line break, which such a text cannot hold on one line.
        if BREAKS.isdisjoint(node.value):
            return AuthorScalar(node.value, new)
    return new


def _comments_inside(text: str, node: Node) -> list[str]:
    """Return the comments between the brackets of an empty collection: they belong to no item."""
    if not isinstance(node, Collection) or children(node):
        return []
    inside = text[node.start : node.end]
    return re.findall(r"(?<=[ \t\n])#[^\r\n]*", inside)


def _has_comment_beside(text: str, node: Collection, slots: list[Slot]) -> bool:
    """Return whether comments are in the brackets of a collection, before its first child or behind its last one."""
    if not node.flow:
        return False
    front = text[node.start : slots[0].start]
    back = text[slots[-1].end : node.end]
    return "#" in front or "#" in back


def _is_empty(data: Any) -> bool:
    return data is None or data in ("", {}, [])


def _fillings(old: Any, new: Any) -> Iterator[bool]:
    """Yield for each old value that becomes another one whether it was empty and is filled."""
    if isinstance(old, dict) and isinstance(new, dict) and old:
        for name, data in old.items():
            yield from _fillings(data, new.get(name, GONE))
    elif isinstance(old, list) and isinstance(new, list) and old:
        others = new[: len(old)]
        for data, other in zip_longest(old, others, fillvalue=GONE):
            yield from _fillings(data, other)
    elif not same(old, new):
        yield _is_empty(old) and new is not GONE
