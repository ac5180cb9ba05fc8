"""Aliases across items, and bombs of aliases: what is injected reaches no stranger, and time stays linear."""

from __future__ import annotations

import base64

import pytest

from contract_lists import CONFIG, PROXY, WORKERS, resource_list
from edits import replace
from growth import excess
from krm_fn.krm.resourcelist import ResourceList
from krm_fn.pipeline.run import run
from krm_fn.yamledit import read
from list_changes import changes_of
from support import inject_proxy

SECRET = "s3cr3t"
WITH_PASSWORD = CONFIG.replace(PROXY, f"http://user:{SECRET}@proxy.example.com:3128")
NODE = """\
apiVersion: bootstrap.cluster.x-k8s.io/v1beta1
kind: KubeadmConfigTemplate
metadata:
  name: workers
spec:
  template:
    spec:
      files:
      - path: /etc/systemd/system/containerd.service.d/http-proxy.conf
        content: &a |
          [Service]
          Environment="HTTP_PROXY=http://old.example.com:1"
"""
STRANGER = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: stranger
data:
  # the words of &a are shown in the portal
  motd: *a
"""


def test_an_alias_of_an_unrelated_item_keeps_its_value() -> None:
    """The name of the anchor is in a comment before the alias, too."""
    done = inject_proxy(resource_list(NODE, STRANGER, config=WITH_PASSWORD))
    assert done.returncode == 0, done.stderr
    node, other = read(done.stdout.decode())["items"]
    assert SECRET in node["spec"]["template"]["spec"]["files"][0]["content"]
    assert SECRET not in str(other)
    assert other["data"]["motd"] == '[Service]\nEnvironment="HTTP_PROXY=http://old.example.com:1"\n'


def test_items_with_anchors_of_one_name_take_linear_time() -> None:
    def write(text: str) -> object:
        found = ResourceList(text.encode())
        operations = {index: [replace("a", value=9)] for index in range(len(found))}
        return found.write(changes_of(found, operations), [])

    def make(size: int) -> str:
        return "kind: ResourceList\nitems:\n" + "- a: &x 1\n  b: *x\n  c: &y 2\n  d: *y\n" * (size // 40)

    assert excess(write, make, 40_000) == ""


def _bomb(levels: int) -> str:
    """A text of one kilobyte and less, each line of which is ten times the one above."""
    lines = [f"l0: &l0 [{', '.join('x' * 10)}]\n"]
    lines += [f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 10)}]\n" for n in range(1, levels)]
    return "".join(lines)


def _values(name: str, text: str) -> str:
    return f"""\
apiVersion: v1
kind: Secret
type: addons.cluster.x-k8s.io/resource-set
metadata:
  name: {name}-config-values
data:
  value: {base64.b64encode(text.encode()).decode()}
"""


@pytest.mark.parametrize("levels", [5, 6, 9, 12])
def test_a_bomb_in_the_text_of_a_secret_is_left_alone_with_a_clear_finding(levels: int) -> None:
    text = "#@data/values\n---\nTKG_HTTP_PROXY: http://old.example.com:1\n" + _bomb(levels)
    outcome = run(resource_list(_values("one", text), WORKERS).encode())
    (found,) = [result for result in outcome.results if "aliases" in result.message]
    assert (found.ref.kind, found.path) == ("Secret", ("data", "value"))
    assert "write them out or remove them" in found.message
    assert outcome.exit_code == 0
    assert outcome.changed == 1


def test_aliases_that_a_person_writes_are_read() -> None:
    """A block of values that each of 60 items refers to a hundred times within itself."""
    labels = "x-labels: &labels\n  a: '1'\n  b: '2'\n  c: '3'\n"
    uses = "".join(f"use{number}: *labels\n" for number in range(100))
    outcome = run(resource_list(*[WORKERS + labels + uses] * 60).encode())
    assert (outcome.exit_code, outcome.changed) == (0, 60)
