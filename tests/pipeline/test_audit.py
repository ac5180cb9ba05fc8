"""Files of manifests in, findings about what they say of a proxy out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from function_configs import DECLARED as CONFIG
from function_configs import URL as PROXY
from growth import excess
from krm_fn import config
from krm_fn.krm.codes import Severity
from krm_fn.patch import field_path
from krm_fn.pipeline.audit import Audit, ReadableManifests, audit
from krm_fn.yamledit import Document
from stories import TESTDATA

LOOPBACK = "localhost,127.0.0.1"
ALL_OF_PROD = (
    f"{LOOPBACK},192.168.0.0/16,10.96.0.0/12,10.96.0.1,api.prod.example,svc,.svc,cluster.local,.cluster.local,"
    ".svc.cluster.local."
)
CLUSTER = """\
apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata: {name: prod, namespace: org}
spec:
  clusterNetwork:
    pods: {cidrBlocks: [192.168.0.0/16]}
    services: {cidrBlocks: [10.96.0.0/12]}
  controlPlaneEndpoint: {host: api.prod.example, port: 6443}
"""
RESOURCE_LIST = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\nfunctionConfig:"


def indented(text: str) -> str:
    return "".join(f"  {line}\n" for line in text.splitlines())


def proxies(url: str = PROXY, no_proxy: str = LOOPBACK) -> dict[str, str]:
    values = {"HTTP_PROXY": url, "HTTPS_PROXY": url, "NO_PROXY": no_proxy}
    return values | {name.lower(): value for name, value in values.items()}


def deployment(variables: Mapping[str, str], name: str = "app") -> str:
    env = "".join(f'        - {{name: {key}, value: "{value}"}}\n' for key, value in variables.items())
    return (
        f"apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}}}\nspec:\n  template:\n    spec:\n"
        f"      containers:\n      - name: {name}\n        env:\n{env}"
    )


def node(variables: Mapping[str, str], name: str = "md", namespace: str = "org") -> str:
    lines = "".join(f'        Environment="{key}={value}"\n' for key, value in variables.items())
    return (
        "apiVersion: bootstrap.cluster.x-k8s.io/v1beta1\nkind: KubeadmConfig\n"
        f"metadata: {{name: {name}, namespace: {namespace}, labels: {{cluster.x-k8s.io/cluster-name: prod}}}}\nspec:\n"
        f"  files:\n  - path: /etc/systemd/system/containerd.service.d/http-proxy.conf\n    content: |\n"
        f"        [Service]\n{lines}"
    )


WRONG = deployment(proxies(no_proxy=f"{LOOPBACK},a;b"))


def judged(*documents: str, **more: Any) -> Audit:
    return audit(ReadableManifests({"a.yaml": "---\n".join(documents).encode()}), **more)


def codes(found: Audit) -> list[str]:
    return sorted(result.code for result in found.results)


@pytest.mark.parametrize(
    ("documents", "expected"),
    [
        pytest.param([deployment(proxies(no_proxy=f"{LOOPBACK},a;b"))], ["EntryForm"], id="any workload"),
        pytest.param([deployment({"HTTPS_PROXY": PROXY})], [], id="a patch, which leaves the rest to its base"),
        pytest.param(
            [deployment({"HTTPS_PROXY": PROXY}).replace("        env:", "        image: a\n        env:")],
            ["CaseMissing", "ListEmpty"],
            id="the same with an image",
        ),
        pytest.param([CLUSTER, node(proxies(no_proxy=f"{ALL_OF_PROD},a;b"))], ["EntryForm"], id="a drop-in"),
        pytest.param(
            [CONFIG + "  clusterDefaults: {podCIDRs: [10.1.0.0/16]}\n", node(proxies(no_proxy=ALL_OF_PROD))],
            ["ClusterNotListed"],
            id="the defaults of the ProxyConfig where no Cluster is known",
        ),
        pytest.param(
            [CONFIG, node({"HTTPS_PROXY": "old.example:1", "NO_PROXY": ".svc,cluster.local"})], ["UrlInvalid"], id="Go"
        ),
        pytest.param([CLUSTER, deployment(proxies(no_proxy=ALL_OF_PROD))], [], id="a workload right for its Cluster"),
        pytest.param([CONFIG + "  noProxy: [example.com, .corp.example]\n"], [], id="a ProxyConfig that is right"),
        pytest.param([f"{RESOURCE_LIST}\n{indented(CONFIG + '  noProxy: [.com]')}"], ["EntryTooBroad"], id="in a list"),
        pytest.param([CONFIG.replace("fn.inject-proxy.io", "networking.istio.io")], [], id="the ProxyConfig of Istio"),
        pytest.param([CONFIG.replace("kind: ProxyConfig", "kind: ProxyConfg")], ["ConfigIgnored"], id="misspelt kind"),
        pytest.param(
            [CONFIG + "  lint: {rules: {EntryForm: Info}}\n", CONFIG, WRONG],
            ["ConfigIgnored", "EntryForm"],
            id="two ProxyConfigs that clash",
        ),
        pytest.param(
            [CONFIG + "  mode: X\n  lint: {rules: {EntryForm: Off}}\n", WRONG],
            ["ConfigInvalid", "EntryForm"],
            id="a wrong ProxyConfig, which does not count",
        ),
    ],
)
def test_what_is_wrong_and_nothing_else_is_found_whoever_wrote_it(documents: list[str], expected: list[str]) -> None:
    assert codes(judged(*documents)) == expected


# what cannot be read

MATCHER = CONFIG + "  targets: {workloads: {choose: [{kinds: [Deployment]}]}}\n"


@pytest.mark.parametrize(
    ("content", "spec", "code"),
    [
        pytest.param(b"kind: Service\nHTTP_PROXY: x\n\tx: y\n", CONFIG, "TextUnreadable", id="of no target"),
        pytest.param(CONFIG.encode() + b"  noProxy: [a\n", MATCHER, "InputInvalid", id="a ProxyConfig"),
    ],
)
def test_an_unreadable_document_is_one_finding_and_the_rest_is_judged(content: bytes, spec: str, code: str) -> None:
    found = audit(ReadableManifests({"bad.yaml": content, "good.yaml": f"{spec}---\n{WRONG}".encode()}))
    (result,) = (result for result in found.results if result.ref.file_path == "bad.yaml")
    assert (result.code, result.severity is Severity.ERROR) == (code, code == "InputInvalid")
    assert "EntryForm" in codes(found)


# places of one Cluster


def test_places_of_one_cluster_must_say_the_same() -> None:
    first = node(proxies(no_proxy=ALL_OF_PROD), "a")
    second = node(proxies("http://other.example:1", ALL_OF_PROD), "b")
    assert codes(judged(CLUSTER, first, second)).count("PlacesDiffer") == 1
    assert codes(judged(CLUSTER, first, first.replace("name: a", "name: b"))).count("PlacesDiffer") == 0


# ProxyConfigs


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        pytest.param("httpProxy: URL", ["spec"], id="one URL"),
        pytest.param("overrides: [{match: {roles: [Worker]}, httpProxy: URL}]", ["spec.overrides[0]"], id="override"),
    ],
)
def test_a_proxy_config_for_http_alone_is_reported(spec: str, expected: list[str]) -> None:
    found = judged(f"{CONFIG.partition('spec:')[0]}spec: {{{spec.replace('URL', PROXY)}}}\n")
    paths = [field_path(result.path) for result in found.results if result.code == "HttpsProxyMissing"]
    assert paths == expected


def test_the_proxy_config_that_is_named_counts_alone() -> None:
    named = config.load(Document(CONFIG + "  lint: {rules: {EntryForm: Error}}\n").data())
    found = judged(CONFIG + "  lint: {rules: {EntryForm: Off}}\n", WRONG, config=named)
    assert [(result.code, result.severity) for result in found.results] == [("EntryForm", Severity.ERROR)]


def test_a_policy_that_kyverno_will_not_execute_is_reported() -> None:
    story = TESTDATA / "systems" / "giantswarm-management-cluster" / "input.yaml"
    assert "PolicyDeprecated" in codes(judged(story.read_text(encoding="utf-8")))


# large files


@pytest.mark.parametrize("comment", ["# no code", "#@ code of ytt"])
@pytest.mark.parametrize("head", ["", "kind: ResourceList\nitems:\n"], ids=["documents", "one list"])
def test_time_is_linear_in_the_objects_of_a_file(head: str, comment: str) -> None:
    def large_file(size: int) -> dict[str, bytes]:
        texts = [deployment({"HTTP_PROXY": PROXY}, f"app-{number}") for number in range(size)]
        if head:
            body = "".join(f"- {indented(text)[2:]}" for text in texts)
        else:
            body = "---\n".join(texts)
        return {"a.yaml": f"{head}{body}{comment}\n".encode()}

    assert excess(lambda files: audit(ReadableManifests(files)), large_file, 240, in_steps=False) == ""
