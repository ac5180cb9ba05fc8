"""The kinds that run pods, and where each keeps the pod specification. Data only.

Sources: the Kubernetes API, core/v1 (``PodTemplateSpec``), apps/v1, batch/v1.
"""

from __future__ import annotations

from krm_fn.light_typing import GroupKind, Texts

# Where a Deployment, a Job and their like keep the pod specification.
POD_SPEC = ("spec", "template", "spec")

# API group and kind of what runs pods -> where its pod specification is.
POD_SPEC_OF: dict[GroupKind, Texts] = {
    ("", "Pod"): ("spec",),
    ("batch", "CronJob"): ("spec", "jobTemplate", *POD_SPEC),
    ("batch", "Job"): POD_SPEC,
    ("apps", "DaemonSet"): POD_SPEC,
    ("apps", "Deployment"): POD_SPEC,
    ("apps", "ReplicaSet"): POD_SPEC,
    ("apps", "StatefulSet"): POD_SPEC,
    ("extensions", "DaemonSet"): POD_SPEC,
    ("extensions", "Deployment"): POD_SPEC,
    ("extensions", "ReplicaSet"): POD_SPEC,
}

# The (API group, kind) pairs that run pods.
POD_KINDS = frozenset(POD_SPEC_OF)
