"""ConfigMaps and Secrets from which others read a proxy: which of them are filled, and which references stay."""

from __future__ import annotations

import base64
from typing import Any

import pytest
import yaml

import manifests
from function_configs import list_with_config
from krm_fn.krm.results import Result, Severity
from krm_fn.pipeline.outcome import Outcome
from krm_fn.pipeline.run import run
from krm_fn.settings import PROXY_VARIABLES
from manifests import container, named, workload
from proposals import HTTP
from support import base64_of

URL = "http://build:p%40s%20s@proxy.corp.example:3128"
ASKED = {"fn.inject-proxy.io/proxy": "true"}
REFUSED = {"fn.inject-proxy.io/proxy": "false"}


def config_map(data: Any, name: str = "proxy", **metadata: Any) -> Any:
    return manifests.config_map(name, data, namespace="tools", **metadata)


def secret(name: str = "proxy", **rest: Any) -> Any:
    return named("Secret", name, **{"namespace": "tools", **rest})


def reference(name: str, key: str = "", source: str = "configMapKeyRef", of: str = "proxy") -> Any:
    return {"name": name, "valueFrom": {source: {"name": of, "key": key or name.lower()}}}


def reader(*entries: Any, env_from: Any = None, **metadata: Any) -> Any:
    """A workload that reads the proxy."""
    fields = {"envFrom": env_from} if env_from else {}
    return workload(
        container("web", *entries, image="web:1", **fields),
        **{"namespace": "tools", "annotations": {**ASKED}, **metadata},
    )


def listed(spec: dict[str, Any], *items: Any) -> bytes:
    return list_with_config({"httpProxy": HTTP, "httpsProxy": HTTP, "noProxy": [".corp.example"], **spec}, *items)


def done(spec: dict[str, Any], *items: Any) -> tuple[list[Any], Outcome]:
    """The items after a run, which a second one must leave as they are."""
    outcome = run(listed(spec, *items))
    assert outcome.exit_code == 0, [one.message for one in outcome.results]
    found = yaml.safe_load(outcome.output)["items"]
    assert yaml.safe_load(run(listed(spec, *found)).output)["items"] == found
    return found, outcome


def env_of(obj: Any) -> Any:
    return obj["spec"]["template"]["spec"]["containers"][0].get("env")


def about(outcome: Outcome, name: str) -> list[Result]:
    return [one for one in outcome.results if one.ref.name == name and one.code != "FactsUnknown"]


# What must not change.


@pytest.mark.parametrize(
    "items",
    [
        pytest.param([config_map({"http_proxy": "http://old:1"})], id="nobody reads it"),
        pytest.param(
            [reader(reference("HTTP_PROXY"), annotations={}), config_map({"http_proxy": "http://old:1"})],
            id="a workload that nothing chooses reads it",
        ),
        pytest.param([secret(stringData={"address": "http://old:1"})], id="a Secret that no object of Flux names"),
        pytest.param(
            [config_map({"HTTP_PROXY": "http://old:1"}, "proxy-environment-variables", annotations=REFUSED)],
            id="one that refuses",
        ),
    ],
)
@pytest.mark.parametrize("mode", [{}, {"mode": "Remove"}], ids=["inject", "remove"])
def test_what_must_not_change(items: list[Any], mode: dict[str, str]) -> None:
    assert done(mode, *items)[0] == items


# valueFrom and envFrom.


@pytest.mark.parametrize(
    ("entry", "codes"),
    [
        pytest.param(reference("HTTP_PROXY", of="elsewhere"), ["ProxyReplaced"], id="not in the list"),
        pytest.param(reference("HTTP_PROXY", "url"), ["ProxyReplaced"], id="a key with another name"),
        pytest.param(
            reference("HTTP_PROXY", of="elsewhere", source="secretKeyRef"),
            ["PasswordExposed", "ProxyReplaced"],
            id="a Secret that is not in the list",
        ),
    ],
)
def test_any_other_reference_is_replaced_whole_or_kept_and_reported(entry: Any, codes: list[str]) -> None:
    data = config_map({"url": "http://old:1"})
    (after, held), outcome = done({}, reader(entry), data)
    kept, outcome_of_keep = done({"targets": {"workloads": {"conflict": "Keep"}}}, reader(entry), data)

    assert held == data
    assert env_of(after)[0] == {"name": "HTTP_PROXY", "value": HTTP}
    warnings = [one.code for one in about(outcome, "web") if one.severity is Severity.WARNING]
    assert sorted(set(warnings) & {"PasswordExposed", "ProxyReplaced"}) == codes
    assert kept == [reader(entry), data]
    assert "ValueKept" in [one.code for one in about(outcome_of_keep, "web")]


def test_a_variable_in_the_other_case_is_not_added_and_one_that_is_there_is_corrected() -> None:
    literal = {"name": "https_proxy", "value": HTTP}
    (after, _), _ = done({}, reader(reference("HTTPS_PROXY"), literal), config_map({}))

    names = [entry["name"] for entry in env_of(after)]
    assert sorted(names) == sorted(PROXY_VARIABLES)
    assert [entry for entry in env_of(after) if "valueFrom" in entry] == [reference("HTTPS_PROXY")]


@pytest.mark.parametrize("name", ["configMapRef", "secretRef"])
def test_an_environment_is_filled_under_the_names_that_it_has(name: str) -> None:
    env_from = [{name: {"name": "proxy"}}]
    data = config_map({"HTTP_PROXY": "http://old:1", "no_proxy": "x", "MODE": "y"})
    if name == "secretRef":
        data = secret(stringData=data["data"])
    (after, held), _ = done({}, reader(env_from=env_from), data)

    texts = held.get("data") or held["stringData"]
    assert (texts["HTTP_PROXY"], texts["MODE"], list(texts)) == (HTTP, "y", ["HTTP_PROXY", "no_proxy", "MODE"])
    assert [entry["name"] for entry in env_of(after)] == ["HTTPS_PROXY", "https_proxy"]
    assert done({"mode": "Remove"}, after, held)[0][0] == reader(env_from=env_from)


def test_an_object_that_refuses_is_as_one_that_is_not_there() -> None:
    data = config_map({"http_proxy": "http://old:1"}, annotations=REFUSED)
    (after, held), _ = done({}, reader(reference("HTTP_PROXY")), data)

    assert held == data
    assert env_of(after)[0] == {"name": "HTTP_PROXY", "value": HTTP}


# EKS, Flux and Argo CD.


def git_repository() -> Any:
    spec = {"url": "https://github.com/x/y", "proxySecretRef": {"name": "proxy"}}
    metadata = {"name": "repo", "namespace": "tools"}
    return {"apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "GitRepository", "metadata": metadata, "spec": spec}


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        pytest.param(HTTP, {"address": HTTP}, id="no credentials"),
        pytest.param(
            URL,
            {"address": "http://proxy.corp.example:3128", "username": "build", "password": "p@s s"},
            id="credentials with an escape",
        ),
    ],
)
@pytest.mark.parametrize("is_encoded", [False, True], ids=["stringData", "data"])
def test_the_secret_of_flux(url: str, expected: dict[str, str], is_encoded: bool) -> None:
    old = {"address": "http://old:1", "username": "old", "password": "old"}
    texts = {key: base64_of(text) for key, text in old.items()} if is_encoded else old
    data = secret(**{"data" if is_encoded else "stringData": texts})

    (_, held), outcome = done({"httpsProxy": url}, git_repository(), data)

    found = held.get("stringData") or {key: base64.b64decode(text).decode() for key, text in held["data"].items()}
    assert found == expected
    assert not [one for one in outcome.results if "p@s" in one.message or "p%40s" in str(one.to_data())]

    (_, gone), removal = done({"mode": "Remove"}, git_repository(), held)
    assert not gone.get("data")
    assert not gone.get("stringData")
    assert [one.code for one in about(removal, "proxy") if one.severity is Severity.WARNING] == ["LeftBehind"]


@pytest.mark.parametrize(
    ("url", "expected"), [("https://git.example/x", "http://secure:1"), ("http://git.example/x", "http://plain:1")]
)
@pytest.mark.parametrize("kind", ["repository", "repo-creds", "repository-write", "repo-write-creds"])
def test_a_repository_of_argo_cd(url: str, expected: str, kind: str) -> None:
    labels = {"argocd.argoproj.io/secret-type": kind}
    data = secret(labels=labels, stringData={"url": url, "proxy": "http://old:1"})
    spec = {"httpProxy": "http://plain:1", "httpsProxy": "http://secure:1"}

    ((held,), _) = done(spec, data)

    assert held["stringData"]["proxy"] == expected
    assert held["stringData"]["noProxy"].startswith(".corp.example,")
    assert done({"mode": "Remove"}, held)[0][0]["stringData"] == {"url": url}


def test_a_repository_of_argo_cd_whose_own_proxy_is_not_declared_gets_no_list_either() -> None:
    """Else `noProxy` would be alone there, and no removal could tell that it is not its author's."""
    labels = {"argocd.argoproj.io/secret-type": "repository"}
    data = secret(labels=labels, stringData={"url": "https://git.example/x", "proxy": "http://old:1"})
    ((held,), _) = done({"httpProxy": "http://plain:1", "httpsProxy": ""}, data)
    assert held["stringData"] == {"url": "https://git.example/x"}


# A proxy for git over SSH.

ARGO = {"argocd.argoproj.io/secret-type": "repository"}
SOCKS: list[Any] = [
    pytest.param({"address": "socks5://socks.corp.example:1080", "username": "bob", "password": "x"}, {}, id="Flux"),
    pytest.param({"address": "SOCKS5h://socks.corp.example:1080"}, {}, id="Flux, another scheme of SOCKS"),
    pytest.param({"url": "https://git.example/a", "proxy": "socks5://socks:1080"}, ARGO, id="Argo CD"),
    pytest.param({"url": "git@git.example:a.git", "proxy": "http://socks:1080"}, ARGO, id="Argo CD over SSH"),
    pytest.param({"url": "ssh://git@git.example/a", "proxy": "http://socks:1080"}, ARGO, id="Argo CD, a URL of SSH"),
]


@pytest.mark.parametrize(("data", "labels"), SOCKS)
@pytest.mark.parametrize("is_base64", [False, True])
def test_a_proxy_for_git_over_ssh_stays_and_is_named(data: dict[str, str], labels: Any, *, is_base64: bool) -> None:
    source = named(
        "GitRepository",
        "app",
        api="source.toolkit.fluxcd.io/v1",
        namespace="tools",
        spec={"url": "ssh://git@git.example/a", "proxySecretRef": {"name": "proxy"}},
    )
    coded = {key: base64.b64encode(text.encode()).decode() for key, text in data.items()}
    held = secret(labels=labels, **({"data": coded} if is_base64 else {"stringData": data}))
    items = [held] if labels else [source, held]
    found, outcome = done({}, *items)
    assert found == items
    assert [(one.code, one.severity) for one in about(outcome, "proxy")] == [("ByHand", Severity.INFO)]
    assert done({"mode": "Remove"}, *items)[0] == items
