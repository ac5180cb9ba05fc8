"""cert-manager: its controllers reach ACME servers, DNS providers and issuers through the proxy.

What it sets: ``HTTP_PROXY``, ``http_proxy``, ``HTTPS_PROXY``, ``https_proxy``, ``NO_PROXY``, ``no_proxy``, each where
the settings give it a value, as ``env`` of the controller, webhook, cainjector and startupapicheck containers. ``$``
is written ``$$``, so that Kubernetes does not take it for a reference.

Where: ``spec.template.spec.containers[].env`` of Deployments (``apps``, ``extensions``) and of the Job
``startupapicheck`` (``batch``). Deployment names do not matter. A container is cert-manager's by its own name and by
the labels ``app``, ``app.kubernetes.io/name`` and ``app.kubernetes.io/component`` of the object or of its pod
template. That holds for the upstream manifests and chart, and for the Giant Swarm ``cert-manager-app`` 2 (container
``webhook``), 3 (container ``cert-manager-app-webhook``) and 4 (container ``cert-manager-webhook``).

What it leaves alone: all other entries of ``env`` and their order; sidecars and init containers; the acmesolver pods,
which cert-manager makes at run time and which only answer requests; DNS webhooks and other add-ons with a name of
their own. An entry of ours that differs is replaced in place and whole: a ``valueFrom`` (``cert-manager-app`` 4 always
writes one) must not stand beside a ``value``. Repeated entries become one, at the first place; missing ones are added
at the end, or among the pairs of ours that stand there. Without a proxy the six entries go, and so does an ``env``
that becomes empty.

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
  from the user's, so a changed proxy is not updated and removal removes nothing; run once with ``Override`` for that.
* ``Fail``: it is an error, and the run changes nothing. Removal removes all six, as with ``Override``.

Why: policies cannot reach cert-manager where it runs in ``kube-system``, which Kyverno passes by (Giant Swarm's proxy
document, "special workload"). The upstream chart sets three upper-case names, and on the controller only; Giant
Swarm's sets all three containers, and this follows it with both cases, because curl reads ``http_proxy`` only. The Job
cannot be changed once it runs, which does not matter: it is a Helm hook and is made anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from krm_fn.carriers.reading import Reading
from krm_fn.krm.results import Change, Finding, Severity
from krm_fn.noproxy import Audience
from krm_fn.settings import ProxySettings
from krm_fn.targets import _apps, _env_seen
from krm_fn.targets._env import set_proxy
from krm_fn.targets._podspec import POD_SPEC, containers
from krm_fn.targets.base import Target


def propose(
    obj: Mapping[str, Any], settings: ProxySettings, options: Mapping[str, Any]
) -> Iterator[Change | Finding]:
    """Yield what the containers of cert-manager lack or have too much; see the module's text."""
    if not _apps.may_be_cert_manager(obj):
        return
    found, problems = containers(obj, "containers")
    yield from problems
    ours = _apps.cert_manager_containers(obj)
    for container in ours:
        yield from set_proxy(container, settings, options)
    if found and not ours and _apps.is_cert_manager(obj) and settings.variables():
        message = (
            "no container has a name of cert-manager's, so none gets the proxy: name one "
            "`cert-manager-controller`"
        )
        yield Finding(
            Severity.WARNING, message, (*POD_SPEC, "containers"), code="ContainerNotFound"
        )


def observe(obj: Mapping[str, Any], options: Mapping[str, Any]) -> Iterator[Reading]:
    """Yield what the environments of cert-manager's containers set, whoever wrote it."""
    for container in _apps.cert_manager_containers(obj):
        yield from _env_seen.observe(container)


TARGET = Target(
    id="certManager",
    kinds=frozenset({("apps", "Deployment"), ("extensions", "Deployment"), ("batch", "Job")}),
    audience=Audience.GO,
    text_hints=("cert-manager",),
    propose=propose,
    observe=observe,
)
