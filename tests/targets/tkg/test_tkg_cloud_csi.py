"""The storage drivers of the clouds: snake case in data values, camel case in the configurations."""

from __future__ import annotations

from typing import Any

import pytest
from tkg_objects import HEADER, config, secret, text_of

cloud_csi = __import__("types").SimpleNamespace(TARGET=__import__("krm_fn.targets").targets.TARGETS["tkgCloudCSI"])
from proposals import FULL, HTTP, HTTPS, NO, NONE, apply, changes, findings, proposals

GROUP = "csi.tanzu.vmware.com"
MEMBERS = f"  http_proxy: {HTTP}\n  https_proxy: {HTTPS}\n  no_proxy: {NO}\n"
DRIVERS = [
    pytest.param("awsEBSCSIDriver", "AwsEbsCSIConfig", "aws-ebs-csi-driver", id="AWS EBS"),
    pytest.param("azureDiskCSIDriver", "AzureDiskCSIConfig", "azuredisk-csi-driver", id="Azure Disk"),
    pytest.param("azureFileCSIDriver", "AzureFileCSIConfig", "azurefile-csi-driver", id="Azure File"),
]


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(secret(f"awsEBSCSIDriver:\n{MEMBERS}"), id="data values that have the proxy"),
        pytest.param(secret("vsphereCSI: {}\n"), id="data values of the driver of vSphere"),
        pytest.param(config("VSphereCSIConfig", GROUP, vsphereCSI={}), id="the configuration of the driver of vSphere"),
    ],
)
def test_what_must_not_change(obj: Any) -> None:
    assert proposals(cloud_csi, obj) == []


@pytest.mark.parametrize(("key", "kind", "addon"), DRIVERS)
def test_data_values_come_and_go(key: str, kind: str, addon: str) -> None:
    obj = secret(f"{HEADER}{key}:\n  namespace: kube-system\n")

    result = apply(cloud_csi, obj)

    assert text_of(result) == f"{text_of(obj)}{MEMBERS}"
    assert apply(cloud_csi, result, NONE) == obj
    assert text_of(apply(cloud_csi, secret(HEADER, addon=addon))) == f"{HEADER}{key}:\n{MEMBERS}"


@pytest.mark.parametrize(("key", "kind", "addon"), DRIVERS)
def test_the_configuration_comes_and_goes(key: str, kind: str, addon: str) -> None:
    obj = config(kind, GROUP, **{key: {"namespace": "kube-system"}})

    result = apply(cloud_csi, obj)

    assert result["spec"][key] == {
        "namespace": "kube-system",
        "httpProxy": HTTP,
        "httpsProxy": HTTPS,
        "noProxy": NO,
    }
    assert apply(cloud_csi, result, NONE) == obj
    assert {seen.variable: seen.value for seen in cloud_csi.TARGET.read(result, {})} == FULL.variables()


def test_two_drivers_in_one_document_are_one_change() -> None:
    obj = secret("azureDiskCSIDriver: {}\nazureFileCSIDriver:\n")

    (change,) = changes(cloud_csi, obj)

    assert [one.value for one in change.operations] == [
        f"azureDiskCSIDriver:\n{MEMBERS}azureFileCSIDriver: # was:\n{MEMBERS}"
    ]
    assert change.message == (
        "sets the proxy in the data values of the Azure Disk driver and the data values of the Azure File driver"
    )


def test_what_ytt_computes_for_one_driver_leaves_the_proxy_of_the_other() -> None:
    text = "azureDiskCSIDriver:\n  http_proxy: #@ proxy()\nazureFileCSIDriver: {}\n"

    result = apply(cloud_csi, secret(text))

    assert text_of(result) == f"azureDiskCSIDriver:\n  http_proxy: #@ proxy()\nazureFileCSIDriver:\n{MEMBERS}"
    assert len(findings(cloud_csi, secret(text))) == 1


def test_what_is_wrong_with_a_text_is_reported_once_for_all_drivers() -> None:
    assert len(findings(cloud_csi, secret(data={"values.yaml": "%"}))) == 1


def test_it_looks_at_the_configurations_of_three_drivers() -> None:
    assert cloud_csi.TARGET.id == "tkgCloudCSI"
    assert set(cloud_csi.TARGET.kinds) == {
        ("", "Secret"),
        (GROUP, "AwsEbsCSIConfig"),
        (GROUP, "AzureDiskCSIConfig"),
        (GROUP, "AzureFileCSIConfig"),
    }
