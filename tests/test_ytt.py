"""Data values that were edited, as ytt itself reads them: the program that gives them to the templates of an add-on.

Texts with code and annotations are made up: whatever is changed in one of them, ytt reads the proxy that was asked for,
and all else as before.

A document of defaults comes first, as in the package of an add-on, so that ``#@overlay/match-child-defaults
missing_ok=True`` does its work.
"""

from __future__ import annotations

import base64
import copy
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from krm_fn import patch, pipeline
from krm_fn.patch import lookup
from krm_fn.settings import ProxySettings
kapp_controller = __import__("types").SimpleNamespace(TARGET=__import__("krm_fn.targets").targets.TARGETS["tkgKappController"])
vsphere_cpi = __import__("types").SimpleNamespace(TARGET=__import__("krm_fn.targets").targets.TARGETS["tkgVsphereCPI"])
from proposals import apply, changes, findings
from stories import TESTDATA, items, meaning, removing
from support import need, run

NAMES = {
    "vsphereCPI": ("http_proxy", "https_proxy", "no_proxy"),
    "vsphereCSI": ("http_proxy", "https_proxy", "no_proxy"),
    "kappController.config": ("httpProxy", "httpsProxy", "noProxy"),
    "": ("http_proxy", "https_proxy", "no_proxy"),
}
"""Where the data values of an add-on keep the three; "" is the root."""

TKG = ["http://asdf", "https://asdf2", ".svc.cluster.local,.svc,localhost,127.0.0.1,100.64.0.0/13,100.96.0.0/11"]
"""The strings of the TKG document."""

DEFAULTS = "#@data/values\n---\nname: default\n"
TEMPLATE = '#@ load("@ytt:data", "data")\n---\nvalues: #@ data.values\n'

STORIES = [
    pytest.param("tkg/tkgVsphereCPI/data-values-of-a-cluster", "vsphereCPI", TKG, id="vSphere CPI"),
    pytest.param("tkg/tkgVsphereCSI/data-values-of-a-cluster", "vsphereCSI", TKG, id="vSphere CSI"),
    pytest.param(
        "tkg/tkgKappController/windows-line-endings-and-certificates",
        "kappController.config",
        TKG,
        id="kapp-controller, in base64 and with the line endings of Windows",
    ),
    pytest.param("tkg/tkgPinniped/management-cluster-with-oidc", "", TKG, id="Pinniped"),
]


def data_values(output: bytes) -> Iterator[str]:
    """The text of ``values.yaml`` of each Secret in a list."""
    for obj in map(meaning, items(output)):
        for field in ("stringData", "data") if obj["kind"] == "Secret" else ():
            text = lookup(obj, (field, "values.yaml"))
            if text is not None:
                yield text if field == "stringData" else base64.b64decode(text).decode()


def ytt(text: str, folder: Path) -> Mapping[str, Any]:
    """What a template sees of the data values ``text``."""
    seen = try_ytt(text, folder)
    assert seen is not None
    return seen


def try_ytt(text: str, folder: Path) -> Mapping[str, Any] | None:
    """The same; None for what is no data values."""
    for name, content in {"defaults.yaml": DEFAULTS, "values.yaml": text, "template.yaml": TEMPLATE}.items():
        (folder / name).write_bytes(content.encode())
    files = [word for name in ("defaults.yaml", "values.yaml", "template.yaml") for word in ("-f", folder / name)]
    done = run([need("ytt"), *files])
    seen: Mapping[str, Any] | None = yaml.safe_load(done.stdout)["values"] if done.returncode == 0 else None
    return seen


def proxy(values: Mapping[str, Any], where: str) -> list[Any]:
    """The three values; None for one that is not there."""
    path = where.split(".") if where else []
    return [lookup(values, (*path, name)) for name in NAMES[where]]


def rest(values: Mapping[str, Any]) -> Any:
    """What is not the proxy, nor a mapping that holds nothing else."""
    names = {name for of_one in NAMES.values() for name in of_one}
    kept = {key: rest(value) if isinstance(value, dict) else value for key, value in values.items() if key not in names}
    return {key: value for key, value in kept.items() if value != {}}


@pytest.mark.parametrize(("story", "where", "wanted"), STORIES)
def test_ytt_reads_the_proxy_and_what_was_there_before(
    story: str, where: str, wanted: list[str], tmp_path: Path
) -> None:
    before = (TESTDATA / story / "input.yaml").read_bytes()
    texts = list(data_values(pipeline.run(before).output))

    assert texts
    for old, new in zip(data_values(before), texts, strict=True):
        seen = ytt(new, tmp_path)
        assert proxy(seen, where) == wanted
        assert rest(seen) == rest(ytt(old, tmp_path))
        assert seen["name"] == "default"


@pytest.mark.parametrize(("story", "where", "wanted"), STORIES)
def test_ytt_reads_no_proxy_after_removal(story: str, where: str, wanted: list[str], tmp_path: Path) -> None:
    once = pipeline.run((TESTDATA / story / "input.yaml").read_bytes()).output
    texts = list(data_values(pipeline.run(removing(once)).output))

    assert texts
    for text in texts:
        assert not any(value in wanted for value in proxy(ytt(text, tmp_path), where))


def test_ytt_reads_data_values_that_were_begun(tmp_path: Path) -> None:
    story = TESTDATA / "tkg" / "tkgVsphereCPI" / "empty-values-known-by-their-annotation"
    (text,) = data_values(pipeline.run((story / "input.yaml").read_bytes()).output)

    values = ytt(text, tmp_path)

    assert proxy(values, "vsphereCPI") == TKG
    assert values["name"] == "default"


def test_of_several_documents_ytt_takes_the_last(tmp_path: Path) -> None:
    story = TESTDATA / "tkg" / "tkgVsphereCSI" / "several-documents-and-values-that-ytt-computes"
    (text,) = data_values(pipeline.run((story / "input.yaml").read_bytes()).output)

    values = ytt(text, tmp_path)["vsphereCSI"]

    assert values["https_proxy"] == "http://proxy.corp.example:3128"
    assert values["no_proxy"].startswith("vcenter.corp.example,")
    assert (values["server"], values["provisionTimeout"]) == ("10.180.80.2", "300s")


# Texts with code and annotations.

HEADER = "#@data/values\n#@overlay/match-child-defaults missing_ok=True\n---\n"
NEW = ProxySettings("http://new:1", "http://new:2", "x,y")
ABOVE = [
    "#! a comment",
    "#@overlay/match missing_ok=True",
    "#@overlay/merge",
    "#@overlay/remove",
    "#@overlay/replace",
    "#@ x = 1",
    "#@ if/end False:",
    "#@ if/end True:",
]
BESIDE = [*[""] * 16, " #! a comment", " #@ 'computed'", " #@overlay/match missing_ok=True", " #@overlay/remove"]
OPEN = ["#@ if False:", "#@ if True:", "#@ for i in range(1):"]
VALUES = ["a", '"a #@ b"', "http://new:1", "", "{a: 1}", "|\n      #@ if False:\n      a"]


@st.composite
def members(draw: st.DrawFn, indent: str, names: tuple[str, ...]) -> list[str]:
    """Lines of a mapping."""
    lines: list[str] = []
    for name in draw(st.permutations(names)):
        above = draw(st.sampled_from([None] * 24 + ABOVE))
        value = draw(st.sampled_from(VALUES))
        beside = draw(st.sampled_from(BESIDE)) if "\n" not in value else ""
        member = [f"{indent}{draw(st.sampled_from(['', indent]))}{above}"] if above else []
        member.append(f"{indent}{name}: {value}{beside}")
        if draw(st.integers(0, 9)) == 0:
            member = [indent + draw(st.sampled_from(OPEN)), *member, f"{indent}#@ end"]
        lines += member
    return lines


@st.composite
def documents(draw: st.DrawFn) -> str:
    """Data values of vSphere CPI with whatever ytt knows in them."""
    names = st.lists(st.sampled_from(["http_proxy", "https_proxy", "no_proxy", "server", "mode"]), unique=True)
    inner = draw(names.flatmap(lambda some: members("  ", tuple(some))))
    around = draw(st.sampled_from([[], ["first: 1"], ["#@ if/end False:"], ["#@overlay/match missing_ok=True"]]))
    behind = draw(st.sampled_from([[], ["last: 1"], ["#@ if/end False:", "last: 1"], ["  #! a comment"]]))
    head = "vsphereCPI:" + draw(st.sampled_from(BESIDE))
    return HEADER + "\n".join([*around, head, *inner, *behind]) + "\n"


@given(documents(), st.sampled_from([NEW, ProxySettings()]))
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
def test_ytt_reads_what_was_asked_for_in_whatever_is_changed(
    tmp_path_factory: pytest.TempPathFactory, text: str, wanted: ProxySettings
) -> None:
    folder = tmp_path_factory.mktemp("ytt")
    obj = {
        "kind": "Secret",
        "metadata": {"labels": {"tkg.tanzu.vmware.com/addon-name": "vsphere-cpi"}},
        "type": "tkg.tanzu.vmware.com/addon",
        "stringData": {"values.yaml": text},
    }
    edits = changes(vsphere_cpi, obj, wanted)
    assume(edits)
    before = try_ytt(text, folder)
    if before is None:
        return

    after = ytt(patch.apply(copy.deepcopy(obj), edits[0].operations)["stringData"]["values.yaml"], folder)

    assert [value or "" for value in proxy(after, "vsphereCPI")] == [
        wanted.http_proxy,
        wanted.https_proxy,
        wanted.no_proxy,
    ]
    assert rest(after) == rest({**before, "vsphereCPI": before.get("vsphereCPI") or {}})


@pytest.mark.parametrize("header", ["#@data/values\n", HEADER, "---\n#@data/values\n"])
def test_ytt_reads_data_values_below_whatever_header_they_were_begun(header: str, tmp_path: Path) -> None:
    obj = {
        "kind": "Secret",
        "metadata": {"labels": {"tkg.tanzu.vmware.com/addon-name": "vsphere-cpi"}},
        "type": "tkg.tanzu.vmware.com/addon",
        "stringData": {"values.yaml": header},
    }
    text = apply(vsphere_cpi, obj, NEW)["stringData"]["values.yaml"]
    if "missing_ok" not in header:
        text = text.replace("#@data/values\n", "#@data/values\n#@overlay/match-child-defaults missing_ok=True\n")

    assert proxy(ytt(text, tmp_path), "vsphereCPI") == ["http://new:1", "http://new:2", "x,y"]


def kapp_values(text: str) -> dict[str, Any]:
    """A Secret with data values of kapp-controller."""
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"labels": {"tkg.tanzu.vmware.com/addon-name": "kapp-controller"}},
        "type": "tkg.tanzu.vmware.com/addon",
        "stringData": {"values.yaml": text},
    }


def after(text: str, wanted: ProxySettings) -> str:
    """The data values of kapp-controller after a run of its target."""
    obj = kapp_values(text)
    assert findings(kapp_controller, obj, wanted) == []
    return str(apply(kapp_controller, obj, wanted)["stringData"]["values.yaml"])


def without_proxy(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values with ``kappController.config`` as it is without our three members, null and nothing alike."""
    kapp = values["kappController"] or {}
    config = {key: value for key, value in (kapp.get("config") or {}).items() if key not in CAMEL_NAMES}
    return {**values, "kappController": {**kapp, "config": config}}


CAMEL_NAMES = NAMES["kappController.config"]
EMPTY = ["", " ~", " null", " {}", " { }", " #! ours", " ~  #! ours", "  {} #! ours", " !!null", " &a {}"]
AROUND = [
    pytest.param("kappController:\n  namespace: x\n  config:{}\n", id="the last member"),
    pytest.param("kappController:\n  config:{}\n  namespace: x\n", id="another one below it"),
    pytest.param("kappController:\n  #! the proxy\n  config:{}\n  #! below\nother: 1\n", id="the only one"),
    pytest.param("kappController:{}\nother: 1\n", id="the mapping around it"),
    pytest.param("a: 1\n---\nkappController:\n  config:{}\n---\nb: 1\n", id="of several documents"),
]


BREAKS = {"\n": "LF", "\r\n": "CRLF"}
CASES = [
    pytest.param(*around.values, words, line_break, id=f"{around.id}, {words.strip()}, {BREAKS[line_break]}")
    for row, around in enumerate(AROUND)
    for column, words in enumerate(EMPTY)
    for line_break in [list(BREAKS)[(row + column) % 2]]
]


@pytest.mark.parametrize(("around", "words", "line_break"), CASES)
def test_data_values_that_were_empty_are_so_again_and_ytt_reads_them_in_between(
    around: str, words: str, line_break: str, tmp_path: Path
) -> None:
    body = around.replace("{}", words, 1)
    text = (HEADER + body.replace("---\n", HEADER)).replace("\n", line_break)

    filled = after(text, NEW)

    assert "# was:" not in filled
    assert after(filled, NEW) == filled
    assert after(filled, ProxySettings()) == text
    seen = ytt(filled, tmp_path)
    assert proxy(seen, "kappController.config") == ["http://new:1", "http://new:2", "x,y"]
    assert without_proxy(seen) == without_proxy(ytt(text, tmp_path))


@pytest.mark.parametrize(
    "text",
    [
        "kappController:\n  namespace: x\n  config:\n",
        "a: 1\n---\nkappController:\n  config: ~ # none\n",
        "kappController: {config: {}, namespace: x}\n",
        "kappController: {\n  config: ,\n  namespace: x }\n",
    ],
)
def test_data_values_without_code_of_ytt_come_back_as_well(text: str, tmp_path: Path) -> None:
    filled = after(text, NEW)
    assert after(filled, ProxySettings()) == text
    (tmp_path / "values.yaml").write_text(filled)
    assert run([need("ytt"), "-f", tmp_path / "values.yaml"]).returncode == 0
