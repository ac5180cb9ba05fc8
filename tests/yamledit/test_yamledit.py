"""Properties of the lossless writer, over documents and operations that nobody thought of."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
import yaml
from hypothesis import assume, given, reject
from hypothesis import strategies as st

from edits import rewrite
from krm_fn.errors import EditError
from krm_fn.patch import APPEND, Operation
from krm_fn.yamledit import Document, read
from krm_fn.yamledit.data import is_merge, key_text, same, view
from krm_fn.yamledit.layout import slots_of
from krm_fn.yamledit.render import is_plain, scalar
from krm_fn.yamledit.tree import BREAKS, Alias, Mapping, Node, Sequence, compose, walk, with_line_feeds
from yaml_texts import at, data, edited_in_place, handwritten, operations, patched, places, read_or_none, strings, texts

any_text = st.one_of(texts(), handwritten())


def edited(text: str, wanted: list[Operation]) -> str:
    """The text after the operations; not judged where it is refused because of a key that is a mapping or a list."""
    try:
        return rewrite(Document(text), wanted)
    except EditError as error:
        if "a key that is a mapping or a list" not in str(error) or not complex_keys(text):
            raise
        reject()


def complex_keys(text: str) -> Counter[str]:
    """How often each key that is a mapping or a list is in the text, as it is written there."""
    keys = (key for key, _ in _entries(compose(text)) if isinstance(key, (Mapping, Sequence)))
    return Counter(text[key.start : key.end] for key in keys)


@given(any_text)
def test_no_operation_gives_the_same_text(text: str) -> None:
    assert rewrite(Document(text), []) is text


@given(st.data())
def test_an_operation_that_changes_nothing_gives_the_same_text(draw: st.DataObject) -> None:
    text = draw.draw(any_text)
    old = read(text)
    below = [place for place in places(old) if place]
    if below:
        place = draw.draw(st.sampled_from(below))
        assert rewrite(Document(text), [Operation("replace", place, at(old, place))]) == text


@given(st.data())
def test_the_new_text_says_what_jsonpatch_makes_of_the_old_data(draw: st.DataObject) -> None:
    text = draw.draw(any_text)
    old = read(text)
    assume(isinstance(old, (dict, list)))
    wanted = draw.draw(operations(old))

    assert same(read(edited(text, wanted)), patched(old, wanted))


@given(any_text, st.integers(1, 8), st.sampled_from(["replace", "remove"]), st.sampled_from(["a\nb\n", "a\nb"]))
def test_a_comment_below_the_last_value_stays_a_comment(text: str, column: int, op: Any, value: str) -> None:
    text += "\n" + " " * column + "# deeper\n"
    old = read_or_none(text)
    assume(old and isinstance(old, (dict, list)))
    wanted = [Operation(op, places(old)[-1], value)]

    assert same(read(edited(text, wanted)), patched(old, wanted))


@given(st.data())
def test_a_key_that_is_a_mapping_or_a_list_stays_as_it_is_written(draw: st.DataObject) -> None:
    text = draw.draw(handwritten()).rstrip() + "\n"
    text += "- {{ x }}\n" if isinstance(read(text), list) else "? - a\n  - b\n: [{{ x }}]\n"
    wanted = [Operation("add", (*place[:-1], APPEND), "new") for place in _items(read(text))[-1:]]
    wanted.append(
        Operation("add", ("new",), ["a", "b"]) if isinstance(read(text), dict) else Operation("add", ("0",), 1)
    )

    assert complex_keys(edited(text, wanted)) == complex_keys(text)


def _items(value: Any) -> list[tuple[str, ...]]:
    return [place for place in places(value) if place and isinstance(at(value, place[:-1]), list)]


@given(st.data())
def test_operations_one_by_one_come_to_the_same_meaning(draw: st.DataObject) -> None:
    text = draw.draw(handwritten())
    wanted = draw.draw(operations(read(text)))
    one_by_one = text
    for operation in wanted:
        one_by_one = edited(one_by_one, [operation])
        assume("# was:" not in one_by_one)  # a later removal gives back what was there before

    assert same(read(one_by_one), read(edited(text, wanted)))


@given(st.data())
def test_lines_that_the_operation_is_not_about_stay_byte_for_byte_and_in_order(draw: st.DataObject) -> None:
    text = draw.draw(any_text)
    old = read(text)
    assume(isinstance(old, (dict, list)) and not _has_explicit_key(text))
    (operation,) = draw.draw(operations(old, most=1))
    assume(operation.path[-1] not in ("name", "path"))  # an item of another name is another item
    new = edited(text, [operation])
    _, in_place = edited_in_place(text, [operation])

    touched = _touched_lines(text, operation, in_place=in_place)
    others = [line for number, line in enumerate(_lines_of(text)) if number not in touched]

    assert _is_in_order(others, _lines_of(new))


def _has_explicit_key(text: str) -> bool:
    """``? key``: where its value changes, the mapping around it may be rewritten."""
    return any(text[: key.start].rstrip().endswith("?") for key, _ in _entries(compose(text)))


def _lines_of(text: str) -> list[str]:
    """Its lines; without their line breaks, of which the last one may be missing."""
    return [line.removesuffix("\r") for line in with_line_feeds(text).split("\n")]


def _is_in_order(lines: list[str], text: list[str]) -> bool:
    remaining = iter(text)
    return all(any(line == other for other in remaining) for line in lines)


def _touched_lines(text: str, operation: Operation, *, in_place: bool) -> set[int]:
    """Numbers of the lines that an operation may change: those of the child it names, or of the collection around it
    where that is written in flow style, is empty before or after, or no edit in place fits; and those of aliases."""
    root = compose(text)
    holder, spans = root, [(node.start, node.end) for node in walk(root) if isinstance(node, Alias)]
    if spans or not in_place:
        spans += [(key.start, value.end) for key, value in _entries(root) if is_merge(key)]
    begin = 0
    for token in operation.path[:-1]:
        index = _index(holder, token)
        child = None if index is None else _values(holder)[index]
        if index is None or child is None or isinstance(child, Alias):
            break
        begin = _children(text, holder)[index][0]
        holder = child
    children = _children(text, holder)
    index = _index(holder, operation.path[-1])
    flow = getattr(holder, "flow", True)
    if flow or not in_place or not children or (operation.op == "remove" and len(children) == 1):
        spans.append((begin, holder.end))
    elif index is None:
        spans.append((children[-1][1], children[-1][1]) if not text.endswith(tuple(BREAKS)) else (len(text), len(text)))
    elif operation.op != "add" or isinstance(holder, Mapping):
        beside_a_dash = operation.op == "remove" and index == 0 and len(children) > 1
        spans.append((children[index][0], children[index + 1][0] if beside_a_dash else children[index][1]))
    elif index < len(children):
        spans.append((children[index][0], children[index][0]))
    return {number for start, end in spans for number in _lines(text, start, end)}


def _lines(text: str, start: int, end: int) -> range:
    text = with_line_feeds(text)
    return range(text.count("\n", 0, start), text.count("\n", 0, end) + 1)


def _entries(root: Node) -> list[tuple[Node, Node]]:
    return [entry for node in walk(root) if isinstance(node, Mapping) for entry in node.entries]


def _children(text: str, node: Node) -> list[tuple[int, int]]:
    """Where each child begins, dash or key included, and where it ends."""
    if not isinstance(node, (Mapping, Sequence)):
        return []
    return [(place.start, place.end) for place in slots_of(with_line_feeds(text), node)]


def _index(node: Node, token: str) -> int | None:
    if isinstance(node, Sequence):
        return int(token) if token.isdigit() else None  # behind an alias, a token is about what that stands for
    names = [key_text(key) for key, _ in node.entries] if isinstance(node, Mapping) else []
    return names.index(token) if token in names else None


def _values(node: Node) -> list[Node]:
    if isinstance(node, Sequence):
        return node.items
    return [value for _, value in node.entries] if isinstance(node, Mapping) else []


@given(st.data())
def test_what_was_added_at_the_end_and_is_removed_again_leaves_the_first_text(draw: st.DataObject) -> None:
    """The ground for `mode: Remove`: for a list that is not empty, back is back to the byte."""
    text = draw.draw(any_text)
    old = read(text)
    lists = [place for place in places(old) if at(old, place) and isinstance(at(old, place), list)]
    if (
        not lists or not text.endswith(tuple(BREAKS)) or "*" in text
    ):  # through an alias there is no way back: it is written out
        return
    place = draw.draw(st.sampled_from(lists))

    grown = edited(text, [Operation("add", (*place, APPEND), draw.draw(data))])
    back = edited(grown, [Operation("remove", (*place, str(len(at(old, place)))))])

    assert same(read(back), old)
    if "|" not in text and ">" not in text:  # empty lines behind a block scalar may change sides
        assert back == text


@given(strings)
def test_a_string_is_read_back_by_yaml_1_1_and_1_2_whatever_it_holds(value: str) -> None:
    for text in (scalar(value), scalar(value, quote="'"), scalar(value, quote='"')):
        assert view(compose(f"a: {text}\n")) == yaml.safe_load(f"a: {text}\n") == {"a": value}
    in_flow = f"[{scalar(value, flow=True)}, {{{scalar(value, flow=True)}: 1}}]\n"
    assert view(compose(in_flow)) == yaml.safe_load(in_flow) == [value, {value: 1}]


@given(st.dictionaries(strings, data, min_size=1, max_size=4))
def test_whatever_is_written_is_read_back_by_yaml_1_1_too(value: dict[str, Any]) -> None:
    text = rewrite(Document("{}\n"), [Operation("add", (key,), item) for key, item in value.items()])
    assert same(yaml.safe_load(text), value)
    below = rewrite(Document("here: 1\n"), [Operation("replace", ("here",), value)])
    assert same(yaml.safe_load(below), {"here": value})


@pytest.mark.parametrize("text", ["yes", "0640", "22:30", "1e3", "=", "<<", "2024-01-01", "0o7", "~", "n", "1_000"])
def test_what_yaml_1_1_or_1_2_would_not_read_as_a_string_is_quoted(text: str) -> None:
    assert not is_plain(text)
