"""The recipes of docs/systems.md do something with the manifests of their systems, and nothing in a second run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from krm_fn.config import API_VERSION, KIND
from krm_fn.pipeline.run import run
from manifests import named
from markdown import code
from support import ROOT

PAGE = (ROOT / "docs" / "systems.md").read_text(encoding="utf-8")
URL = "http://proxy.corp.example:3128"
SECRET_VALUES = named(
    "Secret",
    "secret-values",
    annotations={"config.kubernetes.io/local-config": "true"},
    stringData={
        "secret-values.yaml.patch": (
            "proxy:\n  noProxy: example.com\n"
            "  http: http://proxy.corp.example:3128\n  https: http://proxy.corp.example:3128\n"
        )
    },
)
RECIPES = [
    pytest.param("Cluster API", "nodes/containerd/every-kind-in-every-version", id="kubeadm"),
    pytest.param("TKG", "systems/tkg", id="tkg"),
    pytest.param("Giant Swarm", "systems/giantswarm-workload-cluster", id="workload-cluster"),
    pytest.param("Giant Swarm", "systems/giantswarm-management-cluster", id="management-cluster"),
    pytest.param("Konvoy", "systems/konvoy", id="konvoy"),
    pytest.param("CAREN", "nutanix/nutanix/a-mirror-of-another-registry", id="caren"),
    pytest.param("Controllers", "workloads/workloads/chosen-by-label-annotation-and-preset", id="controllers"),
    pytest.param("Kyverno", "kyverno/kyverno/foreach-in-the-legacy-form", id="kyverno"),
]


def recipe(title: str) -> dict[str, Any]:
    """Return the ProxyConfig in a section of the page, or the one that the section completes."""
    (text,) = code(PAGE, "yaml", title)
    config: dict[str, Any] = yaml.safe_load(text)
    if "kind" in config:
        return config
    spec = {"httpProxy": URL, "httpsProxy": URL, "noProxy": [".corp.example"], **config["spec"]}
    return {"apiVersion": API_VERSION, "kind": KIND, "metadata": {"name": "proxy"}, "spec": spec}


def resource_list(folder: Path, config: dict[str, Any]) -> bytes:
    given = yaml.safe_load((folder / "input.yaml").read_text(encoding="utf-8"))
    items = [*given["items"], *([SECRET_VALUES] if "from" in config["spec"] else [])]
    return yaml.safe_dump({**given, "items": items, "functionConfig": config}).encode()


@pytest.mark.parametrize(("title", "story"), RECIPES)
def test_a_recipe_writes_the_proxy_of_its_system(title: str, story: str) -> None:
    config = recipe(title)
    before = resource_list(ROOT / "testdata" / story, config)
    once = run(before)
    assert once.exit_code == 0, once.output.decode()
    changed, given = (yaml.safe_load(text)["items"] for text in (once.output, before))
    assert changed != given
    assert "http://proxy" in yaml.safe_dump([item for item in changed if item not in given])
    assert yaml.safe_load(run(once.output).output)["items"] == changed


def test_each_recipe_is_tried() -> None:
    with_config = {
        section.partition("\n")[0]
        for section in re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]
        if "```yaml\n" in section
    }
    assert with_config == {recipe.values[0] for recipe in RECIPES}
