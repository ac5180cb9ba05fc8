"""The targets of the systems that one target each writes: files of their services, and exports before they start."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from krm_fn.carriers.reading import Reading, Values
from krm_fn.carriers.site import Site
from krm_fn.engine import Draft
from krm_fn.noproxy import Audience
from krm_fn.products.node_kinds import OF_SERVICES, kinds_of
from krm_fn.settings import ProxySettings
from krm_fn.targets.base import Context, Options, Target
from krm_fn.targets.nodes import config_spec
from krm_fn.targets.nodes.command_site import NodeExports, correct_exports
from krm_fn.targets.nodes.drop_in_file import DropIn, OtherDropIns, correct_drop_in
from krm_fn.targets.nodes.environment_file import EnvironmentFile, correct_environment_file


class _NodeServices(Target):
    """The target of one system of the table of node kinds, by its ID."""

    audience = Audience.NODE

    def __init__(self, target_id: str) -> None:
        self.id = target_id
        self.kinds = kinds_of(target_id)

    def sites(self, draft: Draft, context: Context) -> Iterator[Site]:
        """Yield the files of the services, and the commands."""
        is_wanted = context.settings.sets_any
        spec = config_spec.find(draft, is_wanted=is_wanted, is_whole=context.is_whole)
        if spec is None:
            return
        spec.report_form(is_wanted=is_wanted)
        for service in spec.kind.services:
            if spec.system.has_environment_files:
                yield EnvironmentFile(spec, service, self.id)
            else:
                drop_in = DropIn(spec, service, self.id, {}, ProxySettings())
                yield drop_in
                yield OtherDropIns(drop_in)
        yield NodeExports(
            spec,
            exports=context.options.get("exports", True),
            restart=bool(spec.system.restart),
            place=str(context.options.get("place", "")),
        )

    def fix(
        self, draft: Draft, place: Mapping[str, Reading], values: Values, options: Options
    ) -> None:
        """Give the variables of a file, or of the commands, other values."""
        spec = config_spec.find(draft)
        path = next(iter(place.values())).path
        if spec is None:
            return
        if path[:-1] == spec.commands:
            correct_exports(draft, place, values)
        elif path[-1] == "content" and spec.system.has_environment_files:
            correct_environment_file(draft, place, values)
        elif path[-1] == "content":
            correct_drop_in(draft, place, values)


TARGETS = {target_id: _NodeServices(target_id) for target_id in OF_SERVICES}
"""ID -> target."""
