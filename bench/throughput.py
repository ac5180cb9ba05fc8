"""How long inject-proxy takes for large inputs, beside PyYAML reading and writing the same text.

Usage: throughput.py [OBJECTS ...]. Prints a table: seconds, the best of three runs; one object in ten is changed.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import yaml

COMMAND = Path(sys.executable).with_name("inject-proxy")
SIZES = (100, 1000, 10_000)
HEAD = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"
CONFIG = """\
functionConfig:
  apiVersion: fn.inject-proxy.io/v1alpha1
  kind: ProxyConfig
  metadata: {name: corporate-proxy}
  spec: {httpProxy: "http://proxy.acme.example:3128"}
"""
BYSTANDER = """\
- apiVersion: apps/v1
  kind: Deployment
  metadata:
    name: app-NUMBER
    namespace: default
    labels: {app: app-NUMBER, tier: backend}
  spec:
    replicas: 2 # for rolling updates
    selector:
      matchLabels: {app: app-NUMBER}
    template:
      metadata:
        labels: {app: app-NUMBER, tier: backend}
      spec:
        containers:
        - name: app
          image: registry.acme.example/app:v1.2.NUMBER
          ports:
          - containerPort: 8080
          env:
          - name: LOG_LEVEL
            value: info
          resources:
            requests: {cpu: 100m, memory: 128Mi}
"""
WORKERS = """\
- apiVersion: bootstrap.cluster.x-k8s.io/v1beta1
  kind: KubeadmConfigTemplate
  metadata:
    name: workers-NUMBER
  spec:
    template:
      spec:
        files:
        - path: /etc/motd
          content: welcome
        preKubeadmCommands:
        - swapoff -a
"""


def resource_list(objects: int, each: int = 10) -> str:
    """A list of Deployments, with a KubeadmConfigTemplate, which is changed, at the place of ``each`` of them."""
    items = (WORKERS if number % each == 0 else BYSTANDER for number in range(objects))
    return (
        HEAD
        + "".join(item.replace("NUMBER", str(number)) for number, item in enumerate(items))
        + CONFIG
    )


def inject(text: str) -> None:
    subprocess.run([COMMAND], input=text.encode(), capture_output=True, check=True)


def load_and_dump(text: str) -> None:
    yaml.dump(yaml.load(text, Loader=yaml.CSafeLoader), Dumper=yaml.CSafeDumper)


def best_of_three(work: Callable[[str], None], text: str) -> float:
    durations = []
    for _ in range(3):
        start = time.perf_counter()
        work(text)
        durations.append(time.perf_counter() - start)
    return min(durations)


def main() -> None:
    sizes = [int(word) for word in sys.argv[1:]] or SIZES
    print(
        f"{'objects':>8} {'MB':>6} {'inject-proxy':>13} {'yaml.load + yaml.dump (libyaml)':>32} {'ratio':>6}"
    )
    for size in sizes:
        text = resource_list(size)
        row = best_of_three(inject, text), best_of_three(load_and_dump, text)
        print(
            f"{size:>8} {len(text) / 1e6:>6.1f} {row[0]:>11.2f} s {row[1]:>30.2f} s {row[0] / row[1]:>6.2f}"
        )


if __name__ == "__main__":
    main()
