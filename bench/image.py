"""How large the image is, and how long a run in a container takes, beside the installed command on the same list.

Usage: image.py IMAGE [RUNS]. Prints the size of the image, and seconds of wall-clock time: minimum,
median, maximum. The two commands run in turn. A container starts as kustomize and kpt start it, without
a network, and with a read-only root. Without an engine, or without the image, it says so and ends.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time

from startup import INJECT, row
from throughput import resource_list

RUNS = 10
FLAGS = ["--rm", "-i", "--network=none", "--read-only", "--user=nobody"]


def size(docker: str, image: str) -> int | None:
    """Return the bytes of an image that an engine has, else None."""
    command = [docker, "image", "inspect", "--format", "{{.Size}}", image]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return int(done.stdout) if done.returncode == 0 else None


def seconds(command: list[str], text: str) -> float:
    start = time.perf_counter()
    subprocess.run(command, input=text.encode(), capture_output=True, check=True)
    return time.perf_counter() - start


def main() -> None:
    image = sys.argv[1]
    runs = int(sys.argv[2]) if sys.argv[2:] else RUNS
    docker = shutil.which("docker")
    found = size(docker, image) if docker else None
    if docker is None or found is None:
        print(f"image: no container engine here has {image}; `make image` builds it")
        return
    print(f"image {image}: {found / 1e6:.1f} MB")
    text = resource_list(10)
    container = [docker, "run", *FLAGS, image]
    installed = [str(word) for word in INJECT]
    pairs = [(seconds(container, text), seconds(installed, text)) for _ in range(runs + 1)][1:]
    print(f"{'wall-clock time in seconds':<28}{'min':>9}{'median':>9}{'max':>9}")
    print(row("container, 10 items", [first for first, _ in pairs], 3))
    print(row("inject-proxy, 10 items", [second for _, second in pairs], 3))


if __name__ == "__main__":
    main()
