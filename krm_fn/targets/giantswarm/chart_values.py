"""Values of charts that hand a proxy on as it is: cert-manager, chart-operator, and other apps of Giant Swarm.

What it sets: in the values of a chart of the table below, each where the settings give it a value, and only in a place
that is there: ``http``, ``https``, ``noProxy`` of ``proxy`` and of ``cluster.proxy``; ``http_proxy``, ``https_proxy``,
``no_proxy`` at the root and in ``cert-manager``; ``NO_PROXY``, ``HTTP_PROXY``, ``HTTPS_PROXY`` in the list ``env``.
An empty ``proxy: {}`` asks for it; at the root, and in ``env``, one of the names does. ``noProxy`` is the composed list
of the cluster, for such a chart adds nothing to it.

Where: ``spec.values`` of a ``HelmRelease`` (``helm.toolkit.fluxcd.io``) of one of these charts; the YAML text under
``values``, ``values.yaml`` or ``secret-values.yaml.patch`` of a Secret or a ConfigMap whose name holds the name of the
chart, such as ``mycluster-cert-manager-userconfig``. The charts are ``cert-manager``, ``cert-manager-app``,
``chart-operator``, ``cluster-autoscaler``, ``cluster-autoscaler-app``, ``dex-app``, ``external-dns``,
``external-dns-app``, ``teleport-kube-agent`` and ``teleport-kube-agent-app``.

What it leaves alone: all other values, comments and order; values if the object alone does not say for which
chart they are; of a chart above, values that cannot be read are reported. An entry of ``env`` is found by its name:
one that differs is replaced whole. Without a proxy the members go; the mappings in which they were stay, so that they
can be filled again.

Before and after:

```diff
 kind: HelmRelease
 spec:
   chart:
     spec:
       chart: cert-manager-app
   values:
     proxy:
-      noProxy: ""
+      noProxy: cluster.local,100.64.0.0/13,100.96.0.0/11,svc,127.0.0.1,localhost
+      http: http://proxy.corp.example:3128
+      https: http://proxy.corp.example:3128
```

Options: none but ``enabled``.

Why: cert-manager and chart-operator run where no policy reaches them, and while a management cluster is made their
charts are applied by hand, with the proxy in their values (Giant Swarm's proxy document, "special workload" and "during
the initial bootstrap"). cert-manager-app 4 and chart-operator read ``proxy`` before ``cluster.proxy``; cert-manager-app
3 and the upstream chart read the root; external-dns-app reads ``env``.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from krm_fn.carriers.documents import DocumentSites
from krm_fn.carriers.site import Site
from krm_fn.carriers.three_keys import SHORT, SNAKE, Keys, ThreeKeys
from krm_fn.engine import Draft
from krm_fn.noproxy import Audience
from krm_fn.patch import Pointer, lookup
from krm_fn.products import giantswarm
from krm_fn.targets import text_hints_of
from krm_fn.targets.base import Context, Target
from krm_fn.targets.giantswarm import helm_values
from krm_fn.targets.giantswarm.helm_values import is_of_chart
from krm_fn.targets.giantswarm.values_env import ValuesEnv, has_variables

_PLACES: tuple[tuple[tuple[str, ...], Keys], ...] = (
    (giantswarm.PROXY, SHORT),
    (giantswarm.CLUSTER_PROXY, SHORT),
    (("cert-manager",), SNAKE),
    ((), SNAKE),
)


def sites(draft: Draft, context: Context) -> Iterator[Site | DocumentSites]:
    """Yield the places of a proxy in the values of an object that are for one of the charts."""
    obj = draft.data
    if obj.get("kind") != "HelmRelease" and _is_of_a_chart(lookup(obj, ("metadata", "name"))):
        helm_values.report_unread(draft)
    for held in helm_values.of_object(draft):
        if _is_of_a_chart(held.of):
            yield from held.sites(partial(_sites, root=held.root))


def _is_of_a_chart(name: Any) -> bool:
    return isinstance(name, str) and any(
        is_of_chart(name, chart) for chart in giantswarm.CHARTS_WITH_PROXY
    )


def _sites(draft: Draft, root: Pointer) -> Iterator[Site]:
    """Yield the places that are there: a mapping of its own also while it is empty, or is none."""
    for path, keys in _PLACES:
        label = f"`{'.'.join(path)}`" if path else "the values"
        slot = ThreeKeys((*root, *path), keys, label, kept=len(root) + len(path))
        has_own_mapping = keys is SHORT and lookup(draft.data, slot.path) is not None
        if has_own_mapping or slot.is_in(draft.data):
            yield slot.in_draft(draft)
    if has_variables(draft.data, (*root, "env")):
        yield ValuesEnv(draft, (*root, "env"))


TARGET = Target(
    id="giantswarmChartValues",
    kinds=helm_values.KINDS,
    audience=Audience.GO,
    text_hints=text_hints_of("giantswarmChartValues"),
    sites=sites,
)
