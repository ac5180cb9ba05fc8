"""cert-manager: its controllers reach ACME servers, DNS providers and issuers through the proxy.

What it sets: ``HTTP_PROXY``, ``http_proxy``, ``HTTPS_PROXY``, ``https_proxy``, ``NO_PROXY``, ``no_proxy``, each where
the settings give it a value, as ``env`` of the controller, webhook, cainjector and startupapicheck containers. ``$``
is written ``$$``, so that Kubernetes does not take it for a reference.

Where: ``spec.template.spec.containers[].env`` of Deployments (``apps``, ``extensions``) and of the Job
``startupapicheck`` (``batch``). Deployment names do not matter. A container is cert-manager's by its own name and by
the labels ``app``, ``app.kubernetes.io/name`` and ``app.kubernetes.io/component`` of the object or of its pod
template. That holds for the upstream manifests and chart, and for the Giant Swarm ``cert-manager-app`` 2 (container
``webhook``), 3 (container ``cert-manager-app-webhook``) and 4 (container ``cert-manager-webhook``). Under another
name (``nameOverride`` of the chart) it is recognised by its images, ``cert-manager-controller`` and so on, from any
registry.

What it leaves alone: all other entries of ``env`` and their order; sidecars and init containers; the acmesolver pods,
which cert-manager makes at run time and which only answer requests; DNS webhooks and other add-ons with a name of
their own; a workload with the annotation ``fn.inject-proxy.io/proxy: "false"``. One of the six entries that
differs is replaced in place and whole: a ``valueFrom`` (``cert-manager-app`` 4 always writes one) must not be beside a
``value``. Where its ConfigMap is in the list, the target ``proxyData`` fills that instead, and the entry stays.
Repeated entries become one, at the first place; missing ones are added at the end, or among the pairs of the six that
are there. Without a proxy the six entries go, and so does an ``env`` that becomes empty.

Before and after:

```diff
       containers:
       - name: cert-manager-controller
         env:
         - name: POD_NAMESPACE
           valueFrom:
             fieldRef:
               fieldPath: metadata.namespace
+        - name: HTTP_PROXY
+          value: http://proxy.corp.example:3128
+        - name: http_proxy
+          value: http://proxy.corp.example:3128
```

Options: ``conflict``, for an entry that is there already with another value:

* ``Override`` (default): it is replaced; one of the six that no setting asks for is removed.
* ``Keep``: it stays, and so do all entries that are there. Only missing ones are added, and not the twin
  (``http_proxy``) of one that stays (``HTTP_PROXY``) with another value: that is a warning. Nothing tells our entries
  from the user's, so a changed proxy is not updated and removal removes nothing, with a warning where a password
  stays; run once with ``Override`` for that.
* ``Fail``: it is an error, and the run changes nothing. Removal removes all six, as with ``Override``.

Why: policies cannot reach cert-manager where it runs in ``kube-system``, which Kyverno leaves out (Giant Swarm's proxy
document, "special workload"). The upstream chart sets three upper-case names, and on the controller only; Giant
Swarm's sets all three containers, and this follows it with both cases, because curl reads ``http_proxy`` only. The
Job cannot be changed once it runs, which does not matter: it is a Helm hook and is created again.
"""

from __future__ import annotations

from collections.abc import Iterator

from krm_fn.carriers.chosen_containers import is_refused
from krm_fn.carriers.data_uses import DataUsesReader
from krm_fn.carriers.env_list import OVERRIDE, EnvList
from krm_fn.carriers.pod_spec import CONTAINERS, POD_SPEC, containers, report_wrong_types
from krm_fn.engine import Draft
from krm_fn.krm.results import Severity
from krm_fn.noproxy import Audience
from krm_fn.targets import text_hints_of
from krm_fn.targets.base import Context, Data, DataReferences, Options, Target
from krm_fn.targets.workloads import known_workloads


def sites(draft: Draft, context: Context) -> Iterator[EnvList]:
    """Yield the environments of the containers of cert-manager."""
    if not known_workloads.may_be_cert_manager(draft.data) or is_refused(draft.data, POD_SPEC):
        return
    report_wrong_types(draft)
    found = known_workloads.cert_manager_containers(draft.data)
    is_unknown = known_workloads.is_cert_manager(draft.data) and any(containers(draft.data))
    if not found and is_unknown and context.settings.variables():
        message = (
            "no container has a name of cert-manager's, so none gets the proxy: name one "
            "`cert-manager-controller`"
        )
        path = (*POD_SPEC, CONTAINERS)
        draft.report(Severity.WARNING, message, path, code="ContainerNotFound")
    for container in found:
        conflict = context.options.get("conflict", OVERRIDE)
        yield EnvList(draft, container, conflict, context.uses.provided(draft.data, container))


def note_references(uses: DataUsesReader, obj: Data, options: Options) -> None:
    """Note the ConfigMaps and Secrets that the containers of cert-manager read."""
    if not is_refused(obj, POD_SPEC):
        uses.note_containers(obj, known_workloads.cert_manager_containers(obj))


TARGET = Target(
    id="certManager",
    kinds=frozenset({("apps", "Deployment"), ("extensions", "Deployment"), ("batch", "Job")}),
    audience=Audience.GO,
    text_hints=text_hints_of("certManager"),
    sites=sites,
    references=DataReferences(note_references),
)
