"""How time and memory grow with the number of clusters in one list, each with a list of NO_PROXY of its own.

Usage: clusters.py [CLUSTERS ...]. Prints a table; the ratio says how the time of a cluster compares with the first row:
1.0 all the way down is linear.
"""

from __future__ import annotations

import sys
from pathlib import Path

from processes import cost

COMMAND = Path(sys.executable).with_name("inject-proxy")
SIZES = (125, 250, 500, 1000)
HEAD = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"
CONFIG = """\
functionConfig:
  apiVersion: fn.inject-proxy.io/v1alpha1
  kind: ProxyConfig
  metadata: {name: corporate-proxy}
  spec:
    httpProxy: http://proxy.acme.example:3128
    httpsProxy: http://proxy.acme.example:3128
    noProxy: [10.0.0.0/8, .acme.example]
"""
CLUSTER = """\
- apiVersion: cluster.x-k8s.io/v1beta1
  kind: Cluster
  metadata: {name: cNUMBER, namespace: org}
  spec:
    clusterNetwork: {pods: {cidrBlocks: [10.LOW.0.0/16]}, services: {cidrBlocks: [172.LOW.0.0/16]}}
    controlPlaneEndpoint: {host: api.cNUMBER.acme.example, port: 6443}
    controlPlaneRef: {apiVersion: controlplane.cluster.x-k8s.io/v1beta1, kind: KubeadmControlPlane, name: cNUMBER}
    infrastructureRef: {apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: AWSCluster, name: cNUMBER}
- apiVersion: controlplane.cluster.x-k8s.io/v1beta1
  kind: KubeadmControlPlane
  metadata: {name: cNUMBER, namespace: org}
  spec:
    kubeadmConfigSpec:
      files: []
- apiVersion: cluster.x-k8s.io/v1beta1
  kind: MachineDeployment
  metadata: {name: cNUMBER-md-0, namespace: org}
  spec:
    clusterName: cNUMBER
    template:
      spec:
        clusterName: cNUMBER
        bootstrap:
          configRef: {apiVersion: bootstrap.cluster.x-k8s.io/v1beta1, kind: KubeadmConfigTemplate, name: cNUMBER-md-0}
- apiVersion: bootstrap.cluster.x-k8s.io/v1beta1
  kind: KubeadmConfigTemplate
  metadata: {name: cNUMBER-md-0, namespace: org}
  spec:
    template:
      spec:
        preKubeadmCommands:
        - swapoff -a
"""


def resource_list(clusters: int) -> str:
    """A list of so many clusters, with a control plane and a worker group each."""
    items = (
        CLUSTER.replace("NUMBER", str(number)).replace("LOW", str(number % 250))
        for number in range(clusters)
    )
    return HEAD + "".join(items) + CONFIG


def main() -> None:
    sizes = [int(word) for word in sys.argv[1:]] or SIZES
    print(f"{'clusters':>8} {'MB':>6} {'CPU time':>9} {'memory':>9} {'ratio':>6}")
    first = 0.0
    for size in sizes:
        text = resource_list(size)
        costs = [cost([COMMAND], text) for _ in range(3)]
        seconds, memory = min(one.cpu for one in costs), min(one.memory for one in costs) // 2**20
        first = first or seconds / size
        print(
            f"{size:>8} {len(text) / 1e6:>6.2f} {seconds:>7.2f} s {memory:>5} MiB {seconds / size / first:>6.2f}"
        )


if __name__ == "__main__":
    main()
