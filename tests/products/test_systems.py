"""Each system with a field for a proxy is written, or a line names the field."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from krm_fn.pipeline.run import run
from krm_fn.products.distributions import OF_KIND
from manifests import named
from support import ROOT, inject_proxy

FOLDER = ROOT.parent / "shared" / "real-inputs" / "systems"
URL = "http://proxy.corp.example:3128"
OLD = "http://old.corp.example:8080"
CONTROL_PLANE = "controlplane.cluster.x-k8s.io"


@pytest.mark.parametrize(
    ("kind", "field"),
    [
        pytest.param((CONTROL_PLANE, "MicroK8sControlPlane"), "`initConfiguration.httpProxy`", id="MicroK8s"),
        pytest.param((CONTROL_PLANE, "GKEConfig"), "no field", id="GKE"),
        pytest.param(("karpenter.k8s.aws", "EC2NodeClass"), "`spec.userData`", id="Karpenter"),
        *(
            pytest.param(kind, "` to true", id=f"{kind[1]}, which waits to be asked for")
            for kind, rows in OF_KIND.items()
            if any(row.is_immutable for row in rows)
        ),
    ],
)
def test_a_line_names_the_field_that_no_run_writes(kind: tuple[str, str], field: str) -> None:
    (line,) = findings(manifest(kind, {}))

    assert line.code == "NodesWithoutProxy"
    assert field in line.message


@pytest.mark.parametrize(
    ("group", "kind"),
    [
        ("addon.open-cluster-management.io", "AddOnDeploymentConfig"),
        ("config.open-cluster-management.io", "KlusterletConfig"),
        ("helm.cattle.io", "HelmChart"),
    ],
)
def test_a_line_names_another_proxy_in_a_field_that_no_run_writes(group: str, kind: str) -> None:
    assert findings(manifest((group, kind), {})) == []
    (line,) = findings(manifest((group, kind), {"other": {"httpProxy": OLD}}))

    assert line.code == "OtherProxy"


def manifest(kind: tuple[str, str], spec: Any) -> dict[str, Any]:
    return named(kind[1], "prod", api=f"{kind[0]}/v1", namespace="d", spec=spec)


def findings(obj: dict[str, Any]) -> list[Any]:
    config = named("ProxyConfig", "proxy", spec={"httpProxy": URL, "httpsProxy": URL})
    listed = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": [obj], "functionConfig": config}
    outcome = run(json.dumps(listed).encode())
    return [one for one in outcome.results if one.code]


WITHOUT_A_LINE = {
    "capa-ignition": "what sets up its machines gets the proxy",
    "capi-operator": "the deployment of a provider: the user selects it",
    "cdi": "its field is no node, workload or chart, and holds no proxy",
    "gardener": "its kind has no field",
    "k0smotron-hosted": "a hosted control plane without nodes of its own",
    "ocp-install-config": "a file that is no manifest",
    "olm-subscription": "no system that is written, and no proxy in it",
    "trident-ack-pod-identity": "its kind has no field",
}
"""Name of a public manifest -> why a run neither writes there nor says anything."""


@pytest.mark.parametrize(
    "path", sorted(FOLDER.glob("*.yaml")) or [None], ids=lambda path: path.stem if path else "none"
)
def test_a_public_manifest_is_written_or_a_line_names_its_field(path: Path | None, tmp_path: Path) -> None:
    if path is None:
        pytest.skip("the public manifests of systems are not beside this checkout (../shared/real-inputs/systems)")
    copy = tmp_path / path.name
    copy.write_bytes(path.read_bytes())
    config = tmp_path / "config" / "proxy.yaml"
    config.parent.mkdir()
    config.write_text(
        "apiVersion: fn.inject-proxy.io/v1alpha1\nkind: ProxyConfig\nmetadata: {name: proxy}\n"
        f"spec: {{httpProxy: '{URL}', httpsProxy: '{URL}'}}\n"
    )

    done = inject_proxy(b"", "run", "--config", str(config), str(copy))

    is_written = copy.read_bytes() != path.read_bytes()
    is_silent = not is_written and b"[warning]" not in done.stderr and b"\n  left " not in done.stderr
    assert is_silent is (path.stem in WITHOUT_A_LINE)
