"""kpt as the tests call it: the real one where it is installed, else what it was recorded to do.

No package registry has kpt, so that many machines, those of CI among them, are without it. An exchange is one call of
kpt on a folder: each ResourceList that kpt sends to our function, the answer, and what kpt makes of it (files, stderr,
exit code). `tests/tools/record-kpt` writes the exchanges of each test into ``tests/kpt/recorded``.

- Where kpt is installed, a test runs it, and what it does must be what is recorded.
- Elsewhere our function gets the recorded ResourceList. Its answer must be the recorded one; then the files that kpt
  wrote are the result, and the test goes on with them.

In both cases a recording that is no longer true fails the test that it belongs to.
"""

from __future__ import annotations

import difflib
import functools
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from support import COMMAND, ROOT, TIME_LIMIT, run, search_path

RECORDED = ROOT / "tests" / "kpt" / "recorded"
RECORD_AGAIN = "Run tests/tools/record-kpt where kpt is installed, and read the diff"
FOLDER = "/the-package"
"""What stands for the path of the package in a recording; kpt sends it in an annotation."""

SHIM = """\
#!/usr/bin/env bash
# Runs our function in its place, and keeps what kpt sends and what the function answers.
set -euo pipefail
call={calls}/$(find {calls} -mindepth 1 -maxdepth 1 | wc -l)
mkdir "$call"
cat >"$call/sent"
{command} "$@" <"$call/sent" >"$call/answer" 2>"$call/stderr" && code=0 || code=$?
cat "$call/stderr" >&2
cat "$call/answer"
echo "$code" >"$call/exit_code"
exit "$code"
"""

Exchange = dict[str, Any]
_written: dict[Path, list[Exchange]] = {}
"""The exchanges that this process has recorded so far, by the file that they are in."""


def kpt(
    argv: Sequence[str | Path],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    first_on_path: Path | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Run ``kpt`` with these arguments on a folder, or replay what it did when it was recorded."""
    words = [str(word) for word in argv]
    folder = package_of(words, cwd)
    recording = recording_of(os.environ["PYTEST_CURRENT_TEST"])
    if shutil.which("kpt", path=search_path()) is None:
        return replay(recording, words, folder)
    done, exchange = call(words, folder, cwd, env or {}, first_on_path)
    if os.environ.get("RECORD_KPT") == "1":
        record(recording, exchange)
    else:
        compare(recording, exchange)
    return done


def recording_of(test: str) -> Path:
    """Return the file with the exchanges of a test, which pytest names as ``path::name[id] (phase)``."""
    path, _, name = test.rpartition(" (")[0].partition("::")
    return RECORDED / Path(path).stem / f"{slug(name)}.yaml"


def slug(name: str) -> str:
    """Return a name for a file: words with hyphens between them."""
    return re.sub(r"[^A-Za-z0-9]+", "-", name.removeprefix("test_")).strip("-")


def package_of(words: Sequence[str], cwd: Path | None) -> Path:
    """Return the folder that ``fn eval FOLDER`` or ``fn render [FOLDER]`` works on."""
    here = cwd or Path.cwd()
    if len(words) > 2 and not words[2].startswith("-"):
        return (here / words[2]).resolve()
    return here


def files_of(folder: Path) -> dict[str, str]:
    """Return the text of each file of a folder, by its path there."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes().decode() for path in paths}


def command_line(words: Sequence[str], folder: Path) -> str:
    """Return the call without any path of this machine."""
    plain = ["kpt"]
    for number, word in enumerate(words):
        if number > 1 and folder == (folder / word).resolve():
            plain.append(FOLDER)
        elif word.startswith("/"):
            plain.append(Path(word).name)
        else:
            plain.append(word)
    return " ".join(plain)


def key_of(command: str, files: Mapping[str, str]) -> str:
    """Return what an exchange is found by: the same call on the same files."""
    return hashlib.sha256(repr((command, sorted(files.items()))).encode()).hexdigest()[:16]


def difference(sent: str, answer: str) -> str:
    """Return what the function changed in a ResourceList, as a unified diff without context."""
    lines = difflib.unified_diff(sent.splitlines(keepends=True), answer.splitlines(keepends=True), n=0)
    return "".join(list(lines)[2:])


# The real kpt.


def call(
    words: Sequence[str], folder: Path, cwd: Path | None, env: Mapping[str, str], first_on_path: Path | None
) -> tuple[subprocess.CompletedProcess[bytes], Exchange]:
    """Run the real kpt, with a program in place of our command that keeps what goes in and out of it."""
    before = files_of(folder)
    with tempfile.TemporaryDirectory() as scratch:
        calls, shim = Path(scratch, "calls"), Path(scratch, "bin", "inject-proxy")
        calls.mkdir()
        shim.parent.mkdir()
        shim.write_text(SHIM.format(calls=calls, command=COMMAND))
        shim.chmod(0o755)
        if first_on_path is not None:
            for tool in first_on_path.iterdir():
                (shim.parent / tool.name).symlink_to(tool)
        argv = ["kpt", *(str(shim) if word == str(COMMAND) else word for word in words)]
        environment = {**env, "KRM_FN": str(shim)}
        done = run(argv, cwd=cwd, env=environment, first_on_path=shim.parent)
        sent = [call_of(one, folder) for one in sorted(calls.iterdir(), key=lambda one: int(one.name))]
        stderr = done.stderr.decode().replace(str(shim), "inject-proxy").replace(str(folder), FOLDER)
    after = files_of(folder)
    command = command_line(words, folder)
    exchange: Exchange = {
        "key": key_of(command, before),
        "command": command,
        "calls": sent,
        "exit_code": done.returncode,
        "stderr": re.sub(r" in [0-9.]+m?s$", " in 0s", stderr, flags=re.MULTILINE),
        "written": {name: after.get(name) for name in sorted(before | after) if before.get(name) != after.get(name)},
    }
    return done, exchange


def call_of(kept: Path, folder: Path) -> Exchange:
    """Return one call of our function, from the folder in which the program in its place kept it."""
    sent, answered, stderr = (
        (kept / name).read_text().replace(str(folder), FOLDER) for name in ("sent", "answer", "stderr")
    )
    return {
        "sent": sent,
        "difference": difference(sent, answered),
        "stderr": stderr,
        "exit_code": int((kept / "exit_code").read_text()),
    }


def record(recording: Path, exchange: Exchange) -> None:
    """Add an exchange to the file of its test, which the first one replaces."""
    exchanges = _written.setdefault(recording, [])
    if all(one["key"] != exchange["key"] for one in exchanges):
        exchanges.append(exchange)
    recording.parent.mkdir(parents=True, exist_ok=True)
    text = yaml.dump({"kpt": kpt_version(), "exchanges": exchanges}, Dumper=_Dumper, sort_keys=False, width=1000)
    recording.write_text(f"# tests/tools/record-kpt writes this file; do not edit it.\n{text}")


@functools.cache
def kpt_version() -> str:
    """Return the version of the real kpt."""
    return run(["kpt", "version"]).stdout.decode().strip()


class _Dumper(yaml.SafeDumper):
    """Writes each text of several lines as a literal block, so that a person can read a recording and its diff."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)


def compare(recording: Path, exchange: Exchange) -> None:
    """Fail unless the real kpt did what is recorded; its stderr may differ with its version."""
    recorded = find(recording, exchange["key"], exchange["command"])
    for field in ("calls", "exit_code", "written"):
        if exchange[field] != recorded[field]:
            pytest.fail(
                f"`{exchange['command']}`: {field} differ from the recorded ones. {RECORD_AGAIN}:\n"
                + differences(recorded[field], exchange[field])
            )


# The recorded kpt.


def replay(recording: Path, words: Sequence[str], folder: Path) -> subprocess.CompletedProcess[bytes]:
    """Do what kpt did when it was called so on the same files, if our function still answers as it did then."""
    command = command_line(words, folder)
    exchange = find(recording, key_of(command, files_of(folder)), command)
    for recorded in exchange["calls"]:
        answered = answer(recorded["sent"])
        if answered != recorded:
            pytest.fail(
                f"`{command}`: the function answers otherwise than when kpt was recorded. {RECORD_AGAIN}:\n"
                + differences(recorded, answered)
            )
    for name, text in exchange["written"].items():
        path = folder / name
        if text is None:
            path.unlink()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
    stderr = exchange["stderr"].replace(FOLDER, str(folder)).encode()
    return subprocess.CompletedProcess(["kpt", *words], exchange["exit_code"], b"", stderr)


def answer(sent: str) -> Exchange:
    """Return what our function makes of a ResourceList, as it is recorded."""
    done = subprocess.run([COMMAND], input=sent.encode(), capture_output=True, timeout=TIME_LIMIT, check=False)
    return {
        "sent": sent,
        "difference": difference(sent, done.stdout.decode()),
        "stderr": done.stderr.decode(),
        "exit_code": done.returncode,
    }


def find(recording: Path, key: str, command: str) -> Exchange:
    """Return the exchange of a test that begins with this call on these files."""
    if not recording.exists():
        pytest.fail(f"`{command}`: {recording.relative_to(ROOT)} is missing. {RECORD_AGAIN}", pytrace=False)
    recorded = yaml.load(recording.read_text(), Loader=yaml.CSafeLoader)
    for exchange in recorded["exchanges"]:
        if exchange["key"] == key:
            assert isinstance(exchange, dict)
            return exchange
    return pytest.fail(
        f"`{command}`: no exchange in {recording.relative_to(ROOT)} begins with these files. {RECORD_AGAIN}",
        pytrace=False,
    )


def differences(recorded: object, actual: object) -> str:
    """Return a diff of two values, each written as YAML."""
    texts = [yaml.dump(value, Dumper=_Dumper, sort_keys=False, width=1000) for value in (recorded, actual)]
    lines = (text.splitlines(keepends=True) for text in texts)
    return "".join(difflib.unified_diff(*lines, "recorded", "now"))
