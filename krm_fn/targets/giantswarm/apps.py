"""Apps of Giant Swarm: the references by which an app of a workload cluster gets the proxy of its cluster.

A removal takes out the references to the values of the cluster, whoever wrote them, as it takes out a proxy.
"""

from __future__ import annotations

from collections.abc import Mapping

from krm_fn.krm.results import Result
from krm_fn.noproxy import Audience
from krm_fn.patch import list_at, lookup, text_at
from krm_fn.places.mapping_forms import one_member
from krm_fn.places.place import Place
from krm_fn.places.provided import namespace_of
from krm_fn.products import giantswarm
from krm_fn.settings import ProxySettings
from krm_fn.targets.base import Context, Data, Places, Target

# What ``kubectl gs`` writes where there is no reference.
_EMPTY = {"name": "", "namespace": ""}
_OTHER = (
    'is not the Secret "{name}" in "{namespace}", so the app gets no proxy: name that one in `spec.extraConfigs`, or '
    "remove the reference, and the next run sets it"
)


def _references(data: Data, cluster_values: Mapping[str, str], settings: ProxySettings) -> Places:
    """Yield the references that an App is to have, or to lose; report another Secret in their place."""
    extras = [
        (lookup(extra, "kind") or "configMap", lookup(extra, "name"))
        for extra in list_at(data, ("spec", "extraConfigs"))
    ]
    for field in ("configMap", "secret"):
        path = ("spec", "config", field)
        reference = lookup(data, path) or {}
        label = f'the reference `{field}` to "{cluster_values["name"]}"'
        if not settings.sets_any:
            if reference == cluster_values:
                yield Place(path, one_member(lambda settings, old: None), label, 1)  # noqa: ARG005
        elif (field, cluster_values["name"]) in extras:
            continue
        elif reference in ({}, _EMPTY, cluster_values):
            yield Place(path, one_member(lambda settings, old: dict(cluster_values)), label)  # noqa: ARG005
        elif field == "secret" or text_at(reference, "name") == cluster_values["name"]:
            yield Result("ByHand", _OTHER.format(**cluster_values), path)


def _is_installed_in(data: Data, cluster_name: str) -> bool:
    """Return whether an App is installed in the workload cluster of that name."""
    if lookup(data, ("spec", "kubeConfig", "inCluster")) is True:
        return False
    kubeconfig = text_at(data, ("spec", "kubeConfig", "secret", "name"))
    if kubeconfig:
        return kubeconfig == f"{cluster_name}-kubeconfig"
    labels = lookup(data, ("metadata", "labels"))
    version = text_at(labels, giantswarm.OPERATOR_VERSION_LABEL)
    clusters = (text_at(labels, giantswarm.CLUSTER_LABEL), namespace_of(data))
    return version != giantswarm.MANAGEMENT_CLUSTER_VERSION and cluster_name in clusters


class Apps(Target):
    """The references of an App to the values of its cluster.

    Example: ``spec`` of an App that is installed in the cluster "gs1" gets::

        config:
          configMap: {name: gs1-cluster-values, namespace: org-a}
          secret: {name: gs1-cluster-values, namespace: org-a}
    """

    audience = Audience.POD

    def places(self, data: Data, context: Context) -> Places:
        """Yield the references of an App to the values of its cluster."""
        settings = context.settings
        if not isinstance(data.get("spec"), dict):
            return
        if not settings.cluster or not _is_installed_in(data, settings.cluster):
            return
        of_kubeconfig = text_at(data, ("spec", "kubeConfig", "secret", "namespace"))
        namespace = settings.namespace or of_kubeconfig or namespace_of(data)
        name = settings.cluster + giantswarm.CLUSTER_VALUES_SUFFIX
        if settings.sets_any and not namespace:
            yield Result(
                "ByHand",
                "must have a `namespace`, because references to the values of its cluster need one: give it one",
                ("metadata",),
            )
        elif settings.is_listed or not settings.sets_any:
            yield from _references(data, {"name": name, "namespace": namespace}, settings)
