"""The plugin of `examples/argocd`, run as Argo CD's server for plugins runs it.

The contract (`cmpserver/plugin/plugin.go`): the command runs in the folder of the Application, with the environment of
the sidecar, `PARAM_...` and `ARGOCD_...`. Standard output must be manifests and nothing else; with an exit code other
than 0 the UI shows standard error. `test_argocd_server.py` asks the server itself.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from argocd import CONFIG, EXAMPLE, IN_IMAGE, PASSWORD, PLUGIN, PYTHON, application, on_this_machine
from images import own_base
from support import ROOT, TIME_LIMIT, need, need_engine, run, search_path

__all__ = ["application"]  # a fixture

DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: argocd-repo-server}
spec:
  template:
    spec:
      containers:
      - name: argocd-repo-server
        image: argocd
        volumeMounts: [{name: tmp, mountPath: /tmp}]
      volumes:
      - {name: tmp, emptyDir: {}}
      - {name: var-files, emptyDir: {}}
      - {name: plugins, emptyDir: {}}
"""


def generate(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `spec.generate` of the plugin."""
    command = [on_this_machine(word) for word in PLUGIN["spec"]["generate"]["command"]]
    return subprocess.run(
        command,
        cwd=folder,
        env={"PATH": search_path(), "TMPDIR": str(folder.parent), "ARGOCD_APP_NAME": "clusters", **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=TIME_LIMIT,
        check=False,
    )


def test_the_plugin_prints_what_kustomize_prints_with_the_proxy_in_it(application: Path) -> None:
    done = generate(application)
    assert done.returncode == 0, done.stderr
    objects = list(yaml.safe_load_all(done.stdout))
    assert objects == list(yaml.safe_load_all((ROOT / "examples/kustomize-exec/expected.yaml").read_text()))
    assert all({"apiVersion", "kind", "metadata"} <= {*one} for one in objects)
    assert sorted(path.name for path in application.parent.iterdir()) == ["application"]  # no temporary file is left


def test_the_proxy_config_of_the_administrator_decides(application: Path, tmp_path: Path) -> None:
    of_administrator = tmp_path / "secret.yaml"
    of_administrator.write_text(CONFIG.replace("//proxy", f"//svc:{PASSWORD}@admin-proxy"))
    done = generate(application, INJECT_PROXY_CONFIG=str(of_administrator), PARAM_CONFIG="proxy.yaml")
    assert done.returncode == 0, done.stderr
    assert f"svc:{PASSWORD}@admin-proxy" in done.stdout
    assert PASSWORD not in done.stderr


def test_parameters_choose_the_file_and_the_targets(application: Path) -> None:
    (application / "proxy.yaml").rename(application / "our proxy.yaml")
    done = generate(application, PARAM_CONFIG="our proxy.yaml", PARAM_ONLY_0="workloads", PARAM_ONLY_1="kyverno")
    by_kind = {one["kind"]: str(one) for one in yaml.safe_load_all(done.stdout)}
    assert {kind for kind, text in by_kind.items() if "http://proxy.acme.example:3128" in text} == {
        "Deployment",
        "ClusterPolicy",
    }


@pytest.mark.parametrize(
    ("environment", "message"),
    [
        pytest.param({"PARAM_CONFIG": "$(touch pwned); none.yaml"}, "cannot be read", id="a file that is missing"),
        pytest.param({"PARAM_ONLY_0": "nodez"}, "did you mean", id="a target that is unknown"),
    ],
)
def test_an_error_gives_no_manifest_and_a_message(application: Path, environment: dict[str, str], message: str) -> None:
    done = generate(application, **environment)
    assert done.returncode != 0
    assert (done.stdout, message in done.stderr) == ("", True), done.stderr
    assert not (application / "pwned").exists()


def test_a_kustomization_without_objects_is_an_error_because_argo_cd_would_remove_all(application: Path) -> None:
    (application / "kustomization.yaml").write_text("namePrefix: a-\n")
    done = generate(application)
    assert (done.returncode != 0, done.stdout) == (True, "")


def test_an_error_shows_no_credential(application: Path) -> None:
    (application / "proxy.yaml").write_text(CONFIG.replace("httpProxy: http://", f"httpProxy: htp://svc:{PASSWORD}@"))
    done = generate(application)
    assert (done.returncode, done.stdout) == (1, "")
    assert "httpProxy" in done.stderr
    assert PASSWORD not in done.stderr


def test_the_patch_adds_the_sidecar_to_the_repo_server(tmp_path: Path) -> None:
    shutil.copy(EXAMPLE / "plugin/repo-server.yaml", tmp_path)
    (tmp_path / "deployment.yaml").write_text(DEPLOYMENT)
    (tmp_path / "kustomization.yaml").write_text("resources: [deployment.yaml]\npatches: [{path: repo-server.yaml}]\n")
    done = run([need("kustomize"), "build", "."], cwd=tmp_path)
    pod = yaml.safe_load(done.stdout)["spec"]["template"]["spec"]
    containers = {container["name"]: container for container in pod["containers"]}
    assert containers.keys() == {"argocd-repo-server", "inject-proxy"}
    sidecar = containers["inject-proxy"]
    assert sidecar["securityContext"]["runAsUser"] == 999
    mounted = {mount["mountPath"]: mount["name"] for mount in sidecar["volumeMounts"]}
    assert {*mounted.values()} <= {volume["name"] for volume in pod["volumes"]}
    (of_repo_server,) = containers["argocd-repo-server"]["volumeMounts"]
    assert mounted[of_repo_server["mountPath"]] != of_repo_server["name"]
    (variable,) = sidecar["env"]
    assert variable["value"].startswith(f"{next(path for path, name in mounted.items() if name.endswith('config'))}/")


def test_the_build_options_make_kustomize_run_the_command(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path, dirs_exist_ok=True)
    options = yaml.safe_load((EXAMPLE / "exec/argocd-cm.yaml").read_text())["data"]["kustomize.buildOptions"]
    done = run([need("kustomize"), "build", *shlex.split(options), "."], cwd=tmp_path / "kustomize-exec")
    assert done.stdout == (ROOT / "examples/kustomize-exec/expected.yaml").read_bytes(), done.stderr.decode()


def test_the_plugin_of_this_test_is_the_one_of_the_image() -> None:
    assert PLUGIN["spec"]["generate"]["command"] == [PYTHON, "-I", f"{IN_IMAGE}generate.py"]
    assert f" {IN_IMAGE}\n" in (EXAMPLE / "plugin/Dockerfile").read_text()


@pytest.fixture(scope="module")
def plugin_image(image: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The name of the image of the sidecar, built on our image and on one with the kustomize of this machine."""
    docker = need_engine()
    folder = tmp_path_factory.mktemp("kustomize")
    shutil.copy(need("kustomize"), folder)
    (folder / "Dockerfile").write_text("FROM scratch\nCOPY kustomize /app/kustomize\n")
    of_kustomize, name = f"{image}-kustomize", f"{image}-argocd-plugin"
    arguments = [f"--build-arg=INJECT_PROXY={image}", f"--build-arg=KUSTOMIZE={of_kustomize}"]
    for command in (["--tag", of_kustomize, folder], [*arguments, "--tag", name, EXAMPLE / "plugin"]):
        done = run([docker, "build", "--quiet", "--network", "host", *command])
        assert done.returncode == 0, done.stderr.decode()
    yield name
    run([docker, "rmi", name, of_kustomize])


@pytest.mark.judged
def test_the_plugin_runs_in_the_image_of_its_dockerfile(plugin_image: str, application: Path) -> None:
    """As the sidecar runs: user 999, a read-only root and a `/tmp` of its own."""
    application.parent.chmod(0o755)
    flags = ["--rm", "--network=none", "--read-only", "--tmpfs=/tmp", f"--volume={application}:/work:ro", "-w=/work"]
    program, *arguments = PLUGIN["spec"]["generate"]["command"]
    done = run([need_engine(), "run", *flags, f"--entrypoint={program}", plugin_image, *arguments])
    assert done.returncode == 0, done.stderr.decode()
    expected = yaml.safe_load_all((ROOT / "examples/kustomize-exec/expected.yaml").read_text())
    assert list(yaml.safe_load_all(done.stdout)) == list(expected)
    user = (
        run([need_engine(), "image", "inspect", "--format", "{{.Config.User}}", plugin_image]).stdout.decode().strip()
    )
    assert user == "999:999"


@pytest.mark.judged
def test_the_command_runs_in_the_image_of_the_other_dockerfile(image: str) -> None:
    """On a Debian with Python in place of Argo CD's Ubuntu: what apt installs there is here already."""
    docker, name = need_engine(), f"{image}-argocd-exec"
    bases = [f"--build-arg=ARGOCD={base}" for base in own_base()]
    file = EXAMPLE / "exec/Dockerfile"
    done = run([docker, "build", "--quiet", "--network", "host", *bases, "--file", file, "--tag", name, ROOT])
    assert done.returncode == 0, done.stderr.decode()
    done = run([docker, "run", "--rm", "--network=none", name, "inject-proxy", "--version"])
    run([docker, "rmi", name])
    assert (done.returncode, done.stdout.decode().startswith("inject-proxy ")) == (0, True), done.stderr.decode()
