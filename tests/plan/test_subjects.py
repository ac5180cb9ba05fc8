"""Objects that a run makes because the list lacks them, and takes out again: the mechanism, from bytes to bytes."""

from __future__ import annotations

import json
from textwrap import indent
from typing import Any

import pytest

from contract_lists import CONFIG, SETTINGS, resource_list
from krm_fn.krm.results import Severity
from krm_fn.pipeline.outcome import Outcome
from krm_fn.pipeline.run import run
from krm_fn.yamledit import read
from stories import asking

GENERATE = CONFIG + "  targets:\n    giantswarm: {generate: [systemdProxy]}\n"
CLUSTER = """\
apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata:
  name: one # the first
  namespace: org
  labels: {giantswarm.io/cluster: one}
"""
SECRET = """\
apiVersion: v1
kind: Secret
metadata:
  name: one-systemd-proxy
  namespace: org
  labels: {app.kubernetes.io/managed-by: inject-proxy}
stringData:
  containerdProxy: |
    [Service]
    Environment="HTTP_PROXY=http://old:1"
"""
CONTROL_PLANE = """\
apiVersion: controlplane.cluster.x-k8s.io/v1beta1
kind: KubeadmControlPlane
metadata:
  name: one
  namespace: org
  labels: {cluster.x-k8s.io/cluster-name: one}
spec:
  kubeadmConfigSpec: {}
"""
FOREIGN = SECRET.replace("  labels: {app.kubernetes.io/managed-by: inject-proxy}\n", "")


def ran(*items: str, config: str = GENERATE) -> Outcome:
    return run(resource_list(*items, config=config).encode())


def without_results(data: bytes) -> str:
    return data.decode().partition("results:\n")[0]


def names(data: bytes) -> list[str]:
    return [item["metadata"]["name"] for item in read(data.decode())["items"]]


def made(data: bytes) -> list[dict[str, Any]]:
    return [item for item in read(data.decode())["items"] if item["kind"] == "Secret"]


# What must not change.


@pytest.mark.parametrize(
    ("items", "config"),
    [
        pytest.param([CLUSTER], CONFIG + "  targets: {giantswarm: false}\n", id="the target is off"),
        pytest.param([CLUSTER], GENERATE + "  selector:\n    exclude:\n    - kinds: [Secret]\n", id="it is left out"),
        pytest.param(
            [
                CLUSTER,
                FOREIGN.replace("metadata:", "metadata:\n  annotations: {config.kubernetes.io/local-config: 'true'}"),
            ],
            GENERATE,
            id="a Secret that stays in the repository",
        ),
    ],
)
def test_nothing_is_made(items: list[str], config: str) -> None:
    outcome = ran(*items, config=config)
    assert without_results(outcome.output) == resource_list(*items, config=config)
    assert (outcome.changed, outcome.exit_code) == (0, 0)


PATHS_OF_KPT = [
    pytest.param("one # the first", "org", None, id="usual names"),
    pytest.param('"/../../../outside/evil"', "org", "secret-org--..-..-..-outside-evil-systemd-proxy-", id="a path"),
]


@pytest.mark.parametrize(("name", "namespace", "path"), PATHS_OF_KPT)
def test_a_made_object_gets_a_path_where_kpt_leaves_the_package(name: str, namespace: str, path: str | None) -> None:
    cluster = CLUSTER.replace("one # the first", name).replace("namespace: org", f"namespace: {namespace}")
    outcome = ran(cluster)
    made = read(outcome.output.decode())["items"][-1]
    given = made["metadata"].get("annotations", {}).get("internal.config.kubernetes.io/path")
    assert made["kind"] == "Secret"
    assert (given or "").startswith(path or "")
    assert bool(given) == bool(path)
    assert "/" not in (given or "")
    assert run(outcome.output).changed == 0


def test_a_made_object_is_in_the_folder_of_its_cluster() -> None:
    """Clusters of one name in two folders have a Secret each, which kpt writes into files of two folders."""
    notes = "  annotations: {config.kubernetes.io/path: %s}\n  namespace: org\n"
    clusters = [CLUSTER.replace("  namespace: org\n", notes % path) for path in ("a/c.yaml", "b/c.yaml")]
    outcome = ran(*clusters)
    paths = [one["metadata"]["annotations"]["internal.config.kubernetes.io/path"] for one in made(outcome.output)]
    assert paths == ["a/secret-org-one-systemd-proxy.yaml", "b/secret-org-one-systemd-proxy.yaml"]
    reported = [one for one in read(outcome.output.decode())["results"] if one["message"].startswith("created")]
    assert ["file" in one for one in reported] == [False, False]
    assert run(outcome.output).changed == 0


# What comes out.


@pytest.mark.parametrize("mode", ["Remove", "Inject"])
def test_of_a_list_inside_the_list_the_right_ones_go(mode: str) -> None:
    """Each of three objects is a Secret; two of them go, and the index of the third changes."""
    secrets = [SECRET.replace("one-", f"{name}-") for name in ("a", "b", "c")]
    secrets[1] = (
        secrets[1]
        .replace("  labels: {app.kubernetes.io/managed-by: inject-proxy}\n", "")
        .replace("    [Service]", "    # keep\n    [Service]")
    )
    nested = {"apiVersion": "v1", "kind": "List", "items": [read(text) for text in secrets]}
    data = asking(resource_list(SETTINGS, json.dumps(nested) + "\n", config=GENERATE).encode(), mode=mode)
    outcome = run(data)
    left = read(outcome.output.decode())["items"][1]["items"]
    assert [one["metadata"]["name"][0] for one in left] == (["b"] if mode == "Remove" else ["a", "b", "c"])
    assert ("# keep" in left[0]["stringData"]["containerdProxy"]) == (mode == "Remove")


def test_the_result_names_the_new_object_and_no_value() -> None:
    secret = GENERATE.replace("http://proxy", "http://user:geheim@proxy")
    outcome = ran(CLUSTER, config=secret)
    (entry,) = [one for one in outcome.results if one.ref.kind == "Secret" and "created: " in one.message]
    assert (entry.ref.name, entry.path, entry.target) == ("one-systemd-proxy", (), "giantswarm.systemdProxy")
    assert "geheim" not in outcome.output.decode().partition("results:\n")[2]


@pytest.mark.parametrize(("name", "number"), [("one", 0), ("one-systemd-proxy", 2)], ids=["the Cluster", "the Secret"])
def test_an_override_for_an_object_counts_by_the_name_of_what_is_made(name: str, number: int) -> None:
    overrides = [{"match": {"objects": [name]}, "httpProxy": "http://other:1"}]
    first = run(asking(resource_list(CLUSTER, config=GENERATE).encode(), overrides=overrides)).output
    (secret,) = made(first)
    assert secret["stringData"]["containerdProxy"].count("http://other:1") == number
    assert made(run(first).output) == [secret]


@pytest.mark.parametrize(("role", "errors"), [("Worker", 0), ("ControlPlane", 1)])
def test_an_object_that_is_to_have_another_proxy_than_the_secret_holds_is_an_error(role: str, errors: int) -> None:
    config = GENERATE + "    nodes: {containerd: {content: Secret}, kubelet: false}\n"
    overrides = [{"match": {"roles": [role]}, "httpProxy": "http://other:1"}]
    outcome = run(asking(resource_list(CLUSTER, CONTROL_PLANE, config=config).encode(), overrides=overrides))
    reported = [one.message for one in outcome.results if one.severity is Severity.ERROR]
    assert len(reported) == errors
    assert all("holds the proxy of the whole Cluster" in message for message in reported)
    assert len(made(outcome.output)) == 1 - errors


REFERENCES = GENERATE + "    nodes: {containerd: {content: Secret}, kubelet: {content: Secret}}\n"


OTHER_CLUSTER = CLUSTER.replace("io/cluster: one", "io/cluster-service-priority: high")
TALOS = CONTROL_PLANE.replace("Kubeadm", "Talos").replace("  kubeadmConfigSpec: {}", "  controlPlaneConfig: {}")
CONSUMER = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: values}\ndata: {values: 'secret: one-systemd-proxy'}\n"


@pytest.mark.parametrize(
    ("objects", "config", "created", "report"),
    [
        pytest.param([CLUSTER], GENERATE, ["one"], None, id="a chart of Giant Swarm makes the nodes"),
        pytest.param([OTHER_CLUSTER], GENERATE, [], Severity.WARNING, id="a Cluster without nodes"),
        pytest.param([OTHER_CLUSTER, CONTROL_PLANE], GENERATE, [], Severity.WARNING, id="no content: Secret"),
        pytest.param([OTHER_CLUSTER, CONTROL_PLANE], REFERENCES, [None], None, id="nodes that refer to it"),
        pytest.param([OTHER_CLUSTER, TALOS], REFERENCES, [], Severity.WARNING, id="nodes that cannot refer to it"),
        pytest.param([OTHER_CLUSTER, CONSUMER], GENERATE, [None], None, id="something else that names it"),
        pytest.param(
            [OTHER_CLUSTER, CONTROL_PLANE, OTHER_CLUSTER.replace("one", "two")],
            REFERENCES,
            [None],
            Severity.INFO,
            id="nodes of one of two Clusters",
        ),
    ],
)
@pytest.mark.parametrize("rollout", [{}, {"hashNames": True}], ids=["names stay", "names with a hash"])
def test_a_secret_is_made_where_nodes_refer_to_it_with_the_label_of_the_cluster(
    objects: list[str], config: str, created: list[Any], report: Severity | None, rollout: dict[str, Any]
) -> None:
    before = asking(resource_list(*objects, config=config).encode(), rollout=rollout)
    outcome = run(before)
    labels = [secret["metadata"]["labels"].get("giantswarm.io/cluster") for secret in made(outcome.output)]
    assert labels == created
    assert [result.severity for result in outcome.results if result.code == "SettingUnused"] == [report] * bool(report)
    assert sum("created: " in result.message for result in outcome.results) == len(created)
    again = run(outcome.output)
    assert without_results(again.output) == without_results(outcome.output)
    check = run(asking(before, mode="Check"))
    due = [result.message for result in check.results if "created: the list has no such object" in result.message]
    assert [message.endswith("not done, because a check changes nothing") for message in due] == [True] * len(created)
    assert without_results(check.output) == asking(before, mode="Check").decode()
    removal = run(asking(outcome.output, mode="Remove"))
    assert made(removal.output) == []
    assert not any("SettingUnused" in (result.code or "") for result in removal.results)


@pytest.mark.parametrize("targets", [{}, {"giantswarm": {"generate": ["systemdProxy"]}}], ids=["by itself", "as made"])
def test_removal_takes_the_references_with_the_secret(targets: dict[str, Any]) -> None:
    there = without_results(run(resource_list(CLUSTER, CONTROL_PLANE, config=REFERENCES).encode()).output)
    assert there.count("contentFrom") == 2
    without_targets = there.replace(indent(REFERENCES, "  "), indent(CONFIG, "  "))
    assert without_targets != there
    done = run(asking(without_targets.encode(), mode="Remove", targets=targets))
    assert b"contentFrom" not in done.output.partition(b"functionConfig")[0]
    assert names(done.output) == ["one", "one"]


@pytest.mark.parametrize("there", ["", '  kubeletProxy: ""\n'], ids=["missing", "empty"])
def test_a_secret_that_is_there_gets_each_key_that_is_referred_to(there: str) -> None:
    outcome = ran(CLUSTER, CONTROL_PLANE, FOREIGN + there, config=REFERENCES)
    (secret,) = made(outcome.output)
    assert list(secret["stringData"]) == ["containerdProxy", "kubeletProxy"]
    assert secret["stringData"]["kubeletProxy"].startswith("[Service]\n")
