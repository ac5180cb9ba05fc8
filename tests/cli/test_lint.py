"""`inject-proxy lint`: a list, files, folders and standard input, as a shell sees them."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest

from function_configs import DECLARED as CONFIG
from support import contents, inject_proxy, write

SECRET = "s3cr3t"
WEB = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  template:
    spec:
      containers:
      - name: app
        env:
        - {name: HTTP_PROXY, value: "proxy.corp.example:3128"}
        - {name: NO_PROXY, value: 'localhost,127.0.0.1; 10.0.0.0/8'}
"""
KUSTOMIZATION = f"""\
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
patches:
- path: a.yaml
- patch: |
{textwrap.indent(WEB, "    ")}
- patch: |
{textwrap.indent(CONFIG, "    ")}
- patch: '[{{"op": "remove", "path": "/a"}}]'
- patch: "a: ["
- patch: [a]
- a
"""
"""The second patch is an object that counts."""


def lint(*words: str | Path, stdin: str = "", cwd: Path | None = None) -> tuple[int, list[str], str]:
    """Exit code, lines of output, and standard error."""
    done = inject_proxy(stdin, "lint", *map(str, words), cwd=cwd)
    return done.returncode, done.stdout.decode().splitlines(), done.stderr.decode()


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A folder as a repository has it: manifests, a chart, a hidden folder, other files."""
    files = {
        "apps/web.yml": WEB,
        "apps/notes.md": "NO_PROXY: a;b\n",
        "chart/templates/x.yaml": "kind: {{ .Values.kind }}\n{{- if .Values.proxy }}\nx: y\n{{- end }}\n",
        "apps/.hidden/web.yaml": WEB,
        "proxy.yaml": CONFIG + "  noProxy: [com]\n",
    }
    return write(tmp_path, files)


# a list


@pytest.mark.parametrize(
    ("words", "codes", "code", "corrected"),
    [
        pytest.param(["--consumer=go", ".svc,10.0.0.0/8"], [], 0, "", id="nothing is wrong for Go"),
        pytest.param(["localhost,127.0.0.1,a;b"], ["EntryForm"], 0, "localhost,127.0.0.1,a,b", id="a warning"),
        pytest.param(["localhost,127.0.0.1,10.0.0/8"], ["EntryUnread"], 1, "", id="an error"),
        pytest.param(
            ["a,"], ["AddressNotListed", "AddressNotListed", "EntryNeedless"], 0, "a,localhost,127.0.0.1", id="a name"
        ),
        pytest.param(
            ["--consumer=pod", "localhost,127.0.0.1,fd00::/8"], ["EntryUnread"], 1, "localhost,127.0.0.1", id="pods"
        ),
        pytest.param(["--", "-a,localhost,127.0.0.1"], ["EntryUnread"], 1, "", id="a dash"),
        pytest.param([f"http://user:{SECRET}@host,a"], ["PasswordInList"], 1, "", id="a password"),
    ],
)
def test_each_problem_of_a_list_is_a_line_and_the_last_line_is_the_list_corrected(
    words: list[str], codes: list[str], code: int, corrected: str
) -> None:
    exit_code, lines, errors = lint(*words)
    assert SECRET not in f"{lines}{errors}"
    assert exit_code == code
    found = [match[1] for line in lines if (match := re.match(r"\[\w+\] (\w+): ", line))]
    assert sorted(found) == codes
    assert lines[len(codes) :] == ([f"corrected: {corrected}"] if corrected else [])


def test_a_name_like_that_of_a_folder_is_a_list_with_a_comma_alone(tree: Path) -> None:
    assert [lint(word, cwd=tree)[0] for word in ("appss", "appss,")] == [2, 0]


def test_the_config_says_which_codes_speak_about_a_list_and_what_is_known(tmp_path: Path) -> None:
    path = tmp_path / "proxy.yaml"
    path.write_text(CONFIG + "  lint: {rules: {AddressNotListed: Off}}\n  clusterDefaults: {endpoint: api.x.example}\n")
    _, lines, _ = lint("--config", path, "svc,.svc,cluster.local,.cluster.local,.svc.cluster.local.")
    assert ["api.x.example" in line for line in lines if "ClusterNotListed" in line] == [True]
    assert not any("AddressNotListed" in line for line in lines)


# files


def test_a_tree_is_judged_and_what_a_run_does_not_read_is_left_alone(tree: Path) -> None:
    before = contents(tree)
    exit_code, lines, errors = lint("--verbose", tree)
    assert exit_code == 1
    assert contents(tree) == before
    assert {line.split()[1] for line in lines} == {f"{tree}/apps/web.yml", f"{tree}/proxy.yaml"}
    place = f"{tree}/apps/web.yml apps/v1/Deployment/shop/web spec.template.spec.containers[0].env[0].value"
    assert any(line.startswith(f"[error] {place}: UrlInvalid: ") for line in lines)
    assert "inject-proxy lint: 3 files read (left alone: 1 no manifest), 2 objects checked; " in errors


def test_an_inline_patch_is_judged_like_the_same_patch_in_a_file_but_for_one_of_a_config(tmp_path: Path) -> None:
    """Flux documents the proxy of its controllers as such a patch."""
    (tmp_path / "patch.yaml").write_text(WEB)
    of_file = lint("--verbose", "patch.yaml", cwd=tmp_path)[1]
    (tmp_path / "patch.yaml").unlink()
    (tmp_path / "kustomization.yaml").write_text(KUSTOMIZATION)
    _, lines, errors = lint("--verbose", ".", cwd=tmp_path)
    assert [line.replace("kustomization.yaml", "patch.yaml") for line in lines] == of_file
    assert "1 file read, 1 object checked" in errors
