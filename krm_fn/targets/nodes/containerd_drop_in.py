"""containerd: a systemd drop-in gives it the proxy, so that it can pull images."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from krm_fn.carriers.reading import Reading, Values
from krm_fn.carriers.site import Site
from krm_fn.engine import Draft
from krm_fn.noproxy import Audience
from krm_fn.products.node_kinds import kinds_of
from krm_fn.targets.base import Context, Options, Target
from krm_fn.targets.nodes.drop_in_file import correct_drop_in, drop_in_sites


class _ContainerdDropIn(Target):
    id = "containerdDropIn"
    kinds = kinds_of("containerdDropIn")
    audience = Audience.NODE

    def sites(self, draft: Draft, context: Context) -> Iterator[Site]:
        """Yield the drop-ins of containerd; ``context.options`` are strings."""
        yield from drop_in_sites(draft, context, "containerd", self.id)

    def fix(
        self, draft: Draft, place: Mapping[str, Reading], values: Values, options: Options
    ) -> None:
        """Give a drop-in in ``files`` other values."""
        correct_drop_in(draft, place, values)


TARGET = _ContainerdDropIn()
