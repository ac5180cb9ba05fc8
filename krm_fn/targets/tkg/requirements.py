"""What all objects of TKG have in common: both proxies or none, and certificates that are trusted by name.

It knows TKG's rules, and no object.

Sources: ``vmware-tanzu/tanzu-framework`` release-0.29, ``providers``: ``ytt/03_customizations/http_proxy.yaml``
("TKG_HTTP_PROXY and TKG_HTTPS_PROXY should both be set"), and the variables ``proxy``, which requires both, and
``trust`` of its ClusterClasses (``infrastructure-*/*/cconly/base.yaml``).
"""

from __future__ import annotations

import base64
from dataclasses import dataclass

from krm_fn.carriers.cluster_variables import append_entry, remove_entry
from krm_fn.carriers.site import SiteWithoutVariables, Variables
from krm_fn.engine import Draft, WrongTypeError
from krm_fn.krm.results import Finding, Severity
from krm_fn.patch import Pointer, lookup
from krm_fn.settings import ProxySettings

_HALF = (
    "TKG takes two proxies or none, and only `{}` is declared, so what is here stays as it is: declare `httpProxy` "
    "and `httpsProxy`, with the same URL if one proxy serves both"
)


def whole(settings: ProxySettings) -> ProxySettings:
    """Return ``settings``, without a proxy if only one of both proxies is set, because TKG rejects that."""
    if half(settings) is None:
        return settings
    return settings._replace(http_proxy="", https_proxy="", no_proxy="", is_declared=False)


def half(settings: ProxySettings) -> Finding | None:
    """Return the finding for settings with only one of both proxies."""
    if bool(settings.http_proxy) == bool(settings.https_proxy):
        return None
    return Finding(
        Severity.WARNING,
        _HALF.format("httpProxy" if settings.http_proxy else "httpsProxy"),
        code="OnlyOneProxy",
    )


def certificate(settings: ProxySettings) -> str:
    """Return ``spec.trustedCA`` in the form of TKG: PEM in base64, on one line; "" for none."""
    return base64.b64encode(settings.trusted_ca.pem.encode()).decode()


@dataclass(frozen=True)
class Trust:
    """A list of trusted certificates: ``path`` leads to it, ``name`` is that of our entry.

    ``kept``: so many steps of ``path`` lead to what stays, even if nothing is left in it.
    """

    path: Pointer
    name: str
    kept: int


class TrustedCertificate(SiteWithoutVariables):
    """Our entry in a list of trusted certificates, as a site; it holds no proxy variable.

    Args:
        draft: the data of the object.
        trust: where the list is, or has to be.
        data: what the entry holds; "" for no certificate.
        stays: an entry that is there stays where there is no certificate.
    """

    def __init__(self, draft: Draft, trust: Trust, data: str, *, stays: bool) -> None:
        self._draft = draft
        self._trust = trust
        self._data = data
        self._stays = stays
        self.label = f"the certificate `{trust.name}` of `additionalTrustedCAs`"

    def write(self, variables: Variables) -> None:
        """Set our entry, or remove it.

        Raises:
            WrongTypeError: something else than a list is in its place, or no mapping on the way to it.
        """
        path = self._trust.path
        try:
            entries = self._draft.items(path) or []
        except WrongTypeError:
            if self._data:
                raise
            return  # without a certificate there is nothing to write
        ours = [
            index
            for index, entry in enumerate(entries)
            if lookup(entry, ("name",)) == self._trust.name
        ]
        if self._data and not ours:
            append_entry(self._draft, path, {"name": self._trust.name, "data": self._data})
            self._draft.describe(f"sets {self.label}")
        for index in reversed(ours):
            if self._data and lookup(entries, (str(index), "data")) != self._data:
                self._draft.set((*path, str(index), "data"), self._data)
                self._draft.describe(f"sets {self.label}")
            elif not self._data and not self._stays:
                remove_entry(self._draft, (*path, str(index)), self._trust.kept)
                self._draft.describe(f"removes {self.label}")
