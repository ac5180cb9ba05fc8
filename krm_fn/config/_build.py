"""Build a ProxyConfig from a ``spec`` without mistakes.

It checks nothing. Every entry and every fact gets the name of its field, in the form that the user
wrote.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from krm_fn import noproxy
from krm_fn.clusters import ClusterNetwork, Fact
from krm_fn.config._model import Certificates, Mirror, Mode, Override, PolicyChange, ProxyConfig
from krm_fn.config._schema import Place
from krm_fn.config._selector import ClusterMatcher, IgnoredPlace, Matcher, Selector
from krm_fn.krm.codes import Severity
from krm_fn.light_typing import TYPE_CHECKING, Any
from krm_fn.noproxy import Entry, Policy, Style
from krm_fn.target_table import ROWS, SYSTEMS

if TYPE_CHECKING:
    from krm_fn.config._referred import Referred

Name = Callable[[Place], str]
"""How a place below ``spec`` is called: ``("noProxy", 2)`` -> ``spec.noProxy[2]``, or ``data.NO_PROXY``."""


def built(spec: Mapping[str, Any], name: Name) -> ProxyConfig:
    """Return the ProxyConfig of ``spec``, which is right."""
    rules = spec.get("lint", {}).get("rules", {})
    overrides = spec.get("overrides", ())
    return ProxyConfig(
        http_proxy=spec.get("httpProxy", ""),
        https_proxy=spec.get("httpsProxy", ""),
        no_proxy=_entries(spec, ("noProxy",), name),
        mode=Mode(spec.get("mode", Mode.INJECT.value)),
        policy=_policy(spec, (), name).over(Policy()),
        overrides=tuple(
            _override(written, ("overrides", at), name) for at, written in enumerate(overrides)
        ),
        cluster_defaults=_network(spec.get("clusterDefaults", {}), name),
        lint={
            rule: None if level == "Off" else Severity[level.upper()]
            for rule, level in rules.items()
        },
        ignore=tuple(map(_ignored, spec.get("lint", {}).get("ignore", ()))),
        selector=_selector(spec),
        targets=_enabled_targets(spec.get("targets", {}), spec.get("only")),
        trusted_ca=_certificates(spec.get("trustedCA", {})),
        mirror=_mirror(spec["registryMirror"]) if "registryMirror" in spec else None,
        hash_names=spec.get("rollout", {}).get("hashNames"),
        fail_on=Severity[spec.get("failOn", "Error").upper()],
        trusted_namespaces=tuple(spec.get("trustedNamespaces", ())),
    )


def with_references(config: ProxyConfig, referred: Referred) -> ProxyConfig:
    """Return the ProxyConfig of a ``spec`` with values of other objects, and what is known of these."""
    config_maps = referred.config_maps
    trusted_ca = config.trusted_ca._replace(config_map=config_maps.get(("trustedCA",)))
    mirror = config.mirror
    if mirror:
        mirror = mirror._replace(
            ca=mirror.ca._replace(config_map=config_maps.get(("registryMirror", "ca")))
        )
    return config._replace(
        trusted_ca=trusted_ca,
        mirror=mirror,
        says_none=referred.says_none,
        secret_urls=referred.secret_urls,
        reads_objects=referred.reads_objects,
    )


def pem(text: str) -> str:
    """Return certificates without blank lines and surrounding blanks.

    The last line ends with a line break.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return "".join(f"{line}\n" for line in lines)


def _certificates(written: Mapping[str, Any]) -> Certificates:
    return Certificates(pem(written.get("pem", "")))


def _mirror(written: Mapping[str, Any]) -> Mirror:
    from urllib.parse import urlsplit  # noqa: PLC0415 -- most runs have no mirror

    return Mirror(
        written["url"],
        urlsplit(written["url"]).hostname or "",
        _certificates(written.get("ca", {})),
    )


def _selector(spec: Mapping[str, Any]) -> Selector:
    """Return the selector of the user, without the objects from which values are read.

    Writing to these would turn an output into an input.
    """
    selector = spec.get("selector", {})
    include, exclude = (
        tuple(map(Matcher.of, selector.get(part, ()))) for part in ("include", "exclude")
    )
    return Selector(include, (*exclude, *map(_source, spec.get("from", ()))))


def _ignored(written: Mapping[str, Any]) -> IgnoredPlace:
    return IgnoredPlace(**{key: tuple(values) for key, values in written.items()})


def _source(written: Mapping[str, Any]) -> Matcher:
    namespaces = (written["namespace"],) if "namespace" in written else ()
    return Matcher(names=(written["name"],), namespaces=namespaces, kinds=(written["kind"],))


_LISTS_OF_MATCH = ("clusters", "namespaces", "roles", "targets", "objects")


def _cluster_matcher(written: Mapping[str, Any]) -> ClusterMatcher:
    lists = {key: tuple(written.get(key, ())) for key in _LISTS_OF_MATCH}
    groups = tuple(written.get("workerGroups", ()))
    return ClusterMatcher(**lists, worker_groups=groups, labels=written.get("labels", {}))


def _override(written: Mapping[str, Any], place: Place, name: Name) -> Override:
    return Override(
        match=_cluster_matcher(written["match"]),
        http_proxy=written.get("httpProxy"),
        https_proxy=written.get("httpsProxy"),
        no_proxy=_entries(written, (*place, "noProxy"), name) if "noProxy" in written else None,
        replaces=written.get("noProxyMode") == "Replace",
        disabled=written.get("disabled"),
        policy=_policy(written, place, name),
    )


def _policy(written: Mapping[str, Any], place: Place, name: Name) -> PolicyChange:
    policy = written.get("noProxyPolicy", {})
    return PolicyChange(
        style=Style(policy["style"]) if "style" in policy else None,
        derive=policy.get("derive", {}),
        extra=_entries(policy, (*place, "noProxyPolicy", "extra"), name)
        if "extra" in policy
        else None,
        exclude=noproxy.parse(policy["exclude"]) if "exclude" in policy else None,
        rooted=policy.get("rooted"),
        max_length=policy.get("maxLength"),
    )


def _network(written: Mapping[str, Any], name: Name) -> ClusterNetwork:
    def facts(key: str) -> tuple[Fact, ...]:
        found = _texts(written, ("clusterDefaults", key), name)
        return tuple(Fact(text, config_field=where) for text, where in found)

    def fact(key: str) -> tuple[Fact, ...]:
        if key not in written:
            return ()
        return (Fact(written[key], config_field=name(("clusterDefaults", key))),)

    return ClusterNetwork(
        pod_cidrs=facts("podCIDRs"),
        service_cidrs=facts("serviceCIDRs"),
        service_domain=fact("serviceDomain"),
        endpoint=fact("endpoint"),
        infrastructure=fact("infrastructure"),
        region=fact("region"),
        networks=facts("networks"),
    )


def _entries(written: Mapping[str, Any], place: Place, name: Name) -> tuple[Entry, ...]:
    found = _texts(written, place, name)
    return tuple(Entry.of_config(text, where) for text, where in found)


def _texts(written: Mapping[str, Any], place: Place, name: Name) -> Iterator[tuple[str, str]]:
    """Yield each entry of the list, or of the text, that ``written`` has at ``place``, with the name of its field."""
    given = written.get(str(place[-1]), ())
    if isinstance(given, str):
        for entry in noproxy.parse(given):
            yield entry, name(place)
        return
    for at, text in enumerate(given):
        for entry in noproxy.parse(text):
            yield entry, name((*place, at))


def names_of_only() -> tuple[str, ...]:
    """Return every name that ``spec.only`` may hold: systems, which are names for several targets, then targets."""
    return tuple(dict.fromkeys((*SYSTEMS, *ROWS)))


def _enabled_targets(
    targets: Mapping[str, Mapping[str, Any]], only: list[str] | None
) -> Mapping[str, Mapping[str, Any]]:
    """Return the options of all targets with ``enabled: false`` for each one that ``only`` does not name.

    Args:
        targets: ``spec.targets``; a target that is off there stays off.
        only: ``spec.only``, or None where it is not given.
    """
    if only is None:
        return targets
    on = {target for name in only for target in SYSTEMS.get(name, (name,))}
    found = dict(targets)
    for name in ROWS:
        if name not in on:
            found[name] = {**targets.get(name, {}), "enabled": False}
    return found
