"""Workloads: who is chosen, by what, and whose values stay."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from certificates import A
from container_envs import OURS, TARGET, envs, filled
from function_configs import list_with_config
from krm_fn.config import Certificates
from krm_fn.krm.results import Severity
from krm_fn.patch import lookup
from krm_fn.pipeline.run import run
from krm_fn.settings import ProxySettings
from manifests import container, workload
from proposals import FULL, HTTP, NONE, apply, env, findings, proposals

TRUSTED = "fn.inject-proxy.io/trusted-ca"
ASKED = {"fn.inject-proxy.io/proxy": "true"}
MINE = {"name": "HTTP_PROXY", "value": "http://mine:1"}
DEBUG = {"name": "DEBUG", "value": "1"}
SECRET = {"name": "HTTPS_PROXY", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}
OTHER = ProxySettings("http://other:1", "http://other:1", "localhost")
REMOVED = NONE._replace(removed=FULL)
ALL: dict[str, Any] = {"choose": [{"names": ["*"]}]}

KINDS = "Pod CronJob Deployment DaemonSet StatefulSet ReplicaSet Job Rollout ScaledJob".split()
CUSTOM = [
    {"group": "argoproj.io", "kind": "Rollout"},
    {"group": "keda.sh", "kind": "ScaledJob", "podSpecPath": ".spec.jobTargetRef.template.spec"},
]


# What must not change.


@pytest.mark.parametrize(
    "options", [{}, {"presets": ["flux", "argocd", "clusterAPIProviders"]}], ids=["none", "presets"]
)
@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(workload(), id="nobody asks for it"),
        pytest.param({**workload(annotations=ASKED), "apiVersion": "example.com/v1"}, id="a kind of another group"),
        pytest.param(workload(kind="Rollout", annotations=ASKED), id="a kind that no option names"),
        pytest.param(workload(container("manager"), labels={"control-plane": "controller-manager"}), id="an operator"),
    ],
)
def test_what_nothing_chooses_is_untouched(obj: Any, options: Any) -> None:
    assert proposals(TARGET, obj, **options) == []
    assert proposals(TARGET, obj, NONE, **options) == []


@pytest.mark.parametrize(
    "refusal",
    [
        pytest.param({"fn.inject-proxy.io/proxy": "false"}, id="ours"),
        pytest.param({"policies.kyverno.io/inject-proxy-env": "exclude"}, id="that of kyverno-policies-connectivity"),
        pytest.param({"kubernetes.azure.com/no-http-proxy-vars": "true"}, id="that of AKS"),
        pytest.param({**ASKED, "policies.kyverno.io/inject-proxy-env": "exclude"}, id="beside one that asks for it"),
    ],
)
@pytest.mark.parametrize("place", ["annotations", "pod"])
def test_a_refusal_wins_over_matchers_and_presets(refusal: dict[str, str], place: str) -> None:
    where: Any = {"annotations": refusal} if place == "annotations" else {"pod": {"annotations": refusal}}
    obj = workload(container("manager"), labels={"app.kubernetes.io/part-of": "flux"}, **where)

    assert proposals(TARGET, obj, **ALL, presets=["flux"]) == []


# Who is chosen.


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("metadata", "options"),
    [
        pytest.param({"annotations": ASKED}, {}, id="annotation"),
        pytest.param({"labels": {"app.kubernetes.io/part-of": "flux"}}, {"presets": ["flux"]}, id="preset"),
    ],
)
def test_every_kind_gets_the_proxy_and_gives_it_back(kind: str, metadata: Any, options: Any) -> None:
    obj = workload(container("manager", DEBUG), init=[container("setup")], kind=kind, **metadata)

    done = apply(TARGET, obj, customKinds=CUSTOM, **options)

    assert envs(done) == {"setup": None if "presets" in options else OURS, "manager": [DEBUG, *OURS]}
    other = apply(TARGET, done, OTHER, customKinds=CUSTOM, **options)
    assert envs(other)["manager"] == [DEBUG, *env(OTHER.variables)]
    assert apply(TARGET, done, NONE, customKinds=CUSTOM, **options) == obj


@pytest.mark.parametrize("kind", ["DaemonSet", "Deployment", "ReplicaSet"])
def test_the_old_group_of_a_kind_counts_too(kind: str) -> None:
    obj = workload(container("manager"), kind=kind, annotations=ASKED)
    assert filled({**obj, "apiVersion": "extensions/v1beta1"}) == ["manager"]


def test_a_path_to_no_pod_specification_is_named() -> None:
    obj = workload(kind="Rollout", annotations=ASKED)
    wrong = [{"group": "argoproj.io", "kind": "Rollout", "podSpecPath": ".spec.tmplate.spec"}]
    assert [finding.code for finding in findings(TARGET, obj, customKinds=wrong)] == ["SettingUnused"]
    assert findings(TARGET, workload(kind="Rollout"), customKinds=wrong) == []
    assert findings(TARGET, {"apiVersion": "v1", "kind": "Pod", "metadata": {"annotations": ASKED}}) == []


# Providers of cluster-api-operator.


def provider(deployment: Any = None, **annotations: str) -> dict[str, Any]:
    spec = {} if deployment is None else {"deployment": deployment}
    metadata = {"name": "aws", "namespace": "capa", "annotations": annotations}
    return {
        "apiVersion": "operator.cluster.x-k8s.io/v1alpha2",
        "kind": "InfrastructureProvider",
        "metadata": metadata,
        "spec": spec,
    }


@pytest.mark.parametrize(
    ("obj", "options", "names"),
    [
        pytest.param(provider(), {"presets": ["clusterAPIProviders"]}, ["manager"], id="a preset"),
        pytest.param(provider(**{"fn.inject-proxy.io/proxy": "agent"}), {}, ["agent"], id="a name"),
        pytest.param(
            provider({"containers": [{"name": "agent"}]}, **{"fn.inject-proxy.io/proxy": "agent,manager"}),
            {},
            ["agent", "manager"],
            id="one that is overridden already, and another",
        ),
    ],
)
def test_a_container_of_a_provider_is_overridden_and_goes_with_them(obj: Any, options: Any, names: Any) -> None:
    done = apply(TARGET, obj, **options)
    listed = lookup(done, ("spec", "deployment", "containers"))
    assert [(one["name"], one["env"]) for one in listed] == [(name, OURS) for name in names]
    left = apply(TARGET, done, NONE, **options)
    assert HTTP not in str(left)


def test_a_provider_without_a_spec_has_none_again() -> None:
    obj, options = provider(), {"presets": ["clusterAPIProviders"]}
    del obj["spec"]
    assert apply(TARGET, apply(TARGET, obj, **options), NONE, **options) == obj


# Whose values stay.


@pytest.mark.parametrize(
    ("entries", "after_removal"),
    [
        pytest.param([MINE], "ValueKept", id="a URL"),
        pytest.param([SECRET], "ValueKept", id="a reference"),
        pytest.param([OURS[0], {"name": "NO_PROXY", "value": "mine"}], "LeftBehind", id="our URL beside another list"),
    ],
)
def test_values_of_others_are_replaced_or_kept_where_the_options_say_so(entries: list[Any], after_removal: str) -> None:
    obj = workload(container("web", *entries), container("side", DEBUG))

    assert sorted(map(str, envs(apply(TARGET, obj, **ALL))["web"])) == sorted(map(str, OURS))
    kept = apply(TARGET, obj, conflict="Keep", **ALL)
    assert envs(kept) == {"web": entries, "side": [DEBUG, *OURS]}
    assert [one.code for one in findings(TARGET, obj, conflict="Keep", **ALL)] == ["ValueKept"]
    assert apply(TARGET, kept, REMOVED, conflict="Keep", **ALL) == obj
    assert [one.code for one in findings(TARGET, kept, REMOVED, conflict="Keep", **ALL)] == [after_removal]


@pytest.mark.parametrize(
    ("spec", "path", "wanted"),
    [
        pytest.param({"containers": ["web"]}, "containers/0", "a mapping, not a string", id="a container is a string"),
        pytest.param([], "spec", "a mapping, not a list", id="a list of specifications"),
    ],
)
@pytest.mark.parametrize(
    ("metadata", "options"),
    [
        pytest.param({"annotations": ASKED}, {}, id="an annotation"),
        pytest.param({}, ALL, id="a matcher"),
        pytest.param({"labels": {"app.kubernetes.io/name": "cert-manager"}}, {}, id="a known program"),
    ],
)
def test_a_wrong_type_in_a_workload_is_an_error(spec: Any, path: str, wanted: str, metadata: Any, options: Any) -> None:
    obj = workload(**metadata)
    obj["spec"]["template"]["spec"] = spec
    (error,) = findings(TARGET, obj, **options)
    assert (error.severity, "/".join(error.path).endswith(path)) == (Severity.ERROR, True)
    assert f"must be {wanted};" in error.message


# The whole run.


def outcome(spec: dict[str, Any], *items: Any) -> Any:
    return run(list_with_config({"httpProxy": HTTP, "httpsProxy": HTTP, "noProxy": [".corp.example"], **spec}, *items))


def ran(spec: dict[str, Any], *items: Any) -> Any:
    return yaml.safe_load(outcome(spec, *items).output)["items"]


def no_proxy(obj: Any) -> list[str]:
    (entries,) = [entries for entries in envs(obj).values() if entries]
    (value,) = [one["value"] for one in entries if one["name"] == "NO_PROXY"]
    return value.split(",")


FLUX = workload(container("manager"), labels={"app.kubernetes.io/part-of": "flux"})
ARGO = workload(container("argocd-server"), labels={"app.kubernetes.io/part-of": "argocd"})


@pytest.mark.parametrize("style", ["Portable", "GiantSwarm", "TKG", "Sorted"])
def test_the_list_of_a_preset_has_what_the_program_needs(style: str) -> None:
    spec = {"noProxyPolicy": {"style": style}, "targets": {"workloads": {"presets": ["flux", "argocd"]}}}

    flux, argo = ran(spec, FLUX, ARGO)

    assert ".svc.cluster.local." in no_proxy(flux)
    assert "argocd-repo-server" in no_proxy(argo)
    assert "argocd-repo-server" not in no_proxy(flux)


def test_another_proxy_is_one_warning_of_a_run() -> None:
    obj = workload(container("web", MINE), container("side", MINE))
    results = outcome({"targets": {"workloads": ALL}}, obj).results
    assert [result.code for result in results if result.code == "ProxyReplaced"] == ["ProxyReplaced"]


@pytest.mark.parametrize(
    ("declared", "codes"),
    [
        pytest.param({}, ["ProxyReplaced"], id="the ProxyConfig declares another one"),
        pytest.param({"httpProxy": "http://mine:1"}, [], id="the ProxyConfig declares it"),
        pytest.param({"httpProxy": "http://user:secret@mine:1"}, [], id="with a password, which a place may lack"),
        pytest.param(
            {"overrides": [{"match": {"names": ["other"]}, "httpProxy": "http://mine:1"}]}, [], id="elsewhere"
        ),
    ],
)
@pytest.mark.parametrize("mode", ["Inject", "Remove", "Check"])
def test_a_removed_or_replaced_url_is_named_if_it_is_not_declared(declared: Any, codes: list[str], mode: str) -> None:
    obj = workload(container("web", MINE, {"name": "NO_PROXY", "value": "x"}), annotations=ASKED)
    said = outcome({"mode": mode, "noProxyPolicy": {"style": "Verbatim"}, **declared}, obj).results
    assert [one.code for one in said if one.code == "ProxyReplaced"] == codes


def test_a_known_program_and_what_a_matcher_chooses_get_the_proxy_together() -> None:
    obj = workload(container("cert-manager-controller"), container("side"), labels={"app": "cert-manager"})
    assert filled(obj, **{**ALL, "containers": ["side"]}) == ["cert-manager-controller", "side"]


@pytest.mark.parametrize(
    ("annotations", "options", "is_named"),
    [
        pytest.param({}, ALL, True, id="nothing says it"),
        pytest.param({TRUSTED: "false"}, ALL, False, id="its annotation refuses them"),
        pytest.param({TRUSTED: "true"}, ALL, False, id="its annotation asks for them"),
        pytest.param({}, {**ALL, "trustedCA": {"choose": [{"names": ["*"]}]}}, False, id="a matcher chooses it"),
        pytest.param({}, {**ALL, "trustedCA": False}, False, id="the target is off"),
        pytest.param({}, {}, False, id="nobody chooses it for the proxy"),
    ],
)
def test_missing_certificates_are_named(annotations: dict[str, str], options: dict[str, Any], is_named: bool) -> None:
    obj = workload(annotations=annotations)
    found = findings(TARGET, obj, FULL._replace(trusted_ca=Certificates(A)), **options)
    assert [finding.code for finding in found] == ["CertificatesNotSet"] * is_named
    assert findings(TARGET, obj, **options) == []
