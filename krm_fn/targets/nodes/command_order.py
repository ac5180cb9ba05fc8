"""Where exports of the proxy and the restart of containerd belong among the commands before the nodes are set up.

An export belongs before the first command that needs the network, and behind a command that changes proxy variables.
The restart belongs before the network, too, but behind every command that installs, configures or starts containerd.
A command that looks as if it needs the network, and does not, does no harm: an export may always be earlier.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from krm_fn.formats import CACHED_LINES
from krm_fn.light_typing import NamedTuple
from krm_fn.places.place import Variables
from krm_fn.targets.nodes.exports import (
    assigned,
    edited,
    export,
    exports_in,
    is_ours,
    only_exports,
    unset_by,
)

START, END = "Start", "End"
"""The values of the option ``place``; without it the place follows from the commands."""

MARK = "# inject-proxy"
"""Ends the restart that is ours, so that removal never takes one that somebody else wants."""
TRUST_MARK = "# inject-proxy: trust store"
"""Ends the commands of ``nodes.trustedCA``."""

_LONGEST = 65_536
"""So much of a command is looked at; Cluster API takes less."""
_UNKNOWN = "\ncurl "
"""Stands for a script that is not known, which may need the network."""
_RUN = (
    r"(?m)(?:^|[;&|({]|\b(?:bash|sh|source|sudo|exec)|(?<!\S)\.)[ \t]*(?:-[^\s;&|({]+[ \t]+)*[\"']?"
)
_COMMENTS = r"(?m)^[ \t]*#.*$"
_PROGRAM = r"(?:^|[\s;&|(`\"'}])(?:[\w./~${}-]*/)?"
_ALONE = (
    "SUSEConnect|add-apt-repository|ansible-galaxy|ansible-pull|apk|apt|apt-get|aptitude|aria2c|aws|axel|az|azcopy|"
    "clusterctl|crane|curl|dnf5?|flux|gcloud|git|gsutil|microdnf|oras|rclone|regctl|s3cmd|skopeo|snap|"
    "subscription-manager|tdnf|unattended-upgrades?|wget|yum|yum-config-manager|zypper"
)
_WITH_A_VERB = (
    "(?:crictl|ctr|docker|nerdctl|podman|helm)[\"']?(?:\\s+\\S+){0,6}\\s+"
    "(?:build|compose|dependency|fetch|install|login|pull|push|registry|repo|run|search|template|upgrade)|"
    "(?:pip3?|npm|yarn|gem|bundle|cargo|go|flatpak|pipx|k0s|python3?\\s+-m\\s+pip)[\"']?\\s+"
    "(?:add|ci|download|fetch|get|install|run|update|upgrade)|"
    "kubectl[\"']?(?:\\s+\\S+){0,6}\\s+(?:annotate|apply|create|delete|exec|get|label|patch|wait)|"
    "kubeadm\\s+(?:config\\s+images|init|join)|apt-key|gpg2?(?:\\s+\\S+){0,6}\\s+--recv-keys?"
)
_NEEDS_NETWORK = rf"(?m){_PROGRAM}(?:(?:{_ALONE})(?=\s)|(?:{_WITH_A_VERB})\b)"
_HELP = r"\S+\s+(?:--help|--version|-V|help|version)\s*"
_URL = r"://(?:[^/@\s]{0,500}@)?([^/:\s\"']+)"
_LOCAL = r"localhost|127\..*|169\.254\..*|\[.*|metadata.*|100\.100\.100\.200|168\.63\.129\.16"
_SYSTEMCTL = r"(?:^|[;&|\n({]|\b(?:then|do|else)\b)[ \t]*(?:sudo\s+(?:-\S+\s+)*)?(?:/\S*/)?systemctl\s+(?:-\S+\s+)*"
_RELOAD = rf"{_SYSTEMCTL}daemon-reload\b"
_OF_CONTAINERD = r"\s[^;&|\n#]*(?<![\w-])containerd(?:\.service)?(?![\w.-])"
_RESTART = rf"{_SYSTEMCTL}(?:[a-z]+-)*restart{_OF_CONTAINERD}"
_STOP, _BEGIN = rf"{_SYSTEMCTL}stop{_OF_CONTAINERD}", rf"{_SYSTEMCTL}start{_OF_CONTAINERD}"
_TOUCHES_CONTAINERD = r"containerd|\bcri-?o\b|docker(?:\.io|-ce)|moby-engine|nerdctl-full"
_LOOKS_ONLY = (
    r"\s*(?:cat|echo|grep|ls|test|\[|systemctl\s+(?:is-active|is-enabled|status|show))\s[^;&|>\n]*"
)


class Commands(NamedTuple):
    """The commands of a list, "" for an entry that is none, and the scripts that they may run.

    ``scripts``: path -> text; None for one that is not known, so that it may need the network.
    """

    texts: Sequence[str]
    scripts: Mapping[str, str | None]

    def whole(self, index: int) -> str:
        """Return a command with the scripts that it names."""
        command = text = self.texts[index]
        for path, script in self.scripts.items():
            if path not in command:
                continue
            if script:
                text += "\n" + script
            elif script is None and re.search(_RUN + re.escape(path), command):
                text += _UNKNOWN
        return re.sub(_COMMENTS, "", text[:_LONGEST])


class Anchors(NamedTuple):
    """Indices of the commands before which exports and restart belong, and behind which they have to be."""

    exports: int
    restart: int
    behind: int = -1
    restart_behind: int = -1


def anchors(commands: Commands, place: str) -> Anchors:
    """Return where exports and restart belong."""
    end = len(commands.texts)
    others = [index for index, text in enumerate(commands.texts) if text and not _is_ours(text)]
    if place == END:
        last = others[-1] if others else -1
        return Anchors(end, end, last, last)
    before = []
    behind = restart_behind = -1
    for index in others:
        text = commands.whole(index)
        if touches_containerd(text):
            restart_behind = index
        if place == START or needs_the_proxy(text):
            before.append(index)
        elif not before and changes_proxy(commands.texts[index]):
            behind = index
    exports = before[0] if before else end
    restart = next((index for index in before if index > restart_behind), end)
    return Anchors(exports, restart, behind, restart_behind)


class Kept(NamedTuple):
    """A command of the new list; ``place`` is its index in the old list, -1 for a new one."""

    text: str
    place: int = -1


def arranged(commands: Commands, exports: Variables, restart: str, place: str) -> list[Kept]:
    """Return the commands as they are to be.

    Args:
        commands: those that are there.
        exports: the variables that have to be exported.
        restart: the command that restarts what pulls images; "" for none.
        place: ``Start``, ``End``, or "" for what the commands need.

    Raises:
        ValueError: a value holds what a shell word cannot carry.
    """
    where = anchors(commands, place)
    missing = dict(exports)
    kept: list[Kept] = []
    for index, text in enumerate(commands.texts):
        new = text
        if is_restart(text):
            new = ""
            if where.restart_behind < index < where.restart:
                new, restart = restart, ""
        elif only_exports(text):
            new = ""
            if where.behind < index < where.exports:
                new = edited(text, missing)
            for name in only_exports(new):
                del missing[name]
        if new or not text:
            kept.append(Kept(new, index))
    if restart and not _is_restarted(commands.texts):
        kept.insert(_position(kept, where.restart), Kept(restart))
    if missing:
        _add_exports(kept, _position(kept, where.exports), commands, exports, missing)
    return kept


def _add_exports(
    kept: list[Kept],
    end: int,
    commands: Commands,
    exports: Variables,
    missing: Variables,
) -> None:
    """Add the missing exports at an index; with those of our own in front of it they stand in our order."""
    start = end
    block = {}
    while start > 0:
        command = kept[start - 1]
        if command.place < 0 or not is_ours(commands.texts[command.place]):
            break
        block[command.text] = command
        start -= 1
    ordered = []
    for name, value in exports.items():
        text = export(name, value)
        if name in missing or text in block:
            command = block.get(text, Kept(text))
            ordered.append(command)
    kept[start:end] = ordered


def _position(kept: Sequence[Kept], anchor: int) -> int:
    """Return the position of the first command that was at ``anchor`` or behind it; what is new stays in front."""
    for position, command in enumerate(kept):
        if command.place >= anchor:
            return position
    return len(kept)


def _is_ours(text: str) -> bool:
    if only_exports(text) or is_restart(text):
        return True
    return text.rstrip().endswith(TRUST_MARK)


def is_restart(command: str) -> bool:
    """Return whether a command is the restart that this program adds."""
    return command.rstrip().endswith(MARK) and "systemctl" in command


def restart_of(unit: str, verb: str) -> str:
    """Return the command that restarts a service with its drop-ins, by a verb of ``systemctl``."""
    return f"systemctl daemon-reload && systemctl {verb} {unit} {MARK}"


def _is_restarted(texts: Sequence[str]) -> bool:
    """Return whether commands of somebody else restart containerd behind a ``daemon-reload``."""
    script = "\n".join(text for text in texts if not _is_ours(text))
    script = re.sub(_COMMENTS, "", script)
    reload = re.search(_RELOAD, script)
    if reload is None:
        return False
    behind = script[reload.end() :]
    if re.search(_RESTART, behind):
        return True
    return bool(re.search(_STOP, script) and re.search(_BEGIN, behind))


@lru_cache(maxsize=CACHED_LINES)
def needs_the_proxy(text: str) -> bool:
    """Return whether a command may contact a host beyond the node, and sets no proxy for itself."""
    if assigned(text) or re.fullmatch(_HELP, text):
        return False
    if not re.search(_NEEDS_NETWORK, text):
        return False
    hosts = re.findall(_URL, text)
    return not hosts or any(not re.fullmatch(_LOCAL, host) for host in hosts)


def touches_containerd(text: str) -> bool:
    """Return whether a command may install, configure, start or stop what pulls images."""
    if re.fullmatch(_LOOKS_ONLY, text):
        return False
    return re.search(_TOUCHES_CONTAINERD, text) is not None


def changes_proxy(text: str) -> bool:
    """Return whether the commands behind this one run with another proxy, or without one."""
    return bool(unset_by(text)) or any(exports_in(text))
