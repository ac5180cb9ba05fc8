"""Let the admission plugin of Kubernetes apply generated policies: a part of `make judged`.

Each must make of objects what Kyverno made of them with the MutatingPolicy of the same folder. The plugin is that of
the API server (``tests/tools/admission-policy.go``), in a cluster that holds the policy, its binding, namespaces and
what ``context.yaml`` says.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from function_configs import list_with_config
from krm_fn.pipeline.run import run as run_list
from manifests import named
from policy_folders import HERE, containers, name_of, objects, resources_of
from support import need, run

pytestmark = pytest.mark.judged
FOLDERS = sorted(path.parent for path in (HERE / "generated").glob("*/native.yaml"))
NAMESPACES = ("default", "kube-system", "kyverno", "flux-system")
each_folder = pytest.mark.parametrize("folder", FOLDERS, ids=name_of)


def admitted(folder: Path, given: list[Any], *, operation: str = "CREATE", with_context: bool = True) -> list[Any]:
    """Return objects as the plugin leaves them with the generated policy of a folder; none of them may be an error."""
    cluster: list[Any] = [
        named("Namespace", name, api="v1", labels={"kubernetes.io/metadata.name": name}) for name in NAMESPACES
    ]
    context = folder / "context.yaml"
    if with_context and context.exists():
        cluster += yaml.safe_load(context.read_text())["spec"]["resources"]
    policies = list(yaml.safe_load_all((folder / "native.yaml").read_text()))
    asked = {"policies": policies, "operation": operation, "cluster": cluster, "objects": given}
    done = run([need("admission-policy")], json.dumps(asked).encode())
    answer = json.loads(done.stdout)
    assert answer["errors"] == []
    return list(answer["objects"])


def environments(found: list[Any]) -> list[Any]:
    """Return the `env` of each container of each object; an empty one is none."""
    return [[container.get("env") or None for container in containers(obj)] for obj in found]


@each_folder
def test_the_plugin_does_what_kyverno_does(folder: Path) -> None:
    given, patched = objects(resources_of(folder)), objects(folder / "patched.yaml")
    wanted = [patched.get(key, obj) for key, obj in given.items()]
    assert environments(admitted(folder, [*given.values()])) == environments(wanted)


@each_folder
def test_applied_twice_is_applied_once(folder: Path) -> None:
    once = admitted(folder, [*objects(resources_of(folder)).values()])
    assert admitted(folder, once) == once


@each_folder
def test_pods_and_jobs_that_exist_stay_as_they_are(folder: Path) -> None:
    given, patched = objects(resources_of(folder)), objects(folder / "patched.yaml")
    wanted = [obj if key[0] in ("Pod", "Job") else patched.get(key, obj) for key, obj in given.items()]
    assert environments(admitted(folder, [*given.values()], operation="UPDATE")) == environments(wanted)


def test_a_policy_refers_to_the_secret_in_the_listed_namespaces(tmp_path: Path) -> None:
    spec = {"secretRef": {"name": "proxy"}, "noProxy": ["a.example"], "noProxyPolicy": {"style": "Verbatim"}}
    pods = [
        named("Pod", name, namespace=name, spec={"containers": [{"name": "web", "image": "web"}]})
        for name in ("shop", "blog")
    ]
    names = [named("Namespace", name, api="v1", labels={"kubernetes.io/metadata.name": name}) for name in NAMESPACES]
    names += [
        named("Namespace", name, api="v1", labels={"kubernetes.io/metadata.name": name}) for name in ("shop", "blog")
    ]
    made = {}
    for kind in ("MutatingPolicy", "MutatingAdmissionPolicy"):
        options = {"kyverno": {"generate": kind, "namespaces": ["shop"]}}
        done = run_list(list_with_config({**spec, "targets": options}))
        (result,) = [result for result in done.results if result.code == "SecretMissing"]
        assert "`shop/proxy`" in result.message
        made[kind] = yaml.safe_load(done.output)["items"]
    asked = {"operation": "CREATE", "cluster": names, "objects": pods, "policies": made["MutatingAdmissionPolicy"]}
    answer = json.loads(run([need("admission-policy")], json.dumps(asked).encode()).stdout)
    assert answer["errors"] == []
    (shop,), (blog,) = environments(answer["objects"])
    keys = {entry["name"]: entry.get("valueFrom", {}).get("secretKeyRef", {}).get("key") for entry in shop}
    lists = dict.fromkeys(("NO_PROXY", "no_proxy"))
    of_both = {"HTTP_PROXY": "http_proxy", "HTTPS_PROXY": "https_proxy"}
    assert keys == {**of_both, **{name.lower(): key for name, key in of_both.items()}, **lists}
    assert blog is None

    labels = [{"name": name, "labels": {"kubernetes.io/metadata.name": name}} for name in ("shop", "blog")]
    values = {"apiVersion": "cli.kyverno.io/v1alpha1", "kind": "Values", "metadata": {"name": "v"}}
    files = {"values": [{**values, "namespaceSelector": labels}], "pods": pods, "policy": made["MutatingPolicy"]}
    for name, documents in files.items():
        (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump_all(documents))
    words = ["--resource", "pods.yaml", "--values-file", "values.yaml", "--output", "patched.yaml"]
    run([need("kyverno"), "apply", "policy.yaml", *words], cwd=tmp_path)
    patched = filter(None, yaml.safe_load_all((tmp_path / "patched.yaml").read_text()))
    assert environments([*patched]) == [[shop], [None]]


def test_without_kubeadm_config_the_policy_does_nothing() -> None:
    folder = HERE / "generated" / "no-proxy-from-kubeadm-config"
    given = [*objects(resources_of(folder)).values()]
    assert environments(admitted(folder, given, with_context=False)) == environments(given)
