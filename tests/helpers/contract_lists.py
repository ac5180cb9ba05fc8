"""Inputs for the tests of the KRM functions contract: small, and with one thing to do for the function.

Text only. What a test sends and what it expects must be readable side by side.
"""

from __future__ import annotations

import textwrap

PROXY = "http://proxy.acme.example:3128"

CONFIG = f"""\
apiVersion: fn.inject-proxy.io/v1alpha1
kind: ProxyConfig
metadata:
  name: corporate-proxy
spec:
  httpProxy: {PROXY}
  httpsProxy: {PROXY}
  noProxy: [10.0.0.0/8]
"""

BAD_CONFIG = """\
apiVersion: fn.inject-proxy.io/v1alpha1
kind: ProxyConfig
metadata:
  name: corporate-proxy
spec:
  httpProxy: socks5://proxy.acme.example
  mode: Sometimes
"""

CONFIG_MAP = f"""\
apiVersion: v1
kind: ConfigMap
metadata:
  name: function-input
data: {{httpProxy: '{PROXY}', noProxy: "10.0.0.0/8"}}
"""

WORKERS = """\
apiVersion: bootstrap.cluster.x-k8s.io/v1beta1
kind: KubeadmConfigTemplate
metadata:
  name: workers # the machines in hall 2
  namespace: org-acme
  annotations:
    config.kubernetes.io/index: '0'
    config.kubernetes.io/path: 'clusters/workers.yaml'
    internal.config.kubernetes.io/index: '0'
    internal.config.kubernetes.io/path: 'clusters/workers.yaml'
    internal.config.kubernetes.io/seqindent: 'compact'
    internal.config.kubernetes.io/annotations-migration-resource-id: '0'
    internal.config.kubernetes.io/id: '1'
    config.k8s.io/id: '1'
spec:
  template:
    spec:
      # files of the nodes
      files:
      - path: /etc/motd # shown at login
        content: "Grüße 👋 日本語\\n"
      preKubeadmCommands:
      - swapoff -a # first of all
"""

SETTINGS = """\
# nothing to do here
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
data:
  mode: "0640"
"""

RESULT_SCHEMA = {
    "type": "object",
    "required": ["message"],
    "additionalProperties": False,
    "dependentRequired": {"field": ["resourceRef"]},
    "properties": {
        "message": {"type": "string", "minLength": 1},
        "severity": {"enum": ["error", "warning", "info"]},
        "resourceRef": {
            "type": "object",
            "required": ["apiVersion", "kind", "name"],
            "additionalProperties": {"type": "string", "minLength": 1},
        },
        "field": {"type": "object", "required": ["path"], "properties": {"path": {"type": "string", "minLength": 1}}},
        "file": {
            "type": "object",
            "required": ["path"],
            "properties": {
                "path": {"type": "string", "pattern": r"^[^/].*$"},
                "index": {"type": "integer", "minimum": 0},
            },
        },
        "tags": {"type": "object", "additionalProperties": {"type": "string"}},
    },
}
"""One entry of `results` as the specification has it; additional keys are refused where it names all."""


def resource_list(*items: str, config: str | None = CONFIG, api_version: str = "config.kubernetes.io/v1") -> str:
    """A ResourceList of these documents, laid out as kpt does; ``config`` None leaves the functionConfig out."""
    body = "".join(f"- {textwrap.indent(item, '  ')[2:]}" for item in items)
    function_config = "" if config is None else f"functionConfig:\n{textwrap.indent(config, '  ')}"
    return f"apiVersion: {api_version}\nkind: ResourceList\nitems:\n{body}{function_config}"
