"""Repositories that change by chance, and what runs say of them: for `--changed` and `--shard`."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from shim import run as command
from krm_fn.errors import InjectProxyError
from support import finished

Finding = tuple[str, ...]
_MERGED = {"NP038", "ClusterNameTaken", "NoProxyReplaced"}
"""Codes of which one finding stands for many objects, and a run over a part names others of them."""
_GIT = ("git", "-c", "user.name=test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false")


@contextmanager
def inside(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def git(folder: Path, *argv: str) -> str:
    return subprocess.run([*_GIT, *argv], cwd=folder, check=True, capture_output=True, text=True).stdout


def write_story(story: Path, folder: Path) -> None:
    """Write the objects of a golden story as files, one for each, and its ProxyConfig beside them."""
    given = yaml.safe_load((story / "input.yaml").read_text())
    for number, item in enumerate(given["items"]):
        kind = item.get("kind", "none").lower()
        file = folder / f"part{number % 3}" / f"{number:02}-{kind}.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(yaml.safe_dump(item, sort_keys=False))
    (folder / "proxy.yaml").write_text(yaml.safe_dump(given["functionConfig"], sort_keys=False))


def commit(folder: Path) -> None:
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "base")


def reset(folder: Path) -> None:
    git(folder, "reset", "--quiet", "--hard")
    git(folder, "clean", "--quiet", "-fdx")


def checked(folder: Path, *argv: str) -> set[Finding] | str:
    """What a check reports, as code, severity, file, object, field and message; or the error that stops it."""
    with inside(folder):
        try:
            done = finished(command.run(["--check", "--output", "json", "--verbose", *argv], lambda: b""))
        except InjectProxyError as error:
            return f"{type(error).__name__}"
    return {_normal(one) for one in json.loads(done.output)}


def diffed(folder: Path, *argv: str) -> dict[str, str] | str:
    """Name of each file that would change -> its part of the diff; or the error that stops the run."""
    with inside(folder):
        try:
            done = finished(command.run(["--diff", *argv], lambda: b""))
        except InjectProxyError as error:
            return f"{type(error).__name__}"
    parts = re.split(r"^(?=--- )", done.output.decode(), flags=re.MULTILINE)
    return {part.split("\n", 2)[1]: part for part in parts if part}


def _normal(one: dict[str, Any]) -> Finding:
    code = one.get("tags", {}).get("rule", "")
    if code in _MERGED:
        return (code,)
    message = re.sub(r" \(also true of .*\)$", "", one["message"])
    ref = one.get("resourceRef", {})
    names = [ref.get(name, "") for name in ("kind", "namespace", "name")]
    file = one.get("file", {})
    where = f"{file.get('path', '')}#{file.get('index', 0)}"
    return (code, one["severity"], where, *names, one.get("field", {}).get("path", ""), message)


def change(folder: Path, chance: random.Random) -> str:
    """Change one file of a repository by chance, and say how."""
    files = sorted(path for path in folder.rglob("*.yaml") if ".git" not in path.parts)
    file = chance.choice(files)
    other = chance.choice(files)
    lines = file.read_text().splitlines(keepends=True)
    words = re.findall(r"[\w.-]+", other.read_text())
    how = chance.choice(["delete", "move", "copy", "cut", "swap", "swap", "digit", "value", "join", "add"])
    if how == "delete":
        file.unlink()
    elif how == "move":
        file.rename(file.with_name(f"moved-{file.name}"))
    elif how == "copy":
        copied = re.sub(r"(?m)^(  name: .*)$", r"\1-copy", file.read_text())
        file.with_name(f"copy-{file.name}").write_text(copied)
    elif how == "cut":
        del lines[chance.randrange(len(lines))]
        file.write_text("".join(lines))
    elif how in ("swap", "digit", "value"):
        pattern = {"swap": r"[\w.-]+$", "digit": r"\d+", "value": r"(?<=: )\S+$"}[how]
        places = [match.span() for match in re.finditer(pattern, file.read_text(), re.MULTILINE)]
        if places:
            start, end = chance.choice(places)
            new = str(chance.randrange(250)) if how == "digit" else chance.choice(words or ["x"])
            text = file.read_text()
            file.write_text(text[:start] + new + text[end:])
    elif how == "join":
        file.write_text(f"{file.read_text()}---\n{other.read_text()}")
    else:
        file.with_name("new.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: new}\n")
    return f"{how} {file.relative_to(folder)}"


def parts_of(folder: Path, number: int, argv: Sequence[str] = ()) -> list[set[Finding] | str]:
    return [checked(folder, "--shard", f"{index}/{number}", *argv) for index in range(1, number + 1)]
