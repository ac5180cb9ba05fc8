"""Shell commands that add the certificates of our folder to the trust store of a node, for any image.

Each command finds out on the node whether it is meant, so all of them may be used together; it may
run again, it never ends the script it is a part of, and it holds no ``$``, which ``envsubst`` and clusterctl would
replace. New commands are before the restart of containerd and the exports that close the list.

Sources: ``update-ca-certificates(8)`` of Debian (``.crt`` only), ``update-ca-trust(8)`` of RHEL, Photon's
``SPECS/openssl/rehash_ca_certificates.sh`` (it bundles ``/etc/ssl/certs/*.pem``), and Gardener's
``update-local-ca-certificates.tpl.sh`` for Flatcar (``.pem`` only, ``/usr`` is read-only) and telling it apart.
"""

from __future__ import annotations

from collections.abc import Sequence

from krm_fn.carriers.site import SiteWithoutVariables, Variables
from krm_fn.light_typing import Any
from krm_fn.targets.nodes import service_restart, shell_exports
from krm_fn.targets.nodes.config_spec import ConfigSpec

FOLDER = "/etc/inject-proxy/trusted-ca"
"""Where the certificates are on the node, a ``.pem`` file each."""

MARK = "# inject-proxy: trust store"
"""Ends every command of this target; it is another than that of the restart of ``kubeadmCommands``."""

_LOCAL = "/usr/local/share/ca-certificates"
_COPY = f"ls {FOLDER} | xargs -I {{}} cp {FOLDER}/{{}} {_LOCAL}/{{}}.crt"
_UPDATES = {
    "Debian": (
        "command -v update-ca-certificates >/dev/null 2>&1 && [ -f /etc/debian_version ]",
        f"mkdir -p {_LOCAL} && {_COPY} && update-ca-certificates",
    ),
    "RHEL": (
        "command -v update-ca-trust >/dev/null 2>&1",
        f"cp {FOLDER}/*.pem /etc/pki/ca-trust/source/anchors/ && update-ca-trust extract",
    ),
    "Photon": (
        "command -v rehash_ca_certificates.sh >/dev/null 2>&1",
        f"cp {FOLDER}/*.pem /etc/ssl/certs/ && rehash_ca_certificates.sh",
    ),
    "Flatcar": (
        "command -v update-ca-certificates >/dev/null 2>&1 && grep -qs '^ID=flatcar' /etc/os-release",
        f"cp {FOLDER}/*.pem /etc/ssl/certs/ && update-ca-certificates",
    ),
}
"""Image -> how a node finds out that it is one, and what it has to do then."""

_FAILED = "echo 'inject-proxy: the trust store is not updated' >&2"
# Not `restart`: with Ignition containerd may not run yet, and kubeadmCommands must not take this one for its own.
_RESTART = "systemctl try-restart containerd || true"

ALL = tuple(_UPDATES)
"""The node images there are commands for."""


def commands(images: Sequence[str]) -> list[str]:
    """Return the commands for some node images, each with our mark; an empty list for no image."""
    updates = [_UPDATES[image] for image in ALL if image in images]
    if not updates:
        return []
    texts = [f"if {is_one}; then {update} || {_FAILED}; fi" for is_one, update in updates]
    return [f"{text} {MARK}" for text in (*texts, _RESTART)]


class TrustCommands(SiteWithoutVariables):
    """The commands of this target in the list of commands, as a site; they hold no proxy variable.

    Args:
        spec: the configuration of the nodes with the commands.
        wanted: the commands that have to be there; without any of them all of its own are removed.
    """

    label = "the commands for the trust store of the node"

    def __init__(self, spec: ConfigSpec, wanted: Sequence[str]) -> None:
        self._spec = spec
        self._wanted = wanted

    def write(self, variables: Variables) -> None:
        """Make the list hold the wanted commands and no other of its own, whatever the variables are.

        Raises:
            WrongTypeError: the commands are no list, and something has to be written there.
        """
        draft, path = self._spec.draft, self._spec.commands
        if self._wanted:
            draft.items(path)
        old = self._spec.entries(self._spec.commands)
        wanted = list(self._wanted)
        kept: list[Any] = []
        origins: list[int | None] = []
        for index, command in enumerate(old):
            edited = command
            if _is_ours(command):
                if not wanted:
                    draft.describe(f"removes {self.label}")
                    continue
                edited = wanted.pop(0)
                if edited != command:
                    draft.describe(f"updates {self.label}")
            kept.append(edited)
            origins.append(index)
        new_place = len(kept) - _number_at_end(kept)
        kept[new_place:new_place] = wanted
        origins[new_place:new_place] = [None] * len(wanted)
        if wanted:
            draft.describe(f"adds {self.label}")
        if old or self._wanted:
            draft.set_items(path, kept, origins)


def _is_ours(command: Any) -> bool:
    return isinstance(command, str) and command.rstrip().endswith(MARK)


def _number_at_end(commands: Sequence[Any]) -> int:
    """Return how many commands at the end are a restart or exports: ``kubeadmCommands`` keeps them last."""
    number = 0
    for command in reversed(commands):
        if not isinstance(command, str) or not (
            service_restart.is_ours(command) or shell_exports.only_exports(command)
        ):
            break
        number += 1
    return number
