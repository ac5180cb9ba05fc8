"""Trust store of workloads: programs in pods trust the authorities of your network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from krm_fn.carriers import pod_spec
from krm_fn.config import Certificates, Matcher
from krm_fn.engine import Draft
from krm_fn.light_typing import Any
from krm_fn.noproxy import Audience
from krm_fn.patch import lookup
from krm_fn.settings import ProxySettings
from krm_fn.targets import created_objects
from krm_fn.targets.base import Context, Creation, Target
from krm_fn.targets.trusted_config_map import TrustedConfigMap
from krm_fn.targets.workloads import known_workloads
from krm_fn.targets.workloads.trust_bundle import DIRECTORIES, FILE, NAME, Bundle, TrustBundle

_ANNOTATION = "fn.inject-proxy.io/trusted-ca"


def companions(
    obj: Mapping[str, Any], settings: ProxySettings, options: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    """Yield the ConfigMap with the certificates, where the workload is to mount the one of inject-proxy."""
    wanted = _wanted(obj, settings.trusted_ca, options)
    if wanted and not _is_source(obj, settings.trusted_ca, wanted.config_map):
        yield created_objects.skeleton("ConfigMap", NAME, obj)


def _wanted(
    obj: Mapping[str, Any], trusted: Certificates, options: Mapping[str, Any]
) -> Bundle | None:
    """Return the bundle for the containers of a workload; None for none."""
    if not trusted.pem or not _is_meant(obj, options):
        return None
    name, key = NAME, FILE
    if trusted.config_map and trusted.config_map[0] == _metadata(obj, "namespace", ""):
        _, name, key = trusted.config_map
    bundle = Bundle(
        name,
        key,
        options.get("mountPath", "/etc/inject-proxy/trusted-ca"),
        options.get("variables", ()),
    )
    if known_workloads.is_known(obj) and not bundle.is_read_by_go:  # both are Go programs
        bundle = bundle._replace(variables=(*bundle.variables, DIRECTORIES))
    return bundle


def _is_source(obj: Mapping[str, Any], trusted: Certificates, name: str) -> bool:
    """Return whether the certificates come from the ConfigMap ``name`` in the namespace of ``obj``."""
    return bool(
        trusted.config_map and trusted.config_map[:2] == (_metadata(obj, "namespace", ""), name)
    )


def _is_meant(obj: Mapping[str, Any], options: Mapping[str, Any]) -> bool:
    annotations = _metadata(obj, "annotations", {})
    if annotations.get(_ANNOTATION) in ("true", "false"):
        return bool(annotations[_ANNOTATION] == "true")
    identity = {
        "kind": str(obj.get("kind")),
        "name": _metadata(obj, "name", ""),
        "namespace": _metadata(obj, "namespace", ""),
        "labels": _metadata(obj, "labels", {}),
        "annotations": annotations,
    }
    return known_workloads.is_known(obj) or any(
        Matcher.of(one).fits(**identity) for one in options.get("workloads", ())
    )


def _metadata(obj: Mapping[str, Any], key: str, default: Any) -> Any:
    """Return a member of ``metadata``; ``default`` if there is none of its type."""
    value = lookup(obj, ("metadata", key))
    return value if isinstance(value, type(default)) else default


class _WorkloadTrustStore(Target):
    id = "workloadTrustStore"
    kinds = pod_spec.KINDS | {("", "ConfigMap")}
    audience = Audience.NOBODY
    creates = Creation(beside=pod_spec.KINDS, companions=companions)

    def hints(self, options: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the text hints; none where matchers select workloads, as their text can be any."""
        return () if options.get("workloads") else super().hints(options)

    def sites(self, draft: Draft, context: Context) -> Iterator[TrustedConfigMap | TrustBundle]:
        """Yield the pod specification of a workload, or the ConfigMap beside it."""
        trusted = context.settings.trusted_ca
        obj = draft.data
        at = pod_spec.pod_spec(obj)
        if at:
            yield TrustBundle(draft, at, _wanted(obj, trusted, context.options))
        elif _metadata(obj, "name", "") == NAME and not _is_source(obj, trusted, NAME):
            yield TrustedConfigMap(draft, trusted.pem, "workloads mount it")


TARGET = _WorkloadTrustStore()
