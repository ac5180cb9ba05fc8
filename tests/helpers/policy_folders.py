"""The folders of ``tests/kyverno``: a policy before and after inject-proxy, and what Kyverno makes of objects with it.

    before.yaml        a policy as its author wrote it
    options.yaml       options of the target; in `generated`, those with which inject-proxy generates a policy
    policy.yaml        what inject-proxy makes of it, with the ProxyConfig of this module
    resources.yaml     objects, where those of ../../resources.yaml do not suit
    targets.yaml       objects that exist already, of a policy that changes such ones when another object comes
    context.yaml       objects of the cluster that the policy reads
    native.yaml        in `generated`: the same policy for Kubernetes itself, which its admission plugin applies
    patched.yaml       the objects that Kyverno changed with policy.yaml, as Kyverno printed them
    report.txt         what became of each object: its rule, the result, the message; and the first line of a panic
    kyverno-test.yaml  the same for `kyverno test FOLDER`, but for a panic

Kyverno takes the objects as new, in folders with "OnUpdate" or "on-update" in their name as updated.

`generated` holds policies that inject-proxy wrote alone: objects and containers "untouched-…" must stay as they are.
`filled` holds policies that work, `removed` those from which `mode: Remove` took the proxy, `harmful` shapes that have
a finding.

What the CLI cannot judge has no folder: a MutatingAdmissionPolicy of `v1beta1` and `v1`, which it does not read, one of
`v1alpha1` with `applyConfiguration`, where it replaces lists, and a MutatingPolicy for objects that exist, whose
expressions it evaluates for the object that comes. It applies a NamespacedMutatingPolicy to objects of all namespaces;
the webhook of Kyverno asks only for those of the namespace of a request (`MutateNamespaced` with the predicate
`NamespacedPolicy`, `pkg/webhooks/resource/mpol/handler.go` and `pkg/cel/policies/mpol/engine/predicate.go` of 1.19.1).
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import yaml

from krm_fn.pipeline.outcome import Outcome
from krm_fn.pipeline.run import run
from manifests import named
from support import ROOT

HERE = ROOT / "tests" / "kyverno"
RESOURCES = HERE / "resources.yaml"
NAMESPACES = HERE / "namespaces.yaml"
"""The labels of the namespaces of all objects."""
URL = "http://user:p%40s@proxy.corp.example:3128"
LIST = "10.0.0.0/8,corp.example"
FOLDERS = sorted({path.parent for name in ("before.yaml", "options.yaml") for path in HERE.rglob(name)})


def resources_of(folder: Path) -> Path:
    """Return the objects of a folder: those of its own, or those that the folders beside it or all share."""
    for file in (folder / "resources.yaml", folder.parent / "resources.yaml"):
        if file.exists():
            return file
    return RESOURCES


def targets_of(folder: Path) -> Path:
    """Return the objects that exist already; in most folders there is no such file."""
    return folder / "targets.yaml"


def given_objects(folder: Path) -> dict[tuple[str, str], Any]:
    """Return kind and name -> each object that the policy of a folder may change."""
    return {**objects(resources_of(folder)), **objects(targets_of(folder))}


def is_on_update(folder: Path) -> bool:
    """Return whether the objects of a folder are updated, not created."""
    return "onupdate" in folder.name.lower().replace("-", "")


def name_of(folder: Path) -> str:
    """What a test calls a folder."""
    return folder.relative_to(HERE).as_posix()


@functools.cache
def outcome(folder: Path, text: str | None = None, **options: str) -> Outcome:
    """Run inject-proxy over a policy.

    Args:
        folder: which decides the options.
        text: the policy; None: that of before.yaml, or none where there are options.
        options: those of the target; without them they are those of the folder.
    """
    before = folder / "before.yaml"
    if text is None and before.exists():
        text = before.read_text()
    lines = (text or "").splitlines(keepends=True)
    item = "".join(f"  {line}" if line.strip() else line for line in lines)
    spec: dict[str, Any] = {"httpProxy": URL, "httpsProxy": URL, "noProxy": LIST}
    spec["noProxyPolicy"] = {"style": "Verbatim"}
    if folder.parent.name == "removed":
        spec = {"mode": "Remove"}
    if (folder / "options.yaml").exists():
        options = {**yaml.safe_load((folder / "options.yaml").read_text()), **options}
    spec["targets"] = {"kyverno": options}
    config = named("ProxyConfig", "proxy", spec=spec)
    head = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"
    items = f"items:\n-{item[1:]}" if item else "items: []\n"
    tail = yaml.safe_dump({"functionConfig": config})
    return run(f"{head}{items}{tail}".encode())


def policy_of(found: Outcome) -> str:
    """Return the policy in the list that a run wrote, as a text of its own; several are documents of one text."""
    text = found.output.decode()
    _, *items = f"{text[: text.index('functionConfig:')]}".split("\n- ")
    documents = []
    for item in items:
        lines = "  {}\n".format(item.removesuffix("\n")).splitlines(keepends=True)
        documents.append("".join(line.removeprefix("  ") for line in lines))
    return "---\n".join(documents)


def objects(file: Path) -> dict[tuple[str, str], Any]:
    """Return kind and name -> each object of a file; nothing where there is no file."""
    return _objects_in(file.read_text()) if file.exists() else {}


@functools.cache
def _objects_in(text: str) -> dict[tuple[str, str], Any]:
    found = (one for one in yaml.safe_load_all(text) if one)
    return {(one["kind"], one["metadata"]["name"]): one for one in found}


def containers(obj: Any) -> list[Any]:
    """Return the containers and init containers of a pod or of what makes pods."""
    spec = obj["spec"]
    spec = spec.get("jobTemplate", spec).get("spec", spec)
    spec = spec.get("template", {}).get("spec", spec)
    return [*spec.get("initContainers", []), *spec.get("containers", [])]
