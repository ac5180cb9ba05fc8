"""kubeadm: the proxy is exported to it, and containerd restarts so that it runs with its new environment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set

from krm_fn.carriers.reading import Reading, Values
from krm_fn.engine import Draft
from krm_fn.noproxy import Audience
from krm_fn.products.node_kinds import kinds_of
from krm_fn.settings import PROXY_VARIABLES
from krm_fn.targets.base import Context, Target
from krm_fn.targets.nodes import config_spec, shell_exports
from krm_fn.targets.nodes.exports import NodeExports


class _KubeadmCommands(Target):
    id = "kubeadmCommands"
    kinds = kinds_of("kubeadmCommands")
    audience = Audience.NODE

    def sites(self, draft: Draft, context: Context) -> Iterator[NodeExports]:
        """Yield the commands that run before kubeadm."""
        is_wanted = bool(context.settings.variables())
        spec = config_spec.find(draft, is_wanted=is_wanted, is_whole=context.is_whole)
        if spec is None:
            return
        spec.report_form(is_wanted=is_wanted)
        yield NodeExports(
            spec,
            exports=context.options.get("exports", True),
            restart=context.options.get("restart", True),
            place=str(context.options.get("place", "")),
        )

    def fix(self, draft: Draft, place: Mapping[str, Reading], values: Values) -> None:
        """Export other values, where all that the commands export is known."""
        path = next(iter(place.values())).path[:-1]
        commands = draft.get(path)
        exports: dict[int, list[str]] = {}
        for index, command in enumerate(commands):
            names = shell_exports.exported(command) if isinstance(command, str) else []
            if names:
                exports[index] = list(names)
        # A command stays as it is if another one, which cannot be edited, decides about a variable of it.
        sound = {
            name
            for name, one in place.items()
            if one.value is not None and int(one.path[-1]) in exports
        }
        edited = {index for index, names in exports.items() if sound.issuperset(names)}
        wanted = _wanted_exports(
            place, values, {name for index in edited for name in exports[index]}
        )
        if not edited or values.keys().isdisjoint(wanted):
            return
        texts = [command if index in edited else "" for index, command in enumerate(commands)]
        planned = shell_exports.plan(texts, wanted, in_one_block=True)
        left = [
            planned.rewritten.get(index, command)
            for index, command in enumerate(commands)
            if index not in planned.removed
        ]
        left += [shell_exports.export(name, wanted[name]) for name in planned.missing]
        draft.set_items(path, left)


def _wanted_exports(
    place: Mapping[str, Reading], values: Values, exported: Set[str]
) -> dict[str, str]:
    """Return what the commands have to export: what they do now with other values, and what belongs to it."""
    wanted: dict[str, str] = {}
    for name in PROXY_VARIABLES:
        value = values.get(name)
        if name not in values and name in exported:
            value = place[name].value
        is_new = name not in place and (name.swapcase() in exported or name.upper() == "NO_PROXY")
        if value is not None and (name in exported or is_new):
            wanted[name] = value
    return wanted


TARGET = _KubeadmCommands()
