"""`--output json|sarif|github|junit` of `lint` and `run --check`."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest

from krm_fn.cli.report import kind_lines
from krm_fn.cli.report import report as report_as
from krm_fn.krm.manifests import Manifests
from krm_fn.krm.results import ObjectRef, Result, Severity
from support import inject_proxy, write

Place = tuple[str, int, int]
FORMS = ("json", "sarif", "github", "junit")
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


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    wrong = CONFIG.replace("{httpProxy", "{ip: 1, httpProxy")
    return write(tmp_path, {"proxy.yaml": CONFIG, "a b.yaml": NODES, "wrong.conf": wrong})


def report(folder: Path, *argv: str) -> bytes:
    done = inject_proxy("", *argv, cwd=folder)
    assert done.returncode in (0, 1), done.stderr
    assert b"S3CRET" not in done.stdout + done.stderr
    return done.stdout


COMMANDS = [
    pytest.param(["run", "--check", "."], ["ProxyMissing"], ("a b.yaml", 10, 3), id="run"),
    pytest.param(["lint", "a b.yaml"], ["UrlInvalid"], ("a b.yaml", 12, 5), id="lint"),
    pytest.param(
        ["run", "--check", "--config", "wrong.conf", "."], ["ConfigInvalid"], ("wrong.conf", 4, 8), id="ProxyConfig"
    ),
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
        assert "helpUri" not in rule  # nobody knows where the site of these pages is
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


def _place(result: dict[str, Any]) -> Place:
    where = result["locations"][0]["physicalLocation"]
    region = where["region"]
    return unquote(where["artifactLocation"]["uri"]), region["startLine"], region["startColumn"]


@pytest.mark.parametrize(("argv", "rules", "place"), COMMANDS)
def test_json_has_the_line_and_the_column(tree: Path, argv: list[str], rules: list[str], place: Place) -> None:
    results = json.loads(report(tree, *argv, "--output", "json"))
    files = [result["file"] for result in results if result["tags"]["rule"] == rules[0]]
    assert place in [(file["path"], file["line"], file["column"]) for file in files]


@pytest.mark.parametrize(("argv", "rules", "place"), COMMANDS)
def test_github_gets_an_annotation_on_the_line(tree: Path, argv: list[str], rules: list[str], place: Place) -> None:
    lines = report(tree, *argv, "--output", "github").decode().splitlines()
    for line in lines:
        assert re.match(r"::(error|warning|notice) ([a-z]+=[^,:]*)(,[a-z]+=[^,:]*)*::\S", line)
    for rule in rules:
        begin = f"file={place[0]},line={place[1]},col={place[2]},title=inject-proxy {rule}::"
        assert any(begin in line for line in lines)


@pytest.mark.parametrize(("argv", "rules", "place"), COMMANDS)
def test_junit_has_a_test_for_each_file(tree: Path, argv: list[str], rules: list[str], place: Place) -> None:
    root = ElementTree.fromstring(report(tree, *argv, "--output", "junit"))  # noqa: S314 -- our own text
    assert root.tag == "testsuite"
    cases = {case.get("name"): case for case in root.iter("testcase")}
    failed = [name for name, case in cases.items() if case.find("failure") is not None]
    assert failed == [place[0]]
    assert ("proxy.yaml" in cases) == (argv[0] == "run")
    failure = cases[place[0]].find("failure")
    assert failure is not None
    file, line, column = place
    assert re.search(rf"\[error\] {file}:{line}:{column} .* {rules[0]}", failure.text or "")
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == (str(len(cases)), "1", "0")


def test_a_clean_tree_is_an_empty_report(tmp_path: Path) -> None:
    assert check_sarif(json.loads(report(tmp_path, "lint", "localhost,127.0.0.1", "--output", "sarif"))) == []
    assert report(tmp_path, "lint", "localhost,127.0.0.1", "--output", "github") == b""
    root = ElementTree.fromstring(report(tmp_path, "lint", "localhost,127.0.0.1", "--output", "junit"))  # noqa: S314 -- our own text
    assert not list(root.iter("failure"))


def test_what_is_special_in_a_form_is_escaped() -> None:
    name = "x:y,z/\u00e4%.yaml"
    finding = Result("ByHand", 'a "list", 100% <b> & ]]> \u00e9', ref=ObjectRef(file_path=name))
    forms = {
        form: report_as(form, "lint", [finding], Manifests({name: b""}), Severity.WARNING).decode() for form in FORMS
    }
    begin = "::warning file=x%3Ay%2Cz/\u00e4%25.yaml,title=inject-proxy ByHand::"
    assert forms["github"].startswith(begin)
    assert "100%25 <b>" in forms["github"]
    failure = ElementTree.fromstring(forms["junit"]).find("testcase/failure")  # noqa: S314 -- our own text
    assert failure is not None
    assert "100% <b> & ]]> \u00e9" in (failure.text or "")
    (result,) = check_sarif(json.loads(forms["sarif"]))
    assert _place(result) == (name, 1, 1)


NAMING = {
    **{f"explain as {form}": ["explain", "-v", "--output", form, "."] for form in ("text", "json", "html")},
    **{f"a check as {form}": ["run", "--check", "-v", "--output", form, "."] for form in FORMS},
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


@pytest.mark.parametrize("form", FORMS)
def test_a_run_that_writes_reports_what_it_finds_and_json_what_it_changes(tree: Path, form: str) -> None:
    text = report(tree, "run", "--output", form, ".").decode()
    assert ("sets the proxy in the exports" in text) == (form == "json")
    assert "FactsUnknown" in text
    assert "S3CRET" in (tree / "a b.yaml").read_text()


def test_rules_of_sarif_are_in_the_order_of_their_names() -> None:
    """Code scanning compares reports of two runs: an order that findings decide would change with each of them."""
    ref = ObjectRef("v1", "ConfigMap", "", "web")
    results = [Result(code, "is wrong").about(ref) for code in ("UrlInvalid", "OtherProxy", "CaseMissing")]
    (run,) = json.loads(report_as("sarif", "lint", results, Manifests({}), Severity.ERROR))["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert rules == sorted(rules)
    assert [rules[result["ruleIndex"]] for result in run["results"]] == [result.code for result in results]


def test_one_reason_is_one_line_and_one_result_with_its_places() -> None:
    found = [
        Result("ByHand", f'lacks the chart "{name}"', ref=ObjectRef("v1", "Pod", name, "", f"{name}.yaml"))
        for name in ("a", "b")
    ]
    forms = {form: report_as(form, "run", found, Manifests({}), Severity.ERROR).decode() for form in FORMS}
    text = 'ByHand (2 places in a.yaml and 1 more file): lacks the chart "a", "b"'
    assert forms["github"] == f"::warning file=a.yaml,title=inject-proxy ByHand::{text}\n"
    (result,) = check_sarif(json.loads(forms["sarif"]))
    assert result["message"]["text"] == text
    places = [place["physicalLocation"]["artifactLocation"]["uri"] for place in result["locations"]]
    assert places == ["a.yaml", "b.yaml"]
    assert [entry["tags"]["reason"] for entry in json.loads(forms["json"])] == ["ByHand: lacks the chart ..."] * 2
    assert kind_lines(found, verbose=False)[0] == f"[warning] {text}"


@pytest.mark.parametrize(
    ("files", "lines"),
    [
        pytest.param(["a"], ["[error] a v1/Pod/p0: ProxyMissing: " + "sets it " * 40], id="one place is shown in full"),
        pytest.param(
            ["a", "a"], ["[error] ProxyMissing: 2 changes due in 1 file", "  a: Pod/p0, Pod/p1"], id="one file"
        ),
        pytest.param(
            [str(number) for number in range(12)],
            [
                "[error] ProxyMissing: 12 changes due in 12 files",
                *(f"  {number}: Pod/p{number}" for number in (0, 1, 10, 11, *range(2, 8))),
                "  and 2 more files",
            ],
            id="the first ten files",
        ),
    ],
)
def test_a_check_names_the_files_in_which_changes_are_due(files: list[str], lines: list[str]) -> None:
    found = [
        Result("ProxyMissing", "sets it " * 40, ref=ObjectRef("v1", "Pod", f"p{number}", "", file))
        for number, file in enumerate(files)
    ]
    assert kind_lines(found, verbose=False)[: len(lines)] == [line.rstrip() for line in lines]
