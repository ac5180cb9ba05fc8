"""What is installed is what the lock files list: hashes and no name of an index, whatever newer versions there are."""

from __future__ import annotations

import hashlib
import json
import re
import sys
import zipfile
from pathlib import Path

import pytest

from support import ROOT, run

FILES = ["requirements/runtime.txt", "requirements/build.txt", "requirements/dev.txt", "requirements/bench.txt"]
FILES.append("site/requirements.txt")


def locked_options() -> list[str]:
    """The options of pip with which the Makefile installs what a lock file lists."""
    (options,) = re.findall(r"^LOCKED +:= (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    return str(options).split()


def wheel(folder: Path, name: str, version: str, *metadata: str) -> str:
    """Write a wheel without a module; return its SHA-256."""
    path = folder / f"{name}-{version}-py3-none-any.whl"
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}", *metadata]
        archive.writestr(f"{info}/METADATA", "\n".join(lines) + "\n")
        tags = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        archive.writestr(f"{info}/WHEEL", tags)
        archive.writestr(f"{info}/RECORD", "")
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_newer_version_of_a_dependency_changes_nothing(tmp_path: Path) -> None:
    """With pip 23.2, `lock==1.0` and a requirement `lock[more]` took the newest version, which has no hash."""
    index = tmp_path / "index"
    index.mkdir()
    extra = ("Provides-Extra: more", 'Requires-Dist: other ; extra == "more"')
    hashes = {
        "application==1.0": wheel(index, "application", "1.0", "Requires-Dist: library[more]"),
        "library==1.0": wheel(index, "library", "1.0", *extra),
    }
    wheel(index, "library", "1.1", *extra)
    wheel(index, "other", "1.0")
    lock = tmp_path / "lock.txt"
    lock.write_text("".join(f"{name} --hash=sha256:{value}\n" for name, value in hashes.items()))
    installed = tmp_path / "installed"
    # The pip of a new environment is the one that comes with Python: the oldest one that we support.
    pip = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check"]
    done = run([*pip, *locked_options(), "--no-index", "--find-links", index, "--target", installed, "-r", lock])
    assert done.returncode == 0, done.stderr.decode()
    names = sorted(path.name for path in installed.glob("*.dist-info"))
    assert names == ["application-1.0.dist-info", "library-1.0.dist-info"]


@pytest.mark.parametrize(
    "path", ["Dockerfile", "action.yml", ".github/workflows/ci.yml", "examples/argocd/exec/Dockerfile"]
)
def test_nothing_is_resolved_where_a_lock_file_is_installed(path: str) -> None:
    text = (ROOT / path).read_text()
    assert text.count("--no-deps --require-hashes") == text.count("--require-hashes") > 0


@pytest.mark.parametrize("name", FILES)
def test_a_lock_file_has_hashes_and_names_no_index_and_no_path(name: str) -> None:
    text = re.sub(r"^#.*\n", "", (ROOT / name).read_text(), flags=re.MULTILINE)
    entries = re.findall(r"^\S.*(?:\n .*)*", text, re.MULTILINE)
    assert entries
    for entry in entries:
        assert re.fullmatch(r"[a-z0-9._-]+==\S+( ; .+)?( \\\n    --hash=sha256:[0-9a-f]{64})+", entry), entry


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
