"""Findings that an annotation of an object, or an entry of `spec.lint.ignore`, silences in one place."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from support import inject_proxy
from test_cli_inputs import CONFIG, write

SECRET = "S3CRET"
BASIC = "http://user:S3CRET@proxy.corp.example:3128"
WEB = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  annotations: {note: kept}
spec:
  template:
    spec:
      containers:
      - name: web
        env:
        - {name: HTTP_PROXY, value: "http://old.corp.example:3128"}
        - {name: NO_PROXY, value: "localhost,127.0.0.1,svc,cluster.local,.svc,.cluster.local"}
"""
OTHER = WEB.replace("name: web\n  ", "name: other\n  ")
SELECTED = CONFIG + "  targets: {workloads: {conflict: Keep, workloads: [{kinds: [Deployment]}]}}\n"


def command(folder: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    done = inject_proxy("", *argv, cwd=folder)
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def annotated(text: str, codes: str) -> str:
    return text.replace("{note: kept}", f'{{note: kept, fn.inject-proxy.io/ignore: "{codes}"}}')


def lines(done: subprocess.CompletedProcess[str], code: str) -> list[str]:
    return [line for line in (done.stdout + done.stderr).splitlines() if f"{code}: " in line]


COMMANDS = [
    pytest.param(["run", "--diff", "."], "ValueKept", id="run"),
    pytest.param(["run", "--check", "."], "ValueKept", id="check"),
    pytest.param(["explain", "-v", "."], "ValueKept", id="explain"),
    pytest.param(["lint", "."], "CaseMissing", id="lint"),
]
PLACES = [
    pytest.param("CODE", "", id="an annotation"),
    pytest.param(" ValueLost,CODE ", "", id="an annotation with two codes"),
    pytest.param("", "{rules: [CODE], names: [web]}", id="an entry with a name"),
    pytest.param("", "{rules: [CODE], names: [we*], kinds: [Dep*]}", id="an entry with globs"),
    pytest.param("", "{rules: [PlacesDiffer, CODE], paths: [web.yaml]}", id="an entry with a file"),
    pytest.param("", '{rules: [CODE], paths: ["apps/team-*/web.yaml"]}', id="an entry with a path"),
]


@pytest.mark.parametrize(("argv", "code"), COMMANDS)
@pytest.mark.parametrize(("codes", "entry"), PLACES)
def test_one_place_is_silenced_and_no_other(tmp_path: Path, argv: list[str], code: str, codes: str, entry: str) -> None:
    bad = {"web.yaml": WEB, "other.yaml": OTHER}
    folder = tmp_path / "apps/team-a"
    write(folder, {**bad, "proxy.yaml": SELECTED})
    before = lines(command(folder, *argv), code)
    assert [any(name in line for line in before) for name in bad] == [True, True]
    silenced = annotated(WEB, codes.replace("CODE", code)) if codes else WEB
    config = SELECTED + (f"  lint: {{ignore: [{entry.replace('CODE', code)}]}}\n" if entry else "")
    write(folder, {"web.yaml": silenced, "proxy.yaml": config})
    done = command(folder, *argv)
    left = lines(done, code)
    assert left
    assert not any("web.yaml" in line or "Deployment/web" in line for line in left)
    assert "2 silenced" in done.stderr


def test_a_summary_without_anything_silenced_does_not_count_it(tmp_path: Path) -> None:
    write(tmp_path, {"web.yaml": WEB, "proxy.yaml": SELECTED})
    assert "silenced" not in command(tmp_path, "run", ".").stderr


def test_an_annotation_silences_an_object_of_a_resource_list() -> None:
    items = "".join(f"- {indented(text)}" for text in (annotated(WEB, "ValueKept"), OTHER))
    config = f"  {indented(SELECTED)}"
    done = inject_proxy(f"kind: ResourceList\nitems:\n{items}functionConfig:\n{config}")
    left = [line for line in done.stderr.decode().splitlines() if "ValueKept" in line]
    assert len(left) == 2
    assert all("Deployment/other" in line for line in left)
    assert b", 2 silenced" in done.stderr


def indented(text: str) -> str:
    return "".join(f"{line}\n  " for line in text.splitlines()).removesuffix("  ")


def test_what_another_object_shares_is_still_reported(tmp_path: Path) -> None:
    """Of a fact of a Cluster only the first object is named; the annotation is about that object alone."""
    nodes = (
        "apiVersion: bootstrap.cluster.x-k8s.io/v1beta1\nkind: KubeadmConfigTemplate\n"
        "metadata: {name: NAME, labels: {cluster.x-k8s.io/cluster-name: prod}ANNOTATION}\n"
        "spec: {template: {spec: {}}}\n"
    )
    cluster = (
        "apiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\nmetadata: {name: prod}\n"
        "spec: {infrastructureRef: {kind: VSphereCluster, name: prod}}\n"
    )
    first = nodes.replace("NAME", "a").replace("ANNOTATION", "")
    second = nodes.replace("NAME", "b").replace("ANNOTATION", "")
    files = {"cluster.yaml": cluster, "first.yaml": first, "second.yaml": second}
    write(tmp_path, {**files, "proxy.yaml": CONFIG})
    assert len(lines(command(tmp_path, "run", "--diff", "."), "FactsUnknown")) == 1
    ignoring = ', annotations: {fn.inject-proxy.io/ignore: "FactsUnknown"}'
    write(tmp_path, {"first.yaml": nodes.replace("NAME", "a").replace("ANNOTATION", ignoring)})
    (left,) = lines(command(tmp_path, "run", "--diff", "."), "FactsUnknown")
    assert "second.yaml" in left


ERRORS = [
    pytest.param(["lint", "."], "UrlInvalid", WEB.replace("http://old", "old"), id="an error of a rule"),
    pytest.param(["run", "--check", "."], "ProxyMissing", WEB, id="a change that is due"),
]


@pytest.mark.parametrize(("argv", "code", "text"), ERRORS)
def test_an_error_is_never_silenced(tmp_path: Path, argv: list[str], code: str, text: str) -> None:
    config = SELECTED.replace("conflict: Keep", "conflict: Override")
    write(tmp_path, {"web.yaml": annotated(text, code), "proxy.yaml": config})
    done = command(tmp_path, *argv)
    assert done.returncode == 1
    assert lines(done, code)


STALE = """\
apiVersion: policies.kyverno.io/v1
kind: MutatingPolicy
metadata: {name: web, annotations: {note: kept}}
spec:
  mutations:
  - patchType: JSONPatch
    jsonPatch: {expression: '[{"name": "HTTP_PROXY", "value": "http://" + "old.corp.example:1"}]'}
"""
SILENCED = [
    pytest.param("NotEdited", "", id="by an annotation"),
    pytest.param("", "  lint: {ignore: [{rules: [NotEdited], names: [web]}]}\n", id="by an entry"),
    pytest.param("", "  lint: {rules: {NotEdited: Off}}\n", id="by its rule"),
]


@pytest.mark.parametrize(("codes", "spec"), SILENCED)
def test_what_must_change_and_cannot_fails_a_check_though_it_is_silenced(tmp_path: Path, codes: str, spec: str) -> None:
    write(tmp_path, {"web.yaml": annotated(STALE, codes) if codes else STALE, "proxy.yaml": CONFIG + spec})
    run = command(tmp_path, "run", "--diff", ".")
    assert run.returncode == 0
    assert not lines(run, "NotEdited")
    check = command(tmp_path, "run", "--check", ".")
    assert check.returncode == 1
    (error,) = lines(check, "NotEdited")
    assert error.startswith("[error]")
    assert "silenced" not in check.stderr


def test_a_rule_that_is_an_error_can_be_made_a_warning_and_then_be_silenced(tmp_path: Path) -> None:
    bad = annotated(WEB.replace("http://old", "old"), "UrlInvalid")
    write(tmp_path, {"web.yaml": bad, "proxy.yaml": CONFIG})
    (unused,) = lines(command(tmp_path, "lint", "."), "SettingUnused")
    assert "because it is an error here" in unused
    write(tmp_path, {"proxy.yaml": CONFIG + "  lint: {rules: {UrlInvalid: Warning}}\n"})
    done = command(tmp_path, "lint", ".")
    assert not lines(done, "UrlInvalid")
    assert not lines(done, "SettingUnused")


UNUSED = [
    pytest.param(["run", "."], "NodesKept", True, id="a code of a run in a run"),
    pytest.param(["lint", "."], "NodesKept", False, id="a code of a run in lint"),
    pytest.param(["run", "."], "UrlInvalid", False, id="a rule about values in a run"),
    pytest.param(["lint", "."], "UrlInvalid", True, id="a rule about values in lint"),
    pytest.param(["run", "."], "ClusterAmbiguous", True, id="a rule of a run in a run"),
    pytest.param(["lint", "."], "ClusterAmbiguous", False, id="a rule of a run in lint"),
]


@pytest.mark.parametrize(("argv", "code", "is_reported"), UNUSED)
def test_an_annotation_that_silences_nothing_is_a_warning_where_it_is_known(
    tmp_path: Path, argv: list[str], code: str, is_reported: bool
) -> None:
    write(tmp_path, {"web.yaml": annotated(WEB, code), "proxy.yaml": SELECTED})
    found = lines(command(tmp_path, *argv), "SettingUnused")
    assert bool(found) == is_reported
    assert all(line.startswith("[warning] web.yaml ") and f"`{code}` in the annotation" in line for line in found)


@pytest.mark.parametrize("argv", [["run", "."], ["lint", "."]], ids=["run", "lint"])
@pytest.mark.parametrize(
    ("codes", "says"),
    [
        pytest.param("ValueKep", "; did you mean `ValueKept`?", id="misspelt"),
        pytest.param("FactsUnknown, np40", "entry 2 of the annotation", id="the second one"),
        pytest.param(
            "true", "silenced; to leave the object without a proxy, name it in `spec.selector.exclude`", id="a switch"
        ),
        pytest.param("CannotWrite", "neither the ID of a rule nor a code that can be silenced", id="an error"),
        pytest.param(BASIC, "entry 1 of the annotation", id="no code at all"),
    ],
)
def test_an_unknown_code_is_a_warning_that_does_not_quote_it(
    tmp_path: Path, argv: list[str], codes: str, says: str
) -> None:
    write(tmp_path, {"web.yaml": annotated(WEB, codes), "proxy.yaml": SELECTED})
    (found,) = lines(command(tmp_path, *argv), "SettingUnused")
    assert says in found
    assert SECRET not in found


def test_an_annotation_must_be_a_string(tmp_path: Path) -> None:
    text = WEB.replace("{note: kept}", "{fn.inject-proxy.io/ignore: [FactsUnknown]}")
    write(tmp_path, {"web.yaml": text, "proxy.yaml": SELECTED})
    assert (
        "silences nothing, because it must be a string" in lines(command(tmp_path, "run", "."), "SettingUnused")[0]
    )


@pytest.mark.parametrize("argv", [["run", "--diff"], ["lint"]], ids=["run", "lint"])
def test_an_entry_that_silences_nothing_is_an_information(tmp_path: Path, argv: list[str]) -> None:
    code = "UrlInvalid" if argv == ["lint"] else "FactsUnknown"
    config = SELECTED + f"  lint: {{ignore: [{{rules: [{code}], names: [x]}}]}}\n"
    write(tmp_path, {"web.yaml": WEB, "proxy.yaml": config})
    (found,) = lines(command(tmp_path, *argv, "--verbose", "."), "SettingUnused")
    assert found.startswith("[info] ")
    assert "`spec.lint.ignore[0]` silences nothing here" in found


def test_what_is_silenced_is_not_corrected(tmp_path: Path) -> None:
    files = {"web.yaml": annotated(WEB, "CaseMissing"), "other.yaml": OTHER, "proxy.yaml": CONFIG}
    write(tmp_path, files)
    command(tmp_path, "lint", "--fix", ".")
    assert (tmp_path / "web.yaml").read_text() == files["web.yaml"]
    assert "no_proxy" in (tmp_path / "other.yaml").read_text()


def test_removal_leaves_the_annotation_and_says_nothing_of_it(tmp_path: Path) -> None:
    text = annotated(WEB.replace("        env:\n", "").split("        - {name: HTTP")[0], "ValueKept")
    config = SELECTED.replace("conflict: Keep", "conflict: Override")
    write(tmp_path, {"web.yaml": text, "proxy.yaml": config})
    command(tmp_path, "run", ".")
    assert (tmp_path / "web.yaml").read_text() != text
    write(tmp_path, {"proxy.yaml": config + "  mode: Remove\n"})
    done = command(tmp_path, "run", ".")
    assert (tmp_path / "web.yaml").read_text() == text
    assert not lines(done, "SettingUnused")


WRONG = [
    pytest.param("{rules: [ValueKep], names: [a]}", "spec.lint.ignore[0].rules[0]: must be the id", id="unknown code"),
    pytest.param("{rules: [FactsUnknown]}", "spec.lint.ignore[0]: must set something: `paths`, `kinds` or", id="no place"),
    pytest.param("{names: [a]}", "spec.lint.ignore[0]: must hold `rules`", id="no rules"),
    pytest.param("{rules: [CannotWrite], names: [a]}", "spec.lint.ignore[0].rules[0]: must be", id="an error"),
    pytest.param("{rules: FactsUnknown, names: [a]}", "spec.lint.ignore[0].rules: must be a list", id="a text"),
    pytest.param("{rules: [7], names: [a]}", "spec.lint.ignore[0].rules[0]: must be a string", id="a number"),
]


@pytest.mark.parametrize(("entry", "says"), WRONG)
def test_a_wrong_entry_is_an_error(tmp_path: Path, entry: str, says: str) -> None:
    write(tmp_path, {"web.yaml": WEB, "proxy.yaml": f"{CONFIG}  lint: {{ignore: [{entry}]}}\n"})
    done = command(tmp_path, "run", ".")
    assert done.returncode == 1
    assert says in done.stderr
