"""KIND/NAME on a command line: the object that is meant, or why none is; `choose` has the other cases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from explained import BARE, CONFIG, TEMPLATE, workload
from support import inject_proxy, write

OBJECTS = {
    "clusters.yaml": CONFIG,
    "shop.yaml": workload("web").replace("name: web", "name: web, namespace: shop"),
    "test.yaml": workload("web").replace("name: web", "name: web, namespace: test") + workload("chosen"),
}


def explain(folder: Path, argv: str) -> Any:
    write(folder, OBJECTS)
    return inject_proxy("", "explain", *argv.split(), cwd=folder)


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        pytest.param("deployment/web", "is in shop, test: `-n NAMESPACE` says which", id="in two namespaces"),
        pytest.param("clusters/wets", "KIND/NAME is such as", id="neither a path nor an object"),
        pytest.param("deployment web", "did you mean `deployment/web`?", id="a kind and a name, two words"),
        pytest.param("deployment/chozen", "did you mean `deployment/chosen`?", id="misspelt"),
    ],
)
def test_a_name_that_means_no_object_is_refused(tmp_path: Path, argv: str, says: str) -> None:
    done = explain(tmp_path, argv)
    assert (done.returncode, done.stdout) == (2, b"")
    assert says in done.stderr.decode()


def test_a_path_that_exists_stays_a_path(tmp_path: Path) -> None:
    write(tmp_path, {"deployment/chosen/list.yaml": BARE.replace("NAME", "north") + TEMPLATE.replace("NAME", "north")})
    done = explain(tmp_path, "deployment/chosen --config clusters.yaml --output json")
    data = json.loads(done.stdout)
    assert [cluster["name"] for cluster in data["clusters"]] == ["org/north"]
    assert data["objects"] == {}
