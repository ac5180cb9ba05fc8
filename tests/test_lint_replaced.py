"""Entries of an old NO_PROXY that the run replaces: which are named, which are counted, and when nothing is said."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import yaml

from krm_fn.krm.results import Result, Severity
from krm_fn.pipeline import Outcome, run

OURS = [".corp.example", "10.0.0.0/8", "direct.example"]
ADVICE = "copy what is still needed into `spec.noProxy`, or into `noProxy` of an override for this object"


def config(**spec: Any) -> dict[str, Any]:
    proxy = "http://svc:hunter2@proxy.corp.example:3128"
    options = {"workloads": [{"names": ["*"]}], "conflict": "Override"}
    return {
        "apiVersion": "fn.inject-proxy.io/v1alpha1",
        "kind": "ProxyConfig",
        "metadata": {"name": "proxy"},
        "spec": {
            "httpProxy": proxy,
            "httpsProxy": proxy,
            "noProxy": OURS,
            "noProxyPolicy": {"style": "Verbatim"},
            "targets": {"workloads": options},
            **spec,
        },
    }


def workload(*lists: str, name: str = "web", key: str = "NO_PROXY") -> dict[str, Any]:
    """A Deployment with a container for each list."""
    listed = [{"name": f"c{at}", "image": "x", "env": [{"name": key, "value": text}]} for at, text in enumerate(lists)]
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": {"template": {"spec": {"containers": listed}}},
    }


def ran(*items: Any, **spec: Any) -> Outcome:
    data = {
        "apiVersion": "config.kubernetes.io/v1",
        "kind": "ResourceList",
        "items": list(items),
        "functionConfig": config(**spec),
    }
    return run(yaml.safe_dump(data).encode())


def replaced(outcome: Outcome) -> list[Result]:
    return [one for one in outcome.results if one.code == "NoProxyReplaced"]


def named(message: str) -> list[str]:
    """The entries of a message, read as a person would copy them."""
    found = re.search(r"`(\[.*?\])`", message)
    return yaml.safe_load(found[1]) if found else []


@pytest.mark.parametrize(
    ("old", "expected", "others"),
    [
        pytest.param(
            "longhorn-backend,172.16.0.0/12", ["longhorn-backend", "172.16.0.0/12"], 0, id="a name and a CIDR"
        ),
        pytest.param("registry:5000, 192.0.2.1:8080", ["registry:5000", "192.0.2.1:8080"], 0, id="with a port"),
        pytest.param("*.old.example .older.example", ["*.old.example", ".older.example"], 0, id="suffixes and a blank"),
        pytest.param("*,0.0.0.0,0.0.0.0/0", [], 3, id="what the linter calls harmful or useless"),
        pytest.param("proxy.other.example,old.example", ["old.example"], 1, id="the proxy itself"),
        pytest.param("2001:db8::abcd,[2001:db8:0::abcd:bcde]:443", [], 2, id="IPv6 that clients of a pod misread"),
        pytest.param("2001:db8::1a2b", ["2001:db8::1a2b"], 0, id="IPv6"),
        pytest.param("http://harbor.example/v2/", ["harbor.example"], 0, id="the host of a URL"),
        pytest.param("a.corp.example,10.1.2.3,10.4.0.0/16,.Direct.example,direct.example:443", [], 0, id="all covered"),
        pytest.param("corp.example", ["corp.example"], 0, id="a name above a suffix of ours"),
        pytest.param("old.example,old.example", ["old.example"], 0, id="an entry that is there twice"),
        pytest.param(
            "$(EXTRA),.old,registry.local", [".old", "registry.local"], 1, id="a reference to another variable"
        ),
        pytest.param("${EXTRA},old.example,10.0.0.300", ["old.example"], 2, id="a template and no address"),
        pytest.param("a..b", [], 1, id="nothing that can be named"),
    ],
)
def test_the_entries_that_go_are_named_so_that_they_can_be_copied(old: str, expected: list[str], others: int) -> None:
    direct = "http://proxy.other.example:3128"
    said = replaced(ran(workload(old), httpProxy=direct, httpsProxy=direct))

    assert [entry for one in said for entry in named(one.message)] == expected
    assert [one.severity for one in said] == [Severity.WARNING] * bool(expected or others)
    assert [int(number) for one in said for number in re.findall(r"(\d+) entr", one.message)] == [others] * bool(others)
    copied = ran(workload(old), httpProxy=direct, httpsProxy=direct, noProxy=[*OURS, *expected], noProxyPolicy={})
    assert [entry for one in replaced(copied) for entry in named(one.message)] == []
    warned = [one.code for one in copied.results if one.severity is not Severity.INFO]
    assert set(warned) <= {"NoProxyReplaced", "NP038", *(["NP025"] if ".old" in expected else [])}


SECRETS = (
    "http://svc:pass-word@proxy:3128,old.example",
    "old.example,http://svc:pass,word@proxy:3128",
    "svc:pass word,old.example",
    "http://svc:pass word",
    "http://svc:pass-word",
    "svc:pass-word@proxy",
    ".old,svc:p%61ss-word@host",
    "$(KUBERNETES_SERVICE_HOST),.old,svc:pass-word@host",
    "http%3A%2F%2Fsvc%3Apass-word%40proxy",
    "aHR0cDovL3N2YzpwYXNzd29yZEBwcm94eTozMTI4",
    "kind: Secret stringData: token: pass-word",
    "old.example,Proxy-Authorization: Basic ahr0-word",
    "token=pass-word;old.example",
    "aHR0cDovL3N2YzpwYXNzd29yZEBwcm94eTozMTI4Lw==",
)


@pytest.mark.parametrize("mode", ["Inject", "Check"])
@pytest.mark.parametrize("old", SECRETS)
def test_what_may_be_a_credential_is_only_counted(old: str, mode: str) -> None:
    (said,) = replaced(ran(workload(old), mode=mode))

    assert named(said.message) == []
    hidden = "whose entries are not shown, because the list may hold a credential"
    is_like_a_name = old[:4] == "aHR0" and "=" not in old  # such a list is not hidden whole
    assert (hidden in said.message, "no host, suffix" in said.message) == (not is_like_a_name, is_like_a_name)
    told = json.dumps(said.to_data()).lower()
    assert not [secret for secret in ("pass", "word", "ahr0", "hunter2") if secret in told]


def test_each_set_is_said_once_with_the_number_of_other_objects() -> None:
    same = [workload("old.example", name=name) for name in ("a", "b", "c")]
    other = workload("older.example", "old.example", name="d")

    said = replaced(ran(*same, other))

    assert [(one.ref.name, named(one.message)) for one in said] == [("a", ["old.example"]), ("d", ["older.example"])]
    assert "(also true of 3 more objects)" in said[0].message


def test_a_check_says_it_where_the_change_is_due_and_a_second_run_no_more() -> None:
    first = ran(workload("old.example", key="no_proxy"))
    assert ADVICE in replaced(first)[0].message
    assert [one.message for one in replaced(ran(workload("old.example"), mode="Check"))] == [
        one.message for one in replaced(first)
    ]

    (item,) = yaml.safe_load(first.output)["items"]
    assert replaced(ran(item)) == []
    assert replaced(ran(item, mode="Check")) == []


@pytest.mark.parametrize("mode", ["Inject", "Check"])
def test_the_path_is_that_of_the_list_before_the_run(mode: str) -> None:
    item = workload("old.example")
    (container,) = item["spec"]["template"]["spec"]["containers"]
    container["env"] = [{"name": "HTTPS_PROXY", "value": "http://old:1"}] * 2 + container["env"]

    (said,) = replaced(ran(item, mode=mode))

    assert said.path[-3:] == ("env", "2", "value")


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param({"mode": "Remove"}, id="a removal"),
        pytest.param({"targets": {"workloads": {"workloads": [{"names": ["*"]}]}}}, id="a list that stays"),
        pytest.param({"selector": {"exclude": [{"names": ["web"]}]}}, id="an object that is left out"),
        pytest.param({"lint": {"rules": {"NoProxyReplaced": "Off"}}}, id="switched off"),
    ],
)
def test_nothing_is_said_of(spec: dict[str, Any]) -> None:
    assert replaced(ran(workload("old.example"), **spec)) == []


POLICY = {
    "apiVersion": "kyverno.io/v1",
    "kind": "ClusterPolicy",
    "metadata": {"name": "storage"},
    "spec": {
        "rules": [
            {
                "name": "env",
                "match": {"any": [{"resources": {"kinds": ["Pod"], "operations": ["CREATE"]}}]},
                "mutate": {
                    "patchStrategicMerge": {
                        "spec": {
                            "containers": [
                                {
                                    "(name)": "*",
                                    "env": [
                                        {"name": "HTTP_PROXY", "value": "http://old:3128"},
                                        {"name": "NO_PROXY", "value": "storage-backend,10.0.0.0/8"},
                                    ],
                                }
                            ]
                        }
                    }
                },
            }
        ]
    },
}
VALUES = {
    "apiVersion": "v1",
    "kind": "Secret",
    "metadata": {"name": "prod-cluster-values"},
    "stringData": {"values": "cluster:\n  proxy:\n    http: http://old:1\n    noProxy: storage-backend,10.0.0.0/8\n"},
}
DATA = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "proxy-environment-variables", "namespace": "kube-system"},
    "data": {"HTTP_PROXY": "http://old:1", "NO_PROXY": "storage-backend,10.0.0.0/8"},
}
USER = {
    **workload(),
    "spec": {
        "template": {
            "spec": {
                "containers": [
                    {"name": "a", "image": "x", "envFrom": [{"configMapRef": {"name": "proxy-environment-variables"}}]}
                ]
            }
        }
    },
}
USER["metadata"] = {"name": "web", "namespace": "kube-system"}
DROP_IN = "/etc/systemd/system/containerd.service.d/http-proxy.conf"
UNIT = "[Service]\nEnvironment=NO_PROXY=storage-backend,10.0.0.0/8\n"


NODES = {
    "apiVersion": "bootstrap.cluster.x-k8s.io/v1beta1",
    "kind": "KubeadmConfigTemplate",
    "metadata": {"name": "workers"},
    "spec": {"template": {"spec": {"files": [{"path": DROP_IN, "content": UNIT}]}}},
}


@pytest.mark.parametrize(
    "items",
    [
        pytest.param([POLICY], id="a Kyverno policy"),
        pytest.param([VALUES], id="values of Giant Swarm"),
        pytest.param([DATA, USER], id="a ConfigMap that a workload reads"),
        pytest.param([NODES], id="a drop-in"),
        pytest.param(
            json.loads(json.dumps([POLICY]).replace("10.0.0.0/8", "$(KUBERNETES_SERVICE_HOST)")),
            id="a policy with a reference to another variable",
        ),
    ],
)
def test_every_target_says_which_entries_go(items: list[Any]) -> None:
    said = replaced(ran(*items))

    assert [named(one.message) for one in said] == [["storage-backend"]]


HIDDEN_IN = (
    "svc:pass-word other,old.example",
    "http%3A%2F%2Fsvc%3Apass-word%40proxy",
    "old.example,http://svc:pass-word",
)


@pytest.mark.parametrize("mode", ["Inject", "Check", "Remove"])
@pytest.mark.parametrize("old", HIDDEN_IN)
@pytest.mark.parametrize(
    "item", [pytest.param(POLICY, id="a policy"), pytest.param(VALUES, id="values"), pytest.param(DATA, id="data")]
)
def test_no_result_shows_an_old_list_that_may_hold_a_credential(item: Any, old: str, mode: str) -> None:
    holding = json.loads(json.dumps([item, USER]).replace("storage-backend,10.0.0.0/8", old))

    told = json.dumps([one.to_data() for one in ran(*holding, mode=mode).results])

    assert "pass-word" not in told


@pytest.mark.parametrize("old", HIDDEN_IN)
def test_a_place_that_differs_does_not_show_it_either(old: str) -> None:
    nodes = json.loads(json.dumps(NODES))
    files = nodes["spec"]["template"]["spec"]["files"]
    quoted = f'"NO_PROXY={old.replace("%", "%%")}"'
    files[0] = {
        "path": DROP_IN.replace("http-proxy", "90-proxy"),
        "content": UNIT.replace("NO_PROXY=storage-backend,10.0.0.0/8", quoted),
    }

    said = [one for one in ran(nodes).results if one.code == "NP040"]

    assert said
    assert "pass-word" not in json.dumps([one.to_data() for one in said])
