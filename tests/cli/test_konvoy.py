"""A ProxyConfig of the flags of `konvoy create cluster`, and the Secret that the machines of all roles share."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from function_configs import list_with_config
from krm_fn import config
from krm_fn.pipeline.outcome import Outcome
from krm_fn.pipeline.run import run
from manifests import cluster, reference
from support import inject_proxy

CLUSTER = cluster("one", infrastructureRef=reference("PreprovisionedCluster", "one"))


def flags(role: str, proxy: str, no_proxy: str) -> list[str]:
    return [f"--{role}-http-proxy={proxy}", f"--{role}-https-proxy={proxy}", f"--{role}-no-proxy={no_proxy}"]


WORKER = flags("worker", "http://w.example:1", "w.corp.example")
SAME = flags("control-plane", "http://w.example:1", "c.corp.example")
OTHER = flags("control-plane", "http://c.example:1", "c.corp.example")


def imported(line: str) -> tuple[str, str]:
    """What the command prints on both streams."""
    ran = inject_proxy("", "import", "konvoy", "--", *shlex.split(line))
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.decode(), ran.stderr.decode()


def spec(text: str) -> dict[str, Any]:
    made = yaml.safe_load(text)
    assert config.load(made) is not None
    return dict(made["spec"])


def of_machines(*arguments: str, mode: str = "Inject") -> Any:
    out, _ = imported(shlex.join(["create", "cluster", "preprovisioned", "--cluster-name=one", *arguments]))
    return {**spec(out), "targets": {"konvoy": {"generate": True}}, "mode": mode}


def ran(spec: Any, *more: Any) -> Outcome:
    return run(list_with_config(spec, CLUSTER, *more))


def secrets(outcome: Outcome) -> list[Any]:
    return [item for item in yaml.safe_load(outcome.output)["items"] if item["kind"] == "Secret"]


@pytest.mark.parametrize(
    ("arguments", "proxy", "entries", "codes"),
    [
        pytest.param(WORKER, "http://w.example:1", {"w.corp.example"}, {"SharedObject"}, id="workers alone"),
        pytest.param(OTHER, "http://c.example:1", {"c.corp.example"}, {"SharedObject"}, id="the control plane alone"),
        pytest.param(
            [*WORKER, *OTHER],
            "http://w.example:1",
            {"w.corp.example"},
            {"SharedObject", "OverrideNotReached"},
            id="two proxies, of which that of the workers counts",
        ),
        pytest.param(
            [*WORKER, *SAME],
            "http://w.example:1",
            {"w.corp.example", "c.corp.example"},
            set(),
            id="one proxy, whose lists are united",
        ),
    ],
)
def test_all_machines_get_one_proxy(arguments: list[str], proxy: str, entries: set[str], codes: set[str]) -> None:
    injecting = of_machines(*arguments)
    first = ran(injecting)
    (secret,) = secrets(first)
    environment = yaml.safe_load(secret["stringData"]["overrides.yaml"])["proxy_env"]
    assert environment["HTTP_PROXY"] == environment["HTTPS_PROXY"] == proxy
    listed = set(environment["NO_PROXY"].split(","))
    assert listed & {"w.corp.example", "c.corp.example"} == entries
    watched = {"SharedObject", "OverrideNotReached", "SettingUnused"}
    assert {result.code for result in first.results} & watched == codes
    assert secrets(ran(injecting, secret)) == [secret]
    assert secrets(ran(of_machines(*arguments, mode="Remove"), secret)) == []


PEM = "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUX5\n-----END CERTIFICATE-----\n"
CP, WORKER = "http://cp.example:3128", "http://worker.example:3128"


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        pytest.param(f"--control-plane-http-proxy {CP} --worker-http-proxy {CP}", {"httpProxy": CP}, id="equal values"),
        pytest.param(
            f"konvoy create cluster --control-plane-http-proxy={CP} --worker-http-proxy={WORKER}",
            {
                "overrides": [
                    {"match": {"roles": ["ControlPlane"]}, "httpProxy": CP},
                    {"match": {"roles": ["Worker"]}, "httpProxy": WORKER},
                ]
            },
            id="different values",
        ),
        pytest.param(
            f"-c c1 --control-plane-https-proxy {CP} --worker-https-proxy {CP} "
            "--worker-no-proxy a,b --worker-no-proxy=c",
            {
                "httpsProxy": CP,
                "overrides": [{"match": {"clusters": ["c1"], "roles": ["Worker"]}, "noProxy": ["a", "b", "c"]}],
            },
            id="a list of one role that is given in parts",
        ),
        pytest.param(f"--http-proxy {CP} --no-proxy a", {"httpProxy": CP, "noProxy": ["a"]}, id="NKP, for all nodes"),
        pytest.param(
            "dkp create cluster preprovisioned --cluster-name c1 --registry-mirror-url https://r.example:5000 "
            "--apiserver-host lb.example.com --apiserver-port 6443 --os-hint flatcar",
            {
                "registryMirror": {"url": "https://r.example:5000"},
                "clusterDefaults": {"endpoint": "lb.example.com", "infrastructure": "PreprovisionedCluster"},
                "targets": {"nodes": {"trustedCA": {"os": ["Flatcar"]}}},
            },
            id="a mirror, and facts",
        ),
    ],
)
def test_flags_of_konvoy_become_fields(line: str, wanted: dict[str, Any]) -> None:
    out, err = imported(line)
    assert (spec(out), err) == (wanted, "")


def test_the_certificates_of_a_mirror_are_read(tmp_path: Path) -> None:
    file = tmp_path / "ca.pem"
    file.write_text(PEM)
    out, _ = imported(f"--registry-mirror-url https://r.example --registry-mirror-cacert {file}")
    assert spec(out)["registryMirror"] == {"url": "https://r.example", "ca": {"pem": PEM}}


@pytest.mark.parametrize(
    ("line", "named"),
    [
        pytest.param(
            "--ssh-username konvoy --self-managed -n=default", "`--ssh-username`, `--self-managed`, `-n`", id="some"
        ),
        pytest.param("--registry-mirror-username S3CRET", "`--registry-mirror-username`", id="like one that is read"),
    ],
)
def test_other_flags_are_named_without_their_values(line: str, named: str) -> None:
    out, err = imported(f"--http-proxy {CP} {line}")
    assert spec(out) == {"httpProxy": CP}
    assert err == f"[warning] not taken over, because no field says it: {named}\n"


def test_beside_flags_for_each_role_the_others_are_for_the_controllers() -> None:
    out, err = imported(f"--control-plane-http-proxy {CP} --worker-http-proxy {CP} --http-proxy {WORKER}")
    assert spec(out) == {"httpProxy": CP}
    assert "`--http-proxy`" in err


@given(st.lists(st.sampled_from(["--http-proxy", "--no-proxy=a", "--no-proxy", "-", "--", "-x", "a b", "", CP, "="])))
def test_no_command_line_is_more_than_wrong(words: list[str]) -> None:
    ran = inject_proxy("", "import", "konvoy", "--", *words)
    assert ran.returncode in (0, 1, 2)
    assert ran.returncode or spec(ran.stdout.decode())
