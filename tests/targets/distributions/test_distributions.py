"""Products that take their proxy in three members of one mapping, or in a list of variables."""

from __future__ import annotations

import base64
import copy
from typing import Any, cast
from urllib.parse import urlsplit

import pytest

import certificates
from krm_fn.config import Certificates
from krm_fn.formats.pem import split
from krm_fn.patch import Pointer, lookup
from krm_fn.products.distributions import CA_CONFIG_MAP, OF_KIND, PRODUCTS, ROWS, DistributionRow
from krm_fn.products.proxy_keys import UPPER
from krm_fn.settings import ProxySettings
from krm_fn.targets import TARGETS
from proposals import FULL, NO, NONE, apply, changes, env, findings, proposals

_URL = "http://svc:se%40cret@proxy.corp.example:3128"
PASSWORD = ProxySettings(_URL, _URL, NO)
EVERY_ROW = [pytest.param(row, id=f"{row.field} of {row.kind} of {row.group}") for row in ROWS]
ONE_URL = FULL._replace(https_proxy=FULL.http_proxy)


def full(row: DistributionRow) -> ProxySettings:
    """Settings that a product takes."""
    return ONE_URL if PRODUCTS[row.target].has_one else FULL


def holding(row: DistributionRow, members: dict[str, Any] | None) -> dict[str, Any]:
    """An object of the kind of a row; None for one that has nothing of the path but what must be there."""
    version = row.versions[0] if row.versions else "v1"
    name = {"name": row.name or "prod"}
    obj: dict[str, Any] = {"apiVersion": f"{row.group}/{version}", "kind": row.kind, "metadata": name}
    for one in OF_KIND[row.group, row.kind]:
        if one.versions == row.versions:
            obj = merged(obj, nested(one, members))
    return obj


def nested(row: DistributionRow, members: dict[str, Any] | None) -> dict[str, Any]:
    path = row.path
    inner: Any = env(members) if row.is_env and members is not None else copy.deepcopy(members)
    if members is None:
        last = max((at for at, step in enumerate(path) if step == "*"), default=-1)
        path = () if row.item and row.item.is_made else path[: last + 1] or row.beside
        inner = {}
    elif row.item and row.item.required:
        required = row.item.required
        rest = path[len(required) - 1 :]
        path = path[: len(required) - 1]
        inner = {required[-1]: {}, **around(row, rest, inner)}
    return cast("dict[str, Any]", around(row, path, inner))


def around(row: DistributionRow, path: Pointer, inner: Any) -> Any:
    """What has ``inner`` at a path: a ``*`` below the name of a list is its item behind another one."""
    for at in reversed(range(len(path))):
        if path[: at + 1] == row.beside:
            inner = {"version": "3.4", **inner}
        step, above = path[at], path[at - 1]
        if step != "*":
            inner = {step: inner}
        elif above != row.list_name:
            inner = {"part": inner}
        elif row.item:
            others = [] if row.item.is_made else [{row.item.name: "other"}]
            inner = [*others, {row.item.name: row.item.value, **inner}]
        else:
            inner = [{"name": "any", **inner}]
    return inner


def merged(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    both = {key: merged(one[key], other[key]) for key in one.keys() & other.keys()}
    return {**one, **other, **both}


def asked(row: DistributionRow) -> dict[str, Any]:
    return {"enabled": True} if row.waits else {}


def variables(row: DistributionRow) -> dict[str, str]:
    """What is written where the list is of variables."""
    is_upper_case = PRODUCTS[row.target].is_upper_case
    return {name: value for name, value in FULL.variables().items() if name.isupper() or not is_upper_case}


def members(row: DistributionRow, settings: ProxySettings | None = None) -> dict[str, Any]:
    settings = settings or full(row)
    if row.is_env:
        return {name: settings.variables()[name] for name in variables(row)}
    no_proxy = settings.no_proxy.split(",") if row.is_list else settings.no_proxy
    if PRODUCTS[row.target].has_one:
        url = urlsplit(settings.http_proxy)
        return {row.keys[0]: {"host": url.hostname, "port": url.port}, row.keys[2]: no_proxy}
    found: dict[str, Any] = {}
    for key, value in zip(row.keys, (settings.http_proxy, settings.https_proxy, no_proxy), strict=True):
        name, _, inner = key.partition(".")
        if name:
            found[name] = {inner: value} if inner else value
    return found


@pytest.mark.parametrize("row", EVERY_ROW)
def test_the_members_are_set_changed_and_removed(row: DistributionRow) -> None:
    target = TARGETS[row.target]
    old = members(row, FULL._replace(https_proxy="http://old.corp.example:1")) if row.is_filled else {}
    written = apply(target, holding(row, old), full(row), **asked(row))

    assert written == holding(row, members(row))

    url = "http://other.corp.example:8080"
    moved = full(row)._replace(http_proxy=url, https_proxy=url)
    other = apply(target, written, moved, **asked(row))
    assert other == holding(row, members(row, moved))
    assert list(target.read(apply(target, other, NONE, **asked(row)), asked(row))) == []


@pytest.mark.parametrize("row", [pytest.param(row, id=row.kind) for row in ROWS if row.is_filled])
def test_a_place_without_a_proxy_stays_so_where_something_else_says_it(row: DistributionRow) -> None:
    assert proposals(TARGETS[row.target], holding(row, {"type": "slack"})) == []


@pytest.mark.parametrize("row", [one for one in EVERY_ROW if not one.values[0].is_filled])
def test_a_mapping_that_a_run_made_goes_with_the_proxy(row: DistributionRow) -> None:
    before = holding(row, None)
    written = apply(TARGETS[row.target], before, full(row), **asked(row))

    assert written == holding(row, members(row))
    assert apply(TARGETS[row.target], written, NONE, **asked(row)) == before


@pytest.mark.parametrize("row", [pytest.param(row, id=row.kind) for row in ROWS if row.is_immutable])
@pytest.mark.parametrize("settings", [pytest.param(FULL, id="inject"), pytest.param(NONE, id="remove")])
def test_a_change_that_the_api_server_refuses_is_a_warning(row: DistributionRow, settings: ProxySettings) -> None:
    there = holding(row, members(row, FULL._replace(http_proxy="http://old.corp.example:1")))

    assert [one.code for one in findings(TARGETS[row.target], there, settings, enabled=True)] == ["FieldImmutable"]
    assert findings(TARGETS[row.target], holding(row, {}), enabled=True) == []
    assert findings(TARGETS[row.target], holding(row, members(row)), enabled=True) == []


@pytest.mark.parametrize("row", EVERY_ROW)
def test_what_else_is_in_the_mapping_stays_when_the_proxy_is_removed(row: DistributionRow) -> None:
    there = holding(row, {**members(row), "other": "1"})

    assert apply(TARGETS[row.target], there, NONE, **asked(row)) == holding(row, {"other": "1"})


@pytest.mark.parametrize("row", EVERY_ROW)
def test_what_is_read_is_what_was_written(row: DistributionRow) -> None:
    read = {one.variable: one.value for one in TARGETS[row.target].read(holding(row, members(row)), asked(row))}
    names = {name for name, key in zip(UPPER, row.keys, strict=True) if key}
    assert read == {name: value for name, value in full(row).variables().items() if name.upper() in names}


@pytest.mark.parametrize("row", [pytest.param(row, id=f"{row.field} of {row.kind}") for row in ROWS if row.waits])
@pytest.mark.parametrize("settings", [pytest.param(FULL, id="inject"), pytest.param(NONE, id="remove")])
def test_what_waits_is_written_only_where_it_is_asked_for(row: DistributionRow, settings: ProxySettings) -> None:
    there = members(row, FULL._replace(http_proxy="http://old.corp.example:1"))

    assert proposals(TARGETS[row.target], holding(row, there), settings) == []


def test_a_proxy_of_openshift_with_another_name_counts_for_nothing() -> None:
    obj = {"apiVersion": "config.openshift.io/v1", "kind": "Proxy", "metadata": {"name": "mine"}, "spec": {}}
    assert proposals(TARGETS["openshift"], obj) == []


REFUSED = [
    pytest.param("aks", "ManagedCluster", PASSWORD, "no user and password", id="AKS: a password"),
    pytest.param("eksAnywhere", "Cluster", PASSWORD, "writes the value as it is", id="EKS Anywhere: a percent sign"),
    pytest.param(
        "eksAnywhere", "Cluster", FULL._replace(https_proxy=""), "for one scheme only", id="EKS Anywhere: one of both"
    ),
    pytest.param(
        "eksAnywhere",
        "Cluster",
        FULL._replace(http_proxy="http://proxy.corp.example"),
        "without a port",
        id="EKS Anywhere: no port",
    ),
    pytest.param(
        "canonicalKubernetes",
        "CK8sControlPlane",
        FULL._replace(no_proxy="a$b"),
        "writes the value",
        id="CK8s: a dollar",
    ),
    pytest.param("microk8s", "MicroK8sControlPlane", FULL._replace(no_proxy="a b"), "writes the value", id="a blank"),
    pytest.param("kubeOne", "KubeOneCluster", FULL._replace(no_proxy='a"b'), "writes the value", id="a quote"),
    *[
        pytest.param(
            target,
            kind,
            FULL._replace(http_proxy="https://proxy.corp.example:3129"),
            "takes no `https://`",
            id=f"{kind}: HTTPS",
        )
        for target, kind in (("openshift", "Proxy"), ("openshift", "InfraEnv"), ("aks", "ManagedCluster"))
    ],
    pytest.param("kops", "Cluster", PASSWORD, "no user and password", id="kOps: a password"),
    *[
        pytest.param(
            "kops", "Cluster", FULL._replace(http_proxy=http, https_proxy=https), "has one proxy", id=f"kOps: {name}"
        )
        for name, http, https in (
            ("two proxies", FULL.http_proxy, "http://other.corp.example:3128"),
            ("no proxy for HTTPS", FULL.http_proxy, ""),
            ("no proxy for HTTP", "", FULL.http_proxy),
            ("a proxy that is reached by HTTPS", *["https://proxy.corp.example:3128"] * 2),
            ("a placeholder for the host", *["http://${HOST}:3128"] * 2),
            ("a placeholder for the URL", *["${PROXY}"] * 2),
        )
    ],
    pytest.param(
        "capaIgnition",
        "AWSMachineTemplate",
        FULL._replace(no_proxy=",".join(f"h{number}.corp.example" for number in range(65))),
        "more than 64 entries",
        id="Ignition: 65 entries",
    ),
    *[
        pytest.param("rancher", "Cluster", FULL._replace(no_proxy=f"a{one}b"), "writes the value", id=f"Rancher: {one}")
        for one in '"$`\\'
    ],
]


@pytest.mark.parametrize(("target", "kind", "settings", "part"), REFUSED)
def test_what_a_product_does_not_take_is_an_error_and_nothing_is_written(
    target: str, kind: str, settings: ProxySettings, part: str
) -> None:
    row = next(row for row in ROWS if row.target == target and row.kind == kind)

    obj = holding(row, {})
    (said,) = (one.message for one in findings(TARGETS[target], obj, settings, enabled=True))
    assert changes(TARGETS[target], obj, settings, enabled=True) == []

    assert part in said
    assert "se%40cret" not in said
    assert "se@cret" not in said


@pytest.mark.parametrize(("target", "kind", "settings", "part"), REFUSED)
def test_what_a_product_does_not_take_can_still_be_removed(
    target: str, kind: str, settings: ProxySettings, part: str
) -> None:
    row = next(row for row in ROWS if row.target == target and row.kind == kind)
    there = holding(row, members(row, settings._replace(https_proxy=settings.https_proxy or settings.http_proxy)))

    left = apply(TARGETS[target], there, NONE, enabled=True)
    assert list(TARGETS[target].read(left, {"enabled": True})) == []


def test_a_percent_encoded_password_is_written_for_rancher() -> None:
    row = next(row for row in ROWS if row.kind == "Cluster" and row.target == "rancher")

    written = apply(TARGETS["rancher"], holding(row, None), PASSWORD)

    assert written["spec"]["agentEnvVars"] == env({"HTTP_PROXY": _URL, "HTTPS_PROXY": _URL, "NO_PROXY": NO})


def test_lower_case_names_of_rancher_give_way() -> None:
    row = next(row for row in ROWS if row.kind == "Cluster" and row.target == "rancher")
    there = holding(row, {"https_proxy": "http://old.corp.example:1", "STRICT_VERIFY": "true"})

    written = apply(TARGETS["rancher"], there)

    assert written == holding(row, {"STRICT_VERIFY": "true", **members(row)})


def test_a_variable_that_comes_from_a_secret_stays_where_conflict_says_so() -> None:
    row = next(row for row in ROWS if row.kind == "RunnerDeployment")
    mine = [{"name": name, "valueFrom": {"secretKeyRef": {"name": "p", "key": name}}} for name in variables(row)]
    there = holding(row, {})
    there["spec"]["template"]["spec"] = {"env": mine, "dockerEnv": mine}

    assert changes(TARGETS["githubRunners"], there, conflict="Keep") == []


def test_a_placeholder_is_written_as_it_is() -> None:
    row = next(row for row in ROWS if row.kind == "CK8sControlPlane")
    settings = ProxySettings("${HTTP_PROXY}", "${HTTP_PROXY}", NO)

    written = apply(TARGETS["canonicalKubernetes"], holding(row, {}), settings)

    assert written["spec"]["spec"]["httpProxy"] == "${HTTP_PROXY}"


def runner_set(**proxy: Any) -> dict[str, Any]:
    row = next(row for row in ROWS if row.kind == "AutoscalingRunnerSet")
    return holding(row, proxy)


def test_the_url_of_a_runner_goes_without_the_password_that_belongs_into_a_secret() -> None:
    plain = "http://proxy.corp.example:3128"

    written = apply(TARGETS["githubRunners"], runner_set(), PASSWORD)

    assert written["spec"]["proxy"] == {"http": {"url": plain}, "https": {"url": plain}, "noProxy": NO.split(",")}
    said = findings(TARGETS["githubRunners"], runner_set(), PASSWORD)
    assert [one.code for one in said] == ["CredentialsLeftOut", "CredentialsLeftOut"]
    assert "`spec.proxy.http.credentialSecretRef`" in said[0].message


def test_nothing_is_left_out_where_a_secret_holds_the_password() -> None:
    there = runner_set(http={"credentialSecretRef": "proxy"}, https={"credentialSecretRef": "proxy"})

    assert findings(TARGETS["githubRunners"], there, PASSWORD) == []
    read = list(TARGETS["githubRunners"].read(apply(TARGETS["githubRunners"], there, PASSWORD), {}))
    assert {one.variable for one in read if one.value is None} == {*FULL.variables()} - {"NO_PROXY", "no_proxy"}


def test_a_change_of_a_url_beside_a_secret_shows_the_url_before_and_after_but_no_other_text() -> None:
    there = runner_set(
        http={"url": "http://old:1", "credentialSecretRef": "proxy"},
        https={"url": "garbage", "credentialSecretRef": "proxy"},
    )

    (edit,) = changes(TARGETS["githubRunners"], there)
    assert edit.current["http.url"] == "http://old:1"
    assert edit.proposed["http.url"] == FULL.http_proxy
    assert "garbage" not in repr(edit.current)


def test_a_container_of_the_author_stays_when_the_proxy_is_removed() -> None:
    row = next(row for row in ROWS if row.kind == "DeploymentRuntimeConfig")
    bare = holding(row, {})
    container = bare["spec"]["deploymentTemplate"]["spec"]["template"]["spec"]["containers"][0]
    del container["env"]
    container["args"] = ["--debug"]

    assert apply(TARGETS["crossplane"], apply(TARGETS["crossplane"], bare), NONE) == bare


def test_a_container_of_another_name_gets_no_proxy() -> None:
    row = next(row for row in ROWS if row.kind == "RunnerSet")
    there = holding(row, None)
    there["spec"] = {"template": {"spec": {"containers": [{"name": "docker", "env": env({"A": "b"})}]}}}

    containers = apply(TARGETS["githubRunners"], there)["spec"]["template"]["spec"]["containers"]

    assert containers == [{"name": "docker", "env": env({"A": "b"})}, {"name": "runner", "env": env(FULL.variables())}]


def test_a_secret_that_is_left_without_its_url_is_a_warning() -> None:
    there = runner_set(https={"url": "http://proxy.corp.example:3128", "credentialSecretRef": "proxy"})

    (said,) = findings(TARGETS["githubRunners"], there, NONE)

    assert said.code == "ReferenceToRemoved"
    assert "`spec.proxy.https.credentialSecretRef`" in said.message


@pytest.mark.parametrize(
    ("url", "members"),
    [
        pytest.param("http://proxy.corp.example", {"host": "proxy.corp.example"}, id="no port"),
        pytest.param("http://[fd00::1]:3128", {"host": "[fd00::1]", "port": 3128}, id="an address of IPv6"),
        pytest.param("http://10.0.0.1:3128/", {"host": "10.0.0.1", "port": 3128}, id="a slash at the end"),
    ],
)
def test_kops_gets_host_and_port(url: str, members: dict[str, Any]) -> None:
    row = next(row for row in ROWS if row.target == "kops")
    settings = ProxySettings(url, url, NO)

    written = apply(TARGETS["kops"], holding(row, None), settings)

    assert written["spec"]["egressProxy"] == {"httpProxy": members, "excludes": NO}


@pytest.mark.parametrize(
    "members",
    [
        pytest.param({"httpProxy": {}, "excludes": ""}, id="a list and a mapping that are empty"),
        pytest.param({"excludes": ""}, id="an empty list alone"),
        pytest.param({"httpProxy": {"host": None, "port": 0}, "excludes": ""}, id="null and the port 0"),
        pytest.param({"httpProxy": {"host": ""}}, id="an empty host alone"),
    ],
)
def test_a_removal_leaves_empty_members_of_kops_where_nothing_else_is_to_be_removed(members: dict[str, Any]) -> None:
    row = next(row for row in ROWS if row.target == "kops")

    assert proposals(TARGETS["kops"], holding(row, members), NONE) == []


@pytest.mark.parametrize(
    "members",
    [
        pytest.param({"httpProxy": {"host": "old.corp.example", "port": 0}, "excludes": ""}, id="a host"),
        pytest.param({"httpProxy": {"host": "", "port": 8080}}, id="a port"),
        pytest.param({"httpProxy": {"host": ""}, "excludes": ".corp.example"}, id="a list"),
    ],
)
def test_a_removal_takes_empty_members_of_kops_beside_one_that_says_something(members: dict[str, Any]) -> None:
    row = next(row for row in ROWS if row.target == "kops")

    assert "egressProxy" not in apply(TARGETS["kops"], holding(row, members), NONE).get("spec", {})


@pytest.mark.parametrize("version", [pytest.param(None, id="the default"), "2.3", "3.0"])
def test_a_version_of_ignition_that_takes_no_proxy_is_a_warning(version: str | None) -> None:
    row = next(row for row in ROWS if row.kind == "AWSMachineTemplate")
    obj = holding(row, None)
    obj["spec"]["template"]["spec"]["ignition"] = {"version": version} if version else {}

    assert changes(TARGETS["capaIgnition"], obj) == []
    assert [one.code for one in findings(TARGETS["capaIgnition"], obj)] == ["ProxyFieldEmpty"]
    assert findings(TARGETS["capaIgnition"], obj, NONE) == []


def test_machines_without_ignition_are_left_alone() -> None:
    obj = {"apiVersion": "infrastructure.cluster.x-k8s.io/v1beta2", "kind": "AWSMachineTemplate"}
    obj["spec"] = {"template": {"spec": {"instanceType": "m5.large"}}}

    assert proposals(TARGETS["capaIgnition"], obj) == []


WITH_CERTIFICATES = [
    pytest.param(row, id=f"{row.field} of {row.kind}") for row in ROWS if row.bundle.text or row.bundle.base64
]
ONLY_A = ProxySettings(trusted_ca=Certificates(certificates.A), is_declared=False)


def text_of(row: DistributionRow, obj: dict[str, Any]) -> str | None:
    """The certificates of an object, as its reader decodes them; None for no member."""
    at = row.certificates(row.path)
    if "*" in at:
        at = tuple("1" if step == "*" else step for step in at)
    text = lookup(obj, at)
    return text if row.bundle.text or text is None else base64.b64decode(text).decode()


def with_text(row: DistributionRow, text: str) -> dict[str, Any]:
    obj = holding(row, {})
    at = row.certificates(row.path)
    at = tuple("1" if step == "*" else step for step in at)
    value = text if row.bundle.text else base64.b64encode(text.encode()).decode()
    lookup(obj, at[:-1])[at[-1]] = value
    return obj


@pytest.mark.parametrize("row", WITH_CERTIFICATES)
def test_certificates_are_set_changed_and_removed(row: DistributionRow) -> None:
    before = holding(row, None)
    target = TARGETS[row.target]

    one = apply(target, before, ONLY_A, **asked(row))
    assert split(text_of(row, one) or "") == [certificates.A]

    both = apply(target, one, ONLY_A._replace(trusted_ca=Certificates(certificates.A + certificates.B)), **asked(row))
    assert split(text_of(row, both) or "") == [certificates.A, certificates.B]

    assert apply(target, both, NONE, **asked(row)) == before


@pytest.mark.parametrize("row", WITH_CERTIFICATES)
def test_nothing_is_behind_the_last_certificate(row: DistributionRow) -> None:
    """Installers of OpenShift refuse that (``CABundle``)."""
    settings = ONLY_A._replace(trusted_ca=Certificates(certificates.A + certificates.B))

    written = apply(TARGETS[row.target], with_text(row, certificates.B), settings, **asked(row))

    assert (text_of(row, written) or "").endswith("-----END CERTIFICATE-----\n")


@pytest.mark.parametrize("row", WITH_CERTIFICATES)
@pytest.mark.parametrize(
    "text",
    [
        pytest.param(certificates.B, id="another one"),
        pytest.param(certificates.B.rstrip("\n"), id="another one without a line break at its end"),
        pytest.param(f"# of the data centre\n{certificates.B}\n", id="another one with a comment and an empty line"),
        pytest.param(certificates.A, id="the same one, which others wrote"),
    ],
)
def test_certificates_of_others_stay(row: DistributionRow, text: str) -> None:
    there = with_text(row, text)

    written = apply(TARGETS[row.target], there, ONLY_A, **asked(row))

    assert set(split(text_of(row, written) or "")) == {*split(f"{text}\n"), certificates.A}
    assert apply(TARGETS[row.target], written, NONE, **asked(row)) == there


@pytest.mark.parametrize("row", WITH_CERTIFICATES)
def test_a_proxy_that_is_not_declared_stays_beside_certificates(row: DistributionRow) -> None:
    there = holding(row, members(row))

    written = apply(TARGETS[row.target], there, ONLY_A, **asked(row))

    assert list(TARGETS[row.target].read(written, asked(row))) == list(TARGETS[row.target].read(there, asked(row)))


@pytest.mark.parametrize("text", [pytest.param("-----BEGIN", id="PEM"), pytest.param("/w==", id="no text")])
def test_certificates_that_are_no_base64_stay(text: str) -> None:
    row = next(row for row in ROWS if row.kind == "ManagedCluster")
    obj = holding(row, {"trustedCa": text})

    assert changes(TARGETS["aks"], obj, ONLY_A) == []
    assert [one.code for one in findings(TARGETS["aks"], obj, ONLY_A)] == ["TextUnreadable"]


@pytest.mark.parametrize("row", [one for one in WITH_CERTIFICATES if one.values[0].is_immutable])
def test_other_certificates_that_the_api_server_refuses_are_a_warning(row: DistributionRow) -> None:
    there = with_text(row, certificates.B)

    assert [one.code for one in findings(TARGETS["aks"], there, ONLY_A, enabled=True)] == ["FieldImmutable"]
    assert findings(TARGETS["aks"], holding(row, {}), ONLY_A, enabled=True) == []


CHARACTERS = {" ": "a blank", "%": "a percent sign", "$": "a dollar", '"': "a quote", "'": "an apostrophe"}
CHARACTERS |= {"`": "a back-quote", "\\": "a backslash"}
UNQUOTED = " $\"'`\\"
BREAKS = {
    "openshift": " ",
    "aks": "",
    "eksAnywhere": "%",
    "canonicalKubernetes": UNQUOTED,
    "microk8s": UNQUOTED,
    "kubeOne": UNQUOTED,
    "kops": "",
    "capaIgnition": "",
    "rancher": '$"`\\',
}
"""What each product would break, as its sources say; its other values are quoted, or are no text of a shell."""


@pytest.mark.parametrize("character", [pytest.param(one, id=name) for one, name in CHARACTERS.items()])
@pytest.mark.parametrize("target", BREAKS)
def test_a_character_is_refused_only_where_the_product_would_break_it(target: str, character: str) -> None:
    row = next(row for row in ROWS if row.target == target)
    settings = full(row)._replace(no_proxy=f"a{character}b")

    said = [one.code for one in findings(TARGETS[target], holding(row, {}), settings, enabled=True)]

    assert said == ["ValueNotWritable"] * (character in BREAKS[target])


def test_what_cannot_be_changed_later_is_what_the_sources_say() -> None:
    immutable = {"AzureManagedControlPlane", "AzureManagedControlPlaneTemplate", "Cluster of EKS Anywhere"}
    named = {"eksAnywhere": " of EKS Anywhere"}
    assert {f"{row.kind}{named.get(row.target, '')}" for row in ROWS if row.is_immutable} == immutable
    assert {row.kind for row in ROWS if row.is_frozen} == {"AWSMachineTemplate"}


def test_user_and_password_are_refused_where_the_sources_say_so() -> None:
    plain = "http://svc:secret@proxy.corp.example:3128"
    refusing = set()
    for row in ROWS:
        settings = ProxySettings(plain, plain, NO)
        for one in findings(TARGETS[row.target], holding(row, {}), settings, enabled=True):
            refusing.add((row.target, one.code))
    assert refusing == {
        ("aks", "ValueNotWritable"),
        ("kops", "ValueNotWritable"),
        ("githubRunners", "CredentialsLeftOut"),  # they are in a Secret there
    }


BY_NAME = [pytest.param(row, id=row.kind) for row in ROWS if row.bundle.namespace]
OWN = {"name": CA_CONFIG_MAP}


def naming(row: DistributionRow, name: Any) -> dict[str, Any]:
    obj = holding(row, {})
    obj["metadata"]["namespace"] = "clusters"
    lookup(obj, row.path)["trustedCA"] = {"name": name}
    return obj


@pytest.mark.parametrize("row", BY_NAME)
def test_the_name_of_the_config_map_is_set_and_removed(row: DistributionRow) -> None:
    target, before = TARGETS[row.target], holding(row, None)

    written = apply(target, before, ONLY_A)

    assert lookup(written, (*row.path, "trustedCA")) == OWN
    left = holding(row, {"trustedCA": {"name": ""}}) if row.bundle.has_empty_name else before
    assert apply(target, written, NONE) == left
    assert lookup(apply(target, naming(row, ""), ONLY_A), (*row.path, "trustedCA")) == OWN


@pytest.mark.parametrize("row", BY_NAME)
def test_the_name_of_another_config_map_stays(row: DistributionRow) -> None:
    target, there = TARGETS[row.target], naming(row, "user-ca-bundle")
    namespace = "clusters" if row.bundle.namespace == "*" else row.bundle.namespace
    the_same = Certificates(certificates.A, (namespace, "user-ca-bundle", "ca-bundle.crt"))

    assert changes(target, there, ONLY_A) == []
    assert [one.code for one in findings(target, there, ONLY_A)] == ["NotWrittenHere"]
    assert proposals(target, there, ONLY_A._replace(trusted_ca=the_same)) == []
    assert proposals(target, there, NONE) == []


@pytest.mark.parametrize(
    ("name", "is_created"),
    [pytest.param("", True, id="no name"), (CA_CONFIG_MAP, True), ("user-ca-bundle", False)],
)
@pytest.mark.parametrize("row", BY_NAME)
def test_the_config_map_is_created_where_it_is_named(row: DistributionRow, name: str, is_created: bool) -> None:
    creates = TARGETS[row.target].creates
    namespace = "clusters" if row.bundle.namespace == "*" else row.bundle.namespace

    made = [one["metadata"] for one in creates.companions(naming(row, name), ONLY_A, {})]

    assert [(one["name"], one["namespace"]) for one in made] == [(CA_CONFIG_MAP, namespace)] * is_created
    assert list(creates.companions(naming(row, name), NONE, {})) == []
