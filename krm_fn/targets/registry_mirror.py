"""containerd: a registry mirror that every node asks before any other registry.

What it sets: ``/etc/containerd/certs.d/_default/hosts.toml`` with the mirror of ``spec.registryMirror`` as the one
host, for pulling and resolving; and, where ``spec.registryMirror.ca`` holds certificates, the file ``ca.crt`` in
``/etc/containerd/certs.d/<host and port of the mirror>/``, which ``hosts.toml`` names. ``/v2`` is put before the path
of the URL unless it begins with it, and ``override_path`` keeps containerd from adding it behind. A registry whose
image the mirror does not have is still asked afterwards. The host of the mirror goes into ``NO_PROXY`` of all targets.

Where: entries of ``files`` of KubeadmControlPlane (``spec.kubeadmConfigSpec``), KubeadmControlPlaneTemplate
(``spec.template.spec.kubeadmConfigSpec``), KubeadmConfig (``spec``) and KubeadmConfigTemplate (``spec.template.spec``).
New entries stand at the end. Ours begin with the line ``# inject-proxy``: they are updated in their place, also with
``encoding: base64``, and go when no mirror is wanted.

What it leaves alone: other entries, and the ``owner`` and ``permissions`` of its own. A file at one of the two paths
that does not begin with our line, or comes from a Secret, stays and is a warning: it counts. So does a folder of
``certs.d`` for one registry: containerd asks the mirror only for registries that have none.

Before and after:

```diff
     files:
     - path: /etc/example
       content: stays
+    - content: |
+        # inject-proxy
+        [host."https://registry.corp.example:5000/v2"]
+          capabilities = ["pull", "resolve"]
+          ca = "/etc/containerd/certs.d/registry.corp.example:5000/ca.crt"
+          override_path = true
+      owner: root:root
+      path: /etc/containerd/certs.d/_default/hosts.toml
+      permissions: "0640"
```

Options:

* none but ``enabled``; URL and certificates are those of ``spec.registryMirror``.

Why: ``--registry-mirror-url`` and ``--registry-mirror-cacert`` of the Konvoy document. The files are those of its
successor, Nutanix CAREN. containerd reads them at each pull, so it need not start anew, and they fit cloud-init and
Ignition alike. It does so only if its ``config_path`` names ``/etc/containerd/certs.d``. That is the default from
containerd 2.2 on; for an older one the node image has to set it. This target does not: before containerd 2.0 a file
that ``config.toml`` imports replaces whole sections of it, and ``config_path`` beside ``registry.mirrors``, which
images of Konvoy Image Builder have, keeps the CRI from starting. It says so, as an info, or as a warning where
``files`` hold a ``config.toml`` that rules the mirror out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from krm_fn.carriers import kubeadm_config
from krm_fn.carriers.kubeadm_config import ConfigSpec
from krm_fn.carriers.node_system import NodeSystem
from krm_fn.carriers.reading import Reading
from krm_fn.formats.file_content import decode
from krm_fn.krm.results import Change, Finding, Severity
from krm_fn.noproxy import Audience
from krm_fn.patch import lookup
from krm_fn.settings import ProxySettings
from krm_fn.targets import _files, _hosts_toml
from krm_fn.targets._files import NodeFiles
from krm_fn.targets.base import Target

_CONFIG = "/etc/containerd/config.toml"


def propose(
    obj: Mapping[str, Any], settings: ProxySettings, options: Mapping[str, Any]
) -> Iterator[Change | Finding]:
    """Yield what has to change in ``files``; there are no ``options``."""
    spec = kubeadm_config.find(obj, wanted=settings.mirror is not None)
    if not isinstance(spec, ConfigSpec):
        yield from () if spec is None else (spec,)
        return
    if settings.mirror and spec.system is not NodeSystem.LINUX:
        yield from spec.unwritten()
        settings = ProxySettings()
    wanted = _hosts_toml.files_of(settings.mirror) if settings.mirror else ()
    what = "the registry mirror of containerd"
    yield from _files.propose(spec, NodeFiles(what, _hosts_toml.is_ours, wanted, _hosts_toml.shown))
    if settings.mirror and not isinstance(spec.entries("files"), Finding):
        yield from _readers(spec)


def observe(obj: Mapping[str, Any], options: Mapping[str, Any]) -> Iterator[Reading]:
    """Yield nothing: no proxy variable stands here."""
    return iter(())


def _readers(spec: ConfigSpec) -> Iterator[Finding]:
    """What there is to say about whether containerd looks at our files."""
    texts = list(_texts(spec))
    for index, text in texts:
        why = _hosts_toml.obstacle(text) if _path(spec, index) == _CONFIG else None
        if why:
            message = (
                f'"{_CONFIG}" must make containerd read "{_hosts_toml.CERTS_D}", but {why}: '
                "the registry mirror has no effect; change it by hand"
            )
            yield Finding(
                Severity.WARNING,
                message,
                (*spec.path, "files", str(index), "content"),
                code="MirrorNotRead",
            )
            return
    if not any(
        _hosts_toml.reads_certs_d(text) for text in (*(text for _, text in texts), *_commands(spec))
    ):
        message = (
            "containerd obeys the registry mirror from version 2.2 on, "
            f'or if its `config_path` is "{_hosts_toml.CERTS_D}": see to it that the node image has one of them'
        )
        yield Finding(Severity.INFO, message, spec.path, code="MirrorNotRead")


def _texts(spec: ConfigSpec) -> Iterator[tuple[int, str]]:
    """The index and the text of each entry of ``files`` whose text can be read here."""
    entries = spec.data.get("files")
    for index, entry in enumerate(entries if isinstance(entries, list) else ()):
        text = decode(entry) if isinstance(entry, Mapping) else None
        if text:
            yield index, text


def _path(spec: ConfigSpec, index: int) -> Any:
    return lookup(spec.data, ("files", index, "path"))


def _commands(spec: ConfigSpec) -> list[str]:
    commands = spec.data.get("preKubeadmCommands")
    return (
        [command for command in commands if isinstance(command, str)]
        if isinstance(commands, list)
        else []
    )


TARGET = Target(
    id="registryMirror",
    kinds=kubeadm_config.KINDS,
    audience=Audience.NOBODY,
    propose=propose,
    observe=observe,
)
