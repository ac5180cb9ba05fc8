"""The commands of inject-proxy on files in memory: what the worker of the playground calls.

Nothing of the package is changed or copied: ``krm_fn.cli.main`` gets the arguments, files and streams that it gets
in a shell, so what it prints is what the command prints.
"""

from __future__ import annotations

import contextlib
import gc
import io
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from krm_fn.cli import main
from krm_fn.cli.masking import MaskedText
from krm_fn.errors import InputError
from krm_fn.formats.embedded import values
from krm_fn.krm.masking import HIDDEN, ProxyPasswords, redact
from krm_fn.proxy_url import split_url
from krm_fn.yamledit import read
from krm_fn.yamledit.stream import documents

PLACEHOLDER = "hidden"
"""What a link has for a credential in a URL, where ``***`` would make a ProxyConfig a wrong one."""
FOLDER = Path("/folder")
"""The current folder of the commands, which holds the files of the page."""
_CREDENTIAL = re.compile(r"://[^\s\"'@/]{1,500}@")
# A password may hold an at sign, and a text several URLs: each is found by one of the two.
_URLS = [
    re.compile(rf"[A-Za-z][A-Za-z0-9+.-]{{0,20}}://{user}{{1,500}}@")
    for user in (r"[^\s\"'@]", r"[^\s\"']")
]


gc.disable()  # as the process of the command does


def write(files: Mapping[str, str]) -> None:
    """Put files into the folder in the place of those that are there.

    Args:
        files: name -> text; a name that leads out of the folder is left out.
    """
    gc.collect()  # of the last run
    os.chdir(FOLDER.parent)
    if FOLDER.exists():
        shutil.rmtree(FOLDER)
    FOLDER.mkdir()
    for name, text in files.items():
        path = Path(os.path.normpath(FOLDER / name))
        if FOLDER in path.parents:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
    os.chdir(FOLDER)


def run(arguments: Sequence[str]) -> dict[str, Any]:
    """Return what a command prints, and its exit code.

    Args:
        arguments: those behind ``inject-proxy``.
    """
    with _streams() as (output, reported):
        exit_code = main(arguments)
        return {"exitCode": exit_code, "output": _text(output), "reported": _text(reported)}


@contextlib.contextmanager
def _streams() -> Iterator[tuple[io.TextIOWrapper, io.TextIOWrapper]]:
    """Give standard output and standard error."""
    output, reported = _stream(), _stream()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(reported):
        yield output, reported


def _stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace", newline="")


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    written = stream.buffer
    written.seek(0)
    return written.read().decode(errors="replace")


def masked(files: Mapping[str, str]) -> dict[str, str]:
    """Return files as a link may hold them: without credentials and what Secrets hold, as ``run --diff`` shows them.

    A password that a URL or a Secret of one file names is hidden in all files, wherever it is.

    Args:
        files: name -> text, the ProxyConfig among them.
    """
    urls: set[str] = set()
    for text in files.values():
        urls.update(f"{found[0]}host" for pattern in _URLS for found in pattern.finditer(text))
        urls.update(f"http://user:{quote(one, safe='')}@host" for one in _secret_passwords(text))
    passwords = ProxyPasswords(urls)
    shown: dict[str, str] = {}
    for name, text in files.items():
        document = MaskedText(text, passwords)
        lines = [
            document.shown(number) + raw[len(raw.rstrip("\r\n")) :]
            for number, raw in enumerate(document.raw)
        ]
        shown[str(redact(passwords.hidden(name)))] = _CREDENTIAL.sub(
            lambda found: found[0].replace(HIDDEN, PLACEHOLDER), "".join(lines)
        )
    return shown


def _secret_passwords(text: str) -> Iterator[str]:
    """Yield the passwords that the Secrets of a text hold, alone or in a URL."""
    for start, end in documents(text):
        try:
            data = read(text[start:end])
        except InputError:
            continue
        if not isinstance(data, dict) or data.get("kind") != "Secret":
            continue
        for value in values(data):
            if value.path[-1] == "password":
                yield value.text
            for pattern in _URLS:
                for found in pattern.finditer(value.text):
                    yield unquote(split_url(f"{found[0]}host").password)
