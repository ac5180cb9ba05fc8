"""What a run over a small list loads: importing modules takes most of the time of such a run."""

from __future__ import annotations

import importlib.util
import json
import sys

import pytest

from contract_lists import CONFIG, CONFIG_MAP, SETTINGS, WORKERS, resource_list
from support import run

RUN = """\
import json, sys
before = {*sys.modules}
from krm_fn.cli import main
code = main(sys.argv[1:])
print(json.dumps([code, sorted({*sys.modules} - before)]), file=sys.stderr)
"""
"""Its last line on standard error: the exit code, and the modules that the run loaded."""

FOR_WRONG_CONFIGS = {"jsonschema", "referencing", "attr", "rpds"}
FOR_OTHER_INPUT = {"gzip", "hashlib", "traceback"}
NEVER = {
    "argparse",
    "asyncio",
    "dataclasses",  # it imports inspect, and each class of it costs as much as twelve NamedTuples
    "email",
    "html",
    "http",
    "importlib.metadata",
    "inspect",
    "logging",
    "pathlib",
    "socket",
    "typing",
    "unittest",
}
OTHER_KINDS = {
    "krm_fn.targets.distributions.product_fields",
    "krm_fn.targets.giantswarm.apps",
    "krm_fn.targets.giantswarm.chart_values",
    "krm_fn.targets.kyverno.policies",
    "krm_fn.targets.nodes.clusterclass.class_target",
    "krm_fn.targets.nodes.registry_mirror",
    "krm_fn.targets.tkg.tkg_clusters",
    "krm_fn.targets.workloads.workloads",
    "krm_fn.plan.sources.formats",
}
"""Modules of targets for kinds, words in their text, or fields of the config, that the list does not have."""
FOR_PLACES = {
    "copy",
    "difflib",
    "jsonpatch",
    "string",
    "urllib.parse",
    "krm_fn.formats.embedded",
    "krm_fn.pipeline.other_places",
    "krm_fn.noproxy.composition",
    "krm_fn.pipeline.edits",
    "krm_fn.plan.rollout",
    "krm_fn.targets.base",
    "krm_fn.yamledit.edit",
    "krm_fn.yamledit.render",
    "krm_fn.yamledit.stream",
}
"""What edits and judges places for a proxy, and what prints of them."""
OTHER_COMMANDS = {
    "krm_fn.cli.choose",
    "krm_fn.cli.explain",
    "krm_fn.cli.export",
    "krm_fn.cli.import_",
    "krm_fn.cli.lint",
    "krm_fn.explain",
    "krm_fn.pipeline.audit",
}


def modules_of_a_run(text: str, *arguments: str) -> set[str]:
    done = run([sys.executable, "-c", RUN, *arguments], text.encode())
    code, modules = json.loads(done.stderr.splitlines()[-1])
    assert code == 0
    assert "krm_fn.pipeline" in modules
    return {*modules}


@pytest.mark.parametrize(
    "name", sorted(FOR_WRONG_CONFIGS | FOR_OTHER_INPUT | FOR_PLACES | NEVER | OTHER_KINDS | OTHER_COMMANDS)
)
def test_a_module_that_must_not_be_loaded_exists(name: str) -> None:
    assert importlib.util.find_spec(name) is not None


CLUSTER = """\
apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata:
  name: east
"""
ONLY = CONFIG + "  only: [nodes.containerd]\n"


@pytest.mark.parametrize(
    ("config", "items"),
    [(CONFIG, (CLUSTER,)), (CONFIG_MAP, ()), (ONLY, ())],
    ids=["a ProxyConfig, and a Cluster", "a ConfigMap", "a ProxyConfig with `only`"],
)
def test_a_run_with_a_right_config_loads_only_what_it_needs(config: str, items: tuple[str, ...]) -> None:
    loaded = modules_of_a_run(resource_list(*items, WORKERS, SETTINGS, config=config))
    unwanted = FOR_WRONG_CONFIGS | FOR_OTHER_INPUT | NEVER | OTHER_KINDS | OTHER_COMMANDS
    assert loaded & unwanted == set()
    assert {"krm_fn.targets.nodes.node_files", "jsonpatch"} <= loaded


def test_a_list_without_a_place_for_a_proxy_loads_nothing_that_edits_or_judges_places() -> None:
    items = (f"{{apiVersion: apps/v1, kind: {kind}, metadata: {{name: a}}}}\n" for kind in ("Deployment", "Service"))
    loaded = modules_of_a_run(resource_list(*items))
    assert loaded & (FOR_PLACES | FOR_OTHER_INPUT | NEVER) == set()


def test_the_module_of_a_target_is_loaded_for_an_object_in_a_list() -> None:
    policy = "{apiVersion: kyverno.io/v1, kind: Policy, spec: {a: NO_PROXY}}"
    loaded = modules_of_a_run(resource_list(f"{{apiVersion: v1, kind: List, items: [{policy}]}}\n"))
    assert "krm_fn.targets.kyverno.policies" in loaded


def test_a_run_over_a_file_defines_no_dataclass() -> None:
    loaded = modules_of_a_run(f"{CONFIG}---\n{CLUSTER}", "run", "-")
    assert loaded & {"dataclasses", "inspect", "difflib"} == set()
