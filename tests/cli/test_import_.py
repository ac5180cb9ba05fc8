"""`inject-proxy import`: files and command lines of other systems, as a ProxyConfig that says the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from krm_fn import config
from krm_fn.yamledit import read
from stories import TESTDATA
from support import inject_proxy

FILES = TESTDATA / "files"
Golden = Callable[[Path, bytes], None]
SYSTEMS = ("tkg", "giantswarm", "image-builder")


def imported(*argv: str, stdin: str = "", code: int = 0) -> tuple[str, str]:
    """What the command prints on both streams."""
    ran = inject_proxy(stdin, "import", *argv)
    assert ran.returncode == code, ran.stderr
    return ran.stdout.decode(), ran.stderr.decode()


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
