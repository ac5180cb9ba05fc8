"""Who gets which proxy: places that get the same are one proxy, with every entry and its reason."""

from __future__ import annotations

from typing import Any

from explained import BARE, EAST, MANIFESTS, answer, fleet, workload
from function_configs import DECLARED
from stories import TESTDATA


def by_cluster(manifests: str = MANIFESTS) -> dict[str, Any]:
    return {proxy["clusters"][0]: proxy for proxy in answer(manifests)["proxies"] if proxy["clusters"]}


def test_every_entry_says_why_it_is_there() -> None:
    reasons = {entry["text"]: entry["why"] for entry in by_cluster()["org/west"]["no_proxy"]}
    assert all(reasons.values())
    assert reasons[".corp.example"] == ["`spec.noProxy[0]`"]
    assert "`Cluster/org/west` `spec.clusterNetwork.services.cidrBlocks[0]`" in reasons["10.96.0.0/12"]
    assert "10.96.0.1" in reasons


def test_an_entry_is_a_host_and_the_public_one_is_never_listed() -> None:
    listed = MANIFESTS.replace("east.corp.example]", "east.corp.example, registry.example.com]")
    hosts = {row["host"]["name"]: row["host"]["what"] for row in by_cluster(listed)["org/east"]["hosts"]}
    assert hosts["registry.example.com"] == 'your entry "registry.example.com"'
    assert hosts["registry.example.org"] == "a public registry: through the proxy"
    assert "east.corp.example" in hosts


def test_many_clusters_with_one_proxy_are_one_and_their_own_entries_name_them() -> None:
    (proxy,) = answer(fleet(12))["proxies"]
    assert len(proxy["clusters"]) == len(proxy["places"]) == 12
    own = {entry["text"]: entry["clusters"] for entry in proxy["no_proxy"] if entry["clusters"]}
    assert own["10.1.0.0/16"] == ["org/c1"]
    (endpoint,) = [row for row in proxy["hosts"] if row["host"]["what"] == "the control plane endpoint"]
    assert len([endpoint["host"]["name"], *endpoint["others"]]) == 12


def test_groups_of_workers_of_a_class_with_another_proxy_are_named() -> None:
    story = TESTDATA / "nodes" / "classes" / "groups-and-machine-pools-in-v1beta2" / "input.yaml"
    proxies = answer(story.read_text(encoding="utf-8"))["proxies"]
    parts = {proxy["http_proxy"]: proxy["parts"] for proxy in proxies}
    assert parts["http://batch.corp.example:3128"] == ["worker batch"]
    assert {proxy["readers"] for proxy in proxies} == {"nodes"}


def test_a_list_that_a_product_completes_has_no_hosts() -> None:
    topology = "{class: nutanix, version: v1.31.0, variables: [{name: clusterConfig, value: {}}]}"
    cluster = BARE.replace("NAME", "west").replace("spec: {}", f"spec: {{topology: {topology}}}")
    (proxy,) = answer(cluster + DECLARED + "  noProxy: [.corp.example]\n")["proxies"]
    assert (proxy["readers"], proxy["hosts"]) == ("products", [])
    assert [entry["text"] for entry in proxy["no_proxy"]] == [".corp.example"]


def test_a_workload_belongs_to_no_cluster_that_it_does_not_name() -> None:
    spec = "  targets: {workloads: {choose: [{kinds: [Deployment]}]}}\n"
    proxies = answer(EAST + workload("web") + DECLARED + spec)["proxies"]
    assert [(proxy["readers"], proxy["clusters"]) for proxy in proxies] == [("nodes", ["org/east"]), ("pods", [])]


def test_a_url_in_a_secret_is_named_by_its_key() -> None:
    config = DECLARED.split("  httpProxy")[0] + "  secretRef: {name: egress, httpsProxyKey: https}\n"
    spec = "  targets: {workloads: {choose: [{kinds: [Deployment]}]}}\n"
    (proxy,) = answer(workload("web") + config + spec)["proxies"]
    assert proxy["http_proxy"] == "http_proxy of the Secret egress"
    assert proxy["https_proxy"] == "https of the Secret egress"
