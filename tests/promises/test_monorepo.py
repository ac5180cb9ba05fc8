"""A repository of many clusters: each object means those near it, so the rest of a run has no say.

The promise: `run FOLDER` and `run .` give a folder the same bytes where nothing in it refers outside.
"""

from __future__ import annotations

import json
from typing import Any, ClassVar

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import certificates
import manifests
from function_configs import URL, proxy_config
from krm_fn.krm.manifests import Manifests
from krm_fn.krm.resourcelist import function_config
from krm_fn.pipeline.run import run_list
from krm_fn.plan.sources import Objects
from manifests import cluster, config_template, container, machine_deployment, named, reference, with_value, workload

Files = dict[str, str]
PROXY = {"httpProxy": URL, "httpsProxy": URL, "noProxy": [".corp.example"]}


def text(*objects: dict[str, Any]) -> str:
    return yaml.safe_dump_all(objects, sort_keys=False)


def run(files: Files, folder: str = "", **spec: Any) -> Files:
    """The files of a folder after a run over that folder alone."""
    inside = {name: content for name, content in files.items() if name.startswith(folder)}
    manifests = Manifests({name: content.encode() for name, content in inside.items()})
    config = function_config(proxy_config(**{**PROXY, **spec}))
    outcome = run_list(manifests, config, Objects(manifests))
    assert outcome.exit_code == 0, outcome.results
    changed = {name: change.new for name, change in manifests.changed_files(outcome.changes).items()}
    after = {name: changed.get(name, content.encode()) for name, content in inside.items()}
    return {name: content.decode() for name, content in after.items() if content is not None}


def below(files: Files, folder: str) -> Files:
    return {name: content for name, content in files.items() if name.startswith(folder)}


def cert_manager(name: str = "cert-manager", labelled: Any = None, **fields: Any) -> dict[str, Any]:
    """The controller of cert-manager; ``labelled`` are the labels of its Deployment, where they are others."""
    labels = {"app.kubernetes.io/name": "cert-manager", "app.kubernetes.io/component": "controller"}
    controller = container("cert-manager-controller", image="cert-manager:1", **fields)
    metadata = {"namespace": "cert-manager", "labels": labelled or labels}
    made = workload(controller, name=name, pod={"labels": labels}, **metadata)
    return with_value(made, ("spec", "selector"), {"matchLabels": labels})


def config_map(name: str, namespace: str = "cert-manager", **data: str) -> dict[str, Any]:
    return manifests.config_map(name, data, namespace=namespace)


def release(**spec: Any) -> dict[str, Any]:
    chart = {"spec": {"chart": "external-dns", "sourceRef": {"kind": "HelmRepository", "name": "external-dns"}}}
    return named(
        "HelmRelease",
        "external-dns",
        namespace="apps",
        spec={"chart": chart, "valuesFrom": [{"kind": "ConfigMap", "name": "values"}], **spec},
    )


def values(**members: Any) -> dict[str, Any]:
    return config_map("values", "apps", **{"values.yaml": yaml.safe_dump(members)})


def of_pods(name: str, pods: str) -> dict[str, Any]:
    network = {"pods": {"cidrBlocks": [pods]}, "services": {"cidrBlocks": ["10.43.0.0/16"]}}
    return cluster(name, clusterNetwork=network, infrastructureRef=reference("AWSCluster", name))


CHARTS: dict[str, Any] = {"targets": {"charts": {"choose": [{"charts": ["*"]}]}}}
ENV = [{"name": "LOG", "value": "debug"}]
FROM_MAP = [{"configMapRef": {"name": "environment"}}]


class TestCreatedObjects:
    SPEC: ClassVar[dict[str, Any]] = {"trustedCA": {"pem": certificates.A}}

    @pytest.mark.parametrize("root", ["", "clusters/", "/home/me/clusters/", "../"])
    def test_each_cluster_gets_its_own(self, root: str) -> None:
        files = {f"{root}{name}/a.yaml": text(cert_manager()) for name in ("dev", "prod")}
        after = run(files, **self.SPEC)
        assert all(content.count("kind: ConfigMap") == 1 for content in after.values())
        assert run(after, **self.SPEC) == after
        assert run(after, mode="Remove") == run(files, mode="Remove")

    def test_a_patch_is_of_the_cluster_of_what_it_patches(self) -> None:
        patch = cert_manager()
        del patch["spec"]["selector"]
        files = {"manager/manager.yaml": text(cert_manager()), "default/patch.yaml": text(patch)}
        assert "".join(run(files, **self.SPEC).values()).count("kind: ConfigMap") == 1

    @pytest.mark.parametrize("other", ["a/b.yaml", "b/b.yaml"], ids=["in one folder", "in two folders"])
    def test_two_workloads_of_one_cluster_share_it(self, other: str) -> None:
        files = {"a/a.yaml": text(cert_manager()), other: text(cert_manager("cainjector"))}
        assert "".join(run(files, **self.SPEC).values()).count("kind: ConfigMap") == 1

    @pytest.mark.parametrize("third", ["clusters/a", "clusters/stage", "clusters/x/y"])
    @pytest.mark.parametrize("has_one", [False, True], ids=["none is there", "one of the others has it"])
    def test_a_third_cluster_that_shares_no_object_gets_its_own(self, third: str, has_one: bool) -> None:
        files = {f"clusters/{name}/a.yaml": text(cert_manager()) for name in ("dev", "prod")}
        files[f"{third}/a.yaml"] = text(cert_manager("cainjector"))
        if has_one:
            files |= run(files, "clusters/dev/", **self.SPEC)
        after = run(files, **self.SPEC)
        assert all(content.count("kind: ConfigMap") == 1 for content in after.values())
        assert run(after, **self.SPEC) == after

    def test_what_another_object_of_the_cluster_tells_counts(self) -> None:
        shared = text(cert_manager("shared"))
        files = {
            "dev/a.yaml": text(cert_manager()),
            "dev/shared.yaml": shared,
            "prod/b.yaml": text(cert_manager("cainjector")),
            "prod/shared.yaml": shared,
        }
        after = run(files, **self.SPEC)
        for folder in ("dev/", "prod/"):
            assert "".join(below(after, folder).values()).count("kind: ConfigMap") == 1


class TestDataThatIsRead:
    def test_a_release_takes_the_values_of_its_cluster(self) -> None:
        files = {
            "clusters/dev/a.yaml": text(release(), values(env=ENV)),
            "clusters/prod/a.yaml": text(release(), values(policy="sync")),
        }
        after = run(files, **CHARTS)
        ours, theirs = list(yaml.safe_load_all(after["clusters/dev/a.yaml"]))
        assert "values" not in ours["spec"]
        assert URL in theirs["data"]["values.yaml"]
        ours, theirs = list(yaml.safe_load_all(after["clusters/prod/a.yaml"]))
        assert URL in json.dumps(ours["spec"]["values"]["env"])
        assert URL not in theirs["data"]["values.yaml"]

    def test_a_map_of_another_cluster_fills_no_variable(self) -> None:
        environment = config_map("environment", HTTP_PROXY="http://old:1", HTTPS_PROXY="http://old:1")
        files = {
            "dev/a.yaml": text(cert_manager(envFrom=FROM_MAP), environment),
            "prod/a.yaml": text(cert_manager(envFrom=FROM_MAP)),
        }
        after = run(files)
        assert below(after, "prod/") == run(files, "prod/")
        assert URL in after["dev/a.yaml"].partition("kind: ConfigMap")[2]

    def test_maps_that_are_equally_near_are_all_filled(self) -> None:
        environment = config_map("environment", HTTP_PROXY="http://old:1")
        files = {
            "base/a.yaml": text(cert_manager(envFrom=FROM_MAP)),
            "dev/map.yaml": text(environment),
            "prod/map.yaml": text(environment),
        }
        after = run(files)
        assert URL in after["dev/map.yaml"]
        assert URL in after["prod/map.yaml"]


class TestReferencesOfTheConfig:
    SPEC: ClassVar[dict[str, Any]] = {
        "trustedCA": {"configMap": {"name": "corp-ca", "namespace": "cert-manager", "key": "ca.crt"}}
    }

    @staticmethod
    def nodes(name: str) -> dict[str, Any]:
        return named(
            "KubeadmControlPlane", name, labels={"cluster.x-k8s.io/cluster-name": name}, spec={"kubeadmConfigSpec": {}}
        )

    def files(self, dev: str, prod: str) -> Files:
        return {
            f"clusters/{name}/{file}.yaml": content
            for name, pem in (("dev", dev), ("prod", prod))
            for file, content in (
                ("ca", text(config_map("corp-ca", **{"ca.crt": pem}))),
                ("nodes", text(self.nodes(name), cert_manager())),
            )
        }

    def test_of_two_texts_each_object_takes_the_nearest(self) -> None:
        files = self.files(certificates.A, certificates.B)
        after = run(files, **self.SPEC)
        for name, pem in (("dev", certificates.A), ("prod", certificates.B)):
            assert pem.splitlines()[1] in after[f"clusters/{name}/nodes.yaml"]
            assert below(after, f"clusters/{name}/") == run(files, f"clusters/{name}/", **self.SPEC)

    def test_an_object_that_is_equally_near_to_two_is_an_error(self) -> None:
        files = self.files(certificates.A, certificates.B) | {"top.yaml": text(cert_manager("top"))}
        manifests = Manifests({name: content.encode() for name, content in files.items()})
        config = function_config(proxy_config(**PROXY, **self.SPEC))
        outcome = run_list(manifests, config, Objects(manifests))
        (problem,) = [result.message for result in outcome.results]
        assert "equally near to top.yaml" in problem
        assert not outcome.changes

    def test_values_of_each_cluster(self) -> None:
        names = ("dev", "prod")
        files = {
            f"{name}/a.yaml": text(
                cert_manager(), config_map("proxy", proxy=f"http_proxy: http://{name}.corp.example:1")
            )
            for name in names
        }
        source = [{"kind": "ConfigMap", "name": "proxy", "namespace": "cert-manager"}]
        spec: dict[str, Any] = {"from": source, "httpProxy": None, "httpsProxy": None}
        after = run(files, **spec)
        for name in names:
            assert f"value: http://{name}.corp.example:1" in after[f"{name}/a.yaml"]
            assert below(after, f"{name}/") == run(files, f"{name}/", **spec)


class TestTheClusterOfAWorkload:
    FILES: ClassVar[Files] = {
        "clusters/ohio/cluster.yaml": text(of_pods("ohio", "10.1.0.0/16")),
        "clusters/ohio/apps/a.yaml": text(cert_manager()),
        "clusters/paris/cluster.yaml": text(of_pods("paris", "10.2.0.0/16")),
        "apps/a.yaml": text(cert_manager("other")),
    }

    def test_it_is_the_one_of_the_innermost_folder_that_holds_any(self) -> None:
        after = run(self.FILES)
        assert "10.1.0.0/16" in after["clusters/ohio/apps/a.yaml"]
        assert "10.2.0.0/16" not in after["clusters/ohio/apps/a.yaml"]

    def test_where_that_folder_holds_several_it_is_none(self) -> None:
        after = run(self.FILES)
        assert "/16" not in after["apps/a.yaml"]


def source(url: str, namespace: str = "") -> dict[str, Any]:
    return named(
        "HelmRepository", "external-dns", api="source.toolkit.fluxcd.io/v1", namespace=namespace, spec={"url": url}
    )


def objects_of(name: str) -> dict[str, list[dict[str, Any]]]:
    """The objects that a folder may hold, each list in files of its own; those of nodes are of a Cluster."""
    return {
        "cert-manager": [cert_manager()],
        "cainjector": [cert_manager("cainjector")],
        "a workload with a label": [cert_manager("labelled", {"cluster.x-k8s.io/cluster-name": name})],
        "reads a map": [cert_manager("reader", envFrom=FROM_MAP)],
        "a map": [config_map("environment", HTTP_PROXY="http://old:1")],
        "a map without a namespace": [config_map("environment", "", HTTP_PROXY="http://old:1")],
        "release": [release()],
        "a source": [source("https://charts.example/external-dns", "apps")],
        "a source without a namespace": [source("https://charts.bitnami.com/bitnami")],
        "values with env": [values(env=ENV)],
        "values": [values(policy="sync")],
        "nodes": [TestReferencesOfTheConfig.nodes("${CLUSTER_NAME}")],
        "nodes by name": [TestReferencesOfTheConfig.nodes(name)],
        "workers": [machine_deployment(of=name), config_template()],
        "a template that nobody uses": [config_template()],
        "a template of a namespace": [config_template(namespace="org")],
        "a Secret of the Cluster": [named("Secret", f"{name}-cluster-values")],
    }


ALL_MEMBERS = sorted(objects_of(""))
NODES = {"nodes by name", "workers", "a template that nobody uses", "a template of a namespace"}
"""What means a Cluster, which its folder must hold then."""
OF_ITS_OWN = "a Cluster of its own"
ALONE = ["cert-manager", "cainjector", "workers"]
"""What means nothing outside of its folder, whoever is there."""
MEMBERS = st.lists(st.sampled_from(ALL_MEMBERS), unique=True, min_size=1, max_size=6)
CLUSTERS = st.dictionaries(st.sampled_from(["dev", "eu/prod", "eu/test"]), MEMBERS, min_size=2)
COMMON = st.lists(st.sampled_from(ALONE), unique=True)
SPECS: dict[str, Any] = {
    "no certificates": {},
    "certificates": {"trustedCA": {"pem": certificates.A}},
    "certificates of each cluster": TestReferencesOfTheConfig.SPEC,
    "names with a hash": {"rollout": {"hashNames": True}},
    "Secrets of Clusters": {
        "rollout": {"hashNames": True},
        "targets": {"giantswarm": {"generate": ["systemdProxy", "clusterValues"]}},
    },
}


def check_each_folder(
    clusters: dict[str, list[str]], common: list[str], folders: str, spec: str, *, first: bool
) -> None:
    """Folders are distinguished by their Clusters, or by a workload that all of them have."""
    files: Files = {}
    has_clusters = folders != "the same workload"
    for number, (name, members) in enumerate(clusters.items()):
        folder = f"clusters/{name}"
        cluster_name = f"c{number}" if folders == OF_ITS_OWN else "c"
        if has_clusters:
            files[f"{folder}/cluster.yaml"] = text(of_pods(cluster_name, f"10.{number}.0.0/16"))
        else:
            files[f"{folder}/base.yaml"] = text(cert_manager("base"))
        documents = objects_of(cluster_name)
        for at, member in enumerate(members):
            if member in NODES and not has_clusters:
                continue
            for part, document in enumerate(documents[member]):
                files[f"{folder}/{at % 2}/{at}-{part}.yaml"] = text(document)
        pem = (certificates.A, certificates.B)[number % 2]
        files[f"{folder}/ca/ca.yaml"] = text(config_map("corp-ca", **{"ca.crt": pem}))
    if has_clusters and common:
        folder = "clusters/common" if first else "shared"
        files[f"{folder}/ca.yaml"] = text(config_map("corp-ca", **{"ca.crt": certificates.A}))
        for at, member in enumerate(common):
            files[f"{folder}/{at}.yaml"] = text(*objects_of("other")[member])
    options: dict[str, Any] = {**SPECS[spec]}
    options["targets"] = {**CHARTS["targets"], **options.get("targets", {})}
    after = run(files, **options)
    for name in clusters:
        folder = f"clusters/{name}/"
        assert below(after, folder) == run(files, folder, **options)
    assert run(after, **options) == after


@pytest.mark.parametrize(
    ("clusters", "common", "folders", "spec"),
    [
        pytest.param(
            {"dev": ["release", "a source"], "eu/prod": ["a source without a namespace"]},
            [],
            OF_ITS_OWN,
            "no certificates",
            id="the source of a chart, of which another cluster has one with a word that is looked for",
        ),
        pytest.param(
            {"dev": ["workers"], "eu/prod": ["a template that nobody uses"]},
            [],
            OF_ITS_OWN,
            "names with a hash",
            id="a template, of whose name another cluster has one that nobody uses",
        ),
        pytest.param(
            {"dev": ["cert-manager"], "eu/prod": []},
            ["cainjector"],
            OF_ITS_OWN,
            "certificates",
            id="an object that is created also for a folder without a Cluster",
        ),
        pytest.param(
            {"dev": ["cainjector"], "eu/prod": ["reads a map", "a map", "cainjector"]},
            [],
            OF_ITS_OWN,
            "certificates",
            id="an object that is created beside the one or the other",
        ),
        pytest.param(
            {"dev": ["a workload with a label"], "eu/prod": []},
            [],
            "a Cluster of one name",
            "no certificates",
            id="a Cluster of a name that another folder has as well",
        ),
    ],
)
def test_elsewhere_has_no_say_in(clusters: dict[str, list[str]], common: list[str], folders: str, spec: str) -> None:
    for first in (True, False):
        check_each_folder(clusters, common, folders, spec, first=first)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(
    clusters=CLUSTERS,
    common=COMMON,
    folders=st.sampled_from([OF_ITS_OWN, "a Cluster of one name", "the same workload"]),
    spec=st.sampled_from(sorted(SPECS)),
    first=st.booleans(),
)
def test_a_run_over_a_folder_gives_the_bytes_of_a_run_over_all(
    clusters: dict[str, list[str]], common: list[str], folders: str, spec: str, *, first: bool
) -> None:
    check_each_folder(clusters, common, folders, spec, first=first)
