"""vSphere CPI of Tanzu Kubernetes Grid: the cloud provider, which talks to vCenter and NSX from inside the cluster."""

from __future__ import annotations

from krm_fn.carriers.three_keys import SNAKE, ThreeKeys
from krm_fn.products import tkg
from krm_fn.targets.tkg.addons import AddOn, AddOnTarget, Config

TARGET = AddOnTarget(
    "tkgVsphereCPI",
    addons=(
        AddOn(
            tkg.VSPHERE_CPI,
            "vsphereCPI",
            ThreeKeys(("vsphereCPI",), SNAKE, "the data values of vSphere CPI"),
        ),
    ),
    configs={
        tkg.VSPHERE_CPI_CONFIG: Config(
            ThreeKeys(
                ("spec", "vsphereCPI", "proxy"), SNAKE, "the configuration of vSphere CPI", kept=2
            ),
            mode=("spec", "vsphereCPI", "mode"),
            without="vsphereParavirtualCPI",
        )
    },
)
