"""Give the text of one YAML document new data, and change nothing else in it.

The tree of the text and the new data are walked together. Where both say the same, the text stays; where they differ,
the smallest change of the text is noted. A change need not be right in every layout one can think of: the new text is
read again, and if it does not say the new data, a coarser way is tried, and at last there is no new text.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import product

from krm_fn.errors import EditError, ExpansionError, InputError, InternalError
from krm_fn.light_typing import Any, NamedTuple
from krm_fn.yamledit import layout
from krm_fn.yamledit.data import is_merge, key_text, merged, same, scalar_value, shared, view
from krm_fn.yamledit.layout import Slot, slots_of
from krm_fn.yamledit.lines import (
    BREAKS,
    column_of,
    end_of_line,
    newline_of,
    starts_line,
    with_line_feeds,
)
from krm_fn.yamledit.pairs import comparable, pair_items
from krm_fn.yamledit.render import AuthorScalar, Layout, behind_dash, behind_key, block, flow, key
from krm_fn.yamledit.scalars import restyled
from krm_fn.yamledit.tree import Alias, Mapping, Node, Scalar, Sequence, compose, walk
from krm_fn.yamledit.was import (
    GONE,
    EarlierValue,
    earlier_values,
    rest_of_line,
    with_earlier_values,
    with_note,
)

IN_PLACE, COLLECTIONS_ANEW, ALL_ANEW = range(3)
"""How coarse the changes are: each value, the collections around what changes, or the whole document."""


class Change(NamedTuple):
    """Replace the text from ``start`` to ``end`` by ``text``."""

    start: int
    end: int
    text: str


class Child(NamedTuple):
    """A member or an item: its node, its old data, and its new data (``GONE`` if it is removed)."""

    node: Node
    old: Any
    new: Any


class Notes(NamedTuple):
    """What is known and kept of earlier states.

    Attributes:
        known: what values were before, by the notes of the text.
        envelope: where members begin of which nothing is kept.
        comment: what begins a comment.
    """

    known: dict[Node, EarlierValue]
    envelope: frozenset[int]
    comment: str


class Addition(NamedTuple):
    """A new child of a collection.

    Attributes:
        name: its key; None in a list.
        data: what it says.
        behind: the index of the child in front of it; -1 for none.
        moved: the index of an item that says the same and goes elsewhere in the list; -1 for none.
    """

    name: str | None
    data: Any
    behind: int
    moved: int = -1


def rewritten(  # noqa: PLR0913, PLR0917 -- a text, what it says and is to say, and how notes are written
    text: str, root: Node, old: Any, new: Any, envelope: Collection[str] = (), comment: str = "#"
) -> str:
    """Return a text that says new data, as close to its author's style as possible.

    Args:
        text: one YAML document.
        root: its tree.
        old: what it says.
        new: plain data; where something would go that was there empty before, it stays in the text.
        envelope: members of the outermost mapping of which no earlier state is kept.
        comment: what begins a comment.

    Raises:
        EditError: a place cannot be edited without risk (a mapping on the way has the key twice).
        InternalError: no way of writing it passed the proof.
    """
    lines = with_line_feeds(text)
    notes = Notes(earlier_values(lines, root), _members_at(root, envelope), comment)
    if notes.known:
        new = with_earlier_values(root, old, new, notes.known)
    new = shared(old, new)
    if same(old, new):
        return text
    style = layout.style_of(lines, root)._replace(newline=newline_of(text))
    has_rare_breaks = (
        "\u2028" in text or "\u2029" in text
    )  # words of a literal block that ends in one
    refusal: EditError | None = None
    for way, literals in product(
        (IN_PLACE, COLLECTIONS_ANEW, ALL_ANEW), (not has_rare_breaks, False)
    ):
        writer = _Writer(lines, style._replace(literals=literals), way, notes)
        try:
            writer.value(Child(root, old, new), None)
        except EditError as error:
            refusal = refusal or error
            continue
        changed = applied(text, writer.changes)
        # A literal block needs a line break at its end.
        closed = changed if changed.endswith(tuple(BREAKS)) else changed + style.newline
        for candidate in (changed, closed):
            if _says(candidate, new):
                return candidate
    raise refusal or InternalError(
        "an edit would not have said what was asked for: nothing was written"
    )


def applied(text: str, changes: list[Change]) -> str:
    """Return ``text`` with all changes; changes at one position keep their order."""
    parts: list[str] = []
    position = 0
    for change in sorted(changes, key=lambda change: (change.start, change.end)):
        parts += [text[position : change.start], change.text]
        position = max(position, change.end)
    return "".join([*parts, text[position:]])


def _members_at(root: Node, names: Collection[str]) -> frozenset[int]:
    """Return where members of the outermost mapping begin."""
    if not isinstance(root, Mapping):
        return frozenset()
    return frozenset(key.start for key, _ in root.entries if key_text(key) in names)


def _says(text: str, new: Any) -> bool:
    try:
        return same(view(compose(text)), new)
    except ExpansionError:
        raise
    except InputError:
        return False


_EMPTY: dict[type, str] = {dict: " {}", list: " []", str: ' ""'}
"""Type of a collection -> how one is written of which nothing was left."""


class _Writer:
    """Notes the changes of a text (``changes``), value by value in the order of the text."""

    def __init__(self, text: str, style: Layout, way: int, notes: Notes) -> None:
        self.text = text
        self.style = style
        self.way = way
        self.notes = notes
        self.changes: list[Change] = []
        self._has_aliases = "*" in text
        self._changed: set[Node] = set()
        self._gone: list[Node] = []
        self._of_items: set[int] = set()

    def value(self, child: Child, slot: Slot | None) -> None:
        """Note the changes that give a value its new data; ``slot`` is None for the root."""
        node, old, new = child
        if same(old, new) and not self._has_stale_alias(node):
            return
        before = len(self.changes)
        earlier = self.notes.known.get(node)
        if earlier is not None and slot and same(new, earlier.data):
            self._replace_up_to_end_of_line(node, slot, earlier.text)
        elif not self._keeps_style(child, slot):
            self._replace(child, slot)
        elif isinstance(node, Mapping):
            self._mapping(node, child, slot)
        elif isinstance(node, Sequence):
            self._sequence(node, child, slot)
        else:
            self._scalar(child, slot)
        if len(self.changes) > before and not same(old, new):
            self._changed.add(node)

    def _keeps_style(self, child: Child, slot: Slot | None) -> bool:
        """Return whether a value stays of its kind, and a flow collection need not become a block."""
        node, _, new = child
        if self.way == ALL_ANEW:
            return False
        if isinstance(node, Mapping):
            is_same_kind = isinstance(new, dict)
        elif isinstance(node, Sequence):
            is_same_kind = isinstance(new, list)
        else:
            return isinstance(node, Scalar) and isinstance(new, str)
        becomes_block = slot is not None and slot.is_block_member and self._fills_line(child)
        return is_same_kind and not becomes_block

    def _mapping(self, node: Mapping, child: Child, slot: Slot | None) -> None:
        """Note the changes of the members of a mapping."""
        old, new = child.old, child.new
        members: list[Child] = []
        inherited: dict[str, Any] = {}
        positions: dict[str, int] = {}
        for index, (name, value) in enumerate(node.entries):
            if is_merge(name):
                data = view(value)
                inherited = {**merged(data), **inherited}
                members.append(Child(value, data, data))
                continue
            text = key_text(name)
            member = Child(value, old[text], new.get(text, GONE))
            if text in positions and not same(member.old, member.new):
                raise EditError(
                    f"the key `{text}` occurs several times in one mapping: keep one of them"
                )
            members.append(member)
            positions[text] = index
        if any(name not in new for name in inherited):
            self._replace(child, slot)
            return
        last = max((at for at, member in enumerate(members) if member.new is not GONE), default=-1)
        added: list[Addition] = []
        behind = -1
        for name, data in new.items():
            if name in positions:
                behind = positions[name]
            elif name not in inherited:
                added.append(Addition(name, data, behind))
            elif not same(inherited[name], data):
                added.append(Addition(name, data, last))
        # What no old member follows is at the end.
        added = [one._replace(behind=last) if one.behind == behind else one for one in added]
        self._collection(node, child, slot, members, added)

    def _sequence(self, node: Sequence, child: Child, slot: Slot | None) -> None:
        """Note the changes of the items of a list."""
        old, new = child.old, child.new
        for item in node.items:
            self._of_items.update(key.start for key, _ in getattr(item, "entries", ()))
        pairs = pair_items(old, new)
        partners = dict(pairs)
        items = [
            Child(item, old[at], new[partners[at]] if at in partners else GONE)
            for at, item in enumerate(node.items)
        ]
        origins = {to: at for at, to in pairs}
        gone = {comparable(data): at for at, data in enumerate(old) if at not in partners}
        added: list[Addition] = []
        behind = -1
        for to, data in enumerate(new):
            if to in origins:
                behind = origins[to]
            else:
                moved = gone.pop(comparable(data), -1) if gone else -1
                added.append(Addition(None, data, behind, moved))
        self._collection(node, child, slot, items, added)

    def _collection(
        self,
        node: Mapping | Sequence,
        child: Child,
        slot: Slot | None,
        children: list[Child],
        added: list[Addition],
    ) -> None:
        """Note changes inside a collection: in its children, then removals, then additions."""
        kept = [index for index, inner in enumerate(children) if inner.new is not GONE]
        is_changed = bool(added) or len(kept) < len(children)
        if is_changed and (not kept or self.way == COLLECTIONS_ANEW):
            self._replace(child, slot)
            return
        self._gone += [inner.node for inner in children if inner.new is GONE]
        slots = slots_of(self.text, node)
        for index in kept:
            self.value(children[index], slots[index])
        for first, last in _runs(set(range(len(children))) - set(kept)):
            self.changes.append(self._removal(slots, first, last))
        if added:
            style = layout.style_near(self.text, node, slots, self.style)
            for addition in added:
                insertion = self._flow_insertion if node.flow else self._block_insertion
                self.changes.append(insertion(slots, kept[0], addition, style))

    def _removal(self, slots: list[Slot], first: int, last: int) -> Change:
        """Remove the children from ``first`` to ``last``; another child must stay."""
        text, start, end = self.text, slots[first].start, slots[last].end
        if slots[first].flow and first:
            return Change(slots[first - 1].end, end, "")
        if slots[first].flow:
            return Change(start, slots[last + 1].start, "")
        if not starts_line(text, start):
            # The line begins with the dash of the list around it; comments of the neighbour stay, below that dash.
            line_end, neighbour = end_of_line(text, end), slots[last + 1].start
            if text[line_end:neighbour].strip():
                return Change(len(text[:start].rstrip(" ")), line_end, "")
            return Change(start, neighbour, "")
        start -= column_of(text, start)
        if start == 0:
            return Change(0, text.index("\n", end) + 1, "")
        # The line break before is removed, the one behind stays: what is new behind a last child comes before that one.
        return Change(end_of_line(text, start - 1), end_of_line(text, end), "")

    def _block_insertion(
        self, slots: list[Slot], first: int, addition: Addition, style: Layout
    ) -> Change:
        """Insert lines below the child in front, or above ``first``, the first child that stays."""
        column = column_of(self.text, slots[0].start)
        pad = " " * column
        if addition.moved >= 0:
            # It keeps its style and the comment behind it.
            old = slots[addition.moved]
            lines = pad + self.text[old.start : end_of_line(self.text, old.end)]
        else:
            data = addition.data
            new = [data] if addition.name is None else {addition.name: data}
            lines = style.newline.join(block(new, column, style))
        if addition.behind >= 0:
            end = slots[addition.behind].end
            position = layout.end_of_child(self.text, end, column)
            return Change(position, position, style.newline + lines)
        start = slots[first].start
        above = start
        if addition.name is None or layout.has_code_above(self.text, start):
            above = layout.above_comments(self.text, start)
        if above < start:
            # The comments above the first item stay with it, and so do annotations of ytt above a first member.
            return Change(above, above, lines + style.newline)
        return Change(start, start, lines.removeprefix(pad) + style.newline + pad)

    def _flow_insertion(
        self, slots: list[Slot], first: int, addition: Addition, style: Layout
    ) -> Change:
        """Insert a child behind the child in front, or before ``first``; on its own line if its neighbour is."""
        text = flow(addition.data, style, style.quotes.get("", ""))
        if addition.name is not None:
            text = f"{key(addition.name, flow=True, json=style.json)}: {text}"
        is_first = addition.behind < 0
        neighbour = slots[first if is_first else max(first, addition.behind)].start
        gap = " "
        if starts_line(self.text, neighbour):
            gap = style.newline + " " * column_of(self.text, neighbour)
        if is_first:
            return Change(neighbour, neighbour, text + "," + gap)
        end = slots[addition.behind].end
        return Change(end, end, "," + gap + text)

    def _scalar(self, child: Child, slot: Slot | None) -> None:
        """Give a text another value in its author's style, or replace it."""
        node = child.node
        assert isinstance(node, Scalar)  # noqa: S101 -- `_keeps_style` says so
        is_json = (
            self.style.json and layout.quote_of(node) != '"'
        )  # JSON knows no text without double quotes
        has_note = slot is not None and self._words_to_keep(child, slot) is not None
        if slot is not None and self.way == IN_PLACE and not (is_json or has_note):
            raw = self.text[node.start : node.end]
            new = restyled(raw, node, child.new, self.style.newline, flow=slot.flow)
            if new is not None:
                self.changes.append(Change(node.start, node.end, new))
                return
        self._replace(child, slot)

    def _replace(self, child: Child, slot: Slot | None) -> None:
        """Write a value anew, with its author's words for the scalars that stay."""
        node = child.node
        self._gone.append(node)
        data = with_author_scalars(node, child.new)
        if slot is None:
            self._replace_root(node, data)
        elif slot.flow:
            self.changes.append(Change(node.start, node.end, flow(data, self.style)))
        else:
            self._replace_behind_indicator(child, data, slot)

    def _replace_behind_indicator(self, child: Child, data: Any, slot: Slot) -> None:
        """Write the value behind a ``-`` or ``:`` anew and keep the comments on its lines."""
        node, indicator = child.node, slot.behind
        write = behind_dash if slot.is_item else behind_key
        column = column_of(self.text, slot.start)
        rest, lines = write(data, column, self.style, layout.quote_of(node))
        first_end = end_of_line(self.text, indicator)
        last_end = max(first_end, end_of_line(self.text, node.end))
        comment = ""
        if node.start > first_end:
            comment = self.text[indicator:first_end].rstrip(" ")
        elif rest:  # the blanks in front of the value stay
            rest = self.text[indicator : node.start] + rest[1:] if node.start > indicator else rest
        behind = self.text[node.end : last_end]
        if isinstance(node, Scalar) and node.style in ("|", ">"):
            behind = rest_of_line(self.text, indicator, node)
        if not _is_block(node) and (behind.strip() or node.end <= first_end):
            comment += behind
        words = self._words_to_keep(child, slot)
        if words is not None:
            comment = with_note(comment, words, self.notes.comment)
        new = self.style.newline.join([rest + comment, *lines])
        self.changes.append(Change(indicator, last_end, new))

    def _replace_up_to_end_of_line(self, node: Node, slot: Slot, text: str) -> None:
        """Write a text in the place of a value and of the comments around it."""
        self._gone.append(node)
        self.changes.append(Change(slot.behind, end_of_line(self.text, node.end), text))

    def _replace_root(self, node: Node, data: Any) -> None:
        """Write the whole document anew; behind ``---`` on its line there can be no block."""
        column = column_of(self.text, node.start)
        end = end_of_line(self.text, node.end)
        comment = "" if _is_block(node) else self.text[node.end : end].rstrip()
        is_behind_marker = column > 0 and self.text.startswith("---", node.start - column)
        is_filled = isinstance(data, (dict, list)) and bool(data)
        if is_behind_marker or self.style.json or not is_filled:
            self.changes.append(Change(node.start, end, flow(data, self.style) + comment))
            return
        lines = block(data, column, self.style)
        if comment:
            lines.insert(0, comment.strip())
        self.changes.append(Change(node.start, end, self.style.newline.join(lines).lstrip(" ")))

    def _words_to_keep(self, child: Child, slot: Slot) -> str | None:
        """Return the text of a value for a note, if it was empty or a flow collection and becomes a block."""
        node, old, new = child
        if _is_empty(new) or not slot.is_block_member or slot.start in self.notes.envelope:
            return None
        if isinstance(new, str) and slot.start in self._of_items:
            return None  # an item such as a variable goes as a whole
        is_false = old is False and isinstance(new, str)
        if not isinstance(node, Alias) and (_is_empty(old) or is_false):
            if "\n" in self.text[slot.behind : node.end]:
                return _EMPTY.get(type(old), "")
            return self.text[slot.behind : node.end]
        return f" {self.text[node.start : node.end]}" if self._fills_line(child) else None

    def _fills_line(self, child: Child) -> bool:
        """Return whether something empty in a flow collection on one line is filled, and nothing else changes there.

        A note on it needs block style. It would outlive a password in the collection, so there is none then.
        """
        return (
            self._is_line(child.node)
            and "@" not in self.text[child.node.start : child.node.end]
            and _fills(child.old, child.new)
            and _extends(child.old, child.new)
        )

    def _is_line(self, node: Node) -> bool:
        """Return whether a node is a flow collection on one line, which therefore holds no comment."""
        if not isinstance(node, (Mapping, Sequence)) or not node.flow:
            return False
        keys = [
            name for inner in walk(node) if isinstance(inner, Mapping) for name, _ in inner.entries
        ]
        is_plain = all(isinstance(name, (Scalar, Alias)) for name in keys)
        return is_plain and "\n" not in self.text[node.start : node.end]

    def _has_stale_alias(self, node: Node) -> bool:
        """Return whether an alias in a value means a text that changed or went: it must be written out."""
        if not self._has_aliases:
            return False
        return any(
            isinstance(inner, Alias) and self._is_stale(inner.target) for inner in walk(node)
        )

    def _is_stale(self, target: Node) -> bool:
        if target in self._changed:
            return True
        return any(gone.start <= target.start < gone.end for gone in self._gone)


def with_author_scalars(node: Node, new: Any) -> Any:
    """Return new data with the words of the author for each plain scalar of ``node`` that stays."""
    if isinstance(node, Alias):
        return with_author_scalars(node.target, new)
    if isinstance(node, Mapping) and isinstance(new, dict):
        own = [(key_text(name), value) for name, value in node.entries if not is_merge(name)]
        nodes = dict(own)
        if len(nodes) < len(own):
            raise EditError("a key occurs several times in one mapping: keep one of them")
        return {
            name: with_author_scalars(nodes[name], data) if name in nodes else data
            for name, data in new.items()
        }
    if isinstance(node, Sequence) and isinstance(new, list):
        items = list(new)
        for at, to in pair_items(view(node), new):
            items[to] = with_author_scalars(node.items[at], new[to])
        return items
    if isinstance(node, Scalar) and same(scalar_value(node), new):
        is_plain = node.value != "" and not node.style and not node.tag
        # A blank line in a plain text means a line break, which such a text cannot hold on one line.
        is_one_line = not any(character in node.value for character in BREAKS)
        return AuthorScalar(node.value, new) if is_plain and is_one_line else new
    return new


def _is_block(node: Node) -> bool:
    return isinstance(node, (Mapping, Sequence)) and not node.flow


def _is_empty(data: Any) -> bool:
    return data is None or data in ("", {}, [])


def _fills(old: Any, new: Any) -> bool:
    """Return whether something that was empty in the old data is filled in the new data."""
    if _is_empty(old):
        return not _is_empty(new)
    if isinstance(old, dict) and isinstance(new, dict):
        return any(_fills(data, new.get(name)) for name, data in old.items())
    return isinstance(old, list) and isinstance(new, list) and any(map(_fills, old, new))


def _extends(old: Any, new: Any) -> bool:
    """Return whether the new data hold all of the old data, but for what was empty."""
    if _is_empty(old):
        return True
    if isinstance(old, dict) and isinstance(new, dict):
        return all(name in new and _extends(data, new[name]) for name, data in old.items())
    if isinstance(old, list) and isinstance(new, list):
        partners = dict(pair_items(old, new))
        return all(
            at in partners and _extends(data, new[partners[at]]) for at, data in enumerate(old)
        )
    return same(old, new)


def _runs(indexes: set[int]) -> Iterator[tuple[int, int]]:
    """Yield the runs of consecutive indexes: ``{1, 2, 5}`` -> (1, 2), (5, 5)."""
    for first in sorted(indexes):
        if first - 1 not in indexes:
            last = first
            while last + 1 in indexes:
                last += 1
            yield first, last
