"""A cluster of TKG that is made of a class: its proxy stands at the Cluster, and TKG carries it to nodes and add-ons.

What it sets: ``httpProxy``, ``httpsProxy`` and ``noProxy`` (a list) of the topology variable ``proxy``; the annotations
``tkg.tanzu.vmware.com/tkg-http-proxy``, ``tkg-https-proxy`` and ``tkg-no-proxy``; and with ``spec.trustedCA`` the
certificate ``proxy`` of the variable ``trust``, which is the name that TKG's classes look for (the value of ``trust``
is a mapping with the list ``additionalTrustedCAs``, or in the first classes, as ``tkg-aws-default``, the list itself).
In a TanzuKubernetesCluster the same of ``proxy``, and the certificate ``inject-proxy`` of ``trust``. The list is that
of ``spec.noProxy``: TKG adds the networks of the cluster by itself.

Where: ``spec.topology.variables`` of Clusters (v1beta1 and v1beta2) whose class begins with ``tkg-``: a variable that
is missing is made at the end. The one of the Cluster is that of its control plane, and of add-ons; a group of
workers for which an override says something else gets its own in ``variables.overrides``. Of other classes only a
``proxy`` that is there and holds ``httpProxy`` or ``httpsProxy`` is filled: what a class does not define the API server
rejects. The annotations of Clusters of a ``tkg-`` class, or that have one of them. ``spec.settings.network`` of
every TanzuKubernetesCluster (``run.tanzu.vmware.com``), where the kind itself defines ``proxy`` and ``trust``.

What it leaves alone: all other variables, annotations and certificates, and ``systemWide``. A ``noProxy`` that says the
same stays; a text becomes a list. The annotation ``tkg-proxy-ca-cert`` is TKG's own, which writes into it what
``trust`` holds. Without a proxy the variable ``proxy`` goes as a whole, for its two URLs are required, and so does the
certificate; a certificate that is called ``proxy`` stays while there is a proxy and no ``spec.trustedCA``. Where
``spec.trustedCA`` stands alone, only the certificate is set. A declaration with only one of the two URLs is a warning,
and what is there stays. So is a group of workers that is to have no proxy in a Cluster that has one, which the variable
cannot say. In a TanzuKubernetesCluster a URL that begins with ``https://`` is a warning.

Before and after:

```diff
 kind: Cluster
 metadata:
+  annotations:
+    tkg.tanzu.vmware.com/tkg-http-proxy: http://proxy.corp.example:3128
   name: workload-1
 spec:
   topology:
     class: tkg-vsphere-default-v1.1.1
     variables:
     - name: cni
       value: antrea
+    - name: proxy
+      value:
+        httpProxy: http://proxy.corp.example:3128
+        httpsProxy: http://proxy.corp.example:3128
+        noProxy:
+        - .corp.example
```

Options: none but ``enabled``.

Why: from this variable TKG's classes write the drop-ins of containerd and the kubelet on every node, and its
controllers the annotations, which the add-ons read; its patch for workers, whose class is ``tkg-worker``, reads the
variable of their group (``vmware-tanzu/tanzu-framework`` release-0.29: ``providers``,
``cconly/base.yaml``; ``addons/controllers/clusterbootstrap_controller.go``). A TanzuKubernetesCluster is how the TKG
Service of vSphere spells the same (``apis/run/v1alpha2``); its documentation forbids ``https://`` for the proxy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from krm_fn.carriers.reading import Reading
from krm_fn.carriers.three_keys import Keys, ThreeKeys
from krm_fn.krm.results import Change, Finding, Severity
from krm_fn.noproxy import Audience, parse
from krm_fn.patch import Pointer, lookup
from krm_fn.settings import ProxySettings
from krm_fn.targets._around import TargetContext
from krm_fn.targets._cluster_variables import (
    KIND,
    VARIABLES,
    appended,
    class_of,
    in_turn,
    lists,
    named,
    without,
)
from krm_fn.targets.base import Target
from krm_fn.targets.tkg_rules import Trust, certificate, half, trusted, whole

_MEMBERS = Keys("httpProxy", "httpsProxy", "noProxy", is_list=True, is_fixed=True)
_PREFIX = "tkg.tanzu.vmware.com/tkg-"
_ANNOTATIONS = ThreeKeys(
    ("metadata", "annotations"),
    Keys(f"{_PREFIX}http-proxy", f"{_PREFIX}https-proxy", f"{_PREFIX}no-proxy"),
    "the annotations that add-ons read",
)
_NETWORK = ("spec", "settings", "network")
_OF_SERVICE = ThreeKeys((*_NETWORK, "proxy"), _MEMBERS, "`settings.network.proxy`")
_TRUST_OF_SERVICE = Trust((*_NETWORK, "trust", "additionalTrustedCAs"), "inject-proxy", kept=1)
_NONE = (
    "these nodes are to have no proxy, which the variable `proxy` cannot say where the Cluster has one, so they get "
    "that of the Cluster: declare one for them"
)
_HTTPS = (
    'the TKG Service of vSphere takes no proxy whose URL begins with "https://": declare one that begins with '
    '"http://", through which HTTPS goes as well'
)


def propose(
    obj: Mapping[str, Any], settings: ProxySettings, options: Mapping[str, Any]
) -> Iterator[Change | Finding]:
    """Yield what the Cluster, or the TanzuKubernetesCluster, lacks or has too much; see the module's text."""
    yield from propose_in(obj, settings, TargetContext())


def propose_in(
    obj: Mapping[str, Any], settings: ProxySettings, around: TargetContext
) -> Iterator[Change | Finding]:
    """The same, for a Cluster of which some groups of workers are to have another proxy."""
    if obj.get("kind") == KIND[1]:
        steps = _steps_of_cluster(
            obj, whole(settings), {name: whole(one) for name, one in around.groups.items()}
        )
    else:
        steps = _steps_of_service(obj, whole(settings))
    said = list(in_turn(obj, steps))
    problem = next(filter(None, map(half, (settings, *around.groups.values()))), None)
    if problem and (said or _is_tkg(obj)):
        yield problem
    yield from said


def observe(obj: Mapping[str, Any], options: Mapping[str, Any]) -> Iterator[Reading]:
    """Yield what the variables, the annotations and the settings say, whoever wrote it.

    A group of workers has a variable of its own because it is to differ, so it is nobody's witness.
    """
    if obj.get("kind") != KIND[1]:
        yield from _OF_SERVICE.read(obj)
        return
    yield from _ANNOTATIONS.read(obj)
    of_all = (path for path in lists(obj) if _group_of(obj, path) is None)
    for entry in (entry for path in of_all for entry in named(obj, path, "proxy")):
        if _holds_proxy(obj, entry):
            yield from _slot(entry).read(obj)


def _is_tkg(obj: Mapping[str, Any]) -> bool:
    return obj.get("kind") != KIND[1] or class_of(obj).startswith("tkg-")


def _holds_proxy(obj: Mapping[str, Any], entry: Pointer) -> bool:
    value = lookup(obj, (*entry, "value"))
    return isinstance(value, Mapping) and ("httpProxy" in value or "httpsProxy" in value)


def _slot(entry: Pointer) -> ThreeKeys:
    return ThreeKeys((*entry, "value"), _MEMBERS, "the variable `proxy`", kept=len(entry) + 1)


def _steps_of_cluster(
    obj: Mapping[str, Any], settings: ProxySettings, groups: Mapping[tuple[str, str], ProxySettings]
) -> Iterator[Any]:
    is_tkg = _is_tkg(obj)
    for path in lists(obj):
        group = _group_of(obj, path)
        wanted = groups.get(group, settings) if group else settings
        if wanted.is_declared:
            yield partial(_proxies, path=path, settings=wanted, is_tkg=is_tkg)
        if wanted.is_declared and is_tkg:
            is_own = path == VARIABLES or wanted.variables() != settings.variables()
            yield partial(_proxy_made, path=path, settings=wanted if is_own else ProxySettings())
            if settings.variables() and not wanted.variables():
                yield partial(_not_without, path=path)
    if is_tkg:
        yield partial(_trust, settings=settings)
    if settings.is_declared:
        yield partial(_annotations, settings=settings, is_tkg=is_tkg)


def _group_of(obj: Mapping[str, Any], path: Pointer) -> tuple[str, str] | None:
    """Section and name of the group of workers whose variables stand in a list; None for those of other nodes."""
    holder = path[:-2]
    return (holder[3], str(lookup(obj, (*holder, "name")))) if "workers" in holder else None


def _not_without(obj: Mapping[str, Any], *, path: Pointer) -> Iterator[Finding]:
    """What to say of nodes that are to have no proxy in a Cluster that has one."""
    yield Finding(Severity.WARNING, _NONE, path[:-2], code="NodesWithoutProxy")


def _proxies(
    obj: Mapping[str, Any], *, path: Pointer, settings: ProxySettings, is_tkg: bool
) -> Iterator[Change | Finding]:
    """The variables ``proxy`` of one list that are there."""
    for entry in named(obj, path, "proxy"):
        if not (is_tkg or _holds_proxy(obj, entry)):
            continue
        made = _slot(entry).edit(obj, settings)
        if isinstance(made, Finding):
            yield made
        elif made.operations and not settings.variables() and not _rest(obj, entry):
            yield Change(
                without(obj, entry, kept=_kept_steps(path)), "removes the variable `proxy`"
            )
        else:
            yield from made.changes()


def _rest(obj: Mapping[str, Any], entry: Pointer) -> set[str]:
    """What the variable holds besides: TKG defines ``systemWide`` only, which means nothing alone."""
    return set(lookup(obj, (*entry, "value"))) - {*_MEMBERS.names, "systemWide"}


def _kept_steps(path: Pointer) -> int:
    """So many steps lead to what stays when a list of variables goes: ``topology``, or whoever has some of its own."""
    return len(path) - (1 if path == VARIABLES else 2)


def _proxy_made(
    obj: Mapping[str, Any], *, path: Pointer, settings: ProxySettings
) -> Iterator[Change | Finding]:
    """The variable ``proxy``, where it is missing."""
    if settings.variables() and not named(obj, path, "proxy"):
        value: dict[str, Any] = {
            "httpProxy": settings.http_proxy,
            "httpsProxy": settings.https_proxy,
        }
        if settings.no_proxy:
            value["noProxy"] = list(parse(settings.no_proxy))
        yield appended(obj, path, {"name": "proxy", "value": value}, "sets the variable `proxy`")


def _trust(obj: Mapping[str, Any], *, settings: ProxySettings) -> Iterator[Change | Finding]:
    """Propose the certificate of the proxy in the variable ``trust``; in old classes its value is the list itself."""
    data = certificate(settings)
    found = named(obj, VARIABLES, "trust")
    for entry in found:
        held = (*entry, "value")
        is_old = isinstance(lookup(obj, held), list)
        trust = Trust(held if is_old else (*held, "additionalTrustedCAs"), "proxy", kept=2)
        yield from trusted(
            obj, trust, data, stays=bool(settings.variables()) or not settings.is_declared
        )
    if data and not found:
        value = {"additionalTrustedCAs": [{"name": "proxy", "data": data}]}
        yield appended(
            obj, VARIABLES, {"name": "trust", "value": value}, "sets the variable `trust`"
        )


def _annotations(
    obj: Mapping[str, Any], *, settings: ProxySettings, is_tkg: bool
) -> Iterator[Change | Finding]:
    annotations = lookup(obj, _ANNOTATIONS.path)
    is_there = isinstance(annotations, Mapping) and not annotations.keys().isdisjoint(
        _ANNOTATIONS.keys.names
    )
    made = _ANNOTATIONS.edit(obj, settings) if is_tkg or is_there else None
    if isinstance(made, Finding):
        yield made
    elif made:
        yield from made.changes()


def _steps_of_service(obj: Mapping[str, Any], settings: ProxySettings) -> Iterator[Any]:
    if isinstance(obj.get("spec"), Mapping):
        if settings.is_declared:
            yield partial(_proxy_of_service, settings=settings)
        yield partial(
            trusted,
            trust=_TRUST_OF_SERVICE,
            data=certificate(settings),
            stays=not settings.is_declared,
        )


def _proxy_of_service(
    obj: Mapping[str, Any], *, settings: ProxySettings
) -> Iterator[Change | Finding]:
    made = _OF_SERVICE.edit(obj, settings)
    if isinstance(made, Finding):
        yield made
        return
    yield from made.changes()
    for name, url in (("httpProxy", settings.http_proxy), ("httpsProxy", settings.https_proxy)):
        if url.startswith("https://"):
            yield Finding(
                Severity.WARNING, _HTTPS, (*_OF_SERVICE.path, name), code="ProxySchemeUnsupported"
            )


TARGET = Target(
    id="tkgClusterClass",
    kinds=frozenset({KIND, ("run.tanzu.vmware.com", "TanzuKubernetesCluster")}),
    audience=Audience.PRODUCT,
    text_hints=("httpProxy", "httpsProxy", "tkg-", "TanzuKubernetesCluster"),
    propose=propose,
    observe=observe,
    propose_in=propose_in,
    one_proxy_for_all_nodes=True,
    is_concerned_without_proxy=True,
)
