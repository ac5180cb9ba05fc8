"""What sort of nodes a configuration sets up, as far as it decides where a proxy belongs.

In: the configuration as plain data. Out: the system (Linux with systemd, Windows, Bottlerocket) and the service
that pulls images. Names of objects prove nothing: what counts is what the nodes would run.

Sources: Cluster API ``nodeRegistration.criSocket`` (``kubeadm_types.go``), and its providers' templates for Windows
(paths with a drive, ``powershell``, ``npipe:``); EKS Anywhere's fork of Cluster API for ``format: bottlerocket``;
CRI-O's documentation for ``/var/run/crio/crio.sock``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from krm_fn.light_typing import Any
from krm_fn.patch import lookup
from krm_fn.products.node_kinds import NodeSystem

CONTAINERD, CRI_O = "containerd", "crio"
"""The services that pull images."""

_POWERSHELL = r"(?i)\s*(?:cmd(?:\.exe)?\s+/c\s+)?(?:\S*[\\/])?powershell(?:\.exe)?(?:\s|$)"
_CONFIGURATIONS = ("initConfiguration", "joinConfiguration")


LINUX, WINDOWS, BOTTLEROCKET = "Linux", "Windows", "Bottlerocket"
"""The operating systems of nodes: Windows has neither systemd nor a POSIX shell, Bottlerocket settings of its own, no
files and no commands."""

ADVICE = {
    WINDOWS: (
        "these are Windows nodes (paths with a drive, PowerShell or a named pipe say so), which read no systemd "
        "drop-in and no export, so they get no proxy here; set it in the image, or with PowerShell for the machine and "
        "for the services of containerd and kubelet"
    ),
    BOTTLEROCKET: (
        "these are Bottlerocket nodes (`format: bottlerocket`), which take no drop-in and no command, so they get no "
        "proxy here; set `proxy.httpsProxy` and `proxy.noProxy` of `clusterConfiguration` and `joinConfiguration`"
    ),
}
"""What to tell about nodes to which nothing is written."""


def operating_system_of(data: Mapping[str, Any], system: NodeSystem) -> str:
    """Return the operating system of the nodes that ``data`` configures; Linux where no field names another."""
    if data.get("format") == "bottlerocket":
        return BOTTLEROCKET
    for entry in _entries(data, system.files):
        path = entry.get("path") if isinstance(entry, dict) else None
        if isinstance(path, str) and _has_drive(path):
            return WINDOWS
    for command in (*_entries(data, system.commands), *_entries(data, system.late_commands)):
        if isinstance(command, str) and _runs_powershell(command[:256]):
            return WINDOWS
    for socket in _sockets(data):
        if socket.startswith("npipe:"):
            return WINDOWS
    return LINUX


def runtime_of(data: Mapping[str, Any]) -> str:
    """Return the service that pulls images: ``crio`` where the object names its socket, else ``containerd``."""
    if any(socket.endswith("/crio.sock") for socket in _sockets(data)):
        return CRI_O
    return CONTAINERD


def _has_drive(path: str) -> bool:
    return path[1:3] in (":\\", ":/") and path[0].isascii() and path[0].isalpha()


def _runs_powershell(command: str) -> bool:
    return "powershell" in command.lower() and re.match(_POWERSHELL, command) is not None


def _entries(data: Mapping[str, Any], key: str) -> list[Any]:
    value = data.get(key)
    return value if isinstance(value, list) else []


def _sockets(data: Mapping[str, Any]) -> Iterator[str]:
    for name in _CONFIGURATIONS:
        socket = lookup(data, (name, "nodeRegistration", "criSocket"))
        if isinstance(socket, str):
            yield socket
