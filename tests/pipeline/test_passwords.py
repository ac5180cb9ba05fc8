"""Passwords: workloads refer to a Secret, nothing writes what it holds as text, and what lacks it is named."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from function_configs import list_with_config
from krm_fn.krm.codes import Severity
from krm_fn.krm.results import Result
from krm_fn.pipeline.audit import ReadableManifests, audit
from krm_fn.pipeline.outcome import Outcome
from krm_fn.pipeline.run import run
from krm_fn.yamledit import read
from lint_objects import manifest
from manifests import container, named, workload
from support import inject_proxy, write

PASSWORD = "hunter2"
URL = f"http://svc:{PASSWORD}@proxy.corp.example:3128"
PLAIN = "http://proxy.corp.example:3128"
REFERRING = {
    "secretRef": {"name": "proxy"},
    "noProxy": ["10.0.0.0/8"],
    "noProxyPolicy": {"style": "Verbatim"},
    "targets": {"workloads": {"choose": [{"names": ["web"]}]}, "charts": {"choose": [{"charts": ["*"]}]}},
}
TEXTS = {"httpProxy": PLAIN, "httpsProxy": PLAIN}
WITH_PASSWORD = {"httpProxy": URL, "httpsProxy": URL}


def ran(spec: dict[str, Any], *items: Any) -> Outcome:
    return run(list_with_config(spec, *items))


def items_of(outcome: Outcome) -> list[Any]:
    return list(read(outcome.output.decode())["items"])


def with_code(code: str, outcome: Outcome) -> list[Result]:
    return [result for result in outcome.results if result.code == code]


def codes(outcome: Outcome) -> set[str]:
    return {result.code for result in outcome.results if result.severity is not Severity.INFO}


def in_secret(variable: str, key: str = "", name: str = "proxy") -> dict[str, Any]:
    reference = {"name": name, "key": key or variable.lower()}
    return {"name": variable, "valueFrom": {"secretKeyRef": reference}}


def by_secret(**names: str) -> list[dict[str, Any]]:
    """The entries that refer to a Secret, with the list beside them."""
    urls = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"]
    lists = [{"name": name, "value": "10.0.0.0/8"} for name in ("NO_PROXY", "no_proxy")]
    return [*(in_secret(name, **names) for name in urls), *lists]


def web(*env: Any, **rest: Any) -> dict[str, Any]:
    return workload(container("web", *env, image="web:1"), **{"namespace": "shop", **rest})


def release(chart: str, values: dict[str, Any], **spec: Any) -> dict[str, Any]:
    chart_of = {"spec": {"chart": chart, "version": "99.0.0"}}
    return manifest("helm.toolkit.fluxcd.io/v2", "HelmRelease", spec={"chart": chart_of, "values": values, **spec})


def only_container(item: dict[str, Any]) -> Any:
    return item["spec"]["template"]["spec"]["containers"][0]


def env_of(item: dict[str, Any]) -> Any:
    return only_container(item).get("env")


# what refers to the Secret


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param([], by_secret(), id="none yet"),
        pytest.param([in_secret("HTTPS_PROXY", name="old")], None, id="another Secret"),
        pytest.param([in_secret("http_proxy", key="other")], None, id="another key"),
        pytest.param([{"name": "HTTP_PROXY", "value": "http://old:1"}], None, id="a text"),
        pytest.param([{"name": "HTTP_PROXY", "value": ""}, {"name": "A", "value": "b"}], None, id="an empty text"),
    ],
)
def test_a_container_refers_to_the_secret_and_gives_it_back(before: list[Any], after: Any) -> None:
    others = [entry for entry in before if entry["name"] == "A"]
    first = ran(REFERRING, web(*before))
    (item,) = items_of(first)
    by_name = {entry["name"]: entry for entry in env_of(item)}
    assert by_name == {entry["name"]: entry for entry in [*others, *by_secret()]}
    assert after is None or env_of(item) == after
    assert "PasswordExposed" not in codes(first)
    second = ran(REFERRING, item)
    assert items_of(second) == [item]
    assert codes(second) <= {"SecretMissing"}
    removal = ran({**REFERRING, "mode": "Remove"}, item)
    assert env_of(*items_of(removal)) == (others or None)
    assert codes(removal) == set()


OLD = manifest("v1", "Secret", "old", stringData={"http_proxy": "http://old:1", "no_proxy": "b.example"})
SETTINGS = manifest("v1", "ConfigMap", "settings", data={"HTTP_PROXY": "http://old:1", "A": "b"})


@pytest.mark.parametrize(
    ("env", "env_from", "other"),
    [
        pytest.param([in_secret("HTTP_PROXY", name="old")], None, OLD, id="a key"),
        pytest.param([in_secret("NO_PROXY", name="old")], None, OLD, id="the list"),
        pytest.param([in_secret("HTTP_PROXY", name="old")], None, {**OLD, "sops": {"mac": "x"}}, id="SOPS"),
        pytest.param([], {"configMapRef": {"name": "settings"}}, SETTINGS, id="envFrom"),
    ],
)
def test_it_takes_the_place_of_other_objects_of_the_list(env: list[Any], env_from: Any, other: dict[str, Any]) -> None:
    item = web(*env, namespace="org")
    if env_from:
        only_container(item)["envFrom"] = [env_from]
    outcome = ran({**REFERRING, **TEXTS}, other, copy.deepcopy(item))
    before, after = items_of(outcome)
    assert before == other
    assert {entry["name"]: entry for entry in env_of(after)} == {entry["name"]: entry for entry in by_secret()}
    assert "ByHand" not in codes(ran(REFERRING, other, item))
    removal = {**REFERRING, "mode": "Remove"}
    assert items_of(ran(removal, before, after)) == items_of(ran(removal, other, item))


KEEP = {**REFERRING, "targets": {"workloads": {"choose": [{"names": ["web"]}], "conflict": "Keep"}}}
DISABLED = {"match": {"objects": ["web"]}, "disabled": True}


@pytest.mark.parametrize(
    ("spec", "name", "env"),
    [
        pytest.param({**REFERRING, "overrides": [DISABLED]}, "web", None, id="disabled"),
        pytest.param({**REFERRING, "overrides": [{**DISABLED, "match": {"objects": ["gone"]}}]}, "gone", None, id="1"),
        pytest.param({**REFERRING, "mode": "Remove"}, "gone", None, id="nobody chooses it any more"),
        pytest.param({**KEEP, "mode": "Remove"}, "web", None, id="Keep knows ours"),
        pytest.param({**KEEP, "secretRef": {"name": "other"}}, "web", by_secret(), id="Keep keeps another Secret"),
        pytest.param({**REFERRING, "secretRef": {"name": "new"}}, "web", by_secret(name="new"), id="another name"),
        pytest.param(
            {**REFERRING, "overrides": [{"match": {"objects": ["web"]}, "secretRef": {"name": "eu"}}]},
            "web",
            by_secret(name="eu"),
            id="the Secret of an override",
        ),
    ],
)
def test_a_later_run_knows_its_own_reference(spec: dict[str, Any], name: str, env: Any) -> None:
    item = web(*by_secret(), name=name)
    outcome = ran(spec, item)
    assert env_of(*items_of(outcome)) == env
    assert "PasswordExposed" not in codes(outcome)


def test_an_override_with_urls_means_these() -> None:
    override = {"match": {"objects": ["web"]}, "httpProxy": PLAIN, "httpsProxy": PLAIN}
    (item,) = items_of(ran({**REFERRING, "overrides": [override]}, web()))
    assert {entry["value"] for entry in env_of(item)} == {PLAIN, "10.0.0.0/8"}


# what needs the text

NODES = manifest("controlplane.cluster.x-k8s.io/v1beta1", "KubeadmControlPlane", spec={"kubeadmConfigSpec": {}})
POLICY = manifest(
    "kyverno.io/v1",
    "ClusterPolicy",
    spec={
        "rules": [
            {
                "name": "proxy",
                "match": {"any": [{"resources": {"kinds": ["Pod"]}}]},
                "mutate": {
                    "patchStrategicMerge": {
                        "spec": {
                            "containers": [{"(name)": "*", "env": [{"name": "HTTPS_PROXY", "value": "http://old:1"}]}]
                        }
                    }
                },
            }
        ]
    },
)
GENERATED = {**REFERRING, "targets": {"kyverno": {"generate": "MutatingPolicy"}}}
PROXY = named("Proxy", "cluster", api="config.openshift.io/v1", spec={"httpProxy": "http://old:1"})
TEXT_ALONE = [
    pytest.param([NODES], id="nodes"),
    pytest.param([release("harbor", {"proxy": {}})], id="a chart with three members"),
    pytest.param([release("crossplane", {})], id="a chart with a mapping"),
    pytest.param([POLICY], id="a policy of somebody else"),
    pytest.param([PROXY], id="a product"),
]


@pytest.mark.parametrize("items", TEXT_ALONE)
def test_what_needs_the_text_stays_as_it_is_without_one(items: list[Any]) -> None:
    outcome = ran(REFERRING, *copy.deepcopy(items))
    assert items_of(outcome)[0] == items[0]
    (result,) = [found for found in with_code("ByHand", outcome) if found.ref.kind == items[0]["kind"]]
    assert "`spec.secretRef`" in result.message


@pytest.mark.parametrize("items", TEXT_ALONE)
def test_it_gets_the_text_beside_the_secret_unless_that_holds_a_password(items: list[Any]) -> None:
    kind = items[0]["kind"]
    plain = ran({**REFERRING, **TEXTS}, *copy.deepcopy(items))
    assert PLAIN in str(items_of(plain)[0])
    assert codes(plain) & {"CannotWrite", "OtherProxy", "ByHand"} == set()
    assert items_of(ran({**REFERRING, **TEXTS}, *items_of(plain))) == items_of(plain)

    refused = ran({**REFERRING, **WITH_PASSWORD}, *copy.deepcopy(items))
    (result,) = with_code("CannotWrite", refused)
    assert (result.ref.kind, refused.exit_code) == (kind, 1)
    assert items_of(refused) == items

    system = result.target.partition(".")[0]
    allowing = {"allowClearText": [system]}
    allowed = ran({**REFERRING, **WITH_PASSWORD, **allowing}, *copy.deepcopy(items))
    assert PASSWORD in str(items_of(allowed)[0])
    assert PASSWORD not in "".join(result.line() for result in [*refused.results, *allowed.results])


def test_a_generated_policy_refers_to_the_secret_only_in_namespaces_of_the_user() -> None:
    refused = ran(GENERATED)
    assert (items_of(refused), codes(refused)) == ([], {"ByHand"})
    (policy,) = items_of(ran({**GENERATED, **TEXTS}))
    assert PLAIN in str(policy)
    assert "secret" not in str(policy)


def test_a_secret_may_hold_the_password_and_nodes_refer_to_it() -> None:
    cluster = manifest("cluster.x-k8s.io/v1beta1", "Cluster", "prod", spec={})
    nodes = copy.deepcopy(NODES)
    nodes["metadata"]["labels"] = {"cluster.x-k8s.io/cluster-name": "prod"}
    of_nodes = {"containerd": {"content": "Secret"}, "kubelet": {"content": "Secret"}, "commands": {"exports": False}}
    targets = {**REFERRING["targets"], "nodes": of_nodes, "giantswarm": {"generate": ["systemdProxy"]}}
    outcome = ran({**REFERRING, **WITH_PASSWORD, "targets": targets}, cluster, nodes, web())
    *items, secret = items_of(outcome)
    assert (outcome.exit_code, secret["kind"]) == (0, "Secret")
    assert PASSWORD in str(secret)
    assert PASSWORD not in str(items)


def test_a_list_of_variables_of_a_chart_refers_to_the_secret() -> None:
    outcome = ran(REFERRING, release("external-dns", {}))
    (item,) = items_of(outcome)
    assert item["spec"]["values"]["env"] == by_secret()
    assert items_of(ran(REFERRING, item)) == [item]
    (gone,) = items_of(ran({**REFERRING, "mode": "Remove"}, item))
    assert "env" not in (gone["spec"].get("values") or {})


@pytest.mark.parametrize(
    ("item", "targets"),
    [
        pytest.param(workload(init=[container("init")]), {}, id="an init container beside it"),
        pytest.param(workload(kind="CronJob"), {}, id="a CronJob"),
        pytest.param(workload(container("web", *by_secret()), kind="StatefulSet"), {}, id="it is there"),
        pytest.param(release("external-dns", {}), {}, id="values of a chart"),
        pytest.param(
            named("Namespace", "web", api="v1"),
            {"kyverno": {"generate": "MutatingPolicy", "namespaces": ["web"]}},
            id="a new policy",
        ),
    ],
)
def test_lint_finds_no_fault_in_what_a_run_writes(item: dict[str, Any], targets: dict[str, Any]) -> None:
    config = {**REFERRING, "noProxyPolicy": {}, "targets": {**REFERRING["targets"], **targets}}
    written = ran(config, item)
    assert len(written.changes) == 1
    audited = audit(ReadableManifests({"list.yaml": written.output}))
    assert [result for result in audited.results if result.severity is not Severity.INFO] == []


def test_the_secret_itself_is_never_written() -> None:
    secret = manifest("v1", "Secret", "proxy", stringData={"http_proxy": "http://old:1", "https_proxy": ""})
    item = web(namespace="org")
    outcome = ran({**REFERRING, **TEXTS}, secret, item)
    assert items_of(outcome)[0] == secret
    assert env_of(items_of(outcome)[1]) == by_secret()
    assert codes(outcome) == set()


@pytest.mark.parametrize("variable", ["HTTPS_PROXY", "https_proxy"])
def test_one_case_of_a_name_alone_that_a_secret_gives_is_named(variable: str) -> None:
    secret = manifest("v1", "Secret", "own", stringData={"https_proxy": "http://old:1"})
    item = web(in_secret(variable, "https_proxy", name="own"), namespace="org")
    targets = {"workloads": {"choose": [{"names": ["web"]}]}}
    outcome = ran({**TEXTS, "targets": targets}, secret, item)
    assert f"without `{variable.swapcase()}`" in with_code("CaseMissing", outcome)[0].message
    both = [in_secret(name, "https_proxy", name="own") for name in ("HTTPS_PROXY", "https_proxy")]
    assert with_code("CaseMissing", ran({**TEXTS, "targets": targets}, secret, web(*both, namespace="org"))) == []


# the namespaces that need it

TEMPLATE = {"metadata": {"name": "proxy"}}


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(named("Secret", "proxy", namespace="shop"), id="Secret"),
        pytest.param(named("ExternalSecret", "x", namespace="shop", spec={"target": {"name": "proxy"}}), id="its name"),
        pytest.param(named("ExternalSecret", "proxy", namespace="shop", spec={}), id="an ExternalSecret"),
        pytest.param(named("SealedSecret", "x", namespace="shop", spec={"template": TEMPLATE}), id="a SealedSecret"),
        pytest.param(named("ClusterExternalSecret", "proxy", spec={}), id="a ClusterExternalSecret"),
        pytest.param(
            named("ClusterExternalSecret", "x", spec={"externalSecretName": "proxy"}), id="what it calls its own"
        ),
    ],
)
def test_one_line_lists_the_namespaces_and_those_without_the_secret(source: dict[str, Any]) -> None:
    source["apiVersion"] = "v1" if source["kind"] == "Secret" else "external-secrets.io/v1"
    into_ops = release("external-dns", {}, targetNamespace="ops")
    objects = [web(), web(namespace="blog"), web(namespace=""), into_ops]
    (result,) = with_code("SecretMissing", ran(REFERRING, source, *objects))
    assert result.severity is (Severity.INFO if "Cluster" in source["kind"] else Severity.WARNING)
    assert "`blog/proxy`, `ops/proxy`, `proxy`, `shop/proxy`" in result.message
    (there,) = with_code("SecretMissing", ran(REFERRING, source, web()))
    assert there.severity is Severity.INFO


EVERYWHERE = named("ClusterExternalSecret", "proxy", api="external-secrets.io/v1", spec={})
BUILT = {"resources": ["../base"], "components": ["../proxy"]}


@pytest.mark.parametrize(
    ("secret", "blog", "missing"),
    [
        pytest.param(
            named("Secret", "proxy", api="v1"), {**BUILT, "components": []}, "`blog/proxy`", id="one namespace has it"
        ),
        pytest.param(named("Secret", "proxy", api="v1"), BUILT, "", id="both have it"),
        pytest.param(EVERYWHERE, {**BUILT, "components": []}, "", id="it is made in all namespaces"),
        pytest.param(named("Secret", "proxy", api="v1", namespace="x"), BUILT, "", id="its own namespace is replaced"),
    ],
)
def test_the_namespaces_are_those_that_kustomizations_set(
    tmp_path: Path, secret: dict[str, Any], blog: dict[str, Any], missing: str
) -> None:
    component = {"kind": "Component", "resources": ["secret.yaml"]}
    files = {
        "proxy.yaml": named("ProxyConfig", "proxy", api="fn.inject-proxy.io/v1alpha1", spec=REFERRING),
        "base/web.yaml": web(namespace=""),
        "base/kustomization.yaml": {"resources": ["web.yaml"]},
        "proxy/secret.yaml": secret,
        "proxy/kustomization.yaml": component,
        "shop/kustomization.yaml": {**BUILT, "namespace": "shop"},
        "blog/kustomization.yaml": {**blog, "namespace": "blog"},
    }
    write(tmp_path, {name: json.dumps(data) for name, data in files.items()})
    done = inject_proxy("", "run", "--output", "json", cwd=tmp_path)
    (result,) = [line for line in json.loads(done.stdout) if line["tags"].get("rule") == "SecretMissing"]
    assert "refer to the Secrets `blog/proxy`, `shop/proxy`" in result["message"]
    _, _, named_missing = result["message"].partition("without ")
    assert named_missing.partition(",")[0] == missing


# a Secret of `from` alone

PATCH = f'proxy:\n  noProxy: "corp.example"\n  http: "{URL}"\n  https: "{URL}"\n'
SECRET = manifest("v1", "Secret", "source", stringData={"values": PATCH})
FROM_SECRET = {"from": [{"kind": "Secret", "name": "source", "namespace": "org", "format": "GiantSwarm"}]}
VALUES = "cluster:\n  proxy:\n    http: http://old.corp.example:1\n"


@pytest.mark.parametrize(
    ("item", "advice"),
    [
        pytest.param(NODES, "`content: Secret`", id="files of nodes"),
        pytest.param(release("cert-manager", {"http_proxy": "http://old:1"}), "`spec.overrides`", id="a HelmRelease"),
    ],
)
def test_a_password_that_comes_from_a_secret_and_shows_is_one_warning(item: dict[str, Any], advice: str) -> None:
    outcome = ran({**FROM_SECRET, "targets": REFERRING["targets"]}, SECRET, item)
    (result,) = with_code("PasswordExposed", outcome)
    assert (result.severity, result.ref.kind) == (Severity.WARNING, item["kind"])
    assert -1 < result.message.find("`spec.secretRef`") < result.message.find(advice)
    assert PASSWORD not in "".join(result.line() for result in outcome.results)


@pytest.mark.parametrize(
    ("spec", "item"),
    [
        pytest.param(
            FROM_SECRET, manifest("v1", "Secret", "prod-cluster-values", stringData={"values": VALUES}), id="a Secret"
        ),
        pytest.param(WITH_PASSWORD, NODES, id="a password of the ProxyConfig itself"),
    ],
)
def test_no_other_password_is_one(spec: dict[str, Any], item: dict[str, Any]) -> None:
    assert with_code("PasswordExposed", ran(spec, SECRET, item)) == []
