"""chart-operator: its two containers, and nothing beside them."""

from __future__ import annotations

from typing import Any

import pytest

from krm_fn.krm.results import Severity
from krm_fn.settings import ProxySettings
chart_operator = __import__("types").SimpleNamespace(TARGET=__import__("krm_fn.targets").targets.TARGETS["chartOperator"])
from proposals import FULL, HTTP, NONE, apply, changes, env, findings, messages, proposals

OURS = env(FULL.variables())
BOOTSTRAP = env({"KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": "6443"})
GS_ORDER = ["NO_PROXY", "no_proxy", "HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"]


def deployment(*entries: Any, name: str = "chart-operator", label: str = "chart-operator") -> Any:
    """The Deployment of chart-operator 4.2.0, with ``entries`` as environment of its operator."""
    labels = {"app": label, "app.kubernetes.io/name": label}
    operator = {"name": name, "image": "chart-operator:4.2.0", "args": ["daemon"]}
    if entries:
        operator["env"] = list(entries)
    waiting = {
        "name": "wait-for-quay",
        "image": "alpine",
        "command": ["sh", "-c", "until nslookup quay.io; do :; done"],
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "mycluster-chart-operator", "namespace": "giantswarm", "labels": labels},
        "spec": {
            "template": {
                "metadata": {"labels": dict(labels)},
                "spec": {"initContainers": [waiting], "containers": [operator, {"name": "sidecar"}]},
            }
        },
    }


def environments(obj: Any) -> dict[str, Any]:
    spec = obj["spec"]["template"]["spec"]
    return {item["name"]: item.get("env") for item in [*spec.get("initContainers", []), *spec["containers"]]}


def done() -> Any:
    return apply(chart_operator, deployment(*BOOTSTRAP))


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(deployment(label="app-operator"), id="another operator with a container of that name"),
        pytest.param(done(), id="a Deployment that has its proxy"),
        pytest.param({"metadata": {"name": "chart-operator"}}, id="a name alone says nothing"),
        pytest.param({"metadata": {"labels": {"app": "chart-operator"}}}, id="a Deployment without containers"),
        pytest.param({"metadata": {"labels": "chart-operator"}, "spec": None}, id="labels of a wrong type"),
    ],
)
def test_what_must_not_change(obj: Any) -> None:
    assert proposals(chart_operator, obj) == []


def test_the_operator_and_its_init_container_get_the_proxy_and_the_sidecar_does_not() -> None:
    obj = deployment(*BOOTSTRAP)

    result = apply(chart_operator, obj)

    assert environments(result) == {
        "wait-for-quay": OURS,
        "chart-operator": [*BOOTSTRAP, *OURS],
        "sidecar": None,
    }


def test_removal_after_injection_gives_the_original() -> None:
    assert apply(chart_operator, done(), NONE) == deployment(*BOOTSTRAP)
    assert apply(chart_operator, apply(chart_operator, deployment()), NONE) == deployment()


def test_a_changed_proxy_updates_in_place() -> None:
    other = ProxySettings("http://new:1", "http://new:1", "x")

    assert apply(chart_operator, done(), other) == apply(chart_operator, deployment(*BOOTSTRAP), other)


def test_the_order_of_its_chart_stays() -> None:
    result = apply(chart_operator, deployment(*env(dict.fromkeys(GS_ORDER, "old"))))

    assert environments(result)["chart-operator"] == env({name: FULL.variables()[name] for name in GS_ORDER})


@pytest.mark.parametrize("key", ["app", "app.kubernetes.io/name"])
def test_one_label_on_the_template_is_enough(key: str) -> None:
    obj = deployment()
    obj["metadata"]["labels"] = None
    obj["spec"]["template"]["metadata"]["labels"] = {key: "chart-operator"}

    assert environments(apply(chart_operator, obj))["chart-operator"] == OURS


def test_a_private_cluster_has_no_init_container() -> None:
    obj = deployment()
    del obj["spec"]["template"]["spec"]["initContainers"]

    assert environments(apply(chart_operator, obj)) == {"chart-operator": OURS, "sidecar": None}
    assert findings(chart_operator, obj) == []


def test_the_conflict_mode_reaches_the_containers() -> None:
    obj = deployment(*env({"HTTP_PROXY": "http://old:1"}))
    settings = ProxySettings(http_proxy=HTTP)

    kept = apply(chart_operator, obj, settings, conflict="Keep")
    errors = findings(chart_operator, obj, settings, conflict="Fail")

    assert environments(kept)["chart-operator"] == env({"HTTP_PROXY": "http://old:1"})
    assert [(error.severity, error.path[-2:]) for error in errors] == [(Severity.ERROR, ("env", "0"))]


def test_a_renamed_container_is_a_warning() -> None:
    obj = deployment(name="operator")

    assert messages(chart_operator, obj) == [
        "no container is named `chart-operator`, so none gets the proxy: give the operator's that name"
    ]


@pytest.mark.parametrize("field", ["initContainers", "containers"])
def test_a_list_of_a_wrong_type_is_reported_and_the_other_is_still_filled(field: str) -> None:
    obj = deployment()
    obj["spec"]["template"]["spec"][field] = "broken"

    assert messages(chart_operator, obj, Severity.ERROR) == [
        f"`{field}` must be a list, not a string; correct it, or leave it out"
    ]
    assert len(changes(chart_operator, obj)) == 1


def test_it_looks_at_deployments_of_both_groups() -> None:
    assert chart_operator.TARGET.id == "chartOperator"
    assert chart_operator.TARGET.hints({}) == ("chart-operator",)
    assert set(chart_operator.TARGET.kinds) == {("apps", "Deployment"), ("extensions", "Deployment")}
