"""Values of the charts that complete the list themselves: where they are found, and what a switch says."""

from __future__ import annotations

from typing import Any

import pytest

from all_targets import TARGETS
from krm_fn.settings import ProxySettings
from krm_fn.yamledit import read
from manifests import named
from proposals import HTTP, HTTPS, NO, NONE, apply, findings, proposals

target = TARGETS["giantswarm.installationValues"]

OF_IT = ProxySettings(HTTP, HTTPS, NO, cluster="mycluster")
CAMEL = {"enabled": True, "httpProxy": HTTP, "httpsProxy": HTTPS, "noProxy": NO}
SHORT = {"http": HTTP, "https": HTTPS, "noProxy": NO}


def config(text: str, name: str = "mycluster-userconfig", key: str = "values") -> Any:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {key: text}}


def release(chart: str, values: Any = None, **spec: Any) -> Any:
    given = {} if values is None else {"values": values}
    return named("HelmRelease", "x", spec={"chart": {"spec": {"chart": chart}}, **given, **spec})


def filled(obj: Any, settings: ProxySettings = OF_IT) -> Any:
    result = apply(target, obj, settings)
    return result["spec"].get("values") if "spec" in result else read(next(iter(result["data"].values())))


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(config("global: {}\n", "other-userconfig"), id="values that may be of any app"),
        pytest.param(config("global: {metadata: {name: third}}\n", "other-userconfig"), id="values of another one"),
        pytest.param(config("proxy: {http: old}\n"), id="a proxy with the names of another chart"),
        pytest.param(config("global: {}\n", key="other.yaml"), id="a key that holds no values"),
        pytest.param(config("a: 1\n", "cluster-apps-operator"), id="an operator without a place for it"),
        pytest.param(release("cluster-autoscaler-app", {"global": {}}), id="a chart whose name only begins alike"),
    ],
)
def test_what_must_not_change(obj: Any) -> None:
    assert proposals(target, obj, OF_IT) == []


@pytest.mark.parametrize(
    ("obj", "proxy"),
    [
        pytest.param(
            config("global: {metadata: {name: other}}\n", "other-user-values"),
            {"global": {"metadata": {"name": "other"}, "connectivity": {"proxy": CAMEL}}},
            id="a cluster that only its own values name",
        ),
        pytest.param(
            config("global:\n  connectivity:\n    proxy: {enabled: true, noProxy: old}\n", "x-user-values"),
            {"global": {"connectivity": {"proxy": CAMEL}}},
            id="a cluster by shape",
        ),
        *(
            pytest.param(
                config("global: {}\n", f"mycluster{suffix}"), {"global": {"connectivity": {"proxy": CAMEL}}}, id=suffix
            )
            for suffix in ("-userconfig", "-user-config", "-user-values", "-user-secrets")
        ),
        pytest.param(
            config("connectivity: {proxy: {enabled: true}}\n"), {"connectivity": {"proxy": CAMEL}}, id="before global"
        ),
    ],
)
def test_the_proxy_is_set_in_the_shape_of_the_chart(obj: Any, proxy: Any) -> None:
    assert filled(obj) == proxy


@pytest.mark.parametrize("text", ["exclude: {names: []}\n", "# mine\n"])
def test_removal_after_injection_gives_the_original(text: str) -> None:
    obj = config(text, "kyverno-policies-connectivity")
    assert apply(target, apply(target, obj, OF_IT), NONE) == obj


@pytest.mark.parametrize(
    "switch", [pytest.param("false", id="off"), pytest.param('"${ENABLED}"', id="set by a template")]
)
def test_a_switch_that_is_not_on_keeps_the_proxy_away(switch: str) -> None:
    obj = config(f"global: {{connectivity: {{proxy: {{enabled: {switch}}}}}}}\n")
    assert apply(target, obj, OF_IT) == obj
    assert [finding.code for finding in findings(target, obj)] == ["ByHand"]
    assert proposals(target, obj, NONE) == []
    assert list(target.read(obj, {})) == []


@pytest.mark.parametrize("text", ["", "# mine\n", "# mine", "{}", "# mine\n{}\n"])
def test_policies_without_values_get_them(text: str) -> None:
    obj = config(text, "kyverno-policies-connectivity", "values.yaml")
    assert filled(obj) == {"proxy": {"enabled": True, **SHORT}}
    assert proposals(target, obj, NONE) == []


def test_removal_takes_the_values_beside_a_switch_that_is_off() -> None:
    obj = config("global: {connectivity: {proxy: {enabled: false, httpProxy: old}}}\n")
    assert filled(obj, NONE) == {"global": {"connectivity": {"proxy": {"enabled": False}}}}


@pytest.mark.parametrize(
    ("obj", "codes"),
    [
        pytest.param(release("cluster-aws"), ["CannotWrite"], id="nodes of a cluster"),
        pytest.param(config("proxy: {http: old}\n", "cluster-apps-operator"), ["CannotWrite"], id="the operator"),
        pytest.param(release("kyverno-policies-connectivity"), [], id="pods, by a policy"),
    ],
)
def test_a_value_that_systemd_would_drop_is_an_error(obj: Any, codes: list[str]) -> None:
    """``files/etc/systemd/http-proxy.conf`` of the chart `cluster` escapes nothing, as ``export`` wants it."""
    url = "http://svc:p%40ss@proxy.corp.example:3128"
    settings = ProxySettings(url, url, NO, cluster="mycluster")
    assert [finding.code for finding in findings(target, obj, settings)] == codes
    assert (apply(target, obj, settings) == obj) is bool(codes)


@pytest.mark.parametrize("name", ["mycluster-userconfig", "cluster-apps-operator"])
def test_a_value_that_systemd_drops_is_read_as_such(name: str) -> None:
    proxy = "proxy: {enabled: true, http_proxy: http://u:p%40ss@p:1, http: http://u:p%40ss@p:1}\n"
    assert {reading.is_lost for reading in target.read(config(proxy, name), {})} == {True}


def test_values_from_elsewhere_are_not_overridden() -> None:
    obj = release("cluster-aws", valuesFrom=[{"kind": "ConfigMap", "name": "y"}])
    assert apply(target, obj, OF_IT) == obj
    assert [finding.path for finding in findings(target, obj, OF_IT)] == [("spec", "valuesFrom")]
    assert proposals(target, obj, NONE) == []
    obj["spec"]["values"] = {"global": {"connectivity": {"proxy": {}}}}
    assert filled(obj) == {"global": {"connectivity": {"proxy": CAMEL}}}
