"""vSphere CSI: snake case in data values, camel case in its configuration."""

from __future__ import annotations

from typing import Any

import pytest
from tkg_objects import HEADER, config, secret, text_of

vsphere_csi = __import__("types").SimpleNamespace(TARGET=__import__("krm_fn.targets").targets.TARGETS["tkgVsphereCSI"])
from proposals import FULL, HTTP, HTTPS, NO, NONE, apply, proposals

GROUP = "csi.tanzu.vmware.com"
BARE = f"{HEADER}vsphereCSI:\n  clusterName: cluster\n"
DONE = f"{BARE}  http_proxy: {HTTP}\n  https_proxy: {HTTPS}\n  no_proxy: {NO}\n"


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(secret(DONE), id="data values that have the proxy"),
        pytest.param(secret("vsphereCPI: {}\n", addon="vsphere-cpi"), id="data values of the CPI"),
        pytest.param(
            config("VSphereCSIConfig", GROUP, vsphereCSI={"mode": "vsphereParavirtualCSI"}), id="a paravirtual cluster"
        ),
        pytest.param(config("AwsEbsCSIConfig", GROUP, awsEBSCSIDriver={}), id="the configuration of another driver"),
    ],
)
def test_what_must_not_change(obj: Any) -> None:
    assert proposals(vsphere_csi, obj) == []


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(secret(BARE), id="by its mapping"),
        pytest.param(secret(BARE, addon="vsphere-csi"), id="by its label"),
        pytest.param(secret(BARE, addon="our-csi"), id="by its mapping, whatever the label says"),
    ],
)
def test_data_values_come_and_go(obj: Any) -> None:
    result = apply(vsphere_csi, obj)

    assert text_of(result) == DONE
    assert apply(vsphere_csi, result, NONE) == obj


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param({"mode": "vsphereCSI"}, id="a configuration of one line"),
        pytest.param({"mode": "vsphereCSI", "config": {"zone": "a", "deploymentReplicas": 3}}, id="a longer one"),
    ],
)
def test_the_configuration_comes_and_goes(spec: Any) -> None:
    obj = config("VSphereCSIConfig", GROUP, vsphereCSI=spec)

    result = apply(vsphere_csi, obj)

    assert result["spec"]["vsphereCSI"]["config"] == {
        **spec.get("config", {}),
        "httpProxy": HTTP,
        "httpsProxy": HTTPS,
        "noProxy": NO,
    }
    assert apply(vsphere_csi, result, NONE) == obj
    assert {seen.variable: seen.value for seen in vsphere_csi.TARGET.read(result, {})} == FULL.variables()


def test_it_looks_at_its_own_configuration() -> None:
    assert vsphere_csi.TARGET.id == "tkgVsphereCSI"
    assert set(vsphere_csi.TARGET.kinds) == {("", "Secret"), (GROUP, "VSphereCSIConfig")}
