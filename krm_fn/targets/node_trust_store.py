"""Trust store of the nodes: containerd, and all else that runs on a node, trusts the authorities of your network.

What it sets: each certificate of ``spec.trustedCA`` as a file ``/etc/inject-proxy/trusted-ca/inject-proxy-<n>.pem``
(``root:root``, ``0644``), one to a file because trust stores want it so, and commands that copy them into the trust
store of the node's image and update it: Debian and Ubuntu, RHEL and Amazon Linux, Photon, Flatcar. Each finds out on
the node whether it is meant. The last one restarts containerd, if it runs, because it reads the store once.

Where: ``files`` and ``preKubeadmCommands`` of KubeadmControlPlane (``spec.kubeadmConfigSpec``),
KubeadmControlPlaneTemplate (``spec.template.spec.kubeadmConfigSpec``), KubeadmConfig (``spec``) and
KubeadmConfigTemplate (``spec.template.spec``). Files stand at the end; so do commands, but before the restart and the
exports of the target ``kubeadmCommands``. Other certificates are updated in place; those that are left over go.

What it leaves alone: every other file and command, such as the ``tkg-custom-ca.pem`` of TKG's overlay. Ours are known
by their folder and by the mark ``# inject-proxy: trust store`` at the end of a command. Nodes that are there already
keep what they have: nodes are replaced, not changed, so a certificate is withdrawn when the node is.

Before and after:

```diff
     files:
     - path: /etc/example
       content: stays
+    - content: |
+        -----BEGIN CERTIFICATE-----
+        MIIBxzCCAW2gAwIBAgIUR/AhJWDmQfRa6lZ9pn7Aa8LhC+gwCgYIKoZIzj0EAwIw
+        -----END CERTIFICATE-----
+      owner: root:root
+      path: /etc/inject-proxy/trusted-ca/inject-proxy-0.pem
+      permissions: "0644"
     preKubeadmCommands:
     - hostnamectl set-hostname node-1
+    - "if command -v update-ca-trust >/dev/null 2>&1; then … fi # inject-proxy: trust store"
+    - "systemctl try-restart containerd || true # inject-proxy: trust store"
```

Options: ``os`` (default: all): a list of ``Debian``, ``RHEL``, ``Photon`` and ``Flatcar``; only their commands are
written. ``Debian`` stands for Ubuntu, and ``RHEL`` for Amazon Linux, Rocky Linux and their like, too.

Why: a proxy that looks into TLS signs with an authority of its own, and without it no image can be pulled. TKG's CA
overlay (``TKG_PROXY_CA_CERT``) does this with ``! which … ||``, which is a YAML tag where it is not quoted, and moves
its file away, so it can run once only. These commands hold under ``set -e`` (Ignition) as well as in the one ``sh``
script of cloud-init. If an update fails, the node goes on, and its log says so.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from krm_fn import patch
from krm_fn.carriers import kubeadm_config
from krm_fn.carriers.kubeadm_config import ConfigSpec
from krm_fn.carriers.node_system import NodeSystem
from krm_fn.carriers.reading import Reading
from krm_fn.formats import pem
from krm_fn.krm.results import Change, Finding, Severity
from krm_fn.noproxy import Audience
from krm_fn.settings import ProxySettings
from krm_fn.targets import _files, _trust_commands
from krm_fn.targets.base import Target

_MOST_FILES = 200


def propose(
    obj: Mapping[str, Any], settings: ProxySettings, options: Mapping[str, Any]
) -> Iterator[Change | Finding]:
    """Yield what has to change in ``files`` and ``preKubeadmCommands``; ``options`` has the list ``os``."""
    certificates = pem.split(settings.trusted_ca.pem)
    spec = kubeadm_config.find(obj, wanted=bool(certificates))
    if not isinstance(spec, ConfigSpec):
        yield from () if spec is None else (spec,)
        return
    if certificates and spec.system is not NodeSystem.LINUX:
        yield from spec.unwritten()
        certificates = []
    said = list(_files.propose(spec, _files_of(certificates)))
    yield from spec.findings(settings)
    yield from said
    yield from _too_many(spec, certificates)
    images = options.get("os", _trust_commands.ALL) if certificates else ()
    yield from _trust_commands.propose(_with(spec, said), _trust_commands.commands(images))


def observe(obj: Mapping[str, Any], options: Mapping[str, Any]) -> Iterator[Reading]:
    """Yield nothing: a trust store says nothing about a proxy."""
    return iter(())


def _files_of(certificates: Sequence[str]) -> _files.NodeFiles:
    wanted = [
        _files.File(_path(number), text, permissions="0644")
        for number, text in enumerate(certificates)
    ]
    return _files.NodeFiles(
        "a certificate of the trust store", lambda path, _: _is_ours(path), wanted, pem.shown
    )


def _path(number: int) -> str:
    return f"{_trust_commands.FOLDER}/inject-proxy-{number}.pem"


def _is_ours(path: str) -> bool:
    return path.startswith(f"{_trust_commands.FOLDER}/")


def _too_many(spec: ConfigSpec, certificates: Sequence[str]) -> Iterator[Finding]:
    """A finding if there are more files than Cluster API takes."""
    entries = spec.entries("files")
    paths = (
        [patch.lookup(entry, ("path",)) for entry in entries] if isinstance(entries, list) else []
    )
    number = sum(not _is_ours(str(path)) for path in paths) + len(certificates)
    if certificates and number > _MOST_FILES and spec.version == "v1beta2":
        message = (
            f"`files` must not have more than {_MOST_FILES} entries in v1beta2, this would have {number}: "
            "leave public authorities, which nodes trust already, out of `spec.trustedCA`"
        )
        yield Finding(Severity.ERROR, message, (*spec.path, "files"))


def _with(spec: ConfigSpec, said: Sequence[Change | Finding]) -> ConfigSpec:
    """``spec`` as it will be, where it is null as yet and the first change makes it."""
    operations = [one.operation for one in said if isinstance(one, Change)]
    if patch.lookup(spec.obj, spec.path) is not None or not operations:
        return spec
    after = kubeadm_config.find(patch.apply(copy.deepcopy(dict(spec.obj)), operations))
    return after if isinstance(after, ConfigSpec) else spec


TARGET = Target(
    id="nodeTrustStore",
    kinds=kubeadm_config.KINDS,
    audience=Audience.NOBODY,
    propose=propose,
    observe=observe,
)
