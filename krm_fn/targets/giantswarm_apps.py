"""Apps of Giant Swarm: the references by which an app of a workload cluster gets the proxy of its cluster.

What it sets: ``spec.config.configMap`` and ``spec.config.secret``, each with ``name: <cluster>-cluster-values`` and the
namespace in which the values stand, where the App has no such reference or an empty one; and the annotation
``fn.inject-proxy.io/references``, which names those of the two that were set here. The values stand in the namespace of
the Cluster; where that is not known, in the one of the kubeconfig, or else of the App.

Where: ``App`` (``application.giantswarm.io``) of a Cluster in the list: one with its kubeconfig in
``spec.kubeConfig.secret``, or, where none is named, with its label ``giantswarm.io/cluster`` or in the namespace that
has its name.

What it leaves alone: a reference that names another object; that is a warning for the Secret, because the app gets no
proxy then. So is a reference with the right name and another namespace than the Cluster's; one that was set here is
mended. A reference to ``<cluster>-cluster-values`` in ``spec.extraConfigs`` is one, too. Apps of the management cluster
get none: those with ``spec.kubeConfig.inCluster: true`` (the ``cluster-*`` and ``default-apps-*`` charts, and
app-operator, are such), and those without a kubeconfig that have the label ``app-operator.giantswarm.io/version:
0.0.0``. Without a proxy only those references go that the annotation names, and it with them: cluster-apps-operator and
users refer to the values of a cluster whether it has a proxy or not.

Before and after:

```diff
 kind: App
 metadata:
   name: mycluster-external-dns
   namespace: org-giantswarm
   labels:
     giantswarm.io/cluster: mycluster
+  annotations:
+    fn.inject-proxy.io/references: configMap,secret
 spec:
   catalog: default-test
+  config:
+    configMap:
+      name: mycluster-cluster-values
+      namespace: org-giantswarm
+    secret:
+      name: mycluster-cluster-values
+      namespace: org-giantswarm
```

Options: none but ``enabled``. The objects that are referred to are made by cluster-apps-operator, or here by
``giantswarmClusterValues`` with ``generate: true``; app-operator rejects an App that names one that does not exist.

Why: Giant Swarm's proxy document, "cluster-apps-operator", shows these two references. app-admission-controller adds
the one to the ConfigMap where it is missing (``pkg/app/mutate_app.go``: not for apps of the management cluster), and
never the one to the Secret, which alone holds the proxy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from krm_fn import patch
from krm_fn.carriers.reading import Reading
from krm_fn.krm.results import Change, Finding, Severity
from krm_fn.krm.type_errors import wrong_type
from krm_fn.noproxy import Audience
from krm_fn.patch import lookup
from krm_fn.settings import ProxySettings
from krm_fn.targets.base import Target

_CONFIG = ("spec", "config")
_FIELDS = ("configMap", "secret")
_ANNOTATIONS = ("metadata", "annotations")
_OURS = "fn.inject-proxy.io/references"
_MAPPINGS = (_CONFIG, *((*_CONFIG, field) for field in _FIELDS), _ANNOTATIONS)
"""What must be a mapping, if it is there."""

_SUFFIX = "-cluster-values"
_MANAGEMENT_CLUSTER = "0.0.0"


def propose(
    obj: Mapping[str, Any], settings: ProxySettings, options: Mapping[str, Any]
) -> Iterator[Change | Finding]:
    """Yield the references that an App lacks, or those that go; see the module's text."""
    if not settings.variables():
        yield from _removed(obj)
    elif (
        settings.is_listed
        and isinstance(obj.get("spec"), Mapping)
        and _is_of(obj, settings.cluster)
    ):
        broken = next(
            (path for path in _MAPPINGS if not isinstance(lookup(obj, path, {}), Mapping | None)),
            None,
        )
        broken = broken if isinstance(obj.get("metadata"), Mapping) else _ANNOTATIONS[:1]
        namespace = _namespace(obj, settings)
        if broken:
            yield wrong_type(broken, lookup(obj, broken), "a mapping")
        elif namespace:
            yield from _added(obj, {"name": settings.cluster + _SUFFIX, "namespace": namespace})
            yield from _astray(obj, settings)
        else:
            message = "must have a `namespace`, because references to the values of its cluster need one: give it one"
            yield Finding(Severity.WARNING, message, ("metadata",), code="NamespaceMissing")


def observe(obj: Mapping[str, Any], options: Mapping[str, Any]) -> Iterator[Reading]:
    """Yield nothing: an App says where its values stand, and no value."""
    yield from ()


def _is_of(obj: Mapping[str, Any], cluster: str) -> bool:
    """Whether an App is installed in the workload cluster of that name, "" for none."""
    if not cluster:
        return False
    if lookup(obj, ("spec", "kubeConfig", "inCluster")) is True:
        return False
    kubeconfig = lookup(obj, ("spec", "kubeConfig", "secret", "name"))
    if kubeconfig:
        return bool(kubeconfig == f"{cluster}-kubeconfig")
    labels = lookup(obj, ("metadata", "labels"), {})
    if lookup(labels, ("app-operator.giantswarm.io/version",)) == _MANAGEMENT_CLUSTER:
        return False
    return cluster in (
        lookup(labels, ("giantswarm.io/cluster",)),
        lookup(obj, ("metadata", "namespace")),
    )


def _namespace(obj: Mapping[str, Any], settings: ProxySettings) -> str:
    """Where the values of the cluster stand; "" if nothing says it."""
    places = (
        lookup(obj, ("spec", "kubeConfig", "secret", "namespace")),
        lookup(obj, ("metadata", "namespace")),
    )
    return settings.namespace or next((one for one in places if isinstance(one, str) and one), "")


def _astray(obj: Mapping[str, Any], settings: ProxySettings) -> Iterator[Finding]:
    """What is wrong with references to the values of the cluster in a namespace in which they are not."""
    wanted = settings.namespace
    for field in _FIELDS:
        name, namespace = (lookup(obj, (*_CONFIG, field, key)) for key in ("name", "namespace"))
        is_theirs = name == settings.cluster + _SUFFIX and field not in _ours(obj)
        if is_theirs and wanted and namespace not in (None, "", wanted):
            message = f'must be "{wanted}", where the Cluster and its values are, not "{namespace}": change it'
            yield Finding(
                Severity.WARNING, message, (*_CONFIG, field, "namespace"), code="ReferenceNotUsed"
            )


def _added(obj: Mapping[str, Any], wanted: Mapping[str, str]) -> Iterator[Change | Finding]:
    lacking = []
    for field in _FIELDS:
        named = lookup(obj, (*_CONFIG, field, "name"))
        is_moved = (
            field in _ours(obj)
            and named == wanted["name"]
            and lookup(obj, (*_CONFIG, field)) != wanted
        )
        if is_moved or (not named and not _is_extra(obj, field, wanted)):
            lacking.append(field)
        elif (
            field == "secret"
            and named not in (None, "", wanted["name"])
            and not _is_extra(obj, field, wanted)
        ):
            message = (
                f'refers to another Secret than "{wanted["name"]}", so the app gets no proxy: name that one in '
                "`spec.extraConfigs`"
            )
            yield Finding(Severity.WARNING, message, (*_CONFIG, field), code="ReferenceNotUsed")
    yield from _references(obj, lacking, wanted)
    if lacking:
        ours = ",".join(field for field in _FIELDS if field in {*lacking, *_ours(obj)})
        yield from _noted(obj, ours)


def _references(
    obj: Mapping[str, Any], lacking: list[str], wanted: Mapping[str, str]
) -> Iterator[Change]:
    if lacking and lookup(obj, _CONFIG) is None:
        value = {field: dict(wanted) for field in lacking}
        yield Change(patch.add(*_CONFIG, value=value), f'refers to "{wanted["name"]}"')
        return
    for field in lacking:
        yield Change(
            patch.add(*_CONFIG, field, value=dict(wanted)), f'refers to "{wanted["name"]}"'
        )


def _noted(obj: Mapping[str, Any], ours: str) -> Iterator[Change]:
    """The annotation that says which references were set here."""
    message = "notes which references were set here"
    if lookup(obj, (*_ANNOTATIONS, _OURS)) == ours:
        return
    if lookup(obj, _ANNOTATIONS) is None:
        yield Change(patch.add(*_ANNOTATIONS, value={_OURS: ours}), message)
    else:
        yield Change(patch.add(*_ANNOTATIONS, _OURS, value=ours), message)


def _is_extra(obj: Mapping[str, Any], field: str, wanted: Mapping[str, str]) -> bool:
    """Whether `spec.extraConfigs` refers to the object already; its `kind` is a ConfigMap where it is left out."""
    extra = lookup(obj, ("spec", "extraConfigs"))
    return any(
        isinstance(one, Mapping)
        and one.get("name") == wanted["name"]
        and (one.get("kind") or "configMap") == field
        for one in (extra if isinstance(extra, list) else ())
    )


def _ours(obj: Mapping[str, Any]) -> list[str]:
    """Which references the annotation names, and are still what was set."""
    noted = lookup(obj, (*_ANNOTATIONS, _OURS))
    return [
        field
        for field in (dict.fromkeys(noted.split(",")) if isinstance(noted, str) else ())
        if field in _FIELDS and str(lookup(obj, (*_CONFIG, field, "name"))).endswith(_SUFFIX)
    ]


def _removed(obj: Mapping[str, Any]) -> Iterator[Change]:
    ours = _ours(obj)
    message = "no longer refers to the values of its cluster, which was set here"
    if ours and set(lookup(obj, _CONFIG)) == set(ours):
        yield Change(patch.remove(*_CONFIG), message)
    else:
        yield from (Change(patch.remove(*_CONFIG, field), message) for field in ours)
    if lookup(obj, (*_ANNOTATIONS, _OURS)) is not None:
        is_last = len(lookup(obj, _ANNOTATIONS)) == 1
        path = _ANNOTATIONS if is_last else (*_ANNOTATIONS, _OURS)
        yield Change(patch.remove(*path), "removes the note about references that were set here")


TARGET = Target(
    id="giantswarmApps",
    kinds=frozenset({("application.giantswarm.io", "App")}),
    audience=Audience.POD,
    propose=propose,
    observe=observe,
)
