"""The image, built and run by a real container engine: alone, by kubectl and by kpt."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from contract_lists import WORKERS, resource_list
from support import ROOT, diff_of_folders, example, in_a_process, need, need_engine, readme_command, run

sys.path.insert(0, str(ROOT / "release"))
import image_archive
import sbom

EXAMPLES = ROOT / "examples"
PYTHON = "/opt/inject-proxy/bin/python"
LOCKED_DOWN = ["--network", "none", "--user", "nobody", "--read-only", "--security-opt=no-new-privileges"]
LIST = resource_list(WORKERS)


def docker_run(image: str, *argv: str, stdin: str = LIST) -> subprocess.CompletedProcess[bytes]:
    return run([need_engine(), "run", "--rm", "-i", *LOCKED_DOWN, image, *argv], stdin.encode())


def python(image: str, interpreter: str, program: str) -> subprocess.CompletedProcess[bytes]:
    argv = [need_engine(), "run", "--rm", *LOCKED_DOWN, "--entrypoint", interpreter, image, "-I", "-c", program]
    return run(argv)


@pytest.mark.judged
def test_the_image_gives_the_same_bytes_as_the_installed_command(image: str) -> None:
    here = in_a_process(LIST)
    there = docker_run(image)
    assert b"HTTP_PROXY=http://proxy.acme.example:3128" in here.stdout
    assert (there.returncode, there.stdout.decode()) == (here.returncode, here.stdout.decode())
    assert there.stderr.decode() == here.stderr.decode()


@pytest.mark.judged
def test_the_image_passes_an_error_on_as_its_exit_code(image: str) -> None:
    done = docker_run(image, stdin="no list\n")
    assert done.returncode == 1
    assert b"Traceback" not in done.stderr


@pytest.mark.judged
def test_the_image_prints_its_help_for_kpt_fn_doc(image: str) -> None:
    done = docker_run(image, "--help", stdin="")
    assert done.returncode == 0, done.stderr.decode()
    assert b"inject-proxy" in done.stdout


@pytest.mark.judged
def test_the_image_runs_as_nobody_without_a_flag_that_says_so(image: str) -> None:
    done = run([need_engine(), "image", "inspect", "--format", "{{.Config.User}} {{json .Config.Entrypoint}}", image])
    assert done.stdout.decode().strip() == ('65534:65534 ["/opt/inject-proxy/bin/python","-I","-m","krm_fn"]')


@pytest.mark.judged
def test_the_image_holds_nothing_that_is_compiled_at_run_time(image: str) -> None:
    look = "import pathlib, sys; from krm_fn import cli; print(cli.__cached__, pathlib.Path(cli.__cached__).exists())"
    done = python(image, PYTHON, look)
    assert done.stdout.decode().endswith(" True\n"), done.stderr.decode()


@pytest.mark.judged
@pytest.mark.parametrize("module", ["pip", "setuptools", "pkg_resources", "ensurepip", "venv", "_ssl"])
@pytest.mark.parametrize("interpreter", [PYTHON, "python3"])
def test_the_image_holds_no_installer(image: str, interpreter: str, module: str) -> None:
    done = python(image, interpreter, f"import {module}")
    assert done.returncode == 1
    assert f"ModuleNotFoundError: No module named '{module}'" in done.stderr.decode()


@pytest.mark.judged
def test_the_image_holds_no_command_but_python_and_no_wheel(image: str) -> None:
    look = """
import os, stat
for path, folders, names in os.walk("/"):
    folders[:] = [name for name in folders if os.path.join(path, name) not in ("/proc", "/sys", "/dev")]
    for name in names:
        file = os.path.join(path, name)
        if name.endswith(".whl") or path.split("/")[-1] in ("bin", "sbin"):
            print(file)
        elif os.lstat(file).st_mode & stat.S_IXUSR and stat.S_ISREG(os.lstat(file).st_mode) and os.path.getsize(file):
            with open(file, "rb") as content:
                if content.read(2) == b"#!" and not name.endswith(".py"):
                    print(file)
"""
    done = run([need_engine(), "run", "--rm", "--user", "0", "--entrypoint", PYTHON, image, "-I", "-c", look])
    assert done.returncode == 0, done.stderr.decode()
    found = done.stdout.decode().split()
    assert {Path(file).parent.as_posix() for file in found} <= {"/opt/inject-proxy/bin", "/usr/bin", "/usr/local/bin"}
    assert [file for file in found if not re.fullmatch(r"python(3(\.\d+)?)?", Path(file).name)] == []


@pytest.mark.judged
@pytest.mark.parametrize("shell", ["sh", "bash", "busybox"])
def test_the_image_holds_no_shell(image: str, shell: str) -> None:
    done = run([need_engine(), "run", "--rm", "--entrypoint", shell, image, "-c", "true"])
    assert done.returncode == 127
    assert b"executable file not found" in done.stderr


@pytest.mark.judged
def test_two_builds_give_the_same_layers_and_the_same_configuration(image: str, image_built_again: str) -> None:
    """The time of the build is the one difference; engines that know SOURCE_DATE_EPOCH take it from there."""
    first, second = (
        json.loads(run([need_engine(), "image", "inspect", name]).stdout)[0] for name in (image, image_built_again)
    )
    assert len(first["RootFS"]["Layers"]) == 1
    assert first["RootFS"] == second["RootFS"]
    for one in (first, second):
        one["Config"].pop("Image", None)  # the step before the last, in the builder of before BuildKit
    assert first["Config"] == second["Config"]
    assert first["Id"] != second["Id"], "the second build is the first one"


@pytest.mark.judged
def test_two_builds_give_one_archive_that_the_engine_loads(image: str, image_built_again: str, tmp_path: Path) -> None:
    name = f"{image}-released"
    docker = need_engine()
    archives = [tmp_path / "first.tar", tmp_path / "second.tar"]
    for built, archive in zip((image, image_built_again), archives, strict=True):
        saved = tmp_path / "saved.tar"
        assert run([docker, "save", "--output", saved, built]).returncode == 0
        image_archive.write(archive, [image_archive.Image.read(saved, 0)], name, 0)
    assert archives[0].read_bytes() == archives[1].read_bytes()
    loaded = run([docker, "load", "--input", archives[0]])
    try:
        assert loaded.returncode == 0, loaded.stderr.decode()
        assert docker_run(name).stdout == docker_run(image).stdout
    finally:
        run([docker, "rmi", name])


@pytest.mark.judged
def test_the_sbom_names_the_packages_of_the_image(image: str, tmp_path: Path) -> None:
    saved = tmp_path / "saved.tar"
    run([need_engine(), "save", "--output", saved, image])
    files = image_archive.Image.read(saved, 0).files
    found = {one["bom-ref"].partition("@")[0] for one in sbom.components(files, "amd64")}
    assert {"pkg:pypi/pyyaml", "pkg:pypi/jsonpatch", "pkg:pypi/jsonschema", "pkg:generic/python"} <= found
    assert {"pkg:deb/debian/libc6"} <= found


@pytest.mark.judged
def test_each_file_of_the_image_has_the_time_that_the_build_was_given(image: str) -> None:
    look = """
import os
for top in ("/opt", "/usr", "/etc/passwd", "/tmp"):
    for path, folders, names in os.walk(top):
        for name in ["", *folders, *names]:
            if os.lstat(os.path.join(path, name)).st_mtime != 0:
                print(path, name)
"""
    done = python(image, PYTHON, look)
    assert (done.returncode, done.stdout.decode()) == (0, ""), done.stderr.decode()


@pytest.mark.judged
def test_a_scanner_finds_the_packages_of_the_libraries(image: str) -> None:
    look = """
import pathlib
for file in sorted(pathlib.Path("/var/lib/dpkg/status.d").iterdir()):
    fields = dict(line.split(": ", 1) for line in file.read_text().splitlines() if ": " in line and line[0] != " ")
    print(fields["Package"], fields["Status"], bool(fields["Version"]))
print(open("/etc/os-release").read().count("ID="))
"""
    done = python(image, PYTHON, look)
    assert done.returncode == 0, done.stderr.decode()
    *packages, identities = done.stdout.decode().splitlines()
    assert "libc6 install ok installed True" in packages
    assert {line.split(" ", 1)[1] for line in packages} == {"install ok installed True"}
    assert int(identities) >= 1


@pytest.mark.judged
def test_the_packages_of_the_image_are_those_of_the_lock(image: str) -> None:
    look = """
import importlib.metadata
for one in importlib.metadata.distributions():
    print(one.metadata["Name"].lower().replace("_", "-"), one.version)
"""
    done = python(image, PYTHON, look)
    there = {tuple(line.split()) for line in done.stdout.decode().splitlines()} - {("inject-proxy", "0.1.0")}
    locked = re.findall(r"^([a-z0-9-]+)==([^ ]+)", (ROOT / "requirements" / "runtime.txt").read_text(), re.MULTILINE)
    assert {"pyyaml", "jsonpatch", "jsonschema"} < {name for name, _ in there}
    assert there <= set(locked)


@pytest.mark.judged
def test_kubectl_runs_the_image(image: str, tmp_path: Path) -> None:
    folder = with_image(example("kubectl-kustomize-container", tmp_path) / "proxy.yaml", image).parent
    command = readme_command(folder, "kubectl kustomize")
    done = run([need("kubectl"), *command[1:]], cwd=folder)
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout.decode() == (EXAMPLES / "kustomize-exec" / "expected.yaml").read_text()


@pytest.mark.judged
def test_kpt_eval_runs_the_image(image: str, tmp_path: Path) -> None:
    folder = example("config-repo", tmp_path)
    arguments = readme_command(tmp_path / "kpt-eval", "kpt fn eval")
    values = arguments[arguments.index("--") :]
    done = run([need("kpt"), "fn", "eval", folder, "--image", image, "--image-pull-policy", "Never", *values])
    assert done.returncode == 0, done.stderr.decode()
    changed = diff_of_folders(EXAMPLES / "config-repo", folder).decode()
    assert changed == (EXAMPLES / "kpt-eval" / "expected.diff").read_text()


def with_image(config: Path, image: str) -> Path:
    """The FunctionConfig, with the image of this test in place of the one it names."""
    text = config.read_text()
    assert "localhost/inject-proxy:v0.1" in text
    config.write_text(text.replace("localhost/inject-proxy:v0.1", image))
    return config
