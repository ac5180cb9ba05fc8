"""Change one module of the package in every small way, and list the changes that no test notices.

Usage: ``mutants.py MODULE [TEST...]``, as in ``mutants.py krm_fn/formats/escaping.py``. mutmut makes the changes
(https://mutmut.readthedocs.io) in a copy of the repository below ``.cache/mutants``, and runs the tests that call the
changed function, of those that are named; without a name, of those of the module, of its package and of the stories.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path

import unit

ROOT = Path(__file__).resolve().parent.parent.parent
COPY = ROOT / ".cache" / "mutants"
CONFIGURATION = """

[tool.mutmut]
source_paths = ["{module}"]
pytest_add_cli_args_test_selection = {tests}
pytest_add_cli_args = ["-p", "no:randomly", "-p", "no:cacheprovider"]
also_copy = {files}
"""


def main(module: str, tests: list[str]) -> int:
    """Look for changes of a module that survive; return 1 if there are some."""
    if not (ROOT / module).is_file():
        sys.stderr.write(f"mutants: there is no {module}: name a module, as in MODULE=krm_fn/formats/escaping.py\n")
        return 2
    _copied(module, tests or tests_of(module))
    started = time.monotonic()
    tool = Path(sys.executable).with_name("mutmut")
    done = subprocess.run([tool, "run"], cwd=COPY, capture_output=True, text=True, check=False)
    found = subprocess.run([tool, "results", "--all", "true"], cwd=COPY, capture_output=True, text=True, check=True)
    states = dict(line.strip().split(": ") for line in found.stdout.splitlines() if ": " in line)
    if not states:
        sys.stderr.write(
            f"mutants: the tests do not pass without a change:\n{done.stdout[-3000:]}{done.stderr[-1000:]}\n"
        )
        return 2
    left = [name for name, state in states.items() if state not in ("killed", "timeout")]
    for name in left:
        shown = subprocess.run([tool, "show", name], cwd=COPY, capture_output=True, text=True, check=True)
        lines = [line for line in shown.stdout.splitlines() if line.startswith(("@@", "+ ", "- "))]
        sys.stdout.write("\n".join([f"{name}: {states[name]}", *lines, "\n"]))
    minutes = (time.monotonic() - started) / 60
    sys.stdout.write(f"mutants: {len(states)} changes of {module}, {len(left)} survive, {minutes:.0f} minutes\n")
    return int(bool(left))


def tests_of(module: str) -> list[str]:
    """Return the test files that run for a module: its own, those of its package, and the golden stories."""
    path = Path(module)
    names = [path.stem] if path.stem != "__init__" else []
    names += path.parts[1:-1]
    own = {file for name in names for file in unit.test_files(name)}
    golden = ROOT / "tests" / "test_golden.py"
    return sorted(str(file.relative_to(ROOT)) for file in {*own, golden})


def _copied(module: str, tests: list[str]) -> None:
    """Lay a copy of the tracked files, in which mutmut may write."""
    shutil.rmtree(COPY, ignore_errors=True)
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    names = [name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]
    for name in names:
        (COPY / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, COPY / name)
    tops = sorted({name.split("/")[0] for name in names})
    with (COPY / "pyproject.toml").open("a") as file:
        file.write(CONFIGURATION.format(module=module, tests=repr(tests), files=repr(tops)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "", sys.argv[2:]))
