"""A ProxyConfig that kustomize or kpt does not get, judged by kustomize itself: what lint advises makes it run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from function_configs import URL
from support import inject_proxy, need, run, write

DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {template: {spec: {containers: [{name: web, image: nginx}]}}}
"""
EXEC = 'config.kubernetes.io/function: "exec: {path: PROGRAM}"'


def config(program: str = "inject-proxy") -> str:
    annotation = EXEC.replace("PROGRAM", program) if program else "a: b"
    return (
        "apiVersion: fn.inject-proxy.io/v1alpha1\nkind: ProxyConfig\n"
        f"metadata:\n  name: proxy\n  annotations:\n    {annotation}\n"
        f"spec:\n  httpProxy: {URL}\n  httpsProxy: {URL}\n  targets: {{workloads: {{choose: [{{names: [web]}}]}}}}\n"
    )


RIGHT = {
    "web.yaml": DEPLOYMENT,
    "proxy.yaml": config(),
    "kustomization.yaml": "resources: [web.yaml]\ntransformers: [proxy.yaml]\n",
    "bin/inject-proxy": "#!/bin/sh\nexec inject-proxy\n",
}
IN_FOLDERS = {
    "base/web.yaml": DEPLOYMENT,
    "base/kustomization.yaml": "resources: [web.yaml]\n",
    "kustomization.yaml": "resources: [base]\ntransformers: [functions]\n",
    "functions/kustomization.yaml": "resources: [proxy.yaml]\n",
    "functions/proxy.yaml": config(),
}
KUSTOMIZATION = RIGHT["kustomization.yaml"]
IN_X = {"x/web.yaml": DEPLOYMENT, "x/proxy.yaml": config()}
KPT = {
    "web.yaml": DEPLOYMENT,
    "proxy.yaml": config(""),
    "Kptfile": "kind: Kptfile\npipeline: {mutators: [{exec: inject-proxy, configPath: proxy.yaml}]}\n",
}


def said(folder: Path) -> list[str]:
    done = inject_proxy(b"", "lint", ".", cwd=folder)
    return [line for line in done.stdout.decode().splitlines() if "ConfigIgnored" in line]


def has_proxy(folder: Path) -> bool:
    build = [need("kustomize"), "build", "--enable-alpha-plugins", "--enable-exec", "."]
    return b"HTTP_PROXY" in run(build, cwd=folder).stdout


@pytest.mark.parametrize(
    ("files", "wrong", "message"),
    [
        pytest.param(
            RIGHT,
            {"kustomization.yaml": "resources: [web.yaml, proxy.yaml]\n"},
            "`resources` of kustomization.yaml takes it as an object",
            id="under resources",
        ),
        pytest.param(
            RIGHT,
            {"kustomization.yaml": "resources: [web.yaml]\n"},
            "kustomization.yaml does not name it",
            id="nowhere",
        ),
        pytest.param(RIGHT, {"proxy.yaml": config("")}, "add the annotation `" + EXEC[:30], id="no annotation"),
        pytest.param(RIGHT, {"proxy.yaml": config("./nowhere")}, "is no file that may be executed", id="no such file"),
        pytest.param(RIGHT, {"proxy.yaml": config("./web.yaml")}, "is no file that may be executed", id="no program"),
        pytest.param(
            {**RIGHT, "proxy.yaml": config("bin/inject-proxy")},
            {"proxy.yaml": config("../bin/inject-proxy")},
            "seen from the folder of kustomization.yaml",
            id="seen from another folder",
        ),
        pytest.param(
            IN_FOLDERS,
            {
                "base/proxy.yaml": config(),
                "base/kustomization.yaml": "resources: [web.yaml, proxy.yaml]\n",
                "kustomization.yaml": "resources: [base]\n",
            },
            "`resources` of base/kustomization.yaml takes it as an object",
            id="under resources of a base",
        ),
        pytest.param(
            {**RIGHT, "x/web.yaml": DEPLOYMENT, "x/proxy.yaml": config(), "x/kustomization.yaml": KUSTOMIZATION},
            {"kustomization.yaml": "resources: [web.yaml]\n"},
            "kustomization.yaml does not name it",
            id="another folder names its own",
        ),
        pytest.param(
            {"kustomization.yaml": "resources: [x/web.yaml]\ntransformers: [./x/proxy.yaml]\n", **IN_X},
            {"kustomization.yaml": "resources: [x/web.yaml, ./x/proxy.yaml]\n"},
            "`resources` of kustomization.yaml takes it as an object",
            id="in a folder below, under resources",
        ),
        pytest.param(
            {"kustomization.yaml": "resources: [x/web.yaml]\ntransformers: [./x/proxy.yaml]\n", **IN_X},
            {"x/proxy.yaml": config("")},
            "kustomization.yaml names it, and nothing says",
            id="in a folder below, no annotation",
        ),
        pytest.param(
            KPT,
            {"Kptfile": "pipeline: {mutators: [{image: x/inject-proxy:v1}]}\n"},
            "Kptfile does not name it",
            id="a Kptfile without configPath",
        ),
        pytest.param(
            KPT,
            {"Kptfile": "pipeline: {mutators: [{exec: inject-proxy, configPath: other.yaml}]}\n"},
            "or in `configPath` of a Kptfile",
            id="a Kptfile that names another file",
        ),
    ],
)
def test_one_line_says_what_keeps_it_from_running(
    files: Mapping[str, str], wrong: Mapping[str, str], message: str, tmp_path: Path
) -> None:
    write(tmp_path, {**files, **wrong})
    if "bin/inject-proxy" in files:
        (tmp_path / "bin/inject-proxy").chmod(0o700)
    lines = said(tmp_path)
    assert len(lines) == 1
    assert message in lines[0]
    assert files is KPT or not has_proxy(tmp_path)
    (tmp_path / "base/proxy.yaml").unlink(missing_ok=True)
    write(tmp_path, files)
    assert said(tmp_path) == []
    assert files is KPT or has_proxy(tmp_path)


@pytest.mark.parametrize(
    "files",
    [
        pytest.param({"web.yaml": DEPLOYMENT, "kustomization.yaml": "resources: [web.yaml]\n"}, id="a plain folder"),
        pytest.param(
            {"kustomization.yaml": "resources: [../proxy]\n", "Kptfile": "pipeline: {mutators: [{exec: other}]}\n"},
            id="functions of others",
        ),
        pytest.param({"kustomization.yaml": "resources: [", "Kptfile": "["}, id="files that cannot be read"),
        pytest.param({**IN_X, "kustomization.yaml": "transformers: [x/proxy.yaml]\n"}, id="named from above"),
        pytest.param({**IN_X, "y/kustomization.yaml": "transformers: [../x/proxy.yaml]\n"}, id="named from beside"),
        pytest.param({**IN_X, "x/y/kustomization.yaml": "transformers: [../proxy.yaml]\n"}, id="named from below"),
        pytest.param({**IN_X, "x/kustomization.yaml": "generators: [./proxy.yaml]\n"}, id="as a generator"),
        pytest.param({**IN_X, "x/kustomization.yaml": "transformers: [../x//proxy.yaml]\n"}, id="in another spelling"),
        pytest.param({**IN_X, "x/Kptfile": KPT["Kptfile"].replace(" proxy", " ./proxy")}, id="by ./ in a Kptfile"),
    ],
)
def test_who_calls_it_rightly_hears_nothing(files: Mapping[str, str], tmp_path: Path) -> None:
    beside = {"x/kustomization.yaml": "resources: [web.yaml]\n"} if files.keys() > IN_X.keys() else {}
    write(tmp_path, {"proxy.yaml": config(""), **beside, **files})
    assert said(tmp_path) == []
