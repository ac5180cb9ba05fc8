"""The Secret with the drop-ins of a Cluster: filled where it is, made where it is wanted, gone when it is empty."""

from __future__ import annotations

from typing import Any

import pytest

from all_targets import TARGETS
from edits import remove
from judges import systemd_environment
from krm_fn.krm.results import Severity
from krm_fn.settings import ProxySettings
from manifests import named
from proposals import FULL, HTTP, HTTPS, NO, NONE, apply, changes, findings, proposals
from support import base64_of

target = TARGETS["giantswarm.systemdProxy"]

NAME = "mycluster-systemd-proxy"
TEXT = f"""[Service]
Environment="HTTP_PROXY={HTTP}"
Environment="http_proxy={HTTP}"
Environment="HTTPS_PROXY={HTTPS}"
Environment="https_proxy={HTTPS}"
Environment="NO_PROXY={NO}"
Environment="no_proxy={NO}"
"""
OLD = '[Service]\nEnvironment="HTTP_PROXY=http://old:1"\n'
CLUSTER = named("Cluster", "mycluster", namespace="org-giantswarm")


def secret(name: str = NAME, **members: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": "org"}, **members}


def made(**members: Any) -> dict[str, Any]:
    (data,) = target.companions(CLUSTER, FULL, {})
    return {**data, **members}


# What must not change.


@pytest.mark.parametrize(
    ("obj", "settings"),
    [
        pytest.param(secret("mycluster-cluster-values", stringData={"containerdProxy": OLD}), FULL, id="another name"),
        pytest.param(secret("-systemd-proxy", stringData={"containerdProxy": OLD}), FULL, id="no Cluster in its name"),
        pytest.param(secret(stringData={"containerdProxy": TEXT}), FULL, id="what is right already"),
        pytest.param(
            secret(data={"containerdProxy": base64_of(OLD)}, stringData={"containerdProxy": TEXT}),
            FULL,
            id="data that stringData stands before",
        ),
        pytest.param(secret(), NONE, id="no text and no proxy"),
    ],
)
def test_nothing_changes(obj: dict[str, Any], settings: ProxySettings) -> None:
    assert proposals(target, obj, settings) == []


# What comes out.


def test_an_existing_secret_is_filled_beside_another_key_in_base64() -> None:
    other = {"other": "eA=="}
    assert apply(target, secret(data=other)) == secret(data=other, stringData={"containerdProxy": TEXT})


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        pytest.param(
            secret(data={"containerdProxy": base64_of(OLD), "other": "eA=="}, stringData={"containerdProxy": TEXT}),
            secret(data={"other": "eA=="}),
            id="one key in both places",
        ),
        pytest.param(
            secret(data={"containerdProxy": None}, stringData={"containerdProxy": TEXT}),
            secret(data={"containerdProxy": None}),
            id="null in data, which injection left there",
        ),
        pytest.param(
            made(stringData={"containerdProxy": TEXT, "notes": "x"}),
            made(stringData={"notes": "x"}),
            id="one that was made, and holds something else by now",
        ),
    ],
)
def test_removal_leaves_what_is_not_ours(obj: dict[str, Any], expected: dict[str, Any]) -> None:
    assert apply(target, obj, NONE) == expected


def test_removal_takes_out_a_secret_that_was_made_with_what_is_in_its_data() -> None:
    there = {**apply(target, made()), "data": {"containerdProxy": base64_of(OLD)}}
    (change,) = changes(target, there, NONE)
    assert [*change.operations] == [remove()]


@pytest.mark.parametrize("value", ["a&b", "a+b", "a'b", "a<b>", 'a"b', "a%b", "a\\b", "a$b", "&+'<\"%"])
def test_systemd_reads_what_html_would_have_spoilt(value: str) -> None:
    """``cluster-apps-operator`` escapes the drop-in for HTML."""
    settings = ProxySettings(f"http://u:{value}@p:1", "", f"localhost,{value}")
    text = apply(target, made(), settings)["stringData"]["containerdProxy"]
    assert systemd_environment(text).items() >= settings.variables.items()


# What is reported.


def test_a_value_that_no_unit_file_can_carry_is_an_error() -> None:
    (finding,) = findings(target, secret(), ProxySettings("http://p:1\n"))
    assert finding.severity is Severity.ERROR


@pytest.mark.parametrize("settings", [pytest.param(FULL, id="set"), pytest.param(NONE, id="removed")])
def test_a_text_with_a_section_header_that_systemd_rejects_stays_with_a_warning(settings: ProxySettings) -> None:
    obj = secret(stringData={"containerdProxy": OLD.replace("]", "] # proxy")})
    assert changes(target, obj, settings) == []
    (finding,) = findings(target, obj, settings)
    assert (finding.code, finding.path) == ("TextUnreadable", ("stringData", "containerdProxy"))
