"""What patches of Talos's machine configuration set: judged by the code that merges them, as it is recorded.

`make judged ARGS=--write-golden` builds the program that gives the answers, and records them.
"""

from __future__ import annotations

import copy
import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from all_targets import TARGETS
from judges import answers_of, recorded
from krm_fn.krm.codes import Severity
from krm_fn.patch import lookup
from krm_fn.products.node_kinds import NODE_KINDS
from krm_fn.settings import ProxySettings
from proposals import NO, NONE, apply, findings
from support import ROOT

TALOS = TARGETS["nodes.talos"]
RECORDED = Path(__file__).parent / "recorded_by_talos.json"
JUDGE = ROOT / ".cache" / "bin" / "talos-config"
Golden = Callable[[Path, bytes], None]

KINDS = {kind.kind: kind for kind in NODE_KINDS.values() if kind.system.name == "Talos"}
URL = "http://us%40er:p%25%24s%3A@proxy.corp.example:3128"
WANTED = ProxySettings(URL, "http://other.corp.example:3129", NO)
MOVED = WANTED._replace(http_proxy="http://moved.corp.example:1")

OLD_ENV = "# of the old site\nmachine:\n  env:\n    OTHER: '1' # stays\n    http_proxy: http://old:1\n"
OLD_DOCUMENT = "apiVersion: v1alpha1\nkind: EnvironmentConfig\nvariables:\n  OTHER: '1'\n  HTTPS_PROXY: http://old:1\n"
OLD_API_SERVER = "cluster:\n  apiServer:\n    env:\n      HTTPS_PROXY: http://old:1\n"
TIME = "apiVersion: v1alpha1\nkind: WatchdogTimerConfig\ndevice: /dev/watchdog0\n"
NOTHING_ELSE = "machine: {certSANs: [prod.corp.example]}\n"


OF_AUTHOR = "version: v1alpha1\nmachine:\n  type: controlplane\n  env: {OTHER: '1', http_proxy: http://old:1}\n"


def spec(version: str = "v1.12", kind: str = "controlplane", *patches: str, **more: Any) -> dict[str, Any]:
    found = {"generateType": kind, **({"talosVersion": version} if version else {}), **more}
    return {**found, **({"strategicPatches": [*patches]} if patches else {})}


def obj(configuration: Any, kind: str = "TalosControlPlane") -> dict[str, Any]:
    node = KINDS[kind]
    whole = functools.reduce(lambda inner, key: {key: inner}, reversed(node.path), copy.deepcopy(configuration))
    return {"apiVersion": f"{node.group}/v1alpha3", "kind": kind, "metadata": {"name": "x"}, **whole}


JSON_PATCH = [{"op": "add", "path": "/machine/env", "value": {"OTHER": "1", "no_proxy": "x"}}]
JSON_OF_API_SERVER = [{"op": "add", "path": "/cluster/apiServer/env", "value": {"OTHER": "1"}}]
SPECS = {
    "without a version": spec(""),
    "1.12, nothing there": spec("v1.12"),
    "1.13, nothing there": spec("v1.13.2"),
    "1.14, nothing there": spec("v1.14"),
    "1.12, a worker": spec("v1.12", "worker"),
    "1.13, a worker": spec("1.13", "worker"),
    "1.12, another proxy": spec("v1.12", "controlplane", OLD_ENV + OLD_API_SERVER),
    "1.13, another proxy in a document": spec("v1.13", "controlplane", NOTHING_ELSE, f"{TIME}---\n{OLD_DOCUMENT}"),
    "1.13, another proxy in the older form": spec("v1.13", "controlplane", OLD_ENV),
    "1.14, another proxy in both forms": spec("v1.14", "controlplane", OLD_ENV, OLD_DOCUMENT),
    "1.14, variables of the API server beside something": spec("v1.14", "controlplane", NOTHING_ELSE + OLD_API_SERVER),
    "1.12, another proxy of its author": spec("v1.12", "none", data=OF_AUTHOR + OLD_API_SERVER),
    "1.13, another proxy in a document of its author": spec("v1.13", "none", data=f"{OF_AUTHOR}---\n{OLD_DOCUMENT}"),
    "1.11, JSON patches": spec("v1.11", "controlplane", configPatches=[*JSON_PATCH, *JSON_OF_API_SERVER]),
}


def cases() -> dict[str, dict[str, Any]]:
    """Name -> what Talos is asked: a configuration after a run, after one with another proxy, and after a removal."""
    asked = {}
    for name, configuration in SPECS.items():
        for step, after in steps(configuration).items():
            asked[f"{name}: {step}"] = after
    return asked


def steps(configuration: dict[str, Any]) -> dict[str, Any]:
    """A configuration as part of an object after each run."""
    kind = "TalosConfigTemplate" if configuration["generateType"] == "worker" else "TalosControlPlane"
    written = apply(TALOS, obj(configuration, kind), WANTED)
    found = {"written": written, "moved": apply(TALOS, written, MOVED), "removed": apply(TALOS, written, NONE)}
    return {step: lookup(one, KINDS[kind].path) for step, one in found.items()}


def test_talos_was_asked_about_what_a_run_writes_now(request: pytest.FixtureRequest, golden: Golden) -> None:
    asked = cases()
    if request.config.getoption("--write-golden") and JUDGE.exists():
        golden(RECORDED, answers_of(JUDGE, asked))
    assert {name: one["asked"] for name, one in recorded(RECORDED).items()} == asked


def variables(found: dict[str, str] | None) -> dict[str, str]:
    return {name: value for name, value in (found or {}).items() if name != "OTHER"}


@pytest.mark.parametrize("name", cases())
def test_services_and_the_api_server_get_the_proxy_and_nothing_else(name: str) -> None:
    answer = recorded(RECORDED)[name]["answer"]
    assert "error" not in answer
    wanted = {"written": WANTED, "moved": MOVED, "removed": NONE}[name.rpartition(" ")[2]].variables
    assert variables(answer["services"]) == wanted
    asked = recorded(RECORDED)[name]["asked"]
    is_set = asked["generateType"] == "controlplane" or "apiServer:" in asked.get("data", "")
    assert variables(answer.get("apiServer")) == (wanted if is_set else {})


@pytest.mark.parametrize("name", [name for name in SPECS if "another proxy" in name or "JSON" in name])
def test_other_variables_stay(name: str) -> None:
    for step in ("written", "moved", "removed"):
        assert recorded(RECORDED)[f"{name}: {step}"]["answer"]["services"].get("OTHER") == "1"


def variables_in(text: str) -> list[dict[str, str]]:
    """The proxy variables of each mapping of variables in a machine configuration."""
    ways = [("cluster", "apiServer", "env"), ("machine", "env"), ("env",), ("variables",)]
    found = [variables(lookup(one, way)) for one in yaml.safe_load_all(text) for way in ways]
    return [one for one in found if one]


@pytest.mark.parametrize("form", ["env: {no_proxy: x}\n", "extraArgs: {v: '2'}\n"], ids=["with", "without"])
@pytest.mark.parametrize("field", ["data", "strategicPatches"])
def test_a_document_of_the_api_server_gets_the_variables_in_the_place_of_the_older_form(field: str, form: str) -> None:
    text = f"apiVersion: v1alpha1\nkind: KubeAPIServerConfig\n{form}"
    more = {"data": f"{OF_AUTHOR}---\n{text}"} if field == "data" else {"strategicPatches": [OLD_ENV, text]}
    given = obj(spec("v1.14", "none" if field == "data" else "controlplane", **more))
    written = lookup(apply(TALOS, given, WANTED), KINDS["TalosControlPlane"].path)[field]
    whole = written if field == "data" else "---\n".join(written)
    assert variables_in(whole) == [WANTED.variables] * 2
    assert "apiServer" not in whole
    assert findings(TALOS, given, WANTED) == []


def operation(value: Any, path: str = "/machine/env/https_proxy", name: str = "add") -> dict[str, Any]:
    return {"op": name, "path": path, "value": value}


SECRET, PLAIN = operation("http://svc:s3cr3t@old:1"), operation("http://old:1")


@pytest.mark.parametrize(
    ("one", "code"),
    [
        pytest.param(SECRET, "PasswordLeft", id="a password"),
        pytest.param(PLAIN, "OtherProxy", id="another proxy"),
        pytest.param(operation(["x"]), "OtherProxy", id="a wrong type"),
        pytest.param(operation(WANTED.https_proxy), "", id="what is wanted"),
    ],
)
@pytest.mark.parametrize("dumped", [None, json.dumps, yaml.safe_dump], ids=["a field", "a text", "a text of YAML"])
def test_an_operation_on_one_variable_stays_and_a_password_in_it_is_an_error(one: Any, code: str, dumped: Any) -> None:
    more = {"strategicPatches": [dumped([one])]} if dumped else {"configPatches": [None, one]}
    given = obj({**spec("v1.11", "worker"), **more}, "TalosConfigTemplate")
    assert [said.code for said in findings(TALOS, given, WANTED)] == ([code] if code else [])
    assert "s3cr3t" not in str([said.message for said in findings(TALOS, given, WANTED)])
    left = apply(TALOS, given, WANTED)
    path = KINDS["TalosConfigTemplate"].path
    for field, value in more.items():
        assert lookup(left, (*path, field))[: len(value)] == value
    assert apply(TALOS, left, NONE) == given


def test_after_a_removal_no_password_stays_without_an_error() -> None:
    """Whatever a run declared: the variable of an operation is not taken out."""
    for one in (SECRET, operation(URL, "/machine/env/http_proxy")):
        given = obj({**spec("v1.11", "worker"), "configPatches": [one]}, "TalosConfigTemplate")
        (said,) = findings(TALOS, given, NONE)
        assert (said.code, said.severity) == ("PasswordLeft", Severity.ERROR)
    text = obj(spec("v1.11", "worker", json.dumps([operation({"no_proxy": "x", "HTTP_PROXY": URL}, "/machine/env")])))
    assert [said.code for said in findings(TALOS, text, NONE)] == ["PasswordLeft", "OtherProxy"]
