"""What user data of cloud-init, or an autoinstall of Ubuntu, leaves in the files of a machine.

It reads what writes files, names a proxy, or runs commands.

Sources: the modules ``write_files``, ``apt``, ``yum_add_repo``, ``runcmd``, ``bootcmd`` of cloud-init; ``proxy`` and
``late-commands`` of the autoinstall reference ("configured both during installation and for apt and snapd").
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator

from krm_fn.image_check import places, shell
from krm_fn.image_check._model import Leak, ScanResult, together
from krm_fn.image_check._words import Word, entries, text_of
from krm_fn.light_typing import Any

KIND = "user data of cloud-init"

_APT_PROXY = "/etc/apt/apt.conf.d/90cloud-init-aptproxy"
_APT_CONF = "/etc/apt/apt.conf.d/94cloud-init-config"
_COMMANDS = ("runcmd", "bootcmd", "early-commands", "late-commands")


def is_one(text: str, data: Any) -> bool:
    """Return whether a document is user data, by its first line, or by the only member of an autoinstall."""
    return isinstance(data, dict) and (text.startswith("#cloud-config") or "autoinstall" in data)


def look(data: dict[Any, Any]) -> ScanResult:
    """Return what the machine keeps of a document of cloud-init (see ``is_one``)."""
    install = data.get("autoinstall")
    inner = install if isinstance(install, dict) else {}
    user_data = inner.get("user-data")
    parts = [*_of(data), *_of(inner), *_of(user_data if isinstance(user_data, dict) else {})]
    proxy = text_of(inner.get("proxy"))
    if proxy:
        parts.append(
            ScanResult(
                left=(Leak(proxy.line, ("proxy",), "/etc/apt/apt.conf.d/90curtin-aptproxy"),)
            )
        )
    return together(KIND, parts)


def _of(data: dict[Any, Any]) -> Iterator[ScanResult]:
    for one in entries(data.get("write_files")):
        yield from _file(one) if isinstance(one, dict) else ()
    yield from _packages(data.get("apt"), data.get("yum_repos"))
    for name in _COMMANDS:
        for command in entries(data.get(name)):
            words = [word for word in entries(command) if isinstance(word, Word)]
            yield shell.look(" ".join(words), first=words[0].line) if words else ScanResult()


def _packages(apt: Any, repositories: Any) -> Iterator[ScanResult]:
    settings = apt if isinstance(apt, dict) else {}
    for name in ("proxy", "http_proxy", "https_proxy"):
        value = text_of(settings.get(name))
        yield ScanResult(left=(Leak(value.line, (f"apt.{name}",), _APT_PROXY),) if value else ())
    conf = text_of(settings.get("conf"))
    yield places.placed(_APT_CONF, conf, conf.line) if conf else ScanResult()
    for name, one in repositories.items() if isinstance(repositories, dict) else ():
        proxy = text_of(one.get("proxy")) if isinstance(one, dict) else None
        yield (
            places.placed(f"/etc/yum.repos.d/{name}.repo", f"proxy={proxy}", proxy.line)
            if proxy
            else ScanResult()
        )


def _file(one: dict[Any, Any]) -> Iterator[ScanResult]:
    path, content, encoding = (text_of(one.get(name)) for name in ("path", "content", "encoding"))
    if path and content:
        yield places.placed(
            path, _decoded(content) if encoding in ("b64", "base64") else content, path.line
        )


def _decoded(text: str) -> str:
    try:
        return base64.b64decode("".join(text.split()), validate=True).decode()
    except (binascii.Error, ValueError):
        return ""
