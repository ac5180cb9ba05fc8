"""The files of a machine that give programs a proxy, and what their text sets.

A path and a text in, names and lines out. A setting without a value is none.

Sources: systemd.exec(5), systemd-system.conf(5), environment(5), environment.d(5), apt-transport-http(1), yum.conf(5),
wget(1), curl(1), dockerd(8); DKP 2.1 "HTTP proxy override files" (``/etc/konvoy_http_proxy.conf``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from krm_fn.carriers import unit_text
from krm_fn.carriers.unit_text import with_final_eol
from krm_fn.formats import CACHED_TEXTS
from krm_fn.image_check._line_numbers import LineNumbers
from krm_fn.image_check._model import Leak, ScanResult

NAMES = r"(?i:https?|ftp|all|no)_(?i:proxy)"
_LONGEST_PATH = 4096
"""``PATH_MAX`` of Linux."""
_ROOT = re.compile(r"(?:etc|usr|lib|run|root|home)/")
_TEMPLATE = re.compile(r"\.(?:j2|jinja2?|tpl|tmpl|tftpl)$")
_UNIT = re.compile(
    r"(?:(?:etc|usr/lib|lib|run)/systemd/(?:system|user)/.+|[^/]+\.service\.d/[^/]+)\.(?:service|conf)"
)


@dataclass(frozen=True)
class FoundName:
    """A name that a text sets, on that line of it."""

    name: str
    line: int


def _path(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns))


def _lines(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"^[ \t]*{pattern}", re.MULTILINE)


_SET = r"(?:[ \t]*=[ \t]*|[ \t]+)"
"""Between a name and its value; blanks are read in one way only."""
_ASSIGNED = _lines(rf"(?:export[ \t]+|setenv[ \t]+)?({NAMES}){_SET}[\"']?[^\s\"'#]")
_HOME = r"(?:root|home/[^/]+|etc/skel)"
_TABLE: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = (
    (
        _path(
            r"etc/environment",
            r"etc/konvoy_http_proxy\.conf",
            r"etc/environment\.d/[^/]+\.conf",
            r"etc/(?:default|sysconfig)/.+",
            r"etc/(?:profile|bashrc|bash\.bashrc|csh\.cshrc|wgetrc)",
            r"etc/profile\.d/[^/]+",
            rf"{_HOME}/\.(?:bash_?|z|wget|csh)?(?:rc|profile)",
        ),
        _ASSIGNED,
    ),
    (
        _path(r"etc/apt/apt\.conf", r"etc/apt/apt\.conf\.d/[^/]+"),
        _lines(
            r"((?i:Acquire::(?:https?|ftp)(?:::[^\s\"]+)?::)?(?i:Proxy))\s+\"(?!DIRECT\"|false\")[^\"\s]"
        ),
    ),
    (
        _path(r"etc/yum\.conf", r"etc/dnf/dnf\.conf", r"(?:etc/yum\.repos\.d/)?[^/]+\.repo"),
        _lines(r"(proxy)[ \t]*=[ \t]*(?!_none_|none\b)\S"),
    ),
    (
        _path(rf"{_HOME}/\.curlrc", "etc/curlrc"),
        _lines(r"(?:--)?(proxy|noproxy)(?:[ \t]*[=:][ \t]*|[ \t]+)\"?[^\s\"]"),
    ),
    (
        _path("etc/gitconfig", "etc/pip.conf", r"etc/npmrc"),
        _lines(r"((?:https?-)?proxy)[ \t]*=[ \t]*\S"),
    ),
    (_path(r"etc/docker/daemon\.json"), re.compile(r"\"((?:https?|no)-proxy)\"\s*:\s*\"[^\"]")),
    (
        _path(r"etc/systemd/(?:system|user)\.conf(?:\.d/[^/]+)?"),
        _lines(rf"DefaultEnvironment=.*?\b({NAMES})=[^\s\"']"),
    ),
)


def dest_of(path: str) -> str:
    """Return the path of a file on the machine, by the end of its path here.

    "" if that is not known, or the path is longer than Linux takes one.
    """
    if len(path) > _LONGEST_PATH:
        return ""
    plain = _TEMPLATE.sub("", path)
    parts = plain.split("/")
    for start in range(len(parts)):
        rest = "/".join(parts[start:])
        if _UNIT.fullmatch(rest) or any(known.fullmatch(rest) for known, _ in _TABLE):
            return f"/{rest}" if _ROOT.match(rest) else rest
    return ""


def settings(dest: str, text: str) -> list[FoundName]:
    """Return the variables that ``text`` sets as the file ``dest``, a path that ``dest_of`` knows."""
    known = dest_of(dest).lstrip("/")
    if _UNIT.fullmatch(known):
        return list(_of_unit(text))
    return [
        one for path, pattern in _TABLE if path.fullmatch(known) for one in _matches(pattern, text)
    ]


@lru_cache(maxsize=CACHED_TEXTS)
def _matches(pattern: re.Pattern[str], text: str) -> tuple[FoundName, ...]:
    """Return what a pattern finds in a text, which a build may place many times."""
    lines = LineNumbers(text)
    return tuple(FoundName(found[1], lines.at(found.start(1))) for found in pattern.finditer(text))


def placed(dest: str, text: str, line: int) -> ScanResult:
    """Return what a build leaves that writes ``text`` to ``dest``, or into the section of a unit, at ``line``."""
    found = _placed_names(dest, text)
    return ScanResult(left=(Leak(line, found, dest),) if found else ())


@lru_cache(maxsize=CACHED_TEXTS)
def _placed_names(dest: str, text: str) -> tuple[str, ...]:
    return names(settings(dest, text) or settings(dest, f"[Service]\n{text}"))


def names(found: list[FoundName]) -> tuple[str, ...]:
    """Return each name once, in order."""
    return tuple(dict.fromkeys(one.name for one in found))


@lru_cache(maxsize=CACHED_TEXTS)
def _of_unit(text: str) -> tuple[FoundName, ...]:
    live, _ = unit_text.assignments(with_final_eol(text))
    lines = LineNumbers(text)
    return tuple(
        FoundName(one.name, lines.at(one.line.start)) for one in live.values() if one.value != ""
    )
