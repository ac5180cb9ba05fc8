"""The files in which programs on a node look for a proxy: drop-ins of services, and files that are written on request.

All but drop-ins hold one variable in each line.

Sources: ``modules/pam_env/pam_env.c`` of Linux-PAM (``_parse_env_file``: a ``#`` begins a comment even in quotes, and
nothing is escaped); POSIX Shell Command Language section 2.2 (``/etc/profile.d``); apt.conf(5) and
apt-transport-http(1); ``zypp/base/Sysconfig.cc`` and ``zypp/media/proxyinfo/ProxyInfoSysconfig.cc`` of libzypp;
Docker's documentation "Use a proxy server with the Docker daemon"; ``File.append`` in ``api/bootstrap/kubeadm`` of
Cluster API and ``bootstrap/eks/api`` of its provider for AWS; ``internal/ignition/clc`` of Cluster API ignores it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from krm_fn.formats.assignments import Syntax
from krm_fn.formats.line_files import LineForm, form_of
from krm_fn.light_typing import NamedTuple, Texts
from krm_fn.places.text_forms import DROP_IN

_BOTH_CASES = MappingProxyType(
    {
        name: name
        for variable in ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
        for name in (variable, variable.lower())
    }
)


class NodeFile(NamedTuple):
    """A file that sets the proxy of one program.

    Attributes:
        label: the place in one phrase, for messages.
        paths: where the program looks for the file; a new one has the first.
        form: how its text sets variables.
        lines: how its lines are written; None for a drop-in of systemd.
        permissions: those of a new file; a file of programs of every user can be read by all.
        unit: the service whose drop-in it is; "" for another file.
        folders: those in which systemd looks for drop-ins of the service.
        appends: the image has such a file with more in it, so a new entry appends to it.
    """

    label: str
    paths: Texts
    form: Syntax
    lines: LineForm | None = None
    permissions: str = "0640"
    unit: str = ""
    folders: Texts = ()
    appends: bool = False


_ASSIGNED = r"""(?:'[^'"\\$`#\r\n]*'|"[^"\\$`#\r\n]*"|[^'"\\$`#\s;&|<>(){}*?\[\]~!]*)"""
"""A value that pam_env, systemd, libzypp and a shell read alike."""

_ENVIRONMENT = LineForm(
    names=_BOTH_CASES,
    line="{name}={value}",
    quoted='"{}"',
    before=r"[ \t]*(?:export[ \t]+)?",
    sign="=",
    values=_ASSIGNED,
    refused='"\\$`#',
)
_PROFILE = _ENVIRONMENT._replace(
    line="export {name}={value}",
    before=r"(?:export[ \t]+)?",  # what is indented may be in a condition, which cannot be empty
    quoted="'{}'",
    values=r"""(?:'[^'\r\n]*'|"[^"\\$`\r\n]*"|[^'"\\$`#\s;&|<>(){}*?\[\]~!])*""",
    refused="",
    escapes=MappingProxyType({"'": "'\"'\"'"}),
)
_APT = LineForm(
    names=MappingProxyType({"HTTP_PROXY": "http", "HTTPS_PROXY": "https"}),
    line="Acquire::{name}::Proxy {value}",
    quoted='"{}";',
    before=r"[ \t]*Acquire::",
    sign=r"::Proxy[ \t]+",
    values=r'"[^"\r\n]*";',
    refused='"\\',
)
_ZYPPER = _ENVIRONMENT._replace(
    names=MappingProxyType({name: name for name in ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")}),
    before=r"[ \t]*",
    constants=MappingProxyType({"PROXY_ENABLED": "yes"}),
)

_SERVICE_ENVIRONMENT = _ENVIRONMENT._replace(
    before=r"[ \t]*",
    sign=r"[ \t]*=[ \t]*",
    values=r"""(?:\\\r?\n|\\.|"(?:[^"\\]|\\.)*"|'[^']*'|[^"'\\\r\n])*?""",
    refused="",
    escapes=MappingProxyType({char: f"\\{char}" for char in '\\"$`'}),
    bare=r"[A-Za-z0-9_@%+=:,./^-]*",
)
"""What ``EnvironmentFile=`` of a unit reads: a ``%`` means itself there."""

_UNIT_FOLDERS = ("/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib")
"""Where systemd looks for drop-ins, the folder that hides the others first."""


def drop_in_of(unit: str) -> NodeFile:
    """Return the drop-in of a service."""
    folders = tuple(f"{folder}/systemd/system/{unit}.service.d" for folder in _UNIT_FOLDERS)
    paths = tuple(f"{folder}/http-proxy.conf" for folder in folders)
    return NodeFile(f"the drop-in of {unit}", paths, DROP_IN, unit=unit, folders=folders)


def environment_file_of(unit: str) -> NodeFile:
    """Return the environment file of a service of RKE2 or K3s (``EnvironmentFile=-/etc/default/%N``)."""
    return NodeFile(f"the environment file of {unit}", (f"/etc/default/{unit}",), _SERVICE_FORM)


def _file(path: str, lines: LineForm, *, appends: bool = False) -> NodeFile:
    return NodeFile(f'the file "{path}"', (path,), form_of(lines), lines, "0644", appends=appends)


_SERVICE_FORM = form_of(_SERVICE_ENVIRONMENT)
_DOCKER = drop_in_of("docker")
NODE_FILES: Mapping[str, NodeFile] = {
    "environment": _file("/etc/environment", _ENVIRONMENT, appends=True),
    "profile": _file("/etc/profile.d/http-proxy.sh", _PROFILE),
    "apt": _file("/etc/apt/apt.conf.d/90http-proxy", _APT),
    "zypper": _file("/etc/sysconfig/proxy", _ZYPPER),
    "docker": _DOCKER._replace(paths=_DOCKER.paths[:1]),
}
"""What the option ``files`` of the target ``nodes.files`` may name -> the file."""

BY_PATH: Mapping[str, NodeFile] = {file.paths[0]: file for file in NODE_FILES.values()}
"""The same by path."""
