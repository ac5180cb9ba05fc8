"""What a run reports besides its changes: entries that go, passwords that show, settings without effect."""

from __future__ import annotations

import json
from typing import Any

import pytest

from function_configs import list_with_config, proxy_config
from krm_fn.krm.codes import Severity
from krm_fn.krm.results import Result
from krm_fn.pipeline.outcome import Outcome
from krm_fn.pipeline.run import run
from krm_fn.yamledit import read
from lint_objects import manifest
from manifests import container, workload

OURS = [".corp.example", "10.0.0.0/8", "direct.example"]
PASSWORD = "hunter2"
URL = f"http://svc:{PASSWORD}@proxy.corp.example:3128"
PLAIN = "http://proxy.corp.example:3128"


def ran(spec: dict[str, Any], *items: Any) -> Outcome:
    return run(list_with_config(spec, *items))


def items_of(outcome: Outcome) -> list[Any]:
    return list(read(outcome.output.decode())["items"])


def with_code(code: str, outcome: Outcome) -> list[Result]:
    return [result for result in outcome.results if result.code == code]


# lists that are replaced

CHOOSING = {
    "httpProxy": URL,
    "httpsProxy": URL,
    "noProxy": OURS,
    "noProxyPolicy": {"style": "Verbatim"},
    "targets": {"workloads": {"choose": [{"names": ["*"]}]}},
}


def with_lists(*lists: str) -> dict[str, Any]:
    """A Deployment with a container for each list."""
    entries = [{"name": "NO_PROXY", "value": text} for text in lists]
    return workload(*[container(f"c{at}", entry, image="x") for at, entry in enumerate(entries)], namespace="org")


KEEPING = {**CHOOSING, "targets": {"workloads": {"choose": [{"names": ["*"]}], "conflict": "Keep"}}}


def test_what_is_kept_in_an_object_is_one_line_and_what_reaches_no_reader_another() -> None:
    deployment = with_lists("a.example", "b.example")
    entries = deployment["spec"]["template"]["spec"]["containers"][0]["env"]
    entries.append({"name": "HTTP_PROXY", "value": "http://p:99999"})

    codes = [result.code for result in ran(KEEPING, deployment).results if result.ref.name == "web"]
    assert sorted(code for code in codes if code != "FactsUnknown") == ["UrlInvalid", "ValueKept"]


def test_a_removal_with_keep_takes_out_a_password_from_a_secret_or_says_what_stays() -> None:
    text = f"http_proxy: {URL}\nhttps_proxy: {URL}\n"
    secret = manifest("v1", "Secret", "creds", stringData={"proxy": text})
    deployment = manifest("apps/v1", "Deployment", "web", spec={"template": {"spec": {"containers": [{"name": "c"}]}}})
    source = {"kind": "Secret", "name": "creds", "key": "proxy"}
    taking = {**KEEPING, "from": [source]}
    del taking["httpProxy"], taking["httpsProxy"]
    (_, written) = items_of(ran(taking, secret, deployment))
    assert PASSWORD in str(written)

    removing = {**taking, "mode": "Remove"}
    assert items_of(ran(removing, secret, written)) == [secret, deployment]
    without = ran(removing, written)
    assert items_of(without) == [written]
    assert len(with_code("LeftBehind", without)) == 1


@pytest.mark.parametrize(
    ("old", "named"),
    [
        pytest.param("longhorn-backend,172.16.0.0/12", ["longhorn-backend", "172.16.0.0/12"], id="a name and a CIDR"),
        pytest.param("registry:5000, 192.0.2.1:8080", ["registry", "192.0.2.1"], id="with a port"),
        pytest.param("a.corp.example,10.1.2.3,10.4.0.0/16,.Direct.example", [], id="all covered"),
        pytest.param("$(NODE_IP),vault", ["$(NODE_IP)", "vault"], id="a variable of the container"),
        pytest.param("$(POD_IP)", ["$(POD_IP)"], id="a variable alone"),
        pytest.param("$(NAME).svc,.$(ZONE)", ["$(NAME).svc", ".$(ZONE)"], id="a variable in a name"),
        pytest.param("${POD_CIDR},{{ .zone }}", [], id="what a later step fills in"),
    ],
)
def test_the_entries_that_go_are_named(old: str, named: list[str]) -> None:
    results = with_code("ListReplaced", ran(CHOOSING, with_lists(old)))
    assert len(results) == bool(named)
    for result in results:
        assert all(f"`{entry}`" in result.message for entry in named)
    again = {**CHOOSING, "noProxy": [*OURS, *named]}
    assert with_code("ListReplaced", ran(again, with_lists(old))) == []


@pytest.mark.parametrize("mode", ["Inject", "Check"])
@pytest.mark.parametrize(
    "old",
    [
        "http://svc:zork-quux@proxy:3128,old.example",
        "old.example,http://svc:zork,quux@proxy:3128",
        "svc:zork quux,old.example",
        "$(KUBERNETES_SERVICE_HOST),.old,svc:zork-quux@host",
        "kind: Secret stringData: token: zork-quux",
        "token=zork-quux;old.example",
    ],
)
def test_a_list_that_may_hold_a_password_is_not_shown(old: str, mode: str) -> None:
    outcome = ran({**CHOOSING, "mode": mode}, with_lists(old))
    (result,) = with_code("ListReplaced", outcome)
    assert "is not shown" in result.message
    told = json.dumps([result.to_data() for result in outcome.results])
    assert not [secret for secret in ("zork", "quux", PASSWORD) if secret in told]


DROP_IN = "/etc/systemd/system/containerd.service.d/http-proxy.conf"


def drop_in(path: str, text: str) -> dict[str, str]:
    return {"path": path, "content": f"[Service]\nEnvironment={text}\n"}


def test_a_removal_replaces_no_list() -> None:
    """The drop-in of somebody else, which stays, is no list in the place of ours."""
    files = [drop_in(f"{DROP_IN}.conf", "no_proxy=.svc"), drop_in(DROP_IN, "NO_PROXY=.corp.example,localhost")]
    nodes = manifest("bootstrap.cluster.x-k8s.io/v1beta1", "KubeadmConfig", spec={"files": files})
    outcome = ran({**PROXY, "mode": "Remove"}, nodes)
    assert len(outcome.changes.items) == 1
    assert [result.code for result in outcome.results if result.code] == ["OtherProxy"]


# settings without effect, and what is filled in later

NODES = manifest("controlplane.cluster.x-k8s.io/v1beta1", "KubeadmControlPlane", spec={"kubeadmConfigSpec": {}})

CERT_MANAGER = with_lists("a")
CERT_MANAGER["metadata"] |= {"name": "cert-manager", "labels": {"app.kubernetes.io/name": "cert-manager"}}
PROXY = {"httpProxy": PLAIN, "httpsProxy": PLAIN}


def test_permissions_are_named_by_the_run_that_writes_the_password() -> None:
    path = "/etc/systemd/system/containerd.service.d/http-proxy.conf"
    drop_in = {"path": path, "permissions": "0644", "content": "[Service]\nLimitNOFILE=1\n"}
    group = "controlplane.cluster.x-k8s.io/v1beta1"
    nodes = manifest(group, "KubeadmControlPlane", spec={"kubeadmConfigSpec": {"files": [drop_in]}})
    for proxy, number in ((PROXY, 0), ({"httpProxy": URL, "httpsProxy": URL}, 1)):
        outcome = ran(proxy, nodes)
        assert len(with_code("FilePermissions", outcome)) == number
        assert with_code("FilePermissions", ran(proxy, *items_of(outcome))) == []


def test_a_policy_that_is_to_be_made_and_that_the_selector_does_not_include_is_named() -> None:
    policies = {"kyverno": {"generate": "MutatingPolicy"}}
    spec = {**PROXY, "targets": policies, "selector": {"include": [{"names": ["cert-*"]}]}}
    (result,) = with_code("SettingUnused", ran(spec, CERT_MANAGER))
    assert "`generate`" in result.message


def test_an_item_that_nobody_needs_and_that_cannot_be_read_is_a_warning() -> None:
    broken = "items:\n- apiVersion: v1\n  kind: GKEConfig\n  x: {HTTP_PROXY: a, b\n  c: d}: e]\n"
    config = json.dumps(proxy_config(**PROXY))
    head = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"
    outcome = run(f"{head}{broken}functionConfig: {config}\n".encode())
    assert outcome.exit_code == 0
    assert [result.code for result in outcome.results if result.code] == ["TextUnreadable"]


def test_a_placeholder_in_an_encoded_text_is_named() -> None:
    """Neither clusterctl nor Flux fills in what is encoded in base64."""
    drop_in = {"path": DROP_IN, "encoding": "base64", "content": ""}
    nodes = manifest("bootstrap.cluster.x-k8s.io/v1beta1", "KubeadmConfig", spec={"files": [drop_in]})
    placeholder = {"httpProxy": "${PROXY}", "httpsProxy": "${PROXY}"}
    assert with_code("ByHand", ran(placeholder, nodes))
    assert with_code("ByHand", ran(PROXY, nodes)) == []


@pytest.mark.parametrize(("mode", "is_said"), [("Inject", True), ("Check", True), ("Remove", False)])
def test_the_proxy_config_is_judged_where_it_writes_something(mode: str, is_said: bool) -> None:
    spec = {"httpProxy": "https://proxy:1", "httpsProxy": "https://proxy:1", "mode": mode}
    found = with_code("UrlHttps", ran(spec, NODES))
    assert [result.ref.kind for result in found] == ["ProxyConfig"] * is_said
    assert with_code("UrlHttps", ran(spec, manifest("v1", "Service"))) == []


def test_a_url_that_is_filled_in_later_is_named_because_nobody_escapes_it() -> None:
    placeholder = {"httpProxy": "${PROXY}", "httpsProxy": "${PROXY}"}
    (result,) = with_code("ValueLost", ran(placeholder, NODES))
    assert (result.ref.kind, result.severity) == ("ProxyConfig", Severity.WARNING)
