"""Our image, built by a real engine from this checkout."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import subprocess
from collections.abc import Iterator

import pytest

from support import CACHE, ROOT, TOOLS, need_engine

BUILD_ARGUMENTS = ("PIP_INDEX_URL", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
BUILD_LIMIT = 900.0
"""Seconds: a first build makes its base from packages."""


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
