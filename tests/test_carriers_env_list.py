"""The environment of one container: what stays, what becomes right, what is reported."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn import patch
from krm_fn.carriers.env_list import OVERRIDE, EnvList
from krm_fn.places.containers import Container, containers, labels, report_wrong_types
from krm_fn.carriers.site import write_sites
from krm_fn.engine import Draft
from krm_fn.krm.results import Edit, Finding, Severity
from krm_fn.settings import PROXY_VARIABLES, ProxySettings
from proposals import FULL, HTTP, HTTPS, NO, NONE, env, proxy_settings

PATH = ("spec", "template", "spec", "containers", "0")
POD_NAMESPACE = {"name": "POD_NAMESPACE", "valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}}}
DEBUG = {"name": "DEBUG", "value": "1"}
FROM_CONFIG = {"configMapKeyRef": {"name": "cert-manager-app-proxy", "key": "http_proxy", "optional": True}}
OURS = env(FULL.variables())
ONLY_HTTP = ProxySettings(http_proxy=HTTP)


def workload(fields: Any) -> dict[str, Any]:
    return {"spec": {"template": {"spec": {"containers": [copy.deepcopy(fields)]}}}}


def say(fields: Any, settings: ProxySettings = FULL, conflict: str = OVERRIDE) -> list[Edit | Finding]:
    obj = workload(fields)
    draft = Draft(obj)
    edit = write_sites(draft, [EnvList(draft, Container("manager", PATH, fields), conflict)], settings.variables())
    assert obj == workload(fields)
    return [*draft.findings, *([edit] if edit else [])]


def after(fields: Any, settings: ProxySettings = FULL, conflict: str = OVERRIDE) -> Any:
    """The container after one run; the run after it must want nothing."""
    edits = [said for said in say(fields, settings, conflict) if isinstance(said, Edit)]
    operations = [operation for edit in edits for operation in edit.operations]
    result = patch.apply(workload(fields), operations)["spec"]["template"]["spec"]["containers"][0]
    assert not [said for said in say(result, settings, conflict) if isinstance(said, Edit)]
    return result


def reported(fields: Any, settings: ProxySettings = FULL, conflict: str = OVERRIDE) -> list[Finding]:
    return [said for said in say(fields, settings, conflict) if isinstance(said, Finding)]


@pytest.mark.parametrize(
    ("fields", "settings"),
    [
        pytest.param({"name": "manager", "env": OURS}, FULL, id="six entries that are right"),
        pytest.param({"env": [*OURS[::-1], DEBUG]}, FULL, id="six entries that are right, in another order"),
        pytest.param({"env": [{"value": HTTP, "name": "HTTP_PROXY"}, OURS[1]]}, ONLY_HTTP, id="value before name"),
        pytest.param({"env": [DEBUG, POD_NAMESPACE]}, NONE, id="no proxy is wanted and none is there"),
        pytest.param({"name": "manager"}, NONE, id="no proxy is wanted and there is no list"),
        pytest.param({"env": None}, NONE, id="no proxy is wanted and the list is null"),
        pytest.param({"env": []}, NONE, id="no proxy is wanted and the list is empty"),
        pytest.param(
            {"env": ["HTTP_PROXY", None, 7, {"name": ["HTTP_PROXY"]}]}, NONE, id="entries that are no entries"
        ),
        pytest.param({"env": env({"MY_HTTP_PROXY": "x", "Http_Proxy": "y", "ALL_PROXY": "z"})}, NONE, id="other names"),
    ],
)
def test_what_must_not_change(fields: Any, settings: ProxySettings) -> None:
    assert say(fields, settings) == []


@pytest.mark.parametrize(
    ("before", "settings", "expected"),
    [
        pytest.param(None, FULL, OURS, id="a missing list is made, in the order of the settings"),
        pytest.param([], FULL, OURS, id="an empty list is filled"),
        pytest.param([POD_NAMESPACE], FULL, [POD_NAMESPACE, *OURS], id="new entries stand at the end"),
        pytest.param(
            [{"name": "HTTP_PROXY", "value": "http://old:1"}, DEBUG],
            ONLY_HTTP,
            [OURS[0], DEBUG, OURS[1]],
            id="a wrong value is replaced where it is",
        ),
        pytest.param(
            [{"name": "HTTP_PROXY", "valueFrom": FROM_CONFIG}],
            ONLY_HTTP,
            OURS[:2],
            id="a valueFrom goes with its entry, never beside a value",
        ),
        pytest.param(
            [{"name": "HTTP_PROXY", "value": HTTP, "valueFrom": FROM_CONFIG}],
            ONLY_HTTP,
            OURS[:2],
            id="an invalid entry with value and valueFrom becomes valid",
        ),
        pytest.param([{"name": "http_proxy"}], ONLY_HTTP, [OURS[1], OURS[0]], id="an entry without a value gets one"),
        pytest.param(
            [OURS[1], DEBUG, {"name": "http_proxy", "value": "http://old:1"}, OURS[0], OURS[0]],
            ONLY_HTTP,
            [OURS[1], DEBUG, OURS[0]],
            id="repeated names become one, at the first place",
        ),
        pytest.param(
            [{"name": "http_proxy", "value": "http://old:1"}, OURS[1]],
            ONLY_HTTP,
            [OURS[1], OURS[0]],
            id="the first of a repeated name stays although a later one is right",
        ),
        pytest.param([*OURS[:2], *OURS[4:]], FULL, OURS, id="a pair that is missing among ours takes its place there"),
        pytest.param(
            [OURS[0], OURS[2], OURS[4]],
            FULL,
            [OURS[0], OURS[2], OURS[4], OURS[1], OURS[3], OURS[5]],
            id="upper-case entries of a chart keep their order, the others follow",
        ),
        pytest.param([OURS[4], OURS[5], DEBUG], FULL, [OURS[4], OURS[5], DEBUG, *OURS[:4]], id="ours before another"),
        pytest.param([*OURS, DEBUG], ONLY_HTTP, [*OURS[:2], DEBUG], id="a variable no setting asks for goes"),
        pytest.param(OURS[2:], ONLY_HTTP, OURS[:2], id="all that stand there go and others come"),
        pytest.param([DEBUG, *OURS], NONE, [DEBUG], id="no proxy: the six go"),
        pytest.param(OURS, NONE, None, id="no proxy: an emptied list goes with its key"),
        pytest.param(
            [{"name": "NO_PROXY", "valueFrom": FROM_CONFIG}, None, OURS[5]], NONE, [None], id="no proxy: any form goes"
        ),
    ],
)
def test_the_entries_become_right(before: Any, settings: ProxySettings, expected: Any) -> None:
    fields = {"name": "manager", "env": before} if before is not None else {"name": "manager"}

    result = after(fields, settings)

    assert result == ({"name": "manager", "env": expected} if expected is not None else {"name": "manager"})


def test_a_null_list_is_filled() -> None:
    assert after({"env": None}) == {"env": OURS}


def test_only_the_value_of_a_plain_entry_is_written_so_that_its_style_and_comments_stay() -> None:
    (change,) = say({"env": [{"name": "HTTP_PROXY", "value": "http://old:1"}, OURS[1]]}, ONLY_HTTP)

    assert isinstance(change, Edit)
    assert change.operations == (patch.replace(*PATH, "env", 0, "value", value=HTTP),)


def test_a_dollar_is_written_twice_for_kubernetes() -> None:
    settings = ProxySettings(http_proxy="http://user:a$(b)$c@proxy:3128")

    assert after({}, settings)["env"][0]["value"] == "http://user:a$$(b)$$c@proxy:3128"


@pytest.mark.parametrize("value", [{}, {"HTTP_PROXY": HTTP}, "HTTP_PROXY=x", 7, True])
@pytest.mark.parametrize("settings", [FULL, NONE])
def test_an_env_of_a_wrong_type_is_reported_and_left_alone(value: Any, settings: ProxySettings) -> None:
    (finding,) = say({"env": value}, settings)

    assert finding.severity is Severity.ERROR
    assert finding.message.startswith("`env` must be a list, not a ")
    assert finding.path == (*PATH, "env")


@pytest.mark.parametrize(
    ("fields", "settings", "expected"),
    [
        pytest.param({}, FULL, "sets the proxy in"),
        pytest.param({"env": [DEBUG, OURS[0]]}, ONLY_HTTP, "sets `http_proxy` in"),
        pytest.param({"env": [*OURS[:2], OURS[0]]}, ONLY_HTTP, "removes a second entry `HTTP_PROXY` from"),
        pytest.param({"env": OURS[:3]}, ONLY_HTTP, "removes `HTTPS_PROXY` in"),
        pytest.param({"env": OURS[:2]}, NONE, "removes the proxy in"),
    ],
)
def test_a_change_says_what_it_does_and_for_whom(fields: Any, settings: ProxySettings, expected: str) -> None:
    (change,) = say(fields, settings)
    assert change.message == f'{expected} container "manager"'


def test_keep_changes_nothing_that_is_there() -> None:
    there = [{"name": "HTTP_PROXY", "valueFrom": FROM_CONFIG}, DEBUG, *env({"NO_PROXY": "a", "no_proxy": NO})]

    assert after({"env": there}, FULL, "Keep") == {"env": [*there, OURS[2], OURS[3]]}


def test_keep_tells_what_stays_and_warns_about_the_twin_it_does_not_add() -> None:
    said = reported({"env": [{"name": "HTTP_PROXY", "value": "http://old:1"}]}, ONLY_HTTP, "Keep")

    assert [(finding.severity, finding.message.split(",")[0]) for finding in said] == [
        (Severity.INFO, '`HTTP_PROXY` in container "manager" stays as it is'),
        (Severity.WARNING, '`http_proxy` is not added in container "manager"'),
    ]


def test_keep_adds_the_twin_of_an_entry_that_says_the_same() -> None:
    assert after({"env": [OURS[0]]}, ONLY_HTTP, "Keep") == {"env": OURS[:2]}


@pytest.mark.parametrize("settings", [NONE, ONLY_HTTP])
def test_keep_removes_nothing_because_nothing_tells_whose_it_is(settings: ProxySettings) -> None:
    fields = {"env": [*OURS, OURS[0]]}

    assert after(fields, settings, "Keep") == fields
    assert {finding.severity for finding in reported(fields, settings, "Keep")} == {Severity.INFO}


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"name": "HTTP_PROXY", "value": "http://old:1"}, f'must be "{HTTP}" and is "http://old:1"'),
        ({"name": "HTTP_PROXY", "valueFrom": FROM_CONFIG}, f'must be "{HTTP}" and comes from a `valueFrom`'),
        ({"name": "HTTP_PROXY", "value": None}, f'must be "{HTTP}" and is ""'),
        ({"name": "NO_PROXY", "value": "a,b"}, 'must not be set and is "a,b"'),
    ],
)
def test_fail_makes_a_differing_entry_an_error_that_names_both(entry: Any, expected: str) -> None:
    (finding,) = reported({"env": [DEBUG, entry]}, ONLY_HTTP, "Fail")

    assert finding.severity is Severity.ERROR
    assert finding.path == (*PATH, "env", "1")
    assert f'`{entry["name"]}` in container "manager" {expected} ' in finding.message


def test_no_credential_of_either_side_is_in_the_message_of_a_conflict() -> None:
    settings = ProxySettings(http_proxy="http://new:geheim@proxy:3128")
    (finding,) = reported({"env": [{"name": "HTTP_PROXY", "value": "old:secret@proxy:1"}]}, settings, "Fail")

    assert 'must be "http://proxy:3128" and is "***"' in finding.message
    assert "geheim" not in finding.message
    assert "secret" not in finding.message


def test_fail_is_content_with_equal_values_and_removes_like_override() -> None:
    assert reported({"env": [OURS[0]]}, ONLY_HTTP, "Fail") == []
    assert after({"env": [OURS[0], OURS[0]]}, ONLY_HTTP, "Fail") == {"env": OURS[:2]}
    assert after({"env": [{"name": "HTTP_PROXY", "value": "http://old:1"}]}, NONE, "Fail") == {}
    assert reported({"env": [{"name": "HTTP_PROXY", "value": "http://old:1"}]}, NONE, "Fail") == []


@pytest.mark.parametrize(
    ("fields", "dangles"),
    [
        pytest.param({"env": [OURS[0], {"name": "A", "value": "x$(HTTP_PROXY)"}]}, True, id="in a later entry"),
        pytest.param({"env": [OURS[0]], "args": ["--proxy=$(HTTP_PROXY)", 1]}, True, id="in an argument"),
        pytest.param({"env": [OURS[0]], "command": ["run", "$$$(HTTP_PROXY)"]}, True, id="behind an escaped dollar"),
        pytest.param({"env": [OURS[0]], "args": ["$$(HTTP_PROXY)"]}, False, id="escaped, so no reference"),
        pytest.param({"env": [OURS[0]], "args": "$(HTTP_PROXY)"}, False, id="arguments of a wrong type"),
        pytest.param({"env": [OURS[0]], "args": ["$(HTTPS_PROXY)"]}, False, id="to a variable that never was there"),
    ],
)
def test_a_reference_to_a_removed_variable_is_a_warning(fields: Any, dangles: bool) -> None:
    expected = ['`$(HTTP_PROXY)` in container "manager" refers to a variable that is removed: remove the reference']

    assert [finding.message for finding in reported(fields, NONE)] == (expected if dangles else [])


def test_labels_are_read_from_the_object_and_from_its_template() -> None:
    obj = {"metadata": {"labels": {"app": "a"}}, "spec": {"template": {"metadata": {"labels": {"app": "b"}}}}}

    assert labels(obj, "app") == {"a", "b"}
    assert labels({"metadata": {"labels": ["app"]}, "spec": None}, "app") == set()
    assert labels({"metadata": {"labels": {"app": 7}}}, "app") == set()


@pytest.mark.parametrize(
    ("obj", "path", "message"),
    [
        ({"spec": 1}, ("spec",), "`spec` must be a mapping, not a number"),
        ({"spec": {"template": []}}, ("spec", "template"), "`template` must be a mapping, not a list"),
        (
            {"spec": {"template": {"spec": {"containers": {}}}}},
            ("spec", "template", "spec", "containers"),
            "`containers` must be a list, not a mapping",
        ),
    ],
)
def test_a_pod_template_of_a_wrong_type_is_reported(obj: Any, path: tuple[str, ...], message: str) -> None:
    draft = Draft(obj)
    report_wrong_types(draft)
    assert draft.findings == [
        Finding(Severity.ERROR, f"{message}; correct it, or leave it out", path, code="WrongType")
    ]
    assert list(containers(obj)) == []


@pytest.mark.parametrize(
    "obj",
    [{}, {"spec": None}, {"spec": {"template": {"spec": {"containers": None}}}}],
    ids=["nothing", "null", "null list"],
)
def test_a_missing_pod_template_holds_no_containers(obj: Any) -> None:
    draft = Draft(obj)
    report_wrong_types(draft)
    assert draft.findings == []
    assert list(containers(obj)) == []


def test_containers_without_a_name_and_items_that_are_none_are_passed_by() -> None:
    items = [None, "x", {"name": 3}, {"name": "b"}]
    found = list(containers({"spec": {"template": {"spec": {"containers": items}}}}))

    assert [(container.name, container.path[-1]) for container in found] == [("", "2"), ("b", "3")]


_VALUES = st.sampled_from(["", "http://a:1", HTTP, HTTPS, NO, "$(X)"])
_SETTINGS = st.builds(proxy_settings, *[st.sampled_from(["", "x", "y$z"])] * 3)
_OTHERS = st.sampled_from([DEBUG, POD_NAMESPACE, None, "text", {"name": 1}, {"name": "A", "value": "b"}])
_ENTRIES = st.one_of(
    _OTHERS,
    st.builds(lambda name, value: {"name": name, "value": value}, st.sampled_from(PROXY_VARIABLES), _VALUES),
    st.builds(lambda name: {"name": name, "valueFrom": FROM_CONFIG}, st.sampled_from(PROXY_VARIABLES)),
)


def is_other(entry: Any) -> bool:
    return not (isinstance(entry, dict) and entry.get("name") in PROXY_VARIABLES)


@given(st.lists(_ENTRIES), _SETTINGS, st.sampled_from(["Override", "Keep", "Fail"]))
def test_property_other_entries_and_their_order_stay_and_twice_is_once(
    entries: list[Any], settings: ProxySettings, conflict: str
) -> None:
    result = after({"env": entries}, settings, conflict).get("env", [])

    assert list(filter(is_other, result)) == list(filter(is_other, entries))


@given(st.lists(_ENTRIES), _SETTINGS)
def test_property_override_gives_each_wanted_variable_once_and_no_other(
    entries: list[Any], settings: ProxySettings
) -> None:
    result = after({"env": entries}, settings).get("env", [])

    ours = {entry["name"]: entry["value"].replace("$$", "$") for entry in result if not is_other(entry)}
    assert ours == settings.variables()
    assert len(ours) == sum(not is_other(entry) for entry in result)


@given(st.lists(_OTHERS), _SETTINGS, _SETTINGS)
def test_property_changed_settings_end_where_one_run_would_and_back_is_back(
    entries: list[Any], first: ProxySettings, second: ProxySettings
) -> None:
    fields = {"name": "manager", "env": entries} if entries else {"name": "manager"}
    once = after(fields, second)

    assert after(after(fields, first), second) == once
    assert after(once, NONE) == fields


@pytest.mark.parametrize(
    ("settings", "goes"),
    [
        pytest.param(FULL, "is replaced by a value in clear text", id="a password would come out of its Secret"),
        pytest.param(NONE, "is removed", id="no proxy is wanted"),
    ],
)
def test_a_value_that_leaves_its_secret_is_a_warning(settings: ProxySettings, goes: str) -> None:
    fields = {"env": [{"name": "HTTPS_PROXY", "valueFrom": {"secretKeyRef": {"name": "corp-proxy", "key": "https"}}}]}

    (warning,) = reported(fields, settings)

    assert warning.severity is Severity.WARNING
    assert goes in warning.message
    assert Severity.WARNING not in [one.severity for one in reported(fields, NONE, "Keep")]


@pytest.mark.parametrize(
    ("value", "settings", "severity"),
    [
        pytest.param("http://svc:p%40ss@old:1", NONE, Severity.WARNING, id="a removal leaves a password"),
        pytest.param("http://old:1", NONE, Severity.INFO, id="a removal leaves a proxy without one"),
        pytest.param("http://svc:p%40ss@old:1", FULL, Severity.INFO, id="another password that somebody kept"),
    ],
)
def test_a_password_that_keep_leaves_behind_is_a_warning(
    value: str, settings: ProxySettings, severity: Severity
) -> None:
    said, *_ = reported({"env": [{"name": "HTTP_PROXY", "value": value}]}, settings, "Keep")

    assert (said.severity, said.code) == (severity, "ValueKept")
    assert "p%40ss" not in said.message
