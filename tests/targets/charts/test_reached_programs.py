"""Programs of charts that read no variables: whether something else gives them the proxy."""

from __future__ import annotations

from typing import Any

import pytest

from all_targets import TARGETS
from chart_objects import ANY, release
from krm_fn.products.charts import CHARTS
from krm_fn.targets.charts.reached_programs import IS_REACHED
from proposals import HTTP, NONE, apply, findings

target = TARGETS["charts"]
STACK = "kube-prometheus-stack"
NODE = [{"name": "NODE_USE_ENV_PROXY", "value": "1"}]
JAVA = "-Dhttp.proxyHost=x -Dhttps.proxyHost=x"
VARIABLE = {"name": "HTTPS_PROXY", "value": "http://proxy"}
DIND = {"name": "dind", "env": [VARIABLE]}
RUNNER = {"name": "runner", "env": [VARIABLE]}
TABLE = '[[runners]]\n  environment = ["A=b", "HTTPS_PROXY=http://proxy"]\n'


def runners(config: str) -> Any:
    return release("gitlab-runner", {"runners": {"config": config}})


def containers(*listed: Any, field: str = "containers") -> Any:
    return release("gha-runner-scale-set", {"template": {"spec": {field: [*listed]}}})


OUTSIDE = "https://metrics.example/push"


def monitored(*entries: Any) -> Any:
    values = {"grafana": {"enabled": False}, "prometheus": {"prometheusSpec": {"remoteWrite": [*entries]}}}
    return release(STACK, values)


def alerting(*receivers: Any, **options: Any) -> Any:
    config = {"global": {"http_config": options}, "receivers": [*receivers]}
    return release(STACK, {"alertmanager": {"config": config}})


REACHED: list[Any] = [
    pytest.param(release("jenkins"), False, id="Java without options"),
    pytest.param(release("jenkins", {"controller": {"javaOpts": JAVA}}), True, id="Java with both proxies"),
    pytest.param(release("jenkins", {"controller": {"javaOpts": JAVA[:18]}}), False, id="Java with one of both"),
    pytest.param(release("jenkins", {"agent": {"javaOpts": JAVA}}), False, id="options of another program"),
    pytest.param(release("gha-runner-scale-set", {"containerMode": {"type": "dind"}}), False, id="a daemon of Docker"),
    pytest.param(release("gha-runner-scale-set"), True, id="no daemon"),
    pytest.param(containers(RUNNER, DIND), True, id="a daemon with the variable"),
    pytest.param(containers(RUNNER, {"name": "dind"}), False, id="the variable in another container"),
    pytest.param(containers(RUNNER, {"name": "docker", "image": "docker:27-dind"}), False, id="a daemon by its image"),
    pytest.param(containers({"name": "dind"}, field="initContainers"), False, id="a daemon that is a sidecar"),
    pytest.param(release("backstage", {"backstage": {"extraEnvVars": NODE}}), True, id="Node.js that reads variables"),
    pytest.param(release("backstage", {"backstage": {"command": NODE}}), False, id="the name elsewhere"),
    pytest.param(release("gitlab-runner"), False, id="jobs without an environment"),
    pytest.param(runners(TABLE), True, id="jobs with an environment"),
    pytest.param(release("sonarqube"), False, id="SonarQube without options"),
    pytest.param(release("sonarqube", {"jvmOpts": JAVA}), True, id="SonarQube with options of Java"),
    pytest.param(
        release("sonarqube", {"sonarProperties": {"http.proxyHost": "x", "https.proxyHost": "x"}}),
        True,
        id="SonarQube with properties",
    ),
    pytest.param(monitored({"url": OUTSIDE}), False, id="remote write"),
    pytest.param(monitored({"url": OUTSIDE, "proxyUrl": HTTP}), True, id="remote write with a proxy"),
    pytest.param(monitored({"url": "http://mimir.logs:9009/push"}), True, id="remote write in the cluster"),
    pytest.param(alerting({"name": "null"}), True, id="no receiver"),
    pytest.param(alerting({"name": "a", "slack_configs": [{}]}), False, id="a receiver"),
    pytest.param(alerting({"name": "a", "slack_configs": [{}]}, proxy_url=HTTP), True, id="a receiver with its proxy"),
    pytest.param(alerting({"name": "a", "slack_configs": [{}]}, proxy_from_environment=True), True, id="by variables"),
    pytest.param(runners(f"{TABLE}{TABLE}"), True, id="jobs of two runners"),
    pytest.param(runners(f"{TABLE}[[runners]]\n  name = 'b'\n"), False, id="jobs of one of two runners"),
    pytest.param(runners('[[runners]]\n  # environment = ["HTTPS_PROXY=x"]\n'), False, id="a comment"),
    pytest.param(runners('[[runners]]\n  environment = [\n "A=#b",\n "https_proxy=x"]\n'), True, id="several lines"),
]


def test_each_chart_with_a_program_that_reads_no_variables_is_judged() -> None:
    assert {name for name, chart in CHARTS.items() if chart.unreached} == {*IS_REACHED}


@pytest.mark.parametrize(("obj", "is_reached"), REACHED)
def test_what_the_variables_do_not_reach_is_a_warning_in_each_run(obj: Any, *, is_reached: bool) -> None:
    for one in (obj, apply(target, obj, **ANY)):
        assert [said.code for said in findings(target, one, **ANY)] == ["ByHand"] * (not is_reached)
    assert findings(target, obj, NONE, **ANY) == []
    rows = [{"chart": obj["spec"]["chart"]["spec"]["chart"], "path": "a", "form": "List"}]
    assert findings(target, obj, **ANY, rows=rows) == []
