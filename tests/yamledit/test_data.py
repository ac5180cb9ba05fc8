"""The tree as plain data: the core schema of YAML 1.2, merge keys, duplicated keys, and aliases within reason."""

from __future__ import annotations

from typing import Any

import pytest

from krm_fn.errors import InputError
from krm_fn.yamledit import read
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
        pytest.param(
            "1: a\ntrue: b\n~: c\n", {"1": "a", "true": "b", "~": "c"}, id="a key is the string it is written as"
        ),
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
