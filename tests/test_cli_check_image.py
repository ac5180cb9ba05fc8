"""`inject-proxy check-image`: files and folders of an image build, as a shell sees them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from krm_fn.cli import check_image, files
from krm_fn.cli.command_result import CommandResult
from krm_fn.errors import UsageError
from support import ROOT, inject_proxy

SECRET = "s3cr3t"
PROXY = f"http://user:{SECRET}@proxy.corp.example:3128"
OVERRIDE = f'proxy_env:\n  HTTP_PROXY: "{PROXY}"\n'


def nothing() -> bytes:
    raise AssertionError("standard input must not be read")


def run(*arguments: str) -> CommandResult:
    return check_image.run(list(arguments), nothing)


@pytest.fixture
def build(tmp_path: Path) -> Path:
    for name, text in {
        "overrides/http-proxy.yaml": OVERRIDE,
        "files/etc/environment": f"LANG=C\nhttp_proxy={PROXY}\n",
        "README.md": "prose",
        ".git/config": "[http]\nproxy = x\n",
    }.items():
        file = tmp_path / "build" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path / "build"


def test_one_line_for_each_thing_and_what_was_not_recognised(build: Path) -> None:
    answer = run(str(build))
    assert answer.exit_code == 1
    assert answer.output.decode() == (
        f"[error] {build}/files/etc/environment:2: sets `http_proxy` in `/etc/environment`, "
        "which is left in the image: "
        "remove it before the image is finished, and give each cluster its own proxy when you create it\n"
        f"[info] {build}/overrides/http-proxy.yaml:1: `proxy_env` is used while the image is built, "
        "and not left in it\n"
    )
    assert "\n".join(answer.reported) == (
        f"not recognised, so not checked: {build}/README.md\n"
        "inject-proxy check-image: 3 files read, file of the image: 1, overrides of Konvoy Image Builder: 1, "
        "not recognised: 1, 1 error, 0 warnings"
    )


def test_json_is_a_list_of_results(build: Path) -> None:
    answer = run("--output", "json", str(build / "files"))
    (result,) = json.loads(answer.output)
    assert (result["severity"], result["file"]) == ("error", {"path": f"{build}/files/etc/environment"})
    assert result["tags"] == {"line": "2"}
    assert "/etc/environment" in result["message"]
    assert json.loads(run("--output=json", str(build / "README.md")).output) == []


def test_a_build_that_leaves_nothing_ends_well(build: Path) -> None:
    assert run(str(build / "overrides")).exit_code == 0


def test_many_files_that_are_not_recognised_are_counted(tmp_path: Path) -> None:
    for number in range(7):
        (tmp_path / f"{number}.md").write_text("prose")
    reported = run(str(tmp_path)).reported
    assert reported[0].endswith(f"{tmp_path}/4.md and 2 more")
    assert "not recognised: 7" in reported[1]


def test_a_file_that_is_too_long_or_outside_of_the_paths_is_not_read(tmp_path: Path) -> None:
    folder = tmp_path / "build"
    folder.mkdir()
    (folder / "long.sh").write_text("#!/bin/sh\n")
    (folder / "short").write_text("x")
    (tmp_path / "other").write_text("x")
    (folder / "link").symlink_to("../other")
    assert files.read_every_file([str(folder)], at_most=9) == {
        f"{folder}/link": None,
        f"{folder}/long.sh": None,
        f"{folder}/short": b"x",
    }


def test_folders_without_a_file_are_wrong_usage(tmp_path: Path) -> None:
    for folder in ("empty", ".hidden", "other/.git"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / ".hidden/x").write_text("x")
    with pytest.raises(UsageError, match="the paths hold no file: name the files of a build"):
        run(str(tmp_path), str(tmp_path / "empty"))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param([], "must be named", id="no path"),
        pytest.param(["no/such/file"], 'no file or folder "no/such/file"', id="a path that is not there"),
        pytest.param(["--fix", "."], "unknown option", id="an option of lint"),
        pytest.param(["--output", "xml", "."], "must be one of text, json", id="another output"),
    ],
)
def test_wrong_usage_is_reported(arguments: list[str], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        run(*arguments)


def test_the_command_prints_no_password_and_its_help_names_the_codes(build: Path) -> None:
    done = inject_proxy("", "check-image", str(build))
    assert done.returncode == 1
    assert SECRET.encode() not in done.stdout + done.stderr
    assert b"exit codes" in inject_proxy("", "check-image", "--help").stdout


def test_the_page_shows_what_comes_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (ROOT / "docs/check-image.md").read_text()
    text, expected = re.findall(r"^```(?:yaml)?\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    file = tmp_path / re.findall(r"^Of `(.+)`$", page, re.MULTILINE)[0]
    file.parent.mkdir(parents=True)
    file.write_text(text)
    monkeypatch.chdir(tmp_path)
    answer = run("roles")
    assert (answer.output.decode(), answer.exit_code) == (expected, 1)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        pytest.param([], 0, id="a warning fails nothing"),
        pytest.param(["--fail-on", "warning"], 1, id="unless it is asked for"),
        pytest.param(["--fail-on=error"], 0, id="nor where errors are asked for"),
    ],
)
def test_the_exit_code_follows_the_least_severity_that_fails(arguments: list[str], code: int, tmp_path: Path) -> None:
    playbook = tmp_path / "tasks.yml"
    playbook.write_text("- copy: {src: proxy.conf, dest: /etc/apt/apt.conf.d/99-http-proxy.conf}\n")
    answer = run(*arguments, str(playbook))
    assert "[warning]" in answer.output.decode()
    assert "[error]" not in answer.output.decode()
    assert answer.exit_code == code


def test_another_severity_is_wrong_usage(build: Path) -> None:
    with pytest.raises(UsageError, match="must be one of error, warning"):
        run("--fail-on", "info", str(build))
