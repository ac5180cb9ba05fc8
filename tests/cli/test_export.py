"""`inject-proxy export`: files of other systems, filled as losslessly as objects of a list."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

import certificates
from krm_fn.yamledit import read
from stories import TESTDATA
from support import inject_proxy

FILES = TESTDATA / "files"
PROXY = FILES / "proxy.yaml"
URL = "http://user:pass-1@proxy.corp.example:3128"
SYSTEMS = ("tkg", "giantswarm", "image-builder")
Golden = Callable[[Path, bytes], None]


def done(*argv: str, stdin: str = "", code: int = 0) -> tuple[str, str]:
    """What a command prints on both streams."""
    ran = inject_proxy(stdin, *argv)
    assert ran.returncode == code, ran.stderr
    return ran.stdout.decode(), ran.stderr.decode()


def export(system: str, text: str, config: Path = PROXY) -> str:
    """The file ``text`` after an export from standard input."""
    return done("export", system, "--config", str(config), "-", stdin=text)[0]


def refused(system: str, text: str, config: Path = PROXY) -> str:
    """What is said of a file that cannot be filled, or of a ProxyConfig that says nothing about it."""
    out, err = done("export", system, "--config", str(config), "-", stdin=text, code=1)
    assert out == ""
    return err


every_system = pytest.mark.parametrize("system", SYSTEMS)


@pytest.fixture
def removal(tmp_path: Path) -> Path:
    """A ProxyConfig that takes the proxy out."""
    path = tmp_path / "remove.yaml"
    path.write_text(PROXY.read_text().replace("spec:\n", "spec:\n  mode: Remove\n"))
    return path


@every_system
def test_the_file_of_the_document_is_filled_and_nothing_else_in_it_changes(system: str, golden: Golden) -> None:
    before = (FILES / system / "input.yaml").read_text()
    after = export(system, before)
    golden(FILES / system / "exported.yaml", after.encode())
    strange = [line for line in before.splitlines() if "http" not in line.lower() and "no_proxy" not in line.lower()]
    assert [line for line in strange if "noProxy" not in line and line not in after.splitlines()] == []


@every_system
def test_twice_is_once_and_removal_takes_the_proxy_out(system: str, removal: Path, golden: Golden) -> None:
    once = export(system, (FILES / system / "input.yaml").read_text())
    assert export(system, once) == once
    removed = export(system, once, removal)
    golden(FILES / system / "removed.yaml", removed.encode())
    assert URL not in removed


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        pytest.param("- a\n", "must be a mapping, not a list", id="a list"),
        pytest.param("proxy: [\n", "cannot be read", id="no YAML"),
        pytest.param("a: 1\n---\nb: 2\n", "one YAML document, but it holds 2", id="two documents"),
    ],
)
def test_a_file_of_another_shape_is_refused(text: str, reported: str) -> None:
    assert reported in refused("giantswarm", text)


@pytest.mark.parametrize("text", ["a: 1\n", ""], ids=["a file", "a new one"])
def test_tkg_takes_two_proxies_or_none(tmp_path: Path, text: str) -> None:
    half = tmp_path / "half.yaml"
    half.write_text("".join(line for line in PROXY.read_text().splitlines(keepends=True) if "httpsProxy" not in line))
    assert "TKG takes two proxies or none" in refused("tkg", text, half)


def test_a_config_for_other_places_names_no_proxy_for_a_file(tmp_path: Path) -> None:
    config = tmp_path / "proxy.yaml"
    text = PROXY.read_text().split("spec:\n")[0]
    config.write_text(f"{text}spec:\n  overrides:\n  - match: {{clusters: [a]}}\n    httpProxy: http://a:1\n")
    _, said = done("export", "tkg", "--config", str(config), "-", stdin="a: 1\n", code=2)
    assert "`targets: [tkg.clusterConfig]`" in said


def test_what_the_config_refers_to_stands_beside_it(tmp_path: Path) -> None:
    source = "apiVersion: v1\nkind: Secret\nmetadata: {name: values}\nstringData:\n  v: |\n    http_proxy: http://a:1\n"
    text = PROXY.read_text().split("spec:\n")[0] + "spec:\n  from: [{kind: Secret, name: values}]\n"
    config = tmp_path / "proxy.yaml"
    config.write_text(f"{text}---\n{source}")
    assert read(export("giantswarm", "a: 1\n", config))["proxy"] == {"http": "http://a:1"}
    config.write_text(text)
    assert 'there is no Secret "values"' in refused("giantswarm", "a: 1\n", config)


def test_in_place_writes_the_file_only_where_it_changes(tmp_path: Path, removal: Path) -> None:
    file = tmp_path / "overrides.yaml"
    argv = ["export", "image-builder", "--in-place", str(file), "--config"]
    assert done(*argv, str(removal))[1] == "inject-proxy export: nothing to change\n"
    assert not file.exists()
    file.write_text("a: 1\n")
    assert done(*argv, str(PROXY))[0] == ""
    written, number = file.read_text(), file.stat().st_ino
    assert written == export("image-builder", "a: 1\n")
    assert done(*argv, str(PROXY))[1] == "inject-proxy export: nothing to change\n"
    assert (file.read_text(), file.stat().st_ino) == (written, number)
    file.unlink()
    done(*argv, str(PROXY))
    assert file.read_text() == export("image-builder", "")


OVERRIDES = """\
  overrides:
  - match: {clusters: [west]}
    httpProxy: http://west.example:1
  - match: {labels: {region: e*}}
    httpProxy: http://east.example:1
  - match: {roles: [Worker]}
    httpProxy: http://workers.example:1
  - match: {namespaces: [lab]}
    httpProxy: http://lab.example:1
"""


@pytest.mark.parametrize(
    ("argv", "proxy"),
    [
        pytest.param(["--cluster", "north"], URL, id="a Cluster that no override names"),
        pytest.param(["--cluster", "west"], "http://west.example:1", id="a Cluster by its name"),
        pytest.param(["--labels", "stage=prod,region=east"], "http://east.example:1", id="a Cluster by its labels"),
        pytest.param(["--role", "Worker"], "http://workers.example:1", id="nodes by their role"),
    ],
)
def test_overrides_count_for_the_cluster_that_is_named(tmp_path: Path, argv: list[str], proxy: str) -> None:
    config = tmp_path / "proxy.yaml"
    config.write_text(PROXY.read_text() + OVERRIDES)
    out, _ = done("export", "image-builder", "--config", str(config), *argv, "-", stdin="a: 1\n")
    assert read(out)["http_proxy"] == proxy


# a command line


def test_konvoy_gets_a_command_line(golden: Golden) -> None:
    golden(FILES / "konvoy" / "exported.sh", konvoy(PROXY, "--cluster", "west").encode())


def konvoy(config: Path, *argv: str) -> str:
    return done("export", "konvoy", "--config", str(config), *argv)[0]


LINES = [
    (
        "preprovisioned --control-plane-http-proxy=http://a:1 --worker-http-proxy=http://b:1 --cluster-name c "
        "--apiserver-host lb.example --os-hint flatcar --registry-mirror-url https://r.example:5000"
    ),
    "vsphere --worker-http-proxy=http://u:p%40%27s@b:1 --cluster-name c",
    (
        "aws --control-plane-https-proxy=http://a:1 --worker-https-proxy=http://a:1 --cluster-name c "
        "--kubernetes-pod-network-cidr=10.0.0.0/16,fd00::/64 --kubernetes-service-cidr=10.1.0.0/16"
    ),
]


@pytest.mark.parametrize("line", LINES)
def test_a_command_line_that_was_imported_is_exported_again(tmp_path: Path, line: str) -> None:
    given = shlex.split(f"konvoy create cluster {line}".replace("=", " "))
    (tmp_path / "proxy.yaml").write_text(done("import", "konvoy", "--", *given)[0])
    words = shlex.split(konvoy(tmp_path / "proxy.yaml", "--cluster", "c").replace("\\\n", ""))
    flags = dict(zip(words[4::2], words[5::2], strict=True))
    lists = {name for name in flags if name.endswith("-no-proxy")}  # a run adds entries
    assert words[:4] == given[:4]
    assert flags.items() - {(name, flags[name]) for name in lists} == {*zip(given[4::2], given[5::2], strict=True)}


def test_certificates_of_a_mirror_need_a_file(tmp_path: Path) -> None:
    mirror = "  registryMirror: {url: https://r.example, ca: {pem: PEM}}\n".replace("PEM", json.dumps(certificates.A))
    (tmp_path / "proxy.yaml").write_text(PROXY.read_text() + mirror)
    out, err = done("export", "konvoy", "--config", str(tmp_path / "proxy.yaml"))
    assert "--registry-mirror-url https://r.example" in out
    assert err.startswith("[warning] write the certificates of `spec.registryMirror.ca` into a file")


def test_a_command_line_has_no_removal_and_needs_a_proxy(tmp_path: Path, removal: Path) -> None:
    assert "must not be Remove" in done("export", "konvoy", "--config", str(removal), code=2)[1]
    (tmp_path / "tkg.yaml").write_text(
        PROXY.read_text().split("spec:\n")[0]
        + "spec:\n  overrides:\n  - match: {targets: [tkg.clusterConfig]}\n    httpProxy: http://a:1\n"
    )
    _, said = done("export", "konvoy", "--config", str(tmp_path / "tkg.yaml"), code=2)
    assert "must say a proxy for the nodes, or a registry mirror" in said
