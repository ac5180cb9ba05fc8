"""The edits of a run: what they replace is named."""

from __future__ import annotations

from typing import Any

import pytest

from chart_objects import ANY, release
from function_configs import list_with_config
from krm_fn.krm.resourcelist import group_kind
from krm_fn.pipeline.run import run
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
