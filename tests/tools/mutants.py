"""Change one module of the package in every small way, and list the changes that no test notices.

Usage: ``mutants.py MODULE [TEST...]``, as in ``mutants.py krm_fn/formats/escaping.py``. The tests are those of the
module and of its package, then for what is left the golden stories; or those that are named.

mutmut (https://mutmut.readthedocs.io) writes all changes into one module, in a copy of the repository below
``.cache/mutants``. One process collects the tests and runs each of them without a change: which changed functions does
it call, and how long does it take? Then each change gets a fork of this process, which runs the tests that call its
function, the quickest first, until one fails. A limit of CPU time for each test ends a loop without an end.

It changes functions, not what a module or a class defines, no property, and nothing in a process that a test starts.
"""

from __future__ import annotations

import difflib
import functools
import math
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from mutmut.mutation import trampoline
from mutmut.mutation.file_mutation import MutatedFile, mutate_file_contents

ROOT = Path(__file__).resolve().parent.parent.parent
COPY = ROOT / ".cache" / "mutants"
GOLDEN = "tests/test_golden.py"
STORIES = [
    f"{GOLDEN}::test_{name}"
    for name in (
        "the_answer_is_what_is_stored",
        "the_results_are_what_is_stored",
        "the_errors_are_those_that_are_stored",
        "removal_gives_back_what_was_there_or_what_is_stored",
    )
]
IMPORTS = "tests/test_clients.py::test_the_room_knows_nothing_but_the_standard_library"
"""It counts imports, and mutmut adds one."""
OPTIONS = ["-q", "-rfE", "--capture=sys", "--no-header", "-pno:cacheprovider", "-otmp_path_retention_policy=failed"]
MORE, CONSTANT = 3, 5
"""A test with a change may take so many times the CPU time that it took without one, and so many seconds more."""
WAITS = 600
"""Seconds after which a test that waits, and takes no CPU time, is ended."""
MEMORY = 4 << 30
"""Bytes that a change may take: a loop without an end can fill a list."""
NO_TEST, SURVIVED, KILLED, TIMEOUT = "no test calls it", "survived", "killed", "timeout"
STATES = {0: SURVIVED, 1: KILLED, -signal.SIGXCPU: TIMEOUT, -signal.SIGALRM: TIMEOUT}
"""What the end of a fork says; others, such as a crash, are noticed as well."""


def main(module: str, tests: list[str]) -> int:
    """Look for changes of a module that survive; return 1 if there are some, 2 if its tests fail without a change."""
    if not (ROOT / module).is_file():
        sys.stderr.write(f"mutants: there is no {module}: name a module, as in MODULE=krm_fn/formats/escaping.py\n")
        return 2
    started = time.monotonic()
    _copy()
    os.chdir(COPY)  # mutmut and pytest look for their configuration
    changed = _change(module)
    dotted = module.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    trials = Trials([f"{dotted}.{name}" for name in changed.mutant_names])
    sys.path.insert(0, str(COPY))
    trampoline.set_mutant_under_test("")  # conftest.py reads it
    trampoline.record_trampoline_hit = trials.record
    selected = tests or [*tests_of(module), *STORIES]
    if pytest.main([*OPTIONS, f"--deselect={IMPORTS}", *selected], plugins=[trials]):
        sys.stderr.write("mutants: the tests do not pass without a change\n")
        return 2
    for name, state in trials.states.items():
        if state != KILLED:
            shown = difference(changed, name.rpartition(".")[2])
            sys.stdout.write("\n".join([f"{name}: {state}", *shown, "\n"]))
    counted = Counter(trials.states.values())
    left = counted[SURVIVED] + counted[NO_TEST]
    minutes = (time.monotonic() - started) / 60
    sys.stdout.write(
        f"mutants: {len(trials.states)} changes of {module}, {left} survive, {counted[TIMEOUT]} end by the limit of"
        f" time, {minutes:.1f} minutes\n"
    )
    return int(bool(left))


def tests_of(module: str) -> list[str]:
    """Return the test files of a module and of its package."""
    path = Path(module)
    names = [path.stem] if path.stem != "__init__" else []
    names += path.parts[1:-1]
    patterns = [f"test_{name}{subject}.py" for name in names for subject in ("", "_*")]
    own = {file for pattern in patterns for file in (ROOT / "tests").rglob(pattern)}
    return sorted(str(file.relative_to(ROOT)) for file in own)


def difference(changed: MutatedFile, name: str) -> list[str]:
    """Return the lines that a change removes from its function and adds to it."""
    function = name.partition("__mutmut_")[0]
    lines = changed.code.splitlines()
    texts = []
    for version in (f"{function}__mutmut_orig", name):
        span = changed.line_span_by_function_name[version]
        text = "\n".join(lines[span.start - 1 : span.end])
        texts.append(text.replace(f"def {version}(", "def ").strip().splitlines())
    compared = difflib.unified_diff(*texts, n=0, lineterm="")
    return [line for line in compared if not line.startswith(("---", "+++"))]


class Trials:
    """A plugin of pytest that runs the collected tests without a change, and then with each change.

    ``states`` says of each change, by its name, what became of it.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.states = dict.fromkeys(names, NO_TEST)
        self._called: set[str] = set()
        self._seconds: dict[pytest.Item, float] = {}
        self._failed = False

    def record(self, function: str, caller: str | None = None) -> None:
        """Note that a test calls a function that has changes."""
        self._called.add(function)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """Try all changes with the tests of the module, and with the golden stories those that are left."""
        if session.testsfailed:
            return None  # a file could not be collected: pytest says so
        stories = [test for test in session.items if test.nodeid.startswith(GOLDEN)]
        own = [test for test in session.items if test not in set(stories)]
        for tests in (own, stories):
            left = [name for name, state in self.states.items() if state in (NO_TEST, SURVIVED)]
            if not left or not tests:
                continue
            callers = self._without_change(tests)
            if session.testsfailed:
                break
            self._try(left, callers)
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note that a test, its preparation or its end failed."""
        self._failed |= report.failed

    def _without_change(self, tests: list[pytest.Item]) -> dict[str, list[pytest.Item]]:
        """Run tests, note the CPU time of each, and return for each function those that call it, the quickest first."""
        callers: dict[str, list[pytest.Item]] = {}
        _choose("stats")
        for test in tests:
            _forget_results()  # else a function counts as called by the first test alone
            self._called.clear()
            before = time.process_time()
            self._fails(test)
            self._seconds[test] = time.process_time() - before
            for function in self._called:
                callers.setdefault(function, []).append(test)
        for own in callers.values():
            own.sort(key=self._seconds.__getitem__)
        _forget_results()
        return callers

    def _fails(self, test: pytest.Item) -> bool:
        self._failed = False
        # Without a next test its fixtures end with it: each test makes what it needs, and calls what makes it.
        test.ihook.pytest_runtest_protocol(item=test, nextitem=None)
        return self._failed

    def _try(self, names: list[str], callers: dict[str, list[pytest.Item]]) -> None:
        """Try changes, as many at a time as there are processors, and note what becomes of them."""
        running: dict[int, str] = {}
        for name in names:
            tests = callers.get(name.partition("__mutmut_")[0])
            if not tests:
                continue
            if len(running) == os.cpu_count():
                self._wait(running)
            process = os.fork()
            if process == 0:
                self._be_changed(name, tests)
            running[process] = name
        while running:
            self._wait(running)

    def _wait(self, running: dict[int, str]) -> None:
        process, status = os.wait()
        name = running.pop(process)
        self.states[name] = STATES.get(os.waitstatus_to_exitcode(status), KILLED)

    def _be_changed(self, name: str, tests: list[pytest.Item]) -> None:
        """Run tests with a change in this process, until one fails, and end it: with 1 if one did."""
        noticed = True
        try:
            nothing = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(nothing, stream)
            resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
            _choose(name)
            noticed = any(self._fails_in_time(test) for test in tests)
        finally:
            os._exit(noticed)

    def _fails_in_time(self, test: pytest.Item) -> bool:
        limit = math.ceil(time.process_time() + MORE * self._seconds[test] + CONSTANT)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
        signal.alarm(WAITS)
        return self._fails(test)


def _choose(name: str) -> None:
    """Let functions be as a change says, or note with ``stats`` that they are called; in this process alone."""
    trampoline.set_mutant_under_test(name)
    del os.environ["MUTANT_UNDER_TEST"]


def _forget_results() -> None:
    """Empty the caches of our functions: what is known is not computed by what is changed."""
    for module in list(sys.modules.values()):
        if (getattr(module, "__file__", None) or "").startswith(str(COPY)):
            for one in list(vars(module).values()):
                if isinstance(one, functools._lru_cache_wrapper):
                    one.cache_clear()


def _copy() -> None:
    """Lay a copy of the tracked files: what a changed program writes and removes is in it."""
    shutil.rmtree(COPY, ignore_errors=True)
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    for name in listed.stdout.split("\0"):
        if name and (ROOT / name).is_file():
            (COPY / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, COPY / name)


def _change(module: str) -> MutatedFile:
    """Write all changes into the copy of a module, where a name chooses one; return them."""
    # mutmut leaves functions with a decorator alone, and without a cache they say the same.
    text = re.sub(r"^ *@(?:lru_cache|cache)\b.*\n", "", (ROOT / module).read_text(), flags=re.MULTILINE)
    changed = mutate_file_contents(module, text)
    (COPY / module).write_text(changed.code)
    return changed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "", sys.argv[2:]))
