"""Code of ytt: a text that holds any stays as it is, and data values that were edited are read by ytt itself.

A document of defaults comes first, as in the package of an add-on, so that ``#@overlay/match-child-defaults
missing_ok=True`` does its work.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from all_targets import TARGETS
from krm_fn.formats.left_alone import has_code
from krm_fn.krm.manifests import Manifests
from krm_fn.krm.resourcelist import function_config
from krm_fn.krm.results import Result
from krm_fn.patch import lookup
from krm_fn.pipeline import run as pipeline
from krm_fn.pipeline.run import run_list
from krm_fn.plan.sources import Objects
from krm_fn.settings import ProxySettings
from manifests import named
from proposals import apply, findings
from stories import TESTDATA, items, meaning, removing
from support import need, run

CPI, KAPP = TARGETS["tkg.vsphereCPI"], TARGETS["tkg.kappController"]
NAMES = {
    "vsphereCPI": ("http_proxy", "https_proxy", "no_proxy"),
    "vsphereCSI": ("http_proxy", "https_proxy", "no_proxy"),
    "kappController.config": ("httpProxy", "httpsProxy", "noProxy"),
    "": ("http_proxy", "https_proxy", "no_proxy"),
}
"""Where the data values of an add-on keep the three; "" is the root."""

TKG = ["http://asdf", "https://asdf2", ".svc.cluster.local,.svc,localhost,127.0.0.1,100.64.0.0/13,100.96.0.0/11"]
"""The strings of the TKG document."""

DEFAULTS = "#@data/values\n---\nname: default\n"
TEMPLATE = '#@ load("@ytt:data", "data")\n---\nvalues: #@ data.values\n'

STORIES = [
    pytest.param("tkg/vsphereCPI/data-values-of-a-cluster", "vsphereCPI", TKG, id="vSphere CPI"),
    pytest.param("tkg/vsphereCSI/data-values-of-a-cluster", "vsphereCSI", TKG, id="vSphere CSI"),
    pytest.param(
        "tkg/kappController/windows-line-endings-and-certificates",
        "kappController.config",
        TKG,
        id="kapp-controller, in base64 and with the line endings of Windows",
    ),
    pytest.param("tkg/pinniped/management-cluster-with-oidc", "", TKG, id="Pinniped"),
]


def data_values(output: bytes) -> Iterator[str]:
    """The text of ``values.yaml`` of each Secret in a list."""
    for obj in map(meaning, items(output)):
        for field in ("stringData", "data") if obj["kind"] == "Secret" else ():
            text = lookup(obj, (field, "values.yaml"))
            if text is not None:
                yield text if field == "stringData" else base64.b64decode(text).decode()


def ytt(text: str, folder: Path) -> Mapping[str, Any]:
    """What a template sees of the data values ``text``."""
    for name, content in {"defaults.yaml": DEFAULTS, "values.yaml": text, "template.yaml": TEMPLATE}.items():
        (folder / name).write_bytes(content.encode())
    files = [word for name in ("defaults.yaml", "values.yaml", "template.yaml") for word in ("-f", folder / name)]
    done = run([need("ytt"), *files])
    assert done.returncode == 0, done.stderr.decode()
    seen: Mapping[str, Any] = yaml.safe_load(done.stdout)["values"]
    return seen


def proxy(values: Mapping[str, Any], where: str) -> list[Any]:
    """The three values; None for one that is not there."""
    path = where.split(".") if where else []
    return [lookup(values, (*path, name)) for name in NAMES[where]]


def rest(values: Mapping[str, Any]) -> Any:
    """What is not the proxy, nor a mapping that holds nothing else."""
    names = {name for of_one in NAMES.values() for name in of_one}
    kept = {key: rest(value) if isinstance(value, dict) else value for key, value in values.items() if key not in names}
    return {key: value for key, value in kept.items() if value != {}}


@pytest.mark.judged
@pytest.mark.parametrize(("story", "where", "wanted"), STORIES)
def test_ytt_reads_the_proxy_and_what_was_there(story: str, where: str, wanted: list[str], tmp_path: Path) -> None:
    before = (TESTDATA / story / "input.yaml").read_bytes()
    texts = list(data_values(pipeline.run(before).output))

    assert texts
    for old, new in zip(data_values(before), texts, strict=True):
        seen = ytt(new, tmp_path)
        assert proxy(seen, where) == wanted
        assert rest(seen) == rest(ytt(old, tmp_path))
        assert seen["name"] == "default"


@pytest.mark.judged
@pytest.mark.parametrize(("story", "where", "wanted"), STORIES)
def test_ytt_reads_no_proxy_after_removal(story: str, where: str, wanted: list[str], tmp_path: Path) -> None:
    once = pipeline.run((TESTDATA / story / "input.yaml").read_bytes()).output
    texts = list(data_values(pipeline.run(removing(once)).output))

    assert texts
    for text in texts:
        assert not any(value in wanted for value in proxy(ytt(text, tmp_path), where))


@pytest.mark.judged
def test_of_several_documents_ytt_takes_the_last(tmp_path: Path) -> None:
    story = TESTDATA / "tkg" / "vsphereCSI" / "several-documents-and-values-that-ytt-computes"
    (text,) = data_values(pipeline.run((story / "input.yaml").read_bytes()).output)

    values = ytt(text, tmp_path)["vsphereCSI"]

    assert values["https_proxy"] == "http://proxy.corp.example:3128"
    assert values["no_proxy"].startswith("vcenter.corp.example,")
    assert (values["server"], values["provisionTimeout"]) == ("10.180.80.2", "300s")


# Data values in which nothing was.

HEADER = "#@data/values\n#@overlay/match-child-defaults missing_ok=True\n---\n"
NEW = ProxySettings("http://new:1", "http://new:2", "x,y")


@pytest.mark.judged
@pytest.mark.parametrize("header", ["#@data/values\n", HEADER, "---\n#@data/values\n"])
def test_ytt_reads_data_values_below_whatever_header_they_were_begun(header: str, tmp_path: Path) -> None:
    text = apply(CPI, addon("vsphere-cpi", header), NEW)["stringData"]["values.yaml"]
    if "missing_ok" not in header:
        text = text.replace("#@data/values\n", "#@data/values\n#@overlay/match-child-defaults missing_ok=True\n")

    assert proxy(ytt(text, tmp_path), "vsphereCPI") == ["http://new:1", "http://new:2", "x,y"]


def addon(name: str, text: str) -> dict[str, Any]:
    """A Secret with data values of an add-on."""
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"labels": {"tkg.tanzu.vmware.com/addon-name": name}},
        "type": "tkg.tanzu.vmware.com/addon",
        "stringData": {"values.yaml": text},
    }


def after(text: str, wanted: ProxySettings) -> str:
    """The data values of kapp-controller after a run of its target."""
    obj = addon("kapp-controller", text)
    assert findings(KAPP, obj, wanted) == []
    return str(apply(KAPP, obj, wanted)["stringData"]["values.yaml"])


def without_proxy(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values with ``kappController.config`` as it is without our three members, null and nothing alike."""
    kapp = values["kappController"] or {}
    config = {key: value for key, value in (kapp.get("config") or {}).items() if key not in CAMEL_NAMES}
    return {**values, "kappController": {**kapp, "config": config}}


CAMEL_NAMES = NAMES["kappController.config"]
EMPTY = ["", " ~", " null", " {}", " { }", " #! ours", " ~  #! ours", "  {} #! ours", " !!null", " &a {}"]
AROUND = [
    pytest.param("kappController:\n  namespace: x\n  config:{}\n", id="the last member"),
    pytest.param("kappController:\n  config:{}\n  namespace: x\n", id="another one below it"),
    pytest.param("kappController:\n  #! the proxy\n  config:{}\n  #! below\nother: 1\n", id="the only one"),
    pytest.param("kappController:{}\nother: 1\n", id="the mapping around it"),
    pytest.param("a: 1\n---\nkappController:\n  config:{}\n---\nb: 1\n", id="of several documents"),
]


CASES = [
    pytest.param(around.values[0], words, line_break, id=f"{around.id}, {words.strip()}")
    for around, words, line_break in zip(AROUND, EMPTY[::2], ["\n", "\r\n"] * 3, strict=False)
]


@pytest.mark.judged
@pytest.mark.parametrize(("around", "words", "line_break"), CASES)
def test_empty_data_values_are_so_again_and_ytt_reads_them(
    around: str, words: str, line_break: str, tmp_path: Path
) -> None:
    body = around.replace("{}", words, 1)
    text = (HEADER + body.replace("---\n", HEADER)).replace("\n", line_break)

    filled = after(text, NEW)

    assert "# was:" not in filled
    assert after(filled, NEW) == filled
    assert after(filled, ProxySettings()) == text
    seen = ytt(filled, tmp_path)
    assert proxy(seen, "kappController.config") == ["http://new:1", "http://new:2", "x,y"]
    assert without_proxy(seen) == without_proxy(ytt(text, tmp_path))


# What is code.


@pytest.mark.parametrize(
    ("text", "is_code"),
    [
        pytest.param("a: 1\n", False, id="no mark"),
        pytest.param(HEADER + "a: 1\n", False, id="the head of data values"),
        pytest.param('#@ load("@ytt:data", "data")\n---\na: 1\n', False, id="what is loaded"),
        pytest.param(HEADER + "#@overlay/match missing_ok=True\na: 1\n", False, id="an annotation of the first member"),
        pytest.param("a: '#@ if x'\nb: |\n  #@ x\n", False, id="texts"),
        pytest.param("#! a comment #@ x\na: 1\n", True, id="a comment with the mark in it"),
        pytest.param("a: #@ data.values.x\n", True, id="a value"),
        pytest.param("a:\n  #@overlay/match missing_ok=True\n  b: 1\n", True, id="an annotation further down"),
        pytest.param('#@overlay/match by=overlay.subset({"a": 1})\n---\na: 1\n', True, id="an overlay"),
        pytest.param("#@yaml/text-templated-strings\na: x(@= y @)\n", True, id="code in texts"),
        pytest.param("a: |  #@ x\n  b\n", True, id="beside a block scalar"),
        pytest.param("#@ x\na: [\n", True, id="a text that is no YAML"),
    ],
)
def test_which_text_has_code(text: str, is_code: bool) -> None:
    assert has_code(text) is is_code


# Manifests that ytt makes.

SPEC: dict[str, Any] = {
    "httpProxy": "http://svc:hunter2@proxy:3128",
    "noProxy": ["ours.example"],
    "targets": {"workloads": {"conflict": "Override", "choose": [{"kinds": ["Deployment", "StatefulSet"]}]}},
}
LOAD = '#@ load("@ytt:data", "data")\n---\n'
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
NODES = """\
apiVersion: bootstrap.cluster.x-k8s.io/v1beta1
kind: KubeadmConfigTemplate
metadata:
  name: md
spec:
  template:
    spec:
"""
ENV = "        env:\n        - name: HTTP_PROXY\n          value: #@ data.values.PROXY\n"


def run_over(text: str, mode: str = "Inject") -> tuple[str, list[Result]]:
    """The text of a file after a run, and what the run reports."""
    files = Manifests({"file.yaml": text.encode()})
    config = named("ProxyConfig", "p", spec={**SPEC, "mode": mode})
    outcome = run_list(files, function_config(config), Objects(files))
    assert outcome.exit_code == int(mode == "Check"), outcome.results
    changed = {name: change.new for name, change in files.changed_files(outcome.changes).items()}
    return (changed.get("file.yaml") or text.encode()).decode(), list(outcome.results)


COMPUTED = [
    pytest.param(
        "apiVersion: run.tanzu.vmware.com/v1alpha3\nkind: KappControllerConfig\nmetadata: {name: c-kapp-controller}\n"
        "spec:\n  kappController:\n    config:\n      httpProxy: #@ data.values.PROXY\n"
        "      noProxy: #@ data.values.PROXY\n",
        id="the values of an object",
    ),
    pytest.param(WORKLOAD + ENV, id="the variable of a container"),
    pytest.param(
        NODES + "      files: #@ data.values.CONTAINERS\n      preKubeadmCommands: #@ data.values.CONTAINERS\n",
        id="the files and commands of nodes",
    ),
]


@pytest.mark.parametrize("mode", ["Inject", "Remove", "Check"])
@pytest.mark.parametrize("body", COMPUTED)
def test_a_manifest_with_code_keeps_its_bytes_and_one_without_gets_its_proxy(body: str, mode: str) -> None:
    text, results = run_over(f"{LOAD}{body}---\n{WORKLOAD}", mode)
    assert text.startswith(LOAD + body)
    assert ("proxy:3128" in text) is (mode == "Inject")
    if mode != "Remove":  # it says so only where there is something to remove
        assert "TextUnreadable" in {one.code for one in results}
    assert not [one for one in results if "hunter2" in str(one.to_data())]


def test_a_manifest_under_a_condition_stays() -> None:
    text = f"{LOAD}#@ if True:\n---\n{WORKLOAD}#@ end\n"
    assert run_over(text)[0] == text
