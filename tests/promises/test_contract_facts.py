"""Ten facts about kustomize, kubectl, kpt and Flux that shape this function, each seen with the real tool.

They are no rules of a specification: they are what happens. Where a newer orchestrator behaves otherwise, the test
that fails says which part of this function is no longer needed.
"""

from __future__ import annotations

import re
from pathlib import Path
from subprocess import CompletedProcess

import pytest
import yaml

from contract_lists import BAD_CONFIG, CONFIG, PROXY, WORKERS, resource_list
from kpt_exchanges import kpt
from support import COMMAND, TOOLS, example, inject_proxy, need, run

EXEC = "config.kubernetes.io/function: |\n      exec:\n        path: inject-proxy\n"
CONTAINER = "config.kubernetes.io/function: |\n      container:\n        image: localhost/inject-proxy:v0.1\n"
KUSTOMIZE_EXEC = ("build", "--enable-alpha-plugins", "--enable-exec", ".")
PLAIN_WORKERS = re.sub(r"(?s)  annotations:\n.*?spec:", "spec:", WORKERS, count=1)
UNSEEN_DROP_IN = """\
apiVersion: bootstrap.cluster.x-k8s.io/v1beta1
kind: KubeadmConfigTemplate
metadata:
  name: workers
spec:
  template:
    spec:
      files:
      - path: /etc/systemd/system/containerd.service.d/http-proxy.conf
        contentFrom:
          secret: {name: proxy, key: drop-in}
"""


def kustomization(folder: Path, *items: str, config: str = CONFIG, function: str = EXEC, rest: str = "") -> Path:
    """A folder that kustomize builds, with ``config`` as the transformer."""
    for number, item in enumerate(items):
        (folder / f"item-{number}.yaml").write_text(item)
    names = "".join(f"- item-{number}.yaml\n" for number in range(len(items)))
    (folder / "proxy.yaml").write_text(config.replace("metadata:\n", f"metadata:\n  annotations:\n    {function}", 1))
    (folder / "kustomization.yaml").write_text(f"resources:\n{names}transformers:\n- proxy.yaml\n{rest}")
    return folder


def kustomize(folder: Path, *argv: str) -> CompletedProcess[bytes]:
    return run([need("kustomize"), *(argv or KUSTOMIZE_EXEC)], cwd=folder)


def test_fact_01_kustomize_drops_results_so_a_warning_is_on_stderr_too(tmp_path: Path) -> None:
    done = kustomize(kustomization(tmp_path, UNSEEN_DROP_IN))
    assert done.returncode == 0, done.stderr.decode()
    assert b"results" not in done.stdout
    assert "[warning] bootstrap.cluster.x-k8s.io/v1beta1/KubeadmConfigTemplate/workers" in done.stderr.decode()


def test_fact_01_kustomize_looks_at_the_exit_code_so_an_error_is_not_zero(tmp_path: Path) -> None:
    done = kustomize(kustomization(tmp_path, PLAIN_WORKERS, config=BAD_CONFIG))
    assert done.returncode == 1
    assert done.stdout == b""
    assert "[error]" in done.stderr.decode()


def test_fact_02_kpt_shows_four_lines_of_stderr_so_the_errors_are_the_first(tmp_path: Path) -> None:
    folder = example("kpt-render-exec", tmp_path)
    bad = "".join(f"  unknown{number}: x\n" for number in range(9))
    (folder / "proxy.yaml").write_text(f"{CONFIG}{bad}")
    done = kpt(["fn", "render", "--allow-exec"], cwd=folder)
    shown = done.stderr.decode().split("Stderr:")[1]
    assert done.returncode == 1
    assert "truncated" in shown
    assert shown.count("unknown") >= 3
    assert "Traceback" not in shown


ODD_SCALARS = [
    *("=", '"="', "<<", '"1e3"', "1e3", '"1E5"', "1234e56", '"0o640"', "0640", "yes", "on", "y", "22:30", "2024-01-01"),
    *("12345678901234567890123", "1.0", ".inf", "~", '"\\U0001F600"', "!!binary aGk=", "'it''s'"),
]
BAD_INPUT = [
    pytest.param(f"{resource_list(WORKERS)}---\n{resource_list(WORKERS)}", id="two documents"),
    pytest.param(resource_list(WORKERS, config=BAD_CONFIG), id="a bad functionConfig"),
    pytest.param(resource_list(WORKERS.replace("      files:", "      files: {}\n      f:")), id="a wrong field"),
    pytest.param("kind: ResourceList\nitems: some text\n", id="items of a wrong type"),
    pytest.param(resource_list("just text\n", WORKERS), id="an item that is text"),
]


@pytest.mark.parametrize("stdin", BAD_INPUT)
def test_fact_03_a_missing_item_is_a_deleted_file_so_no_item_is_lost(stdin: str) -> None:
    """Also not all of them, as by an empty output with exit code 0."""
    done = inject_proxy(stdin)
    assert b"Traceback" not in done.stderr
    if not done.stdout:
        assert done.returncode == 1
        return
    assert yaml.safe_load(done.stdout)["items"] == yaml.safe_load(stdin)["items"] or done.returncode == 0
    assert len(yaml.safe_load(done.stdout)["items"]) == len(yaml.safe_load(stdin)["items"])


@pytest.mark.parametrize("scalar", ODD_SCALARS)
@pytest.mark.parametrize("shape", ["    on: {}\n", "    yes: [{}, a]\n", "    - {}\n"])
def test_fact_05_pyyaml_does_not_keep_values_so_no_line_of_the_author_is_written_again(scalar: str, shape: str) -> None:
    spec = f"spec:\n  odd:\n{shape.format(scalar)}  template:\n"
    text = resource_list(WORKERS.replace("spec:\n  template:\n", spec, 1))
    done = inject_proxy(text)
    assert done.returncode == 0, done.stderr.decode()
    assert f"  {shape.format(scalar)}" in done.stdout.decode()
    assert f"HTTP_PROXY={PROXY}" in done.stdout.decode()


def test_fact_06_internal_annotations_carry_weight_so_the_name_suffix_of_kustomize_survives(tmp_path: Path) -> None:
    generator = "configMapGenerator:\n- name: settings\n  literals: [a=b]\n"
    folder = kustomization(tmp_path, PLAIN_WORKERS, rest=generator)
    built = kustomize(folder).stdout.decode()
    (folder / "kustomization.yaml").write_text(f"resources: [item-0.yaml]\n{generator}")
    plain = kustomize(folder).stdout.decode()
    (suffix,) = (line for line in plain.splitlines() if line.startswith("  name: settings-"))
    assert suffix in built.splitlines()
    assert "internal.config.kubernetes.io" not in built


def test_fact_08_docker_is_looked_up_on_path_so_a_stand_in_serves_where_no_engine_runs(tmp_path: Path) -> None:
    folder = kustomization(tmp_path, PLAIN_WORKERS, function=CONTAINER)
    done = run(
        [need("kubectl"), "kustomize", "--enable-alpha-plugins", folder],
        env={"KRM_FN": str(COMMAND)},
        first_on_path=TOOLS,
    )
    assert f"HTTP_PROXY={PROXY}" in done.stdout.decode(), done.stderr.decode()


def test_fact_09_comments_are_copied_by_list_index_so_lists_grow_at_the_end(tmp_path: Path) -> None:
    folder = example("kpt-render-exec", tmp_path)
    before = (folder / "cluster.yaml").read_text().splitlines()
    assert kpt(["fn", "render", "--allow-exec"], cwd=folder).returncode == 0
    after = iter((folder / "cluster.yaml").read_text().splitlines())
    assert [line for line in before if line not in after] == []
