"""Change one module of the package in every small way, and list the changes that no test notices.

Usage: ``mutants.py MODULE [TEST...]``, as in ``mutants.py krm_fn/formats/escaping.py``. mutmut makes the changes
(https://mutmut.readthedocs.io) in a copy of the repository below ``.cache/mutants``, and runs the tests that call the
changed function: those of the module and of its package, then for what is left the golden stories; or those that are
named. It changes functions, not what a module or a class defines, and no property.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import unit

ROOT = Path(__file__).resolve().parent.parent.parent
COPY = ROOT / ".cache" / "mutants"
STORIES = [
    f"tests/test_golden.py::test_{name}"
    for name in (
        "the_answer_is_what_is_stored",
        "the_results_are_what_is_stored",
        "the_errors_are_those_that_are_stored",
        "removal_gives_back_what_was_there_or_what_is_stored",
    )
]
IMPORTS = "tests/test_clients.py::test_the_room_knows_nothing_but_the_standard_library"
"""It counts imports, and mutmut adds one."""
CONFIGURATION = """

[tool.mutmut]
source_paths = ["{module}"]
pytest_add_cli_args_test_selection = {tests}
pytest_add_cli_args = ["-p", "no:randomly", "-p", "no:cacheprovider", "--deselect={imports}"]
also_copy = {files}
timeout_multiplier = 3.0
timeout_constant = 5.0
"""


def main(module: str, tests: list[str]) -> int:
    """Look for changes of a module that survive; return 1 if there are some."""
    if not (ROOT / module).is_file():
        sys.stderr.write(f"mutants: there is no {module}: name a module, as in MODULE=krm_fn/formats/escaping.py\n")
        return 2
    started = time.monotonic()
    files = _copied(module)
    states: dict[str, str] = {}
    left: list[str] = []
    for chosen in [tests] if tests else [tests_of(module), STORIES]:
        _write_configuration(module, chosen, files)
        states |= _states(left)
        left = [name for name, state in states.items() if state not in ("killed", "timeout")]
        if not left:
            break
    for name in left:
        shown = subprocess.run([_tool(), "show", name], cwd=COPY, capture_output=True, text=True, check=True)
        lines = [line for line in shown.stdout.splitlines() if line.startswith(("@@", "+ ", "- "))]
        sys.stdout.write("\n".join([f"{name}: {states[name]}", *lines, "\n"]))
    minutes = (time.monotonic() - started) / 60
    sys.stdout.write(f"mutants: {len(states)} changes of {module}, {len(left)} survive, {minutes:.0f} minutes\n")
    return int(bool(left))


def tests_of(module: str) -> list[str]:
    """Return the test files of a module and of its package."""
    path = Path(module)
    names = [path.stem] if path.stem != "__init__" else []
    names += path.parts[1:-1]
    own = {file for name in names for file in unit.test_files(name)}
    return sorted(str(file.relative_to(ROOT)) for file in own)


def _states(names: list[str]) -> dict[str, str]:
    """Try changes, all without a name, and return what became of each; SystemExit where the tests fail without one."""
    done = subprocess.run([_tool(), "run", *names], cwd=COPY, capture_output=True, text=True, check=False)
    found = subprocess.run([_tool(), "results", "--all", "true"], cwd=COPY, capture_output=True, text=True, check=True)
    states = dict(line.strip().split(": ") for line in found.stdout.splitlines() if ": " in line)
    states = {name: states[name] for name in names or states}
    if not states or "not checked" in states.values():
        sys.stderr.write(
            f"mutants: the tests do not pass without a change:\n{done.stdout[-3000:]}{done.stderr[-1000:]}\n"
        )
        sys.exit(2)
    return states


def _tool() -> Path:
    return Path(sys.executable).with_name("mutmut")


def _copied(module: str) -> list[str]:
    """Lay a copy of the tracked files, in which mutmut may write; return the names of files and folders at its top."""
    shutil.rmtree(COPY, ignore_errors=True)
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    names = [name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]
    for name in names:
        (COPY / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, COPY / name)
    # mutmut leaves functions with a decorator alone, and without a cache they say the same.
    text = (ROOT / module).read_text()
    (COPY / module).write_text(re.sub(r"^ *@(?:lru_cache|cache)\b.*\n", "", text, flags=re.MULTILINE))
    return sorted({name.split("/")[0] for name in names})


def _write_configuration(module: str, tests: list[str], files: list[str]) -> None:
    text = (ROOT / "pyproject.toml").read_text()
    text += CONFIGURATION.format(module=module, tests=repr(tests), files=repr(files), imports=IMPORTS)
    (COPY / "pyproject.toml").write_text(text)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "", sys.argv[2:]))
