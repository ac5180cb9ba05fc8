"""Charts: each row of the table, each place of values, and who chooses them."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from all_targets import TARGETS
from certificates import A
from chart_objects import ANY, application, listed, parameter, release
from function_configs import list_with_config
from krm_fn.config import Certificates, TargetOptions
from krm_fn.krm.results import Edit, Severity
from krm_fn.patch import lookup
from krm_fn.pipeline.run import run
from krm_fn.products.charts import CHARTS
from krm_fn.settings import ProxySettings
from krm_fn.targets import Context
from manifests import named
from proposals import FULL, HTTP, HTTPS, NO, NONE, apply, changes, env, findings, proposals

target = TARGETS["charts"]
chart_values = TARGETS["giantswarm.chartValues"]

OURS = env(FULL.variables)
SIX = FULL.variables
OLD = "http://old.corp.example:1"
WANTED = "fn.inject-proxy.io/proxy"


def values_of(obj: Any) -> Any:
    return obj["spec"].get("values")


MEMBERS = {"httpProxy": HTTP, "httpsProxy": HTTPS, "noProxy": NO}


@pytest.mark.parametrize("chart", CHARTS)
def test_a_chart_of_the_table_gives_its_values_back(chart: str) -> None:
    """What it gets is judged by Helm: ``test_helm``."""
    before = release(chart)
    assert apply(target, apply(target, before, **ANY), NONE, **ANY) == before

    of_argo_cd = application(chart)
    after = apply(target, of_argo_cd, **ANY)
    values = apply(target, before, **ANY)["spec"]["values"]
    assert lookup(after, ("spec", "source", "helm", "valuesObject")) == values
    assert apply(target, after, NONE, **ANY)["spec"]["source"].get("helm", {}) == {}


ROWS = [
    {"chart": "own", "path": "a.env", "form": "List"},
    {"chart": "own", "path": "a.more", "form": "Mapping"},
    {"chart": "own", "path": "b", "form": "CamelCase"},
    {"chart": "own", "path": "c", "form": "SnakeCase"},
    {"chart": "own", "path": "d.url", "form": "URL", "noProxy": "d.list"},
    {"chart": "own", "path": "e", "form": "URL"},
]


def test_a_row_of_the_user_has_each_form() -> None:
    assert values_of(apply(target, release("own"), **ANY, rows=ROWS)) == {
        "a": {"env": OURS, "more": SIX},
        "b": MEMBERS,
        "c": {"http_proxy": HTTP, "https_proxy": HTTPS, "no_proxy": NO},
        "d": {"url": HTTPS, "list": NO},
        "e": HTTPS,
    }


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        pytest.param({"env": {"A": "1"}}, {"env": {"A": "1", **SIX}}, id="a mapping in place of a list"),
        pytest.param({"env": [{"name": "A"}]}, {"env": [{"name": "A"}, *OURS]}, id="a list of others"),
    ],
)
def test_the_form_that_is_there_counts(values: Any, expected: Any) -> None:
    assert values_of(apply(target, release("external-dns", values), **ANY)) == expected


MATCHERS: list[Any] = [
    pytest.param({"charts": ["rancher"]}, False, id="another chart"),
    pytest.param({"repositories": ["repository"]}, True, id="the repository"),
    pytest.param({"labels": {"proxy": "yes"}}, True, id="a label"),
]


@pytest.mark.parametrize(("matcher", "is_chosen"), MATCHERS)
def test_a_matcher_chooses_charts(matcher: Any, *, is_chosen: bool) -> None:
    obj = release("harbor", metadata={"labels": {"proxy": "yes"}})
    assert bool(changes(target, obj, choose=[matcher])) is is_chosen


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("true", {"containerEnv": OURS, "initContainerEnv": OURS}, id="all values"),
        pytest.param("controller.containerEnv", {"containerEnv": OURS}, id="one of them"),
    ],
)
def test_an_annotation_chooses_values(text: str, expected: Any) -> None:
    obj = release("jenkins", metadata={"annotations": {WANTED: text}})
    assert values_of(apply(target, obj)) == {"controller": expected}


@pytest.mark.parametrize(
    ("obj", "named"),
    [
        pytest.param(release("podinfo"), "podinfo", id="a chart"),
        pytest.param(release("velero", metadata={"annotations": {WANTED: "a.b"}}), "`a.b`", id="a value"),
    ],
)
def test_what_no_row_knows_is_a_warning(obj: Any, named: str) -> None:
    (said,) = findings(target, obj, **ANY)
    assert (said.code, said.severity) == ("ByHand", Severity.WARNING)
    assert named in said.message
    assert findings(target, obj, NONE, **ANY) == []


OWN = [{"name": "HTTP_PROXY", "value": OLD}]
OF_OTHERS: list[Any] = [
    pytest.param("external-dns", {"env": OWN}, id="a list"),
    pytest.param("crossplane", {"extraEnvVarsCrossplane": {"HTTP_PROXY": OLD}}, id="a mapping"),
    pytest.param("harbor", {"proxy": {"httpProxy": OLD, "noProxy": "old"}}, id="members"),
    pytest.param("rancher", {"proxy": OLD}, id="a URL"),
    pytest.param("harbor", {"proxy": {"httpProxy": {"url": "old.corp.example"}}}, id="a member of another type"),
]


REMOVED = NONE._replace(removed=FULL)


@pytest.mark.parametrize(("chart", "values"), OF_OTHERS)
def test_a_proxy_of_its_author_is_replaced_or_stays_and_is_named(chart: str, values: Any) -> None:
    obj = release(chart, values)
    after = apply(target, obj, **ANY)
    assert "old.corp" not in str(after)
    assert HTTP in str(after) or HTTPS in str(after)
    keeping = {**ANY, "conflict": "Keep"}
    assert changes(target, obj, **keeping) == []
    assert [said.code for said in findings(target, obj, **keeping)] == ["ValueKept"]
    assert changes(target, obj, REMOVED, **keeping) == []
    assert [said.code for said in findings(target, obj, REMOVED, **keeping)] == ["ValueKept"]
    ours = apply(target, release(chart), **keeping)
    assert apply(target, ours, REMOVED, **keeping) == release(chart)


@pytest.mark.parametrize("value", [1, "text", ["text"]])
def test_a_value_where_a_mapping_must_be_is_an_error_that_names_it_and_blocks_no_removal(value: Any) -> None:
    obj = release("harbor", {"proxy": value})
    (said,) = findings(target, obj, **ANY)
    assert (said.code, said.path) == ("CannotWrite", ("spec", "values", "proxy"))
    assert proposals(target, obj, NONE, **ANY) == []


@pytest.mark.parametrize(
    ("chart", "values"),
    [
        pytest.param("external-dns", {"provider": "cloudflare"}, id="a provider in its older form"),
        pytest.param("grafana", {"downloadDashboards": "no"}, id="no mapping of a container"),
        pytest.param("flux2", {"sourceController": ["a"]}, id="a list"),
    ],
)
def test_a_text_in_place_of_a_mapping_blocks_no_removal(chart: str, values: Any) -> None:
    assert proposals(target, release(chart, values), NONE, **ANY) == []


SECRET = {"kind": "Secret", "name": "proxy", "valuesKey": "url"}
OVERRIDES: list[Any] = [
    pytest.param(release("harbor", valuesFrom=[{**SECRET, "targetPath": "proxy.httpProxy"}]), id="one of three texts"),
    pytest.param(release("harbor", valuesFrom=[{**SECRET, "targetPath": "proxy"}]), id="the mapping above"),
    pytest.param(release("external-dns", valuesFrom=[{**SECRET, "targetPath": "env[0].value"}]), id="entry of a list"),
    pytest.param(
        release("crossplane", valuesFrom=[{**SECRET, "targetPath": "extraEnvVarsCrossplane.HTTPS_PROXY"}]),
        id="a variable",
    ),
    pytest.param(application("harbor", parameters=[parameter("proxy.httpProxy", OLD)]), id="a parameter"),
    pytest.param(application("harbor", fileParameters=[{"name": "proxy.httpProxy", "path": "a"}]), id="a file"),
]


@pytest.mark.parametrize(
    ("mode", "named"),
    [
        pytest.param("Inject", ["`fileParameters`", "`parameters`", "`parameters`"], id="a run that sets the proxy"),
        pytest.param("Remove", ["take the parameter out"], id="one that removes it"),
    ],
)
def test_parameters_that_win_are_to_be_taken_out_and_each_is_named_once(mode: str, named: list[str]) -> None:
    parameters = [parameter(f"proxy.{name}", OLD) for name in ("httpProxy", "httpsProxy")]
    of_file = {"name": "proxy.noProxy", "path": "a"}
    obj = application("harbor", parameters=parameters[: len(named)], fileParameters=[of_file])
    spec = {"mode": mode, "httpProxy": HTTP, "httpsProxy": HTTP, "targets": {"charts": ANY}}
    outcome = run(list_with_config(spec, obj))
    said = [result.message for result in outcome.results if result.severity is Severity.WARNING]
    for message, words in zip(said, named, strict=True):
        assert words in message
        assert "choose" not in message


def test_a_secret_that_wins_over_the_values_is_named() -> None:
    obj = release("sonarqube", {"httpProxySecret": "proxy", "jvmOpts": JAVA})
    assert changes(target, obj, **ANY) == []
    assert [said.code for said in findings(target, obj, **ANY)] == ["ByHand"]


@pytest.mark.parametrize("obj", OVERRIDES)
def test_a_value_that_something_else_sets_over_all_others_is_not_written(obj: Any) -> None:
    assert changes(target, obj, **ANY) == []
    assert [said.code for said in findings(target, obj, **ANY)] == ["ByHand"]
    assert proposals(target, obj, NONE, **ANY) == []


def test_what_an_earlier_run_wrote_below_such_a_value_goes() -> None:
    own = {"proxy": {"httpProxy": HTTP, "httpsProxy": HTTPS, "noProxy": NO}}
    path = [{**SECRET, "targetPath": "proxy.httpProxy"}]
    assert apply(target, release("harbor", own, valuesFrom=path), NONE, **ANY) == release("harbor", valuesFrom=path)


def test_another_target_path_is_no_obstacle() -> None:
    obj = release("harbor", valuesFrom=[{**SECRET, "targetPath": "proxyPassword"}])
    assert values_of(apply(target, obj, **ANY))["proxy"]["httpProxy"] == HTTP


@pytest.mark.parametrize("chart", ["rancher", "external-dns", "crossplane"])
def test_a_value_that_helm_would_take_for_a_template_is_refused(chart: str) -> None:
    settings = ProxySettings(HTTP, HTTPS, "{{x}}.corp.example")
    assert changes(target, release(chart), settings, **ANY) == []
    assert [said.code for said in findings(target, release(chart), settings, **ANY)] == ["CannotWrite"]


# the names of Services that NO_PROXY must hold

PARTS = ("server", "repo-server", "commit-server", "dex-server")
STACK = "kube-prometheus-stack"


def monitoring(whole: str, namespace: str) -> tuple[str, ...]:
    return (f"{whole}-prometheus.{namespace}", f"{whole}-alertmanager.{namespace}")


def parts(whole: str) -> tuple[str, ...]:
    return tuple(f"{whole}-{part}" for part in PARTS)


SERVER = {"operator": {"builtInTrivyServer": True}}
SERVICES: list[Any] = [
    pytest.param(release("argo-cd"), parts("release-argocd"), id="the name of the release and that of the chart"),
    pytest.param(release("argo-cd", targetNamespace="x", releaseName="acd-argocd"), parts("acd-argocd"), id="its name"),
    pytest.param(release("argo-cd", targetNamespace="n" * 60), (), id="a name that Flux shortens"),
    pytest.param(release("argo-cd", {"fullnameOverride": "acd"}), (), id="another name in the values"),
    pytest.param(application("argo-cd", values="fullnameOverride: acd\n"), (), id="another name in a text"),
    pytest.param(release("argo-cd", releaseName="a,b"), (), id="a name that would be two entries"),
    pytest.param(
        release(STACK, targetNamespace="observe"),
        monitoring("observe-release-kube-prome", "observe"),
        id="Grafana, which writes the namespace behind a name that is cut",
    ),
    pytest.param(application(STACK), (), id="an Application that says none"),
    pytest.param(
        release("grafana", {"imageRenderer": {"enabled": True}}),
        ("release-grafana-image-renderer.apps",),
        id="the renderer of Grafana",
    ),
    pytest.param(
        release(STACK, {"grafana": {"imageRenderer": {"enabled": True}}}),
        (*monitoring("release-kube-prometheus-st", "apps"), "release-grafana-image-renderer.apps"),
        id="the renderer of a dependency",
    ),
    pytest.param(release("trivy-operator", SERVER), ("trivy-service.apps",), id="the server of Trivy"),
    pytest.param(release("trivy-operator", {"trivy-operator": SERVER}), ("trivy-service.apps",), id="of an umbrella"),
    pytest.param(application("trivy-operator", values="operator: {builtInTrivyServer: true}\n"), (), id="nowhere"),
    pytest.param(release("trivy-operator", {**SERVER, "trivy": {"serverServiceName": "x"}}), (), id="another server"),
    pytest.param(release("harbor"), (), id="a chart whose programs do not call each other by names"),
]


@pytest.mark.parametrize(("obj", "names"), SERVICES)
def test_the_programs_of_a_chart_call_each_other_by_these_names(obj: Any, names: tuple[str, ...]) -> None:
    assert target.readers(obj, ANY, Context().uses).names == names
    is_unknown = not names and lookup(obj, ("spec", "chart", "spec", "chart")) != "harbor"
    assert ("FactsUnknown" in [said.code for said in findings(target, obj, **ANY)]) is is_unknown
    assert findings(target, obj, NONE, **ANY) == []


@pytest.mark.parametrize("text", ["global: {env: []}\n", "a: 1\n"])
def test_names_of_services_are_in_the_list_wherever_it_is(text: str) -> None:
    assert "release-argocd-repo-server" in str(listed(release("argo-cd", valuesFrom=FROM), config_map(text)))


UMBRELLAS: list[Any] = [
    pytest.param("external-dns", {"external-dns": {"policy": "sync"}}, "external-dns.env", id="others below its name"),
    pytest.param("external-dns", {"external-dns": {"env": []}, "x": 1}, "external-dns.env", id="the list there"),
    pytest.param("external-dns", {"env": [], "external-dns": {}}, "env", id="the list at the top"),
    pytest.param("external-dns", {"dns": {"env": []}}, "env", id="another name"),
    pytest.param("external-dns", None, "env", id="no values"),
    pytest.param("backstage", {"backstage": {"image": {}}}, "backstage.extraEnvVars", id="its own mapping"),
    pytest.param("backstage", {"backstage": {"backstage": {}}}, "backstage.backstage.extraEnvVars", id="in its own"),
    pytest.param("falco", {"falco": {"json_output": True}}, "falcoctl.artifact.install.env", id="another own mapping"),
    pytest.param("falco", {"falco": {"driver": {}}}, "falco.falcoctl.artifact.install.env", id="falco in another one"),
    pytest.param("trivy-operator", {"trivy-operator": {"operator": {}}}, "trivy-operator.trivy.noProxy", id="texts"),
    pytest.param("cert-manager", {"cert-manager": {"crds": {}}}, "cert-manager.http_proxy", id="texts at the top"),
    pytest.param("renovate", {"renovate": {"config": "{}"}}, "env", id="a mapping beside its own"),
    pytest.param("renovate", {"renovate": {"envList": []}}, "renovate.envList", id="a list in place of a mapping"),
    pytest.param(
        STACK,
        {STACK: {"grafana": {"dashboards": {"a": {"b": {"url": "x"}}}}}},
        f"{STACK}.grafana.downloadDashboards.env",
        id="a sign",
    ),
    pytest.param(STACK, {STACK: {"grafana": {"enabled": False}}}, "", id="a sign against it"),
]


@pytest.mark.parametrize(("chart", "values", "path"), UMBRELLAS)
def test_the_values_of_an_umbrella_chart_are_below_the_name_of_the_chart(chart: str, values: Any, path: str) -> None:
    obj = release(chart, values)
    after = apply(target, obj, **ANY)
    assert (values_of(after) == values) is (not path)
    assert not path or lookup(values_of(after), path.split("."))
    assert (chart in (values_of(after) or {})) is (chart in (values or {}))
    assert {*values_of(after)} <= {*(values or {}), *path.split(".")[:1], "driver"}
    assert "HTTP" not in str(apply(target, after, NONE, **ANY)).upper()


@pytest.mark.parametrize("values", [None, {"replicas": 1}])
def test_values_of_a_config_map_tell_an_umbrella_chart(values: Any) -> None:
    obj = release("external-dns", values, valuesFrom=FROM)
    of_release, of_data = listed(obj, config_map("external-dns:\n  policy: sync\n"))
    assert HTTP in str(values_of(of_release)["external-dns"])
    assert "HTTP" not in of_data["data"]["values.yaml"]
    of_release, of_data = listed(obj, config_map("external-dns:\n  env: []\n"))
    assert values_of(of_release) == values
    assert HTTP in of_data["data"]["values.yaml"]


def test_a_chart_of_bitnami_has_only_rows_of_the_user() -> None:
    obj = application("jenkins")
    obj["spec"]["source"]["repoURL"] = "https://charts.example/bitnami"
    assert changes(target, obj, **ANY) == []
    assert [said.code for said in findings(target, obj, **ANY)] == ["ByHand"]
    rows = [{"chart": "jenkins", "path": "extraEnvVars", "form": "List"}]
    after = apply(target, obj, **ANY, rows=rows)
    assert lookup(after, ("spec", "source", "helm", "valuesObject")) == {"extraEnvVars": OURS}


WITH_ID: Any = {"dashboards": {"default": {"nodes": {"gnetId": 1860}}}}
BY_URL: Any = {"dashboards": {"default": {"nodes": {"url": "https://files.example/d.json"}}}}
OF_TEXT: Any = {"dashboards": {"default": {"nodes": {"json": '{"gnetId": 1, "url": "x"}'}}}}
FLUX = [
    f"{name}Controller.extraEnv"
    for name in ("source", "notification", "imageAutomation", "imageReflection", "kustomize", "helm")
]
READ: list[Any] = [
    pytest.param(STACK, {"grafana": {"enabled": False}, "nameOverride": "x"}, [], id="no Grafana"),
    pytest.param(STACK, {"grafana": WITH_ID}, ["grafana.env", "grafana.downloadDashboards.env"], id="a dashboard"),
    pytest.param(STACK, {"grafana": BY_URL}, ["grafana.env", "grafana.downloadDashboards.env"], id="one by its URL"),
    pytest.param("grafana", BY_URL, ["env", "downloadDashboards.env"], id="one by its URL, in Grafana's own chart"),
    pytest.param("grafana", OF_TEXT, ["env"], id="one whose text names both fields"),
    pytest.param("flux2", None, FLUX, id="all that are installed of Flux"),
    pytest.param("flux2", {"sourceWatcher": {"create": True}}, [*FLUX, "sourceWatcher.extraEnv"], id="one on request"),
    pytest.param("external-dns", {"provider": {"name": "rfc2136"}}, [], id="a provider that speaks DNS"),
    pytest.param("external-dns", {"provider": "rfc2136"}, [], id="the same in its older form"),
    pytest.param("external-dns", {"provider": {"name": "webhook"}}, ["provider.webhook.env"], id="a sidecar"),
]


@pytest.mark.parametrize(("chart", "values", "paths"), READ)
def test_values_of_a_program_that_is_there_and_calls_out_get_it(chart: str, values: Any, paths: list[str]) -> None:
    obj = release(chart, values)
    after = apply(target, obj, **ANY)
    known = [value.path for value in CHARTS[chart].values]
    assert [path for path in known if lookup(values_of(after), path.split("."))] == paths
    assert apply(target, after, NONE, **ANY) == obj
    assert paths or findings(target, obj, **ANY) == []


def test_a_proxy_goes_from_values_that_are_read_no_more() -> None:
    obj = release("external-dns", {"provider": "rfc2136"})
    before = release("external-dns", {"provider": "rfc2136", "env": OURS})
    assert changes(target, before, **ANY) == []
    assert apply(target, before, NONE, **ANY) == obj


def test_the_names_of_data_sources_in_the_cluster_are_in_the_list() -> None:
    urls = ["http://loki.logs:3100", "https://metrics.example", "http://tempo", "http://a.b.svc"]
    sources = [{"name": "x", "url": url} for url in urls]
    obj = release(STACK, {"grafana": {"additionalDataSources": sources}})
    assert target.readers(obj, ANY, Context().uses).names[-2:] == ("loki.logs", "tempo")


JAVA = "-Dhttp.proxyHost=x -Dhttps.proxyHost=x"


# the versions of charts

VELERO, CD = "configuration.extraEnvVars", "argo-cd"
OLD_CD = ["server.env", "repoServer.env", "applicationSet.extraEnv", "notifications.extraEnv"]
VERSIONS: list[Any] = [
    pytest.param("velero", "9.1.2", None, {VELERO: dict}, [], id="an older one, with another form"),
    pytest.param("velero", "9.1.3", None, {VELERO: list}, [], id="the first one with this form"),
    pytest.param("velero", "12.1.0", None, {VELERO: list}, [], id="a newer one"),
    pytest.param("velero", "v9.1.2-rc.1", None, {VELERO: dict}, [], id="a mark, and a suffix"),
    pytest.param("velero", ">=9.0.0 <10", None, {VELERO: dict}, [], id="a range, by its lowest version"),
    pytest.param("velero", ">= 9.2.0, <13", None, {VELERO: list}, [], id="a newer range"),
    pytest.param("velero", "<10", None, {VELERO: dict}, [], id="a range with an end alone"),
    pytest.param("velero", "9.x", None, {VELERO: dict}, [], id="any of one number"),
    pytest.param("velero", "~9.2", None, {VELERO: list}, [], id="a later one of one number"),
    pytest.param("velero", "10.0.0 - 11.0.0", None, {VELERO: list}, [], id="from one to another"),
    pytest.param("velero", "^10 || 9.1.x", None, {VELERO: dict}, [], id="one of two ranges"),
    pytest.param("velero", "*", None, {VELERO: list}, ["info"], id="any"),
    pytest.param("velero", ">=0.0.0-0", None, {VELERO: list}, ["info"], id="any, as a range"),
    pytest.param("velero", "x.x.x", None, {VELERO: list}, ["info"], id="any, in letters"),
    pytest.param("velero", "", None, {VELERO: list}, ["info"], id="none"),
    pytest.param("velero", "9" * 5000, None, {VELERO: list}, ["info"], id="a number that Python does not read"),
    pytest.param("velero", "${VERSION_2}", None, {VELERO: list}, ["info"], id="one that is filled in later"),
    pytest.param("velero", "", {"configuration": {"extraEnvVars": {"A": "b"}}}, {VELERO: dict}, [], id="what is there"),
    pytest.param("velero", "9.1.2", {"configuration": {"extraEnvVars": []}}, {VELERO: list}, [], id="a list there"),
    pytest.param(CD, "4.9.12", None, dict.fromkeys(OLD_CD, list), [], id="older places"),
    pytest.param(CD, "5.36.0", None, {"global.env": list}, [], id="the first one with the place"),
    pytest.param(CD, "7.8.9", {"server": {"env": []}}, {"global.env": list}, [], id="an older place is there"),
    pytest.param(CD, "", None, {"global.env": list}, ["info"], id="a place, without a version"),
    pytest.param("kyverno", "3.1.5", None, {}, ["warning"], id="no older place"),
    pytest.param("kyverno", "3.2.x", None, {"global.extraEnvVars": list}, [], id="a range of a new number"),
    pytest.param("sonarqube", "10.6.1", {"jvmOpts": JAVA}, {}, ["warning"], id="texts"),
    pytest.param("falco", "2.4.7", None, {}, ["warning"], id="an older form that no row has"),
    pytest.param("falco", "2.5.0", None, {"driver.loader.initContainer.env": list}, ["warning"], id="one of three"),
    pytest.param("gitlab-runner", "0.1.31", None, {}, ["warning", "warning"], id="no place yet"),
    pytest.param("cluster-autoscaler", "0.6.2", None, {}, ["warning"], id="another chart of this name"),
    pytest.param("jenkins", "2.19.0", None, {}, ["warning", "warning"], id="an older place that no row has"),
    pytest.param("argocd-image-updater", "0.1.1", None, {}, ["warning"], id="image updater: no place yet"),
    pytest.param("karpenter", "0.2.5", None, {}, ["warning"], id="karpenter: no place yet"),
    pytest.param("aws-ebs-csi-driver", "0.9.10", None, {}, ["warning"], id="EBS: no place yet"),
    pytest.param("trivy-operator", "0.22.0", None, {}, ["warning"], id="trivy: no place yet"),
    pytest.param("renovate", "25.31.0", None, {}, ["warning"], id="renovate: no place yet"),
    pytest.param("aws-load-balancer-controller", "1.0.4", None, {}, ["warning"], id="load balancers: no place yet"),
    pytest.param("external-secrets", "0.4.4", None, {}, ["warning"], id="external secrets: no place yet"),
    pytest.param("trivy-operator", "0.22.1", None, {"trivy.httpProxy": str}, ["warning"], id="one of two"),
]


@pytest.mark.parametrize(("chart", "version", "values", "paths", "severities"), VERSIONS)
def test_the_version_of_a_chart_says_the_place_and_its_form(
    chart: str, version: str, values: Any, paths: dict[str, type], severities: list[str]
) -> None:
    obj = release(chart, values)
    obj["spec"]["chart"]["spec"]["version"] = version
    after = apply(target, obj, **ANY)
    known = {".".join(path) for value in CHARTS[chart].values for path in value.texts.values() or [value.steps]}
    written = {path for path in known if lookup(values_of(after), path.split("."))}
    assert {path: type(lookup(values_of(after), path.split("."))) for path in written & {*paths}} == paths
    assert len(paths) == len(written) or chart == "trivy-operator"
    said = findings(target, obj, **ANY)
    assert [(finding.code, finding.severity.value) for finding in said] == [("ByHand", of) for of in severities]
    assert findings(target, after, **ANY) == [finding for finding in said if finding.severity is Severity.WARNING]
    after["spec"]["chart"]["spec"]["version"] = "9999.0.0"
    assert HTTP not in str(apply(target, after, NONE, **ANY))


# the places of an Application


@pytest.mark.parametrize(
    "helm",
    [
        pytest.param({"values": " \n"}, id="the text is empty"),
        pytest.param({"values": "a: 1\n", "valuesObject": {}}, id="a mapping, which wins over a text"),
    ],
)
def test_values_of_an_application_are_written_where_they_count(helm: Any) -> None:
    after = apply(target, application("harbor", **helm), **ANY)
    assert lookup(after, ("spec", "source", "helm", "valuesObject", "proxy")) == MEMBERS


# values from objects of the list


def config_map(text: str) -> dict[str, Any]:
    return named("ConfigMap", "values", namespace="apps", data={"values.yaml": text})


FROM: Any = [{"kind": "ConfigMap", "name": "values"}]


LOG = "env:\n- name: LOG\n"
OVERLAYS: list[Any] = [
    pytest.param([LOG, "policy: sync\n"], [True, True], ["ListReplaced"], id="a list in one of them"),
    pytest.param(["policy: sync\n", LOG], [True, True], ["ListReplaced"], id="a list in the other one"),
    pytest.param([LOG, LOG], [True, True], [], id="the same in both"),
    pytest.param(["policy: sync\n", "a: b\n"], [False, False], ["ListReplaced"], id="a list in none"),
    pytest.param([LOG, "ENC[AES256_GCM,data:x,type:str]"], [True, False], ["TextUnreadable"], id="an encrypted one"),
]


@pytest.mark.parametrize(("texts", "written", "codes"), OVERLAYS)
def test_equally_near_ones_get_a_place_that_one_has(texts: list[str], written: list[bool], codes: list[str]) -> None:
    """A base has the release, and each overlay the values of its own cluster."""
    items = [release("external-dns", valuesFrom=FROM), *map(config_map, texts)]
    for obj, folder in zip(items, ("base", "dev", "prod"), strict=True):
        obj["metadata"]["annotations"] = {"config.kubernetes.io/path": f"{folder}/a.yaml"}
    spec = {"httpProxy": HTTP, "httpsProxy": HTTP, "noProxy": "a", "targets": {"charts": ANY}}
    outcome = run(list_with_config(spec, *items))
    of_release, *data = yaml.safe_load(outcome.output)["items"]
    assert [HTTP in obj["data"]["values.yaml"] for obj in data] == written
    assert (HTTP in str(of_release)) is not any(written)
    assert [result.code for result in outcome.results if result.path and result.severity is Severity.WARNING] == codes
    removed = run(list_with_config({**spec, "mode": "Remove"}, of_release, *data))
    assert yaml.safe_load(removed.output)["items"] == items


@pytest.mark.parametrize(
    ("there", "versions", "named"),
    [
        pytest.param({"A": "b"}, ["9.1.2", "9.1.3"], ["release-1"], id="a mapping, which the newer one does not read"),
        pytest.param([], ["10.0.0", "8.0.0"], ["release-1"], id="a list, which the older one does not read"),
        pytest.param({"A": "b"}, ["8.0.0", "7.*"], [], id="a mapping that both read"),
        pytest.param([], ["9.1.3", ""], [], id="a list that both read"),
        pytest.param(None, ["9.1.2", "9.1.3"], [], id="each has its own"),
    ],
)
def test_releases_of_two_versions_that_share_values_of_one_form_are_named(
    there: Any, versions: list[str], named: list[str]
) -> None:
    items = [release("velero", valuesFrom=FROM) for _ in versions]
    for number, version in enumerate(versions):
        items[number]["metadata"]["name"] = f"release-{number}"
        items[number]["spec"]["chart"]["spec"]["version"] = version
    shared = config_map(yaml.safe_dump({"configuration": {"extraEnvVars": there}}))
    spec = {"httpProxy": HTTP, "httpsProxy": HTTP, "noProxy": "a", "targets": {"charts": ANY}}
    outcome = run(list_with_config(spec, *items, shared))
    said = [result.ref.name for result in outcome.results if "in the form of other versions" in result.message]
    assert said == named


def test_a_variable_from_a_secret_of_the_list_stays_and_the_secret_is_filled() -> None:
    source = {"name": "HTTPS_PROXY", "valueFrom": {"secretKeyRef": {"name": "proxy", "key": "https_proxy"}}}
    secret = named("Secret", "proxy", namespace="apps", stringData={"https_proxy": ""})
    of_release, of_secret = listed(release("external-dns", {"env": [source]}), secret)
    assert values_of(of_release)["env"][0] == source
    assert of_secret["stringData"] == {"https_proxy": HTTP}


# who writes and who reads


def test_a_chart_has_one_writer() -> None:
    obj = release("cert-manager", {"http_proxy": ""})
    given = TargetOptions({"charts": ANY})
    settings = Context(chart_values.options(TargetOptions()), FULL)
    assert [type(one) for one in chart_values.edit(obj, settings)] == [Edit]
    assert list(chart_values.edit(obj, Context(chart_values.options(given), FULL))) == []
    switched_off = given._replace(off=frozenset({"charts"}))
    assert list(chart_values.edit(obj, Context(chart_values.options(switched_off), FULL)))


def test_a_chart_that_gets_the_proxy_and_no_certificates_is_named() -> None:
    settings = FULL._replace(trusted_ca=Certificates(A))
    assert [finding.code for finding in findings(target, release("velero"), settings, **ANY)] == ["CertificatesNotSet"]
    assert findings(target, release("velero"), settings) == []
    assert findings(target, release("velero"), **ANY) == []
