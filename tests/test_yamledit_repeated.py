"""Keys that stand twice in a YAML text."""

from __future__ import annotations

import pytest

from krm_fn.pipeline import run
from krm_fn.yamledit import repeated_keys_of_text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a: 1\nb: 2\n", [], id="no key twice"),
        pytest.param("a: 1\na: 2\n", [("a",)], id="one key twice"),
        pytest.param("a: 1\na: 2\na: 3\n", [("a",)], id="three times is one line"),
        pytest.param('a: 1\n"a": 2\n', [("a",)], id="in two styles"),
        pytest.param("{a: {b: 1, b: 2}}", [("a", "b")], id="in flow style"),
        pytest.param("a:\n- b: 1\n- b: 1\n  b: 2\n", [("a", "1", "b")], id="in an item of a list"),
        pytest.param("a: &x {b: 1, b: 2}\nc: *x\n", [("a", "b")], id="behind an anchor, once"),
        pytest.param("a: 1\nb: {a: 2}\n", [], id="the same key in two mappings"),
        pytest.param("z: {b: 1, b: 2}\na: {c: 1, c: 2}\n", [("z", "b"), ("a", "c")], id="in the order of the text"),
        pytest.param("text", [], id="no mapping"),
        pytest.param("a: [", [], id="no YAML"),
    ],
)
def test_the_paths_of_keys_that_stand_twice(text: str, expected: list[tuple[str, ...]]) -> None:
    assert repeated_keys_of_text(text) == expected


CONFIG = """\
functionConfig:
  apiVersion: fn.inject-proxy.io/v1alpha1
  kind: ProxyConfig
  metadata: {name: proxy}
  spec:
    httpProxy: http://user:S3CRET@proxy.corp.example:3128
    httpProxy: http://user:S3CRET@other.corp.example:3128
"""
LIST = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"{LIST}items: []\n{CONFIG}", id="no item"),
        pytest.param(f"{LIST}{CONFIG}items:\n- {{apiVersion: v1, kind: Secret, metadata: {{name: a}}}}\n", id="a list"),
        pytest.param(f"{LIST}items: []\n{CONFIG}"[:-1], id="without a final line break"),
    ],
)
def test_a_function_config_with_a_key_twice_changes_nothing(text: str) -> None:
    outcome = run(text.encode())
    assert outcome.exit_code == 1
    assert [result.message for result in outcome.results] == [
        "spec.httpProxy: must not be given twice in one mapping: keep one of the two"
    ]
