"""The door: arguments, streams and exit codes, as a shell sees them."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from contract_lists import CONFIG, SETTINGS, WORKERS, resource_list
from function_configs import DECLARED
from krm_fn.errors import InternalError
from support import COMMAND, TIME_LIMIT, in_a_process, inject_proxy, run, write

GOOD = resource_list(WORKERS, SETTINGS)
UNSEEN = WORKERS.replace(
    "path: /etc/motd # shown at login", "path: /etc/systemd/system/kubelet.service.d/http-proxy.conf"
).replace('content: "Grüße 👋 日本語\\n"', "contentFrom: {secret: {name: a, key: b}}")


def test_the_function_says_each_change_where_it_is_asked_to() -> None:
    assert b"[info]" not in inject_proxy(GOOD).stderr
    assert b"[info]" in inject_proxy(GOOD, "--verbose").stderr


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(SETTINGS, id="one document"),
        pytest.param('{\n"apiVersion": "v1",\n"kind": "Secret"\n}\n', id="JSON, indented by nothing"),
    ],
)
def test_plain_manifests_on_standard_input_say_what_to_do_instead(text: str) -> None:
    done = inject_proxy(text)
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (1, b"", 1)
    for word in ("ResourceList", "`inject-proxy run --config FILE -`", "`transformers` of a", "lint -"):
        assert word in done.stderr.decode()


@pytest.mark.parametrize("flag", ["--help", "--version", "-v"])
def test_a_flag_before_a_sub_command_does_what_it_does_behind_it(flag: str) -> None:
    before, behind = (inject_proxy(GOOD, *argv, "-") for argv in ([flag, "lint"], ["lint", flag]))
    assert (before.returncode, before.stdout, before.stderr) == (behind.returncode, behind.stdout, behind.stderr)


@pytest.mark.parametrize(
    ("argv", "code", "out", "err"),
    [
        pytest.param([], 0, b"usage: inject-proxy", b"", id="no argument gives the help"),
        pytest.param(["-v"], 2, b"", b"standard input", id="a flag of a run is wrong usage and no wait"),
    ],
)
def test_a_terminal_on_standard_input(argv: list[str], code: int, out: bytes, err: bytes) -> None:
    ours, theirs = pty.openpty()
    try:
        done = subprocess.run([COMMAND, *argv], stdin=theirs, capture_output=True, timeout=TIME_LIMIT, check=False)
    finally:
        os.close(ours)
        os.close(theirs)
    assert (done.returncode, out in done.stdout, err in done.stderr) == (code, True, True)
    assert (not done.stdout, not done.stderr) == (not out, not err)


@pytest.mark.parametrize(
    ("redirection", "code", "says"),
    [
        pytest.param("<&-", 2, b"must come on standard input", id="no standard input"),
        pytest.param(">&-", 1, b"standard output must be open", id="no standard output"),
        pytest.param(">/dev/full", 1, b"standard output could not be written", id="a full disk"),
    ],
)
def test_a_stream_that_is_not_there_is_reported_in_one_line(redirection: str, code: int, says: bytes) -> None:
    done = run(["sh", "-c", f'"$0" {redirection}', COMMAND], GOOD.encode())
    assert done.returncode == code
    assert says in done.stderr
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize(("no_color", "mark"), [("", b"\x1b[31m[error]\x1b[0m"), ("1", b"[error]")])
def test_a_terminal_shows_severities_in_colours_unless_nobody_wants_them(no_color: str, mark: bytes) -> None:
    ours, theirs = pty.openpty()
    environment = {"NO_COLOR": no_color} if no_color else {}
    subprocess.run([COMMAND, "rnu"], stderr=theirs, env=environment, timeout=TIME_LIMIT, check=False)
    os.close(theirs)
    assert os.read(ours, 4096).startswith(mark)
    os.close(ours)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        pytest.param(["run"], 2, id="a run that would write files"),
        pytest.param(["run", "--check"], 1, id="a check of the folder, whose job has a pipe"),
        pytest.param(["run", "-"], 0, id="the stream, by its name"),
    ],
)
def test_a_pipe_without_its_name_is_not_a_run_over_the_folder(tmp_path: Path, arguments: list[str], code: int) -> None:
    nodes = "apiVersion: bootstrap.cluster.x-k8s.io/v1beta1\nkind: KubeadmConfig\nmetadata: {name: a}\nspec: {}\n"
    before = write(tmp_path, {"nodes.yaml": nodes, "proxy.yaml": DECLARED})
    done = in_a_process(nodes, *arguments, "--config", "proxy.yaml", cwd=before)
    assert done.returncode == code, done.stderr
    assert (tmp_path / "nodes.yaml").read_text() == nodes


@pytest.mark.parametrize("stdin", ["kind: List\n", "a: [", "\x00", resource_list(WORKERS) + "---\na: 1\n"])
def test_nothing_is_written_when_the_input_cannot_be_read(stdin: str) -> None:
    done = inject_proxy(stdin)
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (1, b"", 1)
    assert done.stderr.startswith(b"[error] ")


def test_errors_come_before_warnings_and_the_summary_is_last() -> None:
    config = CONFIG + "  mode: Check\n"
    lines = inject_proxy(resource_list(UNSEEN, config=config)).stderr.decode().splitlines()
    marks = [line.split("]")[0] for line in lines[:-1]]
    assert marks == sorted(marks, key=["[error", "[warning"].index)
    assert set(marks) == {"[error", "[warning"}
    assert lines[-1].startswith(f"inject-proxy: 1 item read, 0 changed, {marks.count('[error')} errors, ")


@pytest.mark.parametrize(
    ("error", "code", "says"),
    [
        pytest.param(RuntimeError("http://user:geheim@proxy"), 3, "this is a bug of inject-proxy", id="anything"),
        pytest.param(RecursionError("geheim"), 3, "RecursionError", id="a stack that overflows"),
        pytest.param(InternalError("http://user:geheim@proxy"), 3, "http://user:***@proxy", id="our check that fails"),
    ],
)
def test_a_bug_is_said_without_input(monkeypatch: pytest.MonkeyPatch, error: Exception, code: int, says: str) -> None:
    def fail(data: bytes) -> None:
        raise error

    monkeypatch.setattr("krm_fn.cli.function.run_function", fail)
    done = inject_proxy(GOOD)
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (code, b"", 1)
    assert says in done.stderr.decode()
    assert b"geheim" not in done.stderr
    if code == 3 and not isinstance(error, InternalError):
        assert b"Traceback" in inject_proxy(GOOD, "--traceback").stderr


def test_the_module_is_the_command() -> None:
    done = run([sys.executable, "-m", "krm_fn"], GOOD.encode())
    assert (done.returncode, done.stdout) == (0, inject_proxy(GOOD).stdout)


@pytest.mark.parametrize("redirection", ["2>&-", "2> >(true)"], ids=["closed", "a reader that has gone"])
def test_nobody_reads_standard_error_and_a_complete_output_does_not_fail(redirection: str) -> None:
    whole = inject_proxy(resource_list(UNSEEN)).stdout
    done = run(["bash", "-c", f'exec "{COMMAND}" {redirection}'], resource_list(UNSEEN).encode())
    assert (done.returncode, done.stdout) == (0, whole)


def test_ctrl_c_ends_without_a_traceback() -> None:
    """The command waits for its input; a shell that starts this test in the background has it ignore the signal."""
    script = (
        "import os, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from types import SimpleNamespace as Made\n"
        "from krm_fn.cli import main\n"
        "waiting = Made(read=lambda size: os.kill(os.getpid(), signal.SIGINT) or b'')\n"
        "sys.stdin = Made(isatty=lambda: False, buffer=waiting)\n"
        "raise SystemExit(main([]))\n"
    )
    done = run([sys.executable, "-c", script])
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")
