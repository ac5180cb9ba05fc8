"""Overrides for some nodes, and objects that hold one proxy for all of them."""

from __future__ import annotations

import pytest

from contract_lists import resource_list
from function_configs import HEAD
from krm_fn.krm.results import Severity
from krm_fn.pipeline.run import run

WHOLE = "  httpProxy: http://a.example:1\n  httpsProxy: http://a.example:1\n"
WORKERS = "  overrides:\n  - match: {roles: [Worker]}\n    httpProxy: http://b.example:1\n    httpsProxy: http://b.example:1\n"
GROUP = WORKERS.replace("roles: [Worker]", "workerGroups: [md-0], clusters: [one]")
OF_ANOTHER = WORKERS.replace("roles: [Worker]", "roles: [Worker], clusters: [two]")
THE_SAME = WORKERS.replace("b.example", "a.example")
NOWHERE = WORKERS.replace("roles: [Worker]", "targets: [nodes.kubelet], roles: [Worker]")

CLUSTER = """\
apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata:
  name: one
spec:
  topology:
    class: {}
    variables:
    - name: {}
      value: {{}}
    workers:
      machineDeployments:
      - class: default-worker
        name: md-0
"""
CAREN, TKG = CLUSTER.format("nutanix-quick-start", "clusterConfig"), CLUSTER.format("tkg-vsphere-default-v1", "user")
SERVICE = "apiVersion: run.tanzu.vmware.com/v1alpha2\nkind: TanzuKubernetesCluster\nmetadata:\n  name: one\nspec: {}\n"


def warnings(item: str, spec: str) -> list[str]:
    outcome = run(resource_list(item, config=HEAD + spec).encode())
    return [one.message for one in outcome.results if one.severity is Severity.WARNING and "all nodes" in one.message]


@pytest.mark.parametrize(
    ("item", "spec"),
    [
        pytest.param(TKG, WHOLE + WORKERS, id="a Cluster that has a place for each group"),
        pytest.param(CAREN, WHOLE + OF_ANOTHER, id="an override for another Cluster"),
        pytest.param(CAREN, WHOLE + THE_SAME, id="an override that says the same"),
        pytest.param(CAREN, WHOLE + NOWHERE, id="an override for another target"),
        pytest.param(CAREN, WHOLE + WORKERS + "  selector: {exclude: [{kinds: [Cluster]}]}\n", id="an object left out"),
    ],
)
def test_nothing_is_said_of(item: str, spec: str) -> None:
    assert warnings(item, spec) == []


@pytest.mark.parametrize("spec", [WORKERS, GROUP, WHOLE + WORKERS, WHOLE + GROUP])
def test_one_warning_says_which_overrides_do_not_reach_the_object(spec: str) -> None:
    assert [message.count("`spec.overrides[0]` cannot reach it") for message in warnings(CAREN, spec)] == [1]


def test_an_object_without_a_known_cluster_is_reported_of_roles() -> None:
    assert len(warnings(SERVICE, WORKERS)) == 1
