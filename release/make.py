"""Make all files of a release from the commit that is checked out, twice the same bytes.

Into ``dist/X.Y.Z`` go the wheel, the sdist, the image as an OCI archive, an SBOM, the notes, metadata.yaml
for catalogs, and SHA256SUMS of them all. Nothing is published and no tag is made. Run it with ``make release``.

Usage: make.py X.Y.Z [--image NAME] [--base IMAGE] [--platforms LIST] [--source URL] [--docker COMMAND]
       [--build-options OPTIONS]
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import image_archive
import sbom

DESCRIPTION = "A KRM function that writes a corporate HTTP proxy into Kubernetes manifests"


def main(argv: Sequence[str]) -> int:
    """Make the release of the arguments; return 1, with a line for each reason, where it is refused."""
    parser = argparse.ArgumentParser(prog="make release")
    parser.add_argument("version", metavar="X.Y.Z")
    parser.add_argument(
        "--image", default="localhost/inject-proxy", help="the name that the image will have"
    )
    parser.add_argument(
        "--base", default="", help="the image to build on; default: the one of the Dockerfile"
    )
    parser.add_argument(
        "--platforms", default="", help="such as linux/amd64,linux/arm64; default: of this machine"
    )
    parser.add_argument(
        "--source", default="", help="the address of the repository, for metadata.yaml"
    )
    parser.add_argument("--docker", default="docker", help="the client of the container engine")
    parser.add_argument("--build-options", default="", help="further options of its `build`")
    options = parser.parse_args(argv)
    root = Path(output("git", "rev-parse", "--show-toplevel"))
    reasons = [*refusals(root, options.version), *engine_refusals(options.docker)]
    for reason in reasons:
        print(f"release: {reason}", file=sys.stderr)
    if reasons:
        return 1
    target = root / "dist" / options.version
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder, "made")
        made.mkdir()
        make(root, Path(folder), made, options)
        shutil.rmtree(target, ignore_errors=True)
        target.parent.mkdir(exist_ok=True)
        shutil.move(made, target)
    print((target / "SHA256SUMS").read_text(), end="")
    print(
        f"release: all files are in dist/{options.version}; the tag v{options.version} publishes them"
    )
    return 0


def refusals(root: Path, version: str) -> Iterator[str]:
    """Yield why this commit cannot be the release ``version``."""
    if re.fullmatch(r"\d+\.\d+\.\d+", version) is None:
        yield f"`{version}` is no version X.Y.Z"
        return
    if output("git", "status", "--porcelain", folder=root):
        yield "the working copy has changes: commit them, because a release is made from a commit"
    project = project_version((root / "pyproject.toml").read_text())
    if project != version:
        yield f"`version` in pyproject.toml is {project}: write {version}"
    changelog = (root / "CHANGELOG.md").read_text()
    if not notes(changelog, version):
        yield f"CHANGELOG.md has no section `## {version} (YYYY-MM-DD)` with a line: write it"
    if section(changelog, r"Unreleased"):
        yield f"CHANGELOG.md has lines under `Unreleased`: they belong to {version}"
    tagged = output(
        "git", "tag", "--list", f"v{version}", "--format=%(objectname) %(*objectname)", folder=root
    )
    if tagged and output("git", "rev-parse", "HEAD", folder=root) not in tagged.split():
        yield f"the tag v{version} is another commit: a published version never changes, take the next one"


def engine_refusals(docker: str) -> Iterator[str]:
    """Yield why no image can be built."""
    if shutil.which(docker) is None:
        yield f"`{docker}` is not on PATH: name the client of a container engine, as in `DOCKER=podman`"
    elif subprocess.run([docker, "info"], capture_output=True, check=False).returncode:
        yield f"no container engine answers `{docker} info`: start it"


def make(root: Path, scratch: Path, made: Path, options: argparse.Namespace) -> None:
    """Make all files in ``made`` from what the commit holds, and nothing else that is in the working copy."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH") or output(
        "git", "log", "-1", "--format=%ct", folder=root
    )
    environment = {**os.environ, "SOURCE_DATE_EPOCH": epoch}
    source = scratch / "source"
    export(root, source)
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--directory", str(made)],
        cwd=source,
        env=environment,
        stdout=subprocess.DEVNULL,
        check=True,
    )
    saved = [
        built_image(source, scratch, platform, epoch, options)
        for platform in options.platforms.split(",")
    ]
    name = f"{options.image}:v{options.version}"
    archive = made / f"inject-proxy-{options.version}-image.tar"
    images = [image_archive.Image.read(path, int(epoch)) for path in saved]
    digest = image_archive.write(archive, images, name, int(epoch))
    time = datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc)
    components = [
        one for image in images for one in sbom.components(image.files, image.architecture)
    ]
    (made / f"inject-proxy-{options.version}.cdx.json").write_text(
        sbom.document(options.version, DESCRIPTION, components, time)
    )
    text = notes((root / "CHANGELOG.md").read_text(), options.version)
    (made / "NOTES.md").write_text(f"{text}\n\nImage: `{name}@{digest}`\n")
    catalog = re.sub(
        r"(?m)^image: .*$", f"image: {name}@{digest}", (root / "metadata.yaml").read_text()
    )
    if options.source:
        catalog += f"sourceURL: {options.source}/tree/v{options.version}\n"
    (made / "metadata.yaml").write_text(catalog)
    write_sums(made)


def export(root: Path, folder: Path) -> None:
    """Write the files of the commit into a new folder."""
    archive = folder.with_suffix(".tar")
    subprocess.run(["git", "archive", "--output", str(archive), "HEAD"], cwd=root, check=True)
    with tarfile.open(archive) as opened:
        if hasattr(tarfile, "data_filter"):
            opened.extractall(folder, filter="data")
        else:  # a Python 3.10 or 3.11 of before the filters; the archive is of git itself
            opened.extractall(folder)  # noqa: S202


def built_image(
    source: Path, scratch: Path, platform: str, epoch: str, options: argparse.Namespace
) -> Path:
    """Build the image for one platform, and return the archive of it that the engine saves."""
    tag = f"localhost/inject-proxy-release:{os.getpid()}"
    build = [options.docker, "build", "--build-arg", f"SOURCE_DATE_EPOCH={epoch}", "--tag", tag]
    if options.base:
        build += ["--build-arg", f"BASE={options.base}"]
    if platform:
        build += ["--platform", platform]
    archive = scratch / f"{platform.replace('/', '-') or 'image'}.tar"
    subprocess.run(
        [*build, *shlex.split(options.build_options), str(source)], stdout=sys.stderr, check=True
    )
    try:
        subprocess.run([options.docker, "save", "--output", str(archive), tag], check=True)
    finally:
        subprocess.run([options.docker, "rmi", tag], stdout=subprocess.DEVNULL, check=False)
    return archive


def notes(changelog: str, version: str) -> str:
    """Return the lines that the changelog has about a version, without its heading."""
    return section(changelog, rf"{re.escape(version)} \(\d{{4}}-\d\d-\d\d\)")


def section(changelog: str, title: str) -> str:
    """Return the text below the heading that matches ``title``; empty where there is none."""
    found = re.search(rf"(?ms)^## {title}\n(.*?)(?=^## |\Z)", changelog)
    return found[1].strip() if found else ""


def project_version(pyproject: str) -> str:
    """Return the version of the project; Python 3.10 has no reader for TOML, and it is one line."""
    found = re.search(r'(?m)^version = "(.*)"$', pyproject)
    return found[1] if found else "missing"


def write_sums(folder: Path) -> None:
    """Write SHA256SUMS of all files in ``folder``, in the form that ``sha256sum --check`` reads."""
    lines = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"
        for path in sorted(folder.iterdir())
    ]
    (folder / "SHA256SUMS").write_text("".join(lines))


def output(*command: str, folder: Path | None = None) -> str:
    """Return what a command prints, without the line feed at its end; raises where it fails."""
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=True
    ).stdout.strip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
