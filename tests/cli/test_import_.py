"""`inject-proxy import`: files and command lines of other systems, as a ProxyConfig that says the same."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm_fn import config
from krm_fn.yamledit import read
from stories import TESTDATA
from support import inject_proxy

FILES = TESTDATA / "files"
PEM = "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUX5\n-----END CERTIFICATE-----\n"
CP, WORKER = "http://cp.example:3128", "http://worker.example:3128"
Golden = Callable[[Path, bytes], None]
SYSTEMS = ("tkg", "giantswarm", "image-builder")


def imported(*argv: str, stdin: str = "", code: int = 0) -> tuple[str, str]:
    """What the command prints on both streams."""
    ran = inject_proxy(stdin, "import", *argv)
    assert ran.returncode == code, ran.stderr
    return ran.stdout.decode(), ran.stderr.decode()


def konvoy(line: str) -> tuple[str, str]:
    return imported("konvoy", "--", *shlex.split(line))


def spec(text: str) -> dict[str, Any]:
    made = read(text)
    assert config.load(made) is not None
    return dict(made["spec"])


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_file_of_the_document_becomes_a_config(system: str, golden: Golden) -> None:
    text, _ = imported(system, str(FILES / system / "input.yaml"))
    golden(FILES / system / "imported.yaml", text.encode())
    assert spec(text)["httpProxy"].startswith("http://")


@pytest.mark.parametrize(
    ("system", "text", "wanted"),
    [
        pytest.param("image-builder", "http_proxy: http://a:1\n", {"httpProxy": "http://a:1"}, id="one proxy"),
        pytest.param("tkg", '--- {TKG_HTTP_PROXY: "http://x:1"}\n', {"httpProxy": "http://x:1"}, id="in flow style"),
        pytest.param(
            "tkg",
            "TKG_HTTP_PROXY_ENABLED: false\nTKG_HTTP_PROXY: http://a\nAWS_VPC_CIDR: 10.0.0.0/16\n",
            {"mode": "Remove"},
            id="switched off",
        ),
    ],
)
def test_standard_input_can_be_the_file(system: str, text: str, wanted: dict[str, Any]) -> None:
    out, err = imported(system, "-", stdin=text)
    assert (spec(out), err) == (wanted, "")


@pytest.mark.parametrize(
    ("more", "names"),
    [
        pytest.param("AWS_VPC_CIDR: 10.0.0.0/16\n", ["`AWS_VPC_CIDR`"], id="the network of AWS"),
        pytest.param("AWS_VPC_CIDR: ''\nAZURE_VNET_CIDR:\n", [], id="without a value"),
    ],
)
def test_what_the_list_of_tkg_depends_on_and_no_field_says_is_a_warning(more: str, names: list[str]) -> None:
    _, err = imported("tkg", "-", stdin=f"TKG_HTTP_PROXY: http://a:1\n{more}")
    assert [name for name in ("`AWS_VPC_CIDR`", "`AZURE_VNET_CIDR`") if name in err] == names
    assert bool(err) == bool(names)


@pytest.mark.parametrize(
    ("system", "text", "reported"),
    [
        pytest.param("tkg", "TKG_HTTP_PROXY: [\n", "must be YAML", id="no YAML"),
        pytest.param("tkg", "TKG_HTTP_PROXY: S3CRET\n", "TKG_HTTP_PROXY must begin with", id="no URL"),
        pytest.param("tkg", "TKG_HTTP_PROXY: http://u:S3CRET@x@a\n", "TKG_HTTP_PROXY ", id="a raw password"),
        pytest.param("tkg", "TKG_HTTP_PROXY: http://a:1\nTKG_PROXY_CA_CERT: '*'\n", "TKG_PROXY_CA_CERT", id="base64"),
    ],
)
def test_values_that_are_wrong_are_reported(system: str, text: str, reported: str) -> None:
    out, err = imported(system, "-", stdin=text, code=1)
    assert out == ""
    assert reported in err
    assert "S3CRET" not in err


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
            f"--http-proxy {CP} --no-proxy a", {"httpProxy": CP, "noProxy": ["a"]}, id="flags of NKP for all nodes"
        ),
        pytest.param(
            "dkp create cluster preprovisioned --cluster-name c1 --registry-mirror-url https://r.example:5000 "
            "--apiserver-host lb.example.com --apiserver-port 6443 --os-hint flatcar",
            {
                "registryMirror": {"url": "https://r.example:5000"},
                "clusterDefaults": {"endpoint": "lb.example.com", "infrastructure": "PreprovisionedCluster"},
                "targets": {"nodes": {"trustedCA": {"os": ["Flatcar"]}}},
            },
            id="a mirror, and facts",
        ),
    ],
)
def test_flags_of_konvoy_become_fields(line: str, wanted: dict[str, Any]) -> None:
    out, err = konvoy(line)
    assert (spec(out), err) == (wanted, "")


def test_the_certificates_of_a_mirror_are_read(tmp_path: Path) -> None:
    file = tmp_path / "ca.pem"
    file.write_text(PEM)
    out, _ = konvoy(f"--registry-mirror-url https://r.example --registry-mirror-cacert {file}")
    assert spec(out)["registryMirror"] == {"url": "https://r.example", "ca": {"pem": PEM}}


@pytest.mark.parametrize(
    ("line", "named"),
    [
        pytest.param(
            "--ssh-username konvoy --self-managed -n=default", "`--ssh-username`, `--self-managed`, `-n`", id="some"
        ),
        pytest.param(
            "--registry-mirror-username S3CRET", "`--registry-mirror-username`", id="much like one that is read"
        ),
    ],
)
def test_other_flags_are_named_without_their_values(line: str, named: str) -> None:
    out, err = konvoy(f"--http-proxy {CP} {line}")
    assert spec(out) == {"httpProxy": CP}
    assert err == f"[warning] not taken over, because no field says it: {named}\n"


def test_beside_flags_for_each_role_the_others_are_for_the_controllers() -> None:
    out, err = konvoy(f"--control-plane-http-proxy {CP} --worker-http-proxy {CP} --http-proxy {WORKER}")
    assert spec(out) == {"httpProxy": CP}
    assert "`--http-proxy`" in err


@given(st.lists(st.sampled_from(["--http-proxy", "--no-proxy=a", "--no-proxy", "-", "--", "-x", "a b", "", CP, "="])))
def test_no_command_line_is_more_than_wrong(words: list[str]) -> None:
    ran = inject_proxy("", "import", "konvoy", "--", *words)
    assert ran.returncode in (0, 1, 2)
    assert ran.returncode or spec(ran.stdout.decode())
