"""The figures by which the design is judged, each beside its goal; all are ratios within one run.

Usage: goals.py [RUNS]. Prints a line for each figure: the median of the runs. Of the runs of two commands each one is
compared with the one beside it, because the speed of a shared machine drifts. A figure beside kyaml is left out where
its program could not be built.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import clusters
from processes import Cost, cost
from startup import IMPORT_YAML, INJECT
from throughput import CONFIG, HEAD, resource_list

import krm_fn
from krm_fn.pipeline import run

RUNS = 3
PACKAGE = str(Path(krm_fn.__file__).parent)
KYAML_IDENTITY = [Path(__file__).parents[1] / ".cache" / "bin" / "kyaml-identity"]
EVENTS = [
    sys.executable,
    "-I",
    "-c",
    "import sys, yaml\nfor _ in yaml.parse(sys.stdin.buffer, Loader=yaml.CSafeLoader): pass",
]
TEMPLATE = """\
- apiVersion: controlplane.cluster.x-k8s.io/v1beta1
  kind: KubeadmControlPlane
  metadata:
    name: production-NUMBER # managed by the platform team
    namespace: org
    labels:
      cluster.x-k8s.io/cluster-name: production
  spec:
    replicas: 3
    version: v1.31.4
    machineTemplate:
      nodeDrainTimeout: 10m
      infrastructureRef:
        apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
        kind: VSphereMachineTemplate
        name: production-NUMBER
    kubeadmConfigSpec:
      clusterConfiguration:
        imageRepository: registry.k8s.io
        apiServer:
          extraArgs:
            audit-log-path: /var/log/kubernetes/audit.log
            audit-log-maxage: "30"
            audit-policy-file: /etc/kubernetes/audit-policy.yaml
            enable-admission-plugins: NodeRestriction
          extraVolumes:
          - name: audit-policy
            hostPath: /etc/kubernetes/audit-policy.yaml
            mountPath: /etc/kubernetes/audit-policy.yaml
        controllerManager:
          extraArgs:
            bind-address: 0.0.0.0
            allocate-node-cidrs: "true"
      initConfiguration:
        nodeRegistration:
          criSocket: /run/containerd/containerd.sock
          kubeletExtraArgs: {cloud-provider: external}
      joinConfiguration:
        nodeRegistration:
          criSocket: /run/containerd/containerd.sock
          kubeletExtraArgs: {cloud-provider: external}
      files:
      - path: /etc/kubernetes/audit-policy.yaml
        owner: root:root
        permissions: "0600"
        content: |
          apiVersion: audit.k8s.io/v1
          kind: Policy
          rules:
          - level: Metadata
      preKubeadmCommands:
      - hostnamectl set-hostname "{{ ds.meta_data.hostname }}"
      - echo "127.0.0.1 {{ ds.meta_data.hostname }}" >>/etc/hosts
      users:
      - name: admin
        sudo: ALL=(ALL) NOPASSWD:ALL
"""
"""A control plane as templates of Cluster API's providers have it, 1.6 KB."""
CONTROL_PLANE = """\
apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: controlplane.cluster.x-k8s.io/v1beta1
  kind: KubeadmControlPlane
  metadata: {name: production, namespace: org}
  spec:
    kubeadmConfigSpec:
      files: []
functionConfig:
  apiVersion: fn.inject-proxy.io/v1alpha1
  kind: ProxyConfig
  metadata: {name: corporate-proxy}
  spec: {httpProxy: "http://proxy.acme.example:3128", only: [containerdDropIn]}
"""


def control_planes(number: int) -> str:
    """Return a list of control planes, all of which are changed."""
    items = (TEMPLATE.replace("NUMBER", str(one)) for one in range(number))
    return HEAD + "".join(items) + CONFIG


def fleet(number: int) -> str:
    """Return a list of clusters with four objects each, of 2 KB, as those that `kubectl apply` has written."""
    applied = json.dumps({"spec": {"notes": "x" * 1600}})
    small = clusters.resource_list(number)
    return small.replace(
        ", namespace: org}",
        f", namespace: org, annotations: {{kubectl.kubernetes.io/last-applied-configuration: '{applied}'}}}}",
    )


def ratio(text: str, other: list[str | Path], runs: int) -> float:
    """Return how much CPU time a run over a list takes, as a multiple of that of another command."""
    pairs = [(cost(INJECT, text).cpu, cost(other, text).cpu) for _ in range(runs)]
    return statistics.median(ours / theirs for ours, theirs in pairs)


def size_of_results(made: Cost) -> float:
    """Return how long ``results`` is, as a part of the items of a list that was written."""
    _, _, rest = made.output.partition(b"\nitems:\n")
    items, _, rest = rest.partition(b"\nfunctionConfig:")
    _, _, results = rest.partition(b"\nresults:")
    return len(results) / len(items)


def memory_for_input(text: str, runs: int) -> float:
    """Return how much memory a run over a list takes, as a multiple of its length."""
    return statistics.median(cost(INJECT, text).memory for _ in range(runs)) / len(text)


def functions_and_files(text: str) -> tuple[int, int]:
    """Return how many functions of ours, in how many files, a run over a list calls."""
    called: set[tuple[str, int]] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        is_function = event == "call" and not code.co_name.startswith("<")
        if is_function and code.co_filename.startswith(PACKAGE):
            called.add((code.co_filename, code.co_firstlineno))

    # Imports what it needs; with another proxy, so that nothing is remembered of the texts that count.
    run(text.replace("proxy.acme.example", "other.acme.example").encode())
    sys.setprofile(note)
    run(text.encode())
    sys.setprofile(None)
    return len(called), len({file for file, _ in called})


def main() -> None:
    runs = int(sys.argv[1]) if sys.argv[1:] else RUNS
    cost(INJECT, resource_list(10))
    has_kyaml = KYAML_IDENTITY[0].exists()

    def line(name: str, goal: str, figure: Callable[[], float]) -> None:
        print(f"{name:<62}{figure():>7.2f}   goal {goal}", flush=True)

    small, few, every = resource_list(10), resource_list(31_000, 33), control_planes(1_200)
    line("10 items: CPU / `import yaml`", "<= 3", lambda: ratio(small, IMPORT_YAML, 5 * runs))
    line("20 MB, 3 % changed: CPU / libyaml's events", "<= 1.5", lambda: ratio(few, EVENTS, runs))
    if has_kyaml:
        line(
            "20 MB, 3 % changed: CPU / a kyaml function that does nothing",
            "<= 0.25",
            lambda: ratio(few, KYAML_IDENTITY, runs),
        )
        line(
            "2 MB, all changed: CPU / a kyaml function that does nothing",
            "<= 4",
            lambda: ratio(every, KYAML_IDENTITY, runs),
        )
    line(
        "2 MB, all changed: `results` / items, in bytes",
        "<= 0.25",
        lambda: size_of_results(cost(INJECT, every)),
    )
    line(
        "500 clusters: memory / input",
        "<= 15",
        lambda: memory_for_input(fleet(500), runs),
    )
    functions, files = functions_and_files(CONTROL_PLANE)
    line("one drop-in: functions that run", "<= 220", lambda: functions)
    line("one drop-in: files that they are in", "<= 40", lambda: files)


if __name__ == "__main__":
    main()
