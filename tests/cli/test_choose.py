"""`inject-proxy choose`: what chooses an object goes into the ProxyConfig, and out of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from support import inject_proxy, on_a_terminal, write

CONFIG = """\
# ours
apiVersion: fn.inject-proxy.io/v1alpha1
kind: ProxyConfig
metadata: {name: proxy}   # no namespace
spec:
    httpProxy: http://proxy.corp.example:3128  # for all

    httpsProxy: "http://proxy.corp.example:3128"
"""
LIST = "apiVersion: v1\nkind: List\nitems:\n- " + CONFIG.replace("# ours\n", "").replace("\n", "\n  ").rstrip(" ")
RESOURCE_LIST = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\nfunctionConfig:\n" + "".join(
    f"  {line}\n" for line in CONFIG.splitlines()
)


def workload(name: str, namespace: str, image: str = "nginx", annotations: str = "") -> str:
    return (
        "---\napiVersion: apps/v1\nkind: Deployment\n"
        f"metadata: {{name: {name}, namespace: {namespace}, annotations: {{{annotations}}}}}\n"
        f"spec: {{template: {{spec: {{containers: [{{name: manager, image: {image}}}]}}}}}}\n"
    )


def release(chart: str, namespace: str) -> str:
    return (
        f"---\napiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\n"
        f"metadata: {{name: a, namespace: {namespace}}}\n"
        f"spec: {{chart: {{spec: {{chart: {chart}}}}}}}\n"
    )


FLUX = [workload(f"{name}-controller", "flux", f"ghcr.io/fluxcd/{name}-controller:v1") for name in ("source", "helm")]
OBJECTS = "".join(
    [
        workload("web", "shop"),
        workload("web", "test"),
        workload("api", "shop"),
        workload("agent", "kube-system"),
        workload("off", "shop", annotations='fn.inject-proxy.io/proxy: "false"'),
        workload("on", "shop", annotations='fn.inject-proxy.io/proxy: "true"'),
        *FLUX,
        release("harbor", "harbor"),
        release("mirror", "ci"),
    ]
)
API = {"kinds": ["Deployment"], "names": ["api"], "namespaces": ["shop"]}
WEB = {**API, "names": ["web"]}
HARBOR = {"charts": ["harbor"], "kinds": ["HelmRelease"], "names": ["a"], "namespaces": ["harbor"]}
WITH_WEB = (
    CONFIG
    + "    targets:\n        workloads:\n          choose:\n          - {kinds: [Deployment], names: [web]}  # all\n"
)
ROWS = CONFIG + "    targets: {charts: {rows: [{chart: mirror, path: worker.env, form: List}]}}\n"


def choose(folder: Path, *argv: str) -> tuple[int, str, str]:
    done = inject_proxy("", "choose", *argv, cwd=folder)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def targets_in(folder: Path) -> Any:
    config = yaml.safe_load((folder / "proxy.yaml").read_text())
    return (config.get("items") or [config])[-1]["spec"].get("targets", {})


WRITTEN = [
    pytest.param(CONFIG, ["deployment/api"], {"workloads": {"choose": [API]}}, ["shop/api"], id="a workload"),
    pytest.param(
        CONFIG, ["Deployment/web", "-n", "shop"], {"workloads": {"choose": [WEB]}}, ["shop/web"], id="one of two"
    ),
    pytest.param(
        CONFIG,
        ["deployment/source-controller"],
        {"workloads": {"presets": ["flux"]}},
        ["flux/source-controller", "flux/helm-controller"],
        id="a preset, and all that it chooses is said",
    ),
    pytest.param(
        CONFIG, ["helmrelease/a", "-n", "harbor"], {"charts": {"choose": [HARBOR]}}, ["harbor/a"], id="a chart"
    ),
    pytest.param(
        ROWS,
        ["helmrelease/a", "-n", "ci"],
        {
            "charts": {
                "rows": [{"chart": "mirror", "path": "worker.env", "form": "List"}],
                "choose": [{**HARBOR, "charts": ["mirror"], "namespaces": ["ci"]}],
            }
        },
        ["ci/a"],
        id="a chart of which a row says the form",
    ),
    pytest.param(
        CONFIG,
        ["--all-left", "--yes"],
        {
            "workloads": {"choose": [WEB, {**WEB, "namespaces": ["test"]}, API], "presets": ["flux"]},
            "charts": {"choose": [HARBOR]},
        },
        ["shop/web", "test/web", "shop/api", "flux/source-controller", "flux/helm-controller", "harbor/a"],
        id="all that is left, without kube-system and charts without a row",
    ),
    pytest.param(
        CONFIG + "    targets:\n",
        ["deployment/api"],
        {"workloads": {"choose": [API]}},
        ["shop/api"],
        id="below nothing",
    ),
    pytest.param(
        CONFIG + "    targets: {workloads: {choose: []}}\n",
        ["deployment/api"],
        {"workloads": {"choose": [API]}},
        ["shop/api"],
        id="a list that is empty",
    ),
    pytest.param(LIST, ["deployment/api"], {"workloads": {"choose": [API]}}, ["shop/api"], id="in a List"),
]


@pytest.mark.parametrize(("config", "argv", "targets", "chosen"), WRITTEN)
def test_it_is_written_then_a_run_writes_the_proxy_and_removal_gives_the_file_back(
    tmp_path: Path, config: str, argv: list[str], targets: Any, chosen: list[str]
) -> None:
    write(tmp_path, {"proxy.yaml": config, "objects.yaml": OBJECTS})
    code, out, err = choose(tmp_path, *argv)
    assert (code, targets_in(tmp_path)) == (0, targets), err
    said = [line.split("/") for line in err.splitlines() if line.startswith("chosen: ")]
    assert ["/".join(words[-2:]) for words in said] == chosen
    assert out.startswith("--- a/proxy.yaml\n+++ b/proxy.yaml\n@@ ")
    again = choose(tmp_path, *argv)
    assert (again[0], again[1], targets_in(tmp_path)) == (0, "", targets), again[2]
    assert "proxy.yaml stays as it is" in again[2]
    if "--all-left" in argv:
        return
    for said in ("no longer chosen: ", "is not chosen: there is nothing to remove"):
        assert said in choose(tmp_path, "--remove", *argv)[2]
        assert (tmp_path / "proxy.yaml").read_text() == config


@pytest.mark.parametrize(
    "argv",
    [["deployment/web", "-n", "test"], ["deployment/web", "-n", ""], ["helmrelease/a", "-n", "harbor"]],
    ids=" ".join,
)
def test_a_run_gives_the_proxy_to_exactly_that_object(tmp_path: Path, argv: list[str]) -> None:
    objects = OBJECTS.replace(workload("on", "shop", annotations='fn.inject-proxy.io/proxy: "true"'), "")
    objects += workload("web", '""')
    write(tmp_path, {"proxy.yaml": CONFIG, "objects.yaml": objects})
    choose(tmp_path, *argv)
    inject_proxy("", "run", cwd=tmp_path)
    documents = zip(objects.split("---\n"), (tmp_path / "objects.yaml").read_text().split("---\n"), strict=True)
    changed = [yaml.safe_load(new)["metadata"] for old, new in documents if old != new]
    assert [(one["name"], one["namespace"]) for one in changed] == [(argv[0].split("/")[1], argv[2])]


REFUSED = [
    pytest.param(CONFIG, ["deployment/web"], "is in shop, test: `-n NAMESPACE` says which", id="in two namespaces"),
    pytest.param(CONFIG + "    mode: Remove\n", ["deployment/off"], "an annotation leaves", id="in mode Remove"),
    pytest.param(CONFIG, ["deployment/wep"], "did you mean `deployment/web`?", id="misspelt"),
    pytest.param(CONFIG, ["api"], "did you mean `deployment/api`?", id="a name without its kind"),
    pytest.param(CONFIG, ["deploy/api"], "did you mean `deployment/api`?", id="a short kind"),
    pytest.param(CONFIG, ["deployment/web", "-n", "prod"], "is in shop, test: `-n", id="in no such namespace"),
    pytest.param(CONFIG, ["cluster/prod"], "all else needs no choice", id="a kind that needs no choice"),
    pytest.param(CONFIG, ["deployment/off"], "an annotation leaves them out", id="refused by an annotation"),
    pytest.param(CONFIG, ["helmrelease/a", "-n", "ci"], "rows: [{chart: mirror, path:", id="a chart without a row"),
    pytest.param(CONFIG + "    only: [nodes]\n", ["deployment/api"], "`spec.only`", id="the target is off"),
    pytest.param(CONFIG, ["--all-left"], "there is no terminal to ask on", id="all, and nobody to ask"),
    pytest.param(CONFIG, ["--all-left", "deployment/api"], "there must be KIND/NAME", id="all and one"),
    pytest.param(CONFIG, [], "there must be KIND/NAME", id="nothing"),
    pytest.param("", ["deployment/api"], "holds no ProxyConfig", id="no ProxyConfig"),
    pytest.param(CONFIG + "---\n" + CONFIG, ["deployment/api"], "there must be one ProxyConfig", id="two ProxyConfigs"),
]


@pytest.mark.parametrize(("config", "argv", "says"), REFUSED)
def test_it_is_refused_and_nothing_changes(tmp_path: Path, config: str, argv: list[str], says: str) -> None:
    write(tmp_path, {"proxy.yaml": config, "objects.yaml": OBJECTS})
    code, out, err = choose(tmp_path, *argv)
    assert (code, out, (tmp_path / "proxy.yaml").read_text()) == (2, "", config)
    assert says in err


def test_what_is_chosen_already_says_so(tmp_path: Path) -> None:
    write(tmp_path, {"proxy.yaml": WITH_WEB, "objects.yaml": OBJECTS})
    for name in ("web", "on"):
        code, out, err = choose(tmp_path, f"deployment/{name}", "-n", "shop")
        assert (code, out) == (0, "")
        assert f"Deployment/shop/{name} is chosen already" in err


STAYS = [
    pytest.param("web", "spec.targets.workloads.choose[0]", id="a matcher of its author"),
    pytest.param("on", "a preset or an annotation", id="an annotation"),
]


@pytest.mark.parametrize(("name", "by"), STAYS)
def test_what_still_chooses_it_is_said(tmp_path: Path, name: str, by: str) -> None:
    write(tmp_path, {"proxy.yaml": WITH_WEB, "objects.yaml": OBJECTS})
    code, out, err = choose(tmp_path, "--remove", f"deployment/{name}", "-n", "shop")
    assert (code, out, (tmp_path / "proxy.yaml").read_text()) == (0, "", WITH_WEB)
    assert f"Deployment/shop/{name} stays chosen, by {by}" in err


def test_the_next_command_is_named(tmp_path: Path) -> None:
    write(tmp_path, {"proxy.yaml": CONFIG, "objects.yaml": OBJECTS})
    assert choose(tmp_path, "deployment/api")[2].endswith("next: inject-proxy run --diff\n")


HIDDEN = CONFIG.replace('"http://proxy.corp.example:3128"', "ENC[AES256_GCM,data:a,iv:b,tag:c,type:str]")
PASTED = [
    pytest.param(HIDDEN, "SOPS has encrypted it", id="encrypted"),
    pytest.param(RESOURCE_LIST, "it is in a ResourceList", id="of a list of a function"),
]


@pytest.mark.parametrize(("config", "says"), PASTED)
def test_where_it_is_not_written_the_lines_are_printed(tmp_path: Path, config: str, says: str) -> None:
    write(tmp_path, {"proxy.yaml": config, "objects.yaml": OBJECTS})
    code, out, err = choose(tmp_path, "deployment/api", "--config", "proxy.yaml")
    assert (code, yaml.safe_load(out)) == (2, {"spec": {"targets": {"workloads": {"choose": [API]}}}}), err
    assert says in err
    assert (tmp_path / "proxy.yaml").read_text() == config


@pytest.mark.parametrize(("typed", "code"), [("y\n", 0), ("\n", 2)], ids=["yes", "no"])
def test_a_terminal_is_asked_below_the_diff(tmp_path: Path, typed: str, code: int) -> None:
    write(tmp_path, {"proxy.yaml": CONFIG, "objects.yaml": OBJECTS})
    ended, shown = on_a_terminal(["choose", "--all-left"], tmp_path, "stdin", "stdout", "stderr", typed=typed)
    assert ended == code, shown
    assert shown.index("names: [api]") < shown.index("Write this into proxy.yaml?")
    assert ((tmp_path / "proxy.yaml").read_text() == CONFIG) == bool(code)
