"""What a command does, before the nodes are set up, that decides where the proxy has to be exported.

In: one command, and the scripts that ``files`` of the same object put on the node (path -> text), which a command may
run. Out: whether it needs the network, whether it installs, configures or starts containerd, and which variables it
unsets. A program that is not in the tables is taken to need no network.

Sources: the manual pages of the programs; ``containerd config`` and containerd's ``docs/getting-started.md`` for where
its configuration is in the file it reads; the proxy environment variables are read by all programs of the tables.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from ipaddress import ip_address

from krm_fn.formats import CACHED_LINES
from krm_fn.formats.shell_programs import Program, programs
from krm_fn.settings import PROXY_VARIABLES
from krm_fn.targets.nodes.container_runtime import CONTAINERD, CRI_O

_INSTALL = frozenset(
    {
        "add", "build-dep", "check-update", "dist-upgrade", "distro-sync", "download", "dup", "dist-up", "full-upgrade",
        "groupinstall", "in", "install", "localinstall", "makecache", "patch", "ref", "refresh", "reinstall", "source",
        "swap", "up", "update", "update-minimal", "upgrade", "upgrade-minimal",
    }
)  # fmt: skip
_PULL = frozenset({"build", "compose", "login", "pull", "push", "run", "search"})

_VERBS: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(
        (
            "apk",
            "apt",
            "apt-get",
            "aptitude",
            "dnf",
            "dnf5",
            "microdnf",
            "tdnf",
            "yum",
            "zypper",
            "rpm-ostree",
        ),
        _INSTALL,
    ),
    "bundle": frozenset({"install", "update"}),
    "cargo": frozenset({"fetch", "install", "update"}),
    "crictl": frozenset({"pull"}),
    "ctr": frozenset({"fetch", "pull", "push"}),
    "docker": _PULL,
    "flatpak": frozenset({"install", "update"}),
    "gem": frozenset({"install", "update"}),
    "git": frozenset({"clone", "fetch", "ls-remote", "pull", "push", "submodule"}),
    "go": frozenset({"get", "install", "download"}),
    "helm": frozenset({"dependency", "install", "pull", "registry", "repo", "template", "upgrade"}),
    "k0s": frozenset({"download"}),
    "kubeadm": frozenset({"images", "init", "join"}),
    "nerdctl": _PULL,
    "npm": frozenset({"ci", "install", "update"}),
    "pip": frozenset({"download", "install"}),
    "pip3": frozenset({"download", "install"}),
    "pipx": frozenset({"install", "run", "upgrade"}),
    "podman": _PULL,
    "skopeo": frozenset({"copy", "inspect", "login", "sync"}),
    "snap": frozenset({"download", "install", "refresh"}),
    "yarn": frozenset({"add", "install"}),
}
"""Program -> the sub-commands with which it needs the network; one of them is among its arguments."""

_ALWAYS = frozenset(
    {
        "SUSEConnect", "add-apt-repository", "ansible-galaxy", "ansible-pull", "aria2c", "aws", "axel", "az", "azcopy",
        "clusterctl", "crane", "flux", "gcloud", "gsutil", "oras", "rclone", "regctl", "s3cmd", "subscription-manager",
        "unattended-upgrade", "unattended-upgrades",
    }
)  # fmt: skip
"""Programs that need the network with whatever arguments, but for help and version."""

_DOWNLOADERS = frozenset({"curl", "wget"})
_NO_USE = frozenset({"--help", "--version", "-V", "help", "version", "completion"})
_SCHEME = r"[A-Za-z][A-Za-z0-9+.-]*://"
_LOCAL_NAMES = frozenset({"localhost", "metadata", "metadata.google.internal", "instance-data"})
_METADATA = frozenset({"100.100.100.200", "168.63.129.16", "fd00:ec2::254"})

_CONFIGURATION = (
    "/etc/containerd/",
    "/etc/crio/",
    "/etc/systemd/system/containerd.service",
    "/etc/systemd/system/crio.service",
    "/lib/systemd/system/containerd.service",
    "/lib/systemd/system/crio.service",
    "/run/systemd/system/containerd.service",
    "/run/systemd/system/crio.service",
    "/usr/lib/systemd/system/containerd.service",
    "/usr/lib/systemd/system/crio.service",
)
"""How the paths of files begin from which containerd and CRI-O take their configuration."""
_READERS = frozenset(
    {
        ".", "[", "cat", "cmp", "cut", "diff", "echo", "egrep", "false", "file", "find", "grep", "head", "ls", "md5sum",
        "mkdir", "printf", "readlink", "sha256sum", "stat", "tail", "test", "true", "wc",
    }
)  # fmt: skip
_LOOKING = frozenset(
    {"cat", "is-active", "is-enabled", "is-failed", "list-units", "show", "status"}
)
_PACKAGERS = frozenset(
    {
        "apk", "apt", "apt-get", "aptitude", "dnf", "dnf5", "dpkg", "microdnf", "rpm", "snap", "tar", "tdnf", "yum",
        "zypper",
    }
)  # fmt: skip
_HOLDS_CONTAINERD = (
    r"containerd|^(?:cri-o|crio).*$|^(?:docker\.io|docker-ce|moby-engine|nerdctl-full.*)$"
)

Scripts = Mapping[str, str]
"""Path on the node -> text of a file that a command may run."""


def needs_network(command: str, scripts: Scripts) -> bool:
    """Return whether a program of ``command`` contacts a host beyond the node and reads the proxy variables."""
    return any(_needs_network(program) for program in _all_programs(command, scripts))


def touches_containerd(command: str, scripts: Scripts) -> bool:
    """Return whether ``command`` installs, configures, starts or stops containerd or CRI-O.

    Our own restart belongs behind such a command.
    """
    return any(_touches_containerd(program) for program in _all_programs(command, scripts))


@lru_cache(maxsize=CACHED_LINES)
def unsets(command: str) -> tuple[str, ...]:
    """Return the proxy variables that ``command`` removes from the environment of the commands behind it."""
    found: set[str] = set()
    for program in programs(command):
        name, arguments = program.name, program.arguments
        if not program.in_shell:
            continue
        if (name == "unset" and "-f" not in arguments) or (
            name in ("export", "declare", "typeset") and arguments[:1] in (("-n",), ("+x",))
        ):
            found.update(arguments)
        elif name == "export":
            found.difference_update(word.partition("=")[0] for word in arguments)
    return tuple(name for name in PROXY_VARIABLES if name in found)


def _all_programs(command: str, scripts: Scripts) -> Iterator[Program]:
    """Yield the programs of a command and of the scripts that it runs, each script once."""
    waiting, seen = [command], set[str]()
    while waiting:
        for program in programs(waiting.pop()):
            yield program
            path = program.words[0] if program.words else ""
            if path in scripts and path not in seen:
                seen.add(path)
                waiting.append(scripts[path])


def _needs_network(program: Program) -> bool:
    name, arguments = program.name, program.arguments
    if not arguments and name not in _ALWAYS:
        return False
    if len(arguments) == 1 and arguments[0] in _NO_USE:
        return False
    if name in _DOWNLOADERS:
        return _downloads(arguments)
    if name in ("python", "python3") and arguments[:2] == ("-m", "pip"):
        return not _VERBS["pip"].isdisjoint(arguments)
    if special := _SPECIAL.get(name):
        return special(arguments)
    return name in _ALWAYS or not _VERBS.get(name, frozenset()).isdisjoint(arguments)


def _downloads(arguments: Sequence[str]) -> bool:
    """Return whether a URL is neither on the node itself nor the metadata service of its cloud."""
    if any(word.startswith("--unix-socket") for word in arguments):
        return False
    urls = [word for word in arguments if re.match(_SCHEME, word)]
    return not urls or not all(_is_local(url) for url in urls)


def _is_local(url: str) -> bool:
    scheme, _, rest = url.partition("://")
    if scheme.lower() == "file":
        return True
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0].rpartition("@")[2]
    bracketed = re.match(r"\[([^\]]*)\]", authority)
    host = bracketed[1] if bracketed else authority.partition(":")[0]
    if host.lower() in _LOCAL_NAMES or host.lower() in _METADATA:
        return True
    try:
        address = ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_link_local


def _kubectl(arguments: Sequence[str]) -> bool:
    operands = [word for word in arguments if not word.startswith("-")]
    is_local = operands[:1] in (["config"], ["completion"], ["kustomize"], ["plugin"])
    return bool(operands) and not is_local and "--client" not in arguments


def _rpm(arguments: Sequence[str]) -> bool:
    return any(re.match(_SCHEME, word) and not _is_local(word) for word in arguments)


def _pacman(arguments: Sequence[str]) -> bool:
    return any(word.startswith(("-S", "--sync")) for word in arguments)


def _gpg(arguments: Sequence[str]) -> bool:
    return any(
        word in ("--recv-keys", "--recv-key", "--refresh-keys", "--search-keys", "adv")
        for word in arguments
    )


def _config_manager(arguments: Sequence[str]) -> bool:
    return any(word.startswith("--add-repo") for word in arguments)


_SPECIAL: Mapping[str, Callable[[Sequence[str]], bool]] = {
    "apt-key": _gpg,
    "gpg": _gpg,
    "gpg2": _gpg,
    "kubectl": _kubectl,
    "pacman": _pacman,
    "rpm": _rpm,
    "yum-config-manager": _config_manager,
}


def _touches_containerd(program: Program) -> bool:
    if any(map(_names_configuration, program.writes)):
        return True
    name, arguments = program.name, program.arguments
    if name == "systemctl":
        verbs = [word for word in arguments if not word.startswith("-")][:1]
        units = {word.removesuffix(".service") for word in arguments}
        return not units.isdisjoint((CONTAINERD, CRI_O)) and not (verbs and verbs[0] in _LOOKING)
    if name in _PACKAGERS and any(re.search(_HOLDS_CONTAINERD, word) for word in arguments):
        return True
    if name in _READERS or (name == "sed" and not any(_edits_in_place(word) for word in arguments)):
        return False
    return any(map(_names_configuration, arguments))


def _names_configuration(word: str) -> bool:
    """Return whether a word is such a path, or ends with one behind ``=``."""
    return any(part.startswith(_CONFIGURATION) for part in word.split("="))


def _edits_in_place(option: str) -> bool:
    return option.startswith("--in-place") or bool(re.match(r"-[a-zA-Z]*i", option))
