"""kubeadm: the proxy is exported to it, and containerd restarts so that it runs with its new environment.

What it sets: one command ``export NAME='value'`` for each variable that is set, in both cases, always in single quotes;
and one command ``systemctl daemon-reload && systemctl restart containerd # inject-proxy``, unless the commands do that
already (in one or in several, with or without ``sudo``, also as ``stop`` and ``start``).

Where: ``preKubeadmCommands`` of KubeadmControlPlane (``spec.kubeadmConfigSpec``), KubeadmControlPlaneTemplate
(``spec.template.spec.kubeadmConfigSpec``), KubeadmConfig (``spec``) and KubeadmConfigTemplate (``spec.template.spec``),
before the first command that needs the network (``apt-get``, ``curl``, ``crictl pull``, ``git`` and their like, also in
``bash -c`` or in a script of ``files``), else at the end of the list, the restart first. The restart stays behind what
installs, configures or starts containerd, exports behind what unsets them. Those that are elsewhere are moved once.
A command that does nothing but export proxy variables is updated; repeated and unwanted exports go, and without a proxy
all of them and our restart. Where two commands have the same text, kpt could copy the comment of one to the other when
new ones are before them: then they stay at the end, with a warning.

What it leaves alone: every other command, its text and its place among the others. One that sets a proxy variable and
does something else as well is a warning (an info if it holds the wanted value). A restart without our mark at its end
is its author's: it counts, and it survives removal. With ``format: ignition`` no restart is added: files are there
before systemd is. ``ignition.containerLinuxConfig.additionalConfig`` is not read; a drop-in of ``kubeadm.service`` that
makes it wait for containerd belongs there (kubernetes-sigs/image-builder#939), and the restart would be no substitute.

Before and after:

```diff
     preKubeadmCommands:
     - hostnamectl set-hostname node-1
+    - "systemctl daemon-reload && systemctl restart containerd # inject-proxy"
+    - export HTTP_PROXY='http://proxy.corp.example:3128'
+    - export http_proxy='http://proxy.corp.example:3128'
```

Options:

* ``exports`` (default true): false keeps no exports, those that are there go. kubeadm copies the proxy variables of its
  environment into the static pods of the control plane; false keeps the proxy out of them.
* ``restart`` (default true): false adds no restart, and takes our own away.
* ``place``: ``Start`` or ``End`` fixes where exports and restart are, whatever the commands seem to need.

Why: cloud-init runs all commands as one ``sh`` script (``cloudinit/util.py``, ``shellify``), so an export reaches
kubeadm, which pulls images through it (kubernetes/kubeadm#2765; the form is that of the Tanzu document). containerd
runs already when cloud-init writes its drop-in, so it must restart. Single quotes, because in any others ``$`` and
backticks of a password would be run as commands.
"""

from __future__ import annotations

from collections.abc import Iterator

from krm_fn.engine import Draft
from krm_fn.noproxy import Audience
from krm_fn.targets.base import Context, Target
from krm_fn.targets.nodes import kubeadm_config
from krm_fn.targets.nodes.exports import NodeExports


def sites(draft: Draft, context: Context) -> Iterator[NodeExports]:
    """Yield the commands that run before kubeadm."""
    is_wanted = bool(context.settings.variables())
    spec = kubeadm_config.find(draft, is_wanted=is_wanted, is_whole=context.is_whole)
    if spec is None:
        return
    spec.report_form(is_wanted=is_wanted)
    yield NodeExports(
        spec,
        exports=context.options.get("exports", True),
        restart=context.options.get("restart", True),
        place=str(context.options.get("place", "")),
    )


TARGET = Target(
    id="kubeadmCommands",
    kinds=kubeadm_config.KINDS,
    audience=Audience.NODE,
    sites=sites,
)
