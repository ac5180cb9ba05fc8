"""Pinniped: its three members stand at the root, and on management clusters only."""

from __future__ import annotations

from typing import Any

import pytest
from tkg_objects import HEADER, secret, text_of

pinniped = __import__("types").SimpleNamespace(TARGET=__import__("krm_fn.targets").targets.TARGETS["tkgPinniped"])
from proposals import FULL, HTTP, HTTPS, NO, NONE, apply, proposals

MANAGEMENT = f"{HEADER}tkg_cluster_role: management\npinniped:\n  cert_duration: 2160h\n"
WORKLOAD = "tkg_cluster_role: workload\nidentity_management_type: none\n"
MEMBERS = f"http_proxy: {HTTP}\nhttps_proxy: {HTTPS}\nno_proxy: {NO}\n"


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(secret(MANAGEMENT + MEMBERS), id="data values that have the proxy"),
        pytest.param(secret(WORKLOAD, addon="pinniped"), id="a workload cluster, known by the label"),
        pytest.param(secret(f"{WORKLOAD}pinniped: {{}}\n"), id="a workload cluster, known by the mapping"),
        pytest.param(secret("http_proxy: http://old:1\n"), id="values of nobody"),
        pytest.param(secret("http_proxy: http://old:1\n", addon="harbor"), id="values of another add-on"),
    ],
)
def test_what_must_not_change(obj: Any) -> None:
    assert proposals(pinniped, obj) == []


@pytest.mark.parametrize(
    ("obj", "text"),
    [
        pytest.param(secret(MANAGEMENT), MANAGEMENT, id="by its mapping"),
        pytest.param(
            secret("identity_management_type: none\n", addon="pinniped", kind="clusterbootstrap-secret"),
            "identity_management_type: none\n",
            id="by its label",
        ),
    ],
)
def test_a_management_cluster_gets_them_and_gives_them_back(obj: Any, text: str) -> None:
    result = apply(pinniped, obj)

    assert text_of(result) == text + MEMBERS
    assert apply(pinniped, result, NONE) == obj


def test_what_a_management_cluster_says_is_seen_and_of_a_workload_cluster_nothing() -> None:
    seen = {one.variable: one.value for one in pinniped.TARGET.read(secret(MANAGEMENT + MEMBERS), {})}

    assert seen == FULL.variables()
    assert list(pinniped.TARGET.read(secret(WORKLOAD + MEMBERS, addon="pinniped"), {})) == []


def test_it_looks_at_secrets_alone() -> None:
    assert pinniped.TARGET.id == "tkgPinniped"
    assert set(pinniped.TARGET.kinds) == {("", "Secret")}
