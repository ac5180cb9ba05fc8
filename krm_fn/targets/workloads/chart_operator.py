"""chart-operator: it fetches the charts of a workload cluster through the proxy, before any policy could tell it to.

What it sets: ``HTTP_PROXY``, ``http_proxy``, ``HTTPS_PROXY``, ``https_proxy``, ``NO_PROXY``, ``no_proxy``, each where
the settings give it a value, as ``env`` of the container ``chart-operator`` and of its init container
``wait-for-quay``. ``$`` is written ``$$``, so that Kubernetes does not take it for a reference.

Where: ``spec.template.spec.containers[].env`` and ``spec.template.spec.initContainers[].env`` of Deployments
(``apps``, ``extensions``) whose label ``app`` or ``app.kubernetes.io/name``, on the object or on its pod template, is
``chart-operator``. The name of the Deployment is the name of its Helm release and does not matter.

What it leaves alone: all other entries of ``env`` and their order (``KUBERNETES_SERVICE_HOST`` of the bootstrap
mode); containers of other names; a workload with the annotation ``fn.inject-proxy.io/proxy: "false"``. One of the
six entries that differs is replaced in place and whole; repeated entries become one, at the first place; missing ones
are added at the end, or among the pairs of the six that are there. Without a proxy the six entries go, and so does an
``env`` that becomes empty.

Before and after:

```diff
       initContainers:
       - name: wait-for-quay
+        env:
+        - name: HTTP_PROXY
+          value: http://proxy.corp.example:3128
       containers:
       - name: chart-operator
         env:
         - name: KUBERNETES_SERVICE_PORT
           value: "6443"
+        - name: HTTP_PROXY
+          value: http://proxy.corp.example:3128
```

Options: ``conflict``, for an entry that is there already with another value:

* ``Override`` (default): it is replaced; one of the six that no setting asks for is removed.
* ``Keep``: it stays, and so do all entries that are there. Only missing ones are added, and not the twin
  (``http_proxy``) of one that stays (``HTTP_PROXY``) with another value: that is a warning. Nothing tells our entries
  from the user's, so a changed proxy is not updated and removal removes nothing, with a warning where a password
  stays; run once with ``Override`` for that.
* ``Fail``: it is an error, and the run changes nothing. Removal removes all six, as with ``Override``.

Why: chart-operator must be there before apps can be applied, so the proxy has to be in its pod template (Giant
Swarm's proxy document, "special workload"). Its chart writes the six names only where all three values are given, and
never on the init container.
"""

from __future__ import annotations

from collections.abc import Iterator

from krm_fn.carriers.chosen_containers import is_refused
from krm_fn.carriers.data_uses import DataUsesReader
from krm_fn.carriers.env_list import OVERRIDE, EnvList
from krm_fn.carriers.pod_spec import (
    CONTAINERS,
    INIT_CONTAINERS,
    POD_SPEC,
    containers,
    report_wrong_types,
)
from krm_fn.engine import Draft
from krm_fn.krm.results import Severity
from krm_fn.noproxy import Audience
from krm_fn.targets import text_hints_of
from krm_fn.targets.base import Context, Data, DataReferences, Options, Target
from krm_fn.targets.workloads import known_workloads


def sites(draft: Draft, context: Context) -> Iterator[EnvList]:
    """Yield the environments of the two containers of chart-operator."""
    if not known_workloads.is_chart_operator(draft.data) or is_refused(draft.data, POD_SPEC):
        return
    ours = known_workloads.chart_operator_containers(draft.data)
    conflict = context.options.get("conflict", OVERRIDE)
    for field in (INIT_CONTAINERS, CONTAINERS):
        report_wrong_types(draft, field)
        found = [one for one in ours if field in one.path]
        for one in found:
            yield EnvList(draft, one, conflict, context.uses.provided(draft.data, one))
        is_unknown = any(containers(draft.data, field)) and not found
        if field == CONTAINERS and is_unknown and context.settings.variables():
            message = (
                "no container is named `chart-operator`, so none gets the proxy: "
                "give the operator's that name"
            )
            draft.report(Severity.WARNING, message, (*POD_SPEC, field), code="ContainerNotFound")


def note_references(uses: DataUsesReader, obj: Data, options: Options) -> None:
    """Note the ConfigMaps and Secrets that the containers of chart-operator read."""
    if not is_refused(obj, POD_SPEC):
        uses.note_containers(obj, known_workloads.chart_operator_containers(obj))


TARGET = Target(
    id="chartOperator",
    kinds=frozenset({("apps", "Deployment"), ("extensions", "Deployment")}),
    audience=Audience.GO,
    text_hints=text_hints_of("chartOperator"),
    sites=sites,
    references=DataReferences(note_references),
)
