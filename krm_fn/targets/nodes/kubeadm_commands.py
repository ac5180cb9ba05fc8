"""kubeadm: the proxy is exported to it, and containerd restarts so that it runs with its new environment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from krm_fn.carriers.reading import Reading, Values
from krm_fn.engine import Draft
from krm_fn.noproxy import Audience
from krm_fn.products.node_kinds import kinds_of
from krm_fn.targets.base import Context, Options, Target
from krm_fn.targets.nodes import config_spec
from krm_fn.targets.nodes.command_site import NodeExports, correct_exports


class _KubeadmCommands(Target):
    id = "kubeadmCommands"
    kinds = kinds_of("kubeadmCommands")
    audience = Audience.NODE

    def sites(self, draft: Draft, context: Context) -> Iterator[NodeExports]:
        """Yield the commands that run before kubeadm."""
        is_wanted = context.settings.sets_any
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

    def fix(
        self, draft: Draft, place: Mapping[str, Reading], values: Values, options: Options
    ) -> None:
        """Export other values, where all that the commands export is known."""
        correct_exports(draft, place, values)


TARGET = _KubeadmCommands()
