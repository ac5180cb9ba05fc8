"""TOML of GitLab's runners: what Python's own reader finds there afterwards, and that all else keeps its bytes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chart_objects import ANY, release
from krm_fn.targets.charts import charts as target
from krm_fn.targets.charts.toml_environment import runner_tables, with_entries
from proposals import FULL, NONE, apply, findings

tomllib: Any = pytest.importorskip("tomllib", reason="Python 3.11 is the first one that reads TOML")

PLAIN = '[[runners]]\n  [runners.kubernetes]\n    image = "alpine"\n'
TEXTS = {
    "no list": PLAIN,
    "no member": "[[runners]]",
    "no line break at the end": '[[runners]]\n  name = "a"',
    "a list on one line": "[[runners]]\n  environment = [\"A=b\", 'C=d']  # why\n  limit = 1\n",
    "a list on several lines": '[[runners]]\nenvironment = [\n    "A=b", # one\n    "D=e",\n]\n',
    "a list without the last comma": '[[runners]]\n  environment = [\n    "A=b"\n  ]\n',
    "blanks within the brackets": '[[runners]]\n  environment = [ "A=b" ]\n',
    "comments behind entries": '[[runners]]\nenvironment = [\n  "A=1", # a\n  # above\n  "B=2" # b\n  # last\n]\n',
    "texts without a value, and twice": '[[runners]]\n  environment = ["FLAG", "A=1", "A=2" , "HTTP_PROXY"]\n',
    "two tables": 'concurrent = 10\n[[ runners ]]\n  name = "a"\n[[runners]]\n  environment = ["A=b"]\n',
    "other tables between them": f'{PLAIN}[session_server]\n  environment = ["not this"]\n{PLAIN}',
    "a header inside of a text": f'{PLAIN}  x = """\n[[runners]]\nenvironment = []\n"""\n',
    "brackets and quotes in other values": '[[runners]]\n  a = [[1, 2], {x = "]"}]\n  b = \'"\'\n  c = 1 # ["\n',
    "a template inside of a text": '[[runners]]\n  [runners.kubernetes]\n    namespace = "{{.Release.Namespace}}"\n',
    "line breaks of Windows": '[[runners]] # c\r\n  name = "a"\r\n',
    "no runner": "concurrent = 10\n",
    "nothing": "",
}
UNREADABLE = {
    "runners as a list": 'runners = [{name = "a", environment = []}]\n',
    "no comma": '[[runners]]\nenvironment = ["A=b" "C=d"]\n',
    "a word": "runners",
    "a template among the members": "[[runners]]\n{{- if .x }}\n",
    "a text in place of a list": '[[runners]]\nenvironment = "A=b"\n',
    "a list without an end": '[[runners]]\nenvironment = ["A=b"\n',
    "a value without an end": "a = [[[\n",
    "a bracket too many": "a = 1]\n",
    "texts of several lines in the list": '[[runners]]\nenvironment = ["""A=b"""]\n',
    "a mapping in the list": "[[runners]]\nenvironment = [{a = 1}]\n",
    "an escape that JSON does not have": '[[runners]]\nenvironment = ["A=\\U0001F600"]\n',
    "the list twice": "[[runners]]\nenvironment = []\nenvironment = []\n",
    "a word behind the header": "[[runners]] x\n",
    "the list behind another member": "[[runners]]\n{} environment = []\n",
}


def environments(text: str) -> list[list[str]]:
    return [table.get("environment", []) for table in tomllib.loads(text).get("runners", [])]


def added(text: str, *entries: str) -> str:
    tables = runner_tables(text)
    assert tables is not None
    return with_entries(text, tables, [[*(entry.text for entry in table.entries), *entries] for table in tables])


def without(text: str, *entries: str) -> str:
    tables = runner_tables(text)
    assert tables is not None
    kept = [[entry.text for entry in table.entries if entry.text not in entries] for table in tables]
    return with_entries(text, tables, kept)


@pytest.mark.parametrize("name", TEXTS)
def test_tables_and_their_lists_are_those_that_python_reads(name: str) -> None:
    tables = runner_tables(TEXTS[name])
    assert tables is not None
    assert [[entry.text for entry in table.entries] for table in tables] == environments(TEXTS[name])


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("value", ["http://proxy:1", 'quotes " and \\ and é', ""], ids=["URL", "escapes", "nothing"])
def test_entries_are_added_and_taken_back(name: str, value: str) -> None:
    text = TEXTS[name]
    entries = [f"HTTP_PROXY={value}", "NO_PROXY=a,b"]
    after = added(text, *entries)
    assert environments(after) == [[*one, *entries] for one in environments(text)]
    others = [{**one, "environment": 0} for one in tomllib.loads(after).get("runners", [])]
    assert others == [{**one, "environment": 0} for one in tomllib.loads(text).get("runners", [])]
    assert without(after, *entries) == text


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_text_that_is_not_understood_is_no_table(name: str) -> None:
    assert runner_tables(UNREADABLE[name]) is None


@given(
    st.lists(
        st.sampled_from([*"[]{}=,#\"'\\\n \t.a", '"""', "'''", "[[runners]]", "environment", '["A=b"]']), max_size=30
    )
)
def test_no_text_makes_it_fail_or_lose_a_byte(parts: list[str]) -> None:
    text = "".join(parts)
    if runner_tables(text) is not None:
        once = added(text, "X=1")
        assert runner_tables(once) is not None
        assert without(once, "X=1") in (text, text.replace("environment=[]", ""))


def test_jobs_get_the_proxy_where_the_text_is_there() -> None:
    after = apply(target, release("gitlab-runner", {"runners": {"config": TEXTS["two tables"]}}), **ANY)
    held = [
        dict(one.split("=", 1) for one in table) for table in environments(after["spec"]["values"]["runners"]["config"])
    ]
    assert held == [FULL.variables(), {"A": "b", **FULL.variables()}]


def test_each_comment_stays_with_its_entry() -> None:
    begun = '[[runners]]\nenvironment = [\n  "A=1", # a\n  %s"B=2", # b\n]\n'
    assert without(begun % '"HTTP_PROXY=x", # old\n  ', "HTTP_PROXY=x") == begun % ""
    assert without('[[runners]]\nenvironment = ["HTTP_PROXY=x", "A=b"]\n', "HTTP_PROXY=x").endswith('= ["A=b"]\n')


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("[[runners]]\n  environment = []\n[[runners]]\n", id="a list of none"),
        pytest.param("[[runners]]\n  environment = [ ] # why\n", id="a blank in it"),
        pytest.param(TEXTS["texts without a value, and twice"], id="texts without a value"),
        pytest.param(TEXTS["comments behind entries"], id="comments"),
    ],
)
def test_removal_gives_the_text_back(text: str) -> None:
    before = release("gitlab-runner", {"runners": {"config": text}})
    after = apply(target, before, **ANY)
    assert environments(after["spec"]["values"]["runners"]["config"]) != environments(text)
    assert apply(target, after, NONE, **ANY)["spec"]["values"]["runners"]["config"] == text
    assert apply(target, before, NONE, **ANY) == before


def test_the_text_of_the_chart_is_not_replaced() -> None:
    assert "runners" not in apply(target, release("gitlab-runner"), **ANY)["spec"]["values"]


def test_another_proxy_in_one_table_keeps_all_of_them() -> None:
    text = TEXTS["two tables"] + '[[runners]]\n  environment = ["HTTPS_PROXY=http://old:1"]\n'
    after = apply(target, release("gitlab-runner", {"runners": {"config": text}}), **ANY)
    assert after["spec"]["values"]["runners"]["config"] == text


@pytest.mark.parametrize(
    "text", ["concurrent = 10\n", UNREADABLE["a template among the members"]], ids=["no table", "a template"]
)
def test_a_text_without_a_table_that_can_be_edited_is_reported(text: str) -> None:
    obj = release("gitlab-runner", {"runners": {"config": text}})
    assert [one.code for one in findings(target, obj, FULL, **ANY)] == ["TextUnreadable"]
