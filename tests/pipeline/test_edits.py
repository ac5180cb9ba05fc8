"""The edits of a run: what they replace is named."""

from __future__ import annotations

from typing import Any

import pytest

from chart_objects import ANY, release
from function_configs import list_with_config
from krm_fn.krm.resourcelist import group_kind
from krm_fn.pipeline.run import run
from manifests import named
from proposals import HTTP


def openshift(**spec: Any) -> dict[str, Any]:
    return {"apiVersion": "config.openshift.io/v1", "kind": "Proxy", "metadata": {"name": "cluster"}, "spec": spec}


REPLACED: list[Any] = [
    pytest.param(release("harbor", {"proxy": {"httpProxy": {"a": "b"}}}), "proxy.httpProxy", id="a mapping"),
    pytest.param(release("harbor", {"proxy": {"noProxy": 5}}), "proxy.noProxy", id="a number in place of a list"),
    pytest.param(release("crossplane", {"extraEnvVarsCrossplane": {"HTTP_PROXY": 5}}), "HTTP_PROXY", id="a variable"),
    pytest.param(release("external-dns", {"env": [{"name": "HTTP_PROXY", "value": 5}]}), "value", id="an entry"),
    pytest.param(openshift(httpProxy=5), "spec.httpProxy", id="a field of OpenShift"),
    pytest.param(release("harbor", {"proxy": {"httpProxy": "", "noProxy": None}}), "", id="nothing"),
    pytest.param(release("harbor", {"proxy": {"httpProxy": HTTP}}), "", id="our proxy"),
]


@pytest.mark.parametrize("mode", ["Inject", "Check", "Remove"])
@pytest.mark.parametrize(("obj", "field"), REPLACED)
def test_a_value_that_is_no_text_is_named_where_it_is_replaced_or_removed(obj: Any, field: str, mode: str) -> None:
    spec = {"mode": mode, "httpProxy": HTTP, "noProxy": "a", "targets": {"charts": ANY}}
    results = [result for result in run(list_with_config(spec, obj)).results if result.code == "ProxyReplaced"]
    assert [".".join(result.path).endswith(field) for result in results] == [True] * bool(field)
    assert all(result.ref.kind == group_kind(obj)[1] for result in results)
    assert all(("removal takes out" in result.message) is (mode == "Remove") for result in results)


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param({**openshift(), "spec": "x"}, id="a field of OpenShift"),
        pytest.param(named("KubeadmControlPlane", "cp", spec={"kubeadmConfigSpec": "x"}), id="a control plane"),
        pytest.param(named("KubeadmConfigTemplate", "md", spec={"template": "x"}), id="a template"),
    ],
)
def test_an_object_of_another_shape_is_an_error_where_something_is_written(obj: Any) -> None:
    """A removal leaves it as it is: nothing of ours can be in it."""
    assert run(list_with_config({"mode": "Remove"}, obj)).exit_code == 0
    results = run(list_with_config({"httpProxy": HTTP, "noProxy": "a"}, obj)).results
    assert "CannotWrite" in {result.code for result in results}
