"""The trust store of workloads: who gets the bundle, what a pod specification looks like then, and the ConfigMap."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import manifests
from all_targets import TARGETS
from certificates import BOTH, NONE, ONE, A, B
from krm_fn.config import Certificates
from krm_fn.settings import ProxySettings
from krm_fn.targets.created_objects import was_created
from manifests import workload_of
from proposals import FULL, apply, changes, findings, messages, proposals
from support import need
from support import run as run_tool

target = TARGETS["workloads.trustedCA"]
NAME = "inject-proxy-trusted-ca"
FOLDER = "/etc/inject-proxy/trusted-ca"
VARIABLE = {"name": "SSL_CERT_FILE", "value": f"{FOLDER}/ca-bundle.crt"}
ASKED = {"fn.inject-proxy.io/trusted-ca": "true"}
REFUSED = {"fn.inject-proxy.io/trusted-ca": "false"}
FROM = ProxySettings(trusted_ca=Certificates(A, ("tools", "corporate-ca", "roots.pem")))


def workload(spec: Any = None, **metadata: Any) -> dict[str, Any]:
    """A workload with ``spec`` as its pod specification: one container, if none is given."""
    spec = {"containers": [{"name": "main"}]} if spec is None else spec
    return workload_of(spec, **{"namespace": "tools", **metadata})


def asked(spec: Any = None, **more: Any) -> dict[str, Any]:
    return workload(spec, annotations=ASKED, **more)


def pod(obj: dict[str, Any]) -> Any:
    return obj["spec"]["template"]["spec"]


def config_map(data: Any, label: str = "inject-proxy") -> dict[str, Any]:
    labels = {"app.kubernetes.io/managed-by": label}
    return manifests.config_map(NAME, data, namespace="tools", labels=labels)


# What must not change.


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(workload(), id="a workload that nobody asked for"),
        pytest.param(
            workload(
                {"containers": [{"name": "chart-operator"}]}, labels={"app": "chart-operator"}, annotations=REFUSED
            ),
            id="a known workload that refuses",
        ),
        pytest.param({**asked(), "apiVersion": "example.com/v1"}, id="a kind of another group"),
        pytest.param(config_map({"ca-bundle.crt": A}), id="our ConfigMap with the certificates"),
        pytest.param(config_map({"ca-bundle.crt": A}, label="Helm"), id="another's ConfigMap with the certificates"),
    ],
)
def test_what_must_not_change(obj: dict[str, Any]) -> None:
    assert proposals(target, obj, ONE) == []


@pytest.mark.parametrize("settings", [NONE, FULL], ids=["no settings", "a proxy and no certificates"])
def test_without_certificates_nothing_is_said_of_another_ones_config_map(settings: ProxySettings) -> None:
    assert proposals(target, config_map({"ca-bundle.crt": A}, label="Helm"), settings) == []


# What the pod looks like then.


DIRECTORIES = {"name": "SSL_CERT_DIR", "value": f"/etc/ssl/certs:/etc/pki/tls/certs:{FOLDER}"}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        pytest.param({}, [DIRECTORIES], id="no option: what Go reads"),
        pytest.param({"variables": ["SSL_CERT_FILE"]}, [VARIABLE], id="a file that Go reads"),
        pytest.param({"mountPath": "/etc/ssl/certs"}, None, id="a folder that Go reads anyway"),
    ],
)
def test_the_go_programs_we_know_find_the_bundle(options: dict[str, Any], expected: Any) -> None:
    obj = workload(labels={"app": "chart-operator"})
    done = apply(target, obj, ONE, trustedCA=options)
    env = pod(done)["containers"][0].get("env")
    assert (env if env is None or isinstance(expected[0], dict) else [one["name"] for one in env]) == expected
    assert findings(target, obj, ONE, trustedCA=options) == []
    assert apply(target, done, NONE) == obj
    moved = {**options, "mountPath": "/etc/corp"}
    assert apply(target, apply(target, obj, ONE, trustedCA=moved), ONE, trustedCA=options) == done


GO_PROGRAM = """
package main

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"os"
)

func main() {
	data, _ := io.ReadAll(os.Stdin)
	block, _ := pem.Decode(data)
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		panic(err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		panic(err)
	}
	before := pool.Clone()
	pool.AddCert(certificate)
	fmt.Println(pool.Equal(before))
}
"""


def test_go_trusts_what_the_variable_leads_to(tmp_path: Path) -> None:
    (env,) = pod(apply(target, workload(labels={"app": "chart-operator"}), ONE))["containers"][0]["env"]
    folder = tmp_path / "mounted"
    folder.mkdir()
    (folder / "ca-bundle.crt").write_text(A)
    (tmp_path / "main.go").write_text(GO_PROGRAM)
    program = tmp_path / "trusts"
    assert run_tool([need("go"), "build", "-o", program, tmp_path / "main.go"]).returncode == 0
    value = env["value"].replace(FOLDER, str(folder))
    answers = [
        run_tool([program], certificate.encode(), env={env["name"]: value}).stdout.strip() for certificate in (A, B)
    ]
    assert answers == [b"true", b"false"]


# What is reported.


def test_the_config_map_that_the_certificates_come_from_is_nobody_elses_business() -> None:
    source = ProxySettings(trusted_ca=Certificates(A, ("tools", NAME, "roots.pem")))
    assert proposals(target, config_map({"roots.pem": A}), source) == []


# The ConfigMap that is made.


@pytest.mark.parametrize(
    ("obj", "settings", "expected"),
    [
        pytest.param(asked(), ONE, True, id="a workload that asks for it"),
        pytest.param(asked(namespace="other"), FROM, True, id="one in another namespace than the source"),
        pytest.param(asked(), FROM, False, id="one in the namespace of the source"),
        pytest.param(workload(), ONE, False, id="a workload that nobody asked for"),
        pytest.param(asked(), NONE, False, id="no certificates"),
    ],
)
def test_a_config_map_is_made_where_it_is_mounted(obj: dict[str, Any], settings: ProxySettings, expected: bool) -> None:
    # One without our label is that of the ProxyConfig, which a build of kustomize needs, and no run creates.
    made = filter(was_created, target.companions(obj, settings, {}))
    namespace = obj["metadata"]["namespace"]
    assert [(new["kind"], new["metadata"]["namespace"], new["metadata"]["name"]) for new in made] == (
        [("ConfigMap", namespace, NAME)] if expected else []
    )
    for one in made:
        assert apply(target, one, settings)["data"] == {"ca-bundle.crt": settings.trusted_ca.pem}


@pytest.mark.parametrize("data", [None, {}, {"ca-bundle.crt": B}, {"ca-bundle.crt": None}, {"more": "x"}])
def test_our_config_map_gets_the_certificates_and_results_do_not_show_them(data: Any) -> None:
    obj = config_map(data)
    assert apply(target, obj, BOTH)["data"]["ca-bundle.crt"] == A + B
    (change,) = changes(target, obj, BOTH)
    assert "BEGIN" not in change.message


# What is read at all.


def test_a_config_map_that_we_did_not_make_and_that_lacks_the_certificates_is_reported() -> None:
    assert len(messages(target, config_map({"ca-bundle.crt": B}, label="Helm"), settings=ONE)) == 1
