"""What all objects of TKG have in common: both proxies or none."""

from __future__ import annotations

from krm_fn.krm.results import Result
from krm_fn.settings import ProxySettings

_HALF = (
    "TKG takes two proxies or none, and only `{}` is declared, so what is here stays as it is: declare `httpProxy` "
    "and `httpsProxy`, with the same URL if one proxy serves both"
)


def half(settings: ProxySettings) -> Result | None:
    """Return the finding for settings with only one of both proxies."""
    if bool(settings.http_proxy) == bool(settings.https_proxy):
        return None
    name = "httpProxy" if settings.http_proxy else "httpsProxy"
    return Result.of("ProxyReduced", _HALF.format(name))


def whole(settings: ProxySettings) -> ProxySettings:
    """Return settings, without a proxy if only one of both is set, because TKG rejects that."""
    if half(settings) is None:
        return settings
    return settings._replace(http_proxy="", https_proxy="", no_proxy="", is_declared=False)
