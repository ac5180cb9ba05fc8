"""`inject-proxy explain` over manifests of two regions, as text and as data."""

from __future__ import annotations

import json
from typing import Any

from function_configs import DECLARED, HEAD
from support import inject_proxy

SECRET = "s3cr3t%21"
CLUSTER = """\
apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata: {name: NAME, namespace: org}
spec:
  clusterNetwork:
    pods: {cidrBlocks: [192.168.0.0/16]}
    services: {cidrBlocks: [10.96.0.0/12]}
  controlPlaneEndpoint: {host: api.NAME.example, port: 6443}
  controlPlaneRef: {apiVersion: controlplane.cluster.x-k8s.io/v1beta1, kind: KubeadmControlPlane, name: NAME-cp}
---
apiVersion: controlplane.cluster.x-k8s.io/v1beta1
kind: KubeadmControlPlane
metadata: {name: NAME-cp, namespace: org}
spec: {kubeadmConfigSpec: {}}
---
"""
BARE = "apiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\nmetadata: {name: NAME, namespace: org}\nspec: {}\n---\n"
TEMPLATE = (
    "apiVersion: bootstrap.cluster.x-k8s.io/v1beta1\nkind: KubeadmConfigTemplate\n"
    "metadata: {name: NAME-md-0, namespace: org, labels: {cluster.x-k8s.io/cluster-name: NAME}}\n"
    "spec: {template: {spec: {}}}\n---\n"
)
WEST = CLUSTER.replace("NAME", "west")
EAST = BARE.replace("NAME", "east") + TEMPLATE.replace("NAME", "east")
CONFIG = f"""{HEAD}\
  httpProxy: http://user:{SECRET}@proxy.west.example:3128
  httpsProxy: http://user:{SECRET}@proxy.west.example:3128
  noProxy: [.corp.example]
  overrides:
  - match: {{clusters: [east]}}
    httpProxy: http://proxy.east.example:3128
    httpsProxy: http://proxy.east.example:3128
    noProxy: [east.corp.example]
"""
MANIFESTS = WEST + EAST + CONFIG
RELEASE = (
    "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: a}\n"
    "spec: {chart: {spec: {chart: podinfo}}}\n---\n"
)


def workload(name: str) -> str:
    return (
        f"apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}}}\n"
        "spec: {template: {spec: {containers: [{name: a, image: x}]}}}\n---\n"
    )


def explained(manifests: str = MANIFESTS, *arguments: str) -> str:
    """Return what the command prints; no password is in it."""
    stream = ["-"] if manifests else []
    done = inject_proxy(manifests, "explain", *stream, *arguments)
    assert done.returncode == 0, done.stderr.decode()
    text = (done.stdout + done.stderr).decode()
    assert SECRET not in text
    return done.stdout.decode()


def answer(manifests: str = MANIFESTS, *arguments: str) -> dict[str, Any]:
    """Return the answer as data."""
    data: dict[str, Any] = json.loads(explained(manifests, "--output", "json", *arguments))
    return data


def fleet(clusters: int, spec: str = "") -> str:
    """So many Clusters, each with networks and an endpoint of its own."""
    texts = [CLUSTER.replace("NAME", f"c{number}").replace("192.168.", f"10.{number}.") for number in range(clusters)]
    return "".join(texts) + DECLARED + spec
