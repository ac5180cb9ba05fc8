"""The codes of what is reported: one table with a severity for each, and each can be silenced by it."""

from __future__ import annotations

import ast
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from krm_fn.errors import InjectProxyError
from krm_fn.krm.codes import CODES, FIXED, OF_VALUES, SILENCEABLE, Severity, explanations
from krm_fn.krm.results import Result, is_severe
from krm_fn.pipeline.outcome import CHANGE_DUE, Outcome
from krm_fn.pipeline.run import run
from krm_fn.yamledit import read
from stories import TESTDATA
from support import ROOT

PACKAGE = ROOT / "krm_fn"
MAY_BE_INFO = {"ByHand", "FactsUnknown", "MirrorNotRead", "NodesKept", "SettingUnused"}
"""Warnings that are an information where the user wants what they say, or where it is right already."""
_RESULT = re.compile(rf"^\[(\w+)\] (?:.*?: )?({'|'.join(CODES)}): ", re.MULTILINE)


def test_a_finding_has_the_severity_of_its_code() -> None:
    """Only the rules of the user and a check change it."""
    files = [file for file in PACKAGE.rglob("*.py") if "level=" in file.read_text()]
    made = {file.relative_to(PACKAGE).as_posix() for file in files}
    assert made == {"pipeline/outcome.py", "pipeline/edits.py"}
    assert Result("UrlHttps", "text").severity is CODES["UrlHttps"]


def test_each_code_is_used() -> None:
    words = {
        node.value
        for file in PACKAGE.rglob("*.py")
        if file.name != "codes.py"
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert CODES.keys() <= words
    assert {error.code for error in _classes(InjectProxyError)} | {CHANGE_DUE} <= FIXED.keys()


def _classes(root: type[InjectProxyError]) -> list[type[InjectProxyError]]:
    return [root, *(error for derived in root.__subclasses__() for error in _classes(derived))]


@cache
def _stored() -> dict[str, list[tuple[Path, Severity]]]:
    """Code -> the stories that show it, and how severe it is there."""
    found: dict[str, list[tuple[Path, Severity]]] = {}
    for path in sorted(TESTDATA.rglob("results.txt")):
        for severity, code in _RESULT.findall(path.read_text(encoding="utf-8")):
            found.setdefault(code, []).append((path.parent, Severity(severity)))
    return found


def test_each_result_of_the_stories_has_the_severity_of_its_code() -> None:
    wrong = []
    for code, found in _stored().items():
        for story, severity in found:
            is_lowered = code in MAY_BE_INFO and severity is Severity.INFO
            is_value = code in OF_VALUES and severity is Severity.WARNING and CODES[code] is Severity.ERROR
            is_check = "mode: Check" in (story / "input.yaml").read_text(encoding="utf-8")
            if not (severity is CODES[code] or is_lowered or is_value or is_check):
                wrong.append(f"{story.name}: {code} is {severity.value}")
    assert wrong == []


CODES_OF_STORIES = sorted(code for code in _stored() if code in SILENCEABLE)


def _with_level(story: Path, code: str, level: str) -> Outcome:
    """Run a story with one more line in its FunctionConfig."""
    data = read((story / "input.yaml").read_text(encoding="utf-8"))
    config = data["functionConfig"]
    if config["kind"] == "ConfigMap":
        config["data"][f"lint.rules.{code}"] = level
    else:
        config["spec"].setdefault("lint", {}).setdefault("rules", {})[code] = level
    return run(json.dumps(data).encode())


@pytest.mark.parametrize("code", CODES_OF_STORIES)
def test_what_has_a_code_is_silenced_by_it_and_nothing_else_changes(code: str) -> None:
    stories = [story for story, severity in _stored()[code] if severity is not Severity.ERROR]
    if not stories:
        return  # the stories show it as an error only
    story = min(stories, key=lambda path: (path / "input.yaml").stat().st_size)
    before, after = _with_level(story, code, "Warning"), _with_level(story, code, "Off")
    assert any(result.code == code for result in before.results)
    assert not any(result.code == code and not is_severe(result.severity, Severity.ERROR) for result in after.results)
    others = [result.line() for result in before.results if result.code != code]
    assert [result.line() for result in after.results] == others
    assert _items(after) == _items(before)


def _items(outcome: Outcome) -> Any:
    return read(outcome.output.decode())["items"]


def test_each_code_has_an_entry_in_the_order_of_the_table() -> None:
    assert [*explanations()] == [*CODES]


def test_an_entry_has_no_link_because_a_terminal_and_a_report_show_it_too() -> None:
    assert [code for code, text in explanations().items() if "](" in f"{text.meaning}{text.remedy}"] == []
