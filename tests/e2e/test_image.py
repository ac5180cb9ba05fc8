"""The image, built and run by a real container engine: alone, by kubectl and by kpt."""

from __future__ import annotations

import subprocess
from pathlib import Path

from support import ROOT, diff_of_folders, example, inject_proxy, need, need_engine, readme_command, run

EXAMPLES = ROOT / "examples"
LOCKED_DOWN = ["--network", "none", "--user", "nobody", "--read-only", "--security-opt=no-new-privileges"]
LIST = """\
apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: bootstrap.cluster.x-k8s.io/v1beta1
  kind: KubeadmConfigTemplate
  metadata:
    name: workers # 日本語 stays
  spec:
    template:
      spec:
        files: []
functionConfig:
  apiVersion: fn.inject-proxy.io/v1alpha1
  kind: ProxyConfig
  metadata:
    name: corporate-proxy
  spec:
    httpProxy: http://proxy.acme.example:3128
"""


def docker_run(image: str, *argv: str, stdin: str = LIST) -> subprocess.CompletedProcess[bytes]:
    return run([need_engine(), "run", "--rm", "-i", *LOCKED_DOWN, image, *argv], stdin.encode())


def test_the_image_gives_the_same_bytes_as_the_installed_command(image: str) -> None:
    here = inject_proxy(LIST)
    there = docker_run(image)
    assert b"HTTP_PROXY=http://proxy.acme.example:3128" in here.stdout
    assert (there.returncode, there.stdout.decode()) == (here.returncode, here.stdout.decode())
    assert there.stderr.decode() == here.stderr.decode()


def test_the_image_passes_an_error_on_as_its_exit_code(image: str) -> None:
    done = docker_run(image, stdin="no list\n")
    assert done.returncode == 1
    assert b"Traceback" not in done.stderr


def test_the_image_prints_its_help_for_kpt_fn_doc(image: str) -> None:
    done = docker_run(image, "--help", stdin="")
    assert done.returncode == 0, done.stderr.decode()
    assert b"inject-proxy" in done.stdout


def test_the_image_runs_as_nobody_without_a_flag_that_says_so(image: str) -> None:
    done = run([need_engine(), "image", "inspect", "--format", "{{.Config.User}} {{json .Config.Entrypoint}}", image])
    assert done.stdout.decode().strip() == ('65534:65534 ["/opt/inject-proxy/bin/python","-I","-m","krm_fn"]')


def test_the_image_holds_no_installer_and_nothing_that_is_compiled_at_run_time(image: str) -> None:
    look = "import pathlib, sys; from krm_fn import cli; print(cli.__cached__, pathlib.Path(cli.__cached__).exists())"
    done = run(
        [need_engine(), "run", "--rm", *LOCKED_DOWN, "--entrypoint", "/opt/inject-proxy/bin/python", image, "-c", look]
    )
    assert done.stdout.decode().endswith(" True\n"), done.stderr.decode()
    pip = run([need_engine(), "run", "--rm", "--entrypoint", "/opt/inject-proxy/bin/pip", image])
    assert pip.returncode == 127


def test_kubectl_runs_the_image(image: str, tmp_path: Path) -> None:
    folder = with_image(example("kubectl-kustomize-container", tmp_path) / "proxy.yaml", image).parent
    command = readme_command(folder, "kubectl kustomize")
    done = run([need("kubectl"), *command[1:]], cwd=folder)
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout.decode() == (EXAMPLES / "kustomize-exec" / "expected.yaml").read_text()


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
