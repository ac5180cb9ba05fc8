"""The whole flow, bytes to bytes: what is changed, what is passed by, and that half a change never happens."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contract_lists import BAD_CONFIG, CONFIG, PROXY, SETTINGS, WORKERS, resource_list
from function_configs import proxy_config
from krm_fn.errors import EditError, InputError
from krm_fn.krm.results import Severity
from krm_fn.pipeline import Outcome, run
from krm_fn.targets.workloads import chart_operator
from krm_fn.yamledit import read

DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: cert-manager
  namespace: cert-manager
  labels:
    app.kubernetes.io/name: cert-manager
    tier: infra
spec:
  template:
    spec:
      containers:
      - name: cert-manager-controller
        image: quay.io/jetstack/cert-manager-controller:v1.15.0
"""
CLUSTER = """\
apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata:
  name: one
spec:
  clusterNetwork:
    pods:
      cidrBlocks: [192.0.2.0/24]
"""
CONFLICT = DEPLOYMENT + "        env:\n        - name: HTTP_PROXY\n          value: http://other:1\n"
FAIL = CONFIG + "  targets:\n    certManager:\n      conflict: Fail\n"


def ran(*items: str, config: str | None = CONFIG) -> Outcome:
    return run(resource_list(*items, config=config).encode())


def items_of(outcome: Outcome) -> str:
    """The text of the list without its results."""
    return outcome.output.decode().partition("results:\n")[0]


def passed_by(*items: str, config: str | None = CONFIG) -> bool:
    return items_of(ran(*items, config=config)) == resource_list(*items, config=config)


@pytest.mark.parametrize(
    ("items", "config"),
    [
        pytest.param([SETTINGS], CONFIG, id="nothing that a target wants"),
        pytest.param([], CONFIG, id="no items"),
        pytest.param([WORKERS, DEPLOYMENT], None, id="no FunctionConfig"),
        pytest.param([WORKERS], CONFIG.replace("spec:\n", "spec:\n  mode: Remove\n"), id="nothing to remove"),
        pytest.param(
            [
                DEPLOYMENT.replace(
                    "  labels:", "  annotations:\n    config.kubernetes.io/local-config: 'true'\n  labels:"
                )
            ],
            CONFIG,
            id="an object that is local to the repository",
        ),
        pytest.param([WORKERS.replace("KubeadmConfigTemplate", "Kustomization")], CONFIG, id="a kind nobody knows"),
        pytest.param(
            [WORKERS.replace("bootstrap.cluster.x-k8s.io", "example.com")], CONFIG, id="a kind of another group"
        ),
        pytest.param(
            [DEPLOYMENT], CONFIG + "  selector:\n    exclude:\n    - names: [cert-*]\n", id="excluded by name"
        ),
        pytest.param(
            [DEPLOYMENT], CONFIG + "  selector:\n    include:\n    - kinds: [Kubeadm*]\n", id="not included by kind"
        ),
        pytest.param(
            [DEPLOYMENT], CONFIG + "  selector:\n    exclude:\n    - labels: {tier: infra}\n", id="excluded by label"
        ),
        pytest.param(
            [DEPLOYMENT], CONFIG + "  targets: {certManager: {enabled: false}}\n", id="a target that is switched off"
        ),
    ],
)
def test_what_is_not_asked_for_is_passed_by(items: list[str], config: str | None) -> None:
    assert passed_by(*items, config=config)
    assert ran(*items, config=config).changed == 0
    assert ran(*items, config=config).exit_code == 0


@pytest.mark.parametrize(
    "selector",
    ["include:\n    - names: [cert-*]", "include:\n    - labels: {tier: infra}", "exclude:\n    - namespaces: [other]"],
)
def test_what_is_selected_is_changed(selector: str) -> None:
    outcome = ran(SETTINGS, DEPLOYMENT, config=f"{CONFIG}  selector:\n    {selector}\n")
    assert (outcome.items, outcome.changed) == (2, 1)
    assert PROXY in items_of(outcome)


def test_without_a_function_config_a_warning_says_so() -> None:
    (result,) = ran(WORKERS, config=None).results
    assert (result.severity, result.message) == (
        Severity.WARNING,
        (
            "inject-proxy changes nothing, because it got no FunctionConfig: name a ProxyConfig under `transformers` "
            "of the kustomization.yaml, or in `configPath` of the Kptfile, or give values behind `kpt fn eval`, such "
            "as `-- httpProxy=URL httpsProxy=URL`"
        ),
    )


def test_a_wrong_function_config_changes_nothing_and_tells_every_problem() -> None:
    outcome = ran(WORKERS, DEPLOYMENT, config=BAD_CONFIG)
    assert outcome.exit_code == 1
    assert items_of(outcome) == resource_list(WORKERS, DEPLOYMENT, config=BAD_CONFIG)
    assert len(outcome.results) == 2
    assert {result.severity for result in outcome.results} == {Severity.ERROR}
    assert {result.ref.kind for result in outcome.results} == {"ProxyConfig"}


def test_one_error_leaves_every_item_as_it_was() -> None:
    assert ran(WORKERS, DEPLOYMENT, config=FAIL).changed == 2
    outcome = ran(WORKERS, CONFLICT, config=FAIL)
    assert (outcome.exit_code, outcome.changed, outcome.items) == (1, 0, 2)
    assert items_of(outcome) == resource_list(WORKERS, CONFLICT, config=FAIL)
    assert all(result.severity is not Severity.INFO for result in outcome.results)


def test_check_changes_nothing_and_fails_where_something_would_change() -> None:
    config = CONFIG.replace("spec:\n", "spec:\n  mode: Check\n")
    outcome = ran(WORKERS, DEPLOYMENT, config=config)
    assert outcome.exit_code == 1
    assert items_of(outcome) == resource_list(WORKERS, DEPLOYMENT, config=config)
    assert {result.ref.name for result in outcome.results if "not done" in result.message} == {
        "workers",
        "cert-manager",
    }


def test_check_fails_on_a_policy_that_is_stale_and_cannot_be_filled() -> None:
    policy = """\
apiVersion: policies.kyverno.io/v1
kind: MutatingPolicy
metadata: {name: proxies}
spec:
  mutations:
  - patchType: JSONPatch
    jsonPatch: {expression: '[{"name": "HTTP_PROXY", "value": "http://old.corp.example:1"}]'}
"""
    checking = ran(policy, config=CONFIG.replace("spec:\n", "spec:\n  mode: Check\n"))
    injecting = ran(policy)
    assert (injecting.exit_code, checking.exit_code) == (0, 1)
    stale = [result for result in checking.results if result.severity is Severity.ERROR]
    assert [(result.target, result.path) for result in stale] == [
        ("kyvernoPolicies", ("spec", "mutations", "0", "jsonPatch", "expression"))
    ]
    assert "old.corp" not in stale[0].line()


def test_check_is_content_with_what_inject_has_done() -> None:
    done = ran(WORKERS, DEPLOYMENT).output.decode()
    outcome = run(done.replace("spec:\n    httpProxy", "spec:\n    mode: Check\n    httpProxy").encode())
    assert (outcome.exit_code, outcome.changed) == (0, 0)


def test_remove_takes_back_what_inject_has_done() -> None:
    done = items_of(ran(WORKERS, DEPLOYMENT))
    assert done != resource_list(WORKERS, DEPLOYMENT)
    removed = items_of(run(done.replace("spec:\n    httpProxy", "spec:\n    mode: Remove\n    httpProxy").encode()))
    assert removed.replace("    mode: Remove\n", "") == resource_list(WORKERS, DEPLOYMENT)


def test_twice_is_once() -> None:
    once = run(ran(WORKERS, CONFLICT, CLUSTER).output)
    assert run(once.output).output == once.output


def test_another_proxy_is_the_same_as_that_proxy_from_the_beginning() -> None:
    other = CONFIG.replace(PROXY, "http://other.example:8080")
    changed = items_of(ran(WORKERS, DEPLOYMENT)).replace(PROXY + "\n    https", "http://other.example:8080\n    https")
    changed = changed.replace(f"httpsProxy: {PROXY}", "httpsProxy: http://other.example:8080")
    assert items_of(run(changed.encode())) == items_of(ran(WORKERS, DEPLOYMENT, config=other))


def test_the_one_cluster_of_the_list_completes_no_proxy() -> None:
    assert "192.0.2.0/24" in items_of(ran(DEPLOYMENT, CLUSTER)).replace(CLUSTER, "").replace("[192.0.2.0/24]", "")
    two = items_of(ran(DEPLOYMENT, CLUSTER, CLUSTER.replace("name: one", "name: two")))
    assert two.count("192.0.2.0/24") == 2


def test_a_cluster_whose_kind_has_an_anchor_counts_too() -> None:
    done = items_of(ran(DEPLOYMENT, CLUSTER.replace("kind: Cluster", "kind: &kind Cluster")))
    assert done.count("192.0.2.0/24") > 1


def test_objects_in_a_list_are_changed_where_they_stand() -> None:
    nested = "apiVersion: v1\nkind: List\nitems:\n- " + DEPLOYMENT.replace("\n", "\n  ").rstrip(" ")
    outcome = ran(SETTINGS, nested)
    assert (outcome.items, outcome.changed) == (2, 1)
    assert f"value: {PROXY}" in items_of(outcome)
    assert "items[0]" not in str(outcome.results[0].ref)


def test_json_goes_through_as_json() -> None:
    outcome = run(json.dumps(read(resource_list(DEPLOYMENT))).encode())
    assert json.loads(outcome.output)["items"][0]["spec"]["template"]["spec"]["containers"][0]["env"]


def test_results_name_object_file_field_values_and_target() -> None:
    entries = [entry for entry in read(ran(WORKERS).output.decode())["results"] if entry["severity"] == "info"]
    assert all(entry["file"] == {"path": "clusters/workers.yaml", "index": 0} for entry in entries)
    assert all(entry["resourceRef"]["name"] == "workers" for entry in entries)
    assert {entry["tags"]["target"] for entry in entries} == {"containerdDropIn, kubeletDropIn, kubeadmCommands"}
    assert {entry["field"]["path"] for entry in entries} == {"spec.template.spec"}


def test_no_password_stands_in_the_results() -> None:
    """A check shows what it does not write."""
    config = CONFIG.replace(PROXY, "http://user:geheim@proxy:1").replace("spec:", "spec:\n  mode: Check", 1)
    outcome = ran(WORKERS, DEPLOYMENT, CONFLICT.replace("http://other", "http://u:alt@other"), config=config)
    reported = outcome.output.decode().partition("results:\n")[2]
    assert "user:***@" in reported
    assert "geheim" not in reported
    assert "u:alt@" not in reported


def test_two_results_that_differ_in_a_password_are_one() -> None:
    keys = [f"http://user:{password}@host/values.yaml" for password in ("S3CRET", "0THER")]
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "prod-addon"},
        "type": "tkg.tanzu.vmware.com/addon",
        "stringData": dict.fromkeys(keys, "#@data/values\n---\nvsphereCSI: ["),
    }
    found = ran(json.dumps(secret) + "\n").results
    assert [one.code for one in found if one.ref.kind == "Secret"] == ["TextUnreadable"]


@pytest.mark.parametrize(
    ("items", "error", "says"),
    [
        pytest.param([DEPLOYMENT + "x: [\n"], InputError, "not valid YAML", id="an object that is no YAML"),
        pytest.param(
            [DEPLOYMENT.replace("      containers", "      containers: []\n      containers")],
            EditError,
            "^apps/v1/Deployment/cert-manager/cert-manager: the key `containers` occurs 2 times",
            id="a key that occurs twice on the way",
        ),
    ],
)
def test_an_object_that_cannot_be_read_or_edited_is_refused(
    items: list[str], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        ran(SETTINGS, *items)


def test_a_target_sees_what_those_before_it_have_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    watched = chart_operator.TARGET
    monkeypatch.setattr(type(watched), "sites", lambda _, draft, __: seen.append(json.dumps(draft.data)) or [])
    ran(DEPLOYMENT.replace("tier: infra", "tier: infra\n    beside: chart-operator"))
    assert PROXY in seen[0]


RIVALS = """\
apiVersion: bootstrap.cluster.x-k8s.io/v1beta1
kind: KubeadmConfig
metadata:
  name: rivals
spec:
  files:
  - path: /etc/systemd/system/kubelet.service.d/http-proxy.conf
    content: |
      [Service]
      Environment="HTTP_PROXY=http://old:1"
  - path: /etc/systemd/system/containerd.service.d/50-site.conf
    content: |
      [Service]
      Environment="HTTP_PROXY=http://site:1"
"""


def test_a_finding_of_one_target_names_the_place_that_another_target_leaves_it_at() -> None:
    """The drop-in of the kubelet goes, and with it the index that containerd's target has reported."""
    removing = CONFIG.replace("spec:\n", "spec:\n  mode: Remove\n")
    first = ran(RIVALS, config=removing)

    assert [result.path[:3] for result in first.results if result.severity is Severity.WARNING] == [
        ("spec", "files", "0")
    ]
    assert run(first.output).output == first.output


def test_a_foreign_drop_in_is_reported_as_one_that_should_go_and_not_rule_by_rule() -> None:
    warnings = [result.message for result in ran(RIVALS).results if result.severity is Severity.WARNING]

    assert any(
        "50-site.conf" in message and "sets proxy variables for containerd too" in message for message in warnings
    )
    assert not any(
        "50-site.conf" in message and message.startswith("NP0") for message in warnings if "NP040" not in message
    )


def test_an_object_that_no_declaration_is_for_is_left_as_it_is() -> None:
    """No proxy in `spec` and no override that fits is no wish; only `disabled` and `mode: Remove` take a proxy out."""
    elsewhere = CONFIG.partition("spec:\n")[0] + (
        "spec:\n  overrides:\n  - match: {clusters: [elsewhere]}\n    httpProxy: http://p:1\n"
    )

    assert passed_by(RIVALS, config=elsewhere)


def lacking(*items: dict[str, Any], **spec: Any) -> list[str]:
    """The kinds of the objects of which a run says that nothing tells what their list should cover."""
    done = run(
        json.dumps({"kind": "ResourceList", "items": list(items), "functionConfig": proxy_config(**spec)}).encode()
    )
    return [one.ref.kind for one in done.results if "which `NO_PROXY` should cover" in one.message]


@pytest.mark.parametrize("mode", ["Inject", "Check"])
def test_what_a_list_lacks_is_reported_where_a_list_stands(mode: str) -> None:
    cluster = {
        "apiVersion": "cluster.x-k8s.io/v1beta1",
        "kind": "Cluster",
        "metadata": {"name": "a", "namespace": "org"},
    }
    app = {
        "apiVersion": "application.giantswarm.io/v1alpha1",
        "kind": "App",
        "metadata": {"name": "dex", "namespace": "org"},
        "spec": {"kubeConfig": {"secret": {"name": "a-kubeconfig"}}},
    }
    targets = {"giantswarmClusterValues": {"generate": True}}
    assert lacking(cluster, app, mode=mode, httpProxy="http://proxy:1", targets=targets) == ["Secret"]


def test_errors_and_warnings_come_first_in_the_results() -> None:
    """kpt shows the first four: a warning about the last file must be among them."""
    first = WORKERS + "  # nothing wrong here\n"
    outcome = ran(first, CONFLICT, config=CONFIG.replace("spec:\n", "spec:\n  mode: Check\n"))
    listed = read(outcome.output.decode())["results"]
    severities = [one["severity"] for one in listed]
    assert severities == sorted(severities, key=["error", "warning", "info"].index)
    injected = read(ran(*_of_files("a", "b"), config=CONFIG).output.decode())["results"]
    assert [one["severity"] for one in injected][:1] == ["warning"]
    assert "info" in [one["severity"] for one in injected]


def _of_files(*names: str) -> list[str]:
    """Return objects of files: one that is only changed, and behind it one that a warning is about."""
    path = "  annotations:\n    config.kubernetes.io/path: {}.yaml\n"
    changed, warned = (path.format(name) for name in names)
    return [
        DEPLOYMENT.replace("metadata:\n", f"metadata:\n{changed}", 1),
        WORKERS.replace("metadata:\n", f"metadata:\n{warned}", 1),
    ]
