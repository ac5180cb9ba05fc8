"""Findings about a policy that sets a proxy, and does not do as its author wants.

Sources: Kyverno's engine, run on such policies (``tests/kyverno/harmful``); the removal of ClusterPolicy
(kyverno/kyverno#17701, #17718).
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from krm_fn.krm.results import Result, Results
from krm_fn.patch import Pointer, list_at, lookup, text_at, walk
from krm_fn.places.place import Place, Reading
from krm_fn.products.workload_kinds import POD_SPEC, POD_SPEC_OF
from krm_fn.targets.base import Data
from krm_fn.targets.kyverno.policy_entries import PolicyEntry
from krm_fn.targets.kyverno.rules import (
    STRATEGIC_MERGE,
    RuleForm,
    bare,
    mutating_rules,
)

# The kinds of policies that have rules.
WITH_RULES = ("ClusterPolicy", "Policy")
_PLACES = {kind: path for (_, kind), path in POD_SPEC_OF.items()}
_PLACES["ReplicationController"] = POD_SPEC


def check_policy(policy: Data, readings: Sequence[Reading]) -> Results:
    """Yield the findings about a policy, given the readings of its places."""
    outdated = deprecated(policy)
    if outdated is not None and readings:
        yield outdated
    yield from _two_proxies(readings)
    for rule in mutating_rules(policy):
        yield from _check_rule(policy, rule)
    if policy.get("kind") == "MutatingAdmissionPolicy":
        return
    for reading in readings:
        if "applyConfiguration" in reading.path:
            yield Result(
                "PolicyKeepsValueFrom",
                "the CEL expression keeps the `valueFrom` of an entry beside its own `value`, and the API server "
                "rejects such a pod: write the whole `env` by a JSON Patch",
                reading.path,
            )
            return


def deprecated(policy: Data) -> Result | None:
    """Return a warning if Kyverno gives up the kind of a policy."""
    kind = policy.get("kind")
    if kind not in WITH_RULES:
        return None
    return Result(
        "PolicyDeprecated",
        f"Kyverno 1.20 no longer executes a {kind}: write a MutatingPolicy, or use `generate` in its place",
        ("kind",),
    )


def _two_proxies(readings: Sequence[Reading]) -> Results:
    """Yield an error for each variable with two proxies: one value of the settings must not replace both."""
    urls: dict[str, dict[str, Reading]] = {}
    for reading in readings:
        url = (reading.value or "").strip().rstrip("/")
        if "://" in url:
            readings_of_url = urls.setdefault(reading.variable.upper(), {})
            readings_of_url.setdefault(url, reading)
    for variable, by_url in urls.items():
        if len(by_url) < 2:
            continue
        first, second, *_ = by_url.values()
        authors = first.place
        if second.place != authors:
            authors += f" and {second.place}"
        yield Result(
            "CannotWrite",
            f"{authors} set two different proxies in `{variable}`, and one ProxyConfig writes one value to both: "
            "move one to a policy of its own and leave that out with `spec.selector`, or write the same proxy in "
            "both",
            second.path,
        )


def _check_rule(policy: Data, rule: Place) -> list[Result]:
    """Return the findings about the strategic merge patches of a rule, each message once."""
    kinds = _kinds(policy, rule)
    findings: dict[str, Result] = {}
    for entry in RuleForm().entries(policy, rule):
        for finding in _check_entry(policy, rule, entry, kinds):
            findings.setdefault(finding.message, finding)
    return list(findings.values())


def _check_entry(policy: Data, rule: Place, policy_entry: PolicyEntry, kinds: Set[str]) -> Results:
    # A strategic merge joins entries by ``name`` and keeps the other members of the pod's own entry.
    if "valueFrom" not in lookup(policy, policy_entry.path):
        yield Result(
            "PolicyKeepsValueFrom",
            f"{rule.label} keeps the `valueFrom` of an entry beside its own `value`, and the API server rejects such a "
            "pod: add `valueFrom: null`",
            policy_entry.path,
        )
    # Only with an anchor is ``*`` a pattern.
    if text_at(policy, (*policy_entry.path[:-2], "name")) == "*":
        yield Result(
            "PolicyBroken",
            f'{rule.label} adds a container that is literally named "*" to every pod, which the API server rejects: '
            'write `(name): "*"` for all containers',
            policy_entry.path[:-2],
        )
    patched = _pod_spec(policy_entry)
    right = {_PLACES.get(kind) for kind in kinds}
    # A rule for a Deployment that patches ``spec.containers``, the place of a Pod, changes nothing.
    if kinds and None not in right and patched not in right:
        yield Result(
            "PolicyBroken",
            f"Kyverno skips the patch of {rule.label}, because `{'.'.join(patched)}` is no place of containers in "
            f"{', '.join(sorted(kinds))}",
            policy_entry.path,
        )


def _pod_spec(policy_entry: PolicyEntry) -> Pointer:
    """Return the path that an entry has in the object that is patched, down to the pod specification."""
    backwards = policy_entry.path[::-1]
    start = len(policy_entry.path) - backwards.index(STRATEGIC_MERGE)
    # Behind it are ``containers``, the number of one, ``env``, and the number of the entry.
    steps = policy_entry.path[start:-4]
    return tuple(map(bare, steps))


def _kinds(policy: Data, rule: Place) -> set[str]:
    """Return the kinds whose objects a rule changes: those of ``targets`` if it has any, else the matched ones."""
    targets = list_at(policy, (*rule.path, "mutate", "targets"))
    if targets:
        return {text_at(target, "kind") for target in targets}
    kinds = set()
    for path, name in walk(lookup(policy, (*rule.path, "match"))):
        if path[-3:-1] == ("resources", "kinds"):
            _, _, kind = str(name).rpartition("/")
            kinds.add(kind)
    return kinds
