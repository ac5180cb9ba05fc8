"""The hosts of registry mirrors that containerd's configuration on nodes names.

Sources: containerd ``docs/hosts.md`` (``certs.d/<registry>/hosts.toml``, tables ``[host."URL"]``) and
``docs/cri/registry.md`` (``[plugins."...".registry.mirrors."<registry>"]``, ``endpoint``, in ``config.toml``).
"""

from __future__ import annotations

import base64
import re

from krm_fn import placeholders
from krm_fn.clusters.reading import host, url_host
from krm_fn.light_typing import Any, Texts
from krm_fn.patch import text_at

_OURS = "# inject-proxy\n"
"""The first line of a file that the target ``registryMirror`` wrote: the settings know this mirror already."""
_COMMENT = r"(?m)^[ \t]*#.*$"
_HOSTS_FILE = r".*/certs\.d/([^/]+)/hosts\.toml"
_HOST_TABLE = r"""(?m)^[ \t]*\[[ \t]*host[ \t]*\.[ \t]*["']([^"']+)["']"""
_CONFIG_FILE = r"/etc/containerd/.*\.toml"
_MIRROR_TABLE = (
    r"""(?ms)^[ \t]*\[[^\]\n]*registry\.mirrors\.["']?([^"'\]\n]+)["']?\s*\](.*?)(?=^[ \t]*\[|\Z)"""
)
_ENDPOINTS = r"(?ms)^[ \t]*endpoint[ \t]*=[ \t]*\[(.*?)\]"
_QUOTED = r"""["']([^"']+)["']"""
_USER = r"//[^/]*@"
_DOCKER_HUB = frozenset({"docker.io", "index.docker.io", "registry-1.docker.io"})
"""The names of one registry (containerd ``docs/hosts.md``: ``server = "https://registry-1.docker.io"``)."""


def mirror_hosts(file: Any) -> Texts:
    """Return the hosts of mirrors that an entry of ``files`` of nodes names; a registry is no mirror of itself."""
    path = text_at(file, ("path",)).strip()
    content = _content(file) if path.endswith(".toml") else ""
    if content.startswith(_OURS):
        return ()
    content = re.sub(_COMMENT, "", content)
    hosts: dict[str, None] = {}
    for registry, urls in _urls_by_registry(path, content):
        own_names = _DOCKER_HUB if registry in _DOCKER_HUB else {registry}
        for url in urls:
            name = "" if placeholders.is_alone(url) else url_host(re.sub(_USER, "//", url))
            if name and name not in own_names:
                hosts[name] = None
    return tuple(hosts)


def _urls_by_registry(path: str, content: str) -> list[tuple[str, list[str]]]:
    """Return each registry with the URLs of the servers that answer for it."""
    hosts_file = re.fullmatch(_HOSTS_FILE, path)
    if hosts_file:
        return [(host(hosts_file[1]), re.findall(_HOST_TABLE, content))]
    registries = []
    if re.fullmatch(_CONFIG_FILE, path):
        for registry, table in re.findall(_MIRROR_TABLE, content):
            endpoints = " ".join(re.findall(_ENDPOINTS, table))
            registries.append((host(registry), re.findall(_QUOTED, endpoints)))
    return registries


def _content(file: Any) -> str:
    """Return the text of a file; "" where it cannot be read here (compressed, or in a Secret)."""
    content = text_at(file, ("content",))
    encoding = file.get("encoding")
    if encoding != "base64":
        return "" if encoding else content
    try:
        return base64.b64decode(content).decode()
    except ValueError:
        return ""
