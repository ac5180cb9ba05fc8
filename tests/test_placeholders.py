"""What clusterctl and Flux fill in later passes through this program, and comes out right once it is filled in."""

from __future__ import annotations

import re

import pytest
import yaml

from contract_lists import resource_list
from function_configs import HEAD, problems, proxy_config
from krm_fn import placeholders
from krm_fn.formats import escaping
from krm_fn.pipeline.run import run

FILLED = {
    "POD_CIDR": "192.168.0.0/16",
    "SERVICE_CIDR": "10.128.0.0/12",
    "DOMAIN": "prod.local",
    "ENDPOINT": "10.20.0.10",
    "AWS_REGION": "eu-west-1",
    "HTTP_PROXY": "http://proxy.corp.example:3128",
}
CLUSTER = """\
apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata:
  name: prod
spec:
  clusterNetwork:
    pods:
      cidrBlocks: ['${POD_CIDR:="192.168.0.0/16"}']
    services:
      cidrBlocks: ["${SERVICE_CIDR}"]
    serviceDomain: ${DOMAIN:=cluster.local}
  controlPlaneEndpoint:
    host: ${ENDPOINT}
    port: 6443
  infrastructureRef:
    apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
    kind: AWSCluster
    name: prod
  controlPlaneRef:
    apiVersion: controlplane.cluster.x-k8s.io/v1beta1
    kind: KubeadmControlPlane
    name: prod
"""
INFRASTRUCTURE = """\
apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
kind: AWSCluster
metadata:
  name: prod
spec:
  region: ${AWS_REGION}
"""
CONTROL_PLANE = """\
apiVersion: controlplane.cluster.x-k8s.io/v1beta1
kind: KubeadmControlPlane
metadata:
  name: prod
spec:
  kubeadmConfigSpec:
    clusterConfiguration: {}
"""
WORKLOAD = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: cert-manager
  labels:
    app.kubernetes.io/name: cert-manager
spec:
  template:
    spec:
      containers:
      - name: cert-manager
        image: quay.io/jetstack/cert-manager-controller:v1.16.0
"""
SECRET = """\
apiVersion: v1
kind: Secret
metadata:
  name: prod-systemd-proxy
data:
  containerdProxy: ""
  kubeletProxy: ""
"""
CONFIG = (
    HEAD
    + """\
  httpProxy: ${HTTP_PROXY}
  httpsProxy: ${HTTP_PROXY:=http://proxy.corp.example:3128}
  noProxy: [.corp.example]
"""
)
ITEMS = [CLUSTER, INFRASTRUCTURE, CONTROL_PLANE, WORKLOAD]
_PLACEHOLDER = re.compile(r"\$\{([A-Z_]+)(?::=([^}]*))?\}")


def filled(text: str) -> str:
    """The text as clusterctl and Flux make it: ``$${`` stays a placeholder, and a value goes before a default."""
    assert "$${" not in text
    return _PLACEHOLDER.sub(lambda match: FILLED.get(match[1], match[2]), text)


def output(*items: str, config: str = CONFIG) -> str:
    return run(resource_list(*items, config=config).encode()).output.decode()


def proxies(text: str) -> dict[str, dict[str, list[str]]]:
    """Place -> variable -> the values that its reader gets there."""
    whole = yaml.safe_load(text)
    spec = whole["items"][2]["spec"]["kubeadmConfigSpec"]
    lines = [line.partition("=")[2] for file in spec["files"] for line in file["content"].splitlines()]
    words = [word.value or "" for line in lines for word in escaping.systemd_words(line)]
    commands = [escaping.shell_statements(each) or [] for each in spec["preKubeadmCommands"]]
    exports = [word.value or "" for each in commands for statement in each for word in statement]
    env = whole["items"][3]["spec"]["template"]["spec"]["containers"][0]["env"]
    return {
        "drop-ins": assigned(words),
        "exports": assigned(exports),
        "env": assigned([f"{each['name']}={escaping.read_kubernetes_env(each['value'])}" for each in env]),
    }


def assigned(words: list[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if equals and name.lower().endswith("_proxy"):
            found.setdefault(name, []).append(value)
    return found


UNKNOWN = {"10.128.0.1", "ec2.internal", ".ec2.internal"}
"""What is worked out from a value, and what is written because the region may be any."""


def test_filled_in_later_is_filled_in_before() -> None:
    later, before = proxies(filled(output(*ITEMS))), proxies(output(*map(filled, ITEMS), config=filled(CONFIG)))
    assert later.keys() == before.keys()
    for place, variables in before.items():
        for name, values in variables.items():
            if "no_proxy" in name.lower():
                assert [set(value.split(",")) ^ UNKNOWN for value in later[place][name]] == [
                    set(value.split(",")) for value in values
                ]
            else:
                assert later[place][name] == values


def said_of_placeholders(*items: str, config: str = CONFIG) -> list[str]:
    """Return severity and kind of each finding about placeholders."""
    found = run(resource_list(*items, config=config).encode()).results
    return [
        f"{result.severity.value} {result.ref.kind}"
        for result in found
        if result.code and ("placeholder" in result.message or "fills in" in result.message)
    ]


def switch(name: str) -> str:
    return f"{CONFIG}  noProxyPolicy:\n    without: [{name}]\n"


@pytest.mark.parametrize(
    ("config", "said"),
    [
        pytest.param(CONFIG, ["info Cluster", "warning ProxyConfig"], id="once for each that holds some"),
        pytest.param(switch("serviceAddresses"), ["warning ProxyConfig"], id="the switch that the message names"),
    ],
)
def test_what_cannot_be_known_is_said_once(config: str, said: list[str]) -> None:
    assert sorted(said_of_placeholders(*ITEMS, config=config)) == said


def test_a_placeholder_in_an_encoded_text_is_never_filled_in() -> None:
    assert said_of_placeholders(*ITEMS, SECRET).count("warning Secret") == 1


@pytest.mark.parametrize(
    ("url", "complaint"),
    [
        pytest.param("${HTTP_PROXY:=proxy.corp.example}", "must begin with", id="a default that is none"),
        pytest.param("http://${HOST}:3128", "as a whole", id="a part of the URL"),
        pytest.param("http://svc:${PASSWORD}@proxy:3128", "as a whole", id="a password, which needs an encoding"),
    ],
)
def test_a_proxy_that_holds_a_placeholder_and_more(url: str, complaint: str) -> None:
    (found,) = problems(proxy_config(httpProxy=url))
    assert complaint in found
    assert "PASSWORD" not in found


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        pytest.param("a,b", ["a", "b"], id="no placeholder"),
        pytest.param("${A}, ${B:=1,2},c", ["${A}", "${B:=1,2}", "c"], id="a comma in a default divides nothing"),
    ],
)
def test_split(text: str, parts: list[str]) -> None:
    assert placeholders.split(text) == parts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param('${A:="x"}', (True, "${A:=x}", "x"), id="a default in quotes"),
        pytest.param("${A}${B:=y}", (False, "${A}${B:=y}", "y"), id="two"),
        pytest.param("$(A)", (False, "$(A)", "$(A)"), id="a variable of kustomize"),
    ],
)
def test_placeholders_and_their_defaults(text: str, expected: tuple[bool, str, str]) -> None:
    found = (placeholders.is_alone(text), placeholders.normal(text), placeholders.with_defaults(text))
    assert found == expected
