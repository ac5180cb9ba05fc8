"""The files that configure a registry mirror in RKE2 and K3s, which write the configuration of containerd themselves.

Source: their documentation, "Private Registry Configuration": ``mirrors."*"`` is asked for every registry that has no
entry, and ``configs`` holds the certificates of a host.
"""

from __future__ import annotations

import json
import posixpath

from krm_fn.config import Mirror
from krm_fn.targets.nodes.files import MARK, File
from krm_fn.targets.nodes.hosts_toml import api_root


def files_of(mirror: Mirror, path: str) -> list[File]:
    """Return the files that a node needs for a mirror: that at ``path``, and the certificates if there are any."""
    text = f'{MARK}mirrors:\n  "*":\n    endpoint:\n    - {json.dumps(api_root(mirror.url))}\n'
    if not mirror.ca.pem:
        return [File(path, text)]
    from urllib.parse import urlsplit  # noqa: PLC0415 -- most runs have no mirror

    host, certificates = json.dumps(urlsplit(mirror.url).netloc), _ca_path(path)
    text += f"configs:\n  {host}:\n    tls:\n      ca_file: {json.dumps(certificates)}\n"
    return [File(path, text), File(certificates, MARK + mirror.ca.pem)]


def is_ours(path: str, text: str, ours: str) -> bool:
    """Return whether ``files_of`` wrote the file ``path`` with this text, for any mirror; ``ours`` is its path."""
    return text.startswith(MARK) and path in (ours, _ca_path(ours))


def _ca_path(path: str) -> str:
    return f"{posixpath.dirname(path)}/inject-proxy-mirror.crt"
