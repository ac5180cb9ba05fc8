"""`release/make.py`: what it refuses, and that a release is complete, agrees with itself, and has the same bytes twice.

A stand-in answers for the container engine and saves a small image, in another order and with another time in each
build; tests/e2e/test_image.py has an image of a real engine.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from support import ROOT, TIME_LIMIT, need, run

CHANGELOG = """\
# Changelog

## Unreleased

## 0.2.0 (2026-11-23)

- run: Something is new.
- lint: Another thing, too.

## 0.1.0 (2026-01-01)

- the first one
"""
PROJECT = """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "inject-proxy"
version = "0.2.0"
requires-python = ">=3.10"
[tool.hatch.build.targets.wheel]
packages = ["krm_fn"]
"""
FOLDERS = [str(Path(__file__).parent), str(ROOT / "tests" / "helpers")]
ENGINE = """\
#!{python}
import random, sys, time
sys.path[:0] = {folders!r}
if sys.argv[1] == "save":
    from test_release import saved_image
    saved_image(sys.argv[sys.argv.index("--output") + 1], random.random(), int(time.time() * 1000))
sys.exit({exit_code} if sys.argv[1] == "info" else 0)
"""
FILES = {
    "opt/inject-proxy/pyvenv.cfg": "home = /usr/bin\nversion = 3.13.1\n",
    "opt/inject-proxy/lib/PyYAML-6.0.dist-info/METADATA": "Name: PyYAML\nVersion: 6.0\nLicense: MIT\n",
    "opt/inject-proxy/lib/attrs-26.1.dist-info/METADATA": "Name: attrs\nVersion: 26.1\nLicense-Expression: MIT\n",
    "opt/inject-proxy/lib/x.dist-info/METADATA": "Name: inject-proxy\nVersion: 0.2.0\n",
    "usr/lib/os-release": 'ID=debian\nVERSION_ID="12"\n',
    "var/lib/dpkg/status.d/expat": "Package: expat\nVersion: 2.5.0-1\nArchitecture: amd64\n",
    "var/lib/dpkg/status.d/libc6": "Package: libc6\nSource: glibc (2.36-9)\nVersion: 1:2.36-9+deb12u1\n",
}


def saved_image(path: str, order: float, now: int) -> None:
    """Write what `docker save` writes of an image with ``FILES``: their order, and all times, differ."""
    layer = io.BytesIO()
    names = sorted(FILES, reverse=order > 0.5)
    with tarfile.open(fileobj=layer, mode="w") as archive:
        for name in names:
            add(archive, f"./{name}", FILES[name].encode(), now)
    config = {
        "architecture": "amd64",
        "os": "linux",
        "created": str(now),
        "history": [{"created": str(now)}],
        "config": {"User": "65534:65534", "Entrypoint": ["/x"], "Image": f"sha256:{now}", "Hostname": str(now)},
    }
    with tarfile.open(path, "w") as archive:
        add(archive, "manifest.json", json.dumps([{"Config": "c.json", "Layers": ["l/layer.tar"]}]).encode(), now)
        add(archive, "c.json", json.dumps(config).encode(), now)
        add(archive, "l/layer.tar", layer.getvalue(), now)


def add(archive: tarfile.TarFile, name: str, content: bytes, now: int) -> None:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mtime = len(content), now % 2**31
    archive.addfile(entry, io.BytesIO(content))


class Repository:
    """A small project with one commit, and an engine on PATH."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "clone"
        (self.folder / "krm_fn").mkdir(parents=True)
        (self.folder / "krm_fn" / "__init__.py").write_text("")
        (self.folder / ".gitignore").write_text("/dist/\n*.ignored\n")
        (self.folder / "metadata.yaml").write_text("image: x\nlicense: Apache-2.0\n")
        (self.folder / "pyproject.toml").write_text(PROJECT)
        (self.folder / "CHANGELOG.md").write_text(CHANGELOG)
        self.git("init", "--quiet")
        self.commit()
        self.path = folder / "bin"
        self.path.mkdir()
        self.engine(0)

    def engine(self, exit_code: int) -> None:
        script = self.path / "engine"
        script.write_text(ENGINE.format(python=sys.executable, folders=FOLDERS, exit_code=exit_code))
        script.chmod(0o755)

    def git(self, *arguments: str) -> None:
        identity = ["-c", "user.name=a", "-c", "user.email=a@corp.example", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *identity, *arguments], cwd=self.folder, check=True, capture_output=True)

    def commit(self) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "x")

    def make(self, version: str = "0.2.0", *options: str) -> subprocess.CompletedProcess[str]:
        environment = {name: text for name, text in os.environ.items() if name != "SOURCE_DATE_EPOCH"}
        return subprocess.run(
            [sys.executable, str(ROOT / "release" / "make.py"), version, "--docker", "engine", *options],
            cwd=self.folder,
            env={**environment, "PATH": f"{self.path}{os.pathsep}{os.environ['PATH']}"},
            capture_output=True,
            text=True,
            timeout=TIME_LIMIT,
            check=False,
        )

    def made(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in (self.folder / "dist" / "0.2.0").iterdir()}


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """A release of the commit that has the tag, as CI and users make it again."""
    made = Repository(tmp_path_factory.mktemp("released"))
    made.git("tag", "v0.2.0")
    done = made.make("0.2.0", "--image", "registry.example/x", "--source", "https://git.example/x")
    assert done.returncode == 0, done.stderr
    return made


def change(folder: Path, name: str, old: str, new: str) -> None:
    text = (folder / name).read_text()
    assert old in text
    (folder / name).write_text(text.replace(old, new))


def project_of_another_version(repository: Repository) -> None:
    change(repository.folder, "pyproject.toml", "0.2.0", "0.3.0")
    repository.commit()


def lines_of_no_release(repository: Repository) -> None:
    change(repository.folder, "CHANGELOG.md", "## Unreleased\n", "## Unreleased\n\n- run: More.\n")
    repository.commit()


def tag_of_another_commit(repository: Repository) -> None:
    repository.git("tag", "--annotate", "--message", "x", "v0.2.0")
    repository.commit()


@pytest.mark.parametrize(
    ("version", "step", "words"),
    [
        pytest.param("0.2", None, "`0.2` is no version X.Y.Z", id="no version"),
        pytest.param(
            "0.2.0",
            lambda repository: (repository.folder / "new").write_text(""),
            "the working copy has changes",
            id="a file that git does not know",
        ),
        pytest.param("0.1.0", None, "`version` in pyproject.toml is 0.2.0", id="another version of the project"),
        pytest.param("0.3.0", project_of_another_version, "no section `## 0.3.0 (", id="the changelog lacks it"),
        pytest.param("0.2.0", lines_of_no_release, "has lines under `Unreleased`", id="lines of no release"),
        pytest.param("0.2.0", tag_of_another_commit, "the tag v0.2.0 is another commit", id="a tag of another commit"),
        pytest.param(
            "0.2.0",
            lambda repository: repository.engine(1),
            "no container engine answers `engine info`",
            id="no engine",
        ),
    ],
)
def test_a_release_is_refused_in_one_line_and_writes_nothing(
    repository: Repository, version: str, step: Callable[[Repository], object] | None, words: str
) -> None:
    if step:
        step(repository)
    done = repository.make(version)
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    assert [line for line in lines if words in line]
    assert all(line.startswith("release: ") for line in lines), done.stderr
    assert not (repository.folder / "dist").exists()


def test_two_runs_give_the_same_bytes_whatever_else_is_in_the_folder(released: Repository) -> None:
    first = released.made()
    (released.folder / "krm_fn" / "left.ignored").write_text("of another time")
    done = released.make("0.2.0", "--image", "registry.example/x", "--source", "https://git.example/x")
    assert done.returncode == 0, done.stderr
    assert released.made() == first


def test_a_release_has_all_files_and_the_checksum_of_each(released: Repository) -> None:
    made = released.made()
    assert set(made) == {
        "NOTES.md",
        "SHA256SUMS",
        "inject-proxy-0.2.0-image.tar",
        "inject-proxy-0.2.0.cdx.json",
        "inject_proxy-0.2.0-py3-none-any.whl",
        "inject_proxy-0.2.0.tar.gz",
        "metadata.yaml",
    }
    sums = made.pop("SHA256SUMS").decode()
    assert sums == "".join(f"{hashlib.sha256(made[name]).hexdigest()}  {name}\n" for name in sorted(made))


def test_notes_and_metadata_name_the_image_by_its_digest(released: Repository) -> None:
    made = released.made()
    (index,) = json.loads(oci(made)["index.json"])["manifests"]
    image = f"registry.example/x:v0.2.0@{index['digest']}"
    notes = "- run: Something is new.\n- lint: Another thing, too.\n"
    assert made["NOTES.md"].decode() == f"{notes}\nImage: `{image}`\n"
    assert yaml.safe_load(made["metadata.yaml"]) == {
        "image": image,
        "license": "Apache-2.0",
        "sourceURL": "https://git.example/x/tree/v0.2.0",
    }


def oci(made: dict[str, bytes]) -> dict[str, bytes]:
    """The files of the archive of the image."""
    with tarfile.open(fileobj=io.BytesIO(made["inject-proxy-0.2.0-image.tar"])) as archive:
        return {file.name: archive.extractfile(file).read() for file in archive.getmembers()}  # type: ignore[union-attr]


def blob(files: dict[str, bytes], described: dict[str, Any]) -> bytes:
    content = files[f"blobs/{described['digest'].replace(':', '/')}"]
    assert described["digest"] == f"sha256:{hashlib.sha256(content).hexdigest()}"
    assert described["size"] == len(content)
    return content


def test_the_archive_is_an_oci_layout_whose_digests_are_right(released: Repository) -> None:
    files = oci(released.made())
    assert json.loads(files["oci-layout"]) == {"imageLayoutVersion": "1.0.0"}
    (index,) = json.loads(files["index.json"])["manifests"]
    assert index["annotations"] == {"org.opencontainers.image.ref.name": "v0.2.0"}
    (described,) = json.loads(blob(files, index))["manifests"]
    assert described["platform"] == {"architecture": "amd64", "os": "linux"}
    manifest = json.loads(blob(files, described))
    config = json.loads(blob(files, manifest["config"]))
    (layer,) = manifest["layers"]
    with tarfile.open(fileobj=io.BytesIO(blob(files, layer))) as archive:
        assert archive.getnames() == sorted(FILES)
        (time,) = {file.mtime for file in archive.getmembers()}
    assert config["config"] == {"User": "65534:65534", "Entrypoint": ["/x"]}
    assert "history" not in config
    committed = subprocess.run(
        ["git", "log", "-1", "--format=%ct"], cwd=released.folder, capture_output=True, text=True, check=True
    )
    assert time == int(committed.stdout)


def test_the_sbom_follows_its_schema_and_names_what_is_in_the_image(released: Repository) -> None:
    text = released.made()["inject-proxy-0.2.0.cdx.json"].decode()
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    data = json.loads(text)
    assert data["metadata"]["component"]["purl"] == "pkg:pypi/inject-proxy@0.2.0"
    listed = {part["bom-ref"]: part.get("licenses") for part in data["components"]}
    assert listed == {
        "debian-12": None,
        "pkg:deb/debian/expat@2.5.0-1?arch=amd64&distro=debian-12": None,
        "pkg:deb/debian/libc6@1%3A2.36-9%2Bdeb12u1?arch=amd64&distro=debian-12&upstream=glibc": None,
        "pkg:generic/python@3.13.1": None,
        "pkg:pypi/attrs@26.1": [{"expression": "MIT"}],
        "pkg:pypi/pyyaml@6.0": [{"license": {"name": "MIT"}}],
    }
    assert data["dependencies"] == [{"ref": "pkg:pypi/inject-proxy@0.2.0", "dependsOn": sorted(listed)}]
    sources = [part["properties"] for part in data["components"] if "properties" in part]
    assert sources == [[{"name": "aquasecurity:trivy:SrcName", "value": name}] for name in ("expat", "glibc")]
    cpes = [part["cpe"] for part in data["components"] if "cpe" in part]
    assert cpes == ["cpe:2.3:a:python:python:3.13.1:*:*:*:*:*:*:*"]


def test_the_changelog_of_this_project_has_the_form_that_a_release_reads() -> None:
    sys.path.insert(0, str(ROOT / "release"))
    import make  # noqa: PLC0415

    version = make.project_version((ROOT / "pyproject.toml").read_text())
    assert make.notes((ROOT / "CHANGELOG.md").read_text(), version)


@pytest.mark.judged
def test_trivy_finds_in_the_sbom_what_it_looks_up(released: Repository, tmp_path: Path) -> None:
    """The system and the source packages: without them it looks for nothing, and says that it found nothing."""
    sbom = tmp_path / "sbom.json"
    sbom.write_bytes(released.made()["inject-proxy-0.2.0.cdx.json"])
    done = run([need("sbom-packages"), sbom])
    assert (done.returncode, done.stderr) == (0, b"")
    assert sorted(done.stdout.decode().splitlines()) == [
        "debian 12",
        "debian expat 2.5.0-1",
        "debian glibc 1:2.36-9+deb12u1",
        "python-pkg attrs 26.1",
        "python-pkg inject-proxy 0.2.0",
        "python-pkg pyyaml 6.0",
    ]
