"""`help`, `targets`, `schema`, `completion`, and what all commands have in common."""

from __future__ import annotations

import functools
import re
import shlex
from pathlib import Path

import pytest
import yaml

from krm_fn.cli.parser import COMMANDS, parsed, parser_of
from krm_fn.config import API_VERSION, KIND, load
from krm_fn.krm.codes import CODES, FIXED, explanations
from krm_fn.target_table import SYSTEMS
from krm_fn.targets import TARGETS
from krm_fn.targets.pages import OPTIONS, section_of
from shells import OFFERED_BY
from support import ROOT, inject_proxy

PAGE = (ROOT / "docs" / "cli.md").read_text()


@functools.cache
def out(*argv: str) -> str:
    done = inject_proxy("", *argv)
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode()


@pytest.mark.parametrize("command", COMMANDS)
def test_help_comes_in_three_ways(command: str) -> None:
    text = out("help", command)
    assert text == out(command, "--help") == out(command, "-h")
    assert {"--verbose", "--version", "--traceback", "--help"} <= set(re.findall(r"--[a-z-]+", text))


def examples() -> list[str]:
    texts = [parser_of(name).epilog or "" for name in COMMANDS]
    return [
        line for text in (*texts, PAGE) for line in re.findall(r"inject-proxy [a-z].*", text) if "COMMAND" not in line
    ]


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


def test_targets_are_listed_each_with_a_title() -> None:
    rows = [line.split("  ", 1) for line in out("targets").splitlines()]
    assert [row[0].strip() for row in rows] == [*TARGETS]
    assert all(rest.rstrip().endswith(".") for _, rest in rows)


@pytest.mark.parametrize("system", [name for name, targets in SYSTEMS.items() if len(targets) > 1])
def test_targets_of_a_system(system: str) -> None:
    table, _, page = out("targets", system).partition("\n\n")
    assert [line.split()[0] for line in table.splitlines()] == [*SYSTEMS[system]]
    assert page.startswith(f"# {system}\n") == (system in TARGETS)


@pytest.mark.parametrize("target", TARGETS)
def test_a_target_has_a_page_with_its_options(target: str) -> None:
    text = out("targets", target)
    assert f"# {target}\n\n" in text
    assert ("**Options:**" in text) == (OPTIONS in section_of(target))
    assert "](" not in text, "a terminal follows no link"


COMPLETED = [
    pytest.param("run --ou", ["--output", "--output-dir"], id="options"),
    pytest.param("run --only ky", ["kyverno", "kyverno"], id="a system and a target"),
    pytest.param("import kon", ["konvoy"], id="a value of a word"),
    pytest.param("run --config pro", ["proxy.yaml"], id="a file"),
    pytest.param("run a", ["a b"], id="a path with a blank"),
]


@pytest.mark.parametrize("shell", OFFERED_BY)
@pytest.mark.parametrize(("line", "expected"), COMPLETED)
def test_a_shell_completes(shell: str, line: str, expected: list[str], tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "proxy.yaml").touch()
    (folder / "a b").touch()
    offered = OFFERED_BY[shell](out("completion", shell), f"inject-proxy {line}", folder)
    assert set(expected) <= set(offered)
    assert not [word for word in offered if not word.startswith(line.rsplit(" ", maxsplit=1)[-1])]
