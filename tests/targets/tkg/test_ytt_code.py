"""Code and annotations of ytt in data values: what they decide is reported, and what is edited is free of them."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from tkg_objects import HEADER, secret, text_of

from krm_fn.errors import InputError
from krm_fn.formats.ytt import undecided
from krm_fn.krm.results import Finding, Severity
from krm_fn.plan.sources import formats
from krm_fn.cli.system_files import filled
from krm_fn.settings import ProxySettings
from krm_fn.targets.tkg import cluster_config
pinniped = __import__("types").SimpleNamespace(TARGET=__import__("krm_fn.targets").targets.TARGETS["tkgPinniped"])
vsphere_cpi = __import__("types").SimpleNamespace(TARGET=__import__("krm_fn.targets").targets.TARGETS["tkgVsphereCPI"])
from proposals import FULL, HTTP, HTTPS, NO, NONE, apply, messages, proposals

THREE = f"  http_proxy: {HTTP}\n  https_proxy: {HTTPS}\n  no_proxy: {NO}\n"
MATCH = "  #@overlay/match missing_ok=True\n"
EACH = "".join(f"{MATCH}{line}\n" for line in THREE.splitlines())


def computed(name: str) -> str:
    return f"in it, `{name}` is computed by ytt, so the document stays as it is: write a value there"


def subject(name: str, word: str) -> str:
    return (
        f"in it, `{name}` is or would be in code of ytt (`{word}`), so the document stays as it is: move the "
        "code away, or edit it by hand"
    )


def annotated(name: str, word: str) -> str:
    return (
        f"in it, the annotation `{word}` of ytt belongs to `{name}`, so the document stays as it is: take the "
        "annotation out, or edit it by hand"
    )


def reported(obj: Any, settings: ProxySettings) -> list[str]:
    """What is said where nothing is changed."""
    said = proposals(vsphere_cpi, obj, settings)
    assert all(isinstance(one, Finding) and one.severity is Severity.WARNING for one in said)
    assert all(one.path == ("stringData", "values.yaml") for one in said if isinstance(one, Finding))
    return [one.message for one in said]


@pytest.mark.parametrize(
    ("text", "settings", "message"),
    [
        pytest.param("vsphereCPI: #@ v()\n", FULL, computed("vsphereCPI"), id="the mapping is the result of code"),
        pytest.param(
            'vsphereCPI:\n  "http_proxy": #@ x\n', FULL, computed("http_proxy"), id="a computed member in quotes"
        ),
        pytest.param(
            "vsphereCPI:\n  http_proxy: #@template/value x\n", NONE, computed("http_proxy"), id="in the long form"
        ),
        pytest.param(
            "#@yaml/text-templated-strings\nvsphereCPI:\n  http_proxy: http://(@= x @):1\n",
            FULL,
            computed("http_proxy"),
            id="code inside a text",
        ),
        pytest.param(
            "vsphereCPI:\n  #@ if False:\n  mode: x\n  #@ end\n",
            FULL,
            subject("http_proxy", "#@ if"),
            id="the mapping ends in a block, where new members would land",
        ),
        pytest.param(
            f"vsphereCPI:\n  #@ if x:\n{THREE}  #@ else:\n  mode: x\n  #@ end\n",
            NONE,
            subject("http_proxy", "#@ if"),
            id="members inside a block",
        ),
        pytest.param(
            "#@ for i in range(2):\nvsphereCPI:\n  http_proxy: http://old:1\n#@ end\n",
            FULL,
            subject("http_proxy", "#@ for"),
            id="the mapping inside a block",
        ),
        pytest.param(
            "vsphereCPI:\n  #@ if/end False:\n  http_proxy: http://old:1\n  server: b\n",
            NONE,
            subject("http_proxy", "#@ if/end"),
            id="code for one member, which would slide to the next",
        ),
        pytest.param(
            "vsphereCPI:\n  #@overlay/remove\n  http_proxy: http://old:1\n",
            FULL,
            annotated("http_proxy", "#@overlay/remove"),
            id="an annotation that takes the member out",
        ),
        pytest.param(
            "#@schema/nullable\nvsphereCPI:\n  server: a\n",
            FULL,
            annotated("http_proxy", "#@schema/nullable"),
            id="an annotation of a schema that takes the mapping out",
        ),
        pytest.param(
            f"vsphereCPI:\n  #@ if False:\n{THREE}  #@ end\n",
            FULL,
            subject("http_proxy", "#@ if"),
            id="members inside a block that are right as they are",
        ),
        pytest.param(
            "vsphereCPI: #@overlay/remove\n  server: a\n",
            FULL,
            annotated("http_proxy", "#@overlay/remove"),
            id="an annotation beside the mapping",
        ),
        pytest.param(
            f"vsphereCPI:\n{MATCH}  http_proxy: http://old:1\n  server: b\n",
            NONE,
            annotated("http_proxy", "#@overlay/match"),
            id="an annotation that would slide to the next",
        ),
        pytest.param(
            '#@ load("@ytt:data", "data")\n#@overlay/match when=data.values.on\nvsphereCPI:\n  a: 1\n',
            FULL,
            annotated("http_proxy", "#@overlay/match"),
            id="an annotation with a condition",
        ),
    ],
)
def test_what_code_decides_is_left_and_reported(text: str, settings: ProxySettings, message: str) -> None:
    assert reported(secret(f"{HEADER}{text}"), settings) == [message]


@pytest.mark.parametrize(
    ("text", "after"),
    [
        pytest.param(f"vsphereCPI:\n{EACH}", f"vsphereCPI:\n{EACH}", id="annotated members"),
        pytest.param(
            f"vsphereCPI:\n{MATCH}  no_proxy: {NO}\n",
            f"vsphereCPI:\n{MATCH}  no_proxy: {NO}\n  http_proxy: {HTTP}\n  https_proxy: {HTTPS}\n",
            id="new members do not come between an annotation and its member",
        ),
    ],
)
def test_harmless_annotations_are_no_obstacle_to_new_values(text: str, after: str) -> None:
    old = text.replace(HTTP, "http://old:1").replace(HTTPS, "http://old:2").replace(NO, "x")

    assert text_of(apply(vsphere_cpi, secret(f"{HEADER}{old}"))) == f"{HEADER}{after}"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            '#@ load("@ytt:data", "data")\nvsphereCPI:\n  server: #@ data.values.server\n', id="another value"
        ),
        pytest.param("vsphereCPI:\n  #@ if False:\n  mode: x\n  #@ end\n  server: a\n", id="a block further up"),
        pytest.param("vsphereCPI:\n  server: a\n#@ if False:\nother: 1\n#@ end\n", id="a block behind the mapping"),
        pytest.param("#@ if/end False:\nother: 1\nvsphereCPI:\n  server: a\n", id="code for another member"),
        pytest.param("#@overlay/match missing_ok=True\nvsphereCPI:\n  server: a\n", id="an annotation of the mapping"),
        pytest.param('vsphereCPI:\n  server: "a #@ b" #! c #@ d\n', id="what looks like code"),
        pytest.param("vsphereCPI:\n  server: |\n    #@ if False:\n", id="code in a text of several lines"),
        pytest.param(
            "vsphereCPI: #@overlay/match missing_ok=True\n  server: a\n", id="an annotation beside the mapping"
        ),
    ],
)
def test_code_elsewhere_is_no_obstacle(text: str) -> None:
    obj = secret(f"{HEADER}{text}")

    once = apply(vsphere_cpi, obj)

    assert THREE in text_of(once)
    assert apply(vsphere_cpi, once, NONE) == obj


def test_of_several_documents_those_without_code_are_edited() -> None:
    free, bound = "vsphereCPI:\n  server: a\n", "vsphereCPI: #@ v()\n"

    result = apply(vsphere_cpi, secret(f"{HEADER}{free}{HEADER}{bound}"))

    assert text_of(result) == f"{HEADER}{free}{THREE}{HEADER}{bound}"


def test_a_block_around_a_whole_document_is_seen_in_base64() -> None:
    text = f"#@ if False:\n{HEADER}vsphereCPI:\n  server: a\n#@ end\n"
    obj = secret(data={"values.yaml": base64.b64encode(text.encode()).decode()})

    assert messages(vsphere_cpi, obj) == [subject("http_proxy", "#@ if")]


def test_members_at_the_root_are_guarded_too() -> None:
    text = f"{HEADER}pinniped: {{}}\n#@ if False:\nhttp_proxy: http://old:1\n#@ end\n"

    assert messages(pinniped, secret(text)) == [subject("http_proxy", "#@ if")]


# Where a document is begun.


@pytest.mark.parametrize(
    ("header", "gap"),
    [
        pytest.param("#@data/values\n", "---\n", id="a header without a separator"),
        pytest.param("#@data/values", "\n---\n", id="and without a line break"),
        pytest.param("#@data/values\r\n", "---\r\n", id="with the line breaks of Windows"),
        pytest.param("---\n#@data/values\n", "---\n", id="a header behind a separator"),
        pytest.param(HEADER, "", id="a header with its separator"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_a_document_is_begun_below_its_header(header: str, gap: str) -> None:
    result = text_of(apply(vsphere_cpi, secret(header, addon="vsphere-cpi")))

    line = "\r\n" if "\r\n" in header else "\n"
    assert result == f"{header}{gap}" + f"vsphereCPI:\n{THREE}".replace("\n", line)


def test_no_document_is_begun_inside_a_block() -> None:
    obj = secret(f"#@ if/end False:\n{HEADER}#@ if/end False:\n", addon="vsphere-cpi")

    assert reported(obj, FULL) == [subject("vsphereCPI", "#@ if/end").removeprefix("in it, ")]


# The configuration of a cluster, as a Secret, as a file, and as a source.

CONFIG = "#@data/values\n---\nCLUSTER_NAME: c\nTKG_HTTPS_PROXY: #@ x\n"


def test_the_configuration_of_a_cluster_is_guarded() -> None:
    obj = {
        **secret(CONFIG, key="value", kind="addons.cluster.x-k8s.io/resource-set"),
        "metadata": {"name": "c-config-values"},
    }

    assert messages(cluster_config, obj) == [computed("TKG_HTTPS_PROXY")]


def test_a_file_is_guarded() -> None:
    with pytest.raises(InputError, match="`TKG_HTTPS_PROXY` is computed by ytt"):
        filled(CONFIG, formats.TKG, FULL)


def test_a_file_is_begun_below_its_header() -> None:
    text, _ = filled("#@data/values\n", formats.TKG, FULL)

    assert text.startswith("#@data/values\n---\nTKG_HTTP_PROXY_ENABLED: true\n")


def test_a_document_with_very_many_equal_keys_is_read_to_its_end() -> None:
    text = "#@ x = 1\na:\n" + "  b: 1\n" * 20_000
    assert undecided(text + "c: 1\n", ["c"]) == ""
    assert undecided(text + "#@ if x:\nc: 1\n#@ end\n", ["c"]) == "c"
