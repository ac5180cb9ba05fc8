"""kapp-controller: `config` in its data values and in its configuration, both in camel case."""

from __future__ import annotations

from typing import Any

import pytest
from proposals import FULL, HTTP, HTTPS, NO, NONE, apply, proposals
from tkg_objects import HEADER, config, secret, text_of

from krm_fn.targets import tkg_kapp_controller

GROUP = "run.tanzu.vmware.com"
BARE = "kappController:\n  namespace: tkg-system\n"
MEMBERS = f"    httpProxy: {HTTP}\n    httpsProxy: {HTTPS}\n    noProxy: {NO}\n"
CERTIFICATE = "    caCerts: |\n      -----BEGIN CERTIFICATE-----\n      MIIB\n      -----END CERTIFICATE-----\n"
PROXY = {"httpProxy": HTTP, "httpsProxy": HTTPS, "noProxy": NO}


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(secret(f"{BARE}  config:\n{MEMBERS}"), id="data values that have the proxy"),
        pytest.param(secret(BARE, kind="addons.cluster.x-k8s.io/resource-set"), id="the Secret of a resource set"),
        pytest.param(config("TanzuKubernetesCluster", GROUP, settings={}), id="another kind of the group"),
    ],
)
def test_what_must_not_change(obj: Any) -> None:
    assert proposals(tkg_kapp_controller, obj) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(BARE, f"{BARE}  config:\n{MEMBERS}", id="without a config, as where TKG had no proxy"),
        pytest.param(
            f"{HEADER}{BARE}  config:\n{CERTIFICATE}",
            f"{HEADER}{BARE}  config:\n{CERTIFICATE}{MEMBERS}",
            id="with a certificate that stays",
        ),
    ],
)
def test_data_values_come_and_go(before: str, after: str) -> None:
    result = apply(tkg_kapp_controller, secret(before))

    assert text_of(result) == after
    assert apply(tkg_kapp_controller, result, NONE) == secret(before)


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param({"namespace": "tkg-system"}, id="nothing but a namespace"),
        pytest.param({"kappController": {"createNamespace": True}}, id="without a config"),
        pytest.param({"kappController": {"config": {"dangerousSkipTLSVerify": "r1,r2"}}}, id="with another value"),
    ],
)
def test_the_configuration_comes_and_goes(spec: Any) -> None:
    obj = config("KappControllerConfig", GROUP, **spec)

    result = apply(tkg_kapp_controller, obj)

    assert result["spec"]["kappController"]["config"] == {
        **spec.get("kappController", {}).get("config", {}),
        **PROXY,
    }
    assert apply(tkg_kapp_controller, result, NONE) == obj
    assert {seen.variable: seen.value for seen in tkg_kapp_controller.observe(result, {})} == FULL.variables()


def test_it_looks_at_its_own_configuration() -> None:
    assert tkg_kapp_controller.ID == "tkgKappController"
    assert set(tkg_kapp_controller.KINDS) == {("", "Secret"), (GROUP, "KappControllerConfig")}
