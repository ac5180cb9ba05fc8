"""Policies of Kyverno, damaged, against its own engine: after a run they do what they did, with the declared proxy.

A case is a ResourceList with a policy of ``tests/kyverno`` and a ProxyConfig. Kyverno applies the policy as it was and
as the run leaves it to the same objects. A policy about which the run warns may do anything, as the warning says.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from random import Random
from typing import Any

import yaml

from fuzz.program import RUNS, Broken, function
from fuzz.stored import read
from fuzz.structures import damage
from judges import kyverno_rows
from krm_fn.krm.results import Severity
from krm_fn.pipeline import Outcome
from krm_fn.settings import PROXY_VARIABLES
from support import ROOT, need, run

FOLDER = ROOT / "tests" / "kyverno"
POLICIES = [
    path for name in ("filled", "complete", "converted") for path in sorted(FOLDER.glob(f"{name}/*/before.yaml"))
]
URL = "http://proxy.corp.example:3128"
LIST = "10.0.0.0/8,corp.example"
OPTIONS: list[dict[str, str]] = [{}, {}, {"fill": "Complete"}, {"convert": "MutatingPolicy"}]

HARMLESS = {"PolicyDeprecated", "PolicyWithoutNoProxy", "PolicyKeepsValueFrom"}
"""Warnings about policies that work, at least for the objects here, none of which reads its proxy from elsewhere."""

Found = tuple[dict[str, set[str]], dict[str, Any]]
"""Object -> the results about it, and object -> what became of it."""


def make(random: Random) -> bytes:
    """Return a list with one policy, mostly with some damage below its ``spec``."""
    policy = read(random.choice(POLICIES).read_bytes())
    for _ in range(random.choice([0, 1, 1, 2])):
        damage(policy["spec"], policy["spec"], random)
    spec = {"httpProxy": URL, "httpsProxy": URL, "noProxy": LIST, "noProxyPolicy": {"style": "Verbatim"}}
    config = {
        "apiVersion": "fn.inject-proxy.io/v1alpha1",
        "kind": "ProxyConfig",
        "metadata": {"name": "proxy"},
        "spec": {**spec, "targets": {"kyvernoPolicies": random.choice(OPTIONS)}},
    }
    head = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList"}
    data = {**head, "items": [policy], "functionConfig": config}
    return yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=100_000).encode()


def judge(data: bytes) -> None:
    """Let Kyverno apply the policy before and after a run; raises ``Broken`` where more than the proxy differs."""
    outcome = function(data)
    if outcome is None or outcome.exit_code or not outcome.changed or _warns(outcome):
        return
    try:
        before, after = (_applied(read(text)["items"][0]) for text in (data, outcome.output))
    except subprocess.TimeoutExpired:  # a busy machine: the engine takes a second
        return
    if before is None or not before[1]:
        return
    if after is None:
        raise Broken("Kyverno takes the policy after a run")
    if after[0] != before[0]:
        raise Broken("Kyverno applies the policy to the same objects", f"{before[0]} and {after[0]}")
    for name, obj in after[1].items():
        plain = [json.dumps(_without_proxy(one), sort_keys=True) for one in (before[1].get(name), obj)]
        if plain[0] != plain[1]:
            raise Broken("Kyverno does the rest as before", f"{name}: {plain[0]} and {plain[1]}")
        new = _values(obj) - _values(_given()[name]) - {URL}
        left = sorted(value for value in new if not f"{value},".startswith(f"{LIST},"))
        if left:  # computed entries stay behind the declared ones
            raise Broken("Kyverno sets the declared proxy", f"{name}: {left}")


def _warns(outcome: Outcome) -> bool:
    said = {one.code for one in outcome.results if one.severity is not Severity.INFO}
    return any(code.startswith("Policy") for code in said - HARMLESS)


def _applied(policy: Any) -> Found | None:
    """What the engine makes of ordinary objects; None where it refuses the policy, or ends with a panic."""
    RUNS["judged by Kyverno"] += 1
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        file, output = Path(folder, "policy.yaml"), Path(folder, "patched.yaml")
        file.write_text(yaml.safe_dump(policy, allow_unicode=True))
        words = ["--remove-color", "--table", "--detailed-results", "--output", output]
        words += ["--values-file", FOLDER / "converted" / "values.yaml", "--resource", FOLDER / "resources.yaml"]
        done = run([need("kyverno"), "apply", file, *words])
        printed = done.stdout.decode(errors="replace")
        rows = kyverno_rows(printed)
        if not rows or b"panic: " in done.stderr or "panic: " in printed:
            return None
        results: dict[str, set[str]] = {}
        for row in rows:
            results.setdefault(row.resource, set()).add(row.result)
        return results, _objects(output.read_text()) if output.exists() else {}


def _objects(text: str) -> dict[str, Any]:
    return {f"{one['kind']}/{one['metadata']['name']}": one for one in yaml.safe_load_all(text) if one}


def _given() -> dict[str, Any]:
    return _objects((FOLDER / "resources.yaml").read_text())


def _values(value: Any) -> set[str]:
    """The values of variables for a proxy anywhere in an object."""
    if isinstance(value, list):
        return set().union(*map(_values, value))
    if not isinstance(value, dict):
        return set()
    if value.get("name") in PROXY_VARIABLES:
        return {str(value.get("value"))}
    return set().union(*map(_values, value.values()))


def _without_proxy(value: Any) -> Any:
    """An object without the variables for a proxy, and without what is empty then."""
    if isinstance(value, dict):
        members = {key: _without_proxy(member) for key, member in value.items()}
        return {key: member for key, member in members.items() if member not in ([], {}, None)}
    if isinstance(value, list):
        return [_without_proxy(one) for one in value if not _is_proxy(one)]
    return value


def _is_proxy(value: Any) -> bool:
    return isinstance(value, dict) and value.get("name") in PROXY_VARIABLES
