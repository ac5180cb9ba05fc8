"""Pinniped of Tanzu Kubernetes Grid: on a management cluster it asks the identity provider outside who somebody is."""

from __future__ import annotations

from krm_fn.carriers.three_keys import SNAKE, ThreeKeys
from krm_fn.products import tkg
from krm_fn.targets.tkg.addons import AddOn, AddOnTarget

TARGET = AddOnTarget(
    "tkgPinniped",
    addons=(
        AddOn(
            tkg.PINNIPED,
            "pinniped",
            ThreeKeys((), SNAKE, "the data values of Pinniped"),
            unless={"tkg_cluster_role": "workload"},
        ),
    ),
)
