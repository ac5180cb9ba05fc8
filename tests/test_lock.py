"""The lock files hold hashes and no name of an index, those of the image all that pyproject.toml needs."""

from __future__ import annotations

import json
import re
from importlib import metadata

import pytest
from packaging.requirements import Requirement  # pytest brings it
from packaging.utils import canonicalize_name

from support import ROOT

REQUIREMENTS = ROOT / "requirements"
SITE = "../site/requirements.txt"
FILES = ["runtime.txt", "build.txt", "dev.txt", "bench.txt", "mutants.txt", SITE]
PYTHONS = ["3.10", "3.11", "3.12", "3.13", "3.14"]


def pins(name: str) -> list[tuple[Requirement, list[str]]]:
    """Each requirement of a lock file with its hashes."""
    found = []
    for entry in re.findall(r"^\S.*(?:\n .*)*", (REQUIREMENTS / name).read_text(), re.MULTILINE):
        if not entry.startswith("#"):
            requirement, *hashes = entry.split(" \\\n    --hash=")
            found.append((Requirement(requirement), hashes))
    return found


def locked(name: str, python: str) -> dict[str, str]:
    """The version of each package that a lock file has for one Python."""
    versions: dict[str, str] = {}
    for requirement, _ in pins(name):
        if applies(requirement, python):
            assert requirement.name not in versions, "two versions for one Python"
            (specifier,) = requirement.specifier
            assert specifier.operator == "=="
            versions[requirement.name] = specifier.version
    return versions


def applies(requirement: Requirement, python: str) -> bool:
    environment = {"extra": "", "python_version": python, "python_full_version": f"{python}.0", "sys_platform": "linux"}
    return requirement.marker is None or requirement.marker.evaluate(environment)


def listed(key: str) -> list[str]:
    """The requirements of a list of pyproject.toml with one in each line."""
    found = re.search(rf"^{key} = \[\n(.*?)^\]", (ROOT / "pyproject.toml").read_text(), re.MULTILINE | re.DOTALL)
    assert found is not None
    return re.findall(r'^  "([^"]+)"', found[1], re.MULTILINE)


def build_dependencies() -> list[str]:
    found = re.search(r"^requires = \[(.*)\]$", (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert found is not None
    return re.findall(r'"([^"]+)"', found[1])


@pytest.mark.parametrize("python", PYTHONS)
def test_the_lock_covers_all_that_pyproject_needs(python: str) -> None:
    runtime = [Requirement(text) for text in listed("dependencies")]
    assert {one.name for one in runtime} == {"PyYAML", "jsonpatch", "jsonschema"}
    files = {
        "runtime.txt": runtime,
        "build.txt": map(Requirement, build_dependencies()),
        "dev.txt": map(Requirement, listed("dev")),
        "bench.txt": map(Requirement, listed("bench")),
        "mutants.txt": map(Requirement, listed("mutants")),
    }
    for name, requirements in files.items():
        versions = locked(name, python)
        for requirement in requirements:
            assert versions[canonicalize_name(requirement.name)] in requirement.specifier


@pytest.mark.parametrize("python", PYTHONS)
def test_the_lock_covers_what_the_dependencies_need_as_they_are_installed_here(python: str) -> None:
    versions = locked("runtime.txt", python)
    waiting = [Requirement(text) for text in listed("dependencies")]
    reached = set()
    while waiting:
        name = canonicalize_name(waiting.pop().name)
        assert name in versions
        if name not in reached:
            reached.add(name)
            waiting += [Requirement(text) for text in requires(name)]
            waiting = [one for one in waiting if applies(one, python)]
    assert reached == set(versions), "the lock holds a package that nothing needs"


def requires(name: str) -> list[str]:
    """What an installed package requires; none for one that only another Python needs, and that is not here."""
    try:
        return metadata.requires(name) or []
    except metadata.PackageNotFoundError:
        return []


@pytest.mark.parametrize("name", FILES)
def test_every_package_has_hashes_of_its_wheels(name: str) -> None:
    for requirement, hashes in pins(name):
        assert hashes, requirement
        for one in hashes:
            assert re.fullmatch("sha256:[0-9a-f]{64}", one), requirement


def test_a_compiled_package_has_a_wheel_for_each_python_machine_and_c_library() -> None:
    wheels = {"pyyaml": 0, "rpds-py": 0}
    for requirement, hashes in pins("runtime.txt"):
        if requirement.name in wheels:
            wheels[requirement.name] += len(hashes)
    assert wheels == {"pyyaml": 5 * 2 * 2, "rpds-py": 5 * 2 * 2}


@pytest.mark.parametrize("name", FILES)
def test_the_lock_names_no_index_and_no_path(name: str) -> None:
    text = (REQUIREMENTS / name).read_text()
    assert "://" not in text
    assert not [line for line in text.splitlines() if re.match(r"\s*-(?!-hash=)", line)]
    assert "@" not in text


@pytest.mark.parametrize("folder", ["site", "tests/real_clients"])
def test_every_package_of_node_has_its_hash_and_names_no_index(folder: str) -> None:
    wanted = json.loads((ROOT / folder / "package.json").read_text())["devDependencies"]
    own, *packages = json.loads((ROOT / folder / "package-lock.json").read_text())["packages"].values()
    assert own["devDependencies"] == wanted
    assert all(re.match(r"(npm:\w+@)?\d+\.\d+\.\d+$", version) for version in wanted.values())
    for package in packages:
        assert re.fullmatch(r"sha512-[\w+/]{86}==", package["integrity"]), package
        assert "resolved" not in package
    assert "ignore-scripts=true" in (ROOT / folder / ".npmrc").read_text()
