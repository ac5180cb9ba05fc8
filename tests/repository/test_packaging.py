"""The wheel and the sdist, built by the build backend: what is in them, and that the wheel alone is enough to run."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

from support import ROOT, TIME_LIMIT, missing

VERSION = metadata.version("inject-proxy")
WHEEL = f"inject_proxy-{VERSION}-py3-none-any.whl"
SDIST = f"inject_proxy-{VERSION}.tar.gz"
INSTALL_LIMIT = 300.0


def build(source: Path, target: Path, *kinds: str) -> Path:
    """Build distributions of a source tree with the backend of pyproject.toml, without pip and without a network."""
    argv = [sys.executable, "-m", "hatchling", "build", "--directory", str(target)]
    for kind in kinds:
        argv += ["--target", kind]
    done = subprocess.run(argv, cwd=source, capture_output=True, text=True, timeout=TIME_LIMIT, check=False)
    assert done.returncode == 0, done.stderr
    return target


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the sdist of this checkout."""
    return build(ROOT, tmp_path_factory.mktemp("built"), "wheel", "sdist")


@pytest.fixture(scope="module")
def unpacked(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source tree that is in the sdist."""
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(built / SDIST) as archive:
        archive.extractall(folder, filter="data")
    return folder / SDIST.removesuffix(".tar.gz")


def tracked(*folders: str) -> set[str]:
    """The files of these folders that git knows: those of a clone, without what a run of the tests leaves there."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *folders],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return {name for name in listed.stdout.splitlines() if (ROOT / name).exists()}


def test_the_wheel_holds_the_package_its_schema_and_the_license_and_nothing_else(built: Path) -> None:
    with zipfile.ZipFile(built / WHEEL) as archive:
        names = set(archive.namelist())
    package = tracked("krm_fn")
    configuration = {f"krm_fn/{name}" for name in tracked("functionconfig")}
    about = {
        f"inject_proxy-{VERSION}.dist-info/{name}"
        for name in ("METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE")
    }
    assert "krm_fn/functionconfig/proxyconfig.schema.json" in configuration
    assert "krm_fn/py.typed" in package
    assert names == package | configuration | about


def test_the_sdist_holds_what_the_wheel_is_built_from_and_no_test(unpacked: Path) -> None:
    names = {path.relative_to(unpacked).as_posix() for path in unpacked.rglob("*") if path.is_file()}
    assert tracked("krm_fn", "functionconfig", "docs") < names
    rest = names - tracked("krm_fn", "functionconfig", "docs")
    assert rest == {".gitignore", "CHANGELOG.md", "LICENSE", "PKG-INFO", "README.md", "SECURITY.md", "pyproject.toml"}


def test_the_sdist_gives_the_same_wheel_byte_for_byte(built: Path, unpacked: Path, tmp_path: Path) -> None:
    again = build(unpacked, tmp_path, "wheel")
    assert (again / WHEEL).read_bytes() == (built / WHEEL).read_bytes()


def test_the_first_line_of_the_readme_installs_it_from_a_clone(tmp_path: Path) -> None:
    """From an unpacked release as well: it gives the same wheel."""
    line = re.search(r"^    (pip install .*?) +#", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert line is not None
    folder = tmp_path / "clone"
    for name in tracked("."):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes((ROOT / name).read_bytes())
    environment = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True, timeout=INSTALL_LIMIT)
    command = [*pip_of(environment), *line[1].split()[1:]]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=INSTALL_LIMIT, check=False)
    if done.returncode and "from versions: none" in done.stderr:
        missing("a package index that pip can reach", "set PIP_INDEX_URL, or connect to a network")
    assert done.returncode == 0, done.stderr
    version = subprocess.run([environment / "bin" / "inject-proxy", "--version"], capture_output=True, check=True)
    assert version.stdout.decode() == f"inject-proxy {VERSION}\n"


def test_what_the_page_writes_for_a_pipeline_lets_pip_take_the_release_alone(built: Path, tmp_path: Path) -> None:
    page = (ROOT / "docs" / "install.md").read_text()
    (script,) = re.findall(r"```sh\n(# in the folder of the release.*?)```", page, re.DOTALL)
    (tmp_path / "requirements").mkdir()
    shutil.copy(ROOT / "requirements" / "runtime.txt", tmp_path / "requirements")
    shutil.copy(built / WHEEL, tmp_path)
    subprocess.run(["sh", "-e", "-c", script.replace("0.1.0", VERSION)], cwd=tmp_path, check=True)
    *others, own = (tmp_path / "inject-proxy.txt").read_text().splitlines()
    assert "\n".join(others) + "\n" == (ROOT / "requirements" / "runtime.txt").read_text()
    (tmp_path / "own.txt").write_text(own)
    environment = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True, timeout=INSTALL_LIMIT)
    argv = [*pip_of(environment), "install", "--no-index", "--no-deps", "--find-links", tmp_path, "--require-hashes"]
    codes = []
    for content in ((built / WHEEL).read_bytes(), (built / WHEEL).read_bytes() + b"x"):
        (tmp_path / WHEEL).write_bytes(content)
        done = subprocess.run(
            [*argv, "--force-reinstall", "-r", "own.txt"], cwd=tmp_path, capture_output=True, check=False
        )
        codes.append(done.returncode)
    assert codes == [0, 1]


def pip_of(environment: Path) -> list[str | Path]:
    """The command of the pip of this environment that works on another one."""
    return [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", environment / "bin" / "python"]
