"""The part of the GitHub action that says which nodes Cluster API replaces (`action/nodes.py`)."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from support import ROOT, run

sys.path.insert(0, str(ROOT / "action"))
import nodes
import report

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
SCHEMA = """\
kind: CustomResourceDefinition
metadata: {name: machines.example.com}
spec:
  properties:
    kind: {type: string}
    name: {type: string}
    reference: {kind: KubeadmConfigTemplate, name: workers, namespace: {type: string}}
---
kind: {type: string}
metadata: {name: a}
---
kind: KubeadmConfigTemplate
metadata: {name: {type: string}, namespace: {type: string}}
"""


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


def test_no_name_can_end_the_code_that_it_is_shown_in(tmp_path: Path) -> None:
    text = CONTROL_PLANE.replace("name: cp", 'name: "cp` @everyone `\\n# big"')
    (key,) = compared(tmp_path, text, FILE).replaced
    assert str(key) == "`KubeadmControlPlane/org/cp' @everyone ' # big` in `a.yaml`"


def test_the_schema_of_a_definition_refers_to_no_template(tmp_path: Path) -> None:
    changes = compared(tmp_path, f"{SCHEMA}---\n{TEMPLATE}---\n{CLASS}", FILE)
    assert [key.kind for key in changes.replaced] == ["ClusterClass"]


BOMB = "kind: {kind}\nmetadata: {{name: a}}\nspec:\n  x0: &x0 [a, a]\n" + "".join(
    f"  x{level}: &x{level} [*x{level - 1}, *x{level - 1}]\n" for level in range(1, 40)
)
DEEP = CONTROL_PLANE.replace("files: []", f"a: {'[' * 400}b{']' * 400}")
HARMFUL = {
    "aliases that double forty times": BOMB.format(kind="ConfigMap"),
    "the same in a ClusterClass": BOMB.format(kind="ClusterClass"),
    "an alias of what it is in": CLASS.replace("spec: ", "spec: &a ").replace("[{template", "[*a, {template"),
    "lists in four hundred lists": DEEP.replace("name: cp", "name: other"),
}


@pytest.mark.parametrize("text", [pytest.param(text, id=case) for case, text in HARMFUL.items()])
def test_no_file_makes_the_report_of_others_hang_or_fail(tmp_path: Path, text: str) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    for folder, version in ((before, "v1.32.0"), (after, "v1.33.0")):
        folder.mkdir()
        (folder / "harmful.yaml").write_text(text.replace("v1.32.0", version))
        (folder / "good.yaml").write_text(CONTROL_PLANE.replace("v1.32.0", version))
    (after / "endless.yaml").symlink_to("/dev/zero")
    os.mkfifo(after / "pipe.yaml")
    (after / "large.yaml").touch()
    os.truncate(after / "large.yaml", nodes.LARGEST + 1)
    (tmp_path / "results.json").write_text("[]")
    done = run([sys.executable, "-I", ROOT / "action", tmp_path])
    assert done.returncode == 0, done.stderr.decode()
    assert "- `KubeadmControlPlane/org/cp` in `good.yaml`: `spec.version` changes\n" in done.stdout.decode()


# the report


def a_report(files: dict[str, str]) -> str:
    return report.report({"results.json": "[]\n", **files}, nodes.NodeChanges())


def finding(message: str, rule: str = "FactsUnknown") -> str:
    ref = {"apiVersion": "v1", "kind": "MachineDeployment", "name": "md"}
    return json.dumps([{"message": message, "severity": "warning", "resourceRef": ref, "tags": {"rule": rule}}])


def test_files_are_counted_by_what_is_due_and_not_by_headers_of_the_diff() -> None:
    """A grouped diff has no header for a file whose hunks are all in another one."""
    due = [
        {"message": "a", "severity": "error", "tags": {"rule": rule}, "file": {"path": path}}
        for rule, path in [("ProxyMissing", "a.yaml"), ("ProxyMissing", "a.yaml"), ("ProxyMissing", "b.yaml")]
    ]
    due.append({**due[0], "tags": {"rule": "FactsUnknown"}, "file": {"path": "c.yaml"}})
    diff = "--- a/a.yaml\n+++ b/a.yaml\n@@ line 1 @@\n+++ b/x.yaml\n= the same in 1 more: b.yaml\n"
    assert "2 files would change." in a_report({"changes.diff": diff, "results.json": json.dumps(due)})


@pytest.mark.parametrize("rule", ["FactsUnknown", "NodesKept"])
def test_no_message_is_markdown(rule: str) -> None:
    message = 'name "</details> <img src=x> @octocat #1 [a](http://b.example) **b**" in `spec.a` of `a'
    text = a_report({"results.json": finding(message, rule)})
    (line,) = [line for line in text.splitlines() if "octocat" in line]
    assert line == (
        r"- `MachineDeployment/md`: name \"\<\/details\> \<img src\=x\> "
        "\\@\u200boctocat \\#\u200b1 "
        r"\[a\]\(http\:\/\/b\.example\) \*\*b\*\*\" in `spec.a` of \'a"
    )
