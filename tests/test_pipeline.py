"""The whole flow, bytes to bytes: what is changed, what is passed by, and that half a change never happens."""

from __future__ import annotations

import pytest

from contract_lists import CONFIG, SETTINGS, WORKERS, resource_list
from krm_fn.krm.results import Severity
from krm_fn.pipeline import Outcome, run
from krm_fn.yamledit import read

DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: cert-manager
  namespace: cert-manager
  labels:
    app.kubernetes.io/name: cert-manager
    tier: infra
spec:
  template:
    spec:
      containers:
      - name: cert-manager-controller
        image: quay.io/jetstack/cert-manager-controller:v1.15.0
"""
CLUSTER = """\
apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata:
  name: one
spec:
  clusterNetwork:
    pods:
      cidrBlocks: [192.0.2.0/24]
"""
CONFLICT = DEPLOYMENT + "        env:\n        - name: HTTP_PROXY\n          value: http://other:1\n"
ELSEWHERE = CONFIG.partition("spec:\n")[0] + (
    "spec:\n  overrides:\n  - match: {clusters: [elsewhere]}\n    httpProxy: http://p:1\n"
)
BROKEN = WORKERS.replace("name: workers", "name: broken").replace("files:", "files: text\n      other:")


def ran(*items: str, config: str | None = CONFIG) -> Outcome:
    return run(resource_list(*items, config=config).encode())


def items_of(outcome: Outcome) -> str:
    """The text of the list without its results."""
    return outcome.output.decode().partition("results:\n")[0]


@pytest.mark.parametrize(
    ("items", "config"),
    [
        pytest.param([SETTINGS], CONFIG, id="nothing that a target wants"),
        pytest.param([WORKERS, DEPLOYMENT], None, id="no FunctionConfig"),
        pytest.param([WORKERS], ELSEWHERE, id="no declaration that is for the object"),
    ],
)
def test_what_is_not_asked_for_is_passed_by(items: list[str], config: str | None) -> None:
    outcome = ran(*items, config=config)
    assert items_of(outcome) == resource_list(*items, config=config)
    assert (outcome.exit_code, outcome.changed) == (0, 0)


def test_without_a_function_config_a_warning_says_so() -> None:
    (result,) = ran(WORKERS, config=None).results
    assert (result.severity, result.code) == (Severity.WARNING, "ConfigIgnored")


def test_one_error_leaves_every_item_as_it_was() -> None:
    outcome = ran(WORKERS, BROKEN)
    assert (outcome.exit_code, outcome.changed, outcome.items) == (1, 0, 2)
    assert items_of(outcome) == resource_list(WORKERS, BROKEN)
    assert all(result.severity is not Severity.INFO for result in outcome.results)


def test_a_cluster_whose_kind_has_an_anchor_counts_too() -> None:
    done = items_of(ran(DEPLOYMENT, CLUSTER.replace("kind: Cluster", "kind: &kind Cluster")))
    assert done.count("192.0.2.0/24") > 1


def test_errors_and_warnings_come_first_in_the_results() -> None:
    """kpt shows the first four: a warning about the last file must be among them."""
    first = WORKERS + "  # nothing wrong here\n"
    outcome = ran(first, CONFLICT, config=CONFIG.replace("spec:\n", "spec:\n  mode: Check\n"))
    listed = read(outcome.output.decode())["results"]
    severities = [one["severity"] for one in listed]
    assert severities == sorted(severities, key=["error", "warning", "info"].index)
