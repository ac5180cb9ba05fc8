"""The environments of the containers of a workload, as the target of workloads writes them."""

from __future__ import annotations

from typing import Any

from all_targets import TARGETS
from krm_fn.patch import lookup
from manifests import pod_spec_path
from proposals import FULL, apply, env

TARGET = TARGETS["workloads"]
OURS = env(FULL.variables)


def envs(obj: Any) -> dict[str, Any]:
    """The name of each container -> its environment."""
    spec = lookup(obj, pod_spec_path(obj["kind"]))
    containers = [*spec.get("initContainers", []), *spec["containers"]]
    return {container["name"]: container.get("env") for container in containers}


def filled(obj: Any, **options: Any) -> list[str]:
    """The containers that have all six variables after a run."""
    return [name for name, entries in envs(apply(TARGET, obj, **options)).items() if entries == OURS]
