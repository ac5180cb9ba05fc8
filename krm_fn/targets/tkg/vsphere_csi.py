"""vSphere CSI of Tanzu Kubernetes Grid: the storage driver, which talks to vCenter from inside the cluster.

What it sets: ``http_proxy``, ``https_proxy``, ``no_proxy`` in data values, ``httpProxy``, ``httpsProxy``, ``noProxy``
in a ``VSphereCSIConfig``, each where the settings give it a value. The list is the whole list of the Cluster, as TKG
writes it; ``noProxyPolicy.style: TKG`` gives its members and its order.

Where:

* in Secrets of type ``tkg.tanzu.vmware.com/addon`` (``clusterbootstrap-secret`` in a cluster of a ClusterClass): the
  mapping ``vsphereCSI`` in each document of the values of ``stringData`` and ``data`` (base64) whose key ends in
  ``.yaml`` or ``.yml``. Where no document has it, but the label ``tkg.tanzu.vmware.com/addon-name: vsphere-csi`` or the
  annotation ``tkg.tanzu.vmware.com/addon-type: csi/vsphere-csi`` says whose values they are, in the first document of
  ``values.yaml``, which is begun if there is none;
* in ``spec.vsphereCSI.config`` of a ``VSphereCSIConfig`` (``csi.tanzu.vmware.com``, any version).

What it leaves alone: all else in these objects: other values, comments, the annotations of ytt (``#@data/values``,
``#@overlay/match-child-defaults missing_ok=True``), separators and order; overlays beside the data values; a document
in which code or an annotation of ytt decides about one of the members (``http_proxy: #@ ...``, ``#@ if``, an
``#@overlay/match`` above one that is to go), which is reported; a ``VSphereCSIConfig`` with
``mode: vsphereParavirtualCSI``, in which nothing reads a proxy. Without a proxy the three members go, and a ``config``
that becomes empty; so does ``vsphereCSI`` beside other values, where label or annotation say whose they are.

Before and after:

```diff
 spec:
   vsphereCSI:
     mode: vsphereCSI
     config:
       deploymentReplicas: 1
+      httpProxy: http://proxy.corp.example:3128
+      httpsProxy: http://proxy.corp.example:3128
+      noProxy: .svc.cluster.local,.svc,localhost,127.0.0.1,100.64.0.0/13,100.96.0.0/11
```

Options: none but ``enabled``.

Why: "CSI wants to do the same" (the TKG document). TKG writes these values once, when it makes a cluster; in a
repository nothing else keeps them up to date. The names differ between the two forms (``http_proxy``, ``httpProxy``),
and a wrong one is dropped without a message.
"""

from __future__ import annotations

from krm_fn.carriers.three_keys import CAMEL, SNAKE, ThreeKeys
from krm_fn.products import tkg
from krm_fn.targets.tkg.addons import AddOn, Config, Table

_TABLE = Table(
    addons=(
        AddOn(
            tkg.VSPHERE_CSI,
            "vsphereCSI",
            ThreeKeys(("vsphereCSI",), SNAKE, "the data values of vSphere CSI"),
        ),
    ),
    configs={
        tkg.VSPHERE_CSI_CONFIG: Config(
            ThreeKeys(
                ("spec", "vsphereCSI", "config"), CAMEL, "the configuration of vSphere CSI", kept=2
            ),
            mode=("spec", "vsphereCSI", "mode"),
            without="vsphereParavirtualCSI",
        )
    },
)

TARGET = _TABLE.target("tkgVsphereCSI")
