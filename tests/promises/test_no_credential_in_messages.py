"""No message holds a credential: scalars of golden inputs, values of the functionConfig and words become a canary.

Messages name objects and field paths; lint and explain show hosts and entries of lists. So a text that has the form of
a credential must be shown nowhere, and any other text not where a URL, a file or a value is meant. Everything runs in
this process: a command for each case would take minutes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from function_configs import proxy_config
from krm_fn.errors import InjectProxyError
from krm_fn.krm.masking import redact
from krm_fn.krm.results import ObjectRef, Result
from krm_fn.pipeline.audit import ReadableManifests, audit
from krm_fn.pipeline.run import run
from krm_fn.yamledit import tree
from support import ROOT, inject_proxy

CANARY = "s3CANARYs3"
CREDENTIALS = [
    "http://svc:{0}",
    "http://svc:{0}@proxy.example.com:3128",
    "http://{0}:x@proxy.example.com:3128",
    "http://svc:pa {0}@proxy.example.com:3128",
    "http://svc:pa\n{0}@proxy.example.com:3128",
    "http://svc:pa/{0}@proxy.example.com:3128",
    'http://svc:12\\"{0}@proxy.example.com:3128',
    'http://svc:12\\" {0}\\"@proxy.example.com:3128',
    "http://svc:{0}@",
    "svc:{0}@proxy.example.com:3128",
    "svc:pa {0}@proxy.example.com:3128",
    "socks5://svc:{0}@proxy.example.com",
]
"""Texts that anybody can see to be a credential."""
WORDS = ["{0}", "*{0}", "&{0}", "!{0}", "!{0}!x", "%{0}", "@{0}", "[{0}", "{0}: {0}: {0}", "{0} {0}", "pa\n{0}"]
"""Texts that may be a password; written without quotes some of them are no value at all."""
AT_MOST = 4
"""Scalars, and keys, of one list that are tried; of all lists together they are hundreds."""
FORMS = [form for pair in zip(CREDENTIALS, WORDS, strict=False) for form in pair]
VALUES = frozenset(
    {"httpProxy", "httpsProxy", "value", "content", "data", "stringData"}
    | {"preKubeadmCommands", "postKubeadmCommands", "http", "https", "values", "pem", "proxy", "valuesContent"}
)
"""Fields in which somebody may have written a password alone."""
PROXY_FIELDS = ["SECRET", "*SECRET", "SECRET@host", "http://a b SECRET", "http://h:1/SECRET", "http//SECRET:1"]
"""Texts in the field of a proxy URL that are no URL; SECRET becomes the canary."""


def _pairs(*tables: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Rows in which each value of the first table stands beside each one of the second, and those of others by turns.

    So each two values of two tables stand in a row, where the other tables are not longer than the first two.
    """
    first, second, *others = tables
    return [
        (one, other, *(table[(row + column) % len(table)] for table in others))
        for row, one in enumerate(first)
        for column, other in enumerate(second)
    ]


def _in_words(value: object) -> str | None:
    return " ".join(value) if isinstance(value, list) else None


def _written(form: str, *, quoted: bool) -> str:
    text = form.format(CANARY)
    return json.dumps(text) if quoted else text


def _smallest_inputs() -> list[Path]:
    """The smallest list of each folder of goldens."""
    found: dict[str, Path] = {}
    for file in sorted((ROOT / "testdata").rglob("input.yaml")):
        topic = file.parts[-3]
        if topic not in found or file.stat().st_size < found[topic].stat().st_size:
            found[topic] = file
    return list(found.values())


def _scalars(node: tree.Node, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], tree.Scalar]]:
    """Each value that is a scalar, with the keys that lead to it."""
    if isinstance(node, tree.Mapping):
        for key, value in node.entries:
            yield from _scalars(value, (*path, getattr(key, "value", "")))
    elif isinstance(node, tree.Sequence):
        for value in node.items:
            yield from _scalars(value, path)
    elif isinstance(node, tree.Scalar):
        yield path, node


def _said(text: str) -> Iterator[tuple[str, str]]:
    """The messages of a run and of lint over ``text``, and everything else in their results."""
    try:
        results = [*run(text.encode()).results, *audit(ReadableManifests({"a.yaml": text.encode()})).results]
    except InjectProxyError as error:
        yield redact(str(error)), ""
        return
    for result in results:
        yield result.line(), json.dumps(result.to_data(), ensure_ascii=False)


def _leaks(text: str, path: tuple[str, ...], form: str) -> list[str]:
    """The messages that show the canary, which is at ``path``, though it is or may be a credential."""
    found = []
    for message, data in _said(text):
        if form in CREDENTIALS:
            found += [one for one in (message, data) if CANARY in one]
        elif CANARY in message and "metadata" not in path and not VALUES.isdisjoint(path):
            found.append(message)
    return found


@pytest.mark.parametrize("file", _smallest_inputs(), ids=lambda file: "/".join(file.parts[-3:-1]))
def test_a_run_and_lint_never_show_a_scalar_of_the_input_that_may_be_a_credential(file: Path) -> None:
    text = file.read_text()
    try:
        found = list(_scalars(tree.compose(text)))
    except InjectProxyError:
        return  # a story about what cannot be read at all
    for number, (path, node) in enumerate(found[:: len(found) // AT_MOST + 1]):
        turn = number + len(file.parts[-2])
        form = FORMS[turn % len(FORMS)]
        written = _written(form, quoted=turn % 3 == 0)
        damaged = f"{text[: node.start]}{written}{text[node.end :]}"
        assert _leaks(damaged, path, form) == [], ("/".join(path), written)


@pytest.mark.parametrize("form", CREDENTIALS)
def test_an_identity_with_the_form_of_a_credential_is_not_shown(form: str) -> None:
    text = form.format(CANARY)
    for ref in (ObjectRef("v1", "Secret", text, "a"), ObjectRef("v1", "Secret", "a", text), ObjectRef(text, text, "a")):
        result = Result("CannotWrite", "it is wrong", ref=ref)
        assert CANARY not in result.line()
        assert CANARY not in json.dumps(result.to_data())


def _as_item(kind: str, value: str) -> str:
    """An object with ``value``, a YAML scalar, or with its text, in the field of a proxy."""
    plain = json.loads(value)
    return {
        "Deployment": (
            "apiVersion: apps/v1\nkind: Deployment\n"
            "metadata: {name: cert-manager, namespace: a, labels: {app.kubernetes.io/name: cert-manager}}\n"
            "spec: {template: {spec: {containers: [{name: cert-manager-controller, env: [\n"
            f"  {{name: HTTP_PROXY, value: {value}}}, {{name: HTTPS_PROXY, value: {value}}}]}}]}}}}}}\n"
        ),
        "commands": (
            "apiVersion: bootstrap.cluster.x-k8s.io/v1beta1\nkind: KubeadmConfig\nmetadata: {name: w}\nspec:\n"
            f"  preKubeadmCommands: [{json.dumps(f'export HTTP_PROXY={chr(39)}{plain}{chr(39)}')}]\n"
        ),
        "drop-in": (
            "apiVersion: bootstrap.cluster.x-k8s.io/v1beta1\nkind: KubeadmConfig\nmetadata: {name: w}\nspec:\n"
            "  files: [{path: /etc/systemd/system/containerd.service.d/http-proxy.conf, content: "
            + json.dumps(f'[Service]\nEnvironment="HTTP_PROXY={plain}"\nEnvironment=HTTPS_PROXY={plain}\n')
            + "}]\n"
        ),
        "values": (
            "apiVersion: v1\nkind: Secret\nmetadata: {name: w-cluster-values, namespace: a}\nstringData: {values: "
            + json.dumps(f"cluster:\n  proxy:\n    http: {value}\n    https: {value}\n")
            + "}\n---\napiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\nmetadata: {name: w, namespace: a}\n"
        ),
        "TKG": (
            "apiVersion: v1\nkind: Secret\ntype: addons.cluster.x-k8s.io/resource-set\n"
            "metadata: {name: w-config-values, namespace: a}\nstringData: {value: "
            + json.dumps(f"TKG_HTTP_PROXY_ENABLED: true\nTKG_HTTP_PROXY: {value}\nTKG_HTTPS_PROXY: {value}\n")
            + "}\n---\napiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\nmetadata: {name: w, namespace: a}\n"
        ),
        "topology": (
            "apiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\nmetadata: {name: w, namespace: a}\n"
            "spec: {topology: {class: c, version: v1, variables: [{name: proxy, value: {httpProxy: "
            f"{value}, httpsProxy: {value}, noProxy: [a]}}}}]}}}}\n"
        ),
        "policy": (
            "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: p}\nspec: {rules: [{name: r, match: "
            "{any: [{resources: {kinds: [Pod]}}]}, mutate: {patchStrategicMerge: {spec: {containers: [{(name): '*', "
            f"env: [{{name: HTTP_PROXY, value: {value}}}, {{name: NO_PROXY, value: a}}]}}]}}}}}}}}]}}\n"
        ),
    }[kind]


KINDS = ["Deployment", "commands", "drop-in", "values", "TKG", "topology", "policy"]


@pytest.mark.parametrize(("kind", "form", "mode"), _pairs(KINDS, PROXY_FIELDS, ["Inject", "Remove", "Check"]))
def test_results_never_hold_what_is_in_the_field_of_a_proxy_and_is_no_url(kind: str, form: str, mode: str) -> None:
    text = _as_item(kind, json.dumps(form.replace("SECRET", CANARY)))
    config = json.dumps(_config(httpsProxy="http://p:1", noProxy=["b.example.com"], mode=mode))
    items = "".join(f"- {one.replace(chr(10), f'{chr(10)}  ').rstrip()}\n" for one in text.split("---\n"))
    listed = f"kind: ResourceList\nfunctionConfig: {config}\nitems:\n{items}"
    outcome = run(f"apiVersion: config.kubernetes.io/v1\n{listed}".encode())
    assert outcome.results
    for result in outcome.results:
        assert CANARY not in json.dumps(result.to_data())
        assert CANARY not in result.line()


def _config(**spec: object) -> dict[str, object]:
    return proxy_config(**{"httpProxy": "http://proxy.example.com:3128", **spec})


def command(*words: str, stdin: str = "") -> tuple[str, str]:
    """Standard output and standard error."""
    done = inject_proxy(stdin, *words)
    return done.stdout.decode(), done.stderr.decode()


@pytest.mark.parametrize(
    ("form", "place", "words"),
    _pairs(
        [*CREDENTIALS, *WORDS],
        ["in JSON", "httpProxy", "httpsProxy"],
        [["lint"], ["lint", "--output", "json"], ["explain", "--config"]],
    ),
    ids=_in_words,
)
def test_a_wrong_url_of_the_config_is_not_shown(form: str, place: str, words: list[str], tmp_path: Path) -> None:
    if place == "in JSON":
        value = _written(form, quoted=True)
        text = json.dumps(_config(httpsProxy="URL", httpProxy="URL")).replace('"URL"', value)
        written = text
    else:
        text = (
            "apiVersion: fn.inject-proxy.io/v1alpha1\nkind: ProxyConfig\nmetadata:\n  name: p\nspec:\n"
            f"  {place}: {_written(form, quoted=False)}\n  noProxy: [a.example.com]\n"
        )
        written = "\n  " + text.replace("\n", "\n  ").rstrip() + "\n"
    # A run writes the list back, so what it prints holds what the list holds; its results must not.
    listed = f"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\nfunctionConfig: {written}"
    out, err = command(stdin=listed)
    results = out.partition("\nresults:")[2] or out.partition('"results":')[2]
    assert CANARY not in results + err
    file = tmp_path / "config.yaml"
    file.write_text(text)
    out, err = command(*words, str(file))
    assert CANARY not in out + err


@pytest.mark.parametrize("form", CREDENTIALS)
@pytest.mark.parametrize(
    "arguments",
    [["lint", "{}"], ["lint", "--output", "json", "{}"], ["lint", "a,{},b"], ["explain", "{}"], ["{}"]],
    ids=" ".join,
)
def test_a_word_of_the_command_line_with_the_form_of_a_credential_is_not_shown(arguments: list[str], form: str) -> None:
    out, err = command(*(word.format(form.format(CANARY)) for word in arguments))
    assert CANARY not in out + err


@pytest.mark.parametrize(
    ("system", "form", "quoted"), _pairs(["tkg", "giantswarm", "image-builder"], [*CREDENTIALS, *WORDS], [True, False])
)
def test_import_and_export_never_show_a_value_of_the_file(form: str, quoted: bool, system: str, tmp_path: Path) -> None:
    value = _written(form, quoted=quoted)
    texts = {
        "tkg": f"TKG_HTTP_PROXY: {value}\nTKG_HTTPS_PROXY: http://proxy.example.com:1\nOTHER: {value}\n",
        "giantswarm": f"proxy:\n  http: {value}\nother: {value}\n",
        "image-builder": f"http_proxy: {value}\nother: {value}\n",
    }
    file, config = tmp_path / "values.yaml", tmp_path / "config.yaml"
    file.write_text(texts[system])
    config.write_text(json.dumps(_config()))
    assert CANARY not in command("import", system, str(file))[1]
    assert CANARY not in command("export", system, "--config", str(config), "--in-place", str(file))[1]


@pytest.mark.parametrize(
    "twice",
    [
        pytest.param(f"{CANARY}: 1\n{CANARY}: 2\n", id="at the top of the list"),
        pytest.param(f"a: 1\n? {CANARY}\n? {CANARY}\n", id="as an explicit key"),
    ],
)
def test_a_key_that_is_there_twice_is_not_shown(twice: str) -> None:
    assert CANARY not in command(stdin=f"kind: ResourceList\nitems: []\n{twice}")[1]


LISTS = ["svc:{0} host", "a,svc:{0},b", "http://svc:{0}", "http://svc:{0} host", "http://svc%3A{0}%40proxy"]
LISTS += ["svc%3a{0}%40proxy", "svc:{0}", "svc:pa,{0}", "a;svc:{0}|b", "'svc:{0}'"]
"""Lists in which somebody may have written a password."""


@pytest.mark.parametrize("form", LISTS)
@pytest.mark.parametrize("arguments", [["lint"], ["lint", "--output", "json"]], ids=" ".join)
def test_a_list_of_the_command_line_that_may_hold_a_password_is_not_shown(arguments: list[str], form: str) -> None:
    out, err = command(*arguments, form.format(CANARY))
    assert "PasswordInList" in out + err
    assert CANARY not in out + err


SPECS: dict[str, dict[str, Any]] = {
    "a text": {"noProxy": "LIST"},
    "an item": {"noProxy": ["a.example.com", "LIST"]},
    "extra": {"noProxyPolicy": {"extra": ["LIST"]}},
    "exclude": {"noProxyPolicy": {"exclude": ["LIST"]}},
    "an override": {"overrides": [{"match": {"clusters": ["a"]}, "noProxy": ["LIST"]}]},
    "a CIDR": {"clusterDefaults": {"podCIDRs": ["LIST"]}},
    "a key in the place of an item": {"noProxy": [{"LIST": 1}]},
    "a key": {"noProxyPolicy": {"LIST": 1}},
}
READERS = [
    ["run", "-v"],
    ["run", "--check", "--output", "json"],
    ["lint"],
    ["lint", "--output", "json"],
    ["explain"],
    ["export", "tkg", "-", "--config"],
]


@pytest.mark.parametrize(("field", "form", "words"), _pairs(list(SPECS), LISTS, READERS), ids=_in_words)
def test_a_list_of_the_config_that_may_leak_is_refused(field: str, form: str, words: list[str], tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(json.dumps(_config(**SPECS[field])).replace("LIST", form.format(CANARY)))
    out, err = command(*words, str(file))
    assert "[error]" in out + err or '"error"' in out
    assert CANARY not in out + err


OF_A_FOLDER = [["lint"], ["explain"], ["run", "--diff"], ["run", "--check", "-v", "--output", "json"], ["run", "-v"]]


@pytest.mark.parametrize(("kind", "form", "words"), _pairs(KINDS, LISTS, OF_A_FOLDER), ids=_in_words)
def test_a_list_of_an_object_that_may_leak_is_not_shown(kind: str, form: str, words: list[str], tmp_path: Path) -> None:
    text = form.format(CANARY).replace("'", "")
    item = _as_item(kind, '"http://old.example.com:1"')
    for name, other in (("HTTPS_PROXY", "NO_PROXY"), ("https:", "noProxy:"), ("httpsProxy", "noProxy")):
        item = item.replace(name, other)
    item = item.replace("http://old.example.com:1", text).replace("value: a}", f"value: '{text}'}}")
    (tmp_path / "a.yaml").write_text(item)
    config = _config(httpProxy="http://p:1", httpsProxy="http://p:1")
    (tmp_path / "proxy.yaml").write_text(json.dumps(config))
    out, err = command(*words, str(tmp_path))
    assert CANARY not in out + err
