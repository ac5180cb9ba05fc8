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

What it leaves alone: all other values, comments and order; values of which it cannot be told by the object alone for
which chart they are; of a chart above, values that cannot be read are told. An entry of ``env`` is found by its name:
one that differs is replaced whole. Without a proxy the members go; the mappings in which they stood stay, so that they
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

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from krm_fn.carriers.reading import Reading
from krm_fn.carriers.three_keys import SHORT, SNAKE, Keys, ThreeKeys
from krm_fn.engine.member_edits import MemberEdits
from krm_fn.krm.results import Change, Finding
from krm_fn.noproxy import Audience
from krm_fn.patch import lookup
from krm_fn.settings import ProxySettings
from krm_fn.targets import _env_list, _helm_values
from krm_fn.targets._helm_values import HelmValues, is_of_chart
from krm_fn.targets.base import Target

_PLACES: tuple[tuple[tuple[str, ...], Keys], ...] = (
    (("proxy",), SHORT),
    (("cluster", "proxy"), SHORT),
    (("cert-manager",), SNAKE),
    ((), SNAKE),
)


def propose(
    obj: Mapping[str, Any], settings: ProxySettings, options: Mapping[str, Any]
) -> Iterator[Change | Finding]:
    """Yield what the values of an object lack or have too much; see the module's text."""
    if obj.get("kind") != "HelmRelease" and _is_of_a_chart(lookup(obj, ("metadata", "name"))):
        yield from _helm_values.unread(obj)
    for held in _held(obj):
        parts: list[Callable[[Any], MemberEdits | Finding]] = [
            partial(slot.edit, settings=settings) for slot in _slots(held)
        ]
        if _env_list.is_there(held.data, _env(held)):
            parts.append(partial(_env_list.edit, path=_env(held), settings=settings))
        yield from _helm_values.propose(held, parts)


def observe(obj: Mapping[str, Any], options: Mapping[str, Any]) -> Iterator[Reading]:
    """Yield what the values of an object set, whoever wrote them."""
    for held in _held(obj):
        for slot in _slots(held):
            yield from slot.read(held.data, held.text)
        yield from _env_list.seen(held.data, _env(held), "`env`", held.text)


def _held(obj: Mapping[str, Any]) -> Iterator[HelmValues]:
    """The values that are for one of the charts."""
    for held in _helm_values.of_object(obj):
        if _is_of_a_chart(held.of):
            yield held


def _is_of_a_chart(name: Any) -> bool:
    return isinstance(name, str) and any(is_of_chart(name, chart) for chart in TARGET.text_hints)


def _slots(held: HelmValues) -> list[ThreeKeys]:
    """The places that are there: a mapping of its own also while it is empty, or is none."""
    found = []
    for path, keys in _PLACES:
        what = f"`{'.'.join(path)}`" if path else "the values"
        slot = ThreeKeys((*held.root, *path), keys, what, kept=len(held.root) + len(path))
        if slot.is_in(held.data) or (keys is SHORT and lookup(held.data, slot.path) is not None):
            found.append(slot)
    return found


def _env(held: HelmValues) -> tuple[str, ...]:
    return (*held.root, "env")


TARGET = Target(
    id="giantswarmChartValues",
    kinds=_helm_values.KINDS,
    audience=Audience.GO,
    text_hints=(
        "cert-manager",
        "chart-operator",
        "cluster-autoscaler",
        "dex-app",
        "external-dns",
        "teleport-kube-agent",
    ),
    propose=propose,
    observe=observe,
)
