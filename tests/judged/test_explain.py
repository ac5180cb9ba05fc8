"""`inject-proxy explain`: what it tells of a list of several clusters, in each of its three forms."""

from __future__ import annotations

import base64
import json
import re
import xml.etree.ElementTree
from pathlib import Path
from typing import Any

import pytest

from krm_fn.explain.clients import CLIENTS
from support import inject_proxy

def loads(text):
    data = json.loads(text)
    if "proxies" in data:
        data["nodes"] = [
            {"clusters": n["clusters"], "roles": n["parts"], "object": n["object"], "file": n["file"], "rolled": n["is_replaced"], "why": n["why"]}
            for n in data["nodes"]
        ]
        data["without"] = [
            {"cluster": c["name"], "object": "", "file": "", "why": why} for c in data["clusters"] for why in c["left"]
        ]
        data["sections"] = [
            {"clusters": one["clusters"], "roles": one["parts"], "consumer": one["readers"], "httpProxy": one["http_proxy"], "httpsProxy": one["https_proxy"],
             "noProxy": [{"entry": e["text"], "why": e["why"]} for e in one["no_proxy"]],
             "places": [{"object": pl["object"], "target": t, "file": pl["file"]} for pl in one["places"] for t in pl["targets"]],
             "hosts": [{"host": h["host"]["name"], "port": h["host"]["port"], "what": h["host"]["what"], "verdicts": {**{n: "direct" for n in h["direct"]}, **{n: "proxy" for n in h["by_proxy"]}, **{n: "breaks" for n in h["failing"]}}} for h in one["hosts"]]}
            for one in data["proxies"]
        ]
    return data


ROOT = Path(__file__).parent.parent.parent
SECRET = "s3cr3t%21"
MANIFESTS = f"""\
# two clusters of two regions
apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata: {{name: west, namespace: org}}
spec:
  clusterNetwork:
    pods: {{cidrBlocks: [192.168.0.0/16]}}
    services: {{cidrBlocks: [10.96.0.0/12]}}
  controlPlaneEndpoint: {{host: api.west.example, port: 6443}}
  controlPlaneRef:
    apiVersion: controlplane.cluster.x-k8s.io/v1beta1
    kind: KubeadmControlPlane
    name: west-cp
---
apiVersion: controlplane.cluster.x-k8s.io/v1beta1
kind: KubeadmControlPlane
metadata: {{name: west-cp, namespace: org}}
spec: {{kubeadmConfigSpec: {{}}}}
---
apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata: {{name: east, namespace: org}}
spec:
  clusterNetwork:
    services: {{cidrBlocks: [10.112.0.0/12]}}
---
apiVersion: bootstrap.cluster.x-k8s.io/v1beta1
kind: KubeadmConfigTemplate
metadata:
  name: east-md-0
  namespace: org
  labels: {{cluster.x-k8s.io/cluster-name: east}}
spec: {{template: {{spec: {{}}}}}}
---
apiVersion: fn.inject-proxy.io/v1alpha1
kind: ProxyConfig
metadata: {{name: proxy}}
spec:
  httpProxy: http://user:{SECRET}@proxy.west.example:3128
  noProxy: [.corp.example]
  overrides:
  - match: {{clusters: [east]}}
    httpProxy: http://proxy.east.example:3128
    noProxy: [east.corp.example]
"""


def explained(*arguments: str, manifests: str = MANIFESTS) -> str:
    done = inject_proxy(manifests, "explain", *arguments)
    assert done.returncode == 0, done.stderr.decode()
    assert SECRET not in done.stdout.decode() + done.stderr.decode()
    return done.stdout.decode()


def sections() -> dict[str, Any]:
    data = loads(explained("--output", "json"))
    return {section["clusters"][0]: section for section in data["sections"]}


def test_each_cluster_gets_the_proxy_of_its_region() -> None:
    found = sections()

    assert found["org/west"]["httpProxy"] == "http://user:***@proxy.west.example:3128"
    assert found["org/east"]["httpProxy"] == "http://proxy.east.example:3128"
    assert found["org/west"]["roles"] == ["control plane"]


def test_every_entry_says_why_it_is_there() -> None:
    reasons = {entry["entry"]: entry["why"] for entry in sections()["org/west"]["noProxy"]}

    assert all(reasons.values())
    assert reasons[".corp.example"] == ["`spec.noProxy[0]`"]
    assert "`Cluster/org/west` `spec.clusterNetwork.services.cidrBlocks[0]`" in reasons["10.96.0.0/12"]
    assert "10.96.0.1" in reasons
    assert "10.112.0.1" not in reasons


def test_every_host_has_a_verdict_of_every_program() -> None:
    hosts = {host["host"]: host["verdicts"] for host in sections()["org/west"]["hosts"]}

    assert set(hosts["10.96.0.1"].values()) == {"direct"}
    assert set(hosts["registry.example.com"].values()) == {"proxy"}
    assert all(list(verdicts) == list(CLIENTS) for verdicts in hosts.values())


def test_the_text_names_clusters_reasons_and_programs() -> None:
    text = explained()

    assert "Nodes of org/west (control plane)\n====" in text
    assert "26 of 26  the API server's ClusterIP" in text
    assert all(client.NAME in text for client in CLIENTS.values())


def test_files_folders_and_a_config_of_its_own(tmp_path: Path) -> None:
    """What is explained is the same, besides the names of the files."""
    *manifests, config = MANIFESTS.split("---\n")
    (tmp_path / "clusters").mkdir()
    for number, text in enumerate(manifests):
        (tmp_path / "clusters" / f"{number}.yaml").write_text(text)
    (tmp_path / "proxy.yaml").write_text(config)

    whole = explained(str(tmp_path))
    apart = explained("--config", str(tmp_path / "proxy.yaml"), str(tmp_path / "clusters"))

    assert (
        f"  {tmp_path}/clusters/1.yaml  controlplane.cluster.x-k8s.io/v1beta1/KubeadmControlPlane/org/west-cp" in apart
    )
    for number in range(len(manifests)):
        apart = apart.replace(f"{tmp_path}/clusters/{number}.yaml", "standard input")
        whole = whole.replace(f"{tmp_path}/clusters/{number}.yaml", "standard input")
    assert whole.replace(f"{tmp_path}/proxy.yaml ", "standard input ") == apart == explained()


SYSTEMS = sorted((ROOT / "testdata" / "systems").iterdir())
FORMS = ["text", "json", "html", "svg"]
SYSTEMS_IN_FORMS = [
    pytest.param(story, form, id=f"{story.name}, {form}")
    for number, story in enumerate(SYSTEMS)
    for form in (FORMS[number % len(FORMS)], FORMS[(number + 1) % len(FORMS)])
]


@pytest.mark.parametrize(("story", "output"), SYSTEMS_IN_FORMS)
def test_a_whole_system_is_explained_in_each_form(story: Path, output: str) -> None:
    text = explained("--output", output, manifests=(story / "input.yaml").read_text())
    assert "mySuperSecretPassword" not in text
    assert "localhost" in text or output == "svg"
    assert "192.168.52.220" in text or "http://" in text


def test_the_list_of_a_product_is_shown_without_programs_that_never_see_it() -> None:
    variable = {"name": "clusterConfig", "value": {}}
    cluster = f"""\
apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata: {{name: west, namespace: org}}
spec:
  topology: {{class: nutanix, version: v1.31.0, variables: [{json.dumps(variable)}]}}
---
{MANIFESTS.rpartition("---")[2]}"""
    text = explained(manifests=cluster)
    assert "Products of org/west\n" in text
    assert "These products add to this list what a cluster needs themselves.\n" in text
    assert "NO_PROXY\n  .corp.example  `spec.noProxy[0]`" in text
    assert "hosts:" not in text


def test_a_resource_list_is_explained_with_its_function_config() -> None:
    story = ROOT / "testdata" / "documents"
    text = next(story.glob("*/*/input.yaml")).read_text()

    assert "NO_PROXY" in explained(manifests=text)


@pytest.mark.parametrize(
    ("arguments", "manifests", "message"),
    [
        pytest.param(
            ["--output", "xml"], MANIFESTS, '`--output` must be one of text, json, html, svg, not "xml"', id="xml"
        ),
        pytest.param(["--colour"], MANIFESTS, 'unknown option "--colour"', id="an option that does not exist"),
        pytest.param(
            [], "apiVersion: v1\nkind: Pod\n", "there must be one ProxyConfig, but none was found", id="no ProxyConfig"
        ),
        pytest.param(
            [],
            MANIFESTS.replace("kind: ProxyConfig", "kind: ProxyConfg"),
            "did you mean `ProxyConfig` in standard input, document ",
            id="a ProxyConfig with a misspelt kind",
        ),
        pytest.param([], f"{MANIFESTS}---\n{MANIFESTS}", "but 2 were found", id="two of them"),
        pytest.param(["nowhere"], "", "nowhere", id="a path that does not exist"),
        pytest.param(["--config"], MANIFESTS, "`--config` must name a file", id="an option without a value"),
        pytest.param(
            ["--cluster", "wset"],
            MANIFESTS,
            'no object of a Cluster "wset" gets a proxy: did you',
            id="no such Cluster",
        ),
        pytest.param(["--diff", "x", "--output", "svg"], MANIFESTS, "without `--diff`", id="a picture of a difference"),
        pytest.param(["--diff", "nowhere.yaml"], MANIFESTS, 'no file "nowhere.yaml"', id="no old ProxyConfig"),
        pytest.param([], "# nothing\n", "standard input holds no manifest", id="no manifest at all"),
    ],
)
def test_wrong_usage_is_one_line(arguments: list[str], manifests: str, message: str) -> None:
    done = inject_proxy(manifests, "explain", *arguments)

    assert done.returncode == 2
    assert done.stdout == b""
    assert message in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1


def test_without_a_proxy_for_https_hosts_are_called_by_http() -> None:
    ports = {host["port"] for host in sections()["org/west"]["hosts"]}

    assert 443 not in ports
    assert 80 in ports
    both = MANIFESTS.replace("  noProxy: [.corp", "  httpsProxy: http://proxy.west.example:3128\n  noProxy: [.corp")
    data = loads(explained("--output", "json", manifests=both))
    assert 443 in {host["port"] for section in data["sections"] for host in section["hosts"]}


def test_entries_of_an_override_are_hosts_too_and_the_public_one_is_never_among_them() -> None:
    listed = MANIFESTS.replace("east.corp.example]", "east.corp.example, registry.example.com]")
    data = loads(explained("--output", "json", manifests=listed))
    (east,) = [section for section in data["sections"] if section["clusters"] == ["org/east"]]
    hosts = {host["host"]: host for host in east["hosts"]}

    assert "east.corp.example" in hosts
    assert hosts["registry.example.com"]["what"] == 'your entry "registry.example.com"'
    assert hosts["registry.example.org"]["what"] == "a public registry: through the proxy"


def test_only_what_a_run_would_touch_is_listed() -> None:
    other = (
        "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: cert-manager-docs, namespace: org}\nspec:\n"
        "  template: {spec: {containers: [{name: web, image: web}]}}\n"
        "---\napiVersion: v1\nkind: Secret\nmetadata: {name: other, namespace: org}\nstringData: {a: HelmRelease}\n"
    )
    assert places_of(f"{MANIFESTS}{other}") == places_of(MANIFESTS) != []


def places_of(manifests: str) -> list[str]:
    data = loads(explained("--output", "json", manifests=manifests))
    return [place["object"] for section in data["sections"] for place in section["places"]]


# the overview, and equal answers as one


def fleet(clusters: int, spec: str = "  httpProxy: http://proxy.example:3128\n") -> str:
    """So many Clusters, each with networks and an endpoint of its own."""
    documents = []
    for number in range(clusters):
        text = MANIFESTS.partition("---\napiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\nmetadata: {name: east")[0]
        documents.append(text.replace("west", f"c{number}").replace("192.168.", f"10.{number}."))
    config = MANIFESTS.rpartition("---\n")[2].partition("spec:\n")[0]
    return "---\n".join([*documents, f"{config}spec:\n{spec}"])


def test_the_overview_says_which_part_of_which_cluster_gets_which_proxy() -> None:
    assert explained().startswith(
        "Who gets which proxy\n====================\n\n"
        "org/west\n  control plane  http://user:***@proxy.west.example:3128 (http:// only)  (3 places)\n"
        "org/east\n  workers  http://proxy.east.example:3128 (http:// only)  (3 places)\n"
    )


def test_many_clusters_with_one_proxy_are_one_line_and_one_block() -> None:
    text = explained(manifests=fleet(60))
    assert "\n\norg/c0, org/c1, org/c2 and 57 more\n  control plane  http://proxy.example:3128 (http:// only)" in text
    assert text.count("\nHTTP_PROXY ") == 1
    assert "and only for org/c1:\n  10.1.0.0/16  " in text
    assert "and 55 more Clusters with entries of their own: `--verbose` shows all" in text
    assert "api.c0.example, api.c1.example, api.c2.example and 57 more  26 of 26  the control plane endpoint" in text
    assert len(text.splitlines()) < 120
    page = explained("--output", "html", manifests=fleet(9))
    assert page.count("<dt><code>HTTP_PROXY") == 1


def test_verbose_names_everything() -> None:
    text = explained("-v", manifests=fleet(20))
    for number in range(20):
        assert f"KubeadmControlPlane/org/c{number}-cp (" in text
        assert f"and only for org/c{number}:" in text
    assert "`--verbose`" not in text


def test_a_cluster_with_a_host_that_goes_wrong_is_not_hidden_among_the_others() -> None:
    """Without CIDRs, curl of RHEL 9 cannot reach the API server of the one Cluster whose list lacks its address."""
    spec = "  httpProxy: http://proxy.example:3128\n  overrides:\n  - match: {clusters: [c1]}\n"
    spec += "    noProxyPolicy: {exclude: [10.96.0.1]}\n"
    data = loads(explained("--output", "json", manifests=fleet(3, spec)))
    (wrong,) = [one["clusters"] for one in data["sections"] if "proxy" in one["hosts"][0]["verdicts"].values()]
    text = explained(manifests=fleet(3, spec))
    assert wrong == ["org/c1"]
    assert len([line for line in text.splitlines() if line.endswith(" of 26  the API server's ClusterIP")]) == 2


def test_groups_of_workers_with_another_proxy_are_named() -> None:
    groups = "".join(
        "---\napiVersion: cluster.x-k8s.io/v1beta1\nkind: MachineDeployment\n"
        f"metadata: {{name: {name}, namespace: org}}\n"
        "spec:\n  clusterName: west\n  template: {spec: {bootstrap: {configRef: {apiVersion: "
        f"bootstrap.cluster.x-k8s.io/v1beta1, kind: KubeadmConfigTemplate, name: {name}}}}}}}}}\n"
        f"---\napiVersion: bootstrap.cluster.x-k8s.io/v1beta1\nkind: KubeadmConfigTemplate\n"
        f"metadata: {{name: {name}, namespace: org}}\nspec: {{template: {{spec: {{}}}}}}\n"
        for name in ("lab", "hall")
    )
    special = "  - match: {workerGroups: [lab]}\n    httpProxy: http://lab.example:1\n"
    assert "  control plane, workers  http://user:***@proxy.west" in explained(manifests=MANIFESTS + groups)
    text = explained(manifests=MANIFESTS + special + groups)
    assert "  control plane, worker hall  http://user:***@proxy.west.example:3128" in text
    assert "  worker lab                  http://lab.example:1 (http:// only)  (3 places)" in text


def test_one_cluster_may_be_asked_for() -> None:
    for name in ("east", "org/east"):
        data = loads(explained("--cluster", name, "--output", "json"))
        assert [group["clusters"] for group in data["overview"]] == [["org/east"]]
        assert [section["clusters"] for section in data["sections"]] == [["org/east"]]
        assert not [one for one in data["findings"] if "west" in json.dumps(one.get("resourceRef"))]
    both = loads(explained("--cluster", "east", "--cluster", "west", "--output", "json"))
    assert both == loads(explained("--output", "json"))


def test_findings_about_other_clusters_and_their_folders_are_left_out_for_one_cluster(tmp_path: Path) -> None:
    east, west = "clusters/east", "clusters/west"
    own = "apiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\nmetadata: {{name: {0}, namespace: org}}\nspec: {{}}\n"
    eks = own.replace("{{}}", "{{infrastructureRef: {{kind: AWSManagedCluster, name: x, apiVersion: a/v1}}, {1}}}")
    control_plane = (
        "controlPlaneRef: {kind: OCIManagedControlPlane, name: x, apiVersion: controlplane.cluster.x-k8s.io/v1}"
    )
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {{name: {0}}}\nspec:\n  containers:\n  - name: a\n"
    pod += "    env: [{{name: HTTP_PROXY, value: http://old:1}}]\n"
    nodes = "apiVersion: bootstrap.cluster.x-k8s.io/v1beta1\nkind: KubeadmConfigTemplate\nmetadata: {{name: {0}-md, "
    nodes += "namespace: org, labels: {{cluster.x-k8s.io/cluster-name: {0}}}}}\nspec: {{template: {{spec: {{}}}}}}\n"
    broken = "apiVersion: v1\nkind: Service\nHTTP_PROXY: x\n y: z\n"
    files = {
        "proxy.yaml": CONFIG,
        f"{east}/cluster.yaml": own.format("east"),
        f"{east}/apps/pod.yaml": pod.format("east-pod"),
        f"{west}/cluster.yaml": eks.format("west", control_plane),
        f"{west}/apps/pod.yaml": pod.format("west-pod"),
        f"{east}/nodes.yaml": nodes.format("east"),
        f"{west}/nodes.yaml": nodes.format("west"),
        f"{west}/broken.yaml": broken,
        "shared/pod.yaml": pod.format("shared-pod"),
    }
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)

    def found(*argv: str) -> set[tuple[str, str]]:
        findings = loads(explained("--output", "json", *argv, str(tmp_path)))["findings"]
        return {
            (one["tags"]["rule"], one.get("file", {}).get("path", "").removeprefix(f"{tmp_path}/")) for one in findings
        }

    every = found()
    assert ("NodesWithoutProxy", f"{west}/cluster.yaml") in every
    assert ("DocumentUnreadable", f"{west}/broken.yaml") in every
    of_west = {one for one in every if one[1].startswith(west)}
    of_east = {one for one in every if one[1].startswith(east)}
    assert found("--cluster", "east") == every - of_west
    assert found("--cluster", "west") == every - of_east


# nodes and findings


def test_errors_and_warnings_of_a_run_are_shown() -> None:
    shared = MANIFESTS.replace("west-cp, namespace: org}", "west-cp, namespace: org, labels: {x: y}}")
    text = explained(manifests=shared)
    assert "Errors and warnings of a run\n============================\n\n[warning] " in text
    assert "HttpsProxyMissing: `HTTPS_PROXY` must be set too" in text
    assert '<b class="warning">warning</b>' in explained("--output", "html")
    data = loads(explained("--output", "json"))
    assert {one["severity"] for one in data["findings"]} == {"warning"}


WITH_TEMPLATES = (
    "rollout",
    "distributions/capaIgnition",
    "distributions/canonicalKubernetes",
    "distributions/microk8s",
)
ROLLING = [path.parent for name in WITH_TEMPLATES for path in sorted((ROOT / "testdata" / name).rglob("results.txt"))]


@pytest.mark.parametrize("story", ROLLING, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_nodes_are_rolled_where_the_run_changes_what_makes_them(story: Path) -> None:
    """The findings of the run are the judge: what it says of nodes is what is shown, no node more."""
    data = loads(explained("--output", "json", manifests=(story / "input.yaml").read_text()))
    results = (story / "results.txt").read_text()
    rolled = {one["object"] for one in data["nodes"] if one["rolled"]}
    kept = {one["object"] for one in data["nodes"] if not one["rolled"]}
    assert not rolled & kept
    for line in results.splitlines():
        severity, _, rest = line.partition(" ")
        name = rest.partition(" ")[0].rstrip(":")
        if "renamed to" in line and "Template" in name and severity == "[info]":
            assert name in rolled
        if "/KubeadmControlPlane/" in name and severity == "[info]" and " sets " in line:
            assert name in rolled
        if ": NodesKept: " in line or ": NodesKept: " in line:
            assert name in kept


def test_a_class_that_is_patched_rolls_nodes_and_one_that_only_follows_a_name_does_not() -> None:
    text = (ROOT / "testdata/rollout/templates-of-a-class-in-v1beta2/input.yaml").read_text()
    data = loads(explained("--output", "json", manifests=text))
    assert not [one for one in data["nodes"] if "/ClusterClass/" in one["object"]]
    text = (ROOT / "testdata/nodes/clusterClass/a-class-that-writes-whole-lists/input.yaml").read_text()
    nodes = loads(explained("--output", "json", manifests=text))["nodes"]
    why = {one["object"].split("/")[2]: (one["rolled"], one["why"]) for one in nodes}
    assert why["Cluster"] == why["ClusterClass"] == (True, "variables or patches of a ClusterClass change")


@pytest.mark.parametrize(
    ("story", "kind", "is_rolled"),
    [
        pytest.param(
            "nutanix/carenClusterConfig/nutanix-cluster-without-a-proxy",
            "Cluster",
            True,
            id="Nutanix and Konvoy (CAREN)",
        ),
        pytest.param("tkg/tkgClusterClass/workload-cluster-of-a-tkg-class", "Cluster", True, id="a class of TKG"),
        pytest.param(
            "tkg/tkgClusterClass/tanzu-kubernetes-clusters-of-vsphere",
            "TanzuKubernetesCluster",
            True,
            id="TKG on vSphere",
        ),
        pytest.param("tkg/tkgClusterConfig/the-secret-of-the-tkg-document", "Secret", False, id="a Secret of TKG"),
        pytest.param(
            "konvoy/imageBuilderOverrides/the-file-of-the-document", "Secret", False, id="Konvoy, pre-provisioned"
        ),
    ],
)
def test_nodes_that_other_systems_make_are_shown(story: str, kind: str, is_rolled: bool) -> None:
    text = (ROOT / "testdata" / story / "input.yaml").read_text()
    data = loads(explained("--output", "json", manifests=text))
    assert is_rolled in {one["rolled"] for one in data["nodes"] if f"/{kind}/" in one["object"]}
    assert [line for group in data["overview"] for line in group["proxies"] if "nodes" in line["roles"]]


def test_nodes_that_nothing_changes_are_not_named(tmp_path: Path) -> None:
    file = tmp_path / "all.yaml"
    file.write_text(MANIFESTS)
    assert "\nNodes\n=====\n\nrolled: org/west, control plane (its specification changes)\n" in explained(str(file))
    assert inject_proxy("", "run", str(file)).returncode == 0
    assert "\nNodes\n" not in explained(str(file))


KEPT_WORKERS = (ROOT / "testdata/rollout/nodes-that-the-user-rolls-himself/input.yaml").read_text()


@pytest.mark.parametrize("level", ['"Off"', "Info", "Error"])
def test_rules_change_what_is_found_and_not_what_happens_to_nodes(level: str) -> None:
    silenced = KEPT_WORKERS.replace(
        "    rollout:\n", f"    lint: {{rules: {{NodesKept: {level}}}}}\n    rollout:\n"
    )
    assert silenced != KEPT_WORKERS
    nodes = [loads(explained("--output", "json", manifests=text))["nodes"] for text in (KEPT_WORKERS, silenced)]
    assert nodes[0] == nodes[1]
    assert {one["object"].split("/")[2] for one in nodes[1]} == {"MachineDeployment"}


def test_what_the_user_has_set_is_not_advised() -> None:
    undecided = KEPT_WORKERS.replace("hashNames: false", "{}")
    assert "or `false` (you roll them)" in explained(manifests=undecided)
    text = explained(manifests=KEPT_WORKERS)
    assert "Roll them yourself, or set `spec.rollout.hashNames: true` (new name)" in text
    assert "`false`" not in text


# what another ProxyConfig changes


def changed(old: str, new: str, tmp_path: Path, *argv: str) -> dict[str, Any]:
    (tmp_path / "old.yaml").write_text(old)
    manifests = MANIFESTS.rpartition("---\n")[0] + "---\n" + new
    text = explained("--diff", str(tmp_path / "old.yaml"), "--output", "json", *argv, manifests=manifests)
    data: dict[str, Any] = loads(text)
    return data


CONFIG = MANIFESTS.rpartition("---\n")[2]


def test_the_same_config_changes_nothing(tmp_path: Path) -> None:
    data = changed(CONFIG, CONFIG, tmp_path)
    assert (data["changes"], data["unchanged"], data["nodes"]) == ([], 6, [])


def test_another_proxy_of_one_cluster(tmp_path: Path) -> None:
    data = changed(CONFIG, CONFIG.replace("proxy.east.example", "new.east.example"), tmp_path)
    (change,) = data["changes"]
    assert change["clusters"] == ["org/east"]
    assert change["before"] == {"httpProxy": "http://proxy.east.example:3128", "httpsProxy": ""}
    assert change["after"] == {"httpProxy": "http://new.east.example:3128", "httpsProxy": ""}
    assert (change["noProxy"], change["places"], data["unchanged"]) == ({"added": [], "removed": []}, 3, 3)
    (node,) = data["nodes"]
    assert (node["clusters"], node["roles"], node["rolled"]) == (["org/east"], ["worker"], False)


def test_entries_of_no_proxy_that_come_and_go_are_one_change_for_all_clusters(tmp_path: Path) -> None:
    (tmp_path / "old.yaml").write_text(
        fleet(1, "  httpProxy: http://a:1\n  noProxy: [.old.example]\n").split("---\n")[-1]
    )
    new = fleet(10, "  httpProxy: http://a:1\n  noProxy: [.new.example]\n")
    text = explained("--diff", str(tmp_path / "old.yaml"), manifests=new)
    assert (
        "\nNodes of org/c0, org/c1, org/c2 and 7 more (control plane)  (30 places)\n  NO_PROXY     + .new.example\n"
        in text
    )
    assert "  NO_PROXY     - .old.example\nunchanged: 0 places\n" in text
    page = explained("--diff", str(tmp_path / "old.yaml"), "--output", "html", manifests=new)
    assert "<dt><code>NO_PROXY</code></dt><dd><ins>+ <code>.new.example</code></ins>" in page


def test_a_proxy_that_comes_and_one_that_goes(tmp_path: Path) -> None:
    without = CONFIG.partition("  overrides:")[0].replace(
        "  httpProxy", "  selector: {include: [{names: [x]}]}\n  httpProxy"
    )
    (come,) = [one for one in changed(without, CONFIG, tmp_path)["changes"] if one["clusters"] == ["org/east"]]
    assert (come["before"], come["after"]) == (None, {"httpProxy": "http://proxy.east.example:3128", "httpsProxy": ""})
    gone = changed(CONFIG, without, tmp_path)
    assert {json.dumps(one["after"]) for one in gone["changes"]} == {"null"}


def test_another_password_is_said_and_not_shown(tmp_path: Path) -> None:
    other = CONFIG.replace(SECRET, "0ther")
    data = changed(other, CONFIG, tmp_path)
    (change,) = data["changes"]
    assert change["otherPassword"]
    assert change["before"] == change["after"]
    (node,) = data["nodes"]
    assert node["rolled"]
    (tmp_path / "old.yaml").write_text(other)
    text = explained("--diff", str(tmp_path / "old.yaml"))
    assert "http://user:***@proxy.west.example:3128 (another password)\n" in text
    assert "0ther" not in text


def test_names_with_a_hash_roll_nodes_and_the_places_are_the_same(tmp_path: Path) -> None:
    machines = (
        "apiVersion: cluster.x-k8s.io/v1beta1\nkind: MachineDeployment\nmetadata: {name: md, namespace: org}\nspec:\n"
        "  clusterName: east\n  template: {spec: {bootstrap: {configRef: {apiVersion: "
        "bootstrap.cluster.x-k8s.io/v1beta1, kind: KubeadmConfigTemplate, name: east-md-0}}}}\n---\n"
    )
    old = CONFIG + "  rollout: {hashNames: true}\n"
    new = old.replace("proxy.east.example", "new.east.example")
    (tmp_path / "old.yaml").write_text(old)
    manifests = MANIFESTS.rpartition("---\n")[0] + "---\n" + machines + new
    data = loads(explained("--diff", str(tmp_path / "old.yaml"), "--output", "json", manifests=manifests))
    (change,) = data["changes"]
    assert (change["clusters"], change["places"], data["unchanged"]) == (["org/east"], 3, 3)
    (node,) = data["nodes"]
    assert (node["roles"], node["rolled"], node["why"]) == (["worker md"], True, "the template gets another name")


def test_a_wrong_old_config_is_named(tmp_path: Path) -> None:
    (tmp_path / "old.yaml").write_text(CONFIG.replace("http://proxy.east", "ftp://proxy.east"))
    done = inject_proxy(MANIFESTS, "explain", "--diff", str(tmp_path / "old.yaml"))
    assert (done.returncode, done.stdout) == (1, b"")
    assert f"{tmp_path}/old.yaml" in done.stderr.decode()


# the picture


def test_the_picture_is_well_formed_and_shows_the_overview() -> None:
    text = explained(
        "--output", "svg", manifests=MANIFESTS.replace("name: west,", "name: west&lt;,").replace("west-cp", "w<p")
    )
    root = xml.etree.ElementTree.fromstring(text)  # noqa: S314 -- our own
    shown = [one.text for one in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "http://proxy.east.example:3128 (http:// only)" in shown
    assert "script" not in text
    width = float(root.attrib["width"])
    for one in root.iter("{http://www.w3.org/2000/svg}text"):
        assert float(one.attrib["x"]) + len(one.text or "") * 7 < width


# who gets nothing, and what belongs to nobody

NOBODY = """\
apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata: {name: NAME, namespace: org}
spec: SPEC
---
"""
OWN_PROXY = """\
apiVersion: fn.inject-proxy.io/v1alpha1
kind: ProxyConfig
metadata: {name: proxy}
spec:
  overrides: [{match: {clusters: [west, classy, bare, excluded]}, httpProxy: http://proxy.corp.example:3128}]
  selector: {exclude: [{kinds: [Cluster], names: [excluded]}]}
"""
TEMPLATE = """\
apiVersion: bootstrap.cluster.x-k8s.io/v1beta1
kind: KubeadmConfigTemplate
metadata: {name: NAME-md-0, namespace: org, labels: {cluster.x-k8s.io/cluster-name: NAME}}
spec: {template: {spec: {}}}
---
"""


@pytest.mark.parametrize(
    ("name", "spec", "why"),
    [
        pytest.param("other", "{}", "no proxy is declared for it", id="no proxy"),
        pytest.param(
            "classy",
            "{topology: {class: x}}",
            'its nodes get no proxy here, because its ClusterClass "x" is not in the list',
            id="no class",
        ),
        pytest.param("excluded", "{}", "`spec.selector` leaves the Cluster out", id="not selected"),
        pytest.param("bare", "{}", "no object of the input that a target writes into makes its nodes", id="no nodes"),
    ],
)
def test_a_cluster_that_gets_nothing_comes_first_with_the_reason(name: str, spec: str, why: str) -> None:
    west = NOBODY.replace("NAME", "west").replace("SPEC", "{}") + TEMPLATE.replace("NAME", "west")
    nothing = NOBODY.replace("NAME", name).replace("SPEC", spec)
    nothing += TEMPLATE.replace("NAME", name) if name == "other" else ""
    text = explained(manifests=west + nothing + OWN_PROXY)
    assert text.startswith(f"Who gets nothing\n================\n\norg/{name} (standard input): {why}")
    assert text.index("Who gets which proxy") > text.index(why)
    data = loads(explained("--output", "json", manifests=west + nothing + OWN_PROXY))
    assert [one["cluster"] for one in data["without"]] == [f"org/{name}"]
    page = explained("--output", "html", manifests=west + nothing + OWN_PROXY)
    (first, *_) = re.findall(r"<tr .*?</tr>", page)
    assert first.startswith('<tr class="nothing"')
    assert f">org/{name}<" in first


DECLARED = """\
apiVersion: fn.inject-proxy.io/v1alpha1
kind: ProxyConfig
metadata: {name: proxy}
spec: {httpProxy: http://proxy.corp.example:3128}
"""
OF_NAMES = DECLARED.replace("spec: {", "spec: {overrides: [{match: {objects: ['?*']}, ").replace("3128}", "3128}]}")
CONTROL_PLANE = """\
apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata: {name: prod, namespace: org}
spec: {controlPlaneRef: {apiVersion: controlplane.cluster.x-k8s.io/v1beta1, kind: KIND, name: cp}}
---
"""
OF_CLASS = """\
apiVersion: cluster.x-k8s.io/v1beta2
kind: ClusterClass
metadata: {name: c, namespace: org}
spec:
  controlPlane:
    templateRef: {apiVersion: controlplane.cluster.x-k8s.io/v1beta2, kind: KubeadmControlPlaneTemplate, name: cp}
  patches:
  - name: files
    definitions:
    - selector:
        apiVersion: controlplane.cluster.x-k8s.io/v1beta2
        kind: KubeadmControlPlaneTemplate
        matchResources: {controlPlane: true}
      jsonPatches: [{op: add, path: /spec/template/spec/kubeadmConfigSpec/files, value: []}]
---
apiVersion: controlplane.cluster.x-k8s.io/v1beta2
kind: KubeadmControlPlaneTemplate
metadata: {name: cp, namespace: org}
spec: {template: {spec: {kubeadmConfigSpec: {}}}}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: prod, namespace: org}
spec:
  clusterNetwork: {pods: {cidrBlocks: [10.0.0.0/16]}, services: {cidrBlocks: [10.96.0.0/12]}}
  topology: {classRef: {name: c}, version: v1.31.0}
---
"""
OKE = """\
apiVersion: controlplane.cluster.x-k8s.io/v1beta1
kind: OCIManagedControlPlane
metadata: {name: cp, namespace: org}
spec: {files: [{path: /etc/environment, content: "HTTP_PROXY=http://proxy.corp.example:3128"}]}
---
"""
AKS = """\
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: AzureManagedControlPlane
metadata: {name: cp, namespace: org}
spec: {httpProxyConfig: {httpProxy: "http://proxy.corp.example:3128"}}
---
"""
K0S_WORKERS = """\
apiVersion: bootstrap.cluster.x-k8s.io/v1beta1
kind: K0sWorkerConfigTemplate
metadata: {name: md-0, namespace: org, labels: {cluster.x-k8s.io/cluster-name: prod}}
spec: {template: {spec: {files: [{path: /etc/env, content: "HTTP_PROXY=http://proxy.corp.example:3128"}]}}}
---
"""
KARPENTER = """\
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: prod}
spec: {amiFamily: Bottlerocket}
---
"""
NO_CHART_VALUES = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: cert-manager, namespace: argocd}
spec: {source: {chart: cert-manager, repoURL: https://charts.example}}
---
"""


def of_kind(kind: str, more: str = "") -> str:
    return CONTROL_PLANE.replace("KIND", kind) + more


@pytest.mark.parametrize(
    "manifests",
    [
        pytest.param(OF_CLASS, id="a Cluster that needs no value of its own beside its class"),
        pytest.param(of_kind("OCIManagedControlPlane", OKE), id="OKE with the proxy in its user data"),
        pytest.param(
            of_kind("AzureManagedControlPlane", AKS).replace("controlplane.c", "infrastructure.c"),
            id="AKS with the proxy in its field",
        ),
        pytest.param(of_kind("K0smotronControlPlane", K0S_WORKERS), id="hosted k0s whose workers have the proxy"),
    ],
)
@pytest.mark.parametrize("declared", [DECLARED, OF_NAMES], ids=["for all", "for objects by their names"])
def test_what_has_the_proxy_or_gets_it_is_not_without(manifests: str, declared: str) -> None:
    assert loads(explained("--output", "json", manifests=manifests + declared))["without"] == []


@pytest.mark.parametrize(
    ("manifests", "code", "cluster"),
    [
        pytest.param(
            of_kind("OCIManagedControlPlane"), "NodesWithoutProxy", "org/prod", id="a system without a target"
        ),
        pytest.param(of_kind("KubeadmControlPlane"), "NodesWithoutProxy", "org/prod", id="a control plane elsewhere"),
        pytest.param(KARPENTER, "NodesWithoutProxy", "", id="nodes that are none of Cluster API"),
        pytest.param(NO_CHART_VALUES, "NotEdited", "", id="a chart without the proxy"),
    ],
)
@pytest.mark.parametrize("rules", ["", "\n  lint: {rules: {CODE: 'Off'}}"], ids=["reported", "silenced"])
def test_what_a_run_reports_to_get_nothing_is_without(manifests: str, code: str, cluster: str, rules: str) -> None:
    config = DECLARED.replace("spec: {", "spec:\n  ").replace("3128}", "3128") + rules.replace("CODE", code)
    data = loads(explained("--output", "json", manifests=manifests + config))
    (one,) = data["without"]
    assert one["cluster"] == cluster
    reported = [found["message"] for found in data["findings"] if found["tags"].get("rule") == code]
    assert len(reported) == (0 if rules else 1)
    assert all(message.endswith(one["why"]) for message in reported)


def test_clusters_of_one_name_in_several_files_are_without_each(tmp_path: Path) -> None:
    kinds = {
        "a": "OCIManagedControlPlane",
        "b": "ROSAControlPlane",
        "c": "KamajiControlPlane",
        "d": "KamajiControlPlane",
    }
    for name, kind in kinds.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "cluster.yaml").write_text(of_kind(kind, OKE if kind.startswith("OCI") else ""))
    (tmp_path / "proxy.yaml").write_text(DECLARED)
    data = loads(explained("--output", "json", str(tmp_path)))
    found = [(one["cluster"], Path(one["file"]).parent.name) for one in data["without"]]
    assert found == [("org/prod", name) for name in ("b", "c", "d")]


def test_a_workload_that_names_no_cluster_is_under_none() -> None:
    deployment = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec: {template: {spec: {containers: [{name: a, image: x}]}}}
---
"""
    west = NOBODY.replace("NAME", "west").replace("SPEC", "{}") + TEMPLATE.replace("NAME", "west")
    config = OWN_PROXY.split("spec:", maxsplit=1)[0] + "spec:\n  httpProxy: http://proxy.corp.example:3128\n"
    config += "  targets: {workloads: {workloads: [{kinds: [Deployment]}]}}\n"
    overview = explained(manifests=west + deployment + config).split("\n\n\n")[0]
    assert "org/west\n  workers " in overview
    assert "objects without a known Cluster\n  workloads " in overview


CLASSES = sorted((ROOT / "testdata" / "nodes" / "clusterClass").iterdir())
IN_TURNS = [
    pytest.param(story, ("text", "json", "html")[number % 3], id=story.name) for number, story in enumerate(CLASSES)
]


@pytest.mark.parametrize(("story", "output"), IN_TURNS)
def test_a_class_shows_the_names_that_cluster_api_fills_in(story: Path, output: str) -> None:
    text = explained("--output", output, manifests=(story / "input.yaml").read_text())
    assert "198.51.100." not in text
    assert "service-domain" not in text
    assert "products, which add" not in text


@pytest.mark.parametrize("output", ["text", "json", "html"])
def test_a_name_made_of_a_field_shows_no_credential_in_base64(output: str) -> None:
    region = base64.b64encode(b"http://svc:S3CRET-PW@proxy:3128").decode().rstrip("=")
    of_region = f"""\
apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata: {{name: east, namespace: org}}
spec:
  infrastructureRef: {{apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: AWSCluster, name: east}}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
kind: AWSCluster
metadata: {{name: east, namespace: org}}
spec: {{region: {region}}}
---
"""
    of_nodes = MANIFESTS[MANIFESTS.index("apiVersion: bootstrap") :]
    shown = explained("--output", output, manifests=of_region + of_nodes)
    assert "compute.internal" in shown
    assert region not in shown


@pytest.mark.parametrize("output", ["text", "json", "html", "svg"])
def test_a_name_or_a_namespace_shows_no_password(output: str) -> None:
    manifests = MANIFESTS.replace("namespace: org", 'namespace: "http://a:S3CRET-1@h:1"').replace(
        "west-cp", '"http://b:S3CRET-2@h:1"'
    )
    shown = explained("-v", "--output", output, manifests=manifests)
    assert "S3CRET" not in shown
    assert output == "svg" or "http://a:***@h:1" in shown
