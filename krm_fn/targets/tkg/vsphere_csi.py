"""vSphere CSI of Tanzu Kubernetes Grid: the storage driver, which talks to vCenter from inside the cluster."""

from __future__ import annotations

from krm_fn.carriers.three_keys import CAMEL, SNAKE, ThreeKeys
from krm_fn.products import tkg
from krm_fn.targets.tkg.addons import AddOn, AddOnTarget, Config

TARGET = AddOnTarget(
    "tkgVsphereCSI",
    addons=(
        AddOn(
            tkg.VSPHERE_CSI,
            "vsphereCSI",
            ThreeKeys(("vsphereCSI",), SNAKE, "the data values of vSphere CSI"),
        ),
    ),
    configs={
        tkg.VSPHERE_CSI_CONFIG: Config(
            ThreeKeys(
                ("spec", "vsphereCSI", "config"), CAMEL, "the configuration of vSphere CSI", kept=2
            ),
            mode=("spec", "vsphereCSI", "mode"),
            without="vsphereParavirtualCSI",
        )
    },
)
