"""What `make mutants` says of a small module: it runs this first, because `make test` installs no mutmut."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support import TOOLS

MODULE = """\
def repeated(text, times):
    result = ""
    while times > 0:
        result += text
        times = times - 1
    return result


def is_positive(number):
    return number > 0


def is_false(value):
    return not value
"""
TEST = """\
import os
import subprocess
import sys
from pathlib import Path

from small import is_positive, repeated

def test_a_text_is_repeated():
    assert repeated("ab", 2) == "abab"

def test_one_is_positive_and_minus_one_is_not():
    assert is_positive(1)
    assert not is_positive(-1)

def test_a_process_elsewhere_runs_it_without_a_change(tmp_path):
    code = "from small import repeated; repeated('a', 1)"
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)}
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=env, check=True)
"""
FAILS = """\
def test_that_fails():
    assert False
"""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a module, its tests, and the tool."""
    tools = tmp_path / "tests" / "tools"
    tools.mkdir(parents=True)
    shutil.copy(TOOLS / "mutants.py", tools)
    (tmp_path / "small.py").write_text(MODULE)
    (tmp_path / "tests" / "test_small.py").write_text(TEST)
    (tmp_path / "pyproject.toml").write_text('[tool.mutmut]\nsource_paths = ["small.py"]\n')
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    return tmp_path


def mutants(repository: Path) -> subprocess.CompletedProcess[str]:
    subprocess.run(["git", "add", "."], cwd=repository, check=True)
    command = [sys.executable, "tests/tools/mutants.py", "small.py", "tests"]
    return subprocess.run(command, cwd=repository, capture_output=True, text=True, check=False)


def test_what_no_test_notices_is_shown_and_a_loop_without_an_end_is_ended(repository: Path) -> None:
    done = mutants(repository)
    report = done.stdout[done.stdout.index("small.") :]
    assert (
        re.sub(r"(__mutmut_)\d+|[\d.]+(?= minutes)", r"\1N", report)
        == """\
small.x_repeated__mutmut_N: timeout
@@ -5 +5 @@
-        times = times - 1
+        times = times + 1

small.x_is_positive__mutmut_N: survived
@@ -2 +2 @@
-    return number > 0
+    return number >= 0

small.x_is_false__mutmut_N: no test calls it
@@ -2 +2 @@
-    return not value
+    return value

mutants: 12 changes of small.py, 2 survive, 1 end by the limit of time, N minutes
"""
    )
    assert done.returncode == 1


def test_a_test_that_fails_without_a_change_is_an_error_that_names_it(repository: Path) -> None:
    (repository / "tests" / "test_other.py").write_text(FAILS)
    done = mutants(repository)
    assert "FAILED tests/test_other.py::test_that_fails" in done.stdout
    assert "mutants: the tests do not pass without a change" in done.stderr
    assert done.returncode == 2
