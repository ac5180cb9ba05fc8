"""The output that the documents of the systems show stands in the answers, byte for byte.

Each text is looked for as lines that follow each other at one depth of indentation, whatever that depth is.
"""

from __future__ import annotations

import textwrap

import pytest

from krm_fn.pipeline import run
from stories import TESTDATA, items

TKG_NO_PROXY = ".svc.cluster.local,.svc,localhost,127.0.0.1,100.64.0.0/13,100.96.0.0/11"
GS_URL = "http://myProxyUser:mySuperSecretPassword@192.168.52.220:3128"
GS_NO_PROXY = (
    "cluster.local,100.64.0.0/13,100.96.0.0/11,178.170.32.59,172.16.0.0/16,internal.corpdomain.net,example.com,svc,"
    "127.0.0.1,localhost"
)


def answer(system: str) -> list[str]:
    return [
        textwrap.dedent(item) for item in items(run((TESTDATA / "systems" / system / "input.yaml").read_bytes()).output)
    ]


def shows(item: str, text: str) -> bool:
    """True if the lines of ``text`` follow each other in ``item``, all moved by the same number of blanks."""
    lines, wanted = item.splitlines(), text.splitlines()
    for start in range(len(lines) - len(wanted) + 1):
        there = lines[start : start + len(wanted)]
        depth = len(there[0]) - len(there[0].lstrip())
        if there == [" " * depth + line for line in wanted]:
            return True
    return False


TEXTS = [
    pytest.param(
        "tkg",
        f"http_proxy: http://asdf\nhttps_proxy: https://asdf2\nno_proxy: {TKG_NO_PROXY}",
        2,
        id="data values of CPI and CSI",
    ),
    pytest.param(
        "tkg", "#@data/values\n#@overlay/match-child-defaults missing_ok=True\n---", 2, id="annotations of ytt stay"
    ),
    pytest.param(
        "tkg",
        f"httpProxy: http://asdf\nhttpsProxy: https://asdf2\nnoProxy: {TKG_NO_PROXY}",
        1,
        id="data values of kapp-controller",
    ),
    pytest.param(
        "tkg",
        f"TKG_HTTP_PROXY: http://asdf\nTKG_HTTPS_PROXY: https://asdf2\nTKG_NO_PROXY: {TKG_NO_PROXY}",
        1,
        id="the configuration of the cluster",
    ),
    pytest.param(
        "giantswarm-workload-cluster",
        f"cluster:\n  proxy:\n    http: {GS_URL}\n    https: {GS_URL}\n    noProxy: {GS_NO_PROXY}",
        1,
        id="the values of a workload cluster",
    ),
    pytest.param(
        "giantswarm-workload-cluster",
        "config:\n  configMap:\n    name: mycluster-cluster-values\n    namespace: org-giantswarm\n"
        "  secret:\n    name: mycluster-cluster-values\n    namespace: org-giantswarm",
        1,
        id="the references of an App",
    ),
    pytest.param(
        "giantswarm-workload-cluster",
        "\n".join(
            ["[Service]"]
            + [
                f'Environment="{name}={value}"'
                for upper, value in (("HTTP_PROXY", GS_URL), ("HTTPS_PROXY", GS_URL), ("NO_PROXY", GS_NO_PROXY))
                for name in (upper, upper.lower())
            ]
        ),
        1,
        id="the drop-in in the Secret, with the list of the cluster",
    ),
    pytest.param(
        "giantswarm-workload-cluster",
        "- path: /etc/systemd/system/containerd.service.d/http-proxy.conf\n"
        '  permissions: "0600"\n  contentFrom:\n'
        "    secret:\n      name: mycluster-systemd-proxy\n      key: containerdProxy",
        2,
        id="the reference of control plane and workers to that Secret",
    ),
]


@pytest.mark.parametrize(("system", "text", "number"), TEXTS)
def test_what_a_document_shows_is_what_comes_out(system: str, text: str, number: int) -> None:
    assert sum(shows(item, text) for item in answer(system)) >= number
