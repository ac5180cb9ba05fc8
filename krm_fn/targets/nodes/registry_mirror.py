"""containerd: a registry mirror that nodes ask before any other registry.

Sources: containerd ``docs/hosts.md`` and ``core/remotes/docker/config/hosts.go``; Nutanix CAREN
``pkg/handlers/generic/mutation/mirrors`` for the places of the files; RKE2's and K3s' documentation, "Private Registry
Configuration".
"""

from __future__ import annotations

import json
import posixpath
import re
from functools import partial
from urllib.parse import urlsplit

from krm_fn.config import Mirror
from krm_fn.krm.results import Result, Results
from krm_fn.noproxy import Audience
from krm_fn.patch import lookup
from krm_fn.places.place import Place, WrittenForm
from krm_fn.products.node_kinds import RKE2
from krm_fn.targets.base import Context, Places
from krm_fn.targets.nodes.node_config import FIRST_LINE, ConfigTarget, NodeConfig, WholeFiles

_CERTS_D = "/etc/containerd/certs.d"
# The file that containerd obeys for every registry without a folder of its own.
_HOSTS_TOML = f"{_CERTS_D}/_default/hosts.toml"
# Becomes the file ``registries.yaml``, in front of ``files``.
_FIELD_OF_RKE2 = "privateRegistriesConfig"
_CERTIFICATE = rf"""(?x)
{_CERTS_D}/[^/]+/ca\.crt                       # /etc/containerd/certs.d/registry.corp.example:5000/ca.crt
| /etc/rancher/\w+/inject-proxy-mirror\.crt    # /etc/rancher/rke2/inject-proxy-mirror.crt
"""
_OLD_MIRRORS = r"(?m)^[ \t]*\[[^\]\n]*registry\.(?:mirrors|configs)\b"
_CONFIG_PATH = r"(?m)^[ \t]*config_path[ \t]*=[ \t]*[\"']([^\"']*)[\"']"


def _mirror_files(mirror: Mirror, registries: str) -> dict[str, str]:
    """Return path and text of the files that a node needs: the configuration of the mirror, and any certificates.

    containerd finds the certificates for the mirror's own name, too.

    Args:
        mirror: the mirror.
        registries: the file of RKE2 and K3s, which write containerd's own; "" for others.
    """
    url = urlsplit(mirror.url)
    steps = [step for step in url.path.split("/") if step]
    if steps[:1] != ["v2"]:  # the root of the API of a registry
        steps.insert(0, "v2")
    root = f"{url.scheme}://{url.netloc}/{'/'.join(steps)}"
    if registries:
        certificates = f"{posixpath.dirname(registries)}/inject-proxy-mirror.crt"
        path = registries
        text = f'mirrors:\n  "*":\n    endpoint:\n    - {json.dumps(root)}\n'
        trust = f"configs:\n  {json.dumps(url.netloc)}:\n    tls:\n      ca_file: {json.dumps(certificates)}\n"
        end = ""
    else:
        certificates = f"{_CERTS_D}/{url.netloc}/ca.crt"
        path = _HOSTS_TOML
        host = json.dumps(root, ensure_ascii=False)
        text = f'[host.{host}]\n  capabilities = ["pull", "resolve"]\n'
        trust = f"  ca = {json.dumps(certificates, ensure_ascii=False)}\n"
        end = "  override_path = true\n"
    if not mirror.ca.pem:
        return {path: FIRST_LINE + text + end}
    return {path: FIRST_LINE + text + trust + end, certificates: FIRST_LINE + mirror.ca.pem}


def _is_ours(registries: str, path: str, text: str) -> bool:
    """Return whether this target wrote a file, for any mirror."""
    if not text.startswith(FIRST_LINE):
        return False
    return path in (_HOSTS_TOML, registries) or re.fullmatch(_CERTIFICATE, path) is not None


def _readers_problems(node_config: NodeConfig) -> Results:
    """Yield a finding that containerd does not look at our files, or that nothing says that it does."""
    texts = node_config.commands_in(node_config.obj)
    for file in node_config.files_in(node_config.obj):
        text = file.text or ""
        texts.append(text)
        if file.path != "/etc/containerd/config.toml":
            continue
        folders = re.search(_CONFIG_PATH, text)
        is_other = folders is not None and _CERTS_D not in folders[1].split(":")
        if is_other or re.search(_OLD_MIRRORS, text):
            yield Result(
                "MirrorNotRead",
                f'containerd does not read "{_CERTS_D}" with this file, so the registry mirror has no effect',
                file.field("content"),
            )
            return
    for text in texts:
        if "config_path" in text and _CERTS_D in text:
            return
    yield Result(
        "MirrorNotRead",
        f'containerd obeys the registry mirror from version 2.2 on, or if its `config_path` is "{_CERTS_D}": check '
        "that the node image has one of them",
        node_config.path,
        is_info=True,
    )


class RegistryMirror(ConfigTarget):
    """The files that make containerd ask a mirror first.

    Example: a KubeadmConfigTemplate gets in ``files``::

        - path: /etc/containerd/certs.d/_default/hosts.toml
          content: |
            # inject-proxy
            [host."https://registry.corp.example:5000/v2"]
    """

    audience = Audience.NOBODY

    def is_wanted(self, context: Context) -> bool:
        """Return whether there is a mirror."""
        return context.settings.mirror is not None

    def places_in(self, node_config: NodeConfig, context: Context) -> Places:
        """Yield the files of the mirror; there are no options.

        None is written where a field of the object becomes such a file.
        """
        mirror = None if node_config.unsupported else context.settings.mirror
        registries = node_config.system.registries
        own_field = node_config.data.get(_FIELD_OF_RKE2) if node_config.system is RKE2 else None
        if mirror is not None and own_field:
            endpoints = lookup(own_field, ("mirrors", "*", "endpoint")) or ()
            if mirror.url not in endpoints:
                yield Result(
                    "OtherProxy",
                    "a file with the mirror would replace this, so none is written: add the mirror here",
                    (*node_config.path, _FIELD_OF_RKE2),
                )
            mirror = None
        files = {}
        if mirror is not None:
            files = _mirror_files(mirror, registries)
        written = WholeFiles(node_config, partial(_is_ours, registries), files, "0640")
        form = WrittenForm(written.write)
        yield Place(
            node_config.files, form, "the registry mirror of containerd", is_unconditional=True
        )
        if files and not registries:
            yield from _readers_problems(node_config)
