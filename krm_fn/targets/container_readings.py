"""The containers of every built-in kind that runs pods, whether or not a target wants them.

It looks, and proposes nothing; a field of a wrong type is passed by.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from krm_fn.carriers.reading import Reading
from krm_fn.patch import Pointer
from krm_fn.targets import _env_seen
from krm_fn.targets._podspec import POD_SPEC, containers

_POD_SPECS: dict[tuple[str, str], Pointer] = {
    ("", "Pod"): ("spec",),
    ("batch", "CronJob"): ("spec", "jobTemplate", *POD_SPEC),
    ("batch", "Job"): POD_SPEC,
    **{
        (group, kind): POD_SPEC
        for group in ("apps", "extensions")
        for kind in ("DaemonSet", "Deployment")
    },
    **{(group, "ReplicaSet"): POD_SPEC for group in ("apps", "extensions")},
    ("apps", "StatefulSet"): POD_SPEC,
}
KINDS = frozenset(_POD_SPECS)
"""The (API group, kind) pairs that run pods."""

_LISTS = ("initContainers", "containers", "ephemeralContainers")


def pod_spec(obj: Mapping[str, Any]) -> Pointer | None:
    """Where ``obj`` keeps the pod specification; None for an object of another kind."""
    group = str(obj.get("apiVersion")).rpartition("/")[0]
    return _POD_SPECS.get((group, str(obj.get("kind"))))


def observe(obj: Mapping[str, Any], group_kind: tuple[str, str]) -> Iterator[Reading]:
    """What the environments of all containers of ``obj``, an object of one of ``KINDS``, set."""
    for field in _LISTS:
        for container in containers(obj, field, at=_POD_SPECS[group_kind])[0]:
            yield from _env_seen.observe(container)
