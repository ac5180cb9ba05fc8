"""Another proxy in a place that no target writes is one warning, and the right one is none."""

from __future__ import annotations

import base64
import gzip
import json
from typing import Any
from urllib.parse import quote

import pytest

import manifests
from function_configs import list_with_config
from krm_fn.config import Declaration, ProxyConfig
from krm_fn.krm.codes import Severity
from krm_fn.pipeline.audit import ReadableManifests, audit
from krm_fn.pipeline.other_places import stale_files
from krm_fn.pipeline.run import run
from lint_objects import OLD, PROXY, REMOVE, RIGHT, manifest, release, warned, with_variables

PATCH = "kind: Deployment\nspec: {env: [{name: HTTPS_PROXY, value: '%s'}]}\n"
TOML = '[[runners]]\n  environment = ["HTTP_PROXY=%s"]\n'
DROP_IN = 'path: /etc/systemd/system/containerd.service.d/x.conf\ncontent: |\n  Environment="HTTP_PROXY=%s"\n'
SCRIPT = "cat > /etc/systemd/system/containerd.service.d/http-proxy.conf <<EOF\nEnvironment=HTTP_PROXY=%s\nEOF\n"
VALUES = "crds: {enabled: true}\nextraEnv:\n- name: HTTPS_PROXY\n  value: %s\n"


def about_another(spec: dict[str, Any], *items: dict[str, Any]) -> list[str]:
    return [result.ref.kind for result in warned(spec, *items) if result.code == "OtherProxy"]


def application(chart: str, **helm: Any) -> dict[str, Any]:
    return manifest("argoproj.io/v1alpha1", "Application", spec={"source": {"chart": chart, "helm": helm}})


def class_with_patch(text: str) -> dict[str, Any]:
    """A class whose patch adds a file that a template makes."""
    operation = {"op": "add", "path": "/spec/template/spec/files/-", "valueFrom": {"template": text}}
    return manifest(
        "cluster.x-k8s.io/v1beta1", "ClusterClass", spec={"patches": [{"definitions": [{"jsonPatches": [operation]}]}]}
    )


def control_plane(**config: Any) -> dict[str, Any]:
    return manifests.control_plane("prod", metadata={"namespace": "org"}, **config)


def places(url: str) -> dict[str, dict[str, Any]]:
    """Objects with a proxy in a place that no target writes."""
    aks = "infrastructure.cluster.x-k8s.io/v1beta1"
    patches = [{"patch": PATCH % url}]
    return {
        "a DaemonSet that nobody chose": with_variables(HTTP_PROXY=url),
        "a kind that no target knows": with_variables("Rollout", https_proxy=url),
        "a mapping in the values of a chart": release("harbor", {"proxy": {"httpProxy": url}}),
        "a URL in the values of a chart": release("rancher", {"proxy": url}),
        "a text of an Application": application("cert-manager", values=VALUES % url),
        "an inline patch": manifest("kustomize.config.k8s.io/v1beta1", "Kustomization", patches=patches),
        "a path of a HelmChart": manifest("helm.cattle.io/v1", "HelmChart", spec={"set": {"proxy.httpProxy": url}}),
        "TOML of a ConfigMap": manifest("v1", "ConfigMap", data={"config.template.toml": TOML % url}),
        "manifests of a ClusterResourceSet": manifest("v1", "ConfigMap", data={"web.yaml": PATCH % url}),
        "a HelmChartProxy": manifest(
            "addons.cluster.x-k8s.io/v1alpha1", "HelmChartProxy", spec={"valuesTemplate": VALUES % url}
        ),
        "a ClusterProfile": manifest(
            "config.projectsveltos.io/v1beta1", "ClusterProfile", spec={"helmCharts": [{"values": VALUES % url}]}
        ),
        "a patch of a ClusterClass": class_with_patch(DROP_IN % url),
        "a HelmChartConfig": manifest("helm.cattle.io/v1", "HelmChartConfig", spec={"valuesContent": VALUES % url}),
        "an ApplicationSet": manifest(
            "argoproj.io/v1alpha1",
            "ApplicationSet",
            spec={"template": {"spec": {"source": {"helm": {"valuesObject": {"env": {"HTTP_PROXY": url}}}}}}},
        ),
        "CDI": manifest("cdi.kubevirt.io/v1beta1", "CDI", spec={"config": {"importProxy": {"HTTPProxy": url}}}),
        "Advanced Cluster Management": manifest(
            "config.open-cluster-management.io/v1alpha1",
            "KlusterletConfig",
            spec={"hubKubeAPIServerConfig": {"proxyURL": url}},
        ),
        "a FluxInstance": manifest(
            "fluxcd.controlplane.io/v1", "FluxInstance", spec={"kustomize": {"patches": [{"patch": PATCH % url}]}}
        ),
        "an AWX": manifest(
            "awx.ansible.com/v1beta1", "AWX", spec={"task_extra_env": f"- name: HTTPS_PROXY\n  value: {url}\n"}
        ),
        "AKS": manifest(aks, "AzureManagedControlPlane", spec={"httpProxyConfig": {"httpProxy": url}}),
    }


@pytest.mark.parametrize("place", places(OLD))
@pytest.mark.parametrize("spec", [PROXY, REMOVE], ids=["injection", "removal"])
def test_another_proxy_is_one_warning_about_its_field(place: str, spec: dict[str, Any]) -> None:
    item = places(OLD)[place]
    (result,) = (result for result in warned(spec, item) if result.code == "OtherProxy")
    assert (result.ref.kind, bool(result.path)) == (item["kind"], True)


@pytest.mark.parametrize("place", places(RIGHT))
def test_the_right_proxy_and_an_encrypted_one_are_none(place: str) -> None:
    assert about_another(PROXY, places(RIGHT)[place]) == []
    assert about_another(PROXY, places("${PROXY}")[place]) == []
    assert about_another(PROXY, places("http://{{ .host }}:1")[place]) == []
    assert about_another(PROXY, {**places("ENC[AES256_GCM,data:x]")[place], "sops": {"mac": "x"}}) == []


def test_no_password_is_shown_and_a_place_without_one_is_right() -> None:
    with_password = {name: url.replace("//", "//svc:hunter2@") for name, url in PROXY.items()}
    item = with_variables(HTTP_PROXY="http://svc:hunter3@old:1")
    results = [*warned(with_password, item), *warned(REMOVE, item)]
    assert results
    assert "hunter" not in json.dumps([result.to_data() for result in results])
    assert about_another(with_password, places(RIGHT)["AKS"]) == []


def test_a_patch_of_a_class_may_set_the_proxy_of_some_nodes_and_a_script_one_that_the_shell_fills_in() -> None:
    workers = {"match": {"roles": ["Worker"]}, "httpProxy": "http://workers:1"}
    item = class_with_patch(DROP_IN % "http://workers:1")
    assert about_another({**PROXY, "overrides": [workers]}, item) == []
    assert about_another(PROXY, item) == about_another(REMOVE, item) == ["ClusterClass"]
    assert about_another(PROXY, class_with_patch(DROP_IN % "http://$HOST:1")) == []


USERDATA = json.dumps({"storage": {"files": [{"contents": {"source": "data:;base64,%s"}}]}})


def _decoded_on_nodes(text: str) -> dict[str, dict[str, Any]]:
    """Objects with a text that a node decodes."""
    coded = base64.b64encode(text.encode()).decode()
    packed = base64.b64encode(gzip.compress(text.encode())).decode()

    def machine_config(**contents: str) -> dict[str, Any]:
        files = [{"path": "/etc/x", "contents": contents}]
        return manifest(
            "machineconfiguration.openshift.io/v1", "MachineConfig", spec={"config": {"storage": {"files": files}}}
        )

    def secret(userdata: str | bytes) -> dict[str, Any]:
        raw = userdata if isinstance(userdata, bytes) else userdata.encode()
        return manifest("v1", "Secret", data={"userdata": base64.b64encode(raw).decode()})

    butane = f"storage:\n  files:\n  - contents: {{source: 'data:,{quote(text)}'}}\n"
    return {
        "percent": machine_config(source=f"data:,{quote(text)}"),
        "base64": machine_config(source=f"data:text/plain;base64,{coded}"),
        "gzip": machine_config(source=f"data:;base64,{packed}", compression="gzip"),
        "Butane": control_plane(ignition={"containerLinuxConfig": {"additionalConfig": butane}}),
        "a packed file": control_plane(files=[{"path": "/x", "encoding": "gzip+base64", "content": packed}]),
        "Ignition of a VirtualMachine": manifest(
            "kubevirt.io/v1", "VirtualMachine", spec={"volumes": [{"cloudInitNoCloud": {"userDataBase64": coded}}]}
        ),
        "a file of cloud-init": manifest(
            "kubevirt.io/v1",
            "VirtualMachine",
            spec={"userData": f"write_files:\n- {{encoding: gz+b64, content: {packed}}}\n"},
        ),
        "Ignition in a Secret": secret(USERDATA % coded),
        "a packed Secret": secret(gzip.compress(text.encode())),
    }


@pytest.mark.parametrize("place", _decoded_on_nodes(""))
def test_what_nodes_decode_is_searched(place: str) -> None:
    item = _decoded_on_nodes(f'Acquire::http::Proxy "{OLD}";\n')[place]
    assert about_another(PROXY, item) == [item["kind"]]
    assert about_another(PROXY, _decoded_on_nodes(f'Acquire::http::Proxy "{RIGHT}";\n')[place]) == []


@pytest.mark.parametrize("line", ["http_proxy: %s", "curl -x %s a", "proxy = %s", "proxy=%s"])
@pytest.mark.parametrize("start", ["", " ", "# "])
def test_a_text_in_base64_counts_whether_or_not_it_is_in_a_list(line: str, start: str) -> None:
    text = base64.b64encode(f"{start}\n{line % OLD}\n".encode()).decode()
    hidden = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}, "data": {"values.yaml": text}}
    items = [hidden, {"apiVersion": "cluster.x-k8s.io/v1beta1", "kind": "Cluster", "metadata": {"name": "b"}}]
    assert about_another(PROXY, hidden) == ["Secret"]
    assert about_another(PROXY, {"apiVersion": "v1", "kind": "List", "items": items}) == ["Secret"]


@pytest.mark.parametrize("annotation", ["false", "true"])
def test_what_an_annotation_refuses_or_chooses_is_no_warning(annotation: str) -> None:
    assert about_another(PROXY, with_variables(HTTP_PROXY=OLD, annotation=annotation)) == []


def test_a_place_whose_target_is_switched_off_is_no_warning() -> None:
    item = with_variables("Deployment", HTTP_PROXY=OLD)
    item["metadata"] |= {"name": "cert-manager", "labels": {"app.kubernetes.io/name": "cert-manager"}}
    item["spec"]["template"]["spec"]["containers"][0]["name"] = "cert-manager-controller"
    assert about_another({**PROXY, "targets": {"workloads": False}}, item) == []


EXTENSION = "apiVersion: v1alpha1\nkind: ExtensionServiceConfig\nname: x\nenvironment:\n- HTTPS_PROXY=%s\n"


def beside(url: str) -> dict[str, dict[str, Any]]:
    """Objects that a target writes, with a proxy in another place."""
    two_containers = with_variables(annotation="app")
    env = [{"name": "HTTP_PROXY", "value": url}]
    two_containers["spec"]["template"]["spec"]["containers"].append({"name": "sidecar", "env": env})
    sources = [
        {"chart": "cert-manager", "helm": {"valuesObject": {}}},
        {"chart": "harbor", "helm": {"valuesObject": {"proxy": {"httpProxy": url}}}},
    ]
    talos = {"generateType": "worker", "strategicPatches": ["machine: {env: {}}", EXTENSION % url]}
    return {
        "a container beside the chosen one": two_containers,
        "other values of a chosen chart": release("cert-manager", {"sidecar": {"HTTPS_PROXY": url}}),
        "the text that holds values of a chosen chart": application(
            "cert-manager", values=f"http_proxy: {RIGHT}\nsidecar:\n  HTTPS_PROXY: {url}\n"
        ),
        "a chart that is not chosen beside one that is": manifest(
            "argoproj.io/v1alpha1", "Application", spec={"sources": sources}
        ),
        "a script among the files of nodes": control_plane(
            files=[{"path": "/opt/x.sh", "content": SCRIPT % url}], preKubeadmCommands=["/opt/x.sh"]
        ),
        "a command behind kubeadm": control_plane(postKubeadmCommands=[f"export HTTPS_PROXY={url}; curl x"]),
        "an extension service of Talos in a patch of its own": manifest(
            "bootstrap.cluster.x-k8s.io/v1alpha3", "TalosConfigTemplate", spec={"template": {"spec": talos}}
        ),
    }


CHOSEN = {"targets": {"charts": {"choose": [{"charts": ["cert-manager"]}]}}}


@pytest.mark.parametrize("place", beside(OLD))
@pytest.mark.parametrize("spec", [PROXY, REMOVE], ids=["injection", "removal"])
def test_another_proxy_beside_what_a_run_writes_is_a_warning(place: str, spec: dict[str, Any]) -> None:
    assert len(about_another({**spec, **CHOSEN}, beside(OLD)[place])) == 1


@pytest.mark.parametrize("place", beside(RIGHT))
def test_the_right_proxy_beside_what_a_run_writes_is_none(place: str) -> None:
    assert about_another({**PROXY, **CHOSEN}, beside(RIGHT)[place]) == []


@pytest.mark.parametrize("place", ["a script among the files of nodes", "a patch of a ClusterClass"])
def test_lint_names_what_wins_on_nodes_where_a_proxyconfig_says_the_proxy(place: str) -> None:
    def codes(url: str, config: ProxyConfig) -> set[str]:
        text = json.dumps({**places(url), **beside(url)}[place])
        return {result.code for result in audit(ReadableManifests({"a.json": text.encode()}), config).results}

    config = ProxyConfig(Declaration(RIGHT, RIGHT, is_declared=True))
    assert "OtherProxy" in codes(OLD, config)
    assert "OtherProxy" not in codes(RIGHT, config) | codes(OLD, ProxyConfig())


W, N = Severity.WARNING, Severity.INFO
WITHOUT_OBJECTS = [
    pytest.param(f"CLUSTER_NAME: a\nTKG_HTTP_PROXY: {OLD}\n", [W], id="a cluster configuration of TKG"),
    pytest.param(f"patches:\n- patch: |\n    spec: {{env: {{HTTP_PROXY: '{OLD}'}}}}\n", [W], id="an inline patch"),
    pytest.param(f"- op: add\n  path: /spec/httpProxy\n  httpProxy: {OLD}\n", [W], id="a JSON patch"),
    pytest.param(f'[{{"op": "add", "value": {{"httpProxy": "{OLD}"}}}}]\n', [W], id="a JSON patch on one line"),
    pytest.param(f"kind: Deployment\nenv: [{{name: HTTP_PROXY, value: '{OLD}'}}]\n", [W], id="a patch, no version"),
    pytest.param(f"env:\n  HTTP_PROXY: {OLD}\nsteps:\n- run: make\n", [N], id="a workflow of a pipeline"),
    pytest.param(f"services: {{web: {{environment: {{HTTP_PROXY: '{OLD}'}}}}}}\n", [N], id="containers of compose"),
    pytest.param(f"extraEnv:\n- name: HTTP_PROXY\n  value: {OLD}\n", [N], id="values of a chart, as those of tests"),
    pytest.param(f"patches:\n- patch: |\n    kind: ProxyConfig\n    spec: {{httpProxy: '{OLD}'}}\n", [], id="ours"),
]


@pytest.mark.parametrize(("text", "expected"), WITHOUT_OBJECTS)
def test_a_file_without_objects_is_a_warning_where_a_target_reads_it(text: str, expected: list[Severity]) -> None:
    config = ProxyConfig(Declaration(RIGHT, RIGHT, is_declared=True))
    results = list(stale_files({"patch.yaml": text.encode()}, config))
    assert [result.severity for result in results] == expected
    assert {(result.code, result.ref.file_path) for result in results} <= {("OtherProxy", "patch.yaml")}
    assert list(stale_files({"patch.yaml": text.encode()}, ProxyConfig())) == []


def test_the_default_of_a_custom_resource_is_information() -> None:
    schema = {"properties": {"httpProxy": {"default": OLD}}, "default": {"httpProxy": OLD}}
    item = manifest("apiextensions.k8s.io/v1", "CustomResourceDefinition", spec={"versions": [{"schema": schema}]})
    outcome = run(list_with_config(PROXY, item))
    assert [one.severity for one in outcome.results if one.code == "OtherProxy"] == [Severity.INFO]


def _chosen(item: dict[str, Any]) -> dict[str, Any]:
    item["metadata"]["annotations"] = {"fn.inject-proxy.io/proxy": "true"}
    return item


SIDECAR = with_variables("Deployment")
SIDECAR["spec"]["template"]["spec"]["containers"].append(
    {"name": "b", "image": "b", "env": [{"name": "HTTPS_PROXY", "value": OLD}]}
)
ENV = [{"name": "HTTPS_PROXY", "value": OLD}]


@pytest.mark.parametrize(
    ("item", "field"),
    [
        pytest.param(
            _chosen(release("argo-cd", {"repoServer": {"env": ENV}})), "spec.values.repoServer.env", id="a part"
        ),
        pytest.param(
            _chosen(release("argo-cd", {"global": {"env": [{"name": "DD_PROXY_HTTPS", "value": OLD}]}})),
            "spec.values.global.env",
            id="a name that wins in the same list",
        ),
        pytest.param(_chosen(release("velero", {"x": {"httpProxy": OLD}})), "spec.values.x.httpProxy", id="a member"),
        pytest.param(_chosen(SIDECAR), "spec.template.spec.containers.1.env", id="a container that is left out"),
    ],
)
def test_who_is_chosen_already_is_told_which_field_to_clear(item: dict[str, Any], field: str) -> None:
    spec = {**PROXY, "targets": {"workloads": {"containers": ["app"]}}}
    outcome = run(list_with_config(spec, item))
    (finding,) = (result for result in outcome.results if result.code == "OtherProxy")
    assert f"take it out of `{field}`" in finding.message
    assert "choose" not in finding.message


def test_every_place_of_an_object_is_named() -> None:
    files = [{"path": f"/etc/{name}", "content": f"HTTPS_PROXY={OLD}\n"} for name in ("a", "b")]
    item = manifest("bootstrap.cluster.x-k8s.io/v1beta1", "KubeadmConfigTemplate")
    item["spec"] = {"template": {"spec": {"files": files}}}
    outcome = run(list_with_config(PROXY, item))
    paths = [result.path for result in outcome.results if result.code == "OtherProxy"]
    assert len(set(paths)) == 2
