"""Proxy variables in texts that are no unit files: environment files, profiles, settings of apt, docker and systemd.

In: the text of a file as a node gets it. Out: name of a proxy variable -> its value, None where the text does not say
it as it is (a shell expands it). Nothing raises.

Sources: systemd.exec(5) for ``EnvironmentFile=``; pam_env(8) for ``/etc/environment``; apt.conf(5) for
``Acquire::http::Proxy``; Docker's documentation "Use a proxy server" for ``proxies`` in ``config.json`` (``httpProxy``)
and in ``daemon.json`` (``http-proxy``); systemd-system.conf(5) for ``DefaultEnvironment=``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from krm_fn.formats import escaping
from krm_fn.light_typing import Any
from krm_fn.settings import PROXY_VARIABLES

LONGEST = 262_144
"""Longer texts are not read."""

_LINE = rf"(?m)^[ \t]*(?:export[ \t]+)?(?P<name>{'|'.join(PROXY_VARIABLES)})=(?P<value>[^\r\n]*)"
_APT = r"(?i)Acquire::(?P<scheme>https?)::Proxy[ \t]+\"(?P<value>[^\"\r\n]*)\""
_DEFAULT_ENVIRONMENT = r"(?m)^[ \t]*DefaultEnvironment[ \t]*=(?P<value>[^\r\n]*)"
_OF_KEY = {
    "httpproxy": "HTTP_PROXY",
    "http-proxy": "HTTP_PROXY",
    "httpsproxy": "HTTPS_PROXY",
    "https-proxy": "HTTPS_PROXY",
    "noproxy": "NO_PROXY",
    "no-proxy": "NO_PROXY",
}
_EXPANDED = r"[$`]"


def of_lines(text: str) -> dict[str, str | None]:
    """Return the variables that lines ``NAME=value``, with or without ``export``, assign.

    The last one counts.
    """
    return {
        found["name"]: _unquoted(found["value"]) for found in re.finditer(_LINE, text[:LONGEST])
    }


def of_apt(text: str) -> dict[str, str | None]:
    """Return the proxies that a configuration of apt names."""
    return {
        f"{found['scheme'].upper()}_PROXY": found["value"]
        for found in re.finditer(_APT, text[:LONGEST])
    }


def of_system_conf(text: str) -> dict[str, str | None]:
    """Return the variables that ``DefaultEnvironment=`` sets for every service of the node."""
    values: dict[str, str | None] = {}
    for found in re.finditer(_DEFAULT_ENVIRONMENT, text[:LONGEST]):
        for word in escaping.systemd_words(found["value"]):
            name, _, value = (word.value or "").partition("=")
            if name in PROXY_VARIABLES:
                values[name] = value
    return values


def of_docker(text: str) -> dict[str, str | None]:
    """Return the proxies in the JSON of Docker's client or daemon."""
    try:
        data = json.loads(text[:LONGEST])
    except (ValueError, RecursionError):
        return {}
    return dict(_of_proxies(data.get("proxies"))) if isinstance(data, Mapping) else {}


def _of_proxies(proxies: Any) -> Iterator[tuple[str, str | None]]:
    if not isinstance(proxies, Mapping):
        return
    for key, value in proxies.items():
        if isinstance(value, Mapping):  # the client keeps them for each daemon
            yield from _of_proxies(value)
        elif isinstance(value, str) and str(key).lower() in _OF_KEY:
            yield _OF_KEY[str(key).lower()], value


def _unquoted(written: str) -> str | None:
    """Return a value as a shell or systemd reads it; None where it is expanded."""
    value = written.strip()
    if value[:1] in ("'", '"') and value.find(value[0], 1) > 0:
        quote = value[0]
        inner = value[1 : value.find(quote, 1)]
        return None if quote == '"' and re.search(_EXPANDED, inner) else inner
    value = re.split(r"[ \t;]", value, maxsplit=1)[0]
    return None if re.search(_EXPANDED, value) else value
