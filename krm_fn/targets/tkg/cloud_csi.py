"""Storage drivers of Tanzu Kubernetes Grid on AWS and Azure: they talk to the API of the cloud from inside the cluster.

What it sets: ``http_proxy``, ``https_proxy``, ``no_proxy`` in data values, ``httpProxy``, ``httpsProxy``, ``noProxy``
in the configuration resources, each where the settings give it a value. The list is the whole list of the Cluster, as
TKG writes it; ``noProxyPolicy.style: TKG`` gives its members and its order.

Where:

* in Secrets of type ``tkg.tanzu.vmware.com/addon`` (``clusterbootstrap-secret`` in a cluster of a ClusterClass): the
  mappings ``awsEBSCSIDriver``, ``azureDiskCSIDriver``, ``azureFileCSIDriver`` in each document of the values of
  ``stringData`` and ``data`` (base64) whose key ends in ``.yaml`` or ``.yml``. Where no document has one, but the label
  ``tkg.tanzu.vmware.com/addon-name`` (``aws-ebs-csi-driver``, ``azuredisk-csi-driver``, ``azurefile-csi-driver``) or
  the annotation ``tkg.tanzu.vmware.com/addon-type`` (``csi/`` and the same) says whose values they are, in the first
  document of ``values.yaml``, which is begun if there is none;
* in ``spec.awsEBSCSIDriver`` of an ``AwsEbsCSIConfig``, ``spec.azureDiskCSIDriver`` of an ``AzureDiskCSIConfig``,
  ``spec.azureFileCSIDriver`` of an ``AzureFileCSIConfig`` (``csi.tanzu.vmware.com``, any version).

What it leaves alone: all else in these objects: other values, comments, the annotations of ytt (``#@data/values``,
``#@overlay/match-child-defaults missing_ok=True``), separators and order; overlays beside the data values; a document
in which code or an annotation of ytt decides about one of the members (``http_proxy: #@ ...``, ``#@ if``, an
``#@overlay/match`` above one that is to go), which is reported. Without a proxy the three members go, and with them a
mapping beside other values, where label or annotation say whose they are.

Before and after:

```diff
 apiVersion: csi.tanzu.vmware.com/v1alpha1
 kind: AwsEbsCSIConfig
 spec:
   awsEBSCSIDriver:
     namespace: kube-system
+    httpProxy: http://proxy.corp.example:3128
+    httpsProxy: http://proxy.corp.example:3128
+    noProxy: 169.254.0.0/16,.svc.cluster.local,.svc,localhost,127.0.0.1,100.64.0.0/13,100.96.0.0/11
```

Options: none but ``enabled``.

Why: TKG gives these drivers the proxy as it does the ones of vSphere (``providers/ytt/02_addons/public-cloud-csi``),
once, when it makes a cluster. Without it they cannot reach the cloud; without the metadata address in the list they ask
the proxy for the credentials of their own machine.
"""

from __future__ import annotations

from krm_fn.carriers.three_keys import CAMEL, SNAKE, ThreeKeys
from krm_fn.products import tkg
from krm_fn.targets.tkg.addons import AddOn, Config, Table

_DRIVERS = (
    (tkg.AWS_EBS_CSI, "awsEBSCSIDriver", tkg.AWS_EBS_CSI_CONFIG, "the AWS EBS driver"),
    (tkg.AZURE_DISK_CSI, "azureDiskCSIDriver", tkg.AZURE_DISK_CSI_CONFIG, "the Azure Disk driver"),
    (tkg.AZURE_FILE_CSI, "azureFileCSIDriver", tkg.AZURE_FILE_CSI_CONFIG, "the Azure File driver"),
)
_TABLE = Table(
    addons=tuple(
        AddOn(name, key, ThreeKeys((key,), SNAKE, f"the data values of {what}"))
        for name, key, _, what in _DRIVERS
    ),
    configs={
        kind: Config(ThreeKeys(("spec", key), CAMEL, f"the configuration of {what}", kept=2))
        for _, key, kind, what in _DRIVERS
    },
)

TARGET = _TABLE.target("tkgCloudCSI")
