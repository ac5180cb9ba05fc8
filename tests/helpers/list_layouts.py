"""ResourceLists in every layout, and how they are read and written."""

from __future__ import annotations

import json
from typing import Any

import pytest

from krm_fn.krm.resourcelist import ResourceList
from krm_fn.yamledit import read
from list_changes import changes_of

RESULT = {"message": "m", "severity": "info"}
COMPACT = """\
apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
# the first
- apiVersion: v1
  kind: Pod # a pod
  metadata:
    name: a
- apiVersion: v1
  kind: Secret
  metadata: {name: 'b'}
functionConfig:
  kind: X
"""
INDENTED = (
    COMPACT.replace("\n- ", "\n  - ").replace("\n  kind: S", "\n    kind: S").replace("\n  kind: P", "\n    kind: P")
)
INDENTED = INDENTED.replace("\n  meta", "\n    meta").replace("\n    name: a", "\n      name: a")
FLOW = (
    "kind: ResourceList\nitems: [{kind: Pod, metadata: {name: a}}, # c\n  {kind: Secret}]\nfunctionConfig: {kind: X}\n"
)
JSON = json.dumps(read(COMPACT))
PRETTY_JSON = json.dumps(read(COMPACT), indent=2) + "\n"
CONFIG_FIRST = "kind: ResourceList\nfunctionConfig:\n  kind: X\nitems:\n- kind: Pod\n- kind: Secret\n"
LAYOUTS = {
    "a list whose dashes stand below its key": COMPACT,
    "a list that is indented": INDENTED,
    "flow style": FLOW,
    "JSON on one line": JSON,
    "JSON on many lines": PRETTY_JSON,
    "functionConfig before items": CONFIG_FIRST,
    "comments and three dashes first": "# top\n---\n# more\n" + COMPACT,
    "three dashes first": "---\n" + COMPACT,
    "a directive first": "%YAML 1.1\n---\n" + COMPACT,
    "quoted keys": COMPACT.replace("items:", '"items":'),
    "line breaks of two characters": COMPACT.replace("\n", "\r\n"),
    "no line break at the end": COMPACT.rstrip("\n"),
    "a byte order mark": "\ufeff" + COMPACT,
    "a byte order mark, and JSON": "\ufeff" + JSON,
    "an end mark": COMPACT + "...\n",
    "results already": COMPACT + "results:\n- message: before\n",
    "results before the items": "results:\n- message: before\n" + COMPACT,
    "a member nobody knows": COMPACT + "x-more: [1]\n",
}
ACROSS = "kind: ResourceList\nitems:\n- a: &x {k: 1}\n- b: *x # here\n- c: 3\n"
layouts = pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in LAYOUTS.items()])


def whole_of(given: ResourceList, operations: Any, results: Any, new_items: Any = ()) -> bytes:
    """Return the list after the changes, which `ResourceList.write` gives in pieces."""
    return b"".join(given.write(changes_of(given, operations, new_items), results))


def load(text: str) -> ResourceList:
    return ResourceList(text.encode())
