"""The lint of what objects say: which rule speaks about which place, how loud, and how often."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import pytest

from krm_fn.places.reading import Reading
from krm_fn.krm.results import Finding, Result, Severity
from krm_fn.lint import values as rules_of
from krm_fn.lint.levels import THE_TABLE, Rules, levelled
from krm_fn.lint.objects import Listing, lint_object, lint_settings, places
from krm_fn.lint.values import RULES, Problem
from krm_fn.noproxy import Audience, Policy
from krm_fn.clusters import ClusterNetwork, Fact
from krm_fn.noproxy.composition import compose, join
from krm_fn.settings import PROXY_VARIABLES, ProxySettings
from krm_fn.targets import TARGETS

PROXY = "http://proxy.corp.example:3128"
NETWORK = ClusterNetwork(
    pod_cidrs=(Fact("192.168.0.0/16"),),
    service_cidrs=(Fact("10.96.0.0/12"),),
    service_domain=(Fact("cluster.local"),),
    endpoint=(Fact("203.0.113.7"),),
    infrastructure=(Fact("AWSCluster"),),
)
NODE, POD = Audience.NODE, Audience.POD
KUBEADM_CONFIG = {"apiVersion": "bootstrap.cluster.x-k8s.io/v1beta1", "kind": "KubeadmConfig"}
FILE = "/etc/systemd/system/containerd.service.d/http-proxy.conf"


def good(audience: Audience = NODE, *networks: ClusterNetwork) -> str:
    """A list with which no rule finds anything."""
    return join(compose((), networks or (NETWORK,), Policy(), audience))


def seen(values: dict[str, str | None], place: str = "a place", **more: Any) -> list[Reading]:
    why = more.pop("why_unknown", "it is somewhere else")
    return [
        Reading(name, value, ("spec", place, name), value or "", place, why if value is None else "", **more)
        for name, value in values.items()
    ]


def both(http: str | None = PROXY, no: str | None = "") -> dict[str, str | None]:
    """Both cases of one URL and of the list."""
    return {"HTTP_PROXY": http, "http_proxy": http, "NO_PROXY": no, "no_proxy": no}


def drop_in(line: str, **more: Any) -> list[Reading]:
    """What the target sees in a drop-in with one line, however systemd reads it."""
    entry = {"path": FILE, "content": f"[Service]\n{line}\n", **more}
    obj = {**KUBEADM_CONFIG, "spec": {"files": [entry]}}
    return list(TARGETS["containerdDropIn"].read(obj, {}))


def lint(what: Iterable[Reading], audience: Audience = NODE, **more: Any) -> list[Finding]:
    keys = ("networks", "max_length")
    listing = Listing(audience, **{key: more.pop(key) for key in keys if key in more})
    found = list(lint_object(what, listing, **more))
    assert all(re.fullmatch(r"NP0\d\d", finding.code) and finding.message.strip() for finding in found)
    assert not any("\n" in finding.message or finding.message.startswith("NP0") for finding in found)
    return found


def ids(found: Iterable[Finding]) -> list[str]:
    return [finding.code for finding in found]


def settings_findings(variables: dict[str, str], rules: Rules = THE_TABLE) -> list[Finding]:
    return [one.finding for one in lint_settings(variables, Listing(NODE), rules)]


# what must be left alone


@pytest.mark.parametrize("audience", [NODE, POD])
@pytest.mark.parametrize(
    "values",
    [
        pytest.param({}, id="nothing at all"),
        pytest.param(ProxySettings(PROXY, PROXY, "x").variables(), id="all six"),
        pytest.param(ProxySettings("", PROXY, "x").variables(), id="only one URL"),
        pytest.param(dict.fromkeys(PROXY_VARIABLES, ""), id="six empty ones, which mean no proxy"),
        pytest.param(dict.fromkeys(PROXY_VARIABLES), id="six that are not known here"),
        pytest.param({**both(), "NO_PROXY": None, "no_proxy": None}, id="a list that is not known here"),
    ],
)
def test_a_place_that_is_right_has_no_findings(values: dict[str, str | None], audience: Audience) -> None:
    values = {name: good(audience) if value == "x" else value for name, value in values.items()}
    assert lint(seen(values), audience, networks=(NETWORK,)) == []


@pytest.mark.parametrize("name", TARGETS)
def test_what_every_target_writes_has_no_findings(name: str) -> None:
    target = TARGETS[name]
    proxy = ProxySettings(PROXY, PROXY, good(target.audience))
    what = seen(dict(proxy.variables()), file=FILE, permissions="0640") if target.audience is NODE else []
    assert lint([*what, *seen(dict(proxy.variables()), "b")], target.audience, networks=(NETWORK,)) == []


# one place


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        pytest.param(both(no=""), ["NP002"], id="an empty list beside a proxy"),
        pytest.param({"HTTP_PROXY": PROXY, "http_proxy": PROXY}, ["NP002"], id="no list beside a proxy"),
        pytest.param({"HTTP_PROXY": None, "http_proxy": None}, ["NP002"], id="no list beside one that is not known"),
        pytest.param({"NO_PROXY": "x", "no_proxy": "x"}, [], id="a list without a proxy"),
        pytest.param({**both(no="x"), "http_proxy": "http://other:1"}, ["NP007"], id="two cases, two values"),
        pytest.param({**both(no="x"), "http_proxy": ""}, ["NP007"], id="one of two is empty"),
        pytest.param({**both(no="x"), "http_proxy": None}, [], id="one of two is not known"),
        pytest.param({"HTTP_PROXY": PROXY, "NO_PROXY": "x"}, ["NP008", "NP008"], id="upper case only"),
        pytest.param({"http_proxy": None, "NO_PROXY": "x", "no_proxy": "x"}, ["NP008"], id="lower case only"),
        pytest.param(both("proxy:3128", "x"), ["NP006"], id="a proxy without a scheme"),
        pytest.param(both("https://proxy:3128", "x"), ["NP032"], id="a proxy behind TLS"),
        pytest.param(both("http://u:p@proxy:3128", "x"), ["NP033"], id="a password in clear text"),
        pytest.param(both("http://u:p^w@proxy:3128", "x"), ["NP005", "NP033"], id="a password not encoded"),
        pytest.param(both("http://x:3128", "x"), ["NP028"], id="the proxy in its own list"),
    ],
)
def test_what_one_place_says(values: dict[str, str | None], expected: list[str]) -> None:
    values = {name: f"localhost,127.0.0.1,{value}" if value == "x" else value for name, value in values.items()}
    assert ids(lint(seen(values))) == expected


def test_a_finding_names_the_variables_the_place_and_the_field() -> None:
    (finding,) = lint(seen(both(no="")))
    assert finding.message.endswith(" (`HTTP_PROXY`, `http_proxy` of a place)")
    assert finding.path == ("spec", "a place", "HTTP_PROXY")
    assert finding.severity is RULES["NP002"].severity is Severity.ERROR


def test_no_finding_holds_a_credential() -> None:
    values = {**both("http://geheim:secret^@proxy:1", "http://geheim:secret@x"), "http_proxy": "http://other:secret@p"}
    for finding in lint(seen(values, file=FILE, permissions="0644")):
        assert "secret" not in finding.message
        assert "geheim" not in finding.message


# lists


@pytest.mark.parametrize(
    ("networks", "expected"),
    [
        pytest.param((), [], id="no cluster"),
        pytest.param((NETWORK,), [], id="its cluster"),
        pytest.param(
            (NETWORK._replace(service_cidrs=(Fact("172.20.0.0/16"),)),), ["NP003", "NP004"], id="another CIDR"
        ),
        pytest.param((NETWORK, NETWORK._replace(endpoint=(Fact("203.0.113.8"),))), ["NP003"], id="one of two clusters"),
        pytest.param((NETWORK._replace(endpoint=(Fact("203.0.113.8"),)), NETWORK), ["NP003"], id="the first of two"),
        pytest.param((NETWORK._replace(infrastructure=(Fact("GCPCluster"),)),), ["NP023"] * 3, id="another cloud"),
    ],
)
def test_a_list_must_do_for_every_cluster(networks: tuple[ClusterNetwork, ...], expected: list[str]) -> None:
    assert ids(lint(seen(both(no=good())), networks=networks)) == expected


def test_what_is_right_for_one_cluster_is_not_reported_for_another() -> None:
    domains = tuple(NETWORK._replace(service_domain=(Fact(domain),)) for domain in ("one.internal", "two.internal"))
    assert lint(seen(both(no=good(NODE, *domains))), networks=domains) == []


def test_the_two_cases_of_a_list_are_reported_once_and_two_places_once() -> None:
    (finding,) = lint([*seen(both(no=f"{good()},10.0.0.0/33")), *seen(both(no=f"{good()},10.0.0.0/33"), "b")])
    assert finding.message.endswith(" (`NO_PROXY`, `no_proxy` of a place and 1 more)")
    assert ids([finding]) == ["NP015"]


def test_who_reads_the_list_decides() -> None:
    what = seen(both(no=f"{good()},fd00::/8"))
    assert ids(lint(what, NODE)) == []
    assert ids(lint(what, POD)) == ["NP019"]


def test_the_static_part_of_a_list_is_judged_by_its_entries_alone() -> None:
    lists = seen({"NO_PROXY": None, "no_proxy": None}, known="10.0.0.0/33,.corp.example")
    found = lint([*seen({"HTTP_PROXY": PROXY, "http_proxy": PROXY}), *lists], networks=(NETWORK,))
    assert ids(found) == ["NP015"]


def test_the_longest_list_can_be_set() -> None:
    what = seen(both(no=good()))
    assert ids(lint(what, max_length=len(good()) - 1)) == ["NP026"]
    assert ids(lint(what, max_length=len(good()))) == []


# layers and files


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        pytest.param('Environment="NO_PROXY=a%%b" "no_proxy=a%%b"', ["NP018"], id="doubled"),
        pytest.param('Environment="NO_PROXY=a" "no_proxy=a" "FOO=%h"', [], id="a specifier of another variable"),
        pytest.param('Environment=NO_PROXY=a no_proxy=a "FOO=\\q"', [], id="a broken assignment of another"),
        pytest.param('Environment="NO_PROXY=p%40" "no_proxy=p%40"', ["NP001", "NP001"], id="a single percent"),
        pytest.param('Environment="NO_PROXY=a\\q" no_proxy=a', ["NP009"], id="an unknown escape"),
        pytest.param('Environment=no_proxy=a "NO_PROXY=a', ["NP009"], id="an open quote"),
        pytest.param("Environment=no_proxy=a, NO_PROXY=a, b", ["NP009", "NP027"], id="a blank without quotes"),
    ],
)
def test_what_systemd_makes_of_a_line(line: str, expected: list[str]) -> None:
    found = lint(drop_in(line))
    assert sorted(set(ids(found))) == sorted(set(expected))
    assert all("NO_PROXY" in finding.message or "no_proxy" in finding.message for finding in found)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        pytest.param("export NO_PROXY='a' no_proxy=\"a\"", [], id="quoted"),
        pytest.param("export NO_PROXY=$X no_proxy=$X", [], id="a reference"),
        pytest.param("export NO_PROXY=*.a no_proxy='*.a'", ["NP009"], id="a glob"),
        pytest.param('export HTTP_PROXY="http://u:a$b@p" NO_PROXY=a no_proxy=a', ["NP008", "NP009"], id="a password"),
    ],
)
def test_what_the_shell_makes_of_a_command(command: str, expected: list[str]) -> None:
    obj = {
        "apiVersion": "bootstrap.cluster.x-k8s.io/v1beta1",
        "kind": "KubeadmConfig",
        "spec": {"preKubeadmCommands": [command]},
    }
    found = ids(lint(TARGETS["kubeadmCommands"].read(obj, {})))
    assert sorted(set(found) & {"NP001", "NP008", "NP009"}) == expected


@pytest.mark.parametrize(
    ("url", "file", "permissions", "speaks"),
    [
        pytest.param("http://u:p@proxy:1", FILE, "0640", False, id="nobody else may read it"),
        pytest.param("http://u:p@proxy:1", FILE, "0600", False, id="only its owner may"),
        pytest.param(PROXY, FILE, "0644", False, id="there is nothing to hide"),
        pytest.param("http://u:p@proxy:1", "", "", False, id="no file"),
        pytest.param("http://u:p@proxy:1", FILE, "0644", True, id="everybody may read it"),
        pytest.param("http://u:p@proxy:1", FILE, "", True, id="the default lets everybody"),
    ],
)
def test_a_file_with_a_password_must_not_be_read_by_all(url: str, file: str, permissions: str, speaks: bool) -> None:
    found = lint(seen(both(url, good()), file=file, permissions=permissions))
    assert ("NP030" in ids(found)) is speaks


@pytest.mark.parametrize(
    ("file", "remedy"),
    [
        pytest.param(FILE, 'write "0640" or "0600"', id="of a service"),
        pytest.param("/etc/environment", "write a proxy without a password", id="of the programs of every user"),
    ],
)
def test_the_remedy_for_a_password_is_one_that_the_readers_of_the_file_can_live_with(file: str, remedy: str) -> None:
    found = lint(seen(both("http://u:p@proxy:1", good()), file=file, permissions="0644"))
    assert [remedy in one.message for one in found if one.code == "NP030"] == [True]


@pytest.mark.parametrize(
    ("form", "permissions", "speaks"),
    [
        pytest.param("cloud-config", "640", False, id="cloud-init reads an octal number"),
        pytest.param("ignition", "0640", False, id="a 0 in front"),
        pytest.param("cloud-config", "", False, id="not given"),
        pytest.param("ignition", "", True, id="not given, which Cluster API takes for an error"),
        pytest.param("ignition", "640", True, id="a decimal number, without a password in the file"),
    ],
)
@pytest.mark.parametrize(
    "source", [{"content": "[Service]\nEnvironment=NO_PROXY=a\n"}, {"contentFrom": {"secret": {}}}]
)
def test_ignition_wants_permissions_with_a_0_in_front(
    form: str, permissions: str, speaks: bool, source: dict[str, Any]
) -> None:
    spec = {"format": form, "files": [{"path": FILE, "permissions": permissions, **source}]}
    found = lint(TARGETS["containerdDropIn"].read({**KUBEADM_CONFIG, "spec": spec}, {}))
    assert [one.message.count('write "0640"') for one in found if one.code == "NP030"] == [1] * speaks


def test_one_file_must_have_one_writer() -> None:
    values = dict(both(no=good()))
    twice = [*seen(values, "first", file=FILE), *seen(values, "second", file=FILE)]
    (finding,) = lint([*twice, *seen(values, "third", file="/other"), *seen(values, "fourth")])
    assert ids([finding]) == ["NP031"]
    assert "not first and second" in finding.message


# how loud


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        pytest.param(Rules(), [Severity.ERROR, Severity.INFO], id="the table decides"),
        pytest.param(Rules(at_most=Severity.WARNING), [Severity.WARNING, Severity.INFO], id="errors are tuned down"),
        pytest.param(Rules({"NP015": None}), [Severity.INFO], id="one is off"),
        pytest.param(Rules({"NP015": None, "NP027": None}), [], id="both are off"),
        pytest.param(Rules({"NP027": Severity.ERROR}, Severity.WARNING), [Severity.WARNING, Severity.ERROR], id="up"),
        pytest.param(Rules({"NP015": Severity.INFO}), [Severity.INFO, Severity.INFO], id="down"),
    ],
)
def test_the_user_decides_how_loud_a_rule_is(rules: Rules, expected: list[Severity]) -> None:
    what = seen(both(no=f"{good()},10.0.0.0/33,localhost"))
    assert [finding.severity for finding in lint(what, rules=rules)] == expected


def test_places_are_distinguished_by_their_name_and_the_last_of_a_variable_counts() -> None:
    first, second = places([*seen({"NO_PROXY": "a"}), *seen({"NO_PROXY": "b"}, "b"), *seen({"NO_PROXY": "c"})])
    assert (first["NO_PROXY"].value, second["NO_PROXY"].value) == ("c", "b")


def test_the_same_list_in_many_objects_is_judged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[str] = []
    lint_list = rules_of.lint_list

    def counted(value: str, **more: Any) -> list[Problem]:
        judged.append(value)
        return lint_list(value, **more)

    monkeypatch.setattr(rules_of, "lint_list", counted)
    what = seen(both(no=f"{good()},judged-once.example.com"))
    for _ in range(100):
        lint(what, networks=(NETWORK,))
    assert len(judged) == 1


# what is to be written in many places


def test_what_is_settled_is_judged_once_and_not_in_each_place() -> None:
    variables = ProxySettings(PROXY, "", "a b").variables()

    assert [rule for rule in ids(settings_findings(variables)) if rule != "NP035"] == ids(lint(seen(dict(variables))))
    assert lint(seen(dict(variables)), settled=variables) == []


def test_the_place_of_what_is_settled_is_judged_all_the_same() -> None:
    variables = ProxySettings("http://u:p@proxy:3128", "", good()).variables()

    assert ids(lint(seen(dict(variables), file=FILE, permissions="0644"), settled=variables)) == ["NP030"]
    assert ids(lint(seen({"HTTP_PROXY": PROXY}), settled={"HTTP_PROXY": PROXY})) == ["NP008", "NP002"]


def test_another_value_than_the_settled_one_is_judged_where_it_stands() -> None:
    assert "NP010" in ids(lint(seen(both(no="a b")), settled={"NO_PROXY": "a"}))


def test_rules_that_are_off_or_louder_count_for_settings_too() -> None:
    variables = ProxySettings(PROXY, "", "a b").variables()

    assert list(lint_settings({}, Listing(NODE))) == []
    (loud,) = [one for one in settings_findings(variables, Rules({"NP010": Severity.ERROR})) if one.code == "NP010"]
    assert loud.severity is Severity.ERROR
    assert "NP010" not in ids(settings_findings(variables, Rules({"NP010": None})))


@pytest.mark.parametrize("rule", ["NP003", "NP024"])
def test_what_a_composed_list_lacks_is_the_policy_s_doing_and_an_information(rule: str) -> None:
    variables = ProxySettings(PROXY, PROXY, "a").variables()
    listing = Listing(NODE, (NETWORK,))

    found = [one.finding for one in lint_settings(variables, listing) if one.finding.code == rule]
    assert {one.severity for one in found} == {Severity.INFO}
    rules = Rules({rule: Severity.WARNING})
    louder = [one.finding for one in lint_settings(variables, listing, rules) if one.finding.code == rule]
    assert {one.severity for one in louder} == {Severity.WARNING}


def test_a_domain_that_the_style_does_not_complete_is_an_information() -> None:
    variables = ProxySettings(PROXY, PROXY, "localhost,127.0.0.1,corp.example").variables()

    for completes, severity in ((True, Severity.WARNING), (False, Severity.INFO)):
        (found,) = lint_settings(variables, Listing(NODE), completes=completes)
        assert (found.finding.code, found.finding.severity, found.entry) == ("NP011", severity, "corp.example")


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        pytest.param(None, [], id="off"),
        pytest.param(Severity.ERROR, [Severity.ERROR], id="louder"),
    ],
)
def test_results_with_a_code_have_the_severity_that_is_asked_for(
    level: Severity | None, expected: list[Severity]
) -> None:
    result = Result(Severity.WARNING, "text", code="NP039")
    other = Result(Severity.WARNING, "text")

    found = list(levelled([result, other], Rules({"NP039": level})))
    assert [one.severity for one in found[:-1]] == expected
    assert found[-1] is other


def test_what_any_of_many_clusters_lacks_is_reported() -> None:
    many = tuple(NETWORK._replace(endpoint=(Fact(f"203.0.113.{number}"),)) for number in range(1, 40))
    without_the_last = good(NODE, *many[:-1])

    assert lint(seen(both(no=good(NODE, *many))), networks=many) == []
    assert ids(lint(seen(both(no=without_the_last)), networks=many)) == ["NP003"]
