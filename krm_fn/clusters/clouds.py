"""The hosts of OpenStack's Keystone that a Secret with a ``clouds.yaml`` names.

Sources: cluster-api-provider-openstack ``api/v1beta1/identity_types.go``: the Secret of ``spec.identityRef.name`` has a
key ``clouds.yaml``; openstacksdk, "Configuring OpenStack SDK Applications": ``clouds.<name>.auth.auth_url``.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping

from krm_fn import yamledit
from krm_fn.clusters.reading import pattern, url_host, values
from krm_fn.errors import InputError
from krm_fn.light_typing import Any
from krm_fn.patch import lookup

_KEY = "clouds.yaml"
_AUTH_URLS = pattern("clouds.*.auth.auth_url")


def keystone_hosts(secret: Any) -> tuple[str, ...]:
    """Return the hosts of all clouds of a Secret, without port.

    Nothing where it has no ``clouds.yaml`` that can be read.

    Args:
        secret: the data of the object; of its credentials nothing is kept.
    """
    text = _text(secret)
    if not text:
        return ()
    try:
        clouds = yamledit.read(text)
    except InputError:
        return ()
    found = (url_host(url) for _, url in values(clouds, _AUTH_URLS))
    return tuple(dict.fromkeys(filter(None, found)))


def _text(secret: Any) -> str:
    """Return the text of the key, from ``stringData`` before ``data``; "" where it is no text."""
    if not isinstance(secret, Mapping):
        return ""
    plain, encoded = lookup(secret, ("stringData", _KEY)), lookup(secret, ("data", _KEY))
    if isinstance(plain, str):
        return plain
    try:
        return base64.b64decode(encoded).decode("utf-8") if isinstance(encoded, str) else ""
    except (binascii.Error, ValueError):
        return ""
