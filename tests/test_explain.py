"""`inject-proxy explain`: what it tells of a list of several clusters, in each of its three forms."""

from __future__ import annotations

import html.parser
import json
from pathlib import Path
from typing import Any

import pytest

from krm_fn.clients import CLIENTS
from support import inject_proxy

ROOT = Path(__file__).parent.parent
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
    data = json.loads(explained("--output", "json"))
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

    assert "org/west (control plane): nodes" in text
    assert "26 of 26  the API server's ClusterIP" in text
    assert all(client.NAME in text for client in CLIENTS.values())


def test_the_page_is_well_formed_and_loads_nothing() -> None:
    opened: list[str] = []
    links: list[str] = []

    class Parser(html.parser.HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            links.extend(value or "" for name, value in attrs if name in ("src", "href"))
            if tag != "meta":
                opened.append(tag)

        def handle_endtag(self, tag: str) -> None:
            assert opened.pop() == tag

    Parser().feed(explained("--output=html").removeprefix("<!doctype html>"))

    assert opened == []
    assert links == []


def test_a_value_with_markup_is_shown_and_not_run() -> None:
    page = explained("--output=html", manifests=MANIFESTS.replace("name: west-cp", "name: <script>alert(1)</script>"))

    assert "<script" not in page
    assert "&lt;script&gt;" in page


def test_files_folders_and_a_config_of_its_own(tmp_path: Path) -> None:
    *manifests, config = MANIFESTS.split("---\n")
    (tmp_path / "clusters").mkdir()
    for number, text in enumerate(manifests):
        (tmp_path / "clusters" / f"{number}.yaml").write_text(text)
    (tmp_path / "proxy.yaml").write_text(config)

    whole = explained(str(tmp_path))
    apart = explained("--config", str(tmp_path / "proxy.yaml"), str(tmp_path / "clusters"))

    assert whole == apart == explained()


@pytest.mark.parametrize("output", ["text", "json", "html"])
@pytest.mark.parametrize("story", sorted((ROOT / "testdata" / "systems").iterdir()), ids=lambda story: story.name)
def test_a_whole_system_is_explained_in_each_form(story: Path, output: str) -> None:
    text = explained("--output", output, manifests=(story / "input.yaml").read_text())
    assert "mySuperSecretPassword" not in text
    assert "localhost" in text


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
    assert "org/west: products, which add what a cluster needs themselves\n" in text
    assert "NO_PROXY\n  .corp.example  `spec.noProxy[0]`\n" in text
    assert "hosts:" not in text


def test_a_resource_list_is_explained_with_its_function_config() -> None:
    story = ROOT / "testdata" / "documents"
    text = next(story.glob("*/*/input.yaml")).read_text()

    assert "NO_PROXY" in explained(manifests=text)


@pytest.mark.parametrize(
    ("arguments", "manifests", "message"),
    [
        pytest.param(["--output", "xml"], MANIFESTS, '`--output` must be one of text, json, html, not "xml"', id="xml"),
        pytest.param(["--colour"], MANIFESTS, 'unknown option "--colour"', id="an option that does not exist"),
        pytest.param([], "a: b\n", "there must be one ProxyConfig, but none was found", id="no ProxyConfig"),
        pytest.param(
            [],
            MANIFESTS.replace("kind: ProxyConfig", "kind: ProxyConfg"),
            "did you mean `ProxyConfig` in standard input, document ",
            id="a ProxyConfig with a misspelt kind",
        ),
        pytest.param([], f"{MANIFESTS}---\n{MANIFESTS}", "but 2 were found", id="two of them"),
        pytest.param(["nowhere"], "", "nowhere", id="a path that does not exist"),
        pytest.param(["--config"], MANIFESTS, "`--config` must name a file", id="an option without a value"),
        pytest.param([], "# nothing\n", "the input holds no manifest", id="no manifest at all"),
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
    data = json.loads(explained("--output", "json", manifests=both))
    assert 443 in {host["port"] for section in data["sections"] for host in section["hosts"]}


def test_entries_of_an_override_are_hosts_too_and_the_public_one_is_never_among_them() -> None:
    listed = MANIFESTS.replace("east.corp.example]", "east.corp.example, registry.example.com]")
    data = json.loads(explained("--output", "json", manifests=listed))
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
    data = json.loads(explained("--output", "json", manifests=manifests))
    return [place for section in data["sections"] for place in section["places"]]
