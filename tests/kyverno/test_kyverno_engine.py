"""Let Kyverno's own engine apply the policies of the folders: `make judged` (ARGS=--write-golden records).

What it did is recorded, and ``test_recorded.py``
compares that without it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from judges import KyvernoRow, kyverno_rows
from policy_folders import FOLDERS, NAMESPACES, given_objects, is_on_update, name_of, objects, resources_of, targets_of
from support import need, run

pytestmark = pytest.mark.judged
Golden = Callable[[Path, bytes], None]
VERSION = "v1.19.1"


def apply(folder: Path, output: Path) -> tuple[list[KyvernoRow], str]:
    """Apply a policy of a folder to its objects.

    Returns:
        What became of each object, and the first line of a panic.
    """
    arguments = ["--remove-color", "--table", "--detailed-results", "--output", output]
    values = yaml.safe_load(NAMESPACES.read_text())
    if is_on_update(folder):  # `--set request.operation=UPDATE` is for a ClusterPolicy alone
        values["globalValues"] = {"request.operation": "UPDATE"}
    file = output.with_name("values.yaml")
    file.write_text(yaml.safe_dump(values))
    arguments += ["--values-file", file]
    if targets_of(folder).exists():
        arguments += ["--target-resource", targets_of(folder)]
    if (folder / "context.yaml").exists():
        arguments += ["--context-file", folder / "context.yaml"]
    resources = resources_of(folder)
    done = run([need("kyverno"), "apply", folder / "policy.yaml", "--resource", resources, *arguments])
    printed = done.stdout.decode() + done.stderr.decode()
    panic = re.search(r"^panic: .*$", printed, re.MULTILINE)
    return kyverno_rows(printed), panic[0] if panic else ""


def report(found: list[KyvernoRow], panic: str) -> str:
    """Return what became of each object, one line each."""
    lines = [" ".join((row.resource, row.rule or "-", row.result, row.message)) for row in found]
    return "".join(f"{line.rstrip()}\n" for line in [*lines, *filter(None, [panic])])


def kyverno_test(folder: Path, found: list[KyvernoRow], *, is_changed: bool) -> str:
    """Return the file that makes a folder one for `kyverno test`.

    Args:
        folder: the folder.
        found: what became of each object.
        is_changed: Kyverno changed some of them; else they are expected as they were.
    """
    resources = os.path.relpath(resources_of(folder), folder)
    (policy,) = objects(folder / "policy.yaml").values()
    groups: dict[tuple[str, str, str], list[str]] = {}
    for row in found:
        namespace, kind, name = row.resource.split("/")
        groups.setdefault((row.rule, kind, row.result.lower()), []).append(f"{namespace}/{name}")
    results = []
    for (rule, kind, result), names in groups.items():
        prefix = "" if "namespace" not in policy["metadata"] else f"{policy['metadata']['namespace']}/"
        one: dict[str, Any] = {"policy": prefix + policy["metadata"]["name"]}
        if policy["kind"] == "MutatingAdmissionPolicy":
            one["isMutatingAdmissionPolicy"] = True
        elif policy["kind"].endswith("MutatingPolicy"):
            one["isMutatingPolicy"] = True
        else:
            one["rule"] = rule
        if not targets_of(folder).exists():  # else each result is about an object that exists
            one |= {"kind": kind, "resources": names}
        one["result"] = result
        if result == "pass":
            one["patchedResources"] = "patched.yaml" if is_changed else resources
        if is_on_update(folder):
            one["operation"] = "UPDATE"
        results.append(one)
    test = {
        "apiVersion": "cli.kyverno.io/v1alpha1",
        "kind": "Test",
        "metadata": {"name": folder.name.lower()},
        "policies": ["policy.yaml"],
        "resources": [resources],
        "results": results,
    }
    if targets_of(folder).exists():
        test["targetResources"] = [targets_of(folder).name]
    if (folder / "context.yaml").exists():
        test["context"] = "context.yaml"
    return yaml.safe_dump(test, sort_keys=False)


def changed(folder: Path, output: Path) -> str:
    """Return the objects that the engine changed, in the order of their file."""
    given, patched = given_objects(folder), objects(output)
    found = [patched[key] for key in given if key in patched and patched[key] != given[key]]
    return yaml.safe_dump_all(found, sort_keys=False) if found else ""


def test_the_engine_is_the_pinned_one() -> None:
    assert VERSION in run([need("kyverno"), "version"]).stdout.decode()


@pytest.mark.parametrize("folder", FOLDERS, ids=name_of)
def test_the_engine_does_what_is_recorded(folder: Path, tmp_path: Path, golden: Golden) -> None:
    output = tmp_path / "patched.yaml"
    found, panic = apply(folder, output)
    patched = changed(folder, output)
    recorded = {
        "patched.yaml": patched,
        "report.txt": report(found, panic),
        "kyverno-test.yaml": kyverno_test(folder, found, is_changed=bool(patched)) if found else "",
    }
    stale = []
    for name, text in recorded.items():
        if text or (folder / name).exists():
            try:
                golden(folder / name, text.encode())
            except pytest.fail.Exception:
                stale.append(name)
    assert stale == []


@pytest.mark.parametrize("folder", FOLDERS, ids=name_of)
def test_a_folder_passes_kyverno_test(folder: Path) -> None:
    if not (folder / "kyverno-test.yaml").exists():
        report = folder / "report.txt"
        assert not report.exists() or "panic: " in report.read_text()
        return
    done = run([need("kyverno"), "test", folder, "--remove-color"])
    assert done.returncode == 0, done.stdout.decode()[-2000:]
