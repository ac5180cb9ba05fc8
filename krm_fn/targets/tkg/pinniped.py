"""Pinniped of Tanzu Kubernetes Grid: on a management cluster it asks the identity provider outside who somebody is.

What it sets: ``http_proxy``, ``https_proxy``, ``no_proxy``, each where the settings give it a value. ``no_proxy`` is
the whole list of the Cluster, as TKG writes it; ``noProxyPolicy.style: TKG`` gives its members and its order.

Where: at the root of each document with the member ``pinniped`` of the data values in Secrets of type
``tkg.tanzu.vmware.com/addon`` (``clusterbootstrap-secret`` in a cluster of a ClusterClass): the values of
``stringData`` and ``data`` (base64) whose key ends in ``.yaml`` or ``.yml``. Where no document has it, but the label
``tkg.tanzu.vmware.com/addon-name: pinniped`` or the annotation
``tkg.tanzu.vmware.com/addon-type: authentication/pinniped`` says whose values they are, in the first document of
``values.yaml``, which is begun if there is none.

What it leaves alone: documents with ``tkg_cluster_role: workload``, because the supervisor and Dex, which read the
proxy, run on management clusters only. All other values, comments, the annotations of ytt (``#@data/values``,
``#@overlay/match-child-defaults missing_ok=True``), separators and order; overlays beside the data values; a document
in which code or an annotation of ytt decides about one of the members (``http_proxy: #@ ...``, ``#@ if``, an
``#@overlay/match`` above one that is to go), which is reported. Without a proxy the three members go.

Before and after:

```diff
 stringData:
   values.yaml: |
     infrastructure_provider: vsphere
     tkg_cluster_role: management
-    http_proxy: ""
-    https_proxy: ""
-    no_proxy: ""
+    http_proxy: http://proxy.corp.example:3128
+    https_proxy: http://proxy.corp.example:3128
+    no_proxy: .svc.cluster.local,.svc,localhost,127.0.0.1,100.64.0.0/13,100.96.0.0/11
     identity_management_type: oidc
```

Options: none but ``enabled``.

Why: TKG writes the three at the root of Pinniped's data values (``pinniped_addon_secret.lib.yaml`` of its ytt
providers), once, when it makes a management cluster; the package gives them to the supervisor and to Dex as
environment.
"""

from __future__ import annotations

from krm_fn.carriers.three_keys import SNAKE, ThreeKeys
from krm_fn.products import tkg
from krm_fn.targets.tkg.addons import AddOn, Table

_TABLE = Table(
    addons=(
        AddOn(
            tkg.PINNIPED,
            "pinniped",
            ThreeKeys((), SNAKE, "the data values of Pinniped"),
            unless={"tkg_cluster_role": "workload"},
        ),
    ),
)

TARGET = _TABLE.target("tkgPinniped")
