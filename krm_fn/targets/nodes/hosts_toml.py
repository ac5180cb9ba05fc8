"""The files that configure a registry mirror in containerd, and whether containerd reads them.

Texts and paths only; the callers write them into objects.

Sources: containerd ``docs/hosts.md`` and ``core/remotes/docker/config/hosts.go``. The places of the files, ``/v2`` with
``override_path`` and the two capabilities are those of ``pkg/handlers/generic/mutation/mirrors`` of Nutanix CAREN, the
successor of Konvoy.
"""

from __future__ import annotations

import json
import re

from krm_fn.config import Mirror
from krm_fn.formats import pem
from krm_fn.targets.nodes.files import MARK, File

CERTS_D = "/etc/containerd/certs.d"
PATH = f"{CERTS_D}/_default/hosts.toml"
"""What containerd obeys for every registry that has no folder of its own."""

_CA_PATH = rf"{re.escape(CERTS_D)}/[^/]+/ca\.crt"
_CONFIG_PATH = r"(?m)^[ \t]*config_path[ \t]*=[ \t]*[\"']([^\"']*)[\"']"
_OLD_MIRRORS = r"(?m)^[ \t]*\[[^\]\n]*registry\.(?:mirrors|configs)\b"


def files_of(mirror: Mirror) -> list[File]:
    """Return the files that a node needs for ``mirror``.

    ``hosts.toml``, and the certificates if there are any.
    """
    certificates = [File(_ca_path(mirror), MARK + mirror.ca.pem)] if mirror.ca.pem else []
    return [File(PATH, _hosts_toml(mirror)), *certificates]


def is_ours(path: str, text: str) -> bool:
    """Return whether ``files_of`` wrote the file ``path`` with this text, for any mirror."""
    return text.startswith(MARK) and (path == PATH or re.fullmatch(_CA_PATH, path) is not None)


def described(text: str) -> str:
    """Return what messages say about the text of one of the files: the fingerprints of certificates."""
    return pem.shown(text) if pem.split(text) else ""


def reads_certs_d(config: str) -> bool:
    """Return whether a text (a file of containerd, or a command that writes one) makes containerd read our files."""
    return "config_path" in config and CERTS_D in config


def obstacle(config: str) -> str | None:
    """Return why containerd does not read our files with ``config``, its whole ``config.toml``.

    None if it may.
    """
    if re.search(_OLD_MIRRORS, config):
        return "it has `registry.mirrors` or `registry.configs`, which exclude `config_path`"
    given = re.search(_CONFIG_PATH, config)
    if given and CERTS_D not in given[1].split(":"):
        return f'its `config_path` is "{given[1]}"'
    return None


def _hosts_toml(mirror: Mirror) -> str:
    certificates = [f"  ca = {_string(_ca_path(mirror))}"] if mirror.ca.pem else []
    lines = [
        f"[host.{_string(api_root(mirror.url))}]",
        '  capabilities = ["pull", "resolve"]',
        *certificates,
        "  override_path = true",
    ]
    return MARK + "".join(f"{line}\n" for line in lines)


def _ca_path(mirror: Mirror) -> str:
    """Return where containerd also finds the certificates for images with the mirror's own name."""
    from urllib.parse import urlsplit  # noqa: PLC0415 -- most runs have no mirror

    return f"{CERTS_D}/{urlsplit(mirror.url).netloc}/ca.crt"


def api_root(url: str) -> str:
    """Return the URL with ``/v2`` before its path, if it lacks that: the root of the API of a registry."""
    from urllib.parse import urlsplit  # noqa: PLC0415 -- most runs have no mirror

    parts = urlsplit(url)
    steps = [step for step in parts.path.split("/") if step]
    return "/".join(
        [f"{parts.scheme}://{parts.netloc}", *(steps if steps[:1] == ["v2"] else ["v2", *steps])]
    )


def _string(text: str) -> str:
    """Return a basic string of TOML, which has the escapes of JSON."""
    return json.dumps(text, ensure_ascii=False)
