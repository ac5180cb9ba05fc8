"""How products spell the three keys of a proxy, in the order of HTTP_PROXY, HTTPS_PROXY, NO_PROXY."""

from __future__ import annotations

ProxyKeys = tuple[str, str, str]

UPPER: ProxyKeys = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
SNAKE: ProxyKeys = ("http_proxy", "https_proxy", "no_proxy")
CAMEL: ProxyKeys = ("httpProxy", "httpsProxy", "noProxy")
PROXY_VARIABLES = tuple(name for pair in zip(UPPER, SNAKE, strict=True) for name in pair)
"""The six names this program owns, in the order in which it writes them."""
SHORT: ProxyKeys = ("http", "https", "noProxy")
"""Values of Giant Swarm's charts."""

CREDENTIAL_SECRET = "credentialSecretRef"  # noqa: S105 -- the name of a field
"""What names a Secret with user and password beside a URL of GitHub's runners."""
