"""Run all tests that start no process; or those of one target (its test file and its golden stories), or of one module.

Usage: ``unit.py [NAME [ARGUMENT...]]``, where the arguments are for pytest: ``unit.py tkgPinniped -x``.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from krm_fn.target_table import ROWS
from krm_fn.targets import TARGETS

ROOT = Path(__file__).resolve().parent.parent.parent


def main(name: str, arguments: list[str]) -> int:
    """Run the tests of ``name``: the ID of a target, its module, or another module; return the exit code of pytest.

    Without a name all tests run, and each one ends where it starts a process.
    """
    if not name:
        return run([ROOT / "tests"], None, ["--unit", "-rfE", *arguments])
    target = next((one for one in TARGETS if names_target(name, one)), None)
    if target:
        # A target for a known carrier has stories only.
        own = (ROOT / "tests" / "targets").glob(f"*/test_{file_name(target)}.py")
        files = [*own, ROOT / "tests" / "test_golden.py"]
    else:
        files = test_files(file_name(name))
    if not files:
        sys.stderr.write(f"unit: no tests/**/test_{file_name(name)}.py; targets are: {', '.join(TARGETS)}\n")
        return 2
    return run(files, target, arguments)


def names_target(name: str, target: str) -> bool:
    """Return whether a name is the ID of a target, its module, or the file of that."""
    module = ROWS[target].module
    return file_name(name) == file_name(target) or name.endswith(f"{module.replace('.', '/')}.py")


def file_name(name: str) -> str:
    """Return the name of the file of a module: ``tkgVsphereCPI`` -> ``tkg_vsphere_cpi``; others stay as they are."""
    stem = Path(name).stem.replace(".", "_")
    return re.sub(r"([A-Z]+(?![a-z])|[A-Z])", lambda capitals: f"_{capitals[1].lower()}", stem)


def test_files(module: str) -> list[Path]:
    """Return the test files of a module or a package: ``test_noproxy.py`` and ``test_noproxy_*.py``."""
    found = {*(ROOT / "tests").glob(f"**/test_{module}.py"), *(ROOT / "tests").glob(f"**/test_{module}_*.py")}
    return sorted(found)


def run(files: list[Path], target: str | None, arguments: list[str]) -> int:
    """Run pytest; of the golden stories only those of the target."""
    command = [sys.executable, "-m", "pytest", "-q", *map(str, files), *arguments]
    environment = dict(os.environ)
    if target:
        # A target has no story of some kinds: then the tests of these have no case.
        command += ["-k", f"{file_name(target)} or {target}", "-o", "empty_parameter_set_mark=skip"]
        environment["INJECT_PROXY_TEST_TARGET"] = target
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


if __name__ == "__main__":
    wanted, *others = sys.argv[1:] or [""]
    sys.exit(main(wanted, others))
