"""The programs that read what we write: what systemd and the shells make of it is the truth.

It hands texts to real tools and gives back what they say; it knows nothing of what it judges.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

from support import TIME_LIMIT, need

_NOBODY = 65534
_UNSET = re.compile(r"^\s*UnsetEnvironment: (.*)$", re.MULTILINE)
_PRINTED = re.compile(r"^\s*Environment: ([A-Za-z_][A-Za-z0-9_]*)=(.*)$", re.MULTILINE)


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


def shell_environment(shell: str, commands: Iterable[str]) -> dict[str, str]:
    """The environment a program sees that ``shell`` starts after ``commands``, joined as cloud-init joins them."""
    return dict(_shell_environment(need(shell), "\n".join([*commands, "env -0"])))


@functools.cache
def _shell_environment(shell: str, script: str) -> dict[str, str]:
    done = subprocess.run([shell], input=script.encode(), capture_output=True, env={"PATH": os.defpath}, check=True)
    assert done.stderr == b""
    return dict(entry.split("=", 1) for entry in done.stdout.decode().split("\0") if entry)
