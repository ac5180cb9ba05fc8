"""vSphere CPI of Tanzu Kubernetes Grid: the cloud provider, which talks to vCenter and NSX from inside the cluster.

What it sets: ``http_proxy``, ``https_proxy``, ``no_proxy``, each where the settings give it a value. ``no_proxy`` is
the whole list of the Cluster, as TKG writes it; ``noProxyPolicy.style: TKG`` gives its members and its order.

Where:

* in Secrets of type ``tkg.tanzu.vmware.com/addon`` (``clusterbootstrap-secret`` in a cluster of a ClusterClass): the
  mapping ``vsphereCPI`` in each document of the values of ``stringData`` and ``data`` (base64) whose key ends in
  ``.yaml`` or ``.yml``. Where no document has it, but the label ``tkg.tanzu.vmware.com/addon-name: vsphere-cpi`` or the
  annotation ``tkg.tanzu.vmware.com/addon-type: cloud-provider/vsphere-cpi`` says whose values they are, in the first
  document of ``values.yaml``, which is begun if there is none;
* in ``spec.vsphereCPI.proxy`` of a ``VSphereCPIConfig`` (``cpi.tanzu.vmware.com``, any version).

What it leaves alone: all else in these objects: other values, comments, the annotations of ytt (``#@data/values``,
``#@overlay/match-child-defaults missing_ok=True``), separators and order; overlays beside the data values; a document
in which code or an annotation of ytt decides about one of the members (``http_proxy: #@ ...``, ``#@ if``, an
``#@overlay/match`` above one that is to go), which is reported; a ``VSphereCPIConfig`` with
``mode: vsphereParavirtualCPI``, in which nothing reads a proxy. Without a proxy the three members go, and a ``proxy``
that becomes empty; so does ``vsphereCPI`` beside other values, where label or annotation say whose they are.

Before and after:

```diff
 stringData:
   values.yaml: |
     #@data/values
     #@overlay/match-child-defaults missing_ok=True
     ---
     vsphereCPI:
       server: vcenter.corp.example
+      http_proxy: http://proxy.corp.example:3128
+      https_proxy: http://proxy.corp.example:3128
+      no_proxy: .svc.cluster.local,.svc,localhost,127.0.0.1,100.64.0.0/13,100.96.0.0/11
```

Options: none but ``enabled``.

Why: "proxy information is added to the CPI" (the TKG document). TKG writes these values once, when it makes a cluster;
in a repository nothing else keeps them up to date. A value in a ``VSphereCPIConfig`` goes before the annotations of the
Cluster, so the whole list can be there.
"""

from __future__ import annotations

from krm_fn.carriers.three_keys import SNAKE, ThreeKeys
from krm_fn.products import tkg
from krm_fn.targets.tkg.addons import AddOn, Config, Table

_TABLE = Table(
    addons=(
        AddOn(
            tkg.VSPHERE_CPI,
            "vsphereCPI",
            ThreeKeys(("vsphereCPI",), SNAKE, "the data values of vSphere CPI"),
        ),
    ),
    configs={
        tkg.VSPHERE_CPI_CONFIG: Config(
            ThreeKeys(
                ("spec", "vsphereCPI", "proxy"), SNAKE, "the configuration of vSphere CPI", kept=2
            ),
            mode=("spec", "vsphereCPI", "mode"),
            without="vsphereParavirtualCPI",
        )
    },
)

TARGET = _TABLE.target("tkgVsphereCPI")
