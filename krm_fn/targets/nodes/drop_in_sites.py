"""The sites of a target that writes a drop-in: ours, and those of others, which are only reported."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from krm_fn.carriers.reading import Reading, Values
from krm_fn.carriers.site import Site, SiteWithoutVariables, Variables
from krm_fn.carriers.unit_meant import corrected
from krm_fn.engine import Draft
from krm_fn.formats.file_content import decode, encode
from krm_fn.settings import ProxySettings
from krm_fn.targets.base import Context
from krm_fn.targets.nodes import config_spec
from krm_fn.targets.nodes.config_spec import ConfigSpec
from krm_fn.targets.nodes.container_runtime import CONTAINERD, CRI_O
from krm_fn.targets.nodes.drop_in_file import DropIn, OtherDropIns


def drop_in_sites(draft: Draft, context: Context, unit: str, target: str) -> Iterator[Site]:
    """Yield the drop-ins of a service; where CRI-O pulls the images, those of CRI-O in place of containerd's.

    Args:
        draft: an object of one of ``NODE_KINDS``.
        context: the options ``path``, ``owner``, ``permissions`` and ``content``, and the settings.
        unit: name of the service without ``.service``.
        target: the key under ``spec.targets`` that messages name.
    """
    is_wanted = bool(context.settings.variables())
    spec = config_spec.find(draft, is_wanted=is_wanted, is_whole=context.is_whole)
    if spec is None:
        return
    spec.report_form(is_wanted=is_wanted)
    if unit == CONTAINERD and spec.runtime == CRI_O:
        if "path" not in context.options:
            yield _Unused(spec, unit, target)
        unit = CRI_O
    drop_in = DropIn(spec, unit, target, context.options, context.settings)
    yield drop_in
    yield OtherDropIns(drop_in)


def correct_drop_in(draft: Draft, place: Mapping[str, Reading], values: Values) -> None:
    """Give the variables of a drop-in in ``files`` other values, where all that it sets is known."""
    path = next(iter(place.values())).path
    entry = draft.get(path[:-1])
    text = decode(entry) if path[-1] == "content" else None
    edited = None if text is None else corrected(text, place, values)
    if edited is not None:
        draft.set(path, encode(edited, entry.get("encoding")))


class _Unused(SiteWithoutVariables):
    """The drop-in of a service that does not run on the nodes, as a site: what an earlier run wrote is removed.

    It stays as it is where something is in the way; nobody has to know about that.
    """

    def __init__(self, spec: ConfigSpec, unit: str, target: str) -> None:
        self._spec = spec
        self._unit = unit
        self._target = target
        self.label = f"the drop-in of {unit}"

    def write(self, variables: Variables) -> None:
        """Remove the drop-in, whatever the variables are."""
        tried = Draft(self._spec.draft.data)
        spec = config_spec.find(tried)
        if spec is None or not spec.entries(spec.files):
            return
        DropIn(spec, self._unit, self._target, {}, ProxySettings()).write({})
        if tried.operations() and not tried.findings:
            self._spec.draft.set_items(self._spec.files, spec.entries(spec.files))
            self._spec.draft.describe(f"removes {self.label}, which the nodes do not run")
