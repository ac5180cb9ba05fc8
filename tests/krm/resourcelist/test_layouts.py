"""The envelope: what is a ResourceList, who is in it, and how it is written back, in every layout."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edits import add, remove, replace
from krm_fn.errors import InputError
from krm_fn.krm.resourcelist import Entries, ResourceList, objects, reference
from krm_fn.krm.results import ObjectRef
from krm_fn.yamledit import read
from list_layouts import ACROSS, COMPACT, RESULT, layouts, load, whole_of


@layouts
def test_nothing_to_write_is_the_same_bytes(text: str) -> None:
    assert whole_of(load(text), {}, []) == text.encode()
    assert whole_of(load(text), {0: [], 1: []}, []) == text.encode()


@layouts
def test_a_change_of_one_item_is_read_back_and_the_rest_stays(text: str) -> None:
    old = read(text.removeprefix("\ufeff"))
    written = whole_of(load(text), {1: [add("new", value={"k": ["v"]})]}, [RESULT]).decode()
    assert written.startswith("\ufeff") == text.startswith("\ufeff")
    new = read(written.removeprefix("\ufeff"))
    old["items"][1]["new"] = {"k": ["v"]}
    assert new["items"] == old["items"]
    assert new["results"] == [*old.get("results", []), RESULT]
    assert {key: new[key] for key in old if key not in ("items", "results")} == {
        key: old[key] for key in old if key not in ("items", "results")
    }


@layouts
def test_the_items_and_the_function_config_are_found(text: str) -> None:
    found = load(text)
    assert len(found) == 2
    assert [found.read(index)["kind"] for index in range(2)] == ["Pod", "Secret"]
    assert ["Pod" in found.kinds(0), "Secret" in found.kinds(1)] == [True, True]
    assert found.function_config.data == {"kind": "X"}
    assert (found.contains(0, ("Pod",)), found.contains(0, ("Secret",)), found.contains(0, ())) == (True, False, True)


@layouts
def test_a_result_that_is_there_already_is_not_reported_twice(text: str) -> None:
    once = whole_of(load(text), {}, [RESULT])
    assert whole_of(ResourceList(once), {}, [RESULT]) == once


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param("a: 1\n", "its `kind` is missing", id="another mapping"),
        pytest.param("kind: List\nitems:\n- a\n", "its `kind` is another one", id="another kind"),
        pytest.param(
            "kind: ResourceList\nitems: {}\n", "`items` must be a list of objects", id="items that are a mapping"
        ),
        pytest.param(
            "kind: ResourceList\nitems: []\nitems:\n",
            "one mapping has the same key at line 2 and at line 3, column 1",
            id="items twice",
        ),
        pytest.param(
            COMPACT.replace("kind: X", "kind: ["),
            "at line 14, column 1",
            id="a mistake is reported by its line in the whole",
        ),
    ],
)
def test_what_is_no_resource_list_is_refused_in_one_line(text: str, says: str) -> None:
    with pytest.raises(InputError) as caught:
        load(text)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"kind: \xe9\n", "byte 7 is not"),
        ("kind: x".encode("utf-16"), "byte 1 is not"),
    ],
)
def test_other_encodings_are_refused(data: bytes, says: str) -> None:
    with pytest.raises(InputError, match=f"must be UTF-8, but {says}"):
        ResourceList(data)


@pytest.mark.parametrize(
    ("results", "written"),
    [
        pytest.param("results: null\n", [RESULT], id="null"),
        pytest.param("results: []\n", [RESULT], id="empty"),
        pytest.param("results:\n- message: x # c\n", [{"message": "x"}, RESULT], id="one that was there"),
    ],
)
def test_results_that_are_there(results: str, written: list[Any]) -> None:
    for text in (COMPACT + results, results + COMPACT, COMPACT.replace("functionConfig", results + "functionConfig")):
        new = whole_of(load(text), {}, [RESULT]).decode()
        assert read(new)["results"] == written
        assert "# c" not in results or "# c" in new


@pytest.mark.parametrize(
    ("item", "says"),
    [
        ("text", "a string"),
        ("7", "a number"),
        ("", "null"),
        ("true", "a boolean"),
        ("[1]", "a list"),
    ],
)
@pytest.mark.parametrize("flow", [False, True])
def test_an_item_that_is_no_object_is_refused_when_it_is_read(item: str, says: str, *, flow: bool) -> None:
    text = (
        f"kind: ResourceList\nitems: [{{a: 1}}, {item or 'null'}]\n"
        if flow
        else f"kind: ResourceList\nitems:\n- a: 1\n- {item}\n"
    )
    found = load(text)
    assert found.read(0) == {"a": 1}
    with pytest.raises(InputError, match=rf"`items\[1\]` must be an object, but it is {says}"):
        found.read(1)
    assert whole_of(found, {0: [add("b", value=1)]}, []) != text.encode()


def test_an_item_nobody_asks_for_is_never_read() -> None:
    text = "kind: ResourceList\nitems:\n- a: [\n- kind: Pod\n"
    found = load(text)
    assert whole_of(found, {1: [add("a", value=1)]}, []).decode() == text + "  a: 1\n"
    with pytest.raises(InputError, match=r"`items\[0\]`: not valid YAML: .* at line 4, column 1$"):
        found.read(0)


@pytest.mark.parametrize(
    ("index", "operation", "items"),
    [
        pytest.param(
            0, replace("a", "k", value=9), [{"a": {"k": 9}}, {"b": {"k": 1}}, {"c": 3}], id="the anchored text changes"
        ),
        pytest.param(0, remove("a"), [{}, {"b": {"k": 1}}, {"c": 3}], id="the anchored text goes"),
    ],
)
def test_an_alias_to_another_item_keeps_its_meaning(index: int, operation: Any, items: list[Any]) -> None:
    found = load(ACROSS)
    assert found.read(1) == {"b": {"k": 1}}
    assert read(whole_of(found, {index: [operation]}, []).decode())["items"] == items
    unread = load(ACROSS)  # an alias is seen by its text, too
    assert index == 1 or read(whole_of(unread, {index: [operation]}, []).decode())["items"] == items


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\x85", "\r"])
def test_line_breaks_that_only_yaml_1_1_knows_separate_items_too(mark: str) -> None:
    found = load(f"kind: ResourceList\nitems:\n- a: 1 # c{mark}- b: 2\n")
    assert [found.read(index) for index in range(len(found))] == [{"a": 1}, {"b": 2}]


@pytest.mark.parametrize(
    ("obj", "ref"),
    [
        pytest.param({}, ObjectRef(), id="nothing"),
        pytest.param({"apiVersion": 1, "kind": ["x"], "metadata": "m"}, ObjectRef(), id="wrong types"),
        pytest.param(
            {
                "metadata": {
                    "annotations": {
                        "config.kubernetes.io/path": "old.yaml",
                        "internal.config.kubernetes.io/path": "new.yaml",
                        "internal.config.kubernetes.io/index": 4,
                    }
                }
            },
            ObjectRef(file_path="new.yaml", file_index=4),
            id="the annotations of today win, and an index may be a number",
        ),
        *(
            pytest.param(
                {"metadata": {"annotations": {"config.kubernetes.io/index": index}}},
                ObjectRef(),
                id=f"the index {index!r}",
            )
            for index in ("-1", "x", "", None, "9" * 20, 1.5, "²", [])
        ),
    ],
)
def test_the_identity_of_an_object(obj: dict[str, Any], ref: ObjectRef) -> None:
    assert reference(obj) == ref


def _pod(name: str, **metadata: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, **metadata}}


def test_the_objects_of_a_list_are_found_with_their_places_and_its_file() -> None:
    file = {"annotations": {"config.kubernetes.io/path": "all.yaml", "config.kubernetes.io/index": "1"}}
    inner = {
        "apiVersion": "apps/v1",
        "kind": "DeploymentList",
        "items": [_pod("c", annotations={"config.kubernetes.io/path": "c"})],
    }
    outer = {"apiVersion": "v1", "kind": "List", "metadata": file, "items": [_pod("a"), "text", None, inner, _pod("b")]}
    found = list(objects(outer))
    assert [(one.path, one.ref.name, one.ref.file_path) for one in found] == [
        (("items", "0"), "a", "all.yaml"),
        (("items", "3", "items", "0"), "c", "c"),
        (("items", "4"), "b", "all.yaml"),
    ]


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param({"kind": "List", "items": None}, id="a list whose items are null"),
        pytest.param({"kind": "AllowList", "items": "x"}, id="a kind that only sounds like a list"),
        pytest.param({"kind": "Box", "items": [_pod("a")]}, id="a kind that holds items of its own"),
    ],
)
def test_what_is_no_list_of_objects_is_one_object(obj: dict[str, Any]) -> None:
    assert [(one.path, one.data) for one in objects(obj)] == [((), obj)]


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
        ("kind: ${KIND}\n", set()),
        ("kind: &k Pod\n  x: {kind: Y}\n", set()),
    ],
)
def test_a_cheap_look_sees_every_word_that_could_be_a_kind(item: str, kinds: set[str]) -> None:
    assert load(f"kind: ResourceList\nitems:\n- {item}").kinds(0) == kinds


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
    ],
)
def test_a_cheap_look_is_not_given_up_for_what_hides_no_word(text: str) -> None:
    assert not load(f"kind: ResourceList\nitems:\n- a: {text}\n").contains(0, ("/etc/apt",))


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
    alone = [Entries([(part, [(0, len(part))])]) for part in parts]
    expected = {words: [number for number, look in enumerate(alone) if look.contains(0, words)] for words in _WORDS}
    whole = Entries(texts)
    assert [whole.kinds(number) for number in range(len(parts))] == [look.kinds(0) for look in alone]
    for words in _WORDS:
        holding = expected[words]
        assert [*whole.holding(words)] == holding
        for among in (range(1), range(1, len(parts))):
            assert [*whole.holding(words, among)] == [number for number in holding if number in among]
            assert [*Entries(texts).holding(words, among)] == [number for number in holding if number in among]
        entries = Entries(texts)  # about the first parts one by one, about the rest by a search of all
        assert [number for number in range(len(parts)) if entries.contains(number, words)] == holding
        assert {at for at, part in enumerate(parts) if any(word in part for word in words)} <= {*holding}
