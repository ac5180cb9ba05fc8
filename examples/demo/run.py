"""Tell on one screen what inject-proxy does to a copy of the small repository beside this file.

Each step is a real run of the command; the exit code is 0 only if each one did what the text beside it says.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent / "repository"
COMMAND = Path(sys.executable).with_name("inject-proxy")
COLOURS = {"+": "\x1b[32m", "-": "\x1b[31m"}
WIDTH = 100


def main() -> None:
    """Show the story, and leave the copy behind."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "repository"
        shutil.copytree(REPOSITORY, copy)
        show(
            "A repository: cluster.yaml, control-plane.yaml, cert-manager.yaml, shop.yaml, and proxy.yaml:"
        )
        show(f"  {line}" for line in (copy / "proxy.yaml").read_text().splitlines()[5:8])
        inject(copy, "run", "--check", ".", exit_code=1)
        show(
            "No manifest has this proxy: no node can pull an image, and cert-manager reaches no issuer.",
            "",
        )
        show(
            "$ inject-proxy run --diff .   # in control-plane.yaml, for the container runtime of each node"
        )
        diff = inject(copy, "run", "--diff", ".").stdout
        show(part(diff, "control-plane.yaml", 11))
        show("                              # in cert-manager.yaml")
        show(part(diff, "cert-manager.yaml", 13))
        first = inject(copy, "run", ".").stderr
        table = first[first.index("system ") : first.rindex("inject-proxy run:")]
        show("", "$ inject-proxy run .", table.splitlines())
        changed = contents(copy)
        inject(copy, "run", "--check", ".")
        inject(copy, "run", ".")
        if contents(copy) == contents(REPOSITORY) or contents(copy) != changed:
            raise SystemExit("a first run must change the files, and a second one must not")
        repository = os.path.relpath(REPOSITORY)
        show(
            "",
            "A second run changes nothing. In your own repository, `inject-proxy init` writes proxy.yaml.",
            "Next, who gets the proxy and why not, of this one:",
            f"  {os.path.relpath(COMMAND)} explain {repository} \\",
            f"    --config {repository}/proxy.yaml",
        )


def inject(folder: Path, *argv: str, exit_code: int = 0) -> subprocess.CompletedProcess[str]:
    """Run the command in a folder; raises SystemExit where it warns, or ends with another exit code."""
    done = subprocess.run([COMMAND, *argv], cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603 -- our own
    if done.returncode != exit_code or "[warning]" in done.stderr:
        raise SystemExit(
            f"inject-proxy {' '.join(argv)} ended with {done.returncode}:\n{done.stderr}"
        )
    return done


def part(diff: str, file: str, number: int) -> list[str]:
    """Return the first new lines of a file in a diff."""
    of_file = diff[diff.index(f"+++ b/{file}") :].splitlines()[1:]
    return [line for line in of_file if line.startswith("+")][:number]


def contents(folder: Path) -> dict[str, bytes]:
    """Return what the files of a folder hold."""
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def show(*texts: str | Iterable[str]) -> None:
    """Write lines, cut where a terminal would break them, and changes in colour where a person looks."""
    for text in texts:
        for line in [text] if isinstance(text, str) else text:
            short = line if len(line) <= WIDTH else f"{line[: WIDTH - 1]}…"
            colour = COLOURS.get(line[:1], "") if sys.stdout.isatty() else ""
            sys.stdout.write(f"{colour}{short}\x1b[0m\n" if colour else f"{short}\n")


if __name__ == "__main__":
    main()
