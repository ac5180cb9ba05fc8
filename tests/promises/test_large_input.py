"""Large input: done, or refused in one clear line. The time limit of the tests is the only clock: it catches a hang."""

from __future__ import annotations

import subprocess

import pytest

from contract_lists import CONFIG, PROXY, SETTINGS, WORKERS, resource_list
from support import in_a_process, inject_proxy

DEEP_FLOW = ("[", "]")
DEEP_MAPPING = ("{a: ", "}")
LARGE = 4_000_000
"""Characters: many times what one reading of a file gives; that time grows with them alone is in test_linear_*.py."""
LONG = 2_000_000


def _deep(levels: int, style: tuple[str, str]) -> str:
    return f"{style[0] * levels}{style[1] * levels}"


def _changed(done: subprocess.CompletedProcess[bytes]) -> bytes:
    assert done.returncode == 0, done.stderr[:500]
    assert f"HTTP_PROXY={PROXY}".encode() in done.stdout
    return done.stdout


@pytest.mark.parametrize(
    "depth",
    [
        pytest.param("deep: " + _deep(490, DEEP_MAPPING) + "\n", id="flow mappings"),
        pytest.param("deep:\n  " + "- " * 490 + "x\n", id="block lists"),
    ],
)
def test_an_object_that_nests_nearly_500_levels_is_changed(depth: str) -> None:
    assert depth.replace("\n", "\n  ").rstrip().encode() in _changed(in_a_process(resource_list(WORKERS + depth)))


@pytest.mark.parametrize(("levels", "style"), [(501, DEEP_FLOW), (100_000, DEEP_MAPPING)])
@pytest.mark.parametrize("place", ["an item", "the function config", "a JSON list"])
def test_what_nests_deeper_is_refused_in_one_line(levels: int, style: tuple[str, str], place: str) -> None:
    deep = f"deep: {_deep(levels, style)}\n"
    stdin = {
        "an item": resource_list(WORKERS + deep),
        "the function config": resource_list(WORKERS, config=CONFIG + deep),
        "a JSON list": f'{{"kind": "ResourceList", "items": [{{{deep.strip()}}}]}}',
    }[place]
    done = in_a_process(stdin)
    assert (done.returncode, done.stdout) == (1, b"")
    item = b"`items[0]`: " if place == "an item" else b""
    assert done.stderr.startswith(b"[error] InputInvalid: " + item + b"nested more than 500 levels deep at line ")
    assert done.stderr.count(b"\n") == 1


def test_values_that_aliases_nest_deeper_are_refused_in_one_line() -> None:
    deep = "deep:\n  a0: &a0 x\n" + "".join(f"  a{n}: &a{n} {'[' * 400}*a{n - 1}{']' * 400}\n" for n in range(1, 12))
    done = in_a_process(resource_list(WORKERS + deep))
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (1, b"", 1)
    assert b"`items[0]`: aliases expand" in done.stderr


@pytest.mark.parametrize(
    "scalar",
    [
        pytest.param("x" * LARGE, id="one word"),
        pytest.param("user:pass@" * (LARGE // 20), id="what looks like passwords"),
    ],
)
def test_a_scalar_of_megabytes_beside_what_is_changed(scalar: str) -> None:
    item = WORKERS.replace('content: "Grüße 👋 日本語\\n"', f"content: {scalar}")
    output = _changed(in_a_process(resource_list(item)))
    assert len(output) > len(scalar)
    assert scalar[-20:].strip().encode() in output


@pytest.mark.parametrize("command", ["x" * LONG, "a;" * (LONG // 8), "export HTTP_PROXY=http://a:1; " * 20_000])
def test_a_command_of_megabytes_is_looked_into(command: str) -> None:
    quoted = command.replace("'", "''")
    done = in_a_process(resource_list(WORKERS.replace("- swapoff -a # first of all", f"- '{quoted}'")))
    assert _changed(done)
    assert done.stderr.count(b"\n") < 10


@pytest.mark.parametrize(
    ("content", "encoding"),
    [("x" * LARGE, ""), ("[Service]\\n" * (LARGE // 10), ""), ("QUFB" * (LARGE // 4), "base64")],
)
def test_a_drop_in_of_megabytes_is_reported_and_left_alone(content: str, encoding: str) -> None:
    entry = f'path: /etc/systemd/system/containerd.service.d/http-proxy.conf\n        encoding: "{encoding}"'
    item = WORKERS.replace("path: /etc/motd # shown at login", entry).replace('"Grüße 👋 日本語\\n"', f'"{content}"')
    done = in_a_process(resource_list(item))
    assert done.returncode == 0
    assert f'content: "{content}"'.encode() in done.stdout
    assert b"spec.template.spec.files[0]" in done.stderr


def test_30_000_items_of_which_one_is_changed() -> None:
    stdin = resource_list(*[SETTINGS] * 15_000, WORKERS, *[SETTINGS] * 14_999)
    done = in_a_process(stdin)
    assert _changed(done).count(b"- # nothing to do here\n") == 29_999
    assert "\ninject-proxy: 30000 items read, 1 changed, 0 errors, " in "\n" + done.stderr.decode()


@pytest.mark.parametrize(
    "head",
    [
        pytest.param("# Licensed under the Apache License\r\n" * 200, id="a licence"),
        pytest.param("# a\r\n\r\n" * 200 + "---\r\n# b\r\n", id="a licence, a separator, a comment"),
    ],
)
@pytest.mark.parametrize("command", ["lint", "explain", "run"])
def test_a_file_of_windows_that_begins_with_comments_is_read(head: str, command: str) -> None:
    list_of_windows = (head + resource_list(WORKERS)).replace("\r\n", "\n").replace("\n", "\r\n")
    done = inject_proxy(list_of_windows, *([command, "-"] if command != "run" else []))
    assert b"Traceback" not in done.stderr
    assert done.returncode == 0, done.stderr
