"""Findings that `spec.lint.rules` or `spec.lint.ignore`, or the annotation of an object, silences."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from function_configs import DECLARED as CONFIG
from support import inject_proxy

NODES = """\
apiVersion: bootstrap.cluster.x-k8s.io/v1beta1
kind: KubeadmConfig
metadata:
  name: NAME
  annotations: {note: kept}
spec:
  files:
  - {path: /etc/environment, content: "HTTP_PROXY=http://old:1\\nHTTPS_PROXY=http://old:1\\n"}
  - path: /etc/systemd/system/containerd.service.d/http-proxy.conf
    content: "[Service]\\nEnvironment=NO_PROXY=localhost,127.0.0.1\\n"
"""


def write(folder: Path, codes: str = "", spec: str = "", web: str = NODES) -> None:
    """Write two objects, of which the annotation of the first one names codes, and a ProxyConfig."""
    folder.mkdir(parents=True, exist_ok=True)
    annotation = f'{{note: kept, fn.inject-proxy.io/ignore: "{codes}"}}' if codes else "{note: kept}"
    (folder / "web.yaml").write_text(web.replace("NAME", "web").replace("{note: kept}", annotation))
    (folder / "other.yaml").write_text(NODES.replace("NAME", "other"))
    (folder / "proxy.yaml").write_text(CONFIG + (f"  lint: {spec}\n" if spec else ""))


def findings(folder: Path, code: str, *argv: str) -> list[str]:
    """Severity and file of each finding with a code, as a command prints them."""
    done = inject_proxy("", *argv, "--output", "json", "--verbose", cwd=folder)
    data = json.loads(done.stdout)
    results = data["findings"] if isinstance(data, dict) else data
    found = [result for result in results if result["tags"].get("rule") == code]
    return sorted({f"{result['severity']} {Path(result['file']['path']).stem}" for result in found})


COMMANDS = [
    pytest.param(["run", "--check", "."], "OtherProxy", id="check"),
    pytest.param(["explain", "."], "OtherProxy", id="explain"),
    pytest.param(["lint", "."], "CaseMissing", id="lint"),
]


@pytest.mark.parametrize(("argv", "code"), COMMANDS)
@pytest.mark.parametrize(
    ("codes", "entry"),
    [
        pytest.param("CODE", "", id="an annotation"),
        pytest.param("", "{rules: [CODE], names: [we*], kinds: [Kubeadm*]}", id="an entry with globs"),
        pytest.param("", '{rules: [ValueLost, CODE], paths: ["apps/team-*/web.yaml"]}', id="an entry with a path"),
    ],
)
def test_one_place_is_silenced_and_no_other(tmp_path: Path, argv: list[str], code: str, codes: str, entry: str) -> None:
    folder = tmp_path / "apps/team-a"
    write(folder)
    assert findings(folder, code, *argv) == ["warning other", "warning web"]
    write(folder, codes.replace("CODE", code), f"{{ignore: [{entry.replace('CODE', code)}]}}" if entry else "")
    assert findings(folder, code, *argv) == ["warning other"]
    assert b" silenced" in inject_proxy("", argv[0], "--output=text", *argv[1:], cwd=folder).stderr


@pytest.mark.parametrize(("argv", "code"), COMMANDS)
@pytest.mark.parametrize(("level", "expected"), [('"Off"', []), ("Error", ["error other", "error web"])])
def test_a_rule_sets_a_severity(tmp_path: Path, argv: list[str], code: str, level: str, expected: list[str]) -> None:
    write(tmp_path, spec=f"{{rules: {{{code}: {level}}}}}")
    assert findings(tmp_path, code, *argv) == expected


def test_an_error_is_never_silenced(tmp_path: Path) -> None:
    write(tmp_path, "ProxyMissing")
    assert findings(tmp_path, "ProxyMissing", "run", "--check", ".") == ["error other", "error web"]


def test_an_error_of_a_value_can_be_made_a_warning_and_then_be_silenced(tmp_path: Path) -> None:
    write(tmp_path, "ListEmpty", "{rules: {ListEmpty: Warning}}")
    assert findings(tmp_path, "ListEmpty", "lint", ".") == ["warning other"]
    assert findings(tmp_path, "SettingUnused", "lint", ".") == []


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("rules: [CaseMissing], names: [web]", []),
        ("rules: [CaseMissing], names: [gone]", ["info proxy"]),
        pytest.param("rules: [CaseMissing, NodesKept], names: [gone]", [], id="a code that lint does not know"),
    ],
)
def test_an_entry_that_silences_nothing_is_named(tmp_path: Path, entry: str, expected: list[str]) -> None:
    write(tmp_path, spec=f"{{ignore: [{{{entry}}}]}}")
    assert findings(tmp_path, "SettingUnused", "lint", ".") == expected


STALE = """\
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: NAME, annotations: {note: kept}}
spec:
  rules:
  - name: set
    match: {any: [{resources: {kinds: [Pod], operations: [CREATE]}}]}
    mutate:
      patchStrategicMerge:
        spec: {containers: [{(name): "*", env: [{name: HTTP_PROXY, +(value): "http://old.corp.example:1"}]}]}
"""


@pytest.mark.parametrize(
    ("codes", "spec"),
    [
        pytest.param("ByHand", "", id="by an annotation"),
        pytest.param("", "{ignore: [{rules: [ByHand], names: [web]}]}", id="by an entry"),
        pytest.param("", "{rules: {ByHand: Off}}", id="by its rule"),
    ],
)
def test_what_must_change_and_cannot_fails_a_check_though_it_is_silenced(tmp_path: Path, codes: str, spec: str) -> None:
    write(tmp_path, codes, spec, web=STALE)
    assert b"ByHand" not in inject_proxy("", "run", "--diff", ".", cwd=tmp_path).stderr
    assert findings(tmp_path, "ByHand", "run", "--check", ".") == ["error web"]


def test_an_annotation_that_silences_nothing_is_a_warning_where_that_is_known(tmp_path: Path) -> None:
    write(tmp_path, "NodesKept")
    assert findings(tmp_path, "SettingUnused", "run", "--check", ".") == ["warning web"]
    assert findings(tmp_path, "SettingUnused", "lint", ".") == []


@pytest.mark.parametrize("command", ["run", "lint"])
def test_an_unknown_code_is_a_warning_without_a_password(tmp_path: Path, command: str) -> None:
    write(tmp_path, "http://user:S3CRET@proxy.corp.example:3128")
    done = inject_proxy("", command, ".", cwd=tmp_path)
    assert b"SettingUnused" in done.stdout + done.stderr
    assert b"S3CRET" not in done.stdout + done.stderr


def test_removal_leaves_the_annotation_and_says_nothing_of_it(tmp_path: Path) -> None:
    write(tmp_path, "OtherProxy", web=NODES.split("spec:", maxsplit=1)[0] + "spec: {}\n")
    before = (tmp_path / "web.yaml").read_text()
    inject_proxy("", "run", ".", cwd=tmp_path)
    assert (tmp_path / "web.yaml").read_text() != before
    (tmp_path / "proxy.yaml").write_text(CONFIG + "  mode: Remove\n")
    assert b"SettingUnused" not in inject_proxy("", "run", ".", cwd=tmp_path).stderr
    assert (tmp_path / "web.yaml").read_text() == before


@pytest.mark.parametrize("entry", ["{rules: [OtherProxy]}", "{rules: [CannotWrite], names: [a]}"])
def test_a_wrong_entry_is_an_error_that_names_its_field(tmp_path: Path, entry: str) -> None:
    write(tmp_path, spec=f"{{ignore: [{entry}]}}")
    done = inject_proxy("", "run", ".", cwd=tmp_path)
    assert done.returncode == 1
    assert b"spec.lint.ignore[0]" in done.stderr
