"""Run the golden stories with every Python that is here, with and without libyaml, with old and with new packages.

Usage: ``matrix.py [ARGUMENT...]``; the arguments are for pytest, such as ``-k kubelet``. Each row gets an environment
of its own below ``.cache/matrix``; a Python from 3.10 on that is not here is named, and fails the run where
``REQUIRE_TOOLS=1``.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
ENVIRONMENTS = ROOT / ".cache" / "matrix"
PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
TESTS = ["pytest>=8.0", "hypothesis>=6.100"]
"""What the golden stories need besides the package."""
WITHOUT_LIBYAML = "import sys; sys.modules['yaml._yaml'] = None\n"


def main(arguments: list[str]) -> int:
    """Run every row; return 1 if one fails."""
    failed = False
    for version in PYTHONS:
        python = found(version)
        if python is None:
            failed |= os.environ.get("REQUIRE_TOOLS") == "1"
            say(f"Python {version}: not here")
            continue
        failed |= not passes(version, "newest", python, [], arguments)
        failed |= not passes(version, "oldest", python, oldest(), arguments)
    newest = next((version for version in reversed(PYTHONS) if found(version)), None)
    if newest:
        failed |= not passes(newest, "without libyaml", found(newest) or "", [], arguments)
    return int(failed)


def found(version: str) -> str | None:
    """Return the path of a Python that starts; pyenv has names for some that do not."""
    python = shutil.which(f"python{version}")
    installed = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python{version}"))
    for one in (python, *map(str, installed)):
        if one and subprocess.run([one, "--version"], capture_output=True, check=False).returncode == 0:
            return one
    return None


def oldest() -> list[str]:
    """Return the oldest version that pyproject.toml allows of each dependency, as requirements."""
    text = (ROOT / "pyproject.toml").read_text()
    (listed,) = re.findall(r"^dependencies = \[\n(.*?)^\]", text, re.MULTILINE | re.DOTALL)
    return [one.replace(">=", "==") for one in re.findall(r'"([^"]+)"', listed)]


def passes(version: str, row: str, python: str, pins: list[str], arguments: list[str]) -> bool:
    """Run the golden stories in an environment of this row; say whether they pass."""
    folder = ENVIRONMENTS / f"{version}-{row.replace(' ', '-')}"
    subprocess.run([python, "-m", "venv", "--clear", folder], check=True)
    pip = [folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    done = subprocess.run([*pip, "--editable", ROOT, *TESTS, *pins], capture_output=True, text=True, check=False)
    if done.returncode:
        say(f"Python {version}, {row}: {' '.join(pins)} cannot be installed: {done.stderr.strip().splitlines()[-1]}")
        return False
    if row == "without libyaml":
        (package,) = folder.glob("lib/python*/site-packages")
        (package / "without_libyaml.pth").write_text(WITHOUT_LIBYAML)
    command = [folder / "bin" / "python", "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_golden.py"]
    done = subprocess.run([*command, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    say(f"Python {version}, {row}: {done.stdout.strip().splitlines()[-1] if done.stdout else done.stderr[-300:]}")
    if done.returncode:
        say(done.stdout[-3000:])
    return done.returncode == 0


def say(line: str) -> None:
    """Print a line at once: a row takes a minute."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
