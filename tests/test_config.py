"""The FunctionConfig in its own form: what is accepted, and how everything else is reported."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from function_configs import NO_PROXY_AT_ALL, PROXY, problems, proxy_config, without_reasons
from krm_fn.config import Matcher, Mode, ProxyConfig, Selector, load
from krm_fn.noproxy import Entry, Policy, Style
from support import ROOT, run


@pytest.mark.parametrize("nothing", [None, {}])
def test_no_function_config_asks_for_nothing(nothing: dict[str, Any] | None) -> None:
    assert load(nothing) is None


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        pytest.param({"httpProxy": PROXY}, ProxyConfig(http_proxy=PROXY), id="the HTTP proxy alone is enough"),
        pytest.param({"httpsProxy": PROXY}, ProxyConfig(https_proxy=PROXY), id="the HTTPS proxy alone is enough"),
        pytest.param({"mode": "Remove"}, ProxyConfig(mode=Mode.REMOVE), id="Remove needs no proxy"),
        pytest.param(
            {"mode": "Remove", "httpProxy": PROXY},
            ProxyConfig(http_proxy=PROXY, mode=Mode.REMOVE),
            id="with Remove the proxy may stay",
        ),
        pytest.param({"httpProxy": PROXY, "mode": "Check"}, ProxyConfig(http_proxy=PROXY, mode=Mode.CHECK), id="Check"),
        pytest.param(
            {"httpProxy": PROXY, "httpsProxy": "", "mode": None, "targets": None, "selector": {"include": None}},
            ProxyConfig(http_proxy=PROXY),
            id="null and an empty URL count as not given",
        ),
        pytest.param(
            {"httpProxy": PROXY, "noProxy": [" a ", "", "b,c"]},
            ProxyConfig(http_proxy=PROXY, no_proxy=(Entry("a"), Entry("b"), Entry("c"))),
            id="entries are trimmed, and empty ones fall away",
        ),
        pytest.param(
            {"httpProxy": PROXY, "noProxy": "b, a ,,b\n"},
            ProxyConfig(http_proxy=PROXY, no_proxy=(Entry("b"), Entry("a"), Entry("b"))),
            id="entries in one string keep their order",
        ),
        pytest.param(
            {"httpProxy": PROXY, "noProxyPolicy": {"style": "Verbatim"}},
            ProxyConfig(http_proxy=PROXY, policy=Policy(Style.VERBATIM)),
            id="the verbatim style",
        ),
        pytest.param(
            {"httpProxy": PROXY, "targets": {"certManager": {"conflict": "Keep"}, "kyvernoPolicies": {}}},
            ProxyConfig(http_proxy=PROXY, targets={"certManager": {"conflict": "Keep"}, "kyvernoPolicies": {}}),
            id="options stay as given, without defaults",
        ),
        pytest.param(
            {"httpProxy": PROXY, "selector": {"include": [{"names": ["a*"], "labels": {"x": "y"}}], "exclude": []}},
            ProxyConfig(http_proxy=PROXY, selector=Selector(include=(Matcher(names=("a*",), labels={"x": "y"}),))),
            id="a selector",
        ),
    ],
)
def test_what_is_accepted(spec: dict[str, Any], expected: ProxyConfig) -> None:
    assert without_reasons(load(proxy_config(**spec))) == expected


@pytest.mark.parametrize(
    ("no_proxy", "expected"),
    [
        pytest.param("a, b", (Entry.of_config("a", "spec.noProxy"), Entry.of_config("b", "spec.noProxy")), id="a text"),
        pytest.param(
            ["a", "b,c"],
            (
                Entry.of_config("a", "spec.noProxy[0]"),
                Entry.of_config("b", "spec.noProxy[1]"),
                Entry.of_config("c", "spec.noProxy[1]"),
            ),
            id="a list, one item of it with two entries",
        ),
    ],
)
def test_every_entry_knows_where_it_was_written(no_proxy: Any, expected: tuple[Entry, ...]) -> None:
    config = load(proxy_config(httpProxy=PROXY, noProxy=no_proxy))
    assert isinstance(config, ProxyConfig)
    assert config.no_proxy == expected


NOT_OCTAL = 'must be an octal file mode of three or four digits, such as "0640"'
DROP_IN = "/etc/systemd/system/containerd.service.d/http-proxy.conf"


@pytest.mark.parametrize(
    ("spec", "reported"),
    [
        pytest.param({"noProxi": []}, "spec.noProxi: unknown field; did you mean `noProxy`?", id="a misspelt field"),
        pytest.param({"http_proxy": ""}, "spec.http_proxy: unknown field; did you mean `httpProxy`?", id="snake case"),
        pytest.param(
            {"style": "Verbatim"},
            "spec.style: unknown field; did you mean `spec.noProxyPolicy.style`?",
            id="a field of another level",
        ),
        pytest.param(
            {"zzz": 1},
            "spec.zzz: unknown field; known here are `httpProxy`, `httpsProxy`, `noProxy`, `mode`, `failOn`, "
            "`noProxyPolicy`, `overrides`, `clusterDefaults`, `lint`, `from`, `trustedCA`, "
            "`registryMirror`, `rollout`, `selector`, `trustedNamespaces`, `only` and `targets`",
            id="a field like no other",
        ),
        pytest.param(
            {"targets": {"kubelet": {}}},
            "spec.targets.kubelet: unknown field; did you mean `kubeletDropIn`?",
            id="an unknown target",
        ),
        pytest.param({"httpProxy": 10}, "spec.httpProxy: must be a string: quote it", id="a number for a URL"),
        pytest.param({"httpProxy": [PROXY]}, "spec.httpProxy: must be a string", id="a list for a URL"),
        pytest.param(
            {"mode": "inject"},
            "spec.mode: must be `Inject`, `Remove` or `Check`; did you mean `Inject`?",
            id="a mode in lower case",
        ),
        pytest.param(
            {"mode": "remove"},
            "spec.mode: must be `Inject`, `Remove` or `Check`; did you mean `Remove`?",
            id="a removal in lower case, which misses no proxy",
        ),
        pytest.param({"mode": "x"}, "spec.mode: must be `Inject`, `Remove` or `Check`", id="a mode like no other"),
        pytest.param({"mode": True}, "spec.mode: must be a string: quote it", id="a boolean for the mode"),
        pytest.param(
            {"noProxy": 10}, "spec.noProxy: must be a list of strings, or one comma-separated string", id="a number"
        ),
        pytest.param({"noProxy": ["a", 10]}, "spec.noProxy[1]: must be a string: quote it", id="a number in the list"),
        pytest.param({"noProxy": [None]}, "spec.noProxy[0]: must be a string", id="a null in the list"),
        pytest.param(
            {"noProxy": "a b"},
            'spec.noProxy: entry "a b" must not hold blanks, ";" or "|": write "a,b"',
            id="a blank inside an entry",
        ),
        pytest.param(
            {"noProxy": ["a", "http://b:1"]},
            'spec.noProxy[1]: entry "http://b..." must not be a URL: write "b"',
            id="a URL as an entry",
        ),
        *(
            pytest.param(
                {"noProxy": ["a", entry]},
                f'spec.noProxy[1]: entry "{entry}" must be a whole address or CIDR, such as "10.1.2.0/24"',
                id=f"as an entry {what}",
            )
            for entry, what in (
                ("10.0.0.0/33", "a prefix that is too long"),
                ("10.0.0.300", "an octet that is too large"),
                ("10.0.0.9-10.0.0.1", "a range the wrong way round"),
            )
        ),
        pytest.param(
            {"noProxy": ["a", "$NO_PROXY"]},
            "spec.noProxy[1]: an entry must not be the name of a variable: nothing puts its value in its place; write "
            "its entries",
            id="a variable of a shell",
        ),
        pytest.param(
            {"noProxy": "a,https:"},
            "spec.noProxy: an entry must not end with a colon: write a host name, a domain, an address or a CIDR",
            id="a scheme without a host",
        ),
        pytest.param(
            {"noProxy": ["a..b"]},
            'spec.noProxy[0]: entry "a..b" must not hold two dots in a row: no host has such a name',
            id="an empty label",
        ),
        pytest.param(
            {"noProxyPolicy": {"extra": "10.0.0.0/33"}},
            'spec.noProxyPolicy.extra: entry "10.0.0.0/33" must be a whole address or CIDR, such as "10.1.2.0/24"',
            id="a prefix that is too long in what is added",
        ),
        pytest.param({"selector": []}, "spec.selector: must be a mapping", id="a list for the selector"),
        pytest.param(
            {"selector": {"include": {}}}, "spec.selector.include: must be a list", id="a matcher without list"
        ),
        pytest.param(
            {"selector": {"exclude": [{}]}},
            "spec.selector.exclude[0]: must not be empty: leave it out",
            id="a matcher that would fit everything",
        ),
        pytest.param(
            {"selector": {"include": [{"names": []}]}},
            "spec.selector.include[0].names: must not be empty: leave it out",
            id="names that fit nothing",
        ),
        pytest.param(
            {"selector": {"include": [{"labels": {"tier": 1}}]}},
            "spec.selector.include[0].labels.tier: must be a string: quote it",
            id="a number for a label",
        ),
        pytest.param(
            {"targets": {"kubeletDropIn": {"permissions": 416}}},
            "spec.targets.kubeletDropIn.permissions: must be a string: quote it",
            id="an unquoted 0640 has become a number",
        ),
        pytest.param(
            {"targets": {"kubeletDropIn": {"permissions": "0648"}}},
            f"spec.targets.kubeletDropIn.permissions: {NOT_OCTAL}",
            id="permissions that are not octal",
        ),
        pytest.param(
            {"targets": {"kubeletDropIn": {"permissions": "0640\n"}}},
            f"spec.targets.kubeletDropIn.permissions: {NOT_OCTAL}",
            id="a line break behind the permissions",
        ),
        pytest.param(
            {"targets": {"kubeletDropIn": {"owner": "root root"}}},
            'spec.targets.kubeletDropIn.owner: must be a user, or a user and a group, such as "root:root"',
            id="an owner with a blank",
        ),
        pytest.param(
            {"targets": {"containerdDropIn": {"owner": "r" * 257}}},
            "spec.targets.containerdDropIn.owner: must not be longer than 256 characters",
            id="an owner that is too long",
        ),
        pytest.param(
            {"targets": {"kubeadmCommands": {"restart": "no"}}},
            "spec.targets.kubeadmCommands.restart: must be `true` or `false`, without quotes",
            id="a text for a boolean",
        ),
        pytest.param(
            {"targets": {"kubeletDropIn": {"path": DROP_IN}}},
            "spec.targets.kubeletDropIn.path: must not be the `path` of `containerdDropIn`: one file, one unit",
            id="two drop-ins in one file",
        ),
    ],
)
def test_one_mistake_is_one_line(spec: dict[str, Any], reported: str) -> None:
    assert problems(proxy_config(**{"httpsProxy": PROXY, **spec})) == [reported]


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param({}, id="an empty spec"),
        pytest.param({"mode": "Inject"}, id="Inject"),
        pytest.param({"mode": "Check", "noProxy": ["a"]}, id="Check with a list"),
        pytest.param({"httpProxy": "", "httpsProxy": None}, id="URLs that are empty"),
        pytest.param({"overrides": []}, id="no override"),
        pytest.param({"overrides": [{"match": {"clusters": ["a"]}, "httpProxy": ""}]}, id="an override without one"),
    ],
)
def test_inject_and_check_need_a_proxy(spec: dict[str, Any]) -> None:
    assert problems(proxy_config(**spec)) == [f"spec: {NO_PROXY_AT_ALL}"]


def test_all_problems_are_reported_at_once() -> None:
    reported = problems(
        proxy_config(httpProxy="x", httpsProxy=1, noProxi=1, mode="x", noProxy=[1, "a b"], targets={"certManager": 1})
    )
    fields = [problem.partition(":")[0] for problem in reported]
    assert fields == [
        "spec.httpProxy",
        "spec.httpsProxy",
        "spec.mode",
        "spec.noProxi",
        "spec.noProxy[0]",
        "spec.noProxy[1]",
        "spec.targets.certManager",
    ]


@pytest.mark.parametrize("is_archive", [False, True], ids=["a folder", "an archive"])
def test_an_installation_without_the_schema_says_so(tmp_path: Path, is_archive: bool) -> None:
    shutil.copytree(ROOT / "krm_fn", tmp_path / "made" / "krm_fn", ignore=shutil.ignore_patterns("__pycache__"))
    place = tmp_path / "made"
    if is_archive:
        place = Path(shutil.make_archive(str(tmp_path / "package"), "zip", place))
    done = run([sys.executable, "-m", "krm_fn", "schema"], cwd=tmp_path, env={"PYTHONPATH": str(place)})
    assert done.returncode == 3
    assert b"is missing from this installation: install `inject-proxy` again" in done.stderr
