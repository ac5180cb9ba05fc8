"""Objects that this program creates because a list lacks them, and the label that marks them.

An object with the label is removed when nothing wanted is left in it.
"""

from __future__ import annotations

from collections.abc import Mapping

from krm_fn.light_typing import Any
from krm_fn.patch import lookup
from krm_fn.targets.base import LABEL, OURS, Companions, Creation, Data, was_created

__all__ = ["OURS", "beside_clusters", "skeleton", "was_created"]


def beside_clusters(companions: Companions) -> Creation:
    """Return the creation of objects beside each Cluster of the list, where the option ``generate`` asks for it."""
    return Creation(companions, option="generate")


def skeleton(
    kind: str,
    name: str,
    like: Data,
    *,
    labels: Mapping[str, str] | None = None,
    **members: Any,
) -> dict[str, Any]:
    """Return a new ``v1`` object in the namespace of ``like``, without a proxy."""
    metadata: dict[str, Any] = {"name": name, "labels": {LABEL: OURS, **(labels or {})}}
    namespace = lookup(like, ("metadata", "namespace"))
    if isinstance(namespace, str) and namespace:
        metadata = {"name": name, "namespace": namespace, "labels": metadata["labels"]}
    return {"apiVersion": "v1", "kind": kind, "metadata": metadata, **members}
