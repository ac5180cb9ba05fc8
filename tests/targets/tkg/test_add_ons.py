"""The add-ons of TKG: their data values in Secrets, and their configuration resources."""

from __future__ import annotations

from typing import Any

import pytest

from all_targets import TARGETS
from krm_fn.config import Certificates
from krm_fn.krm.results import Severity
from krm_fn.settings import ProxySettings
from proposals import HTTP, HTTPS, NO, NONE, apply, changes, findings, proposals
from tkg_objects import HEADER, config, secret, text_of

CPI, KAPP = TARGETS["tkg.vsphereCPI"], TARGETS["tkg.kappController"]
PINNIPED, CLOUD = TARGETS["tkg.pinniped"], TARGETS["tkg.cloudCSI"]
CPI_GROUP, RUN_GROUP = "cpi.tanzu.vmware.com", "run.tanzu.vmware.com"
SNAKE = f"http_proxy: {HTTP}\nhttps_proxy: {HTTPS}\nno_proxy: {NO}\n"
OVERLAY = '#@overlay/match by=overlay.subset({"kind": "DaemonSet"})\n---\nspec: {}\n'
BARE = f"{HEADER}vsphereCPI:\n  server: 10.0.0.1 #! by address\n"
WORKLOAD = "tkg_cluster_role: workload\nidentity_management_type: none\n"


def cpi(**mapping: Any) -> Any:
    return config("VSphereCPIConfig", CPI_GROUP, vsphereCPI=mapping)


@pytest.mark.parametrize(
    ("target", "obj"),
    [
        pytest.param(CPI, secret(BARE, kind="Opaque"), id="a Secret of another type"),
        pytest.param(CPI, secret("vsphereCSI: {}\n"), id="data values of another by content"),
        pytest.param(CPI, secret(HEADER, addon="antrea"), id="empty data values of another add-on"),
        pytest.param(CPI, secret(OVERLAY, addon="vsphere-cpi", key="overlays.yaml"), id="an overlay alone"),
        pytest.param(CPI, secret("antrea: {", addon="antrea"), id="broken YAML of another add-on"),
        pytest.param(CPI, cpi(mode="vsphereParavirtualCPI"), id="a paravirtual cluster"),
        pytest.param(PINNIPED, secret(WORKLOAD, addon="pinniped"), id="a workload cluster by its label"),
        pytest.param(PINNIPED, secret(f"{WORKLOAD}pinniped: {{}}\n"), id="a workload cluster by its mapping"),
        pytest.param(CLOUD, secret("vsphereCSI: {}\n"), id="data values of the driver of vSphere"),
    ],
)
def test_what_must_not_change(target: Any, obj: Any) -> None:
    assert proposals(target, obj) == []
    assert list(target.read(obj, {})) == []


def test_a_document_without_the_mapping_gets_it_where_the_label_says_whose_it_is() -> None:
    obj = secret("nodeSelector: null\n", addon="vsphere-cpi")
    obj["stringData"] = {"overlays.yaml": OVERLAY, **obj["stringData"]}
    after = apply(CPI, obj, ProxySettings(http_proxy=HTTP))
    assert text_of(after) == f"nodeSelector: null\nvsphereCPI:\n  http_proxy: {HTTP}\n"
    assert text_of(after, "overlays.yaml") == OVERLAY
    assert apply(CPI, after, NONE) == obj


@pytest.mark.parametrize(
    ("target", "obj", "left"),
    [
        pytest.param(CPI, cpi(proxy={"http_proxy": HTTP}), cpi(), id="the mapping of a configuration stays"),
        pytest.param(
            KAPP,
            config("KappControllerConfig", RUN_GROUP, kappController={"config": {"httpProxy": HTTP}}),
            config("KappControllerConfig", RUN_GROUP),
            id="with certificates, its spec stays",
        ),
        pytest.param(
            CPI,
            secret(f"vsphereCPI: {{http_proxy: {HTTP}}}\nnodeSelector: null\n", addon="vsphere-cpi"),
            secret("nodeSelector: null\n", addon="vsphere-cpi"),
            id="the mapping goes from other data values of its own Secret",
        ),
    ],
)
def test_a_removal_leaves_what_is_not_ours(target: Any, obj: Any, left: Any) -> None:
    assert apply(target, obj, NONE) == left


@pytest.mark.parametrize(
    ("obj", "severity"),
    [
        pytest.param(secret("vsphereCPI: [1]\n"), Severity.ERROR, id="a mapping of a wrong type"),
        pytest.param(secret("[]\n", addon="vsphere-cpi"), Severity.ERROR, id="a document of a wrong type"),
        pytest.param(cpi(proxy=[]), Severity.ERROR, id="an object"),
        pytest.param(secret(addon="vsphere-cpi"), Severity.WARNING, id="no values"),
    ],
)
def test_what_cannot_be_edited_is_reported_once(obj: Any, severity: Severity) -> None:
    assert changes(CPI, obj) == []
    assert [finding.severity for finding in findings(CPI, obj)] == [severity]


# Certificates of kapp-controller.

PEM, OTHER = (f"-----BEGIN CERTIFICATE-----\n{body}\n-----END CERTIFICATE-----\n" for body in ("MIIB", "MIIC"))
ALONE = ProxySettings(trusted_ca=Certificates(PEM), is_declared=False)
OURS = f"# inject-proxy: a certificate of spec.trustedCA\n{PEM}"


def trusting(certificates: Any) -> Any:
    return config("KappControllerConfig", RUN_GROUP, kappController={"config": {"caCerts": certificates}})


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        pytest.param(PEM, PEM, id="what a person wrote is not written twice"),
        pytest.param("", OURS, id="an empty text"),
        pytest.param(OTHER, f"{OTHER}\n{OURS}", id="certificates of others stay"),
        pytest.param(OURS.replace(PEM, OTHER), OURS, id="those that were ours before are replaced"),
    ],
)
def test_certificates_are_below_our_line(before: str, expected: str) -> None:
    assert apply(KAPP, trusting(before), ALONE) == trusting(expected)


def test_certificates_need_no_proxy_and_a_proxy_needs_to_be_declared() -> None:
    assert "MIIB" in text_of(apply(KAPP, secret("kappController: {}\n"), ALONE))
    assert findings(CPI, secret("vsphereCPI: {", addon="vsphere-cpi"), ALONE) == []
