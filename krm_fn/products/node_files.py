"""Files in which programs on a node look for a proxy, beside the drop-ins of its own services: written on request.

Data only. All but the drop-in of docker hold one variable in each line, in quotes.

Sources: ``modules/pam_env/pam_env.c`` of Linux-PAM (``_parse_env_file``: a ``#`` begins a comment even in quotes, and
nothing is escaped); POSIX Shell Command Language section 2.2 (``/etc/profile.d``); apt.conf(5) and
apt-transport-http(1); ``zypp/base/Sysconfig.cc`` and ``zypp/media/proxyinfo/ProxyInfoSysconfig.cc`` of libzypp;
Docker's documentation "Use a proxy server with the Docker daemon"; ``File.append`` in ``api/bootstrap/kubeadm`` of
Cluster API and ``bootstrap/eks/api`` of its provider for AWS; ``internal/ignition/clc`` of Cluster API ignores it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from krm_fn.light_typing import NamedTuple

_BOTH_CASES = MappingProxyType(
    {
        name: name
        for variable in ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
        for name in (variable, variable.lower())
    }
)


class LineForm(NamedTuple):
    """How a file says variables, each in a line of its own.

    Attributes:
        names: proxy variable -> its name in the file; it cannot say those that are missing.
        line: how a line is written: ``{name}`` in front of ``{value}``.
        quoted: how a value is written.
        before: a pattern of what a line of somebody else has in front of the name.
        sign: a pattern of what it has between name and value.
        values: a pattern of the values that it may have, as written.
        refused: the characters that a value cannot hold.
        escapes: character -> what is written for it.
        constants: what the file must say in addition, name -> value.
        bare: a pattern of the values that need no quotes; "" where all have them.
    """

    names: Mapping[str, str]
    line: str
    quoted: str
    before: str
    sign: str
    values: str
    refused: str = ""
    escapes: Mapping[str, str] = MappingProxyType({})
    constants: Mapping[str, str] = MappingProxyType({})
    bare: str = ""


class NodeFile(NamedTuple):
    """One file: its path on the node, what reads it, and its form; None for a drop-in of systemd.

    ``is_shared`` is True where the image has such a file with more in it: a new entry is appended to it.
    """

    path: str
    reader: str
    form: LineForm | None
    is_shared: bool = False


ATTRIBUTES = MappingProxyType({"owner": "root:root", "permissions": "0644"})
"""What a new file has whose form is not None: programs of every user read it, and those of images have the same."""

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

SYSTEMD_ENVIRONMENT = _ENVIRONMENT._replace(
    before=r"[ \t]*",
    sign=r"[ \t]*=[ \t]*",
    values=r"""(?:\\\r?\n|\\.|"(?:[^"\\]|\\.)*"|'[^']*'|[^"'\\\r\n])*?""",
    refused="",
    escapes=MappingProxyType({char: f"\\{char}" for char in '\\"$`'}),
    bare=r"[A-Za-z0-9_@%+=:,./^-]*",
)
"""What ``EnvironmentFile=`` of a unit reads: a ``%`` means itself there."""

NODE_FILES: Mapping[str, NodeFile] = {
    "environment": NodeFile("/etc/environment", "pam_env", _ENVIRONMENT, is_shared=True),
    "profile": NodeFile("/etc/profile.d/http-proxy.sh", "login shells", _PROFILE),
    "apt": NodeFile("/etc/apt/apt.conf.d/90http-proxy", "apt", _APT),
    "zypper": NodeFile("/etc/sysconfig/proxy", "zypper", _ZYPPER),
    "docker": NodeFile("/etc/systemd/system/docker.service.d/http-proxy.conf", "docker", None),
}
"""What the option ``files`` of the target ``nodeFiles`` may name -> the file."""

BY_PATH: Mapping[str, NodeFile] = {file.path: file for file in NODE_FILES.values()}
"""The same by path."""
