"""Bad input: one clear line, exit code 1, nothing lost; never a traceback, never a hang, never our bug.

Where a field has a wrong type, the object is still no reason to stop: each field that is read is replaced by values of
every type, one at a time, and all objects together go through the installed command.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from all_targets import TARGETS
from contract_lists import CONFIG
from function_configs import lines_of, list_with_config
from krm_fn import config, patch
from krm_fn.config import Certificates, Mirror
from krm_fn.errors import ConfigError, InputError
from krm_fn.krm.results import Edit
from krm_fn.patch import Pointer
from krm_fn.settings import ProxySettings
from krm_fn.targets import Context
from krm_fn.yamledit import read
from stories import plain_text, stories_of
from support import ROOT, inject_proxy
from yaml_texts import at, places

WRONG = [None, 0, "x", "", [], {}, [1], [[]], [None], {"a": 1}, True, -1.5, "long " * 2000, "${TEMPLATE}", "a\nb\n"]

A_TURN = 5
"""One of so many values is tried at a place; all types at each place go through the command."""

ONE_OF_EACH_TYPE = [0, "x", [1], {"a": 1}, True]

OF_TARGETS = [
    *("nodes.containerd", "nodes.commands", "nodes.classes", "nodes.talos", "workloads"),
    *("charts", "kyverno", "giantswarm.apps", "giantswarm.clusterValues", "giantswarm.chartValues"),
    *(
        "giantswarm.installationValues",
        "tkg.clusterClass",
        "tkg.clusterConfig",
        "tkg.kappController",
        "nutanix",
        "konvoy",
        "distributions.rancher",
    ),
]


def _items_of(target: str, which: Callable[..., Path] = min) -> list[Any]:
    """The objects of the smallest story of a target, or of the largest one."""
    inputs = stories_of(target).rglob("input.yaml")
    return list(read(which(inputs, key=lambda path: path.stat().st_size).read_text())["items"])


PROXY = ProxySettings("http://proxy:3128", "http://proxy:3129", "localhost,.svc")
TRUST = Certificates("-----BEGIN CERTIFICATE-----\nMIIBxzCCAW2g\n-----END CERTIFICATE-----\n")
MIRROR = Mirror("https://r.example:5000", "r.example", TRUST)
EVERYTHING = PROXY._replace(cluster="one", trusted_ca=TRUST, mirror=MIRROR)
SETTINGS = [
    pytest.param(EVERYTHING, id="inject a proxy, certificates and a mirror"),
    pytest.param(ProxySettings(), id="remove"),
]
each_target = pytest.mark.parametrize("name", OF_TARGETS)


def _with_wrong_types(sound: Any, *, by_turns: bool = False, below: Pointer = ()) -> Iterator[tuple[str, Any]]:
    """``sound`` with one field replaced, and a word for which and by what.

    Each field becomes one value of each type; by turns, it becomes some of all wrong values.
    """
    text = json.dumps(sound)  # a copy by JSON is made much faster than by `deepcopy`
    concerned = [place for place in places(sound)[1:] if place[: len(below)] == below]
    for number, place in enumerate(concerned):
        for value in WRONG[number % A_TURN :: A_TURN] if by_turns else ONE_OF_EACH_TYPE:
            damaged = json.loads(text)
            parent = at(damaged, place[:-1])
            parent[int(place[-1]) if isinstance(parent, list) else place[-1]] = copy.deepcopy(value)
            yield f"{patch.field_path(place)}: {str(value)[:20]!r}", damaged


def _with_wrong_texts(item: Any) -> Iterator[tuple[str, Any]]:
    """The same for each text of an object, where it is YAML that says a mapping."""
    member = "stringData" if item["kind"] == "Secret" else "data"
    for key, text in {**(item.get("data") or {}), **(item.get("stringData") or {})}.items():
        try:
            values = read(plain_text(text))
        except (InputError, TypeError):
            continue
        for what, damaged in _with_wrong_types(values, by_turns=True) if isinstance(values, dict) else ():
            yield f"{key} {what}", {**item, member: {key: json.dumps(damaged)}}


@each_target
@pytest.mark.parametrize("settings", SETTINGS)
def test_a_field_of_a_wrong_type_never_stops_a_target(name: str, settings: ProxySettings) -> None:
    """What it changes holds, and it does not want to change it again."""
    every = [(item, [*_with_wrong_types(item, by_turns=True)]) for item in _items_of(name)]
    every += [(item, [*_with_wrong_texts(item)]) for item in _items_of(name, max)]
    for item, damages in every:
        concerned = [target for target in TARGETS.values() if any(item["kind"] == kind for _, kind in target.row.kinds)]
        for what, damaged in damages:
            before = json.dumps(damaged)
            for target in concerned:
                said = list(target.edit(damaged, Context(settings=settings)))
                assert json.dumps(damaged) == before, what
                assert all(result.message for result in said), what
                changes = [operation for edit in said if isinstance(edit, Edit) for operation in edit.operations]
                if changes:  # else it would see the same object again
                    after = patch.apply(json.loads(before), changes)
                    again = [edit for edit in target.edit(after, Context(settings=settings)) if isinstance(edit, Edit)]
                    assert again == [], what


@each_target
def test_all_wrong_types_at_once_go_through_the_command(name: str) -> None:
    damaged = [damaged for item in _items_of(name) for _, damaged in _with_wrong_types(item)]
    done = inject_proxy(list_with_config(read(CONFIG)["spec"], *damaged))
    lines = done.stderr.decode().splitlines()
    assert done.returncode in (0, 1)
    assert all(line.startswith(("[error] ", "[warning] ", "inject-proxy: the proxy is in ")) for line in lines[:-1])
    assert lines[-1].startswith(f"inject-proxy: {len(damaged)} items read, ")
    items = json.loads(done.stdout)["items"]
    assert len(items) == len(damaged)
    assert done.returncode == 0 or items == damaged


def _problems(function_config: Any) -> list[str]:
    try:
        config.load(function_config)
    except ConfigError as error:
        return lines_of(error)
    return []


def _in_small_parts(function_config: Any) -> list[Any]:
    """The FunctionConfig without its targets, and one with the options of each: reading all each time takes long."""
    targets = function_config.get("spec", {}).pop("targets", {})
    smallest = {**function_config, "spec": {"httpProxy": "http://proxy:3128"}}
    parts = [{**smallest, "spec": {"targets": {name: options}}} for name, options in targets.items()]
    return [function_config, *parts]


@pytest.mark.parametrize("name", ["full", "configmap", "configmap-nested", "remove"])
def test_a_field_of_the_function_config_of_a_wrong_type_is_reported_in_one_line(name: str) -> None:
    whole, *parts = _in_small_parts(read((ROOT / "functionconfig" / "examples" / f"{name}.yaml").read_text()))
    every = [*_with_wrong_types(whole)]
    for part in parts:
        every += _with_wrong_types(part, below=("spec", "targets"))
    reported = [(what, _problems(damaged)) for what, damaged in every]
    assert sum(bool(problems) for _, problems in reported) > 20
    for what, problems in reported:
        assert all(problem and "\n" not in problem for problem in problems), what
