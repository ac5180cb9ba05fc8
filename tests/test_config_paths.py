"""Where a drop-in may stand."""

from __future__ import annotations

from typing import Any

import pytest

from function_configs import PROXY, problems, proxy_config
from krm_fn.config import load

DROP_IN = "/etc/systemd/system/containerd.service.d/http-proxy.conf"


@pytest.mark.parametrize(
    ("path", "fine"),
    [
        pytest.param("/usr/lib/systemd/system/kubelet.service.d/http-proxy.conf", True, id="TKG's path"),
        pytest.param("/etc/systemd/system/kubelet.service.d/99-proxy.conf", True, id="another file name"),
        pytest.param("/x.service.d/y.conf", True, id="no other folder"),
        pytest.param("etc/systemd/system/kubelet.service.d/http-proxy.conf", False, id="a relative path"),
        pytest.param("/etc/systemd/system/kubelet.service.d/http-proxy", False, id="systemd reads .conf only"),
        pytest.param("/etc/systemd/system/kubelet.d/http-proxy.conf", False, id="not the folder of a service"),
        pytest.param("/etc/systemd/system/.service.d/http-proxy.conf", False, id="a unit without a name"),
        pytest.param("/etc/../kubelet.service.d/http-proxy.conf", False, id="a path that goes up"),
        pytest.param("/etc/kubelet.service.d/.conf", False, id="a file without a name"),
        pytest.param("/etc/kubelet.service.d/a b.conf", False, id="a blank in the name"),
        pytest.param("/etc/kubelet.service.d/a.conf\n", False, id="a line break behind the name"),
        pytest.param("/" + "x" * 600 + ".service.d/a.conf", False, id="longer than Cluster API allows"),
    ],
)
def test_the_path_of_a_drop_in(path: str, fine: bool) -> None:
    config = proxy_config(httpProxy=PROXY, targets={"kubeletDropIn": {"path": path}})
    if fine:
        assert load(config) is not None
    else:
        (reported,) = problems(config)
        assert reported.startswith("spec.targets.kubeletDropIn.path: must ")


@pytest.mark.parametrize("other", [{"enabled": False, "path": DROP_IN}, {"path": "/a.service.d/b.conf"}])
def test_two_drop_ins_that_do_not_meet(other: dict[str, Any]) -> None:
    assert load(proxy_config(httpProxy=PROXY, targets={"kubeletDropIn": other})) is not None
