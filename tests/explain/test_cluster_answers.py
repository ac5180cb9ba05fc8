"""What each Cluster gets, what changes, and who gets nothing and why."""

from __future__ import annotations

from typing import Any

import pytest

from explained import BARE, CLUSTER, MANIFESTS, TEMPLATE, WEST, answer
from function_configs import DECLARED, URL
from stories import TESTDATA

OF_WEST = DECLARED.replace(
    f"  httpProxy: {URL}\n  httpsProxy: {URL}\n",
    "  overrides:\n"
    f"  - {{match: {{clusters: [west, classy, bare, excluded]}}, httpProxy: '{URL}', httpsProxy: '{URL}'}}\n"
    "  selector: {exclude: [{kinds: [Cluster], names: [excluded]}]}\n",
)


def clusters(manifests: str = MANIFESTS) -> dict[str, Any]:
    return {cluster["name"]: cluster for cluster in answer(manifests)["clusters"]}


def test_each_cluster_has_the_proxy_of_each_part() -> None:
    found = clusters()
    assert found["org/west"]["proxies"] == {"control plane": "http://user:***@proxy.west.example:3128"}
    assert found["org/east"]["proxies"] == {"workers": "http://proxy.east.example:3128"}


@pytest.mark.parametrize(
    ("name", "spec", "why"),
    [
        pytest.param("other", "{}", "no proxy is declared for it", id="no proxy"),
        pytest.param("classy", "{topology: {class: x}}", 'its ClusterClass "x" is not in the list', id="no class"),
        pytest.param("excluded", "{}", "`spec.selector` leaves the Cluster out", id="not selected"),
        pytest.param("bare", "{}", "no object of the input that a target writes into makes its nodes", id="no nodes"),
    ],
)
def test_a_cluster_that_gets_nothing_comes_first_with_the_reason(name: str, spec: str, why: str) -> None:
    nothing = BARE.replace("NAME", name).replace("spec: {}", f"spec: {spec}")
    if name == "other":
        nothing += TEMPLATE.replace("NAME", name)
    first, second = answer(WEST + nothing + OF_WEST)["clusters"]
    assert (first["name"], second["name"], second["left"]) == (f"org/{name}", "org/west", [])
    (reason,) = first["left"]
    assert why in reason


def test_a_cluster_of_which_a_part_gets_nothing_says_which() -> None:
    reference = "{apiVersion: bootstrap.cluster.x-k8s.io/v1beta1, kind: KubeadmConfigTemplate, name: elsewhere}"
    machines = (
        "apiVersion: cluster.x-k8s.io/v1beta1\nkind: MachineDeployment\nmetadata: {name: md, namespace: org}\n"
        f"spec: {{clusterName: west, template: {{spec: {{bootstrap: {{configRef: {reference}}}}}}}}}\n---\n"
    )
    found = clusters(machines + MANIFESTS)["org/west"]
    assert found["proxies"]
    assert ['KubeadmConfigTemplate "elsewhere" is not in the list' in why for why in found["left"]] == [True]


def made_by(kind: str, more: str) -> str:
    head, _, _ = CLUSTER.replace("NAME", "prod").replace("KubeadmControlPlane", kind).partition("---\n")
    return f"{head}---\n{more}---\n"


OKE = f"""\
apiVersion: controlplane.cluster.x-k8s.io/v1beta1
kind: OCIManagedControlPlane
metadata: {{name: prod-cp, namespace: org}}
spec: {{files: [{{path: /etc/environment, content: "HTTP_PROXY={URL}"}}]}}
"""


def test_what_has_the_proxy_or_gets_it_does_not_get_nothing() -> None:
    in_user_data = answer(made_by("OCIManagedControlPlane", OKE) + DECLARED)["clusters"]
    story = TESTDATA / "nodes" / "classes" / "another-proxy-than-before" / "input.yaml"
    of_class = answer(story.read_text(encoding="utf-8"))["clusters"]
    assert [cluster["left"] for cluster in in_user_data] == [[]]
    assert [cluster["left"] for cluster in of_class if cluster["name"] == "classes/free"] == [[]]


@pytest.mark.parametrize("rules", ["", "  lint: {rules: {NodesWithoutProxy: 'Off'}}\n"], ids=["reported", "silenced"])
def test_what_is_silenced_gets_nothing_all_the_same(rules: str) -> None:
    data = answer(made_by("OCIManagedControlPlane", OKE.replace(URL, "")).replace("HTTP_PROXY=", "") + DECLARED + rules)
    (cluster,) = data["clusters"]
    assert len(cluster["left"]) == 1
    assert bool(data["findings"]) is not rules.startswith("  lint")
