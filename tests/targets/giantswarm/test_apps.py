"""Apps of Giant Swarm: which of them refer to the values of their cluster, and what a removal takes out."""

from __future__ import annotations

from typing import Any

import pytest

from all_targets import TARGETS
from krm_fn.settings import ProxySettings
from proposals import HTTP, apply, findings, proposals

target = TARGETS["giantswarm.apps"]

OF_IT = ProxySettings(HTTP, HTTP, "x", cluster="mycluster")
NONE = ProxySettings(cluster="mycluster")
REFERENCE = {"name": "mycluster-cluster-values", "namespace": "org-giantswarm"}
BOTH = {"configMap": REFERENCE, "secret": REFERENCE}
OTHER = {"name": "mine", "namespace": "org-giantswarm"}
LABEL = {"giantswarm.io/cluster": "mycluster"}
STRANGE = {"secret": {"name": "mycluster-kubeconfig", "namespace": "org-b"}}


def app(labels: Any = LABEL, namespace: str | None = "org-giantswarm", **spec: Any) -> Any:
    metadata = {"name": "mycluster-external-dns", "namespace": namespace, "labels": labels}
    return {
        "apiVersion": "application.giantswarm.io/v1alpha1",
        "kind": "App",
        "metadata": {key: value for key, value in metadata.items() if value is not None},
        "spec": {"catalog": "default-test", "name": "external-dns-app", **spec},
    }


def kubeconfig(name: str = "", *, inside: bool = False) -> Any:
    return {"inCluster": inside, "context": {"name": ""}, "secret": {"name": name, "namespace": ""}}


NOT_OF_IT = [
    pytest.param(app({"giantswarm.io/cluster": "other"}, config=BOTH), id="another cluster"),
    pytest.param(app({}, config=BOTH), id="nobody knows which cluster"),
    pytest.param(app(kubeConfig=kubeconfig(inside=True), config=BOTH), id="the management cluster"),
    pytest.param(app({**LABEL, "app-operator.giantswarm.io/version": "0.0.0"}, config=BOTH), id="unique app-operator"),
    pytest.param(app(kubeConfig=kubeconfig("other-kubeconfig"), config=BOTH), id="a kubeconfig of another cluster"),
    pytest.param({"kind": "App", "metadata": {"labels": LABEL}, "spec": []}, id="a spec of a wrong type"),
]


@pytest.mark.parametrize("obj", NOT_OF_IT)
@pytest.mark.parametrize("settings", [OF_IT, NONE], ids=["a proxy", "a removal"])
def test_an_app_of_another_cluster_stays(obj: Any, settings: ProxySettings) -> None:
    assert proposals(target, obj, settings) == []


@pytest.mark.parametrize(
    ("obj", "settings"),
    [
        pytest.param(app(config=BOTH), OF_IT, id="an app that has both references"),
        pytest.param(app(extraConfigs=[{**REFERENCE, "kind": "secret"}, REFERENCE]), OF_IT, id="both as extra ones"),
        pytest.param(app(), OF_IT._replace(is_listed=False), id="a Cluster that is not in the list"),
        pytest.param(app(config=BOTH), NONE._replace(is_declared=False), id="nothing is declared"),
    ],
)
def test_what_must_not_change(obj: Any, settings: ProxySettings) -> None:
    assert proposals(target, obj, settings) == []


@pytest.mark.parametrize(
    ("obj", "namespace", "wanted"),
    [
        pytest.param(app(), "org-a", "org-a", id="that of the Cluster"),
        pytest.param(app(kubeConfig=STRANGE), "org-a", "org-a", id="that of the Cluster, whatever the kubeconfig says"),
        pytest.param(app(kubeConfig=STRANGE), "", "org-b", id="that of the kubeconfig, where the Cluster has none"),
        pytest.param(app(namespace=None), "org-a", "org-a", id="that of the Cluster, for an app that has none"),
        pytest.param(app(kubeConfig={"secret": 1}), "", "org-giantswarm", id="that of the app at last"),
        pytest.param(app({}, "mycluster"), "", "mycluster", id="which may be the name of the cluster"),
    ],
)
def test_references_lead_to_the_namespace_of_the_values(obj: Any, namespace: str, wanted: str) -> None:
    after = apply(target, obj, OF_IT._replace(namespace=namespace))
    assert [after["spec"]["config"][field]["namespace"] for field in ("configMap", "secret")] == [wanted, wanted]


@pytest.mark.parametrize(
    ("obj", "path"),
    [
        pytest.param(app(config={"secret": OTHER}), ("spec", "config", "secret"), id="another Secret"),
        pytest.param(
            app(config={"configMap": {**REFERENCE, "namespace": "org-b"}}),
            ("spec", "config", "configMap"),
            id="another namespace",
        ),
        pytest.param(app(namespace=None), ("metadata",), id="no namespace"),
    ],
)
def test_what_cannot_be_set_is_reported(obj: Any, path: Any) -> None:
    assert [finding.path for finding in findings(target, obj, OF_IT)] == [path]
