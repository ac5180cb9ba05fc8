"""The programs that read what we write: what systemd and the shells make of it is the truth.

It hands texts to real tools and gives back what they say; it knows nothing of what it judges.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import itertools
import json
import os
import pwd
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from support import TIME_LIMIT, missing, need

_NOBODY = 65534
_UNSET = re.compile(r"^\s*UnsetEnvironment: (.*)$", re.MULTILINE)
_PRINTED = re.compile(r"^\s*Environment: ([A-Za-z_][A-Za-z0-9_]*)=(.*)$", re.MULTILINE)


def recorded(answers: Path) -> dict[str, Any]:
    """What was recorded of each case: what a program was asked, and what it answered."""
    return dict(json.loads(answers.read_text(encoding="utf-8"))) if answers.exists() else {}


def answers_of(program: Path, asked: dict[str, Any]) -> bytes:
    """What a program answers to each case, as it is recorded."""
    said = subprocess.run([program], input=json.dumps([*asked.values()]).encode(), capture_output=True, check=True)
    pairs = zip(asked, json.loads(said.stdout), strict=True)
    data = {name: {"asked": asked[name], "answer": answer} for name, answer in pairs}
    return (json.dumps(data, indent=1) + "\n").encode()


def systemd_environment(drop_in: str) -> dict[str, str]:
    """The environment a service would run with if ``drop_in`` were its only drop-in, as systemd itself prints it."""
    return dict(_systemd_environment(need("systemd"), drop_in))


@functools.cache
def _systemd_environment(systemd: str, drop_in: str) -> dict[str, str]:
    """Ask systemd once for each text: the nodes of a class have the same ones."""
    folder = Path(tempfile.mkdtemp(prefix="inject-proxy-"))
    try:
        units, home = folder / "units", folder / "home"
        (units / "judged.service.d").mkdir(parents=True)
        home.mkdir()
        (units / "judged.service").write_text("[Service]\nExecStart=/bin/true\n")
        (units / "judged.service.d" / "http-proxy.conf").write_bytes(drop_in.encode())
        dump = _systemd_test(systemd, folder, units, home)
        unset = {name.strip() for name in _UNSET.findall(dump)}
        return {name: value for name, value in _PRINTED.findall(dump) if not {name, f"{name}={value}"} & unset}
    finally:
        shutil.rmtree(folder)


def _systemd_test(systemd: str, folder: Path, units: Path, home: Path) -> str:
    """Its dump of all units. It refuses to be root's user manager, so root becomes nobody for it."""
    argv = [systemd, "--test", "--user", "--unit=judged.service", "--no-pager"]
    if os.geteuid() == 0:
        folder.chmod(0o755)
        os.chown(home, _NOBODY, _NOBODY)
        argv = [need("setpriv"), f"--reuid={_NOBODY}", f"--regid={_NOBODY}", "--clear-groups", *argv]
    env = {"SYSTEMD_UNIT_PATH": f"{units}:", "XDG_RUNTIME_DIR": str(home), "HOME": str(home), "LC_ALL": "C.UTF-8"}
    done = subprocess.run(argv, capture_output=True, env=env, timeout=TIME_LIMIT, check=False)
    assert b"judged.service" in done.stdout, done.stderr.decode(errors="replace")
    return done.stdout.decode()


class KyvernoRow(NamedTuple):
    """One line of the table that `kyverno apply` prints."""

    policy: str
    rule: str
    resource: str
    result: str
    message: str


def kyverno_rows(printed: str) -> list[KyvernoRow]:
    """Return the lines of the table of `kyverno apply`, without those of a panic."""
    found = []
    for line in printed.splitlines():
        cells = [cell.strip() for cell in line.split("│")]
        if len(cells) == 9 and cells[1].isdigit():
            _, _, policy, rule, resource, result, _, message, _ = cells
            found.append(KyvernoRow(policy, rule, resource, result, message))
    return found


def shell_environment(shell: str, commands: Iterable[str]) -> dict[str, str]:
    """The environment a program sees that ``shell`` starts after ``commands``, joined as cloud-init joins them."""
    return dict(_shell_environment(need(shell), "\n".join([*commands, "env -0"])))


@functools.cache
def _shell_environment(shell: str, script: str) -> dict[str, str]:
    done = subprocess.run([shell], input=script.encode(), capture_output=True, env={"PATH": os.defpath}, check=True)
    assert done.stderr == b""
    return dict(entry.split("=", 1) for entry in done.stdout.decode().split("\0") if entry)


class _Conversation(ctypes.Structure):
    _fields_ = (("function", ctypes.c_void_p), ("data", ctypes.c_void_p))


def pam_environment(text: str) -> dict[str, str]:
    """What a session gets of ``text`` as ``/etc/environment``, by pam_env of Linux-PAM."""
    name = ctypes.util.find_library("pam")
    assert name, "libpam is missing: install libpam0g"
    library = ctypes.CDLL(name)
    library.pam_getenvlist.restype = ctypes.POINTER(ctypes.c_char_p)
    handle, conversation = ctypes.c_void_p(), _Conversation(None, None)
    with tempfile.TemporaryDirectory(prefix="inject-proxy-") as folder:
        Path(folder, "environment").write_bytes(text.encode())
        line = f"session required pam_env.so conffile=/dev/null readenv=1 envfile={folder}/environment\n"
        Path(folder, "judge").write_text(line)
        user = pwd.getpwuid(os.getuid()).pw_name.encode()
        begun = library.pam_start_confdir(
            b"judge", user, ctypes.byref(conversation), folder.encode(), ctypes.byref(handle)
        )
        assert begun == 0
        assert library.pam_open_session(handle, 0) == 0
        entries = itertools.takewhile(lambda entry: entry, library.pam_getenvlist(handle))
        found = dict(entry.decode().split("=", 1) for entry in entries)
        library.pam_end(handle, 0)
    return found


def apt_configuration(text: str) -> dict[str, str]:
    """What apt takes out of a file of its configuration: name -> value."""
    with tempfile.TemporaryDirectory(prefix="inject-proxy-") as folder:
        path = Path(folder, "judged")
        path.write_bytes(text.encode())
        done = subprocess.run(
            [need("apt-config"), "dump", "--format", "%F%n%v%n"],
            capture_output=True,
            env={"APT_CONFIG": str(path), "PATH": os.defpath},
            check=True,
        )
    lines = done.stdout.decode().splitlines()
    return dict(zip(lines[::2], lines[1::2], strict=True))


_LIBDNF = """
import sys
from libdnf.conf import ConfigParser
parser = ConfigParser()
parser.read(sys.argv[1])
if parser.hasOption("main", "proxy"):
    print(parser.getSubstitutedValue("main", "proxy"), end="")
"""


def dnf_configuration(text: str) -> dict[str, str]:
    """The proxy that dnf takes out of a file that is appended to the one of an image."""
    python = "/usr/bin/python3"
    if subprocess.run([python, "-c", "import libdnf"], capture_output=True, check=False).returncode:
        missing("libdnf", "`apt-get install python3-libdnf`")
    with tempfile.TemporaryDirectory(prefix="inject-proxy-") as folder:
        path = Path(folder, "judged.conf")
        path.write_bytes(f"[main]\ngpgcheck=1\n[updates]\nenabled=1\n{text}".encode())
        done = subprocess.run([python, "-c", _LIBDNF, path], capture_output=True, check=True)
    return {"HTTPS_PROXY": done.stdout.decode()} if done.stdout else {}


_ESCAPED = re.compile(r"\\(.)")


def environment_file(text: str) -> dict[str, str]:
    """The variables that systemd reads in an environment file; a value with ``$`` is none here, it would be expanded.

    The judge prints what ``environment.d`` says, which has the format of an environment file, each value quoted.
    """
    generator = need("/usr/lib/systemd/user-environment-generators/30-systemd-environment-d-generator")
    with tempfile.TemporaryDirectory(prefix="inject-proxy-") as folder:
        path = Path(folder, "environment.d", "judged.conf")
        path.parent.mkdir()
        path.write_bytes(text.encode())
        done = subprocess.run(
            [generator], capture_output=True, env={"XDG_CONFIG_HOME": folder, "LC_ALL": "C.UTF-8"}, check=True
        )
    pairs = [line.split("=", 1) for line in done.stdout.decode().splitlines()]
    return {name: _printed(value) for name, value in pairs if name in text}  # there may be others of the machine


def _printed(value: str) -> str:
    if not value.startswith('"'):
        return value
    return _ESCAPED.sub(lambda found: {"n": "\n", "t": "\t"}.get(found[1], found[1]), value[1:-1])
