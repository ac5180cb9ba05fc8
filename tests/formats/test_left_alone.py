"""What SOPS has encrypted: no target edits it, none reads it, and each run says so in one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from function_configs import proxy_config
from krm_fn.formats.left_alone import is_encrypted
from krm_fn.pipeline.run import run
from support import inject_proxy

VALUE = "ENC[AES256_GCM,data:abc,iv:def=,tag:ghi=,type:str]"
FILE = f"proxy:\n    http: {VALUE}\nsops:\n    mac: {VALUE}\n"
PLAIN = "proxy:\n    http: http://old:1\nsops:\n    mac: abc\n"
MARKS = {"sops": {"version": "3.9.0", "mac": VALUE}}
TOLD = "is encrypted by SOPS: decrypt it first, or leave it out with `spec.selector.exclude`"


def secret(name: str, **members: Any) -> Any:
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, **members}


def release(value: Any, **members: Any) -> Any:
    spec = {"chart": {"spec": {"chart": "cert-manager"}}, "values": value}
    header = {"apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease", "metadata": {"name": "x"}}
    return {**header, "spec": spec, **members}


def outcome(obj: Any, **spec: Any) -> tuple[list[Any], list[str], int]:
    """The items after a run, the lines of warnings and errors about them, and how many changed."""
    config = proxy_config(**(spec or {"httpProxy": "http://proxy:1"}))
    done = run(json.dumps({"kind": "ResourceList", "items": [obj], "functionConfig": config}).encode())
    reported = [one.line() for one in done.results if one.severity.value != "info" and one.ref.kind == obj["kind"]]
    return json.loads(done.output)["items"], reported, done.changed


ENCRYPTED = [
    pytest.param(secret("a-cluster-values", stringData={"values": VALUE}, **MARKS), id="values of a cluster"),
    pytest.param(secret("a-cluster-values", stringData={"values": FILE}), id="a file of SOPS in a text"),
    pytest.param(secret("a-systemd-proxy", data={"containerdProxy": VALUE}, **MARKS), id="a drop-in"),
    pytest.param(
        secret("a-config-values", type="addons.cluster.x-k8s.io/resource-set", stringData={"value": VALUE}, **MARKS),
        id="the configuration of a cluster of TKG",
    ),
    pytest.param(
        secret("a-vsphere-cpi-addon", type="tkg.tanzu.vmware.com/addon", stringData={"values.yaml": VALUE}, **MARKS),
        id="data values of TKG",
    ),
    pytest.param(release({"proxy": {"http": VALUE}}, **MARKS), id="values in an object"),
]


@pytest.mark.parametrize("obj", ENCRYPTED)
@pytest.mark.parametrize("spec", [{"httpProxy": "http://proxy:1"}, {"mode": "Remove"}], ids=["a proxy", "removal"])
def test_it_stays_as_it_is_and_one_line_says_so(obj: Any, spec: Any) -> None:
    items, reported, changed = outcome(obj, **spec)

    assert (items, changed) == ([obj], 0)
    (line,) = reported
    assert line.endswith(f": {TOLD}")
    assert line.startswith("[warning]")


@pytest.mark.parametrize("sops", [None, [], "x", {}, {"image": "x"}])
def test_another_member_is_not_taken_for_that_of_sops(sops: Any) -> None:
    assert not is_encrypted({"sops": sops})


@pytest.mark.parametrize("text", [VALUE, FILE, PLAIN], ids=["value", "file", "checksum"])
@pytest.mark.parametrize("system", ["tkg", "giantswarm", "image-builder"])
def test_a_file_is_neither_read_nor_filled(system: str, text: str, tmp_path: Path) -> None:
    config = tmp_path / "proxy.yaml"
    config.write_text(json.dumps(proxy_config(httpProxy="http://proxy:1")))

    read = inject_proxy(text, "import", system, "-")
    filled = inject_proxy(text, "export", system, "--config", str(config), "-")
    for done in (read, filled):
        assert (done.returncode, done.stdout) == (1, b"")
        assert b"is encrypted by SOPS" in done.stderr


@pytest.mark.parametrize(
    ("obj", "reported"),
    [
        pytest.param(
            secret("values", stringData={"a": VALUE}, **MARKS), 'Secret "values" is encrypted by SOPS', id="an object"
        ),
        pytest.param(
            secret("values", stringData={"a": FILE}), 'Secret "values" key `a`: is encrypted by SOPS', id="a text"
        ),
    ],
)
def test_values_are_not_taken_from_it(obj: Any, reported: str) -> None:
    config = proxy_config(**{"from": [{"kind": "Secret", "name": "values"}]})
    done = run(json.dumps({"kind": "ResourceList", "items": [obj], "functionConfig": config}).encode())

    (line,) = [one.message for one in done.results if one.severity.value == "error"]
    assert reported in line
