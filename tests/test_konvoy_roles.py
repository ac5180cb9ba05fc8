"""A ProxyConfig of the flags of `konvoy create cluster`, and the Secret that the machines of all roles share."""

from __future__ import annotations

import json

import pytest
import yaml

from contract_lists import resource_list
from krm_fn.krm.results import Severity
from krm_fn.pipeline import Outcome, run
from support import inject_proxy

CLUSTER = """\
apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata:
  name: one
  namespace: default
spec:
  infrastructureRef:
    apiVersion: infrastructure.cluster.konvoy.d2iq.io/v1alpha1
    kind: PreprovisionedCluster
    name: one
"""
NAME = "v1/Secret/default/one-user-overrides"


def flags(role: str, proxy: str, no_proxy: str) -> list[str]:
    return [f"--{role}-http-proxy={proxy}", f"--{role}-https-proxy={proxy}", f"--{role}-no-proxy={no_proxy}"]


def imported(*arguments: str, mode: str = "Inject") -> str:
    line = ["create", "cluster", "preprovisioned", "--cluster-name=one", *arguments]
    config = yaml.safe_load(inject_proxy("", "import", "konvoy", "--", *line).stdout)
    config["spec"] |= {"targets": {"imageBuilderOverrides": {"generate": True}}, "mode": mode}
    return yaml.safe_dump(config)


def ran(config: str, *more: str) -> Outcome:
    return run(resource_list(CLUSTER, *more, config=config).encode())


def overrides(outcome: Outcome) -> dict[str, str]:
    items = yaml.safe_load(outcome.output)["items"]
    secrets = [item for item in items if item["kind"] == "Secret"]
    assert [item["metadata"]["name"] for item in secrets] == ["one-user-overrides"]
    found: dict[str, str] = yaml.safe_load(secrets[0]["stringData"]["overrides.yaml"])["proxy_env"]
    return found


def unreached(outcome: Outcome) -> list[str]:
    """The warnings that name an override."""
    warnings = [result.message for result in outcome.results if result.severity is Severity.WARNING]
    return [message for message in warnings if "`spec.overrides[" in message]


def reported(outcome: Outcome) -> list[str]:
    return [result.message for result in outcome.results if str(result.ref) == NAME]


WORKER = flags("worker", "http://w.example:1", "w.corp.example")
SAME = flags("control-plane", "http://w.example:1", "c.corp.example")
OTHER = flags("control-plane", "http://c.example:1", "c.corp.example")


def test_flags_for_workers_alone_make_the_secret_with_their_proxy_and_say_so() -> None:
    outcome = ran(imported(*WORKER))
    assert overrides(outcome)["HTTP_PROXY"] == "http://w.example:1"
    assert any(one.startswith("takes the proxy of the workers, because") for one in reported(outcome))
    assert not any("fits nothing in this list" in result.message for result in outcome.results)


def test_flags_for_the_control_plane_alone_make_it_with_that_proxy() -> None:
    outcome = ran(imported(*OTHER))
    assert overrides(outcome)["HTTP_PROXY"] == "http://c.example:1"
    assert any(one.startswith("takes the proxy of the control plane, because") for one in reported(outcome))


def test_of_two_proxies_the_workers_stands_and_the_other_is_a_warning() -> None:
    outcome = ran(imported(*WORKER, *OTHER))
    assert overrides(outcome)["HTTPS_PROXY"] == "http://w.example:1"
    assert "c.corp.example" not in overrides(outcome)["NO_PROXY"]
    assert ["`spec.overrides[0]`" in message for message in unreached(outcome)] == [True]


def test_lists_of_roles_with_one_proxy_are_united() -> None:
    outcome = ran(imported(*WORKER, *SAME))
    entries = overrides(outcome)["NO_PROXY"].split(",")
    assert {"w.corp.example", "c.corp.example"} <= set(entries)
    assert unreached(outcome) == []


@pytest.mark.parametrize("arguments", [WORKER, OTHER, [*WORKER, *OTHER], [*WORKER, *SAME]])
def test_a_second_run_changes_nothing_and_removal_takes_the_secret_out(arguments: list[str]) -> None:
    config = imported(*arguments)
    first = ran(config)
    secret = next(item for item in yaml.safe_load(first.output)["items"] if item["kind"] == "Secret")
    again = ran(config, json.dumps(secret, indent=1) + "\n")
    assert overrides(again) == overrides(first)
    assert not any(one.startswith(("sets", "created")) for one in reported(again))
    gone = ran(imported(*arguments, mode="Remove"), json.dumps(secret, indent=1) + "\n")
    assert [item["kind"] for item in yaml.safe_load(gone.output)["items"]] == ["Cluster"]
