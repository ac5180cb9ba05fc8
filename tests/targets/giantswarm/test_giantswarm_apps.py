"""Apps of Giant Swarm: which of them refer to the values of their cluster, and which references are ours."""

from __future__ import annotations

from typing import Any

import pytest

from krm_fn.krm.results import Finding, Severity
from krm_fn.settings import ProxySettings
from krm_fn.targets.giantswarm import apps as target
from proposals import HTTP, NONE, apply, findings, proposals

OF_IT = ProxySettings(HTTP, HTTP, "x", cluster="mycluster")
REFERENCE = {"name": "mycluster-cluster-values", "namespace": "org-giantswarm"}
OTHER = {"name": "mine", "namespace": "org-giantswarm"}
LABEL = {"giantswarm.io/cluster": "mycluster"}
STRANGE = {"secret": {"name": "mycluster-kubeconfig", "namespace": "org-b"}}
NOTE = "fn.inject-proxy.io/references"


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


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(app({"giantswarm.io/cluster": "other"}), id="an app of another cluster"),
        pytest.param(app({}), id="an app of nobody knows which cluster"),
        pytest.param(app(kubeConfig=kubeconfig(inside=True)), id="an app of the management cluster"),
        pytest.param(
            app({**LABEL, "app-operator.giantswarm.io/version": "0.0.0"}), id="an app of the unique app-operator"
        ),
        pytest.param(app(kubeConfig=kubeconfig("other-kubeconfig")), id="an app that goes to another cluster"),
        pytest.param(app(config={"configMap": REFERENCE, "secret": REFERENCE}), id="an app that has both references"),
        pytest.param(
            app(extraConfigs=[{**REFERENCE, "kind": "secret"}, REFERENCE]), id="an app that has both as extra ones"
        ),
        pytest.param({"kind": "App", "metadata": {"labels": LABEL}}, id="an app without spec"),
        pytest.param({"kind": "App", "metadata": {"labels": LABEL}, "spec": []}, id="a spec of a wrong type"),
    ],
)
def test_what_must_not_change(obj: Any) -> None:
    assert proposals(target, obj, OF_IT) == []


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(app(config={"configMap": REFERENCE, "secret": REFERENCE}), id="references that a person wrote"),
        pytest.param(app(), id="an app without references"),
        pytest.param({"kind": "App", "metadata": {"annotations": "x"}}, id="annotations of a wrong type"),
    ],
)
def test_removal_leaves_alone_what_was_not_set_here(obj: Any) -> None:
    assert proposals(target, obj, NONE) == []


def test_without_a_known_cluster_nothing_is_set() -> None:
    assert proposals(target, app(), ProxySettings(HTTP)) == []


@pytest.mark.parametrize(
    ("obj", "ours"),
    [
        pytest.param(app(), "configMap,secret", id="no references"),
        pytest.param(app(config=None), "configMap,secret", id="null in their place"),
        pytest.param(app(config={"configMap": REFERENCE}), "secret", id="the ConfigMap alone"),
        pytest.param(
            app(config={"configMap": {"name": "", "namespace": ""}, "secret": None}),
            "configMap=empty,secret",
            id="empty ones, as kubectl gs writes them",
        ),
        pytest.param(app({}, kubeConfig=kubeconfig("mycluster-kubeconfig")), "configMap,secret", id="by kubeconfig"),
    ],
)
def test_an_app_of_the_cluster_gets_what_it_lacks(obj: Any, ours: str) -> None:
    result = apply(target, obj, OF_IT)

    assert result["spec"]["config"] == {"configMap": REFERENCE, "secret": REFERENCE}
    assert result["metadata"]["annotations"] == {NOTE: ours}


@pytest.mark.parametrize(
    ("obj", "namespace", "wanted"),
    [
        pytest.param(app(), "org-a", "org-a", id="that of the Cluster"),
        pytest.param(app(kubeConfig=STRANGE), "org-a", "org-a", id="that of the Cluster, whatever the kubeconfig says"),
        pytest.param(app(kubeConfig=STRANGE), "", "org-b", id="that of the kubeconfig, where the Cluster has none"),
        pytest.param(app(namespace=None), "org-a", "org-a", id="that of the Cluster, for an app that has none"),
        pytest.param(app(kubeConfig={"secret": 1}), "", "org-giantswarm", id="that of the app at last"),
    ],
)
def test_references_lead_to_the_namespace_of_the_values(obj: Any, namespace: str, wanted: str) -> None:
    result = apply(target, obj, OF_IT._replace(namespace=namespace))

    assert [result["spec"]["config"][field]["namespace"] for field in ("configMap", "secret")] == [wanted, wanted]
    again = apply(target, result, OF_IT._replace(namespace="elsewhere"))
    assert again["spec"]["config"]["secret"] == {**REFERENCE, "namespace": "elsewhere"}


def test_a_reference_of_a_person_into_another_namespace_is_reported_and_stays() -> None:
    obj = app(config={"configMap": {"name": REFERENCE["name"]}, "secret": {**REFERENCE, "namespace": "org-b"}})

    (reported,) = proposals(target, obj, OF_IT._replace(namespace="org-a"))
    assert isinstance(reported, Finding)
    assert reported.message == 'must be "org-a", where the Cluster and its values are, not "org-b": change it'
    assert reported.path == ("spec", "config", "secret", "namespace")


def test_the_namespace_may_be_the_cluster() -> None:
    result = apply(target, app({}, "mycluster"), OF_IT)

    assert result["spec"]["config"]["secret"] == {"name": "mycluster-cluster-values", "namespace": "mycluster"}


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(app(), id="no references"),
        pytest.param(app(config={"configMap": REFERENCE}), id="the ConfigMap alone"),
        pytest.param(app(config={"configMap": OTHER}), id="another ConfigMap"),
    ],
)
def test_removal_after_injection_gives_the_original(obj: Any) -> None:
    obj["metadata"]["annotations"] = {"x": "y"}

    assert apply(target, apply(target, obj, OF_IT), NONE) == obj
    del obj["metadata"]["annotations"]
    assert apply(target, apply(target, obj, OF_IT), NONE) == obj


def test_a_reference_that_a_person_changed_later_stays() -> None:
    obj = apply(target, app(), OF_IT)
    obj["spec"]["config"]["secret"] = OTHER

    result = apply(target, obj, NONE)

    assert result["spec"]["config"] == {"secret": OTHER}
    assert "annotations" not in result["metadata"]


def test_another_secret_stays_and_is_reported() -> None:
    obj = app(config={"secret": OTHER})

    assert apply(target, obj, OF_IT)["spec"]["config"] == {"secret": OTHER, "configMap": REFERENCE}
    assert [(one.severity, one.path) for one in findings(target, obj, OF_IT)] == [
        (Severity.WARNING, ("spec", "config", "secret"))
    ]


@pytest.mark.parametrize(
    "begun", [{"namespace": "org-a"}, {"name": "", "namespace": "org-a"}, {"e": "x"}, {"name": False}, {"name": 0}]
)
def test_a_reference_that_a_person_began_stays_and_is_reported(begun: Any) -> None:
    obj = app(config={"configMap": begun})

    assert apply(target, obj, OF_IT)["spec"]["config"] == {"configMap": begun, "secret": REFERENCE}
    (reported,) = findings(target, obj, OF_IT)
    assert reported.message == (
        "has no `name`, so the app gets no proxy from the values of its cluster: "
        "remove the reference, and the next run sets it"
    )
    assert (reported.code, reported.path) == ("ReferenceNotUsed", ("spec", "config", "configMap"))
    assert apply(target, apply(target, obj, OF_IT), NONE) == obj


@pytest.mark.parametrize(
    ("obj", "path"),
    [
        pytest.param(app(config="x"), ("spec", "config"), id="references that are a text"),
        pytest.param(app(config={"secret": []}), ("spec", "config", "secret"), id="a reference that is a list"),
        pytest.param(app(namespace=None), ("metadata",), id="no namespace"),
    ],
)
def test_what_cannot_be_set_is_reported(obj: Any, path: Any) -> None:
    assert [one.path for one in findings(target, obj, OF_IT)] == [path]
    assert len(proposals(target, obj, OF_IT)) == 1


def test_an_app_says_no_value() -> None:
    assert list(getattr(target, "TARGET", target).read(apply(target, app(), OF_IT), {})) == []
