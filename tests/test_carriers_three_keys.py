"""Three members of a mapping: what is set, replaced and taken away, in an object and in a document inside one."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn import patch
from krm_fn.carriers.site import write_sites
from krm_fn.carriers.three_keys import CAMEL, SHORT, SNAKE, Keys, ThreeKeys
from krm_fn.engine import Draft
from krm_fn.krm.results import Edit, Finding, Severity
from krm_fn.settings import ProxySettings
from proposals import FULL, HTTP, HTTPS, NO, NONE, proxy_settings

ROOT = ThreeKeys((), CAMEL, "the proxy")
DEEP = ThreeKeys(("spec", "a", "proxy"), CAMEL, "the proxy")
LIST = Keys("http", "https", "additionalNo", is_list=True)
MEMBERS = {"httpProxy": HTTP, "httpsProxy": HTTPS, "noProxy": NO}


def written(data: Any, slot: ThreeKeys, settings: ProxySettings = FULL) -> tuple[Edit | None, list[Finding]]:
    """What writing the three members changes in the data, and what is reported."""
    before = copy.deepcopy(data)
    draft = Draft(data)
    edit = write_sites(draft, [slot.in_draft(draft)], settings.variables())
    assert data == before
    return edit, draft.findings


def applied(data: Any, slot: ThreeKeys = DEEP, settings: ProxySettings = FULL) -> Any:
    """The data after the edit; a second one must want nothing."""
    edit, findings = written(data, slot, settings)
    result = patch.apply(copy.deepcopy(data), edit.operations) if edit else data
    assert findings == []
    assert written(result, slot, settings) == (None, [])
    return result


@pytest.mark.parametrize(
    ("data", "slot", "settings"),
    [
        pytest.param({"spec": {"a": {"proxy": MEMBERS}}}, DEEP, FULL, id="what is right"),
        pytest.param({}, DEEP, NONE, id="no proxy, and none there"),
        pytest.param(None, DEEP, NONE, id="no proxy, and no data"),
        pytest.param({"spec": {"a": {"proxy": {}}}}, DEEP, NONE, id="an empty mapping that somebody wrote"),
        pytest.param({"spec": {"a": {"proxy": {"ca": "x"}}}}, DEEP, NONE, id="other members"),
        *(
            pytest.param({"spec": {"a": {"proxy": {"noProxy": empty}}}}, DEEP, NONE, id=f"a member that is {empty!r}")
            for empty in ("", None, [], {})
        ),
        pytest.param(
            {"proxy": {"enabled": False, "noProxy": []}},
            ThreeKeys(("proxy",), CAMEL, "the proxy", switch="enabled"),
            NONE,
            id="a member that is empty beside a switch that is off",
        ),
        pytest.param(
            {"http": HTTP, "https": HTTPS, "additionalNo": NO.split(",")},
            ThreeKeys((), LIST, "the proxy"),
            FULL,
            id="a list that says the same",
        ),
        pytest.param(
            {"http": HTTP, "https": HTTPS, "additionalNo": NO},
            ThreeKeys((), LIST, "the proxy"),
            FULL,
            id="a text that says the same, where a new one would be a list",
        ),
    ],
)
def test_what_must_not_change(data: Any, slot: ThreeKeys, settings: ProxySettings) -> None:
    assert written(data, slot, settings) == (None, [])


@pytest.mark.parametrize(
    ("data", "slot", "result"),
    [
        pytest.param({}, ROOT, MEMBERS, id="at the root"),
        pytest.param(None, ROOT, MEMBERS, id="a document that is null"),
        pytest.param({}, DEEP, {"spec": {"a": {"proxy": MEMBERS}}}, id="with all the mappings above it"),
        pytest.param({"spec": None}, DEEP, {"spec": {"a": {"proxy": MEMBERS}}}, id="in place of null"),
        pytest.param(
            {"spec": {"a": {"proxy": {"noProxy": "x", "ca": "y"}}}},
            DEEP,
            {"spec": {"a": {"proxy": {**MEMBERS, "ca": "y"}}}},
            id="beside what is there",
        ),
        pytest.param(
            {"no": 1},
            ThreeKeys((), SHORT, "the proxy"),
            {"no": 1, "http": HTTP, "https": HTTPS, "noProxy": NO},
            id="short names",
        ),
        pytest.param(
            {},
            ThreeKeys((), LIST, "the proxy"),
            {"http": HTTP, "https": HTTPS, "additionalNo": NO.split(",")},
            id="a list where the caller wants one",
        ),
        pytest.param(
            {"http_proxy": 1, "no_proxy": ["old"]},
            ThreeKeys((), SNAKE, "the proxy"),
            {"http_proxy": HTTP, "https_proxy": HTTPS, "no_proxy": NO.split(",")},
            id="a list stays a list, and a number becomes a text",
        ),
    ],
)
def test_the_members_are_set(data: Any, slot: ThreeKeys, result: Any) -> None:
    assert applied(data, slot) == result


def test_a_variable_that_is_not_set_is_taken_away() -> None:
    data = {"spec": {"a": {"proxy": MEMBERS}}}

    assert applied(data, settings=ProxySettings(https_proxy="http://new:1")) == {
        "spec": {"a": {"proxy": {"httpsProxy": "http://new:1"}}}
    }


@pytest.mark.parametrize(
    ("kept", "data", "result"),
    [
        pytest.param(1, {"spec": {"a": {"proxy": MEMBERS}}}, {"spec": {}}, id="what is empty goes up to what is kept"),
        pytest.param(2, {"spec": {"a": {"proxy": MEMBERS}}}, {"spec": {"a": {}}}, id="more is kept"),
        pytest.param(3, {"spec": {"a": {"proxy": MEMBERS}}}, {"spec": {"a": {"proxy": {}}}}, id="all is kept"),
        pytest.param(
            1,
            {"spec": {"b": 1, "a": {"proxy": MEMBERS}}},
            {"spec": {"b": 1}},
            id="a mapping with other members stays",
        ),
        pytest.param(
            1,
            {"spec": {"a": {"proxy": {**MEMBERS, "ca": "x"}}}},
            {"spec": {"a": {"proxy": {"ca": "x"}}}},
            id="other members stay",
        ),
        pytest.param(
            1, {"spec": {"a": {"proxy": {**MEMBERS, "noProxy": []}}}}, {"spec": {}}, id="an empty member beside others"
        ),
        pytest.param(1, {"spec": {"a": {"proxy": {"httpProxy": False}}}}, {"spec": {}}, id="what is no text"),
    ],
)
def test_without_a_proxy_the_members_go(kept: int, data: Any, result: Any) -> None:
    assert applied(data, ThreeKeys(("spec", "a", "proxy"), CAMEL, "the proxy", kept), NONE) == result


@pytest.mark.parametrize(
    ("data", "severity", "path"),
    [
        pytest.param([], Severity.ERROR, (), id="data that is a list"),
        pytest.param({"spec": "x"}, Severity.ERROR, ("spec",), id="a text on the way"),
        pytest.param({"spec": {"a": [1]}}, Severity.ERROR, ("spec", "a"), id="a list on the way"),
        pytest.param({"spec": {"a": {"proxy": 1}}}, Severity.ERROR, ("spec", "a", "proxy"), id="a number in its place"),
        pytest.param({"spec": "${SPEC}"}, Severity.WARNING, ("spec",), id="a template on the way"),
    ],
)
def test_something_else_in_the_way_is_reported(data: Any, severity: Severity, path: tuple[str, ...]) -> None:
    edit, (finding,) = written(data, DEEP)

    assert edit is None
    assert (finding.severity, finding.path) == (severity, path)


@pytest.mark.parametrize(
    ("keys", "there", "after", "change"),
    [
        pytest.param(
            LIST._replace(is_fixed=True), "a,b", NO.split(","), "a list instead of a string", id="a list, not a text"
        ),
        pytest.param(
            LIST._replace(is_fixed=True), NO, NO.split(","), "a list instead of a string", id="even of the same entries"
        ),
        pytest.param(
            SHORT._replace(no="additionalNo", is_fixed=True), ["a"], NO, "a string instead of a list", id="a text"
        ),
        pytest.param(LIST, {"a": 1}, NO.split(","), "a list instead of a mapping", id="what is neither, in any case"),
    ],
)
def test_a_form_that_cannot_be_read_is_rewritten_and_described(keys: Keys, there: Any, after: Any, change: str) -> None:
    data = {"http": HTTP, "https": HTTPS, "additionalNo": there}
    edit, _ = written(data, ThreeKeys((), keys, "the proxy"))

    assert edit is not None
    assert edit.message.endswith(f"writes `additionalNo` in the proxy as {change}")
    assert patch.apply(copy.deepcopy(data), edit.operations)["additionalNo"] == after


def test_an_edit_says_in_words_what_it_does() -> None:
    data = {"httpProxy": "http://old:1", "noProxy": ["a", "b"]}
    edit, _ = written(data, ROOT, ProxySettings(HTTP, HTTPS))

    assert edit is not None
    assert edit.message == "sets the proxy in the proxy, removes `noProxy` in the proxy"


@pytest.mark.parametrize(
    ("there", "after"),
    [
        pytest.param(["https", "noProxy"], ["http", "https", "noProxy"], id="in front of the next"),
        pytest.param(["x", "noProxy", "z"], ["x", "http", "https", "noProxy", "z"], id="both of them"),
        pytest.param(["http", "x"], ["http", "x", "https", "noProxy"], id="at the end where none follows"),
    ],
)
def test_a_new_member_stands_where_it_would_have_stood(there: list[str], after: list[str]) -> None:
    draft = Draft(dict.fromkeys(there, "old"))

    ThreeKeys((), SHORT, "the proxy").in_draft(draft).write(FULL.variables())

    assert list(draft.data) == after


# A switch beside them.

SWITCHED = ThreeKeys(("proxy",), CAMEL, "the proxy", switch="enabled")


def test_a_switch_comes_and_goes_with_them() -> None:
    assert applied({"proxy": {"a": 1}}, SWITCHED) == {"proxy": {"a": 1, "enabled": True, **MEMBERS}}
    assert applied({"proxy": {"enabled": True, **MEMBERS}}, SWITCHED, NONE) == {"proxy": {}}


def test_a_switch_that_is_off_is_a_persons() -> None:
    edit, (finding,) = written({"proxy": {"enabled": False}}, SWITCHED)

    assert edit is None
    assert (finding.severity, finding.path) == (Severity.WARNING, ("proxy", "enabled"))
    assert applied({"proxy": {"enabled": False, "noProxy": "x"}}, SWITCHED, NONE) == {"proxy": {"enabled": False}}


def test_what_turns_the_switch_is_described() -> None:
    on, _ = written({}, SWITCHED)
    off, _ = written({"proxy": {"enabled": True}}, SWITCHED, NONE)

    assert on is not None
    assert on.message.endswith("sets `enabled` to true in the proxy")
    assert off is not None
    assert off.message == "removes `enabled` in the proxy"
    assert applied({"proxy": {"enabled": True, "noProxy": []}}, SWITCHED, NONE) == {"proxy": {}}


def test_members_beside_a_switch_that_is_off_say_nothing() -> None:
    assert list(SWITCHED.read({"proxy": {"enabled": False, **MEMBERS}})) == []
    assert {one.value for one in SWITCHED.read({"proxy": {"enabled": True, **MEMBERS}})} == {HTTP, HTTPS, NO}


# What is seen.


@pytest.mark.parametrize(
    ("data", "values"),
    [
        pytest.param(MEMBERS, FULL.variables(), id="all of them"),
        pytest.param({"noProxy": ["a", 1, "b"]}, {"NO_PROXY": "a,b", "no_proxy": "a,b"}, id="a list"),
        pytest.param({"httpProxy": "", "httpsProxy": None, "noProxy": 1}, {}, id="nothing that is a text"),
        pytest.param([1], {}, id="a list in its place"),
        pytest.param(None, {}, id="nothing"),
    ],
)
def test_what_is_there_is_seen_in_both_cases(data: Any, values: dict[str, str]) -> None:
    assert {one.variable: one.value for one in ROOT.read(data)} == values


def test_a_member_is_called_by_its_own_name() -> None:
    assert {(one.member, one.path) for one in ROOT.read({"noProxy": "x"})} == {("noProxy", ("noProxy",))}


@pytest.mark.parametrize(
    ("data", "is_set"),
    [
        pytest.param({"noProxy": ""}, True, id="one that says nothing"),
        pytest.param({"proxy": "x"}, False, id="other members"),
        pytest.param(["noProxy"], False, id="a list"),
        pytest.param(None, False, id="nothing"),
    ],
)
def test_whether_one_of_them_is_there(data: Any, is_set: bool) -> None:
    assert ROOT.is_in(data) is is_set


# What nobody thought of.

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
def test_data_of_any_shape_comes_to_the_settings_or_is_reported(
    data: Any, first: ProxySettings, second: ProxySettings, kept: int
) -> None:
    slot = ThreeKeys(("spec", "a", "proxy"), CAMEL, "the proxy", kept)
    if written(data, slot, first)[1]:
        return

    once = applied(data, slot, first)

    wanted = {name: value for name, value in zip(CAMEL.names, _texts(second), strict=True) if value}
    held = patch.lookup(applied(once, slot, second), slot.path) or {}
    assert {name: _text(value) for name, value in held.items() if name in CAMEL.names} == wanted


def _texts(settings: ProxySettings) -> tuple[str, str, str]:
    return (settings.http_proxy, settings.https_proxy, settings.no_proxy)


def _text(value: Any) -> Any:
    return ",".join(value) if isinstance(value, list) else value
