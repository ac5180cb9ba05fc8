"""Kyverno policies as the world writes them, reduced to what matters here; each says where its shape comes from.

They are limited to CREATE and say `valueFrom: null`, which none of the public ones does: what happens without that has
tests of its own.
"""

from __future__ import annotations

import json
from typing import Any

import proposals
from krm_fn.krm.results import Result
from krm_fn.settings import ProxySettings
from manifests import named
from proposals import FULL, env

UPPER = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
SIX = ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy")


def findings(target: Any, obj: Any, settings: ProxySettings = FULL, **options: Any) -> list[Result]:
    """What is found in a policy, but for the end of its API."""
    said = proposals.findings(target, obj, settings, **options)
    return [result for result in said if result.code != "PolicyDeprecated"]


def policy(*rules: Any) -> Any:
    """A policy with these rules; nothing in it is shared with another, as if it were read from a file."""
    spec = {"validationFailureAction": "Enforce", "rules": list(rules)}
    return json.loads(json.dumps(named("ClusterPolicy", "inject-proxy-env", api="kyverno.io/v1", spec=spec)))


def rule(mutate: Any, *kinds: str, name: str = "add-proxies", **more: Any) -> Any:
    match = {"any": [{"resources": {"kinds": list(kinds or ("Pod",)), "operations": ["CREATE"]}}]}
    return {"name": name, "match": match, **more, "mutate": mutate}


def pods(entries: Any, *lists: str) -> Any:
    """A patch of pods that gives ``entries`` to all containers of the lists."""
    entries = [settled(one) for one in entries] if isinstance(entries, list) else entries
    return {"spec": {name: [{"(name)": "*", "env": entries}] for name in lists or ("containers",)}}


def settled(entry: Any) -> Any:
    """The entry with `valueFrom: null`, if it is one of a proxy variable."""
    names = {entry.get(key) for key in ("name", "(name)")} if isinstance(entry, dict) else set()
    return {"valueFrom": None, **entry} if names & set(SIX) else entry


def smp(body: Any) -> Any:
    return {"patchStrategicMerge": body}


def variable(name: str, value: Any) -> Any:
    return {"name": name, "variable": {"value": value}}


def p1() -> Any:
    """kyverno/policies, other/add-pod-proxies."""
    old = ("http://proxy.corp.domain:8080", "https://secureproxy.corp.domain:8080", "localhost,*.example.com")
    return policy(rule(smp(pods(env(dict(zip(UPPER, old, strict=True)))))))


def p10() -> Any:
    """kyverno/policies, other-mpol/add-pod-proxies: the values stand in CEL text."""
    entries = '[{"name": "HTTP_PROXY", "value": "http://proxy:8080"}]'
    kept = 'c.?env.orValue([]).filter(e, e.name != "HTTP_PROXY")'
    expression = f'object.spec.containers.map(c, JSONPatch{{op: "add", path: "/env", value: {entries} + {kept}}})'
    return named(
        "MutatingPolicy",
        "add-pod-proxies",
        api="policies.kyverno.io/v1",
        annotations={"title": "sets HTTP_PROXY"},
        spec={"mutations": [{"patchType": "JSONPatch", "jsonPatch": {"expression": expression}}]},
    )
