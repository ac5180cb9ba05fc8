from __future__ import annotations

from typing import Any

import pytest
from kubeadm_objects import HTTP_ONLY, NONE, kubeadm, run

from krm_fn.targets.nodes import containerd_drop_in
from krm_fn.targets.nodes.drop_in_conflicts import namesakes

FOLDER = "/etc/systemd/system/containerd.service.d"
OURS = f"{FOLDER}/http-proxy.conf"
SETS = "[Service]\nEnvironment=NO_PROXY=a\n"


def reported(entry: dict[str, Any], *, ours: str = OURS, wanted: bool = True) -> str | None:
    proxy = HTTP_ONLY if wanted else NONE
    outcome = run(containerd_drop_in, kubeadm({"files": [entry]}), proxy, {"path": ours})
    return next((finding.message for finding in outcome.findings if finding.code == "OtherDropIn"), None)


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param({}, id="no path"),
        pytest.param({"path": 5, "content": SETS}, id="a path that is no string"),
        pytest.param({"path": OURS, "content": SETS}, id="our own"),
        pytest.param({"path": f"{FOLDER}/90.conf"}, id="no content"),
        pytest.param({"path": f"{FOLDER}/90.conf", "content": "[Service]\nUser=x\n"}, id="no proxy in it"),
        pytest.param({"path": f"{FOLDER}/90.conf", "content": f"# {SETS.splitlines()[1]}"}, id="a proxy in a comment"),
        pytest.param({"path": f"{FOLDER}/deep/90.conf", "content": SETS}, id="a folder below"),
        pytest.param({"path": f"{FOLDER}/90-proxy.conf~", "content": SETS}, id="not a .conf file"),
        pytest.param({"path": FOLDER.replace("containerd", "crio") + "/90.conf", "content": SETS}, id="another unit"),
        pytest.param({"path": f"{FOLDER}/90.conf", "contentFrom": {}}, id="a Secret under a name that says nothing"),
    ],
)
def test_no_rival(entry: dict[str, Any]) -> None:
    assert reported(entry) is None


@pytest.mark.parametrize(
    ("path", "ours", "winner"),
    [
        pytest.param(f"{FOLDER}/10-proxy.conf", OURS, OURS, id="digits sort before letters"),
        pytest.param(f"{FOLDER}/zz.conf", OURS, f"{FOLDER}/zz.conf", id="the last name wins"),
        pytest.param("/usr/lib/systemd/system/containerd.service.d/zz.conf", OURS, None, id="whatever its folder"),
        pytest.param("/lib/systemd/system/containerd.service.d/http-proxy.conf", OURS, OURS, id="etc hides lib"),
        pytest.param("/run/systemd/system/containerd.service.d/http-proxy.conf", OURS, OURS, id="etc hides run"),
        pytest.param(OURS, OURS.replace("/etc", "/usr/lib"), OURS, id="etc hides ours under usr"),
        pytest.param(OURS, "/opt/http-proxy.conf", OURS, id="ours in a folder systemd does not read"),
    ],
)
def test_who_wins(path: str, ours: str, winner: str | None) -> None:
    message = reported({"path": path, "content": SETS}, ours=ours)
    assert message is not None
    assert f'"{winner or path}"' in message.partition(";")[2]
    is_hidden = winner == ours and path.rpartition("/")[2] == ours.rpartition("/")[2]
    remedy = "; remove it" if is_hidden else "; remove it, or set `spec.targets.containerdDropIn.path` to its path"
    assert message.endswith(remedy)


@pytest.mark.parametrize(
    ("path", "hides"),
    [
        pytest.param(OURS, 4, id="etc hides all others"),
        pytest.param(OURS.replace("/etc", "/usr/lib"), 1, id="usr hides lib, mostly the same folder"),
        pytest.param("/opt/systemd/system/containerd.service.d/http-proxy.conf", 0, id="a folder of nobody"),
    ],
)
def test_which_places_a_drop_in_of_the_same_name_hides(path: str, hides: int) -> None:
    assert len(namesakes(path)) - namesakes(path).index(path) - 1 == hides


def test_a_drop_in_from_a_secret_is_judged_by_its_name() -> None:
    message = reported({"path": f"{FOLDER}/99-Proxy.conf", "contentFrom": {"secret": {"name": "a", "key": "b"}}})
    assert message is not None
    assert "judged by its name: its content is not seen here" in message


def test_without_a_proxy_wanted_nobody_wins() -> None:
    message = reported({"path": f"{FOLDER}/90.conf", "content": SETS}, wanted=False)
    assert message == (
        f'"{FOLDER}/90.conf" still sets proxy variables for containerd; '
        "remove it, or set `spec.targets.containerdDropIn.path` to its path"
    )
