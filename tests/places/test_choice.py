"""Who chooses containers: annotations, and matchers of the options."""

from __future__ import annotations

from typing import Any

import pytest

from container_envs import OURS, TARGET, filled
from manifests import container, workload, workload_of
from proposals import NONE, apply, changes, findings

ASKED = {"fn.inject-proxy.io/proxy": "true"}
ALL: dict[str, Any] = {"choose": [{"names": ["*"]}]}


@pytest.mark.parametrize(
    ("metadata", "expected"),
    [
        pytest.param({"annotations": ASKED}, ["setup", "web", "side"], id="all"),
        pytest.param({"pod": {"annotations": ASKED}}, ["setup", "web", "side"], id="on the pod template"),
        pytest.param({"annotations": {"fn.inject-proxy.io/proxy": " side ,"}}, ["side"], id="a name with blanks"),
        pytest.param({"annotations": {"config.openshift.io/inject-proxy": "web"}}, ["web"], id="that of OpenShift"),
    ],
)
def test_an_annotation_chooses_containers(metadata: Any, expected: list[str]) -> None:
    obj = workload(container("web"), container("side"), init=[container("setup")], **metadata)

    assert filled(obj) == expected


def test_containers_without_names_get_it_each() -> None:
    """Knative names the containers of a Service at admission."""
    obj = workload_of({"containers": [{"image": "a"}, {"image": "b"}]}, annotations=ASKED)
    done = apply(TARGET, obj)
    first, second = done["spec"]["template"]["spec"]["containers"]
    assert first["env"] == second["env"] == OURS
    assert apply(TARGET, done, NONE) == obj


@pytest.mark.parametrize(("value", "is_chosen"), [(True, True), (False, False), (["web"], False), (1, False)])
def test_an_annotation_without_quotes_says_what_its_author_means(value: Any, is_chosen: bool) -> None:
    obj = workload(annotations={"fn.inject-proxy.io/proxy": value})
    assert bool(changes(TARGET, obj)) is is_chosen
    assert findings(TARGET, obj) == []


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        pytest.param({"choose": [{"kinds": ["Job"]}]}, [], id="another kind"),
        pytest.param({"choose": [{"labels": {"app": "shop"}}]}, ["setup", "web", "side"], id="label of the pod"),
        pytest.param({**ALL, "initContainers": False}, ["web", "side"], id="no init containers"),
    ],
)
def test_matchers_and_globs_choose(options: Any, expected: list[str]) -> None:
    obj = workload(container("web"), container("side"), init=[container("setup")], pod={"labels": {"app": "shop"}})

    assert filled(obj, **options) == expected


def test_a_list_of_names_wins_over_matchers_and_a_name_that_no_container_has_is_a_warning() -> None:
    obj = workload(container("web"), container("side"), annotations={"fn.inject-proxy.io/proxy": "web,wbe"})

    assert filled(obj, **ALL) == ["web"]
    (warning,) = findings(TARGET, obj)
    assert (warning.code, "`wbe`" in warning.message) == ("SettingUnused", True)
