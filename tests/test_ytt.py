"""Data values that were edited, as ytt itself reads them: the program that gives them to the templates of an add-on.

A document of defaults comes first, as in the package of an add-on, so that ``#@overlay/match-child-defaults
missing_ok=True`` does its work.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from stories import TESTDATA, items, meaning, removing
from support import need, run

from krm_fn import function
from krm_fn.patch import lookup

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
    pytest.param("tkgVsphereCPI/data-values-of-a-cluster", "vsphereCPI", TKG, id="vSphere CPI"),
    pytest.param("tkgVsphereCSI/data-values-of-a-cluster", "vsphereCSI", TKG, id="vSphere CSI"),
    pytest.param(
        "tkgKappController/windows-line-endings-and-certificates",
        "kappController.config",
        TKG,
        id="kapp-controller, in base64 and with the line endings of Windows",
    ),
    pytest.param("tkgPinniped/management-cluster-with-oidc", "", TKG, id="Pinniped"),
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
    for name, content in {"defaults.yaml": DEFAULTS, "values.yaml": text, "template.yaml": TEMPLATE}.items():
        (folder / name).write_bytes(content.encode())
    files = [word for name in ("defaults.yaml", "values.yaml", "template.yaml") for word in ("-f", folder / name)]
    done = run([need("ytt"), *files])
    assert done.returncode == 0, done.stderr.decode()
    seen: Mapping[str, Any] = yaml.safe_load(done.stdout)["values"]
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
    texts = list(data_values(function.run(before).output))

    assert texts
    for old, new in zip(data_values(before), texts, strict=True):
        seen = ytt(new, tmp_path)
        assert proxy(seen, where) == wanted
        assert rest(seen) == rest(ytt(old, tmp_path))
        assert seen["name"] == "default"


@pytest.mark.parametrize(("story", "where", "wanted"), STORIES)
def test_ytt_reads_no_proxy_after_removal(story: str, where: str, wanted: list[str], tmp_path: Path) -> None:
    once = function.run((TESTDATA / story / "input.yaml").read_bytes()).output
    texts = list(data_values(function.run(removing(once)).output))

    assert texts
    for text in texts:
        assert not any(value in wanted for value in proxy(ytt(text, tmp_path), where))


def test_ytt_reads_data_values_that_were_begun(tmp_path: Path) -> None:
    story = TESTDATA / "tkgVsphereCPI" / "empty-values-known-by-their-annotation"
    (text,) = data_values(function.run((story / "input.yaml").read_bytes()).output)

    values = ytt(text, tmp_path)

    assert proxy(values, "vsphereCPI") == TKG
    assert values["name"] == "default"


def test_of_several_documents_ytt_takes_the_last(tmp_path: Path) -> None:
    story = TESTDATA / "tkgVsphereCSI" / "several-documents-and-values-that-ytt-computes"
    (text,) = data_values(function.run((story / "input.yaml").read_bytes()).output)

    values = ytt(text, tmp_path)["vsphereCSI"]

    assert values["https_proxy"] == "http://proxy.corp.example:3128"
    assert values["no_proxy"].startswith("vcenter.corp.example,")
    assert (values["server"], values["provisionTimeout"]) == ("10.180.80.2", "300s")
