"""Storage drivers of Tanzu Kubernetes Grid on AWS and Azure."""

from __future__ import annotations

from krm_fn.carriers.three_keys import CAMEL, SNAKE, ThreeKeys
from krm_fn.products import tkg
from krm_fn.targets.tkg.addons import AddOn, AddOnTarget, Config

_DRIVERS = (
    (tkg.AWS_EBS_CSI, "awsEBSCSIDriver", tkg.AWS_EBS_CSI_CONFIG, "the AWS EBS driver"),
    (tkg.AZURE_DISK_CSI, "azureDiskCSIDriver", tkg.AZURE_DISK_CSI_CONFIG, "the Azure Disk driver"),
    (tkg.AZURE_FILE_CSI, "azureFileCSIDriver", tkg.AZURE_FILE_CSI_CONFIG, "the Azure File driver"),
)
TARGET = AddOnTarget(
    "tkgCloudCSI",
    addons=tuple(
        AddOn(name, key, ThreeKeys((key,), SNAKE, f"the data values of {what}"))
        for name, key, _, what in _DRIVERS
    ),
    configs={
        kind: Config(ThreeKeys(("spec", key), CAMEL, f"the configuration of {what}", kept=2))
        for _, key, kind, what in _DRIVERS
    },
)
