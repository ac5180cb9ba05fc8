"""A cheap look at items that are not read: their kinds, and whether they hold a word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn.krm.resourcelist import ObjectSource
from list_layouts import load


@pytest.mark.parametrize(
    ("item", "kinds"),
    [
        ("kind: Pod\n", {"Pod"}),
        ("'kind' : \"Pod\"\n", {"Pod"}),
        ('{"kind":"Pod","x":{"kind": "Y"}}\n', {"Pod", "Y"}),
        ("a: 1\n", set()),
        ("kind: A\n  schema:\n    kind:\n      description: |-\n        Text.\n      type: string\n", {"A"}),
        ("kind:\n  a: 1\n", set()),
        ("kind:\n    !!str Pod\n  x: {kind: Y}\n", set()),
        ('kind: "Po\\\n    d"\n  x: {kind: Y}\n', set()),
        ('"k\\u0069nd": Pod\n  x: {kind: Y}\n', set()),
        ("? kind\n  : Pod\n  x: {kind: Y}\n", set()),
        ("a: &k kind\n  *k : Pod\n  x: {kind: Y}\n", set()),
        ("<<: {kind: Pod}\n  x: {kind: Y}\n", set()),
        ('kind: A\n  status: {acceptedNames: {kind: ""}}\n', {"A"}),
        ("kind: ${KIND}\n", set()),
        ("kind: &k Pod\n  x: {kind: Y}\n", set()),
    ],
)
def test_a_cheap_look_sees_every_word_that_could_be_a_kind(item: str, kinds: set[str]) -> None:
    assert load(f"kind: ResourceList\nitems:\n- {item}").kinds[0] == kinds


@pytest.mark.parametrize(
    "written",
    [
        pytest.param(r"/etc/a\x70t/8:", id="a letter as an escape"),
        pytest.param(r"/etc/apt/8\U0000003a", id="a colon as an escape"),
        pytest.param(r"/etc\/apt\/8:", id="a slash, then those of JSON"),
        *(
            pytest.param(f"/etc/a\\{line_break}    pt/8:", id=f"a line that ends in {line_break!r}")
            for line_break in ("\n", "\r\n")
        ),
        pytest.param("/etc\\\n\t/apt/8:", id="a line that begins with a slash"),
        pytest.param("\\\\/etc/a\\\n pt/8:", id="a backslash before the word"),
    ],
)
def test_a_cheap_look_sees_a_word_as_double_quotes_may_have_it(written: str) -> None:
    word = "/etc/apt/8:"
    found = load(f'kind: ResourceList\nitems:\n- a: "{written}"\n- "x"\n')
    assert word in found.read(0)["a"]
    assert (found.contains(0, (word,)), found.contains(1, (word,))) == (True, False)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('"a\\n\\\n    apt: install\\n"', id="a text of several lines in double quotes"),
        pytest.param("|\n    curl \\\n      -x proxy", id="a command of two lines"),
        pytest.param(r"^[a-z]*\/[a-z]*$", id="a pattern, as CRDs hold them"),
    ],
)
def test_a_cheap_look_is_not_given_up_for_what_hides_no_word(text: str) -> None:
    assert not load(f"kind: ResourceList\nitems:\n- a: {text}\n").contains(0, ("/etc/apt",))


def test_an_empty_word_is_in_every_part() -> None:
    items = load("kind: ResourceList\nitems:\n- a: b\n- c: d\n")
    assert [*items.holding(("",))] == [0, 1]


_PIECES = (
    *("kind: Pod\n", "kind:\n  Job\n", '"k\\u0069nd": Pod\n', "kind: &k Pod\n", "? kind\n: Pod\n", "<<: {kind: A}\n"),
    *("*k : B\n", "kind", ": C", "\\x41", "http_proxy", "HTTP_PROXY", "inject-proxy", "cert-manager", "cert-"),
    *("/etc/apt", r"\/etc\/apt", "/", r"\/"),
    *("-user", "-config", "config", "chart", "-operator", "kyverno-policies-connectivity", "-"),
    *("manager", "prox", "y", "\\", "u00", "69", "\n", "\r", "\u2028", "é", "😀", " ", "<", "<", "?", "*", "#"),
)
_WORDS = (
    ("http_proxy", "HTTP_PROXY"),
    ("cert-manager",),
    ("-userconfig", "-user-config", "chart-operator", "kyverno-policies-connectivity"),
    ("inject-proxy", "manager", "é"),
    ("proxy",),
    ("kind",),
    ("/etc/apt",),
    (),
)
_texts = st.lists(st.sampled_from(_PIECES), max_size=6).map("".join)


@given(files=st.lists(st.lists(st.tuples(_texts, _texts), min_size=1, max_size=4), min_size=1, max_size=3))
def test_the_look_at_a_part_does_not_depend_on_what_is_around_it(files: list[list[tuple[str, str]]]) -> None:
    """A text is searched as a whole: each part must look as it does alone, between whatever other text."""
    texts, parts = [], []
    for pairs in files:
        text, spans = "", []
        for between, part in pairs:
            text += between
            spans.append((len(text), len(text) + len(part)))
            text += part
            parts.append(part)
        texts.append((text, spans))
    alone = [ObjectSource([(part, [(0, len(part))])]) for part in parts]
    expected = {words: [number for number, look in enumerate(alone) if look.contains(0, words)] for words in _WORDS}
    whole = ObjectSource(texts)
    assert [whole.kinds[number] for number in range(len(parts))] == [look.kinds[0] for look in alone]
    for words in _WORDS:
        holding = expected[words]
        assert [*whole.holding(words)] == holding
        for among in (range(1), range(1, len(parts))):
            assert [*whole.holding(words, among)] == [number for number in holding if number in among]
            assert [*ObjectSource(texts).holding(words, among)] == [number for number in holding if number in among]
        entries = ObjectSource(texts)  # about the first parts one by one, about the rest by a search of all
        assert [number for number in range(len(parts)) if entries.contains(number, words)] == holding
        assert {at for at, part in enumerate(parts) if any(word in part for word in words)} <= {*holding}
