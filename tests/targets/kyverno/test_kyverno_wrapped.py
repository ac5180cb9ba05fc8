"""Policies inside other objects: each gets what it would get as an item of the list, and nothing else changes."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from krm_fn.krm.results import Severity
from krm_fn.patch import lookup
from krm_fn.settings import ProxySettings
from krm_fn.targets.kyverno import policies
from krm_fn.targets.kyverno.wrapped import WRAPPERS
from kyverno_shapes import SHAPES, p1, p2, p10, pods, policy, rule, smp
from proposals import FULL, HTTP, NONE, apply, changes, env, findings, proposals

# A run reads no policy that names none of the six variables.
POLICIES = {name: shape for name, shape in {**SHAPES, "P10": p10}.items() if name != "P12"}
Wrap = Callable[[Any], Any]
Unwrap = Callable[[Any], Any]


def manifest(api: str, kind: str, **rest: Any) -> dict[str, Any]:
    return {"apiVersion": api, "kind": kind, "metadata": {"name": "wrapper", "namespace": "fleet"}, **rest}


def rhacm(inner: Any) -> Any:
    api = "policy.open-cluster-management.io/v1"
    templates = [{"complianceType": "musthave", "objectDefinition": inner}]
    inside = manifest(api, "ConfigurationPolicy", spec={"object-templates": templates})
    return manifest(api, "Policy", spec={"disabled": False, "policy-templates": [{"objectDefinition": inside}]})


def configuration_policy(inner: Any) -> Any:
    return rhacm(inner)["spec"]["policy-templates"][0]["objectDefinition"]


def manifest_work(inner: Any) -> Any:
    others = [manifest("v1", "Namespace"), inner]
    return manifest("work.open-cluster-management.io/v1", "ManifestWork", spec={"workload": {"manifests": others}})


def helm_release(inner: Any) -> Any:
    values = {"replicas": 1, "extraObjects": [manifest("v1", "Service"), inner]}
    return manifest("helm.toolkit.fluxcd.io/v2", "HelmRelease", spec={"values": values})


def helm_release_with_texts(inner: Any) -> Any:
    values = {"extraManifests": [yaml.safe_dump(inner, sort_keys=False)]}
    return manifest("helm.toolkit.fluxcd.io/v2", "HelmRelease", spec={"values": values})


def application(inner: Any) -> Any:
    helm = {"values": yaml.safe_dump({"extraObjects": [inner]}, sort_keys=False)}
    return manifest("argoproj.io/v1alpha1", "Application", spec={"source": {"helm": helm}})


def config_map(inner: Any) -> Any:
    text = f"# ours\n{yaml.safe_dump(inner, sort_keys=False)}---\nkind: Other\n"
    return manifest("v1", "ConfigMap", data={"policy.yaml": text, "other": "HTTP_PROXY=a"})


def config_map_in_json(inner: Any) -> Any:
    return manifest("v1", "ConfigMap", data={"policy.json": json.dumps(inner)})


def config_map_of_rhacm(inner: Any) -> Any:
    return manifest("v1", "ConfigMap", data={"policy.yaml": yaml.safe_dump(rhacm(inner), sort_keys=False)})


def secret(inner: Any) -> Any:
    return manifest("v1", "Secret", stringData={"policy.yaml": yaml.safe_dump(inner, sort_keys=False)})


def encoded_secret(inner: Any) -> Any:
    text = base64.b64encode(yaml.safe_dump(inner, sort_keys=False).encode()).decode()
    return manifest("v1", "Secret", type="addons.cluster.x-k8s.io/resource-set", data={"policy.yaml": text})


def documents(obj: Any, *path: str) -> Any:
    """The first document of the text at a path."""
    return next(iter(yaml.safe_load_all(lookup(obj, path))))


IN_RHACM = ("spec", "policy-templates", "0", "objectDefinition", "spec", "object-templates", "0", "objectDefinition")
FORMS: dict[str, tuple[Wrap, Unwrap]] = {
    "a Policy of RHACM": (rhacm, lambda obj: lookup(obj, IN_RHACM)),
    "a ConfigurationPolicy": (configuration_policy, lambda obj: lookup(obj, IN_RHACM[4:])),
    "a ManifestWork": (manifest_work, lambda obj: obj["spec"]["workload"]["manifests"][1]),
    "values of a HelmRelease": (helm_release, lambda obj: obj["spec"]["values"]["extraObjects"][1]),
    "a text in values": (
        helm_release_with_texts,
        lambda obj: documents(obj, "spec", "values", "extraManifests", "0"),
    ),
    "values in the text of an Application": (
        application,
        lambda obj: documents(obj, "spec", "source", "helm", "values")["extraObjects"][0],
    ),
    "a ConfigMap": (config_map, lambda obj: documents(obj, "data", "policy.yaml")),
    "JSON in a ConfigMap": (config_map_in_json, lambda obj: documents(obj, "data", "policy.json")),
    "a wrapper in a ConfigMap": (
        config_map_of_rhacm,
        lambda obj: lookup(documents(obj, "data", "policy.yaml"), IN_RHACM),
    ),
    "a Secret": (secret, lambda obj: documents(obj, "stringData", "policy.yaml")),
    "base64 in a Secret": (
        encoded_secret,
        lambda obj: yaml.safe_load(base64.b64decode(obj["data"]["policy.yaml"])),
    ),
}
in_each_form = pytest.mark.parametrize(("wrap", "unwrap"), FORMS.values(), ids=FORMS.keys())


def test_each_kind_of_wrapper_has_a_form_here() -> None:
    wrapped = [wrap(p1()) for wrap, _ in FORMS.values()]
    kinds = {(one["apiVersion"].rpartition("/")[0], one["kind"]) for one in wrapped}
    assert kinds == WRAPPERS


SHAPES_IN_FORMS = [
    pytest.param(*functions, shape, (FULL, NONE)[(row + column) % 2], id=f"{shape}, {form}")
    for row, (form, functions) in enumerate(FORMS.items())
    for column, shape in enumerate(sorted(POLICIES))
]
"""Each shape in each form, with a proxy or a removal by turns."""


@pytest.mark.parametrize(("wrap", "unwrap", "shape", "settings"), SHAPES_IN_FORMS)
def test_a_policy_gets_what_it_would_get_as_an_item(
    wrap: Wrap, unwrap: Unwrap, shape: str, settings: ProxySettings
) -> None:
    plain, wrapped = POLICIES[shape](), wrap(POLICIES[shape]())
    result = apply(policies, wrapped, settings)

    assert unwrap(result) == apply(policies, plain, settings)
    assert wrap(unwrap(result)).keys() == result.keys()
    of_plain, of_wrapped = (
        [(one.code, one.severity) for one in findings(policies, obj, settings)] for obj in (plain, wrapped)
    )
    assert of_wrapped == of_plain


@in_each_form
def test_complete_reaches_it_and_a_removal_takes_that_out(wrap: Wrap, unwrap: Unwrap) -> None:
    complete = apply(policies, wrap(p1()), fill="Complete")
    assert unwrap(complete) == apply(policies, p1(), fill="Complete")
    assert unwrap(apply(policies, complete, NONE, fill="Complete")) == apply(policies, p1(), NONE)


def test_messages_name_the_policy_and_lead_to_the_field_of_the_object_around_it() -> None:
    obj = policy(rule(smp(pods(env({"HTTP_PROXY": "http://old:1"})))))
    (change,) = changes(policies, rhacm(obj))
    found, deprecated = findings(policies, rhacm(obj))

    assert change.message == 'sets `HTTP_PROXY` in rule "add-proxies" of ClusterPolicy "inject-proxy-env"'
    assert change.path[: len(IN_RHACM)] == IN_RHACM
    assert found.message.startswith('ClusterPolicy "inject-proxy-env": in-cluster traffic')
    assert found.path == (*IN_RHACM, "spec", "rules", "0")
    assert deprecated.code == "PolicyDeprecated"
    assert "a policy inside another object is not converted" in deprecated.message


def test_what_is_read_leads_to_a_field_that_is_there() -> None:
    for wrap, _ in FORMS.values():
        obj = wrap(p2())
        readings = list(policies.TARGET.read(obj, {}))
        assert readings
        assert all(lookup(obj, one.path) is not None for one in readings)
        assert all(one.place.endswith(' of ClusterPolicy "inject-proxy-env"') for one in readings)


def test_two_policies_of_one_object_are_told_apart_and_both_filled() -> None:
    first, second = (
        policy(rule(smp(pods(env({"HTTP_PROXY": url, "NO_PROXY": "x"}))))) for url in ("http://a:1", "http://b:1")
    )
    second["metadata"]["name"] = "second"
    text = "---\n".join(yaml.safe_dump(one) for one in (first, second))
    result = apply(policies, manifest("v1", "ConfigMap", data={"policies": text}))

    assert result["data"]["policies"].count(HTTP) == 2
    (change,) = changes(policies, manifest("v1", "ConfigMap", data={"policies": text}))
    assert 'rule "add-proxies" of ClusterPolicy "inject-proxy-env" and' in change.message
    assert 'rule "add-proxies" of ClusterPolicy "second"' in change.message


def nested_texts(text: str, levels: int) -> str:
    """A list with a text that is a list with a text, and so on."""
    for _ in range(levels):
        text = f"- {json.dumps(text)}\n"
    return text


def test_a_text_in_a_text_is_reached() -> None:
    obj = manifest("v1", "ConfigMap", data={"a": nested_texts(json.dumps(p1()), 3)})
    assert HTTP in apply(policies, obj)["data"]["a"]


TEMPLATE = "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nspec:\n  {{- range .rules }}\n  x: HTTP_PROXY\n"


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        pytest.param(TEMPLATE, ["TextUnreadable"], id="the template of a chart"),
        pytest.param("export HTTP_PROXY=http://old:1  # kind of kyverno.io/", [], id="a script"),
        pytest.param("We set HTTP_PROXY by kyverno.io/v1, kind ClusterPolicy", [], id="prose"),
        pytest.param(
            "- |\n" + "".join(f"{'  ' * at}- |\n" for at in range(1, 9)) + f"{'  ' * 9}{json.dumps(p1())}",
            [],
            id="too many texts in texts",
        ),
        pytest.param("kind: Other\nx: kyverno.io/ HTTP_PROXY", [], id="another object that names all this"),
        pytest.param(yaml.safe_dump(policy(rule({"patchStrategicMerge": {"HTTP": 1}}))), [], id="another policy"),
    ],
)
def test_a_text_that_is_no_policy_is_left_as_it_is(text: str, codes: list[str]) -> None:
    found = proposals(policies, manifest("v1", "ConfigMap", data={"a": text}))
    assert [getattr(one, "code", "an edit") for one in found] == codes


def test_an_encrypted_secret_is_left_as_it_is() -> None:
    obj = {**secret(p1()), "sops": {"mac": "ENC[AES256_GCM,data:x]"}}
    assert changes(policies, obj) == []


def test_two_proxies_in_one_policy_are_an_error_about_that_policy() -> None:
    entries = (env({"HTTP_PROXY": url, "NO_PROXY": "x"}) for url in ("http://a:1", "http://b:1"))
    obj = helm_release(policy(*(rule(smp(pods(one)), name=name) for one, name in zip(entries, "ab", strict=True))))
    said = proposals(policies, obj)
    assert [one.severity for one in findings(policies, obj)] == [Severity.ERROR]
    assert len(said) == 1


def test_rules_of_policies_inside_other_objects_can_be_matched() -> None:
    names = policies.TARGET.names_of_rules
    assert [list(names(wrap(p1()))) for wrap, _ in FORMS.values()] == [["add-proxies"]] * len(FORMS)


@pytest.mark.parametrize("kind", [{"type": "string"}, ["Policy"], 5, None])
def test_a_schema_in_the_values_is_no_policy(kind: Any) -> None:
    schema = {"apiVersion": "kyverno.io/v1", "kind": kind, "env": {"HTTP_PROXY": "x"}}
    obj = {
        "apiVersion": "helm.toolkit.fluxcd.io/v2",
        "kind": "HelmRelease",
        "metadata": {"name": "a"},
        "spec": {"values": {"schema": schema}},
    }
    assert (changes(policies, obj), findings(policies, obj)) == ([], [])
