"""How mistakes of a FunctionConfig are reported: each one line, under the name that the user wrote."""

from __future__ import annotations

from typing import Any

import pytest

from function_configs import NO_PROXY_AT_ALL, PROXY, config_map, loaded, problems, proxy_config
from krm_fn.clusters import CLOUD_NAMES
from krm_fn.config import names_of_only

ACCEPTED = "must be `fn.inject-proxy.io/v1alpha1 ProxyConfig`, or `v1 ConfigMap` with the same keys under `data`"
OURS = "fn.inject-proxy.io/v1alpha1"

FORMS: dict[str, tuple[Any, str]] = {
    "neither apiVersion nor kind": ({"metadata": {}}, ""),
    "another group": (
        {"apiVersion": "networking.istio.io/v1", "kind": "ProxyConfig"},
        ', not "networking.istio.io/v1 ProxyConfig"',
    ),
    "a URL in the wrong place": ({"apiVersion": "v1", "kind": "http://u:S3CRET@h"}, ', not "v1 ***"'),
}


@pytest.mark.parametrize(("function_config", "given_form"), FORMS.values(), ids=FORMS)
def test_another_form_is_one_problem_that_says_what_is_accepted(function_config: Any, given_form: str) -> None:
    assert problems(function_config) == [f"functionConfig: {ACCEPTED}{given_form}"]


@pytest.mark.parametrize(
    ("api_version", "kind", "meant"),
    [
        pytest.param(OURS, "proxyconfg", "`ProxyConfig`", id="a misspelt kind"),
        pytest.param("", "ProxyConfig", f"`{OURS}`", id="no apiVersion"),
        pytest.param("v1", "ProxyConfigs", f"`{OURS}` and `ProxyConfig`", id="both"),
        pytest.param("networking.istio.io/v1beta1", "ProxyConfig", "", id="the kind of Istio"),
    ],
)
def test_what_is_probably_meant_is_said(api_version: str, kind: str, meant: str) -> None:
    (reported,) = problems({"apiVersion": api_version, "kind": kind})
    assert reported.endswith(f"; did you mean {meant}?" if meant else '"')


def test_a_field_beside_spec_or_data_is_a_mistake() -> None:
    assert problems({**proxy_config(mode="Remove"), "httpProxy": PROXY, "sepc": {}}) == [
        "httpProxy: unknown field; did you mean `spec.httpProxy`?",
        "sepc: unknown field; did you mean `spec`?",
    ]
    assert problems({**config_map(mode="Remove"), "dta": {}}) == ["dta: unknown field; did you mean `data`?"]


@pytest.mark.parametrize(("name", "kind"), CLOUD_NAMES.items())
def test_a_cloud_has_a_short_name(name: str, kind: str) -> None:
    for given in (name, kind):
        config = loaded(httpProxy=PROXY, clusterDefaults={"infrastructure": given})
        assert config.cluster_defaults.infrastructure_kind == kind


OF_SPEC: dict[str, tuple[dict[str, Any], str]] = {
    "a key of a Secret with a blank": (
        {"secretRef": {"name": "proxy", "httpProxyKey": "a b"}},
        "secretRef.httpProxyKey: must be a key of a Secret, of letters, digits, `-`, `_` and `.`",
    ),
    "a misspelt field": ({"noProxi": []}, "noProxi: unknown field; did you mean `noProxy`?"),
    "a field like no other": ({"lint": {"x": 1}}, "lint.x: unknown field; known here are `rules` and `ignore`"),
    "a field of another level, in a small one": (
        {"trustedCA": {"secret": {}}},
        "trustedCA.secret: unknown field; known here are `pem` and `configMap`",
    ),
    "one of few fields": (
        {"secretRef": {"name": "proxy", "namespace": "platform"}},
        (
            "secretRef.namespace: unknown field; known here are `name`, `httpProxyKey` and `httpsProxyKey`; "
            "did you mean `name`?"
        ),
    ),
    "a name with dots": (
        {"targets": {"nodes.containerd": {"content": "Secret"}}},
        "targets.nodes.containerd: unknown field; did you mean `nodes: {containerd: …}`?",
    ),
    "a number for a URL": ({"httpProxy": 10}, "httpProxy: must be a string: quote it"),
    "a mode in lower case": ({"mode": "remove"}, "mode: must be `Inject`, `Remove` or `Check`; did you mean `Remove`?"),
    "a password in an entry": (
        {"noProxyPolicy": {"extra": ["u:S3CRET@h"]}},
        (
            "noProxyPolicy.extra[0]: an entry must not hold user name and password. Write the host alone, "
            'as in "git.example.com" or "git.example.com:443"'
        ),
    ),
    "a prefix that is too long": (
        {"clusterDefaults": {"podCIDRs": ["10.0.0.0/33"]}},
        'clusterDefaults.podCIDRs[0]: entry "10.0.0.0/33" must be a CIDR, such as "10.96.0.0/12"',
    ),
    "a netmask": (
        {"clusterDefaults": {"serviceCIDRs": "10.96.0.0/12, 10.0.0.0/255.0.0.0"}},
        'clusterDefaults.serviceCIDRs: entry "10.0.0.0/255.0.0.0" must be a CIDR: write "10.0.0.0/8"',
    ),
    "a cloud in words of its own": (
        {"clusterDefaults": {"infrastructure": "Amazon"}},
        (
            f"clusterDefaults.infrastructure: must be one of `{'`, `'.join(CLOUD_NAMES)}`, or the kind of an "
            'infrastructure cluster, such as "AWSCluster"'
        ),
    ),
    "a matcher that would fit everything": ({"selector": {"exclude": [{}]}}, "selector.exclude[0]: must not be empty"),
    "a path that is too long": (
        {"targets": {"nodes": {"containerd": {"path": f"/{'r' * 512}/a.service.d/b.conf"}}}},
        "targets.nodes.containerd.path: must not be longer than 512 characters",
    ),
    "a system without options": (
        {"targets": {"tkg": {"pinniped": False}}},
        "targets.tkg: must be `true` or `false`, without quotes",
    ),
    "a system under a name that is near, above its place": (
        {"tkgs": False},
        "tkgs: unknown field; did you mean `spec.targets.tkg`?",
    ),
    "a part that has no switch": (
        {"targets": {"nodes": {"rke2": False}}},
        "targets.nodes.rke2: unknown field: leave `nodes.rke2` out by `only` or `selector.exclude`",
    ),
    "only files of which none is listed": (
        {"only": ["nodes.files"]},
        "only[0]: writes nothing: list in `targets.nodes.files` what it should write",
    ),
    "only a system that is off": (
        {"only": ["nodes"], "targets": {"nodes": False}},
        "only[0]: writes nothing, as `targets.nodes` is false: remove one of the two",
    ),
    "only a part of a system that is off": (
        {"only": ["tkg.pinniped"], "targets": {"tkg": False}},
        "only[0]: writes nothing, as `targets.tkg` is false: remove one of the two",
    ),
    "an option without its companion": (
        {"targets": {"kyverno": {"noProxyFrom": "Settings"}}},
        "targets.kyverno: must hold `generate` where it holds `noProxyFrom`",
    ),
    "certificates twice": (
        {
            "trustedCA": {
                "pem": "-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----",
                "configMap": {"name": "x"},
            }
        },
        "trustedCA: must hold only one of `pem` and `configMap`",
    ),
    "a target beside its system": (
        {"targets": {"tkgPinniped": False}},
        "targets.tkgPinniped: unknown field: leave `tkg.pinniped` out by `only` or `selector.exclude`",
    ),
    "a list in the place of a system": (
        {"targets": {"workloads": ["Deployment"]}},
        "targets.workloads: must be a mapping or `true` or `false`, without quotes",
    ),
    "an override for no one": ({"overrides": [{"disabled": True}]}, "overrides[0]: must hold `match`"),
    "an override that sets nothing": (
        {"overrides": [{"match": {"clusters": ["a"]}}]},
        (
            "overrides[0]: must set something: `httpProxy`, `httpsProxy`, `secretRef`, `noProxy`, `disabled` or "
            "`noProxyPolicy`"
        ),
    ),
    "a target that is not there": (
        {"overrides": [{"match": {"targets": ["kubelets"]}, "disabled": True}]},
        (
            f"overrides[0].match.targets[0]: must be one of {len(names_of_only())} names, such as `nodes`; "
            "did you mean `nodes.kubelet`?"
        ),
    ),
}


@pytest.mark.parametrize(("spec", "reported"), OF_SPEC.values(), ids=OF_SPEC)
def test_one_mistake_is_one_line(spec: dict[str, Any], reported: str) -> None:
    assert problems(proxy_config(**{"httpsProxy": PROXY, **spec})) == [f"spec.{reported}"]


OF_DATA: dict[str, tuple[dict[str, Any], str]] = {
    "two names that contradict each other": (
        {"https_proxy": "http://other:1"},
        "https_proxy: must not contradict `data.httpsProxy`: give only one of them",
    ),
    "a text and a key with dots that contradict each other": (
        {"targets": "workloads: {data: true}", "targets.workloads.data": "false"},
        "targets.workloads.data: must not contradict `data.targets`: give only one of them",
    ),
    "text for a mapping": ({"targets": "text"}, "targets: must be a mapping, as YAML or JSON text"),
    "text for a switch": ({"targets.tkg": "maybe"}, "targets.tkg: must be `true` or `false`, without quotes"),
    "text for a system": (
        {"targets.nodes": "maybe"},
        "targets.nodes: must be `true`, `false` or a mapping, as YAML or JSON text",
    ),
    "a mistake in a variable is reported under its name": (
        {"NO_PROXY": "a b"},
        'NO_PROXY: entry "a b" must not hold blanks, ";" or "|": write "a,b"',
    ),
    "a key that is twice in a text": (
        {"targets": "nodes: {kubelet: false}\nnodes: {}\n"},
        (
            "targets: must be YAML or JSON text: one mapping has the same key at line 1 and at line 2, column 1: "
            "keep one of them"
        ),
    ),
}


@pytest.mark.parametrize(("data", "reported"), OF_DATA.values(), ids=OF_DATA)
def test_one_mistake_of_a_config_map_is_one_line(data: dict[str, Any], reported: str) -> None:
    assert problems(config_map(**{"httpsProxy": PROXY, **data})) == [f"data.{reported}"]


@pytest.mark.parametrize("text", ["", "{", "a: b: c", "*unknown", "a\n---\nb"])
def test_text_that_is_not_yaml(text: str) -> None:
    (reported,) = problems(config_map(mode="Remove", targets=text))
    assert reported.startswith("data.targets: must be YAML or JSON text: ")
    assert not reported.endswith(": ")


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param({}, id="an empty spec"),
        pytest.param({"httpProxy": "", "httpsProxy": None}, id="URLs that are empty"),
    ],
)
def test_inject_and_check_need_a_proxy(spec: dict[str, Any]) -> None:
    assert problems(proxy_config(**spec)) == [f"spec: {NO_PROXY_AT_ALL}"]


@pytest.mark.parametrize(
    "path",
    [
        pytest.param("/etc/../kubelet.service.d/http-proxy.conf", id="a path that goes up"),
        pytest.param("/etc/kubelet.service.d/a.conf\n", id="a line break behind the name"),
    ],
)
def test_the_path_of_a_drop_in(path: str) -> None:
    (reported,) = problems(proxy_config(httpProxy=PROXY, targets={"nodes": {"kubelet": {"path": path}}}))
    assert reported.startswith("spec.targets.nodes.kubelet.path: must ")
