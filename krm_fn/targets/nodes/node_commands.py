"""The commands before the nodes are set up, and the one order of ours among them: trust store, restart, exports.

All belong before the first command that needs the network: a proxy that inspects TLS is trusted only behind the trust
store. An export belongs behind a command that changes proxy variables, the restart behind every command that installs,
configures or starts containerd. A command that looks as if it needs the network, and does not, does no harm: ours may
always be earlier.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from krm_fn.config import exports_variables
from krm_fn.engine import Draft
from krm_fn.formats import cached_by_line
from krm_fn.light_typing import Any, NamedTuple, Variables
from krm_fn.patch import Data, lookup, text_at
from krm_fn.places.place import Place, Reading, Readings, quoted
from krm_fn.settings import ProxySettings
from krm_fn.targets.nodes.exports import (
    assigned,
    edited,
    export,
    exports_in,
    is_ours,
    only_exports,
    unset_by,
)
from krm_fn.targets.nodes.node_config import MARK, NodeConfig

# The values of the option ``place``; without it the commands decide.
START, END = "Start", "End"

# Ends the commands of ``nodes.trustedCA``.
TRUST_MARK = f"{MARK}: trust store"

# So much of a command is looked at; Cluster API takes less.
_LONGEST = 65_536
# Stands for a script that is not known, which may need the network.
_UNKNOWN = "\ncurl "
_COMMENTS = r"(?m)^[ \t]*#.*$"

# In front of the path of a script that a command runs; one that it copies or chmods needs no network.
_RUN = r"""(?mx)
(?: ^ | [;&|({]                              # /opt/a.sh        true && /opt/a.sh
  | \b(?:bash|sh|source|sudo|exec|env)       # bash -x /opt/a.sh
  | (?<!\S)\.                                # . /opt/a.sh
)
[ \t]*
(?: (?: - | \w+= ) [^\s;&|({]+ [ \t]+ )*      # options of the shell or of sudo, variables: -x    A=b
["']?
"""

# A script of the image that a command runs: `INSTALL_RKE2_VERSION=v1 sh /opt/rke2-install.sh`.
_INSTALLER = (
    _RUN + r"""[\w./~${}-]{0,200} (?:bootstrap|download|fetch|install|setup) [\w-]{0,99} \.sh\b"""
)
# Programs that only write or compare a URL.
_WRITERS = r"""(?:
  (?: case|cat|declare|echo|e?grep|export|for|if|jq|local|printf|readonly|sed|set|systemctl|tee|test|until|while|yq )\b
| \[
)"""
_NEEDS_NETWORK = rf"""(?mx)
{_INSTALLER}
| (?: ^ | [\s;&|(`"'}}=\\] )                 # a program begins a word: curl    $(curl    ${{SUDO}}curl    GET=curl
(?: [\w./~${{}}-]*/ )?                       # its folder: /usr/bin/curl    $BIN/curl
(?:
  (?: SUSEConnect|add-apt-repository|amazon-linux-extras|ansible-galaxy|ansible-playbook|ansible-pull|apk|apt|apt-get
    | aptitude|argocd|aria2c|aws|axel|az|azcopy|bootc|brew|buildah|certbot|chef-client|cinc-client|clusterctl|composer
    | conda|cosign|cpanm?|crane|curl|deno|dnf(?:5|-3)?|docker-compose|emerge|flux|freshclam|fwupdmgr|gcloud
    | gem[\d.]*|git|gnutls-cli|gradlew?|gsutil|guix|imgpkg|insights-client|k0sctl|lein|luarocks|mamba|microdnf
    | micromamba|mvnw?|nix(?:-[a-z]+)?|nixos-rebuild|npm|npx|oc|oci|opkg|oras|ostree|packer|pacman|pip[\d.]*|pipenv
    | pipx|pnpm|podman-compose|poetry|puppet|rclone|registercloudguest|regctl|rhc|rpm-ostree|rustup|s3cmd|s5cmd
    | salt-call|sbt|skopeo|snap|subscription-manager|tailscale|tdnf|terraform|tofu|transactional-update
    | unattended-upgrades?|uvx?|vendir|wget2?|xbps-install|yarn|yum|yum-config-manager|yumdownloader|zypper
    | python[\d.]*\s+-m\s+(?:pip|ensurepip)|openssl\s+s_client
  ) (?=[\s;"'])                              # whatever its arguments are: apt-get update
| (?: chef-client|cinc-client|freshclam|gradlew|mvnw|registercloudguest|unattended-upgrades?|yarn ) $
                                             # and those that need no arguments
| (?: rpm|python[\d.]*|perl|ruby|node ) ["']? \s [^\n]{{0,500}} ://
                                             # rpm -Uvh https://files.example/x.rpm
| rsync ["']? \s [^\n]{{0,500}} \w:          # rsync -a files.example::x /opt
| (?:
    (?:crictl|ctr|docker|nerdctl|podman|helm) ["']? (?:\s+\S+){{0,6}} \s+
    (?:build|compose|dependency|fetch|install|login|manifest|pull|push|registry|repo|run|search|show|template|upgrade)
                                             # crictl --config /x pull pause
  | (?:bundle|bun|cargo|flatpak|go|k0s|nodeadm|pro|ua) ["']? \s+
    (?:add|attach|build|ci|download|enable|fetch|get|init|install|mod|run|update|upgrade)
                                             # go install example/x@latest
  | kubectl ["']? (?:\s+\S+){{0,6}} \s+ (?:annotate|apply|create|delete|exec|get|label|patch|wait)
                                             # kubectl -n x apply -f y
  | kubeadm \s+ (?:config\s+images|init|join|upgrade)
                                             # kubeadm config images pull
  | apt-key | gpg2? (?:\s+\S+){{0,6}} \s+ --recv-keys?
                                             # gpg --keyserver x --recv-keys y
  ) \b
)
| (?: \A | [;&|(] ) [ \t]*                   # any other program with a URL, where a command begins
(?: sudo\s+(?:-\S+\s+)* )? (?!{_WRITERS}) [\w./-]+ \s [^\n;&|<>]{{0,500}} \b(?:https?|ftp|git|hg|oci|svn)://
                                             # svn checkout https://files.example/x
| /dev/tcp/                                  # exec 3<>/dev/tcp/files.example/443
"""
_HELP = r"\S+\s+(?:--help|--version|-V|help|version)\s*"
_URL = r"""(?x)
:// (?:[^/@\s]{0,500}@)?                     # https://user:password@
([^/:\s"']+)                                 # files.example
"""
_LOCAL = r"""(?x)
localhost | 127\..* | \[.*                   # 127.0.0.1    [::1]
| 169\.254\..* | metadata.*                  # metadata services: 169.254.169.254    metadata.google.internal
| 100\.100\.100\.200 | 168\.63\.129\.16      # those of Alibaba and Azure
"""

_SYSTEMCTL = r"""(?x)
(?: ^ | [;&|\n({] | \b(?:then|do|else)\b )   # where a command begins: true && systemctl
[ \t]* (?:sudo\s+(?:-\S+\s+)*)? (?:/\S*/)?   # sudo -n /usr/bin/systemctl
systemctl\s+ (?:-\S+\s+)*                    # systemctl --no-block
(?:
  (daemon-reload)\b
| ((?:[a-z]+-)*restart|stop|start)            # try-restart    reload-or-restart
  \s [^;&|\n\#]*                             # other units in front
  (?<![\w-]) containerd(?:\.service)? (?![\w.-])
)
"""
_TOUCHES_CONTAINERD = r"""(?x)
containerd | \bcri-?o\b                      # systemctl stop containerd    dnf install cri-o
| docker(?:\.io|-ce) | moby-engine           # apt-get install docker.io    tdnf install moby-engine
| nerdctl-full                               # tar -xf nerdctl-full-2.0.0-linux-amd64.tar.gz
"""
_LOOKS_ONLY = r"""(?x)\s*
(?: cat|echo|grep|ls|test|\[                 # ls /etc/containerd
  | systemctl\s+(?:is-active|is-enabled|status|show)
)
\s [^;&|>\n]*                                # and nothing is written or run behind: not `cat x > y`
"""


class Commands(NamedTuple):
    """The commands of a list, "" for an entry that is none, and the scripts that they may run.

    ``scripts``: path -> text; None for one that is not known, so that it may need the network.
    """

    texts: Sequence[str]
    scripts: Mapping[str, str | None]

    def with_scripts(self, index: int) -> str:
        """Return a command, the scripts that it names, and those that these name, without comments."""
        text = self.texts[index]
        for _ in range(2):
            for path, script in self.scripts.items():
                name = path
                if path.endswith(".sh"):  # cd /opt && ./a.sh
                    name = path[path.rfind("/") :]
                if name not in text or len(text) > _LONGEST:
                    continue
                if script is None and re.search(_RUN + re.escape(path), text):
                    text += _UNKNOWN
                elif script and script not in text:
                    text += "\n" + script
        return re.sub(_COMMENTS, "", text[:_LONGEST])


class Anchors(NamedTuple):
    """Indices of the commands before which ours belong, and behind which they have to be."""

    trust: int
    exports: int
    restart: int
    behind: int = -1
    restart_behind: int = -1


def anchors(commands: Commands, anchor: str) -> Anchors:
    """Return where our commands belong, given the option ``place``."""
    end = len(commands.texts)
    others = [index for index, text in enumerate(commands.texts) if text and not _is_ours(text)]
    if anchor == END:
        last = others[-1] if others else -1
        return Anchors(end, end, end, last, last)
    network = []
    before = []
    behind = restart_behind = -1
    for index in others:
        text = commands.with_scripts(index)
        if touches_containerd(text):
            restart_behind = index
        if anchor == START or needs_network(text):
            network.append(index)
        # A command that sets a proxy for itself does not wait for ours.
        if anchor == START or (needs_network(text) and not assigned(text)):
            before.append(index)
        elif not before and changes_proxy(commands.texts[index]):
            behind = index
    trust = network[0] if network else end
    exports = before[0] if before else end
    restart = next((index for index in before if index > restart_behind), end)
    return Anchors(trust, exports, restart, behind, restart_behind)


def arranged(
    items: Sequence[Any], commands: Commands, exports: Variables, restart: str, anchor: str
) -> list[Any]:
    """Return the new list of commands.

    A command of ours that is right, where it has to be, stays there: a list that works keeps its order.

    Args:
        items: the entries of the old list; one that is no command stays.
        commands: their texts.
        exports: the variables that have to be exported.
        restart: the command that restarts the service that pulls images; "" for none.
        anchor: ``Start``, ``End``, or "" where the commands decide.

    Raises:
        ValueError: a shell word cannot hold a character of a value.
    """
    where = anchors(commands, anchor)
    missing = dict(exports)
    entries: list[list[Any]] = [
        [item] for item in items
    ]  # those that take the place of each old one
    for index, text in enumerate(commands.texts):
        if is_restart(text):
            entries[index] = []
            if restart and where.restart_behind < index < where.restart:
                entries[index] = [restart]
                restart = ""
        elif only_exports(text):
            new = edited(text, missing) if where.behind < index < where.exports else ""
            entries[index] = [new] if new else []
            for name in only_exports(new):
                del missing[name]  # so that a second export of it goes
    entries.append([])
    if _is_restarted(commands.texts):
        restart = ""
    if missing:
        # New exports join those of ours directly in front of them, in our order, unless a new restart is between.
        start = where.exports
        lowest = start if restart and where.restart == start else 0
        while start > lowest and (is_ours(commands.texts[start - 1]) or not entries[start - 1]):
            start -= 1
            for text in entries[start]:
                missing[only_exports(text)[0]] = ""
            entries[start] = []
        new_exports = [export(name, value) for name, value in exports.items() if name in missing]
        entries[where.exports][:0] = new_exports
    if restart:
        entries[where.restart].insert(0, restart)
    return [entry for group in entries for entry in group]


def trust_position(commands: Commands, place: str) -> int:
    """Return where the commands of the trust store belong; those that are early enough stay, new ones go in front."""
    anchor = anchors(commands, place).trust
    for index, text in enumerate(commands.texts[:anchor]):
        if is_of_trust_store(text):
            return index
    while anchor and _is_ours(commands.texts[anchor - 1]):
        anchor -= 1
    return anchor


def _is_ours(text: str) -> bool:
    if only_exports(text) or is_restart(text):
        return True
    return is_of_trust_store(text)


def is_restart(command: str) -> bool:
    """Return whether a command is the restart that this program adds."""
    return command.rstrip().endswith(MARK) and "systemctl" in command


def is_of_trust_store(command: str) -> bool:
    """Return whether a command is one of ``nodes.trustedCA``."""
    return command.rstrip().endswith(TRUST_MARK)


def _is_restarted(texts: Sequence[str]) -> bool:
    """Return whether commands of somebody else restart containerd behind a ``daemon-reload``."""
    script = "\n".join(text for text in texts if not _is_ours(text))
    if "systemctl" not in script:
        return False
    is_reloaded = is_stopped = False
    for reload, verb in re.findall(_SYSTEMCTL, re.sub(_COMMENTS, "", script)):
        if reload:
            is_reloaded = True
        elif verb == "stop":
            is_stopped = True
        elif is_reloaded and (is_stopped or verb != "start"):
            return True
    return False


@cached_by_line
def needs_network(text: str) -> bool:
    """Return whether a command may contact a host beyond the node."""
    if not re.search(_NEEDS_NETWORK, text) or re.fullmatch(_HELP, text):
        return False
    hosts = re.findall(_URL, text)
    if not hosts:
        return True
    return not all(re.fullmatch(_LOCAL, host) for host in hosts)


def touches_containerd(text: str) -> bool:
    """Return whether a command may install, configure, start or stop the service that pulls images."""
    if not re.search(_TOUCHES_CONTAINERD, text):
        return False
    return re.fullmatch(_LOOKS_ONLY, text) is None


def changes_proxy(text: str) -> bool:
    """Return whether the commands behind this one run with another proxy, or without any."""
    return bool(unset_by(text)) or any(exports_in(text))


class NodeExports(NamedTuple):
    """The exports and the restart among the commands, as a form.

    Attributes:
        config: the configuration of the nodes with the commands.
        options: ``exports``, ``restart`` and ``place``.
    """

    config: NodeConfig
    options: Data

    def read(self, data: Any, place: Place) -> Readings:
        """Yield the variables that are exported in the end: the commands run one after another as one script."""
        readings = {}
        for index, text in enumerate(self.config.commands_in(data)):
            path = (*place.path, str(index))
            for exported in exports_in(text):
                readings[exported.name] = Reading(
                    exported.name, exported.value, path, text, place.label, exported.why
                )
            for name in unset_by(text):
                readings.pop(name, None)
        yield from readings.values()

    def write(self, draft: Draft, place: Place, settings: ProxySettings) -> None:
        """Make the commands export the variables, and restart the service that pulls images."""
        config = self.config
        variables = settings.variables
        old = draft.items(place.path)
        commands = Commands(config.commands_in(draft.data), config.scripts_in(draft.data))
        exports = variables if exports_variables(self.options) else {}
        where = text_at(self.options, ("commands", "place"))
        try:
            new = arranged(old, commands, exports, self._restart(variables), where)
        except ValueError as error:
            draft.report("CannotWrite", f"{error}; change the proxy settings", place.path)
            return
        draft.set_items(place.path, new)
        after = config.commands_in(draft.data)
        _describe(draft, place.label, commands.texts, after, config.runtime)
        self._report(draft, after, variables)

    def _restart(self, variables: Variables) -> str:
        """Return the command that restarts the service that pulls images; "" where nothing has to restart.

        Ignition writes drop-ins before any service starts.
        """
        verb = self.config.system.restart
        if not variables or not verb or self.config.has_ignition:
            return ""
        if lookup(self.options, ("commands", "restart")) is False:
            return ""
        return f"systemctl daemon-reload && systemctl {verb} {self.config.runtime} {MARK}"

    def _report(self, draft: Draft, commands: Sequence[str], variables: Variables) -> None:
        """Report commands that cannot be edited, and those that unset an exported variable."""
        exported = set()
        for index, text in enumerate(commands):
            path = (*self.config.commands, str(index))
            names = only_exports(text)
            if names:
                exported.update(names)
                self.config.report_length(draft, path)
                continue
            unset = [name for name in unset_by(text) if name in exported]
            if unset:
                draft.report(
                    "OtherProxy",
                    f"this command unsets {quoted(unset)} behind the export; remove it",
                    path,
                )
            assignments = dict(assigned(text))
            if assignments:
                is_equal = assignments.items() <= variables.items()
                draft.report(
                    "ByHand",
                    f"this command sets {quoted(assignments)} and does more than that, so it is left as it is",
                    path,
                    is_info=is_equal,
                )


def _describe(
    draft: Draft, label: str, before: Sequence[str], after: Sequence[str], runtime: str
) -> None:
    """Say in a draft how exports and restart changed."""
    restarts = f"restarts {runtime}"
    stops = "removes the restart of the service that pulls images"
    for is_kind, sets, removes in (
        (only_exports, f"sets the proxy in {label}", f"removes the proxy from {label}"),
        (is_restart, restarts, stops),
    ):
        old = [text for text in before if is_kind(text)]
        new = [text for text in after if is_kind(text)]
        if new == old:
            continue
        change = sets if new else removes
        draft.describe(change)
