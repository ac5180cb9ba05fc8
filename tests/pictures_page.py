"""Write `docs/pictures.md` and its pictures: what commands show of a made-up fleet and of the example repository."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from support import ROOT, inject_proxy, on_a_terminal

_PROXY = """\
apiVersion: fn.inject-proxy.io/v1alpha1
kind: ProxyConfig
metadata:
  name: proxy
spec:
  httpProxy: http://proxy.eu.acme.example:3128
  httpsProxy: http://proxy.eu.acme.example:3128
  noProxy: [10.0.0.0/8, .acme.example]
  noProxyPolicy:
    derive: {networks: false, metadata: false, provider: false}
  rollout:
    hashNames: true
  overrides:
  - match: {clusters: [us-*]}
    httpProxy: http://proxy.us.acme.example:3128
    httpsProxy: http://proxy.us.acme.example:3128
  - match: {clusters: [lab], roles: [Worker]}
    httpProxy: http://proxy.lab.acme.example:3128
    httpsProxy: http://proxy.lab.acme.example:3128
"""
_CLUSTER = """\
apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata: {name: NAME, namespace: org}
spec:
  clusterNetwork: {pods: {cidrBlocks: [10.244.0.0/16]}, services: {cidrBlocks: [10.96.0.0/12]}}
  controlPlaneEndpoint: {host: api.NAME.acme.example, port: 6443}
  controlPlaneRef: {apiVersion: controlplane.cluster.x-k8s.io/v1beta1, kind: KubeadmControlPlane, name: NAME}
---
apiVersion: controlplane.cluster.x-k8s.io/v1beta1
kind: KubeadmControlPlane
metadata: {name: NAME, namespace: org}
spec:
  kubeadmConfigSpec: {}
---
apiVersion: cluster.x-k8s.io/v1beta1
kind: MachineDeployment
metadata: {name: NAME-md-0, namespace: org}
spec:
  clusterName: NAME
  template:
    spec:
      clusterName: NAME
      bootstrap:
        configRef: {apiVersion: bootstrap.cluster.x-k8s.io/v1beta1, kind: KubeadmConfigTemplate, name: NAME-md-0}
---
apiVersion: bootstrap.cluster.x-k8s.io/v1beta1
kind: KubeadmConfigTemplate
metadata: {name: NAME-md-0, namespace: org}
spec:
  template:
    spec: {}
"""
_NAMES = (*(f"eu-{number}" for number in range(1, 9)), *(f"us-{number}" for number in range(1, 4)), "lab")
_OVERVIEW = "inject-proxy explain --config proxy.yaml --output svg clusters/ > overview.svg"
_CHANGE = "inject-proxy explain --config proxy.yaml --diff old-proxy.yaml clusters/"
_DIFF = "inject-proxy run --diff --config demo/proxy.yaml config-repo/clusters/prod-1/"
PAGE = f"""\
<!-- `make docs` writes this page and its pictures from tests/pictures_page.py. -->

# Pictures

## Who gets which proxy

Twelve Clusters, and this ProxyConfig:

```yaml
{_PROXY}```

    {_OVERVIEW}

![Clusters, their parts, and the proxy of each](pictures/overview.svg)

## What another ProxyConfig changes

The proxy of the region `us` had another port before:

    {_CHANGE}

![Who gets another proxy, and which nodes are rolled](pictures/change.svg)

## What a run would write

In a clone, in the folder `examples`; the first lines, credentials masked:

    {_DIFF}

![A unified diff in a terminal](pictures/diff.svg)

`inject-proxy explain --output html` makes a page of this, in one file that loads nothing. First come a picture and a
table of the Clusters, those that get nothing on top, then the nodes that are rolled, the findings with links to their
meaning, and for each proxy the reason of each entry of `NO_PROXY` and what each program does with it: see
[no-proxy.md](no-proxy.md).
"""


def pictures(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield name and text of each picture; ``folder`` is empty."""
    (folder / "clusters").mkdir()
    for name in _NAMES:
        (folder / "clusters" / f"{name}.yaml").write_text(_CLUSTER.replace("NAME", name))
    (folder / "proxy.yaml").write_text(_PROXY)
    (folder / "old-proxy.yaml").write_text(_PROXY.replace("us.acme.example:3128", "us.acme.example:8080"))
    yield "overview.svg", _output(_OVERVIEW.partition(" >")[0], folder)
    yield "change.svg", terminal(_CHANGE, _output(_CHANGE, folder).splitlines())
    colours = {"TERM": "xterm"}
    shown = on_a_terminal(_DIFF.split()[1:], ROOT / "examples", "stdout", colours).decode()
    yield "diff.svg", terminal(_DIFF, shown.replace("\r\n", "\n").splitlines()[:42])


def _output(line: str, folder: Path) -> str:
    done = inject_proxy("", *line.split()[1:], cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


# a terminal as SVG

_COLUMNS = 110
_LINE, _CHAR, _MARGIN = 18, 7.8, 16
_COLOURS = {"31": "#ff8a80", "32": "#a5d6a7", "36": "#80deea", "1": "#ffffff"}
_ESCAPE = re.compile(r"\x1b\[([0-9]*)m")


def terminal(command: str, lines: Sequence[str]) -> str:
    """What a terminal shows of a command, with the colours of ECMA-48 that we use; long lines end in an ellipsis."""
    shown = [_cells(f"$ {command}", "#9e9e9e"), *(_cells(line, "#e0e0e0") for line in lines)]
    height = len(shown) * _LINE + 2 * _MARGIN
    width = round(_COLUMNS * _CHAR + 2 * _MARGIN)
    body = [
        f'<text x="{_MARGIN}" y="{_MARGIN + (number + 1) * _LINE - 5}" fill="{colour}">{escape(text)}</text>'
        for number, (text, colour) in enumerate(shown)
        if text
    ]
    style = "text { font: 13px ui-monospace, Menlo, Consolas, monospace; white-space: pre; }"
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">\n<title>{escape(command)}</title>'
    paper = f'<rect width="{width}" height="{height}" rx="8" fill="#1e1e1e"/>'
    return "\n".join([head, f"<style>{style}</style>", paper, *body, "</svg>\n"])


def _cells(line: str, colour: str) -> tuple[str, str]:
    """The text of a line and its colour: our commands colour whole lines."""
    found = _ESCAPE.match(line)
    text = _ESCAPE.sub("", line)
    if len(text) > _COLUMNS:
        text = f"{text[: _COLUMNS - 1]}…"
    return text, _COLOURS.get(found[1], colour) if found else colour
