"""A document as plain data, within reason, and as a whole that gets new data, also where no edit in place fits."""

from __future__ import annotations

import json
from typing import Any

import pytest

from edits import add, remove, replace, rewrite
from krm_fn.errors import EditError, InputError
from krm_fn.patch import Operation
from krm_fn.yamledit import Document, read
from krm_fn.yamledit.data import MAX_EXPANSION, resolve, same, view
from krm_fn.yamledit.tree import MAX_DEPTH, compose


@pytest.mark.parametrize(
    "text",
    [
        *("yes No on OFF y n = << 22:30 1_000 2024-01-01 2024-01-01T00:00:00Z 0b11").split(),
        *(".nan .NaN .inf -.inf +.INF 1e400 -1e400 nULL tRUE 1.2.3 1e 0o8 0xg --1 .").split(),
        *("1" * 1001, "-" + "1" * 5000, "0." + "1" * 1000, "10Gi", "v1", "+", "-", "e3"),
    ],
)
def test_what_yaml_1_2_or_json_does_not_know_stays_a_string(text: str) -> None:
    assert resolve(text) == text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("", None), ("~", None), ("null", None), ("Null", None), ("NULL", None)),
        *(("true", True), ("True", True), ("TRUE", True), ("false", False), ("False", False), ("FALSE", False)),
        *(
            ("0", 0),
            ("-0", 0),
            ("+7", 7),
            ("0640", 640),
            ("0o640", 416),
            ("0x1F", 31),
            ("007", 7),
            ("9" * 1000, int("9" * 1000)),
        ),
        *(("1.5", 1.5), ("1.", 1.0), (".5", 0.5), ("-.5", -0.5), ("1e3", 1000.0), ("1E-2", 0.01), ("+1.0", 1.0)),
        ("1e-400", 0.0),
    ],
)
def test_the_core_schema_of_yaml_1_2(text: str, value: Any) -> None:
    assert same(resolve(text), value)


@pytest.mark.parametrize(
    ("text", "data"),
    [
        pytest.param("a: !!int 1\n", {"a": 1}, id="a number with its own tag"),
        pytest.param("a: !!null x\n", {"a": None}, id="null by tag"),
        pytest.param("1: a\ntrue: b\n~: c\n", {"1": "a", "true": "b", "~": "c"}, id="a key is the string as written"),
        pytest.param("? [a, b]\n: 1\n", {"? ['a', 'b']": 1}, id="a key that is no scalar is named by what it holds"),
        pytest.param("a: {{ b }}\n", {"a": {"? {'b': None}": None}}, id="a placeholder without quotes"),
        pytest.param("a: &x 1\n? [*x]\n: 1\n", {"a": 1, "? [1]": 1}, id="an alias in a key that is no scalar"),
        pytest.param("? &k a\n: 1\nb: {*k : 2}\n", {"a": 1, "b": {"a": 2}}, id="an alias as a key"),
    ],
)
def test_documents_as_plain_data(text: str, data: Any) -> None:
    assert same(read(text), data)


@pytest.mark.parametrize(
    ("text", "data"),
    [
        pytest.param("<<: *x\nb: 2\n", {"a": 1, "b": 2}, id="the members come in"),
        pytest.param("<<: [*x, {a: 2, c: 3}]\n", {"a": 1, "c": 3}, id="of several the first wins"),
        pytest.param("<<: 7\nb: 1\n", {"b": 1}, id="what cannot be merged adds nothing"),
        pytest.param("'<<': *x\n", {"<<": {"a": 1}}, id="a quoted key is no merge key"),
    ],
)
def test_merge_keys(text: str, data: Any) -> None:
    document = "anchor: &x {a: 1}\nhere:\n" + "".join(f"  {line}\n" for line in text.splitlines())
    assert read(document)["here"] == data


def test_no_two_places_share_an_object() -> None:
    data = read("a: &x {b: [1]}\nc: *x\nd: {<<: *x}\n")
    data["a"]["b"].append(2)
    assert data["c"] == data["d"] == {"b": [1]}


def test_a_long_value_counts_as_one_for_each_hundred_characters() -> None:
    text = f"k: &a {'v' * 9950}\nm: [{{many}}]\n"
    assert read(text.format(many=", ".join(["*a"] * (MAX_EXPANSION // 100))))
    with pytest.raises(InputError, match=r"^aliases expand to more values"):
        read(text.format(many=", ".join(["*a"] * (MAX_EXPANSION // 100 + 1))))


def test_aliases_of_a_short_text_may_add_a_thousand_values() -> None:
    text = "- &a [1,1,1,1,1]\n- &b [*a,*a,*a,*a,*a]\n- &c [*b,*b,*b,*b]\n- [*c,*c,*c,*c,*c{more}]\n"
    assert read(text.format(more=""))
    with pytest.raises(InputError, match=r"^aliases expand to more values"):
        read(text.format(more=",*c"))


NESTS = pytest.mark.parametrize(
    ("opening", "closing"), [pytest.param("[", "]", id="lists"), pytest.param("{k: ", "}", id="mappings")]
)


@NESTS
def test_aliases_must_not_build_what_is_deeper_than_a_text_may_be(opening: str, closing: str) -> None:
    around = [f"a{n}: &a{n} {opening * 400}*a{n - 1}{closing * 400}\n" for n in range(1, 12)]
    chain = "a0: &a0 1\n" + "".join(around)
    with pytest.raises(InputError, match=r"^aliases expand to more values .* or nest too deep"):
        read(chain)
    with pytest.raises(InputError, match=r"^aliases expand to more values .* or nest too deep"):
        view(compose(f"{chain}b: [*a11]\n").entries[-1][1])


@NESTS
def test_aliases_may_build_what_is_as_deep_as_a_text_may_be(opening: str, closing: str) -> None:
    beside = MAX_DEPTH - 301
    text = f"a: &a {opening * 300}1{closing * 300}\nb: {opening * beside}*a{closing * beside}\n"
    assert read(text)
    with pytest.raises(InputError, match=r"^aliases expand to more values .* or nest too deep"):
        read(text.replace("*a", "[*a]"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, True),
        (0, False),
        (1, 1.0),
        ("1", 1),
        (None, ""),
        ([], {}),
        ([1], [True]),
        ({"a": 1}, {"a": 1.0}),
        ({}, {"a": None}),
        ([1], [1, 1]),
    ],
)
def test_values_that_yaml_tells_apart_are_not_the_same(one: Any, other: Any) -> None:
    assert not same(one, other)
    assert same(one, one)
    assert same(other, other)


ANCHORED = "a: &x # here\n  k: 1 # one\n  l: [2]\nb: *x # b\nc: {d: *x}\ne: 5\n"


@pytest.mark.parametrize(
    ("text", "operation", "new"),
    [
        pytest.param(ANCHORED, remove("b"), ANCHORED.replace("b: *x # b\n", ""), id="an alias goes"),
        pytest.param(
            ANCHORED,
            remove("a"),
            "b: # b\n  k: 1\n  l:\n  - 2\nc: {d: {k: 1, l: [2]}}\ne: 5\n",
            id="what an anchor names goes",
        ),
        pytest.param(
            "a: &x 1\nb: *x\nc: &x 2\nd: *x\n",
            replace("a", value=9),
            "a: 9\nb: 1\nc: &x 2\nd: *x\n",
            id="a name used twice",
        ),
        pytest.param(
            "z: &z {k: 1}\nx: &x\n  y: *z\nu: *x\n",
            replace("z", "k", value=2),
            "z: &z {k: 2}\nx: &x\n  y:\n    k: 1\nu: *x\n",
            id="an anchored text that says the same when an alias in it is written out keeps its own aliases",
        ),
        pytest.param("a: &x 1\nb: [*x, 2]\n", remove("b", 0), "a: &x 1\nb: [2]\n", id="an item that is an alias"),
    ],
)
def test_aliases_are_written_out_only_where_they_must_be(text: str, operation: Operation, new: str) -> None:
    assert rewrite(Document(text), [operation]) == new


MERGED = "x: &n\n  b: 1\n  c: 2\na:\n  <<: *n # merged\n  e: 3\nf: 0\n"


@pytest.mark.parametrize("operation", [remove("a", "b"), replace("x", "b", value=7), remove("x")])
def test_merge_keys_are_written_out_where_they_cannot(operation: Operation) -> None:
    before, after = read(MERGED), read(rewrite(Document(MERGED), [operation]))
    expected = {"b": 1, "c": 2, "e": 3}
    if operation.path[0] == "a":
        del expected["b"]
    assert after["a"] == expected
    assert after["f"] == before["f"]


def test_a_set_stays_one() -> None:
    document = Document("k: # c\n  ? a\n  # d\n  ? b\nl: 1\n")
    assert rewrite(document, [remove("k", "a")]) == "k: # c\n  # d\n  ? b\nl: 1\n"


@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
def test_a_text_without_a_final_line_break_gets_one_only_where_it_must_be(line_break: str) -> None:
    text = f"a: 1{line_break}b: 2"
    assert rewrite(Document(text), [replace("b", value=3)]) == f"a: 1{line_break}b: 3"
    assert rewrite(Document(text), [replace("a", value="x\ny\n")]).endswith(f"y{line_break}b: 2")
    assert rewrite(Document(text), [replace("b", value="x\ny\n")]).endswith(f"  y{line_break}")


@pytest.mark.parametrize("line_break", ["\u2028", "\u2029"])
def test_a_literal_block_keeps_a_rare_line_break_that_is_a_word_of_it(line_break: str) -> None:
    text = f"a: |{line_break}  x{line_break}b: 1{line_break}"
    assert rewrite(Document(text), [replace("b", value=2)]) == text.replace("1", "2")
    assert read(rewrite(Document(text), [replace("a", value="x\ny\n")])) == {"a": "x\ny\n", "b": 1}
    text = f"a: 1{line_break}b: |{line_break}  x{line_break}"
    assert read(rewrite(Document(text), [add("c", value="x\n")])) == {**read(text), "c": "x\n"}


def test_a_character_that_json_writes_as_two_escapes_is_read() -> None:
    text = r'{"\uD83D\uDE00": ["x\ud83d\ude00y", "\ud800\udc00 \udbff\udfff"]}'
    assert read(text) == json.loads(text)
    assert json.loads(rewrite(Document(text), [add("new", value="x")])) == {**json.loads(text), "new": "x"}


@pytest.mark.parametrize(
    "text", [r'{"a": "\ud83d"}', r'{"a": "\ude00\ud83d"}'], ids=["half of one", "in the wrong order"]
)
def test_half_of_such_a_character_is_no_text(text: str) -> None:
    with pytest.raises(InputError, match="not valid YAML"):
        read(text)


@pytest.mark.parametrize(
    ("text", "first", "line", "column"),
    [
        pytest.param("a: 1\nb: 2\na: true\n", 1, 3, 1, id="equal in Python"),
        pytest.param("a:\n- b: 1\n- b: 1\n  b: 2\n", 3, 4, 3, id="in an item of a list"),
        pytest.param("? &k a\n: 1\n*k : 2\n", 1, 3, 1, id="an alias"),
        pytest.param("x: &x {c: 1}\na:\n  <<: *x\n  <<: *x\n  b: {d: 1, d: 2}\n", 5, 5, 13, id="beside merge keys"),
    ],
)
def test_a_key_with_two_values_is_an_error_with_both_lines(text: str, first: int, line: int, column: int) -> None:
    for use in (read, lambda text: Document(text).with_data({})):
        with pytest.raises(InputError) as caught:
            use(text)
        says = f"one mapping has the same key at line {first} and at line {line}, column {column}: keep one of them"
        assert str(caught.value) == says


def test_a_key_that_is_there_twice_with_one_value_stays() -> None:
    document = Document("a: [1]\nb: 2\na:\n- 1\n")
    assert document.with_data({"a": [1], "b": 3}) == "a: [1]\nb: 3\na:\n- 1\n"
    with pytest.raises(EditError, match="the key `a` is there twice: keep one of them"):
        document.with_data({"a": [2], "b": 2})


def test_functions_of_ytt_share_one_mapping() -> None:
    document = Document("#@ def a():\nspec: {b: 1}\n#@ end\n#@ def c():\nspec: {d: 2}\n#@ end\n")
    assert [*(document.members() or ())] == [*document.data()] == ["spec"]


PLACEHOLDER = "spec:\n  files: [] # none\n  replicas: {{ replicas }} # ours\n"
BELOW = "spec:\n  ?\n    - a\n  : x\n  files: []\n"


@pytest.mark.parametrize(
    ("text", "operation", "old", "new"),
    [
        pytest.param(
            PLACEHOLDER,
            replace("spec", "files", value=["a"]),
            " [] # none\n",
            " # none # was: []\n  - a\n",
            id="a placeholder without quotes behind a list that is filled",
        ),
        pytest.param(BELOW, add("spec", "z", value=1), "files: []\n", "files: []\n  z: 1\n", id="a new member"),
        pytest.param("a: {{ x }}\nb: &n 1\nc: *n\n", replace("b", value=2), "&n 1\nc: *n", "2\nc: 1", id="an alias"),
    ],
)
def test_a_key_that_is_no_text_keeps_its_bytes(text: str, operation: Operation, old: str, new: str) -> None:
    assert rewrite(Document(text), [operation]) == text.replace(old, new)


@pytest.mark.parametrize(
    ("text", "operation"),
    [
        pytest.param("a: &x {k: {{ y }}}\nb: *x\n", add("b", "n", value=1), id="an alias that has to be written out"),
        pytest.param("base: &x {p: {{ y }}, q: 1}\nb: {<<: *x}\n", remove("b", "q"), id="a merge key likewise"),
    ],
)
def test_where_such_a_key_would_have_to_be_written_again_the_edit_is_refused(text: str, operation: Operation) -> None:
    with pytest.raises(EditError, match="write the key in quotes"):
        rewrite(Document(text), [operation])


@pytest.mark.parametrize("length", [1024, 1025])
def test_a_key_that_is_too_long_for_a_line_is_written_where_yaml_can_read_it(length: int) -> None:
    """A key without a question mark may have 1024 characters (YAML 1.2.2, 7.4.3)."""
    name = "k" * length
    text = f"a:\n- ? '{name}'\n  : v\n  name: x\n"
    assert rewrite(Document(text), [add("a", "0", "b", value=1)]) == f"{text}  b: 1\n"
    rewritten = add("a", value=[{name: "v"}])
    if length == 1024:
        assert read(rewrite(Document(text), [rewritten])) == {"a": [{name: "v"}]}
    else:
        with pytest.raises(EditError, match="of more than 1024 characters"):
            rewrite(Document(text), [rewritten])
