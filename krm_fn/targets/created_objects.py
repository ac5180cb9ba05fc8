"""Objects that this program creates because a list lacks them, and the label that marks them.

An object with the label is removed when nothing wanted is left in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from krm_fn.light_typing import Fields
from krm_fn.patch import Data, lookup
from krm_fn.places.place import Place

# Objects that the list lacks, without a proxy: their places fill them.
NewObjects = Iterator[Fields]
OURS = "inject-proxy"
_LABEL = "app.kubernetes.io/managed-by"
# The key of a ConfigMap of ours that holds the trusted certificates.
CA_KEY = "ca-bundle.crt"


def skeleton(kind: str, name: str, namespace: str = "", labels: Mapping[str, str] = {}) -> Fields:
    """Return a new ``v1`` object without a proxy; "" for no namespace."""
    metadata: Fields = {"name": name}
    if namespace:
        metadata["namespace"] = namespace
    metadata["labels"] = {_LABEL: OURS, **labels}
    new = {"apiVersion": "v1", "kind": kind, "metadata": metadata}
    if kind == "Secret":
        new["type"] = "Opaque"
    return new


def was_created(data: Data) -> bool:
    """Return whether this program created an object, judged by its label."""
    return bool(lookup(data, ("metadata", "labels", _LABEL)) == OURS)


def trusted_config_map() -> Place:
    """Return the certificates in a ConfigMap that this program created; without any, the ConfigMap goes."""
    from krm_fn.places.mapping_forms import one_member  # noqa: PLC0415 -- few lists get such a ConfigMap

    form = one_member(lambda settings, old: settings.trusted_ca.pem or None)  # noqa: ARG005
    return Place(("data", CA_KEY), form, "the trusted certificates", is_unconditional=True)
