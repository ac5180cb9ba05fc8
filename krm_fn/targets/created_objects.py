"""Objects that this program creates because a list lacks them, and the label that marks them.

An object with the label is removed when nothing wanted is left in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from krm_fn.light_typing import Any, Fields
from krm_fn.patch import Data, lookup
from krm_fn.places.mapping_forms import OneMember
from krm_fn.places.place import Place

NewObjects = Iterator[Fields]
"""Objects that the list lacks, without a proxy: their places fill them."""
OURS = "inject-proxy"
_LABEL = "app.kubernetes.io/managed-by"
CA_KEY = "ca-bundle.crt"
"""The key of a ConfigMap of ours that holds the trusted certificates."""


def skeleton(
    kind: str,
    name: str,
    like: Data,
    *,
    labels: Mapping[str, str] | None = None,
    **members: Any,
) -> Fields:
    """Return a new ``v1`` object in the namespace of ``like``, without a proxy."""
    metadata: Fields = {"name": name}
    namespace = lookup(like, ("metadata", "namespace"))
    if isinstance(namespace, str) and namespace:
        metadata["namespace"] = namespace
    metadata["labels"] = {_LABEL: OURS, **(labels or {})}
    return {"apiVersion": "v1", "kind": kind, "metadata": metadata, **members}


def was_created(obj: Data) -> bool:
    """Return whether this program created an object, judged by its label."""
    return bool(lookup(obj, ("metadata", "labels", _LABEL)) == OURS)


def trusted_config_map() -> Place:
    """Return the certificates in a ConfigMap that this program created; without any, the ConfigMap goes."""
    form = OneMember(lambda settings, old: settings.trusted_ca.pem or None)  # noqa: ARG005
    return Place(("data", CA_KEY), form, "the trusted certificates", is_unconditional=True)
