"""The command line of ``konvoy create cluster``: as a ``spec``, and made of a ProxyConfig.

It knows flags and fields. A flag that it does not know is named, without its value.

Sources: the Konvoy document; ``dkp create cluster preprovisioned`` of DKP 2.3 (mesosphere/dcos-docs-site), whose
``--http-proxy`` is that of the Cluster API controllers; ``nkp create cluster nutanix`` of NKP 2.16, which has no flag
for each role.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from krm_fn import noproxy, settings
from krm_fn.clusters import Cluster, Membership, Role
from krm_fn.config import ProxyConfig
from krm_fn.errors import UsageError
from krm_fn.light_typing import Any
from krm_fn.noproxy import Audience, ClusterNetwork
from krm_fn.products.node_kinds import KUBEADM
from krm_fn.settings import ProxySettings

_ROLES = {"control-plane-": Role.CONTROL_PLANE.value, "worker-": Role.WORKER.value}
_EVERYONE = ""
_PROXY_FLAGS = {
    "--control-plane-http-proxy": ("control-plane-", "httpProxy"),
    "--control-plane-https-proxy": ("control-plane-", "httpsProxy"),
    "--control-plane-no-proxy": ("control-plane-", "noProxy"),
    "--worker-http-proxy": ("worker-", "httpProxy"),
    "--worker-https-proxy": ("worker-", "httpsProxy"),
    "--worker-no-proxy": ("worker-", "noProxy"),
    "--http-proxy": (_EVERYONE, "httpProxy"),
    "--https-proxy": (_EVERYONE, "httpsProxy"),
    "--no-proxy": (_EVERYONE, "noProxy"),
}
"""Flag -> the role that it is for, and the field of ``spec``."""

_FACTS = {
    "--apiserver-host": "endpoint",
    "--control-plane-endpoint-host": "endpoint",
    "--control-plane-endpoint-ip": "endpoint",
    "--kubernetes-pod-network-cidr": "podCIDRs",
    "--kubernetes-service-cidr": "serviceCIDRs",
}
_NAME, _MIRROR, _MIRROR_CA, _OS = (
    "--cluster-name",
    "--registry-mirror-url",
    "--registry-mirror-cacert",
    "--os-hint",
)
_OTHERS = (
    _NAME,
    "-c",
    _MIRROR,
    _MIRROR_CA,
    _OS,
    "--apiserver-port",
    "--control-plane-endpoint-port",
)
_KNOWN = (*_PROXY_FLAGS, *_FACTS, *_OTHERS)
_PREPROVISIONED = "preprovisioned"
_TRUST_STORE = "nodeTrustStore"
_INFRASTRUCTURES = {
    _PREPROVISIONED: "PreprovisionedCluster",
    "aws": "AWSCluster",
    "azure": "AzureCluster",
    "gcp": "GCPCluster",
    "vsphere": "VSphereCluster",
    "nutanix": "NutanixCluster",
}

_FLATCAR = "flatcar"


@dataclass
class _CommandLine:
    """A command line: words, known flags with all their values, and the names of other flags."""

    words: list[str] = field(default_factory=list)
    flags: dict[str, list[str]] = field(default_factory=dict)
    others: dict[str, None] = field(default_factory=dict)

    def last(self, *names: str) -> str:
        """Return the last value of a flag that has several names; "" if it is not there."""
        values = [value for name in names for value in self.flags.get(name, ())]
        return values[-1] if values else ""


def spec(
    arguments: Sequence[str], read_file: Callable[[str], str]
) -> tuple[dict[str, Any], list[str]]:
    """Return the ``spec`` that says the same, not checked yet, and lines for standard error.

    Args:
        arguments: the command line, with or without the words before its flags.
        read_file: gives the text of the file that a flag names.

    Raises:
        UsageError: a flag lacks its value, or nothing in it is about a proxy or a mirror.
    """
    line = _parse_command_line(arguments)
    found: dict[str, Any] = _proxies(line)
    if line.last(_MIRROR):
        ca = line.last(_MIRROR_CA)
        found["registryMirror"] = {
            "url": line.last(_MIRROR),
            **({"ca": {"pem": read_file(ca)}} if ca else {}),
        }
    if not found:
        names = "`--control-plane-http-proxy`, `--worker-http-proxy`, `--http-proxy` or `--registry-mirror-url`"
        raise UsageError(
            f"the command line must name a proxy or a registry mirror, such as by {names}"
        )
    facts = _facts(line)
    if facts:
        found["clusterDefaults"] = facts
    if line.last(_OS).lower() == _FLATCAR:
        found["targets"] = {_TRUST_STORE: {"os": ["Flatcar"]}}
    return found, _warnings_about(line)


def _parse_command_line(arguments: Sequence[str]) -> _CommandLine:
    line = _CommandLine()
    rest = list(arguments)
    while rest:
        argument = rest.pop(0)
        name, equals, value = argument.partition("=")
        has_value = bool(rest) and not rest[0].startswith("-")
        if not argument.startswith("-"):
            line.words.append(argument)
        elif name not in _KNOWN:
            line.others[name] = None
            if has_value and not equals:
                rest.pop(0)
        elif equals or has_value:
            line.flags.setdefault(name, []).append(value if equals else rest.pop(0))
        else:
            raise UsageError(f"`{name}` must be followed by a value")
    return line


def _proxies(line: _CommandLine) -> dict[str, Any]:
    """Return what both roles have in common, and an override for each role that has values of its own."""
    by_role = {role: _proxy(line, prefix) for prefix, role in _ROLES.items()}
    if not any(by_role.values()):
        return _proxy(line, _EVERYONE)
    first, second = by_role.values()
    shared = {name: value for name, value in first.items() if second.get(name) == value}
    overrides = []
    for role, proxy in by_role.items():
        own = {name: value for name, value in proxy.items() if name not in shared}
        if own:
            name = line.last(_NAME, "-c")
            clusters = {"clusters": [name]} if name else {}
            overrides.append({"match": {**clusters, "roles": [role]}, **own})
    return {**shared, **({"overrides": overrides} if overrides else {})}


def _proxy(line: _CommandLine, role: str) -> dict[str, Any]:
    """Return the fields that the flags of one role set."""
    given: dict[str, Any] = {}
    for flag, (whose, target) in _PROXY_FLAGS.items():
        if whose == role and target == "noProxy":
            given[target] = list(noproxy.parse(line.flags.get(flag, [])))
        elif whose == role:
            given[target] = line.last(flag)
    return {target: value for target, value in given.items() if value}


def _facts(line: _CommandLine) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    for flag, name in _FACTS.items():
        value = line.last(flag)
        if value:
            facts[name] = list(noproxy.parse(value)) if name.endswith("CIDRs") else value
    kind = _INFRASTRUCTURES.get(line.words[-1]) if line.words else None
    return {**facts, **({"infrastructure": kind} if kind else {})}


def _warnings_about(line: _CommandLine) -> list[str]:
    reported = []
    if line.others:
        names = ", ".join(f"`{name}`" for name in line.others)
        reported.append(
            f"[warning] not taken over, because no field of a ProxyConfig says it: {names}"
        )
    of_roles, of_controllers = (
        _given(line, prefixes) for prefixes in (tuple(_ROLES), (_EVERYONE,))
    )
    if of_roles and of_controllers:
        names = ", ".join(f"`{name}`" for name in of_controllers)
        reported.append(
            f"[warning] not taken over, because beside flags for each role it is for the controllers: {names}"
        )
    return reported


def _given(line: _CommandLine, prefixes: tuple[str, ...]) -> Mapping[str, list[str]]:
    return {
        flag: line.flags[flag]
        for flag, (role, _) in _PROXY_FLAGS.items()
        if role in prefixes and flag in line.flags
    }


def command_line(
    wanted: ProxyConfig, cluster: Cluster, roles: Sequence[Role]
) -> tuple[str, list[str]]:
    """Return the command line that creates a cluster with the proxy of a ProxyConfig, and lines for standard error.

    Args:
        wanted: the checked ProxyConfig.
        cluster: its name, namespace and labels, for overrides; without a name the flag for it is left out.
        roles: the roles whose flags are written.

    Raises:
        UsageError: there is neither a proxy nor a registry mirror.
    """
    defaults = wanted.cluster_defaults
    infrastructure = _infrastructure(defaults)
    flags = [(_NAME, cluster.name)]
    if infrastructure == _PREPROVISIONED and defaults.endpoint:
        flags.append(("--apiserver-host", defaults.endpoint.value))
    flags.append(("--kubernetes-pod-network-cidr", _joined(defaults.pod_cidrs)))
    flags.append(("--kubernetes-service-cidr", _joined(defaults.service_cidrs)))
    flags += _flags_of_roles(wanted, cluster, roles)
    mirror = wanted.mirror
    flags.append((_MIRROR, mirror.url if mirror else ""))
    if list(wanted.targets.get(_TRUST_STORE, {}).get("os", ())) == ["Flatcar"]:
        flags.append((_OS, _FLATCAR))
    written = [f"{flag} {shlex.quote(value)}" for flag, value in flags if value]
    if not any(value for flag, value in flags if flag in _PROXY_FLAGS or flag == _MIRROR):
        raise UsageError(
            "the ProxyConfig must say a proxy for the nodes, or a registry mirror: in `spec`, or in an override that "
            "fits `--cluster`, `--labels` and `--role`"
        )
    warnings = []
    if mirror and mirror.ca.pem:
        warnings.append(
            "[warning] not in the command line: the certificates of `spec.registryMirror.ca`. Write them into a file "
            f"and add `{_MIRROR_CA}` with its name"
        )
    lines = [f"konvoy create cluster {infrastructure}", *written]
    return " \\\n  ".join(lines) + "\n", warnings


def _flags_of_roles(
    wanted: ProxyConfig, cluster: Cluster, roles: Sequence[Role]
) -> list[tuple[str, str]]:
    """Return the flags of each role; the list is the one that its nodes would get from a run."""
    flags: list[tuple[str, str]] = []
    for prefix, name in _ROLES.items():
        if Role(name) not in roles:
            continue
        proxy: ProxySettings = settings.resolve(
            wanted,
            (Membership(cluster, Role(name)),),
            target=KUBEADM.targets[0],
            audience=Audience.NODE,
        ).settings
        flags.append((f"--{prefix}http-proxy", proxy.http_proxy))
        flags.append((f"--{prefix}https-proxy", proxy.https_proxy))
        flags.append((f"--{prefix}no-proxy", proxy.no_proxy))
    return flags


def _infrastructure(defaults: ClusterNetwork) -> str:
    """Return the word of the command line for the kind of infrastructure.

    Preprovisioned where nothing says it.
    """
    for word, kind in _INFRASTRUCTURES.items():
        if kind == defaults.infrastructure_kind:
            return word
    return _PREPROVISIONED


def _joined(facts: Sequence[noproxy.Fact]) -> str:
    return ",".join(fact.value for fact in facts)
