"""Whom a matcher, a selector and the match of an override mean."""

from __future__ import annotations

from typing import Any

import pytest

from krm_fn.clusters import Cluster, Membership, Role
from krm_fn.config import Matcher, OverrideSubject, Selector
from krm_fn.config.proxy_config import ClusterMatcher

IDENTITY: dict[str, Any] = {
    "kind": "KubeadmControlPlane",
    "name": "prod-1",
    "namespace": "org-acme",
    "labels": {"tier": "gold", "zone": "a", "number": 7},
    "annotations": {"example.com/proxy": "yes"},
}
MATCHERS = {
    "globs are case-sensitive": (Matcher(names=("PROD-*",)), False),
    "one field of two fits": (Matcher(names=("prod-*",), kinds=("Deployment",)), False),
    "the empty namespace is one of its own": (Matcher(namespaces=("",)), False),
    "all labels": (Matcher(labels={"tier": "g*", "zone": "a"}), True),
    "one label of two": (Matcher(labels={"tier": "gold", "zone": "b"}), False),
    "a label that is not a string": (Matcher(labels={"number": "7"}), False),
    "an annotation": (Matcher(annotations={"example.com/proxy": "*"}), True),
}


@pytest.mark.parametrize(("matcher", "fits"), MATCHERS.values(), ids=MATCHERS)
def test_a_matcher(matcher: Matcher, fits: bool) -> None:
    assert Selector(include=(matcher,)).selects(**IDENTITY) is fits
    assert Selector(exclude=(matcher,)).selects(**IDENTITY) is not fits


FITS, FITS_NOT = Matcher(names=("prod-1",)), Matcher(names=("other",))
SELECTORS = {
    "one matcher of include is enough": (Selector(include=(FITS_NOT, FITS)), True),
    "one matcher of exclude is enough": (Selector(exclude=(FITS_NOT, FITS)), False),
    "exclude wins": (Selector(include=(FITS,), exclude=(FITS,)), False),
}


@pytest.mark.parametrize(("selector", "selected"), SELECTORS.values(), ids=SELECTORS)
def test_a_selector(selector: Selector, selected: bool) -> None:
    assert selector.selects(**IDENTITY) is selected


WORKERS = OverrideSubject(
    target="nodes.kubelet",
    membership=Membership(
        Cluster("org-acme", "prod-1", {"region": "eu-west-1"}),
        role=Role.WORKER,
        group="md-0",
        worker_class="default-worker",
    ),
)
CLUSTER = OverrideSubject("nodes.kubelet", membership=Membership(Cluster(name="a")))
NO_CLUSTER = OverrideSubject(target="nodes.kubelet")
MATCHES = {
    "no Cluster is not any Cluster": (ClusterMatcher(clusters=("*",)), NO_CLUSTER, False),
    "no Cluster, no label": (ClusterMatcher(labels={"region": "*"}), NO_CLUSTER, False),
    "no Cluster, the target": (ClusterMatcher(targets=("nodes.kubelet",)), NO_CLUSTER, True),
    "a role that is not known": (ClusterMatcher(roles=("Worker",)), CLUSTER, False),
    "the class of the workers": (ClusterMatcher(worker_groups=("default-*",)), WORKERS, True),
    "no worker group is not any": (ClusterMatcher(worker_groups=("*",)), CLUSTER, False),
    "every field fits": (
        ClusterMatcher(("prod-*",), ("org-*",), {"region": "eu-*"}, ("Worker",), ("md-0",), ("nodes.kubelet",)),
        WORKERS,
        True,
    ),
}


@pytest.mark.parametrize(("matcher", "subject", "fits"), MATCHES.values(), ids=MATCHES)
def test_whom_a_match_means(matcher: ClusterMatcher, subject: OverrideSubject, fits: bool) -> None:
    assert matcher.fits(subject) is fits
