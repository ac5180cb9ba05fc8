"""kapp-controller: `config` in its data values and in its configuration, both in camel case."""

from __future__ import annotations

from typing import Any

import pytest
from tkg_objects import HEADER, config, secret, text_of

from krm_fn.config import Certificates
from krm_fn.krm.results import Severity
from krm_fn.settings import ProxySettings
kapp_controller = __import__("types").SimpleNamespace(TARGET=__import__("krm_fn.targets").targets.TARGETS["tkgKappController"])
from proposals import FULL, HTTP, HTTPS, NO, NONE, apply, findings, proposals

GROUP = "run.tanzu.vmware.com"
BARE = "kappController:\n  namespace: tkg-system\n"
MEMBERS = f"    httpProxy: {HTTP}\n    httpsProxy: {HTTPS}\n    noProxy: {NO}\n"
CERTIFICATE = "    caCerts: |\n      -----BEGIN CERTIFICATE-----\n      MIIB\n      -----END CERTIFICATE-----\n"
PROXY = {"httpProxy": HTTP, "httpsProxy": HTTPS, "noProxy": NO}


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(secret(f"{BARE}  config:\n{MEMBERS}"), id="data values that have the proxy"),
        pytest.param(secret(BARE, kind="addons.cluster.x-k8s.io/resource-set"), id="the Secret of a resource set"),
        pytest.param(config("TanzuKubernetesCluster", GROUP, settings={}), id="another kind of the group"),
    ],
)
def test_what_must_not_change(obj: Any) -> None:
    assert proposals(kapp_controller, obj) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(BARE, f"{BARE}  config:\n{MEMBERS}", id="without a config, as where TKG had no proxy"),
        pytest.param(
            f"{HEADER}{BARE}  config:\n{CERTIFICATE}",
            f"{HEADER}{BARE}  config:\n{CERTIFICATE}{MEMBERS}",
            id="with a certificate that stays",
        ),
    ],
)
def test_data_values_come_and_go(before: str, after: str) -> None:
    result = apply(kapp_controller, secret(before))

    assert text_of(result) == after
    assert apply(kapp_controller, result, NONE) == secret(before)


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param({"namespace": "tkg-system"}, id="nothing but a namespace"),
        pytest.param({"kappController": {"createNamespace": True}}, id="without a config"),
        pytest.param({"kappController": {"config": {"dangerousSkipTLSVerify": "r1,r2"}}}, id="with another value"),
    ],
)
def test_the_configuration_comes_and_goes(spec: Any) -> None:
    obj = config("KappControllerConfig", GROUP, **spec)

    result = apply(kapp_controller, obj)

    assert result["spec"]["kappController"]["config"] == {
        **spec.get("kappController", {}).get("config", {}),
        **PROXY,
    }
    assert apply(kapp_controller, result, NONE) == obj
    assert {seen.variable: seen.value for seen in kapp_controller.TARGET.read(result, {})} == FULL.variables()


PEM, OTHER = (f"-----BEGIN CERTIFICATE-----\n{body}\n-----END CERTIFICATE-----\n" for body in ("MIIB", "MIIC"))
ALONE = ProxySettings(trusted_ca=Certificates(PEM), is_declared=False)
TRUSTING = ProxySettings(HTTP, HTTPS, NO, trusted_ca=Certificates(PEM))
OURS = f"# inject-proxy: the certificates of spec.trustedCA\n{PEM}# inject-proxy: end\n"


def trusting(certificates: Any, **more: Any) -> Any:
    return config("KappControllerConfig", GROUP, kappController={"config": {"caCerts": certificates, **more}})


def certificates_of(obj: Any) -> Any:
    return obj["spec"]["kappController"]["config"].get("caCerts")


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        pytest.param(PEM, PEM, id="what a person wrote is not written twice"),
        pytest.param("", OURS, id="an empty text"),
        pytest.param(OTHER, f"{OTHER}\n{OURS}", id="certificates of others stay"),
        pytest.param(OTHER.rstrip(), f"{OTHER}{OURS}", id="without a newline at their end"),
        pytest.param(OURS.replace(PEM, OTHER), OURS, id="those that were ours before are replaced"),
        pytest.param(f"{OTHER}\n{OURS.replace(PEM, OTHER)}{OTHER}", f"{OTHER}\n{OURS}{OTHER}", id="where they stand"),
    ],
)
def test_certificates_stand_between_our_lines(before: str, expected: str) -> None:
    result = apply(kapp_controller, trusting(before), ALONE)

    assert certificates_of(result) == expected
    assert apply(kapp_controller, trusting(before, **PROXY), TRUSTING) == trusting(expected, **PROXY)


@pytest.mark.parametrize("before", [PEM, OTHER, OTHER.rstrip()])
def test_removal_gives_back_the_certificates_of_others(before: str) -> None:
    obj = trusting(before)

    assert apply(kapp_controller, apply(kapp_controller, obj, TRUSTING), NONE) == obj


@pytest.mark.parametrize("settings", [ALONE, TRUSTING])
def test_certificates_come_and_go_where_nothing_was(settings: ProxySettings) -> None:
    for obj in (secret(BARE), secret("", addon="kapp-controller"), config("KappControllerConfig", GROUP, x=1)):
        result = apply(kapp_controller, obj, settings)

        assert "inject-proxy: end" in str(result)
        assert apply(kapp_controller, result, FULL) == apply(kapp_controller, obj, FULL)


def test_certificates_that_ytt_computes_stay_and_are_reported() -> None:
    obj = secret(f"{BARE}  config:\n    caCerts: #@ data.values.ca\n")

    (reported,) = findings(kapp_controller, obj, TRUSTING)

    assert "`caCerts` is computed by ytt" in reported.message
    assert text_of(apply(kapp_controller, obj, TRUSTING)) == f"{text_of(obj)}{MEMBERS}"
    assert findings(kapp_controller, obj) == []


def test_certificates_that_are_no_text_are_an_error() -> None:
    (reported,) = findings(kapp_controller, trusting(["x"]), TRUSTING)

    assert (reported.severity, reported.path[-1]) == (Severity.ERROR, "caCerts")


def test_it_looks_at_its_own_configuration() -> None:
    assert kapp_controller.TARGET.id == "tkgKappController"
    assert set(kapp_controller.TARGET.kinds) == {("", "Secret"), (GROUP, "KappControllerConfig")}
