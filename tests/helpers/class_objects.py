"""Lists with a ClusterClass for the tests, and what Cluster API makes of the nodes of each Cluster.

A list is asked for as a user does, through the whole function; the judge is Cluster API itself.
"""

from __future__ import annotations

import atexit
import copy
import functools
import json
import subprocess
from collections.abc import Mapping, Sequence
from typing import Any

import manifests
from function_configs import list_with_config
from krm_fn.pipeline import run as pipeline
from krm_fn.yamledit import read
from manifests import api_version, kubeadm, named
from support import need

PROXY = "http://user:p%40ss@proxy.corp.example:3128"
VERSIONS = ("v1beta1", "v1beta2")
CONTAINERD = "/etc/systemd/system/containerd.service.d/http-proxy.conf"
KUBELET = "/etc/systemd/system/kubelet.service.d/http-proxy.conf"
FILE = {"path": "/etc/motd", "content": "Hello"}


def template(name: str, spec: Any, version: str = "v1beta1") -> dict[str, Any]:
    """A template named ``cp`` is that of the control plane, any other one of workers."""
    kind = "KubeadmControlPlaneTemplate" if name == "cp" else "KubeadmConfigTemplate"
    api = api_version(kind).replace("v1beta1", version)
    return kubeadm(spec, kind, name, api=api, namespace="ns")


def reference(obj: Mapping[str, Any], version: str) -> dict[str, Any]:
    """``ref`` or ``templateRef``, as the version of the class has it."""
    key = "ref" if version == "v1beta1" else "templateRef"
    return {key: {"apiVersion": obj["apiVersion"], "kind": obj["kind"], "name": obj["metadata"]["name"]}}


def cluster_class(version: str, cp: Any, machines: Mapping[str, Any], pools: Mapping[str, Any], **spec: Any) -> Any:
    """A class with a template for its control plane, and one for each class of workers."""
    infrastructure = {"apiVersion": "infrastructure.cluster.x-k8s.io/v1beta2", "metadata": {"name": "x"}}

    def worker(name: str, obj: Mapping[str, Any], kind: str) -> dict[str, Any]:
        machine = {**infrastructure, "kind": kind}
        parts = {"bootstrap": reference(obj, version), "infrastructure": reference(machine, version)}
        return {"class": name, **({"template": parts} if version == "v1beta1" else parts)}

    return named(
        "ClusterClass",
        "class",
        api=f"cluster.x-k8s.io/{version}",
        namespace="ns",
        spec={
            "infrastructure": reference({**infrastructure, "kind": "AWSClusterTemplate"}, version),
            "controlPlane": reference(cp, version),
            "workers": {
                "machineDeployments": [worker(name, obj, "AWSMachineTemplate") for name, obj in machines.items()],
                "machinePools": [worker(name, obj, "AWSMachinePoolTemplate") for name, obj in pools.items()],
            },
            **copy.deepcopy(spec),
        },
    )


def class_and_templates(version: str, cp: Any, md: Any, *clusters: Any, **spec: Any) -> list[Any]:
    """A class, the template of its control plane, that of its workers, and Clusters."""
    plane, workers = template("cp", cp, version), template("md", md, version)
    return [cluster_class(version, plane, {"md": workers}, {}, **spec), plane, workers, *clusters]


def cluster(version: str, name: str = "one", network: Any = None, **topology: Any) -> dict[str, Any]:
    named = {"class": "class"} if version == "v1beta1" else {"classRef": {"name": "class"}}
    topology = {**named, "version": "v1.34.0", **copy.deepcopy(topology)}
    metadata = {"namespace": "ns"}
    return manifests.cluster(name, version=version, metadata=metadata, clusterNetwork=network or {}, topology=topology)


def patch(name: str, version: str, *operations: Any, enabled_if: str = "", md: str = "md") -> dict[str, Any]:
    """A patch of somebody else: an operation on a path with ``kubeadmConfigSpec`` is for the control plane."""
    definitions = []
    for operation in operations:
        is_cp = "kubeadmConfigSpec" in operation["path"]
        group, kind = ("controlplane", "ControlPlane") if is_cp else ("bootstrap", "Config")
        workers = {"machineDeploymentClass": {"names": [md]}}
        selector = {
            "apiVersion": f"{group}.cluster.x-k8s.io/{version}",
            "kind": f"Kubeadm{kind}Template",
            "matchResources": {"controlPlane": True} if is_cp else workers,
        }
        definitions.append({"selector": selector, "jsonPatches": [operation]})
    return {"name": name, **({"enabledIf": enabled_if} if enabled_if else {}), "definitions": definitions}


def add(path: str, value: Any) -> dict[str, Any]:
    return {"op": "add", "path": path, "value": value}


def templated(op: str, path: str, text: str) -> dict[str, Any]:
    return {"op": op, "path": path, "valueFrom": {"template": text}}


def answer(objects: Sequence[Any], **spec: Any) -> tuple[list[Any], list[str]]:
    """The items after a run with ``classes: Patch``, and severity, code and message of errors and warnings."""
    given = spec.pop("targets", {})
    targets = {**given, "nodes": {"classes": "Patch", **given.get("nodes", {})}}
    declared = {"httpProxy": PROXY, "httpsProxy": PROXY, "noProxy": ".corp.example", "targets": targets, **spec}
    outcome = pipeline.run(list_with_config(declared, *objects))
    reported = [
        f"{one.severity.value} {one.code}: {one.message}" for one in outcome.results if one.severity.value != "info"
    ]
    return read(outcome.output.decode())["items"], reported


def judged(objects: Sequence[Any], name: str) -> dict[str, Any]:
    """The configuration of each sort of nodes of a Cluster, as Cluster API makes it out of class and templates."""
    by_kind = {obj["kind"]: obj for obj in objects if obj["kind"] == "ClusterClass"}
    (one,) = (obj for obj in objects if obj["kind"] == "Cluster" and obj["metadata"]["name"] == name)
    templates = {obj["metadata"]["name"]: obj for obj in objects if obj["kind"].endswith("Template")}
    asked = {"class": by_kind["ClusterClass"], "cluster": one, "templates": templates}
    said = json.loads(_answer_of_the_engine(json.dumps(asked, ensure_ascii=False)))
    assert said["errors"] == []
    made = {name: node["spec"]["template"]["spec"] for name, node in said["nodes"].items()}
    return {name: spec.get("kubeadmConfigSpec", spec) for name, spec in made.items()}


def _answer_of_the_engine(question: str) -> str:
    engine = _engine(need("cluster-class"))
    assert engine.stdin
    assert engine.stdout
    engine.stdin.write(f"{question}\n")
    engine.stdin.flush()
    return engine.stdout.readline()


@functools.cache
def _engine(path: str) -> subprocess.Popen[str]:
    """The engine, which answers questions until the tests end: hundreds of starts took most of its time."""
    engine = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
    atexit.register(engine.communicate)
    return engine


def of_kind(items: Sequence[Any], kind: str) -> Any:
    return next(item for item in items if item["kind"] == kind)


def contents(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Path -> content of the files of a KubeadmConfigSpec; a path stands there once."""
    files = spec.get("files") or []
    found = {file["path"]: file.get("content", file.get("contentFrom")) for file in files}
    assert len(found) == len(files)
    return found
