"""The plugin of `examples/argocd`, asked by Argo CD's own server for plugins.

`make judged` builds the server and runs this file.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from argocd import CONFIG, EXAMPLE, PASSWORD, PLUGIN, application, on_this_machine
from support import ROOT, TIME_LIMIT, need, run, search_path

pytestmark = pytest.mark.judged
__all__ = ["application"]  # a fixture


@pytest.fixture(scope="module")
def server() -> Iterator[Path]:
    """The socket of Argo CD's server for plugins, which runs the plugin of the example."""
    program = need("argocd-cmp-server")
    with tempfile.TemporaryDirectory() as name:  # short, because the path of a socket must be
        folder = Path(name)
        text = (EXAMPLE / "plugin/plugin.yaml").read_text()
        (folder / "plugin.yaml").write_text(on_this_machine(text))
        environment = {"PATH": search_path(), "ARGOCD_PLUGINSOCKFILEPATH": name, "ARGOCD_CMP_WORKDIR": name}
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(
                [program, "--config-dir-path", name, "--loglevel", "debug"], env=environment, stdout=log, stderr=log
            )
        socket = folder / f"{PLUGIN['metadata']['name']}-{PLUGIN['spec']['version']}.sock"
        for _ in range(600):
            if socket.exists() or process.poll() is not None:
                break
            time.sleep(0.1)
        yield socket
        process.kill()  # it waits for its clients where it is asked to end
        process.wait(TIME_LIMIT)


def ask(server: Path, application: Path, *variables: str) -> Any:
    """What the repo-server gets for the folder of an Application."""
    done = run([need("argocd-cmp-server"), "ask", server, application, *variables])
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def test_the_server_of_argo_cd_gets_the_manifests_and_the_parameters(server: Path, application: Path) -> None:
    answer = ask(server, application, "PARAM_CONFIG=proxy.yaml")
    assert answer["error"] == ""
    expected = list(yaml.safe_load_all((ROOT / "examples/kustomize-exec/expected.yaml").read_text()))
    assert [json.loads(manifest) for manifest in answer["manifests"]] == expected
    announced = [(one["name"], one.get("string"), one.get("collectionType")) for one in answer["parameters"]]
    assert announced == [("config", "proxy.yaml", None), ("only", None, "array")]


def test_the_server_of_argo_cd_gets_an_error_without_manifests_and_credentials(server: Path, application: Path) -> None:
    (application / "proxy.yaml").write_text(CONFIG.replace("httpProxy: http://", f"httpProxy: htp://svc:{PASSWORD}@"))
    answer = ask(server, application)
    assert answer["manifests"] is None
    assert "exit status 1" in answer["error"]
    assert "spec.httpProxy" in answer["error"]
    assert PASSWORD not in answer["error"] + (server.parent / "log").read_text()
