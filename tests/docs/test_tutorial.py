"""The tutorial is run word by word: the wheel, built from this checkout, in an environment that holds nothing else.

The packages that the wheel depends on come from the environment of the tests, each packed again as a wheel, so that pip
resolves what our wheel declares, and no network is needed. `make docs` writes what the commands print.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from importlib import metadata
from itertools import pairwise
from pathlib import Path

from packaging.requirements import Requirement

from markdown import Block, blocks
from support import ROOT, need

PAGE = ROOT / "docs" / "tutorial.md"
LIMIT = 300.0
"""Seconds after which a step counts as a hang."""


def test_the_tutorial_prints_what_it_says(tmp_path: Path, golden: Callable[[Path, bytes], None]) -> None:
    folder, wheels = tmp_path / "work", tmp_path / "wheels"
    folder.mkdir()
    wheels.mkdir()
    build_wheel(folder)
    pack_dependencies(wheels)
    text = PAGE.read_text(encoding="utf-8")
    printed = run_steps([step for step, _ in steps(text)], folder, wheels)
    for (_, expected), actual in reversed(list(zip(steps(text), printed, strict=True))):
        if expected is not None:
            text = text[: expected.start] + actual + text[expected.end :]
    golden(PAGE, text.encode())


def steps(text: str) -> Iterator[tuple[Block, Block | None]]:
    """Yield each block of commands, and the block of its output, if one follows at once."""
    found = list(blocks(text))
    last = Block("", "", len(text), len(text), 0)
    for block, following in pairwise([*found, last]):
        if block.language == "sh":
            between = text[block.end + len("```\n") : following.start]
            is_output = following.language in ("text", "diff") and between.strip() == f"```{following.language}"
            yield block, following if is_output else None


def run_steps(commands: list[Block], folder: Path, wheels: Path) -> list[str]:
    """Run the blocks in one shell, which stops at the first that fails, and return what each one prints."""
    git = Path(need("git")).parent
    mark = "--- end of a block ---"
    script = "".join(f"{block.text}echo '{mark}'\n" for block in commands)
    person = {"NAME": "A Person", "EMAIL": "person@corp.example"}
    environment = {f"GIT_{who}_{key}": value for who in ("AUTHOR", "COMMITTER") for key, value in person.items()}
    path = f"{python_folder(folder.parent)}:{git}:/usr/bin:/bin"
    environment |= {"HOME": str(folder), "PATH": path, "LC_ALL": "C.UTF-8"}
    environment |= {"GIT_CONFIG_NOSYSTEM": "1", "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels)}
    done = subprocess.run(
        ["sh", "-e", "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=folder,
        env=environment,
        timeout=LIMIT,
        check=False,
        text=True,
    )
    printed = done.stdout.split(f"{mark}\n")
    assert done.returncode == 0, f"block {len(printed)} failed:\n{printed[-1]}"
    assert printed.pop() == ""
    assert len(printed) == len(commands)
    return printed


def python_folder(folder: Path) -> Path:
    """Return a new folder with `python3`, the interpreter of the tests without their packages."""
    made = folder / "python"
    made.mkdir()
    (made / "python3").symlink_to(Path(sys.base_prefix) / "bin" / "python3")
    return made


def build_wheel(folder: Path) -> None:
    """Build our wheel into ``folder``, from a copy of what it is made of."""
    source = folder.parent / "source"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    for name in ("krm_fn", "functionconfig"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--disable-pip-version-check"]
    done = subprocess.run(
        [sys.executable, "-m", "pip", "wheel", *options, "--wheel-dir", str(folder), str(source)],
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
        env={**os.environ, "PIP_NO_INDEX": "1"},
    )
    assert done.returncode == 0, done.stderr


def pack_dependencies(wheels: Path) -> None:
    """Pack each package that ours needs, and what these need, as it is installed here."""
    waiting, packed = needed_by("inject-proxy"), set[str]()
    while waiting:
        name = waiting.pop()
        if name not in packed:
            packed.add(name)
            pack(metadata.distribution(name), wheels)
            waiting += needed_by(name)


def needed_by(name: str) -> list[str]:
    """Return the packages that a package needs here, without those of its extras."""
    requirements = [Requirement(text) for text in metadata.requires(name) or ()]
    return [one.name for one in requirements if not one.marker or one.marker.evaluate({"extra": ""})]


def pack(distribution: metadata.Distribution, wheels: Path) -> None:
    """Write the files of an installed package into a wheel; scripts and bytecode are made by pip."""
    facts = (distribution.read_text("WHEEL") or "").splitlines()
    tag = next(line.partition(": ")[2] for line in facts if line.startswith("Tag: "))
    name = distribution.metadata["Name"].replace("-", "_")
    with zipfile.ZipFile(wheels / f"{name}-{distribution.version}-{tag}.whl", "w") as archive:
        for file in distribution.files or ():
            if ".." not in file.parts and file.suffix != ".pyc":
                archive.write(str(file.locate()), str(file))
