"""The part of the GitHub action that says which nodes Cluster API replaces (`action/nodes.py`)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from support import ROOT

sys.path.insert(0, str(ROOT / "action"))
import nodes

TEMPLATE = """\
kind: KubeadmConfigTemplate
metadata: {name: workers, namespace: org}
spec: {template: {spec: {files: []}}}
"""
WORKERS = """\
kind: MachineDeployment
metadata: {name: md, namespace: org}
spec:
  replicas: 3
  template:
    spec:
      version: v1.32.0
      bootstrap: {configRef: {kind: KubeadmConfigTemplate, name: workers}}
"""
CLASS = """\
kind: ClusterClass
metadata: {name: class, namespace: org}
spec: {workers: {machineDeployments: [{template: {bootstrap: {ref: {kind: KubeadmConfigTemplate, name: workers}}}}]}}
"""
CONTROL_PLANE = """\
kind: KubeadmControlPlane
metadata: {name: cp, namespace: org}
spec: {replicas: 3, version: v1.32.0, kubeadmConfigSpec: {files: []}}
"""
CLUSTER = """\
kind: Cluster
metadata: {name: c, namespace: org}
spec: {topology: {variables: []}}
"""
FILE = ("files: []", "files: [{path: /a}]")


def compared(folder: Path, text: str, *changes: tuple[str, str]) -> nodes.NodeChanges:
    """What the changes of a text, file `a.yaml` of two folders, mean for nodes."""
    after = text
    for old, new in changes:
        assert old in after
        after = after.replace(old, new)
    for name, content in (("before", text), ("after", after)):
        (folder / name).mkdir()
        (folder / name / "a.yaml").write_text(content)
        (folder / name / "chart.yaml").write_text("a: {{ .Values.a }}\n")
    return nodes.compare(nodes.objects_in(folder / "before"), nodes.objects_in(folder / "after"))


@pytest.mark.parametrize(
    ("text", "change", "replaced"),
    [
        pytest.param(CONTROL_PLANE, FILE, ["KubeadmControlPlane"], id="files of a control plane"),
        pytest.param(CONTROL_PLANE, ("replicas: 3", "replicas: 5"), [], id="only more machines"),
        pytest.param(WORKERS, ("name: workers", "name: workers-1"), ["MachineDeployment"], id="another template"),
        pytest.param(WORKERS, ("replicas: 3", "replicas: 5"), [], id="only more workers"),
        pytest.param(WORKERS, ("kind: MachineDeployment", "kind: MachinePool"), [], id="a new object"),
        pytest.param(CLUSTER, ("variables: []", "variables: [{name: a}]"), ["Cluster"], id="a variable of a topology"),
        pytest.param(f"{TEMPLATE}---\n{CLASS}", FILE, ["ClusterClass"], id="a template of a ClusterClass"),
        pytest.param(
            f"kind: List\nitems: [{{{CONTROL_PLANE.replace(chr(10), ', ')[:-2]}}}]",
            FILE,
            ["KubeadmControlPlane"],
            id="a list",
        ),
    ],
)
def test_the_nodes_that_are_replaced(tmp_path: Path, text: str, change: tuple[str, str], replaced: list[str]) -> None:
    changes = compared(tmp_path, text, change)
    assert [key.kind for key in changes.replaced] == replaced
    assert changes.kept == {}


def test_workers_keep_what_they_have_where_the_template_keeps_its_name(tmp_path: Path) -> None:
    changes = compared(tmp_path, f"{TEMPLATE}---\n{WORKERS}", FILE)
    assert changes.replaced == {}
    assert [(str(key), why) for key, why in changes.kept.items()] == [
        (
            "`MachineDeployment/org/md` in `a.yaml`",
            "the content of `KubeadmConfigTemplate/workers` changes, and its name does not",
        )
    ]


def test_workers_that_are_replaced_for_another_reason_keep_nothing(tmp_path: Path) -> None:
    changes = compared(tmp_path, f"{TEMPLATE}---\n{WORKERS}", FILE, ("v1.32.0", "v1.33.0"))
    assert [key.kind for key in changes.replaced] == ["MachineDeployment"]
    assert changes.kept == {}


def test_no_name_can_end_the_code_that_it_is_shown_in(tmp_path: Path) -> None:
    text = CONTROL_PLANE.replace("name: cp", 'name: "cp` @everyone `\\n# big"')
    (key,) = compared(tmp_path, text, FILE).replaced
    assert str(key) == "`KubeadmControlPlane/org/cp' @everyone ' # big` in `a.yaml`"
