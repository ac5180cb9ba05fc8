"""How time and memory grow with the number of clusters in one list, each with a list of NO_PROXY of its own.

Usage: clusters.py [CLUSTERS ...]. Prints a table; the ratio says how the time of a cluster compares with the first row:
1.0 all the way down is linear.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

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


def measure(text: str) -> tuple[float, int]:
    """Seconds, and the most memory in MiB, of one run."""
    start = time.perf_counter()
    process = subprocess.Popen(
        [COMMAND], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    assert process.stdin
    process.stdin.write(text.encode())
    process.stdin.close()
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0
    return time.perf_counter() - start, usage.ru_maxrss // 1024


def main() -> None:
    sizes = [int(word) for word in sys.argv[1:]] or SIZES
    print(f"{'clusters':>8} {'MB':>6} {'time':>9} {'memory':>9} {'ratio':>6}")
    first = 0.0
    for size in sizes:
        text = resource_list(size)
        seconds, memory = min(measure(text) for _ in range(3))
        first = first or seconds / size
        print(
            f"{size:>8} {len(text) / 1e6:>6.2f} {seconds:>7.2f} s {memory:>5} MiB {seconds / size / first:>6.2f}"
        )


if __name__ == "__main__":
    main()
