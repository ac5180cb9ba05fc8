"""kapp-controller of Tanzu Kubernetes Grid: it pulls the packages of a cluster from registries through the proxy."""

from __future__ import annotations

from krm_fn.carriers.three_keys import CAMEL, ThreeKeys
from krm_fn.products import tkg
from krm_fn.targets.tkg.addons import AddOn, AddOnTarget, Config

TARGET = AddOnTarget(
    "tkgKappController",
    addons=(
        AddOn(
            tkg.KAPP_CONTROLLER,
            "kappController",
            ThreeKeys(("kappController", "config"), CAMEL, "the data values of kapp-controller"),
            certificates="caCerts",
        ),
    ),
    configs={
        tkg.KAPP_CONTROLLER_CONFIG: Config(
            ThreeKeys(
                ("spec", "kappController", "config"), CAMEL, "the configuration of kapp-controller"
            ),
            certificates="caCerts",
        )
    },
)
