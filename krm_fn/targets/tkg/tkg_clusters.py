"""A cluster of TKG that is made of a class, and one of the TKG Service of vSphere."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from krm_fn.clusters import CLUSTER_VARIABLES, class_name, variable_lists
from krm_fn.clusters.references import WorkerClass
from krm_fn.krm.results import Result
from krm_fn.light_typing import Any
from krm_fn.noproxy import Audience
from krm_fn.patch import Pointer, lookup, named_items
from krm_fn.places.certificates import in_base64, write_entry
from krm_fn.places.mapping_forms import CAMEL, Members, NamedItem, steps_of
from krm_fn.places.place import Place, WrittenForm
from krm_fn.products import tkg
from krm_fn.products.cluster_api import CLUSTER
from krm_fn.settings import ProxySettings
from krm_fn.targets.base import Context, Data, NodeUpdate, Places, Reach, Target, Writes
from krm_fn.targets.tkg.cluster_config import half, lost, whole

_MEMBERS = CAMEL._replace(is_list=True, is_strict=True)
_ANNOTATIONS = Members(steps_of(*tkg.PROXY_ANNOTATIONS))
_NETWORK = ("spec", "settings", "network")
# What means nothing without a proxy.
_SYSTEM_WIDE = {"value": {"systemWide": True}}


class TkgCluster(Target):
    """The variable ``proxy`` of a Cluster of one of TKG's classes, and the settings of a TanzuKubernetesCluster.

    Example: in ``spec.topology.variables``::

        - name: proxy
          value: {httpProxy: "http://proxy:3128", httpsProxy: "http://proxy:3128", noProxy: [10.0.0.0/8]}
    """

    audience = Audience.PRODUCT
    reach = Reach.GROUPS
    writes = Writes.PROXY_AND_TRUST
    node_update = NodeUpdate(
        is_rolled=True, why="TKG replaces the nodes of a cluster whose network settings change"
    )

    def places(self, data: Data, context: Context) -> Places:
        """Yield the places of a proxy in a Cluster, or in a TanzuKubernetesCluster."""
        groups = context.class_context.groups if context.class_context else {}
        if data.get("kind") == CLUSTER[1]:
            places = [*_cluster_places(data, context.settings, groups)]
        else:
            places = [*_service_places(data, whole(context.settings))]
        problem = next(filter(None, map(half, (context.settings, *groups.values()))), None)
        if problem and places:
            yield problem
        yield from places


def _service_places(data: Data, settings: ProxySettings) -> Places:
    """Yield the places of a TanzuKubernetesCluster."""
    if not isinstance(data.get("spec"), dict):
        return
    path = (*_NETWORK, "proxy")
    yield Place(path, _MEMBERS, "`settings.network.proxy`", 1, settings=settings)
    if settings.is_declared or settings.trusted_ca.pem:
        trusted = (*_NETWORK, "trust", "additionalTrustedCAs")
        yield _trusted(trusted, "inject-proxy", settings, keep=1)
    if any(url.startswith("https://") for url in (settings.http_proxy, settings.https_proxy)):
        yield Result(
            "ProxyReduced",
            'the TKG Service of vSphere takes no proxy whose URL begins with "https://": declare one that begins '
            'with "http://", through which HTTPS goes as well',
            path,
        )


def _cluster_places(
    data: Data, declared: ProxySettings, groups: Mapping[WorkerClass, ProxySettings]
) -> Places:
    """Yield the places of a Cluster: annotations, the variable of all nodes and those of groups, and certificates."""
    settings = whole(declared)
    is_tkg = class_name(data).startswith("tkg-")
    annotations = ("metadata", "annotations")
    if is_tkg or _ANNOTATIONS.is_in(lookup(data, annotations)):
        yield Place(
            annotations, _ANNOTATIONS, "the annotations that add-ons read", 1, settings=settings
        )
    for path, group in variable_lists(data):
        if is_tkg or any(map(_MEMBERS.is_in, _values(data, path, "proxy"))):
            own = groups.get(group, declared)
            yield from _variable_places(data, path, group, declared, own)
    # Certificates go with the proxy only: an entry of somebody else may have our name.
    is_removal = settings.is_declared and not settings.sets_any
    if is_tkg and (settings.trusted_ca.pem or is_removal):
        yield _trust_variable(data, settings)


def _variable_places(
    data: Data, path: Pointer, group: WorkerClass, declared: ProxySettings, own: ProxySettings
) -> Places:
    """Yield the variable in one list: that of the Cluster, or of a group of workers, which may have its own proxy."""
    settings = whole(declared)
    own = whole(own)
    label = "the variable `proxy`"
    is_of_cluster = path == CLUSTER_VARIABLES
    section, name = group
    if section:
        label += f' of "{name}" in `{section}`'
    # A group with the proxy of its Cluster needs no variable of its own.
    is_missed = is_of_cluster or own.variables != settings.variables
    is_added = class_name(data).startswith("tkg-") and is_missed
    form = NamedItem("proxy", ("value",), _MEMBERS, is_added, _SYSTEM_WIDE, not section)
    kept_steps = 2 if is_of_cluster else len(path) - 2
    yield Place(path, form, label, kept_steps, settings=own)
    yield from lost(own)
    if own.is_declared and settings.sets_any and not own.sets_any:
        yield Result(
            "NodesWithoutProxy",
            "these nodes get no proxy, which the variable `proxy` cannot say where the Cluster has one, so they get "
            "that of the Cluster: declare one for them",
            path[:-2],
        )


def _trust_variable(data: Data, settings: ProxySettings) -> Place:
    """Return the variable with certificates; in old classes its value is the list."""
    is_old = any(isinstance(value, list) for value in _values(data, CLUSTER_VARIABLES, "trust"))
    steps = ("value",) if is_old else ("value", "additionalTrustedCAs")
    trusted = _trusted(steps, "proxy", settings, keep=0)
    form = NamedItem("trust", steps, trusted.form)
    return Place(CLUSTER_VARIABLES, form, trusted.label, 2, True, settings)


def _values(data: Data, path: Pointer, variable: str) -> list[Any]:
    """Return the values that a list of variables gives one of them."""
    return [lookup(data, (*item, "value")) for item in named_items(data, path, variable)]


def _trusted(path: Pointer, name: str, settings: ProxySettings, keep: int) -> Place:
    """Return the entry of ours in a list of certificates."""
    data = in_base64(settings)
    entry = {"name": name, "data": data} if data else None
    form = WrittenForm(partial(write_entry, name, entry))
    return Place(
        path,
        form,
        f"the certificate `{name}` of `additionalTrustedCAs`",
        keep,
        is_unconditional=True,
        settings=settings,
    )
