"""Workloads: who is chosen, by what, and whose values stay."""

from __future__ import annotations

import copy
import functools
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from function_configs import list_with_config
from krm_fn import patch
from krm_fn.places import choice as chosen_containers
from krm_fn.engine import Draft
from krm_fn.krm.results import Finding, Result, Severity
from krm_fn.noproxy import Audience
from krm_fn.patch import lookup
from krm_fn.pipeline import Outcome, run
from krm_fn.settings import PROXY_VARIABLES, ProxySettings
from krm_fn.targets import TARGETS
workloads = __import__("types").SimpleNamespace(TARGET=__import__("krm_fn.targets").targets.TARGETS["workloads"])
from proposals import FULL, HTTP, NONE, apply, changes, env, findings, messages, proposals

OURS = env(FULL.variables())
ASKED = {"fn.inject-proxy.io/proxy": "true"}
NOTE = "fn.inject-proxy.io/proxy-containers"
MINE = {"name": "HTTP_PROXY", "value": "http://mine:1"}
DEBUG = {"name": "DEBUG", "value": "1"}
SECRET = {"name": "HTTPS_PROXY", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}
OTHER = ProxySettings("http://other:1", "http://other:1", "localhost")
ALL: dict[str, Any] = {"workloads": [{"names": ["*"]}]}

TEMPLATE = ("spec", "template", "spec")
PLACES = {
    "Pod": ("v1", ("spec",)),
    "CronJob": ("batch/v1", ("spec", "jobTemplate", *TEMPLATE)),
    **dict.fromkeys(("Deployment", "DaemonSet", "StatefulSet", "ReplicaSet"), ("apps/v1", TEMPLATE)),
    "Job": ("batch/v1", TEMPLATE),
    "Rollout": ("argoproj.io/v1alpha1", TEMPLATE),
    "ScaledJob": ("keda.sh/v1alpha1", ("spec", "jobTargetRef", "template", "spec")),
}
CUSTOM = [
    {"group": "argoproj.io", "kind": "Rollout"},
    {"group": "keda.sh", "kind": "ScaledJob", "podSpecPath": ".spec.jobTargetRef.template.spec"},
]


def container(name: str, *entries: Any, **fields: Any) -> dict[str, Any]:
    return {"name": name, **fields, **({"env": copy.deepcopy(list(entries))} if entries else {})}


def workload(*listed: Any, kind: str = "Deployment", init: Any = (), pod: Any = None, **metadata: Any) -> Any:
    """An object of one of the kinds; ``pod`` is the metadata of its template."""
    version, path = PLACES[kind]
    spec = {"containers": list(listed or [container("web")])}
    if init:
        spec = {"initContainers": list(init), **spec}
    template: Any = {"spec": spec} if pod is None else {"metadata": pod, "spec": spec}
    nested = functools.reduce(lambda inner, key: {key: inner}, reversed(path[:-1]), template)
    return {"apiVersion": version, "kind": kind, "metadata": {"name": "x", "namespace": "tools", **metadata}, **nested}


def envs(obj: Any) -> dict[str, Any]:
    """The name of each container -> its environment."""
    spec = lookup(obj, PLACES[obj["kind"]][1])
    every = [*spec.get("initContainers", []), *spec["containers"]]
    return {one["name"]: one.get("env") for one in every}


def filled(obj: Any, **options: Any) -> list[str]:
    """The containers that have all six variables after a run."""
    return [name for name, entries in envs(apply(workloads, obj, **options)).items() if entries == OURS]


def note(obj: Any) -> Any:
    return lookup(obj, ("metadata", "annotations", NOTE))


# What must not change.


@pytest.mark.parametrize(
    "options", [{}, {"presets": ["flux", "argocd", "clusterAPIProviders"]}], ids=["none", "presets"]
)
@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(workload(), id="nobody asks for it"),
        pytest.param(workload(annotations={"fn.inject-proxy.io/proxy": ""}), id="an empty annotation"),
        pytest.param(workload(container("web", MINE)), id="a proxy of its own"),
        pytest.param(workload(labels="x", annotations=["y"]), id="metadata of a wrong type"),
        pytest.param({**workload(annotations=ASKED), "apiVersion": "example.com/v1"}, id="a kind of another group"),
        pytest.param(workload(kind="Rollout", annotations=ASKED), id="a kind that no option names"),
        pytest.param({"apiVersion": "apps/v1", "kind": "Deployment", "spec": "${SPEC}"}, id="a template"),
        pytest.param(workload(container("manager"), labels={"control-plane": "controller-manager"}), id="an operator"),
    ],
)
def test_what_nothing_chooses_is_untouched(obj: Any, options: Any) -> None:
    assert proposals(workloads, obj, **options) == []
    assert proposals(workloads, obj, NONE, **options) == []


REFUSALS = [
    pytest.param({"fn.inject-proxy.io/proxy": "false"}, id="ours"),
    pytest.param({"policies.kyverno.io/inject-proxy-env": "exclude"}, id="that of kyverno-policies-connectivity"),
    pytest.param({"kubernetes.azure.com/no-http-proxy-vars": "true"}, id="that of AKS"),
    pytest.param({**ASKED, "policies.kyverno.io/inject-proxy-env": "exclude"}, id="beside one that asks for it"),
]


@pytest.mark.parametrize("refusal", REFUSALS)
@pytest.mark.parametrize("place", ["annotations", "pod"])
def test_a_refusal_wins_over_matchers_and_presets(refusal: dict[str, str], place: str) -> None:
    where: Any = {"annotations": refusal} if place == "annotations" else {"pod": {"annotations": refusal}}
    obj = workload(container("manager"), labels={"app.kubernetes.io/part-of": "flux"}, **where)

    assert proposals(workloads, obj, **ALL, presets=["flux"]) == []


@pytest.mark.parametrize("target", ["certManager", "chartOperator"])
def test_a_refusal_holds_for_the_targets_of_known_programs(target: str) -> None:
    name = {"certManager": "cert-manager", "chartOperator": "chart-operator"}[target]
    obj = workload(container(name), labels={"app": name})
    assert target_of(target, obj) != []
    obj["metadata"]["annotations"] = {"fn.inject-proxy.io/proxy": "false"}
    assert target_of(target, obj) == []


def target_of(name: str, obj: Any) -> list[Any]:
    return changes(TARGETS[name], obj)


# Who is chosen.


@pytest.mark.parametrize("kind", PLACES)
@pytest.mark.parametrize(
    ("metadata", "options"),
    [
        pytest.param(
            {"labels": {"needs-proxy": "yes"}}, {"workloads": [{"labels": {"needs-proxy": "yes"}}]}, id="label"
        ),
        pytest.param({"annotations": ASKED}, {}, id="annotation"),
        pytest.param({"labels": {"app.kubernetes.io/part-of": "flux"}}, {"presets": ["flux"]}, id="preset"),
    ],
)
def test_every_kind_gets_the_proxy_and_gives_it_back(kind: str, metadata: Any, options: Any) -> None:
    is_preset = "presets" in options
    obj = workload(container("manager", DEBUG), init=[container("setup")], kind=kind, **metadata)

    done = apply(workloads, obj, customKinds=CUSTOM, **options)

    assert envs(done) == {"setup": None if is_preset else OURS, "manager": [DEBUG, *OURS]}
    assert note(done) == ("manager" if is_preset else "setup,manager")
    assert envs(apply(workloads, done, OTHER, customKinds=CUSTOM, **options))["manager"] == [
        DEBUG,
        *env(OTHER.variables()),
    ]
    assert apply(workloads, done, NONE, customKinds=CUSTOM, **options) == obj


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        pytest.param({"annotations": ASKED}, ["setup", "web", "side"], id="all"),
        pytest.param({"pod": {"annotations": ASKED}}, ["setup", "web", "side"], id="on the pod template"),
        pytest.param({"annotations": {"fn.inject-proxy.io/proxy": "web,setup"}}, ["setup", "web"], id="two names"),
        pytest.param({"annotations": {"fn.inject-proxy.io/proxy": " side ,"}}, ["side"], id="a name with blanks"),
        pytest.param({"annotations": {"config.openshift.io/inject-proxy": "web"}}, ["web"], id="that of OpenShift"),
        pytest.param({}, [], id="none"),
    ],
)
def test_an_annotation_chooses_containers(metadata: Any, expected: list[str]) -> None:
    obj = workload(container("web"), container("side"), init=[container("setup")], **metadata)

    assert filled(obj) == expected


def test_a_list_of_names_wins_over_matchers() -> None:
    obj = workload(container("web"), container("side"), annotations={"fn.inject-proxy.io/proxy": "web"})

    assert filled(obj, **ALL) == ["web"]


def test_a_name_that_no_container_has_is_a_warning() -> None:
    obj = workload(annotations={"fn.inject-proxy.io/proxy": "web,wbe"})

    (said,) = messages(workloads, obj)
    assert said == (
        "an annotation chooses `wbe` for the proxy, and no container or init container has this name: "
        'the annotation must be "true", "false" or names of its containers'
    )
    assert filled(obj) == ["web"]


@pytest.mark.parametrize(
    ("name", "value", "called"),
    [
        pytest.param("fn.inject-proxy.io/proxy", True, "a boolean", id="true, or yes, without quotes"),
        pytest.param("fn.inject-proxy.io/proxy", False, "a boolean", id="false without quotes"),
        pytest.param("fn.inject-proxy.io/proxy", ["web"], "a list", id="a list of names"),
        pytest.param("config.openshift.io/inject-proxy", 1, "a number", id="a number"),
        pytest.param("kubernetes.azure.com/no-http-proxy-vars", True, "a boolean", id="a refusal"),
    ],
)
@pytest.mark.parametrize("place", ["annotations", "pod"])
def test_an_annotation_that_is_no_string_is_a_warning(name: str, value: Any, called: str, place: str) -> None:
    metadata: Any = {"annotations": {name: value}}
    obj = workload(pod=metadata) if place == "pod" else workload(**metadata)
    (found,) = findings(workloads, obj)
    assert (found.severity, found.code, found.path[-2:]) == (
        Severity.WARNING,
        "AnnotationNoString",
        ("annotations", name),
    )
    assert f"must be a string, not {called}: put it in quotes" in found.message
    assert findings(workloads, obj, NONE) == []
    assert changes(workloads, obj) == []


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        pytest.param({"workloads": [{"namespaces": ["too*"]}]}, ["setup", "web", "side"], id="namespace"),
        pytest.param({"workloads": [{"kinds": ["Job"]}]}, [], id="another kind"),
        pytest.param({"workloads": [{"labels": {"app": "shop"}}]}, ["setup", "web", "side"], id="label of the pod"),
        pytest.param({**ALL, "containers": ["s*"]}, ["setup", "side"], id="globs"),
        pytest.param({**ALL, "initContainers": False}, ["web", "side"], id="no init containers"),
        pytest.param({**ALL, "containers": ["s*"], "initContainers": False}, ["side"], id="both"),
    ],
)
def test_matchers_and_globs_choose(options: Any, expected: list[str]) -> None:
    obj = workload(container("web"), container("side"), init=[container("setup")], pod={"labels": {"app": "shop"}})

    assert filled(obj, **options) == expected


# Presets.


@pytest.mark.parametrize(
    ("preset", "obj", "expected"),
    [
        pytest.param(
            "flux",
            workload(container("manager"), container("side"), labels={"app.kubernetes.io/part-of": "flux"}),
            ["manager"],
            id="a controller of Flux",
        ),
        pytest.param(
            "flux",
            workload(container("manager", image="registry.corp.example:5000/fluxcd/source-controller:v1.6@sha256:0")),
            ["manager"],
            id="Flux by its image in a mirror",
        ),
        pytest.param(
            "argocd",
            workload(
                container("argocd-repo-server"),
                init=[container("copyutil")],
                labels={"app.kubernetes.io/part-of": "argocd"},
            ),
            ["argocd-repo-server"],
            id="the repo server of Argo CD",
        ),
        pytest.param(
            "argocd",
            workload(container("argocd-repo-server"), labels={"app.kubernetes.io/name": "argocd-repo-server"}),
            ["argocd-repo-server"],
            id="a part of Argo CD by its name alone",
        ),
        pytest.param(
            "argocd",
            workload(container("application-controller"), labels={"app.kubernetes.io/part-of": "argocd"}),
            ["application-controller"],
            id="Argo CD by its chart",
        ),
        pytest.param(
            "argocd",
            workload(container("redis"), labels={"app.kubernetes.io/part-of": "argocd"}),
            [],
            id="redis of Argo CD",
        ),
        pytest.param(
            "clusterAPIProviders",
            workload(container("manager"), labels={"cluster.x-k8s.io/provider": "infrastructure-aws"}),
            ["manager"],
            id="a released manager",
        ),
        pytest.param(
            "clusterAPIProviders",
            workload(container("manager"), labels={"control-plane": "capo-controller-manager"}),
            ["manager"],
            id="a manager by its label",
        ),
        pytest.param(
            "clusterAPIProviders",
            workload(container("manager", args=["--leader-elect", "--diagnostics-address=${X:=:8443}"])),
            ["manager"],
            id="a manager by a flag of Cluster API",
        ),
        pytest.param(
            "clusterAPIProviders",
            workload(container("manager", image="vmware/cluster-api-provider-cloud-director:v1.4.0")),
            ["manager"],
            id="a manager by its image",
        ),
    ],
)
def test_a_preset_chooses_the_containers_that_need_it(preset: str, obj: Any, expected: list[str]) -> None:
    assert filled(obj, presets=[preset]) == expected
    others = sorted({"flux", "argocd", "clusterAPIProviders"} - {preset})
    assert filled(obj, presets=others) == []


NAMELESS = [
    pytest.param(workload({"image": "x"}, kind="Rollout", annotations=ASKED), "containers[0]", id="the only one"),
    pytest.param(workload({"image": "x"}, annotations=ASKED), "containers[0]", id="a Deployment"),
    pytest.param(
        workload({"image": "x"}, container("web"), {"image": "y"}, init=[{"image": "z"}], annotations=ASKED),
        "initContainers[0],containers[0],web,containers[2]",
        id="several",
    ),
    pytest.param(
        workload(container("web "), container("a, b"), container("5%2C"), annotations=ASKED),
        "web%20,a%2C%20b,5%252C",
        id="names with a blank at the end, a comma and a percent sign, which the API server refuses",
    ),
]


@pytest.mark.parametrize("conflict", ["Unit", "Override"])
@pytest.mark.parametrize(("obj", "noted"), NAMELESS)
def test_a_container_without_a_usable_name_is_noted(obj: Any, noted: str, conflict: str) -> None:
    options = {"conflict": conflict, "customKinds": CUSTOM}
    done = apply(workloads, obj, **options)
    assert note(done) == noted

    changed = apply(workloads, done, OTHER, **options)

    assert changed == apply(workloads, obj, OTHER, **options)
    assert HTTP not in str(changed)
    assert apply(workloads, changed, NONE, **options) == obj


def test_a_container_without_a_name_keeps_the_values_of_its_author() -> None:
    obj = workload({"image": "x", "env": [MINE]}, {"image": "y"}, annotations=ASKED)
    done = apply(workloads, obj)
    assert lookup(done, (*TEMPLATE, "containers", "0")) == {"image": "x", "env": [MINE]}
    assert note(done) == "containers[1]"
    assert apply(workloads, done, NONE) == obj


@pytest.mark.parametrize("target", ["certManager", "chartOperator"])
@pytest.mark.parametrize("options", [ALL, {"presets": ["certManager", "chartOperator"]}], ids=["matcher", "preset"])
def test_the_target_of_a_program_is_the_one_that_writes_it(target: str, options: Any) -> None:
    name = {"certManager": "cert-manager", "chartOperator": "chart-operator"}[target]
    obj = workload(container(name), container("side"), labels={"app": name})
    rest = ["side"] if "workloads" in options else []

    assert filled(obj, **options, owners=["certManager", "chartOperator"]) == rest
    assert filled(obj, **options, owners=[]) == [name, *rest]


def provider(*listed: Any, kind: str = "InfrastructureProvider", **spec: Any) -> Any:
    deployment = {"deployment": {"containers": list(listed)}} if listed else {}
    metadata = {"name": "aws", "namespace": "capa-system"}
    return {
        "apiVersion": "operator.cluster.x-k8s.io/v1alpha2",
        "kind": kind,
        "metadata": metadata,
        "spec": {"version": "v2.8.0", **deployment, **spec},
    }


@pytest.mark.parametrize(
    "kind",
    [f"{name}Provider" for name in ("Addon", "Bootstrap", "ControlPlane", "Core", "Infrastructure", "IPAM")],
)
@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        pytest.param(provider(), [{"name": "manager", "env": OURS}], id="no container is overridden yet"),
        pytest.param(provider(deployment={"replicas": 2}), [{"name": "manager", "env": OURS}], id="other settings"),
        pytest.param(
            provider({"name": "manager", "imageUrl": "x", "env": [DEBUG]}),
            [{"name": "manager", "imageUrl": "x", "env": [DEBUG, *OURS]}],
            id="the manager is overridden",
        ),
        pytest.param(
            provider({"name": "side"}),
            [{"name": "side"}, {"name": "manager", "env": OURS}],
            id="another container is overridden",
        ),
    ],
)
def test_the_manager_of_a_provider_object_gets_the_proxy(kind: str, obj: Any, expected: Any) -> None:
    obj = {**obj, "kind": kind}

    done = apply(workloads, obj, presets=["clusterAPIProviders"])

    assert done["spec"]["deployment"]["containers"] == expected
    assert apply(workloads, done, NONE, presets=["clusterAPIProviders"]) == obj
    assert apply(workloads, done) == obj
    assert proposals(workloads, obj, presets=["flux"]) == []


def test_an_annotation_names_containers_that_a_provider_object_lacks() -> None:
    obj = provider({"name": "manager"})
    obj["metadata"]["annotations"] = {"fn.inject-proxy.io/proxy": "a,b"}

    done = apply(workloads, obj)

    assert done["spec"]["deployment"]["containers"] == [
        {"name": "manager"},
        container("a", *OURS),
        container("b", *OURS),
    ]
    assert apply(workloads, done, NONE) == obj


# Whose values stay.

MODES = [
    pytest.param("Unit", [MINE, DEBUG], [MINE, DEBUG], id="Unit"),
    pytest.param("Override", [OURS[0], DEBUG, *OURS[1:]], [DEBUG], id="Override"),
]


@pytest.mark.parametrize(("conflict", "expected", "removed"), MODES)
def test_a_value_of_ones_own(conflict: str, expected: Any, removed: Any) -> None:
    obj = workload(container("web", MINE, DEBUG), container("side"))

    done = apply(workloads, obj, conflict=conflict, **ALL)

    assert envs(done) == {"web": expected, "side": OURS}
    assert envs(apply(workloads, done, NONE, conflict=conflict, **ALL)) == {"web": removed, "side": None}


UNIT_STAYS = '`conflict` is "Unit"; set it to "Override" to replace them, or remove them'


@pytest.mark.parametrize(
    ("entries", "severity", "what"),
    [
        pytest.param(
            [MINE, SECRET],
            Severity.WARNING,
            "sets `HTTP_PROXY` itself, so it keeps another proxy than the ProxyConfig says",
            id="another proxy, beside one of a Secret",
        ),
        pytest.param(
            [{"name": "http_proxy", "value": "http://svc:pass@mine:1"}],
            Severity.WARNING,
            "sets `http_proxy` itself, so it keeps another proxy than the ProxyConfig says",
            id="another proxy with a password",
        ),
        pytest.param(
            [SECRET],
            Severity.INFO,
            "sets `HTTPS_PROXY` itself, so none of its proxy variables is changed",
            id="a value that the list does not show",
        ),
        pytest.param(
            [{"name": "HTTP_PROXY", "value": "${OLD}"}],
            Severity.INFO,
            "sets `HTTP_PROXY` itself, so none of its proxy variables is changed",
            id="a placeholder",
        ),
        pytest.param(
            [{"name": "HTTP_PROXY", "value": ""}],
            Severity.INFO,
            "sets `HTTP_PROXY` itself, so none of its proxy variables is changed",
            id="no proxy at all",
        ),
        pytest.param(
            [OURS[0], {"name": "NO_PROXY", "value": "mine"}],
            Severity.INFO,
            "sets `NO_PROXY` itself, so none of its proxy variables is changed",
            id="our proxy and another list",
        ),
    ],
)
def test_unit_is_the_default_and_a_line_says_what_stays(entries: Any, severity: Severity, what: str) -> None:
    obj = workload(container("web", *entries))

    (said,) = proposals(workloads, obj, **ALL)

    assert isinstance(said, Finding)
    assert (said.severity, said.code) == (severity, "ValueKept")
    assert said.message == f'container "web" {what}: {UNIT_STAYS}'
    assert proposals(workloads, obj, NONE, **ALL) == []


def test_fail_is_an_error_for_values_that_are_not_ours() -> None:
    mine = workload(container("web", MINE))
    done = apply(workloads, workload(container("web")), conflict="Fail", **ALL)

    assert [one.severity for one in findings(workloads, mine, conflict="Fail", **ALL)] == [Severity.ERROR]
    assert findings(workloads, done, OTHER, conflict="Fail", **ALL) == []
    assert envs(apply(workloads, done, OTHER, conflict="Fail", **ALL)) == {"web": env(OTHER.variables())}


def test_keep_adds_what_is_missing_and_notes_nothing() -> None:
    obj = workload(container("web", MINE))

    done = apply(workloads, obj, ProxySettings(https_proxy=HTTP), conflict="Keep", **ALL)

    assert envs(done) == {"web": [MINE, *env({"HTTPS_PROXY": HTTP, "https_proxy": HTTP})]}
    assert note(done) is None


@pytest.mark.parametrize("conflict", ["Unit", "Override", "Fail", "Keep"])
def test_no_entry_has_a_value_and_a_reference(conflict: str) -> None:
    done = apply(workloads, workload(container("web", SECRET, DEBUG)), conflict=conflict, **ALL)

    assert all(("value" in one) != ("valueFrom" in one) for one in envs(done)["web"])


# What is not chosen any more.


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        pytest.param({"fn.inject-proxy.io/proxy": "false"}, {"web": [DEBUG], "side": None}, id="it refuses"),
        pytest.param({}, {"web": [DEBUG], "side": None}, id="nothing chooses it"),
        pytest.param({"fn.inject-proxy.io/proxy": "side"}, {"web": [DEBUG], "side": OURS}, id="another container"),
    ],
)
def test_what_is_not_chosen_any_more_loses_what_is_ours(change: dict[str, str], expected: Any) -> None:
    obj = workload(container("web", DEBUG), container("side"), annotations={"fn.inject-proxy.io/proxy": "web"})
    done = apply(workloads, obj)
    annotations = done["metadata"]["annotations"]
    done["metadata"]["annotations"] = {NOTE: annotations[NOTE], **change}

    after = apply(workloads, done)

    assert envs(after) == expected
    assert note(after) == ("side" if change.get("fn.inject-proxy.io/proxy") == "side" else None)


def test_a_value_that_a_person_wrote_in_an_unchosen_container_stays() -> None:
    obj = workload(container("web", MINE), container("side"), annotations={NOTE: "side"})

    assert envs(apply(workloads, obj)) == {"web": [MINE], "side": None}


@pytest.mark.parametrize(
    ("obj", "path"),
    [
        pytest.param(workload(annotations=ASKED), "env", id="env"),
        pytest.param(workload(annotations=ASKED), "containers", id="containers"),
    ],
)
def test_a_field_of_a_wrong_type_is_an_error_that_names_it(obj: Any, path: str) -> None:
    obj = copy.deepcopy(obj)
    spec = obj["spec"]["template"]["spec"]
    if path == "env":
        spec["containers"][0]["env"] = "broken"
    else:
        spec["containers"] = "broken"
        obj["metadata"]["annotations"][NOTE] = "web"

    assert [(one.severity, one.path[-1]) for one in findings(workloads, obj)] == [(Severity.ERROR, path)]


@pytest.mark.parametrize(
    ("spec", "path", "wanted"),
    [
        pytest.param({"containers": {"web": {}}}, "containers", "a list, not a mapping", id="a mapping of containers"),
        pytest.param({"containers": ["web"]}, "containers/0", "a mapping, not a string", id="a container is a string"),
        pytest.param(
            {"containers": [{"name": "a", "env": ["A=b"]}]}, "env/0", "a mapping, not a string", id="a variable"
        ),
        pytest.param([], "spec", "a mapping, not a list", id="a list of specifications"),
    ],
)
@pytest.mark.parametrize("by", ["annotation", "matcher"])
def test_a_wrong_type_in_a_chosen_workload_is_an_error_that_names_it(
    spec: Any, path: str, wanted: str, by: str
) -> None:
    obj = workload(**({"annotations": ASKED} if by == "annotation" else {}))
    obj["spec"]["template"]["spec"] = spec
    (found,) = findings(workloads, obj, **(ALL if by == "matcher" else {}))
    assert (found.severity, "/".join(found.path).endswith(path)) == (Severity.ERROR, True)
    assert f"must be {wanted};" in found.message


def test_lint_fixes_the_values_of_a_chosen_container() -> None:
    obj = workload(container("web", {"name": "NO_PROXY", "value": "a, b"}), annotations={**ASKED, NOTE: "web"})
    place = {one.variable: one for one in workloads.TARGET.read(obj, {})}

    draft = Draft(obj)
    TARGETS["workloads"].fix(draft, place, {"NO_PROXY": "a,b"}, {})

    assert envs(draft.data) == {"web": [{"name": "NO_PROXY", "value": "a,b"}]}


# Properties.

NAMES = st.sampled_from([*PROXY_VARIABLES, "PATH", "DEBUG"])
ENTRIES = st.lists(
    st.one_of(
        st.builds(lambda name, value: {"name": name, "value": value}, NAMES, st.sampled_from(["", HTTP, "x"])),
        st.builds(lambda name: {"name": name, "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}, NAMES),
    ),
    min_size=1,
    max_size=8,
)


@given(st.lists(ENTRIES, min_size=1, max_size=3), st.sampled_from(["Unit", "Override", "Keep"]))
def test_six_or_none_and_never_a_value_of_someone_else(lists: list[Any], conflict: str) -> None:
    listed = [container(f"c{at}", *entries) for at, entries in enumerate(lists)]
    done = apply(workloads, workload(*listed), conflict=conflict, **ALL)
    for before, (name, after) in zip(lists, envs(done).items(), strict=True):
        own = [one for one in before if one["name"] in PROXY_VARIABLES and one not in OURS]
        assert [one for one in after if one["name"] not in PROXY_VARIABLES] == [
            one for one in before if one["name"] not in PROXY_VARIABLES
        ]
        if conflict == "Unit" and own:
            assert after == before
        elif conflict == "Keep":
            assert all(one in after for one in before)
        else:
            assert [one for one in after if one["name"] in PROXY_VARIABLES and one not in OURS] == []
            assert (name in note(done).split(",")) is True
        assert all(("value" in one) != ("valueFrom" in one) for one in after)


@given(st.lists(st.lists(st.sampled_from([DEBUG, {"name": "A", "value": "$(B)"}]), max_size=3), min_size=1, max_size=3))
def test_removal_gives_back_what_had_no_proxy(lists: list[Any]) -> None:
    obj = workload(*[container(f"c{at}", *entries) for at, entries in enumerate(lists)])
    for conflict in ("Unit", "Override", "Fail"):
        done = apply(workloads, obj, conflict=conflict, **ALL)
        assert apply(workloads, done, NONE, conflict=conflict, **ALL) == obj
        assert apply(workloads, done, NONE) == obj


# The whole run.


def outcome(spec: dict[str, Any], *items: Any) -> Outcome:
    return run(list_with_config({"httpProxy": HTTP, "httpsProxy": HTTP, "noProxy": [".corp.example"], **spec}, *items))


def ran(spec: dict[str, Any], *items: Any) -> Any:
    return yaml.safe_load(outcome(spec, *items).output)["items"]


def results(spec: dict[str, Any], *items: Any) -> tuple[Result, ...]:
    return outcome(spec, *items).results


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


@pytest.mark.parametrize(
    "policy", [pytest.param({"style": "Verbatim"}, id="as written"), pytest.param({"rooted": False}, id="switched off")]
)
def test_the_user_can_switch_names_with_a_final_dot_off(policy: dict[str, Any]) -> None:
    (flux,) = ran({"noProxyPolicy": policy, "targets": {"workloads": {"presets": ["flux"]}}}, FLUX)

    assert ".svc.cluster.local." not in no_proxy(flux)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        pytest.param({"presets": ["flux"]}, Audience.GO, id="a preset alone"),
        pytest.param({"presets": ["flux"], **ALL}, Audience.POD, id="a matcher, too"),
        pytest.param(ALL, Audience.POD, id="a matcher"),
        pytest.param({}, Audience.POD, id="nothing"),
    ],
)
def test_who_reads_the_list(options: Any, expected: Audience) -> None:
    assert workloads.TARGET.readers(FLUX, options).audience is expected


@pytest.mark.parametrize("mode", ["Inject", "Check"])
def test_another_proxy_that_is_kept_is_the_one_warning_of_every_run(mode: str) -> None:
    obj = workload(container("web", MINE))
    said = results({"mode": mode, "targets": {"workloads": ALL}}, obj)

    about = [one for one in said if one.ref.kind == "Deployment"]
    assert [(one.severity, one.code) for one in about if one.code != "NP038"] == [(Severity.WARNING, "ValueKept")]


def test_a_kind_of_the_options_is_found_in_a_list() -> None:
    rollout = workload(kind="Rollout", annotations=ASKED)
    spec = {"targets": {"workloads": {"customKinds": CUSTOM}}}

    assert envs(ran(spec, rollout)[0])["web"] is not None
    assert ran({}, rollout) == [rollout]


def test_two_targets_never_write_one_container() -> None:
    obj = workload(container("cert-manager-controller"), container("side"), labels={"app": "cert-manager"})
    spec = {"targets": {"workloads": {**ALL, "presets": ["certManager"]}, "certManager": {"conflict": "Override"}}}

    (done,) = ran(spec, obj)
    (alone,) = ran({"targets": {**spec["targets"], "certManager": {"enabled": False}}}, obj)

    assert note(done) == "side"
    assert note(alone) == "cert-manager-controller,side"
    assert [len(entries) for entries in envs(done).values()] == [6, 6]


def test_a_custom_kind_that_a_target_of_its_own_writes_is_left_to_it() -> None:
    given = {
        "apiVersion": "pkg.crossplane.io/v1beta1",
        "kind": "DeploymentRuntimeConfig",
        "metadata": {"name": "x", "annotations": ASKED},
        "spec": {
            "deploymentTemplate": {"spec": {"template": {"spec": {"containers": [container("package-runtime")]}}}}
        },
    }
    path = ".spec.deploymentTemplate.spec.template.spec"
    kinds = [{"group": "pkg.crossplane.io", "kind": "DeploymentRuntimeConfig", "podSpecPath": path}]
    (done,) = ran({"targets": {"workloads": {"customKinds": kinds}}}, given)
    (alone,) = ran({"targets": {"workloads": {"customKinds": kinds}, "crossplane": {"enabled": False}}}, given)

    assert (note(done), note(alone)) == (None, "package-runtime")
    (written,) = lookup(done, (*path[1:].split("."), "containers"))
    assert len(written["env"]) == 6


def test_a_note_about_containers_that_are_gone_is_removed() -> None:
    obj = workload(container("web", MINE), annotations={NOTE: "gone"})
    after = patch.apply(copy.deepcopy(obj), changes(workloads, obj)[0].operations)

    assert "annotations" not in after["metadata"]


def test_each_annotation_that_selects_a_workload_or_marks_it_is_looked_for_in_the_text() -> None:
    hints = workloads.TARGET.hints({})
    assert all(any(hint in name for hint in hints) for name in (*chosen_containers.LISTS, chosen_containers.WRITTEN))
