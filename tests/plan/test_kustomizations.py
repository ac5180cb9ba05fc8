"""Objects in builds of kustomize, the judge: each build has what its objects read, once, and its patches fit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

import manifests
from certificates import A
from function_configs import DECLARED, HEAD
from support import contents, inject_proxy, need, run, write

NAME = "inject-proxy-trusted-ca"
TRUST = "  targets: {workloads: {trustedCA: {variables: [SSL_CERT_FILE]}}}\n"
PEM = f"{HEAD}  trustedCA: {{pem: {json.dumps(A)}}}\n{TRUST}"
CORP = json.dumps(manifests.config_map("corp-ca", {"ca-bundle.crt": A}, namespace="org"))
COMPONENT = {"apiVersion": "kustomize.config.k8s.io/v1alpha1", "kind": "Component", "resources": ["app.yaml"]}


def app(name: str, namespace: str = "org") -> str:
    labels = {"app": name}
    chosen = {"fn.inject-proxy.io/trusted-ca": "true"}
    data = manifests.workload(name=name, pod={"labels": labels}, namespace=namespace, annotations=chosen)
    data["spec"]["selector"] = {"matchLabels": labels}
    return json.dumps(data) + "\n"


def kustomization(folder: str, *listed: str, **fields: Any) -> dict[str, str]:
    return {f"{folder}/kustomization.yaml": json.dumps({"resources": [*listed], **fields})}


BASES = {name: content for base in "abc" for name, content in kustomization(base, "app.yaml").items()}
BASES |= {f"{base}/app.yaml": app(base) for base in "abc"}


def ran(folder: Path) -> list[dict[str, Any]]:
    """The warnings of a run; a second one changes nothing."""
    results = []
    for _ in range(2):
        done = inject_proxy("", "run", "--output", "json", cwd=folder)
        assert done.returncode == 0, done.stderr
        results.append((json.loads(done.stdout), contents(folder)))
    assert results[0][1] == results[1][1]
    return [result for result in results[1][0] if result["tags"].get("rule") in ("CertificatesNotSet", "NodesKept")]


def built(folder: Path, path: str) -> list[Any]:
    done = run([need("kustomize"), "build", path], cwd=folder)
    assert done.returncode == 0, done.stderr
    return [*yaml.safe_load_all(done.stdout)]


def identity(obj: Any) -> tuple[str, str, str]:
    return obj["kind"], obj["metadata"].get("namespace", ""), obj["metadata"]["name"]


def read_by(workload: Any) -> tuple[str, str, str]:
    (volume,) = workload["spec"]["template"]["spec"]["volumes"]
    return "ConfigMap", workload["metadata"].get("namespace", ""), volume["configMap"]["name"]


@pytest.mark.parametrize(
    ("files", "lacking"),
    [
        pytest.param(kustomization("r", "../a") | kustomization("s", "../b"), [], id="a base for each root"),
        pytest.param(kustomization("r", "../a", "../b") | kustomization("s", "../b"), [], id="one root has both"),
        pytest.param(kustomization("r", "../a", "../b") | kustomization("s", "../a"), [], id="the other way round"),
        pytest.param(
            kustomization("r", "../a", "../b") | kustomization("s", "../b", "../c"), [], id="one has two roots"
        ),
        pytest.param(
            kustomization("r", "../a", "app.yaml") | {"r/app.yaml": app("r")} | kustomization("s", "../a"),
            [],
            id="a root adds a workload to a base",
        ),
        pytest.param(
            kustomization("r", "m") | kustomization("r/m", "../../a") | kustomization("s", "../r/m", "../b"),
            [],
            id="two levels",
        ),
        pytest.param(
            {**kustomization("r", "../a", components=["../c"]), "c/kustomization.yaml": json.dumps(COMPONENT)},
            [],
            id="a component",
        ),
        pytest.param(kustomization("r", bases=["../a"]) | kustomization("s", bases=["../b"]), [], id="`bases`"),
        pytest.param(
            kustomization("r", "../a", "../b")
            | {f"{base}/app.yaml": app(base, "") for base in "ab"}
            | kustomization("a", "app.yaml", namespace="x")
            | kustomization("b", "app.yaml", namespace="y"),
            [],
            id="two namespaces in one root",
        ),
        pytest.param(
            kustomization("r", "x", "y")
            | kustomization("r/x", "../../a", nameSuffix="-x")
            | kustomization("r/y", "../../a", nameSuffix="-y"),
            [],
            id="one base twice in a root",
        ),
        pytest.param(
            kustomization("r", "../a", "../b")
            | kustomization("s", "../b", "../c")
            | kustomization("t", "../a", "../c"),
            ["s"],
            id="no place is in each root once",
        ),
        pytest.param(
            {"proxy.yaml": f"{HEAD}  trustedCA: {{configMap: {{name: corp-ca, namespace: org}}}}\n{TRUST}"}
            | {"r/ca.yaml": CORP, **kustomization("r", "../a", "ca.yaml"), **kustomization("s", "../a")},
            ["s"],
            id="the ConfigMap of the author is in one root",
        ),
    ],
)
def test_each_root_builds_what_its_objects_read(tmp_path: Path, files: dict[str, str], lacking: list[str]) -> None:
    write(tmp_path, {"proxy.yaml": PEM, **BASES, **files})
    before = contents(tmp_path)
    assert [warning["message"].split('"')[1] for warning in ran(tmp_path)] == lacking
    for root in {"r", "s", "t"} & {path.name for path in tmp_path.iterdir()}:
        objects = built(tmp_path, root)
        there = set(map(identity, objects))
        is_whole = all(read_by(obj) in there for obj in objects if obj["kind"] == "Deployment")
        assert is_whole is (root not in lacking)
    config = tmp_path / "proxy.yaml"
    config.write_bytes(before["proxy.yaml"] + b"  mode: Remove\n")
    ran(tmp_path)
    config.write_bytes(before["proxy.yaml"])
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    ("files", "lacking"),
    [
        pytest.param(
            {"dev/ca.yaml": CORP, "dev/a.yaml": app("a"), "prod/a.yaml": app("a")}, ["prod"], id="two clusters"
        ),
        pytest.param(
            {
                f"{folder}/{name}.yaml": text
                for folder in ("dev", "prod")
                for name, text in (("ca", CORP), ("a", app("a")))
            }
            | {"stage/b.yaml": app("b")},
            ["stage"],
            id="a third one",
        ),
        pytest.param({"infra/ca.yaml": CORP, "apps/a.yaml": app("a")}, [], id="two folders of one cluster"),
        pytest.param(
            kustomization("infra", "ca.yaml") | {"infra/ca.yaml": CORP} | kustomization("r", "../a") | BASES,
            [],
            id="two builds for one cluster",
        ),
        pytest.param(
            {"dev/ca.yaml": CORP, "dev/a.yaml": app("a"), "prod/a.yaml": app("a", "other")}, [], id="another namespace"
        ),
    ],
)
def test_a_folder_without_the_certificates_that_are_named_is_reported(
    tmp_path: Path, files: dict[str, str], lacking: list[str]
) -> None:
    config = f"{HEAD}  trustedCA: {{configMap: {{name: corp-ca, namespace: org}}}}\n{TRUST}"
    warnings = ran(write(tmp_path, {"proxy.yaml": config, **files}))
    assert [warning["message"].split('"')[1] for warning in warnings] == lacking


NODES = [
    manifests.cluster("prod", clusterNetwork={"pods": {"cidrBlocks": ["10.1.0.0/16"]}}),
    manifests.machine_deployment(),
    manifests.config_template(spec={"template": {"spec": {}}}),
]
MERGED = json.dumps(manifests.config_template(spec={"template": {"spec": {"ntp": {"servers": ["a"]}}}}))
OPERATIONS = json.dumps([{"op": "add", "path": "/spec/template/spec/ntp", "value": {"servers": ["a"]}}])
TARGET = {"kind": "KubeadmConfigTemplate", "name": "workers"}


@pytest.mark.parametrize(
    ("fields", "content", "file"),
    [
        pytest.param({"patches": [{"path": "p.yaml"}]}, MERGED, "p.yaml", id="a file"),
        pytest.param({"patches": [{"patch": MERGED}]}, "", "kustomization.yaml", id="inline"),
        pytest.param({"patchesStrategicMerge": ["p.yaml"]}, MERGED, "p.yaml", id="patchesStrategicMerge"),
        pytest.param({"patchesStrategicMerge": [MERGED]}, "", "kustomization.yaml", id="the same inline"),
        pytest.param({"patches": [{"target": TARGET, "path": "p.yaml"}]}, OPERATIONS, "p.yaml", id="a JSON Patch"),
        pytest.param({"patches": [{"target": TARGET, "patch": MERGED}]}, "", "kustomization.yaml", id="a target"),
        pytest.param(
            {"patchesJson6902": [{"target": {"version": "v1beta1", "group": "bootstrap.cluster.x-k8s.io", **TARGET}}]},
            OPERATIONS,
            "p.yaml",
            id="patchesJson6902",
        ),
        pytest.param(
            {"patches": [{"target": {**TARGET, "name": "^(other|workers)$"}, "path": "p.yaml"}]},
            OPERATIONS,
            "p.yaml",
            id="one of several names",
        ),
        pytest.param(
            {"patches": [{"target": {**TARGET, "name": "wor.*"}, "path": "p.yaml"}]}, OPERATIONS, "", id="fits"
        ),
        pytest.param(
            {"patches": [{"target": {"kind": TARGET["kind"]}, "path": "p.yaml"}]}, OPERATIONS, "", id="no name"
        ),
    ],
)
def test_a_template_that_a_patch_names_keeps_its_name(
    tmp_path: Path, fields: dict[str, Any], content: str, file: str
) -> None:
    for entry in fields.get("patchesJson6902", ()):
        entry["path"] = "p.yaml"
    nodes = "".join(f"---\n{json.dumps(obj)}\n" for obj in NODES)
    files = {"proxy.yaml": DECLARED + "  rollout: {hashNames: true}\n"}
    for folder in ("a", "b"):
        files |= {f"{folder}/nodes.yaml": nodes, **kustomization(folder, "nodes.yaml")}
    files |= {**kustomization("a", "nodes.yaml", **fields), **({"a/p.yaml": content} if content else {})}
    warnings = ran(write(tmp_path, files))
    named = [warning["message"] for warning in warnings if "names it" in warning["message"]]
    assert [f"a/{file}" in message for message in named] == ([True] if file else [])
    (patched,) = (obj for obj in built(tmp_path, "a") if obj["kind"] == TARGET["kind"])
    assert patched["spec"]["template"]["spec"]["ntp"]
    assert (patched["metadata"]["name"] == "workers") is bool(file)
    (other,) = (obj for obj in built(tmp_path, "b") if obj["kind"] == TARGET["kind"])
    assert other["metadata"]["name"] != "workers"  # the patch is of another build
