"""What docs/howto says about kustomize is what the real kustomize does."""

from __future__ import annotations

from pathlib import Path

from support import example, in_a_process, need, run

FLAGS = ("--enable-alpha-plugins", "--enable-exec")
PROXY = b"http://proxy.acme.example:3128"


def build(folder: Path, *flags: str) -> tuple[int, bytes, str]:
    """Return exit code, output and errors of a build."""
    done = run([need("kustomize"), "build", *flags, "."], cwd=folder)
    return done.returncode, done.stdout, done.stderr.decode()


def test_a_skipped_function_gives_no_message_and_the_check_of_the_build_finds_it(tmp_path: Path) -> None:
    folder = example("kustomize-exec", tmp_path)
    code, skipped, errors = build(folder, "--enable-alpha-plugins")
    assert (code, errors) == (0, "")
    assert PROXY not in skipped

    _, built, _ = build(folder, *FLAGS)
    assert PROXY in built
    check = ("run", "--check", "--config", str(folder / "proxy.yaml"), "-")
    assert [in_a_process(text, *check).returncode for text in (skipped, built)] == [1, 0]
