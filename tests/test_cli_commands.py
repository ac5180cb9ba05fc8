"""`help`, `targets`, `schema`, `completion`, and what all commands have in common."""

from __future__ import annotations

import functools
import json
import re
import shlex
from pathlib import Path

import pytest
import yaml

from function_configs import SCHEMA
from krm_fn.cli import help as help_command
from krm_fn.cli.commands import MODULES
from krm_fn.cli.help import function_parser, parser_of
from krm_fn.cli.parser import CommandParser
from krm_fn.config import API_VERSION, KIND, fields, load
from krm_fn.krm.codes import CODES, FIXED
from krm_fn.krm.messages import SITE, explanations
from krm_fn.noproxy.lint_rules import RULES
from krm_fn.target_table import SYSTEMS
from krm_fn.targets import TARGETS
from shells import OFFERED_BY, of_zsh
from support import inject_proxy


def out(*argv: str) -> str:
    done = inject_proxy("", *argv)
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode()


@functools.cache
def script(shell: str) -> str:
    return out("completion", shell)


def options(made: CommandParser) -> list[str]:
    return [option for action in made.actions() for option in action.option_strings]


# help


@pytest.mark.parametrize("command", MODULES)
def test_help_comes_in_three_ways_and_names_every_option(command: str) -> None:
    text = out("help", command)
    assert text == out(command, "--help") == out(command, "-h")
    for option in options(parser_of(command)):
        assert option in text
    assert max(map(len, text.splitlines())) <= 120
    assert text.rstrip().rsplit("\n\n", 1)[1].splitlines()[0].startswith("  # ")  # it ends with examples


def test_the_overview_names_all_commands_and_three_ways_to_run() -> None:
    text = out("help")
    assert text == out("--help")
    for word in (*MODULES, "kustomize build", "kpt fn render", "inject-proxy run --diff ."):
        assert word in text
    for option in options(function_parser()):
        assert option in text


@pytest.mark.parametrize("command", MODULES)
def test_each_command_has_version_and_verbose(command: str) -> None:
    assert out(command, "--version") == out("--version")
    assert {"-v", "--verbose", "--version", "--traceback", "-h", "--help"} <= {*options(parser_of(command))}


@pytest.mark.parametrize("name", [*CODES, *RULES])
def test_help_says_of_a_code_what_it_means_and_how_to_silence_it(name: str) -> None:
    text = help_command.run([name], bytes).output.decode()
    severity = RULES[name].severity if name in RULES else CODES[name]
    assert text.startswith(f"{name} ({severity.value})\n\n")
    assert max(map(len, text.splitlines())) <= 100
    assert f"\nOn the web: {SITE}/krm_fn/krm/messages/#{name.lower()}\n" in text
    for part in explanations()[name]:
        assert part in " ".join(text.split())
    found = re.search(r"^  spec:.*", text, re.MULTILINE | re.DOTALL)
    if name in FIXED:
        assert found is None
    else:
        config = {"apiVersion": API_VERSION, "kind": KIND, "metadata": {"name": "proxy"}, **yaml.safe_load(found[0])}
        config["spec"]["httpProxy"] = "http://proxy:3128"
        assert load(config).lint == {name: None}


def test_help_of_a_code_is_printed_by_the_command() -> None:
    assert out("help", "NodesNotRolled").startswith("NodesNotRolled (warning)\n\nExisting nodes keep what they have")


def examples() -> list[tuple[str, str]]:
    return [(name, line) for name in MODULES for line, _ in parser_of(name).examples]


@pytest.mark.parametrize(("command", "line"), examples())
def test_an_example_has_options_that_exist(command: str, line: str) -> None:
    words = shlex.split(line.replace("<(", "").replace(")", ""), comments=True)
    if "inject-proxy" not in words:
        assert line.startswith("#")
        return
    behind = words[words.index("inject-proxy") + 1 :]
    assert behind[0] == command
    given = [word for word in behind[1:] if word not in (">", "<", "|")]
    cut = [at for at, word in enumerate(given) if word == "kubectl"]
    parser_of(command).parse(given[: cut[0]] if cut else given)


WRONG = [
    pytest.param(["help", "nothing"], "the command must be one of init, run, explain", id="help of no command"),
    pytest.param(["help", "run", "lint"], "the command must be one of init, run, explain", id="help of two commands"),
    pytest.param(["help", "nodesNotRoled"], "did you mean `NodesNotRolled`?", id="nearly a code"),
    pytest.param(["help", "np038"], "did you mean `NP038`?", id="nearly a rule"),
    pytest.param(["targets", "nothing"], "one of these must be named: nodes, ", id="no target"),
    pytest.param(["targets", "kubeletDropIns"], "did you mean `kubeletDropIn`?", id="nearly a target"),
    pytest.param(["targets", "KONVOI"], "did you mean `konvoy`?", id="nearly a system"),
    pytest.param(["completion"], "one of bash, zsh, fish must be named", id="no shell"),
    pytest.param(["completion", "bash", "zsh"], "one of bash, zsh, fish must be named", id="two shells"),
    pytest.param(["completion", "csh"], "one of bash, zsh, fish must be named", id="another shell"),
    pytest.param(["schema", "x"], "`inject-proxy schema` must be without arguments", id="a word for nothing"),
    pytest.param(["targets", "--all"], 'unknown option "--all": `inject-proxy targets --help`', id="no such option"),
]


@pytest.mark.parametrize(("argv", "reported"), WRONG)
def test_wrong_usage_is_one_line(argv: list[str], reported: str) -> None:
    done = inject_proxy("", *argv)
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (2, b"", 1)
    assert reported in done.stderr.decode()


def test_the_old_name_of_check_image_works_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "Dockerfile").write_text("FROM x\nENV HTTP_PROXY=http://p:1\n")
    new, old = (inject_proxy("", name, str(tmp_path)) for name in ("check-image", "check"))
    assert (old.returncode, old.stdout) == (new.returncode, new.stdout)
    warning = b"[warning] `inject-proxy check` is now `inject-proxy check-image`\n"
    assert old.stderr == warning + new.stderr


# targets


def test_targets_lists_each_with_its_systems_and_a_title() -> None:
    rows = [line.split("  ", 1) for line in out("targets").splitlines()]
    assert [row[0].strip() for row in rows] == [*TARGETS]
    for name, rest in rows:
        systems = [system for system, members in SYSTEMS.items() if name in members]
        assert rest.lstrip().startswith(", ".join(systems))
        assert rest.rstrip().endswith(".")


@pytest.mark.parametrize("system", SYSTEMS)
def test_targets_of_a_system(system: str) -> None:
    listed = out("targets", system).partition("\n\n")[0]
    assert [line.split()[0] for line in listed.splitlines()] == [*SYSTEMS[system]]


@pytest.mark.parametrize("target", TARGETS)
def test_a_target_has_a_page(target: str) -> None:
    text = out("targets", target)
    assert f"# {target}\n\nsystems: " in text
    assert "**What it sets:**" in text
    options = text.partition("\n**Options:**\n\n")[2]
    # What waits to be asked has no default of `enabled`.
    assert options.startswith(("* `enabled` (default `true`): ", "* `enabled`: "))
    for path, field in fields().items():
        if path.startswith(f"targets.{target}.") and field["type"] != "object":
            assert field["description"] in options
    assert "](" not in text, "a terminal follows no link"
    assert "``" not in text.replace("```", "")
    assert re.findall(r"^```.*$", text, re.MULTILINE) == ["```diff", "```"]


# schema


def test_the_schema_is_that_of_the_package() -> None:
    assert json.loads(out("schema")) == SCHEMA


# completion

COMPLETED = [
    pytest.param("r", ["run"], id="a command"),
    pytest.param("run --ou", ["--output", "--output-dir"], id="options"),
    pytest.param("run --only ky", ["kyverno", "kyvernoPolicies"], id="a system and a target"),
    pytest.param("run --fail-on ", ["error", "warning"], id="the values of an option"),
    pytest.param("lint --consumer=p", ["pod"], id="a value behind an equals sign"),
    pytest.param("run --config pro", ["proxy.yaml"], id="a file"),
    pytest.param("run a", ["a b"], id="a path with a blank"),
    pytest.param("import kon", ["konvoy"], id="a system of import"),
    pytest.param("export kon", ["konvoy"], id="a system of export"),
    pytest.param("export tkg pro", ["proxy.yaml"], id="a file behind a system"),
    pytest.param("targets tkgP", ["tkgPinniped"], id="a target"),
    pytest.param("targets proxy.", [], id="no files where none are taken"),
    pytest.param("schema p", [], id="nothing where nothing is taken"),
    pytest.param("help sch", ["schema"], id="a command behind help"),
    pytest.param("help NodesN", ["NodesNotRolled"], id="a code behind help"),
    pytest.param("--ver", ["--verbose", "--version"], id="an option without a command"),
    pytest.param("--verbose r", ["run"], id="a command behind an option"),
    pytest.param("--fail-on w", ["warning"], id="the value of an option without a command"),
    pytest.param("run --config=pro", ["proxy.yaml"], id="a file behind an equals sign"),
    pytest.param("lint --consumer=pod --fail-on e", ["error"], id="an option behind one with an equals sign"),
    pytest.param(
        "run --config run --output-d", ["--output-dir"], id="an option behind a file with the name of a command"
    ),
    pytest.param("targets tkg k", [], id="nothing behind the only word that is taken"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "folder"
    made.mkdir()
    (made / "proxy.yaml").touch()
    (made / "a b").touch()
    return made


IN_EVERY_SHELL = {"a command", "options", "a value behind an equals sign", "a file", "a path with a blank"}
LINES = [
    pytest.param(shell, *line.values, id=f"{line.id}, {shell}")
    for line in COMPLETED
    if line.id in IN_EVERY_SHELL
    for shell in OFFERED_BY
]
"""What the command answers is the same for all shells: the others of these lines it is asked for itself."""
ANSWERED = [line for line in COMPLETED if line.id not in IN_EVERY_SHELL]


@pytest.mark.parametrize(("shell", "line", "expected"), LINES)
def test_a_shell_completes(folder: Path, shell: str, line: str, expected: list[str]) -> None:
    assert OFFERED_BY[shell](script(shell), f"inject-proxy {line}", folder) == expected


@pytest.mark.parametrize(("line", "expected"), ANSWERED)
def test_the_command_answers_what_a_shell_asks(line: str, expected: list[str]) -> None:
    """Among the words that may be here the shell chooses those that begin so; which files there are it knows itself."""
    *before, begun = line.split(" ")
    sort, *words = out("completion", "bash", "--", *before, begun).splitlines()
    if expected == ["proxy.yaml"]:
        assert (sort, words) == ("files", [])
    else:
        assert [word for word in words if word.startswith(begun)] == expected


def test_zsh_may_source_the_script(folder: Path) -> None:
    assert of_zsh(script("zsh"), "inject-proxy r", folder, way="source") == ["run"]


@pytest.mark.parametrize("command", MODULES)
def test_every_option_of_a_command_is_offered(command: str) -> None:
    assert out("completion", "bash", "--", command, "-").split() == ["words", *options(parser_of(command))]


def test_the_word_that_is_completed_may_be_an_option_that_all_commands_have() -> None:
    assert "--traceback" in out("completion", "bash", "--", "run", "--traceback").split()
