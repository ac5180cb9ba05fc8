"""What real shells offer for a line that somebody has begun to type, with the scripts of `inject-proxy completion`."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from support import TIME_LIMIT, need, search_path

_PROMPT = "READY> "
_ZSHRC = f"""\
PS1='{_PROMPT}'
autoload -Uz compinit; compinit -u -D; source $ZDOTDIR/_inject-proxy
"""
_NOTE_WHAT_IS_OFFERED = """\
compadd() {
  [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]] && { builtin compadd "$@"; return; }
  local -a offered
  builtin compadd -A offered "$@"
  (( $#offered )) && print -rl -- $offered >> $OFFERED
  builtin compadd "$@"
}
_noted() { _main_complete; print -r -- . >> $OFFERED }
zle -C noted complete-word _noted
bindkey '^I' noted
"""
"""`compadd` is what every completion function of zsh ends in (zshcompwid(1)); a dot says that it is done."""


def _of_bash(script: str, line: str, folder: Path) -> list[str]:
    words = re.findall(r"=|[^ =]+", line) + [""] * (line.endswith((" ", "=")))  # as COMP_WORDBREAKS cuts it
    quoted = " ".join(map("'{}'".format, words))
    script += f"\nCOMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}\n_inject_proxy\n"
    script += 'for one in "${COMPREPLY[@]}"; do printf "%s\\n" "$one"; done\n'
    return _output([need("bash"), "--norc", "-c", script], folder).splitlines()


def _of_fish(script: str, line: str, folder: Path) -> list[str]:
    (folder.parent / "script.fish").write_text(script)
    command = f"source ../script.fish; complete -C '{line}'"
    offered = _output([need("fish"), "--no-config", "-c", command], folder).splitlines()
    return [one.partition("\t")[0].rpartition("=")[2] for one in offered]


def _output(argv: list[str], folder: Path) -> str:
    environment = {**os.environ, "PATH": search_path(), "HOME": str(folder.parent), "XDG_DATA_HOME": str(folder.parent)}
    done = subprocess.run(
        argv, cwd=folder, env=environment, capture_output=True, text=True, timeout=TIME_LIMIT, check=False
    )
    assert done.stderr == ""
    return done.stdout


def of_zsh(script: str, line: str, folder: Path) -> list[str]:
    """What zsh offers, which completes on a terminal only."""
    home, noted = folder.parent, folder.parent / "offered"
    (home / "_inject-proxy").write_text(script)
    (home / ".zshrc").write_text(_ZSHRC + _NOTE_WHAT_IS_OFFERED)
    noted.touch()
    zsh = need("zsh")
    pid, terminal = pty.fork()
    if not pid:
        os.chdir(folder)
        os.execve(  # noqa: S606 -- a shell on a terminal of its own
            zsh,
            ["zsh", "-i"],
            {"PATH": search_path(), "ZDOTDIR": str(home), "OFFERED": str(noted), "TERM": "dumb"},
        )
    shown = b""
    try:
        deadline = time.monotonic() + TIME_LIMIT
        shown = _read_until(terminal, lambda shown: _PROMPT.encode() in shown, deadline)
        os.write(terminal, f"{line}\t".encode())
        shown += _read_until(terminal, lambda _: noted.read_text().endswith(".\n"), deadline)
    finally:
        os.close(terminal)  # ends the shell
        os.waitpid(pid, 0)
    assert b"compdef:" not in shown, shown
    assert b"_arguments:" not in shown, shown
    lines = noted.read_text().splitlines()
    # The first time counts: on a busy machine, zsh now and then completes twice for one key.
    return [one.replace("\\ ", " ") for one in lines[: lines.index(".")]]


def _read_until(terminal: int, is_done: Callable[[bytes], bool], deadline: float) -> bytes:
    shown = b""
    while not is_done(shown):
        assert time.monotonic() < deadline, shown
        if select.select([terminal], [], [], 0.05)[0]:
            shown += os.read(terminal, 65536)
    return shown


OFFERED_BY: Mapping[str, Callable[[str, str, Path], list[str]]] = {"bash": _of_bash, "zsh": of_zsh, "fish": _of_fish}
"""Shell -> what it offers: arguments are the script, the line, and the folder in which one types."""
