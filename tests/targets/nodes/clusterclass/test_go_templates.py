"""The Go templates of a patched ClusterClass are texts: they hold the names that other modules write."""

from __future__ import annotations

import pytest

from krm_fn.noproxy.policy import CLUSTER_DOMAIN
from krm_fn.products.cluster_api import DOMAIN, PODS, SERVICE_ADDRESSES, SERVICES
from krm_fn.targets.nodes.clusterclass.class_data import SECRET, VARIABLE
from krm_fn.targets.nodes.clusterclass.go_templates import EXPORTS, file


@pytest.mark.parametrize("name", [PODS, SERVICES, SERVICE_ADDRESSES, DOMAIN, CLUSTER_DOMAIN])
def test_a_name_that_stands_for_what_a_cluster_says(name: str) -> None:
    assert f'"{name}"' in EXPORTS


@pytest.mark.parametrize("member", ["httpProxy", "httpsProxy", "noProxy"])
def test_a_member_of_the_variable(member: str) -> None:
    assert f".{VARIABLE}.{member} " in EXPORTS


def test_the_member_with_the_name_of_a_secret() -> None:
    reference = {"secret": {"name": "-systemd-proxy", "key": "kubeletProxy"}}
    assert f"(.{VARIABLE}.{SECRET} | " in file({"path": "/etc/x", "contentFrom": reference})


def test_a_file_of_variables_is_appended_where_that_of_a_node_is_and_escapes_backticks() -> None:
    text = file({"path": "/etc/environment", "append": True, "content": ""})
    assert '"append" true' in text
    alone = file({"path": "/etc/default/rke2-server", "content": ""})
    assert '"append"' not in alone
    assert '| replace "`" "\\\\`" ' in alone
