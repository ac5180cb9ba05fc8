"""Run the golden stories with every Python that is here: with new and old packages, with and without libyaml.

Usage: ``matrix.py [ARGUMENT...]``; the arguments are for pytest, such as ``-k kubelet``. Each row gets an environment
of its own below ``.cache/matrix``. The table is Markdown; what a row printed where it failed follows it. A row whose
packages cannot be installed fails. A Python from 3.10 on that is not here is named, and fails the run where
``REQUIRE_TOOLS=1``.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent.parent
ENVIRONMENTS = ROOT / ".cache" / "matrix"
PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
PACKAGES = ("newest", "oldest", "newest, libyaml hidden")
TESTS = ["pytest>=8.0", "hypothesis>=6.100"]
"""What the golden stories need besides the package."""
HIDDEN = "import sys; sys.modules['yaml._yaml'] = None\n"
"""A line of a ``.pth`` file: Python runs it when it starts."""
VERSIONS = """\
import platform, yaml
from importlib.metadata import version
libyaml = "with libyaml" if yaml.__with_libyaml__ else "without libyaml"
packages = ", ".join(f"{name} {version(name)}" for name in ("jsonpatch", "jsonschema"))
print(f"{platform.python_version()} | PyYAML {version('PyYAML')} {libyaml}, {packages}")
"""
"""Prints two cells of the table, as they are where it runs."""


class Row(NamedTuple):
    """What one environment showed: the cells of the table, and what was printed where it failed."""

    cells: str
    stories: str
    failure: str = ""


def main(arguments: list[str]) -> int:
    """Run every row; return 1 if one fails."""
    say("| Python | packages | golden stories |\n|---|---|---|")
    failures = []
    for version in PYTHONS:
        python = found(version)
        if python is None:
            say(f"| {version} | | not on this machine |")
            if os.environ.get("REQUIRE_TOOLS") == "1":
                failures.append(f"Python {version} is missing")
            continue
        for packages in PACKAGES:
            row = tried(python, version, packages, arguments)
            say(f"| {row.cells} | {row.stories} |")
            if row.failure:
                failures.append(f"Python {version}, {packages}:\n{row.failure}")
    for failure in failures:
        say(f"\n{failure}")
    return int(bool(failures))


def found(version: str) -> str | None:
    """Return the path of a Python that starts; pyenv has names for some that do not."""
    python = shutil.which(f"python{version}")
    installed = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python{version}"))
    for one in (python, *map(str, installed)):
        if one and subprocess.run([one, "--version"], capture_output=True, check=False).returncode == 0:
            return one
    return None


def tried(python: str, version: str, packages: str, arguments: list[str]) -> Row:
    """Make the environment of a row, run the golden stories there, and return what came out."""
    folder = ENVIRONMENTS / f"{version}-{re.sub('[^a-z]+', '-', packages)}"
    subprocess.run([python, "-m", "venv", "--clear", folder], check=True)
    inside = str(folder / "bin" / "python")
    wanted = ["--editable", str(ROOT), *TESTS, *(oldest() if packages == "oldest" else [])]
    done = run([inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted])
    if done.returncode:
        return Row(f"{version} | {packages}", "cannot be installed", done.stderr)
    if packages == "newest, libyaml hidden":
        (site_packages,) = folder.glob("lib/python*/site-packages")
        (site_packages / "hidden.pth").write_text(HIDDEN)
    cells = run([inside, "-c", VERSIONS])
    if cells.returncode:
        return Row(f"{version} | {packages}", "does not start", cells.stderr)
    done = run([inside, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_golden.py", *arguments])
    lines = done.stdout.strip().splitlines() or ["nothing was printed"]
    stories = re.sub(r" in [\d.]+s.*", "", lines[-1].strip("= "))
    return Row(cells.stdout.strip(), stories, (done.stdout[-3000:] + done.stderr[-1000:]) if done.returncode else "")


def oldest() -> list[str]:
    """Return the oldest version that pyproject.toml allows of each dependency, as requirements."""
    text = (ROOT / "pyproject.toml").read_text()
    (listed,) = re.findall(r"^dependencies = \[\n(.*?)^\]", text, re.MULTILINE | re.DOTALL)
    return [one.replace(">=", "==") for one in re.findall(r'"([^"]+)"', listed)]


def run(argv: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a command in this checkout and keep what it prints."""
    return subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False)


def say(line: str) -> None:
    """Print a line at once: a row takes a minute or more."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
