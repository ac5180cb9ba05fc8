"""A cluster of CAREN (Nutanix, D2iQ's successor of Konvoy): its proxy stands in the variable ``clusterConfig``.

What it sets: ``http``, ``https`` and ``additionalNo`` (a list) of ``proxy`` in the topology variable ``clusterConfig``,
each where the settings give it a value. The list is the one of ``spec.noProxy``: CAREN adds the networks of the cluster
by itself.

Where: ``spec.topology.variables`` of Clusters (v1beta1 and v1beta2) that have the variable ``clusterConfig``. It is
never made: which class defines it, its name does not tell. The variable ``workerConfig`` has no proxy; the one of
``clusterConfig`` holds for all nodes.

What it leaves alone: all other members of ``clusterConfig`` and all other variables. An ``additionalNo`` that says the
same stays; a text becomes the list that CAREN wants. Without a proxy the three members go, and so does a ``proxy`` that
becomes empty. ``globalImageRegistryMirror`` is not written, since nothing would tell a mirror of ours from one of yours
when it is to go: where it is not the one of ``spec.registryMirror``, that is a warning. So is a list with more entries
than CAREN takes (128).

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

from collections.abc import Iterator, Mapping
from typing import Any

from krm_fn.carriers.reading import Reading
from krm_fn.carriers.three_keys import Keys, ThreeKeys
from krm_fn.engine.member_edits import MemberEdits
from krm_fn.krm.results import Change, Finding, Severity
from krm_fn.noproxy import Audience, parse
from krm_fn.patch import Pointer, lookup
from krm_fn.settings import ProxySettings
from krm_fn.targets._cluster_variables import KIND, VARIABLES, named
from krm_fn.targets.base import Target

_MEMBERS = Keys("http", "https", "additionalNo", is_list=True, is_fixed=True)
_MIRROR = ("value", "globalImageRegistryMirror", "url")
_AT_MOST = 128


def propose(
    obj: Mapping[str, Any], settings: ProxySettings, options: Mapping[str, Any]
) -> Iterator[Change | Finding]:
    """Yield what ``proxy`` lacks or has too much; see the module's text."""
    for entry in named(obj, VARIABLES, "clusterConfig"):
        made = _slot(entry).edit(obj, settings) if settings.is_declared else MemberEdits(())
        if isinstance(made, Finding):
            yield made
            continue
        yield from made.changes()
        yield from _notes(obj, entry, settings)


def observe(obj: Mapping[str, Any], options: Mapping[str, Any]) -> Iterator[Reading]:
    """Yield what ``proxy`` says, whoever wrote it."""
    for entry in named(obj, VARIABLES, "clusterConfig"):
        yield from _slot(entry).read(obj)


def _slot(entry: Pointer) -> ThreeKeys:
    return ThreeKeys(
        (*entry, "value", "proxy"), _MEMBERS, "the variable `clusterConfig`", kept=len(entry) + 1
    )


def _notes(obj: Mapping[str, Any], entry: Pointer, settings: ProxySettings) -> Iterator[Finding]:
    number = len(parse(settings.no_proxy))
    if number > _AT_MOST:
        message = f"`additionalNo` must not hold more than {_AT_MOST} entries, not {number}: shorten `noProxy`"
        yield Finding(
            Severity.WARNING, message, (*entry, "value", "proxy", _MEMBERS.no), code="TooLong"
        )
    mirror = settings.mirror
    if mirror and lookup(obj, (*entry, *_MIRROR)) != mirror.url:
        message = f'is not the mirror of `spec.registryMirror`, and is never written here: set it to "{mirror.url}"'
        yield Finding(Severity.WARNING, message, (*entry, *_MIRROR), code="OtherMirror")


TARGET = Target(
    id="carenClusterConfig",
    kinds=frozenset({KIND}),
    audience=Audience.PRODUCT,
    text_hints=("clusterConfig",),
    propose=propose,
    observe=observe,
    one_proxy_for_all_nodes=True,
    is_concerned_without_proxy=True,
)
