"""Time is linear in the number of things of one kind: entries, documents and others.

``test_linear_readers.py`` repeats a piece of text; here each thing is another one.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from function_configs import URL, list_with_config
from growth import excess
from krm_fn.pipeline.run import run
from manifests import control_plane, named, reference
from support import inject_proxy

Make = Callable[[int], bytes]
WORKERS = named("KubeadmConfigTemplate", "workers", spec={"template": {"spec": {}}})


def _list_of(*items: object, **spec: object) -> bytes:
    return list_with_config({"httpProxy": URL, "httpsProxy": URL, **spec}, *items)


def _cidrs(number: int) -> bytes:
    """CIDRs in a wider one, of each of which the linter says that it is not needed."""
    return _list_of(WORKERS, noProxy=["10.0.0.0/8", *(f"10.{at // 250}.{at % 250}.0/28" for at in range(number))])


def _labels(number: int) -> bytes:
    return _list_of(WORKERS, noProxy=["a." * number + "example.com"])


_POLICY = """\
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: NAME}
spec:
  rules:
  - name: proxy
    match: {any: [{resources: {kinds: [Pod]}}]}
    mutate:
      patchStrategicMerge:
        spec:
          containers:
          - (name): "*"
            env: [{name: HTTP_PROXY, value: http://old.example.com:1}]
"""


def _policies_in_a_config_map(number: int) -> bytes:
    text = "---\n".join(_POLICY.replace("NAME", f"policy-{at}") for at in range(number))
    data = {"policies.yaml": text}
    return _list_of({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "policies"}, "data": data})


def _parameters(name: str) -> Make:
    """An Application that is chosen, with parameters of many names: ``AT`` is the number of each."""

    def make(number: int) -> bytes:
        parameters = [{"name": name.replace("AT", str(at)), "value": "a"} for at in range(number)]
        source = {"chart": "external-dns", "helm": {"parameters": parameters}}
        metadata = {"name": "dns", "annotations": {"fn.inject-proxy.io/proxy": "true"}}
        head = {"apiVersion": "argoproj.io/v1alpha1", "kind": "Application"}
        return _list_of({**head, "metadata": metadata, "spec": {"source": source}})

    return make


def _namesakes(label: str) -> Make:
    """Clusters of one name in as many namespaces, and control planes without one, which may be of each of them."""

    def make(number: int) -> bytes:
        items: list[object] = []
        for at in range(number):
            own = control_plane("cp" if not label else f"cp{at}")
            own["metadata"]["labels"] = {label: "c"} if label else {}
            spec = {"controlPlaneRef": reference(own["kind"], "cp")}
            items += [own, named("Cluster", "c", namespace=f"n{at}", spec=spec)]
        return _list_of(*items)

    return make


RUNS: dict[str, tuple[Make, int]] = {
    "entries of a list": (_cidrs, 1_500),
    "labels of a name": (_labels, 12_000),
    "documents of a text": (_policies_in_a_config_map, 60),
    "parameters with large numbers": (_parameters("serviceAccount.annotations.2024AT"), 1_000),
    "parameters with lists": (_parameters("listAT[9999].name"), 1_000),
    "parameters with lists at the place": (_parameters("env.aAT[9999].name"), 1_000),
    "Clusters of one name that use a control plane of one name": (_namesakes(""), 240),
    "Clusters of one name that control planes name": (_namesakes("cluster.x-k8s.io/cluster-name"), 240),
    "parameters of one list": (_parameters("env[AT].name"), 1_000),
    "parameters with entries of a wrong type": (_parameters("env[AT]"), 2_000),
}
"""What a run reads -> an input with so many of them, and how many there are at most."""


@pytest.mark.parametrize(("make", "largest"), RUNS.values(), ids=RUNS)
def test_a_run_takes_linear_time(make: Make, largest: int) -> None:
    assert excess(run, make, largest, in_steps=False) == ""


def _bad_list(number: int) -> bytes:
    return _list_of(noProxy=[f"http://host{at}.example.com/" for at in range(number)])


@pytest.mark.parametrize("form", ["text", "junit"])
def test_the_linter_finds_the_lines_of_many_findings_in_linear_time(form: str) -> None:
    def judge(data: bytes) -> object:
        return inject_proxy(data, "lint", "--output", form, "-")

    assert excess(judge, _bad_list, 1_000, in_steps=False) == ""
