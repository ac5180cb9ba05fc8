"""Which hosts of registry mirrors are read from the files of Kubeadm objects."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from krm_fn.clusters.facts import mirror_hosts
from manifests import cluster, clusters_of, config_template, control_plane, machine_deployment, named, reference

HOSTS = "/etc/containerd/certs.d/docker.io/hosts.toml"
CONFIG = "/etc/containerd/config.toml"


def file(content: Any, path: Any = HOSTS, **rest: Any) -> dict[str, Any]:
    return {"path": path, "content": content, **rest}


MIRROR = '[host."https://mirror.example.com:5000/v2"]\n  capabilities = ["pull"]\n'


@pytest.mark.parametrize(
    "given",
    [
        pytest.param({"path": HOSTS, "contentFrom": {"secret": {"name": "s", "key": "k"}}}, id="content in a Secret"),
        pytest.param(file('server = "https://registry-1.docker.io"\n'), id="the registry itself is no mirror"),
        pytest.param(file("# " + MIRROR), id="a comment"),
        pytest.param(file("# inject-proxy\n" + MIRROR), id="a file that this program wrote"),
        pytest.param(
            file('[host."https://harbor.example.com"]\n', "/etc/containerd/certs.d/harbor.example.com:443/hosts.toml"),
            id="a registry of one's own with its own certificate",
        ),
    ],
)
def test_no_mirror(given: Any) -> None:
    assert mirror_hosts(given) == ()


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(
            file(base64.b64encode(MIRROR.encode()).decode(), encoding="base64"), ("mirror.example.com",), id="in base64"
        ),
        pytest.param(file('[host."https://me:secret@mirror.example.com"]\n'), ("mirror.example.com",), id="a password"),
        pytest.param(
            file(
                '[plugins."io.containerd.grpc.v1.cri".registry]\n'
                '  [plugins."io.containerd.grpc.v1.cri".registry.mirrors]\n'
                '    [plugins."io.containerd.grpc.v1.cri".registry.mirrors."docker.io"]\n'
                '      endpoint = [\n        "https://mirror.example.com", # ours\n'
                '        "https://registry-1.docker.io",\n      ]\n'
                '    [plugins."io.containerd.grpc.v1.cri".registry.mirrors."*"]\n'
                '      endpoint = ["http://10.0.0.5:5000"]\n'
                '[debug]\n  endpoint = ["https://elsewhere.example.com"]\n',
                CONFIG,
            ),
            ("mirror.example.com", "10.0.0.5"),
            id="the older form in containerd's own configuration",
        ),
    ],
)
def test_mirrors(given: Any, expected: tuple[str, ...]) -> None:
    assert mirror_hosts(given) == expected


def test_the_mirrors_of_a_cluster_are_those_of_all_its_nodes() -> None:
    workers = config_template(
        spec={"template": {"spec": {"files": [file('[host."https://workers.example.com"]\n'), file(MIRROR)]}}}
    )
    other = named("KubeadmConfig", "other-1", spec={"files": [file('[host."https://other.example.com"]\n')]})
    whole = cluster(controlPlaneRef=reference("KubeadmControlPlane", "cp"))
    items = [whole, control_plane(files=[file(MIRROR)]), machine_deployment()]
    found = clusters_of(*items, workers, cluster("other"), other)
    assert [[fact.value for fact in each.network.mirrors] for each in found] == [
        ["mirror.example.com", "workers.example.com"],
        [],
    ]
