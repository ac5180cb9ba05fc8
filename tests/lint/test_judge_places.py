"""The judge of the places of one object: readings in, findings out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from all_targets import TARGETS
from function_configs import proxy_config
from krm_fn.clusters import ClusterNetwork, Fact
from krm_fn.config import load
from krm_fn.krm.results import ObjectRef
from krm_fn.lint.judge_places import judge_config, judge_places
from krm_fn.lint.judge_values import Reader
from krm_fn.noproxy import Audience, Policy, join
from krm_fn.noproxy.composition import compose
from krm_fn.places.place import Reading
from krm_fn.settings import PROXY_VARIABLES, ProxySettings

PROXY = "http://proxy.corp.example:3128"
NETWORK = ClusterNetwork(
    pod_cidrs=(Fact("192.168.0.0/16"),),
    service_cidrs=(Fact("10.96.0.0/12"),),
    service_domain=(Fact("cluster.local"),),
    endpoint=(Fact("203.0.113.7"),),
    infrastructure=(Fact("AWSCluster"),),
)
NODE = Audience.NODE
FILE = "/etc/systemd/system/containerd.service.d/http-proxy.conf"
LOOPBACK = "localhost,127.0.0.1"


def good(audience: Audience = NODE) -> str:
    """A list without a problem."""
    return join(compose((), (NETWORK,), Policy(), audience))


def readings(values: dict[str, str | None], place: str = "a place", **more: Any) -> list[Reading]:
    return [
        Reading(name, value, ("spec", place, name), value or "", place, "" if value else "it is elsewhere", **more)
        for name, value in values.items()
    ]


def all_six(http: str | None = PROXY, no_proxy: str | None = LOOPBACK) -> dict[str, str | None]:
    return {name: no_proxy if name.upper() == "NO_PROXY" else http for name in PROXY_VARIABLES}


def codes(of: Iterable[Reading], audience: Audience = NODE, **more: Any) -> list[str]:
    findings = judge_places(of, Reader(audience, **more), {})
    return sorted(finding.code for finding in findings)


@pytest.mark.parametrize("name", TARGETS)
def test_what_every_target_writes_has_no_findings(name: str) -> None:
    audience = TARGETS[name].audience
    variables: dict[str, str | None] = {**ProxySettings(PROXY, PROXY, good(audience)).variables}
    places = [*readings(variables, file=FILE, permissions="0640"), *readings(variables, "b")]
    assert codes(places, audience, networks=(NETWORK,)) == []


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        pytest.param({"NO_PROXY": LOOPBACK, "no_proxy": LOOPBACK}, [], id="a list without a proxy"),
        pytest.param({**all_six(), "http_proxy": "http://other:1"}, ["CasesDiffer"], id="two cases, two values"),
        pytest.param(
            {"HTTP_PROXY": PROXY, "http_proxy": PROXY, "NO_PROXY": LOOPBACK, "no_proxy": LOOPBACK},
            ["HttpsProxyMissing"],
            id="a proxy for http:// alone",
        ),
        pytest.param({"HTTPS_PROXY": PROXY, "no_proxy": LOOPBACK}, ["CaseMissing", "CaseMissing"], id="one case only"),
    ],
)
def test_what_one_place_says(values: dict[str, str | None], expected: list[str]) -> None:
    assert codes(readings(values)) == expected


def test_what_may_come_from_elsewhere_is_not_missed() -> None:
    beside = frozenset({"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"})
    assert codes(readings({"HTTP_PROXY": PROXY}, maybe_elsewhere=beside)) == []
    assert codes(readings({"HTTP_PROXY": PROXY, "NO_PROXY": LOOPBACK}), names_are_given=True) == []


def test_a_value_that_does_not_reach_its_reader_is_named() -> None:
    assert "ValueLost" in codes(readings(all_six(), is_lost=True))
    assert "ValueLost" not in codes(readings(all_six()))


def test_the_value_of_the_proxy_config_is_judged_there() -> None:
    ours = dict.fromkeys(PROXY_VARIABLES[:4], "proxy:3128") | {"NO_PROXY": "a;b", "no_proxy": "a;b"}
    assert list(judge_places(readings(dict(ours)), Reader(NODE), ours)) == []


@pytest.mark.parametrize(
    ("spec", "code"),
    [
        pytest.param({"noProxy": ["*"]}, "ProxyNeverUsed", id="a list of everything"),
        pytest.param({"noProxy": ["a.example", "*"]}, "ProxyNeverUsed", id="everything among others"),
        pytest.param({"httpProxy": "http://localhost:3128"}, "UrlLoopback", id="localhost"),
        pytest.param({"httpProxy": "http://127.0.0.1:3128"}, "UrlLoopback", id="the loopback address"),
        pytest.param({"httpProxy": "http://[::1]:3128"}, "UrlLoopback", id="that of IPv6"),
        pytest.param({}, "", id="nothing"),
    ],
)
def test_a_proxy_config_that_gives_nobody_a_proxy_is_named(spec: dict[str, Any], code: str) -> None:
    loaded = load(proxy_config(**{"httpProxy": PROXY, "httpsProxy": PROXY, **spec}))
    assert loaded is not None
    found = {result.code for result in judge_config(loaded, ObjectRef())} - {"DomainForm"}
    assert found == ({code} if code else set())


def test_what_is_wrong_in_several_places_is_one_finding() -> None:
    values = all_six(no_proxy=f"{good()},10.0.0.0/33")
    (finding,) = judge_places([*readings(values), *readings(values, "b")], Reader(NODE, (NETWORK,)), {})
    assert finding.message.endswith(" (`NO_PROXY`, `no_proxy` of a place and 1 more)")
    assert finding.path == ("spec", "a place", "NO_PROXY")


def test_a_list_must_do_for_every_cluster() -> None:
    networks = (NETWORK, NETWORK._replace(endpoint=(Fact("203.0.113.8"),)))
    assert codes(readings(all_six(no_proxy=good())), networks=networks) == ["ClusterNotListed"]


@pytest.mark.parametrize(
    ("url", "more"),
    [
        pytest.param("http://u:p@proxy:1", {"file": FILE, "permissions": "0644"}, id="everybody reads it"),
        pytest.param(PROXY, {"file": FILE, "by_ignition": True}, id="none, which Cluster API refuses"),
        pytest.param(PROXY, {"file": FILE, "permissions": "640", "by_ignition": True}, id="a decimal number"),
    ],
)
def test_permissions_of_a_file(url: str, more: dict[str, Any]) -> None:
    assert "FilePermissions" in codes(readings(all_six(url), **more))


def test_no_finding_holds_a_credential() -> None:
    values = {**all_six("http://geheim:secret^@proxy:1", "http://geheim:secret@x"), "http_proxy": "http://o:secret@p"}
    for finding in judge_places(readings(values, file=FILE, permissions="0644"), Reader(NODE), {}):
        assert "secret" not in finding.message
        assert "geheim" not in finding.message
