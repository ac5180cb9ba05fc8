"""Names of templates that follow from their content, references that follow, and what is said of the others."""

from __future__ import annotations

import copy
import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from function_configs import list_with_config
from krm_fn.krm.resourcelist import objects
from krm_fn.krm.results import Severity
from krm_fn.pipeline.outcome import Outcome
from krm_fn.pipeline.run import run
from manifests import kubeadm, named, reference

BASE_NAME = "fn.inject-proxy.io/base-name"
HASHED = re.compile(r"(.+)-[0-9a-f]{10}")
BOOTSTRAP = "bootstrap.cluster.x-k8s.io"


def template(name: str = "workers", spec: Any = None, **metadata: Any) -> dict[str, Any]:
    return kubeadm(spec or {}, name=name, namespace="org", **metadata)


def old_reference(name: str = "workers", **rest: str) -> dict[str, Any]:
    """As v1alpha3 to v1beta1 have it."""
    return reference("KubeadmConfigTemplate", name, **rest)


def new_reference(name: str = "workers") -> dict[str, Any]:
    """As v1beta2 has it."""
    return {"apiGroup": BOOTSTRAP, "kind": "KubeadmConfigTemplate", "name": name}


def user(kind: str = "MachineDeployment", ref: Any = None) -> dict[str, Any]:
    spec = {"template": {"spec": {"bootstrap": {"configRef": ref or old_reference()}}}}
    return named(kind, "user", namespace="org", spec=spec)


def cluster_class() -> dict[str, Any]:
    workers = {"class": "a", "template": {"bootstrap": {"ref": old_reference()}}}
    spec = {
        "controlPlane": {"ref": reference("KubeadmControlPlaneTemplate", "cp")},
        "workers": {"machineDeployments": [workers], "machinePools": [copy.deepcopy(workers)]},
    }
    return named("ClusterClass", "company", namespace="org", spec=spec)


def nested(*items: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "List", "items": list(items)}


def ran(*items: Any, **spec: Any) -> Outcome:
    hashed = {"httpProxy": "http://proxy:1", "rollout": {"hashNames": True}}
    return run(list_with_config({**hashed, **spec}, *items))


def items(outcome: Outcome) -> list[Any]:
    found: list[Any] = json.loads(outcome.output)["items"]
    return found


def names(outcome: Outcome) -> list[str]:
    return [each.data["metadata"]["name"] for item in items(outcome) for each in objects(item)]


def reported(outcome: Outcome, part: str) -> list[tuple[Severity, str]]:
    return [(one.severity, f"{one.ref.kind}/{one.ref.name}") for one in outcome.results if part in one.message]


LOCAL = {"annotations": {"config.kubernetes.io/local-config": "true"}}
OFF = ["nodes.containerd", "nodes.kubelet", "nodes.commands"]


SOPS = {"sops": {"mac": "x", "version": "3.9.0"}}
HELD = template(spec={"preKubeadmCommands": ["export HTTP_PROXY='http://p:1'"]})


# What must not change.


@pytest.mark.parametrize(
    ("found", "spec"),
    [
        pytest.param(template(annotations=[1]), {}, id="there is no place for the former name"),
        pytest.param(template(), {"selector": {"exclude": [{"names": ["workers"]}]}}, id="the template is left out"),
        pytest.param(template(**LOCAL), {}, id="the template stays in the repository"),
    ],
)
def test_no_name_changes(found: dict[str, Any], spec: dict[str, Any]) -> None:
    outcome = ran(found, user(), **spec)
    assert names(outcome) == ["workers", "user"]
    assert items(outcome)[1] == user()


def test_an_error_elsewhere_leaves_all_names() -> None:
    broken = {**template("broken"), "spec": {"template": {"spec": 7}}}
    outcome = ran(template(), user(), broken)
    assert outcome.exit_code == 1
    assert items(outcome) == [template(), user(), broken]
    assert reported(outcome, "new name") == []


def test_a_template_is_renamed_beside_a_text_that_looks_like_code_of_ytt() -> None:
    text = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"a": "#@ no code\n"}}
    (found,) = items(ran(nested(template(), user(), text)))
    assert HASHED.fullmatch(found["items"][0]["metadata"]["name"])


def test_a_name_that_another_template_has_is_not_taken() -> None:
    hashed = names(ran(template(), user()))[0]
    rival = template(hashed, **LOCAL)
    outcome = ran(template(), user(), rival)
    assert names(outcome) == ["workers", "user", hashed]
    assert reported(outcome, "another object has the name") == [(Severity.WARNING, "KubeadmConfigTemplate/workers")]


def test_a_template_keeps_its_name_beside_a_patch_of_it_in_another_file() -> None:
    base = in_file("base.yaml", template(), "org")
    patch = in_file("patch.yaml", template(spec={"verbosity": 4}), "org")
    network = {"pods": {"cidrBlocks": ["10.1.0.0/16"]}, "services": {"cidrBlocks": ["10.2.0.0/16"]}}
    whole = {**user(), "spec": {**user()["spec"], "clusterName": "one"}}
    once = ran({**CLUSTER, "spec": {"clusterNetwork": network}}, OTHER_CLUSTER, base, patch, whole)
    assert names(once) == ["one", "other", "workers", "workers", "user"]
    assert "10.1.0.0/16" in json.dumps(items(once)[3])
    assert reported(once, 'another object in patch.yaml has the name "workers"')
    assert items(ran(*items(once))) == items(once)


def in_file(file: str, data: dict[str, Any], namespace: str = "") -> dict[str, Any]:
    metadata = {**data["metadata"], "namespace": namespace, "annotations": {"config.kubernetes.io/path": file}}
    return {**data, "metadata": {key: value for key, value in metadata.items() if value}}


@pytest.mark.parametrize(
    ("files", "namespace"),
    [
        pytest.param(("a.yaml", "a.yaml", "a.yaml"), "west", id="in one file, with a namespace"),
        pytest.param(("a.yaml", "a.yaml", "b.yaml"), "west", id="in another file, with a namespace"),
        pytest.param(("a/md.yaml", "a/t.yaml", "b/t.yaml"), "west", id="in another folder, with a namespace"),
    ],
)
def test_an_unused_template_of_another_namespace_keeps_no_name(files: tuple[str, str, str], namespace: str) -> None:
    user_file, file, other_file = files
    listed = [
        in_file(user_file, user()),
        in_file(file, template()),
        in_file(other_file, template(), namespace),
    ]
    once = ran(*listed)
    assert HASHED.fullmatch(names(once)[1])
    assert names(once)[2] == "workers"
    assert reported(once, "no object of the list refers to it") == [(Severity.WARNING, "KubeadmConfigTemplate/workers")]
    assert items(ran(*items(once), mode="Remove")) == items(ran(*listed, mode="Remove"))


@pytest.mark.parametrize(
    "files",
    [
        pytest.param(["east.yaml", "east.yaml", "west.yaml", "west.yaml"], id="in two files"),
        pytest.param(["e/md.yaml", "e/md.yaml", "w/md.yaml", "w/md.yaml"], id="in two folders"),
        pytest.param(["e/md.yaml", "e/t.yaml", "w/md.yaml", "w/t.yaml"], id="each object in a file of its own"),
        pytest.param(["e/md/a.yaml", "e/t/a.yaml", "w/md/a.yaml", "w/t/a.yaml"], id="each in a folder of its own"),
    ],
)
def test_a_removal_gives_the_names_back_beside_a_namesake_of_another_cluster(files: list[str]) -> None:
    listed = []
    for name, user_file, file in (("east", *files[:2]), ("west", *files[2:])):
        spec = {**user()["spec"], "clusterName": name}
        listed += [in_file(user_file, {**user(), "spec": spec}), in_file(file, template())]
    overrides = [{"match": {"clusters": ["west"]}, "disabled": True}]
    once = ran(*listed, overrides=overrides)
    assert HASHED.fullmatch(names(once)[1])
    assert names(once)[3] == "workers"
    assert items(ran(*items(once), mode="Remove", overrides=overrides)) == listed


@pytest.mark.parametrize(
    ("found", "reported_of"),
    [
        pytest.param([{**HELD, **SOPS}, user()], 'KubeadmConfigTemplate "workers"', id="the template"),
        pytest.param([HELD, {**user(), **SOPS}], 'MachineDeployment "user"', id="what refers to it"),
    ],
)
def test_what_is_encrypted_is_not_edited_and_its_template_keeps_its_name(found: list[Any], reported_of: str) -> None:
    outcome = ran(*copy.deepcopy(found))
    message = f"keeps its name, because {reported_of} is encrypted by SOPS: decrypt it first"
    assert reported(outcome, message) == [(Severity.WARNING, "KubeadmConfigTemplate/workers")]
    before = [each.data for item in found for each in objects(item)]
    after = [each.data for item in items(outcome) for each in objects(item)]
    assert [one["metadata"] for one in after] == [one["metadata"] for one in before]
    assert all(one in after for one in before if one != HELD)


@pytest.mark.parametrize(("length", "is_hashed"), [(242, True), (243, False)])
def test_a_name_with_its_hash_is_not_longer_than_kubernetes_allows(length: int, is_hashed: bool) -> None:
    name = "a" * length
    outcome = ran(template(name), user(ref=old_reference(name)))
    assert (names(outcome)[0] != name) == is_hashed
    assert bool(reported(outcome, "too long for a hash")) != is_hashed


# What comes out.

NAMED_IN = [
    *(pytest.param(template(), user(kind), id=kind) for kind in ("MachineDeployment", "MachineSet", "MachinePool")),
    pytest.param(template(), cluster_class(), id="a class of v1beta1"),
    pytest.param(
        template(),
        {**user(), "spec": {}} | {"metadata": {"name": "x", "namespace": "org", "ownerReferences": [old_reference()]}},
        id="an owner reference",
    ),
    pytest.param(
        template(),
        {"apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization", "metadata": {"name": "x"}}
        | {"spec": {"healthChecks": [old_reference(namespace="org")]}},
        id="a kind that is not of Cluster API",
    ),
]


@pytest.mark.parametrize(("found", "other"), NAMED_IN)
def test_every_reference_follows(found: dict[str, Any], other: dict[str, Any]) -> None:
    outcome = ran(found, other)
    (hashed,) = (match[0] for name in names(outcome) if (match := HASHED.fullmatch(name)))
    before, after = json.dumps(other), json.dumps(items(outcome)[1])
    assert hashed.startswith("workers-")
    assert after == before.replace('"name": "workers"', f'"name": "{hashed}"')
    assert outcome.exit_code == 0


def test_other_content_gets_another_name_with_one_hash() -> None:
    once = items(ran(template(), user()))
    other = ran(*once, httpProxy="http://other:1")
    assert other.changed == 2
    assert names(other)[0] != once[0]["metadata"]["name"]
    assert names(other) == names(ran(template(), user(), httpProxy="http://other:1"))
    assert items(other)[0]["metadata"]["annotations"] == {BASE_NAME: "workers"}


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param({"mode": "Remove"}, id="removal"),
        pytest.param({"overrides": [{"match": {"targets": OFF}, "disabled": True}]}, id="no proxy any more"),
    ],
)
@pytest.mark.parametrize("notes", [{}, {"annotations": {"example.com/a": "b"}}], ids=["alone", "beside another"])
def test_what_holds_nothing_any_more_is_called_what_it_was(spec: dict[str, Any], notes: dict[str, Any]) -> None:
    once = items(ran(template(**notes), user()))
    assert items(ran(*once, **spec)) == [template(**notes), user()]


def test_the_selector_knows_a_template_by_its_base_name() -> None:
    wish = {"selector": {"include": [{"names": ["workers"]}]}}
    once = ran(template(), user(), **wish)
    other = ran(*items(once), httpProxy="http://other:1", **wish)
    assert "http://other:1" in json.dumps(items(other)[0])
    assert items(ran(*items(once), mode="Remove", **wish)) == [template(), user()]


def test_a_check_tells_of_each_name_and_changes_none() -> None:
    outcome = ran(template(), user(), mode="Check")
    assert items(outcome) == [template(), user()]
    assert reported(outcome, "renamed to ") == [(Severity.ERROR, "KubeadmConfigTemplate/workers")]
    assert reported(outcome, "by its new name") == [(Severity.ERROR, "MachineDeployment/user")]
    assert ran(*items(ran(template(), user())), mode="Check").exit_code == 0


PLANE_SPEC = {"template": {"spec": {"kubeadmConfigSpec": {}}}}
SECRET = named(
    "Secret",
    "one-systemd-proxy",
    namespace="org",
    stringData={"containerdProxy": '[Service]\nEnvironment="HTTP_PROXY=http://old:1"\n'},
)
IN_SECRET = {"nodes": {"containerd": {"content": "Secret"}, "kubelet": False, "commands": False}}
MEMBER = {"labels": {"cluster.x-k8s.io/cluster-name": "one"}}
CLUSTER = named("Cluster", "one", namespace="org")
OTHER_CLUSTER = {**CLUSTER, "metadata": {"name": "other", "namespace": "org"}}


# What is said where names stay.


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        pytest.param([template(), cluster_class()], [], id="a class carries the content of workers on"),
        pytest.param([template(), user()], ["MachineDeployment/user"], id="a MachineDeployment"),
        pytest.param(
            [named("KubeadmControlPlaneTemplate", "cp", namespace="org", spec=PLANE_SPEC), cluster_class()],
            ["KubeadmControlPlaneTemplate/cp"],
            id="the control plane of a class",
        ),
        pytest.param([CLUSTER, SECRET, template(**MEMBER), user()], ["MachineDeployment/user"], id="beside its Secret"),
    ],
)
@pytest.mark.parametrize(
    ("rollout", "severity"),
    [
        pytest.param({}, Severity.WARNING, id="not decided"),
        pytest.param({"hashNames": False}, Severity.INFO, id="decided"),
    ],
)
def test_what_will_not_be_rolled_is_said_once(
    found: list[Any], expected: list[str], rollout: dict[str, Any], severity: Severity
) -> None:
    outcome = ran(*found, rollout=rollout)
    assert reported(outcome, "`spec.rollout.hashNames: true`") == [(severity, name) for name in expected]
    again = ran(*items(outcome), rollout=rollout)
    assert reported(again, "`spec.rollout.hashNames: true`") == []


# The Secret with the drop-ins of a Cluster.


FIELD = ("spec", "kubeadmConfigSpec", "files", "0", "contentFrom", "secret", "name")


def control_plane(*files: Any) -> dict[str, Any]:
    return kubeadm({"files": [*files]} if files else {}, "KubeadmControlPlane", "one-cp", namespace="org", **MEMBER)


def file(path: str = "/etc/systemd/system/containerd.service.d/http-proxy.conf", key: str = "containerdProxy") -> Any:
    return {"path": path, "contentFrom": {"secret": {"name": "one-systemd-proxy", "key": key}}}


def secrets_of(item: Any) -> list[str]:
    return re.findall(r'"secret": {"name": "([^"]+)"', json.dumps(item))


def test_a_secret_that_is_made_has_its_hash_at_once_and_is_made_once() -> None:
    generate = {**IN_SECRET, "giantswarm": {"generate": ["systemdProxy"]}}
    before = [CLUSTER, control_plane()]
    once = items(ran(*before, targets=generate))
    (made,) = (item for item in once if item["kind"] == "Secret")
    assert HASHED.fullmatch(made["metadata"]["name"])
    assert secrets_of(once[1]) == [made["metadata"]["name"]]
    other = items(ran(*once, targets=generate, httpProxy="http://other:1"))
    assert [item["kind"] for item in other].count("Secret") == 1
    assert items(ran(*once, targets=generate, mode="Remove")) == before


@pytest.mark.parametrize(("hashed", "severity"), [(None, Severity.WARNING), (False, Severity.INFO)])
@pytest.mark.parametrize("holder", [control_plane(file()), template(spec={"files": [file()]}, **MEMBER)])
def test_nodes_that_keep_an_old_secret_are_reported(holder: Any, hashed: bool | None, severity: Severity) -> None:
    rollout = {} if hashed is None else {"hashNames": hashed}
    outcome = ran(CLUSTER, SECRET, holder, targets=IN_SECRET, rollout=rollout)
    kept = [result for result in outcome.results if result.code == "NodesKept"]
    assert [(result.severity, result.path[-1]) for result in kept] == [(severity, FIELD[-1])]
    again = ran(*items(outcome), targets=IN_SECRET, rollout=rollout)
    assert [result.code for result in again.results if result.code == "NodesKept"] == []


EXTERNAL = {"apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret"} | {
    "metadata": {"name": "x", "namespace": "org"},
    "spec": {"target": {"name": "one-systemd-proxy"}},
}


@pytest.mark.parametrize(
    ("others", "paths"),
    [
        pytest.param([], [FIELD], id="no Secret"),
        pytest.param([SECRET], [], id="the Secret"),
        pytest.param([EXTERNAL], [], id="an ExternalSecret of another name"),
    ],
)
def test_a_reference_to_a_secret_neither_there_nor_made_is_named(others: list[Any], paths: list[Any]) -> None:
    outcome = ran(CLUSTER, *others, control_plane(), targets=IN_SECRET)
    assert [result.path for result in outcome.results if result.code == "SecretMissing"] == paths
    assert outcome.changes


# All lists.

SHAPES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from(["workers", "", "KubeadmConfigTemplate", BOOTSTRAP + "/v1"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["name", "kind", "apiVersion", "apiGroup", "namespace", "metadata", "annotations", BASE_NAME, "spec"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)


@given(SHAPES, SHAPES, SHAPES)
def test_no_shape_of_metadata_or_reference_is_too_odd(metadata: Any, notes: Any, ref: Any) -> None:
    templates = [{**template(), "metadata": metadata}, template("b", annotations=notes)]
    outcome = ran(*templates, user(ref=ref), user(ref={"x": ref}))
    assert len(items(outcome)) == 4
    assert run(outcome.output).output == outcome.output


NAMES = ["a", "a-b", "a-0123456789", "b"]


@given(
    st.lists(st.sampled_from(NAMES), unique=True),
    st.lists(st.tuples(st.sampled_from(NAMES), st.booleans()), max_size=5),
    st.booleans(),
)
def test_no_reference_to_a_template_is_lost(there: list[str], refers: list[tuple[str, bool]], is_nested: bool) -> None:
    templates = [template(name, {"preKubeadmCommands": [f"echo {name}"]}) for name in there]
    users = [user(ref=(new_reference if is_new else old_reference)(name)) for name, is_new in refers]
    found = [nested(*templates, *users)] if is_nested else [*templates, *users]
    for spec in ({}, {"httpProxy": "http://other:1"}, {"rollout": {}}, {"mode": "Remove"}):
        outcome = ran(*found, **spec)
        found = items(outcome)
        called = names(outcome)[: len(there)]
        data = [each.data for item in found for each in objects(item)][len(there) :]
        targets = [one["spec"]["template"]["spec"]["bootstrap"]["configRef"]["name"] for one in data]
        assert targets == [dict(zip(there, called, strict=True)).get(name, name) for name, _ in refers]
        assert len({*called}) == len(there)
    assert found == ([nested(*templates, *users)] if is_nested else [*templates, *users])
