"""Trust store of the nodes: containerd, and all else that runs on a node, trusts the authorities of your network.

Each command finds out on the node whether it is meant, so all of them may be used together; it may run again, it never
ends the script it is a part of, and it holds no ``$``, which ``envsubst`` and clusterctl would replace, and no ``'``,
between which k0smotron puts it with Ignition.

Sources: ``update-ca-certificates(8)`` of Debian (``.crt`` only), ``update-ca-trust(8)`` of RHEL, Photon's
``SPECS/openssl/rehash_ca_certificates.sh`` (it bundles ``/etc/ssl/certs/*.pem``), and Gardener's
``update-local-ca-certificates.tpl.sh`` for Flatcar (``.pem`` only, ``/usr`` is read-only).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from krm_fn.engine import Draft
from krm_fn.formats import pem
from krm_fn.noproxy import Audience
from krm_fn.patch import lookup, text_at
from krm_fn.places.place import Place, WrittenForm
from krm_fn.settings import ProxySettings
from krm_fn.targets.base import Context, Places
from krm_fn.targets.nodes.node_commands import (
    TRUST_MARK,
    Commands,
    is_of_trust_store,
    trust_position,
)
from krm_fn.targets.nodes.node_config import ConfigTarget, NodeConfig, WholeFiles

_FOLDER = "/etc/inject-proxy/trusted-ca"
_LOCAL = "/usr/local/share/ca-certificates"
_COPY = f"ls {_FOLDER} | xargs -I {{}} cp {_FOLDER}/{{}} {_LOCAL}/{{}}.crt"
# Image -> how a node finds out that it is one, and what it has to do then.
_UPDATES = {
    "Debian": (
        "command -v update-ca-certificates >/dev/null 2>&1 && [ -f /etc/debian_version ]",
        f"mkdir -p {_LOCAL} && {_COPY} && update-ca-certificates",
    ),
    "RHEL": (
        "command -v update-ca-trust >/dev/null 2>&1",
        f"cp {_FOLDER}/*.pem /etc/pki/ca-trust/source/anchors/ && update-ca-trust extract",
    ),
    "Photon": (
        "command -v rehash_ca_certificates.sh >/dev/null 2>&1",
        f"cp {_FOLDER}/*.pem /etc/ssl/certs/ && rehash_ca_certificates.sh",
    ),
    "Flatcar": (
        "command -v update-ca-certificates >/dev/null 2>&1 && grep -qs ^ID=flatcar /etc/os-release",
        f"cp {_FOLDER}/*.pem /etc/ssl/certs/ && update-ca-certificates",
    ),
}

_FAILED = 'echo "inject-proxy: the trust store is not updated" >&2'
# Not `restart`: with Ignition containerd may not run yet, and nodes.commands must not take this one for its own.
_RESTART = "systemctl try-restart containerd || true"


def _write_commands(
    node_config: NodeConfig,
    texts: Sequence[str],
    anchor: str,
    draft: Draft,
    place: Place,
    _settings: ProxySettings,
) -> None:
    """Make a list hold the commands of this target as one block, and no other one of it.

    Args:
        node_config: the configuration with the list.
        texts: the commands.
        anchor: the option ``place`` of ``nodes.commands``.
        draft: gets the new list.
        place: the place of the list.
    """
    commands = Commands(node_config.commands_in(draft.data), node_config.scripts_in(draft.data))
    ours = [index for index, text in enumerate(commands.texts) if is_of_trust_store(text)]
    if not ours and not texts:
        return
    items = list(draft.items(place.path))
    start = trust_position(commands, anchor)
    for index in reversed(ours):
        del items[index]
    items[start:start] = texts
    edits = draft.edits
    draft.set_items(place.path, items)
    if draft.edits > edits:
        verb = "removes"
        if texts:
            verb = "updates" if ours else "adds"
        draft.describe(f"{verb} {place.label}")


class NodeTrustStore(ConfigTarget):
    """The certificates of ``spec.trustedCA`` as files, and the commands that put them into the trust store.

    Example: in a KubeadmConfigTemplate::

        preKubeadmCommands: ["curl -O https://files.example/tool"]

    becomes::

        preKubeadmCommands:
        - "if command -v update-ca-trust …; fi # inject-proxy: trust store"
        - "systemctl try-restart containerd || true # inject-proxy: trust store"
        - "curl -O https://files.example/tool"
    """

    audience = Audience.NOBODY

    def is_wanted(self, context: Context) -> bool:
        """Return whether there are certificates."""
        return bool(pem.split(context.settings.trusted_ca.pem))

    def places_in(self, node_config: NodeConfig, context: Context) -> Places:
        """Yield the certificates, and the commands that put them into the trust store."""
        certificates = pem.split(context.settings.trusted_ca.pem)
        if node_config.unsupported:
            certificates = []
        files = {}
        for number, text in enumerate(certificates):
            path = f"{_FOLDER}/inject-proxy-{number}.pem"
            files[path] = text
        form = WrittenForm(WholeFiles(node_config, _is_ours, files, "0644").write)
        yield Place(
            node_config.files, form, "certificates of the trust store", is_unconditional=True
        )
        images = ()
        if files:
            images = lookup(context.options, ("trustedCA", "os"), [*_UPDATES])
        label = "the commands for the trust store of the node"
        place = text_at(context.options, ("commands", "place"))
        write = partial(_write_commands, node_config, commands(images), place)
        yield Place(node_config.commands, WrittenForm(write), label, is_unconditional=True)


def commands(images: Sequence[str]) -> list[str]:
    """Return the commands for some node images, each with our mark; an empty list for no image."""
    texts = []
    for image, (is_one, update) in _UPDATES.items():
        if image in images:
            texts.append(f"if {is_one}; then {update} || {_FAILED}; fi {TRUST_MARK}")
    if texts:
        texts.append(f"{_RESTART} {TRUST_MARK}")
    return texts


def _is_ours(path: str, text: str) -> bool:
    return path.startswith(f"{_FOLDER}/")
