"""The command line of ``konvoy create cluster``: as a ``spec``, and made of a ProxyConfig.

Sources: the Konvoy document; ``dkp create cluster preprovisioned`` of DKP 2.3 (mesosphere/dcos-docs-site), whose
``--http-proxy`` is that of the Cluster API controllers; ``nkp create cluster nutanix`` of NKP 2.16, which has no flag
for each role.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

from krm_fn import noproxy, settings
from krm_fn.cli.parser import Parser
from krm_fn.cli.streams import Answer, read_text
from krm_fn.clusters import Cluster, Fact, Membership, Role, value_of
from krm_fn.config import ProxyConfig
from krm_fn.errors import UsageError
from krm_fn.light_typing import Any, Fields
from krm_fn.noproxy import Audience, Readers
from krm_fn.patch import list_at
from krm_fn.products.node_kinds import KUBEADM

_ROLES = {Role.CONTROL_PLANE: "control-plane-", Role.WORKER: "worker-"}
_FIELDS = {"http-proxy": "httpProxy", "https-proxy": "httpsProxy", "no-proxy": "noProxy"}
_LISTS = ("noProxy", "podCIDRs", "serviceCIDRs")
_FACTS = {
    "--apiserver-host": "endpoint",
    "--control-plane-endpoint-host": "endpoint",
    "--control-plane-endpoint-ip": "endpoint",
    "--kubernetes-pod-network-cidr": "podCIDRs",
    "--kubernetes-service-cidr": "serviceCIDRs",
}
_NAME, _OS = "--cluster-name", "--os-hint"
_MIRROR, _MIRROR_CA = "--registry-mirror-url", "--registry-mirror-cacert"
# The flags of a proxy for the Cluster API controllers, or, without others, for everything.
_OF_ALL = [f"--{name}" for name in _FIELDS]
_OF_ROLES = [f"--{prefix}{name}" for prefix in _ROLES.values() for name in _FIELDS]
_PORTS = ("--apiserver-port", "--control-plane-endpoint-port")  # no list of hosts has ports
_KNOWN = {*_OF_ALL, *_OF_ROLES, *_FACTS, *_PORTS, _NAME, _MIRROR, _MIRROR_CA, _OS}
_INFRASTRUCTURES = {
    "preprovisioned": "PreprovisionedCluster",
    "aws": "AWSCluster",
    "azure": "AzureCluster",
    "gcp": "GCPCluster",
    "vsphere": "VSphereCluster",
    "nutanix": "NutanixCluster",
}


def spec_of(arguments: Sequence[str]) -> tuple[Fields, list[str]]:
    """Return the ``spec`` that says the same as a command line, and lines about flags without a field."""
    flags, rest = _parsed(arguments)
    spec = _proxies(flags)
    if _MIRROR in flags:
        spec["registryMirror"] = {"url": flags[_MIRROR]}
        if _MIRROR_CA in flags:
            spec["registryMirror"]["ca"] = {"pem": read_text(flags[_MIRROR_CA])}
    if not spec:
        raise UsageError(
            "the command line must name a proxy or a mirror, such as by `--http-proxy` or `--registry-mirror-url`"
        )
    facts = {}
    for flag, fact in _FACTS.items():
        if flag in flags:
            facts[fact] = field_value(fact, flags[flag])
    for word in rest:
        if word in _INFRASTRUCTURES:
            facts["infrastructure"] = _INFRASTRUCTURES[word]
    if facts:
        spec["clusterDefaults"] = facts
    if flags.get(_OS, "").lower() == "flatcar":
        spec["targets"] = {"nodes": {"trustedCA": {"os": ["Flatcar"]}}}
    unsaid = [word.partition("=")[0] for word in rest if word.startswith("-")]
    if not flags.keys().isdisjoint(_OF_ROLES):
        unsaid += [flag for flag in _OF_ALL if flag in flags]
    if not unsaid:
        return spec, []
    names = ", ".join(f"`{flag}`" for flag in unsaid)
    return spec, [f"[warning] not taken over, because no field says it: {names}"]


def field_value(field: str, value: Any) -> Any:
    """Return a value as a field of ``spec`` has it: a text that is a list as its entries."""
    if field in _LISTS and isinstance(value, str):
        return list(noproxy.parse(value))
    return value


def _parsed(arguments: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """Return the value of each known flag, the last one but of lists, and the other words."""
    parser = Parser("konvoy create cluster", add_help=False, allow_abbrev=False)
    for flag in _KNOWN:
        names = (flag, "-c") if flag == _NAME else (flag,)
        parser.add_argument(*names, dest=flag, action="append")
    args, rest = parser.parse_known_args(arguments)
    flags = {}
    for flag, values in vars(args).items():
        if values:
            flags[flag] = ",".join(values) if flag.endswith("no-proxy") else values[-1]
    return flags, rest


def _proxies(flags: Mapping[str, str]) -> Fields:
    """Return the values that both roles have in common, and an override for each role that has others."""
    of_roles = {role: _proxy(flags, prefix) for role, prefix in _ROLES.items()}
    if not any(of_roles.values()):
        return _proxy(flags, "")
    first, second = of_roles.values()
    spec = {name: value for name, value in first.items() if second.get(name) == value}
    overrides = []
    for role, proxy in of_roles.items():
        match = {"roles": [role.value]}
        if _NAME in flags:
            match["clusters"] = [flags[_NAME]]
        own = {name: value for name, value in proxy.items() if name not in spec}
        if own:
            overrides.append({"match": match, **own})
    if overrides:
        spec["overrides"] = overrides
    return spec


def _proxy(flags: Mapping[str, str], prefix: str) -> Fields:
    proxy = {}
    for name, field in _FIELDS.items():
        flag = f"--{prefix}{name}"
        if flag in flags:
            proxy[field] = field_value(field, flags[flag])
    return proxy


def command_line(config: ProxyConfig, cluster: Cluster, roles: Sequence[Role]) -> Answer:
    """Print the command line that creates a cluster with the proxy of a ProxyConfig, and lines about missing flags."""
    defaults = config.cluster_defaults
    words = {kind: word for word, kind in _INFRASTRUCTURES.items()}
    infrastructure = words.get(defaults.infrastructure_kind, "preprovisioned")
    endpoint = ""
    if infrastructure == "preprovisioned":
        endpoint = value_of(defaults.endpoint)
    proxies: dict[str, str] = {}
    for role in roles:
        proxies |= _flags_of_role(config, cluster, role)
    mirror = config.mirror.url if config.mirror else ""
    if not mirror and not any(proxies.values()):
        raise UsageError(
            "the ProxyConfig must say a proxy for the nodes, or a registry mirror: in `spec`, or in an override that "
            "fits `--cluster`, `--labels` and `--role`"
        )
    flags = {
        _NAME: cluster.name,
        "--apiserver-host": endpoint,
        "--kubernetes-pod-network-cidr": _joined(defaults.pod_cidrs),
        "--kubernetes-service-cidr": _joined(defaults.service_cidrs),
        **proxies,
        _MIRROR: mirror,
    }
    if list_at(config.targets.of("nodes.trustedCA"), ("trustedCA", "os")) == ["Flatcar"]:
        flags[_OS] = "flatcar"
    lines = [f"konvoy create cluster {infrastructure}"]
    lines += [f"{flag} {shlex.quote(value)}" for flag, value in flags.items() if value]
    text = " \\\n  ".join(lines) + "\n"
    warnings = []
    if config.mirror and config.mirror.ca.pem:
        warnings.append(
            f"[warning] write the certificates of `spec.registryMirror.ca` into a file for `{_MIRROR_CA}`"
        )
    return Answer([text.encode()], warnings)


def _joined(facts: Sequence[Fact]) -> str:
    return ",".join(fact.value for fact in facts)


def _flags_of_role(config: ProxyConfig, cluster: Cluster, role: Role) -> dict[str, str]:
    """Return the flags of a role; its nodes would get the same list from a run."""
    proxy = settings.resolve(
        config,
        (Membership(cluster, role),),
        target=KUBEADM.targets[0],
        readers=Readers(Audience.NODE),
    ).settings
    prefix = f"--{_ROLES[role]}"
    return {
        f"{prefix}http-proxy": proxy.http_proxy,
        f"{prefix}https-proxy": proxy.https_proxy,
        f"{prefix}no-proxy": proxy.no_proxy,
    }
