"""A ConfigMap with trusted certificates that a target creates beside the objects that name it."""

from __future__ import annotations

from krm_fn.light_typing import Any
from krm_fn.places.members import OneMember
from krm_fn.places.place import Place
from krm_fn.settings import ProxySettings

KEY = "ca-bundle.crt"
"""The key that holds the certificates."""


def trusted_config_map() -> Place:
    """Return the certificates in a ConfigMap that inject-proxy created; without any, the ConfigMap goes."""
    return Place(("data", KEY), OneMember(_pem), "the trusted certificates", is_trust=True)


def _pem(settings: ProxySettings, old: Any) -> Any:
    return settings.trusted_ca.pem or None
