"""`inject-proxy import`: files and command lines of other systems, as a ProxyConfig that says the same."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn import config
from shim import CommandResult
from shim import import_ as _i; run = _i.run
from krm_fn.errors import ConfigError, InputError, UsageError
from krm_fn.pipeline import run as function
from krm_fn.yamledit import read
from stories import TESTDATA
from support import inject_proxy

FILES = TESTDATA / "files"
PEM = "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUX5\n-----END CERTIFICATE-----\n"
CONTAINERD = "/etc/systemd/system/containerd.service.d/http-proxy.conf"
CP, WORKER = "http://cp.example:3128", "http://worker.example:3128"
Golden = Callable[[Path, bytes], None]


def no_stdin() -> bytes:
    pytest.fail("standard input is not asked for")


def konvoy(line: str) -> CommandResult:
    return run(["konvoy", "--", *shlex.split(line)], no_stdin)


def spec(answer: CommandResult) -> dict[str, Any]:
    made = read(answer.output.decode())
    assert config.load(made) is not None
    return dict(made["spec"])


@pytest.mark.parametrize("system", ["tkg", "giantswarm", "image-builder", "openshift"])
def test_the_file_of_the_document_becomes_a_config(system: str, golden: Golden) -> None:
    answer = run([system, str(FILES / system / "input.yaml")], no_stdin)
    golden(FILES / system / "imported.yaml", answer.output)
    assert spec(answer)["httpProxy"].startswith("http://")


@pytest.mark.parametrize("system", ["tkg", "giantswarm", "image-builder", "openshift"])
def test_what_was_exported_is_imported_again(system: str) -> None:
    imported = spec(run([system, str(FILES / system / "exported.yaml")], no_stdin))
    wanted = read((FILES / "proxy.yaml").read_text())["spec"]
    assert [imported[name] for name in ("httpProxy", "httpsProxy")] == [wanted["httpProxy"], wanted["httpsProxy"]]
    assert imported["noProxy"][0] == wanted["noProxy"][0]
    assert set(wanted["noProxy"]) <= set(imported["noProxy"])


def test_standard_input_can_be_the_file() -> None:
    assert spec(run(["image-builder", "-"], lambda: b"http_proxy: http://a:1\n")) == {"httpProxy": "http://a:1"}


def test_a_document_behind_its_separator_is_read() -> None:
    assert spec(run(["tkg", "-"], lambda: b'--- {TKG_HTTP_PROXY: "http://x:1"}\n'))["httpProxy"] == "http://x:1"


def test_a_file_without_a_proxy_becomes_removal() -> None:
    text = b"TKG_HTTP_PROXY_ENABLED: false\nTKG_HTTP_PROXY: http://a\nCLUSTER_CIDR: 100.96.0.0/11\n"
    assert spec(run(["tkg", "-"], lambda: text)) == {"mode": "Remove"}


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        pytest.param(
            f"--control-plane-http-proxy {CP} --worker-http-proxy {CP}",
            {"httpProxy": CP},
            id="equal values for both roles",
        ),
        pytest.param(
            f"konvoy create cluster --control-plane-http-proxy={CP} --worker-http-proxy={WORKER}",
            {
                "overrides": [
                    {"match": {"roles": ["ControlPlane"]}, "httpProxy": CP},
                    {"match": {"roles": ["Worker"]}, "httpProxy": WORKER},
                ]
            },
            id="different values",
        ),
        pytest.param(
            f"-c c1 --control-plane-https-proxy {CP} --worker-https-proxy {CP} "
            "--worker-no-proxy a,b --worker-no-proxy=c",
            {
                "httpsProxy": CP,
                "overrides": [{"match": {"clusters": ["c1"], "roles": ["Worker"]}, "noProxy": ["a", "b", "c"]}],
            },
            id="a list of one role that is given in parts",
        ),
        pytest.param(
            f"--cluster-name=c1 --control-plane-http-proxy {CP}",
            {"overrides": [{"match": {"clusters": ["c1"], "roles": ["ControlPlane"]}, "httpProxy": CP}]},
            id="one role alone",
        ),
        pytest.param(
            f"--http-proxy {CP} --no-proxy a", {"httpProxy": CP, "noProxy": ["a"]}, id="flags of NKP for all nodes"
        ),
        pytest.param(
            "dkp create cluster preprovisioned --cluster-name c1 --registry-mirror-url https://r.example:5000 "
            "--apiserver-host lb.example.com --apiserver-port 6443 --os-hint flatcar",
            {
                "registryMirror": {"url": "https://r.example:5000"},
                "clusterDefaults": {"endpoint": "lb.example.com", "infrastructure": "PreprovisionedCluster"},
                "targets": {"nodeTrustStore": {"os": ["Flatcar"]}},
            },
            id="a mirror, and facts",
        ),
        pytest.param(
            f"--http-proxy {CP} --kubernetes-pod-network-cidr 192.168.0.0/16 --kubernetes-service-cidr=10.96.0.0/12",
            {"httpProxy": CP, "clusterDefaults": {"podCIDRs": ["192.168.0.0/16"], "serviceCIDRs": ["10.96.0.0/12"]}},
            id="networks of NKP",
        ),
    ],
)
def test_flags_of_konvoy_become_fields(line: str, wanted: dict[str, Any]) -> None:
    answer = konvoy(line)
    assert spec(answer) == wanted
    assert answer.reported == ()


def test_the_certificates_of_a_mirror_are_read(tmp_path: Path) -> None:
    file = tmp_path / "ca.pem"
    file.write_text(PEM)
    answer = konvoy(f"--registry-mirror-url https://r.example --registry-mirror-cacert {file}")
    assert spec(answer)["registryMirror"] == {"url": "https://r.example", "ca": {"pem": PEM}}


def test_other_flags_are_named_without_their_values() -> None:
    answer = konvoy(
        f"--http-proxy {CP} --ssh-username konvoy --self-managed --registry-mirror-password s3cr3t -n=default"
    )
    (reported,) = answer.reported
    assert reported == (
        "[warning] not taken over, because no field of a ProxyConfig says it: `--ssh-username`, `--self-managed`, "
        "`--registry-mirror-password`, `-n`"
    )


@pytest.mark.parametrize(
    "flag",
    [
        pytest.param("--registry-mirror-username", id="a flag of DKP that is much like one that is read"),
        pytest.param("--cluster-hostname", id="likewise, of NKP"),
        pytest.param("--control-plane-memory", id="a flag for machines"),
        pytest.param("--kube-proxy-mode", id="a flag that speaks of another proxy"),
    ],
)
@pytest.mark.parametrize("form", ["{} u", "{}=u"])
def test_a_flag_that_is_not_read_is_a_warning(flag: str, form: str) -> None:
    answer = konvoy(f"--registry-mirror-url https://r.example {form.format(flag)} --http-proxy {CP}")
    assert spec(answer) == {"httpProxy": CP, "registryMirror": {"url": "https://r.example"}}
    (reported,) = answer.reported
    assert reported.endswith(f": `{flag}`")


@pytest.mark.parametrize(
    ("more", "names"),
    [
        pytest.param("TKG_IP_FAMILY: ipv4\n", None, id="what adds nothing to the list"),
        pytest.param("AWS_VPC_CIDR: ''\nAZURE_VNET_CIDR:\n", None, id="without a value"),
        pytest.param("TKG_HTTP_PROXY_ENABLED: false\nAWS_VPC_CIDR: 10.0.0.0/16\n", None, id="no proxy at all"),
        pytest.param("AWS_VPC_CIDR: 10.0.0.0/16\n", "`AWS_VPC_CIDR`", id="the network of AWS"),
        pytest.param(
            "AZURE_VNET_CIDR: 10.0.0.0/16\nTKG_IP_FAMILY: ipv6,ipv4\n",
            "`AZURE_VNET_CIDR`, `TKG_IP_FAMILY`",
            id="the network of Azure, and two families",
        ),
        pytest.param(
            "INFRASTRUCTURE_PROVIDER: docker\n", "`INFRASTRUCTURE_PROVIDER`", id="an infrastructure of TKG only"
        ),
    ],
)
def test_what_the_list_of_tkg_depends_on_and_no_field_says_is_a_warning(more: str, names: str | None) -> None:
    answer = run(["tkg", "-"], f"TKG_HTTP_PROXY: http://a:1\n{more}".encode)
    wanted = f"[warning] not taken over, because no field of a ProxyConfig says it: {names}; "
    assert [reported.startswith(wanted) for reported in answer.reported] == ([True] if names else [])


def test_beside_flags_for_each_role_the_others_are_for_the_controllers() -> None:
    answer = konvoy(f"--control-plane-http-proxy {CP} --worker-http-proxy {CP} --http-proxy {WORKER}")
    assert spec(answer) == {"httpProxy": CP}
    assert answer.reported == (
        "[warning] not taken over, because beside flags for each role it is for the controllers: `--http-proxy`",
    )


@pytest.mark.parametrize(
    ("argv", "reported"),
    [
        pytest.param([], "the system must be tkg, giantswarm, image-builder, openshift or konvoy", id="nothing"),
        pytest.param(["kubespray", "a"], "the system must be", id="no system"),
        pytest.param(["tkg"], "must be followed by one file", id="no file"),
        pytest.param(["tkg", "a", "b"], "must be followed by one file", id="two files"),
        pytest.param(["tkg", "gone.yaml"], 'there is no file "gone.yaml"', id="a file that is not there"),
        pytest.param(["tkg", str(FILES)], "must be a file, not a folder", id="a folder"),
        pytest.param(["konvoy"], "must name a proxy or a registry mirror", id="no flags"),
        pytest.param(["konvoy", "--", "--self-managed"], "must name a proxy or a registry mirror", id="other flags"),
        pytest.param(
            ["konvoy", "--", "--controlplane-http-proxy", CP],
            "must name a proxy or a registry mirror",
            id="a flag that is misspelt",
        ),
        pytest.param(
            ["konvoy", "--", "--worker-http-proxy", "--worker-no-proxy", "a"],
            "`--worker-http-proxy` must be followed by a value",
            id="a flag without a value",
        ),
    ],
)
def test_wrong_usage_is_reported(argv: list[str], reported: str) -> None:
    with pytest.raises(UsageError, match=reported):
        run(argv, no_stdin)


@pytest.mark.parametrize(
    ("argv", "content", "reported"),
    [
        pytest.param(
            ["tkg", "-"], b"proxy: {http: a}\n", "the file must hold a proxy under the names", id="other names"
        ),
        pytest.param(["tkg", "-"], b"TKG_HTTP_PROXY: [\n", "the file must be YAML", id="no YAML"),
        pytest.param(
            ["tkg", "-"], b"TKG_HTTP_PROXY: asdf\n", "the file: `TKG_HTTP_PROXY` must begin with", id="no URL"
        ),
        pytest.param(
            ["giantswarm", "-"],
            b"proxy: {http: http://a:1, noProxy: [http://b]}\n",
            'the file: `proxy.noProxy` entry "http://b" must not be a URL',
            id="an entry that is a URL",
        ),
        pytest.param(
            ["tkg", "-"], b"TKG_NO_PROXY: a\n", "the file must name a proxy for HTTP or HTTPS", id="exceptions alone"
        ),
        pytest.param(
            ["tkg", "-"],
            b"TKG_HTTP_PROXY: http://a:1\nTKG_PROXY_CA_CERT: '*'\n",
            "the file must hold base64 of certificates in PEM form in `TKG_PROXY_CA_CERT`",
            id="certificates that are no base64",
        ),
        pytest.param(
            ["tkg", "-"],
            b"TKG_HTTP_PROXY: http://a:1\nTKG_PROXY_CA_CERT: eA==\n",
            "the file: `TKG_PROXY_CA_CERT` must",
            id="base64 of something else",
        ),
        pytest.param(
            ["tkg", "-"], b"TKG_HTTP_PROXY: http://a\nTKG_HTTP_PROXY: http://b\n", "must not say .* twice", id="twice"
        ),
        pytest.param(["tkg", "-"], b"TKG_HTTPS_PROXY: #@ x\n", "the file must say `TKG_HTTPS_PROXY` itself", id="code"),
        pytest.param(
            ["konvoy", "--worker-http-proxy", "http://u:p@ss@a"], b"", "percent-encoded", id="a password as it is"
        ),
    ],
)
def test_values_that_are_wrong_are_reported(argv: list[str], content: bytes, reported: str) -> None:
    with pytest.raises(ConfigError, match=reported) as caught:
        run(argv, lambda: content)
    assert "p@ss" not in str(caught.value)


def test_a_file_in_another_encoding_is_refused() -> None:
    with pytest.raises(InputError, match="the file must be UTF-8, but byte 1 is not"):
        run(["tkg", "-"], lambda: b"\xff")


@given(st.lists(st.sampled_from(["--http-proxy", "--no-proxy=a", "--no-proxy", "-", "--", "-x", "a b", "", CP, "="])))
def test_no_command_line_is_more_than_wrong(words: list[str]) -> None:
    try:
        answer = run(["konvoy", *words], no_stdin)
    except (UsageError, ConfigError):
        return
    assert spec(answer)


CLUSTER = {
    "apiVersion": "cluster.x-k8s.io/v1beta1",
    "kind": "Cluster",
    "metadata": {"name": "c1", "namespace": "default"},
    "spec": {
        "clusterNetwork": {"pods": {"cidrBlocks": ["192.168.0.0/16"]}, "services": {"cidrBlocks": ["10.96.0.0/12"]}},
        "controlPlaneRef": {
            "apiVersion": "controlplane.cluster.x-k8s.io/v1beta1",
            "kind": "KubeadmControlPlane",
            "name": "c1-control-plane",
        },
        "infrastructureRef": {"kind": "PreprovisionedCluster", "name": "c1"},
    },
}
LABELS = {"cluster.x-k8s.io/cluster-name": "c1"}
NODES = [
    {
        "apiVersion": "controlplane.cluster.x-k8s.io/v1beta1",
        "kind": "KubeadmControlPlane",
        "metadata": {"name": "c1-control-plane", "namespace": "default", "labels": LABELS},
        "spec": {"kubeadmConfigSpec": {}},
    },
    {
        "apiVersion": "bootstrap.cluster.x-k8s.io/v1beta1",
        "kind": "KubeadmConfigTemplate",
        "metadata": {"name": "c1-md-0", "namespace": "default", "labels": LABELS},
        "spec": {"template": {"spec": {}}},
    },
]


def drop_ins(output: bytes) -> list[str]:
    """The containerd drop-in of the control plane, and that of the workers."""
    _, control_plane, workers = read(output.decode())["items"][:3]
    specs = (control_plane["spec"]["kubeadmConfigSpec"], workers["spec"]["template"]["spec"])
    return [file["content"] for one in specs for file in one["files"] if file["path"] == CONTAINERD]


def test_each_role_gets_the_proxy_of_its_flags() -> None:
    answer = konvoy(
        f"konvoy create cluster preprovisioned --cluster-name c1 --control-plane-http-proxy {CP} "
        f"--control-plane-https-proxy {CP} --control-plane-no-proxy cp.corp.example --worker-http-proxy {WORKER} "
        f"--worker-https-proxy {WORKER} --worker-no-proxy worker.corp.example"
    )
    whole = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": [CLUSTER, *NODES]}
    outcome = function(json.dumps({**whole, "functionConfig": read(answer.output.decode())}).encode())
    control_plane, workers = drop_ins(outcome.output)
    assert f'"HTTP_PROXY={CP}"' in control_plane
    assert f'"HTTPS_PROXY={WORKER}"' in workers
    assert ("NO_PROXY=cp.corp.example," in control_plane, "worker.corp.example" in control_plane) == (True, False)
    assert ("NO_PROXY=worker.corp.example," in workers, "cp.corp.example" in workers) == (True, False)


def test_the_command_prints_a_config_and_its_warnings() -> None:
    done = inject_proxy("", "import", "konvoy", "--", "--http-proxy", CP, "--help", "--wait")
    assert (done.returncode, b"kind: ProxyConfig" in done.stdout) == (0, True)
    assert b"`--help`, `--wait`" in done.stderr


def test_help_is_printed() -> None:
    assert inject_proxy("", "import", "--help").stdout.startswith(b"inject-proxy import: ")
