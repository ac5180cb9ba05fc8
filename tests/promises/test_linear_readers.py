"""No reader of text takes more than linear time, or more of a stack than the command has.

These are whole functions, which put patterns and loops together.

The patterns alone are judged in ``test_linear_patterns.py``.
"""

from __future__ import annotations

import base64
import gzip
import itertools
import json
from collections.abc import Callable

import pytest

from function_configs import list_with_config, proxy_config
from growth import UNITS, excess
from krm_fn import yamledit
from krm_fn.config import load
from krm_fn.errors import InjectProxyError
from krm_fn.formats import escaping
from krm_fn.krm.manifests import Manifests
from krm_fn.krm.masking import redact
from krm_fn.noproxy import parse
from krm_fn.noproxy.entries import split
from krm_fn.pipeline.other_places import stale_files
from krm_fn.pipeline.run import run
from krm_fn.plan.sources import formats
from krm_fn.yamledit import Document, cut
from krm_fn.yamledit.stream import documents
from krm_fn.yamledit.tree import MAX_DEPTH
from manifests import named
from support import unified_diff

_URL = "http://proxy.example.com:3128"
_SMALL = 4_000
"""Characters for readers that compose YAML or look at each entry."""


def _quietly(read: Callable[[str], object]) -> Callable[[str], object]:
    """The same reader, for which a text that is refused is as good as one that is read."""

    def quiet(text: str) -> object:
        try:
            return read(text)
        except InjectProxyError as error:
            return str(error)

    return quiet


def _list_with(obj: object) -> bytes:
    return list_with_config({"httpProxy": _URL, "noProxy": ["10.0.0.0/8"]}, obj)


def _kubeadm(**spec: object) -> dict[str, object]:
    return named("KubeadmConfig", "a", spec=spec)


def _file_of_node(path: str) -> Callable[[str], object]:
    numbers = itertools.count()  # each text is another one, because a form remembers what it has read

    def read(text: str) -> object:
        return run(_list_with(_kubeadm(files=[{"path": path, "content": f"# {next(numbers)}\n{text}"}])))

    return read


def _text_of(kind: str, name: str, field: str, key: str) -> Callable[[str], object]:
    head = named(kind, name, api="v1", type="addons.cluster.x-k8s.io/resource-set")
    return lambda text: run(_list_with({**head, field: {key: text}}))


def _edited(text: str) -> object:
    whole = f"a: 1\n{text}\nb: {{c: 1}}\n"
    return Document(whole).with_data([{**yamledit.read(whole), "added": {"of": "ours"}}])


def _linted(text: str) -> object:
    """Many files, each with the text in a URL, which starts behind any quotation mark."""
    url = f"http_proxy=a://{text.lstrip(chr(34))}".encode()
    return list(stale_files({str(at): url for at in range(20)}, load(proxy_config(httpProxy=_URL))))


def _shown(text: str) -> object:
    return unified_diff("a.yaml", None, text.encode(), has_colours=False)


READERS: dict[str, tuple[Callable[[str], object], int]] = {
    "documents": (documents, 12_000),
    "cut of an item": (lambda text: cut(f"items:\n{text}", "items"), 12_000),
    "cut": (lambda text: cut(text, "items"), 12_000),
    "YAML": (yamledit.read, _SMALL),
    "YAML, a block scalar": (lambda text: Document(f"a: |\n {text}\nb: 1\n").data(), _SMALL),
    "YAML, an edit": (_edited, _SMALL),
    "redaction": (redact, 12_000),
    "redaction of a URL": (lambda text: redact(f"http://a:{text}@host"), 12_000),
    "a diff": (lambda text: _shown(f"a: {text}\n"), _SMALL),
    "a diff of a Secret": (lambda text: _shown(f"a: &a {text}\nkind: Secret\ndata: {{a: *a}}\n"), _SMALL),
    "a diff of a text": (lambda text: _shown(f"a: |\n  b: {text}\n"), _SMALL),
    "words of a shell": (escaping.shell_statements, 12_000),
    "words of systemd": (escaping.systemd_words, 12_000),
    "env of Kubernetes": (escaping.read_kubernetes_env, 12_000),
    "entries of a list": (lambda text: [parse(text), split(text)], 12_000),
    "FunctionConfig: a URL": (lambda text: load(proxy_config(httpProxy=f"http://{text}")), _SMALL),
    "FunctionConfig: a list": (lambda text: load(proxy_config(httpProxy=_URL, noProxy=text)), _SMALL),
    "lint of files": (_linted, 3_000),
    "import tkg": (lambda text: formats.read(f"TKG_NO_PROXY: {json.dumps(text)}", formats.TKG), _SMALL),
    "a run: a drop-in": (_file_of_node("/etc/systemd/system/containerd.service.d/http-proxy.conf"), _SMALL),
    "a run: config.toml": (_file_of_node("/etc/containerd/config.toml"), _SMALL),
    "a run: hosts.toml": (_file_of_node("/etc/containerd/certs.d/a/hosts.toml"), _SMALL),
    "a run: commands": (lambda text: run(_list_with(_kubeadm(preKubeadmCommands=[text, "true"]))), _SMALL),
    "a run: values of Giant Swarm": (_text_of("ConfigMap", "one-cluster-values", "data", "values"), _SMALL),
    "a run: data values of TKG": (_text_of("Secret", "one-config-values", "stringData", "value"), _SMALL),
}


def _every_line(break_of_lines: str) -> Callable[[int], object]:
    """A reader that asks for the line of each of some documents, which end their lines with ``break_of_lines``."""
    document = "# ä\nkind: A\n---\n".replace("\n", break_of_lines)

    def read(number: int) -> object:
        found = Manifests({"a.yaml": (document * number).encode()})
        return [found.position(at) for at in range(number)]

    return read


@pytest.mark.parametrize("break_of_lines", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_lines_of_many_documents_take_linear_time(break_of_lines: str) -> None:
    problem = excess(_every_line(break_of_lines), lambda number: number, 4_000, in_steps=False)
    assert not problem, problem


CODED = base64.b64encode(b"kind: a").decode().rstrip("=")
PACKED = base64.b64encode(gzip.compress(b"a: b\n" * 500, mtime=0)).decode()
DIFFS: dict[str, Callable[[int], str]] = {
    "base64": lambda size: f"{CODED} " * (size // 12),
    "lines of base64": lambda size: "a: |\n" + "  SGVsbG8gd29ybGQsIGhl\n" * (size // 24),
    "gzip": lambda size: f"a: [{f'{PACKED}, ' * (size // len(PACKED))}]\n",
    "one line of JSON with passwords": lambda size: "[" + '"http://a:b@c", ' * (size // 16) + "0]\n",
    "one line of JSON with base64": lambda size: "[" + '"aHR0cDovL2E6YkBj", ' * (size // 20) + "0]\n",
    "many Secrets": lambda size: "kind: List\nitems:\n" + "- {kind: Secret, data: {a: b}}\n" * (size // 31),
    "mappings that merge mappings": lambda size: "- &a {a: b}\n" + "- &a {<<: *a, b: c}\n" * (size // 20),
    "aliases of a Secret": lambda size: "a: &a b\nkind: Secret\ndata:\n" + "- *a\n" * (size // 5),
}


@pytest.mark.parametrize(
    "between", [" ", "\nEnvironment=", "\nEnvironment=\nEnvironment="], ids=["one line", "lines", "lines that empty it"]
)
def test_a_drop_in_with_many_variables_takes_linear_time(between: str) -> None:
    read = _file_of_node("/etc/systemd/system/containerd.service.d/http-proxy.conf")

    def make(number: int) -> str:
        return f"[Service]\nEnvironment={between.join(f'A{at}=b' for at in range(number))}\n"

    problem = excess(read, make, 6_000, in_steps=False)
    assert not problem, problem


def test_many_edits_beside_aliases_take_linear_time() -> None:
    def edited(text: str) -> str:
        document = Document(text)
        return document.with_data(
            {name: "b" if name != "x" and value == "c" else value for name, value in document.data().items()}
        )

    def make(number: int) -> str:
        return "x: &x q\n" + "".join(f"a{at}: c\nb{at}: *x\n" for at in range(number))

    problem = excess(edited, make, 4_000, in_steps=False)
    assert not problem, problem


@pytest.mark.parametrize("make", DIFFS.values(), ids=DIFFS)
def test_a_diff_is_masked_in_linear_time(make: Callable[[int], str]) -> None:
    problem = excess(_quietly(_shown), make, 24_000, in_steps=False)
    assert not problem, problem


CASES = [pytest.param(read, largest, id=name) for name, (read, largest) in READERS.items()]


@pytest.mark.parametrize(("read", "largest"), CASES)
def test_a_reader_takes_linear_time(read: Callable[[str], object], largest: int) -> None:
    """Each unit is behind a quotation mark for one half of the readers, and behind nothing for the other one.

    A run takes long, and has the readers above in it: of all units each one is for every other run.
    """
    readers = [one for one, _ in READERS.values()]
    at = readers.index(read)
    is_run = list(READERS)[at].startswith("a run: ")
    for number, unit in list(enumerate(UNITS, at))[at % 2 :: 2] if is_run else enumerate(UNITS, at):
        opening = '"' if number % 2 else ""

        def make(size: int, unit: str = unit, opening: str = opening) -> str:
            return opening + unit * (size // len(unit)) + "\n"

        problem = excess(_quietly(read), make, largest, in_steps=False)
        assert not problem, f"{opening!r} + {unit!r} * n: {problem}"


DEEPEST = MAX_DEPTH - 4
"""Levels of the deepest text that is read; some readers have it below other keys."""
NESTED = {
    "block sequences": "- " * DEEPEST + "a\n",
    "flow sequences": "[" * DEEPEST + "]" * DEEPEST + "\n",
    "flow mappings": "{a: " * DEEPEST + "b" + "}" * DEEPEST + "\n",
    "merge keys": "{<<: " * DEEPEST + "{}" + "}" * DEEPEST + "\n",
    "keys": "{? " * DEEPEST + "a" + "}" * DEEPEST + "\n",
}


@pytest.mark.parametrize("nested", NESTED.values(), ids=NESTED)
@pytest.mark.parametrize("read", [read for read, _ in READERS.values()], ids=READERS)
def test_a_reader_needs_no_more_stack_than_the_command_has(read: Callable[[str], object], nested: str) -> None:
    _quietly(read)(nested)


def test_a_diff_of_many_documents_that_change_takes_linear_time() -> None:
    def diff(number: int) -> object:
        old = [f"kind: Pod\nname: pod-{at}\nspec:\n  a: b\n  c: []\n  d: []\n  e: []\n" for at in range(number)]
        new = [text.replace("spec:", "labels: {}\nspec:") + "c: d\n" for text in old]
        texts = ["---\n".join(documents).encode() for documents in (old, new)]
        return unified_diff("a.yaml", *texts, has_colours=False)

    problem = excess(diff, lambda number: number, 4_000, in_steps=False)
    assert not problem, problem
