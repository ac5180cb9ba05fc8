"""vSphere CPI: its data values and its configuration; what all add-ons share is tried here, too."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from tkg_objects import HEADER, config, secret, text_of

from krm_fn.krm.results import Severity
from krm_fn.noproxy import Audience
from krm_fn.products import tkg
from krm_fn.settings import ProxySettings
from krm_fn.targets import TARGETS
vsphere_cpi = __import__("types").SimpleNamespace(TARGET=__import__("krm_fn.targets").targets.TARGETS["tkgVsphereCPI"])
from proposals import FULL, HTTP, HTTPS, NO, NONE, apply, changes, messages, proposals

GROUP = "cpi.tanzu.vmware.com"
BARE = f"{HEADER}vsphereCPI:\n  server: 10.0.0.1 #! by address\n"
DONE = f"{BARE}  http_proxy: {HTTP}\n  https_proxy: {HTTPS}\n  no_proxy: {NO}\n"
CSI = f"{HEADER}vsphereCSI:\n  http_proxy: http://old:1\n"
OVERLAY = '#@overlay/match by=overlay.subset({"kind": "DaemonSet"})\n---\nspec: {}\n'
ANNOTATED = {
    "name": "cluster-addon",
    "annotations": {"tkg.tanzu.vmware.com/addon-type": "cloud-provider/vsphere-cpi"},
}


def said(obj: Any) -> dict[str, str | None]:
    return {seen.variable: seen.value for seen in vsphere_cpi.TARGET.read(obj, {})}


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(secret(DONE), id="data values that have the proxy"),
        pytest.param(secret(BARE, kind="Opaque"), id="a Secret of another type"),
        pytest.param(secret(BARE, kind=["tkg.tanzu.vmware.com/addon"]), id="a type of a wrong type"),
        pytest.param(secret(CSI, addon="vsphere-csi"), id="data values of another add-on"),
        pytest.param(secret(HEADER, addon="antrea"), id="empty data values of another add-on"),
        pytest.param(secret(CSI), id="data values of nobody by name, and of another by content"),
        pytest.param(secret(BARE, key="README.txt"), id="a text that is not YAML by its name"),
        pytest.param(secret(OVERLAY, addon="vsphere-cpi", key="overlays.yaml"), id="an overlay alone"),
        pytest.param(secret(metadata=None, data={"values.yaml": None}), id="a Secret of null values"),
        pytest.param(secret("antrea: {", addon="antrea"), id="broken YAML of another add-on"),
        pytest.param(config("VSphereCPIConfig", "example.com", vsphereCPI={}), id="a kind of another group"),
        pytest.param(
            config("VSphereCPIConfig", GROUP, vsphereCPI={"mode": "vsphereParavirtualCPI"}),
            id="a paravirtual cluster, where nothing reads a proxy",
        ),
        pytest.param({"kind": "Secret"}, id="nearly nothing"),
        pytest.param({"apiVersion": 1, "kind": []}, id="an object of wrong types"),
    ],
)
def test_what_must_not_change(obj: Any) -> None:
    assert proposals(vsphere_cpi, obj) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(BARE, DONE, id="the three are added at the end, and all else stays to the byte"),
        pytest.param(
            f"{HEADER}vsphereCPI:\n  http_proxy: 'http://old:1' # x\n  no_proxy: ''\n  zone: a\n",
            f"{HEADER}vsphereCPI:\n  http_proxy: '{HTTP}' # x\n  https_proxy: {HTTPS}\n  no_proxy: '{NO}'\n  zone: a\n",
            id="what is there stays in its place and in its quotes, and what is missing stands between",
        ),
        pytest.param(
            "vsphereCPI:\n",
            f"vsphereCPI: # was:\n  http_proxy: {HTTP}\n  https_proxy: {HTTPS}\n  no_proxy: {NO}\n",
            id="a mapping that is null",
        ),
        pytest.param(
            f"{BARE}---\nother: 1\n---\nvsphereCPI: {{}}\n",
            f"{DONE}---\nother: 1\n---\nvsphereCPI:\n  http_proxy: {HTTP}\n  https_proxy: {HTTPS}\n  no_proxy: {NO}\n",
            id="every document with the mapping gets them, because ytt takes the last",
        ),
    ],
)
def test_data_values_are_edited_in_place(before: str, after: str) -> None:
    assert text_of(apply(vsphere_cpi, secret(before))) == after


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(secret(HEADER, addon="vsphere-cpi"), id="known by the label"),
        pytest.param(secret(HEADER, metadata=ANNOTATED), id="known by the annotation"),
        pytest.param(secret(HEADER, addon="vsphere-cpi", kind="clusterbootstrap-secret"), id="of a ClusterClass"),
    ],
)
def test_data_values_that_say_nothing_are_begun(obj: Any) -> None:
    begun = f"{HEADER}vsphereCPI:\n  http_proxy: {HTTP}\n  https_proxy: {HTTPS}\n  no_proxy: {NO}\n"
    result = apply(vsphere_cpi, obj)

    assert text_of(result) == begun
    assert text_of(apply(vsphere_cpi, result, NONE)) == f"{HEADER}vsphereCPI: {{}}\n"


@pytest.mark.parametrize("text", ["# c", "# c\n", "---\n", "--- # c\r\n", "\n\n"])
def test_a_text_without_a_header_of_ytt_that_was_begun_comes_back_by_removal(text: str) -> None:
    obj = secret(text, addon="vsphere-cpi")

    once = apply(vsphere_cpi, obj)

    assert HTTP in text_of(once)
    assert apply(vsphere_cpi, once, NONE) == obj


def test_a_document_without_the_mapping_gets_it_where_the_label_says_whose_it_is() -> None:
    obj = secret(f"{HEADER}nodeSelector: null\n", addon="vsphere-cpi")
    obj["stringData"] = {"overlays.yaml": OVERLAY, **obj["stringData"]}

    result = apply(vsphere_cpi, obj, ProxySettings(http_proxy=HTTP))

    assert text_of(result) == f"{HEADER}nodeSelector: null\nvsphereCPI:\n  http_proxy: {HTTP}\n"
    assert text_of(result, "overlays.yaml") == OVERLAY


def test_base64_stays_base64_and_only_the_text_in_it_changes() -> None:
    obj = secret(data={"values.yaml": base64.b64encode(BARE.encode()).decode()})

    result = apply(vsphere_cpi, obj)

    assert base64.b64decode(result["data"]["values.yaml"]).decode() == DONE
    assert "stringData" not in result


def test_base64_of_several_lines_keeps_their_width() -> None:
    coded = base64.b64encode(BARE.encode()).decode()
    obj = secret(data={"values.yaml": "".join(f"{coded[at : at + 40]}\n" for at in range(0, len(coded), 40))})

    result = apply(vsphere_cpi, obj)["data"]["values.yaml"]

    assert {len(line) for line in result.split("\n")[:-2]} == {40}
    assert base64.b64decode(result).decode() == DONE
    assert apply(vsphere_cpi, secret(data={"values.yaml": result}), NONE) == obj


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("other: 1\n", "other: 1\n", id="a mapping that was made goes"),
        pytest.param("other: 1\nvsphereCPI: {}\n", "other: 1\nvsphereCPI: {}\n", id="one that was empty is so again"),
        pytest.param("other: 1\nvsphereCPI:\n  a: 1\n", "other: 1\nvsphereCPI:\n  a: 1\n", id="one with values stays"),
        pytest.param("vsphereCPI: {}\n", "vsphereCPI: {}\n", id="one that stands alone stays"),
        pytest.param(
            "other: 1\n#@overlay/match missing_ok=True\nvsphereCPI: {}\n",
            "other: 1\n#@overlay/match missing_ok=True\nvsphereCPI: {}\n",
            id="one with an annotation stays",
        ),
    ],
)
def test_removal_of_the_last_member_where_the_label_says_whose_values_they_are(before: str, after: str) -> None:
    once = apply(vsphere_cpi, secret(f"{HEADER}{before}", addon="vsphere-cpi"))

    assert HTTP in text_of(once)
    assert text_of(apply(vsphere_cpi, once, NONE)) == f"{HEADER}{after}"


def test_removal_after_injection_gives_the_original() -> None:
    assert apply(vsphere_cpi, secret(DONE), NONE) == secret(BARE)


def test_a_changed_proxy_changes_the_values_and_nothing_else() -> None:
    other = ProxySettings("http://new:1", "http://new:2", "x")

    assert text_of(apply(vsphere_cpi, secret(DONE), other)) == (
        f"{BARE}  http_proxy: http://new:1\n  https_proxy: http://new:2\n  no_proxy: x\n"
    )


def test_a_variable_that_comes_back_stands_where_it_stood() -> None:
    https_only = apply(vsphere_cpi, secret(DONE), ProxySettings(https_proxy=HTTPS))

    assert apply(vsphere_cpi, https_only) == secret(DONE)


def test_what_ytt_computes_is_left_and_reported() -> None:
    obj = secret(f"{HEADER}vsphereCPI:\n  http_proxy: #@ proxy()\n")

    assert changes(vsphere_cpi, obj) == []
    assert messages(vsphere_cpi, obj) == [
        "in it, `http_proxy` is computed by ytt, so the document stays as it is: write a value there"
    ]


@pytest.mark.parametrize(
    ("obj", "severity", "message"),
    [
        pytest.param(
            secret("vsphereCPI: [1]\n"),
            Severity.ERROR,
            "in it, `vsphereCPI` must be a mapping, not a list; correct it, or leave it out",
            id="a mapping of a wrong type",
        ),
        pytest.param(
            secret("[]\n", addon="vsphere-cpi"),
            Severity.ERROR,
            "in it, the document must be a mapping, not a list; correct it, or leave it out",
            id="a document of a wrong type",
        ),
        pytest.param(
            secret("${VALUES}\n", addon="vsphere-cpi"),
            Severity.WARNING,
            "in it, the document must be a mapping, not a string; a later step fills it in, "
            "so inject-proxy leaves it as it is",
            id="a document that is a template",
        ),
        pytest.param(
            secret({}, addon="vsphere-cpi"),
            Severity.ERROR,
            "`values.yaml` must be a string, not a mapping; correct it, or leave it out",
            id="a value that is no text",
        ),
        pytest.param(
            secret(data={"values.yaml": "no base64"}),
            Severity.WARNING,
            "`values.yaml` must be base64 of UTF-8 text; correct it, or write the text itself under `stringData`",
            id="base64 that is none",
        ),
        pytest.param(
            secret(stringData="x"),
            Severity.ERROR,
            "`stringData` must be a mapping, not a string; correct it, or leave it out",
            id="data that is no mapping",
        ),
        pytest.param(
            config("VSphereCPIConfig", GROUP, vsphereCPI={"proxy": []}),
            Severity.ERROR,
            "`proxy` must be a mapping, not a list; correct it, or leave it out",
            id="a configuration of a wrong type",
        ),
    ],
)
def test_what_cannot_be_edited_is_reported(obj: Any, severity: Severity, message: str) -> None:
    assert changes(vsphere_cpi, obj) == []
    assert messages(vsphere_cpi, obj, severity) == [message]


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(secret(addon="vsphere-cpi"), id="a Secret without data"),
        pytest.param(secret(addon="vsphere-cpi", data=None, stringData=None), id="a Secret whose data is null"),
        pytest.param(secret(addon="vsphere-cpi", data={"values.yaml": None}), id="a Secret of null values"),
    ],
)
def test_a_secret_of_the_add_on_without_values_is_reported_where_there_is_a_proxy(obj: Any) -> None:
    reported = (
        "there is no `values.yaml` in it, so the data values of vSphere CPI get no proxy: add it with what TKG writes "
        "there, or delete the Secret"
    )
    assert messages(vsphere_cpi, obj) == [reported]
    assert proposals(vsphere_cpi, obj, NONE) == []


def test_yaml_that_cannot_be_read_is_reported() -> None:
    (message,) = messages(vsphere_cpi, secret("vsphereCPI: {", addon="vsphere-cpi"))

    assert message.startswith("the YAML in it cannot be read and is left as it is: ")


def test_the_configuration_has_the_names_of_data_values() -> None:
    obj = config("VSphereCPIConfig", GROUP, vsphereCPI={"mode": "vsphereCPI", "region": "eu"})
    proxy = {"http_proxy": HTTP, "https_proxy": HTTPS, "no_proxy": NO}

    result = apply(vsphere_cpi, obj)

    assert result["spec"] == {"vsphereCPI": {"mode": "vsphereCPI", "region": "eu", "proxy": proxy}}
    assert apply(vsphere_cpi, result, NONE) == obj


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(secret(DONE), id="data values"),
        pytest.param(apply(vsphere_cpi, config("VSphereCPIConfig", GROUP, vsphereCPI={})), id="the configuration"),
    ],
)
def test_what_is_there_is_seen(obj: Any) -> None:
    assert said(obj) == FULL.variables()


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(secret(CSI), id="data values of another add-on"),
        pytest.param(secret("vsphereCPI: {http_proxy: 1}\n"), id="a value that is no text"),
        pytest.param(secret("vsphereCPI: {"), id="YAML that cannot be read"),
        pytest.param({}, id="nothing"),
    ],
)
def test_what_says_nothing_is_not_seen(obj: Any) -> None:
    assert said(obj) == {}


def test_it_looks_at_secrets_of_add_ons_and_at_its_configuration() -> None:
    assert vsphere_cpi.TARGET.id == "tkgVsphereCPI"
    assert vsphere_cpi.TARGET.audience is Audience.GO
    assert set(vsphere_cpi.TARGET.kinds) == {("", "Secret"), (GROUP, "VSphereCPIConfig")}
    assert vsphere_cpi.TARGET.hints({}) == ("tkg.tanzu.vmware.com/addon", "clusterbootstrap-secret", GROUP)


@pytest.mark.parametrize("name", ["tkgVsphereCPI", "tkgVsphereCSI", "tkgKappController", "tkgPinniped", "tkgCloudCSI"])
def test_the_groups_of_the_configurations_of_add_ons_are_looked_for_in_the_text(name: str) -> None:
    groups = {group for group, kind in TARGETS[name].kinds if kind != "Secret"}
    assert {*TARGETS[name].hints({})} == {*tkg.ADD_ON_SECRET_TYPES, *groups}
