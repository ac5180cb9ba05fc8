"""The settings of a proxy that a product does not take, so that nothing is written.

Each limit returns the end of the sentence "OpenShift takes …", with the remedy; "" where it takes the settings.
Placeholders are left out of the values before, because nobody knows yet their values.

Sources: those of ``products/distributions.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from urllib.parse import urlsplit

from krm_fn import placeholders
from krm_fn.products.distributions import PRODUCTS
from krm_fn.proxy_url import is_port, split_url
from krm_fn.settings import ProxySettings

Limit = Callable[[ProxySettings], str]

# Characters that a shell, or a file of variables, does not take as a part of a value without quotes.
_UNQUOTED = " \t\"'\\$`"
# Characters that a shell does not take as they are between double quotes.
_IN_QUOTES = '"\\$`'


def find_refusal(target_id: str, settings: ProxySettings) -> str:
    """Return why a product does not take some settings, as a sentence with the remedy; "" where it takes them."""
    if not settings.sets_any:
        return ""
    for limit in _LIMITS.get(target_id, ()):
        reason = limit(settings)
        if reason:
            override = f"an entry of `spec.overrides` with `match: {{targets: [{target_id}]}}`"
            return (
                f"{PRODUCTS[target_id].name} takes {reason} in {override}, or set "
                f"`spec.targets.{target_id}: false`"
            )
    return ""


def _urls(settings: ProxySettings) -> list[str]:
    """Return the URLs of the proxies that are declared, without placeholders."""
    urls = (settings.http_proxy, settings.https_proxy)
    return [placeholders.without(url) for url in urls if url]


def _needs_both(settings: ProxySettings) -> str:
    if settings.http_proxy and settings.https_proxy:
        return ""
    return "no proxy for one scheme only: declare `httpProxy` and `httpsProxy`, both or none"


def _gives_workers_http_alone(settings: ProxySettings) -> str:
    if settings.http_proxy:
        return ""
    return "no proxy for HTTPS alone, of which its workers get nothing: declare `httpProxy`, too"


def _refuses_password(settings: ProxySettings) -> str:
    if not any("@" in url for url in _urls(settings)):
        return ""
    return "no user and password in the URL of a proxy: declare one without them"


def _needs_port(settings: ProxySettings) -> str:
    for url in _urls(settings):
        if url and urlsplit(url).port is None:
            return "no URL of a proxy without a port: declare its port"
    return ""


def _needs_plain_http(settings: ProxySettings) -> str:
    if not settings.http_proxy.startswith("https://"):
        return ""
    return "no `https://` as the proxy for HTTP: declare an `httpProxy` with `http://`"


def _has_one_proxy(settings: ProxySettings) -> str:
    """Refuse two proxies, and a URL of which host and port do not say all."""
    proxy = settings.http_proxy
    url = split_url(proxy)
    is_plain = url.scheme == "http" and url.host and url.user_info is None
    has_port = not url.port or is_port(url.port[1:])
    is_one = proxy == settings.https_proxy and "$" not in proxy and "{" not in proxy
    if is_one and is_plain and has_port:
        return ""
    return "one proxy for HTTP and HTTPS with `http://`, a host and a port: declare both as that"


def _refuses(characters: str, settings: ProxySettings) -> str:
    """Refuse characters that the product writes unescaped into a text where they mean something else."""
    values = "".join((*_urls(settings), placeholders.without(settings.no_proxy)))
    if set(characters).isdisjoint(values):
        return ""
    return f"none of the characters {characters!r} in a value, which would break it: declare one without"


# ID of a target -> its limits; the first one that refuses is named.
_LIMITS: Mapping[str, Sequence[Limit]] = {
    "distributions.openshift": (_needs_plain_http, partial(_refuses, " \t")),
    "distributions.aks": (_refuses_password, _needs_plain_http),
    "distributions.eksAnywhere": (_needs_both, _needs_port, partial(_refuses, "%")),
    "distributions.canonicalKubernetes": (partial(_refuses, _UNQUOTED),),
    "distributions.kubeOne": (_gives_workers_http_alone, partial(_refuses, _UNQUOTED)),
    "distributions.kops": (_refuses_password, _has_one_proxy),
    "distributions.rancher": (partial(_refuses, _IN_QUOTES),),
}
