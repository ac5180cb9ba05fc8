"""`inject-proxy export`: files of other systems, filled as losslessly as objects of a list."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

import certificates
from shim import export as command
from shim import CommandResult
from krm_fn.cli.import_ import FORMS
from shim import import_ as _i; import_ = _i.run
from krm_fn.errors import ConfigError, InputError, UsageError
from krm_fn.formats.pem import split
from krm_fn.noproxy import Audience
from krm_fn.cli.system_files import kind_of
from krm_fn.targets import TARGETS
from krm_fn.targets.tkg import cluster_config
from krm_fn.yamledit import read
from stories import TESTDATA
from support import finished, inject_proxy

FILES = TESTDATA / "files"
PROXY = FILES / "proxy.yaml"
URL = "http://user:pa%24s%20s@proxy.corp.example:3128"
SYSTEMS = ("tkg", "giantswarm", "image-builder", "openshift")
Golden = Callable[[Path, bytes], None]

every_system = pytest.mark.parametrize("system", SYSTEMS)


def no_stdin() -> bytes:
    pytest.fail("standard input is not asked for")


def run(arguments: list[str], read_stdin: Callable[[], bytes]) -> CommandResult:
    return finished(command.run(arguments, read_stdin))


def export(system: str, text: str, config: Path = PROXY) -> str:
    """The file ``text`` after an export from standard input."""
    return run([system, "--config", str(config), "-"], text.encode).output.decode()


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
def test_twice_is_once(system: str) -> None:
    once = export(system, (FILES / system / "input.yaml").read_text())
    assert export(system, once) == once


@every_system
def test_removal_takes_the_proxy_out(system: str, removal: Path, golden: Golden) -> None:
    removed = export(system, export(system, (FILES / system / "input.yaml").read_text()), removal)
    golden(FILES / system / "removed.yaml", removed.encode())
    assert URL not in removed


@pytest.mark.parametrize(("system", "switch"), [("tkg", ", TKG_HTTP_PROXY_ENABLED: false"), ("image-builder", "")])
def test_a_document_behind_its_separator_is_filled_there(system: str, switch: str, removal: Path) -> None:
    text = "--- {a: b} # c\n"

    after = export(system, text)

    assert URL in yaml.safe_load(after).values()
    assert export(system, after, removal) == f"--- {{a: b{switch}}} # c\n"


def test_containerd_and_ansible_get_the_proxy_under_all_their_names() -> None:
    data = read(export("image-builder", "# Flatcar\nbuild_name: flatcar\n"))
    names = ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy")
    assert tuple(data["proxy_env"]) == names
    assert [data[name] for name in ("http_proxy", "https_proxy")] == [URL, URL]
    assert data["no_proxy"] == data["proxy_env"]["NO_PROXY"]
    assert "192.168.0.0/16" in data["no_proxy"].split(",")


@pytest.mark.parametrize(
    ("text", "switch"),
    [
        pytest.param("CLUSTER_PLAN: dev\n", True, id="it is missing"),
        pytest.param('TKG_HTTP_PROXY_ENABLED: "false"\n', "true", id="it is off, as a text"),
        pytest.param("# nothing yet\n", True, id="the file holds nothing but a comment"),
        pytest.param("", True, id="the file is empty"),
    ],
)
def test_tkg_is_reported_that_there_is_a_proxy(text: str, switch: object) -> None:
    after = export("tkg", text)
    assert read(after)["TKG_HTTP_PROXY_ENABLED"] == switch
    assert read(after)["TKG_NO_PROXY"] == ".corp.example,10.0.0.0/8"
    assert after.startswith("# nothing yet\n") is text.startswith("#")


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        pytest.param("- a\n", "standard input: .*must be a mapping, not a list", id="a list"),
        pytest.param("proxy: [\n", "standard input: .*cannot be read", id="no YAML"),
        pytest.param("a: 1\n---\nb: 2\n", "standard input: .*one YAML document, but it holds 2", id="two documents"),
        pytest.param("proxy: http://a\n", "standard input: .*`proxy` must be a mapping, not a string", id="a text"),
    ],
)
def test_a_file_of_another_shape_is_refused(text: str, reported: str) -> None:
    with pytest.raises(InputError, match=reported):
        export("giantswarm", text)


def test_a_file_in_another_encoding_is_refused() -> None:
    with pytest.raises(InputError, match="standard input must be UTF-8, but byte 4 is not"):
        run(["tkg", "--config", str(PROXY), "-"], lambda: b"a: \xff\n")


def test_tkg_takes_two_proxies_or_none(tmp_path: Path) -> None:
    half = tmp_path / "half.yaml"
    half.write_text("".join(line for line in PROXY.read_text().splitlines(keepends=True) if "httpsProxy" not in line))
    with pytest.raises(InputError, match="TKG takes two proxies or none"):
        export("tkg", "a: 1\n", half)


@pytest.mark.parametrize(
    ("argv", "reported"),
    [
        pytest.param([], "a system .* and one file must be named", id="nothing"),
        pytest.param(["kubespray", "a.yaml"], "a system .* and one file must be named", id="no system"),
        pytest.param(
            ["openshift"], "the file that gets the proxy must be named: `inject-proxy export openshift", id="no file"
        ),
        pytest.param(
            ["openshift", "--config", "missing.yaml"],
            'there is no file "missing.yaml", which `--config` names',
            id="no file, and a ProxyConfig that is missing",
        ),
        pytest.param(["tkg", "a.yaml", "b.yaml"], "a system .* and one file must be named", id="two files"),
        pytest.param(["tkg", "-"], "`-` needs `--config`", id="standard input for both"),
        pytest.param(
            ["tkg", "--in-place", "--config", "a", "-"], "without `--in-place`", id="standard input in its place"
        ),
        pytest.param(
            ["tkg", "--config", str(PROXY), "gone.yaml"], 'no file "gone.yaml"; `--in-place` creates it', id="no file"
        ),
        pytest.param(
            ["tkg", "--config", str(PROXY), "--labels", "west", "a"], "`--labels` must hold pairs", id="half a label"
        ),
        pytest.param(["tkg", "--role", "Master", "a"], "must be one of ControlPlane, Worker", id="no role"),
        pytest.param(["konvoy", "a.yaml"], "must be without a file", id="a file for a command line"),
        pytest.param(["konvoy", "--in-place"], "must be without a file", id="a command line in place of a file"),
        pytest.param(["tkg", "--config", str(PROXY), str(FILES)], "must be a file, not a folder", id="a folder"),
        pytest.param(["tkg", "--force", "a"], 'unknown option "--force"', id="no option"),
    ],
)
def test_wrong_usage_is_reported(argv: list[str], reported: str) -> None:
    with pytest.raises(UsageError, match=reported):
        run(argv, no_stdin)


def test_a_config_for_other_places_names_no_proxy_for_a_file(tmp_path: Path) -> None:
    config = tmp_path / "proxy.yaml"
    text = PROXY.read_text().split("spec:\n")[0]
    config.write_text(f"{text}spec:\n  overrides:\n  - match: {{clusters: [a]}}\n    httpProxy: http://a:1\n")
    with pytest.raises(UsageError, match=r"`targets: \[tkgClusterConfig\]`"):
        export("tkg", "a: 1\n", config)


def test_what_the_config_refers_to_stands_beside_it(tmp_path: Path) -> None:
    source = "apiVersion: v1\nkind: Secret\nmetadata: {name: values}\nstringData:\n  v: |\n    http_proxy: http://a:1\n"
    text = PROXY.read_text().split("spec:\n")[0] + "spec:\n  from: [{kind: Secret, name: values}]\n"
    config = tmp_path / "proxy.yaml"
    config.write_text(f"{text}---\n{source}")
    assert read(export("giantswarm", "a: 1\n", config))["proxy"] == {"http": "http://a:1"}
    config.write_text(text)
    with pytest.raises(ConfigError, match='there is no Secret "values"'):
        export("giantswarm", "a: 1\n", config)


def test_in_place_writes_the_file_only_where_it_changes(tmp_path: Path) -> None:
    file = tmp_path / "overrides.yaml"
    file.write_text("a: 1\n")
    argv = ["image-builder", "--in-place", "--config", str(PROXY), str(file)]
    assert run(argv, no_stdin).output == b""
    written, number = file.read_text(), file.stat().st_ino
    assert written == export("image-builder", "a: 1\n")
    assert run(argv, no_stdin).reported[-1] == "inject-proxy export: nothing to change"
    assert (file.read_text(), file.stat().st_ino) == (written, number)


def test_in_place_creates_a_file_that_is_not_there(tmp_path: Path, removal: Path) -> None:
    file = tmp_path / "values.yaml"
    argv = ["giantswarm", "--in-place", "--config", str(PROXY), str(file)]
    assert f"created {file}" in run(argv, no_stdin).reported
    assert file.read_text() == export("giantswarm", "")
    gone = tmp_path / "gone.yaml"
    assert run(["giantswarm", "--in-place", "--config", str(removal), str(gone)], no_stdin).reported == (
        "inject-proxy export: nothing to change",
    )
    assert not gone.exists()


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
        pytest.param([], URL, id="no Cluster"),
        pytest.param(["--cluster", "north"], URL, id="a Cluster that no override names"),
        pytest.param(["--cluster", "west"], "http://west.example:1", id="a Cluster by its name"),
        pytest.param(["--cluster", "lab/x"], "http://lab.example:1", id="a Cluster by its namespace"),
        pytest.param(["--labels", "stage=prod,region=east"], "http://east.example:1", id="a Cluster by its labels"),
        pytest.param(["--role", "Worker"], "http://workers.example:1", id="nodes by their role"),
    ],
)
def test_overrides_count_for_the_cluster_that_is_named(tmp_path: Path, argv: list[str], proxy: str) -> None:
    config = tmp_path / "proxy.yaml"
    config.write_text(PROXY.read_text() + OVERRIDES)
    done = run(["image-builder", "--config", str(config), *argv, "-"], lambda: b"a: 1\n")
    assert read(done.output.decode())["http_proxy"] == proxy


def test_a_config_for_a_role_is_exported_for_that_role(tmp_path: Path) -> None:
    config = tmp_path / "proxy.yaml"
    config.write_bytes(import_(["konvoy", "--", "--worker-http-proxy=http://w:1"], no_stdin).output)
    done = run(["image-builder", "--config", str(config), "--role", "Worker", "-"], bytes)
    assert read(done.output.decode())["http_proxy"] == "http://w:1"


# a command line


def test_konvoy_gets_a_command_line(golden: Golden) -> None:
    golden(FILES / "konvoy" / "exported.sh", konvoy(PROXY, "--cluster", "west").encode())


def words_of(line: str) -> list[str]:
    """The words that a shell makes of a line that goes on behind a backslash."""
    return shlex.split(line.replace("\\\n", ""))


def konvoy(config: Path, *argv: str) -> str:
    return run(["konvoy", "--config", str(config), *argv], no_stdin).output.decode()


FLAGS = "--cluster-name c --apiserver-host lb.example --os-hint flatcar --registry-mirror-url https://r.example:5000"
LINES = {
    "a proxy for each role": f"--control-plane-http-proxy=http://a:1 --worker-http-proxy=http://b:1 {FLAGS}",
    "one proxy for both": "--control-plane-https-proxy=http://a:1 --worker-https-proxy=http://a:1 --cluster-name d",
    "workers only": f"--worker-http-proxy=http://u:p%40%27s@b:1 --worker-no-proxy=.corp.example,10.0.0.0/8 {FLAGS}",
    "a mirror only": "--registry-mirror-url https://r.example:5000",
    "networks": "--http-proxy=http://a:1 --kubernetes-pod-network-cidr=10.0.0.0/16,fd00::/64 "
    "--kubernetes-service-cidr=10.1.0.0/16",
}


@pytest.mark.parametrize("line", LINES.values(), ids=list(LINES))
@pytest.mark.parametrize("infrastructure", ["preprovisioned", "vsphere"])
def test_a_command_line_that_was_imported_is_exported_again(tmp_path: Path, infrastructure: str, line: str) -> None:
    """Only the lists are longer, because they hold what a run adds."""
    asked = shlex.split(f"konvoy create cluster {infrastructure} {line}")
    (tmp_path / "proxy.yaml").write_bytes(import_(["konvoy", "--", *asked], no_stdin).output)
    words = words_of(konvoy(tmp_path / "proxy.yaml", "--cluster", "d" if "name d" in line else "c"))
    assert words[:4] == asked[:4]
    flags, before = dict(zip(words[4::2], words[5::2], strict=True)), shlex.split(line.replace("=", " "))
    for name, value in zip(before[::2], before[1::2], strict=True):
        if name.endswith("-no-proxy"):
            assert {*value.split(",")} <= {*flags[name].split(",")}
        elif name == "--http-proxy":
            assert flags["--worker-http-proxy"] == flags["--control-plane-http-proxy"] == value
        elif name != "--apiserver-host" or infrastructure == "preprovisioned":
            assert flags[name] == value
    again = import_(["konvoy", "--", *words], no_stdin).output
    assert [line for line in again.splitlines() if b"://" in line] == [
        line for line in (tmp_path / "proxy.yaml").read_bytes().splitlines() if b"://" in line
    ]


def test_one_role_of_a_command_line(tmp_path: Path) -> None:
    (tmp_path / "proxy.yaml").write_text(PROXY.read_text() + OVERRIDES)
    words = words_of(konvoy(tmp_path / "proxy.yaml", "--role", "Worker", "--labels", "region=x"))
    assert words[words.index("--worker-http-proxy") + 1] == "http://workers.example:1"
    assert not any(word.startswith("--control-plane") for word in words)


def test_certificates_of_a_mirror_need_a_file(tmp_path: Path) -> None:
    mirror = "  registryMirror: {url: https://r.example, ca: {pem: PEM}}\n".replace("PEM", json.dumps(certificates.A))
    (tmp_path / "proxy.yaml").write_text(PROXY.read_text() + mirror)
    done = run(["konvoy", "--config", str(tmp_path / "proxy.yaml")], no_stdin)
    assert "--registry-mirror-url https://r.example" in done.output.decode()
    (warning,) = done.reported
    assert warning.startswith("[warning] not in the command line: the certificates of `spec.registryMirror.ca`. ")


def test_a_command_line_has_no_removal_and_needs_a_proxy(tmp_path: Path, removal: Path) -> None:
    with pytest.raises(UsageError, match="must not be Remove"):
        konvoy(removal)
    (tmp_path / "tkg.yaml").write_text(
        PROXY.read_text().split("spec:\n")[0]
        + "spec:\n  overrides:\n  - match: {targets: [tkgClusterConfig]}\n    httpProxy: http://a:1\n"
    )
    with pytest.raises(UsageError, match="must say a proxy for the nodes, or a registry mirror"):
        konvoy(tmp_path / "tkg.yaml")


def test_the_command_tells_no_password() -> None:
    done = inject_proxy(PROXY.read_bytes(), "export", "tkg", str(FILES / "tkg" / "input.yaml"))
    assert (done.returncode, URL in done.stdout.decode()) == (0, True)
    assert done.stderr.startswith(b"inject-proxy export: sets the proxy in the configuration")
    assert b"pa%24s" not in done.stderr


def test_help_is_printed() -> None:
    assert inject_proxy("", "export", "--help").stdout.startswith(b"inject-proxy export: ")


@pytest.mark.parametrize("form", FORMS.values())
def test_a_file_is_for_whom_its_target_says(form: str) -> None:
    target, kind = kind_of(form)
    # TKG's command completes the list of a file; only the Secret that it makes of it holds the completed one.
    completed_by_the_command = {cluster_config.TARGET.id: Audience.PRODUCT}
    assert kind.audience is completed_by_the_command.get(target, TARGETS[target].audience)


CLUSTERS = "".join(
    f"---\napiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\nmetadata: {{name: {name}, namespace: prod}}\n"
    for name in ("west", "east")
)


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        pytest.param("west", "", id="its name"),
        pytest.param("prod/west", "", id="its namespace and name"),
        pytest.param("wset", '"wset" is none: did you mean `west`?', id="a misspelt name"),
        pytest.param("dev/west", "is none", id="another namespace"),
    ],
)
def test_the_cluster_is_one_of_the_input_where_that_holds_some(tmp_path: Path, asked: str, says: str) -> None:
    (tmp_path / "proxy.yaml").write_text(PROXY.read_text() + CLUSTERS)
    (tmp_path / "c.yaml").write_text("a: b\n")
    done = inject_proxy(
        "", "export", "tkg", "--config", str(tmp_path / "proxy.yaml"), "--cluster", asked, str(tmp_path / "c.yaml")
    )
    assert done.returncode == (2 if says else 0)
    assert says in done.stderr.decode()


def test_certificates_go_into_an_install_config_beside_those_of_others(tmp_path: Path) -> None:
    config = tmp_path / "proxy.yaml"
    pem = json.dumps(certificates.A)
    config.write_text(PROXY.read_text().replace("spec:\n", f"spec:\n  trustedCA: {{pem: {pem}}}\n"))

    data = read(export("openshift", (FILES / "openshift/input.yaml").read_text(), config))

    assert split(data["additionalTrustBundle"]) == [certificates.B, certificates.A]
    assert data["additionalTrustBundle"].endswith("-----END CERTIFICATE-----\n")  # the installer refuses more
