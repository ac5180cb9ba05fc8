from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from all_targets import TARGETS
from certificates import A
from krm_fn.config import Certificates, Mirror
from krm_fn.krm.codes import Severity
from krm_fn.settings import ProxySettings
from manifests import kubeadm, spec_of
from node_runs import Outcome, run
from support import need
from support import run as run_tool

target = TARGETS["nodes.mirror"]
CERTS_D = "/etc/containerd/certs.d"
HOSTS = f"{CERTS_D}/_default/hosts.toml"
CA = f"{CERTS_D}/registry.corp.example:5000/ca.crt"
FOREIGN = {"path": HOSTS, "content": 'server = "https://mirror.example"\n'}
READ = {"preKubeadmCommands": [f"echo 'config_path = \"{CERTS_D}\"' >> /etc/containerd/config.toml"]}


def mirrored(url: str = "https://registry.corp.example:5000", pem: str = A) -> ProxySettings:
    host = url.partition("://")[2].partition("/")[0]
    return ProxySettings(mirror=Mirror(url, host, Certificates(pem)))


def files(*entries: Any, **more: Any) -> dict[str, Any]:
    return kubeadm({"files": list(entries), **more})


# what is said


@pytest.mark.parametrize(
    ("obj", "code"),
    [
        pytest.param(files(FOREIGN, **READ), "ByHand", id="a foreign hosts.toml"),
        pytest.param(files({"path": CA, "content": A}, **READ), "ByHand", id="a foreign ca.crt"),
        pytest.param(
            files({"path": "/etc/containerd/config.toml", "content": '[plugins.cri.registry]\nconfig_path = "/x"\n'}),
            "MirrorNotRead",
            id="a configuration that looks elsewhere",
        ),
        pytest.param(
            files(
                {
                    "path": "/etc/containerd/config.toml",
                    "content": '[plugins."io.containerd.grpc.v1.cri".registry.mirrors."docker.io"]\n',
                }
            ),
            "MirrorNotRead",
            id="the older form of mirrors",
        ),
    ],
)
def test_what_keeps_the_mirror_from_being_obeyed_is_a_warning(obj: dict[str, Any], code: str) -> None:
    warnings = [one.code for one in run(target, obj, mirrored()).findings if one.severity is Severity.WARNING]
    assert warnings == [code]


def test_nothing_is_said_where_a_command_lets_containerd_obey() -> None:
    assert run(target, kubeadm(READ), mirrored()).findings == []


# what containerd itself makes of it


def asked_by_containerd(outcome: Outcome, folder: Path, registry: str) -> list[dict[str, Any]]:
    """The hosts that containerd asks for ``registry``, in its order; our files stand in ``folder``."""
    for entry in spec_of(outcome.obj)["files"]:
        path = folder / entry["path"].removeprefix(f"{CERTS_D}/")
        path.parent.mkdir()
        path.write_text(entry["content"].replace(CERTS_D, str(folder)))
    done = run_tool([need("containerd-hosts"), folder, registry], env={"SSL_CERT_FILE": "/dev/null"})
    assert done.stderr == b""
    hosts: list[dict[str, Any]] = json.loads(done.stdout)[registry]
    return hosts


@pytest.mark.judged
@pytest.mark.parametrize(
    ("url", "root"),
    [
        pytest.param("https://registry.example", "https://registry.example/v2", id="a name"),
        pytest.param("https://registry.example/", "https://registry.example/v2", id="a slash behind it"),
        pytest.param("https://10.0.0.5:443/v2", "https://10.0.0.5:443/v2", id="an address, the API named already"),
        pytest.param("https://h.example/v2/hub", "https://h.example/v2/hub", id="a project with the API before it"),
        pytest.param("http://registry.example:5000", "http://registry.example:5000/v2", id="no TLS, a port"),
        pytest.param("https://[fd00::5]:5000", "https://[fd00::5]:5000/v2", id="an IPv6 address"),
        pytest.param("https://h.example/docker//hub/", "https://h.example/v2/docker/hub", id="a project of Harbor"),
        pytest.param("https://h.example/a/v2", "https://h.example/v2/a/v2", id="a project that ends like the API"),
        pytest.param("https://h.example/~a_b.c-d", "https://h.example/v2/~a_b.c-d", id="every kind of character"),
    ],
)
@pytest.mark.parametrize("registry", ["docker.io", "quay.io"])
def test_containerd_asks_the_mirror_and_then_the_registry(tmp_path: Path, url: str, root: str, registry: str) -> None:
    mirror, itself = asked_by_containerd(run(target, kubeadm({}), mirrored(url, "")), tmp_path, registry)
    assert mirror == {"url": root, "pull": True, "resolve": True, "push": False, "certificates": 0}
    assert itself["url"] == {"docker.io": "https://registry-1.docker.io/v2", "quay.io": "https://quay.io/v2"}[registry]
    assert itself["push"]


@pytest.mark.judged
def test_containerd_trusts_the_certificate_of_the_mirror_only_there(tmp_path: Path) -> None:
    mirror, itself = asked_by_containerd(run(target, kubeadm({}), mirrored()), tmp_path, "quay.io")
    assert (mirror["certificates"], itself["certificates"]) == (1, 0)


@pytest.mark.judged
def test_containerd_trusts_it_also_for_images_under_the_name_of_the_mirror(tmp_path: Path) -> None:
    (itself,) = asked_by_containerd(run(target, kubeadm({}), mirrored()), tmp_path, "registry.corp.example:5000")
    assert (itself["url"], itself["certificates"]) == ("https://registry.corp.example:5000/v2", 1)
