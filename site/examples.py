"""The examples of the playground: stories of testdata as files, one for each system at least."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = (
    ("A configuration repository", "examples/config-repo", "examples/demo/proxy.yaml"),
    ("Nodes: RKE2", "testdata/nodes/rke2/a-cluster-without-a-proxy"),
    ("Nodes: a ClusterClass", "testdata/nodes/classes/groups-and-machine-pools-in-v1beta2"),
    ("Workloads", "testdata/workloads/workloads/chosen-by-label-annotation-and-preset"),
    ("Charts: Flux's HelmReleases", "testdata/charts/charts/forms-of-helm-releases"),
    ("Kyverno policies", "testdata/kyverno/kyverno/sample-of-the-kyverno-project"),
    ("Giant Swarm", "testdata/systems/giantswarm-workload-cluster"),
    ("TKG", "testdata/systems/tkg"),
    ("Nutanix (CAREN)", "testdata/nutanix/nutanix/nutanix-cluster-without-a-proxy"),
    ("Konvoy", "testdata/systems/konvoy"),
    ("OpenShift", "testdata/distributions/openshift/hub-and-its-clusters"),
)
"""Title, and the folder of a golden story; or a folder of manifests, and the file of its ProxyConfig."""
MANIFESTS = "manifests.yaml"


def example(title: str, folder: str, config: str = "") -> dict[str, Any]:
    """Return an example as the page wants it: its files by name, and its ProxyConfig."""
    if config:
        files = {
            file.relative_to(ROOT / folder).as_posix(): file.read_text(encoding="utf-8")
            for file in sorted((ROOT / folder).rglob("*.yaml"))
        }
        return {
            "title": title,
            "files": files,
            "config": (ROOT / config).read_text(encoding="utf-8"),
        }
    manifests, function_config = parts((ROOT / folder / "input.yaml").read_text(encoding="utf-8"))
    return {"title": title, "files": {MANIFESTS: manifests}, "config": function_config}


def parts(text: str) -> tuple[str, str]:
    """Return the items of a ResourceList as documents, and its functionConfig, each with its own lines and comments.

    Args:
        text: a ResourceList in block style.
    """
    root = yaml.compose(text)
    found = {key.value: value for key, value in root.value}
    items = [_lines(text, node) for node in found["items"].value]
    return "---\n".join(items), _lines(text, found["functionConfig"])


def _lines(text: str, node: yaml.Node) -> str:
    """Return the lines of a node, as far to the left as they can be."""
    start, end = node.start_mark, node.end_mark
    first, *others = text[start.index : end.index].rstrip().split("\n")
    indent = " " * start.column
    return "\n".join([first, *(line.removeprefix(indent) for line in others)]) + "\n"
