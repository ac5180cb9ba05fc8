"""Options and fixtures for all tests."""

from __future__ import annotations

import contextlib
import fcntl
import gc
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import hypothesis
import pytest

from krm_fn.cli import STACK_FRAMES
from support import CACHE, MAY_BE_MISSING, ROOT, TOOLS, need_engine, search_path

BUILD_ARGUMENTS = ("PIP_INDEX_URL", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
BUILD_LIMIT = 900.0
"""Seconds: a first build makes its base from packages."""

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


def build_image(name: str, *options: str) -> str:
    """Build our image on a base that is here, or on the one of the Dockerfile; return the engine's client."""
    docker = need_engine()
    arguments = [f"--build-arg={key}={os.environ[key]}" for key in BUILD_ARGUMENTS if key in os.environ]
    with _one_worker_at_a_time():
        base = [f"--build-arg=BASE={name}" for name in own_base()]
        _make([docker, "build", "--quiet", "--network", "host", *options, *base, *arguments, "--tag", name, str(ROOT)])
    return docker


@contextlib.contextmanager
def _one_worker_at_a_time() -> Iterator[None]:
    CACHE.mkdir(exist_ok=True)
    with (CACHE / "image.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def own_base() -> list[str]:
    """An image to build on, made from Debian's packages where this user can; else the default's name is not given."""
    if os.geteuid() != 0 or shutil.which("debootstrap") is None:
        return []
    return [_make([str(TOOLS / "make-base"), "localhost/inject-proxy-base", str(CACHE / "base.tar")])]


def _make(argv: list[str]) -> str:
    done = subprocess.run(argv, capture_output=True, text=True, timeout=BUILD_LIMIT, check=False)
    if done.returncode:
        pytest.fail(f"{argv[0]} failed:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}", pytrace=False)
    return done.stdout.strip()
