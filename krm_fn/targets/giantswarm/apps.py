"""Apps of Giant Swarm: the references by which an app of a workload cluster gets the proxy of its cluster.

An annotation notes which references are ours: one of somebody else must not go with the proxy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from krm_fn.krm.results import Finding
from krm_fn.light_typing import Any
from krm_fn.noproxy import Audience
from krm_fn.patch import list_at, lookup, text_at
from krm_fn.places.members import Computed
from krm_fn.places.place import Place
from krm_fn.products import giantswarm
from krm_fn.settings import ProxySettings
from krm_fn.targets.base import Context, Data, Target

_CONFIG = ("spec", "config")
_FIELDS = ("configMap", "secret")
_NOTE = ("metadata", "annotations", "fn.inject-proxy.io/references")
_WAS_EMPTY = "=empty"
_EMPTY = {"name": "", "namespace": ""}
"""What ``kubectl gs`` writes where there is no reference."""
_NO_NAMESPACE = (
    "must have a `namespace`, because references to the values of its cluster need one: give it one"
)
_OTHER = (
    'is not the Secret "{name}" in "{namespace}", so the app gets no proxy: name that one in `spec.extraConfigs`, or '
    "remove the reference, and the next run sets it"
)


def _constant(value: Any) -> Computed:
    return Computed(lambda settings, old: value)  # noqa: ARG005


def _removals(data: Data) -> Iterator[Place]:
    """Yield the references of ours, as they were before."""
    for field, was_empty in _ours(data).items():
        form = _constant(_EMPTY if was_empty else None)
        yield Place((*_CONFIG, field), form, "the references to the values of its cluster", 1)
    yield Place(_NOTE, _constant(None), "the annotation that names the references", 1)


def _references(data: Data, wanted: Mapping[str, str]) -> Iterator[Place | Finding]:
    """Yield the references that an App lacks, and the note about them; report another Secret in their place."""
    ours = _ours(data)
    noted = dict(ours)
    for field in _FIELDS:
        path = (*_CONFIG, field)
        reference = lookup(data, path) or {}
        if reference == wanted or _is_extra(data, field, wanted):
            continue
        is_old = field in ours and text_at(reference, ("name",)) == wanted["name"]
        if is_old or reference in ({}, _EMPTY):
            noted.setdefault(field, bool(reference))
            yield Place(path, _constant(dict(wanted)), f'the reference to "{wanted["name"]}"')
        elif field == "secret" or text_at(reference, ("name",)) == wanted["name"]:
            yield Finding.of("ByHand", _OTHER.format(**wanted), path)
    if noted != ours:
        words = [
            field + (_WAS_EMPTY if noted[field] else "") for field in _FIELDS if field in noted
        ]
        yield Place(_NOTE, _constant(",".join(words)), "the annotation that names the references")


def _ours(data: Data) -> dict[str, bool]:
    """Return the references of ours that are unchanged, and whether each was empty before."""
    ours: dict[str, bool] = {}
    for word in text_at(data, _NOTE).split(","):
        field = word.removesuffix(_WAS_EMPTY)
        name = text_at(data, (*_CONFIG, field, "name"))
        if field in _FIELDS and name.endswith(giantswarm.CLUSTER_VALUES_SUFFIX):
            ours[field] = word != field
    return ours


def _is_extra(data: Data, field: str, wanted: Mapping[str, str]) -> bool:
    """Return whether `spec.extraConfigs` refers to the object; without `kind` an entry is a ConfigMap."""
    for extra in list_at(data, ("spec", "extraConfigs")):
        kind = lookup(extra, ("kind",)) or "configMap"
        if lookup(extra, ("name",)) == wanted["name"] and kind == field:
            return True
    return False


def _is_of(data: Data, cluster: str) -> bool:
    """Return whether an App is installed in the workload cluster of that name."""
    if not cluster or lookup(data, ("spec", "kubeConfig", "inCluster")) is True:
        return False
    kubeconfig = text_at(data, ("spec", "kubeConfig", "secret", "name"))
    if kubeconfig:
        return kubeconfig == f"{cluster}-kubeconfig"
    labels = lookup(data, ("metadata", "labels"))
    version = text_at(labels, (giantswarm.OPERATOR_VERSION_LABEL,))
    if version == giantswarm.MANAGEMENT_CLUSTER_VERSION:
        return False
    return cluster in (
        text_at(labels, (giantswarm.CLUSTER_LABEL,)),
        text_at(data, ("metadata", "namespace")),
    )


def _namespace(data: Data, settings: ProxySettings) -> str:
    """Return the namespace of the values of the cluster; "" if it is not known."""
    of_kubeconfig = text_at(data, ("spec", "kubeConfig", "secret", "namespace"))
    return settings.namespace or of_kubeconfig or text_at(data, ("metadata", "namespace"))


class _Apps(Target):
    id = "giantswarmApps"
    kinds = frozenset({giantswarm.APP})
    audience = Audience.POD

    def places(self, data: Data, context: Context) -> Iterator[Place | Finding]:
        """Yield the references of an App to the values of its cluster."""
        settings = context.settings
        if not settings.sets_any:
            yield from _removals(data)
        elif (
            settings.is_listed
            and isinstance(data.get("spec"), dict)
            and _is_of(data, settings.cluster)
        ):
            namespace = _namespace(data, settings)
            if not namespace:
                yield Finding.of("ByHand", _NO_NAMESPACE, ("metadata",))
                return
            name = settings.cluster + giantswarm.CLUSTER_VALUES_SUFFIX
            yield from _references(data, {"name": name, "namespace": namespace})


TARGET = _Apps()
