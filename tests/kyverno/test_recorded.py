"""What Kyverno's own engine made of our policies: recorded by `make judged`, compared here without the engine."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from krm_fn.settings import PROXY_VARIABLES
from policy_folders import (
    FOLDERS,
    LIST,
    URL,
    containers,
    given_objects,
    is_on_update,
    name_of,
    objects,
    outcome,
    policy_of,
    resources_of,
)

Golden = Callable[[Path, bytes], None]


def in_(*parents: str) -> Any:
    """Run a test for each folder of some parents."""
    found = [folder for folder in FOLDERS if folder.parent.name in parents]
    return pytest.mark.parametrize("folder", found, ids=name_of)


def entries(obj: Any) -> list[dict[str, Any]]:
    """Return for each container the entries of `env` that are no proxy variables."""
    return [
        {
            "container": container["name"],
            "others": [one for one in container.get("env") or [] if one.get("name") not in PROXY_VARIABLES],
        }
        for container in containers(obj)
    ]


def without_env(obj: Any) -> Any:
    """Return an object without the `env` of its containers."""
    rest = copy.deepcopy(obj)
    for container in containers(rest):
        container.pop("env", None)
    return rest


def proxies(obj: Any) -> list[dict[str, Any]]:
    """Return the proxy variables of each container, name -> entry; a name that is there twice is a mistake."""
    found = []
    for container in containers(obj):
        names = [one["name"] for one in container.get("env") or [] if one["name"] in PROXY_VARIABLES]
        assert len(names) == len(set(names))
        found.append({one["name"]: one for one in container.get("env") or [] if one["name"] in PROXY_VARIABLES})
    return found


STORED = [(folder, "policy.yaml", {}) for folder in FOLDERS]
NATIVE = {"generate": "MutatingAdmissionPolicy"}
STORED += [(folder, "native.yaml", NATIVE) for folder in FOLDERS if (folder / "native.yaml").exists()]


@pytest.mark.parametrize(
    ("folder", "name", "options"), STORED, ids=lambda part: name_of(part) if part in FOLDERS else ""
)
def test_the_policy_that_the_engine_saw_is_what_a_run_writes(
    folder: Path, name: str, options: dict[str, str], golden: Golden
) -> None:
    made = outcome(folder, **options)
    assert made.exit_code == 0
    golden(folder / name, policy_of(made).encode())


@in_("filled", "harmful", "generated")
def test_a_second_run_writes_the_same_policy(folder: Path) -> None:
    stored = (folder / "policy.yaml").read_text()
    assert policy_of(outcome(folder, stored)) == stored


@in_("filled")
def test_the_engine_set_the_wanted_values_and_changed_nothing_else(folder: Path) -> None:
    given, patched = given_objects(folder), objects(folder / "patched.yaml")
    assert bool(patched) is not is_on_update(folder)
    for key, obj in patched.items():
        assert without_env(obj) == without_env(given[key])
        assert entries(obj) == entries(given[key])
        for before, after in zip(proxies(given[key]), proxies(obj), strict=True):
            assert after.keys() >= before.keys()
            for name, entry in after.items():
                if entry != before.get(name):
                    assert entry.keys() == {"name", "value"}
                    assert _is_wanted(name, entry["value"])
        assert any(proxies(obj))


def _is_wanted(name: str, value: str) -> bool:
    if name.upper() == "NO_PROXY":
        return value == LIST or value.startswith(f"{LIST},")
    return value == URL


OF_THE_CLUSTER = "fd00::1,192.168.0.0/16,fd01::/48,10.96.0.0/12,one.internal,.one.internal,one.internal."
"""What the ConfigMap of the folder "no-proxy-from-kubeadm-config" adds to NO_PROXY."""


@in_("generated")
def test_a_generated_policy_gives_each_container_exactly_six_variables(folder: Path) -> None:
    given, patched = objects(resources_of(folder)), objects(folder / "patched.yaml")
    concerned = {key for key in given if not key[1].startswith("untouched")}
    if folder.name.endswith("applied-twice"):
        first = folder.with_name(folder.name.removesuffix("-applied-twice"))
        assert given == objects(first / "patched.yaml")
        assert patched == {}
        assert {tuple(line.split()[:3:2]) for line in (folder / "report.txt").read_text().splitlines()} == {
            (f"{obj['metadata']['namespace']}/{kind}/{name}", "Pass") for (kind, name), obj in given.items()
        }
        return
    assert set(patched) == concerned
    no_proxy = f"{LIST},{OF_THE_CLUSTER}" if (folder / "context.yaml").exists() else LIST
    for key, obj in patched.items():
        assert without_env(obj) == without_env(given[key])
        for before, after in zip(containers(given[key]), containers(obj), strict=True):
            if before["name"].startswith("untouched"):
                assert after == before
                continue
            own = [one for one in before.get("env") or [] if one.get("name") not in PROXY_VARIABLES]
            values = [no_proxy if name.upper() == "NO_PROXY" else URL for name in PROXY_VARIABLES]
            ours = [{"name": name, "value": value} for name, value in zip(PROXY_VARIABLES, values, strict=True)]
            assert after["env"] == [*ours, *own]


@in_("removed")
def test_after_a_removal_the_value_of_a_pod_survives_in_the_engine(folder: Path) -> None:
    given = objects(resources_of(folder))
    patched = {**given, **objects(folder / "patched.yaml")}
    (mine,) = (one for one in containers(patched["Pod", "with-env"]) if one["name"] == "web")
    assert {"name": "HTTP_PROXY", "value": "http://mine:1"} in mine["env"]
    for key, obj in patched.items():
        after, before = ([held.get("env") or [] for held in containers(side)] for side in (obj, given[key]))
        assert after == before


CODES = {
    "PolicyContainerName": "PolicyBroken",
    "PolicyEntryAnchor": "ByHand",
    "PolicyKeepsValueFrom": "PolicyKeepsValueFrom",
    "PolicyPatchesTemplate": "PolicyBroken",
    "PolicyPathUnfit": "PolicyBroken",
}
"""Beginning of the name of a folder -> the code of the finding."""


@in_("harmful")
def test_a_harmful_shape_has_its_finding_beside_the_output_of_the_engine(folder: Path) -> None:
    code = CODES[folder.name.partition("-")[0]]
    assert code in [result.code for result in outcome(folder).results]
    patched = objects(folder / "patched.yaml")
    report = (folder / "report.txt").read_text()
    if is_on_update(folder):
        assert [key for key in patched if key[0] == "Pod"]
        return
    given = objects(resources_of(folder))
    is_said = "panic: " in report or " Error " in report
    assert is_said or not patched or not all(_is_right(given[key], obj) for key, obj in patched.items())


def _is_right(before: Any, obj: Any) -> bool:
    """Return whether an object has its containers, each variable once, a proxy in each, and all that it had before."""
    if without_env(obj) != without_env(before) or entries(obj) != entries(before):
        return False
    for container in containers(obj):
        env = container.get("env") or []
        names = [one["name"] for one in env if "name" in one and one["name"] in PROXY_VARIABLES]
        if len(names) != len(set(names)) or "HTTP_PROXY" not in names:
            return False
        if any(one.get("name") == "HTTP_PROXY" and one != {"name": "HTTP_PROXY", "value": URL} for one in env):
            return False
    return True
