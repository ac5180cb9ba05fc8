"""A policy that inject-proxy generates, from bytes to bytes: when it is there, what is in it, and how it goes."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from all_targets import TARGETS
from contract_lists import PROXY, SETTINGS, resource_list
from function_configs import proxy_config
from krm_fn.krm.results import Result, Severity
from krm_fn.patch import lookup
from krm_fn.pipeline.outcome import Outcome
from krm_fn.pipeline.run import run
from krm_fn.places import choice
from krm_fn.settings import PROXY_VARIABLES, ProxySettings
from krm_fn.targets.created_objects import OURS
from krm_fn.targets.kyverno import cel, generated
from proposals import FULL, apply

policies = TARGETS["kyverno"]

MARKS = {"app.kubernetes.io/managed-by": "inject-proxy", "fn.inject-proxy.io/policy": "generated"}
NATIVE = "MutatingAdmissionPolicy"
KINDS = {"MutatingPolicy": ["MutatingPolicy"], NATIVE: [NATIVE, f"{NATIVE}Binding"]}
ASKED: dict[str, Any] = {"generate": "MutatingPolicy"}


def config(options: dict[str, Any] | None = ASKED, **spec: Any) -> str:
    """Return a FunctionConfig; ``options`` are those of the target."""
    given = {"httpProxy": PROXY, "httpsProxy": PROXY, "noProxy": ["10.0.0.0/8"], **spec}
    targets = {} if options is None else {"targets": {"kyverno": options}}
    return yaml.safe_dump(proxy_config(**targets, **given), sort_keys=False)


def ran(*items: str, options: dict[str, Any] | None = ASKED, **spec: Any) -> Outcome:
    return run(listed(*items, options=options, **spec))


def listed(*items: str, options: dict[str, Any] | None = ASKED, **spec: Any) -> bytes:
    return resource_list(*items, config=config(options, **spec)).encode()


def items_of(data: bytes) -> list[dict[str, Any]]:
    return list(yaml.safe_load(data)["items"])


def text_of_items(data: bytes) -> str:
    return data.decode().partition("functionConfig:")[0]


def texts_of(data: bytes) -> list[str]:
    """Return each item as a text of its own."""
    _, *found = text_of_items(data).split("\n- ")
    return ["  {}\n".format(one.rstrip("\n")).replace("\n  ", "\n").removeprefix("  ") for one in found]


def kinds_and_names(data: bytes) -> list[tuple[str, str]]:
    return [(one["kind"], one["metadata"]["name"]) for one in items_of(data) if one["kind"] != "ConfigMap"]


def errors(outcome: Outcome) -> list[Result]:
    return [one for one in outcome.results if one.severity is Severity.ERROR]


def skeleton(options: dict[str, Any]) -> dict[str, Any]:
    """Return the policy that is asked for, as it is before it is written."""
    return next(generated.objects(options))


def expressions(policy: dict[str, Any]) -> dict[str, str]:
    return {one["name"]: one["expression"] for one in policy["spec"]["variables"]}


# When it is there.


@pytest.mark.parametrize(
    ("options", "spec"),
    [
        pytest.param(None, {}, id="no option asks for it"),
        pytest.param(False, {}, id="the target is off"),
        pytest.param(
            ASKED,
            {"overrides": [{"match": {"targets": ["kyverno"], "objects": ["inject-*"]}, "disabled": True}]},
            id="an override takes its proxy away",
        ),
        pytest.param(ASKED, {"selector": {"exclude": [{"kinds": ["MutatingPolicy"]}]}}, id="the selector excludes it"),
    ],
)
def test_nothing_is_generated(options: dict[str, Any] | None, spec: dict[str, Any]) -> None:
    outcome = ran(SETTINGS, options=options, **spec)
    assert text_of_items(outcome.output) == text_of_items(listed(SETTINGS, options=options, **spec))
    assert (outcome.changed, outcome.exit_code) == (0, 0)
    assert not [one for one in outcome.results if one.code == "SettingUnused"]


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_asked_for_is_the_last_of_the_list_and_twice_is_once(kind: str) -> None:
    options = {"generate": kind}
    once = ran(SETTINGS, options=options)
    assert text_of_items(once.output).startswith(text_of_items(listed(SETTINGS, options=options)))
    assert kinds_and_names(once.output) == [(made, OURS) for made in KINDS[kind]]
    assert all(policy["metadata"] == {"name": OURS, "labels": MARKS} for policy in items_of(once.output)[1:])
    again = run(once.output)
    assert (again.output, again.changed) == (once.output, 0)


@pytest.mark.parametrize(
    ("first", "then"),
    [
        pytest.param(ASKED, {}, id="no option asks for it any more"),
        pytest.param(ASKED, {"generate": NATIVE}, id="for Kubernetes in place of Kyverno"),
    ],
)
def test_what_is_not_asked_for_any_more_is_removed(first: dict[str, Any], then: dict[str, Any]) -> None:
    there = texts_of(ran(SETTINGS, options=first).output)
    outcome = ran(*there, options=then)
    assert kinds_and_names(outcome.output) == kinds_and_names(ran(SETTINGS, options=then).output)
    gone = [one.message for one in outcome.results if "which inject-proxy generated" in one.message]
    assert len(gone) == len(there) - 1
    assert errors(outcome) == []


# What is in its way.


def of_somebody_else(kind: str, name: str, labels: dict[str, str]) -> str:
    versions = {"MutatingPolicy": "policies.kyverno.io/v1beta1"}
    metadata = {"name": name, "labels": labels}
    version = versions.get(kind, "admissionregistration.k8s.io/v1beta1")
    return yaml.safe_dump({"apiVersion": version, "kind": kind, "metadata": metadata, "spec": {}})


@pytest.mark.parametrize("kind", ["MutatingPolicy", NATIVE, f"{NATIVE}Binding"])
@pytest.mark.parametrize("labels", [{}, {"app.kubernetes.io/managed-by": "inject-proxy"}], ids=["none", "one"])
def test_an_object_of_somebody_else_with_its_name_is_an_error(kind: str, labels: dict[str, str]) -> None:
    options = {"generate": kind.removesuffix("Binding")}
    theirs = of_somebody_else(kind, OURS, labels)
    outcome = ran(SETTINGS, theirs, options=options)
    assert text_of_items(outcome.output) == text_of_items(listed(SETTINGS, theirs, options=options))
    (error,) = errors(outcome)
    assert (error.ref.kind, error.ref.name, error.path) == (kind, OURS, ("metadata", "name"))
    removed = ran(theirs, options=options, mode="Remove")
    assert (kinds_and_names(removed.output), removed.exit_code) == ([(kind, OURS)], 0)


# What is in it.


def literals(expression: str) -> list[str]:
    """The string literals of an expression."""
    found = cel.read_expressions({"spec": {"variables": [{"name": "x", "expression": expression}]}})
    return [token.literal for token in found[0].tokens if token.literal is not None]


@given(
    user=st.text(st.characters(codec="utf-8", exclude_characters="\r\n\x00", exclude_categories=["Cs"]), max_size=12),
    kind=st.sampled_from([*KINDS]),
    source=st.sampled_from(["Settings", "KubeadmConfig"]),
)
def test_a_value_survives_cel_and_kubernetes(user: str, kind: str, source: str) -> None:
    wanted = ProxySettings(f"http://{user}@p:1", f"http://$(HOME){user}@p:1", f"a,{user.replace(',', '')}b")
    options = {"generate": kind, "noProxyFrom": source}
    policy = apply(policies, skeleton(options), wanted, **options)
    read = {one.variable: one.value for one in policies.read(policy, options)}
    known = {name: value for name, value in read.items() if value is not None}
    if source == "Settings":
        assert known == wanted.variables
    else:
        assert known == {name: value for name, value in wanted.variables.items() if name.upper() != "NO_PROXY"}
        entries = literals(expressions(policy)["settings"])
        assert [one.replace("$$", "$") for one in entries] == wanted.no_proxy.split(",")
    assert apply(policies, policy, FULL, **options) == apply(policies, skeleton(options), FULL, **options)


def test_where_no_namespace_is_left_out_there_is_no_selector() -> None:
    options = {**ASKED, "excludeNamespaces": []}
    policy = apply(policies, skeleton(options), **options)
    assert lookup(policy, ("spec", "matchConstraints", "namespaceSelector")) is None


def test_each_annotation_that_workloads_know_counts_in_a_policy() -> None:
    text = str(apply(policies, skeleton(ASKED), **ASKED))
    assert [name for name in (*choice.LISTS, *choice.REFUSALS, *PROXY_VARIABLES) if f'"{name}"' not in text] == []
