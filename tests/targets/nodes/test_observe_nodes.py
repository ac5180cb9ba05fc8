"""What the node targets see: the value that systemd or the shell makes of a text, whoever wrote it."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kubeadm_objects import HTTP_ONLY, OTHER, PLACES, PROXY, kubeadm, run
from test_kubeadm_shapes import JUNK, SPECS

from krm_fn.places.reading import Reading
from krm_fn.noproxy import Audience
from krm_fn.settings import PROXY_VARIABLES, ProxySettings
from krm_fn.targets.base import Target
from krm_fn.targets.nodes import containerd_drop_in, kubeadm_commands, kubelet_drop_in
from krm_fn.targets.nodes.files import encode

TARGETS = [module.TARGET for module in (containerd_drop_in, kubelet_drop_in, kubeadm_commands)]
FOLDER = "/etc/systemd/system/containerd.service.d"
PATH = f"{FOLDER}/http-proxy.conf"
OURS = "the drop-in of containerd"
VALUES = st.text(st.characters(min_codepoint=32, max_codepoint=0x2FF, exclude_characters="\x7f{")).filter(str.strip)


def observed(target: Target, obj: dict[str, Any], **options: Any) -> list[Reading]:
    """What ``target`` sees in ``obj``, which it must leave as it is."""
    before = copy.deepcopy(obj)
    seen = list(getattr(target, "TARGET", target).read(obj, options))
    assert obj == before
    return seen


def drop_in(text: Any, path: str = PATH, **more: Any) -> dict[str, Any]:
    return {"path": path, "content": text, **more}


def in_files(*entries: Any, **more: Any) -> list[Reading]:
    return observed(containerd_drop_in, kubeadm({"files": list(entries), **more}))


def in_commands(*commands: Any, **more: Any) -> list[Reading]:
    return observed(kubeadm_commands, kubeadm({"preKubeadmCommands": list(commands), **more}))


def values(seen: list[Reading]) -> dict[str, str | None]:
    return {one.variable: one.value for one in seen}


def service(*lines: str) -> str:
    return "\n".join(["[Service]", *lines, ""])


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.id)
@settings(max_examples=60)
@given(spec=SPECS, kind=st.sampled_from(list(PLACES)), version=JUNK)
def test_no_shape_raises(target: Target, spec: Any, kind: str, version: Any) -> None:
    for seen in observed(target, {**kubeadm(spec, kind), "apiVersion": version}):
        assert seen.variable in PROXY_VARIABLES
        assert (seen.value is None) == bool(seen.why_unknown)


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.id)
@pytest.mark.parametrize(
    "obj",
    [
        pytest.param({}, id="nothing"),
        pytest.param(
            {"kind": "Deployment", "spec": {"files": [drop_in(service("Environment=NO_PROXY=x"))]}}, id="kind"
        ),
        pytest.param(kubeadm({}), id="an empty spec"),
        pytest.param(kubeadm({"files": "x", "preKubeadmCommands": "export NO_PROXY=x"}), id="no lists"),
        pytest.param(kubeadm({"files": [drop_in(service("Environment=FOO=1"))]}), id="no proxy variable"),
        pytest.param(kubeadm({"files": [drop_in(service("Environment=NO_PROXY=x"), "/etc/environment")]}), id="a file"),
        pytest.param(kubeadm({"preKubeadmCommands": ["# export NO_PROXY=x", "NO_PROXY=x kubeadm"]}), id="no export"),
        pytest.param(kubeadm({"preKubeadmCommands": ["echo NO_PROXY=x >> /etc/environment"]}), id="no export either"),
    ],
)
def test_where_nothing_is_set_nothing_is_seen(target: Target, obj: dict[str, Any]) -> None:
    assert observed(target, obj) == []


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.id)
@pytest.mark.parametrize("kind", PLACES)
@pytest.mark.parametrize("form", ["cloud-config", "ignition"])
@pytest.mark.parametrize("proxy", [PROXY, OTHER, HTTP_ONLY, ProxySettings()])
def test_what_is_written_is_read_back(target: Target, kind: str, form: str, proxy: ProxySettings) -> None:
    assert target.audience is Audience.NODE
    seen = observed(target, run(target, kubeadm({"format": form}, kind), proxy).obj)
    assert values(seen) == proxy.variables()
    assert len({one.place for one in seen}) == bool(proxy.variables())


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.id)
@pytest.mark.parametrize("encoding", ["", "base64", "gzip+base64"])
@given(first=VALUES, second=VALUES)
def test_property_any_value_is_read_back(target: Target, encoding: str, first: str, second: str) -> None:
    before = {"path": PATH.replace("containerd", "kubelet" if target is kubelet_drop_in else "containerd")}
    entry = {**before, "content": encode("[Service]\n", encoding), "encoding": encoding}
    proxy = ProxySettings(first, "", second)
    obj = run(target, kubeadm({"files": [entry]}), proxy).obj
    assert values(observed(target, obj)) == proxy.variables()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            service("Environment=NO_PROXY=a,b no_proxy=c"), {"NO_PROXY": "a,b", "no_proxy": "c"}, id="one line"
        ),
        pytest.param(
            service("Environment='HTTP_PROXY=http://u:p%%40s@p'"), {"HTTP_PROXY": "http://u:p%40s@p"}, id="%%"
        ),
        pytest.param(service('Environment="HTTP_PROXY=a\\"b\\\\c"'), {"HTTP_PROXY": 'a"b\\c'}, id="escaped"),
        pytest.param(
            service("Environment=NO_PROXY=a", "Environment=NO_PROXY=b"), {"NO_PROXY": "b"}, id="the last wins"
        ),
        pytest.param(service("Environment=NO_PROXY=a", "Environment="), {}, id="taken back by a reset"),
        pytest.param(service("Environment=NO_PROXY= "), {"NO_PROXY": ""}, id="empty"),
        pytest.param(service("Environment=NO_PROXY=${NO_PROXY}"), {"NO_PROXY": "${NO_PROXY}"}, id="a template"),
    ],
)
def test_a_drop_in_of_any_author_is_read_as_systemd_reads_it(text: str, expected: dict[str, str]) -> None:
    assert values(in_files(drop_in(text))) == expected


def test_what_is_seen_in_a_drop_in_names_its_line_its_file_and_its_permissions() -> None:
    text = service('Environment="NO_PROXY=a" \\', "# why", "  FOO=%h")
    (seen,) = in_files({"path": "/x"}, drop_in(text, permissions="0640"))
    assert seen.path == ("spec", "template", "spec", "files", "1", "content")
    assert seen.raw == 'Environment="NO_PROXY=a"    FOO=%h'
    assert (seen.place, seen.file, seen.permissions) == (OURS, PATH, "0640")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        pytest.param('Environment="HTTP_PROXY=http://u:p%40ss@p"', "systemd takes a `%` for a specifier", id="percent"),
        pytest.param('Environment="HTTP_PROXY=a\\q"', "systemd cannot read the assignment", id="an unknown escape"),
        pytest.param('Environment="HTTP_PROXY=a', "systemd cannot read the assignment", id="an open quote"),
    ],
)
def test_an_assignment_that_systemd_drops_has_no_value_and_is_lost(line: str, why: str) -> None:
    (seen,) = in_files(drop_in(service(line)))
    assert (seen.value, seen.why_unknown, seen.is_lost) == (None, why, True)


@pytest.mark.parametrize(
    ("value", "is_lost"),
    [
        pytest.param("{{ ds.meta_data.proxy }}", False, id="an expression its author means"),
        pytest.param("http://u:p{%40ss@p", True, id="a password that jinja chokes on"),
        pytest.param("http://u:p{{ss@p", True, id="an open expression"),
    ],
)
def test_what_cloud_init_renders_is_not_known(value: str, is_lost: bool) -> None:
    text, command = service(f'Environment="HTTP_PROXY={value.replace("%", "%%")}"'), f"export HTTP_PROXY='{value}'"
    for seen in (*in_files(drop_in(text)), *in_commands(command)):
        assert (seen.value, seen.is_lost) == (None, is_lost)
        assert seen.why_unknown == "cloud-init renders it as a jinja template"
    plain = in_files(drop_in(encode(text, "base64"), encoding="base64")) + in_commands(command, format="ignition")
    assert [seen.value for seen in plain] == [value, value]


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        pytest.param(
            {"contentFrom": {"secret": {"name": "s", "key": "k"}}},
            'it is under the key "k" of the Secret "s"',
            id="in a Secret",
        ),
        pytest.param({"contentFrom": {}}, 'it is under the key "None" of the Secret "None"', id="in no Secret"),
        pytest.param({"content": "?", "encoding": "base64"}, "its `content` cannot be read as text", id="no base64"),
        pytest.param({"content": "x", "encoding": "gzip"}, "its `content` cannot be read as text", id="raw gzip"),
        pytest.param({"content": 7}, "its `content` cannot be read as text", id="no text"),
    ],
)
def test_a_content_that_is_not_seen_may_set_all_six(entry: dict[str, Any], why: str) -> None:
    seen = in_files({"path": PATH, **entry})
    assert values(seen) == dict.fromkeys(PROXY_VARIABLES)
    assert {(one.why_unknown, one.is_lost, one.place) for one in seen} == {(why, False, OURS)}


def test_a_hidden_file_that_is_not_about_proxies_says_nothing() -> None:
    hidden = {"contentFrom": {"secret": {"name": "s", "key": "k"}}}
    assert in_files({"path": f"{FOLDER}/10-limits.conf", **hidden}) == []
    assert in_files(drop_in("?", f"{FOLDER}/10-limits.conf", encoding="base64")) == []
    assert len(in_files({"path": f"{FOLDER}/99-proxy.conf", **hidden})) == len(PROXY_VARIABLES)
    ours = kubeadm({"files": [{"path": "/elsewhere", **hidden}]})
    assert len(observed(containerd_drop_in, ours, path="/elsewhere")) == len(PROXY_VARIABLES)


def test_every_drop_in_of_the_unit_is_seen_each_as_a_place_of_its_own() -> None:
    other = f"{FOLDER}/99-x.conf"
    entries = [drop_in(service(f"Environment=NO_PROXY={at}"), path) for at, path in enumerate([PATH, other, PATH])]
    seen = in_files(
        *entries, drop_in(service("Environment=NO_PROXY=x"), FOLDER.replace("containerd", "kubelet") + "/a")
    )
    assert [(one.value, one.place) for one in seen] == [
        ("0", OURS),
        ("1", f'the drop-in "{other}" in `files[1]`'),
        ("2", f'the drop-in "{PATH}" in `files[2]`'),
    ]


def test_the_path_of_the_options_is_ours() -> None:
    obj = kubeadm({"files": [drop_in(service("Environment=NO_PROXY=x"), "/elsewhere")]})
    assert [seen.place for seen in observed(containerd_drop_in, obj, path="/elsewhere")] == [OURS]
    assert [seen.place for seen in observed(kubelet_drop_in, obj, path="/elsewhere")] == ["the drop-in of kubelet"]


@pytest.mark.parametrize(
    ("commands", "expected"),
    [
        pytest.param(["export NO_PROXY=a HTTP_PROXY='b'"], {"NO_PROXY": "a", "HTTP_PROXY": "b"}, id="two in one"),
        pytest.param(["export NO_PROXY=a", "export NO_PROXY=b"], {"NO_PROXY": "b"}, id="the last wins"),
        pytest.param(["true && export NO_PROXY=a; x"], {"NO_PROXY": "a"}, id="among others"),
        pytest.param(["export FOO=1 NO_PROXY=a"], {"NO_PROXY": "a"}, id="with others"),
        pytest.param(["# export NO_PROXY=b\nexport NO_PROXY=a # c"], {"NO_PROXY": "a"}, id="beside comments"),
        pytest.param(["export NO_PROXY="], {"NO_PROXY": ""}, id="empty"),
        pytest.param([None, 7, "export 'NO_PROXY=a b'"], {"NO_PROXY": "a b"}, id="behind what is no command"),
        pytest.param(["x | y; export NO_PROXY=a"], {"NO_PROXY": None}, id="beside a pipe"),
        pytest.param(["(export NO_PROXY=a; kubeadm)"], {"NO_PROXY": None}, id="in a sub-shell"),
        pytest.param(["if x; then export NO_PROXY=a; fi"], {"NO_PROXY": None}, id="under a condition"),
        pytest.param(["if x; then export NO_PROXY=a; fi", "export NO_PROXY=b"], {"NO_PROXY": "b"}, id="overruled"),
        pytest.param(["# export NO_PROXY=b\nx | y"], {}, id="a comment beside a pipe"),
        pytest.param(["export HTTP_PROXY_HOST=x MY_NO_PROXY=y"], {}, id="other names"),
    ],
)
def test_exports_of_any_author_are_read_as_the_shell_reads_them(
    commands: list[Any], expected: dict[str, str | None]
) -> None:
    assert values(in_commands(*commands)) == expected


@pytest.mark.parametrize(
    ("command", "is_lost"),
    [
        pytest.param('export HTTP_PROXY="$PROXY"', False, id="a reference its author means"),
        pytest.param("export HTTP_PROXY=http://$HOST:3128", False, id="a reference within"),
        pytest.param('export HTTP_PROXY="http://u:pa$$word@p"', True, id="a dollar in a password"),
        pytest.param("export HTTP_PROXY=http://u:`id`@p", True, id="a password that runs"),
        pytest.param("export NO_PROXY=*.corp", True, id="a glob"),
    ],
)
def test_what_the_shell_expands_is_not_known(command: str, is_lost: bool) -> None:
    (seen,) = in_commands("x", command)
    assert (seen.value, seen.why_unknown, seen.is_lost) == (None, "the shell expands it", is_lost)
    assert (seen.raw, seen.place) == (command, "the exports in `preKubeadmCommands`")
    assert seen.path == ("spec", "template", "spec", "preKubeadmCommands", "1")
