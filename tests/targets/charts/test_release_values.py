"""What Helm makes of the values that a run writes: the answers of `chartutil` and `strvals`, as they are recorded.

`tests/tools/fetch .cache/bin helm-values` builds the program that gives them, and `--write-golden` records them.
Without it the function must still write what was judged.

`rendered_by_helm.json` holds what `helm template` (v3.19.0) makes of the oldest and the newest version of each chart,
and of those around a change of form: the values that a run wrote for that version, each of which gave the proxy to a
program, and the Services that these programs call by a name without `.svc`, in the release "release" of the namespace
"apps". Those of gitlab-runner are copies of its repository, up to 0.60.0.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from all_targets import TARGETS
from chart_objects import ANY, application, release
from judges import answers_of, recorded
from krm_fn.patch import lookup
from krm_fn.products.charts import CHARTS, ChartValue
from krm_fn.targets import Context
from krm_fn.yamledit import read
from proposals import FULL, HTTP, HTTPS, NO, apply
from support import ROOT

target = TARGETS["charts"]

RECORDED = Path(__file__).parent / "recorded_by_helm.json"
JUDGE = ROOT / ".cache" / "bin" / "helm-values"
Golden = Callable[[Path, bytes], None]


def always(chart: str) -> list[ChartValue]:
    """The values that get the proxy of the newest version, whatever the others are."""
    return [value for value in CHARTS[chart].values if not value.where and not value.before]


def defaults_of(chart: str) -> dict[str, Any]:
    """The values.yaml of a chart as far as it is about a proxy: empty lists and mappings, and a value beside each."""
    found: dict[str, Any] = {}
    for value in always(chart):
        for path in value.texts.values() or [value.steps]:
            holder = found
            for step in path[:-1]:
                holder = holder.setdefault(step, {"beside": 1})
            holder[path[-1]] = "" if value.texts else [] if value.form == "List" else {"DEFAULT": "1"}
    return found


def cases() -> dict[str, dict[str, Any]]:
    """Name -> what Helm is asked: the values of a chart, and those of the object after a run."""
    asked = {}
    for chart in CHARTS:
        values = apply(target, release(chart), **ANY)["spec"]["values"]
        asked[f"HelmRelease of {chart}"] = {"defaults": defaults_of(chart), "values": values, "set": []}
    helm = apply(target, application("external-dns", values="env:\n- {name: OTHER, value: a}\n"), **ANY)["spec"][
        "source"
    ]["helm"]
    asked["text of external-dns"] = {"defaults": defaults_of("external-dns"), "values": read(helm["values"]), "set": []}
    return asked


def test_helm_was_asked_about_what_a_run_writes_now(request: pytest.FixtureRequest, golden: Golden) -> None:
    asked = cases()
    if request.config.getoption("--write-golden") and JUDGE.exists():
        golden(RECORDED, answers_of(JUDGE, asked))
    assert {name: one["asked"] for name, one in recorded(RECORDED).items()} == asked


@pytest.mark.parametrize("name", cases())
def test_a_chart_gets_the_proxy_and_keeps_the_rest(name: str) -> None:
    chart = name.rpartition(" ")[2]
    answer = recorded(RECORDED)[name]["answer"]
    for value in always(chart):
        for variable, path in value.texts.items():
            expected = {"HTTP_PROXY": HTTP, "HTTPS_PROXY": HTTPS, "NO_PROXY": NO}[variable]
            found = lookup(answer, path)
            assert (",".join(found) if isinstance(found, list) else found) == expected
        if not value.texts and value.form == "List":
            entries = {one["name"]: one["value"] for one in lookup(answer, value.steps)}
            assert entries == {**({"OTHER": "a"} if "HelmRelease" not in name else {}), **FULL.variables}
        elif not value.texts:
            assert lookup(answer, value.steps) == {"DEFAULT": "1", **FULL.variables}
        for step in range(1, len(value.steps)):
            assert lookup(answer, (*value.steps[:step], "beside")) == 1


RENDERED = json.loads(Path(__file__).with_name("rendered_by_helm.json").read_text())
BESIDE: dict[str, Any] = {
    "external-dns": {"provider": {"name": "webhook"}},
    "trivy-operator": {"operator": {"builtInTrivyServer": True}},
    "grafana": {"dashboards": {"a": {"b": {"gnetId": 1860}}}, "imageRenderer": {"enabled": True}},
}
BESIDE["kube-prometheus-stack"] = {"grafana": BESIDE["grafana"]}
"""Chart -> the values with which it was rendered."""


@pytest.mark.parametrize(("chart", "version"), [(chart, version) for chart in RENDERED for version in RENDERED[chart]])
def test_helm_renders_what_a_run_writes_for_a_version(chart: str, version: str) -> None:
    obj = release(chart, BESIDE.get(chart))
    obj["spec"]["chart"]["spec"]["version"] = version
    written = apply(target, obj, **ANY)["spec"]["values"]
    reached = [
        value.name
        for value in CHARTS[chart].values
        if any(lookup(written, path) for path in value.texts.values() or [value.steps])
    ]
    assert list(dict.fromkeys(reached)) == RENDERED[chart][version]["values"]
    assert {*RENDERED[chart][version]["services"]} <= {*target.readers(obj, ANY, Context().uses).names}


def test_each_row_was_rendered() -> None:
    assert {*CHARTS} == {*RENDERED}
    for chart, versions in RENDERED.items():
        for value in CHARTS[chart].values:
            since = ".".join(map(str, value.since))
            assert not since or since in versions
