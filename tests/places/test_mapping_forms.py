"""Forms in a mapping: three members, six variables, host and port, and a value that follows from the settings."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn import patch
from krm_fn.places.mapping_forms import CAMEL, SHORT, SNAKE, Members, VariableMembers, steps_of
from krm_fn.places.place import Place
from krm_fn.settings import ProxySettings
from places_forms import place, read, reported, write, written
from proposals import FULL, HTTP, HTTPS, NO, NONE, proxy_settings

ROOT = place(CAMEL)
DEEP = place(CAMEL, "spec", "a", "proxy")
SWITCHED = place(CAMEL._replace(switch="enabled"), "proxy", kept_steps=1)
LIST = Members(steps_of("http", "https", "additionalNo"), is_list=True)
WITH_LIST = place(LIST)
STRICT = place(LIST._replace(is_strict=True))
MEMBERS = {"httpProxy": HTTP, "httpsProxy": HTTPS, "noProxy": NO}


@pytest.mark.parametrize(
    ("data", "at", "settings"),
    [
        pytest.param({}, DEEP, NONE, id="no proxy, and none there"),
        *(
            pytest.param({"spec": {"a": {"proxy": {"noProxy": empty}}}}, DEEP, NONE, id=f"a member that is {empty!r}")
            for empty in ("", None, [], {})
        ),
    ],
)
def test_what_must_not_change(data: Any, at: Place, settings: ProxySettings) -> None:
    draft, findings = write(data, at, settings)
    assert (draft.edits, findings) == (0, [])


@pytest.mark.parametrize(
    ("data", "at", "result"),
    [
        pytest.param({"noProxy": "x", "ca": "y"}, ROOT, {**MEMBERS, "ca": "y"}, id="beside what is there"),
        pytest.param({}, WITH_LIST, {"http": HTTP, "https": HTTPS, "additionalNo": NO.split(",")}, id="a wanted list"),
        pytest.param(
            {"http_proxy": 1, "no_proxy": ["old"]},
            place(SNAKE),
            {"http_proxy": HTTP, "https_proxy": HTTPS, "no_proxy": NO.split(",")},
            id="a list stays a list, and a number becomes a text",
        ),
        pytest.param(
            {"additionalNo": NO}, STRICT, {"http": HTTP, "https": HTTPS, "additionalNo": NO.split(",")}, id="no text"
        ),
    ],
)
def test_the_members_are_set(data: Any, at: Place, result: Any) -> None:
    assert written(data, at) == result
    assert reported(data, at) == []


@pytest.mark.parametrize(
    ("keep", "data", "result"),
    [
        pytest.param(1, {"a": {"proxy": MEMBERS}}, {"spec": {}}, id="what is empty goes up to what is kept"),
        pytest.param(3, {"a": {"proxy": MEMBERS}}, {"spec": {"a": {"proxy": {}}}}, id="all is kept"),
    ],
)
def test_without_a_proxy_the_members_go(keep: int, data: Any, result: Any) -> None:
    assert written({"spec": data}, DEEP._replace(kept_steps=keep), NONE) == result


def test_something_else_in_the_way_is_reported() -> None:
    data = {"spec": {"a": {"proxy": 1}}}
    assert written(data, DEEP) == data
    assert [at for _, at in reported(data, DEEP)] == [("spec", "a", "proxy")]


@pytest.mark.parametrize(
    ("there", "after"),
    [
        pytest.param(["https", "noProxy"], ["http", "https", "noProxy"], id="in front of the next"),
        pytest.param(["http", "x"], ["http", "x", "https", "noProxy"], id="at the end where none follows"),
    ],
)
def test_a_new_member_stands_where_it_would_have_stood(there: list[str], after: list[str]) -> None:
    assert list(write(dict.fromkeys(there, "old"), place(SHORT))[0].data) == after


def test_a_switch_comes_and_goes_with_them_and_is_a_persons_where_it_is_off() -> None:
    assert written({"proxy": {"a": 1}}, SWITCHED) == {"proxy": {"a": 1, "enabled": True, **MEMBERS}}
    assert written({"proxy": {"enabled": True, **MEMBERS}}, SWITCHED, NONE) == {"proxy": {}}
    off = {"proxy": {"enabled": False, "noProxy": "x"}}
    assert written(off, SWITCHED) == off
    assert [path for _, path in reported(off, SWITCHED)] == [("proxy", "enabled")]
    assert written(off, SWITCHED, NONE) == {"proxy": {"enabled": False}}
    assert read(off, SWITCHED) == {}


def test_a_password_that_belongs_into_a_secret_is_left_out_and_reported_where_none_is_named() -> None:
    at = place(Members({"HTTP_PROXY": ("h", "url")}, secret="ref"))
    settings = ProxySettings("http://user:secret@proxy:1")
    assert written({}, at, settings) == {"h": {"url": "http://proxy:1"}}
    assert reported({}, at, settings) == [("ProxyReduced", ("h", "url"))]
    named = {"h": {"ref": "proxy"}}
    assert reported(named, at, settings) == []
    assert read(written(named, at, settings), at) == {"HTTP_PROXY": None, "http_proxy": None}


@pytest.mark.parametrize(
    ("data", "at", "values"),
    [
        pytest.param(MEMBERS, ROOT, FULL.variables, id="all of them, in both cases"),
        pytest.param({"noProxy": ["a", 1, "b"]}, ROOT, {"NO_PROXY": "a,b", "no_proxy": "a,b"}, id="a list"),
        pytest.param({"httpProxy": "", "httpsProxy": None}, ROOT, {}, id="nothing"),
        pytest.param({"noProxy": 1}, ROOT, {"NO_PROXY": None}, id="a member of another type"),
        pytest.param(
            {"NO_PROXY": "x", "http_proxy": 1},
            place(VariableMembers()),
            {"NO_PROXY": "x", "http_proxy": None},
            id="variables",
        ),
    ],
)
def test_what_is_there_is_read(data: Any, at: Place, values: dict[str, str]) -> None:
    assert read(data, at) == values


TEXTS = st.sampled_from(["", "http://a:1", "x,y", "localhost"])
LEAVES = st.none() | st.integers() | TEXTS | st.lists(TEXTS, max_size=2)
DATA = st.recursive(
    LEAVES,
    lambda inner: st.dictionaries(
        st.sampled_from(["spec", "a", "proxy", "httpProxy", "httpsProxy", "noProxy", "z"]), inner, max_size=4
    ),
    max_leaves=8,
)
SETTINGS = st.builds(proxy_settings, TEXTS, TEXTS, TEXTS)


@given(DATA, SETTINGS, SETTINGS, st.integers(0, 3))
def test_any_shape_is_written_or_is_reported(data: Any, first: ProxySettings, second: ProxySettings, keep: int) -> None:
    at = DEEP._replace(kept_steps=keep)
    if reported(data, at, first) or reported(data, at, second):  # a removal reports no type
        return

    once = written(data, at, first)

    held = patch.lookup(written(once, at, second), at.path) or {}
    texts = (second.http_proxy, second.https_proxy, second.no_proxy)
    for name, wanted in zip(MEMBERS, texts, strict=True):
        value = held.get(name)
        text = ",".join(value) if isinstance(value, list) else value
        assert text == wanted if wanted else not (text and isinstance(text, str))
