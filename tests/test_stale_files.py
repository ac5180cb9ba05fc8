"""Files that hold no objects and set another proxy: one line of `run` and `lint`, and none where all is well."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from krm_fn.config import Mode, Override, ProxyConfig
from krm_fn.lint.stale_files import stale_files
from support import COMMAND
from support import run as run_tool

OLD, RIGHT = "http://old:1", "http://svc:hunter2@proxy:3128"
WANTED = ProxyConfig(http_proxy=RIGHT, https_proxy=RIGHT)
PATCH = "kind: Deployment\nspec: {template: {spec: {containers: [{env: [{name: HTTPS_PROXY, value: '%s'}]}]}}}\n"
KUSTOMIZATION = "resources: [a.yaml]\npatches:\n- patch: |\n    kind: Deployment\n    spec: {env: {HTTP_PROXY: '%s'}}\n"
FILES = {
    "cluster-config.yaml": "CLUSTER_NAME: a\nTKG_HTTP_PROXY: %s\n",
    "secret-values.yaml.patch": "proxy:\n  http: %s\n  noProxy: a\n",
    "install-config.yaml": "apiVersion: v1\nproxy: {httpsProxy: '%s'}\n",
    "all.yml": "---\nhttp_proxy: %s\n",
    "patch.yaml": PATCH,
    "kustomization.yaml": KUSTOMIZATION,
}
OF_CONFIG = "apiVersion: fn.inject-proxy.io/v1alpha1\nkind: ProxyConfig\nspec: {httpProxy: 'http://old:1'}\n"
SILENT = [
    pytest.param("a.yaml", OF_CONFIG, id="a patch of a ProxyConfig"),
    pytest.param("a.yaml", "patches:\n- patch: |\n" + indent(OF_CONFIG, "    "), id="an inline patch of a ProxyConfig"),
    pytest.param("a.yaml", "http_proxy: ''\n", id="an empty one"),
    pytest.param("a.yaml", "http_proxy: ${PROXY}\n", id="one that is filled in later"),
    pytest.param("a.yaml", "image: {proxy: http}\n", id="another proxy than meant"),
    pytest.param("a.yaml", "proxy: {http: 3128}\n", id="a port"),
    pytest.param("a.yaml", "http_proxy: http://old:1\n  b: [\n", id="what is no YAML"),
    pytest.param("a.json", '{"http_proxy": "http://old:1"}', id="what no person writes"),
    pytest.param(
        "a.yaml", "x: 1\n" * 50_000 + "http_proxy: http://old:1\n", id="what is too large to be written by one"
    ),
]


@pytest.mark.parametrize("name", FILES)
def test_another_proxy_is_one_line_without_its_value(name: str) -> None:
    url = "http://me:s3cret@old:1"
    (found,) = stale_files({name: (FILES[name] % url).encode()}, WANTED)

    assert (found.code, found.ref.file_path) == ("StaleProxy", name)
    assert "s3cret" not in str(found.to_data())


@pytest.mark.parametrize("name", FILES)
def test_a_proxy_of_the_proxy_config_is_silent(name: str) -> None:
    override = WANTED._replace(http_proxy="", https_proxy="", overrides=(Override(None, http_proxy=RIGHT),))  # type: ignore[arg-type]

    for wanted in (WANTED, override):
        assert list(stale_files({name: (FILES[name] % RIGHT).encode()}, wanted)) == []
    assert list(stale_files({name: (FILES[name] % OLD).encode()}, ProxyConfig())) == []


@pytest.mark.parametrize("name", FILES)
def test_a_removal_names_what_stays(name: str) -> None:
    removal = WANTED._replace(mode=Mode.REMOVE)
    (found,) = stale_files({name: (FILES[name] % RIGHT).encode()}, removal)

    assert "remove it yourself" in found.message


@pytest.mark.parametrize(("name", "text"), SILENT)
def test_what_sets_no_proxy_is_silent(name: str, text: str) -> None:
    assert list(stale_files({name: text.encode(), "b.yaml": b"http_proxy: \xff"}, WANTED)) == []


def test_run_and_lint_name_each_file_of_a_folder_once(tmp_path: Path) -> None:
    config = f"apiVersion: fn.inject-proxy.io/v1alpha1\nkind: ProxyConfig\nspec: {{httpProxy: '{RIGHT}'}}\n"
    (tmp_path / "proxy.yaml").write_text(config)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text % OLD)
    for argv in (["run", "--diff", tmp_path], ["lint", tmp_path]):
        done = run_tool([COMMAND, *argv])
        said = (done.stdout + done.stderr).decode().splitlines()
        assert done.returncode == 0
        for name in FILES:
            assert len([line for line in said if f"/{name} " in line and "StaleProxy" in line]) == 1, (argv, name)
