"""What all objects of TKG have in common: both proxies or none, and certificates that are trusted by name.

It knows TKG's rules, and no object.

Sources: ``vmware-tanzu/tanzu-framework`` release-0.29, ``providers``: ``ytt/03_customizations/http_proxy.yaml``
("TKG_HTTP_PROXY and TKG_HTTPS_PROXY should both be set"), and the variables ``proxy``, which requires both, and
``trust`` of its ClusterClasses (``infrastructure-*/*/cconly/base.yaml``).
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from krm_fn import patch
from krm_fn.krm.results import Change, Finding, Severity
from krm_fn.krm.type_errors import wrong_type
from krm_fn.patch import Operation, Pointer, lookup
from krm_fn.settings import ProxySettings
from krm_fn.targets._cluster_variables import without

_HALF = (
    "TKG takes two proxies or none, and only `{}` is declared, so what is here stays as it is: declare `httpProxy` "
    "and `httpsProxy`, with the same URL if one proxy serves both"
)


def whole(settings: ProxySettings) -> ProxySettings:
    """``settings``, as if nothing were declared where only one of both proxies is: TKG rejects half of them."""
    if half(settings) is None:
        return settings
    return replace(settings, http_proxy="", https_proxy="", no_proxy="", is_declared=False)


def half(settings: ProxySettings) -> Finding | None:
    """What to say where only one of both proxies is set."""
    if bool(settings.http_proxy) == bool(settings.https_proxy):
        return None
    return Finding(
        Severity.WARNING,
        _HALF.format("httpProxy" if settings.http_proxy else "httpsProxy"),
        code="OnlyOneProxy",
    )


def certificate(settings: ProxySettings) -> str:
    """``spec.trustedCA`` as TKG wants certificates: PEM in base64, on one line; "" for none."""
    return base64.b64encode(settings.trusted_ca.pem.encode()).decode()


@dataclass(frozen=True)
class Trust:
    """A list of trusted certificates: ``path`` leads to it, ``name`` is that of our entry.

    ``kept``: so many steps of ``path`` lead to what stays, even if nothing is left in it.
    """

    path: Pointer
    name: str
    kept: int


def trusted(
    obj: Mapping[str, Any], trust: Trust, data: str, *, stays: bool
) -> Iterator[Change | Finding]:
    """What our entry of the list lacks, or its removal.

    Args:
        obj: the object.
        trust: where the list stands or is to stand.
        data: what the entry is to hold, "" for no certificate.
        stays: an entry that is there stays where there is none.
    """
    problem = _misfit(obj, trust.path)
    if problem:
        yield from [problem] if data else []  # without a certificate there is nothing to write
        return
    entries = lookup(obj, trust.path) or ()
    ours = [index for index, one in enumerate(entries) if lookup(one, ("name",)) == trust.name]
    message = f"the certificate `{trust.name}` of `additionalTrustedCAs`"
    if data and not ours:
        yield Change(_new(obj, trust, data), f"sets {message}")
    for index in reversed(ours):
        if data and lookup(entries, (str(index), "data")) != data:
            yield Change(patch.add(*trust.path, index, "data", value=data), f"sets {message}")
        elif not data and not stays:
            yield Change(without(obj, (*trust.path, str(index)), trust.kept), f"removes {message}")


def _misfit(obj: Mapping[str, Any], path: Pointer) -> Finding | None:
    """What stands in the way of a list at ``path``."""
    for depth in range(1, len(path) + 1):
        is_list = depth == len(path) or path[depth].isdigit()
        held, wanted = lookup(obj, path[:depth]), list if is_list else Mapping
        if held is not None and not isinstance(held, wanted):
            return wrong_type(path[:depth], held, "a list" if wanted is list else "a mapping")
    return None


def _new(obj: Mapping[str, Any], trust: Trust, data: str) -> Operation:
    """Our entry at the end of the list, with the list and the mappings above it where they are missing."""
    entry = {"name": trust.name, "data": data}
    if lookup(obj, trust.path) is not None:
        return patch.add(*trust.path, patch.APPEND, value=entry)
    path = trust.path
    made: Any = [entry]
    while not isinstance(lookup(obj, path[:-1]), Mapping):
        path, made = path[:-1], {path[-1]: made}
    return patch.add(*path, value=made)
