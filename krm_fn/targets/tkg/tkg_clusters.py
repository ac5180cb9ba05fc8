"""Clusters of TKG: the configuration from which one is made, one of a class, and one of the TKG Service of vSphere."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from krm_fn.clusters import CLUSTER_VARIABLES, class_name, variable_lists
from krm_fn.clusters.references import WorkerClass
from krm_fn.formats import embedded
from krm_fn.krm.results import Result, Results
from krm_fn.light_typing import Any
from krm_fn.noproxy import Audience, parse
from krm_fn.patch import Pointer, lookup, named_items
from krm_fn.places.certificates import in_base64, write_entry
from krm_fn.places.mapping_forms import CAMEL, Members, NamedItem, one_member, steps_of
from krm_fn.places.place import Place, WrittenForm
from krm_fn.places.provided import name_of
from krm_fn.places.text_forms import YamlText, text_place
from krm_fn.products import tkg
from krm_fn.products.cluster_api import CLUSTER, RESOURCE_SET
from krm_fn.settings import ProxySettings
from krm_fn.targets.base import (
    Context,
    Data,
    FileForm,
    NodeUpdate,
    Places,
    Reach,
    Target,
    Writes,
)

_VARIABLES = Members(steps_of(*tkg.PROXY), is_strict=True)
_LABEL = "the configuration of the cluster"


def half(settings: ProxySettings) -> Result | None:
    """Return the finding for settings with only one of both proxies."""
    if bool(settings.http_proxy) == bool(settings.https_proxy):
        return None
    name = "httpProxy" if settings.http_proxy else "httpsProxy"
    return Result(
        "ProxyReduced",
        f"TKG takes two proxies or none, and only `{name}` is declared, so what is here stays as it is: declare "
        "`httpProxy` and `httpsProxy`, with the same URL if one proxy serves both",
    )


def lost(settings: ProxySettings) -> Results:
    """Yield a finding for a URL that not all readers of the nodes get, whatever text is written."""
    if "%" in settings.http_proxy + settings.https_proxy:
        yield Result(
            "ValueLost",
            "TKG puts the URL as it is into exports and into drop-ins, where systemd drops one with `%`, so "
            "containerd pulls nothing: declare a password without characters to encode",
        )


def whole(settings: ProxySettings) -> ProxySettings:
    """Return settings, without a proxy if only one of both is set, because TKG rejects that."""
    if half(settings) is None:
        return settings
    return settings._replace(http_proxy="", https_proxy="", no_proxy="", is_declared=False)


def _places_of_file(settings: ProxySettings, document: Any) -> Places:
    """Yield the places in a configuration file, in which nothing counts without the switch."""
    problem = half(settings)
    if problem:
        yield problem
    else:
        yield from _places_of_document(settings, {tkg.PROXY_SWITCH: None, **document})


def _places_of_document(settings: ProxySettings, document: Any) -> Places:
    """Yield the places in a configuration."""
    yield Place((), _VARIABLES, _LABEL)
    if tkg.PROXY_SWITCH in document:
        yield Place((tkg.PROXY_SWITCH,), one_member(_switch), f"`{tkg.PROXY_SWITCH}`")
    yield Place(
        (tkg.PROXY_CERTIFICATE,),
        one_member(_certificate),
        f"`{tkg.PROXY_CERTIFICATE}`",
        is_unconditional=True,
    )
    server = document.get("VSPHERE_SERVER")
    is_checked = str(document.get("VSPHERE_INSECURE")).lower() != "true"
    is_missing = settings.no_proxy and server not in parse(settings.no_proxy)
    if server and is_checked and is_missing:
        yield Result(
            "FactsUnknown",
            "the list lacks the host of `VSPHERE_SERVER`, and TKG renders no cluster from it: add the host to "
            "`spec.noProxy`, or set `VSPHERE_INSECURE` if its certificate need not be checked",
        )
    yield from lost(settings)


def _switch(settings: ProxySettings, old: Any) -> bool | str:
    """Return the switch, in the form that it has."""
    if isinstance(old, str):
        return str(settings.sets_any).lower()
    return settings.sets_any


def _certificate(settings: ProxySettings, old: Any) -> Any:
    """Return the certificates; those of somebody else stay as long as there is a proxy."""
    certificates = in_base64(settings)
    if certificates:
        return certificates
    if settings.sets_any or not settings.is_declared:
        return old
    return None


class ClusterConfig(Target):
    """The proxy in the configuration from which TKG makes a cluster.

    Example: the text ``value`` of the Secret "c1-config-values" gets::

        TKG_HTTP_PROXY: http://proxy:3128
        TKG_HTTPS_PROXY: http://proxy:3128
        TKG_NO_PROXY: 10.0.0.0/8
    """

    audience = Audience.TKG
    reach = Reach.CLUSTER
    writes = Writes.PROXY_AND_TRUST
    file = FileForm(Audience.PRODUCT, _places_of_file)  # TKG adds the networks itself
    node_update = NodeUpdate(
        is_rolled=False, why="TKG reads the Secret when it renders the objects of the cluster"
    )

    def places(self, data: Data, context: Context) -> Places:
        """Yield the text with the configuration in a Secret of TKG."""
        name = name_of(data)
        is_configuration = name.endswith(tkg.CONFIG_VALUES_SUFFIX)
        if data.get("type") != RESOURCE_SET or not is_configuration:
            return
        settings = whole(context.settings)
        for value in embedded.values(data):
            if value.path[-1] not in ("sops", "value"):
                continue
            problem = half(context.settings)
            if problem:
                yield problem._replace(path=value.path)
            if settings.sets_any and not _may_be_filled(value):
                yield Result(
                    "TextUnreadable",
                    "it must hold a YAML mapping to get a proxy: write the configuration there, or delete the Secret",
                    value.path,
                )
            form = YamlText(partial(_places_of_document, settings))
            yield text_place(value, form, _LABEL)._replace(settings=settings, is_unconditional=True)


def _may_be_filled(value: embedded.Value) -> bool:
    """Return whether a text holds a mapping; True for one that cannot be read, which is reported."""
    try:
        documents = embedded.read(value)
    except embedded.NotEditedError:
        return True
    return any(isinstance(document, dict) for document in documents)


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
