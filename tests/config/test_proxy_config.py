"""Whom a matcher, a selector and the match of an override mean."""

from __future__ import annotations

import pytest

from krm_fn.config import Selector, matches
from krm_fn.patch import Data

SUBJECT = {
    "kinds": "KubeadmControlPlane",
    "names": "prod-1",
    "namespaces": "org-acme",
    "labels": {"tier": "gold", "zone": "a", "number": 7},
    "annotations": {"example.com/proxy": "yes"},
}
MATCHERS = {
    "globs are case-sensitive": ({"names": ["PROD-*"]}, False),
    "one field of two fits": ({"names": ["prod-*"], "kinds": ["Deployment"]}, False),
    "the empty namespace is one of its own": ({"namespaces": [""]}, False),
    "all labels": ({"labels": {"tier": "g*", "zone": "a"}}, True),
    "one label of two": ({"labels": {"tier": "gold", "zone": "b"}}, False),
    "a label that is not a string": ({"labels": {"number": "7"}}, False),
    "an annotation": ({"annotations": {"example.com/proxy": "*"}}, True),
}


@pytest.mark.parametrize(("matcher", "fits"), MATCHERS.values(), ids=MATCHERS)
def test_a_matcher(matcher: Data, fits: bool) -> None:
    assert Selector(include=(matcher,)).selects(SUBJECT) is fits
    assert Selector(exclude=(matcher,)).selects(SUBJECT) is not fits


FITS, FITS_NOT = {"names": ["prod-1"]}, {"names": ["other"]}
SELECTORS = {
    "one matcher of include is enough": (Selector(include=(FITS_NOT, FITS)), True),
    "one matcher of exclude is enough": (Selector(exclude=(FITS_NOT, FITS)), False),
    "exclude wins": (Selector(include=(FITS,), exclude=(FITS,)), False),
}


@pytest.mark.parametrize(("selector", "selected"), SELECTORS.values(), ids=SELECTORS)
def test_a_selector(selector: Selector, selected: bool) -> None:
    assert selector.selects(SUBJECT) is selected


NO_CLUSTER = {"targets": ("nodes.kubelet", "nodes"), "objects": "prod-1-md-0"}
CLUSTER = {**NO_CLUSTER, "clusters": "a", "namespaces": "", "labels": {}, "roles": "", "workerGroups": ()}
WORKERS = {
    **NO_CLUSTER,
    "clusters": "prod-1",
    "namespaces": "org-acme",
    "labels": {"region": "eu-west-1"},
    "roles": "Worker",
    "workerGroups": ("md-0", "default-worker"),
}
MATCHES = {
    "no Cluster is not any Cluster": ({"clusters": ["*"]}, NO_CLUSTER, False),
    "no Cluster, no label": ({"labels": {"region": "*"}}, NO_CLUSTER, False),
    "no Cluster, the target": ({"targets": ["nodes.kubelet"]}, NO_CLUSTER, True),
    "a target of a system": ({"targets": ["nodes"]}, NO_CLUSTER, True),
    "a role that is not known": ({"roles": ["Worker"]}, CLUSTER, False),
    "the class of the workers": ({"workerGroups": ["default-*"]}, WORKERS, True),
    "no worker group is not any": ({"workerGroups": ["*"]}, CLUSTER, False),
    "every field fits": (
        {
            "clusters": ["prod-*"],
            "namespaces": ["org-*"],
            "labels": {"region": "eu-*"},
            "roles": ["Worker"],
            "workerGroups": ["md-0"],
            "targets": ["nodes.kubelet"],
        },
        WORKERS,
        True,
    ),
}


@pytest.mark.parametrize(("matcher", "subject", "fits"), MATCHES.values(), ids=MATCHES)
def test_whom_a_match_means(matcher: Data, subject: Data, fits: bool) -> None:
    assert matches(matcher, subject) is fits
