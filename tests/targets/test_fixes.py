"""Other values for what is in an object already: each kind of place, edited where it is."""

from __future__ import annotations

import base64
import copy
import json
from collections.abc import Mapping
from typing import Any

import pytest

from krm_fn import patch
from krm_fn.carriers.env_list import correct, read_all_containers
from krm_fn.carriers.unit_corrections import meant, without_strays
from krm_fn.engine import Draft
from krm_fn.lint.objects import places
from krm_fn.settings import PROXY_VARIABLES
from krm_fn.targets import TARGETS

OLD, NEW = "http://old.corp.example:8080", "http://new.corp.example:3128"
FILE = "/etc/systemd/system/containerd.service.d/http-proxy.conf"
RIVAL = "/etc/systemd/system/containerd.service.d/99-proxy.conf"
Env = list[dict[str, Any]]


def pod(*containers: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Pod", "spec": {"containers": list(containers)}}


def env(**values: str) -> Env:
    return [{"name": name, "value": value} for name, value in values.items()]


def node(content: str, **entry: Any) -> dict[str, Any]:
    file = {"path": FILE, "content": content, **entry}
    return {"apiVersion": "bootstrap.cluster.x-k8s.io/v1beta1", "kind": "KubeadmConfig", "spec": {"files": [file]}}


def commands(*texts: Any) -> dict[str, Any]:
    return {
        "apiVersion": "bootstrap.cluster.x-k8s.io/v1beta1",
        "kind": "KubeadmConfig",
        "spec": {"preKubeadmCommands": list(texts)},
    }


def policy(entries: Env, context: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    body = {"spec": {"containers": [{"(name)": "*", "env": entries}]}}
    rule = {"name": "r", "context": context or [], "mutate": {"patchStrategicMerge": body}}
    return {"apiVersion": "kyverno.io/v1", "kind": "ClusterPolicy", "spec": {"rules": [rule]}}


def written(obj: dict[str, Any], target: str, values: Mapping[str, str | None]) -> dict[str, Any]:
    """The object after the first place that the target sees got other values; the first stays as it was."""
    before = copy.deepcopy(obj)
    seen = TARGETS[target].read(obj, {}) if target else read_all_containers(obj)
    (place, *_) = places(seen)
    draft = Draft(obj)
    if target:
        TARGETS[target].fix(draft, place, values, {})
    else:
        correct(draft, place, values)
    assert obj == before
    assert patch.apply(copy.deepcopy(obj), draft.operations()) == draft.data
    return dict(draft.data)


def env_of(obj: dict[str, Any]) -> Env:
    found: Env = obj["spec"]["containers"][0]["env"]
    return found


# what stays as it is


@pytest.mark.parametrize(
    ("target", "obj"),
    [
        pytest.param("", pod({"name": "a", "env": env(HTTP_PROXY=OLD)}), id="a container"),
        pytest.param("containerdDropIn", node(f"[Service]\nEnvironment=HTTP_PROXY={OLD}\n"), id="a drop-in"),
        pytest.param("kubeadmCommands", commands(f"export HTTP_PROXY={OLD}"), id="an export"),
        pytest.param("kyvernoPolicies", policy(env(HTTP_PROXY=OLD)), id="a policy"),
    ],
)
def test_no_values_are_no_operations(target: str, obj: dict[str, Any]) -> None:
    assert written(obj, target, {}) == obj


@pytest.mark.parametrize(
    ("target", "obj", "values"),
    [
        pytest.param(
            "giantswarmChartValues",
            {"kind": "HelmRelease", "spec": {"chartRef": {"name": "dex-app"}, "values": {"proxy": {"http": OLD}}}},
            {"HTTP_PROXY": NEW},
            id="a place whose target has no editor",
        ),
        pytest.param(
            "containerdDropIn",
            node(f"[Service] # x\nEnvironment=NO_PROXY=a b HTTP_PROXY={OLD}\n"),
            {"HTTP_PROXY": NEW},
            id="a drop-in with a section header that systemd rejects",
        ),
        pytest.param(
            "containerdDropIn",
            node("", contentFrom={"secret": {"name": "a", "key": "b"}}),
            {"HTTP_PROXY": NEW},
            id="a drop-in whose content stands elsewhere",
        ),
        pytest.param(
            "containerdDropIn",
            node("[Service]\nEnvironment=HTTP_PROXY={{ ds.proxy }}\nEnvironment=NO_PROXY=a\n"),
            {"NO_PROXY": "b"},
            id="a drop-in that cloud-init renders",
        ),
        pytest.param(
            "containerdDropIn",
            node("[Service]\nEnvironment=NO_PROXY=a\n"),
            {"NO_PROXY": "a\nb"},
            id="a value that no unit file can carry",
        ),
        pytest.param(
            "kubeadmCommands",
            commands(f"export HTTP_PROXY={OLD}; systemctl restart x"),
            {"HTTP_PROXY": NEW},
            id="a command that does more",
        ),
        pytest.param(
            "kubeadmCommands",
            commands("export HTTP_PROXY=$PROXY NO_PROXY=a"),
            {"NO_PROXY": "b"},
            id="a command with a value that the shell expands",
        ),
        pytest.param(
            "kubeadmCommands",
            commands("export NO_PROXY=a", "if true; then export NO_PROXY=b; fi"),
            {"NO_PROXY": "c"},
            id="an export that another command overrules",
        ),
        pytest.param("kyvernoPolicies", policy(env(HTTP_PROXY=OLD)), {"http_proxy": OLD}, id="a twin of a policy"),
        pytest.param(
            "",
            pod({"name": "a", "env": env(HTTP_PROXY=OLD), "envFrom": [{"secretRef": {"name": "x"}}]}),
            {"NO_PROXY": "a"},
            id="a variable that `envFrom` may set",
        ),
    ],
)
def test_what_is_not_understood_is_not_written(target: str, obj: dict[str, Any], values: dict[str, str | None]) -> None:
    assert written(obj, target, values) == obj


# containers


def test_values_change_in_place_and_new_variables_stand_at_the_end() -> None:
    old = [*env(A="1", NO_PROXY="x"), {"name": "B", "valueFrom": {}}, *env(HTTP_PROXY=OLD)]
    new = env_of(written(pod({"name": "a", "env": old}), "", {"NO_PROXY": "x$y", "no_proxy": "x$y"}))
    changed = {"name": "NO_PROXY", "value": "x$$y"}
    assert new == [old[0], changed, *old[2:], {"name": "no_proxy", "value": "x$$y"}]


def test_an_entry_without_a_value_gets_one() -> None:
    assert env_of(written(pod({"env": [{"name": "NO_PROXY"}]}), "", {"NO_PROXY": "a"})) == env(NO_PROXY="a")


def test_the_twin_of_an_unknown_value_has_the_same_source() -> None:
    source = {"secretKeyRef": {"name": "proxy", "key": "url"}}
    new = env_of(written(pod({"env": [{"name": "HTTP_PROXY", "valueFrom": source}]}), "", {"http_proxy": None}))
    assert new == [{"name": "HTTP_PROXY", "valueFrom": source}, {"name": "http_proxy", "valueFrom": source}]


def test_of_a_repeated_name_the_one_that_counts_changes() -> None:
    old = [*env(NO_PROXY="first"), *env(NO_PROXY="last")]
    assert env_of(written(pod({"env": old}), "", {"NO_PROXY": "new"})) == [*env(NO_PROXY="first"), *env(NO_PROXY="new")]


@pytest.mark.parametrize(
    ("group_kind", "path"),
    [
        pytest.param(("", "Pod"), ("spec",), id="Pod"),
        pytest.param(("apps", "Deployment"), ("spec", "template", "spec"), id="Deployment"),
        pytest.param(("extensions", "Deployment"), ("spec", "template", "spec"), id="an old Deployment"),
        pytest.param(("apps", "StatefulSet"), ("spec", "template", "spec"), id="StatefulSet"),
        pytest.param(("apps", "DaemonSet"), ("spec", "template", "spec"), id="DaemonSet"),
        pytest.param(("apps", "ReplicaSet"), ("spec", "template", "spec"), id="ReplicaSet"),
        pytest.param(("batch", "Job"), ("spec", "template", "spec"), id="Job"),
        pytest.param(("batch", "CronJob"), ("spec", "jobTemplate", "spec", "template", "spec"), id="CronJob"),
    ],
)
@pytest.mark.parametrize("field", ["containers", "initContainers", "ephemeralContainers"])
def test_every_workload_is_seen(group_kind: tuple[str, str], path: tuple[str, ...], field: str) -> None:
    group, kind = group_kind
    data: Any = {field: [{"name": "a", "env": env(HTTP_PROXY=OLD, OTHER="x")}]}
    for token in reversed(path):
        data = {token: data}
    version = f"{group}/v1" if group else "v1"
    (one,) = read_all_containers({"apiVersion": version, "kind": kind, **data})
    assert (one.variable, one.value, one.path) == ("HTTP_PROXY", OLD, (*path, field, "0", "env", "0", "value"))


@pytest.mark.parametrize("spec", [None, [], "x", {"containers": None}, {"containers": [1, {"env": "x"}, {"env": [2]}]}])
def test_a_workload_of_any_shape_is_looked_at_without_raising(spec: Any) -> None:
    assert list(read_all_containers({"apiVersion": "v1", "kind": "Pod", "spec": spec})) == []


# drop-ins


@pytest.mark.parametrize(
    ("old", "values", "new"),
    [
        pytest.param(
            "[Service]\nNice=1\nEnvironment=NO_PROXY=a\n",
            {"NO_PROXY": "b"},
            '[Service]\nNice=1\nEnvironment="NO_PROXY=b"\n',
            id="other lines stay",
        ),
        pytest.param(
            "[Service]\nEnvironment=NO_PROXY=a\n",
            {"no_proxy": "a"},
            '[Service]\nEnvironment=NO_PROXY=a\nEnvironment="no_proxy=a"\n',
            id="a twin stands behind it",
        ),
        pytest.param(
            "[Service]\nEnvironment=HTTP_PROXY= NO_PROXY=a\n",
            {"NO_PROXY": "b"},
            '[Service]\nEnvironment=HTTP_PROXY= "NO_PROXY=b"\n',
            id="an empty variable stays",
        ),
        pytest.param(
            "[Service]\nEnvironment=NO_PROXY=a, b  A=1\n",
            {"NO_PROXY": "a,b"},
            '[Service]\nEnvironment="NO_PROXY=a,b"  A=1\n',
            id="what systemd ignored goes",
        ),
        pytest.param(
            "[Service]\nEnvironment=NO_PROXY=a, b",
            {"NO_PROXY": "a,b"},
            '[Service]\nEnvironment="NO_PROXY=a,b"',
            id="what systemd ignored goes at the end of the text, too",
        ),
        pytest.param(
            '[Service]\nEnvironment="HTTP_PROXY=http://u:p%40@h:1" NO_PROXY=a',
            {"HTTP_PROXY": "http://u:p%40@h:1"},
            '[Service]\nEnvironment="HTTP_PROXY=http://u:p%%40@h:1" NO_PROXY=a',
            id="a percent is doubled, and no line break added",
        ),
    ],
)
@pytest.mark.parametrize("encoding", [None, "base64"])
def test_a_drop_in_is_edited_in_its_own_encoding(
    old: str, values: dict[str, str | None], new: str, encoding: str | None
) -> None:
    entry = {"encoding": encoding} if encoding else {}
    content = base64.b64encode(old.encode()).decode() if encoding else old
    (file,) = written(node(content, **entry), "containerdDropIn", values)["spec"]["files"]
    assert (base64.b64decode(file["content"]).decode() if encoding else file["content"]) == new
    assert {key: value for key, value in file.items() if key != "content"} == {"path": FILE, **entry}


def test_the_drop_in_of_another_author_is_edited_too() -> None:
    obj = node("[Service]\nEnvironment=NO_PROXY=a\n", path=RIVAL)
    (file,) = written(obj, "containerdDropIn", {"NO_PROXY": "b"})["spec"]["files"]
    assert file["content"] == '[Service]\nEnvironment="NO_PROXY=b"\n'


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        pytest.param("NO_PROXY=a", "NO_PROXY", "a", id="what systemd reads"),
        pytest.param('"NO_PROXY=a%%b"', "NO_PROXY", "a%b", id="a doubled percent"),
        pytest.param('"HTTP_PROXY=http://u:%40%%41@h"', "HTTP_PROXY", "http://u:%40%41@h", id="single and doubled"),
        pytest.param("NO_PROXY=a, b c A=1 d", "NO_PROXY", "a, b c", id="blanks without quotes"),
        pytest.param("A=1 NO_PROXY=a b", "NO_PROXY", "a b", id="behind another assignment"),
        pytest.param(r'"NO_PROXY=a\q"', "NO_PROXY", r"a\q", id="an escape that is none"),
        pytest.param('"NO_PROXY=a" # b', "NO_PROXY", "a", id="what looks like a comment"),
        pytest.param("NO_PROXY=a # b", "NO_PROXY", "a", id="what looks like a comment without quotes"),
        pytest.param('"NO_PROXY=a,b', "NO_PROXY", "a,b", id="an open quote"),
        pytest.param('"NO_PROXY=a b', "NO_PROXY", None, id="an open quote and a blank"),
        pytest.param('"NO_PROXY=a A=b', "NO_PROXY", None, id="an open quote around two assignments"),
        pytest.param(r'"NO_PROXY=a\q{{ b }}"', "NO_PROXY", None, id="a template"),
    ],
)
def test_what_the_author_meant(line: str, name: str, value: str | None) -> None:
    seen = TARGETS["containerdDropIn"].read(node(f"[Service]\nEnvironment={line}\n"), {})
    (one,) = (meant(one) for one in seen if one.variable == name)
    assert one.value == value
    assert one.is_lost == (value is None)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[Service]\nEnvironment=A=1 b\n",
        "[Service]\nEnvironment=NO_PROXY=a B=1 c\n",
        "[Service]\nExecStart=/bin/x NO_PROXY=a b",
        "[Unit]\nEnvironment=NO_PROXY=a b\n",
        '[Service]\nEnvironment="NO_PROXY=a b" # c\n',
        "[Service]\nEnvironment=NO_PROXY=a # b\n",
        "[Service]\nEnvironment=NO_PROXY=a {{ b }}\n",
    ],
)
def test_only_words_behind_a_proxy_variable_are_strays(text: str) -> None:
    assert without_strays(text) == text


# commands


@pytest.mark.parametrize(
    ("old", "values", "new"),
    [
        pytest.param(
            ["hostname x", "export NO_PROXY=a", "true"],
            {"NO_PROXY": "b"},
            ["hostname x", "export NO_PROXY='b'", "true"],
            id="in its place",
        ),
        pytest.param(
            ["export HTTP_PROXY=a NO_PROXY=b"],
            {"NO_PROXY": "c"},
            ["export HTTP_PROXY=a NO_PROXY='c'"],
            id="beside another variable",
        ),
        pytest.param(
            ["export NO_PROXY=a", "true"],
            {"no_proxy": "a"},
            ["export NO_PROXY=a", "true", "export no_proxy='a'"],
            id="a twin at the end",
        ),
        pytest.param(
            [f"export HTTP_PROXY={OLD}"],
            {"NO_PROXY": "a", "no_proxy": "a"},
            [f"export HTTP_PROXY={OLD}", "export NO_PROXY='a'", "export no_proxy='a'"],
            id="a list that was missing",
        ),
        pytest.param(
            ["export HTTP_PROXY=$X", "export NO_PROXY=a", "apt update"],
            {"NO_PROXY": "b"},
            ["export HTTP_PROXY=$X", "export NO_PROXY='b'", "apt update"],
            id="a command that is not understood stands beside it",
        ),
        pytest.param(
            [7, None, "export NO_PROXY=a"], {"NO_PROXY": "b"}, [7, None, "export NO_PROXY='b'"], id="no commands"
        ),
    ],
)
def test_exports_are_edited_and_no_restart_is_added(old: list[Any], values: Any, new: list[Any]) -> None:
    assert written(commands(*old), "kubeadmCommands", values)["spec"]["preKubeadmCommands"] == new


# policies


@pytest.mark.parametrize(
    ("old", "value", "new"),
    [
        pytest.param("a", "b", "b", id="a text"),
        pytest.param("a,{{ x }}", "b", "b,{{ x }}", id="what Kyverno computes stays"),
        pytest.param("a", "b$c", "b$$c", id="a dollar is doubled"),
    ],
)
def test_the_value_of_a_policy_is_edited(old: str, value: str, new: str) -> None:
    assert written(policy(env(NO_PROXY=old)), "kyvernoPolicies", {"NO_PROXY": value}) == policy(env(NO_PROXY=new))


def test_a_context_variable_is_edited_once() -> None:
    context = [{"name": "list", "variable": {"value": "a"}}]
    obj = policy(env(NO_PROXY="{{ list }}", no_proxy="{{ list }}"), context)
    new = written(obj, "kyvernoPolicies", {"NO_PROXY": "b", "no_proxy": "b"})
    assert new == policy(
        env(NO_PROXY="{{ list }}", no_proxy="{{ list }}"), [{"name": "list", "variable": {"value": "b"}}]
    )


@pytest.mark.parametrize("key", ["value", "values.yaml"])
def test_a_text_around_a_policy_stays_as_it_is(key: str) -> None:
    text = json.dumps(policy(env(NO_PROXY="a")))
    obj = {"apiVersion": "v1", "kind": "ConfigMap", "data": {key: text}}
    assert written(obj, "kyvernoPolicies", {"NO_PROXY": "b"}) == obj


def test_a_policy_that_is_a_part_of_another_object_is_edited() -> None:
    def release(value: str) -> dict[str, Any]:
        values = {"extraObjects": [policy(env(NO_PROXY=value))]}
        return {"apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease", "spec": {"values": values}}

    assert written(release("a"), "kyvernoPolicies", {"NO_PROXY": "b"}) == release("b")


@pytest.mark.parametrize("target", ["containerdDropIn", "kubeletDropIn", "kubeadmCommands", "kyvernoPolicies", ""])
def test_what_is_written_is_what_is_seen(target: str) -> None:
    values: dict[str, str | None] = dict.fromkeys(PROXY_VARIABLES, "http://u:p%24%5C@h$x:1")
    content = "[Service]\n" + "".join(f"Environment={name}=x\n" for name in PROXY_VARIABLES)
    objects = {
        "containerdDropIn": node(content),
        "kubeletDropIn": node(content, path="/etc/systemd/system/kubelet.service.d/http-proxy.conf"),
        "kubeadmCommands": commands(*(f"export {name}=x" for name in PROXY_VARIABLES)),
        "kyvernoPolicies": policy(env(**dict.fromkeys(PROXY_VARIABLES, "x"))),
        "": pod({"env": env(**dict.fromkeys(PROXY_VARIABLES, "x"))}),
    }
    obj = written(objects[target], target, values)
    seen = TARGETS[target].read(obj, {}) if target else read_all_containers(obj)
    assert {one.variable: one.value for one in seen} == values
