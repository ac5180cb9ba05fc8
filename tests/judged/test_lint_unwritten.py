"""What no target writes although a person may expect it: one line each, and nothing where nobody wants a proxy."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from krm_fn.krm.results import Result, Severity
from krm_fn.pipeline import Outcome, run
from krm_fn.products.charts import CHARTS

PROXY = {"httpProxy": "http://proxy:3128", "httpsProxy": "http://proxy:3128"}
WORDS = (
    "no target writes",
    "have no field",
    "is not in the list: add",
    "cannot be changed once",
    "Kyverno policy that",
    "`spec.selector.include`",
    "fits nothing",
)
API = "cluster.x-k8s.io/v1beta1"


def manifest(api: str, kind: str, name: str = "prod", labels: Any = None, **rest: Any) -> dict[str, Any]:
    metadata = {"name": name, "namespace": "org", **({"labels": labels} if labels else {})}
    return {"apiVersion": api, "kind": kind, "metadata": metadata, **rest}


def warnings(spec: dict[str, Any], *items: dict[str, Any]) -> list[Result]:
    """Run, and return the warnings about what is not written."""
    return [one for one in all_warnings(spec, *items) if one.code in ("NodesWithoutProxy", "OtherProxy", "SettingUnused")]


def all_warnings(spec: dict[str, Any], *items: dict[str, Any]) -> list[Result]:
    outcome = ran(spec, *items)
    assert outcome.exit_code == 0
    return [one for one in outcome.results if one.severity is Severity.WARNING]


def ran(spec: dict[str, Any], *items: dict[str, Any]) -> Outcome:
    config = {
        "apiVersion": "fn.inject-proxy.io/v1alpha1",
        "kind": "ProxyConfig",
        "metadata": {"name": "p"},
        "spec": spec,
    }
    data = {
        "apiVersion": "config.kubernetes.io/v1",
        "kind": "ResourceList",
        "items": list(items),
        "functionConfig": config,
    }
    return run(yaml.safe_dump(data).encode())


def about(spec: dict[str, Any], *items: dict[str, Any]) -> list[str]:
    return [f"{one.ref.kind}/{one.ref.name}" for one in warnings(spec, *items)]


def made_by(group: str, kind: str, **spec: Any) -> dict[str, Any]:
    """A Cluster with a control plane of that kind."""
    reference = {"apiVersion": f"{group}.cluster.x-k8s.io/v1beta1", "kind": kind, "name": "prod-cp"}
    return manifest(API, "Cluster", spec={"controlPlaneRef": reference, **spec})


def workers(kind: str) -> dict[str, Any]:
    reference = {"apiVersion": "bootstrap.cluster.x-k8s.io/v1beta1", "kind": kind, "name": "w"}
    template = {"spec": {"bootstrap": {"configRef": reference}, "clusterName": "prod"}}
    return manifest(API, "MachineDeployment", "md", spec={"clusterName": "prod", "template": template})


def control_plane(kind: str, **spec: Any) -> dict[str, Any]:
    return manifest("controlplane.cluster.x-k8s.io/v1beta1", kind, "prod-cp", spec=spec)


SYSTEMS = [
    pytest.param([made_by("controlplane", kind)], "Cluster/prod", id=kind)
    for kind in (
        "GCPManagedControlPlane",
        "OCIManagedControlPlane",
        "ROSAControlPlane",
        "ScalewayManagedControlPlane",
        "GKEConfigTemplate",
        "EtcdadmCluster",
    )
] + [
    pytest.param(
        [made_by("infrastructure", "AzureManagedControlPlane")], "Cluster/prod", id="what is written only if asked for"
    ),
    pytest.param([manifest(API, "Cluster", spec={}), workers("GKEConfigTemplate")], "Cluster/prod", id="its workers"),
    pytest.param(
        [workers("GKEConfigTemplate")], "MachineDeployment/md", id="workers of a Cluster that is not in the list"
    ),
    pytest.param(
        [
            made_by("controlplane", "GCPManagedControlPlane"),
            control_plane("GCPManagedControlPlane"),
            workers("GKEConfigTemplate"),
        ],
        "Cluster/prod",
        id="many objects of one Cluster",
    ),
    pytest.param(
        [manifest("anywhere.eks.amazonaws.com/v1alpha1", "Cluster", spec={})],
        "Cluster/prod",
        id="a Cluster of another API",
    ),
]


@pytest.mark.parametrize(("items", "expected"), SYSTEMS)
def test_a_system_without_a_target_is_one_line_a_cluster(items: list[dict[str, Any]], expected: str) -> None:
    assert about(PROXY, *items) == [expected]


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param({"mode": "Remove"}, id="removal"),
        pytest.param(
            {**PROXY, "overrides": [{"match": {"clusters": ["prod"]}, "disabled": True}]}, id="no proxy for it"
        ),
        pytest.param({**PROXY, "selector": {"exclude": [{"kinds": ["Cluster"]}]}}, id="a selector that leaves it out"),
        pytest.param(
            {
                **PROXY,
                "targets": {
                    f"{name}": {"enabled": False} for name in ("containerdDropIn", "kubeletDropIn", "kubeadmCommands")
                },
            },
            id="no target for nodes",
        ),
    ],
)
def test_a_system_where_no_proxy_is_wanted(spec: dict[str, Any]) -> None:
    assert about(spec, made_by("controlplane", "OCIManagedControlPlane")) == []


def node_files(url: str) -> dict[str, Any]:
    files = [{"path": "/etc/environment", "content": f"HTTP_PROXY={url}\nHTTPS_PROXY={url}\n"}]
    return control_plane("OCIManagedControlPlane", files=files)


def test_a_system_whose_files_hold_the_proxy_is_done() -> None:
    assert about(PROXY, made_by("controlplane", "OCIManagedControlPlane"), node_files("http://proxy:3128")) == []


def test_its_stale_files_are_a_line() -> None:
    items = [made_by("controlplane", "OCIManagedControlPlane"), node_files("http://old:3128")]
    assert about(PROXY, *items) == ["OCIManagedControlPlane/prod-cp"]


def topology(name: str = "shared") -> dict[str, Any]:
    return manifest(API, "Cluster", spec={"topology": {"class": name}})


def test_a_class_that_is_not_in_the_list() -> None:
    assert about(PROXY, topology()) == ["Cluster/prod"]
    assert about(PROXY, topology(), manifest(API, "ClusterClass", "shared", spec={})) == []
    assert about(PROXY, topology("tkg-vsphere-default-v1.0.0")) == []
    assert about({"mode": "Remove"}, topology()) == []


KUBEADM = made_by("controlplane", "KubeadmControlPlane")
RKE2 = [made_by("controlplane", "RKE2ControlPlane")]
PLANE = control_plane("KubeadmControlPlane", kubeadmConfigSpec={})


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        pytest.param([KUBEADM, PLANE], [], id="all of it is here"),
        pytest.param([KUBEADM], [("Cluster/prod", 'KubeadmControlPlane "prod-cp" is')], id="its control plane"),
        pytest.param(
            [KUBEADM, PLANE, workers("KubeadmConfigTemplate")],
            [("Cluster/prod", 'KubeadmConfigTemplate "w" is')],
            id="the template of its workers",
        ),
        pytest.param(
            [KUBEADM, workers("KubeadmConfigTemplate")],
            [("Cluster/prod", 'KubeadmControlPlane "prod-cp" and KubeadmConfigTemplate "w" are')],
            id="both",
        ),
        pytest.param(
            [workers("KubeadmConfigTemplate")],
            [("MachineDeployment/md", 'KubeadmConfigTemplate "w" is')],
            id="workers of a Cluster that is elsewhere, too",
        ),
    ],
)
def test_a_cluster_whose_nodes_are_made_elsewhere_is_one_line(
    items: list[dict[str, Any]], expected: list[tuple[str, str]]
) -> None:
    found = [one for one in all_warnings(PROXY, *items) if one.code == "NodesWithoutProxy"]
    assert [f"{one.ref.kind}/{one.ref.name}" for one in found] == [name for name, _ in expected]
    assert all(words in one.message for one, (_, words) in zip(found, expected, strict=True))
    for one, (_, words) in zip(found, expected, strict=True):
        assert one.message.endswith("where they are" if words.endswith(" are") else "where it is")
    targets = ["containerdDropIn", "kubeletDropIn", "kubeadmCommands"]
    without = {**PROXY, "overrides": [{"match": {"targets": targets}, "disabled": True}]}
    assert [one for one in all_warnings(without, *items) if one.code == "NodesWithoutProxy"] == []


def only(*targets: str) -> dict[str, Any]:
    return {"overrides": [{"match": {"targets": list(targets)}, **PROXY}]}


def of_object(name: str, **spec: Any) -> dict[str, Any]:
    return {**spec, "overrides": [{"match": {"objects": [name]}, **({"disabled": True} if spec else PROXY)}]}


AKS = [made_by("infrastructure", "AzureManagedControlPlane")]


@pytest.mark.parametrize(
    ("items", "spec", "codes"),
    [
        pytest.param(RKE2, {**PROXY, "only": ["rke2"]}, ["NodesWithoutProxy"], id="RKE2, only it is asked for"),
        pytest.param(RKE2, {**PROXY, "only": ["k3s"]}, [], id="RKE2, another one is asked for"),
        pytest.param(RKE2, {**PROXY, "targets": {"rke2": {"enabled": False}}}, [], id="RKE2, switched off"),
        pytest.param(RKE2, only("rke2"), ["NodesWithoutProxy"], id="RKE2, declared for it alone"),
        pytest.param(RKE2, only("containerdDropIn"), [], id="RKE2, declared for kubeadm alone"),
        pytest.param([KUBEADM], only("kubeadmCommands"), ["NodesWithoutProxy"], id="kubeadm, for a later target alone"),
        pytest.param([KUBEADM], {**PROXY, "only": ["rke2"]}, [], id="kubeadm, another one is asked for"),
        pytest.param(AKS, {**PROXY, "only": ["aks", "eksAnywhere"]}, ["NodesWithoutProxy"], id="AKS alone"),
        pytest.param(AKS, {**PROXY, "only": ["kubeletDropIn"]}, [], id="AKS, another one is asked for"),
        pytest.param(AKS, only("aks"), ["NodesWithoutProxy"], id="AKS, declared for it alone"),
        pytest.param(RKE2, of_object("prod-cp"), ["NodesWithoutProxy"], id="RKE2, declared for the object alone"),
        pytest.param(RKE2, of_object("prod-cp", **PROXY), [], id="RKE2, declared for all objects but this one"),
        pytest.param(AKS, of_object("prod-cp"), ["NodesWithoutProxy"], id="AKS, declared for the object alone"),
        pytest.param(AKS, of_object("other"), [], id="AKS, declared for another object"),
        pytest.param(AKS, of_object("prod-cp", **PROXY), [], id="AKS, declared for all objects but this one"),
        pytest.param([topology()], {**PROXY, "only": ["rke2"]}, ["NodesWithoutProxy"], id="a class of an unknown system"),
        pytest.param([topology()], only("k0s"), ["NodesWithoutProxy"], id="a class, declared for one of the systems"),
        pytest.param([topology()], {**PROXY, "only": ["workloads"]}, [], id="a class, no system is asked for"),
    ],
)
def test_the_targets_of_the_system_say_whether_its_nodes_are_to_have_a_proxy(
    items: list[dict[str, Any]], spec: dict[str, Any], codes: list[str]
) -> None:
    concerned = ("NodesWithoutProxy", "NodesWithoutProxy", "NodesWithoutProxy")
    assert [one.code for one in all_warnings(spec, *items) if one.code in concerned] == codes


def workload(kind: str = "DaemonSet", **variables: str) -> dict[str, Any]:
    env = [{"name": name, "value": value} for name, value in variables.items()]
    spec = {"template": {"spec": {"containers": [{"name": "app", "image": "app", "env": env}]}}}
    return manifest("apps/v1", kind, "app", spec=spec)


CERT_MANAGER = manifest(
    "apps/v1",
    "Deployment",
    "cert-manager",
    {"app.kubernetes.io/name": "cert-manager"},
    spec={
        "template": {
            "spec": {
                "containers": [
                    {"name": "cert-manager-controller", "image": "quay.io/jetstack/cert-manager-controller:v1"}
                ]
            }
        }
    },
)
STALE = [
    pytest.param(workload(HTTP_PROXY="http://old:1"), True, id="another proxy"),
    pytest.param(workload("StatefulSet", https_proxy="http://svc:p$$w@old:1"), True, id="another one in lower case"),
    pytest.param(workload(HTTP_PROXY="http://proxy:3128"), False, id="the right one"),
    pytest.param(workload(HTTP_PROXY="${PROXY}"), False, id="one that is filled in later"),
    pytest.param(workload(HTTP_PROXY=""), False, id="an empty one"),
    pytest.param(workload(NO_PROXY="a.example"), False, id="a list alone"),
    pytest.param(CERT_MANAGER, False, id="an object that a target writes"),
    pytest.param(
        {
            **workload(HTTP_PROXY="http://old:1"),
            "metadata": {"name": "app", "annotations": {"config.kubernetes.io/local-config": "true"}},
        },
        False,
        id="local configuration",
    ),
    pytest.param(manifest("v1", "ConfigMap", "notes", data={"x": "HTTP_PROXY=http://old:1"}), False, id="a text"),
]


def annotated(value: str, key: str = "fn.inject-proxy.io/proxy") -> dict[str, Any]:
    item = workload(HTTP_PROXY="http://old:1")
    return {**item, "metadata": {**item["metadata"], "annotations": {key: value}}}


@pytest.mark.parametrize(
    ("item", "options", "codes"),
    [
        pytest.param(workload(HTTP_PROXY="http://old:1"), {}, ["OtherProxy"], id="nothing selects it"),
        pytest.param(annotated("false"), {}, [], id="its author refuses"),
        pytest.param(annotated("exclude", "policies.kyverno.io/inject-proxy-env"), {}, [], id="in words of Kyverno"),
        pytest.param(annotated("true"), {}, [], id="its annotation selects it"),
        pytest.param(annotated("true"), {"conflict": "Override"}, [], id="and replaces its value"),
        pytest.param(
            annotated("x"), {"workloads": [{"names": ["app"]}]}, ["SettingUnused"], id="no such container"
        ),
        pytest.param(workload(HTTP_PROXY="http://old:1"), {"enabled": False}, ["OtherProxy"], id="the target is off"),
        pytest.param(
            manifest("argoproj.io/v1alpha1", "Rollout", "app", spec=workload(HTTP_PROXY="http://old:1")["spec"]),
            {},
            ["OtherProxy"],
            id="a kind that nothing names",
        ),
    ],
)
def test_a_workload_with_a_proxy_that_nothing_selects(item: dict[str, Any], options: Any, codes: list[str]) -> None:
    said = all_warnings({**PROXY, "targets": {"workloads": options}}, item)
    found = [one.code for one in said if one.code in ("OtherProxy", "OtherProxy", "SettingUnused")]
    assert found[:1] == codes
    assert not [one.message for one in said if "FunctionConfig" in one.message]


def of_network(*cidrs: str, file: str = "", name: str = "prod", **spec: Any) -> dict[str, Any]:
    item = manifest(API, "Cluster", name, spec={"clusterNetwork": {"pods": {"cidrBlocks": list(cidrs)}}, **spec})
    path = {"internal.config.kubernetes.io/path": file} if file else {}
    return {**item, "metadata": {**item["metadata"], "annotations": path}}


WHOLE = {"infrastructureRef": {"apiVersion": f"infrastructure.{API}", "kind": "AWSCluster", "name": "prod"}}
ONE, TWO = "10.1.0.0/16", "10.2.0.0/16"


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        pytest.param(of_network(ONE), of_network(TWO), "another Cluster, and", id="no files"),
        pytest.param(of_network(ONE, file="a.yaml"), of_network(TWO, file="a.yaml"), "(a.yaml)", id="one file"),
        pytest.param(of_network(ONE, file="a.yaml", **WHOLE), of_network(TWO, file="b.yaml"), "(a.yaml)", id="a patch"),
        pytest.param(of_network(ONE, file="a.yaml"), of_network(TWO, file="b.yaml"), "", id="two files"),
        pytest.param(of_network(ONE), of_network(ONE), "", id="the same network"),
        pytest.param(of_network(ONE), of_network(), "", id="a patch that says nothing of it"),
        pytest.param(of_network(ONE), of_network(TWO, name="b"), "", id="another name"),
        pytest.param(of_network(ONE, name="${A}"), of_network(TWO, name="${A}"), "", id="templates"),
    ],
)
def test_two_clusters_of_one_name_with_different_networks(first: Any, second: Any, words: str) -> None:
    found = [one.message for one in all_warnings(PROXY, first, second) if one.code == "ClusterAmbiguous"]
    assert len(found) == bool(words)
    assert all(words in message for message in found)


@pytest.mark.parametrize("mode", ["Inject", "Remove"])
@pytest.mark.parametrize(
    ("conflict", "is_named"), [("Unit", True), ("Keep", True), ("Override", False), ("Fail", False)]
)
def test_the_advice_names_all_that_makes_the_value_change(mode: str, conflict: str, *, is_named: bool) -> None:
    options = {"conflict": conflict}
    (said,) = warnings({**PROXY, "mode": mode, "targets": {"workloads": options}}, workload(HTTP_PROXY="http://old:1"))
    assert said.code == "OtherProxy"
    assert "`spec.targets.workloads.workloads`" in said.message
    assert ('`spec.targets.workloads.conflict` as "Override"' in said.message) is is_named


def test_who_follows_the_advice_gets_another_value() -> None:
    options = {"workloads": [{"names": ["app"]}]}
    (said,) = [
        one
        for one in all_warnings({**PROXY, "targets": {"workloads": options}}, workload(HTTP_PROXY="http://old:1"))
        if one.code == "ValueKept"
    ]
    assert '"Override"' in said.message
    changed = {**options, "conflict": "Override"}
    assert "ValueKept" not in [
        one.code
        for one in all_warnings({**PROXY, "targets": {"workloads": changed}}, workload(HTTP_PROXY="http://old:1"))
    ]


@pytest.mark.parametrize(("item", "is_stale"), STALE)
def test_a_stale_proxy_in_an_object_that_no_target_writes(item: dict[str, Any], is_stale: bool) -> None:
    assert about(PROXY, item) == ([f"{item['kind']}/app"] if is_stale else [])


def test_what_removal_leaves_is_a_line_and_none_of_its_values() -> None:
    (found,) = warnings({"mode": "Remove"}, workload(HTTP_PROXY="http://svc:hunter2@old:1"))

    assert "remove it yourself" in found.message
    assert "hunter2" not in json.dumps(found.to_data())


def test_a_target_that_is_switched_off_is_meant() -> None:
    container = {
        "name": "cert-manager-controller",
        "image": "quay.io/jetstack/cert-manager-controller:v1",
        "env": [{"name": "HTTP_PROXY", "value": "http://old:1"}],
    }
    old = {**CERT_MANAGER, "spec": {"template": {"spec": {"containers": [container]}}}}

    assert about({**PROXY, "targets": {"certManager": {"enabled": False}}}, old) == []


POLICY = {
    "apiVersion": "kyverno.io/v1",
    "kind": "ClusterPolicy",
    "metadata": {"name": "proxy"},
    "spec": {"rules": [{"mutate": {"x": {"env": [{"name": "HTTP_PROXY", "value": "http://old:1"}]}}}]},
}


def kustomization(inner: str) -> dict[str, Any]:
    patches = [{"target": {"kind": "ClusterPolicy"}, "patch": inner}]
    return manifest("kustomize.toolkit.fluxcd.io/v1", "Kustomization", spec={"patches": patches})


CROSSPLANE = manifest("kubernetes.crossplane.io/v1alpha2", "Object", spec={"forProvider": {"manifest": POLICY}})
TEMPLATE = "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\n{{ x }}\n  HTTP_PROXY: a\n"


@pytest.mark.parametrize(
    "wrapper",
    [
        pytest.param(CROSSPLANE, id="an object"),
        pytest.param(kustomization(yaml.safe_dump(POLICY)), id="a text"),
        pytest.param(kustomization(TEMPLATE), id="a text that is no YAML"),
    ],
)
def test_a_policy_inside_an_object_of_a_kind_that_no_target_knows(wrapper: dict[str, Any]) -> None:
    assert about(PROXY, wrapper) == [f"{wrapper['kind']}/prod"]
    assert about({**PROXY, "targets": {"kyvernoPolicies": {"enabled": False}}}, wrapper) == []


@pytest.mark.parametrize("text", [yaml.safe_dump(POLICY), TEMPLATE], ids=["a policy", "no YAML"])
def test_a_policy_inside_an_object_that_the_target_knows_is_its_business(text: str) -> None:
    assert about(PROXY, manifest("v1", "ConfigMap", data={"policy.yaml": text})) == []


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        pytest.param(
            {"include": [{"names": ["cert-manger"]}]}, ["ProxyConfig/p"], id="nothing that could hold a proxy"
        ),
        pytest.param({"exclude": [{"names": ["*"]}]}, [], id="everything is left out, which is meant"),
        pytest.param({"include": [{"names": ["cert-*"]}]}, [], id="something"),
    ],
)
def test_a_selector_that_fits_nothing(selector: dict[str, Any], expected: list[str]) -> None:
    assert about({**PROXY, "selector": selector}, CERT_MANAGER) == expected
    assert about({**PROXY, "selector": selector}, manifest("v1", "Service")) == []


def test_an_item_that_nobody_can_read_is_no_error() -> None:
    text = yaml.safe_dump(
        {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": [manifest("v1", "Service")]}
    )
    broken = "- apiVersion: v1\n  kind: GKEConfig\n  x: {HTTP_PROXY: a, b\n  c: d}: e]\n"
    config = "functionConfig: {apiVersion: fn.inject-proxy.io/v1alpha1, kind: ProxyConfig, spec: {httpProxy: 'http://a:1'}}\n"
    assert (
        run((text.replace("kind: ResourceList\n", "") + broken + "kind: ResourceList\n" + config).encode()).exit_code
        == 0
    )


def release(chart: str, values: Any = None, **spec: Any) -> dict[str, Any]:
    held = {} if values is None else {"values": values}
    return manifest(
        "helm.toolkit.fluxcd.io/v2", "HelmRelease", spec={"chart": {"spec": {"chart": chart}}, **held, **spec}
    )


def application(chart: str, **helm: Any) -> dict[str, Any]:
    return manifest("argoproj.io/v1alpha1", "Application", spec={"source": {"chart": chart, "helm": helm}})


def codes(spec: dict[str, Any], *items: dict[str, Any]) -> list[str]:
    said = all_warnings(spec, *items)
    return [one.code for one in said if one.code in ("OtherProxy", "NotEdited", "NodesWithoutProxy")]


OLD, RIGHT = "http://old:1", "http://proxy:3128"
VALUES_TEXT = "crds: {enabled: true}\nextraEnv:\n- name: HTTPS_PROXY\n  value: %s\n"
TOML = '[[runners]]\n  environment = ["HTTP_PROXY=%s"]\n'
PATCH = "kind: Deployment\nspec: {env: [{name: HTTPS_PROXY, value: '%s'}]}\n"


def places(url: str) -> dict[str, dict[str, Any]]:
    """Objects with a field that no target writes, and a proxy in it."""
    variable = [{"name": "HTTPS_PROXY", "value": url}]
    return {
        "a mapping in the values of a chart": release(
            "kube-prometheus-stack", {"grafana": {"env": {"HTTP_PROXY": url}}}
        ),
        "three members in the values of a chart": release("harbor", {"proxy": {"httpProxy": url}}),
        "a URL in the values of a chart": release("rancher", {"proxy": url}),
        "TOML in the values of a chart": release("gitlab-runner", {"runners": {"config": TOML % url}}),
        "values of an Application": application("cert-manager", valuesObject={"http_proxy": url}),
        "values of an Application as a text": application("cert-manager", values=VALUES_TEXT % url),
        "a parameter of an Application": application("cert-manager", parameters=[{"name": "http_proxy", "value": url}]),
        "one of several sources": manifest(
            "argoproj.io/v1alpha1",
            "Application",
            spec={"sources": [{"chart": "harbor", "helm": {"valuesObject": {"proxy": {"httpsProxy": url}}}}]},
        ),
        "an inline patch": manifest(
            "kustomize.config.k8s.io/v1beta1", "Kustomization", patches=[{"patch": PATCH % url}]
        ),
        "a literal of a kustomization": manifest(
            "kustomize.config.k8s.io/v1beta1",
            "Kustomization",
            configMapGenerator=[{"literals": [f"HTTP_PROXY={url}"]}],
        ),
        "an inline patch of a FluxInstance": manifest(
            "fluxcd.controlplane.io/v1", "FluxInstance", spec={"kustomize": {"patches": [{"patch": PATCH % url}]}}
        ),
        "a URL in `set` of a HelmChart": manifest("helm.cattle.io/v1", "HelmChart", spec={"set": {"proxy": url}}),
        "a path in `set` of a HelmChart": manifest(
            "helm.cattle.io/v1", "HelmChart", spec={"set": {"proxy.httpProxy": url}}
        ),
        "values of a HelmChart as a text": manifest(
            "helm.cattle.io/v1", "HelmChart", spec={"valuesContent": VALUES_TEXT % url}
        ),
        "values of a HelmChartConfig": manifest(
            "helm.cattle.io/v1", "HelmChartConfig", spec={"valuesContent": VALUES_TEXT % url}
        ),
        "values of an ApplicationSet as a text": manifest(
            "argoproj.io/v1alpha1",
            "ApplicationSet",
            spec={"template": {"spec": {"source": {"chart": "x", "helm": {"values": VALUES_TEXT % url}}}}},
        ),
        "variables of AWX as a text": manifest(
            "awx.ansible.com/v1beta1", "AWX", spec={"task_extra_env": f"- name: HTTPS_PROXY\n  value: {url}\n"}
        ),
        "TOML of a ConfigMap": manifest("v1", "ConfigMap", data={"config.template.toml": TOML % url}),
        "AKS": manifest(
            f"infrastructure.{API}/v1beta1", "AzureManagedControlPlane", spec={"httpProxyConfig": {"httpProxy": url}}
        ),
        "an operator": manifest("operators.coreos.com/v1alpha1", "Subscription", spec={"config": {"env": variable}}),
        "CDI": manifest("cdi.kubevirt.io/v1beta1", "CDI", spec={"config": {"importProxy": {"HTTPProxy": url}}}),
        "an add-on of ACM": manifest(
            "addon.open-cluster-management.io/v1alpha1",
            "AddOnDeploymentConfig",
            spec={"proxyConfig": {"httpsProxy": url}},
        ),
        "user data of Karpenter": manifest(
            "karpenter.k8s.aws/v1", "EC2NodeClass", spec={"userData": f"#!/bin/sh\nexport HTTP_PROXY={url}\n"}
        ),
    }


@pytest.mark.parametrize("place", places(OLD))
def test_another_proxy_in_a_field_that_no_target_writes_is_a_line(place: str) -> None:
    assert "OtherProxy" in codes(PROXY, places(OLD)[place])


@pytest.mark.parametrize("place", places(OLD))
def test_what_a_removal_leaves_in_such_a_field_is_a_line(place: str) -> None:
    assert codes({"mode": "Remove"}, places(OLD)[place]) == ["OtherProxy"]


def two_containers(**env: str) -> dict[str, Any]:
    """A workload whose first container gets the proxy, and whose second one has variables of its own."""
    item = annotated("web")
    variables = [{"name": name, "value": value} for name, value in env.items()]
    containers = [{"name": "web"}, {"name": "sidecar", "env": variables}]
    return {**item, "spec": {"template": {"spec": {"containers": containers}}}}


def two_sources(url: str) -> dict[str, Any]:
    """An Application of a chart that is chosen, and of one that is not."""
    sources = [
        {"chart": "cert-manager", "helm": {"valuesObject": {}}},
        {"chart": "harbor", "helm": {"valuesObject": {"proxy": {"httpProxy": url}}}},
    ]
    return manifest("argoproj.io/v1alpha1", "Application", spec={"sources": sources})


EXTENSION = "apiVersion: v1alpha1\nkind: ExtensionServiceConfig\nname: x\nenvironment:\n- HTTPS_PROXY=%s\n"


def talos(*patches: str) -> dict[str, Any]:
    spec = {"generateType": "worker", "strategicPatches": list(patches)}
    return manifest("bootstrap.cluster.x-k8s.io/v1alpha3", "TalosConfigTemplate", spec={"template": {"spec": spec}})


def beside(url: str) -> dict[str, dict[str, Any]]:
    """Objects that a target writes, with a proxy in another place."""
    runner = {"initContainers": [{"name": "x", "env": [{"name": "HTTPS_PROXY", "value": url}]}]}
    text = "http_proxy: %s\nsidecar:\n  HTTPS_PROXY: %s\n"
    return {
        "a container beside the chosen one": two_containers(HTTP_PROXY=url),
        "two variables beside the chosen container": two_containers(HTTP_PROXY=url, HTTPS_PROXY=url),
        "other values of a chosen chart": release("cert-manager", {"sidecar": {"HTTPS_PROXY": url}}),
        "the text that holds values of a chosen chart": application("cert-manager", values=text % (RIGHT, url)),
        "a chart that is not chosen beside one that is": two_sources(url),
        "a URL of Alertmanager beside Grafana's variables": release(
            "kube-prometheus-stack", {"alertmanager": {"config": {"global": {"http_config": {"proxy_url": url}}}}}
        ),
        "an extension service of Talos in a patch of its own": talos("machine: {env: {}}", EXTENSION % url),
        "an extension service of Talos behind its environment": talos(
            f"machine: {{env: {{}}}}\n---\n{EXTENSION % url}"
        ),
        "a list beside the one of a runner": manifest(
            "actions.summerwind.dev/v1alpha1", "RunnerDeployment", spec={"template": {"spec": runner}}
        ),
    }


CHOSEN = {"charts": {"charts": [{"charts": ["cert-manager", "kube-prometheus-stack"]}]}}


@pytest.mark.parametrize("place", beside(OLD))
@pytest.mark.parametrize("spec", [PROXY, {"mode": "Remove"}], ids=["injection", "removal"])
def test_another_proxy_beside_what_a_run_writes_is_a_line(place: str, spec: Any) -> None:
    said = [one for one in all_warnings({**spec, "targets": CHOSEN}, beside(OLD)[place]) if one.code == "OtherProxy"]
    assert len(said) == 1
    assert said[0].path


@pytest.mark.parametrize("place", beside(OLD))
def test_the_right_proxy_beside_what_a_run_writes_is_silent(place: str) -> None:
    assert codes({**PROXY, "targets": CHOSEN}, beside(RIGHT)[place]) == []
    assert codes({**PROXY, "targets": CHOSEN}, beside("ENC[AES256_GCM,data:x]")[place] | {"sops": {"mac": "x"}}) == []


@pytest.mark.parametrize("place", places(OLD))
def test_what_sops_encrypted_is_no_other_proxy(place: str) -> None:
    assert "OtherProxy" not in codes(PROXY, places("ENC[AES256_GCM,data:x]")[place] | {"sops": {"mac": "x"}})


@pytest.mark.parametrize("conflict", ["Unit", "Keep", "Override"])
@pytest.mark.parametrize("mode", ["Inject", "Remove"])
def test_what_stays_by_the_choice_of_its_author_is_no_line_of_its_own(mode: str, conflict: str) -> None:
    options = {"workloads": {"conflict": conflict}}
    assert codes({**PROXY, "mode": mode, "targets": options}, annotated("true")) == []


OF_CHARTS: list[Any] = [
    pytest.param(
        release("jenkins", {"controller": {"containerEnv": [{"name": "HTTP_PROXY", "value": OLD}]}}), id="list"
    ),
    pytest.param(release("renovate", {"env": {"HTTP_PROXY": OLD}}), id="mapping"),
    pytest.param(release("harbor", {"proxy": {"httpProxy": OLD}}), id="texts"),
    pytest.param(application("harbor", values=f"proxy:\n  httpProxy: {OLD}\n"), id="a text of an Application"),
    pytest.param(application("harbor", parameters=[{"name": "proxy.httpProxy", "value": OLD}]), id="a parameter"),
]


@pytest.mark.parametrize("item", OF_CHARTS)
@pytest.mark.parametrize(
    ("options", "said"),
    [
        pytest.param({}, "choose the chart with a matcher", id="a chart that is not chosen"),
        pytest.param({"charts": [{"kinds": ["*"]}]}, "which no run wrote, so it stays", id="a chosen one"),
        pytest.param({"charts": [{"kinds": ["*"]}], "conflict": "Override"}, None, id="one whose values all go"),
        pytest.param({"enabled": False}, "no target writes this place", id="no target for charts"),
    ],
)
def test_what_a_removal_leaves_in_a_chart_says_what_would_remove_it(item: Any, options: Any, said: str | None) -> None:
    spec = {"mode": "Remove", "targets": {"charts": options}}
    found = [one.message for one in all_warnings(spec, item) if one.code == "OtherProxy"]
    assert [said in one for one in found] == ([True] if said else [])


@pytest.mark.parametrize("spec", [PROXY, {"mode": "Remove"}], ids=["injection", "removal"])
def test_a_value_of_a_chart_that_choosing_it_would_not_change_does_not_say_so(spec: dict[str, Any]) -> None:
    item = release("gitlab-runner", {"extra": {"config": TOML % OLD}})
    (said,) = (one for one in all_warnings(spec, item) if one.code == "OtherProxy")
    assert "no target writes this place" in said.message


@pytest.mark.parametrize("place", places(OLD))
def test_the_right_proxy_in_such_a_field_is_silent(place: str) -> None:
    with_password = {name: url.replace("//", "//svc:hunter2@") for name, url in PROXY.items()}

    assert codes(PROXY, places(RIGHT)[place]) == []
    assert not [
        one for one in all_warnings(with_password, places(OLD)[place]) if "hunter2" in json.dumps(one.to_data())
    ]


@pytest.mark.parametrize("place", ["AKS"])
def test_where_no_password_can_stand_the_proxy_is_right_without_it(place: str) -> None:
    with_password = {name: url.replace("//", "//svc:hunter2@") for name, url in PROXY.items()}

    assert codes(with_password, places(RIGHT)[place]) == []


SUBSCRIPTION = manifest("operators.coreos.com/v1alpha1", "Subscription", spec={"name": "quay"})
EMPTY = [
    pytest.param(release("cert-manager"), ["NotEdited"], id="a chart without values"),
    pytest.param(release("cert-manager", {"crds": {}}), ["NotEdited"], id="a chart with other values"),
    pytest.param(application("cert-manager"), ["NotEdited"], id="a chart of an Application"),
    pytest.param(release("podinfo"), [], id="a chart that is not known"),
    pytest.param(
        manifest(
            "operators.coreos.com/v1alpha1",
            "Subscription",
            spec={"config": {"env": [{"name": "HTTPS_PROXY", "valueFrom": {"secretKeyRef": {"name": "p"}}}]}},
        ),
        [],
        id="a variable from a Secret",
    ),
    pytest.param(release("harbor", {"proxy": {"httpProxy": "${PROXY}"}}), [], id="a member that is filled in later"),
    pytest.param(release("velero", {"env": "${PROXY}"}, valuesFrom=[{"name": "x"}]), [], id="values from elsewhere"),
    pytest.param(release("renovate", {"env": {"HTTP_PROXY": "${PROXY}"}}), [], id="a value that is filled in later"),
    pytest.param(SUBSCRIPTION, ["NotEdited"], id="a field whose target waits to be asked"),
    pytest.param(manifest("notification.toolkit.fluxcd.io/v1", "Provider", spec={}), [], id="a field nobody needs"),
    pytest.param(
        manifest(f"infrastructure.{API}", "AWSMachineTemplate", spec={"template": {"spec": {"ignition": {}}}}),
        ["NotEdited"],
        id="Ignition of a version that takes no proxy",
    ),
    pytest.param(
        manifest(f"infrastructure.{API}", "AWSMachineTemplate", spec={"template": {"spec": {}}}), [], id="no Ignition"
    ),
    pytest.param(manifest("fleet.cattle.io/v1alpha1", "Cluster", spec={}), [], id="a copy that Rancher makes"),
]


@pytest.mark.parametrize("is_enabled", [True, False])
def test_a_field_is_not_named_where_its_target_is_asked_or_switched_off(is_enabled: bool) -> None:
    options = {**PROXY, "targets": {"olmSubscriptions": {"enabled": is_enabled}}}
    assert codes(options, SUBSCRIPTION) == []


@pytest.mark.parametrize("version", ["provisioning.cattle.io/v1", "management.cattle.io/v3"])
def test_nodes_of_rancher_are_named_no_more(version: str) -> None:
    assert "NodesWithoutProxy" not in codes(PROXY, manifest(version, "Cluster", spec={}))


@pytest.mark.parametrize(("item", "expected"), EMPTY)
def test_a_field_that_no_target_writes_is_named_where_it_is_empty(item: dict[str, Any], expected: list[str]) -> None:
    assert codes(PROXY, item) == expected
    assert codes({"mode": "Remove"}, item) == []
    assert codes({**PROXY, "only": ["nodes"]}, item) == []


@pytest.mark.parametrize("chart", [name for name, one in CHARTS.items() if one.is_needed])
def test_a_chart_without_a_proxy_names_its_values_and_gets_it_once_it_is_chosen(chart: str) -> None:
    (said,) = (one for one in all_warnings(PROXY, release(chart)) if one.code == "NotEdited")
    for value in CHARTS[chart].values:
        assert all(f"`{name}`" in said.message for name in value.names)

    chosen = {**PROXY, "targets": {"charts": {"charts": [{"charts": [chart]}]}}}
    outcome = ran(chosen, release(chart))
    assert RIGHT in str(yaml.safe_load(outcome.output)["items"])
    assert codes(chosen, release(chart)) == []


@pytest.mark.parametrize("values", [None, {"proxy": {"httpProxy": OLD}}])
def test_a_chart_with_an_annotation_against_a_proxy_is_not_named(values: Any) -> None:
    item = release("harbor", values)
    item["metadata"]["annotations"] = {"fn.inject-proxy.io/proxy": "false"}

    assert codes(PROXY, item) == []


def test_a_field_with_another_proxy_is_named_once() -> None:
    item = manifest("config.openshift.io/v1", "Proxy", spec={"httpProxy": OLD})

    assert codes(PROXY, item) == ["OtherProxy"]


def test_other_proxies_of_a_proxy_config_are_no_stale_ones() -> None:
    other = manifest("fn.inject-proxy.io/v1alpha1", "ProxyConfig", spec={"overrides": [{"httpProxy": OLD}]})

    assert codes(PROXY, other) == []
