"""A cluster of CAREN (Nutanix, D2iQ's successor of Konvoy): its proxy is in the variable ``clusterConfig``.

What it sets: ``http``, ``https`` and ``additionalNo`` (a list) of ``proxy`` in the topology variable ``clusterConfig``,
each where the settings give it a value. The list is the one of ``spec.noProxy``: CAREN adds the networks of the cluster
by itself.

Where: ``spec.topology.variables`` of Clusters (v1beta1 and v1beta2) that have the variable ``clusterConfig``. It is
never made: which class defines it, its name does not tell. The variable ``workerConfig`` has no proxy; the one of
``clusterConfig`` holds for all nodes.

What it leaves alone: all other members of ``clusterConfig`` and all other variables. CAREN writes the files of the
nodes, each of which may be written once: where the class is in the list with such a Cluster, its templates hold no
proxy. An ``additionalNo`` that says the same stays; a text becomes the list that CAREN wants. Without a proxy the three
members go, and so does a ``proxy`` that becomes empty. ``globalImageRegistryMirror`` is not written, since nothing
would tell whose a mirror is when it is to go: where it is not the one of ``spec.registryMirror``, that is a warning. So
is a list with more entries than CAREN takes (128).

Before and after:

```diff
 kind: Cluster
 spec:
   topology:
     class: nutanix-quick-start
     variables:
     - name: clusterConfig
       value:
         dns:
           coreDNS: {}
+        proxy:
+          http: http://proxy.corp.example:3128
+          https: http://proxy.corp.example:3128
+          additionalNo:
+          - .corp.example
```

Options: none but ``enabled``.

Why: from this variable CAREN writes the drop-ins of containerd and the kubelet on every node
(``nutanix-cloud-native/cluster-api-runtime-extensions-nutanix``: ``api/v1alpha1/http_proxy.go``,
``pkg/handlers/generic/mutation/generic/httpproxy``).
"""

from __future__ import annotations

from collections.abc import Iterator

from krm_fn.carriers.cluster_variables import KIND, VARIABLES, named
from krm_fn.carriers.three_keys import Keys, ThreeKeys, ThreeKeysSite
from krm_fn.engine import Draft, WrongTypeError
from krm_fn.krm.results import Severity
from krm_fn.noproxy import Audience, parse
from krm_fn.patch import Pointer
from krm_fn.products import nutanix
from krm_fn.settings import ProxySettings
from krm_fn.targets import text_hints_of
from krm_fn.targets.base import Context, Target

_MEMBERS = Keys("http", "https", "additionalNo", is_list=True, is_fixed=True)
_AT_MOST = 128


def sites(draft: Draft, context: Context) -> Iterator[ThreeKeysSite]:
    """Yield `proxy` of the variable `clusterConfig`; report what the product will not take."""
    for entry in named(draft.data, VARIABLES, nutanix.CLUSTER_CONFIG):
        slot = _slot(entry)
        if context.settings.is_declared:
            yield slot.in_draft(draft)
        try:
            draft.mapping(slot.path)
        except WrongTypeError:
            continue  # writing has reported it
        _report_what_is_not_taken(draft, entry, context.settings)


def _slot(entry: Pointer) -> ThreeKeys:
    return ThreeKeys(
        (*entry, "value", "proxy"), _MEMBERS, "the variable `clusterConfig`", kept=len(entry) + 1
    )


def _report_what_is_not_taken(draft: Draft, entry: Pointer, settings: ProxySettings) -> None:
    number = len(parse(settings.no_proxy))
    if number > _AT_MOST:
        message = (
            f"`additionalNo` must not hold more than {_AT_MOST} entries, not {number}: "
            "shorten `noProxy`"
        )
        path = (*entry, "value", "proxy", _MEMBERS.no)
        draft.report(Severity.WARNING, message, path, code="TooLong")
    mirror = settings.mirror
    if mirror and draft.get((*entry, *nutanix.MIRROR)) != mirror.url:
        message = (
            "is not the mirror of `spec.registryMirror`, and is never written here: "
            f'set it to "{mirror.url}"'
        )
        draft.report(Severity.WARNING, message, (*entry, *nutanix.MIRROR), code="OtherMirror")


TARGET = Target(
    id="carenClusterConfig",
    kinds=frozenset({KIND}),
    audience=Audience.PRODUCT,
    text_hints=text_hints_of("carenClusterConfig"),
    sites=sites,
    one_proxy_for_all_nodes=True,
    is_concerned_without_proxy=True,
    sets_up_nodes=True,
)
