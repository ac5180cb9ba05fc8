"""Which warnings a run prints: none that the chosen style causes itself, and each fact once."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from contract_lists import CONFIG, PROXY, SETTINGS, WORKERS, resource_list
from krm_fn.krm.codes import CODES
from krm_fn.krm.results import ObjectRef, Result, Severity, lines
from krm_fn.lint.manifests import audit
from krm_fn.lint.values import RULES
from krm_fn.patch import field_path
from krm_fn.pipeline import Outcome, run
from stories import TESTDATA, name_of
from support import inject_proxy

OF_THE_STYLE = {"NP003", "NP004", "NP011", "NP019", "NP020", "NP023", "NP024", "NP027", "NP029"}
STYLED = re.compile(r"style: (GiantSwarm|TKG|Verbatim|Sorted)\b")
STORIES = [path.parent for path in sorted(TESTDATA.rglob("input.yaml")) if STYLED.search(path.read_text())]


def ran(*items: str, config: str = CONFIG) -> Outcome:
    return run(resource_list(*items, config=config).encode())


def warnings(outcome: Outcome) -> list[Result]:
    return [result for result in outcome.results if result.severity is Severity.WARNING]


@pytest.mark.parametrize("story", STORIES, ids=name_of)
def test_a_style_prints_no_warning_that_it_causes_itself(story: Path) -> None:
    outcome = run((story / "input.yaml").read_bytes())
    assert [result.line() for result in warnings(outcome) if result.code in OF_THE_STYLE] == []


def cluster(pods: str) -> str:
    return (
        "apiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\nmetadata: {name: prod, namespace: org-acme}\n"
        f"spec: {{clusterNetwork: {{pods: {{cidrBlocks: ['{pods}']}}}}}}\n"
    )


def workers(name: str, more: str = "") -> str:
    labelled = f"  labels: {{cluster.x-k8s.io/cluster-name: prod}}\n  name: {name} #"
    return WORKERS.replace("  name: workers #", labelled) + more


STYLE = "  noProxyPolicy: {style: GiantSwarm}\n"


@pytest.mark.parametrize(
    ("pods", "rule"),
    [
        pytest.param("192.168.7.1/16", "NP016", id="bits behind the prefix"),
        pytest.param("172.0.0.0/8", "NP025", id="public addresses"),
    ],
)
def test_a_finding_about_a_cidr_of_a_cluster_is_about_the_cluster(pods: str, rule: str) -> None:
    (found,) = [
        result for result in ran(cluster(pods), workers("a"), config=CONFIG + STYLE).results if result.code == rule
    ]
    assert (found.ref.kind, found.ref.name) == ("Cluster", "prod")
    assert found.path == ("spec", "clusterNetwork", "pods", "cidrBlocks", "0")


def test_what_nobody_says_about_a_cluster_is_one_warning_with_the_number_of_other_objects() -> None:
    found = [one for one in ran(cluster("10.0.0.0/8"), *map(workers, "abcd")).results if one.code == "NP038"]
    assert [(one.severity, one.ref.name) for one in found] == [(Severity.WARNING, "a")]
    assert "(also true of 3 more objects)" in found[0].message


@pytest.mark.parametrize(
    ("others", "also"),
    [
        pytest.param("", "", id="one Cluster"),
        pytest.param("b", "(also true of `Cluster/org-acme/prod-b`, and of 1 more object)", id="two"),
        pytest.param(
            "bcdef",
            "(also true of `Cluster/org-acme/prod-b`, `Cluster/org-acme/prod-c` and 3 more Clusters, "
            "and of 5 more objects)",
            id="many",
        ),
    ],
)
def test_what_nobody_says_about_many_clusters_is_one_warning(others: str, also: str) -> None:
    items = [cluster("10.0.0.0/8"), workers("a")]
    for name in others:
        items += [text.replace(": prod", f": prod-{name}") for text in (cluster("10.0.0.0/8"), workers(name))]
    (said,) = [one for one in ran(*items).results if one.code == "NP038"]
    assert "of `Cluster/org-acme/prod`," in said.message
    assert said.message.endswith(also or "what is not needed")
    assert len(said.clusters) == len(others) + 1


IN_CLUSTER = "`Cluster/org-acme/prod` `spec.clusterNetwork.pods.cidrBlocks"


@pytest.mark.parametrize(
    ("pods", "says"),
    [
        pytest.param("['10.0.0.0']", f"{IN_CLUSTER}[0]` holds no valid value, so nothing says ", id="no prefix"),
        pytest.param("[10.0.0.0/33, 7]", f"{IN_CLUSTER}[0]` and {IN_CLUSTER}[1]` hold no valid value", id="two"),
        pytest.param("10.0.0.0/8", f"{IN_CLUSTER}` holds no valid value", id="a text for a list"),
        pytest.param("['0.0.0.0/0']", "", id="every address"),
        pytest.param("['{{ .pods }}']", "", id="a template"),
        pytest.param("[]", "", id="nothing"),
    ],
)
def test_an_invalid_value_of_a_cluster_is_named(pods: str, says: str) -> None:
    invalid = cluster("X").replace("['X']", pods)
    (message,) = [one.message for one in ran(invalid, workers("a")).results if one.code == "NP038"]
    assert "`podCIDRs` of `Cluster/org-acme/prod`" in message
    assert message.startswith(says or "nothing says")
    assert ("correct what is invalid, or set " in message) == bool(says)


@pytest.mark.parametrize(
    ("pods", "path"),
    [
        pytest.param("[10.0.0.0/8, 10.x.0.0/16]", "[1]", id="an entry of a list"),
        pytest.param("['10.0.0.0/8, 192.168.0.0/33']", "[0]", id="a part of a text"),
        pytest.param("[10.0.0.0/8, 0.0.0.0/0, '', '${POD_CIDR}', '{{ .pods }}', 'fd00:1::/48']", "", id="nothing"),
    ],
)
def test_an_invalid_cidr_beside_valid_ones_is_one_warning_about_its_cluster(pods: str, path: str) -> None:
    found = [
        one
        for one in ran(cluster("X").replace("['X']", pods), *map(workers, "ab")).results
        if one.code == "ClusterFieldInvalid"
    ]
    assert [(one.severity, one.ref.kind, field_path(one.path)) for one in found] == (
        [(Severity.WARNING, "Cluster", f"spec.clusterNetwork.pods.cidrBlocks{path}")] if path else []
    )


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        pytest.param("  clusterDefaults: {podCIDRs: [10.0.0.0/8]}\n", ["ClusterFieldInvalid"], id="clusterDefaults"),
        pytest.param("", ["NP038"], id="nobody"),
        pytest.param("  noProxyPolicy: {derive: {podCIDRs: false}}\n", [], id="not needed"),
        pytest.param('  lint: {rules: {NP038: "Off"}}\n', ["ClusterFieldInvalid"], id="NP038 is off"),
    ],
)
def test_an_invalid_field_is_named_once_whoever_says_the_fact(more: str, expected: list[str]) -> None:
    results = ran(cluster("10.x"), workers("a"), config=CONFIG + more).results
    about = [one.code for one in results if "cidrBlocks[0]" in f"{one.message} {field_path(one.path)}"]
    assert about == expected


@pytest.mark.parametrize("rule", ["NP038", "NP039", "NP040"])
@pytest.mark.parametrize(("level", "severity"), [("Off", None), ("Info", Severity.INFO), ("Error", Severity.ERROR)])
def test_each_finding_with_an_id_is_silenced_or_louder_by_that_name(
    rule: str, level: str, severity: Severity | None
) -> None:
    namesake = cluster("10.0.0.0/8").replace("namespace: org-acme", "namespace: org-other")
    homeless = workers("b").replace("  namespace: org-acme\n", "")
    items = [cluster("10.0.0.0/8"), RIVAL, namesake, homeless]
    before = [result for result in ran(*items).results if result.code == rule]
    after = ran(*items, config=f'{CONFIG}  lint: {{rules: {{{rule}: "{level}"}}}}\n').results
    assert {result.severity for result in before} >= {Severity.WARNING}
    found = {result.severity for result in after if result.code == rule} - ({Severity.INFO} if severity else set())
    assert found <= ({severity} if severity else set())
    assert (severity is Severity.ERROR) == any(result.severity is Severity.ERROR for result in after)


RIVAL = WORKERS.replace("  name: workers #", "  name: prod-md-0 #").replace(
    "      files:\n",
    "      files:\n      - path: /etc/systemd/system/containerd.service.d/zz.conf\n"
    '        content: "[Service]\\nEnvironment=HTTP_PROXY=http://other.acme.example:1\\n"\n',
)


def test_each_id_that_results_hold_is_a_rule_of_the_table() -> None:
    stories = [story for story in STORIES if story.parent.name == "systems"]
    found = [result for story in stories for result in run((story / "input.yaml").read_bytes()).results]
    assert {result.code for result in found if result.code} <= {*RULES, *CODES}
    for result in found:
        assert result.to_data()["message"].startswith(f"{result.code}: ") == bool(result.code)
        assert result.to_data().get("tags", {}).get("rule", "") == result.code


# failing on warnings


FAIL_ON_WARNING = CONFIG + "  failOn: Warning\n"


def test_a_warning_fails_the_run_where_that_is_asked_for_and_nothing_is_lost() -> None:
    plain, failing = ran(workers("a")), ran(workers("a"), config=FAIL_ON_WARNING)
    assert warnings(plain)
    assert (plain.exit_code, failing.exit_code) == (0, 1)
    assert failing.output == plain.output.replace(CONFIG.encode(), FAIL_ON_WARNING.encode()).replace(
        indented(CONFIG), indented(FAIL_ON_WARNING)
    )
    assert failing.results == plain.results


def indented(text: str) -> bytes:
    return "".join(f"  {line}\n" for line in text.splitlines()).encode()


def test_without_a_warning_nothing_fails() -> None:
    assert ran(SETTINGS, config=FAIL_ON_WARNING).exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "config", "code"),
    [
        pytest.param([], CONFIG, 0, id="a warning fails nothing"),
        pytest.param(["--fail-on", "warning"], CONFIG, 1, id="unless it is asked for"),
        pytest.param(["--fail-on=Warning", "--verbose"], CONFIG, 1, id="in one word"),
        pytest.param([], FAIL_ON_WARNING, 1, id="in the FunctionConfig"),
        pytest.param(["--fail-on=error"], FAIL_ON_WARNING, 0, id="the command line counts in its place"),
    ],
)
def test_the_exit_code_follows_the_least_severity_that_fails(arguments: list[str], config: str, code: int) -> None:
    done = inject_proxy(resource_list(WORKERS, config=config), *arguments)
    assert done.returncode == code
    assert PROXY.encode() in done.stdout.partition(b"functionConfig")[0]
    assert (b"failed because of the warnings" in done.stderr) == bool(code)


@pytest.mark.parametrize("arguments", [["--fail-on"], ["--fail-on", "info"], ["--fail-on=never"]])
def test_another_severity_is_wrong_usage(arguments: list[str]) -> None:
    done = inject_proxy(resource_list(WORKERS), *arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"must be followed by error or warning" in done.stderr


# summaries


def about(name: str, *fields: str) -> list[Result]:
    ref = ObjectRef("v1", "ConfigMap", name)
    return [Result(Severity.WARNING, "the same", ref, (field,)) for field in fields]


@pytest.mark.parametrize(
    ("results", "end"),
    [
        pytest.param(about("a", *"wxyz"), "(and 3 more places in it, `--verbose` names them)", id="one object"),
        pytest.param([*about("a", *"xyz"), *about("b", "x")], "(and 1 more object, ", id="two objects"),
        pytest.param([one for name in "abcd" for one in about(name, "x")], "(and 3 more objects, ", id="four objects"),
    ],
)
def test_places_of_one_object_are_not_counted_as_objects(results: list[Result], end: str) -> None:
    (line,) = lines(results)
    assert end in line


@pytest.mark.parametrize("how", ["command line", "FunctionConfig"])
def test_the_last_line_says_who_discards_the_list(how: str) -> None:
    arguments = ["--fail-on", "warning"] if how == "command line" else []
    config = CONFIG if arguments else FAIL_ON_WARNING
    done = inject_proxy(resource_list(WORKERS, config=config), *arguments)
    last = done.stderr.decode().splitlines()[-1]
    assert "standard output holds the list with all changes" in last
    assert "kustomize and kpt discard the output of a function that fails" in last


# one line for one thing


def command_list(*commands: str) -> str:
    listed = "".join(f"      - {command}\n" for command in commands)
    return WORKERS.partition("      preKubeadmCommands:\n")[0] + f"      preKubeadmCommands:\n{listed}"


@pytest.mark.parametrize(
    ("commands", "words"),
    [
        pytest.param(["apt-get update", "unset HTTP_PROXY"], "unsets `HTTP_PROXY` behind", id="the upper of two"),
        pytest.param(["apt-get update", "unset no_proxy"], "unsets `no_proxy` behind", id="the list in lower case"),
        pytest.param(["apt-get update", "export -n https_proxy"], "unsets `https_proxy`", id="taken out by export"),
    ],
)
def test_a_command_that_unsets_what_is_exported_is_one_warning(commands: list[str], words: str) -> None:
    found = [one for one in ran(command_list(*commands)).results if one.target == "kubeadmCommands"]
    assert [one.severity for one in found if one.severity is not Severity.INFO] == [Severity.WARNING]
    assert [one for one in found if words in one.message]
    assert [one for one in found if one.code == "NP008"] == []


def test_lint_says_of_an_exported_variable_that_a_later_command_unsets_it() -> None:
    text = command_list("export HTTP_PROXY=http://p:1 http_proxy=http://p:1 no_proxy=a NO_PROXY=a", "unset HTTP_PROXY")
    (found,) = [one for one in audit({"a.yaml": text.encode()}).results if one.code == "NP008"]
    assert "a later command unsets `HTTP_PROXY` and leaves `http_proxy`" in found.message
    assert found.path[-1] == "1"
    both = text.replace("unset HTTP_PROXY", "unset HTTP_PROXY http_proxy")
    assert [one for one in audit({"a.yaml": both.encode()}).results if one.code == "NP008"] == []


CONTAINERS = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: cert-manager, namespace: cert-manager, labels: {app.kubernetes.io/name: cert-manager}}
spec:
  template:
    spec:
      containers:
      - name: cert-manager-controller
        image: quay.io/jetstack/cert-manager-controller:v1.16.0
        env:
        - {name: HTTP_PROXY, value: http://old:1}
"""


@pytest.mark.parametrize("item", [WORKERS, CONTAINERS, command_list("x", "export http_proxy=http://old:1")])
def test_check_finds_one_thing_in_each_place(item: str) -> None:
    found = ran(item, config=CONFIG.replace("spec:\n", "spec:\n  mode: Check\n")).results
    errors = [one for one in found if one.severity is Severity.ERROR]
    assert errors
    places = Counter((one.target, one.path[:-1] if one.path[-1].isdigit() else one.path) for one in errors)
    assert set(places.values()) == {1}
    assert all(one.message.count("not done") == 1 for one in errors)
    of_commands = [one for one in errors if one.target == "kubeadmCommands"]
    assert ["the proxy" in one.message for one in of_commands] in ([True], [])


POLICY = """\
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: add-proxies}
spec:
  rules:
  - name: add
    match: {any: [{resources: {kinds: [Pod]}}]}
    mutate:
      patchStrategicMerge:
        spec:
          containers:
          - (name): "*"
            env:
            - {name: HTTP_PROXY, value: ""}
            - {name: HTTPS_PROXY, value: ""}
            - {name: NO_PROXY, value: ""}
"""


def test_names_that_the_author_of_a_policy_left_out_are_one_information() -> None:
    outcome = ran(POLICY)
    assert outcome.changed == 1
    (found,) = [one for one in outcome.results if one.code == "NP008"]
    assert found.severity is Severity.INFO
    assert "`HTTP_PROXY`, `HTTPS_PROXY`, `NO_PROXY`" in found.message
    louder = ran(POLICY, config=f"{CONFIG}  lint: {{rules: {{NP008: Warning}}}}\n").results
    assert [one.severity for one in louder if one.code == "NP008"] == [Severity.WARNING]
