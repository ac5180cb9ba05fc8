"""Write the lock files of the image and the site: every package with its version and the hashes of its wheels.

``requirements/runtime.txt`` holds what the function needs, ``requirements/build.txt`` what its own wheel is made with,
``requirements/dev.txt``, ``bench.txt`` and ``mutants.txt`` what its extras name, ``site/requirements.txt`` what makes
the site.
pip resolves, once for each Python and platform that an image may have, and its report
(https://pip.pypa.io/en/stable/reference/installation-report/) says what it would install. A line holds what is true
wherever the package comes from (name, version, hash), and so an index of your own serves it as well.

Usage: ``make lock``, or ``python tests/tools/lock.py``. It takes the newest versions that pyproject.toml allows.
"""

from __future__ import annotations

import itertools
import json
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement  # pytest brings it
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
MACHINES = ("x86_64", "aarch64")
LIBRARIES = {
    "glibc": ("manylinux2014", "manylinux_2_17", "manylinux_2_28"),
    "musl": ("musllinux_1_1", "musllinux_1_2"),
}
"""The platform tags of wheels, the oldest first: a wheel for an old C library runs with a newer one as well."""

HEADER = """\
# {purpose}: CPython {first} to {last} on Linux, amd64 and arm64, with {libraries}.
# `make lock` writes this file; do not edit it.
"""


@dataclass
class Resolved:
    """What pip would install for one Python: version and hashes of each package, and what a package requires."""

    versions: dict[str, str] = field(default_factory=dict)
    hashes: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    requires: dict[str, list[Requirement]] = field(default_factory=dict)

    def add(self, package: dict[str, Any]) -> None:
        """Add one entry of ``install`` in pip's report; SystemExit where platforms disagree about the version."""
        name = canonicalize_name(package["metadata"]["name"])
        version = package["metadata"]["version"]
        if self.versions.setdefault(name, version) != version:
            sys.exit(f"lock: {name} is {version} on one platform and {self.versions[name]} on another")
        self.hashes[name].add(package["download_info"]["archive_info"]["hashes"]["sha256"])
        self.requires[name] = [Requirement(text) for text in package["metadata"].get("requires_dist", [])]


EDITABLE = "editables~=0.3"
"""What hatchling asks for, beside what pyproject.toml names, where a checkout is installed as editable."""

EXTRAS = {
    "dev": "What tests and linters need",
    "bench": "What the measurements need",
    "mutants": "What mutation testing needs",
}
"""The extras of pyproject.toml that have a lock file, and what it is for."""

SITE = ["mkdocs-material>=9.8"]
"""The generator of the site, which brings MkDocs; see site/README.md."""


def main() -> None:
    """Write the lock files."""
    runtime = [text for text in metadata.requires("inject-proxy") or [] if "extra ==" not in text]
    write(ROOT / "requirements" / "runtime.txt", "What the function needs at run time", runtime)
    tests = requirements_of("dev")
    for extra, purpose in EXTRAS.items():
        path = ROOT / "requirements" / f"{extra}.txt"
        write(path, purpose, requirements_of(extra), libraries=["glibc"], beside=tests)
    build = [*build_requirements(), EDITABLE]
    write(ROOT / "requirements" / "build.txt", "What the wheel of the function is made with", build)
    write(
        ROOT / "site" / "requirements.txt",
        "What the site is made with",
        SITE,
        versions=PYTHONS[1:],
        libraries=["glibc"],
    )


def requirements_of(extra: str) -> list[str]:
    """Return what an extra of our package names."""
    named = []
    for requirement in map(Requirement, metadata.requires("inject-proxy") or []):
        if f'extra == "{extra}"' in str(requirement.marker):
            requirement.marker = None
            named.append(str(requirement))
    return named


def build_requirements() -> list[str]:
    """Return ``build-system.requires`` of pyproject.toml; Python 3.10 has no reader for TOML, and it is one line."""
    line = re.search(r"^requires = (\[.*\])$", (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    if line is None:
        sys.exit("lock: `requires` of `build-system` is not one line in pyproject.toml")
    requires: list[str] = json.loads(line[1])
    return requires


def write(
    path: Path,
    purpose: str,
    requirements: list[str],
    *,
    versions: Sequence[str] = PYTHONS,
    libraries: Iterable[str] = LIBRARIES,
    beside: Sequence[str] = (),
) -> None:
    """Write one lock file: these requirements and all that they require, for each of these Pythons and C libraries.

    ``beside`` are requirements of the environment into which they are installed; the versions fit these, too.
    """
    hashes: dict[tuple[str, str], set[str]] = defaultdict(set)
    pythons: dict[tuple[str, str], list[str]] = defaultdict(list)
    for python in versions:
        resolved = resolve([*requirements, *beside], python, libraries)
        for name in needed(requirements, python, resolved):
            hashes[name, resolved.versions[name]] |= resolved.hashes[name]
            pythons[name, resolved.versions[name]].append(python)
    text = HEADER.format(purpose=purpose, first=versions[0], last=versions[-1], libraries=" or ".join(libraries))
    for name, version in sorted(hashes):
        lines = [f"{name}=={version}{marker(pythons[name, version], versions)}"]
        lines += [f"    --hash=sha256:{one}" for one in sorted(hashes[name, version])]
        text += " \\\n".join(lines) + "\n"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    print(f"{path.relative_to(ROOT)}: {len(hashes)} packages")  # noqa: T201


def resolve(requirements: list[str], python: str, libraries: Iterable[str]) -> Resolved:
    """Return what pip would install for one Python on all platforms with these C libraries.

    With ``--python-version`` pip takes the wheels of that Python, but reads markers for the one it runs in. So what
    only the other Python needs is added to the requirements until nothing is missing.
    """
    wanted = list(requirements)
    while True:
        resolved = Resolved()
        for machine, library in itertools.product(MACHINES, libraries):
            for package in report(wanted, python, [f"{tag}_{machine}" for tag in LIBRARIES[library]]):
                resolved.add(package)
        missing = needed(requirements, python, resolved) - set(resolved.versions)
        if not missing:
            return resolved
        wanted += sorted(missing)


def needed(requirements: list[str], python: str, resolved: Resolved) -> set[str]:
    """Return the names of all packages that these requirements need with this Python, in all their depth."""
    names: set[str] = set()
    seen: set[tuple[str, str]] = set()
    waiting = [(Requirement(text), "") for text in requirements]
    while waiting:
        requirement, of_extra = waiting.pop()
        if not applies(requirement, python, of_extra):
            continue
        name = canonicalize_name(requirement.name)
        names.add(name)
        for extra in {"", *requirement.extras}:
            if (name, extra) not in seen:
                seen.add((name, extra))
                waiting += [(one, extra) for one in resolved.requires.get(name, [])]
    return names


def applies(requirement: Requirement, python: str, extra: str) -> bool:
    """Whether the marker of a requirement is true for this CPython on Linux, with an extra, or "" for none."""
    environment = {
        "extra": extra,
        "implementation_name": "cpython",
        "os_name": "posix",
        "platform_python_implementation": "CPython",
        "platform_system": "Linux",
        "python_full_version": f"{python}.0",
        "python_version": python,
        "sys_platform": "linux",
    }
    return requirement.marker is None or requirement.marker.evaluate(environment)


def report(requirements: list[str], python: str, platforms: list[str]) -> list[dict[str, Any]]:
    """Return ``install`` of pip's report for one Python and one platform, the latter as tags of wheels."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "report.json")
        options = [
            "--quiet",
            "--dry-run",
            "--ignore-installed",
            "--disable-pip-version-check",
            "--only-binary",
            ":all:",
        ]
        options += ["--python-version", python, *(f"--platform={tag}" for tag in platforms)]
        options += ["--target", folder, "--report", str(path)]
        # pip compares `Requires-Python` with the Python that it runs in: it would find nothing for newer ones alone.
        if int(python.partition(".")[2]) > sys.version_info.minor:
            options.append("--ignore-requires-python")
        subprocess.run([sys.executable, "-m", "pip", "install", *options, *requirements], check=True)
        install: list[dict[str, Any]] = json.loads(path.read_text())["install"]
        return install


def marker(pythons: list[str], versions: Sequence[str]) -> str:
    """Return the marker for some of ``versions``; none for all of them."""
    first, last = versions.index(pythons[0]), versions.index(pythons[-1])
    bounds = []
    if first > 0:
        bounds.append(f'python_version >= "{versions[first]}"')
    if last < len(versions) - 1:
        bounds.append(f'python_version < "{versions[last + 1]}"')
    bounds += [f'python_version != "{one}"' for one in versions[first:last] if one not in pythons]
    return " ; " + " and ".join(bounds) if bounds else ""


if __name__ == "__main__":
    main()
