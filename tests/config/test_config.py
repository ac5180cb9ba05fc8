"""What a FunctionConfig that is right means; the name of its field is kept with each entry and each fact."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from function_configs import PROXY, SCHEMA, loaded, proxy_config, without_reasons
from krm_fn.config import (
    Declaration,
    Override,
    ProxyConfig,
    TargetOptions,
    load,
    names_of_only,
)
from krm_fn.noproxy import Entry, Policy, Style
from krm_fn.target_table import SYSTEMS
from krm_fn.targets import TARGETS
from support import ROOT, run

DECLARED = Declaration(PROXY, is_declared=True)
DEFAULT = TargetOptions(off=frozenset({"nodes.files"}))
ACCEPTED: dict[str, tuple[dict[str, Any], ProxyConfig]] = {
    "null and an empty URL count as not given": (
        {"httpProxy": PROXY, "httpsProxy": "", "mode": None, "targets": None, "selector": {"include": None}},
        ProxyConfig(DECLARED, targets=DEFAULT),
    ),
    "entries of a list are trimmed, and empty ones fall away": (
        {"httpProxy": PROXY, "noProxy": [" a ", "", "b,c"]},
        ProxyConfig(DECLARED._replace(no_proxy=(Entry("a"), Entry("b"), Entry("c"))), targets=DEFAULT),
    ),
    "options stay as given, without defaults": (
        {"httpProxy": PROXY, "targets": {"workloads": {"conflict": "Keep"}, "kyverno": {}}},
        ProxyConfig(
            DECLARED,
            targets=TargetOptions({"workloads": {"conflict": "Keep"}, "kyverno": {}}, frozenset({"nodes.files"})),
        ),
    ),
}


@pytest.mark.parametrize(("spec", "expected"), ACCEPTED.values(), ids=ACCEPTED)
def test_what_is_accepted(spec: dict[str, Any], expected: ProxyConfig) -> None:
    assert without_reasons(load(proxy_config(**spec))) == expected


POLICIES: dict[str, tuple[dict[str, Any], Policy]] = {
    "a text of globs": ({"exclude": "*.internal, 10.0.0.1"}, Policy(exclude=("*.internal", "10.0.0.1"))),
    "the rest": ({"rooted": True, "infrastructureEndpoint": True}, Policy(rooted=True, infrastructure_endpoint=True)),
}


@pytest.mark.parametrize(("written", "expected"), POLICIES.values(), ids=POLICIES)
def test_the_policy(written: dict[str, Any], expected: Policy) -> None:
    assert loaded(httpProxy=PROXY, noProxyPolicy=written).declaration.policy == expected


LAB = {"clusters": ["lab"]}
OVERRIDES: dict[str, tuple[dict[str, Any], Override]] = {
    "an empty URL is none, and said": ({"httpsProxy": ""}, Override(LAB, https_proxy="")),
    "no entries any more": (
        {"noProxy": [], "noProxyMode": "Replace"},
        Override(LAB, no_proxy=(), replaces=True),
    ),
    "what a policy says, empty values too": (
        {"noProxyPolicy": {"style": "TKG", "without": ["endpoint"], "extra": []}},
        Override(LAB, policy={"style": Style.TKG, "without": frozenset({"endpoint"}), "extra": ()}),
    ),
}


@pytest.mark.parametrize(("written", "expected"), OVERRIDES.values(), ids=OVERRIDES)
def test_what_an_override_sets(written: dict[str, Any], expected: Override) -> None:
    (override,) = loaded(httpProxy=PROXY, overrides=[{"match": {"clusters": ["lab"]}, **written}]).overrides
    assert without_reasons(override) == expected


def test_only_names_each_target_and_each_system() -> None:
    systems = SCHEMA["properties"]["spec"]["properties"]["targets"]["properties"]
    assert [*SYSTEMS] == [*systems]
    assert {*SCHEMA["$defs"]["target"]["enum"]} == {*names_of_only()} == {*SYSTEMS, *TARGETS}


ONLY: dict[str, tuple[dict[str, Any], set[str]]] = {
    "what is off under targets stays off": (
        {"only": ["konvoy"], "targets": {"nodes": {"mirror": False}}},
        {"konvoy"},
    ),
    "what is on under targets is off when it is not named": (
        {"only": ["kyverno"], "targets": {"workloads": {"data": True}}},
        {"kyverno"},
    ),
    "files are listed": (
        {"only": ["nodes.files", "tkg.pinniped"], "targets": {"nodes": {"files": ["apt"]}}},
        {"nodes.files", "tkg.pinniped"},
    ),
}


@pytest.mark.parametrize(("spec", "expected"), ONLY.values(), ids=ONLY)
def test_only_the_named_targets_are_on(spec: dict[str, Any], expected: set[str]) -> None:
    targets = loaded(httpProxy=PROXY, **spec).targets
    assert {name for name in TARGETS if targets.is_on(name)} == expected


def test_what_waits_for_true_does_not_where_only_names_it() -> None:
    (aks, eks) = ("distributions.aks", "distributions.eksAnywhere")
    targets = loaded(httpProxy=PROXY, only=[eks]).targets
    assert targets.given_for(eks) is True
    assert not targets.given_for(aks)
    off = loaded(httpProxy=PROXY, only=["distributions"], targets={"distributions": {"eksAnywhere": False}}).targets
    assert not off.is_on(eks)


@pytest.mark.parametrize("is_archive", [False, True], ids=["a folder", "an archive"])
def test_an_installation_without_the_schema_says_so(tmp_path: Path, is_archive: bool) -> None:
    shutil.copytree(ROOT / "krm_fn", tmp_path / "made" / "krm_fn", ignore=shutil.ignore_patterns("__pycache__"))
    place = tmp_path / "made"
    if is_archive:
        place = Path(shutil.make_archive(str(tmp_path / "package"), "zip", place))
    done = run([sys.executable, "-m", "krm_fn", "schema"], cwd=tmp_path, env={"PYTHONPATH": str(place)})
    assert done.returncode == 3
    assert b"is missing from this installation: install `inject-proxy` again" in done.stderr
