"""Recipes of docs/ for Flux's substitution, Argo CD's rendered branches and Backstage do what the pages say.

The package that Flux itself uses replaces the variables (`tests/tools/flux-envsubst.go`); kustomize and git are real.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from function_configs import list_with_config
from krm_fn.pipeline.run import run
from markdown import block_with
from support import ROOT, TIME_LIMIT, need, shell

DOCS = ROOT / "docs"
FLUX = (DOCS / "howto" / "flux-substitution.md").read_text(encoding="utf-8")
ORCHESTRATORS = (DOCS / "orchestrators.md").read_text(encoding="utf-8")
URL = "http://user:password@proxy.corp.example:3128"
CONTROL_PLANE = """\
apiVersion: controlplane.cluster.x-k8s.io/v1beta1
kind: KubeadmControlPlane
metadata:
  name: prod
  namespace: clusters
spec:
  kubeadmConfigSpec:
    preKubeadmCommands:
    - echo "$HOME $(hostname)"
"""


def injected(config: str, manifest: str) -> str:
    """The manifest with the proxy of a ProxyConfig."""
    spec = yaml.safe_load(config)["spec"]
    outcome = run(list_with_config(spec, *yaml.safe_load_all(manifest)))
    assert outcome.exit_code == 0, [one.line() for one in outcome.results]
    return yaml.safe_dump_all(yaml.safe_load(outcome.output)["items"])


def substituted(text: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [need("flux-envsubst")],
        input=text,
        env=variables,
        capture_output=True,
        text=True,
        timeout=TIME_LIMIT,
        check=False,
    )


# Flux


@pytest.mark.judged
def test_flux_fills_the_placeholder_in_every_place_and_leaves_scripts_alone() -> None:
    config = block_with(FLUX, "kind: ProxyConfig")
    written = injected(config, CONTROL_PLANE)
    assert URL not in written
    applied = substituted(written, PROXY=URL)
    assert applied.returncode == 0, applied.stderr
    spec = yaml.safe_load(applied.stdout)["spec"]["kubeadmConfigSpec"]
    assert 'echo "$HOME $(hostname)"' in spec["preKubeadmCommands"]
    assert f"export HTTPS_PROXY='{URL}'" in spec["preKubeadmCommands"]
    assert all(f'Environment="HTTPS_PROXY={URL}"' in file["content"] for file in spec["files"])


def rows() -> list[Any]:
    """Each text of the table with what is applied."""
    found = re.findall(r"^\| (`.*?`) (?:of a script )?\| (.*?) \|$", FLUX, re.MULTILINE)
    table = []
    for left, right in found:
        table += [pytest.param(text, right, id=text) for text in re.findall(r"`([^`]+)`", left)]
    return table


@pytest.mark.judged
@pytest.mark.parametrize(("text", "applied"), rows())
def test_the_table_says_what_flux_makes_of_a_text(text: str, applied: str) -> None:
    done = substituted(f"x {text} y", PROXY=URL)
    if "fails" in applied:
        assert done.returncode != 0
        return
    wanted = {"the same": text}.get(applied, "" if applied.startswith("nothing") else applied.strip("`"))
    assert (done.returncode, done.stdout) == (0, f"x {wanted} y")


def test_the_table_of_flux_has_all_its_rows() -> None:
    assert len(rows()) == 10


@pytest.mark.judged
def test_a_raw_dollar_in_a_password_is_refused_so_that_flux_finds_none() -> None:
    config = yaml.safe_load(block_with(FLUX, "kind: ProxyConfig"))
    config["spec"]["httpProxy"] = "http://user:pa$$word@proxy.corp.example:3128"
    assert run(list_with_config(config["spec"])).exit_code == 1
    config["spec"]["httpProxy"] = config["spec"]["httpsProxy"] = "http://user:pa%24word@proxy.corp.example:3128"
    written = injected(yaml.safe_dump(config), CONTROL_PLANE)
    assert substituted(written, PROXY=URL).stdout == written


def test_an_object_that_flux_leaves_as_it_is_gets_the_url_of_the_override() -> None:
    config = yaml.safe_load(block_with(FLUX, "kind: ProxyConfig"))
    config["spec"].update(yaml.safe_load(block_with(FLUX, "overrides:"))["spec"])
    assert "${PROXY}" not in injected(yaml.safe_dump(config), CONTROL_PLANE.replace("name: prod", "name: scripts"))


# Argo CD


def test_a_rendered_branch_holds_the_proxy_and_a_failed_build_changes_nothing(tmp_path: Path) -> None:
    need("kustomize")
    script = block_with(ORCHESTRATORS, "git worktree add")
    origin, folder = tmp_path / "origin", tmp_path / "clone"
    shutil.copytree(ROOT / "examples" / "config-repo", folder / "environments" / "prod")
    shutil.copy(ROOT / "examples" / "demo" / "proxy.yaml", folder)
    prepare = f"""
        set -e
        git init --quiet --bare {origin}
        git init --quiet --initial-branch main
        git config user.name a; git config user.email a@corp.example; git config commit.gpgsign false
        git add --all; git commit --quiet --message x
        git remote add origin {origin}
        git branch env/prod "$(git commit-tree -m empty "$(git hash-object -t tree /dev/null)")"
    """
    assert shell(prepare, folder).returncode == 0
    done = shell(script, folder)
    assert done.returncode == 0, done.stderr
    revision = re.findall("`targetRevision: (.*?)`", ORCHESTRATORS)[0]
    show = f"git --git-dir {origin} show {revision}:manifests.yaml"
    assert "http://proxy.acme.example:3128" in shell(show, folder).stdout

    count = f"git --git-dir {origin} rev-list --count {revision}"
    assert shell(script, folder).returncode == 0
    assert shell(count, folder).stdout == "2\n", "the same manifests are no new commit"
    (folder / "environments" / "prod" / "kustomization.yaml").write_text("resources: [missing.yaml]\n")
    assert shell(script, folder).returncode != 0
    assert shell(count, folder).stdout == "2\n"
