"""kubelet: a systemd drop-in gives it the proxy, so that an in-tree cloud provider can call its cloud.

What it sets: ``HTTP_PROXY``, ``http_proxy``, ``HTTPS_PROXY``, ``https_proxy``, ``NO_PROXY``, ``no_proxy``, each where
the settings give it a value, as ``Environment="NAME=value"`` in the section ``[Service]`` of the drop-in
``/etc/systemd/system/kubelet.service.d/http-proxy.conf``. In a value ``"``, ``%`` and backslashes are escaped as
systemd wants it; a password with ``%40`` would otherwise lose the variable, without an error.

Where: one entry of ``files``, found by its ``path``, of KubeadmControlPlane (``spec.kubeadmConfigSpec``),
KubeadmControlPlaneTemplate (``spec.template.spec.kubeadmConfigSpec``), KubeadmConfig (``spec``) and
KubeadmConfigTemplate (``spec.template.spec``). A new entry is at the end. One that is there is edited inside its
text, also with ``encoding: base64`` or ``gzip+base64``, and goes when nothing but an empty ``[Service]`` is left.

What it leaves alone: other entries; in its own, every line that assigns no proxy variable, assignments that are right
already, ``owner`` and ``permissions``. Content from a Secret (``contentFrom``) is not seen, so it stays and is a
warning, unless it is the Secret ``<cluster>-systemd-proxy``, which the target ``giantswarmSystemdProxy`` fills where
it is in the list. Another drop-in of kubelet that sets proxy variables is a warning too, with the one of the two that
systemd obeys.

Before and after:

```diff
     files:
     - path: /etc/example
       content: stays
+    - content: |
+        [Service]
+        Environment="HTTP_PROXY=http://proxy.corp.example:3128"
+        Environment="http_proxy=http://proxy.corp.example:3128"
+      owner: root:root
+      path: /etc/systemd/system/kubelet.service.d/http-proxy.conf
+      permissions: "0640"
```

Options:

* ``path``: where the drop-in is on the node. The default is as above, or where an entry for a file of that name
  is already in another folder that systemd reads for kubelet: ``/run``, ``/usr/local/lib``, ``/usr/lib`` (so in the
  Tanzu document) or ``/lib`` in the place of ``/etc``. Of several systemd reads the first in that order, so the others
  are a warning; removal takes them all.
* ``owner`` (default ``root:root``) and ``permissions`` (default ``"0640"``): of a new entry; one that is there keeps
  its own unless the option is given.
* ``content``: ``Inline`` (default for a new entry) or ``Secret``. With ``Secret`` the entry holds ``contentFrom`` with
  the key ``kubeletProxy`` of the Secret ``<cluster>-systemd-proxy`` in the place of the text; a new one has the mode
  ``"0600"`` and no owner. An entry that is there is made one or the other only if the option is given. Removal takes a
  reference to that Secret out, because the Secret loses its text. An object that several Clusters share, or one for
  which an override asks for another proxy than its Cluster has, cannot refer to that Secret: this is an error.

Why: an in-tree cloud provider and the credential providers of the kubelet call the cloud from the node (Giant Swarm's
proxy document). Owner, permissions and the order of keys are those of the Tanzu document. The default path is under
``/etc``, because ``/usr`` cannot be written on Flatcar. kubeadm starts the kubelet, so no restart is needed.
"""

from __future__ import annotations

from collections.abc import Iterator

from krm_fn.carriers.site import Site
from krm_fn.engine import Draft
from krm_fn.noproxy import Audience
from krm_fn.targets.base import Context, Target
from krm_fn.targets.nodes import kubeadm_config
from krm_fn.targets.nodes.drop_in_sites import drop_in_sites


def sites(draft: Draft, context: Context) -> Iterator[Site]:
    """Yield the drop-ins of kubelet; ``context.options`` are strings."""
    yield from drop_in_sites(draft, context, "kubelet", TARGET.id)


TARGET = Target(
    id="kubeletDropIn",
    kinds=kubeadm_config.KINDS,
    audience=Audience.NODE,
    sites=sites,
)
