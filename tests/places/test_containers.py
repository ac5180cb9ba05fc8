"""The environment of one container: what stays, what becomes right, what is reported, what is read."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn.places.containers import EnvEntries
from krm_fn.products.proxy_keys import UPPER
from krm_fn.settings import PROXY_VARIABLES, ProxySettings
from places_forms import place, read, reported, write, written
from proposals import FULL, HTTP, HTTPS, NO, NONE, env, proxy_settings

AT = place(EnvEntries(), "env")
KEEPING = AT._replace(on_conflict_keep=True)
POD_NAMESPACE = {"name": "POD_NAMESPACE", "valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}}}
DEBUG = {"name": "DEBUG", "value": "1"}
FROM_CONFIG = {"configMapKeyRef": {"name": "cert-manager-app-proxy", "key": "http_proxy", "optional": True}}
FROM_SECRET = {"secretKeyRef": {"name": "s", "key": "k"}}
OURS = env(FULL.variables)
ONLY_HTTP = ProxySettings(http_proxy=HTTP)


@pytest.mark.parametrize(
    ("fields", "settings"),
    [
        pytest.param({"env": [{"value": HTTP, "name": "HTTP_PROXY"}, OURS[1]]}, ONLY_HTTP, id="value before name"),
        pytest.param({"env": []}, NONE, id="no proxy is wanted and the list is empty"),
    ],
)
def test_what_must_not_change(fields: Any, settings: ProxySettings) -> None:
    draft, findings = write(fields, AT, settings)
    assert (draft.edits, findings) == (0, [])


@pytest.mark.parametrize(
    ("before", "settings", "expected"),
    [
        pytest.param(None, FULL, OURS, id="a missing list is made, in the order of the settings"),
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
            [OURS[1], DEBUG, {"name": "http_proxy", "value": "http://old:1"}, OURS[0], OURS[0]],
            ONLY_HTTP,
            [OURS[1], DEBUG, OURS[0]],
            id="repeated names become one, at the first place",
        ),
        pytest.param([*OURS[:2], *OURS[4:]], FULL, OURS, id="a pair that is missing among ours takes its place there"),
        pytest.param(
            [OURS[0], OURS[2], OURS[4]],
            FULL,
            [OURS[0], OURS[2], OURS[4], OURS[1], OURS[3], OURS[5]],
            id="upper-case entries of a chart keep their order, the others follow",
        ),
        pytest.param([OURS[4], OURS[5], DEBUG], FULL, [OURS[4], OURS[5], DEBUG, *OURS[:4]], id="ours before another"),
    ],
)
def test_the_entries_become_right(before: Any, settings: ProxySettings, expected: Any) -> None:
    fields = {"name": "manager"} if before is None else {"name": "manager", "env": before}

    result = written(fields, AT, settings)

    assert result == {"name": "manager", "env": expected}


def test_a_dollar_is_written_twice_for_kubernetes() -> None:
    settings = ProxySettings(http_proxy="http://user:a$(b)$c@proxy:3128")

    result = written({}, AT, settings)
    assert result["env"][0]["value"] == "http://user:a$$(b)$$c@proxy:3128"
    assert read(result, AT) == settings.variables


def test_a_program_that_knows_one_case_gets_that_case() -> None:
    at = place(EnvEntries(UPPER), "env")
    result = written({}, at)
    assert result == {"env": [OURS[0], OURS[2], OURS[4]]}
    assert read(result, at) == FULL.variables


@pytest.mark.parametrize("value", [{}, {"HTTP_PROXY": HTTP}, "HTTP_PROXY=x", 7, True])
@pytest.mark.parametrize(
    ("settings", "paths"),
    [pytest.param(FULL, [("env",)], id="reported"), pytest.param(NONE, [], id="no obstacle to a removal")],
)
def test_an_env_of_a_wrong_type_is_left_alone(value: Any, settings: ProxySettings, paths: list[Any]) -> None:
    assert written({"env": value}, AT, settings) == {"env": value}
    assert [path for _, path in reported({"env": value}, AT, settings)] == paths


@pytest.mark.parametrize(
    ("entry", "codes"),
    [
        pytest.param({"name": "HTTPS_PROXY", "valueFrom": FROM_SECRET}, ["PasswordExposed"], id="a Secret"),
        pytest.param({"name": "HTTPS_PROXY", "valueFrom": FROM_CONFIG}, [], id="a ConfigMap"),
    ],
)
@pytest.mark.parametrize("settings", [FULL, NONE])
def test_a_value_that_leaves_its_secret_is_a_warning(entry: Any, codes: list[str], settings: ProxySettings) -> None:
    assert [code for code, _ in reported({"env": [entry]}, AT, settings)] == codes


@pytest.mark.parametrize(
    ("entry", "value", "why"),
    [
        pytest.param({"value": "a$$b$c$$(d)"}, "a$b$c$(d)", "", id="dollars undone"),
        pytest.param({"value": "x,$(HOST_IP)"}, None, "it refers to another variable", id="a reference"),
        pytest.param({"valueFrom": FROM_SECRET}, None, "it comes from a `valueFrom`", id="a Secret"),
    ],
)
def test_an_entry_is_read_as_kubernetes_reads_it(entry: dict[str, Any], value: str | None, why: str) -> None:
    data = {"env": [None, DEBUG, *env({"NO_PROXY": "first"}), {"name": "NO_PROXY", **entry}]}
    (reading,) = AT.form.read(data, AT)
    assert (reading.variable, reading.value, reading.why_unknown) == ("NO_PROXY", value, why)
    assert reading.path[:2] == ("env", "3")


def test_what_env_from_may_set_is_beside_each_reading() -> None:
    (reading,) = EnvEntries(env_from=[{"configMapRef": {"name": "a"}}, "x"]).read({"env": [OURS[0]]}, AT)
    assert reading.maybe_elsewhere == {*UPPER}


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


@given(st.lists(_ENTRIES), _SETTINGS, st.booleans())
def test_others_stay_in_order_and_ours_are_once_each(entries: list[Any], settings: ProxySettings, keeps: bool) -> None:
    result = written({"env": entries}, KEEPING if keeps else AT, settings).get("env", [])

    assert list(filter(is_other, result)) == list(filter(is_other, entries))
    if not keeps:
        ours = [(entry["name"], entry["value"].replace("$$", "$")) for entry in result if not is_other(entry)]
        assert sorted(ours) == sorted(settings.variables.items())


@given(st.lists(_OTHERS), _SETTINGS, _SETTINGS)
def test_two_runs_end_as_one_and_back_is_back(entries: list[Any], first: ProxySettings, second: ProxySettings) -> None:
    fields = {"name": "manager", "env": entries} if entries else {"name": "manager"}
    once = written(fields, AT, second)

    assert written(written(fields, AT, first), AT, second) == once
    assert written(once, AT, NONE) == fields
