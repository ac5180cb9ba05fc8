"""The structure of the code: which package imports which, and where the tests of a module are."""

from __future__ import annotations

import ast
import functools
import graphlib
import re
import sys
from pathlib import Path

from support import ROOT, run

SOURCES = sorted((ROOT / "krm_fn").rglob("*.py"))
MODULES = [path for path in SOURCES if path.name != "__main__.py" and path != ROOT / "krm_fn" / "__init__.py"]


@functools.cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def test_each_layer_imports_only_those_below() -> None:
    """The contracts of import-linter in pyproject.toml; their names are sentences."""
    done = run([Path(sys.executable).with_name("lint-imports"), "--no-cache"], cwd=ROOT)
    assert done.returncode == 0, done.stdout
    assert re.search(rb"Contracts: [1-9]\d* kept, 0 broken\.", done.stdout)


def test_every_package_has_its_layer() -> None:
    layers = re.search(r"^layers = \[\n(.*?)^\]", (ROOT / "pyproject.toml").read_text(), re.MULTILINE | re.DOTALL)
    assert layers
    packages = {path.relative_to(ROOT / "krm_fn").parts[0].removesuffix(".py") for path in MODULES}
    assert set(re.findall(r"krm_fn\.(\w+)", layers[1])) == packages


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


NAMES = {module_name(path): path for path in SOURCES}


def imports(path: Path) -> set[str]:
    """The modules of ours that a module imports when it runs, also inside of functions."""
    only_for_types = {
        id(statement)
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for statement in node.body
    }
    found = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.ImportFrom) and node.module and id(node) not in only_for_types:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            found |= {name if name in NAMES else node.module for name in names}
    return (found & NAMES.keys()) - {module_name(path)}


def test_no_modules_import_each_other_in_a_circle() -> None:
    graph = {name: imports(path) for name, path in NAMES.items()}
    assert graphlib.TopologicalSorter(graph).prepare() is None  # else it raises, and names the circle


def test_the_package_needs_three_others_at_run_time() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    listed = re.search(r"^dependencies = \[\n(.*?)^\]", text, re.MULTILINE | re.DOTALL)
    assert listed is not None
    assert re.findall(r'^  "([A-Za-z]+)', listed[1], re.MULTILINE) == ["PyYAML", "jsonpatch", "jsonschema"]


def test_only_what_is_listed_is_imported() -> None:
    imported = {
        name.split(".")[0]
        for path in SOURCES
        for node in ast.walk(parsed(path))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert imported - sys.stdlib_module_names == {"krm_fn", "yaml", "jsonpatch", "jsonschema"}


def test_no_other_module_imports_typing() -> None:
    """It takes as long to load as twenty modules of ours, and its `NamedTuple` three times as long to define."""
    of_typing = [
        path.name
        for path in SOURCES
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.ImportFrom) and node.module == "typing"
    ]
    assert of_typing == ["light_typing.py"]


def test_one_class_name_has_one_meaning() -> None:
    """Leading underscores do not count: a reader takes `_Place` for the `Place` of another module."""
    found: dict[str, list[str]] = {}
    for path in SOURCES:
        for node in parsed(path).body:
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name.lstrip("_"), []).append(str(path.relative_to(ROOT)))
    assert {name: paths for name, paths in found.items() if len(paths) > 1} == {}


def test_no_test_imports_a_private_name() -> None:
    """A name that begins with an underscore belongs to its package; a test uses what users or other packages use."""
    private = re.compile(r"(?:from|import) krm_fn[\w.]*(?:\._[a-z]| import (?:\w+, )*_[a-z])")
    found = [path.name for path in (ROOT / "tests").rglob("*.py") if private.search(path.read_text(encoding="utf-8"))]
    assert found == []


TESTED_ELSEWHERE = {
    "__main__": "cli/test_cli",
    "cli/diff": "cli/test_run",
    "cli/explain": "cli/test_inputs",
    "cli/found_proxies": "cli/test_init",
    "cli/function": "cli/test_cli",
    "cli/schema": "test_package_files",
    "config/located": "cli/test_config",
    "errors": "cli/test_cli",
    "explain/cluster_names": "explain/test_cluster_answers",
    "explain/sections": "explain/test_html",
    "places/cluster_secret": "targets/nodes/test_node_files_edits",
    "places/provided": "targets/workloads/test_proxy_data",
    "plan/__init__": "promises/test_trusted_namespaces",
    "plan/record": "pipeline/test_states",
    "plan/references": "targets/workloads/test_proxy_data",
    "plan/rollout/naming": "plan/rollout/test_templates",
    "plan/rollout/secrets": "plan/rollout/test_templates",
    "plan/sources/__init__": "config/test_references",
    "targets/__init__": "test_target_table",
    "targets/base": "targets/nodes/test_node_config",
    "targets/created_objects": "plan/test_subjects",
    "targets/giantswarm/helm_values": "targets/giantswarm/test_chart_values",
    "targets/kyverno/policies": "targets/kyverno/test_rules",
    "targets/kyverno/policy_entries": "targets/kyverno/test_rules",
}
"""The modules that are proven through another one, and the file with those tests."""


def has_logic(path: Path) -> bool:
    """The tables of `products` have none, as a package that only names what is in it."""
    functions = [node for node in ast.walk(parsed(path)) if isinstance(node, ast.FunctionDef)]
    return bool(functions) and path.parent.name != "products"


def test_the_tests_of_a_module_are_in_the_file_of_its_name() -> None:
    """`cli/run.py` has `cli/test_run.py`; an `__init__.py` has the name of its package."""
    tests = ROOT / "tests"
    lacking = set()
    for path in filter(has_logic, SOURCES):
        module = path.relative_to(ROOT / "krm_fn").with_suffix("")
        name = module.parent.name if module.name == "__init__" else module.name
        if not (tests / module.parent / f"test_{name}.py").is_file():
            lacking.add(str(module))
    assert lacking == {*TESTED_ELSEWHERE}
    assert len(TESTED_ELSEWHERE) <= 25
    assert [file for file in TESTED_ELSEWHERE.values() if not (tests / f"{file}.py").is_file()] == []
