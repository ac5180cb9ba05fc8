"""Bad input: one clear line, exit code 1, nothing lost; never a traceback, never a hang, never our bug.

Where a field has a wrong type, the object is still no reason to stop: each field that is read is replaced by values of
every type, one at a time, and all objects together go through the installed command.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest

from contract_lists import CONFIG, resource_list
from krm_fn import config, patch
from krm_fn.config import Certificates, Mirror
from krm_fn.errors import ConfigError
from krm_fn.krm.results import Edit
from krm_fn.patch import Pointer
from krm_fn.pipeline import run
from krm_fn.settings import ProxySettings
from krm_fn.targets import TARGETS, Context
from krm_fn.yamledit import read
from support import ROOT, inject_proxy
from yaml_texts import at, places

WRONG = [None, 0, "x", "", [], {}, [1], [[]], [None], {"a": 1}, True, -1.5, "long " * 2000, "${TEMPLATE}", "a\nb\n"]

A_TURN = 5
"""One of so many values is tried at a place; all types at each place go through the command."""

ONE_OF_EACH_TYPE = [0, "x", [1], {"a": 1}, True]

OBJECTS = {
    "KubeadmControlPlane": """\
apiVersion: controlplane.cluster.x-k8s.io/v1beta1
kind: KubeadmControlPlane
metadata:
  name: cp
  namespace: org
  labels: {cluster.x-k8s.io/cluster-name: one}
  annotations: {config.kubernetes.io/path: a.yaml, config.kubernetes.io/index: "1"}
spec:
  version: v1.29.0
  kubeadmConfigSpec:
    format: cloud-config
    files:
    - path: /etc/systemd/system/containerd.service.d/http-proxy.conf
      content: |
        [Service]
        Environment="HTTP_PROXY=http://old:1"
      permissions: "0640"
      owner: root:root
      append: false
      encoding: ""
    - path: /etc/systemd/system/kubelet.service.d/http-proxy.conf
      encoding: base64
      content: W1NlcnZpY2VdCg==
    - path: /etc/systemd/system/containerd.service.d/99-http-proxy.conf
      contentFrom: {secret: {name: proxy, key: conf}}
    preKubeadmCommands:
    - export HTTP_PROXY=http://old:1
    - systemctl daemon-reload
    - systemctl restart containerd
""",
    "KubeadmConfigTemplate": """\
apiVersion: bootstrap.cluster.x-k8s.io/v1beta2
kind: KubeadmConfigTemplate
metadata: {name: md}
spec:
  template:
    metadata: {labels: {a: b}}
    spec:
      format: ignition
      ignition: {containerLinuxConfig: {additionalConfig: ""}}
      files: [{path: /etc/motd, content: hello}]
      preKubeadmCommands: [swapoff -a]
""",
    "Deployment cert-manager": """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: cert-manager
  labels: {app.kubernetes.io/name: cert-manager, app.kubernetes.io/component: controller}
spec:
  template:
    metadata: {labels: {app.kubernetes.io/name: cert-manager}}
    spec:
      initContainers:
      - name: cert-manager-init
        env: [{name: no_proxy, value: x}]
      containers:
      - name: cert-manager-controller
        image: quay.io/jetstack/cert-manager-controller
        args: [--v=2]
        envFrom: [{configMapRef: {name: proxy}}]
        env:
        - {name: HTTP_PROXY, value: http://old:1}
        - {name: HTTPS_PROXY, valueFrom: {secretKeyRef: {name: s, key: k}}}
        - {name: HTTP_PROXY, value: again}
""",
    "Deployment chart-operator": """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: chart-operator
  labels: {app: chart-operator, app.kubernetes.io/name: chart-operator}
spec:
  template:
    metadata: {labels: {app: chart-operator}}
    spec:
      initContainers: [{name: wait}]
      containers:
      - name: chart-operator
        env:
        - {name: http_proxy, value: http://old:1}
""",
    "ClusterPolicy": """\
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: add-proxies}
spec:
  rules:
  - name: pods
    match: {any: [{resources: {kinds: [Pod]}}]}
    context:
    - name: dynamic
      configMap: {name: c, namespace: d}
    - name: full
      variable: {value: "a,{{ dynamic }}"}
    mutate:
      patchStrategicMerge:
        spec:
          containers:
          - (name): "*"
            env:
            - {name: HTTP_PROXY, value: http://old:1}
            - {name: NO_PROXY, value: "{{ full }}"}
          +(initContainers):
          - (name): "*"
            env: [{name: https_proxy, value: ""}]
  - name: each
    mutate:
      targets: [{kind: Pod}]
      foreach:
      - list: request.object.spec.containers
        patchStrategicMerge:
          spec:
            template:
              spec:
                containers:
                - name: "{{ element.name }}"
                  env: [{name: HTTPS_PROXY, value: "{{ full }}"}]
  - name: json
    mutate: {patchesJson6902: "- op: add\\n  path: /spec/env\\n  value: {name: HTTP_PROXY}"}
""",
    "Cluster": """\
apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata: {name: one, namespace: org}
spec:
  clusterNetwork:
    serviceDomain: cluster.local
    pods: {cidrBlocks: [192.168.0.0/16]}
    services: {cidrBlocks: [10.96.0.0/12]}
  controlPlaneEndpoint: {host: api.example.com, port: 6443}
  controlPlaneRef: {apiVersion: controlplane.cluster.x-k8s.io/v1beta1, kind: KubeadmControlPlane, name: cp}
""",
    "Cluster of TKG": """\
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: one, annotations: {tkg.tanzu.vmware.com/tkg-http-proxy: "http://old:1"}}
spec:
  topology:
    classRef: {name: tkg-vsphere-default-v1.2.0}
    controlPlane: {variables: {overrides: [{name: proxy, value: {httpProxy: "http://old:1"}}]}}
    variables:
    - {name: proxy, value: {httpProxy: "http://old:1", noProxy: [old]}}
    - {name: trust, value: {additionalTrustedCAs: [{name: proxy, data: b2xk}]}}
    workers: {machineDeployments: [{name: md-0, variables: {overrides: [{name: cni, value: none}]}}]}
""",
    "TanzuKubernetesCluster": """\
apiVersion: run.tanzu.vmware.com/v1alpha3
kind: TanzuKubernetesCluster
metadata: {name: one}
spec:
  settings: {network: {proxy: {noProxy: [old]}, trust: {additionalTrustedCAs: [{name: inject-proxy, data: b2xk}]}}}
""",
    "Secret with the configuration of a cluster": """\
apiVersion: v1
kind: Secret
metadata: {name: one-config-values}
stringData: {value: "TKG_HTTP_PROXY_ENABLED: false"}
data: {value: YTogMQ==}
type: addons.cluster.x-k8s.io/resource-set
""",
    "Cluster of CAREN": """\
apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata: {name: one}
spec:
  topology: {variables: [{name: clusterConfig, value: {proxy: {additionalNo: [old]}}}]}
""",
    "KappControllerConfig": """\
apiVersion: run.tanzu.vmware.com/v1alpha3
kind: KappControllerConfig
metadata: {name: one}
spec: {kappController: {config: {caCerts: "", httpProxy: http://old:1}}}
""",
    "App": """\
apiVersion: application.giantswarm.io/v1alpha1
kind: App
metadata: {name: one-nginx, namespace: org, annotations: {fn.inject-proxy.io/references: "configMap,configMap"}}
spec:
  kubeConfig: {inCluster: false, secret: {name: one-kubeconfig, namespace: org}}
  config: {configMap: {name: one-cluster-values, namespace: org}, other: {}}
""",
    "List": """\
apiVersion: v1
kind: List
metadata: {annotations: {config.kubernetes.io/path: a.yaml}}
items:
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: cert-manager, labels: {app.kubernetes.io/name: cert-manager}}
  spec: {template: {spec: {containers: [{name: cert-manager-controller}]}}}
""",
}
PROXY = ProxySettings("http://proxy:3128", "http://proxy:3129", "localhost,.svc")
TRUST = Certificates("-----BEGIN CERTIFICATE-----\nMIIBxzCCAW2g\n-----END CERTIFICATE-----\n")
MIRROR = Mirror("https://r.example:5000", "r.example", TRUST)
EVERYTHING = PROXY._replace(cluster="one", trusted_ca=TRUST, mirror=MIRROR)
SETTINGS = [
    pytest.param(EVERYTHING, id="inject a proxy, certificates and a mirror"),
    pytest.param(ProxySettings(), id="remove"),
]
kinds = pytest.mark.parametrize("name", list(OBJECTS))


def _with_wrong_types(sound: Any, *, by_turns: bool = False, below: Pointer = ()) -> Iterator[tuple[str, Any]]:
    """``sound`` with one field replaced, and a word for which and by what.

    Each field becomes one value of each type; by turns, it becomes some of all wrong values.
    """
    text = json.dumps(sound)  # a copy by JSON is made much faster than by `deepcopy`
    concerned = [place for place in places(sound)[1:] if place[: len(below)] == below]
    for number, place in enumerate(concerned):
        for value in WRONG[number % A_TURN :: A_TURN] if by_turns else ONE_OF_EACH_TYPE:
            damaged = json.loads(text)
            parent = at(damaged, place[:-1])
            parent[int(place[-1]) if isinstance(parent, list) else place[-1]] = copy.deepcopy(value)
            yield f"{patch.field_path(place)}: {str(value)[:20]!r}", damaged


def _list_of(items: list[Any], function_config: Any) -> bytes:
    head = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList"}
    return json.dumps({**head, "items": items, "functionConfig": function_config}, ensure_ascii=False).encode()


@kinds
def test_sound_objects_are_read_without_an_error(name: str) -> None:
    """Else what follows would show nothing."""
    outcome = run(_list_of([read(OBJECTS[name])], read(CONFIG)))
    assert outcome.exit_code == 0
    assert outcome.changed == (name not in ("App", "Cluster"))


@kinds
@pytest.mark.parametrize("settings", SETTINGS)
def test_a_field_of_a_wrong_type_never_stops_a_target(name: str, settings: ProxySettings) -> None:
    """What it changes holds, and it does not want to change it again."""
    concerned = [target for target in TARGETS.values() if any(kind in OBJECTS[name] for _, kind in target.kinds)]
    for what, damaged in _with_wrong_types(read(OBJECTS[name]), by_turns=True):
        before = json.dumps(damaged)
        for target in concerned:
            said = list(target.edit(damaged, Context(settings=settings)))
            assert json.dumps(damaged) == before, what
            assert all(one.message for one in said), what
            changes = [operation for one in said if isinstance(one, Edit) for operation in one.operations]
            if changes:  # else it would see the same object again
                after = patch.apply(json.loads(before), changes)
                again = [one for one in target.edit(after, Context(settings=settings)) if isinstance(one, Edit)]
                assert again == [], what


@kinds
def test_all_wrong_types_at_once_go_through_the_command(name: str) -> None:
    damaged = [damaged for _, damaged in _with_wrong_types(read(OBJECTS[name]))]
    done = inject_proxy(_list_of(damaged, read(CONFIG)))
    lines = done.stderr.decode().splitlines()
    assert done.returncode in (0, 1)
    assert all(line.startswith(("[error] ", "[warning] ")) for line in lines[:-1])
    assert lines[-1].startswith(f"inject-proxy: {len(damaged)} items read, ")
    items = json.loads(done.stdout)["items"]
    assert len(items) == len(damaged)
    assert done.returncode == 0 or items == damaged


def _problems(function_config: Any) -> list[str]:
    try:
        config.load(function_config)
    except ConfigError as error:
        return error.problems
    return []


def _in_small_parts(function_config: Any) -> list[Any]:
    """The FunctionConfig without its targets, and one with the options of each: reading all each time takes long."""
    targets = function_config.get("spec", {}).pop("targets", {})
    smallest = {**function_config, "spec": {"httpProxy": "http://proxy:3128"}}
    parts = [{**smallest, "spec": {"targets": {name: options}}} for name, options in targets.items()]
    return [function_config, *parts]


@pytest.mark.parametrize("name", ["full", "configmap", "configmap-nested", "remove"])
def test_a_field_of_the_function_config_of_a_wrong_type_is_reported_in_one_line(name: str) -> None:
    whole, *parts = _in_small_parts(read((ROOT / "functionconfig" / "examples" / f"{name}.yaml").read_text()))
    every = [*_with_wrong_types(whole)]
    for part in parts:
        every += _with_wrong_types(part, below=("spec", "targets"))
    reported = [(what, _problems(damaged)) for what, damaged in every]
    assert sum(bool(problems) for _, problems in reported) > 20
    for what, problems in reported:
        assert all(problem and "\n" not in problem for problem in problems), what


def _laughs(indent: str) -> str:
    levels = [f"{indent}l0: &l0 [{', '.join('x' * 10)}]\n"]
    levels += [f"{indent}l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 10)}]\n" for n in range(1, 10)]
    return "".join(levels)


LAUGHING = OBJECTS["Deployment cert-manager"] + "x:\n" + _laughs("  ")


@pytest.mark.parametrize(
    ("stdin", "says"),
    [
        pytest.param(b"kind: ResourceList\x00\nitems: []\n", "control characters are not allowed", id="a NUL"),
        pytest.param(
            resource_list(LAUGHING).encode(), "`items[0]`: aliases expand to more values", id="a bomb in an item"
        ),
        pytest.param(
            resource_list("kind: Deployment\nx: cert-manager\ny: &y\n  z: *y\n").encode(),
            "an alias must not be inside its own anchor",
            id="an alias in itself",
        ),
        pytest.param(
            resource_list("kind: ClusterPolicy\nx: HTTP_PROXY\ny: *y\n").encode(),
            "has no anchor",
            id="an unknown alias",
        ),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_clear_line(stdin: bytes, says: str) -> None:
    done = inject_proxy(stdin)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.startswith(b"[error] ")
    assert done.stderr.count(b"\n") == 1
    assert says in done.stderr.decode()
