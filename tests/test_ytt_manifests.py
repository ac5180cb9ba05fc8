"""Manifests that ytt makes: a run leaves alone what code computes, writes the rest, and ytt judges the result."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from krm_fn.krm.file_changes import changed_files
from krm_fn.krm.manifests import Manifests
from krm_fn.krm.results import Result, Severity
from krm_fn.pipeline import FunctionConfig, run, run_list
from krm_fn.plan.sources import Objects
from support import need
from support import run as run_tool

SPEC: dict[str, Any] = {
    "httpProxy": "http://svc:hunter2@proxy:3128",
    "noProxy": ["ours.example"],
    "targets": {"workloads": {"conflict": "Override", "workloads": [{"kinds": ["Deployment", "StatefulSet"]}]}},
}
LOAD = '#@ load("@ytt:data", "data")\n---\n'
VALUES = "#@data/values\n---\nPROXY: http://of-ytt:1\nCONTAINERS: []\nNAMES: {a: b}\nCOMMAND: echo\nWANTED: true\n"
WORKLOAD = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec:
      containers:
      - name: web
        image: web
"""
TEMPLATE = """\
apiVersion: bootstrap.cluster.x-k8s.io/v1beta1
kind: KubeadmConfigTemplate
metadata:
  name: md
spec:
  template:
    spec:
"""
DEPLOYMENT = """\
apiVersion: cluster.x-k8s.io/v1beta1
kind: MachineDeployment
metadata: {name: md}
spec:
  clusterName: c
  template:
    spec:
      bootstrap:
        configRef: {apiVersion: bootstrap.cluster.x-k8s.io/v1beta1, kind: KubeadmConfigTemplate, name: md}
"""
ENV = "        env:\n        - name: HTTP_PROXY\n          value: #@ data.values.PROXY\n"


def edited(text: str, mode: str = "Inject", **spec: Any) -> tuple[str, list[Result]]:
    """The text of a file after a run, and what the run reports."""
    files = Manifests({"file.yaml": text.encode()})
    config = {
        "apiVersion": "fn.inject-proxy.io/v1alpha1",
        "kind": "ProxyConfig",
        "metadata": {"name": "p"},
        "spec": {**SPEC, "mode": mode, **spec},
    }
    outcome = run_list(files, FunctionConfig(config), Objects(files))
    assert outcome.exit_code == 0, outcome.results
    changed = {file.name: file.new for file in changed_files(files, outcome.changes)}
    return (changed.get("file.yaml") or text.encode()).decode(), list(outcome.results)


def codes(results: list[Result]) -> list[str]:
    """The codes of what it reports, but for the rules of the linter."""
    said = [one for one in results if one.severity is not Severity.INFO and not one.code.startswith("NP")]
    return sorted({one.code for one in said})


def rendered(text: str, folder: Path) -> list[Any]:
    (folder / "file.yaml").write_text(text)
    (folder / "values.yaml").write_text(VALUES)
    done = run_tool([need("ytt"), "-f", folder / "file.yaml", "-f", folder / "values.yaml"])
    assert done.returncode == 0, done.stderr
    return [one for one in yaml.safe_load_all(done.stdout) if one]


COMPUTED = [
    pytest.param(
        "apiVersion: run.tanzu.vmware.com/v1alpha3\nkind: KappControllerConfig\nmetadata: {name: c-kapp-controller}\n"
        "spec:\n  kappController:\n    config:\n      httpProxy: #@ data.values.PROXY\n"
        "      noProxy: #@ data.values.PROXY\n",
        ["YttCode"],
        id="the values of an object",
    ),
    pytest.param(WORKLOAD + ENV, ["YttCode"], id="the variable of a container"),
    pytest.param(WORKLOAD + "        env: #@ data.values.CONTAINERS\n", ["YttCode"], id="all variables"),
    pytest.param(
        WORKLOAD.replace("metadata: {name: web}", "metadata:\n  name: web\n  annotations: #@ data.values.NAMES"),
        ["YttCode"],
        id="the annotations, of which a run sets one",
    ),
    pytest.param(
        TEMPLATE + "      files: #@ data.values.CONTAINERS\n      preKubeadmCommands: #@ data.values.CONTAINERS\n",
        ["YttCode"],
        id="the files and commands of nodes",
    ),
    pytest.param(
        WORKLOAD + "        #@ if data.values.WANTED:\n        env: []\n        #@ end\n",
        ["YttCode"],
        id="a field that is there on a condition",
    ),
]


@pytest.mark.parametrize("mode", ["Inject", "Remove", "Check"])
@pytest.mark.parametrize(("body", "expected"), COMPUTED)
def test_what_ytt_computes_keeps_its_bytes(body: str, expected: list[str], mode: str) -> None:
    text, results = edited(LOAD + body, mode)

    assert text == LOAD + body
    if mode != "Remove":  # it says so only where there is something to remove
        assert codes(results) == expected
    assert not [one for one in results if "hunter2" in str(one.to_data())]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(
            WORKLOAD.replace("web\n        image: web", "web\n        image: #@ data.values.PROXY"), id="another value"
        ),
        pytest.param(WORKLOAD + "        env: []\n", id="what is empty is filled below a comment that ytt takes"),
        pytest.param(f"{WORKLOAD}#@ if data.values.WANTED:\n---\n{DEPLOYMENT}#@ end\n", id="a document on a condition"),
        pytest.param(
            TEMPLATE + "      files:\n      - path: /a\n        content: #@ data.values.COMMAND\n", id="another file"
        ),
        pytest.param(TEMPLATE + "      preKubeadmCommands:\n      - #@ data.values.COMMAND\n", id="another command"),
    ],
)
def test_beside_code_ytt_takes_what_a_run_writes_and_removal_gives_it_back(body: str, tmp_path: Path) -> None:
    text, results = edited(LOAD + body)
    nodes, _ = edited(LOAD + re.sub(r"#@ data.*", "of-ytt", body))  # what it writes without code
    of_ytt, without = rendered(text, tmp_path), rendered(nodes, tmp_path)

    said = [one.message for one in results if one.code == "YttCode"]
    assert all("neither reads nor changes it" in message for message in said)
    assert edited(text)[0] == text
    assert edited(text, "Remove")[0] == LOAD + body
    assert text.count("proxy:3128") == nodes.count("proxy:3128") > 0
    assert len(of_ytt) == len(without)
    assert str(of_ytt).count("proxy:3128") == str(without).count("proxy:3128")


def test_a_template_that_ytt_computes_a_part_of_keeps_its_name() -> None:
    nodes = TEMPLATE + "      files:\n      - path: /a\n        content: #@ data.values.COMMAND\n"
    text, results = edited(f"{LOAD}{nodes}---\n{DEPLOYMENT}", rollout={"hashNames": True})

    assert "NameKept" in codes(results)
    assert "name: md\n" in text


OVERLAY = '#@ load("@ytt:overlay", "overlay")\n#@overlay/match by=overlay.subset({"kind": "%s"})\n---\n'
NODES = OVERLAY % "KubeadmConfigTemplate" + TEMPLATE
VARIABLES = OVERLAY % "KappControllerConfig" + (
    "apiVersion: run.tanzu.vmware.com/v1alpha3\nkind: KappControllerConfig\nspec:\n  kappController:\n"
    "    config:\n      httpProxy: http://old:1\n"
)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            NODES + '      preKubeadmCommands:\n      #@overlay/append\n      - #@ "echo {}".format(1)\n',
            id="with an item that is code",
        ),
        pytest.param(NODES + "      preKubeadmCommands:\n      #@overlay/append\n      - echo\n", id="with an item"),
        pytest.param(VARIABLES, id="in which two members are missing"),
    ],
)
def test_an_overlay_gets_nothing_new_and_stops_nothing_else(text: str) -> None:
    after, results = edited(f"{text}---\n{WORKLOAD}")

    assert after.startswith(text)
    assert after.count("proxy:3128") > 0
    assert codes(results) == ["YttCode"]


def test_a_value_of_an_overlay_is_changed_and_ytt_takes_it(tmp_path: Path) -> None:
    overlay = VARIABLES + "      httpsProxy: http://old:1\n      noProxy: old.example\n"
    base = overlay.replace(OVERLAY % "KappControllerConfig", "").replace("old", "older")
    after, results = edited(overlay)
    (tmp_path / "base.yaml").write_text(base)
    (tmp_path / "overlay.yaml").write_text(after)
    done = run_tool([need("ytt"), "-f", tmp_path / "base.yaml", "-f", tmp_path / "overlay.yaml"])

    assert codes(results) == ["NoProxyReplaced"]
    assert yaml.safe_load(done.stdout)["spec"]["kappController"]["config"]["httpProxy"] == SPEC["httpProxy"]


def test_an_item_of_a_resource_list_is_guarded_in_each_layout() -> None:
    item = yaml.safe_dump({"spec": SPEC}, indent=2).replace("\n", "\n  ").rstrip()
    head = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nfunctionConfig:\n"
    head += f"  apiVersion: fn.inject-proxy.io/v1alpha1\n  kind: ProxyConfig\n  {item}\n"
    body = (WORKLOAD + ENV).replace("\n", "\n  ").rstrip()
    other = WORKLOAD.replace("name: web}", "name: other}").replace("\n", "\n  ").rstrip()
    for layout in (f"{head}items:\n- {body}\n- {other}\n", f"{head}items:\n- {body}\n- {other}"):
        outcome = run(layout.encode())
        assert outcome.output.decode().count(f"- {body}\n") == 1
        assert outcome.output.decode().count("proxy:3128") > 1
        assert "YttCode" in codes(list(outcome.results))
