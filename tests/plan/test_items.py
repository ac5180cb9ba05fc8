"""Items as a plan reads them."""

from __future__ import annotations

from textwrap import indent

import pytest

from function_configs import DECLARED
from krm_fn.pipeline.run import run
from krm_fn.yamledit import read

NODES = """\
apiVersion: bootstrap.cluster.x-k8s.io/v1beta1
kind: KubeadmConfig
metadata: {name: NAME}
spec:
  files: []
"""


@pytest.mark.parametrize(
    "code",
    [
        pytest.param(("  files: []\n", "  #@ if data.values.proxy:\n  files: []\n"), id="inside of the item"),
        pytest.param(("apiVersion: boot", "#@ if data.values.proxy:\napiVersion: boot"), id="above its first key"),
    ],
)
def test_an_item_of_a_list_with_code_of_ytt_stays_and_is_named(code: tuple[str, str]) -> None:
    """Whether ytt keeps what follows its code, nobody knows before it runs."""
    first, second = NODES.replace("NAME", "code").replace(*code), NODES.replace("NAME", "plain")
    items = "".join("- " + indent(text, "  ")[2:] for text in (first, second))
    function_config = "functionConfig:\n" + indent(DECLARED, "  ")
    head = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"
    outcome = run(f"{head}{function_config}items:\n{items}".encode())
    with_code, plain = read(outcome.output.decode())["items"]
    assert with_code["spec"] == {"files": []}
    assert plain["spec"]["files"]
    assert {result.ref.name for result in outcome.results if result.code == "TextUnreadable"} == {"code"}
