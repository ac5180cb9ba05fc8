"""The inputs that are measured: lists of items, and trees of files. The same number always makes the same bytes."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable
from pathlib import Path

HEAD = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"
PROXY_CONFIG = """\
apiVersion: fn.inject-proxy.io/v1alpha1
kind: ProxyConfig
metadata: {name: corporate-proxy}
spec:
  httpProxy: http://proxy.acme.example:3128
  httpsProxy: http://proxy.acme.example:3128
  noProxy: [10.0.0.0/8, .acme.example]
"""
DEPLOYMENT = """\
apiVersion: apps/v1
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
apiVersion: bootstrap.cluster.x-k8s.io/v1beta1
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
CONTROL_PLANE = """\
apiVersion: controlplane.cluster.x-k8s.io/v1beta1
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
CLUSTER = """\
apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata: {name: cNUMBER, namespace: org}
spec:
  clusterNetwork: {pods: {cidrBlocks: [10.LOW.0.0/16]}, services: {cidrBlocks: [192.168.LOW.0/24]}}
  controlPlaneEndpoint: {host: api.cNUMBER.acme.example, port: 6443}
  controlPlaneRef: {apiVersion: controlplane.cluster.x-k8s.io/v1beta1, kind: KubeadmControlPlane, name: cNUMBER}
  infrastructureRef: {apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: AWSCluster, name: cNUMBER}
---
apiVersion: controlplane.cluster.x-k8s.io/v1beta1
kind: KubeadmControlPlane
metadata: {name: cNUMBER, namespace: org}
spec:
  kubeadmConfigSpec:
    files: []
---
apiVersion: cluster.x-k8s.io/v1beta1
kind: MachineDeployment
metadata: {name: cNUMBER-md-0, namespace: org}
spec:
  clusterName: cNUMBER
  template:
    spec:
      clusterName: cNUMBER
      bootstrap:
        configRef: {apiVersion: bootstrap.cluster.x-k8s.io/v1beta1, kind: KubeadmConfigTemplate, name: cNUMBER-md-0}
---
apiVersion: bootstrap.cluster.x-k8s.io/v1beta1
kind: KubeadmConfigTemplate
metadata: {name: cNUMBER-md-0, namespace: org}
spec:
  template:
    spec:
      preKubeadmCommands:
      - swapoff -a
"""
"""A cluster as `clusterctl generate` makes it: its control plane and one group of workers, four objects.

Its networks are private, as those of real clusters are: a public one is worth a warning, and `results` would hold one
for each cluster.
"""

WORDS = (
    "route",
    "cluster",
    "node",
    "request",
    "latency",
    "memory",
    "error",
    "queue",
    "tenant",
    "region",
    "budget",
    "token",
)
FOLDER = 100
"""So many files are in one folder."""


def small_workloads(number: int) -> str:
    """Return a Deployment of 0.6 KB; all are alike."""
    return DEPLOYMENT.replace("NUMBER", str(number))


def long_texts(number: int) -> str:
    """Return a ConfigMap with scripts or dashboards in its values, 1 to 8 KB."""
    chosen = random.Random(number)  # noqa: S311 - the same number makes the same text
    head = f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: texts-{number}\ndata:\n"
    lines = (" ".join(chosen.choices(WORDS, k=9)) for _ in range(chosen.randint(10, 60)))
    script = "  start.sh: |\n" + "".join(f"    echo {line}\n" for line in lines)
    panels = [
        {
            "title": chosen.choice(WORDS),
            "expr": f'rate({chosen.choice(WORDS)}_total{{job="a"}}[5m])',
        }
        for _ in range(chosen.randint(5, 40))
    ]
    return head + script + f"  dashboard.json: '{json.dumps({'panels': panels})}'\n"


def deep_schemas(number: int) -> str:
    """Return a CustomResourceDefinition with a nested schema, 2 to 12 KB."""
    chosen = random.Random(number)  # noqa: S311 - the same number makes the same text
    lines = [
        "apiVersion: apiextensions.k8s.io/v1",
        "kind: CustomResourceDefinition",
        f"metadata: {{name: kind{number}s.acme.example}}",
        "spec:",
        "  group: acme.example",
        f"  names: {{kind: Kind{number}, plural: kind{number}s}}",
        "  scope: Namespaced",
        "  versions:",
        "  - name: v1",
        "    served: true",
        "    storage: true",
        "    schema:",
        "      openAPIV3Schema:",
        "        type: object",
    ]
    indent = " " * 8
    for depth in range(chosen.randint(3, 6)):
        lines.append(f"{indent}properties:")
        for field in range(chosen.randint(2, 8)):
            lines += [
                f"{indent}  field{field}:",
                f"{indent}    type: string",
                f'{indent}    description: "{" ".join(chosen.choices(WORDS, k=7))}"',
            ]
        lines += [f"{indent}  level{depth}:", f"{indent}    type: object"]
        indent += "    "
    return "\n".join(lines) + "\n"


def documents(number: int, others: Callable[[int], str], changed: int) -> list[str]:
    """Return so many documents, of which ``changed`` of 100 are workers that get the proxy."""
    made = []
    for one in range(number):
        is_changed = one * changed % 100 < changed
        made.append(WORKERS.replace("NUMBER", str(one)) if is_changed else others(one))
    return made


def of_size(size: float, others: Callable[[int], str], changed: int) -> list[str]:
    """Return documents as `documents` does, of ``size`` MB together."""
    sample = documents(200, others, changed)
    return documents(int(size * 1e6 * len(sample) / sum(map(len, sample))), others, changed)


def control_planes(number: int) -> list[str]:
    """Return control planes, all of which are changed."""
    return [CONTROL_PLANE.replace("NUMBER", str(one)) for one in range(number)]


def clusters(number: int) -> list[str]:
    """Return the objects of so many clusters, each with networks and an endpoint of its own."""
    made = []
    for one in range(number):
        text = CLUSTER.replace("NUMBER", str(one)).replace("LOW", str(one % 250))
        made += text.split("---\n")
    return made


def resource_list(items: Iterable[str], *, only: str = "") -> str:
    """Return a ResourceList of documents, with the ProxyConfig, and in it one target alone where ``only`` names it."""
    config = PROXY_CONFIG + (f"  only: [{only}]\n" if only else "")
    return "".join(
        [
            HEAD,
            *("- " + _indented(item) for item in items),
            "functionConfig:\n  ",
            _indented(config),
        ]
    )


def _indented(document: str) -> str:
    return document.rstrip("\n").replace("\n", "\n  ") + "\n"


def write_tree(folder: Path, files: Iterable[str]) -> None:
    """Write files, a hundred in each folder, each folder a kustomization, and the ProxyConfig beside the tree."""
    (folder / "proxy.yaml").write_text(PROXY_CONFIG)
    texts = list(files)
    names = []
    for start in range(0, len(texts), FOLDER):
        part = folder / "tree" / f"part-{start // FOLDER:03}"
        part.mkdir(parents=True)
        inside = []
        for number, text in enumerate(texts[start : start + FOLDER], start):
            (part / f"{number:05}.yaml").write_text(text)
            inside.append(f"{number:05}.yaml")
        write_kustomization(part, inside)
        names.append(part.name)
    write_kustomization(folder / "tree", names)


def write_kustomization(folder: Path, resources: Iterable[str], rest: str = "") -> None:
    """Write a ``kustomization.yaml`` with these resources, and what else it says."""
    listed = "".join(f"- {name}\n" for name in resources)
    head = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n"
    (folder / "kustomization.yaml").write_text(f"{head}resources:\n{listed}{rest}")
