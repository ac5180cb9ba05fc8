from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kubeadm_objects import HTTP_ONLY, NONE, OTHER, PLACES, PROXY, kubeadm, meaning, run, spec_of

from judges import shell_environment
from krm_fn.krm.results import Severity
from krm_fn.settings import PROXY_VARIABLES, ProxySettings
from krm_fn.targets.nodes import kubeadm_commands as target

RESTART = "systemctl daemon-reload && systemctl restart containerd # inject-proxy"
HTTP = ["export HTTP_PROXY='http://proxy:3128'", "export http_proxy='http://proxy:3128'"]
HTTPS = ["export HTTPS_PROXY='http://proxy:3129'", "export https_proxy='http://proxy:3129'"]
NO = ["export NO_PROXY='localhost,.svc'", "export no_proxy='localhost,.svc'"]
EXPORTS = [*HTTP, *HTTPS, *NO]
OWN_RESTART = ["systemctl daemon-reload", "systemctl restart containerd"]


def commands(*texts: Any, **more: Any) -> dict[str, Any]:
    return kubeadm({"preKubeadmCommands": list(texts), **more})


def after(obj: dict[str, Any], settings: ProxySettings, **options: Any) -> Any:
    return (spec_of(run(target, obj, settings, options).obj) or {}).get("preKubeadmCommands")


# what must not change


@pytest.mark.parametrize(
    "texts",
    [
        pytest.param([RESTART, *HTTP], id="as we write it"),
        pytest.param([*HTTP, "hostname x", RESTART], id="in another order, among others"),
        pytest.param(
            [*OWN_RESTART, "export HTTP_PROXY=http://proxy:3128 http_proxy=http://proxy:3128"], id="two in one"
        ),
        pytest.param([*OWN_RESTART, "; ".join(HTTP)], id="two statements in one"),
        pytest.param([*OWN_RESTART, "\n".join([*HTTP, ""])], id="two lines in one"),
        pytest.param([*OWN_RESTART, HTTP[0] + " # corp", f"  {HTTP[1]};"], id="with a comment, with a semicolon"),
        pytest.param([*OWN_RESTART, 'export HTTP_PROXY="http://proxy:3128"', HTTP[1]], id="in double quotes"),
        pytest.param([*OWN_RESTART, 'export "HTTP_PROXY=http://proxy:3128"', HTTP[1]], id="the whole word quoted"),
        pytest.param(
            [*OWN_RESTART, "export HTTP_PROXY=http://proxy:3128 \\\n  http_proxy=http://proxy:3128"], id="continued"
        ),
    ],
)
def test_right_commands_stay_as_they_are_written(texts: list[str]) -> None:
    assert run(target, commands(*texts), HTTP_ONLY).changes == []


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(kubeadm({}), id="an empty spec"),
        pytest.param(kubeadm(None), id="a spec that is null"),
        pytest.param(commands(), id="an empty list"),
        pytest.param(commands(*OWN_RESTART, "hostname x"), id="a restart of somebody else"),
        pytest.param(
            commands("systemctl daemon-reload && systemctl restart containerd"), id="our restart without its mark"
        ),
        pytest.param(
            commands("export FOO=1", "export HTTP_PROXY_HOST=x", "# export HTTP_PROXY=x"), id="no proxy variable"
        ),
        pytest.param(commands("export ALL_PROXY=x"), id="a proxy variable that is not ours"),
        pytest.param(commands("export FOO=1 HTTP_PROXY=x"), id="an export of more than proxies"),
        pytest.param({"kind": "Deployment", "spec": {"preKubeadmCommands": HTTP}}, id="another kind"),
    ],
)
def test_nothing_changes_without_a_proxy(obj: dict[str, Any]) -> None:
    assert run(target, obj, NONE).changes == []


@pytest.mark.parametrize(
    "texts",
    [
        pytest.param(["systemctl daemon-reload", "x", "systemctl restart containerd"], id="in two commands"),
        pytest.param(["sudo systemctl daemon-reload", "sudo systemctl restart containerd.service"], id="with sudo"),
        pytest.param(["systemctl daemon-reload; systemctl restart containerd kubelet"], id="with another unit"),
        pytest.param(
            ["systemctl daemon-reload", "systemctl stop containerd", "systemctl start containerd"], id="Tanzu"
        ),
        pytest.param(
            ["systemctl stop containerd", "systemctl daemon-reload && systemctl start containerd"], id="between"
        ),
        pytest.param(
            ["/usr/bin/systemctl --quiet daemon-reload\nsystemctl --no-block restart 'containerd'"], id="options"
        ),
        pytest.param(["if true; then systemctl daemon-reload; systemctl restart containerd; fi"], id="inside an if"),
    ],
)
def test_a_restart_that_is_there_is_not_repeated(texts: list[str]) -> None:
    assert after(commands(*texts), HTTP_ONLY) == [*texts, *HTTP]


# what is set


@pytest.mark.parametrize("kind", PLACES)
@pytest.mark.parametrize("version", ["v1alpha3", "v1alpha4", "v1beta1", "v1beta2"])
@pytest.mark.parametrize("spec", [{}, None, {"preKubeadmCommands": []}, {"preKubeadmCommands": None}])
def test_every_kind_and_version_gets_the_commands(kind: str, version: str, spec: Any) -> None:
    outcome = run(target, kubeadm(spec, kind, version), PROXY)
    assert spec_of(outcome.obj) == {"preKubeadmCommands": [RESTART, *EXPORTS]}
    assert outcome.findings == []


def test_a_patch_that_only_scales_is_left_alone() -> None:
    obj = kubeadm({}, "KubeadmControlPlane") | {"spec": {"replicas": 3}}
    outcome = run(target, obj, HTTP_ONLY)
    assert outcome.obj == obj
    assert len(outcome.warnings) == 1


def test_null_in_the_place_of_the_spec_is_an_empty_one() -> None:
    obj = kubeadm(None, "KubeadmControlPlane")
    assert after(obj, HTTP_ONLY) == [RESTART, *HTTP]


def test_new_commands_stand_at_the_end() -> None:
    assert after(commands("hostname x"), PROXY) == ["hostname x", RESTART, *EXPORTS]


@pytest.mark.parametrize(
    "texts",
    [
        pytest.param(["systemctl restart containerd", "systemctl daemon-reload"], id="a restart before the reload"),
        pytest.param(["systemctl daemon-reload", "systemctl start containerd"], id="a start that may do nothing"),
        pytest.param(["systemctl daemon-reload", "systemctl restart kubelet"], id="a restart of another unit"),
        pytest.param(["systemctl restart containerd"], id="no reload"),
        pytest.param(["systemctl daemon-reload", "# systemctl restart containerd"], id="a comment"),
        pytest.param(["systemctl daemon-reload", "echo systemctl restart containerd"], id="an argument"),
        pytest.param(["systemctl daemon-reload", "systemctl restart containerd-shim"], id="a longer name"),
    ],
)
def test_what_does_not_restart_containerd_is_not_enough(texts: list[str]) -> None:
    assert after(commands(*texts), HTTP_ONLY) == [*texts, RESTART, *HTTP]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        pytest.param({}, [RESTART, *HTTP], id="both are the default"),
        pytest.param({"exports": False}, [RESTART], id="no exports"),
        pytest.param({"restart": False}, HTTP, id="no restart"),
        pytest.param({"exports": False, "restart": False}, None, id="neither"),
    ],
)
def test_options_hold_for_new_and_for_existing_commands(options: dict[str, bool], expected: list[str] | None) -> None:
    assert after(kubeadm({}), HTTP_ONLY, **options) == expected
    assert after(commands(RESTART, *HTTP), HTTP_ONLY, **options) == expected


def test_ignition_needs_no_restart() -> None:
    assert after(kubeadm({"format": "ignition"}), HTTP_ONLY) == HTTP
    assert after(commands(RESTART, *HTTP, format="ignition"), HTTP_ONLY) == HTTP


# what is updated in place


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(["export HTTP_PROXY=old", "x"], [HTTP[0], "x", HTTP[1]], id="a wrong value keeps its place"),
        pytest.param(["export HTTP_PROXY=$P", HTTP[1]], HTTP, id="a value the shell would expand is not right"),
        pytest.param(['export HTTP_PROXY="http://u:a$b@h"', HTTP[1]], HTTP, id="nor is one in double quotes"),
        pytest.param(['export HTTP_PROXY="`x`"', HTTP[1]], HTTP, id="nor are backticks"),
        pytest.param([*HTTP, HTTP[0], "x", *HTTP], [*HTTP, "x"], id="repeated exports go"),
        pytest.param([*HTTP, *HTTPS, "x"], [*HTTP, "x"], id="unwanted exports go"),
        pytest.param(
            ["export HTTP_PROXY=old  HTTPS_PROXY=x  http_proxy=old # why"],
            ["export HTTP_PROXY='http://proxy:3128'  http_proxy='http://proxy:3128' # why"],
            id="one command with several keeps what is wanted",
        ),
        pytest.param(
            ["export NO_PROXY=x; export HTTP_PROXY=old && export http_proxy=old"],
            ["export HTTP_PROXY='http://proxy:3128' && export http_proxy='http://proxy:3128'"],
            id="statements go with the joint beside them",
        ),
        pytest.param(["export NO_PROXY=x HTTPS_PROXY=y", *HTTP], HTTP, id="a command that loses all goes"),
    ],
)
def test_exports_are_updated_in_place(old: list[str], new: list[str]) -> None:
    assert after(commands(*OWN_RESTART, *old), HTTP_ONLY) == [*OWN_RESTART, *new]


def test_the_tanzu_document_gets_the_lower_case_at_the_end() -> None:
    old = [
        "export HTTP_PROXY='http://asdf'",
        "export HTTPS_PROXY='https://asdf2'",
        "sed -i x y",
        "systemctl restart containerd",
    ]
    assert after(commands("systemctl daemon-reload", *old), ProxySettings("http://a", "http://b", "c")) == [
        "systemctl daemon-reload", "export HTTP_PROXY='http://a'", "export HTTPS_PROXY='http://b'", *old[2:],
        "export http_proxy='http://a'", "export https_proxy='http://b'", "export NO_PROXY='c'", "export no_proxy='c'",
    ]  # fmt: skip


def test_an_older_form_of_our_restart_is_renewed_and_a_repeated_one_goes() -> None:
    old = "systemctl restart containerd # inject-proxy"
    assert after(commands(old, "x", RESTART), HTTP_ONLY) == [RESTART, "x", *HTTP]


def test_a_block_of_ours_takes_in_what_is_missing_in_our_order() -> None:
    first = run(target, commands("x"), ProxySettings("http://proxy:3128", "", "localhost,.svc")).obj
    assert after(first, PROXY) == ["x", RESTART, *EXPORTS]


@pytest.mark.parametrize("texts", [[], ["x"], [RESTART], OWN_RESTART, ["export FOO=1"], [RESTART, *EXPORTS]])
@pytest.mark.parametrize("first", [PROXY, HTTP_ONLY, ProxySettings("", "http://b:1"), ProxySettings("a", "", "c")])
def test_a_changed_proxy_gives_what_it_would_have_given_at_first(texts: list[str], first: ProxySettings) -> None:
    assert after(run(target, commands(*texts), first).obj, OTHER) == after(commands(*texts), OTHER)


@pytest.mark.parametrize("kind", PLACES)
@pytest.mark.parametrize("spec", [{}, {"preKubeadmCommands": ["x", *OWN_RESTART]}, {"preKubeadmCommands": ["x"]}])
def test_removal_restores_what_had_nothing_of_ours(kind: str, spec: dict[str, Any]) -> None:
    obj = kubeadm(spec, kind)
    injected = run(target, obj, PROXY).obj
    assert injected != obj
    assert meaning(run(target, injected, NONE).obj) == meaning(obj)


# what is reported


@pytest.mark.parametrize(
    ("text", "severity"),
    [
        pytest.param("HTTP_PROXY=old kubeadm config images pull", Severity.WARNING, id="a proxy for one command"),
        pytest.param("export FOO=1 HTTP_PROXY=old", Severity.WARNING, id="an export of more than proxies"),
        pytest.param("export HTTP_PROXY=old && foo", Severity.WARNING, id="an export and something else"),
        pytest.param('echo "export HTTP_PROXY=old" >> /etc/profile', Severity.WARNING, id="a profile"),
        pytest.param("export HTTP_PROXY=$(cat /etc/proxy)", Severity.WARNING, id="the output of a program"),
        pytest.param("export HTTP_PROXY='it's'", Severity.WARNING, id="an open quote"),
        pytest.param(
            'echo "export HTTP_PROXY=http://proxy:3128" >> /etc/profile', Severity.INFO, id="the wanted value"
        ),
        pytest.param("http_proxy='http://proxy:3128' apt-get update", Severity.INFO, id="the wanted value, quoted"),
    ],
)
def test_a_command_that_does_more_than_exporting_proxies_is_reported_and_left_alone(
    text: str, severity: Severity
) -> None:
    outcome = run(target, commands(*OWN_RESTART, text), HTTP_ONLY)
    assert spec_of(outcome.obj)["preKubeadmCommands"] == [*OWN_RESTART, text, *HTTP]
    (finding,) = outcome.findings
    assert finding.severity is severity
    assert finding.path[-2:] == ("preKubeadmCommands", "2")
    assert "left as it is" in finding.message


def test_a_command_that_takes_a_proxy_out_of_a_file_sets_none() -> None:
    outcome = run(target, commands("sed -i '/^HTTP_PROXY=/d' /etc/environment"), HTTP_ONLY)
    assert outcome.findings == []


@pytest.mark.parametrize(
    ("obj", "words"),
    [
        pytest.param(
            kubeadm({"preKubeadmCommands": {}}), "`preKubeadmCommands` must be a list, not a mapping", id="list"
        ),
        pytest.param(
            commands(["a"]), "an entry of `preKubeadmCommands` must be a string, not a list", id="a list inside"
        ),
        pytest.param(commands(None), "an entry of `preKubeadmCommands` must be a string, not null", id="null"),
        pytest.param(kubeadm("x"), "`spec` must be a mapping, not a string", id="the spec"),
        pytest.param(commands(format=[]), "`format` must be a string, not a list", id="the format"),
    ],
)
def test_errors(obj: dict[str, Any], words: str) -> None:
    (message,) = run(target, obj, HTTP_ONLY).errors
    assert words in message


def test_a_value_that_a_shell_cannot_hold_is_an_error() -> None:
    outcome = run(target, kubeadm({}), ProxySettings(no_proxy="a\x00b"))
    assert outcome.changes == []
    assert "must not hold a NUL" in outcome.errors[0]


@pytest.mark.parametrize(
    ("version", "severity"), [("v1alpha4", None), ("v1beta1", Severity.WARNING), ("v1beta2", Severity.ERROR)]
)
def test_an_export_that_is_too_long(version: str, severity: Severity | None) -> None:
    outcome = run(target, kubeadm({}, version=version), ProxySettings(no_proxy="a" * 10_300))
    assert [finding.severity for finding in outcome.findings] == [severity, severity] * bool(severity)
    assert all("`preKubeadmCommands` must not be longer than 10240" in finding.message for finding in outcome.findings)


def test_jinja_marks_are_reported_where_cloud_init_renders_them() -> None:
    settings = ProxySettings(no_proxy="{{ ds.meta_data.local_ipv4 }}")
    (message,) = run(target, kubeadm({}), settings).warnings
    assert '`NO_PROXY` holds "{{"' in message
    assert run(target, kubeadm({"format": "ignition"}), settings).warnings == []
    assert run(target, kubeadm({}), settings, {"exports": False}).warnings == []


def test_the_message_says_what_is_set_removed_and_restarted() -> None:
    outcome = run(target, commands("export HTTP_PROXY=old", "export NO_PROXY=x"), HTTP_ONLY)
    where = "in the exports in `preKubeadmCommands`"
    (change,) = outcome.changes
    assert change.message == (f"sets the proxy {where}, removes `NO_PROXY` {where}, restarts containerd")


# judged by shells, and by chance


@pytest.mark.parametrize("shell", ["sh", "bash"])
@pytest.mark.parametrize(
    "password", ["p%40ss", "caf%C3%A9", 'a"b', "a\\b", "a'b", "a$b", "a`id`b", "a b", "a;b", "a&b"]
)
def test_the_shells_read_back_what_went_in(shell: str, password: str) -> None:
    settings = ProxySettings(f"http://u:{password}@p:1", f"http://u:{password}@p:2", f"localhost,{password}")
    texts = after(commands("export HTTP_PROXY=old NO_PROXY=$X; export HTTP_PROXY=y"), settings, restart=False)
    read = shell_environment(shell, texts)
    assert {name: read.get(name) for name in PROXY_VARIABLES} == settings.variables()


# fmt: off
EXISTING = st.lists(st.sampled_from([
    "x", "export FOO=1", RESTART, *OWN_RESTART, *EXPORTS, "export HTTP_PROXY=old", "export NO_PROXY=a no_proxy=b # c",
    "export HTTPS_PROXY=$A; export https_proxy=b\n", "HTTP_PROXY=a b", "export HTTP_PROXY='", "",
    "# export NO_PROXY=x",
]), max_size=8)
# fmt: on


@given(EXISTING, st.sampled_from([PROXY, HTTP_ONLY, OTHER, NONE]), st.sampled_from([PROXY, HTTP_ONLY, OTHER, NONE]))
def test_the_last_run_decides_and_other_commands_keep_their_order(
    texts: list[str], first: ProxySettings, second: ProxySettings
) -> None:
    final = after(run(target, commands(*texts), first).obj, second) or []
    written = {f"export {name}='{value}'" for name, value in second.variables().items()}
    exports = [text for text in final if text in written]
    assert len(exports) == len(set(exports))
    others = ("x", "export FOO=1", *OWN_RESTART, "HTTP_PROXY=a b", "export HTTP_PROXY='", "", "# export NO_PROXY=x")
    assert [text for text in final if text in others] == [text for text in texts if text in others]
    assert final.count(RESTART) <= 1


# before the network

APT = "apt-get update"
CONFIGURE = "sed -i s/a/b/ /etc/containerd/config.toml"
SCRIPT = {"path": "/opt/setup.sh", "content": "#!/bin/sh\ncurl -fsSLO https://example.com/x\n"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(["x", APT, "y"], ["x", RESTART, *HTTP, APT, "y"], id="before the first that needs the network"),
        pytest.param([APT, "y", "curl https://x"], [RESTART, *HTTP, APT, "y", "curl https://x"], id="at the front"),
        pytest.param(["x", "y"], ["x", "y", RESTART, *HTTP], id="at the end where none needs it"),
        pytest.param(
            ["x", APT, "y", RESTART, *HTTP], ["x", RESTART, *HTTP, APT, "y"], id="those of an earlier version move once"
        ),
        pytest.param([RESTART, *HTTP, "x", APT], [RESTART, *HTTP, "x", APT], id="those that stand early enough stay"),
        pytest.param(
            ["apt-get install -y containerd", "x"],
            [*HTTP, "apt-get install -y containerd", "x", RESTART],
            id="the restart stays behind what installs containerd",
        ),
        pytest.param(
            [APT, CONFIGURE, "x", "crictl pull y"],
            [*HTTP, APT, CONFIGURE, "x", RESTART, "crictl pull y"],
            id="and behind what configures it, but before the next that needs the network",
        ),
        pytest.param(
            [RESTART, *HTTP, APT, CONFIGURE],
            [*HTTP, APT, CONFIGURE, RESTART],
            id="a restart moves behind what configures containerd",
        ),
        pytest.param(
            [APT, "export HTTP_PROXY=old", "x"],
            [RESTART, HTTP[0], HTTP[1], APT, "x"],
            id="an export of somebody else that comes too late moves, too",
        ),
        pytest.param(
            [*HTTP, "unset http_proxy", "x"],
            ["unset http_proxy", "x", RESTART, *HTTP],
            id="exports move behind a command that unsets them",
        ),
        pytest.param(
            ["http_proxy=a apt-get update", "x"],
            ["http_proxy=a apt-get update", "x", RESTART, *HTTP],
            id="a command that has a proxy of its own needs none of ours",
        ),
    ],
)
def test_the_proxy_is_there_before_the_network_is_needed(old: list[str], new: list[str]) -> None:
    assert after(commands(*old), HTTP_ONLY) == new


@pytest.mark.parametrize(
    ("place", "old", "new"),
    [
        pytest.param("Start", ["x", APT], [RESTART, *HTTP, "x", APT], id="Start"),
        pytest.param("Start", ["x", RESTART, *HTTP], [RESTART, *HTTP, "x"], id="Start moves those that are there"),
        pytest.param("Start", ["x", CONFIGURE, "y"], [*HTTP, "x", CONFIGURE, RESTART, "y"], id="Start and containerd"),
        pytest.param("End", ["x", APT], ["x", APT, RESTART, *HTTP], id="End"),
        pytest.param(
            "End", [RESTART, *HTTP, "x", APT], ["x", APT, RESTART, *HTTP], id="End moves those that are there"
        ),
    ],
)
def test_an_option_fixes_the_place(place: str, old: list[str], new: list[str]) -> None:
    outcome = run(target, commands(*old), HTTP_ONLY, {"place": place})
    assert spec_of(outcome.obj)["preKubeadmCommands"] == new


def test_a_script_that_the_object_brings_along_is_looked_into() -> None:
    assert after(commands("x", "bash /opt/setup.sh", files=[SCRIPT]), HTTP_ONLY) == [
        "x", RESTART, *HTTP, "bash /opt/setup.sh",
    ]  # fmt: skip


def test_ignition_exports_before_the_network_as_well() -> None:
    assert after(commands("x", APT, format="ignition"), HTTP_ONLY) == ["x", *HTTP, APT]


def test_where_a_comment_could_move_to_another_command_they_stay_at_the_end() -> None:
    outcome = run(target, commands(APT, "sleep 1", "x", "x", "sleep 1"), HTTP_ONLY)
    assert spec_of(outcome.obj)["preKubeadmCommands"] == [APT, "sleep 1", "x", "x", "sleep 1", RESTART, *HTTP]
    assert "stay at the end" in outcome.warnings[0]
    outcome = run(target, commands(APT, "sleep 1", "x", "sleep 1"), HTTP_ONLY)
    assert spec_of(outcome.obj)["preKubeadmCommands"][0] == RESTART
    assert outcome.warnings == []


def test_an_unset_behind_the_network_is_reported() -> None:
    outcome = run(target, commands(APT, "unset http_proxy https_proxy; foo"), HTTP_ONLY)
    assert spec_of(outcome.obj)["preKubeadmCommands"][-1] == "unset http_proxy https_proxy; foo"
    (finding,) = outcome.findings
    assert "unsets `http_proxy` behind the export" in finding.message
    assert finding.path[-1] == "4"


@given(
    st.lists(st.sampled_from([APT, CONFIGURE, "x", "y", "sleep 1", "unset NO_PROXY", "crictl pull z"]), max_size=8),
    st.sampled_from(["", "Start", "End"]),
    st.sampled_from([PROXY, HTTP_ONLY]),
)
def test_removal_gives_the_old_order_back(texts: list[str], place: str, proxy: ProxySettings) -> None:
    options = {"place": place} if place else {}
    obj = commands(*texts)
    injected = run(target, obj, proxy, options).obj
    assert after(injected, OTHER, **options) is not None
    assert meaning(run(target, injected, NONE, options).obj) == meaning(obj) or not texts
