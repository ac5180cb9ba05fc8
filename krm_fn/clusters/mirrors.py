"""The hosts of registry mirrors that containerd's configuration on nodes names.

It reads the text of a file, never the object the file is in. What names the registry itself
is no mirror: only a place that answers for another registry is one. A file that this program wrote is no source: the
mirror of the settings is known from them, also where it is about to change.

Sources: containerd ``docs/hosts.md`` (``certs.d/<registry>/hosts.toml``, tables ``[host."URL"]``) and
``docs/cri/registry.md`` (``[plugins."...".registry.mirrors."<registry>"]``, ``endpoint``, in ``config.toml``).
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Mapping

from krm_fn import placeholders
from krm_fn.clusters.reading import host, text
from krm_fn.light_typing import Any

_HOSTS_FILE = r"/certs\.d/([^/]+)/hosts\.toml"
_CONFIG_FILE = r"/etc/containerd/.*\.toml"
_HOST_TABLE = r"""(?m)^[ \t]*\[[ \t]*host[ \t]*\.[ \t]*["']([^"']+)["']"""
_MIRROR_TABLE = (
    r"""(?ms)^[ \t]*\[[^\]\n]*registry\.mirrors\.["']?([^"'\]\n]+)["']?\s*\](.*?)(?=^[ \t]*\[|\Z)"""
)
_ENDPOINTS = r"(?ms)^[ \t]*endpoint[ \t]*=[ \t]*\[(.*?)\]"
_QUOTED = r"""["']([^"']+)["']"""
_COMMENT = r"(?m)^[ \t]*#.*$"
_URL = r"(?:[A-Za-z][A-Za-z0-9+.-]*://)?(?:[^/@\s]*@)?([^/\s]+)"

_OURS = "# inject-proxy\n"
"""The first line of a file that this program wrote (the target ``registryMirror``)."""

_DOCKER_HUB = frozenset({"docker.io", "index.docker.io", "registry-1.docker.io"})
"""The names of one registry (containerd ``docs/hosts.md``: ``server = "https://registry-1.docker.io"``)."""


def mirror_hosts(file: Any) -> tuple[str, ...]:
    """Return the hosts, without port, of the mirrors that an entry of ``files`` of nodes names."""
    if not isinstance(file, Mapping):
        return ()
    path = text(file.get("path"))
    content = _content(file) if path.endswith(".toml") else ""
    if not content or content.startswith(_OURS):
        return ()
    content = re.sub(_COMMENT, "", content)
    urls = (
        url for url in _urls(path, content) if not placeholders.alone(url)
    )  # it may become a URL, not a host
    found = (host(match[1]) for url in urls if (match := re.match(_URL, url)))
    return tuple(dict.fromkeys(filter(None, found)))


def _urls(path: str, content: str) -> Iterator[str]:
    """Yield the addresses of servers that mirror a registry other than themselves."""
    if match := re.search(_HOSTS_FILE, path):
        yield from _others(re.findall(_HOST_TABLE, content), match[1])
    elif re.fullmatch(_CONFIG_FILE, path):
        for registry, table in re.findall(_MIRROR_TABLE, content):
            for endpoints in re.findall(_ENDPOINTS, table):
                yield from _others(re.findall(_QUOTED, endpoints), registry)


def _others(urls: list[str], registry: str) -> Iterator[str]:
    itself = host(registry)
    names = _DOCKER_HUB if itself in _DOCKER_HUB else {itself}
    for url in urls:
        match = re.match(_URL, url)
        if match and host(match[1]) not in names:
            yield url


def _content(file: Mapping[str, Any]) -> str:
    """Return the text of a file; "" where it cannot be read here (compressed, or in a Secret)."""
    content, encoding = file.get("content"), file.get("encoding") or ""
    if not isinstance(content, str) or encoding not in ("", "base64"):
        return ""
    if not encoding:
        return content
    try:
        return base64.b64decode(content).decode("utf-8")
    except (binascii.Error, ValueError):
        return ""
