"""`examples/kpt-package` and `examples/kustomize-overlays`, by the real kpt and the real kustomize."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from support import COMMAND, ROOT, TOOLS, example, in_a_process, need, readme_command, run

PACKAGE = ROOT / "examples/kpt-package/package"
IDENTITY = ["-c", "user.name=a", "-c", "user.email=a@example.com"]


def tool(folder: Path, name: str, *argv: str) -> str:
    environment = {"KRM_FN": str(COMMAND), "KRM_FN_LOG": str(folder / "docker.log")}
    done = run([need(name), *argv], cwd=folder, first_on_path=TOOLS, env=environment)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode() + done.stderr.decode()


def commit(folder: Path, message: str) -> None:
    tool(folder, "git", "add", ".")
    tool(folder, "git", *IDENTITY, "commit", "--quiet", f"--message={message}")


def test_a_copy_of_the_package_gets_the_proxy_and_later_another_one(tmp_path: Path) -> None:
    need("kpt")
    upstream = tmp_path / "upstream"
    shutil.copytree(PACKAGE, upstream / "package")
    tool(upstream, "git", "init", "--quiet", "--initial-branch=main")
    commit(upstream, "first")
    here = tmp_path / "here"
    here.mkdir()
    tool(here, "git", "init", "--quiet")
    get = readme_command(ROOT / "examples/kpt-package", "kpt pkg get")
    assert get[3].endswith(".git/package@main")
    tool(here, *get[:3], f"file://{upstream}/.git/package@main", *get[4:])
    render = readme_command(ROOT / "examples/kpt-package", "kpt fn render")
    shown = tool(here, *render)
    assert "[warning]" not in shown
    once = (here / "example/cluster.yaml").read_text()
    assert "HTTP_PROXY=http://proxy.acme.example:3128" in once
    assert "# in this order" in once
    assert (here / "docker.log").read_text().splitlines()[-1].endswith(" registry.example.com/inject-proxy:v0.1")
    commit(here, "rendered")
    config = upstream / "package/proxy.yaml"
    config.write_text(config.read_text().replace("//proxy.acme.example", "//new.acme.example"))
    commit(upstream, "second")
    tool(here, "kpt", "pkg", "update", "example@main")
    tool(here, *render)
    assert (here / "example/cluster.yaml").read_text() == once.replace("//proxy.acme.example", "//new.acme.example")


def build(folder: Path, overlay: str) -> list[Any]:
    (command,) = [
        line for line in (folder / "README.md").read_text().splitlines() if line.endswith(f"overlays/{overlay}")
    ]
    done = run([need("kustomize"), *command.split()[1:]], cwd=folder)
    assert done.returncode == 0, done.stderr.decode()
    return list(yaml.safe_load_all(done.stdout))


def proxies(objects: list[Any]) -> set[str]:
    return {*re.findall(r"http://[\w.]+:\d+", str([one for one in objects if one["kind"] == "KubeadmControlPlane"]))}


@pytest.mark.parametrize(
    ("overlay", "proxy", "has_entry"),
    [
        pytest.param("test", "http://proxy.acme.example:3128", False, id="a component"),
        pytest.param("prod", "http://proxy.prod.acme.example:3128", True, id="a patch of the ProxyConfig"),
    ],
)
def test_each_overlay_has_its_proxy(tmp_path: Path, overlay: str, proxy: str, has_entry: bool) -> None:
    objects = build(example("kustomize-overlays", tmp_path), overlay)
    assert proxies(objects) == {proxy}
    assert (".prod.example" in str(objects)) is has_entry
    assert len(objects) == 7


def test_where_base_and_overlay_have_a_function_that_of_the_overlay_decides(tmp_path: Path) -> None:
    folder = example("kustomize-overlays", tmp_path)
    with (folder / "base/kustomization.yaml").open("a") as file:
        file.write("components: [../component]\n")
    assert proxies(build(folder, "prod")) == {"http://proxy.prod.acme.example:3128"}


@pytest.mark.parametrize(
    ("overlay", "is_patched"), [("test", True), ("prod", False)], ids=["component", "transformers"]
)
def test_patches_come_behind_components_before_transformers(tmp_path: Path, overlay: str, is_patched: bool) -> None:
    folder = example("kustomize-overlays", tmp_path)
    patch = '[{"op": "add", "path": "/spec/template/spec/containers/0/env", "value": []}]'
    with (folder / f"overlays/{overlay}/kustomization.yaml").open("a") as file:
        file.write(f"patches:\n- target: {{kind: Deployment}}\n  patch: '{patch}'\n")
    (deployment,) = [one for one in build(folder, overlay) if one["kind"] == "Deployment"]
    assert (deployment["spec"]["template"]["spec"]["containers"][0]["env"] == []) is is_patched


PAGE = (ROOT / "docs/orchestrators.md").read_text()
PLUGINS, EXEC = "--enable-alpha-plugins", "--enable-exec"
FAILS = [
    pytest.param(
        [PLUGINS, EXEC],
        "transformers:",
        "validators:",
        "validator shouldn't modify the resource map",
        id="under validators",
    ),
    pytest.param([], "", "", "external plugins disabled", id="no option"),
    pytest.param([PLUGINS, EXEC], "io/function", "io/fn", "unable to find plugin root", id="no annotation"),
    pytest.param([PLUGINS, EXEC], "path: inject", "path: injekt", "executable file not found", id="no such command"),
]


@pytest.mark.parametrize(("options", "old", "new", "message"), FAILS)
def test_the_page_says_why_it_fails(tmp_path: Path, options: list[str], old: str, new: str, message: str) -> None:
    folder = example("kustomize-exec", tmp_path)
    for name in ("proxy.yaml", "kustomization.yaml"):
        text = (folder / name).read_text()
        (folder / name).write_text(text.replace(old, new) if old else text)
    done = run([need("kustomize"), "build", *options, "."], cwd=folder)
    assert done.returncode == 1
    assert message in done.stderr.decode()
    assert f"`{message}`" in PAGE


def test_a_function_under_resources_is_in_the_output(tmp_path: Path) -> None:
    folder = example("kustomize-exec", tmp_path)
    text = (folder / "kustomization.yaml").read_text()
    (folder / "kustomization.yaml").write_text(text.replace("transformers:\n- proxy", "- proxy"))
    done = run([need("kustomize"), "build", PLUGINS, EXEC, "."], cwd=folder)
    assert b"kind: ProxyConfig" in done.stdout


def test_a_skipped_function_gives_no_message_and_the_check_of_the_build_finds_it(tmp_path: Path) -> None:
    folder = example("kustomize-exec", tmp_path)
    done = run([need("kustomize"), "build", PLUGINS, "."], cwd=folder)
    assert (done.returncode, done.stderr) == (0, b"")
    checked = in_a_process(done.stdout, "run", "--check", "--config", str(folder / "proxy.yaml"), "-")
    assert checked.returncode == 1
