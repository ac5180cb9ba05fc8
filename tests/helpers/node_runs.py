"""One way to run a target of nodes over an object.

Every run is also checked for the promises that hold for all: the object that goes in is not
changed, and a second run finds nothing to do.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, NamedTuple

from all_targets import TARGETS
from krm_fn.krm.codes import Severity
from krm_fn.krm.results import Edit, Result
from krm_fn.patch import apply
from krm_fn.settings import ProxySettings
from krm_fn.targets import Context
from manifests import kubeadm, spec_of

PROXY = ProxySettings("http://proxy:3128", "http://proxy:3129", "localhost,.svc")
OTHER = ProxySettings("http://u:p%40ss@other:1", "http://other:2", "localhost,10.0.0.0/8")
HTTP_ONLY = ProxySettings("http://proxy:3128")
NONE = ProxySettings()
HTTP = ["export HTTP_PROXY='http://proxy:3128'", "export http_proxy='http://proxy:3128'"]
OWN_RESTART = ["systemctl daemon-reload", "systemctl restart containerd"]


class Outcome(NamedTuple):
    obj: dict[str, Any]
    changes: list[Edit]
    findings: list[Result]

    def reported(self, severity: Severity) -> list[str]:
        return [finding.message for finding in self.findings if finding.severity is severity]

    @property
    def warnings(self) -> list[str]:
        return self.reported(Severity.WARNING)


def meaning(data: Any) -> Any:
    """The data without the mappings that hold nothing: one that is missing means the same to Cluster API."""
    if not isinstance(data, dict):
        return data
    kept = {key: meaning(value) for key, value in data.items()}
    return {key: value for key, value in kept.items() if value not in ({}, None)}


def run(target: Any, obj: dict[str, Any], settings: ProxySettings, options: Mapping[str, Any] | None = None) -> Outcome:
    """The object after the target's changes, which are checked to be all there is to do."""
    before = copy.deepcopy(obj)
    context = Context(options or {}, settings)
    proposed = list(target.edit(obj, context))
    assert obj == before, "the object that goes in must not be changed"
    changes = [made for made in proposed if isinstance(made, Edit)]
    findings = [made for made in proposed if isinstance(made, Result)]
    assert all(change.message and "\n" not in change.message for change in changes)
    after = apply(copy.deepcopy(obj), [operation for change in changes for operation in change.operations])
    again = [made for made in target.edit(after, context) if isinstance(made, Edit)]
    assert again == [], "a second run must find nothing to do"
    return Outcome(after, changes, findings)


def commands(*texts: Any, **more: Any) -> dict[str, Any]:
    return kubeadm({"preKubeadmCommands": list(texts), **more})


def commands_after(obj: dict[str, Any], proxy: ProxySettings, **options: Any) -> Any:
    """The commands of a KubeadmConfigTemplate after a run of `nodes.commands` with these options."""
    done = run(TARGETS["nodes.commands"], obj, proxy, {"commands": options})
    return (spec_of(done.obj) or {}).get("preKubeadmCommands")
