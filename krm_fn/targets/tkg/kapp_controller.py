"""kapp-controller of Tanzu Kubernetes Grid: it pulls the packages of a cluster from registries through the proxy.

What it sets: ``httpProxy``, ``httpsProxy``, ``noProxy``, each where the settings give it a value. ``noProxy`` is the
whole list of the Cluster, as TKG writes it; ``noProxyPolicy.style: TKG`` gives its members and its order. With
``spec.trustedCA``, ``caCerts``: those of its certificates that are not there yet, as PEM text between two lines that
begin with ``# inject-proxy``. It needs no proxy beside it.

Where:

* in Secrets of type ``tkg.tanzu.vmware.com/addon`` (``clusterbootstrap-secret`` in a cluster of a ClusterClass): the
  mapping ``kappController.config`` in each document with a ``kappController`` of the values of ``stringData`` and
  ``data`` (base64) whose key ends in ``.yaml`` or ``.yml``. Where no document has one, but the label
  ``tkg.tanzu.vmware.com/addon-name: kapp-controller`` or the annotation
  ``tkg.tanzu.vmware.com/addon-type: addons-management/kapp-controller`` says whose values they are, in the first
  document of ``values.yaml``, which is begun if there is none;
* in ``spec.kappController.config`` of a ``KappControllerConfig`` (``run.tanzu.vmware.com``, any version).

What it leaves alone: all else in these objects: other values (``dangerousSkipTLSVerify``), certificates of others,
comments, the annotations of ytt (``#@data/values``, ``#@overlay/match-child-defaults missing_ok=True``), separators and
order; overlays beside the data values; a document in which code or an annotation of ytt decides about one of these
members (``httpProxy: #@ ...``, ``#@ if``, an ``#@overlay/match`` above one to remove), which is reported. Without a
proxy the three members go, without ``spec.trustedCA`` our certificates, and a ``config`` that becomes empty; so does
``kappController`` beside other values, where label or annotation say whose they are.

Before and after:

```diff
 stringData:
   values.yaml: |
     kappController:
       namespace: tkg-system
       config:
+        httpProxy: http://proxy.corp.example:3128
+        httpsProxy: http://proxy.corp.example:3128
+        noProxy: .svc.cluster.local,.svc,localhost,127.0.0.1,100.64.0.0/13,100.96.0.0/11
```

Options: none but ``enabled``.

Why: "Kapp controller also needs to talk to the outer cluster, or maybe the internet even, to pull packages" (the TKG
document). From these values alone kapp-controller takes its environment, and whom it trusts: TKG writes into
``caCerts`` what ``TKG_PROXY_CA_CERT`` says, decoded (``vmware-tanzu/tanzu-framework`` release-0.29:
``providers/ytt/02_addons/kapp-controller``; ``apis/run/v1alpha3/kappcontrollerconfig_types.go``). TKG writes them once,
when it makes a cluster; in a repository nothing else keeps them up to date.
"""

from __future__ import annotations

from krm_fn.carriers.three_keys import CAMEL, ThreeKeys
from krm_fn.products import tkg
from krm_fn.targets.tkg.addons import AddOn, Config, Table

_TABLE = Table(
    addons=(
        AddOn(
            tkg.KAPP_CONTROLLER,
            "kappController",
            ThreeKeys(("kappController", "config"), CAMEL, "the data values of kapp-controller"),
            certificates="caCerts",
        ),
    ),
    configs={
        tkg.KAPP_CONTROLLER_CONFIG: Config(
            ThreeKeys(
                ("spec", "kappController", "config"), CAMEL, "the configuration of kapp-controller"
            ),
            certificates="caCerts",
        )
    },
)

TARGET = _TABLE.target("tkgKappController")
