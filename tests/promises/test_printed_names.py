"""Names of files and objects, which may hold any character, are shown as they are in every output: nothing of them is
carried out by a terminal, changes the direction of writing, or ends the line or the value that they are in."""

from __future__ import annotations

import gc
import io
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from krm_fn.cli import main
from manifests import named
from support import ROOT

sys.path.insert(0, str(ROOT / "action"))
import nodes
import report

BAD = "\x1b[31m\u202e\x9b\u2028`'<b>&#"
PASSWORD = "S3CRET"
FILE = f"a{BAD}\n::error::b svc:{PASSWORD}@host.yaml"


def _name(text: str) -> str:
    return f"{text}{BAD} http://svc:{PASSWORD}@host"


OBJECTS = [
    named(
        "ProxyConfig", _name("p"), spec={"httpProxy": "http://proxy.corp.example:3128", "noProxy": [".corp.example"]}
    ),
    named(
        "Cluster",
        _name("c"),
        namespace=_name("n"),
        spec={
            "clusterNetwork": {"serviceDomain": _name("d")},
            "controlPlaneEndpoint": {"host": _name("h"), "port": 1},
            "controlPlaneRef": {
                "apiVersion": "controlplane.cluster.x-k8s.io/v1beta1",
                "kind": "KubeadmControlPlane",
                "name": _name("cp"),
            },
        },
    ),
    named(
        "KubeadmControlPlane",
        _name("cp"),
        namespace=_name("n"),
        spec={"kubeadmConfigSpec": {"preKubeadmCommands": ["export HTTP_PROXY=proxy.corp.example"]}},
    ),
]
_BETWEEN = "\n=== standard error\n"
FORMS = ("text", "json", "sarif", "github", "junit")
COMMANDS = [
    ["run", "--diff", "."],
    *(["run", "--check", "-v", "--output", form, "."] for form in FORMS),
    *(["lint", "--output", form, "."] for form in FORMS),
    *(["explain", "-v", "--output", form, "."] for form in ("text", "json", "html")),
    ["run", "-v", "."],
]


@pytest.fixture
def said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> Iterator[Callable[..., str]]:
    """What a command writes to both streams in a folder of bad names."""
    folder = tmp_path / "all"
    folder.mkdir()
    text = "---\n".join(f"{json.dumps(one)}\n" for one in OBJECTS)
    (folder / FILE.replace("/", "")).write_text(text)
    monkeypatch.chdir(folder)

    def of(*words: str) -> str:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
        assert main(words) in (0, 1), words
        out, err = capsysbinary.readouterr()
        return f"{out.decode()}{_BETWEEN}{err.decode()}"

    yield of
    gc.enable()


def _unprintable(text: str) -> list[str]:
    return [line for line in text.split("\n") if not line.isprintable()]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_no_output_shows_a_character_of_a_name_that_is_carried_out(words: list[str], said: Callable[..., str]) -> None:
    shown = said(*words)
    assert "u202e" in shown or "%E2%80%AE" in shown
    assert _unprintable(shown) == []
    assert PASSWORD not in shown


@pytest.mark.parametrize("words", [one for one in COMMANDS if one[-2] in {"junit", "html"}], ids=" ".join)
def test_a_name_adds_nothing_to_a_page(words: list[str], said: Callable[..., str]) -> None:
    shown = said(*words).partition(_BETWEEN)[0]
    assert "<b>&" not in shown
    if words[-2] != "html":
        ElementTree.fromstring(shown)  # noqa: S314 -- our own text


def test_the_report_of_the_action_shows_names_as_they_are(said: Callable[..., str], tmp_path: Path) -> None:
    before = nodes.objects_in(tmp_path / "all")
    commands = {
        "results.json": ["run", "--check", "-v", "--output", "json", "."],
        "changes.diff": ["run", "--diff", "."],
        "explain.txt": ["explain", "."],
    }
    files = {name: said(*words).partition(_BETWEEN)[0] for name, words in commands.items()}
    said("run", ".")
    shown = report.report(files, nodes.compare(before, nodes.objects_in(tmp_path / "all")))
    assert "Nodes that will be replaced" in shown
    assert _unprintable(shown.replace("\u200b", "")) == []
    assert PASSWORD not in shown
