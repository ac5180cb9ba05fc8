"""Trust store of the nodes: containerd, and all else that runs on a node, trusts the authorities of your network.

What it sets: each certificate of ``spec.trustedCA`` as a file ``/etc/inject-proxy/trusted-ca/inject-proxy-<n>.pem``
(``root:root``, ``0644``), one to a file because trust stores want it so, and commands that copy them into the trust
store of the node's image and update it: Debian and Ubuntu, RHEL and Amazon Linux, Photon, Flatcar. Each finds out on
the node whether it is meant. The last one restarts containerd, if it runs, because it reads the store once.

Where: ``files`` and ``preKubeadmCommands`` of KubeadmControlPlane (``spec.kubeadmConfigSpec``),
KubeadmControlPlaneTemplate (``spec.template.spec.kubeadmConfigSpec``), KubeadmConfig (``spec``) and
KubeadmConfigTemplate (``spec.template.spec``). Files are at the end; so do commands, but before the restart and the
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
written. ``Debian`` includes Ubuntu, and ``RHEL`` Amazon Linux, Rocky Linux and their like.

Why: a proxy that looks into TLS signs with an authority of its own, and without it no image can be pulled. TKG's CA
overlay (``TKG_PROXY_CA_CERT``) does this with ``! which … ||``, which is a YAML tag where it is not quoted, and moves
its file away, so it can run once only. These commands hold under ``set -e`` (Ignition) as well as in the one ``sh``
script of cloud-init. If an update fails, the node goes on, and its log says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from krm_fn.carriers.site import Site, Variables
from krm_fn.engine import Draft
from krm_fn.formats import pem
from krm_fn.krm.results import Severity
from krm_fn.noproxy import Audience
from krm_fn.settings import ProxySettings
from krm_fn.targets.base import Context, Target
from krm_fn.targets.nodes import kubeadm_config, trust_commands
from krm_fn.targets.nodes.container_runtime import NodeSystem
from krm_fn.targets.nodes.files import File, NodeFiles
from krm_fn.targets.nodes.kubeadm_config import FILES, ConfigSpec
from krm_fn.targets.nodes.trust_commands import TrustCommands

_MOST_FILES = 200


class _CertificateFiles(NodeFiles):
    """The certificates, as a site that also reports more files than Cluster API takes."""

    def __init__(self, spec: ConfigSpec, wanted: Sequence[File]) -> None:
        label = "certificates of the trust store"
        super().__init__(spec, label, _is_ours, wanted, pem.shown)
        self._is_wanted = bool(wanted)

    def write(self, variables: Variables) -> None:
        """Write the certificates, and report where there are too many files.

        Raises:
            WrongTypeError: ``files`` is no list, and there are certificates.
        """
        super().write(variables)
        number = len(self.spec.entries(FILES))
        if self._is_wanted and number > _MOST_FILES and self.spec.version == "v1beta2":
            message = (
                f"`files` must not have more than {_MOST_FILES} entries in v1beta2, this would have "
                f"{number}: leave public authorities, which nodes trust already, out of "
                "`spec.trustedCA`"
            )
            self.spec.draft.report(Severity.ERROR, message, self.spec.files, code="TooManyFiles")


def sites(draft: Draft, context: Context) -> Iterator[Site]:
    """Yield the certificates, and the commands that put them into the trust store."""
    wanted = files(context.settings)
    spec = kubeadm_config.find(draft, is_wanted=bool(wanted), is_whole=context.is_whole)
    if spec is None:
        return
    if spec.system is not NodeSystem.LINUX:
        wanted = []
    spec.report_form(is_wanted=bool(wanted))
    yield _CertificateFiles(spec, wanted)
    yield TrustCommands(spec, commands(context.options) if wanted else [])


def files(settings: ProxySettings) -> list[File]:
    """Return the files that a node needs; none without certificates."""
    return [
        File(_path(number), text, permissions="0644")
        for number, text in enumerate(pem.split(settings.trusted_ca.pem))
    ]


def commands(options: Mapping[str, Any]) -> list[str]:
    """Return the commands for the node images that the option ``os`` names."""
    return trust_commands.commands(options.get("os", trust_commands.ALL))


def _path(number: int) -> str:
    return f"{trust_commands.FOLDER}/inject-proxy-{number}.pem"


def _is_ours(path: str, text: str) -> bool:
    return path.startswith(f"{trust_commands.FOLDER}/")


TARGET = Target(
    id="nodeTrustStore",
    kinds=kubeadm_config.KINDS,
    audience=Audience.NOBODY,
    sites=sites,
)
