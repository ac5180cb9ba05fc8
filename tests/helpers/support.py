"""What several test files need: the command as a user runs it, and the tools that judge its work.

A tool that is missing is never a silent pass. For a person the test skips and says in one line
how to get the tool; where ``REQUIRE_TOOLS=1`` is set (CI) it fails. The exception is kpt, which no package
registry has: its tests skip, the summary counts them, and `kpt_exchanges.py` replays what kpt was recorded to do.
"""

from __future__ import annotations

import base64
import difflib
import functools
import io
import os
import pty
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NoReturn

import pytest

from krm_fn.cli import main
from krm_fn.cli.diff import coloured, diff_lines
from krm_fn.krm.manifests import ContentChange
from krm_fn.krm.masking import ProxyPasswords

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / ".cache"
TOOLS = ROOT / "tests" / "tools"
COMMAND = Path(sys.executable).with_name("inject-proxy")
MAY_BE_MISSING = "kpt"
"""The tool without which CI passes, because no package registry has it."""
TIME_LIMIT = 60.0
"""Seconds after which a run counts as a hang."""

BUILT_BY_JUDGED = (
    "actionlint admission-policy age-keygen argocd-cmp-server cluster-class containerd-hosts flux-envsubst helm-values "
    "httpproxy ignition-files kyverno sbom-packages sops ytt"
)
OF_DEBIAN = "curl debootstrap fish git jq perl ruby shellcheck systemd wget zsh"
HOW_TO_GET = {
    **dict.fromkeys(BUILT_BY_JUDGED.split(), "`make judged` builds it where Go is installed"),
    **{name: f"`apt-get install {name}`" for name in OF_DEBIAN.split()},
    "check-jsonschema": "`pip install -e '.[dev]'` brings it",
    "pre-commit": "`pip install -e '.[dev]'` brings it",
    "docker": "install Docker, or on Debian `apt-get install docker.io`",
    "go": "install Go",
    "java": "install a JDK, on Debian `apt-get install default-jdk-headless`",
    "javac": "install a JDK, on Debian `apt-get install default-jdk-headless`",
    "kpt": "download a release of kpt and put it on PATH",
    "kubectl": "`make tools` builds it where Go is installed",
    "kustomize": "`make tools` builds it where Go is installed",
    "node": "install Node.js, on Debian `apt-get install nodejs`",
    "setpriv": "`apt-get install util-linux`",
}


def search_path() -> str:
    """PATH as the tests see it: our command, then what `make tools` built, then the user's, then systemd's folders."""
    ours = [str(COMMAND.parent), str(CACHE / "bin")]
    return os.pathsep.join([*ours, os.environ.get("PATH", os.defpath), "/usr/lib/systemd", "/lib/systemd", "/usr/sbin"])


def need(tool: str) -> str:
    """The path of the command ``tool``, or the end of this test."""
    return shutil.which(tool, path=search_path()) or missing(tool, HOW_TO_GET.get(tool, "put it on PATH"))


def missing(what: str, how_to_get: str) -> NoReturn:
    """End this test, in one line, because ``what`` is not there: a failure with ``REQUIRE_TOOLS=1``, else a skip."""
    message = f"{what} is missing: {how_to_get}"
    if os.environ.get("REQUIRE_TOOLS") == "1" and what != MAY_BE_MISSING:
        pytest.fail(message, pytrace=False)
    pytest.skip(message)


def need_engine() -> str:
    """The path of the ``docker`` client, if an engine answers it."""
    docker = need("docker")
    if not _engine_answers(docker):
        missing("a container engine that answers `docker info`", "start Docker, or set DOCKER_HOST")
    return docker


@functools.cache
def _engine_answers(docker: str) -> bool:
    return subprocess.run([docker, "info"], capture_output=True, timeout=TIME_LIMIT, check=False).returncode == 0


def run(
    argv: Iterable[str | Path],
    stdin: bytes = b"",
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    first_on_path: Path | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Run a tool with our command on its PATH; ``env`` is added to the environment of this process."""
    path = search_path() if first_on_path is None else f"{first_on_path}{os.pathsep}{search_path()}"
    return subprocess.run(
        [str(word) for word in argv],
        input=stdin,
        capture_output=True,
        cwd=cwd,
        env={**os.environ, "PATH": path, **(env or {})},
        timeout=TIME_LIMIT,
        check=False,
    )


def shell(script: str, folder: Path, **env: str) -> subprocess.CompletedProcess[str]:
    """Run a script of a page as a job does: it ends at the first command that fails, and finds our command."""
    return subprocess.run(
        ["sh", "-e"],
        input=script,
        cwd=folder,
        env={**os.environ, "PATH": search_path(), **env},
        capture_output=True,
        text=True,
        timeout=TIME_LIMIT,
        check=False,
    )


def inject_proxy(
    stdin: bytes | str, *argv: str, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run the command in this process, as an orchestrator does: a pipe, and nothing in the environment but ``env``."""
    data = stdin.encode() if isinstance(stdin, str) else stdin
    streams = [io.TextIOWrapper(io.BytesIO(content), "utf-8", "backslashreplace") for content in (data, b"", b"")]
    names = ("stdin", "stdout", "stderr")
    before = [getattr(sys, name) for name in names]
    environment, folder = dict(os.environ), Path.cwd()
    try:
        for name, stream in zip(names, streams, strict=True):
            setattr(sys, name, stream)
        os.environ.clear()
        os.environ.update(env or {})
        os.chdir(cwd or folder)
        code = main(argv)
    finally:
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        for name, stream in zip(names, before, strict=True):
            setattr(sys, name, stream)
    _, out, err = streams
    err.flush()
    return subprocess.CompletedProcess(["inject-proxy", *argv], code, out.buffer.getvalue(), err.buffer.getvalue())


def in_a_process(
    stdin: bytes | str, *argv: str, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run the installed command, where the process itself, its streams or its memory are what is tested."""
    return subprocess.run(
        [str(COMMAND), *argv],
        input=stdin.encode() if isinstance(stdin, str) else stdin,
        capture_output=True,
        cwd=cwd,
        env=dict(env or {}),
        timeout=TIME_LIMIT,
        check=False,
    )


def on_a_terminal(
    argv: Sequence[str], cwd: Path, *streams: str, env: Mapping[str, str] | None = None, typed: str = ""
) -> tuple[int, str]:
    """The exit code of the command, and what it shows, where these streams of it are a terminal, and a person types."""
    ours, theirs = pty.openpty()
    started = subprocess.Popen(
        [str(COMMAND), *argv],
        cwd=cwd,
        env={"PATH": os.environ["PATH"], **(env or {})},
        **{name: theirs if name in streams else subprocess.DEVNULL for name in ("stdin", "stdout", "stderr")},
    )
    os.close(theirs)
    os.write(ours, typed.encode())
    shown = b""
    try:
        while part := os.read(ours, 65536):
            shown += part
    except OSError:  # the end of a terminal
        pass
    os.close(ours)
    return started.wait(TIME_LIMIT), shown.decode()


def base64_of(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def write(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """The folder, in which these files are then."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def example(name: str, copy_to: Path) -> Path:
    """A copy of all examples in the folder ``copy_to``, and in it the folder of the example ``name``."""
    shutil.copytree(ROOT / "examples", copy_to, dirs_exist_ok=True)
    return copy_to / name


def readme_command(folder: Path, beginning: str) -> list[str]:
    """The one command in the README of ``folder`` that begins so, as the words a shell would make of it."""
    text = (folder / "README.md").read_text().replace("\\\n", " ")
    (line,) = (line for line in text.splitlines() if line.startswith(f"    {beginning} "))
    return shlex.split(line, comments=True)


def diff_of_folders(before: Path, after: Path) -> bytes:
    """What changed between two folders, as a unified diff of their files, in the order of their names."""
    names = sorted({path.relative_to(top) for top in (before, after) for path in top.rglob("*") if path.is_file()})
    lines: list[str] = []
    for name in names:
        old, new = (_lines(top / name) for top in (before, after))
        lines += difflib.unified_diff(old, new, f"a/{name.as_posix()}", f"b/{name.as_posix()}")
    return "".join(lines).encode()


def _lines(path: Path) -> list[str]:
    return path.read_text().splitlines(keepends=True) if path.exists() else []


def unified_diff(
    name: str, before: bytes | None, after: bytes | None, *, has_colours: bool, passwords: ProxyPasswords | None = None
) -> list[str]:
    """Return the lines of a diff of one file, without line breaks; None is a file that does not exist.

    The line that makes `git apply` refuse what hides a credential is left out.
    """
    files = {name: ContentChange(before, after)}
    lines, _ = diff_lines(files, passwords or ProxyPasswords(), is_grouped=False)
    lines = [line for line in lines if not line.startswith("* ")]
    return [coloured(line) if has_colours else line for line in lines]


@functools.cache
def out(*argv: str) -> str:
    """What a command prints that succeeds and says nothing on standard error."""
    done = inject_proxy("", *argv)
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode()
