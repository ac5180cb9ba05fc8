"""The diff of a manifest that holds a password."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hidden_passwords import OTHER_NOTATIONS
from krm_fn.cli.diff import diff_lines
from krm_fn.krm.manifests import ContentChange
from krm_fn.krm.masking import ProxyPasswords
from support import run, unified_diff, write


@pytest.mark.parametrize("text", [pytest.param(text, id=case) for case, text in OTHER_NOTATIONS.items()])
def test_a_diff_hides_it_in_a_text_and_in_a_comment(text: str) -> None:
    block = "".join(f"    {line}\n" for line in text.splitlines())
    comment = "".join(f"# {line}\n" for line in text.splitlines())
    for manifest in (f"data:\n  x: |\n{block}", f"data: {{x: {json.dumps(text)}}}\n", f"{comment}a: b\n"):
        shown = "\n".join(unified_diff("a.yaml", None, manifest.encode(), has_colours=False))
        assert "S1" not in shown, manifest
        assert "***" in shown


LIST = ".corp.example,10.0.0.0/8"


@pytest.mark.parametrize(
    ("line", "is_shown"),
    [
        pytest.param("TKG_HTTP_PROXY: http://proxy.corp.example:3128", True, id="a URL of TKG"),
        pytest.param(f'no_proxy: "{LIST}"', True, id="a list"),
        pytest.param(f'Environment="NO_PROXY={LIST}"', True, id="a list of systemd"),
        pytest.param("export HTTPS_PROXY='http://proxy.corp.example:3128'", True, id="a URL of a shell"),
        pytest.param("http_proxy: http://svc:geheim@proxy:3128", False, id="a password"),
        pytest.param("http_proxy: http://token@proxy:3128", False, id="a user"),
        pytest.param("http_proxy: Zm9vYmFyCg==", False, id="base64"),
        pytest.param("no_proxy: hunter2", False, id="one word"),
        pytest.param(f"no_proxy: {LIST} # svc:geheim", False, id="a comment behind it"),
        pytest.param("server: 10.1.2.3", False, id="no proxy"),
    ],
)
def test_a_line_of_a_secret_is_shown_where_it_sets_a_proxy_without_a_password(line: str, is_shown: bool) -> None:
    secret = f"apiVersion: v1\nkind: Secret\nmetadata: {{name: a}}\nstringData:\n  values.yaml: |\n    {line}\n"
    lines = unified_diff("a.yaml", b"", secret.encode(), has_colours=False)
    assert lines[-1] == (f"+    {line}" if is_shown else "+    ***")


@pytest.mark.parametrize("tool", ["git apply", "patch -p1"])
@pytest.mark.parametrize(("user", "code"), [("", 0), ("svc:geheim@", 1)])
def test_no_tool_writes_what_hides_a_credential(tool: str, user: str, code: int, tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": "a: b\n"})
    change = ContentChange(b"a: b\n", f"a: b\nurl: http://{user}proxy:3128\n".encode())
    lines, _ = diff_lines({"a.yaml": change}, ProxyPasswords(), is_grouped=False)
    done = run(tool.split(), "".join(f"{line}\n" for line in lines).encode(), cwd=tmp_path)
    assert bool(done.returncode) is bool(code)
    assert ("***" in (tmp_path / "a.yaml").read_text()) is False
