"""Each system with a field for a proxy is written, or a line names the field."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from krm_fn.clusters.systems import _ALONE as ALONE, _FIELDS as FIELDS, _OF_CLUSTER_API as OF_CLUSTER_API, System
from krm_fn.pipeline import run
from krm_fn.products.distributions import OF_KIND
from support import ROOT, inject_proxy

FOLDER = ROOT.parent / "shared" / "real-inputs" / "systems"
URL = "http://proxy.corp.example:3128"
OLD = "http://old.corp.example:8080"
NAMING = {"NodeSystemUnsupported", "ProxyFieldEmpty", "StaleProxy"}


NAMED = [
    *((("controlplane.cluster.x-k8s.io", kind), system) for kind, system in OF_CLUSTER_API.items()),
    *ALONE.items(),
    *((kind, system) for kind, system in FIELDS.items() if not system.target),
    *((kind, system) for kind, system in FIELDS.items() if system.waits),
]


@pytest.mark.parametrize(("kind", "system"), [pytest.param(kind, one, id=kind[1]) for kind, one in NAMED])
def test_a_line_names_the_field_that_no_run_writes(kind: tuple[str, str], system: System) -> None:
    spec = {"other": {"httpProxy": OLD}} if not system.is_needed else {}

    said = findings(manifest(kind, spec))

    assert len(said) == 1
    assert said[0].code in NAMING
    assert not system.is_needed or (system.place or system.instead) in said[0].message


@pytest.mark.parametrize("kind", [pytest.param(kind, id=kind[1]) for kind, rows in OF_KIND.items() if rows[0].waits])
def test_a_line_names_the_field_that_waits_to_be_asked_for(kind: tuple[str, str]) -> None:
    said = findings(manifest(kind, {}))
    assert [one.code in NAMING and f"`{OF_KIND[kind][0].field}`" in one.message for one in said] == [True]


def manifest(kind: tuple[str, str], spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": f"{kind[0]}/v1",
        "kind": kind[1],
        "metadata": {"name": "prod", "namespace": "d"},
        "spec": spec,
    }


def findings(obj: dict[str, Any]) -> list[Any]:
    config = {
        "apiVersion": "fn.inject-proxy.io/v1alpha1",
        "kind": "ProxyConfig",
        "metadata": {"name": "proxy"},
        "spec": {"httpProxy": URL, "httpsProxy": URL},
    }
    listed = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": [obj], "functionConfig": config}
    outcome = run(json.dumps(listed).encode())
    return [one for one in outcome.results if one.code]


WITHOUT_A_LINE = {
    "argocd-deploy": "a workload: the user selects it",
    "capi-operator": "the deployment of a provider: the user selects it",
    "external-secrets": "a workload: the user selects it",
    "flux-deploy": "a workload: the user selects it",
    "flux-instance": "its kind has no field",
    "gardener": "its kind has no field",
    "ingress-nginx": "a workload: the user selects it",
    "k0smotron-hosted": "a hosted control plane without nodes of its own",
    "metal3-ipa": "its kinds have no field",
    "ocp-install-config": "a file that is no manifest",
    "tekton": "the operator hands on the proxy of its own Deployment, which the user selects",
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
    is_silent = not is_written and b"[warning]" not in done.stderr
    assert is_silent is (path.stem in WITHOUT_A_LINE)
