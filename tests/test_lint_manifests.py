"""What manifests say about a proxy, judged and corrected: what stays, what changes, and that twice is once."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn.places.reading import Reading
from krm_fn.krm.results import Severity
from krm_fn.lint.levels import THE_TABLE, Rules
from krm_fn.lint.manifests import Audit, audit, fixed_files, fixed_values, listed
from krm_fn.lint.objects import Listing, lint_object, places
from krm_fn.lint.values import RULES
from krm_fn.noproxy import Audience
from krm_fn.clusters import ClusterNetwork, Fact
from krm_fn.patch import field_path
from krm_fn.targets import TARGETS
from krm_fn.yamledit import Document

PROXY = "http://proxy.corp.example:3128"
LOOPBACK = "localhost,127.0.0.1"
CLUSTER = """\
apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata: {name: prod, namespace: org}
spec:
  clusterNetwork:
    pods: {cidrBlocks: [192.168.0.0/16]}
    services: {cidrBlocks: [10.96.0.0/12]}
  controlPlaneEndpoint: {host: api.prod.example, port: 6443}
"""
CONFIG = """\
apiVersion: fn.inject-proxy.io/v1alpha1
kind: ProxyConfig
metadata: {name: proxy}
spec:
  httpProxy: http://proxy.corp.example:3128
  httpsProxy: http://proxy.corp.example:3128
"""
ALL_OF_PROD = f"{LOOPBACK},svc,.svc,cluster.local,.cluster.local,192.168.0.0/16,10.96.0.0/12,api.prod.example,10.96.0.1"


def both(url: str = "", no: str = "") -> dict[str, str]:
    pairs = {"HTTP_PROXY": url, "http_proxy": url, "NO_PROXY": no, "no_proxy": no}
    return {name: value for name, value in pairs.items() if value}


def deployment(variables: Mapping[str, str], name: str = "web") -> str:
    lines = [f"        - {{name: {key}, value: {json.dumps(value)}}}\n" for key, value in variables.items()]
    return (
        f"apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}}}\nspec:\n  template:\n    spec:\n"
        f"      containers:\n      - name: app # ours\n        env:\n{''.join(lines)}"
    )


def node(content: str, commands: str = "[]", name: str = "md") -> str:
    body = "".join(f"        {line}\n" for line in content.splitlines())
    return (
        f"apiVersion: bootstrap.cluster.x-k8s.io/v1beta1\nkind: KubeadmConfig\n"
        f"metadata: {{name: {name}, namespace: org, labels: {{cluster.x-k8s.io/cluster-name: prod}}}}\nspec:\n"
        f"  files:\n  - path: /etc/systemd/system/containerd.service.d/http-proxy.conf\n    content: |\n{body}"
        f"  preKubeadmCommands: {commands}\n"
    )


def drop_in(variables: Mapping[str, str]) -> str:
    return "\n".join(["[Service]", *(f'Environment="{name}={value}"' for name, value in variables.items())])


def judged(*documents: str, **more: Any) -> Audit:
    return audit({"a.yaml": "---\n".join(documents).encode()}, **more)


def corrected(*documents: str, **more: Any) -> tuple[str, Audit]:
    """The text after the correction, which a second time does not change."""
    text = "---\n".join(documents)
    done = fixed_files({"a.yaml": text.encode()}, **more)
    after = done.corrected.get("a.yaml", text.encode())
    again = fixed_files({"a.yaml": after}, **more)
    assert again.corrected == {}
    assert again.results == done.results
    return after.decode(), done


def ids(done: Audit) -> list[str]:
    return [result.code or result.message[:5] for result in done.results]


def variables_of(text: str) -> dict[str, Any]:
    data = Document(text).data()
    return {entry["name"]: entry.get("value") for entry in data["spec"]["template"]["spec"]["containers"][0]["env"]}


# what stays as it is


@pytest.mark.parametrize(
    "documents",
    [
        pytest.param([""], id="nothing"),
        pytest.param(["just: a value\n"], id="no object"),
        pytest.param(["kind: values\n- broken\n"], id="what is no YAML"),
        pytest.param([CLUSTER], id="a Cluster alone"),
        pytest.param([deployment({})], id="a workload without a proxy"),
        pytest.param([deployment({"A": "b, c"})], id="other variables"),
        pytest.param([deployment(both(PROXY, LOOPBACK))], id="a workload that is right"),
        pytest.param([CLUSTER, deployment(both(PROXY, ALL_OF_PROD))], id="a workload that is right for its Cluster"),
        pytest.param([CLUSTER, node(drop_in(both(PROXY, ALL_OF_PROD)))], id="a drop-in that is right"),
        pytest.param([CONFIG + "  noProxy: [example.com, .corp.example]\n"], id="a ProxyConfig that is right"),
        pytest.param([deployment(both(PROXY, f"{LOOPBACK},*,b"))], id="what a person has to decide"),
        pytest.param([deployment(both(PROXY, "$(LIST)"))], id="a reference to another variable"),
        pytest.param([deployment(both(no="u:p@a;b"))], id="a list that may hold a password"),
        pytest.param([deployment({"HTTP_PROXY": "a:1", "http_proxy": "b:1"})], id="two cases, two values"),
    ],
)
def test_files_in_which_nothing_can_be_corrected_stay_as_they_are(documents: list[str]) -> None:
    text, done = corrected(*documents)
    assert text == "---\n".join(documents)
    assert done.corrected == {}


def test_two_cases_that_differ_are_said_and_not_corrected() -> None:
    text = deployment({"NO_PROXY": "a;b", "no_proxy": "c;d", "HTTP_PROXY": "proxy:1", "http_proxy": "proxy:1"})
    after, done = corrected(text)
    assert after == text
    assert any("`NO_PROXY` and `no_proxy` differ: make them equal first" in result.message for result in done.results)


def test_a_rule_that_is_off_mends_nothing() -> None:
    off = CONFIG + "  lint: {rules: {NP010: Off, NP008: Off, NP024: Off}}\n"
    documents = (off, deployment({"NO_PROXY": "a;b"}))
    assert corrected(*documents)[0] == "---\n".join(documents)


# workloads and nodes


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(both(PROXY, "a; b"), both(PROXY, f"a,b,{LOOPBACK}"), id="separators"),
        pytest.param(both("proxy:3128", LOOPBACK), both("http://proxy:3128", LOOPBACK), id="a URL without a scheme"),
        pytest.param(
            both("http://u:p^w@proxy:1", LOOPBACK), both("http://u:p%5Ew@proxy:1", LOOPBACK), id="a raw password"
        ),
        pytest.param({"NO_PROXY": "a,b"}, {"NO_PROXY": "a,b", "no_proxy": "a,b"}, id="one case only"),
        pytest.param(both(no="0.0.0.0/0,a"), both(no="a"), id="every address"),
        pytest.param(both(no="fd00::/8,a"), both(no="a"), id="what breaks clients in pods"),
        pytest.param(
            {"NO_PROXY": "", **both(PROXY)},
            {
                **dict.fromkeys(
                    ("NO_PROXY", "HTTP_PROXY", "http_proxy", "no_proxy"),
                    f"{LOOPBACK},svc,.svc,cluster.local,.cluster.local,.svc.cluster.local.,kubernetes,kubernetes.default",
                ),
                **both(PROXY),
            },
            id="an empty list",
        ),
        pytest.param(
            {"HTTP_PROXY": "", "NO_PROXY": "a;b"},
            {**both(no="a,b"), "HTTP_PROXY": "", "http_proxy": ""},
            id="an empty URL",
        ),
    ],
)
def test_the_environment_of_any_workload_is_corrected(old: dict[str, str], new: dict[str, str]) -> None:
    text, _ = corrected(deployment(old))
    assert variables_of(text) == new
    assert "- name: app # ours\n" in text


@pytest.mark.parametrize(
    ("env_from", "expected"),
    [
        pytest.param("[]", ["NP002", "NP008"], id="nothing else"),
        pytest.param("[{configMapRef: {name: proxy}}]", [], id="a ConfigMap that may hold the others"),
        pytest.param("[{secretRef: {name: proxy}}]", [], id="a Secret that may hold the others"),
        pytest.param("[{prefix: APP_, configMapRef: {name: x}}]", ["NP002", "NP008"], id="variables of other names"),
        pytest.param("[{prefix: NO_, configMapRef: {name: x}}]", ["NP008"], id="names that may be those of the list"),
    ],
)
def test_what_env_from_may_set_is_not_said_to_be_missing(env_from: str, expected: list[str]) -> None:
    text = deployment({"HTTP_PROXY": PROXY}).replace("        env:", f"        envFrom: {env_from}\n        env:")
    assert ids(judged(text)) == expected


def test_only_the_lines_of_a_proxy_change() -> None:
    text = deployment({"A": "x", **both(PROXY, f"a;b,{LOOPBACK}"), "B": "y"})
    changed = text.replace('"a;b,localhost', '"a,b,localhost')
    assert corrected(text)[0] == changed


def test_the_facts_of_the_cluster_count() -> None:
    text, done = corrected(CLUSTER, deployment(both(PROXY, LOOPBACK)))
    added = ("192.168.0.0/16", "10.96.0.0/12", "10.96.0.1", "api.prod.example", "cluster.local", ".svc")
    no_proxy = variables_of(text.split("---\n")[1])["NO_PROXY"].split(",")
    assert set(added) <= set(no_proxy)
    assert [one.severity for one in done.results if one.severity is Severity.ERROR] == []


def test_the_defaults_of_the_proxy_config_count_where_no_cluster_is_known() -> None:
    defaults = CONFIG + "  clusterDefaults: {serviceCIDRs: [10.96.0.0/12]}\n"
    found = judged(defaults, deployment(both(PROXY, f"{LOOPBACK},svc,.svc,cluster.local,.cluster.local")))
    assert sorted(ids(found)) == ["NP003", "NP004"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        pytest.param('Environment="HTTP_PROXY=http://u:p%40@h:1"', "http://u:p%40@h:1", id="a single percent"),
        pytest.param("Environment=HTTP_PROXY=http://u:p w@h:1", "http://u:p%20w@h:1", id="a blank in a password"),
        pytest.param(r'Environment="HTTP_PROXY=http://u:p\q@h:1"', "http://u:p%5Cq@h:1", id="an unknown escape"),
        pytest.param("Environment=HTTP_PROXY=h:1", "http://h:1", id="no scheme"),
    ],
)
def test_a_drop_in_says_what_its_author_meant(line: str, expected: str) -> None:
    text, done = corrected(CLUSTER, node(f'[Service]\n# kept\nNice=1\n{line}\nEnvironment="NO_PROXY={ALL_OF_PROD}"'))
    obj = Document(text.split("---\n")[1]).data()
    seen = {one.variable: one.value for one in TARGETS["containerdDropIn"].read(obj, {})}
    assert (seen["HTTP_PROXY"], seen["http_proxy"]) == (expected, expected)
    assert obj["spec"]["files"][0]["content"].startswith("[Service]\n# kept\nNice=1\n")
    assert [one.message for one in done.results if one.severity is Severity.ERROR] == []


def test_exports_are_corrected_and_nothing_else_is_added() -> None:
    text, _ = corrected(
        CLUSTER, node(drop_in(both(PROXY, ALL_OF_PROD)), f'["export NO_PROXY={ALL_OF_PROD};x", "date"]')
    )
    assert '["export NO_PROXY=' in text
    text, _ = corrected(CLUSTER, node("[Service]", '["date", "export NO_PROXY=A.example"]'))
    (_, second) = text.split("---\n")
    commands = Document(second).data()["spec"]["preKubeadmCommands"]
    assert commands == [
        "date",
        "export NO_PROXY='a.example,.a.example'",
        "export no_proxy='a.example,.a.example'",
    ]


def test_an_object_inside_a_list_and_a_resource_list_is_corrected() -> None:
    inner = "".join(f"  {line}\n" for line in deployment(both(no="a;b")).splitlines()).replace("  ", "- ", 1)
    for head in ("apiVersion: v1\nkind: List\n", "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"):
        text, _ = corrected(f"{head}items:\n{inner}")
        assert text == f"{head}items:\n{inner}".replace("a;b", "a,b")


def test_a_sidecar_of_a_target_is_judged_once_and_without_the_target() -> None:
    text = deployment(both(PROXY, "a;b"), "chart-operator")
    text = text.replace("metadata: {name: chart-operator}", "metadata: {name: c, labels: {app: chart-operator}}")
    text += "      - name: chart-operator\n        env:\n        - {name: NO_PROXY, value: x;y}\n"
    reported = {(one.target, one.path[4]) for one in judged(text).results}
    assert reported == {("", "0"), ("chartOperator", "1")}


def test_a_document_that_cannot_be_edited_without_risk_is_reported_and_the_others_are_corrected() -> None:
    twice = deployment(both(no="a;b")).replace("spec:\n  template", "spec: {}\nspec:\n  template")
    text, done = corrected(deployment(both(no="a;b")), twice)
    assert text == f"{deployment(both(no='a,b'))}---\n{twice}"
    (reported,) = (one for one in done.results if "document 2" in one.message)
    assert reported.severity is Severity.WARNING


# what cannot be read


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(
            b"kind: Service\nNO_PROXY: x\n\tx: y\n---\nkind: Service\nNO_PROXY: x\n\tx: y\n", id="of no target"
        ),
        pytest.param(b"kind: Deployment\nNO_PROXY: x\n\tx: y\n", id="of a target that finds nothing"),
    ],
)
def test_a_file_that_cannot_be_read_and_that_no_run_reads_is_one_warning(content: bytes) -> None:
    done = audit({"bad.yaml": content, "good.yaml": deployment(both(no="a;b")).encode()})
    (warning,) = (one for one in done.results if one.ref.file_path == "bad.yaml")
    assert warning.severity is Severity.WARNING
    assert "skipped: " in warning.message
    assert ids(done).count("NP010") == 1


MATCHER = CONFIG + "  targets: {workloads: {workloads: [{kinds: [Deployment]}]}}\n"


@pytest.mark.parametrize(
    ("content", "config"),
    [
        pytest.param(b"kind: {{ .Values.kind }}\nx: {{- if }}\n---\nkind: {{ .a }}\n", CONFIG, id="a template of Helm"),
        pytest.param(b"kind: Deployment\n\xff\xfe", CONFIG, id="no UTF-8"),
        pytest.param(b"kind: Cluster\n\tx: y\n", CONFIG, id="a Cluster"),
        pytest.param(b"kind: Service\nNO_PROXY: x\n\tx: y\n---\nkind: Cluster\n\tx: y\n", CONFIG, id="behind another"),
        pytest.param(b"kind: Deployment\n\tx: y\n", MATCHER, id="a workload that the ProxyConfig selects"),
    ],
)
def test_what_ends_a_run_is_an_error_and_the_rest_is_judged(content: bytes, config: str) -> None:
    good = f"{config}---\n{deployment(both(no='a;b'))}"
    done = audit({"bad.yaml": content, "good.yaml": good.encode()})
    of_file = [one for one in done.results if one.ref.file_path == "bad.yaml"]
    assert of_file[0].severity is Severity.ERROR
    assert "a run ends here: " in of_file[0].message
    assert ids(done).count("NP010") == 1


@pytest.mark.parametrize(
    ("documents", "severities"),
    [
        pytest.param([CONFIG + "  noProxy: [a\n"], [Severity.ERROR], id="alone"),
        pytest.param(
            ["kind: {{ .a }}\nx: {{- y }}\n", CONFIG + "\tx: y\n"],
            [Severity.ERROR],
            id="behind another document that cannot be read",
        ),
        pytest.param([CONFIG + "{{- with .Values.list }}\n"], [Severity.ERROR], id="a template of one"),
    ],
)
def test_a_proxy_config_that_cannot_be_read_is_an_error(documents: list[str], severities: list[Severity]) -> None:
    done = judged(*documents)
    assert [one.severity for one in done.results] == severities
    assert all(one.code == "InputInvalid" for one in done.results)


# places of one cluster


@pytest.mark.parametrize(
    ("second", "reported"),
    [
        pytest.param(drop_in(both(PROXY, ALL_OF_PROD)), 0, id="the same"),
        pytest.param(drop_in(both("http://other.example:1", ALL_OF_PROD)), 1, id="another proxy"),
        pytest.param(drop_in(both(PROXY, f"{ALL_OF_PROD},x")), 1, id="another list"),
        pytest.param("[Service]", 0, id="nothing"),
    ],
)
def test_places_of_one_cluster_must_say_the_same(second: str, reported: int) -> None:
    first = node(drop_in(both(PROXY, ALL_OF_PROD)), name="a")
    found = [one.message for one in judged(CLUSTER, first, node(second, name="b")).results]
    assert sum("must set the same values as" in message for message in found) == reported


def k0s_worker(variables: Mapping[str, str], name: str) -> str:
    body = "".join(f"      {line}\n" for line in drop_in(variables).splitlines())
    return (
        f"apiVersion: bootstrap.cluster.x-k8s.io/v1beta1\nkind: K0sWorkerConfig\n"
        f"metadata: {{name: {name}, namespace: org, labels: {{cluster.x-k8s.io/cluster-name: prod}}}}\nspec:\n"
        f"  files:\n  - path: /etc/systemd/system/k0sworker.service.d/x.conf\n    content: |\n{body}"
    )


@pytest.mark.parametrize(
    ("of_nodes", "reported"),
    [
        pytest.param([{"CONTAINERD_HTTP_PROXY": "a", "KUBELET_HTTP_PROXY": "b"}], 0, id="two processes of a node"),
        pytest.param([{"CONTAINERD_HTTP_PROXY": "a"}, {"KUBELET_HTTP_PROXY": "b"}], 0, id="two processes"),
        pytest.param([{"HTTP_PROXY": "a"}, {"KUBELET_HTTP_PROXY": "b"}], 0, id="a service and a process"),
        pytest.param([{"KUBELET_HTTP_PROXY": "a"}, {"KUBELET_HTTP_PROXY": "b"}], 1, id="one process of two nodes"),
    ],
)
def test_a_process_is_compared_with_the_same_one_of_other_nodes(of_nodes: list[dict[str, str]], reported: int) -> None:
    workers = [k0s_worker(variables, f"n{at}") for at, variables in enumerate(of_nodes)]
    assert [one.code for one in judged(CLUSTER, *workers).results].count("NP040") == reported


def test_places_of_no_known_cluster_and_other_workloads_are_not_compared() -> None:
    nodes = [node(drop_in(both(f"http://{name}:1", LOOPBACK)), name=name) for name in "ab"]
    first, second = (text.replace(", labels: {cluster.x-k8s.io/cluster-name: prod}", "") for text in nodes)
    apps = [deployment(both(f"http://{name}:1", LOOPBACK), name) for name in "cd"]
    assert not any("must set the same" in one.message for one in judged(first, second, *apps).results)


# ProxyConfigs


def test_a_proxy_config_is_judged_and_never_corrected() -> None:
    text = CONFIG.replace("httpsProxy: http://", "httpsProxy: http://u:p^@") + "  noProxy: [10.1.*, '*.Corp.example']\n"
    after, done = corrected(text)
    assert after == text
    assert {"NP012", "NP021"} <= set(ids(done))


def test_all_problems_of_a_proxy_config_are_reported_without_its_password() -> None:
    spec = "  noPorxy: []\n  noProxy: ['a;b', 10.1.*]\n"
    found = judged(CONFIG.replace("httpsProxy: http://", "httpsProxy: http://user:s3cr3t^@") + spec)
    reported = [one.line() for one in found.results]
    assert sum(line.startswith("[error]") for line in reported) == 3
    assert sum("a;b" in line for line in reported) == 1
    assert any("NP012" in line for line in reported)
    assert not any("s3cr3t" in line for line in reported)


URL = "http://proxy.corp.example:3128"
FROM = "from: [{kind: Secret, name: values}]"
TWO_OVERRIDES = "overrides: [{match: {roles: [Worker]}, httpsProxy: URL}, {match: {clusters: [a]}, httpProxy: URL}]"


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        pytest.param("httpProxy: URL", ["spec"], id="one URL"),
        pytest.param("httpProxy: URL, httpsProxy: ''", ["spec"], id="an empty one"),
        pytest.param("httpProxy: URL, mode: Check", ["spec"], id="a check"),
        pytest.param("httpProxy: URL, mode: Remove", [], id="a removal"),
        pytest.param("httpsProxy: URL", [], id="the other one alone"),
        pytest.param("httpProxy: URL, httpsProxy: URL", [], id="both"),
        pytest.param(f"httpProxy: URL, {FROM}", [], id="the other one may come from an object"),
        pytest.param("httpProxy: URL, lint: {rules: {NP035: 'Off'}}", [], id="it is silenced"),
        pytest.param("overrides: [{match: {roles: [Worker]}, httpProxy: URL}]", ["spec.overrides[0]"], id="override"),
        pytest.param(
            "httpProxy: URL, httpsProxy: URL, overrides: [{match: {roles: [Worker]}, httpsProxy: ''}]",
            ["spec.overrides[0]"],
            id="an override that takes one away",
        ),
        pytest.param(
            "httpsProxy: URL, overrides: [{match: {roles: [Worker]}, httpProxy: URL}]", [], id="spec has the other one"
        ),
        pytest.param(
            "httpProxy: URL, overrides: [{match: {roles: [Worker]}, httpProxy: URL}]", ["spec"], id="spec lacks it"
        ),
        pytest.param(TWO_OVERRIDES, [], id="another override has the other one"),
    ],
)
def test_a_proxy_config_for_http_alone_is_reported(spec: str, expected: list[str]) -> None:
    head = CONFIG.partition("spec:")[0]
    found = judged(f"{head}spec: {{{spec.replace('URL', URL)}}}\n")
    reported = [one for one in found.results if one.code == "NP035"]
    assert [field_path(one.path) for one in reported] == expected
    assert all(one.severity is Severity.WARNING for one in reported)


def test_a_config_map_for_http_alone_is_reported_without_a_path() -> None:
    inner = f"{{apiVersion: v1, kind: ConfigMap, metadata: {{name: c}}, data: {{HTTP_PROXY: '{URL}'}}}}"
    text = f"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\nfunctionConfig: {inner}\n"
    (reported,) = judged(text).results
    assert (reported.code, reported.path) == ("NP035", ())
    assert judged(text.replace("HTTP_PROXY:", f"https_proxy: '{URL}', http_proxy:")).results == ()


def test_the_function_config_of_a_resource_list_is_judged() -> None:
    inner = "".join(f"  {line}\n" for line in f"{CONFIG}  noProxy: [10.1.*]\n".splitlines())
    found = judged(f"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\nfunctionConfig:\n{inner}")
    assert "NP012" in ids(found)


def test_a_function_config_of_a_wrong_type_is_an_error() -> None:
    (reported,) = judged("apiVersion: v1\nkind: ResourceList\nitems: []\nfunctionConfig: proxy\n").results
    assert (reported.severity, reported.code) == (Severity.ERROR, "ConfigInvalid")


def test_a_proxy_config_with_a_key_twice_or_a_misspelt_kind_is_reported() -> None:
    found = judged(CONFIG + "  noProxy: []\n  noProxy: []\n")
    assert [one.line().rpartition(": spec.")[2] for one in found.results] == [
        "noProxy: must not be given twice in one mapping: keep one of the two"
    ]
    (reported,) = judged(CONFIG.replace("kind: ProxyConfig", "kind: ProxyConfg")).results
    assert (reported.severity, reported.ref.kind) == (Severity.WARNING, "ProxyConfg")
    assert "did you mean `ProxyConfig`?" in reported.message
    istio = CONFIG.replace("fn.inject-proxy.io/v1alpha1", "networking.istio.io/v1beta1")
    assert judged(istio).results == ()


def test_a_config_map_is_judged_as_a_function_config_only() -> None:
    data = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {httpProxy: 'proxy:1', noProxy: 10.1.*}\n"
    assert judged(data).results == ()
    inner = "".join(f"  {line}\n" for line in data.splitlines())
    text = f"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\nfunctionConfig:\n{inner}"
    after, done = corrected(text)
    assert after == text
    assert [one.severity for one in done.results] == [Severity.ERROR, Severity.WARNING]


@pytest.mark.parametrize(
    ("configs", "expected"),
    [
        pytest.param(["  lint: {rules: {NP010: Off}}\n"], [], id="one"),
        pytest.param(["  lint: {rules: {NP010: Off}}\n"] * 2, [], id="two that agree"),
        pytest.param(["  lint: {rules: {NP010: Info}}\n", ""], ["ConfigsDiffer", "NP010"], id="two that differ"),
        pytest.param(
            ["  mode: Nonsense\n  lint: {rules: {NP010: Off}}\n"], ["ConfigInvalid", "NP010"], id="one that is wrong"
        ),
    ],
)
def test_which_proxy_config_counts(configs: list[str], expected: list[str]) -> None:
    found = judged(*(CONFIG + spec for spec in configs), deployment(both(no="a;b")))
    assert sorted(ids(found)) == expected


def test_proxy_configs_with_the_same_defaults_in_other_forms_agree() -> None:
    forms = ("[10.0.0.0/8, fd00::/8]", '"10.0.0.0/8,fd00::/8"')
    configs = [f"{CONFIG}  clusterDefaults: {{networks: {form}}}\n" for form in forms]
    assert [one.message for one in judged(*configs).results] == []


def test_the_proxy_config_that_is_named_counts_alone() -> None:
    from krm_fn import config  # noqa: PLC0415

    named = config.load(Document(CONFIG + "  lint: {rules: {NP010: Warning}}\n").data())
    found = judged(CONFIG + "  lint: {rules: {NP010: Off}}\n", deployment(both(no="a;b")), config=named)
    assert [(one.code, one.severity) for one in found.results] == [("NP010", Severity.WARNING)]


# values

ENTRIES = st.sampled_from(
    [
        "a",
        "A.example",
        ".b.example",
        "*.c.example",
        "10.1.*",
        "10.0.0.0/33",
        "10.1.2.3/8",
        "a;b",
        "x y",
        '"q"',
        "d.",
        "*",
        "0.0.0.0/0",
        "fd00::/8",
        "[::1]",
        "http://h/p",
        "h:80",
        "u@h",
        "${X}",
        "{{ y }}",
        "bücher.example",
        "",
        "10.1.2.3",
    ]
)
LISTS = st.lists(ENTRIES, max_size=6).map(",".join)
NETWORKS = (
    ClusterNetwork(
        pod_cidrs=(Fact("192.168.0.0/16"),), service_cidrs=(Fact("10.96.0.0/12"),), endpoint=(Fact("api.one.example"),)
    ),
    ClusterNetwork(
        service_cidrs=(Fact("172.20.0.0/16"),), endpoint=(Fact("api.two.example"),), infrastructure=(Fact("GCPCluster"),)
    ),
)


@given(LISTS, st.sampled_from(Audience), st.integers(0, 2), st.booleans())
def test_a_list_is_corrected_once_and_for_all(text: str, audience: Audience, clusters: int, has_proxy: bool) -> None:
    listing = Listing(audience, NETWORKS[:clusters])
    once = listed(text, listing, has_proxy=has_proxy)
    assert listed(once, listing, has_proxy=has_proxy) == once


@given(
    st.dictionaries(
        st.sampled_from(["HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy"]),
        st.one_of(LISTS, st.sampled_from([PROXY, "proxy:1", "http://u:p^@h", " x ", ""])),
    ),
    st.integers(0, 2),
)
def test_no_error_with_a_fix_is_left_in_a_place_that_is_corrected(variables: dict[str, str], clusters: int) -> None:
    listing = Listing(Audience.POD, NETWORKS[:clusters])
    (place, *_) = places(Reading(name, value, (name,), value, "p") for name, value in variables.items()) or [{}]
    if not place or fixed_values.clash(place):
        return
    new = {**variables, **fixed_values.corrected(place, listing, THE_TABLE)}
    (after,) = places(Reading(name, value, (name,), value or "", "p") for name, value in new.items())
    assert fixed_values.corrected(after, listing, THE_TABLE) == {}
    if any("@" in value for name, value in variables.items() if name.upper() == "NO_PROXY"):
        return
    left = {finding.code for finding in lint_object(after.values(), listing) if RULES[finding.code].has_fix}
    assert left.isdisjoint({"NP001", "NP002", "NP003", "NP009", "NP010", "NP014", "NP029"})


def test_rules_that_are_off_are_off_for_the_values_too() -> None:
    (place,) = places([Reading("NO_PROXY", "a;b", ("x",), "a;b", "p")])
    off = Rules({"NP010": None, "NP008": None})
    assert fixed_values.corrected(place, Listing(Audience.POD), off) == {}
    assert fixed_values.corrected(place, Listing(Audience.POD), THE_TABLE) == {"NO_PROXY": "a,b", "no_proxy": "a,b"}


@pytest.mark.parametrize("text", ["%%%\n", "not: [valid\n", "{{- if .Values.x }}\n"])
def test_a_text_that_is_no_yaml_at_all_is_reported_too(text: str) -> None:
    (found,) = audit({"x.yaml": text.encode()}).results

    assert found.severity is Severity.ERROR
    assert "a run ends here: " in found.message


# values of Giant Swarm


def release(values: str) -> str:
    return (
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: a, namespace: org}\nspec:\n"
        f"  chart: {{spec: {{chart: cert-manager-app}}}}\n  values: {values}\n"
    )


def values_secret(name: str, key: str, text: str) -> str:
    encoded = base64.b64encode(text.encode()).decode()
    return f"apiVersion: v1\nkind: Secret\nmetadata: {{name: {name}, namespace: org}}\ndata: {{{key}: {encoded}}}\n"


THREE = "{http: 'http://h:1', https: 'http://h:1', noProxy: 'localhost,127.0.0.1,10.1.*'}"


@pytest.mark.parametrize(
    "document",
    [
        pytest.param(release(f"{{proxy: {THREE}}}"), id="a HelmRelease"),
        pytest.param(values_secret("prod-cluster-values", "values", f"cluster: {{proxy: {THREE}}}\n"), id="a Secret"),
    ],
)
def test_values_of_giant_swarm_are_judged(document: str) -> None:
    assert ids(judged(document)) == ["NP012"]
    after, done = corrected(document)
    assert (after, ids(done)) == (document, ["NP012"]), "nothing edits values yet"


# what Cloud Director writes by itself


VCD = (
    "apiVersion: infrastructure.cluster.x-k8s.io/v1beta2\nkind: VCDCluster\nmetadata: {name: prod, namespace: org}\n"
    "spec: {site: 'https://vcd.corp.example', proxyConfigSpec: {httpProxy: 'http://proxy:3128'}}\n"
)
ON_VCD = (
    "apiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\nmetadata: {name: prod, namespace: org}\n"
    "spec: {infrastructureRef: {apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: VCDCluster, name: prod}}\n"
)


@pytest.mark.parametrize(
    ("provider", "expected"),
    [
        pytest.param(VCD, 1, id="two writers of one file"),
        pytest.param(VCD.replace("httpProxy: 'http://proxy:3128'", ""), 0, id="a provider that writes none"),
    ],
)
def test_a_drop_in_that_the_provider_writes_too_has_two_writers(provider: str, expected: int) -> None:
    found = judged(ON_VCD, provider, node(drop_in(both(PROXY, LOOPBACK)))).results
    reported = [one for one in found if one.code == "NP031"]
    assert len(reported) == expected
    for one in reported:
        assert one.ref.kind == "KubeadmConfig"
        assert "`VCDCluster/org/prod` `spec.proxyConfigSpec`" in one.message


POLICY = """\
apiVersion: {version}
kind: {kind}
metadata: {{name: add-proxies}}
spec:
  rules:
  - name: set
    match: {{any: [{{resources: {{kinds: [Pod], operations: [CREATE]}}}}]}}
    mutate:
      patchStrategicMerge:
        spec:
          containers:
          - (name): "*"
            env: [{{name: {name}, value: "http://proxy.corp.example:3128", valueFrom: null}}]
"""


@pytest.mark.parametrize(
    ("text", "is_said"),
    [
        pytest.param(POLICY.format(version="kyverno.io/v1", kind="ClusterPolicy", name="HTTP_PROXY"), True, id="v1"),
        pytest.param(POLICY.format(version="kyverno.io/v2beta1", kind="Policy", name="HTTP_PROXY"), True, id="v2beta1"),
        pytest.param(POLICY.format(version="kyverno.io/v1", kind="ClusterPolicy", name="MODE"), False, id="no proxy"),
    ],
)
def test_a_policy_that_kyverno_will_not_execute_is_a_rule_of_the_linter(text: str, is_said: bool) -> None:
    found = [one for one in audit({"policy.yaml": text.encode()}).results if one.code == "PolicyDeprecated"]
    assert [one.severity for one in found] == [Severity.WARNING][: len(found)]
    assert bool(found) is is_said
    silent = f"{CONFIG}  lint: {{rules: {{PolicyDeprecated: 'Off'}}}}\n"
    quiet = audit({"policy.yaml": text.encode(), "proxy.yaml": silent.encode()})
    assert "PolicyDeprecated" not in [one.code for one in quiet.results]
