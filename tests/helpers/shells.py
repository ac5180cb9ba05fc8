"""What real shells offer for a line that somebody has begun to type, with the scripts of `inject-proxy completion`."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

from support import TIME_LIMIT, need, search_path


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


def _of_zsh(script: str, line: str, folder: Path) -> list[str]:
    """What the function offers that zsh has after its start, which it calls as bash does (`bashcompinit`)."""
    (folder.parent / "_inject-proxy").write_text(script)
    command = "autoload -Uz compinit; compinit -u -D; source ../_inject-proxy; print -r -- $functions[_inject_proxy]"
    loaded = _output([need("zsh"), "-f", "-c", command], folder)
    assert "compgen" in loaded
    return _of_bash(script.partition("\n")[2], line, folder)


OFFERED_BY: Mapping[str, Callable[[str, str, Path], list[str]]] = {"bash": _of_bash, "zsh": _of_zsh, "fish": _of_fish}
"""Shell -> what it offers: arguments are the script, the line, and the folder in which one types."""
