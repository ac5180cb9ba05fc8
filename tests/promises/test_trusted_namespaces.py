"""The proxy of a Cluster, and objects of other namespaces that say themselves that they belong to it."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

import manifests
from function_configs import list_with_config
from krm_fn.krm.results import Result, Severity
from krm_fn.pipeline.run import run
from manifests import container, kubeadm, named, secret, with_value, workload

CANARY = "hunter2"
SECRET_PROXY = {"httpProxy": f"http://svc:{CANARY}@proxy:3128", "httpsProxy": f"http://svc:{CANARY}@proxy:3128"}
EVERYBODYS = {"httpProxy": "http://everybody:3128", "httpsProxy": "http://everybody:3128"}
BY_NAMESPACE = {"overrides": [{"match": {"namespaces": ["org-a"]}, **SECRET_PROXY}]}
BY_NAME = {"overrides": [{"match": {"clusters": ["prod"]}, **SECRET_PROXY}]}


def cluster(name: str, namespace: str) -> dict[str, Any]:
    return manifests.cluster(name, metadata={"namespace": namespace})


def values(namespace: str) -> dict[str, Any]:
    return secret("prod-cluster-values", namespace=namespace, stringData={"values": "a: b\n"})


def cert_manager(namespace: str, **labels: str) -> dict[str, Any]:
    controller = container("cert-manager-controller", image="quay.io/jetstack/cert-manager-controller:v1.14.0")
    labels = {"app.kubernetes.io/name": "cert-manager", **labels}
    return workload(controller, name="cert-manager", namespace=namespace, labels=labels)


def nodes(namespace: str) -> dict[str, Any]:
    return kubeadm({}, name="x", namespace=namespace, labels={"cluster.x-k8s.io/cluster-name": "prod"})


def release(namespace: str) -> dict[str, Any]:
    spec = {
        "chart": {"spec": {"chart": "cert-manager-app"}},
        "kubeConfig": {"secretRef": {"name": "prod-kubeconfig"}},
        "values": {"http_proxy": ""},
    }
    return named("HelmRelease", "cert-manager", namespace=namespace, spec=spec)


def done(spec: dict[str, Any], *items: dict[str, Any]) -> tuple[str, list[str]]:
    """Run, and return the items that come out as text, and the warnings about what keeps what it has."""
    outcome = run(list_with_config(spec, *items))
    assert outcome.exit_code == 0
    reported = [f"{one.ref.kind}/{one.ref.namespace}/{one.ref.name}" for one in outcome.results if _is_withheld(one)]
    return yaml.safe_dump(yaml.safe_load(outcome.output)["items"]), reported


def _is_withheld(result: Result) -> bool:
    return result.severity is Severity.WARNING and "spec.trustedNamespaces" in result.message


CLUSTERS = [cluster("prod", "org-a"), cluster("test", "org-b")]
LABEL = {"giantswarm.io/cluster": "prod"}
STRANGERS = [
    pytest.param(values("team-x"), id="a Secret that is named like that of the Cluster"),
    pytest.param(cert_manager("team-x", **LABEL), id="a workload with its label"),
    pytest.param(release("team-x"), id="a release with a kubeconfig of that name"),
    pytest.param(
        with_value(
            cert_manager("team-x", **LABEL),
            ("metadata", "annotations"),
            {"cluster.x-k8s.io/cluster-namespace": "org-a"},
        ),
        id="a workload that names the namespace, too",
    ),
]


@pytest.mark.parametrize(
    "spec", [BY_NAMESPACE, BY_NAME, {**EVERYBODYS, **BY_NAMESPACE}], ids=["namespace", "name", "both"]
)
@pytest.mark.parametrize("stranger", STRANGERS)
def test_a_stranger_keeps_what_it_has(stranger: dict[str, Any], spec: dict[str, Any]) -> None:
    items, reported = done(spec, *CLUSTERS, stranger)

    assert CANARY not in items
    assert items == done({**EVERYBODYS, "selector": {"include": [{"names": ["nobody"]}]}}, *CLUSTERS, stranger)[0]
    assert reported == [f"{stranger['kind']}/team-x/{stranger['metadata']['name']}"]


@pytest.mark.parametrize("stranger", STRANGERS)
@pytest.mark.parametrize("globs", [["team-x"], ["a", "team-*"], ["*"]], ids=str)
def test_where_the_user_trusts_its_namespace_it_gets_the_proxy(stranger: dict[str, Any], globs: list[str]) -> None:
    items, reported = done({**BY_NAMESPACE, "trustedNamespaces": globs}, *CLUSTERS, stranger)

    assert (CANARY in items, reported) == (True, [])


def owned(namespace: str) -> dict[str, Any]:
    owner = {"apiVersion": "cluster.x-k8s.io/v1beta1", "kind": "Cluster", "name": "prod", "uid": "1"}
    return {**nodes(namespace), "metadata": {"name": "x", "namespace": namespace, "ownerReferences": [owner]}}


@pytest.mark.parametrize("stranger", [nodes("team-x"), owned("team-x")], ids=["by a label", "by an owner"])
def test_a_rule_for_a_name_alone_does_not_reach_its_namesake_that_is_not_in_the_list(stranger: dict[str, Any]) -> None:
    items, reported = done({**EVERYBODYS, **BY_NAME}, *CLUSTERS, stranger)
    assert (CANARY in items, reported) == (False, ["KubeadmConfigTemplate/team-x/x"])


@pytest.mark.parametrize(
    "own",
    [
        pytest.param(values("org-a"), id="in the namespace of the Cluster"),
        pytest.param(values("${NAMESPACE}"), id="in a namespace that is filled in later"),
    ],
)
def test_an_object_of_the_cluster_gets_it(own: dict[str, Any]) -> None:
    items, reported = done(BY_NAMESPACE, *CLUSTERS, own)

    assert (CANARY in items, reported) == (True, [])


def test_a_list_with_one_cluster_is_about_that_one_but_for_secrets_of_others() -> None:
    items, reported = done(BY_NAMESPACE, CLUSTERS[0], cert_manager("cert-manager"), values("team-x"))

    assert CANARY in items
    assert reported == ["Secret/team-x/prod-cluster-values"]


def test_removal_asks_nobody() -> None:
    injected, _ = done({**BY_NAMESPACE, "trustedNamespaces": ["*"]}, *CLUSTERS, values("team-x"))
    items, reported = done({"mode": "Remove"}, *yaml.safe_load(injected))

    assert (CANARY in items, reported) == (False, [])
