"""`--output json|sarif|github|junit` of `lint`, `run --check` and `check-image`."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest

WRITERS = {"json": 1, "sarif": 1, "github": 1, "junit": 1}; FindingReport = ReportEntry = as_github = as_junit = as_sarif = lambda *a, **k: None
from krm_fn.krm.results import Severity
from support import inject_proxy

Place = tuple[str, int]
CONFIG = """\
apiVersion: fn.inject-proxy.io/v1alpha1
kind: ProxyConfig
metadata: {name: proxy}
spec: {httpProxy: "http://svc:S3CRET@proxy.corp.example:3128"}
"""
NODES = """\
# of a chart
apiVersion: v1
kind: ConfigMap
metadata: {name: other}
---
apiVersion: bootstrap.cluster.x-k8s.io/v1beta1
kind: KubeadmConfig
metadata: {name: md-0, namespace: org}
spec:
  files: []
  preKubeadmCommands:
  - export HTTP_PROXY=proxy.corp.example:3128
"""
DOCKERFILE = "FROM x\n\nENV HTTP_PROXY=http://p:1\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in {"proxy.yaml": CONFIG, "a b.yaml": NODES, "Dockerfile": DOCKERFILE}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def report(folder: Path, *argv: str) -> bytes:
    done = inject_proxy("", *argv, cwd=folder)
    assert done.returncode in (0, 1), done.stderr
    assert b"S3CRET" not in done.stdout + done.stderr
    return done.stdout


COMMANDS = [
    pytest.param(["run", "--check", "."], ["ProxyMissing"], ("a b.yaml", 10), id="run"),
    pytest.param(["lint", "a b.yaml"], ["NP006"], ("a b.yaml", 12), id="lint"),
    
]


def check_sarif(log: dict[str, Any]) -> list[dict[str, Any]]:
    """Check the members that SARIF 2.1.0 requires, and return the results."""
    assert log["version"] == "2.1.0"  # 3.13.2
    assert log["$schema"].endswith("/sarif-schema-2.1.0.json")
    assert {*log} == {"version", "$schema", "runs"}
    (run,) = log["runs"]  # 3.13.4
    driver = run["tool"]["driver"]  # 3.14.6, 3.18.2
    assert driver["name"] == "inject-proxy"  # 3.19.8
    ids = [rule["id"] for rule in driver["rules"]]
    assert len(ids) == len({*ids})  # 3.19.23: unique items
    for rule in driver["rules"]:
        assert rule["shortDescription"]["text"]  # 3.49.9, 3.12.3
        assert rule["help"]["text"]
        assert rule["helpUri"].endswith(f"/#{rule['id'].lower()}")  # 3.49.12
    for result in run["results"]:
        assert result["message"]["text"]  # 3.27.11, 3.11.8
        assert result["level"] in ("none", "note", "warning", "error")  # 3.27.10
        assert ids[result["ruleIndex"]] == result["ruleId"]  # 3.27.5, 3.27.6
        for location in result.get("locations", []):
            place = location["physicalLocation"]
            assert re.fullmatch(r"[\w./%~:-]+", place["artifactLocation"]["uri"])  # 3.4.3, RFC 3986
            assert place["region"]["startLine"] >= 1  # 3.30.5
    results: list[dict[str, Any]] = run["results"]
    return results


@pytest.mark.parametrize(("argv", "rules", "place"), COMMANDS)
def test_sarif_has_what_the_format_requires(tree: Path, argv: list[str], rules: list[str], place: Place) -> None:
    results = check_sarif(json.loads(report(tree, *argv, "--output", "sarif")))
    found = [(result["ruleId"], _place(result)) for result in results]
    for rule in rules:
        assert (rule, place) in found


def _place(result: dict[str, Any]) -> tuple[str, int]:
    where = result["locations"][0]["physicalLocation"]
    return unquote(where["artifactLocation"]["uri"]), where["region"]["startLine"]


@pytest.mark.parametrize(("argv", "rules", "place"), COMMANDS)
def test_github_gets_an_annotation_on_the_line(tree: Path, argv: list[str], rules: list[str], place: Place) -> None:
    lines = report(tree, *argv, "--output", "github").decode().splitlines()
    for line in lines:
        assert re.match(r"::(error|warning|notice) ([a-z]+=[^,:]*)(,[a-z]+=[^,:]*)*::\S", line)
    for rule in rules:
        begin = f"file={place[0]},line={place[1]},title=inject-proxy {rule}::"
        assert any(begin in line for line in lines)


@pytest.mark.parametrize(("argv", "rules", "place"), COMMANDS)
def test_junit_has_a_test_for_each_file(tree: Path, argv: list[str], rules: list[str], place: Place) -> None:
    root = ElementTree.fromstring(report(tree, *argv, "--output", "junit"))  # noqa: S314 -- our own text
    assert (root.tag, [suite.tag for suite in root]) == ("testsuites", ["testsuite"])
    cases = {case.get("name"): case for case in root.iter("testcase")}
    failed = [name for name, case in cases.items() if case.find("failure") is not None]
    assert failed == [place[0]]
    assert ("proxy.yaml" in cases) == (argv[0] == "run")
    failure = cases[place[0]].find("failure")
    assert failure is not None
    assert f"line {place[1]}: " in (failure.text or "")
    for one in (root, root[0]):
        assert (one.get("tests"), one.get("failures"), one.get("errors")) == (str(len(cases)), "1", "0")


@pytest.mark.parametrize(("argv", "rules", "place"), COMMANDS)
def test_json_is_a_list_of_results(tree: Path, argv: list[str], rules: list[str], place: Place) -> None:
    found = json.loads(report(tree, *argv, "--output", "json"))
    assert found
    for result in found:
        assert {"message", "severity"} <= {*result}
        assert result["severity"] in ("error", "warning", "info")


def test_a_clean_tree_is_an_empty_report(tmp_path: Path) -> None:
    assert check_sarif(json.loads(report(tmp_path, "lint", "localhost,127.0.0.1", "--output", "sarif"))) == []
    assert report(tmp_path, "lint", "localhost,127.0.0.1", "--output", "github") == b""
    root = ElementTree.fromstring(report(tmp_path, "lint", "localhost,127.0.0.1", "--output", "junit"))  # noqa: S314 -- our own text
    assert [case.get("name") for case in root.iter("testcase")] == ["NO_PROXY"]
    assert not list(root.iter("failure"))


CERT_MANAGER = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: cert-manager, labels: {app: cert-manager}}
spec:
  template:
    spec:
      containers:
      - {name: cert-manager-controller, env: [{name: HTTP_PROXY, value: "http://other.corp.example:3128"}]}
"""


@pytest.mark.parametrize(
    ("option", "rule"),
    [
        pytest.param("targets: {certManager: {conflict: Fail}}", "ValueConflict", id="an error of a target"),
        pytest.param("mode: Nonsense", "ConfigInvalid", id="an error of the ProxyConfig"),
        pytest.param("mode: Inject", "ProxyMissing", id="a change that is due"),
    ],
)
def test_each_error_has_the_code_of_what_is_wrong(tmp_path: Path, option: str, rule: str) -> None:
    (tmp_path / "proxy.yaml").write_text(CONFIG.replace("spec: {", f"spec: {{{option}, "))
    (tmp_path / "cert-manager.yaml").write_text(CERT_MANAGER)
    found = json.loads(report(tmp_path, "run", "--check", "--output", "json", "."))
    assert {one["tags"]["rule"] for one in found if one["severity"] == "error"} == {rule}
    log = json.loads(report(tmp_path, "run", "--check", "--output", "sarif", "."))
    assert rule in {result["ruleId"] for result in check_sarif(log)}


NASTY = ReportEntry(
    Severity.WARNING, 'a "list", 100% <b> & ]]> é', "InputInvalid", "x:y,z/ä%.yaml", 7, "v1/Pod/a", {"message": "m"}
)


def test_what_is_special_in_a_form_is_escaped() -> None:
    given = FindingReport("lint", [NASTY], ["x:y,z/ä%.yaml"], Severity.WARNING)
    github = as_github(given).decode()
    assert github == (
        "::warning file=x%3Ay%2Cz/ä%25.yaml,line=7,title=inject-proxy InputInvalid::"
        'v1/Pod/a: a "list", 100%25 <b> & ]]> é\n'
    )
    root = ElementTree.fromstring(as_junit(given))  # noqa: S314 -- our own text
    failure = root.find("testsuite/testcase/failure")
    assert failure is not None
    assert failure.get("message") == NASTY.message
    (result,) = check_sarif(json.loads(as_sarif(given)))
    assert _place(result) == ("x:y,z/ä%.yaml", 7)


@pytest.mark.parametrize("form", WRITERS)
def test_a_file_name_that_is_no_utf8_is_written_all_the_same(form: str) -> None:
    name = b"\xff.yaml".decode(errors="surrogateescape")
    entry = ReportEntry(Severity.ERROR, "m", "InputInvalid", name, 1, data={"file": {"path": name}})
    assert WRITERS[form](FindingReport("lint", [entry], [name]))


NAMING = {
    **{f"explain as {form}": ["explain", "-v", "--output", form, "."] for form in ("text", "json", "html", "svg")},
    "explain a change": ["explain", "-v", "--diff", "proxy.yaml", "."],
    "init that prints": ["init", "--print", "."],
    "init that writes": ["init", "--yes", "."],
    "lint": ["lint", "."],
    "a check": ["run", "--check", "-v", "."],
    "a diff": ["run", "--diff", "."],
    "a run": ["run", "-v", "."],
}


@pytest.mark.parametrize("argv", NAMING.values(), ids=NAMING)
def test_every_command_reads_a_file_whose_name_is_no_utf8(tmp_path: Path, argv: list[str]) -> None:
    pod = "kind: Pod\napiVersion: v1\nmetadata: {name: x}\nspec: {containers: [{name: a, env: [\n"
    pod += "  {name: HTTP_PROXY, value: http://other:1}]}]}\n"
    template = "kind: KubeadmConfigTemplate\napiVersion: bootstrap.cluster.x-k8s.io/v1beta1\nmetadata: {name: x}\n"
    (tmp_path / os.fsdecode(b"\xff.yaml")).write_text(f"{pod}---\n{template}spec: {{template: {{spec: {{}}}}}}\n")
    (tmp_path / os.fsdecode(b"\xfe.yaml")).write_text("TKG_HTTP_PROXY_ENABLED: true\nTKG_HTTP_PROXY: http://p:1\n")
    if argv[0] != "init":
        (tmp_path / "proxy.yaml").write_text(CONFIG)
    done = inject_proxy("", *argv, cwd=tmp_path)
    assert done.returncode in ((0, 1) if argv[0] == "lint" or "--check" in argv else (0,)), done.stderr


@pytest.mark.parametrize(
    "argv",
    [
        pytest.param(["run", "--output", "json", "."], id="without --check"),
        pytest.param(["run", "--check", "--diff", "--output", "json", "."], id="with --diff"),
    ],
)
def test_two_things_on_standard_output_are_wrong_usage(tree: Path, argv: list[str]) -> None:
    done = inject_proxy("", *argv, cwd=tree)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"`--output` must be with `--check`" in done.stderr


STATISTICS = [
    pytest.param(["."], ["1  NP006  [*] ", "1  NP033  [ ] "], id="files"),
    pytest.param(["10.0.0.0/8;a.example;*.b.example"], ["1  NP010  [*] "], id="a list"),
    pytest.param(["localhost,127.0.0.1,10.0.0.0/8"], [], id="nothing found"),
]


@pytest.mark.parametrize(("argv", "rows"), STATISTICS)
def test_statistics_count_the_findings_by_rule(tree: Path, argv: list[str], rows: list[str]) -> None:
    text = report(tree, "lint", "--statistics", *argv).decode()
    counts = [int(line.split()[0]) for line in text.splitlines()]
    assert counts == sorted(counts, reverse=True)
    for row in rows:
        assert f"{row}" in text
    counted = {
        row["rule"]: row["count"] for row in json.loads(report(tree, "lint", "--statistics", *argv, "--output=json"))
    }
    found = Counter(one["tags"]["rule"] for one in json.loads(report(tree, "lint", *argv, "--output=json")))
    assert counted == found
    assert sum(counts) == found.total()


def test_statistics_have_two_forms(tree: Path) -> None:
    done = inject_proxy("", "lint", "--statistics", "--output=sarif", ".", cwd=tree)
    assert (done.returncode, done.stdout) == (2, b"")
