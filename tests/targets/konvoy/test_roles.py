"""A ProxyConfig of the flags of `konvoy create cluster`, and the Secret that the machines of all roles share."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from function_configs import list_with_config
from krm_fn.pipeline.outcome import Outcome
from krm_fn.pipeline.run import run
from manifests import cluster, reference
from support import inject_proxy

CLUSTER = cluster("one", infrastructureRef=reference("PreprovisionedCluster", "one"))


def flags(role: str, proxy: str, no_proxy: str) -> list[str]:
    return [f"--{role}-http-proxy={proxy}", f"--{role}-https-proxy={proxy}", f"--{role}-no-proxy={no_proxy}"]


WORKER = flags("worker", "http://w.example:1", "w.corp.example")
SAME = flags("control-plane", "http://w.example:1", "c.corp.example")
OTHER = flags("control-plane", "http://c.example:1", "c.corp.example")


def imported(*arguments: str, mode: str = "Inject") -> Any:
    words = ["create", "cluster", "preprovisioned", "--cluster-name=one", *arguments]
    config = yaml.safe_load(inject_proxy("", "import", "konvoy", "--", *words).stdout)
    return {**config["spec"], "targets": {"konvoy": {"generate": True}}, "mode": mode}


def ran(spec: Any, *more: Any) -> Outcome:
    return run(list_with_config(spec, CLUSTER, *more))


def secrets(outcome: Outcome) -> list[Any]:
    return [item for item in yaml.safe_load(outcome.output)["items"] if item["kind"] == "Secret"]


@pytest.mark.parametrize(
    ("arguments", "proxy", "entries", "codes"),
    [
        pytest.param(WORKER, "http://w.example:1", {"w.corp.example"}, {"SharedObject"}, id="workers alone"),
        pytest.param(OTHER, "http://c.example:1", {"c.corp.example"}, {"SharedObject"}, id="the control plane alone"),
        pytest.param(
            [*WORKER, *OTHER],
            "http://w.example:1",
            {"w.corp.example"},
            {"SharedObject", "OverrideNotReached"},
            id="two proxies, of which that of the workers counts",
        ),
        pytest.param(
            [*WORKER, *SAME],
            "http://w.example:1",
            {"w.corp.example", "c.corp.example"},
            set(),
            id="one proxy, whose lists are united",
        ),
    ],
)
def test_the_machines_of_all_roles_get_one_proxy(
    arguments: list[str], proxy: str, entries: set[str], codes: set[str]
) -> None:
    config = imported(*arguments)
    first = ran(config)
    (secret,) = secrets(first)
    environment = yaml.safe_load(secret["stringData"]["overrides.yaml"])["proxy_env"]
    assert environment["HTTP_PROXY"] == environment["HTTPS_PROXY"] == proxy
    listed = set(environment["NO_PROXY"].split(","))
    assert listed & {"w.corp.example", "c.corp.example"} == entries
    watched = {"SharedObject", "OverrideNotReached", "SettingUnused"}
    assert {result.code for result in first.results} & watched == codes
    assert secrets(ran(config, secret)) == [secret]
    assert secrets(ran(imported(*arguments, mode="Remove"), secret)) == []
