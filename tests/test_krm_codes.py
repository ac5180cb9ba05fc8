"""The codes of what a run reports: one table, each warning has one, and each can be silenced by it."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from krm_fn.config import load
from krm_fn.errors import ConfigError, InjectProxyError
from krm_fn.image_check import Note
from krm_fn.krm.codes import CODES, FIXED, SILENCEABLE
from krm_fn.krm.messages import explanations
from krm_fn.krm.results import Result, Severity, is_severe
from krm_fn.lint.levels import Rules, levelled
from krm_fn.lint.values import RULES
from krm_fn.pipeline import CHANGE_DUE, Outcome, run
from krm_fn.yamledit import read
from stories import TESTDATA
from support import ROOT

PACKAGE = ROOT / "krm_fn"


@cache
def _nodes() -> dict[Path, list[ast.AST]]:
    """The nodes of each file of the package."""
    return {file: [*ast.walk(ast.parse(file.read_text()))] for file in sorted(PACKAGE.rglob("*.py"))}


def _constructions() -> Iterator[tuple[str, ast.Call]]:
    """Each place of the code that makes a finding or a result."""
    for file, nodes in _nodes().items():
        for node in nodes:
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("Finding", "Result"):
                yield f"{file.relative_to(PACKAGE)}:{node.lineno}", node


def test_each_error_warning_and_information_has_a_code() -> None:
    without = []
    for where, call in _constructions():
        has_code = any(one.arg == "code" for one in call.keywords) or len(call.args) > 7
        if call.args and not has_code:
            without.append(where)
    assert without == []


def test_the_code_is_in_the_table_and_each_code_of_the_table_is_used() -> None:
    nodes = [node for file, found in _nodes().items() if file.name != "codes.py" for node in found]
    given = {
        one.value.value
        for node in nodes
        if isinstance(node, ast.Call)
        for one in node.keywords
        if one.arg == "code" and isinstance(one.value, ast.Constant) and one.value.value
    }
    given |= {error.code for error in _classes(InjectProxyError)}
    given |= {CHANGE_DUE, Note(Severity.ERROR, "", 0, "").code}
    words = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    assert given <= CODES.keys() | RULES.keys()
    assert CODES.keys() <= words | {"ListNotPrinted"}  # a part of the line that the linter prints


def _classes(root: type[InjectProxyError]) -> Iterator[type[InjectProxyError]]:
    """Return an exception and all that derive from it."""
    yield root
    for one in root.__subclasses__():
        yield from _classes(one)


def test_a_code_has_a_name_and_only_one_that_nothing_silences_is_an_error() -> None:
    assert all(re.fullmatch("[A-Z][A-Za-z]{2,29}", name) for name in CODES)
    assert Severity.ERROR not in SILENCEABLE.values()


def test_each_code_and_each_rule_has_a_section_and_each_section_is_of_one() -> None:
    text = (PACKAGE / "krm" / "messages.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == [*CODES, *RULES] == [*explanations()]


_SMALL = r"inject-proxy|aiohttp|apt|boto3|cloud-init|clusterctl|containerd|curl|httpx|systemd|wget|ytt"


@pytest.mark.parametrize("name", [*CODES, *RULES])
def test_what_users_read_about_a_code_are_complete_sentences(name: str) -> None:
    known = explanations()[name]
    for text in known if known.fix else known[:3]:
        assert re.match(rf'[A-Z`"]|({_SMALL})[ ,]', text)
        assert text.endswith(".")
        assert not re.search(r"\b(told|stands?|anew|mend(ed|s)?|is made|passed by|ours?|theirs)\b|\n|``", text)
    assert bool(known.fix) is (name in RULES and RULES[name].has_fix)


STORIES = sorted(path.parent for path in TESTDATA.rglob("input.yaml"))


_CODE = re.compile(rf"(?:\] |: )({'|'.join([*CODES, *RULES])}): ")


@cache
def _stored() -> dict[str, list[tuple[Path, Severity]]]:
    """Each result of the goldens, under its code; "" for those without one."""
    found: dict[str, list[tuple[Path, Severity]]] = {}
    for story in STORIES:
        stored = story / "results.txt"
        for line in stored.read_text().splitlines() if stored.exists() else ():
            if line.startswith("["):
                code = _CODE.search(line)
                severity = Severity(line[1 : line.index("]")])
                found.setdefault(code[1] if code else "", []).append((story, severity))
    return found


def test_each_warning_of_the_goldens_has_a_code_of_the_tables() -> None:
    assert [story for story, severity in _stored()[""] if severity is Severity.WARNING] == []
    for code, found in _stored().items():
        if code:
            assert code in RULES or code in CODES
        for _, severity in found:
            if code in CODES and severity is not Severity.ERROR:
                assert is_severe(CODES[code], severity)


def _with_level(story: Path, code: str, level: str) -> Outcome:
    """Run a story with one more line in its FunctionConfig."""
    data = read((story / "input.yaml").read_text())
    config = data["functionConfig"]
    if config["kind"] == "ConfigMap":
        config["data"][f"lint.rules.{code}"] = level
    else:
        config["spec"].setdefault("lint", {}).setdefault("rules", {})[code] = level
    return run(json.dumps(data).encode())


CODES_OF_GOLDENS = sorted(code for code in _stored() if code in CODES)


def test_more_than_half_of_the_codes_are_shown_by_goldens() -> None:
    assert len(CODES_OF_GOLDENS) > len(SILENCEABLE) / 2


@pytest.mark.parametrize("code", CODES_OF_GOLDENS)
def test_what_has_a_code_is_silenced_by_it_and_nothing_else_changes(code: str) -> None:
    stories = [story for story, severity in _stored()[code] if severity is not Severity.ERROR]
    if not stories:
        return  # the goldens show it as an error only
    story = min(stories, key=lambda one: (one / "input.yaml").stat().st_size)
    before, after = _with_level(story, code, CODES[code].value.capitalize()), _with_level(story, code, "Off")
    assert any(result.code == code for result in before.results)
    assert [result for result in after.results if result.code == code and result.severity is not Severity.ERROR] == []
    others = [result.line() for result in before.results if result.code != code]
    assert [result.line() for result in after.results] == others
    assert _items(after) == _items(before)


def _items(outcome: Outcome) -> Any:
    return read(outcome.output.decode())["items"]


def test_what_has_a_code_can_make_the_run_fail() -> None:
    story = next(one for one, _ in _stored()["OtherWriter"])
    outcome = _with_level(story, "OtherWriter", "Error")
    assert (outcome.exit_code, outcome.changed) == (1, 0)


@pytest.mark.parametrize("code", FIXED)
def test_a_code_that_nothing_silences_is_no_name_of_the_proxy_config(code: str) -> None:
    with pytest.raises(ConfigError, match=f"`{code}`|must be the id of a rule"):
        load(
            {
                "apiVersion": "fn.inject-proxy.io/v1alpha1",
                "kind": "ProxyConfig",
                "metadata": {"name": "proxy"},
                "spec": {"httpProxy": "http://proxy:3128", "lint": {"rules": {code: "Off"}}},
            }
        )


def test_an_error_that_is_not_of_a_rule_cannot_be_switched_off() -> None:
    rules = Rules({"WrongType": None, "NP004": None})
    errors = [Result(Severity.ERROR, "it is wrong", code=code) for code in ("", "WrongType", "NP004")]
    assert [one.code for one in levelled(errors, rules)] == ["", "WrongType"]


def test_a_password_that_is_exposed_can_be_silenced() -> None:
    found = [story for story, _ in _stored().get("PasswordExposed", [])]
    for story in found[:1]:
        assert not any(one.code == "PasswordExposed" for one in _with_level(story, "PasswordExposed", "Off").results)
    assert found


@pytest.mark.parametrize(
    ("severity", "code", "line"),
    [
        pytest.param(Severity.WARNING, "OtherWriter", "[warning] OtherWriter: it is", id="a warning shows its code"),
        pytest.param(Severity.INFO, "OtherWriter", "[info] OtherWriter: it is", id="an information, too"),
        pytest.param(Severity.ERROR, "WrongType", "[error] WrongType: it is", id="so does an error"),
        pytest.param(Severity.WARNING, "NP004", "[warning] NP004: it is", id="a warning of a rule shows the ID"),
        pytest.param(Severity.ERROR, "NP003", "[error] NP003: it is", id="an error of a rule shows the ID, too"),
        pytest.param(Severity.INFO, "", "[info] it is", id="a change has no code"),
    ],
)
def test_a_message_begins_with_the_code_that_explains_it(severity: Severity, code: str, line: str) -> None:
    result = Result(severity, "it is", code=code)
    assert (result.line(), result.to_data()["message"]) == (line, line.partition("] ")[2])


def test_no_message_is_written_with_a_code_in_front() -> None:
    """Only ``Result.text`` puts the code in front of a message."""
    begins = re.compile(f"({'|'.join([*CODES, *RULES])}): ")
    found = []
    for file, nodes in _nodes().items():
        docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        for node in nodes:
            is_text = isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings
            if is_text and begins.match(node.value):
                found.append(f"{file.relative_to(PACKAGE)}:{node.lineno}")
    assert found == []
