"""Which warnings a run prints: none that the chosen style causes itself, and each fact once."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from contract_lists import CONFIG, WORKERS, resource_list
from krm_fn.krm.results import Result, Severity
from krm_fn.pipeline.outcome import Outcome
from krm_fn.pipeline.run import run
from stories import TESTDATA, name_of

OF_THE_STYLE = {"ListEmpty", "EntryForm", "DomainForm", "EntryTooBroad", "EntryNeedless", "AddressNotListed"}
STYLED = re.compile(r"style: (GiantSwarm|TKG|Verbatim|Sorted)\b")
STORIES = [path.parent for path in sorted(TESTDATA.rglob("input.yaml")) if STYLED.search(path.read_text())]


def ran(*items: str, config: str = CONFIG) -> Outcome:
    return run(resource_list(*items, config=config).encode())


def warnings(outcome: Outcome) -> list[Result]:
    return [result for result in outcome.results if result.severity is Severity.WARNING]


@pytest.mark.parametrize("story", STORIES, ids=name_of)
def test_a_style_prints_no_warning_that_it_causes_itself(story: Path) -> None:
    outcome = run((story / "input.yaml").read_bytes())
    assert [result.line() for result in warnings(outcome) if result.code in OF_THE_STYLE] == []


CLUSTER = """\
apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata: {name: prod, namespace: org-acme}
spec: {clusterNetwork: {pods: {cidrBlocks: [10.0.0.0/8]}}}
"""


def workers(name: str) -> str:
    labelled = f"  labels: {{cluster.x-k8s.io/cluster-name: prod}}\n  name: {name} #"
    return WORKERS.replace("  name: workers #", labelled)


def test_what_nobody_says_about_many_clusters_is_one_warning() -> None:
    items = [CLUSTER, workers("a")]
    for name in "bcdef":
        items += [text.replace(": prod", f": prod-{name}") for text in (CLUSTER, workers(name))]
    (said,) = [result for result in ran(*items).results if result.code == "FactsUnknown"]
    assert said.message.endswith(
        "(also true of `Cluster/org-acme/prod-b`, and of `Cluster/org-acme/prod-c`, and of 3 more Clusters, "
        "and of 5 more objects)"
    )
    assert len(said.clusters) == 6


def test_a_service_cidr_that_is_filled_in_later_is_one_information_of_many_clusters() -> None:
    items = []
    for name in "abc":
        text = CLUSTER.replace("pods: {", "services: {cidrBlocks: ['${SERVICES}']}, pods: {")
        items += [each.replace(": prod", f": prod-{name}") for each in (text, workers(name))]
    said = [result.message for result in ran(*items).results if "is a placeholder" in result.message]
    assert [message.endswith("(also true of 2 more objects)") for message in said] == [True]


# failing on warnings


FAIL_ON_WARNING = CONFIG + "  failOn: Warning\n"


def test_a_warning_fails_the_run_where_that_is_asked_for_and_nothing_is_lost() -> None:
    plain, failing = ran(workers("a")), ran(workers("a"), config=FAIL_ON_WARNING)
    assert warnings(plain)
    assert (plain.exit_code, failing.exit_code) == (0, 1)
    assert failing.output == plain.output.replace(CONFIG.encode(), FAIL_ON_WARNING.encode()).replace(
        indented(CONFIG), indented(FAIL_ON_WARNING)
    )
    assert failing.results == plain.results


def indented(text: str) -> bytes:
    return "".join(f"  {line}\n" for line in text.splitlines()).encode()


# one line for one thing

EXPORTS = WORKERS.partition("      preKubeadmCommands:\n")[0] + (
    "      preKubeadmCommands:\n      - x\n      - export http_proxy=http://old:1\n"
)
CONTAINERS = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: cert-manager, namespace: cert-manager, labels: {app.kubernetes.io/name: cert-manager}}
spec:
  template:
    spec:
      containers:
      - name: cert-manager-controller
        image: quay.io/jetstack/cert-manager-controller:v1.16.0
        env:
        - {name: HTTP_PROXY, value: http://old:1}
"""


@pytest.mark.parametrize("item", [WORKERS, CONTAINERS, EXPORTS])
def test_check_finds_one_thing_in_each_place(item: str) -> None:
    found = ran(item, config=CONFIG.replace("spec:\n", "spec:\n  mode: Check\n")).results
    errors = [one for one in found if one.severity is Severity.ERROR]
    assert errors
    places = Counter((one.target, one.path[:-1] if one.path[-1].isdigit() else one.path) for one in errors)
    assert set(places.values()) == {1}
    assert all(one.message.count("not done") == 1 for one in errors)
    of_commands = [error for error in errors if error.target == "nodes.commands"]
    assert ["the proxy" in one.message for one in of_commands] in ([True], [])
