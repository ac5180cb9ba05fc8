"""`help`, and what the texts and the page of all commands have in common."""

from __future__ import annotations

import re
import shlex

import pytest
import yaml

from krm_fn.cli.parser import COMMANDS, parsed, parser_of
from krm_fn.config import API_VERSION, KIND, load
from krm_fn.krm.codes import CODES, FIXED, explanations
from support import ROOT, out

PAGE = (ROOT / "docs" / "cli.md").read_text()


@pytest.mark.parametrize("command", COMMANDS)
def test_help_comes_in_three_ways(command: str) -> None:
    text = out("help", command)
    assert text == out(command, "--help") == out(command, "-h")
    assert {"--verbose", "--version", "--traceback", "--help"} <= set(re.findall(r"--[a-z-]+", text))


def examples() -> list[str]:
    texts = [parser_of(name).epilog or "" for name in COMMANDS]
    lines = re.findall(r"inject-proxy [a-z].*", "\n".join([*texts, PAGE]))
    return [line for line in lines if "COMMAND" not in line]


@pytest.mark.parametrize("line", dict.fromkeys(examples()))
def test_an_example_has_options_that_exist(line: str) -> None:
    words = shlex.split(re.split(r"[|<>`)]", line)[0], comments=True)
    assert parsed(words[1:]).module.rstrip("_") == words[1]


def test_the_page_has_a_section_for_each_command() -> None:
    assert re.findall(r"^## `(.*)`$", PAGE, re.MULTILINE) == [*COMMANDS]


@pytest.mark.parametrize("name", CODES)
def test_help_says_of_a_code_what_it_means_and_how_to_silence_it(name: str) -> None:
    text = out("help", name)
    assert text.startswith(f"{name} ({CODES[name].value})\n\n")
    assert " ".join(explanations()[name].meaning.split()) in " ".join(text.split())
    found = re.search(r"`(spec: .*)`", " ".join(text.split()))
    assert (found is None) == (name in FIXED)
    if found:
        data = {"apiVersion": API_VERSION, "kind": KIND, "metadata": {"name": "p"}, **yaml.safe_load(found[1])}
        data["spec"]["httpProxy"] = "http://proxy:3128"
        config = load(data)
        assert config is not None
        assert config.lint == {name: None}
