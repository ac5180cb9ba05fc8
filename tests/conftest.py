"""Options and fixtures for all tests."""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import hypothesis
import pytest

from images import build_image
from krm_fn.cli import STACK_FRAMES
from support import MAY_BE_MISSING, search_path

# Hypothesis counts each search for cycles, and there is one for each 700 objects: that is a fiftieth of all CPU time.
gc.set_threshold(50_000)

# Tests that call the package without the command get the stack that the command has.
sys.setrecursionlimit(STACK_FRAMES)

# Timing decides no test; `HYPOTHESIS_EXAMPLES=5000` looks longer than a commit can wait. CI looks at the same examples
# each time: what it finds must be about the change, and new ones are looked for by people.
hypothesis.settings.register_profile(
    "ours",
    deadline=None,
    derandomize="CI" in os.environ,
    max_examples=int(os.environ.get("HYPOTHESIS_EXAMPLES", "25")),
    print_blob=True,
)
hypothesis.settings.load_profile("ours")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--write-golden",
        action="store_true",
        help="rewrite the stored expectations that differ, and fail, so that they are read as a diff",
    )


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what a machine without kpt did not test, the only tool without which CI passes."""
    if shutil.which(MAY_BE_MISSING, path=search_path()) is None:
        skipped = [str(report.longrepr) for report in terminalreporter.getreports("skipped")]
        number = sum(f"{MAY_BE_MISSING} is missing" in reason for reason in skipped)
        terminalreporter.write_line(
            "kpt is not on PATH: its recorded exchanges were replayed,"
            f" and tests that need kpt itself were skipped: {number}"
        )


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[Path, bytes], None]:
    """A check that a stored file holds exactly these bytes; with ``--write-golden`` it is rewritten first.

    Where there are no bytes, there is no file.
    """

    def check(stored: Path, actual: bytes) -> None:
        expected = stored.read_bytes() if stored.exists() else None
        if (expected or b"") != actual and request.config.getoption("--write-golden"):
            if actual:
                stored.write_bytes(actual)
            else:
                stored.unlink()
            pytest.fail(f"{stored.name} is rewritten: read the diff, then run the test again", pytrace=False)
        assert expected != b"", "an empty file: nothing is stored as no file"
        assert actual.decode() == (expected or b"").decode()

    return check


@pytest.fixture(scope="session")
def image() -> Iterator[str]:
    """The name of our image, built by a real engine from this checkout; it is removed at the end.

    Each test worker has a name of its own for it: one builds, the others find it built.
    """
    name = f"localhost/inject-proxy-test:{os.getpid()}"
    docker = build_image(name)
    yield name
    subprocess.run([docker, "rmi", name], capture_output=True, check=False)


@pytest.fixture(scope="session")
def image_built_again(image: str) -> Iterator[str]:
    """The name of our image, built a second time, from nothing that the engine has kept of the first."""
    name = f"{image}-again"
    docker = build_image(name, "--no-cache")
    yield name
    subprocess.run([docker, "rmi", name], capture_output=True, check=False)
