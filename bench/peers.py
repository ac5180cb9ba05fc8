"""Other programs beside ours: over the same documents, and where they can, with the same change.

The change is one file, the drop-in of containerd, which is added to each KubeadmConfigTemplate. A peer gets its text
ready made from a run of ours, and whether it has added the same is checked.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from inputs import resource_list, write_kustomization
from processes import cost

BIN = Path(__file__).resolve().parents[1] / ".cache" / "bin"
COMMAND = Path(sys.executable).with_name("inject-proxy")
IMAGE = os.environ.get("IMAGE", "")
"""The image for the rows of a container; without one there are none, since an engine is a part of few machines."""

KIND = "KubeadmConfigTemplate"
TARGET = "nodes.containerd"
IMPORT_YAML = [sys.executable, "-I", "-c", "import yaml"]
EVENTS = [
    sys.executable,
    "-I",
    "-c",
    "import sys, yaml\nfor _ in yaml.parse(sys.stdin.buffer, Loader=yaml.CSafeLoader): pass",
]
_LOAD = """\
import sys, yaml
list(yaml.load_all(sys.stdin.buffer, Loader=yaml.CSafeLoader))
"""
_LOAD_AND_DUMP = """\
import sys, yaml
yaml.dump_all(yaml.load_all(sys.stdin.buffer, Loader=yaml.CSafeLoader), sys.stdout, Dumper=yaml.CSafeDumper)
"""
_RUAMEL = """\
import json, os, sys
from ruamel.yaml import YAML
ruamel = YAML()
documents = list(ruamel.load_all(sys.stdin))
for document in documents:
    if document["kind"] == "KubeadmConfigTemplate":
        document["spec"]["template"]["spec"]["files"].append(json.loads(os.environ["ENTRY"]))
ruamel.dump_all(documents, sys.stdout)
"""
_OVERLAY = """\
#@ load("@ytt:overlay", "overlay")
#@overlay/match by=overlay.subset({"kind": "KubeadmConfigTemplate"}), expects="1+"
---
spec:
  template:
    spec:
      files:
      #@overlay/append
      - ENTRY
"""
_FUNCTION = """\
apiVersion: acme.example/v1
kind: Proxy
metadata:
  name: proxy
  annotations:
    config.kubernetes.io/function: "exec: {path: PATH}"
"""


class Peer(NamedTuple):
    """A command that is measured: ``text`` goes to standard input, ``changed`` returns the documents that it made.

    ``changed`` gets what the command wrote to standard output; it is None where the command changes nothing. A
    container is a process of its engine, not of the command (``in_container``): only the time on the clock says what
    it costs.
    """

    name: str
    command: Sequence[str | Path]
    text: str = ""
    changed: Callable[[bytes], Iterator[Any]] | None = None
    in_container: bool = False


def program(name: str) -> str:
    """Return the path of a program that `tests/tools/fetch` builds; one of that name on PATH may be another program."""
    return str(BIN / name)


def entry(text: str) -> dict[str, Any]:
    """Return the entry of ``files`` that a run of ours over a list adds to each item of the kind."""
    made = cost([COMMAND], text).output
    item = next(item for item in yaml.safe_load(made)["items"] if item["kind"] == KIND)
    added: dict[str, Any] = item["spec"]["template"]["spec"]["files"][-1]
    return added


class Workplace:
    """Files in a folder from which the peers read: the same documents as a list, as a stream, and as kustomizations."""

    def __init__(self, folder: Path, items: Sequence[str]) -> None:
        self.folder = folder
        self.items = items
        self.list = resource_list(items, only=TARGET)
        self.stream = "---\n".join(items)
        self.entry = entry(self.list)
        as_json = json.dumps(self.entry)
        self.variables = {"ENTRY": as_json, "GOMAXPROCS": "1"}
        (folder / "overlay.yaml").write_text(_OVERLAY.replace("ENTRY", as_json))
        (folder / "schemas").mkdir()
        self.restore()
        patch = json.dumps(
            [{"op": "add", "path": "/spec/template/spec/files/-", "value": self.entry}]
        )
        self._kustomization("plain", "")
        self._kustomization("patch", f"patches:\n- target: {{kind: {KIND}}}\n  patch: '{patch}'\n")
        self._kustomization(
            "go", "transformers: [proxy.yaml]\n", _FUNCTION.replace("PATH", "./kyaml-proxy")
        )
        config = self.list.partition("functionConfig:\n")[2].replace("\n  ", "\n")[2:]
        for name, function in (
            ("exec", "exec: {path: ./inject-proxy}"),
            ("container", f"container: {{image: {IMAGE}}}"),
        ):
            noted = config.replace(
                "{name: corporate-proxy}",
                f'{{name: proxy, annotations: {{config.kubernetes.io/function: "{function}"}}}}',
            )
            self._kustomization(name, "transformers: [proxy.yaml]\n", noted)
        (folder / "proxy.yaml").write_text(config)
        shutil.copy2(COMMAND, folder / "exec" / "inject-proxy")
        if (BIN / "kyaml-proxy").exists():
            shutil.copy2(BIN / "kyaml-proxy", folder / "go" / "kyaml-proxy")

    def restore(self) -> None:
        """Write the files again that some of the peers edit in place."""
        for name in ("stream", "package", "own"):
            part = self.folder / name
            part.mkdir(exist_ok=True)
            (part / "documents.yaml").write_text(self.stream)

    def _kustomization(self, name: str, rest: str, function: str = "") -> None:
        part = self.folder / name
        part.mkdir()
        (part / "documents.yaml").write_text(self.stream)
        write_kustomization(part, ["documents.yaml"], rest)
        if function:
            (part / "proxy.yaml").write_text(function)

    def is_changed(self, found: Iterator[Any]) -> bool:
        """Return whether each item of the kind, and no other, has the entry at the end."""
        wanted = [one for one in yaml.safe_load_all(self.stream) if one]
        for one in wanted:
            if one["kind"] == KIND:
                one["spec"]["template"]["spec"]["files"].append(self.entry)
        return _by_name(found) == _by_name(iter(wanted))


def _by_name(documents: Iterator[Any]) -> Mapping[str, Any]:
    named = {}
    for one in documents:
        one["metadata"].pop("annotations", None)  # those of a pipeline
        named[f"{one['kind']} {one['metadata']['name']}"] = one
    return named


def _items(output: bytes) -> Iterator[Any]:
    yield from yaml.load(output, Loader=yaml.CSafeLoader)["items"]


def _stream(output: bytes) -> Iterator[Any]:
    yield from yaml.load_all(output, Loader=yaml.CSafeLoader)


def _files(folder: Path) -> Callable[[bytes], Iterator[Any]]:
    def read(_: bytes) -> Iterator[Any]:
        for path in folder.glob("*.yaml"):
            yield from yaml.load_all(path.read_bytes(), Loader=yaml.CSafeLoader)

    return read


def _python(code: str) -> list[str]:
    return [sys.executable, "-I", "-c", code]


def streams(place: Workplace) -> list[Peer]:
    """Return the commands that read a list or a stream, the reference first."""
    stream, schemas = place.stream, str(place.folder / "schemas" / "{{ .ResourceKind }}.json")
    kubeconform = [program("kubeconform"), "-n", "1", "-ignore-missing-schemas"]
    templates = f'(select(.kind == "{KIND}") | .spec.template.spec.files)'
    yq = [program("yq"), "-i", f"{templates} += [env(ENTRY)]", "stream/documents.yaml"]
    run = [COMMAND, "run", "--config", "proxy.yaml", "own"]
    return [
        Peer("libyaml's events, in Python", EVENTS, stream),
        Peer("`cat`", ["cat"], stream),
        Peer("Python, `import yaml`", IMPORT_YAML),
        Peer("PyYAML, load", _python(_LOAD), stream),
        Peer("PyYAML, load and dump", _python(_LOAD_AND_DUMP), stream),
        Peer("kubeconform, without a schema", [*kubeconform, "-schema-location", schemas], stream),
        Peer("kyaml, a function that does nothing", [program("kyaml-identity")], place.list),
        Peer("**inject-proxy**, a ResourceList", [COMMAND], place.list, _items),
        Peer("**inject-proxy run**, in place", run, changed=_files(place.folder / "own")),
        Peer("kyaml, a function for this change", [program("kyaml-proxy")], place.list, _items),
        Peer("ytt, an overlay", [program("ytt"), "-f", "-", "-f", "overlay.yaml"], stream, _stream),
        Peer("`yq -i`", yq, changed=_files(place.folder / "stream")),
        Peer("ruamel.yaml", _python(_RUAMEL), stream, _stream),
    ]


def orchestrators(place: Workplace) -> list[Peer]:
    """Return the builds of kustomize and kpt, the plain one first."""
    kustomize = program("kustomize")
    build = [kustomize, "build", "--enable-alpha-plugins", "--enable-exec"]
    evaluate = ["kpt", "fn", "eval", "package"]
    package = _files(place.folder / "package")
    go = ["--exec", f"{place.folder}/go/kyaml-proxy"]
    ours = ["--exec", f"{place.folder}/exec/inject-proxy", "--fn-config", "proxy.yaml"]
    made = [
        Peer("`kustomize build`", [kustomize, "build", "plain"]),
        Peer("`kustomize build`, its own patch", [kustomize, "build", "patch"], changed=_stream),
        Peer("`kustomize build`, a function in Go", [*build, "go"], changed=_stream),
        Peer("`kustomize build`, **inject-proxy**", [*build, "exec"], changed=_stream),
    ]
    if IMAGE:
        name = "`kustomize build`, **inject-proxy** in a container"
        made.append(Peer(name, [*build, "container"], changed=_stream, in_container=True))
    made += [
        Peer("`kpt fn source`", ["kpt", "fn", "source", "plain"]),
        Peer("`kpt fn eval`, a function in Go", [*evaluate, *go], changed=package),
        Peer("`kpt fn eval`, **inject-proxy**", [*evaluate, *ours], changed=package),
    ]
    if IMAGE:
        name = "`kpt fn eval`, **inject-proxy** in a container"
        image = ["--image", IMAGE, "--image-pull-policy", "Never", "--fn-config", "proxy.yaml"]
        made.append(Peer(name, [*evaluate, *image], changed=package, in_container=True))
    return made
