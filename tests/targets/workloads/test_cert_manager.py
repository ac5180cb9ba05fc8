"""cert-manager: every generation of its manifests, and what only looks like it."""

from __future__ import annotations

from typing import Any

import pytest

from krm_fn.krm.results import Severity
from krm_fn.settings import ProxySettings
cert_manager = __import__("types").SimpleNamespace(TARGET=__import__("krm_fn.targets").targets.TARGETS["certManager"])
from proposals import FULL, HTTP, NONE, apply, changes, env, findings, messages, proposals

OURS = env(FULL.variables())
POD_NAMESPACE = {"name": "POD_NAMESPACE", "valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}}}
UPPER = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")


def workload(app: str, component: str | None, *containers: Any, kind: str = "Deployment", **pod: Any) -> Any:
    """A workload as Helm renders it: the same labels on the object and on the pod template."""
    labels = {"app": app, "app.kubernetes.io/name": app, "app.kubernetes.io/instance": "cert-manager"}
    if component:
        labels["app.kubernetes.io/component"] = component
    template = {"metadata": {"labels": dict(labels)}, "spec": {"containers": list(containers), **pod}}
    return {
        "apiVersion": "batch/v1" if kind == "Job" else "apps/v1",
        "kind": kind,
        "metadata": {"name": "any", "namespace": "kube-system", "labels": labels},
        "spec": {"template": template},
    }


def container(name: str, *entries: Any) -> dict[str, Any]:
    return {"name": name, "image": "x", "env": list(entries)} if entries else {"name": name, "image": "x"}


def environments(obj: Any) -> dict[str, Any]:
    return {item["name"]: item.get("env") for item in obj["spec"]["template"]["spec"]["containers"]}


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(
            workload("cert-manager-webhook-ovh", None, container("cert-manager-webhook-ovh")),
            id="a DNS webhook of someone else",
        ),
        pytest.param(
            workload("cert-manager-csi-driver", "controller", container("cert-manager-csi-driver")), id="the CSI driver"
        ),
        pytest.param(
            workload("approver-policy", None, container("cert-manager-approver-policy")), id="the approver policy"
        ),
        pytest.param(workload("ingress-nginx", "controller", container("controller")), id="another controller"),
        pytest.param(workload("webhook", None, container("webhook")), id="another webhook, as Knative has one"),
        pytest.param(
            workload("cert-manager-app", "crd-install", container("cert-manager-crd-install"), kind="Job"),
            id="the Job of the Giant Swarm app that installs CRDs",
        ),
        pytest.param(workload("acmesolver", None, container("acmesolver")), id="the acmesolver"),
        pytest.param(workload("trust-manager", None, container("trust-manager")), id="trust-manager"),
        pytest.param({"kind": "Deployment", "metadata": {"name": "cert-manager"}}, id="a name alone says nothing"),
        pytest.param(workload("cert-manager", "controller", container("cert-manager-controller", *OURS)), id="done"),
        pytest.param(
            {"metadata": {"labels": {"app": "cert-manager"}}, "spec": {"replicas": 3}}, id="a part of a Deployment"
        ),
    ],
)
def test_what_must_not_change(obj: Any) -> None:
    assert proposals(cert_manager, obj) == []


@pytest.mark.parametrize(
    ("app", "component", "name"),
    [
        pytest.param("cert-manager", "controller", "cert-manager-controller", id="upstream controller"),
        pytest.param("webhook", "webhook", "cert-manager-webhook", id="upstream webhook"),
        pytest.param("cainjector", "cainjector", "cert-manager-cainjector", id="upstream cainjector"),
        pytest.param("cert-manager", "controller", "cert-manager", id="upstream before 1.10, controller"),
        pytest.param("cainjector", "cainjector", "cert-manager", id="upstream before 1.10, cainjector"),
        pytest.param("webhook", None, "cert-manager", id="upstream before component labels"),
        pytest.param("cert-manager", "controller", "cert-manager", id="app v2 controller"),
        pytest.param("cert-manager", "webhook", "webhook", id="app v2 webhook"),
        pytest.param("cert-manager", "cainjector", "cainjector", id="app v2 cainjector"),
        pytest.param("cert-manager-app", "controller", "cert-manager-app-controller", id="app v3 controller"),
        pytest.param("cert-manager-app", "webhook", "cert-manager-app-webhook", id="app v3 webhook"),
        pytest.param("cert-manager-app", "cainjector", "cert-manager-app-cainjector", id="app v3 cainjector"),
        pytest.param("cert-manager-app", "cainjector", "cert-manager-cainjector", id="app v4 cainjector"),
        pytest.param("cert-manager", "cert-manager", "cert-manager", id="Kubeflow, whose labels are all alike"),
        pytest.param("renamed", "controller", "cert-manager-controller", id="a chart with another name"),
    ],
)
def test_every_generation_is_recognised(app: str, component: str | None, name: str) -> None:
    obj = workload(app, component, container(name, POD_NAMESPACE), container("istio-proxy", POD_NAMESPACE))

    result = apply(cert_manager, obj)

    assert environments(result) == {name: [POD_NAMESPACE, *OURS], "istio-proxy": [POD_NAMESPACE]}
    assert apply(cert_manager, result, NONE) == obj


@pytest.mark.parametrize(
    ("image", "is_its"),
    [
        pytest.param("quay.io/jetstack/cert-manager-controller:v1.19.4", True, id="upstream"),
        pytest.param("registry.corp.example:5000/mirror/cert-manager-webhook@sha256:0", True, id="a mirror, by digest"),
        pytest.param("cert-manager-cainjector", True, id="a bare name"),
        pytest.param("quay.io/jetstack/cert-manager-acmesolver:v1.19.4", False, id="the acmesolver"),
        pytest.param("quay.io/jetstack/cert-manager-approver-policy:v0.14", False, id="the approver policy"),
        pytest.param(None, False, id="no image"),
    ],
)
def test_its_images_are_recognised_under_any_name(image: str | None, is_its: bool) -> None:
    obj = workload("tls", "issuing", {"name": "main", "image": image}, container("side"))

    assert environments(apply(cert_manager, obj)) == {"main": OURS if is_its else None, "side": None}
    assert messages(cert_manager, obj) == []


def test_the_startupapicheck_job_gets_the_proxy() -> None:
    job = workload("startupapicheck", "startupapicheck", container("cert-manager-startupapicheck"), kind="Job")

    assert ("batch", "Job") in cert_manager.TARGET.kinds
    assert environments(apply(cert_manager, job)) == {"cert-manager-startupapicheck": OURS}


def test_labels_on_the_pod_template_alone_are_enough() -> None:
    obj = workload("cert-manager", "controller", container("cert-manager-controller"))
    del obj["metadata"]["labels"]

    assert environments(apply(cert_manager, obj)) == {"cert-manager-controller": OURS}


def test_init_containers_are_left_alone() -> None:
    obj = workload("cert-manager", "controller", initContainers=[container("cert-manager-controller")])

    assert changes(cert_manager, obj) == []


def app_v4() -> Any:
    """The container of cert-manager-app 4.1.1 as it renders without any proxy."""
    references = [
        {
            "name": name,
            "valueFrom": {"configMapKeyRef": {"name": "cert-manager-app-proxy", "key": name.lower(), "optional": True}},
        }
        for name in UPPER
    ]
    return workload("cert-manager-app", "controller", container("cert-manager-controller", POD_NAMESPACE, *references))


def test_the_references_of_app_v4_are_replaced_whole() -> None:
    (written,) = environments(apply(cert_manager, app_v4())).values()

    assert [entry["name"] for entry in written] == ["POD_NAMESPACE", *UPPER, *map(str.lower, UPPER)]
    assert all(set(entry) == {"name", "value"} for entry in written[1:])


def test_keep_leaves_the_references_of_app_v4_and_says_so() -> None:
    obj = app_v4()

    assert apply(cert_manager, obj, conflict="Keep") == obj
    assert len(messages(cert_manager, obj, Severity.INFO, conflict="Keep")) == len(UPPER)
    assert len(messages(cert_manager, obj, Severity.WARNING, conflict="Keep")) == len(UPPER)


def test_fail_makes_the_references_of_app_v4_errors() -> None:
    assert len(messages(cert_manager, app_v4(), Severity.ERROR, conflict="Fail")) == len(UPPER)


def test_the_six_of_app_v2_are_updated_where_they_stand() -> None:
    order = ["NO_PROXY", "no_proxy", "HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"]
    obj = workload(
        "cert-manager", "controller", container("cert-manager", POD_NAMESPACE, *env(dict.fromkeys(order, "old")))
    )

    (written,) = environments(apply(cert_manager, obj)).values()

    assert written == [POD_NAMESPACE, *env({name: FULL.variables()[name] for name in order})]


def test_extra_env_beside_the_chart_value_is_folded() -> None:
    doubled = env({"HTTP_PROXY": "http://extra:1"}) + env({"HTTP_PROXY": "http://chart:1"})
    obj = workload("cert-manager", "controller", container("cert-manager-controller", *doubled))

    (written,) = environments(apply(cert_manager, obj, ProxySettings(http_proxy=HTTP))).values()

    assert written == env({"HTTP_PROXY": HTTP, "http_proxy": HTTP})


def test_a_workload_of_cert_manager_without_a_known_container_is_a_warning() -> None:
    obj = workload("cert-manager", "controller", container("renamed"))

    (message,) = messages(cert_manager, obj)

    assert message.startswith("no container has a name of cert-manager's")
    assert findings(cert_manager, obj, NONE) == []


@pytest.mark.parametrize("broken", [None, 7, "text", [], {}, [None], {"a": None}])
@pytest.mark.parametrize("path", [("metadata",), ("spec",), ("spec", "template"), ("spec", "template", "spec")])
def test_wrong_types_never_raise_and_change_nothing(path: tuple[str, ...], broken: Any) -> None:
    obj = workload("cert-manager", "controller", container("cert-manager-controller"))
    parent = obj
    for token in path[:-1]:
        parent = parent[token]
    parent[path[-1]] = broken

    said = findings(cert_manager, obj)

    assert path == ("metadata",) or changes(cert_manager, obj) == []
    wrong_above_the_containers = path != ("metadata",) and not isinstance(broken, dict | None)
    assert [finding.severity for finding in said] == [Severity.ERROR] * wrong_above_the_containers
    assert list(cert_manager.TARGET.read(obj, {})) == []


def test_containers_of_a_wrong_type_are_reported_with_their_field() -> None:
    obj = workload("cert-manager", "controller")
    obj["spec"]["template"]["spec"]["containers"] = {"name": "cert-manager-controller"}

    assert messages(cert_manager, obj, Severity.ERROR) == [
        "`containers` must be a list, not a mapping; correct it, or leave it out"
    ]


def test_an_env_of_a_wrong_type_is_an_error_because_the_target_clearly_wants_it() -> None:
    obj = workload("cert-manager", "controller", {"name": "cert-manager-controller", "env": "HTTP_PROXY=x"})

    assert messages(cert_manager, obj, Severity.ERROR) == [
        "`env` must be a list, not a string; correct it, or leave it out"
    ]


def test_its_words_stand_in_every_object_it_could_want() -> None:
    assert cert_manager.TARGET.id == "certManager"
    assert cert_manager.TARGET.hints({}) == ("cert-manager",)
    assert {("apps", "Deployment"), ("extensions", "Deployment")} < cert_manager.TARGET.kinds
