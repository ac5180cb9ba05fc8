"""Charts: each row of the table, each place of values, and who chooses them."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from chart_objects import ANY, application, parameter, release
from krm_fn.places.provided import DataUsesReader
from krm_fn.krm.results import Edit, Severity
from krm_fn.noproxy import Audience
from krm_fn.patch import lookup
from krm_fn.pipeline import run
from krm_fn.products.charts import CHARTS
from krm_fn.settings import ProxySettings
from krm_fn.targets import Context
from krm_fn.targets.charts import charts as target
from krm_fn.targets.giantswarm import chart_values
from krm_fn.yamledit import read
from proposals import FULL, HTTP, HTTPS, NO, NONE, apply, changes, env, findings, messages

OURS = env(FULL.variables())
SIX = FULL.variables()
OLD = "http://old.corp.example:1"
WANTED = "fn.inject-proxy.io/proxy"


def values_of(obj: Any) -> Any:
    return obj["spec"].get("values")


MEMBERS = {"httpProxy": HTTP, "httpsProxy": HTTPS, "noProxy": NO}
EXPECTED: dict[str, Any] = {
    "cert-manager": {
        "http_proxy": HTTP,
        "https_proxy": HTTPS,
        "no_proxy": NO,
        **{part: {"extraEnv": OURS} for part in ("webhook", "cainjector", "startupapicheck")},
    },
    "external-dns": {"env": OURS},
    "external-secrets": {
        "extraEnv": OURS,
        **{part: {"extraEnv": OURS} for part in ("webhook", "certController")},
    },
    "ingress-nginx": {"controller": {"extraEnvs": OURS}},
    "argo-cd": {"global": {"env": OURS}},
    "velero": {"configuration": {"extraEnvVars": OURS}},
    "jenkins": {"controller": {"containerEnv": OURS, "initContainerEnv": OURS}},
    "backstage": {"backstage": {"extraEnvVars": OURS}},
    "gitlab-runner": {"envVars": OURS},
    "renovate": {"env": SIX},
    "kube-prometheus-stack": {"grafana": {"env": SIX}},
    "crossplane": {"extraEnvVarsCrossplane": SIX},
    "cluster-autoscaler": {"extraEnv": SIX},
    "aws-load-balancer-controller": {"env": SIX},
    "harbor": {"proxy": MEMBERS},
    "gha-runner-scale-set": {"proxy": {"http": {"url": HTTP}, "https": {"url": HTTPS}, "noProxy": NO.split(",")}},
    "rancher": {"proxy": HTTPS, "noProxy": NO},
}


@pytest.mark.parametrize("chart", CHARTS)
def test_a_chart_of_the_table_gets_its_values_and_gives_them_back(chart: str) -> None:
    before = release(chart)
    after = apply(target, before, **ANY)
    assert values_of(after) == EXPECTED[chart]
    assert apply(target, after, NONE, **ANY) == before

    of_argo_cd = application(chart)
    after = apply(target, of_argo_cd, **ANY)
    assert lookup(after, ("spec", "source", "helm", "valuesObject")) == EXPECTED[chart]
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


def test_rows_of_the_user_replace_those_of_a_chart() -> None:
    rows = [{"chart": "rancher", "path": "extraEnv", "form": "List"}]
    assert values_of(apply(target, release("rancher"), **ANY, rows=rows)) == {"extraEnv": OURS}


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        pytest.param({"env": {"A": "1"}}, {"env": {"A": "1", **SIX}}, id="a mapping in place of a list"),
        pytest.param({"env": []}, {"env": OURS}, id="an empty list"),
        pytest.param({"env": None}, {"env": OURS}, id="nothing"),
        pytest.param({"env": [{"name": "A"}]}, {"env": [{"name": "A"}, *OURS]}, id="a list of others"),
    ],
)
def test_the_form_that_is_there_counts(values: Any, expected: Any) -> None:
    assert values_of(apply(target, release("external-dns", values), **ANY)) == expected


def test_a_list_in_place_of_a_mapping_is_written() -> None:
    after = apply(target, release("crossplane", {"extraEnvVarsCrossplane": [{"name": "A"}]}), **ANY)
    assert values_of(after) == {"extraEnvVarsCrossplane": [{"name": "A"}, *OURS]}


VERSIONS: list[Any] = [
    pytest.param("9.1.2", SIX, id="the last one with a mapping"),
    pytest.param("v5.1.0-rc.1", SIX, id="a version as a tag"),
    pytest.param("5.x", SIX, id="a range of old ones"),
    pytest.param("5", SIX, id="a number alone"),
    pytest.param("9.1.3", OURS, id="the first one with a list"),
    pytest.param("9.1.*", OURS, id="a range that ends behind it"),
    pytest.param("10.0.0", OURS, id="a number with more digits"),
    pytest.param(">=5.0.0", OURS, id="a range that is not understood"),
    pytest.param("", OURS, id="none"),
]


@pytest.mark.parametrize(("version", "expected"), VERSIONS)
def test_an_old_version_of_a_chart_takes_a_mapping(version: str, expected: Any) -> None:
    obj = release("velero")
    obj["spec"]["chart"]["spec"]["version"] = version
    after = apply(target, obj, **ANY)
    assert values_of(after) == {"configuration": {"extraEnvVars": expected}}
    assert apply(target, after, NONE, **ANY) == obj
    of_argo_cd = application("velero")
    of_argo_cd["spec"]["source"]["targetRevision"] = version
    after = apply(target, of_argo_cd, **ANY)
    assert after["spec"]["source"]["helm"]["valuesObject"] == {"configuration": {"extraEnvVars": expected}}
    kept = {**obj, "spec": {**obj["spec"], "values": {"configuration": {"extraEnvVars": [{"name": "A"}]}}}}
    assert isinstance(values_of(apply(target, kept, **ANY))["configuration"]["extraEnvVars"], list)


def test_renovate_keeps_the_list_that_sets_a_proxy() -> None:
    values = {"envList": [{"name": "HTTP_PROXY", "value": OLD}]}
    after = values_of(apply(target, release("renovate", values), **ANY, conflict="Override"))
    assert {one["name"]: one["value"] for one in after["envList"]} == SIX
    assert "env" not in after


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(release("podinfo", {"env": []}), id="a chart that no row knows"),
        pytest.param({**release("harbor"), "apiVersion": "example.com/v1"}, id="a kind of somebody else"),
        pytest.param({**release("harbor"), "spec": {"values": {}}}, id="no chart, as in a patch"),
        pytest.param({**release("harbor"), "spec": None}, id="no spec"),
        pytest.param(release("harbor", metadata={"annotations": {WANTED: "false"}}), id="an annotation against it"),
        pytest.param(application("", valuesObject={"proxy": {}}), id="an Application of manifests"),
        pytest.param({**application("harbor"), "spec": {"sources": {}}}, id="sources of a wrong type"),
    ],
)
def test_what_must_not_change(obj: Any) -> None:
    assert changes(target, obj, **ANY) == []


MATCHERS: list[Any] = [
    pytest.param({"charts": ["harb*"]}, True, id="the chart"),
    pytest.param({"charts": ["rancher"]}, False, id="another chart"),
    pytest.param({"repositories": ["repository"]}, True, id="the repository"),
    pytest.param({"repositories": ["r"]}, False, id="another repository"),
    pytest.param({"names": ["release"], "namespaces": ["a*"]}, True, id="name and namespace"),
    pytest.param({"names": ["release"], "namespaces": ["b"]}, False, id="another namespace"),
    pytest.param({"labels": {"proxy": "yes"}}, True, id="a label"),
    pytest.param({"labels": {"proxy": "no"}}, False, id="another label"),
]


@pytest.mark.parametrize(("matcher", "is_chosen"), MATCHERS)
def test_a_matcher_chooses_charts(matcher: Any, *, is_chosen: bool) -> None:
    obj = release("harbor", metadata={"labels": {"proxy": "yes"}})
    assert bool(changes(target, obj, charts=[matcher])) is is_chosen


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("true", EXPECTED["jenkins"], id="all values"),
        pytest.param("controller.containerEnv", {"controller": {"containerEnv": OURS}}, id="one of them"),
    ],
)
def test_an_annotation_chooses_values(text: str, expected: Any) -> None:
    obj = release("jenkins", metadata={"annotations": {WANTED: text}})
    assert values_of(apply(target, obj)) == expected


@pytest.mark.parametrize(
    ("obj", "named"),
    [
        pytest.param(release("podinfo"), "podinfo", id="a chart"),
        pytest.param(release("velero", metadata={"annotations": {WANTED: "a.b"}}), "`a.b`", id="a value"),
    ],
)
def test_what_no_row_knows_is_a_warning(obj: Any, named: str) -> None:
    (said,) = findings(target, obj, **ANY)
    assert (said.code, said.severity) == ("ChartUnknown", Severity.WARNING)
    assert named in said.message
    assert findings(target, obj, NONE, **ANY) == []


OWN = [{"name": "HTTP_PROXY", "value": OLD}]
OF_OTHERS: list[Any] = [
    pytest.param("external-dns", {"env": OWN}, id="a list"),
    pytest.param("crossplane", {"extraEnvVarsCrossplane": {"HTTP_PROXY": OLD}}, id="a mapping"),
    pytest.param("harbor", {"proxy": {"httpProxy": OLD, "noProxy": "old"}}, id="members"),
    pytest.param("rancher", {"proxy": OLD}, id="a URL"),
]


@pytest.mark.parametrize(("chart", "values"), OF_OTHERS)
def test_a_proxy_of_its_author_stays_by_default_and_is_named(chart: str, values: Any) -> None:
    obj = release(chart, values)
    assert changes(target, obj, **ANY) == []
    assert [said.code for said in findings(target, obj, **ANY)] == ["ValueKept"]
    assert changes(target, obj, NONE, **ANY) == []


@pytest.mark.parametrize(("chart", "values"), OF_OTHERS)
def test_it_is_replaced_where_the_options_say_so(chart: str, values: Any) -> None:
    after = apply(target, release(chart, values), **ANY, conflict="Override")
    assert OLD not in str(after)
    assert HTTP in str(after) or HTTPS in str(after)


@pytest.mark.parametrize(("chart", "values"), OF_OTHERS)
def test_it_is_an_error_where_the_options_say_so(chart: str, values: Any) -> None:
    said = findings(target, release(chart, values), **ANY, conflict="Fail")
    assert {one.severity for one in said} == {Severity.ERROR}


def test_the_list_beside_an_empty_url_is_nobodys_choice() -> None:
    obj = release("harbor", {"proxy": {"httpProxy": "", "noProxy": "127.0.0.1"}})
    after = apply(target, obj, **ANY)
    assert values_of(after) == {"proxy": MEMBERS}
    assert values_of(apply(target, after, NONE, **ANY)) == {"proxy": {"httpProxy": ""}}


EMPTY: list[Any] = [
    pytest.param("harbor", {"proxy": {"httpProxy": "", "httpsProxy": None, "noProxy": None}}, id="members"),
    pytest.param("crossplane", {"extraEnvVarsCrossplane": {"HTTP_PROXY": None, "no_proxy": ""}}, id="variables"),
    pytest.param("rancher", {"proxy": None, "noProxy": ""}, id="a URL and its list"),
]


@pytest.mark.parametrize(("chart", "values"), EMPTY)
def test_what_was_empty_or_null_is_so_again(chart: str, values: Any) -> None:
    before = release(chart, values)
    after = apply(target, before, **ANY)
    assert HTTP in str(after) or HTTPS in str(after)
    assert apply(target, after, NONE, **ANY) == before
    assert apply(target, after, charts=[]) == before


@pytest.mark.parametrize("value", [1, "text", ["text"]])
def test_a_value_where_a_mapping_must_be_is_an_error_that_names_it(value: Any) -> None:
    (said,) = findings(target, release("harbor", {"proxy": value}), **ANY)
    assert (said.code, said.path) == ("WrongType", ("spec", "values", "proxy"))


@pytest.mark.parametrize("value", [True, 1, 0, {"url": "x"}, {}, ["x"], []])
def test_a_value_where_a_text_must_be_is_an_error_and_stays(value: Any) -> None:
    obj = release("harbor", {"proxy": {"httpProxy": value}})
    (said,) = findings(target, obj, **ANY)
    assert (said.code, said.path) == ("WrongType", ("spec", "values", "proxy", "httpProxy"))
    assert values_of(apply(target, obj, **ANY)) == {"proxy": {"httpProxy": value}}


@pytest.mark.parametrize("value", [True, 1, 0, {"a": "x"}, {}])
def test_a_value_where_the_list_must_be_is_an_error_and_stays(value: Any) -> None:
    obj = release("harbor", {"proxy": {"httpProxy": "", "noProxy": value}})
    (said,) = findings(target, obj, **ANY)
    assert (said.code, said.path) == ("WrongType", ("spec", "values", "proxy", "noProxy"))
    assert values_of(apply(target, obj, **ANY)) == {"proxy": {"httpProxy": "", "noProxy": value}}


def test_false_says_as_much_as_nothing_and_comes_back() -> None:
    obj = release("harbor", {"proxy": {"httpProxy": False}})
    filled = apply(target, obj, **ANY)
    assert values_of(filled) == {"proxy": MEMBERS}
    assert apply(target, filled, NONE, **ANY) == obj


@pytest.mark.parametrize("value", [1, "text"])
def test_a_value_where_a_list_must_be_is_an_error_that_names_it(value: Any) -> None:
    (said,) = findings(target, release("external-dns", {"env": value}), **ANY)
    assert (said.code, said.path) == ("WrongType", ("spec", "values", "env"))


@pytest.mark.parametrize("chart", ["rancher", "external-dns", "crossplane"])
def test_a_value_that_helm_would_take_for_a_template_is_refused(chart: str) -> None:
    settings = ProxySettings(HTTP, HTTPS, "{{x}}.corp.example")
    assert changes(target, release(chart), settings, **ANY) == []
    assert [one.code for one in findings(target, release(chart), settings, **ANY)] == ["ValueNotWritable"]


def test_a_chart_that_is_another_one_now_loses_what_was_written_for_the_old_one() -> None:
    after = apply(target, release("velero"), **ANY)
    after["spec"]["chart"]["spec"]["chart"] = "podinfo"
    assert values_of(apply(target, after, **ANY)) is None


@pytest.mark.parametrize("value", [1, ["a"], "a,b", {}])
def test_a_name_of_the_parts_that_is_none_is_no_entry_of_the_list(value: Any) -> None:
    names = target.TARGET.readers(release("argo-cd", {"nameOverride": value, "fullnameOverride": value}), ANY).names
    assert names[0] == "release-argocd-server"


# the names of Services that NO_PROXY must hold

ACD = tuple(f"acd-{part}" for part in ("server", "repo-server", "commit-server", "dex-server"))
OF_RELEASE = tuple(f"release-argocd-{part}" for part in ("server", "repo-server", "commit-server", "dex-server"))
STACK = "kube-prometheus-stack"


def at(namespace: str, obj: Any) -> Any:
    """An Application that installs into a namespace."""
    return {**obj, "spec": {**obj["spec"], "destination": {"namespace": namespace}}}


def monitoring(whole: str, namespace: str) -> tuple[str, ...]:
    return (f"{whole}-prometheus.{namespace}", f"{whole}-alertmanager.{namespace}")


SERVICES: list[Any] = [
    pytest.param(release("argo-cd"), OF_RELEASE, id="the name of the release and that of the chart"),
    pytest.param(
        release("argo-cd", targetNamespace="x"),
        tuple(f"x-{name}" for name in OF_RELEASE),
        id="a name that Flux makes of the namespace and the name",
    ),
    pytest.param(
        release("argo-cd", targetNamespace="argocd", metadata={"name": "argo"}),
        tuple(name.replace("release-argocd", "argocd-argo") for name in OF_RELEASE),
        id="a namespace that says the name of the chart",
    ),
    pytest.param(
        release("argo-cd", targetNamespace="x", releaseName="acd-argocd"),
        tuple(name.replace("acd", "acd-argocd") for name in ACD),
        id="a name that is given",
    ),
    pytest.param(
        release("argo-cd", targetNamespace="n" * 40, metadata={"name": "argocd-release"}),
        tuple(f"{'n' * 40}-ff14382e4f52-argocd-{part}" for part in ("se", "re", "co", "de")),
        id="a name that Flux shortens",
    ),
    pytest.param(release("argo-cd", {"fullnameOverride": "acd"}), ACD, id="another name in the values"),
    pytest.param(
        release("argo-cd", {"fullnameOverride": "a", "releaseName": "b"}),
        tuple(name.replace("acd", "a") for name in ACD),
        id="a value that has the name of a field",
    ),
    pytest.param(application("argo-cd", values="fullnameOverride: acd\n"), ACD, id="another name in a text"),
    pytest.param(
        application("argo-cd", values="fullnameOverride: x\n", valuesObject={"fullnameOverride": "acd"}),
        ACD,
        id="a mapping, which wins over the text",
    ),
    pytest.param(
        application(
            "argo-cd", parameters=[parameter("fullnameOverride", "acd")], valuesObject={"fullnameOverride": "x"}
        ),
        ACD,
        id="a parameter, which wins over both",
    ),
    pytest.param(
        release("argo-cd", {"fullnameOverride": "acd", "repoServer": {"name": "repo"}, "server": {"name": "web"}}),
        ("acd-web", "acd-repo", "acd-commit-server", "acd-dex-server"),
        id="other names of the parts",
    ),
    pytest.param(release("argo-cd", releaseName="a,b"), (), id="a name that would be two entries"),
    pytest.param(
        release(STACK, targetNamespace="observe"),
        monitoring("observe-release-kube-prome", "observe"),
        id="Grafana, which writes the namespace behind a name that is cut",
    ),
    pytest.param(
        release(STACK, releaseName=STACK), monitoring(STACK, "apps"), id="a release that is called as its chart"
    ),
    pytest.param(
        at("observe", application(STACK, releaseName="kps", valuesObject={"fullnameOverride": "mon"})),
        monitoring("mon", "observe"),
        id="an Application that says its namespace",
    ),
    pytest.param(
        at("observe", application(STACK, releaseName=STACK, namespace="templates")),
        monitoring(STACK, "templates"),
        id="an Application that says another namespace for its templates",
    ),
    pytest.param(
        release(STACK, {"fullnameOverride": "mon", "namespaceOverride": "other"}),
        monitoring("mon", "other"),
        id="a namespace in the values",
    ),
]


@pytest.mark.parametrize(("obj", "names"), SERVICES)
def test_the_programs_of_a_chart_call_each_other_by_these_names(obj: Any, names: tuple[str, ...]) -> None:
    assert target.TARGET.readers(obj, ANY).names == names


def test_names_that_are_not_known_are_a_warning() -> None:
    obj = release(STACK)
    assert findings(target, obj, **ANY) == []
    del obj["metadata"]["namespace"]
    assert [said.code for said in findings(target, obj, **ANY)] == ["ChartServicesUnknown"]
    assert findings(target, obj, NONE, **ANY) == []
    assert findings(target, {**obj, "spec": {**obj["spec"], "targetNamespace": "observe"}}, **ANY) == []
    of_argo_cd = application(STACK)
    assert [said.code for said in findings(target, of_argo_cd, **ANY)] == ["ChartServicesUnknown"]
    assert findings(target, at("observe", of_argo_cd), **ANY) == []


@pytest.mark.parametrize(
    ("values", "text"),
    [
        pytest.param(None, "fullnameOverride: acd\n", id="the name in the ConfigMap and the list in the release"),
        pytest.param({"global": {"env": []}}, "fullnameOverride: acd\n", id="a list that the release has"),
        pytest.param(None, "fullnameOverride: acd\nglobal: {env: []}\n", id="both in the ConfigMap"),
        pytest.param({"fullnameOverride": "acd"}, "global: {env: []}\n", id="the list alone in the ConfigMap"),
    ],
)
def test_names_of_services_count_the_values_of_objects_in_the_list(values: Any, text: str) -> None:
    written = str(listed(release("argo-cd", values, valuesFrom=FROM), config_map(text)))
    assert "acd-repo-server" in written
    assert "release-argocd" not in written


# the sources of charts


def source(kind: str, name: str, **spec: Any) -> dict[str, Any]:
    metadata = {"name": name, "namespace": "apps"}
    return {"apiVersion": "source.toolkit.fluxcd.io/v1", "kind": kind, "metadata": metadata, "spec": spec}


def of_source(kind: str, name: str, **spec: Any) -> dict[str, Any]:
    """A HelmRelease with a ``chartRef``."""
    obj = release("", **spec)
    del obj["spec"]["chart"]
    obj["spec"]["chartRef"] = {"kind": kind, "name": name}
    return obj


BITNAMI = "oci://charts.example/bitnamicharts"
OF_CHARTS = {"kind": "HelmRepository", "name": "charts"}
FROM_CHARTS = release("external-dns")
FROM_CHARTS["spec"]["chart"]["spec"]["sourceRef"] = OF_CHARTS
OF_SOURCES: list[Any] = [
    pytest.param(
        [of_source("OCIRepository", "a"), source("OCIRepository", "a", url="oci://x.example/charts/harbor")],
        "harbor",
        id="an OCIRepository with another name",
    ),
    pytest.param(
        [source("HelmChart", "a", chart="harbor"), of_source("HelmChart", "a")],
        "harbor",
        id="a HelmChart with another name",
    ),
    pytest.param([of_source("OCIRepository", "harbor")], "harbor", id="an OCIRepository that is not in the list"),
    pytest.param(
        [of_source("OCIRepository", "harbor"), source("OCIRepository", "harbor", url="oci://x.example/velero")],
        "velero",
        id="an OCIRepository with the name of another chart",
    ),
    pytest.param(
        [
            of_source("OCIRepository", "external-dns"),
            source("OCIRepository", "external-dns", url=f"{BITNAMI}/external-dns"),
        ],
        "",
        id="an OCIRepository of Bitnami",
    ),
    pytest.param(
        [FROM_CHARTS, source("HelmRepository", "charts", url=BITNAMI)],
        "",
        id="Bitnami's HelmRepository",
    ),
    pytest.param(
        [FROM_CHARTS, source("HelmRepository", "charts", url="https://x.example/Bitnami")],
        "",
        id="a mirror of Bitnami's in other letters",
    ),
    pytest.param(
        [
            of_source("HelmChart", "a"),
            source("HelmChart", "a", chart="external-dns", sourceRef=OF_CHARTS),
            source("HelmRepository", "charts", url="https://charts.example/bitnami"),
        ],
        "",
        id="a HelmChart from Bitnami",
    ),
    pytest.param(
        [FROM_CHARTS, source("HelmRepository", "charts", url="https://x.example/")],
        "external-dns",
        id="another HelmRepository",
    ),
]


@pytest.mark.parametrize(("items", "chart"), OF_SOURCES)
def test_the_source_of_a_chart_says_which_one_it_is(items: list[Any], chart: str) -> None:
    written = [values_of(one) for one in listed(*items) if one["kind"] == "HelmRelease"]
    keys = set(EXPECTED[chart]) if chart else None
    assert [set(one) if one else None for one in written] == [keys]


VERSIONS_OF_SOURCES: list[Any] = [
    pytest.param("OCIRepository", {"ref": {"tag": "5.1.0"}}, True, id="a tag"),
    pytest.param("OCIRepository", {"ref": {"tag": "9.1.3"}}, False, id="a tag of a new one"),
    pytest.param(
        "OCIRepository", {"ref": {"semver": "5.x", "tag": "9.1.3"}}, True, id="a range, which wins over a tag"
    ),
    pytest.param("OCIRepository", {}, False, id="none"),
    pytest.param("HelmChart", {"version": "5.1.0"}, True, id="a version of a HelmChart"),
]


@pytest.mark.parametrize(("kind", "fields", "is_mapping"), VERSIONS_OF_SOURCES)
def test_the_source_of_a_chart_says_which_version_it_has(kind: str, fields: Any, *, is_mapping: bool) -> None:
    of_kind = {"chart": "velero"} if kind == "HelmChart" else {"url": "oci://x.example/charts/velero"}
    (written, _) = listed(of_source(kind, "a"), source(kind, "a", **of_kind, **fields))
    assert isinstance(values_of(written)["configuration"]["extraEnvVars"], dict) is is_mapping


def test_a_chart_of_bitnami_has_only_rows_of_the_user() -> None:
    obj = application("jenkins")
    obj["spec"]["source"]["repoURL"] = "https://charts.example/bitnami"
    assert changes(target, obj, **ANY) == []
    (said,) = findings(target, obj, **ANY)
    assert (said.code, "jenkins of Bitnami" in said.message) == ("ChartUnknown", True)
    rows = [{"chart": "jenkins", "path": "extraEnvVars", "form": "List"}]
    after = apply(target, obj, **ANY, rows=rows)
    assert lookup(after, ("spec", "source", "helm", "valuesObject")) == {"extraEnvVars": OURS}
    by_an_earlier_run = apply(target, application("jenkins"), **ANY)
    by_an_earlier_run["spec"]["source"]["repoURL"] = obj["spec"]["source"]["repoURL"]
    assert HTTP not in str(apply(target, by_an_earlier_run, **ANY))


# what the variables do not reach

NAMED = "-Dhttp.nonProxyHosts=a -Dhttps.proxyHost=secure.corp.example -Dhttps.proxyPort=3129"
NODE = [{"name": "NODE_USE_ENV_PROXY", "value": "1"}]
REACHED: list[Any] = [
    pytest.param(release("jenkins"), False, id="Java without options"),
    pytest.param(
        release("jenkins", {"controller": {"javaOpts": f"-Dhttps.proxyHost={OLD}"}}), False, id="another proxy"
    ),
    pytest.param(
        release("jenkins", {"controller": {"javaOpts": NAMED.replace(".example", ".example.net")}}),
        False,
        id="a longer name",
    ),
    pytest.param(release("jenkins", {"controller": {"javaOpts": NAMED}}), True, id="Java with this proxy"),
    pytest.param(
        application("jenkins", parameters=[parameter("controller.javaOpts", NAMED)]), True, id="Java by a parameter"
    ),
    pytest.param(release("jenkins", valuesFrom=[{"kind": "Secret", "name": "x"}]), True, id="values that are not seen"),
    pytest.param(release("backstage"), False, id="Node.js"),
    pytest.param(release("backstage", {"backstage": {"extraEnvVars": NODE}}), True, id="Node.js that reads variables"),
    pytest.param(
        release("backstage", {"backstage": {"extraEnvVars": [{**NODE[0], "value": "0"}]}}),
        False,
        id="Node.js that must not read variables",
    ),
    pytest.param(
        release("backstage", {"backstage": {"extraEnvVars": [{**NODE[0], "name": "MY_NODE_USE_ENV_PROXY"}]}}),
        False,
        id="a variable that ends in the name",
    ),
    pytest.param(release("gitlab-runner", {"envVars": []}), False, id="jobs that the values do not mention"),
    pytest.param(release("gitlab-runner", {"runners": {"config": "[[runners]]\n"}}), True, id="jobs with their text"),
]


@pytest.mark.parametrize(("obj", "is_reached"), REACHED)
def test_what_the_variables_do_not_reach_is_a_warning_in_each_run(obj: Any, *, is_reached: bool) -> None:
    for one in (obj, apply(target, obj, **ANY)):
        codes = [said.code for said in findings(target, one, **ANY)]
        assert ("ChartNotReached" in codes) is not is_reached
    assert findings(target, obj, NONE, **ANY) == []


HOSTS: list[Any] = [
    pytest.param(HTTP, "-Dhttp.proxyHost=PROXY.corp.example", True, id="other letters in the values"),
    pytest.param("http://Proxy.Corp.example:1", "-Dhttp.proxyHost=proxy.corp.example", True, id="or in the URL"),
    pytest.param("http://[fd00::5]:1", "-Dhttp.proxyHost=fd00::5", True, id="an address of IPv6"),
    pytest.param("http://[fd00::5]:1", "-Dhttp.proxyHost=[fd00::5]", True, id="one in brackets"),
    pytest.param("http://[fd00::5]:1", "-Dhttp.proxyHost=fd00::5:1", False, id="a longer one"),
    pytest.param("${PROXY}", "-Dhttp.proxyHost=proxy.corp.example", True, id="a host that is not known"),
    pytest.param("${PROXY:=http://a}", "-Dhttp.proxyHost=${HOST}", True, id="one with a default"),
    pytest.param("${PROXY}", "-Xmx1g", False, id="no host where it is not known"),
]


@pytest.mark.parametrize(("url", "options", "is_reached"), HOSTS)
def test_the_options_of_java_name_the_host_in_any_form(url: str, options: str, *, is_reached: bool) -> None:
    obj = release("jenkins", {"controller": {"javaOpts": options}})
    codes = [said.code for said in findings(target, obj, ProxySettings(url), **ANY)]
    assert ("ChartNotReached" in codes) is not is_reached


def test_rows_of_the_user_say_what_reaches_a_chart() -> None:
    rows = [{"chart": "jenkins", "path": "controller.containerEnv", "form": "List"}]
    assert findings(target, release("jenkins"), **ANY, rows=rows) == []


# the places of an Application


def test_a_parameter_that_sets_the_value_is_where_it_is_written() -> None:
    other = parameter("externalURL", "https://x")
    obj = application("harbor", parameters=[parameter("proxy.httpProxy", ""), other], valuesObject={"a": 1})
    helm = apply(target, obj, **ANY)["spec"]["source"]["helm"]
    assert helm == {
        "valuesObject": {"a": 1},
        "parameters": [
            parameter("proxy.httpProxy", HTTP),
            other,
            parameter("proxy.httpsProxy", HTTPS),
            parameter("proxy.noProxy", NO),
        ],
    }


UNRELATED: list[Any] = [
    pytest.param("serviceAccount.annotations.²", id="a key that is a digit above the line"),
    pytest.param("serviceAccount.annotations.20240101", id="a key that is a large number"),
    pytest.param("serviceAccount.annotations.123456789012", id="a key that no list can have as an index"),
    pytest.param("env.²", id="a key that is a digit above the line, at the place"),
    pytest.param("env.123456789012", id="a key that is a number, at the place"),
    pytest.param("env[65537].name", id="an index that Helm refuses"),
    pytest.param("env[9999999999].name", id="an index that no list can have"),
    pytest.param("env[²].name", id="an index that is no number"),
    pytest.param("env[0].a[65536]", id="a list in an entry"),
    pytest.param("other[65536].name", id="a list of something else"),
    pytest.param("[0].env", id="an index without a list"),
    pytest.param("env." + "a." * 5000 + "b", id="more levels than Helm allows"),
]


@pytest.mark.parametrize("name", UNRELATED)
def test_a_parameter_of_something_else_stays_and_costs_nothing(name: str) -> None:
    other = parameter(name, "yes")
    obj = application("external-dns", parameters=[other])
    after = apply(target, obj, **ANY)
    assert other in after["spec"]["source"]["helm"]["parameters"]
    assert HTTP in str(after)
    assert apply(target, after, NONE, **ANY) == obj


def test_a_key_that_is_a_number_is_no_index() -> None:
    obj = application("external-dns", parameters=[parameter("env.0", "1")])
    helm = apply(target, obj, **ANY)["spec"]["source"]["helm"]
    assert [one["name"] for one in helm["parameters"]] == ["env.0", *(f"env.{name}" for name in SIX)]


def test_a_list_in_parameters_is_written_with_its_indexes() -> None:
    parameters = [parameter("env[0].name", "A"), parameter("env[0].value", "1")]
    obj = application("external-dns", parameters=parameters)
    after = apply(target, obj, **ANY)
    names = [one["name"] for one in after["spec"]["source"]["helm"]["parameters"]]
    assert names == [f"env[{at}].{field}" for at in range(7) for field in ("name", "value")]
    assert apply(target, after, NONE, **ANY) == obj


@pytest.mark.parametrize(
    ("helm", "key"),
    [
        pytest.param({}, "valuesObject", id="nothing is there"),
        pytest.param({"values": " \n"}, "valuesObject", id="the text is empty"),
        pytest.param({"values": "a: 1\n"}, "values", id="a text"),
        pytest.param({"values": "a: 1\n", "valuesObject": {}}, "valuesObject", id="a mapping, which wins over a text"),
    ],
)
def test_values_of_an_application_are_written_where_they_count(helm: Any, key: str) -> None:
    after = apply(target, application("harbor", **helm), **ANY)["spec"]["source"]["helm"]
    written = read(after[key]) if key == "values" else after[key]
    assert written["proxy"] == MEMBERS


def test_each_source_of_an_application_has_its_own_chart() -> None:
    more = {"repoURL": "oci://registry.example/charts/rancher", "path": "."}
    sources = apply(target, application("harbor", more), **ANY)["spec"]["sources"]
    assert [one["helm"]["valuesObject"] for one in sources] == [EXPECTED["harbor"], EXPECTED["rancher"]]


# values from objects of the list


def listed(*items: Any, **options: Any) -> list[Any]:
    """The objects after a run, which must succeed."""
    config = {
        "apiVersion": "fn.inject-proxy.io/v1alpha1",
        "kind": "ProxyConfig",
        "spec": {"httpProxy": HTTP, "httpsProxy": HTTP, "noProxy": "a", "targets": {"charts": {**ANY, **options}}},
    }
    data = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": items, "functionConfig": config}
    outcome = run(yaml.safe_dump(data).encode())
    assert outcome.exit_code == 0
    return list(yaml.safe_load(outcome.output)["items"])


def config_map(text: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "values", "namespace": "apps"},
        "data": {"values.yaml": text},
    }


FROM: Any = [{"kind": "ConfigMap", "name": "values"}]


@pytest.mark.parametrize(
    ("values", "text", "is_there"),
    [
        pytest.param(None, "env:\n- name: A\n", True, id="a list that only the ConfigMap has"),
        pytest.param(None, "env: []\n", True, id="an empty list that only the ConfigMap has"),
        pytest.param({"env": []}, "env:\n- name: A\n", False, id="a list in both, of which the release's counts"),
        pytest.param(None, "other: 1\n", False, id="no list"),
        pytest.param(None, "{", False, id="a text that cannot be read"),
    ],
)
def test_a_value_is_written_in_the_object_that_has_it(values: Any, text: str, *, is_there: bool) -> None:
    of_release, of_data = listed(release("external-dns", values, valuesFrom=FROM), config_map(text))
    assert (HTTP in of_data["data"]["values.yaml"]) is is_there
    assert (HTTP in str(of_release)) is not is_there


def test_values_of_a_chart_that_nobody_chose_stay() -> None:
    items = [release("external-dns", valuesFrom=FROM), config_map("env: []\n")]
    assert listed(*items, charts=[{"charts": ["harbor"]}]) == items


def test_a_variable_from_a_secret_of_the_list_stays_and_the_secret_is_filled() -> None:
    source = {"name": "HTTPS_PROXY", "valueFrom": {"secretKeyRef": {"name": "proxy", "key": "https_proxy"}}}
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "proxy", "namespace": "apps"},
        "stringData": {"https_proxy": ""},
    }
    of_release, of_secret = listed(release("external-dns", {"env": [source]}), secret)
    assert values_of(of_release)["env"][0] == source
    assert of_secret["stringData"] == {"https_proxy": HTTP}


@pytest.mark.parametrize("field", [{"defaults": ["A", "B"]}, {}])
def test_a_list_that_replaces_one_of_the_chart_names_its_entries(field: Any) -> None:
    rows = [{"chart": "own", "path": "env", "form": "List", **field}]
    obj = release("own", {"env": [{"name": "A", "value": "1"}]})
    said = [one.message for one in findings(target, obj, **ANY, rows=rows) if one.code == "ChartListReplaced"]
    assert [("`B`" in one, "`A`" in one) for one in said] == ([(True, False)] if field else [])


def test_a_list_that_an_unseen_object_may_hold_is_a_warning() -> None:
    obj = release("external-dns", valuesFrom=FROM)
    assert 'the ConfigMap "values"' in messages(target, obj, **ANY)[0]
    assert messages(target, release("crossplane", valuesFrom=FROM), **ANY) == []  # Helm merges mappings


# who writes and who reads


def test_a_chart_has_one_writer() -> None:
    obj = release("cert-manager", {"http_proxy": ""})
    given = {"charts": ANY}
    alone, chosen = ({}, given)
    settings = Context(chart_values.TARGET.options(alone), FULL)
    assert [type(one) for one in chart_values.TARGET.edit(obj, settings)] == [Edit]
    assert list(chart_values.TARGET.edit(obj, Context(chart_values.TARGET.options(chosen), FULL))) == []
    switched_off = {"charts": {**ANY, "enabled": False}}
    assert list(chart_values.TARGET.edit(obj, Context(chart_values.TARGET.options(switched_off), FULL)))


WITH_PASSWORD = ProxySettings("http://user:p%40ss@proxy:1", "http://user:p%40ss@proxy:1", "a")


@pytest.mark.parametrize(
    ("proxy", "named"),
    [
        pytest.param({}, ["proxy.http.credentialSecretRef", "proxy.https.credentialSecretRef"], id="no Secret"),
        pytest.param({"http": {"credentialSecretRef": "s"}, "https": {"credentialSecretRef": "s"}}, [], id="a Secret"),
    ],
)
def test_runners_get_a_password_from_a_secret_only(proxy: Any, named: list[str]) -> None:
    obj = release("gha-runner-scale-set", {"proxy": proxy})
    after = apply(target, obj, WITH_PASSWORD, **ANY)
    assert "p%40ss" not in str(after)
    assert values_of(after)["proxy"]["https"]["url"] == "http://proxy:1"
    said = [one.message for one in findings(target, obj, WITH_PASSWORD, **ANY)]
    assert [name for name in named if not any(name in one for one in said)] == []
    assert len(said) == len(named)


@pytest.mark.parametrize(
    ("obj", "audience", "names"),
    [
        pytest.param(release("velero"), Audience.GO, (), id="a program in Go"),
        pytest.param(release("jenkins"), Audience.POD, (), id="any program"),
        pytest.param(application("velero", {"chart": "jenkins"}), Audience.POD, (), id="both"),
        pytest.param(
            release("argo-cd"),
            Audience.GO,
            tuple(f"release-argocd-{part}" for part in ("server", "repo-server", "commit-server", "dex-server")),
            id="parts that call each other",
        ),
        pytest.param(
            release("argo-cd", {"fullnameOverride": "cd"}),
            Audience.GO,
            ("cd-server", "cd-repo-server", "cd-commit-server", "cd-dex-server"),
            id="parts with another name",
        ),
    ],
)
def test_who_reads_the_list(obj: Any, audience: Audience, names: tuple[str, ...]) -> None:
    readers = target.TARGET.readers(obj, ANY)
    assert (readers.audience, readers.names) == (audience, names)


def test_only_the_values_of_chosen_charts_are_noted() -> None:
    uses = DataUsesReader()
    target.TARGET.note_references(uses, release("harbor", valuesFrom=FROM), {})
    assert uses.found.names == ()
    target.TARGET.note_references(uses, release("harbor", valuesFrom=FROM), ANY)
    assert uses.found.names == ("values",)
